// SPDX-License-Identifier: Apache-2.0
// half and bfloat16_t: 16 bits in memory; every operation is done in float and rounded once, which is exact for
// + - * / and square roots.
#ifndef OPKG_TWIN_HALF_H
#define OPKG_TWIN_HALF_H

#include <stdint.h>

#include <type_traits>

namespace opkg::twin {

// IEEE binary16 <-> binary32 in integer arithmetic, for constants and for processors without an instruction.
constexpr uint16_t soft_float_to_half(float value)
{
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
    }
    if (magnitude >= 0x477ff000u) { // rounds beyond 65504
        return static_cast<uint16_t>(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) { // subnormal: the unit in the last place is 2^-24
        if (magnitude < 0x33000000u) {
            return sign;
        }
        const uint32_t shift = 126u - (magnitude >> 23);
        const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        const uint32_t kept = mantissa >> shift;
        const uint32_t rest = mantissa & ((1u << shift) - 1u);
        const uint32_t middle = 1u << (shift - 1u);
        const uint32_t up = rest > middle || (rest == middle && (kept & 1u)) ? 1u : 0u;
        return static_cast<uint16_t>(sign | (kept + up));
    }
    const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

constexpr float soft_half_to_float(uint16_t half_bits)
{
    const uint32_t sign = static_cast<uint32_t>(half_bits & 0x8000u) << 16;
    const uint32_t exponent = (half_bits >> 10) & 0x1fu;
    uint32_t mantissa = half_bits & 0x3ffu;
    if (exponent == 0x1fu) {
        return __builtin_bit_cast(float, sign | 0x7f800000u | (mantissa ? 0x400000u : 0u) | (mantissa << 13));
    }
    if (exponent == 0) {
        const float value = static_cast<float>(mantissa) * 0x1p-24f;
        return sign ? -value : value;
    }
    return __builtin_bit_cast(float, sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

#if defined(__F16C__)
typedef float HalfLanesF __attribute__((vector_size(16)));
typedef short HalfLanesH __attribute__((vector_size(16)));
inline uint16_t hard_float_to_half(float value)
{
    return static_cast<uint16_t>(__builtin_ia32_vcvtps2ph(HalfLanesF{value, 0, 0, 0}, 0)[0]);
}
inline float hard_half_to_float(uint16_t bits)
{
    return __builtin_ia32_vcvtph2ps(HalfLanesH{static_cast<short>(bits), 0, 0, 0, 0, 0, 0, 0})[0];
}
#elif defined(__aarch64__)
inline uint16_t hard_float_to_half(float value) { return __builtin_bit_cast(uint16_t, static_cast<__fp16>(value)); }
inline float hard_half_to_float(uint16_t bits) { return static_cast<float>(__builtin_bit_cast(__fp16, bits)); }
#else
inline uint16_t hard_float_to_half(float value) { return soft_float_to_half(value); }
inline float hard_half_to_float(uint16_t bits) { return soft_half_to_float(bits); }
#endif

constexpr uint16_t float_to_half(float value)
{
    return __builtin_is_constant_evaluated() ? soft_float_to_half(value) : hard_float_to_half(value);
}

constexpr float half_to_float(uint16_t bits)
{
    return __builtin_is_constant_evaluated() ? soft_half_to_float(bits) : hard_half_to_float(bits);
}

constexpr uint16_t float_to_bfloat16(float value)
{
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return static_cast<uint16_t>((bits >> 16) | 0x40u);
    }
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

constexpr float bfloat16_to_float(uint16_t bits)
{
    return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
}

template <typename T>
inline constexpr bool is_number = std::is_arithmetic<T>::value || std::is_enum<T>::value;

// A 16-bit floating type. Encode and Decode are its conversions from and to float.
template <typename Tag, uint16_t (*Encode)(float), float (*Decode)(uint16_t)>
struct Float16Base {
    uint16_t bits;

    Float16Base() = default;
    template <typename T, typename = std::enable_if_t<is_number<T>>>
    constexpr Float16Base(T value) : bits(Encode(static_cast<float>(value)))
    {
    }
    constexpr operator float() const { return Decode(bits); }

    static constexpr Tag from_bits(uint16_t raw)
    {
        Tag value{};
        value.bits = raw;
        return value;
    }
};

} // namespace opkg::twin

struct half : opkg::twin::Float16Base<half, opkg::twin::float_to_half, opkg::twin::half_to_float> {
    using Base = opkg::twin::Float16Base<half, opkg::twin::float_to_half, opkg::twin::half_to_float>;
    using Base::Base;
    half() = default;
    explicit constexpr half(const struct bfloat16_t &value);
};

struct bfloat16_t
    : opkg::twin::Float16Base<bfloat16_t, opkg::twin::float_to_bfloat16, opkg::twin::bfloat16_to_float> {
    using Base = opkg::twin::Float16Base<bfloat16_t, opkg::twin::float_to_bfloat16, opkg::twin::bfloat16_to_float>;
    using Base::Base;
    bfloat16_t() = default;
    explicit constexpr bfloat16_t(const half &value) : Base(static_cast<float>(value)) {}
};

constexpr half::half(const bfloat16_t &value) : Base(static_cast<float>(value)) {}

static_assert(sizeof(half) == 2 && std::is_trivial<half>::value, "half is 16 plain bits");
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivial<bfloat16_t>::value, "bfloat16_t is 16 plain bits");

namespace opkg::twin {

template <typename T>
inline constexpr bool is_float16 = std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value;

// The type of an expression over H and N, as the usual conversions have it: integers become H, wider floats win.
template <typename H, typename N>
using Mixed = std::conditional_t<std::is_floating_point<N>::value, N, H>;

} // namespace opkg::twin

#define OPKG_TWIN_ARITHMETIC(op)                                                                                       \
    template <typename H, typename = std::enable_if_t<opkg::twin::is_float16<H>>>                                      \
    constexpr H operator op(H a, H b)                                                                                  \
    {                                                                                                                  \
        return H(static_cast<float>(a) op static_cast<float>(b));                                                      \
    }                                                                                                                  \
    template <typename H, typename N,                                                                                  \
              typename = std::enable_if_t<opkg::twin::is_float16<H> && opkg::twin::is_number<N>>>                      \
    constexpr opkg::twin::Mixed<H, N> operator op(H a, N b)                                                            \
    {                                                                                                                  \
        using R = opkg::twin::Mixed<H, N>;                                                                             \
        return R(static_cast<R>(a) op static_cast<R>(b));                                                              \
    }                                                                                                                  \
    template <typename N, typename H,                                                                                  \
              typename = std::enable_if_t<opkg::twin::is_float16<H> && opkg::twin::is_number<N>>, typename = void>     \
    constexpr opkg::twin::Mixed<H, N> operator op(N a, H b)                                                            \
    {                                                                                                                  \
        using R = opkg::twin::Mixed<H, N>;                                                                             \
        return R(static_cast<R>(a) op static_cast<R>(b));                                                              \
    }                                                                                                                  \
    template <typename H, typename N,                                                                                  \
              typename = std::enable_if_t<opkg::twin::is_float16<H> &&                                                 \
                                          (opkg::twin::is_number<N> || std::is_same<N, H>::value)>>                    \
    constexpr H &operator op##=(H &a, N b)                                                                             \
    {                                                                                                                  \
        return a = H(a op b);                                                                                          \
    }
OPKG_TWIN_ARITHMETIC(+)
OPKG_TWIN_ARITHMETIC(-)
OPKG_TWIN_ARITHMETIC(*)
OPKG_TWIN_ARITHMETIC(/)
#undef OPKG_TWIN_ARITHMETIC

template <typename H, typename = std::enable_if_t<opkg::twin::is_float16<H>>>
constexpr H operator-(H value)
{
    return H::from_bits(static_cast<uint16_t>(value.bits ^ 0x8000u));
}

#define OPKG_TWIN_COMPARISON(op)                                                                                       \
    template <typename H, typename = std::enable_if_t<opkg::twin::is_float16<H>>>                                      \
    constexpr bool operator op(H a, H b)                                                                               \
    {                                                                                                                  \
        return static_cast<float>(a) op static_cast<float>(b);                                                         \
    }                                                                                                                  \
    template <typename H, typename N,                                                                                  \
              typename = std::enable_if_t<opkg::twin::is_float16<H> && opkg::twin::is_number<N>>>                      \
    constexpr bool operator op(H a, N b)                                                                               \
    {                                                                                                                  \
        using R = opkg::twin::Mixed<float, N>;                                                                         \
        return static_cast<R>(a) op static_cast<R>(b);                                                                 \
    }                                                                                                                  \
    template <typename N, typename H,                                                                                  \
              typename = std::enable_if_t<opkg::twin::is_float16<H> && opkg::twin::is_number<N>>, typename = void>     \
    constexpr bool operator op(N a, H b)                                                                               \
    {                                                                                                                  \
        using R = opkg::twin::Mixed<float, N>;                                                                         \
        return static_cast<R>(a) op static_cast<R>(b);                                                                 \
    }
OPKG_TWIN_COMPARISON(==)
OPKG_TWIN_COMPARISON(!=)
OPKG_TWIN_COMPARISON(<)
OPKG_TWIN_COMPARISON(<=)
OPKG_TWIN_COMPARISON(>)
OPKG_TWIN_COMPARISON(>=)
#undef OPKG_TWIN_COMPARISON


#endif // OPKG_TWIN_HALF_H
