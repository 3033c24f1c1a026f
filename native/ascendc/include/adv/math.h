// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of one tensor, and those of two that every chip has.
#ifndef OPKG_ADV_MATH_H
#define OPKG_ADV_MATH_H

#include "adv/support.h"
#include "opkg/adv/types.h"
#include "twin/binary.h"

namespace AscendC {

enum class AtanAlgo { TAYLOR_EXPANSION = 0, POLYNOMIAL_APPROXIMATION };
struct AtanConfig {
    AtanAlgo algo = AtanAlgo::TAYLOR_EXPANSION;
};
inline constexpr AtanConfig defaultAtanConfig = {AtanAlgo::TAYLOR_EXPANSION};

enum class ErfAlgo { PADE_APPROXIMATION = 0, SUBSECTION_POLYNOMIAL_APPROXIMATION };
struct ErfConfig {
    ErfAlgo algo = ErfAlgo::PADE_APPROXIMATION;
};
inline constexpr ErfConfig defaultErfConfig = {ErfAlgo::PADE_APPROXIMATION};

enum class TanhAlgo { INTRINSIC = 0, SUBSECTION_COMPENSATION };
struct TanhConfig {
    TanhAlgo algo = TanhAlgo::INTRINSIC;
};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG = {TanhAlgo::INTRINSIC};

enum class PowerAlgo { INTRINSIC = 0, DOUBLE_FLOAT_TECH };
struct PowerConfig {
    PowerAlgo algo = PowerAlgo::INTRINSIC;
};
inline constexpr PowerConfig defaultPowerConfig = {PowerAlgo::INTRINSIC};

inline constexpr uint32_t FMOD_ITERATION_NUM_MAX = 11;
enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION = 1 };
struct FmodConfig {
    FmodAlgo algo = FmodAlgo::NORMAL;
    uint32_t iterationNum = FMOD_ITERATION_NUM_MAX;
};
inline constexpr FmodConfig DEFAULT_FMOD_CONFIG = {FmodAlgo::NORMAL, FMOD_ITERATION_NUM_MAX};

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
inline constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};

} // namespace AscendC

namespace opkg::twin {

inline constexpr uint32_t kSigned = on_chip(kFloats, dtypes(kI64));
inline constexpr uint32_t kRaised =
    on_chip(dtypes(kF16, kF32, kI32), dtypes(kI8, kU8, kI16, kU16, kU32, kBF16));
inline constexpr uint32_t kExclusive = dtypes(kI16, kU16);

} // namespace opkg::twin

// dst = f(src) for so many elements. The last argument is the rest of the template's parameters.
#define OPKG_ADV_COUNTED(Name, op, supported, wants, ...)                                                              \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                      \
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(srcTensor, calCount),                    \
                         opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));                       \
        opkg::twin::need_shared(#Name, sharedTmpBuffer, wants);                                                        \
        opkg::twin::math(op, dstTensor, srcTensor, calCount);                                                          \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                      \
                                const uint32_t calCount)                                                               \
    {                                                                                                                  \
        Name<T>(dstTensor, srcTensor, opkg::twin::stack_buffer(), calCount);                                           \
    }
// The same, and of whole tensors.
#define OPKG_ADV_UNARY(Name, op, supported, wants, ...)                                                                \
    OPKG_ADV_COUNTED(Name, op, supported, wants, __VA_ARGS__)                                                          \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                      \
                                const LocalTensor<uint8_t> &sharedTmpBuffer)                                           \
    {                                                                                                                  \
        Name<T>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());                                           \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor)                      \
    {                                                                                                                  \
        Name<T>(dstTensor, srcTensor, srcTensor.GetSize());                                                            \
    }

