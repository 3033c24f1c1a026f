// SPDX-License-Identifier: Apache-2.0
// Copies between the L0C Buffer and the Unified Buffer, in units of the cube's 16 x 16 squares, with a quantization.
#ifndef OPKG_TWIN_COPY_ENHANCED_H
#define OPKG_TWIN_COPY_ENHANCED_H

#include "twin/data_copy.h"

enum class pad_t : uint8_t {
    PAD_NONE, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5, PAD_MODE6, PAD_MODE7, PAD_MODE8
};

namespace AscendC {

enum class BlockMode : uint8_t {
    BLOCK_MODE_NORMAL, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL, BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };

struct DataCopyEnhancedParams {
    constexpr DataCopyEnhancedParams() = default;
    constexpr DataCopyEnhancedParams(BlockMode mode, DeqScale scale, uint64_t value, uint8_t store, bool relu, pad_t pad,
                                     uint64_t pad_value)
        : blockMode(mode), deqScale(scale), deqValue(value), sidStoreMode(store), isRelu(relu), padMode(pad),
          padValue(pad_value)
    {
    }
    BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
    DeqScale deqScale = DeqScale::DEQ_NONE;
    uint64_t deqValue = 0;
    uint8_t sidStoreMode = 0;
    bool isRelu = false;
    pad_t padMode = pad_t::PAD_NONE;
    uint64_t padValue = 0;
    uint64_t deqTensorAddr = 0;
};

} // namespace AscendC

namespace opkg::twin {

// What one unit of blockLen is, and what one of the gap on the L0C side: a square of 16 x 16, a row of 16, or a block.
inline size_t block_unit(AscendC::BlockMode mode, size_t element)
{
    return mode == AscendC::BlockMode::BLOCK_MODE_MATRIX ? 256 * element
           : mode == AscendC::BlockMode::BLOCK_MODE_VECTOR ? 16 * element
                                                           : kBlock;
}
inline size_t gap_unit(AscendC::BlockMode mode, size_t element)
{
    return mode == AscendC::BlockMode::BLOCK_MODE_NORMAL ? kBlock : 256 * element;
}

inline void require_mode(const AscendC::DataCopyEnhancedParams &p)
{
    if (p.blockMode > AscendC::BlockMode::BLOCK_MODE_VECTOR) {
        opkg_twin_fail("DataCopy with DataCopyEnhancedParams: the twin has no blockMode but NORMAL, MATRIX and VECTOR");
    }
}
inline void require_plain(const AscendC::DataCopyEnhancedParams &p)
{
    require_mode(p);
    if (p.deqScale != AscendC::DeqScale::DEQ_NONE) {
        opkg_twin_fail("DataCopy with a deqScale is there from the L0C Buffer to the Unified Buffer of the Ascend310P only");
    }
}

// The types of a source and a target, and the modes between them.
template <typename T, typename U>
constexpr bool quantizes(AscendC::DeqScale scale)
{
    using AscendC::DeqScale;
    switch (scale) {
        case DeqScale::DEQ_NONE:
            return are<T, U, half, float>;
        case DeqScale::DEQ:
            return are<T, U, half, half> || are<T, U, half, int32_t>;
        case DeqScale::VDEQ:
            return are<T, U, half, int32_t>;
        case DeqScale::DEQ8:
        case DeqScale::VDEQ8:
            return are<T, U, int8_t, int32_t> || are<T, U, uint8_t, int32_t>;
        default:
            return are<T, U, half, int32_t> || are<T, U, int16_t, int32_t>;
    }
}

// Rows of squares, or of rows of 16, that become another type on their way into the Unified Buffer.
template <typename T, typename U>
void copy_quantized(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<U> &src,
                    const AscendC::DataCopyParams &p, const AscendC::DataCopyEnhancedParams &enhanced)
{
    require_mode(enhanced);
    if (!quantizes<T, U>(enhanced.deqScale) || enhanced.blockMode == AscendC::BlockMode::BLOCK_MODE_NORMAL) {
        opkg_twin_fail("DataCopy with DataCopyEnhancedParams: the deqScale does not go with these types, or the blockMode "
                       "is not MATRIX or VECTOR");
    }
    const bool bytes_apart = sizeof(T) == 1 && enhanced.sidStoreMode < 2;
    const uint32_t elements = p.blockLen * (enhanced.blockMode == AscendC::BlockMode::BLOCK_MODE_MATRIX ? 256u : 16u);
    const size_t from = elements * sizeof(U), to = elements * (bytes_apart ? 2 : sizeof(T));
    const QuantizedCopy plan{p.blockCount, elements, DtypeOf<U>::value, DtypeOf<T>::value,
                             static_cast<uint32_t>(enhanced.deqScale), enhanced.isRelu ? 1u : 0u, enhanced.sidStoreMode, 0,
                             from + p.srcStride * gap_unit(enhanced.blockMode, sizeof(U)), to + p.dstStride * kBlock,
                             enhanced.deqValue, reinterpret_cast<const void *>(enhanced.deqTensorAddr)};
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_rows(dst, p.blockCount, to, plan.dst_step),
                     opkg_reads_rows(src, p.blockCount, from, plan.src_step));
    opkg_twin_copy_quantized(dst.data(), src.data(), &plan);
}

} // namespace opkg::twin

