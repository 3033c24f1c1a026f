// SPDX-License-Identifier: Apache-2.0
// Picking elements: by byte offsets, by a pattern of bits.
#ifndef OPKG_TWIN_GATHER_H
#define OPKG_TWIN_GATHER_H

#include "twin/support.h"

namespace opkg::twin {

inline constexpr uint32_t kGathered = on_chip(kB16 | kB32, kB8 | kB64);
inline constexpr uint32_t kScattered =
    __NPU_ARCH__ == 2002 ? dtypes(kU16, kF16, kU32, kF32) : on_chip(0, kB8 | kB16 | kB32 | kB64);

} // namespace opkg::twin

namespace AscendC {

// dst[i] = the element at src + srcBaseOffset + srcOffset[i], in bytes.
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseOffset, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Gather", T, opkg::twin::kGathered);
    opkg_twin_gather(dst.data(), reinterpret_cast<const uint8_t *>(src.data()) + srcBaseOffset, srcOffset.data(),
                     sizeof(T), count);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseOffset,
                              const uint64_t mask[], const uint8_t repeatTime, const uint16_t dstRepStride)
{
    OPKG_TWIN_REQUIRE("Gather", T, opkg::twin::kGathered);
    constexpr uint32_t per_repeat = opkg::twin::mask_bits(sizeof(T));
    for (uint32_t i = 0; i < per_repeat * repeatTime; ++i) {
        const uint32_t at = i % per_repeat;
        if ((mask[at / 64] >> (at % 64) & 1) != 0) {
            opkg_twin_gather(dst.data() + i / per_repeat * dstRepStride * (32 / sizeof(T)) + at,
                             reinterpret_cast<const uint8_t *>(src.data()) + srcBaseOffset, srcOffset.data() + i,
                             sizeof(T), 1);
        }
    }
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                              const LocalTensor<uint32_t> &srcOffset, const uint32_t srcBaseOffset, const uint64_t mask,
                              const uint8_t repeatTime, const uint16_t dstRepStride)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Gather(dst, src, srcOffset, srcBaseOffset, bits.bits, repeatTime, dstRepStride);
}

struct GatherRepeatParams {
    constexpr GatherRepeatParams() = default;
    constexpr GatherRepeatParams(uint8_t dst_blk, uint8_t dst_rep) : dstRepStride(dst_rep), dstBlkStride(dst_blk) {}
    uint32_t blockNumber = 8;
    uint16_t dstRepStride = 8;
    uint8_t dstBlkStride = 1;
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

// Whole blocks of 32 bytes: each repeat moves the eight blocks that its eight offsets name.
template <typename T>
__aicore__ inline void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                               const LocalTensor<uint32_t> &offset, const uint8_t repeatTime,
                               const GatherRepeatParams &p)
{
    OPKG_TWIN_REQUIRE("Gatherb", T, opkg::twin::kGathered);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_reads(offset, 8u * repeatTime), opkg_reads_some(src, src.GetSize()),
                     p.dstBlkStride == 1 ? opkg_writes_rows(dst, repeatTime, 256, p.dstRepStride * 32u)
                                         : opkg_writes_some(dst, dst.GetSize()));
    uint8_t *to = reinterpret_cast<uint8_t *>(dst.data());
    const uint8_t *from = reinterpret_cast<const uint8_t *>(src.data());
    const uint32_t *offsets = offset.data();
    for (uint32_t i = 0; i < 8u * repeatTime; ++i) {
        __builtin_memmove(to + (i / 8 * p.dstRepStride + i % 8 * p.dstBlkStride) * 32, from + offsets[i], 32);
    }
}

// The element at dst + dstBaseAddr + dstOffset[i] = src[i].
template <typename T>
__aicore__ inline void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                               const LocalTensor<uint32_t> &dstOffset, const uint32_t dstBaseAddr, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Scatter", T, opkg::twin::kScattered);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_reads(src, count), opkg_reads(dstOffset, count),
                     opkg_writes_some(dst, dst.GetSize()));
    opkg_twin_scatter(reinterpret_cast<uint8_t *>(dst.data()) + dstBaseAddr, src.data(), dstOffset.data(), sizeof(T),
                      count);
}

