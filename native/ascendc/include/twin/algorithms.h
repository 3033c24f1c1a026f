// SPDX-License-Identifier: Apache-2.0
// The Ascend950's choice of how a function is computed. The twin has one way for each, the most exact one: subnormal
// numbers are kept.
#ifndef OPKG_TWIN_ALGORITHMS_H
#define OPKG_TWIN_ALGORITHMS_H

#include "twin/binary.h"
#include "twin/unary.h"

#if __NPU_ARCH__ >= 3510

namespace AscendC {

enum class ExpAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class LnAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class ReciprocalAlgo { INTRINSIC = 0, PRECISION_1ULP_FTZ_TRUE, PRECISION_1ULP_FTZ_FALSE };
enum class DivAlgo {
    INTRINSIC = 0, DIFF_COMPENSATION, PRECISION_1ULP_FTZ_TRUE, PRECISION_0ULP_FTZ_TRUE, PRECISION_0ULP_FTZ_FALSE,
    PRECISION_1ULP_FTZ_FALSE
};
enum class SqrtAlgo {
    INTRINSIC = 0, FAST_INVERSE, PRECISION_1ULP_FTZ_TRUE, PRECISION_0ULP_FTZ_FALSE, PRECISION_1ULP_FTZ_FALSE
};
enum class RsqrtAlgo {
    INTRINSIC = 0, FAST_INVERSE, PRECISION_1ULP_FTZ_TRUE, PRECISION_0ULP_FTZ_FALSE, PRECISION_1ULP_FTZ_FALSE
};

#define OPKG_TWIN_CONFIG(Name, constant)                                                                               \
    struct Name##Config {                                                                                              \
        Name##Algo algo = Name##Algo::INTRINSIC;                                                                       \
    };                                                                                                                 \
    inline constexpr Name##Config constant = {Name##Algo::INTRINSIC};
OPKG_TWIN_CONFIG(Exp, DEFAULT_EXP_CONFIG)
OPKG_TWIN_CONFIG(Ln, DEFAULT_LN_CONFIG)
OPKG_TWIN_CONFIG(Reciprocal, DEFAULT_RECIPROCAL_CONFIG)
OPKG_TWIN_CONFIG(Div, DEFAULT_DIV_CONFIG)
OPKG_TWIN_CONFIG(Sqrt, DEFAULT_SQRT_CONFIG)
OPKG_TWIN_CONFIG(Rsqrt, DEFAULT_RSQRT_CONFIG)
#undef OPKG_TWIN_CONFIG

#define OPKG_TWIN_CONFIGURED(Name)                                                                                     \
    template <typename T, const Name##Config &config>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)            \
    {                                                                                                                  \
        Name<T>(dst, src, count);                                                                                      \
    }                                                                                                                  \
    template <typename T, bool isSetMask, const Name##Config &config, typename M>                                      \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask,                          \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        Name<T, isSetMask>(dst, src, mask, repeatTime, repeatParams);                                                  \
    }
OPKG_TWIN_CONFIGURED(Exp)
OPKG_TWIN_CONFIGURED(Ln)
OPKG_TWIN_CONFIGURED(Reciprocal)
OPKG_TWIN_CONFIGURED(Sqrt)
OPKG_TWIN_CONFIGURED(Rsqrt)
#undef OPKG_TWIN_CONFIGURED

template <typename T, const DivConfig &config>
__aicore__ inline void Div(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                           const int32_t &count)
{
    Div<T>(dst, src0, src1, count);
}
template <typename T, bool isSetMask, const DivConfig &config, typename M>
__aicore__ inline void Div(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, M mask,
                           const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    Div<T, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

} // namespace AscendC

#endif

#endif // OPKG_TWIN_ALGORITHMS_H
