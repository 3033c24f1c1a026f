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
    T paddingValue = {};
};

enum class PaddingMode : uint8_t { Normal = 0, Compact };

enum class DataCopyMVType : uint8_t { UB_TO_OUT = 0, OUT_TO_UB = 1 };

// Two loops around every copy of one direction, steps in bytes.
struct LoopModeParams {
    constexpr LoopModeParams() = default;
    constexpr LoopModeParams(uint32_t inner, uint32_t outer, uint64_t inner_src, uint64_t inner_dst, uint64_t outer_src,
                             uint64_t outer_dst)
        : loop1Size(inner), loop2Size(outer), loop1SrcStride(inner_src), loop1DstStride(inner_dst),
          loop2SrcStride(outer_src), loop2DstStride(outer_dst)
    {
    }
    uint32_t loop1Size = 0;
    uint32_t loop2Size = 0;
    uint64_t loop1SrcStride = 0;
    uint64_t loop1DstStride = 0;
    uint64_t loop2SrcStride = 0;
    uint64_t loop2DstStride = 0;
};

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

// A copy of so many elements moves whole blocks; what is left over stays behind, as on the chip.
template <typename T>
constexpr size_t whole_blocks(uint64_t elements)
{
    return bytes_of<T>(elements) / kBlock * kBlock;
}

// Elements in so many bytes, rounded up to whole blocks.
template <typename T>
constexpr uint64_t whole_elements(uint64_t bytes)
{
    return elements_in<T>((bytes + kBlock - 1) / kBlock * kBlock);
}

// The places of a copy: one, or as many as the loops of SetLoopModePara ask for.
//     for (CopyPlaces at(way, dst, src); at.next();) { copy(at.dst, at.src); }
class CopyPlaces {
public:
    CopyPlaces(AscendC::DataCopyMVType way, void *to, const void *from)
        : dst(static_cast<uint8_t *>(to)), src(static_cast<const uint8_t *>(from)), first_dst_(dst), first_src_(src)
    {
        if constexpr (kWideChip) {
            const CopyLoops &loops = opkg_twin_core->loops[static_cast<uint32_t>(way)];
            loops_ = &loops;
            inner_ = loops.inner > 0 ? loops.inner : 1;
            places_ = static_cast<uint64_t>(inner_) * (loops.outer > 0 ? loops.outer : 1);
        }
    }
    bool next()
    {
        if (done_ == places_) {
            return false;
        }
        if (done_ > 0) {
            const uint64_t inner = done_ % inner_;
            const uint64_t outer = done_ / inner_;
            dst = first_dst_ + outer * loops_->outer_dst + inner * loops_->inner_dst;
            src = first_src_ + outer * loops_->outer_src + inner * loops_->inner_src;
        }
        ++done_;
        return true;
    }

    uint8_t *dst;
    const uint8_t *src;

private:
    uint8_t *first_dst_;
    const uint8_t *first_src_;
    const CopyLoops *loops_ = nullptr;
    uint32_t inner_ = 1;
    uint64_t places_ = 1;
    uint64_t done_ = 0;
};

inline constexpr AscendC::DataCopyMVType kCopyIn = AscendC::DataCopyMVType::OUT_TO_UB;
inline constexpr AscendC::DataCopyMVType kCopyOut = AscendC::DataCopyMVType::UB_TO_OUT;

} // namespace opkg::twin

namespace AscendC {

__aicore__ inline void SetLoopModePara(const LoopModeParams &p, DataCopyMVType type)
{
    opkg_twin_core->loops[static_cast<uint32_t>(type)] = {p.loop1Size,      p.loop2Size,      p.loop1SrcStride,
                                                          p.loop1DstStride, p.loop2SrcStride, p.loop2DstStride};
}
__aicore__ inline void ResetLoopModePara(DataCopyMVType type)
{
    opkg_twin_core->loops[static_cast<uint32_t>(type)] = {};
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_HOOK(opkg_twin_check_copy(OPKG_TWIN_HEADERS, dst.place(), opkg::twin::bytes_of<T>(count)));
    for (opkg::twin::CopyPlaces at(opkg::twin::kCopyIn, dst.address(), src.data()); at.next();) {
        opkg_twin_load_row(at.dst, at.src, opkg::twin::whole_blocks<T>(count));
    }
}

template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_HOOK(opkg_twin_check_copy(OPKG_TWIN_HEADERS, src.place(), opkg::twin::bytes_of<T>(count)));
    for (opkg::twin::CopyPlaces at(opkg::twin::kCopyOut, dst.data(), src.address()); at.next();) {
        opkg_twin_store(at.dst, at.src, 1, opkg::twin::whole_blocks<T>(count), 0, 0, opkg::twin::DtypeOf<T>::value);
    }
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_HOOK(opkg_twin_check_copy(OPKG_TWIN_HEADERS, dst.place(), opkg::twin::bytes_of<T>(count)));
    opkg_twin_load(dst.data(), src.data(), 1, opkg::twin::whole_blocks<T>(count), 0, 0);
}

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p)
{
    const size_t bytes = p.blockLen * opkg::twin::kBlock;
    for (opkg::twin::CopyPlaces at(opkg::twin::kCopyIn, dst.address(), src.data()); at.next();) {
        if (p.blockCount == 1) {
            opkg_twin_load_row(at.dst, at.src, bytes);
        } else {
            opkg::twin::settle();
            opkg_twin_load(at.dst, at.src, p.blockCount, bytes, bytes + p.dstStride * opkg::twin::kBlock,
                           bytes + p.srcStride * opkg::twin::kBlock);
        }
    }
}

