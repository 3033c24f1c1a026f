// SPDX-License-Identifier: Apache-2.0
// Mathematical functions that the Ascend950 has and earlier chips lack.
#ifndef OPKG_ADV_MATH_950_H
#define OPKG_ADV_MATH_950_H

#include "adv/support.h"
#include "twin/binary.h"
#include "twin/unary.h"

namespace AscendC {

struct BitwiseAndConfig {
    bool isReuseSource;
};
inline constexpr BitwiseAndConfig DEFAULT_BITWISE_AND_CONFIG = {false};
struct BitwiseOrConfig {
    bool isReuseSource;
};
inline constexpr BitwiseOrConfig DEFAULT_BITWISE_OR_CONFIG = {false};
struct BitwiseXorConfig {
    bool isReuseSource;
};
inline constexpr BitwiseXorConfig DEFAULT_BITWISE_XOR_CONFIG = {false};
struct BitwiseNotConfig {
    bool isReuseSource;
};
inline constexpr BitwiseNotConfig DEFAULT_BITWISE_NOT_CONFIG = {false};
struct LogicalAndConfig {
    bool isReuseSource;
};
inline constexpr LogicalAndConfig DEFAULT_LOGICAL_AND_CONFIG = {false};
struct LogicalOrConfig {
    bool isReuseSource;
};
inline constexpr LogicalOrConfig DEFAULT_LOGICAL_OR_CONFIG = {false};
struct LogicalXorConfig {
    bool isReuseSource;
};
inline constexpr LogicalXorConfig DEFAULT_LOGICAL_XOR_CONFIG = {false};
struct LogicalNotConfig {
    bool isReuseSource;
};
inline constexpr LogicalNotConfig DEFAULT_LOGICAL_NOT_CONFIG = {false};
// scalarTensorIndex: which of two tensors gives only its first element.
struct LogicalAndsConfig {
    bool isReuseSource;
    int8_t scalarTensorIndex;
};
inline constexpr LogicalAndsConfig DEFAULT_LOGICAL_ANDS_CONFIG = {false, 1};
struct LogicalOrsConfig {
    bool isReuseSource;
    int8_t scalarTensorIndex;
};
inline constexpr LogicalOrsConfig DEFAULT_LOGICAL_ORS_CONFIG = {false, 1};
struct ClampConfig {
    bool isReuseSource;
};
inline constexpr ClampConfig DEFAULT_CLAMP_CONFIG = {false};
struct FmaConfig {
    bool isReuseSource;
};
inline constexpr FmaConfig DEFAULT_FMA_CONFIG = {false};
struct IsInfConfig {
    bool isReuseSource;
};
inline constexpr IsInfConfig DEFAULT_IS_INF_CONFIG = {false};
struct IsNanConfig {
    bool isReuseSource;
};
inline constexpr IsNanConfig DEFAULT_IS_NAN_CONFIG = {false};
struct RintConfig {
    bool isReuseSource;
};
inline constexpr RintConfig DEFAULT_RINT_CONFIG = {false};
struct SinCosConfig {
    bool isReuseSource;
};
inline constexpr SinCosConfig DEFAULT_SINCOS_CONFIG = {false};

} // namespace AscendC

namespace opkg::twin {

inline constexpr uint32_t kInteger950 = on_chip(0, kAnyInteger);
inline constexpr uint32_t kFloat950 = on_chip(0, kFloats);
inline constexpr uint32_t kReal950 = on_chip(0, kFloats | dtypes(kBF16));
inline constexpr uint32_t kNumber950 = on_chip(0, kAnyInteger | kFloats | dtypes(kBF16));

#ifdef OPKG_TWIN_CHECK
template <typename Other, typename A, typename Config>
inline Touched reads_scalar(const A &source, const Config &config, int8_t index, uint32_t count)
{
    const bool one = is_tensor<Other> && config.scalarTensorIndex == index;
    return reads_source(source, one ? 1 : count);
}
#endif

// A source of the logical functions with a scalar: of two tensors, one gives only its first element.
template <typename T, typename A, typename B>
inline void map_scalar(MapOp op, const AscendC::LocalTensor<T> &dst, const A &a, const B &b, uint32_t count, int8_t scalar)
{
    static_assert(is_tensor<A> || is_tensor<B>, "one of the sources must be a tensor");
    static_assert(std::is_same<typename ElementOf<A>::type, typename ElementOf<B>::type>::value,
                  "the sources must have one type");
    const void *from[] = {source_of(a), source_of(b)};
    uint32_t steps[] = {is_tensor<A>, is_tensor<B>};
    if (is_tensor<A> && is_tensor<B>) {
        steps[scalar] = 0;
    }
    opkg_twin_map[op][DtypeOf<typename ElementOf<A>::type>::value](dst.data(), from, steps, count);
}

} // namespace opkg::twin