namespace AscendC {

OPKG_ADV_UNARY(Acos, opkg::twin::kMathAcos, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Acosh, opkg::twin::kMathAcosh, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Asin, opkg::twin::kMathAsin, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Asinh, opkg::twin::kMathAsinh, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Atan, opkg::twin::kMathAtan, opkg::twin::kFloats, opkg::adv::kLeastOfElements,
               , const AtanConfig &config = defaultAtanConfig)
OPKG_ADV_UNARY(Atanh, opkg::twin::kMathAtanh, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_COUNTED(Ceil, opkg::twin::kMathCeil, opkg::twin::kFloats, 0, )
OPKG_ADV_UNARY(Cos, opkg::twin::kMathCos, opkg::twin::kFloats, opkg::adv::kLeastOfElements,
               , const CosConfig &config = defaultCosConfig)
OPKG_ADV_UNARY(Cosh, opkg::twin::kMathCosh, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_COUNTED(Digamma, opkg::twin::kMathDigamma, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Erf, opkg::twin::kMathErf, opkg::twin::kFloats, opkg::adv::kLeastOfElements,
               , const ErfConfig &config = defaultErfConfig)
OPKG_ADV_UNARY(Erfc, opkg::twin::kMathErfc, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_COUNTED(Floor, opkg::twin::kMathFloor, opkg::twin::kFloats, 0, )
OPKG_ADV_UNARY(Frac, opkg::twin::kMathFrac, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_COUNTED(Lgamma, opkg::twin::kMathLgamma, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Log, opkg::twin::kMathLog, opkg::twin::kFloats, 0, )
OPKG_ADV_UNARY(Log2, opkg::twin::kMathLog2, opkg::twin::kFloats, 0, )
OPKG_ADV_UNARY(Log10, opkg::twin::kMathLog10, opkg::twin::kFloats, 0, )
OPKG_ADV_COUNTED(Round, opkg::twin::kMathRint, opkg::twin::kFloats, 0, )
OPKG_ADV_UNARY(Sign, opkg::twin::kMathSign, opkg::twin::kSigned, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Sin, opkg::twin::kMathSin, opkg::twin::kFloats, opkg::adv::kLeastOfElements,
               , const SinConfig &config = defaultSinConfig)
OPKG_ADV_UNARY(Sinh, opkg::twin::kMathSinh, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Tan, opkg::twin::kMathTan, opkg::twin::kFloats, opkg::adv::kLeastOfElements, )
OPKG_ADV_UNARY(Tanh, opkg::twin::kMathTanh, opkg::twin::kFloats, opkg::adv::kLeastOfElements,
               , const TanhConfig &config = DEFAULT_TANH_CONFIG)
OPKG_ADV_UNARY(Trunc, opkg::twin::kMathTrunc, opkg::twin::kFloats, 0, )

// e^x by a series in the part behind the point; no terms: e^x itself.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                           const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("Exp", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, calCount), opkg_reads(srcLocal, calCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("Exp", sharedTmpBuffer);
    const opkg::twin::Operands<T, T, T> all(dstLocal, srcLocal, srcLocal, calCount);
    if (taylorExpandLevel == 0) {
        opkg_twin_unary[opkg::twin::kExp][opkg::twin::DtypeOf<T>::value](all.dst, all.a, all.count);
    } else {
        opkg_twin_exp_series(opkg::twin::DtypeOf<T>::value, all.dst, all.a, taylorExpandLevel, all.count);
    }
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, const uint32_t calCount)
{
    Exp<T, taylorExpandLevel, isReuseSource>(dstLocal, srcLocal, opkg::twin::stack_buffer(), calCount);
}

// dst += src * scalar; src may be half where dst is float.
template <typename T, typename U, bool isReuseSource = false>
__aicore__ inline void Axpy(const LocalTensor<T> &dstTensor, const LocalTensor<U> &srcTensor, const U scalarValue,
                            const LocalTensor<uint8_t> &, const uint32_t calCount)
{
    Axpy(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount));
}

} // namespace AscendC

// dst = f(src0, src1): forms with and without a buffer, of so many elements and of whole tensors. run(dst, src0, src1,
// count) does the work.
#define OPKG_ADV_BINARY(Name, A, B, whole, supported, run, ...)                                                        \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const A &src0, const B &src1,                         \
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg::twin::reads_source(src0, calCount),           \
                         opkg::twin::reads_source(src1, calCount),                                                     \
                         opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));                       \
        opkg::twin::need_shared(#Name, sharedTmpBuffer);                                                               \
        run(dstTensor, src0, src1, calCount);                                                                          \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const A &src0, const B &src1,                         \
                                const uint32_t calCount)                                                               \
    {                                                                                                                  \
        Name<T>(dstTensor, src0, src1, opkg::twin::stack_buffer(), calCount);                                          \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const A &src0, const B &src1,                         \
                                const LocalTensor<uint8_t> &sharedTmpBuffer)                                           \
    {                                                                                                                  \
        Name<T>(dstTensor, src0, src1, sharedTmpBuffer, whole.GetSize());                                              \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false __VA_ARGS__>                                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const A &src0, const B &src1)                         \
    {                                                                                                                  \
        Name<T>(dstTensor, src0, src1, whole.GetSize());                                                               \
    }