template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
    const size_t bytes = p.blockLen * opkg::twin::kBlock;
    for (opkg::twin::CopyPlaces at(opkg::twin::kCopyOut, dst.data(), src.address()); at.next();) {
        opkg_twin_store(at.dst, at.src, p.blockCount, bytes, bytes + p.dstStride * opkg::twin::kBlock,
                        bytes + p.srcStride * opkg::twin::kBlock, opkg::twin::DtypeOf<T>::value);
    }
}

// The types may differ where bytes are moved as they are, such as from L1 into the table of biases.
template <typename T, typename U>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p)
{
    const size_t bytes = p.blockLen * opkg::twin::kBlock;
    opkg_twin_load(dst.data(), src.data(), p.blockCount, bytes, bytes + p.dstStride * opkg::twin::kBlock,
                   bytes + p.srcStride * opkg::twin::kBlock);
}

// Compact: the rows stand one behind the other, and only the end of the last one is filled up.
template <typename T, PaddingMode mode = PaddingMode::Normal>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
                                   const DataCopyPadExtParams<T> &pad)
{
    using namespace opkg::twin;
    static_assert(mode == PaddingMode::Normal || kWideChip, "PaddingMode::Compact is there on the Ascend950 only");
    const uint32_t left = static_cast<uint32_t>(pad.leftPadding * sizeof(T));
    const uint32_t right = static_cast<uint32_t>(pad.rightPadding * sizeof(T));
    const size_t row = (left + p.blockLen + right + kBlock - 1) / kBlock * kBlock;
    const PadPlan plan{p.blockCount, p.blockLen, static_cast<size_t>(p.blockLen + static_cast<int64_t>(p.srcStride)),
                       row + static_cast<size_t>(p.dstStride) * kBlock, left, right, sizeof(T),
                       left + right == 0 && !pad.isPad ? 1u : 0u,
                       pad.isPad ? raw_bits(pad.paddingValue) : opkg_twin_core->pad_value};
    if constexpr (mode == PaddingMode::Compact) {
        OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes(dst, whole_elements<T>(p.blockCount * p.blockLen)),
                         opkg_reads_rows(src, p.blockCount, p.blockLen, plan.src_step));
        for (CopyPlaces at(kCopyIn, dst.address(), src.data()); at.next();) {
            opkg_twin_load_compact(at.dst, at.src, &plan);
        }
    } else {
        for (CopyPlaces at(kCopyIn, dst.address(), src.data()); at.next();) {
            opkg_twin_load_pad(at.dst, at.src, &plan);
        }
    }
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
                                   const DataCopyPadParams &pad)
{
    DataCopyPadExtParams<T> wide;
    wide.isPad = pad.isPad;
    wide.leftPadding = pad.leftPadding;
    wide.rightPadding = pad.rightPadding;
    __builtin_memcpy(&wide.paddingValue, &pad.paddingValue, sizeof(T) < 8 ? sizeof(T) : 8);
    DataCopyPad<T, mode>(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0), wide);
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p)
{
    using namespace opkg::twin;
    static_assert(mode == PaddingMode::Normal || kWideChip, "PaddingMode::Compact is there on the Ascend950 only");
    const size_t row = mode == PaddingMode::Compact ? p.blockLen : (p.blockLen + kBlock - 1) / kBlock * kBlock;
    const size_t gap = mode == PaddingMode::Compact ? 0 : static_cast<size_t>(p.srcStride) * kBlock;
    for (CopyPlaces at(kCopyOut, dst.data(), src.address()); at.next();) {
        opkg_twin_store(at.dst, at.src, p.blockCount, p.blockLen,
                        static_cast<size_t>(p.blockLen + static_cast<int64_t>(p.dstStride)), row + gap, DtypeOf<T>::value);
    }
}

template <typename T, PaddingMode mode = PaddingMode::Normal>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
    DataCopyPad<T, mode>(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0));
}

// From L1 into a vector core's Unified Buffer.
template <typename T, uint8_t subBlockId = 0>
__aicore__ inline void DataCopyL1ToUB(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    DataCopy(dst, src, count);
}
template <typename T, uint8_t subBlockId = 0>
__aicore__ inline void DataCopyL1ToUB(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
    DataCopy(dst, src, p);
}

// The value that DataCopyPad fills with where its parameters carry none.
template <typename T, TPosition position = TPosition::MAX>
__aicore__ inline void SetPadValue(T value)
{
    opkg_twin_core->pad_value = opkg::twin::raw_bits(value);
}

} // namespace AscendC

#endif // OPKG_TWIN_DATA_COPY_H