namespace AscendC {

#define OPKG_ADV_BITWISE(Name, Config, config_default, op)                                                             \
    template <const Config &config = config_default, typename T>                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                                const uint32_t count)                                                                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, opkg::twin::kInteger950);                                                          \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src0, count), opkg_reads(src1, count));           \
        const opkg::twin::Operands<T, T, T> all(dst, src0, src1, count);                                               \
        opkg_twin_binary[op][opkg::twin::DtypeOf<T>::value](all.dst, all.a, all.b, all.count);                         \
    }
OPKG_ADV_BITWISE(BitwiseAnd, BitwiseAndConfig, DEFAULT_BITWISE_AND_CONFIG, opkg::twin::kAnd)
OPKG_ADV_BITWISE(BitwiseOr, BitwiseOrConfig, DEFAULT_BITWISE_OR_CONFIG, opkg::twin::kOr)
OPKG_ADV_BITWISE(BitwiseXor, BitwiseXorConfig, DEFAULT_BITWISE_XOR_CONFIG, opkg::twin::kXor)
#undef OPKG_ADV_BITWISE

template <const BitwiseNotConfig &config = DEFAULT_BITWISE_NOT_CONFIG, typename T>
__aicore__ inline void BitwiseNot(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("BitwiseNot", T, opkg::twin::kInteger950);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count));
    const opkg::twin::Operands<T, T, T> all(dst, src, src, count);
    opkg_twin_unary[opkg::twin::kNot][opkg::twin::DtypeOf<T>::value](all.dst, all.a, all.count);
}

// What is not zero is true. dst is a tensor of bool.
#define OPKG_ADV_LOGICAL(Name, Config, config_default, op)                                                             \
    template <const Config &config = config_default, typename T, typename U>                                           \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,     \
                                const uint32_t count)                                                                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, U, opkg::twin::kNumber950);                                                           \
        static_assert(std::is_same<T, bool>::value, #Name " writes a tensor of bool");                                 \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src0, count), opkg_reads(src1, count));           \
        opkg::twin::map(op, opkg::twin::DtypeOf<U>::value, dst, count, src0, src1);                                    \
    }
OPKG_ADV_LOGICAL(LogicalAnd, LogicalAndConfig, DEFAULT_LOGICAL_AND_CONFIG, opkg::twin::kMapLogicalAnd)
OPKG_ADV_LOGICAL(LogicalOr, LogicalOrConfig, DEFAULT_LOGICAL_OR_CONFIG, opkg::twin::kMapLogicalOr)
OPKG_ADV_LOGICAL(LogicalXor, LogicalXorConfig, DEFAULT_LOGICAL_XOR_CONFIG, opkg::twin::kMapLogicalXor)
#undef OPKG_ADV_LOGICAL

template <const LogicalNotConfig &config = DEFAULT_LOGICAL_NOT_CONFIG, typename T, typename U>
__aicore__ inline void LogicalNot(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("LogicalNot", U, opkg::twin::kNumber950);
    static_assert(std::is_same<T, bool>::value, "LogicalNot writes a tensor of bool");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count));
    opkg::twin::map(opkg::twin::kMapLogicalNot, opkg::twin::DtypeOf<U>::value, dst, count, src);
}

