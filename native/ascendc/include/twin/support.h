// SPDX-License-Identifier: Apache-2.0
// Which dtypes an instruction takes on the chip at hand, said by the compiler in one sentence where one is not.
#ifndef OPKG_TWIN_SUPPORT_H
#define OPKG_TWIN_SUPPORT_H

#include "twin/small_floats.h"
#include "twin/tensor.h"

namespace opkg::twin {

inline constexpr bool kWideChip = __NPU_ARCH__ >= 3510; // 950: the vector unit knows every integer width

template <typename T>
constexpr bool has_dtype(uint32_t supported)
{
    return (supported & dtype_bit<T>) != 0;
}

constexpr uint32_t on_chip(uint32_t supported, uint32_t only_950)
{
    return kWideChip ? supported | only_950 : supported;
}

inline constexpr uint32_t kB8 = dtypes(kI8, kU8);
inline constexpr uint32_t kB16 = dtypes(kI16, kU16, kF16, kBF16);
inline constexpr uint32_t kB32 = dtypes(kI32, kU32, kF32);
inline constexpr uint32_t kB64 = dtypes(kI64, kU64);
inline constexpr uint32_t kAnyInteger = dtypes(kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64);
inline constexpr uint32_t kArithmetic = on_chip(dtypes(kI16, kF16, kI32, kF32), kAnyInteger | dtypes(kBF16));

} // namespace opkg::twin