namespace AscendC {

// L0C Buffer to Unified Buffer and back; between other buffers the unit is a block of 32 bytes.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
                                const DataCopyEnhancedParams &enhanced)
{
    using namespace opkg::twin;
    if constexpr (__NPU_ARCH__ == 2002 && std::is_same<T, half>::value) {
        if (enhanced.deqScale == DeqScale::DEQ) {
            copy_quantized(dst, src, p, enhanced);
            return;
        }
    }
    require_plain(enhanced);
    const size_t bytes = p.blockLen * block_unit(enhanced.blockMode, sizeof(T));
    const size_t gap = gap_unit(enhanced.blockMode, sizeof(T));
    const bool into_l0c = buffer_of(static_cast<TPosition>(dst.GetPosition())) == kL0C;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_rows(dst, p.blockCount, bytes, bytes + p.dstStride * (into_l0c ? gap : kBlock)),
                     opkg_reads_rows(src, p.blockCount, bytes, bytes + p.srcStride * (into_l0c ? kBlock : gap)));
    opkg_twin_load(dst.data(), src.data(), p.blockCount, bytes, bytes + p.dstStride * (into_l0c ? gap : kBlock),
                   bytes + p.srcStride * (into_l0c ? kBlock : gap));
    if (enhanced.isRelu) {
        const UnaryFn relu = opkg_twin_unary[kRelu][DtypeOf<T>::value];
        for (uint32_t row = 0; row < p.blockCount; ++row) {
            uint8_t *start = reinterpret_cast<uint8_t *>(dst.data()) + row * (bytes + p.dstStride * kBlock);
            relu(start, start, bytes / sizeof(T));
        }
    }
}
// The L0C Buffer to the Unified Buffer, from one type to another.
template <typename T, typename U, typename = std::enable_if_t<!std::is_same<T, U>::value>>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p,
                                const DataCopyEnhancedParams &enhanced)
{
    static_assert(__NPU_ARCH__ == 2002 || sizeof(T) == 0,
                  "DataCopy of one type into another with DataCopyEnhancedParams is there on the Ascend310P only");
    static_assert(__NPU_ARCH__ != 2002 || opkg::twin::are<T, U, half, float> ||
                      (std::is_same<U, int32_t>::value &&
                       opkg::twin::has_dtype<T>(opkg::twin::dtypes(opkg::twin::kI8, opkg::twin::kU8, opkg::twin::kI16,
                                                                   opkg::twin::kF16))),
                  "DataCopy with DataCopyEnhancedParams takes float to half, and int32_t to int8_t, uint8_t, int16_t or half");
    opkg::twin::copy_quantized(dst, src, p, enhanced);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
                                const DataCopyEnhancedParams &enhanced)
{
    opkg::twin::require_plain(enhanced);
    DataCopy(dst, src, p);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
                                const DataCopyEnhancedParams &enhanced)
{
    opkg::twin::require_plain(enhanced);
    DataCopy(dst, src, p);
}

// Each 16 elements become a square of 16 equal rows. blockLen in 16 elements, srcGap in blocks, dstGap in squares.
template <typename T, typename U>
__aicore__ inline void BroadCastVecToMM(const LocalTensor<T> &dst, const LocalTensor<U> &src, const int32_t blockCount,
                                        const uint8_t blockLen, const uint8_t srcGap, const uint8_t dstGap)
{
    static_assert(__NPU_ARCH__ == 2002 || sizeof(T) == 0, "BroadCastVecToMM is there on the Ascend310P only");
    static_assert(std::is_same<T, U>::value, "BroadCastVecToMM takes dst and src of one type");
    static_assert(opkg::twin::has_dtype<T>(opkg::twin::dtypes(opkg::twin::kF16, opkg::twin::kI32, opkg::twin::kF32)),
                  "BroadCastVecToMM takes half, int32_t and float");
    constexpr size_t row = 16 * sizeof(T);
    const size_t bytes = blockLen * row;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_rows(dst, blockCount, 16 * bytes, 16 * (bytes + dstGap * row)),
                     opkg_reads_rows(src, blockCount, bytes, bytes + srcGap * opkg::twin::kBlock));
    uint8_t *to = reinterpret_cast<uint8_t *>(dst.data());
    const uint8_t *from = reinterpret_cast<const uint8_t *>(src.data());
    for (int32_t block = 0; block < blockCount; ++block) {
        for (size_t done = 0; done < bytes; done += row, to += 16 * row, from += row) {
            opkg_twin_load(to, from, 16, row, row, 0);
        }
        to += dstGap * 16 * row;
        from += srcGap * opkg::twin::kBlock;
    }
}

} // namespace AscendC

#endif // OPKG_TWIN_COPY_ENHANCED_H