#define OPKG_ADV_LOGICAL_SCALAR(Name, Config, config_default, op)                                                      \
    template <const Config &config = config_default, typename T, typename U, typename S>                               \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const U &src0, const S &src1, const uint32_t count)         \
    {                                                                                                                  \
        using Element = typename opkg::twin::ElementOf<U>::type;                                                       \
        OPKG_TWIN_REQUIRE(#Name, Element, opkg::twin::kNumber950);                                                     \
        static_assert(std::is_same<T, bool>::value, #Name " writes a tensor of bool");                                 \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg::twin::reads_scalar<S>(src0, config, 0, count),         \
                         opkg::twin::reads_scalar<U>(src1, config, 1, count));                                         \
        opkg::twin::map_scalar(op, dst, src0, src1, count, config.scalarTensorIndex);                                  \
    }
OPKG_ADV_LOGICAL_SCALAR(LogicalAnds, LogicalAndsConfig, DEFAULT_LOGICAL_ANDS_CONFIG, opkg::twin::kMapLogicalAnd)
OPKG_ADV_LOGICAL_SCALAR(LogicalOrs, LogicalOrsConfig, DEFAULT_LOGICAL_ORS_CONFIG, opkg::twin::kMapLogicalOr)
#undef OPKG_ADV_LOGICAL_SCALAR

// The bounds are tensors or numbers.
template <const ClampConfig &config = DEFAULT_CLAMP_CONFIG, typename T, typename U, typename S>
__aicore__ inline void Clamp(const LocalTensor<T> &dst, const LocalTensor<T> &src, const U &min, const S &max,
                             const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Clamp", T, opkg::twin::kNumber950);
    static_assert(std::is_same<typename opkg::twin::ElementOf<U>::type, T>::value &&
                      std::is_same<typename opkg::twin::ElementOf<S>::type, T>::value,
                  "Clamp: the bounds must have the type of the tensors");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count), opkg::twin::reads_source(min, count),
                     opkg::twin::reads_source(max, count));
    opkg::twin::map(opkg::twin::kMapClamp, opkg::twin::DtypeOf<T>::value, dst, count, src, min, max);
}

// Where condition is true src0, else src1; both are tensors or numbers.
template <typename T, typename U, typename S, typename V>
__aicore__ inline void Where(const LocalTensor<T> &dst, const U &src0, const S &src1, const LocalTensor<V> &condition,
                             const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Where", T, opkg::twin::kNumber950);
    static_assert(std::is_same<V, bool>::value, "Where takes a condition of bool");
    static_assert(std::is_same<typename opkg::twin::ElementOf<U>::type, T>::value &&
                      std::is_same<typename opkg::twin::ElementOf<S>::type, T>::value,
                  "Where: the sources must have the type of dst");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(condition, count),
                     opkg::twin::reads_source(src0, count), opkg::twin::reads_source(src1, count));
    opkg::twin::map(opkg::twin::kMapWhere, opkg::twin::DtypeOf<T>::value, dst, count, condition, src0, src1);
}

