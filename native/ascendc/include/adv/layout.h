// SPDX-License-Identifier: Apache-2.0
// Padding, broadcasting, and changes of the order in which elements lie.
#ifndef OPKG_ADV_LAYOUT_H
#define OPKG_ADV_LAYOUT_H

#include "adv/support.h"
#include "opkg/adv/tiling.h"
#include "opkg/adv/types.h"
#include "twin/layout.h"
#include "twin/transpose.h"

namespace opkg::twin {

inline constexpr uint32_t kPadded = dtypes(kI16, kU16, kF16, kI32, kU32, kF32);
inline constexpr uint32_t kSpread = on_chip(kB8 | kB16 | kB32, kB64);
inline constexpr uint32_t kSpreadRanks = on_chip(0, kB8 | kB16 | kB32 | kB64);
inline constexpr uint32_t kReordered = on_chip(kPadded, kB8 | kB16 | kB32);
inline constexpr uint32_t kFormatted = dtypes(kI16, kU16, kF16, kBF16);
inline constexpr uint32_t kMostDims = 9;

struct PadRows {
    uint32_t rows;
    uint32_t columns;  // of the source
    uint32_t kept;     // columns of them that are kept
    uint32_t left;     // columns before them
    uint32_t dst_step; // columns from row to row of dst; what is not kept is filled
    uint32_t element;  // bytes
    uint64_t value;
};

// N, C, D, H, W and what a change of format makes of them.
struct Volume {
    uint32_t n, c, d, h, w;
    uint32_t fractal; // 1: FRACTAL_Z_3D, 0: NDC1HWC0
    uint32_t fold;    // 1: from NCDHW
};

} // namespace opkg::twin

extern "C" {
OPKG_TWIN_API void opkg_twin_pad_rows(void *dst, const void *src, const opkg::twin::PadRows *plan);
OPKG_TWIN_API void opkg_twin_unpad_rows(void *dst, const void *src, const opkg::twin::PadRows *plan);
// Dimensions of 1 in the source are repeated.
OPKG_TWIN_API void opkg_twin_broadcast(void *dst, const void *src, uint32_t element, uint32_t rank, const uint32_t *dst_shape,
                                       const uint32_t *src_shape);
// kind: a TransposeType; shape: B, N, S and H/N, or up to three dimensions.
OPKG_TWIN_API void opkg_twin_reorder(void *dst, const void *src, uint32_t kind, const uint32_t *shape, uint32_t rank,
                                     uint32_t element);
OPKG_TWIN_API void opkg_twin_trans_data(uint16_t *dst, const uint16_t *src, const opkg::twin::Volume *volume);
} // extern "C"

namespace AscendC {

struct PadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};

} // namespace AscendC

namespace opkg::twin {

template <typename T>
inline PadRows pad_plan(const AscendC::PadParams &p, const AscendC::tiling::PadTiling &tiling)
{
    constexpr uint32_t block = 32 / sizeof(T);
    const bool whole = tiling.srcWidth % block == 0; // the rows are whole blocks: their last columns are filled
    const uint32_t width = (tiling.srcWidth + block - 1) / block * block;
    const uint32_t kept = whole ? tiling.srcOriWidth : tiling.srcWidth;
    if (p.leftPad + kept + p.rightPad > width || (whole && p.leftPad != 0)) {
        opkg_twin_fail("Pad: %u and %u columns around %u do not fit into rows of %u", p.leftPad, p.rightPad, kept, width);
    }
    const T value = static_cast<T>(p.padValue);
    PadRows plan{tiling.srcHeight, tiling.srcWidth, kept, p.leftPad, width, sizeof(T), 0};
    __builtin_memcpy(&plan.value, &value, sizeof(T));
    return plan;
}

} // namespace opkg::twin