#define OPKG_TWIN_REFUSE(name, T, type, supported)                                                                     \
    static_assert(!std::is_same<T, type>::value || opkg::twin::has_dtype<type>(supported),                             \
                  name " does not support " #type " on this SoC")
#define OPKG_TWIN_REQUIRE(name, T, supported)                                                                          \
    OPKG_TWIN_REFUSE(name, T, float, supported);                                                                       \
    OPKG_TWIN_REFUSE(name, T, half, supported);                                                                        \
    OPKG_TWIN_REFUSE(name, T, bfloat16_t, supported);                                                                  \
    OPKG_TWIN_REFUSE(name, T, AscendC::int4b_t, supported);                                                            \
    OPKG_TWIN_REFUSE(name, T, bool, supported);                                                                        \
    OPKG_TWIN_REFUSE(name, T, int8_t, supported);                                                                      \
    OPKG_TWIN_REFUSE(name, T, uint8_t, supported);                                                                     \
    OPKG_TWIN_REFUSE(name, T, int16_t, supported);                                                                     \
    OPKG_TWIN_REFUSE(name, T, uint16_t, supported);                                                                    \
    OPKG_TWIN_REFUSE(name, T, int32_t, supported);                                                                     \
    OPKG_TWIN_REFUSE(name, T, uint32_t, supported);                                                                    \
    OPKG_TWIN_REFUSE(name, T, int64_t, supported);                                                                     \
    OPKG_TWIN_REFUSE(name, T, uint64_t, supported);                                                                    \
    OPKG_TWIN_REFUSE(name, T, double, supported);                                                                      \
    OPKG_TWIN_REFUSE(name, T, hifloat8_t, supported);                                                                  \
    OPKG_TWIN_REFUSE(name, T, fp8_e4m3fn_t, supported);                                                                \
    OPKG_TWIN_REFUSE(name, T, fp8_e5m2_t, supported);                                                                  \
    OPKG_TWIN_REFUSE(name, T, fp8_e8m0_t, supported);                                                                  \
    OPKG_TWIN_REFUSE(name, T, fp4x2_e2m1_t, supported);                                                                \
    OPKG_TWIN_REFUSE(name, T, fp4x2_e1m2_t, supported)

namespace opkg::twin {

// One repeat handles 256 bytes of the widest operand.
constexpr uint32_t mask_bits(uint32_t widest) { return 256u / widest; }

// The operands of an instruction on contiguous elements, where their bytes are. reads_dst: dst is a source as well.
template <typename D, typename A, typename B>
struct Operands {
    D *dst;
    const void *a;
    const void *b;
    size_t count;

#ifdef OPKG_TWIN_CHECK
    Operands(const AscendC::LocalTensor<D> &to, const AscendC::LocalTensor<A> &first,
             const AscendC::LocalTensor<B> &second, int64_t elements, bool reads_dst = false,
             const char *name = __builtin_FUNCTION())
        : dst(reinterpret_cast<D *>(to.place())), a(first.place()), b(second.place()),
          count(elements > 0 ? static_cast<size_t>(elements) : 0),
          instruction(name, PIPE_V, to.touched_elements(count, kWrites | kEach | (reads_dst ? kReads : 0u)),
                      first.touched_elements(count, kReads | kEach), second.touched_elements(count, kReads | kEach))
    {
    }
    // An instruction that only writes.
    Operands(const AscendC::LocalTensor<D> &to, int64_t elements, const char *name = __builtin_FUNCTION())
        : dst(reinterpret_cast<D *>(to.place())), a(dst), b(dst), count(elements > 0 ? static_cast<size_t>(elements) : 0),
          instruction(name, PIPE_V, to.touched_elements(count, kWrites | kEach))
    {
    }

    const Instruction instruction;
#else
    Operands(const AscendC::LocalTensor<D> &to, int64_t elements) : Operands(to, to, to, elements) {}
    Operands(const AscendC::LocalTensor<D> &to, const AscendC::LocalTensor<A> &first,
             const AscendC::LocalTensor<B> &second, int64_t elements, bool reads_dst = false)
        : dst(to.address()), a(first.address()), b(second.address()), count(elements > 0 ? static_cast<size_t>(elements) : 0)
    {
        if (opkg_twin_core->deferred_count != 0) {
            opkg_twin_resolve(dst, bytes_of<D>(count), reads_dst, &a, bytes_of<A>(count), &b, bytes_of<B>(count));
        }
    }
#endif
};

struct Mask {
    uint64_t bits[2];
};

// The continuous form of a mask: the first `count` elements of each repeat.
inline Mask continuous_mask(uint64_t count)
{
    if (count >= 128) {
        return {{~0ull, ~0ull}};
    }
    return count >= 64 ? Mask{{~0ull, (1ull << (count - 64)) - 1}} : Mask{{(1ull << count) - 1, 0}};
}

// A mask in either form as bits.
inline Mask wide_mask(const uint64_t *mask) { return {{mask[0], mask[1]}}; }
template <typename N>
inline std::enable_if_t<std::is_integral<N>::value, Mask> wide_mask(N count)
{
    return continuous_mask(static_cast<uint64_t>(count));
}

// A mask that may be an array or a count: the array as it is, the count as the number that the other overload takes.
inline const uint64_t *mask_argument(const uint64_t *mask) { return mask; }
template <typename N>
inline std::enable_if_t<std::is_integral<N>::value, int32_t> mask_argument(N mask)
{
    return static_cast<int32_t>(mask);
}

inline RepeatPlan binary_plan(const uint64_t *mask, uint32_t repeat, const AscendC::BinaryRepeatParams &p, uint32_t dst,
                              uint32_t src0, uint32_t src1)
{
    const uint32_t widest = dst > src0 ? dst : src0;
    return {mask, mask_bits(widest > src1 ? widest : src1), repeat, 3, {dst, src0, src1, 0},
            {p.dstBlkStride, p.src0BlkStride, p.src1BlkStride, 0}, {p.dstRepStride, p.src0RepStride, p.src1RepStride, 0}};
}

inline RepeatPlan unary_plan(const uint64_t *mask, uint32_t repeat, const AscendC::UnaryRepeatParams &p, uint32_t dst,
                             uint32_t src)
{
    return {mask, mask_bits(dst > src ? dst : src), repeat, 2, {dst, src, 0, 0},
            {p.dstBlkStride, p.srcBlkStride, 0, 0}, {p.dstRepStride, p.srcRepStride, 0, 0}};
}

} // namespace opkg::twin

#endif // OPKG_TWIN_SUPPORT_H