// src0 * src1 + src2 with one rounding.
template <const FmaConfig &config = DEFAULT_FMA_CONFIG, typename T>
__aicore__ inline void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                           const LocalTensor<T> &src2, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Fma", T, opkg::twin::kFloat950);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src0, count), opkg_reads(src1, count),
                     opkg_reads(src2, count));
    opkg::twin::map(opkg::twin::kMapFma, opkg::twin::DtypeOf<T>::value, dst, count, src0, src1, src2);
}
template <const FmaConfig &config = DEFAULT_FMA_CONFIG, typename T>
__aicore__ inline void Fma(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                           const LocalTensor<T> &src2, const LocalTensor<uint8_t> &, const uint32_t count)
{
    Fma<config>(dst, src0, src1, src2, count);
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void Hypot(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                             const LocalTensor<T> &src1Tensor, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("Hypot", T, opkg::twin::kReal950);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(src0Tensor, calCount),
                     opkg_reads(src1Tensor, calCount));
    opkg::twin::map(opkg::twin::kMapHypot, opkg::twin::DtypeOf<T>::value, dstTensor, calCount, src0Tensor, src1Tensor);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Hypot(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                             const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &, const uint32_t calCount)
{
    Hypot<T>(dstTensor, src0Tensor, src1Tensor, calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Hypot(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                             const LocalTensor<T> &src1Tensor, const LocalTensor<uint8_t> &)
{
    Hypot<T>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Hypot(const LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,
                             const LocalTensor<T> &src1Tensor)
{
    Hypot<T>(dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize());
}

// To bool, or to 1 and 0 of the source's type.
template <typename T, typename U>
__aicore__ inline void IsFinite(const LocalTensor<U> &dst, const LocalTensor<T> &src, uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("IsFinite", T, opkg::twin::kReal950);
    static_assert(std::is_same<U, bool>::value || std::is_same<U, T>::value, "IsFinite writes bool or the source's type");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, calCount), opkg_reads(src, calCount));
    opkg::twin::map(std::is_same<U, bool>::value ? opkg::twin::kMapIsFinite : opkg::twin::kMapIsFiniteNumber,
                    opkg::twin::DtypeOf<T>::value, dst, calCount, src);
}
#define OPKG_ADV_CLASS(Name, Config, config_default, to_bool, to_number)                                               \
    template <const Config &config = config_default, typename T, typename U>                                           \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const uint32_t count)            \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, U, opkg::twin::kFloat950);                                                            \
        static_assert(std::is_same<T, bool>::value || std::is_same<T, U>::value,                                       \
                      #Name " writes bool or the source's type");                                                      \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count));                                     \
        opkg::twin::map(std::is_same<T, bool>::value ? to_bool : to_number, opkg::twin::DtypeOf<U>::value, dst, count, \
                        src);                                                                                          \
    }                                                                                                                  \
    template <const Config &config = config_default, typename T, typename U>                                           \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint8_t> &,    \
                                const uint32_t count)                                                                  \
    {                                                                                                                  \
        Name<config>(dst, src, count);                                                                                 \
    }
OPKG_ADV_CLASS(IsInf, IsInfConfig, DEFAULT_IS_INF_CONFIG, opkg::twin::kMapIsInf, opkg::twin::kMapIsInfNumber)
OPKG_ADV_CLASS(IsNan, IsNanConfig, DEFAULT_IS_NAN_CONFIG, opkg::twin::kMapIsNan, opkg::twin::kMapIsNanNumber)
#undef OPKG_ADV_CLASS

// To the nearest integer, ties to even.
template <const RintConfig &config = DEFAULT_RINT_CONFIG, typename T>
__aicore__ inline void Rint(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
    OPKG_TWIN_REQUIRE("Rint", T, opkg::twin::kFloat950);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count));
    opkg::twin::math(opkg::twin::kMathRint, dst, src, count);
}
template <const RintConfig &config = DEFAULT_RINT_CONFIG, typename T>
__aicore__ inline void Rint(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
                            const uint32_t count)
{
    Rint<config>(dst, src, count);
}

// dst0 = sin(src), dst1 = cos(src)
template <const SinCosConfig &config = DEFAULT_SINCOS_CONFIG, typename T>
__aicore__ inline void SinCos(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src,
                              const uint32_t count)
{
    OPKG_TWIN_REQUIRE("SinCos", T, opkg::twin::kFloat950);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst0, count), opkg_writes(dst1, count), opkg_reads(src, count));
    opkg::twin::math(opkg::twin::kMathSin, dst0, src, count);
    opkg::twin::math(opkg::twin::kMathCos, dst1, src, count);
}
template <const SinCosConfig &config = DEFAULT_SINCOS_CONFIG, typename T>
__aicore__ inline void SinCos(const LocalTensor<T> &dst0, const LocalTensor<T> &dst1, const LocalTensor<T> &src,
                              const LocalTensor<uint8_t> &, const uint32_t count)
{
    SinCos<config>(dst0, dst1, src, count);
}

} // namespace AscendC

#endif // OPKG_ADV_MATH_950_H