namespace opkg::twin {

// The work of OPKG_ADV_BINARY over opkg_twin_map.
template <MapOp op, typename T, typename A, typename B>
inline void map_two(const AscendC::LocalTensor<T> &dst, const A &a, const B &b, uint32_t count)
{
    map(op, DtypeOf<T>::value, dst, count, a, b);
}
template <BinaryOp op, typename T>
inline void binary_two(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &a,
                       const AscendC::LocalTensor<T> &b, uint32_t count)
{
    const Operands<T, T, T> all(dst, a, b, count);
    opkg_twin_binary[op][DtypeOf<T>::value](all.dst, all.a, all.b, all.count);
}

} // namespace opkg::twin

namespace AscendC {

OPKG_ADV_BINARY(Fmod, LocalTensor<T>, LocalTensor<T>, src0, opkg::twin::kFloats,
                opkg::twin::map_two<opkg::twin::kMapFmod>, , const FmodConfig &config = DEFAULT_FMOD_CONFIG)
OPKG_ADV_BINARY(Power, LocalTensor<T>, LocalTensor<T>, src0, opkg::twin::kRaised,
                opkg::twin::map_two<opkg::twin::kMapPower>, , const PowerConfig &config = defaultPowerConfig)
OPKG_ADV_BINARY(Power, LocalTensor<T>, T, src0, opkg::twin::kRaised, opkg::twin::map_two<opkg::twin::kMapPower>,
                , const PowerConfig &config = defaultPowerConfig)
OPKG_ADV_BINARY(Power, T, LocalTensor<T>, src1, opkg::twin::kRaised, opkg::twin::map_two<opkg::twin::kMapPower>,
                , const PowerConfig &config = defaultPowerConfig)
OPKG_ADV_BINARY(Xor, LocalTensor<T>, LocalTensor<T>, src0, opkg::twin::kExclusive,
                opkg::twin::binary_two<opkg::twin::kXor>, )

// With a bound that is a number.
#define OPKG_ADV_CLAMP(Name, op)                                                                                       \
    template <typename T, bool isReuseSource = false>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                      \
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const T scalar, const uint32_t calCount)  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, opkg::twin::kFloats);                                                              \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(srcTensor, calCount),                    \
                         opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));                       \
        opkg::twin::need_shared(#Name, sharedTmpBuffer);                                                               \
        opkg::twin::map(op, opkg::twin::DtypeOf<T>::value, dstTensor, calCount, srcTensor, scalar);                    \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const T scalar,      \
                                const uint32_t calCount)                                                               \
    {                                                                                                                  \
        Name<T>(dstTensor, srcTensor, opkg::twin::stack_buffer(), scalar, calCount);                                   \
    }
OPKG_ADV_CLAMP(ClampMax, opkg::twin::kMapClampMax)
OPKG_ADV_CLAMP(ClampMin, opkg::twin::kMapClampMin)
#undef OPKG_ADV_CLAMP

// Sums of rows or, with isLastAxis false, of columns, each element with all before it.
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
__aicore__ inline void CumSum(LocalTensor<T> &dstTensor, LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,
                              const CumSumInfo &cumSumInfo)
{
    OPKG_TWIN_REQUIRE("CumSum", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, cumSumInfo.outter * cumSumInfo.inner),
                     opkg_reads(srcTensor, cumSumInfo.outter * cumSumInfo.inner),
                     opkg_writes(lastRowTensor, !config.outputLastRow ? 0
                                                : config.isLastAxis ? cumSumInfo.outter
                                                                    : cumSumInfo.inner));
    if (cumSumInfo.inner * sizeof(T) % 32 != 0) {
        opkg_twin_fail("CumSum: a row of %u elements is no whole number of blocks of 32 bytes", cumSumInfo.inner);
    }
    opkg_twin_cumsum(opkg::twin::DtypeOf<T>::value, dstTensor.data(),
                     config.outputLastRow ? lastRowTensor.data() : nullptr, srcTensor.data(), cumSumInfo.outter,
                     cumSumInfo.inner, config.isLastAxis);
}
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
__aicore__ inline void CumSum(LocalTensor<T> &dstTensor, LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,
                              LocalTensor<uint8_t> &, const CumSumInfo &cumSumInfo)
{
    CumSum<T, config>(dstTensor, lastRowTensor, srcTensor, cumSumInfo);
}

} // namespace AscendC

#undef OPKG_ADV_COUNTED
#undef OPKG_ADV_UNARY
#undef OPKG_ADV_BINARY

#endif // OPKG_ADV_MATH_H