namespace AscendC {

// Makes the rows of a matrix whole blocks of 32 bytes.
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const PadParams &padParams,
                           const AscendC::tiling::PadTiling &tiling)
{
    OPKG_TWIN_REQUIRE("Pad", T, opkg::twin::kPadded);
    const opkg::twin::PadRows plan = opkg::twin::pad_plan<T>(padParams, tiling);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, static_cast<uint64_t>(plan.rows) * plan.dst_step),
                     opkg_reads(srcTensor, static_cast<uint64_t>(plan.rows) * plan.columns));
    opkg_twin_pad_rows(dstTensor.data(), srcTensor.data(), &plan);
}
template <typename T>
__aicore__ inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const PadParams &padParams,
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const AscendC::tiling::PadTiling &tiling)
{
    opkg::twin::need_shared("Pad", sharedTmpBuffer);
    Pad(dstTensor, srcTensor, padParams, tiling);
}
// Leaves out the last columns.
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                             const UnPadParams &unPadParams, const AscendC::tiling::UnPadTiling &tiling)
{
    OPKG_TWIN_REQUIRE("UnPad", T, opkg::twin::kPadded);
    if (unPadParams.rightPad >= tiling.srcWidth || tiling.srcWidth * sizeof(T) % 32 != 0) {
        opkg_twin_fail("UnPad: %u of %u columns; the rows must be whole blocks of 32 bytes", unPadParams.rightPad,
                       tiling.srcWidth);
    }
    const uint32_t kept = tiling.srcWidth - unPadParams.rightPad;
    const opkg::twin::PadRows plan{tiling.srcHeight, tiling.srcWidth, kept, 0, kept, sizeof(T), 0};
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, static_cast<uint64_t>(plan.rows) * kept),
                     opkg_reads_rows(srcTensor, plan.rows, kept * sizeof(T), plan.columns * sizeof(T)));
    opkg_twin_unpad_rows(dstTensor.data(), srcTensor.data(), &plan);
}
template <typename T>
__aicore__ inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                             const UnPadParams &unPadParams, LocalTensor<uint8_t> &sharedTmpBuffer,
                             const AscendC::tiling::UnPadTiling &tiling)
{
    opkg::twin::need_shared("UnPad", sharedTmpBuffer);
    UnPad(dstTensor, srcTensor, unPadParams, tiling);
}

struct BroadcastTiling {
    uint32_t rank = 0;
    uint32_t dstShape[opkg::twin::kMostDims] = {};
    uint32_t srcShape[opkg::twin::kMostDims] = {};
};

} // namespace AscendC

namespace opkg::twin {

inline uint32_t product(const uint32_t *shape, uint32_t rank)
{
    uint32_t size = 1;
    for (uint32_t i = 0; i < rank; ++i) {
        size *= shape[i];
    }
    return size;
}

inline void check_broadcast(const uint32_t *dst, const uint32_t *src, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; ++i) {
        if (src[i] != dst[i] && src[i] != 1) {
            opkg_twin_fail("Broadcast: dimension %u is %u in the source and %u in dst", i, src[i], dst[i]);
        }
    }
}

} // namespace opkg::twin

namespace AscendC {

#define OPKG_ADV_BROADCAST(Name)                                                                                       \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                        \
                                const uint32_t dstShape[dim], const uint32_t srcShape[dim])                            \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE("Broadcast", T, opkg::twin::kSpread);                                                        \
        static_assert(dim == 1 || dim == 2, "Broadcast takes one dimension or two");                                   \
        static_assert(axis >= 0 && axis < dim, "Broadcast: there is no such axis");                                    \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, opkg::twin::product(dstShape, dim)),                            \
                         opkg_reads(srcLocal, opkg::twin::product(srcShape, dim)));                                    \
        opkg::twin::check_broadcast(dstShape, srcShape, dim);                                                          \
        opkg_twin_broadcast(dstLocal.data(), srcLocal.data(), sizeof(T), dim, dstShape, srcShape);                     \
    }                                                                                                                  \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                        \
                                const uint32_t dstShape[dim], const uint32_t srcShape[dim],                            \
                                LocalTensor<uint8_t> &sharedTmpBuffer)                                                 \
    {                                                                                                                  \
        opkg::twin::need_shared("Broadcast", sharedTmpBuffer, opkg::adv::kBlock);                                      \
        Name<T, dim, axis, isReuseSource>(dstLocal, srcLocal, dstShape, srcShape);                                     \
    }
OPKG_ADV_BROADCAST(Broadcast)
OPKG_ADV_BROADCAST(BroadCast)
#undef OPKG_ADV_BROADCAST

template <class T, int constRank = -1, uint32_t *constDstShape = nullptr, uint32_t *constSrcShape = nullptr>
__aicore__ inline void GetBroadcastTilingInfo(uint32_t rank, const uint32_t *dstShape, const uint32_t *srcShape, bool,
                                              BroadcastTiling &tiling)
{
    if (rank == 0 || rank > opkg::twin::kMostDims) {
        opkg_twin_fail("GetBroadcastTilingInfo: %u dimensions; there may be 1 to 9", rank);
    }
    tiling.rank = rank;
    for (uint32_t i = 0; i < rank; ++i) {
        tiling.dstShape[i] = dstShape[i];
        tiling.srcShape[i] = srcShape[i];
    }
}
template <class T, int constRank = -1, uint32_t *constDstShape = nullptr, uint32_t *constSrcShape = nullptr,
          bool constSrcInnerPad = false>
__aicore__ inline void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t *dstShape,
                                 const uint32_t *srcShape, BroadcastTiling *tiling)
{
    OPKG_TWIN_REQUIRE("Broadcast of any rank", T, opkg::twin::kSpreadRanks);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, opkg::twin::product(dstShape, tiling->rank)),
                     opkg_reads(src, opkg::twin::product(srcShape, tiling->rank)));
    opkg::twin::check_broadcast(dstShape, srcShape, tiling->rank);
    opkg_twin_broadcast(dst.data(), src.data(), sizeof(T), tiling->rank, dstShape, srcShape);
}