template <typename T>
__aicore__ inline void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                               const LocalTensor<uint32_t> &dstOffset, const uint32_t dstBaseAddr,
                               const uint64_t mask[], const uint8_t repeatTime, const uint8_t srcRepStride)
{
    OPKG_TWIN_REQUIRE("Scatter", T, opkg::twin::kScattered);
    constexpr uint32_t per_repeat = opkg::twin::mask_bits(sizeof(T));
    OPKG_TWIN_ACCESS(PIPE_V, opkg_reads_some(src, src.GetSize()), opkg_reads_some(dstOffset, per_repeat * repeatTime),
                     opkg_writes_some(dst, dst.GetSize()));
    uint8_t *to = reinterpret_cast<uint8_t *>(dst.data()) + dstBaseAddr;
    const T *from = src.data();
    const uint32_t *offsets = dstOffset.data();
    for (uint32_t i = 0; i < per_repeat * repeatTime; ++i) {
        const uint32_t at = i % per_repeat;
        if ((mask[at / 64] >> (at % 64) & 1) != 0) {
            opkg_twin_scatter(to, from + i / per_repeat * srcRepStride * (32 / sizeof(T)) + at, offsets + i, sizeof(T),
                              1);
        }
    }
}
template <typename T>
__aicore__ inline void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                               const LocalTensor<uint32_t> &dstOffset, const uint32_t dstBaseAddr, const uint64_t mask,
                               const uint8_t repeatTime, const uint8_t srcRepStride)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Scatter(dst, src, dstOffset, dstBaseAddr, bits.bits, repeatTime, srcRepStride);
}

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
inline constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

struct GatherMaskParams {
    constexpr GatherMaskParams() = default;
    constexpr GatherMaskParams(uint8_t src0_blk, uint16_t repeats, uint16_t src0_rep, uint8_t src1_rep)
        : src0BlockStride(src0_blk), repeatTimes(repeats), src0RepeatStride(src0_rep), src1RepeatStride(src1_rep)
    {
    }
    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 0;
    uint8_t src1RepeatStride = 0;
};

} // namespace AscendC

namespace opkg::twin {

// pattern_step: bytes from repeat to repeat; ~0: one byte of pattern for all. In the counter mode a repeat has `mask`
// elements, on the 310P family all of them together. Afterwards the mask register is in its normal mode.
template <typename T>
inline uint64_t gather_mask(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                            const uint8_t *pattern, uint32_t pattern_step, bool counter, uint32_t mask,
                            const AscendC::GatherMaskParams &p)
{
    OPKG_TWIN_REQUIRE("GatherMask", T, kGathered);
    RepeatPlan plan{nullptr, mask_bits(sizeof(T)), p.repeatTimes, 2, {sizeof(T), sizeof(T), 0, 0},
                    {1, p.src0BlockStride, 0, 0}, {0, p.src0RepeatStride, 0, 0}};
    opkg_twin_core->counter_mode = 0;
    T *to = dst.data();
    const T *from = src.data();
    if (!counter || __NPU_ARCH__ != 2002) {
        return opkg_twin_gather_mask(to, from, pattern, pattern_step, counter ? mask : plan.mask_bits, &plan);
    }
    plan.repeat = mask / plan.mask_bits;
    const uint64_t kept = opkg_twin_gather_mask(to, from, pattern, pattern_step, plan.mask_bits, &plan);
    const uint32_t done = plan.repeat;
    plan.repeat = 1;
    return kept + opkg_twin_gather_mask(to + kept, from + done * p.src0RepeatStride * (32 / sizeof(T)),
                                        pattern + (pattern_step == ~0u ? 0 : done * pattern_step), pattern_step,
                                        mask % plan.mask_bits, &plan);
}

} // namespace opkg::twin

namespace AscendC {

// Keeps the elements whose bit is set, packed.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                  const LocalTensor<U> &src1Pattern, const bool reduceMode, const uint32_t mask,
                                  const GatherMaskParams &p, uint64_t &rsvdCnt)
{
    rsvdCnt = opkg::twin::gather_mask(dst, src0, reinterpret_cast<const uint8_t *>(src1Pattern.data()),
                                      p.src1RepeatStride * 32u, reduceMode, mask, p);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern,
                                  const bool reduceMode, const uint32_t mask, const GatherMaskParams &p,
                                  uint64_t &rsvdCnt)
{
    constexpr uint8_t patterns[8] = {0, 0x55, 0xaa, 0x11, 0x22, 0x44, 0x88, 0xff};
    rsvdCnt = opkg::twin::gather_mask(dst, src0, &patterns[src1Pattern & 7], ~0u, reduceMode, mask, p);
}

} // namespace AscendC

#endif // OPKG_TWIN_GATHER_H
