// SPDX-License-Identifier: Apache-2.0
// Selection by masks of whole elements, and dropping elements out.
#ifndef OPKG_ADV_FILTER_H
#define OPKG_ADV_FILTER_H

#include "adv/support.h"
#include "twin/compare.h"

namespace opkg::twin {

inline constexpr uint32_t kDropped = on_chip(kFloats, dtypes(kBF16));

// Rows of a tensor and of its mask, whose rows may be longer.
struct MaskedRows {
    uint32_t rows;
    uint32_t columns;
    uint32_t mask_step; // elements of a row of the mask; of bits: bytes
    uint32_t element;   // bytes
    uint32_t mask_element;
};

enum DropMode : uint32_t { kDropGuess, kDropBytesApart, kDropBytes, kDropBits, kDropBitsApart };

} // namespace opkg::twin

extern "C" {
// Where the mask is zero the first of tensor and number, or with number_first the number, else the other.
OPKG_TWIN_API void opkg_twin_select_bytes(void *dst, const void *tensor, const void *number, const void *mask,
                                          const opkg::twin::MaskedRows *rows, uint32_t number_first);
// Keeps what the mask has, times scale (one element); the rest becomes 0. bits: the mask is one of bits, lowest first.
OPKG_TWIN_API void opkg_twin_drop_out(uint32_t dtype, void *dst, const void *src, const uint8_t *mask, const void *scale,
                                      const opkg::twin::MaskedRows *rows, uint32_t bits);
} // extern "C"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
    SelectWithBytesMaskShapeInfo() {}
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};
struct DropOutShapeInfo {
    DropOutShapeInfo() {}
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

} // namespace AscendC

namespace opkg::twin {

template <typename T, typename U>
inline void select_bytes(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &tensor, const T &number,
                         const AscendC::LocalTensor<U> &mask, const AscendC::SelectWithBytesMaskShapeInfo &info,
                         bool number_first)
{
    if (info.maskLastAxis < info.srcLastAxis) {
        opkg_twin_fail("Select: the mask has rows of %u elements, the tensor of %u", info.maskLastAxis, info.srcLastAxis);
    }
    const MaskedRows rows{info.firstAxis, info.srcLastAxis, info.maskLastAxis, sizeof(T), sizeof(U)};
    opkg_twin_select_bytes(dst.data(), tensor.data(), &number, mask.data(), &rows, number_first);
}

// Which of the modes an unset one means, by the lengths of the rows.
inline DropMode drop_mode(uint32_t mode, const AscendC::DropOutShapeInfo &info)
{
    if (mode != kDropGuess) {
        return static_cast<DropMode>(mode);
    }
    if (info.maskLastAxis >= info.srcLastAxis) {
        return info.maskLastAxis == info.srcLastAxis ? kDropBytes : kDropBytesApart;
    }
    return info.maskLastAxis * 8 == info.srcLastAxis ? kDropBits : kDropBitsApart;
}

} // namespace opkg::twin

namespace AscendC {

// Where an element of mask is 0 src0, else src1; one of the two is a number.
template <typename T, typename U, bool isReuseMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                              typename opkg::twin::Same<T>::type src1, const LocalTensor<U> &mask,
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const SelectWithBytesMaskShapeInfo &info)
{
    OPKG_TWIN_REQUIRE("Select by bytes", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, info.firstAxis * info.srcLastAxis),
                     opkg_reads(src0, info.firstAxis * info.srcLastAxis),
                     opkg_reads_rows(mask, info.firstAxis, info.srcLastAxis * sizeof(U), info.maskLastAxis * sizeof(U)),
                     opkg_scratch(sharedTmpBuffer));
    opkg::twin::need_shared("Select", sharedTmpBuffer);
    opkg::twin::select_bytes(dst, src0, src1, mask, info, false);
}
template <typename T, typename U, bool isReuseMask = true>
__aicore__ inline void Select(const LocalTensor<T> &dst, typename opkg::twin::Same<T>::type src0,
                              const LocalTensor<T> &src1, const LocalTensor<U> &mask,
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const SelectWithBytesMaskShapeInfo &info)
{
    OPKG_TWIN_REQUIRE("Select by bytes", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, info.firstAxis * info.srcLastAxis),
                     opkg_reads(src1, info.firstAxis * info.srcLastAxis),
                     opkg_reads_rows(mask, info.firstAxis, info.srcLastAxis * sizeof(U), info.maskLastAxis * sizeof(U)),
                     opkg_scratch(sharedTmpBuffer));
    opkg::twin::need_shared("Select", sharedTmpBuffer);
    opkg::twin::select_bytes(dst, src1, src0, mask, info, true);
}

// Keeps the elements that the mask has, divided by keepProb, and makes the others 0.
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                               const LocalTensor<uint8_t> &maskLocal, const float keepProb, const DropOutShapeInfo &info)
{
    OPKG_TWIN_REQUIRE("DropOut", T, opkg::twin::kDropped);
    static_assert(dropOutMode <= opkg::twin::kDropBitsApart, "DropOut has modes 0 to 4");
    const opkg::twin::DropMode mode = opkg::twin::drop_mode(dropOutMode, info);
    const bool bits = mode == opkg::twin::kDropBits || mode == opkg::twin::kDropBitsApart;
    const bool apart = mode == opkg::twin::kDropBytesApart || mode == opkg::twin::kDropBitsApart;
    const uint32_t rows = apart ? info.firstAxis : 1;
    const uint32_t columns = apart ? info.srcLastAxis : info.firstAxis * info.srcLastAxis;
    const opkg::twin::MaskedRows plan{rows, columns, info.maskLastAxis, sizeof(T), 1};
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, static_cast<uint64_t>(rows) * columns),
                     opkg_reads(srcLocal, static_cast<uint64_t>(rows) * columns),
                     opkg_reads_rows(maskLocal, rows, bits ? (columns + 7) / 8 : columns, info.maskLastAxis));
    const T scale = static_cast<T>(1.0f / keepProb);
    opkg_twin_drop_out(opkg::twin::DtypeOf<T>::value, dstLocal.data(), srcLocal.data(), maskLocal.data(), &scale, &plan,
                       bits);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                               const LocalTensor<uint8_t> &maskLocal, const LocalTensor<uint8_t> &sharedTmpBuffer,
                               const float keepProb, const DropOutShapeInfo &info)
{
    opkg::twin::need_shared("DropOut", sharedTmpBuffer);
    DropOut<T, isInitBitMode, dropOutMode>(dstLocal, srcLocal, maskLocal, keepProb, info);
}

} // namespace AscendC

#endif // OPKG_ADV_FILTER_H