// Changes between matrices of 16 by 16 elements and rows, with axes exchanged, taken apart or joined.
#define OPKG_ADV_REORDER(Name)                                                                                         \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, TransposeType transposeType,     \
                                const AscendC::tiling::ConfusionTransposeTiling &tiling)                               \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE("Transpose of formats", T, opkg::twin::kReordered);                                          \
        const uint32_t shape[] = {tiling.param0, tiling.param1, tiling.param2, tiling.param3};                         \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_some(dst, opkg::twin::product(shape, tiling.param4)),                     \
                         opkg_reads(src, opkg::twin::product(shape, tiling.param4)));                                  \
        opkg_twin_reorder(dst.data(), src.data(), static_cast<uint32_t>(transposeType), shape, tiling.param4,          \
                          sizeof(T));                                                                                  \
    }                                                                                                                  \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                                  \
                                const LocalTensor<uint8_t> &sharedTmpBuffer, TransposeType transposeType,              \
                                const AscendC::tiling::ConfusionTransposeTiling &tiling)                               \
    {                                                                                                                  \
        opkg::twin::need_shared("Transpose", sharedTmpBuffer);                                                         \
        Name(dst, src, transposeType, tiling);                                                                         \
    }
OPKG_ADV_REORDER(Transpose)
OPKG_ADV_REORDER(ConfusionTranspose)
#undef OPKG_ADV_REORDER

template <typename T, typename U>
struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

} // namespace AscendC

namespace opkg::twin {

template <typename L>
inline Volume volume_of(const L &ncdhw, bool fractal, bool fold)
{
    const auto &shape = ncdhw.GetShape();
    static_assert(AscendC::Std::tuple_size_v<std::decay_t<decltype(shape)>> == 5, "NCDHW has five dimensions");
    return {static_cast<uint32_t>(AscendC::Std::get<0>(shape)), static_cast<uint32_t>(AscendC::Std::get<1>(shape)),
            static_cast<uint32_t>(AscendC::Std::get<2>(shape)), static_cast<uint32_t>(AscendC::Std::get<3>(shape)),
            static_cast<uint32_t>(AscendC::Std::get<4>(shape)), fractal, fold};
}

// Elements as NCDHW, each H by W filled up to a whole block, and as the other format.
inline uint64_t flat_elements(const Volume &v) { return static_cast<uint64_t>(v.n) * v.c * v.d * ((v.h * v.w + 15) / 16 * 16); }
inline uint64_t folded_elements(const Volume &v)
{
    const uint64_t n = v.fractal ? (v.n + 15) / 16 * 16 : v.n;
    return n * ((v.c + 15) / 16 * 16) * v.d * v.h * v.w;
}

} // namespace opkg::twin

namespace AscendC {

template <const TransDataConfig &config, typename T, typename U, typename S>
__aicore__ inline void TransData(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                                 const TransDataParams<U, S> &params)
{
    OPKG_TWIN_REQUIRE("TransData", T, opkg::twin::kFormatted);
    constexpr bool fold = config.srcFormat == DataFormat::NCDHW;
    constexpr DataFormat other = fold ? config.dstFormat : config.srcFormat;
    static_assert((fold || config.dstFormat == DataFormat::NCDHW) &&
                      (other == DataFormat::NDC1HWC0 || other == DataFormat::FRACTAL_Z_3D),
                  "TransData changes between NCDHW and NDC1HWC0 or FRACTAL_Z_3D");
    opkg::twin::Volume volume;
    if constexpr (fold) {
        volume = opkg::twin::volume_of(params.srcLayout, other == DataFormat::FRACTAL_Z_3D, true);
    } else {
        volume = opkg::twin::volume_of(params.dstLayout, other == DataFormat::FRACTAL_Z_3D, false);
    }
    OPKG_TWIN_ACCESS(PIPE_V,
                     opkg_writes(dstTensor, fold ? opkg::twin::folded_elements(volume) : opkg::twin::flat_elements(volume)),
                     opkg_reads(srcTensor, fold ? opkg::twin::flat_elements(volume) : opkg::twin::folded_elements(volume)));
    opkg_twin_trans_data(reinterpret_cast<uint16_t *>(dstTensor.data()),
                         reinterpret_cast<const uint16_t *>(srcTensor.data()), &volume);
}
template <const TransDataConfig &config, typename T, typename U, typename S>
__aicore__ inline void TransData(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer, const TransDataParams<U, S> &params)
{
    opkg::twin::need_shared("TransData", sharedTmpBuffer);
    TransData<config>(dstTensor, srcTensor, params);
}

} // namespace AscendC

#endif // OPKG_ADV_LAYOUT_H
