// SPDX-License-Identifier: Apache-2.0
// Moving data between global memory and on-chip buffers, and between on-chip buffers.
#ifndef OPKG_TWIN_DATA_COPY_H
#define OPKG_TWIN_DATA_COPY_H

#include "twin/support.h"

namespace AscendC {

// Lengths and gaps in blocks of 32 bytes; a gap is from the end of one row to the start of the next.
struct DataCopyParams {
    constexpr DataCopyParams() = default;
    constexpr DataCopyParams(uint16_t count, uint16_t len, uint16_t src, uint16_t dst)
        : blockCount(count), blockLen(len), srcStride(src), dstStride(dst)
    {
    }
    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    union {
        uint16_t srcGap;
        uint16_t srcStride = 0;
    };
    union {
        uint16_t dstGap;
        uint16_t dstStride = 0;
    };
};

// Row length in bytes; the gap in global memory in bytes, on chip in blocks of 32 bytes.
struct DataCopyExtParams {
    constexpr DataCopyExtParams() = default;
    constexpr DataCopyExtParams(uint16_t count, uint32_t len, int64_t src, int64_t dst, uint32_t reserved)
        : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(reserved)
    {
    }
    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
#if __NPU_ARCH__ >= 3510
    int64_t srcStride = 0;
    int64_t dstStride = 0;
#else
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
#endif
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    constexpr DataCopyPadParams() = default;
    constexpr DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    constexpr DataCopyPadExtParams() = default;
    constexpr DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }
    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = T(0);
};

enum class PaddingMode : uint8_t { Normal = 0, Compact };

} // namespace AscendC

namespace opkg::twin {

inline constexpr size_t kBlock = 32;

template <typename T>
uint64_t raw_bits(T value)
{
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}


} // namespace opkg::twin

namespace AscendC {

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count)
{
    opkg_twin_load_row(dst.address(), src.data(), opkg::twin::bytes_of<T>(count));
}

template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    opkg_twin_store(dst.data(), src.address(), 1, opkg::twin::bytes_of<T>(count), 0, 0, opkg::twin::DtypeOf<T>::value);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    opkg_twin_load(dst.data(), src.data(), 1, opkg::twin::bytes_of<T>(count), 0, 0);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p)
{
    const size_t bytes = p.blockLen * opkg::twin::kBlock;
    if (p.blockCount == 1) {
        opkg_twin_load_row(dst.address(), src.data(), bytes);
        return;
    }
    opkg_twin_load(dst.data(), src.data(), p.blockCount, bytes, bytes + p.dstStride * opkg::twin::kBlock,
                   bytes + p.srcStride * opkg::twin::kBlock);
}

template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
    const size_t bytes = p.blockLen * opkg::twin::kBlock;
    opkg_twin_store(dst.data(), src.address(), p.blockCount, bytes, bytes + p.dstStride * opkg::twin::kBlock,
                    bytes + p.srcStride * opkg::twin::kBlock, opkg::twin::DtypeOf<T>::value);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
    const size_t bytes = p.blockLen * opkg::twin::kBlock;
    opkg_twin_load(dst.data(), src.data(), p.blockCount, bytes, bytes + p.dstStride * opkg::twin::kBlock,
                   bytes + p.srcStride * opkg::twin::kBlock);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
                                   const DataCopyPadExtParams<T> &pad)
{
    using namespace opkg::twin;
    const size_t src_step = static_cast<size_t>(p.blockLen + static_cast<int64_t>(p.srcStride));
    if (mode == PaddingMode::Compact) {
        opkg_twin_load(dst.data(), src.data(), p.blockCount, p.blockLen, p.blockLen, src_step);
        return;
    }
    const uint32_t left = static_cast<uint32_t>(pad.leftPadding * sizeof(T));
    const uint32_t right = static_cast<uint32_t>(pad.rightPadding * sizeof(T));
    const size_t row = (left + p.blockLen + right + kBlock - 1) / kBlock * kBlock;
    const PadPlan plan{p.blockCount, p.blockLen, src_step, row + static_cast<size_t>(p.dstStride) * kBlock, left, right,
                       sizeof(T), left + right == 0 && !pad.isPad ? 1u : 0u,
                       pad.isPad ? raw_bits(pad.paddingValue) : opkg_twin_core->pad_value};
    opkg_twin_load_pad(dst.address(), src.data(), &plan);
}

template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
                                   const DataCopyPadParams &pad)
{
    DataCopyPadExtParams<T> wide;
    wide.isPad = pad.isPad;
    wide.leftPadding = pad.leftPadding;
    wide.rightPadding = pad.rightPadding;
    __builtin_memcpy(&wide.paddingValue, &pad.paddingValue, sizeof(T) < 8 ? sizeof(T) : 8);
    DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0), wide);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p)
{
    using namespace opkg::twin;
    const size_t row = mode == PaddingMode::Compact ? p.blockLen : (p.blockLen + kBlock - 1) / kBlock * kBlock;
    opkg_twin_store(dst.data(), src.address(), p.blockCount, p.blockLen,
                    static_cast<size_t>(p.blockLen + static_cast<int64_t>(p.dstStride)),
                    row + static_cast<size_t>(p.srcStride) * kBlock, DtypeOf<T>::value);
}

template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
    DataCopyPad(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0));
}

// The value that DataCopyPad fills with where its parameters carry none.
template <typename T, TPosition position = TPosition::MAX>
__aicore__ inline void SetPadValue(T value)
{
    opkg_twin_core->pad_value = opkg::twin::raw_bits(value);
}

} // namespace AscendC

#endif // OPKG_TWIN_DATA_COPY_H
