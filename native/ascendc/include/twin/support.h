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
inline constexpr uint32_t kSmallFloats8 = dtypes(kHiF8, kF8E4M3, kF8E5M2, kF8E8M0);
inline constexpr uint32_t kSmallFloats = kSmallFloats8 | dtypes(kF4E2M1, kF4E1M2);
inline constexpr uint32_t kAnyInteger = dtypes(kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64);
inline constexpr uint32_t kArithmetic = on_chip(dtypes(kI16, kF16, kI32, kF32), kAnyInteger | dtypes(kBF16));

// Element types as messages name them.
#define OPKG_TWIN_ELEMENTS(F, name)                                                                                    \
    F(name, float, kF32) F(name, half, kF16) F(name, bfloat16_t, kBF16) F(name, AscendC::int4b_t, kI4)                 \
    F(name, bool, kBool) F(name, int8_t, kI8) F(name, uint8_t, kU8) F(name, int16_t, kI16) F(name, uint16_t, kU16)     \
    F(name, int32_t, kI32) F(name, uint32_t, kU32) F(name, int64_t, kI64) F(name, uint64_t, kU64)                      \
    F(name, double, kF64) F(name, hifloat8_t, kHiF8) F(name, fp8_e4m3fn_t, kF8E4M3) F(name, fp8_e5m2_t, kF8E5M2)       \
    F(name, fp8_e8m0_t, kF8E8M0) F(name, fp4x2_e2m1_t, kF4E2M1) F(name, fp4x2_e1m2_t, kF4E1M2)

// The dtype of T where it is none of these, else kNone; also where T is no element type.
inline constexpr uint32_t kNone = ~0u;
inline constexpr uint32_t kBool = ~1u;
template <typename T, typename = void>
inline constexpr bool is_element = false;
template <typename T>
inline constexpr bool is_element<T, std::void_t<decltype(DtypeOf<T>::value)>> = true;
template <typename T>
constexpr uint32_t refused(uint32_t supported)
{
    if constexpr (is_element<T>) {
        if (!has_dtype<T>(supported)) {
            return std::is_same<T, bool>::value ? kBool : static_cast<uint32_t>(DtypeOf<T>::value);
        }
    }
    return kNone;
}

// Whether each dtype is another than the one that is refused. A kernel's compiler reads thousands of assertions on these in
// the headers and needs none: names that depend on a template are the shortest way past them.
template <uint32_t refused>
struct Takes {
    static constexpr bool all = refused == kNone;
#define OPKG_TWIN_TAKES(name, type, id) static constexpr bool id = refused != opkg::twin::id;
    OPKG_TWIN_ELEMENTS(OPKG_TWIN_TAKES, )
#undef OPKG_TWIN_TAKES
};

template <typename T, typename U, typename ExpectedT, typename ExpectedU>
inline constexpr bool are = std::is_same<T, ExpectedT>::value && std::is_same<U, ExpectedU>::value;

// What is only moved goes by its bytes: the dtype of the same size, and how many of these there are.
template <typename T>
inline constexpr Dtype moved_dtype = is_small_float<T> ? kU8 : DtypeOf<T>::value;
template <typename T>
constexpr uint64_t moved_count(uint64_t elements)
{
    return is_small_float<T> ? bytes_of<T>(elements) : elements;
}

} // namespace opkg::twin

#define OPKG_TWIN_REFUSE(name, type, id)                                                                               \
    static_assert(opkg_takes::id, name " does not support " #type " on this SoC");
#define OPKG_TWIN_REQUIRE(name, T, supported)                                                                          \
    {                                                                                                                  \
        using opkg_takes = opkg::twin::Takes<opkg::twin::refused<T>(supported)>;                                       \
        if constexpr (!opkg_takes::all) {                                                                              \
            OPKG_TWIN_ELEMENTS(OPKG_TWIN_REFUSE, name)                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    static_assert(true)

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

    void run(BinaryOp op) const { opkg_twin_binary[op][DtypeOf<D>::value](dst, a, b, count); }
    void run(UnaryOp op) const { opkg_twin_unary[op][DtypeOf<D>::value](dst, a, count); }

    const Instruction instruction;
#else
    Operands(const AscendC::LocalTensor<D> &to, int64_t elements) : Operands(to, to, to, elements) {}
    Operands(const AscendC::LocalTensor<D> &to, const AscendC::LocalTensor<A> &first,
             const AscendC::LocalTensor<B> &second, int64_t elements, bool reads_dst = false)
        : dst(to.address()), a(first.address()), b(second.address()), count(elements > 0 ? static_cast<size_t>(elements) : 0)
    {
        if (opkg_twin_core->deferred_count != 0) {
            may_wait = opkg_twin_resolve(dst, bytes_of<D>(count), reads_dst, &a, bytes_of<A>(count), &b,
                                         bytes_of<B>(count));
        }
    }
    // Executes the instruction, or leaves that to the copy of its result.
    void run(BinaryOp op) const
    {
        if (!waits(2, op)) {
            opkg_twin_binary[op][DtypeOf<D>::value](dst, a, b, count);
        }
    }
    void run(UnaryOp op) const
    {
        if (!waits(1, op)) {
            opkg_twin_unary[op][DtypeOf<D>::value](dst, a, count);
        }
    }

private:
    bool waits(uint32_t sources, uint32_t op) const
    {
        if (may_wait != 0) {
            const Postponed instruction{sources, op, DtypeOf<D>::value, 0, reinterpret_cast<uint8_t *>(dst),
                                        static_cast<const uint8_t *>(a), static_cast<const uint8_t *>(b), count,
                                        bytes_of<D>(count)};
            opkg_twin_postpone(&instruction);
        }
        return may_wait != 0;
    }

    uint32_t may_wait = 0;
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
