// SPDX-License-Identifier: Apache-2.0
// Normalisations and their gradients. What the tiling says of splitting has no effect here.
#ifndef OPKG_ADV_NORM_H
#define OPKG_ADV_NORM_H

#include "adv/common.h"
#include "opkg/adv/types.h"
#include "twin/debug.h"

namespace AscendC {

struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
inline constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};

struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};

struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

struct WelfordUpdateConfig {
    constexpr WelfordUpdateConfig(bool in_place) : isInplace(in_place) {}
    bool isInplace;
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};

struct WelfordFinalizeConfig {
    constexpr WelfordFinalizeConfig(bool correction) : isCorrection(correction) {}
    bool isCorrection;
};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
    float rRecWithCorrection;
};

} // namespace AscendC

namespace opkg::twin {

// Normalisations whose T may be bfloat16_t on the 950.
inline constexpr uint32_t kNormRows = on_chip(kFloats, dtypes(kBF16));

// Rows of T with parameters of U and statistics of S.
template <typename T, typename U, typename S>
NormPlan norm_plan(NormKind kind, uint32_t rows, uint32_t columns, uint32_t used)
{
    NormPlan plan{};
    plan.kind = kind;
    plan.dtype = DtypeOf<T>::value;
    plan.param_dtype = DtypeOf<U>::value;
    plan.stat_dtype = DtypeOf<S>::value;
    plan.rows = rows;
    plan.columns = columns;
    plan.used = used != 0 ? used : columns;
    return plan;
}

// dst, x, gamma, beta: what most normalisations have.
template <typename T, typename U>
void set_operands(NormPlan &plan, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &x,
                  const AscendC::LocalTensor<U> &gamma, const AscendC::LocalTensor<U> &beta)
{
    plan.dst = dst.data();
    plan.x = x.data();
    plan.gamma = gamma.data();
    plan.beta = beta.data();
}

#ifdef OPKG_TWIN_CHECK
// Rows that end with padding.
template <typename T>
Touched reads_padded(const AscendC::LocalTensor<T> &x, uint64_t rows, uint64_t columns, uint64_t used)
{
    return opkg_reads_rows(x, static_cast<uint32_t>(rows), (used != 0 ? used : columns) * sizeof(T), columns * sizeof(T));
}
template <typename Tiling>
uint64_t rows_of_tiling(const Tiling &tiling) { return uint64_t{tiling.bLength} * tiling.sLength; }
template <typename Tiling, typename T>
Touched reads_rows_of(const Tiling &tiling, const AscendC::LocalTensor<T> &x)
{
    return reads_padded(x, rows_of_tiling(tiling), tiling.hLength, tiling.originalHLength);
}
#endif

} // namespace opkg::twin

// gamma and beta are at least as precise as x.
#define OPKG_ADV_PARAMETERS(name, T, U)                                                                                \
    static_assert(std::is_same<T, U>::value || std::is_same<U, float>::value,                                          \
                  name ": gamma and beta have the type of the input, or float")

namespace AscendC {

// Rows of [B, S, H]: mean and variance have one value of T a row.
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
                                 const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
                                 const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer, const T epsilon,
                                 const LayerNormTiling &tiling)
{
    OPKG_TWIN_REQUIRE("LayerNorm", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_rows_of(tiling, inputX),
                     opkg_writes(output, opkg::twin::rows_of_tiling(tiling) * tiling.hLength),
                     opkg_writes(outputMean, opkg::twin::rows_of_tiling(tiling)),
                     opkg_writes(outputVariance, opkg::twin::rows_of_tiling(tiling)),
                     opkg_reads(gamma, tiling.originalHLength),
                     opkg_reads(beta, tiling.originalHLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("LayerNorm", sharedTmpBuffer, opkg::adv::least_of_rows(tiling.hLength));
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, T, T>(
        opkg::twin::kLayerNorm, tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength);
    opkg::twin::set_operands(plan, output, inputX, gamma, beta);
    plan.epsilon = static_cast<float>(epsilon);
    plan.mean = outputMean.data();
    plan.variance = outputVariance.data();
    opkg_twin_norm(&plan);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
                                 const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
                                 const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const T epsilon,
                                 const LayerNormTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, stack, epsilon, tiling);
}

// Rows of [A, R]: mean and the reciprocal of the standard deviation, or the variance, in float.
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>
__aicore__ inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,
                                 const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,
                                 const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer, const LayerNormPara &para,
                                 const LayerNormSeparateTiling &)
{
    OPKG_TWIN_REQUIRE("LayerNorm of rows", T, opkg::twin::kNormRows);
    OPKG_ADV_PARAMETERS("LayerNorm", T, U);
    static_assert(config.isOutputRstd || opkg::twin::kWideChip, "LayerNorm gives the variance of rows on the 950 only");
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_padded(inputX, para.aLength, para.rLengthWithPadding, para.rLength),
                     opkg_writes(output, uint64_t{para.aLength} * para.rLengthWithPadding),
                     opkg_writes(outputMean, para.aLength),
                     opkg_writes(outputRstd, para.aLength),
                     opkg_reads(gamma, config.isNoGamma ? 0 : para.rLength),
                     opkg_reads(beta, config.isNoBeta ? 0 : para.rLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("LayerNorm", sharedTmpBuffer, opkg::adv::least_of_rows(para.rLengthWithPadding));
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, U, float>(opkg::twin::kLayerNorm, para.aLength,
                                                                   para.rLengthWithPadding, para.rLength);
    opkg::twin::set_operands(plan, output, inputX, gamma, beta);
    plan.gamma = config.isNoGamma ? nullptr : plan.gamma;
    plan.beta = config.isNoBeta ? nullptr : plan.beta;
    plan.epsilon = epsilon;
    plan.mean = outputMean.data();
    (config.isOutputRstd ? plan.rstd : plan.variance) = outputRstd.data();
    opkg_twin_norm(&plan);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>
__aicore__ inline void LayerNorm(const LocalTensor<T> &output, const LocalTensor<float> &outputMean,
                                 const LocalTensor<float> &outputRstd, const LocalTensor<T> &inputX,
                                 const LocalTensor<U> &gamma, const LocalTensor<U> &beta, const float epsilon,
                                 const LayerNormPara &para, const LayerNormSeparateTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon, stack, para,
                                           tiling);
}

// With mean and variance given.
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>
__aicore__ inline void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,
                                 const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                 const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer, const float epsilon,
                                 const NormalizePara &para)
{
    OPKG_TWIN_REQUIRE("Normalize", T, opkg::twin::kNormRows);
    OPKG_ADV_PARAMETERS("Normalize", T, U);
    static_assert(config.reducePattern == ReducePattern::AR, "Normalize works on rows: ReducePattern::AR");
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_padded(inputX, para.aLength, para.rLengthWithPadding, para.rLength),
                     opkg_writes(output, uint64_t{para.aLength} * para.rLengthWithPadding),
                     opkg_writes(outputRstd, config.isOnlyOutput ? 0 : para.aLength),
                     opkg_reads(inputMean, para.aLength),
                     opkg_reads(inputVariance, para.aLength),
                     opkg_reads(gamma, config.isNoGamma ? 0 : para.rLength),
                     opkg_reads(beta, config.isNoBeta ? 0 : para.rLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("Normalize", sharedTmpBuffer, opkg::adv::kBlock);
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, U, float>(opkg::twin::kNormalize, para.aLength,
                                                                   para.rLengthWithPadding, para.rLength);
    opkg::twin::set_operands(plan, output, inputX, gamma, beta);
    plan.gamma = config.isNoGamma ? nullptr : plan.gamma;
    plan.beta = config.isNoBeta ? nullptr : plan.beta;
    plan.epsilon = epsilon;
    plan.rstd = config.isOnlyOutput ? nullptr : outputRstd.data();
    plan.in_mean = inputMean.data();
    plan.in_variance = inputVariance.data();
    opkg_twin_norm(&plan);
}
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>
__aicore__ inline void Normalize(const LocalTensor<T> &output, const LocalTensor<float> &outputRstd,
                                 const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                 const LocalTensor<T> &inputX, const LocalTensor<U> &gamma, const LocalTensor<U> &beta,
                                 const float epsilon, const NormalizePara &para)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    Normalize<U, T, isReuseSource, config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta, stack,
                                           epsilon, para);
}

template <typename T, bool isBasicBlock = false>
__aicore__ inline void RmsNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                               const LocalTensor<T> &gammaLocal, const LocalTensor<uint8_t> &sharedTmpBuffer,
                               const T epsilon, const RmsNormTiling &tiling)
{
    OPKG_TWIN_REQUIRE("RmsNorm", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_rows_of(tiling, srcLocal),
                     opkg_writes(dstLocal, opkg::twin::rows_of_tiling(tiling) * tiling.hLength),
                     opkg_reads(gammaLocal, tiling.originalHLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("RmsNorm", sharedTmpBuffer, opkg::adv::least_of_rows(tiling.hLength));
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, T, T>(
        opkg::twin::kRmsNorm, tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength);
    const LocalTensor<T> none;
    opkg::twin::set_operands(plan, dstLocal, srcLocal, gammaLocal, none);
    plan.epsilon = static_cast<float>(epsilon);
    opkg_twin_norm(&plan);
}
template <typename T, bool isBasicBlock = false>
__aicore__ inline void RmsNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,
                               const LocalTensor<T> &gammaLocal, const T epsilon, const RmsNormTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    RmsNorm<T, isBasicBlock>(dstLocal, srcLocal, gammaLocal, stack, epsilon, tiling);
}

// The layer norm of alpha * src + gx. As on the chip rstdLocal gets the variance, in spite of its name.
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
__aicore__ inline void DeepNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &meanLocal,
                                const LocalTensor<T> &rstdLocal, const LocalTensor<T> &srcLocal,
                                const LocalTensor<T> &gxLocal, const LocalTensor<T> &betaLocal,
                                const LocalTensor<T> &gammaLocal, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                const T alpha, const T epsilon, const DeepNormTiling &tiling)
{
    OPKG_TWIN_REQUIRE("DeepNorm", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_rows_of(tiling, srcLocal),
                     opkg::twin::reads_rows_of(tiling, gxLocal),
                     opkg_writes(dstLocal, opkg::twin::rows_of_tiling(tiling) * tiling.hLength),
                     opkg_writes(meanLocal, opkg::twin::rows_of_tiling(tiling)),
                     opkg_writes(rstdLocal, opkg::twin::rows_of_tiling(tiling)),
                     opkg_reads(gammaLocal, tiling.originalHLength),
                     opkg_reads(betaLocal, tiling.originalHLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("DeepNorm", sharedTmpBuffer, opkg::adv::least_of_rows(tiling.hLength));
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, T, T>(
        opkg::twin::kDeepNorm, tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength);
    opkg::twin::set_operands(plan, dstLocal, srcLocal, gammaLocal, betaLocal);
    plan.other = gxLocal.data();
    plan.alpha = static_cast<float>(alpha);
    plan.epsilon = static_cast<float>(epsilon);
    plan.mean = meanLocal.data();
    plan.variance = rstdLocal.data();
    opkg_twin_norm(&plan);
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
__aicore__ inline void DeepNorm(const LocalTensor<T> &dstLocal, const LocalTensor<T> &meanLocal,
                                const LocalTensor<T> &rstdLocal, const LocalTensor<T> &srcLocal,
                                const LocalTensor<T> &gxLocal, const LocalTensor<T> &betaLocal,
                                const LocalTensor<T> &gammaLocal, const T alpha, const T epsilon,
                                const DeepNormTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    DeepNorm<T, isReuseSrc, isBasicBlock>(dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, betaLocal, gammaLocal, stack,
                                          alpha, epsilon, tiling);
}

// Over the first axis of [B, S, H]; gamma and beta have one value a sample.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
                                 const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
                                 const LocalTensor<T> &gamm, const LocalTensor<T> &beta,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer, const T epsilon,
                                 const BatchNormTiling &tiling)
{
    OPKG_TWIN_REQUIRE("BatchNorm", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_reads(inputX, uint64_t{tiling.originalBLength} * tiling.meanVarSize),
                     opkg_writes(output, uint64_t{tiling.originalBLength} * tiling.meanVarSize),
                     opkg_writes(outputMean, tiling.meanVarSize),
                     opkg_writes(outputVariance, tiling.meanVarSize),
                     opkg_reads(gamm, tiling.originalBLength),
                     opkg_reads(beta, tiling.originalBLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("BatchNorm", sharedTmpBuffer);
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, T, T>(opkg::twin::kBatchNorm, tiling.originalBLength,
                                                               tiling.meanVarSize, tiling.originalBLength);
    opkg::twin::set_operands(plan, output, inputX, gamm, beta);
    plan.epsilon = static_cast<float>(epsilon);
    plan.mean = outputMean.data();
    plan.variance = outputVariance.data();
    opkg_twin_norm(&plan);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
                                 const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
                                 const LocalTensor<T> &gamm, const LocalTensor<T> &beta, const T epsilon,
                                 const BatchNormTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    BatchNorm<T, isReuseSource, isBasicBlock>(output, outputMean, outputVariance, inputX, gamm, beta, stack, epsilon,
                                              tiling);
}

// Of [N, C, H, W], each group of channels; gamma and beta have one value a channel.
template <typename T, bool isReuseSource = false>
__aicore__ inline void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
                                 const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
                                 const LocalTensor<T> &gamma, const LocalTensor<T> &beta,
                                 const LocalTensor<uint8_t> &sharedTmpBuffer, const T epsilon,
                                 const GroupNormTiling &tiling)
{
    OPKG_TWIN_REQUIRE("GroupNorm", T, opkg::twin::kFloats);
    if (tiling.d == 0) {
        opkg_twin_fail("GroupNorm: %u channels make no %u groups", tiling.c, tiling.g);
    }
    OPKG_TWIN_ACCESS(PIPE_V, opkg_reads(inputX, uint64_t{tiling.n} * tiling.g * tiling.d * tiling.hw),
                     opkg_writes(output, uint64_t{tiling.n} * tiling.g * tiling.d * tiling.hw),
                     opkg_writes(outputMean, uint64_t{tiling.n} * tiling.g),
                     opkg_writes(outputVariance, uint64_t{tiling.n} * tiling.g),
                     opkg_reads(gamma, uint64_t{tiling.g} * tiling.d),
                     opkg_reads(beta, uint64_t{tiling.g} * tiling.d),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("GroupNorm", sharedTmpBuffer);
    opkg::twin::NormPlan plan =
        opkg::twin::norm_plan<T, T, T>(opkg::twin::kGroupNorm, tiling.n * tiling.g, tiling.d * tiling.hw, 0);
    opkg::twin::set_operands(plan, output, inputX, gamma, beta);
    plan.channels = tiling.d;
    plan.groups = tiling.g;
    plan.epsilon = static_cast<float>(epsilon);
    plan.mean = outputMean.data();
    plan.variance = outputVariance.data();
    opkg_twin_norm(&plan);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
                                 const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX,
                                 const LocalTensor<T> &gamma, const LocalTensor<T> &beta, const T epsilon,
                                 const GroupNormTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    GroupNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, stack, epsilon, tiling);
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGrad(const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma,
                                     const LocalTensor<T> &inputDy, const LocalTensor<T> &inputX,
                                     const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean,
                                     const LocalTensor<T> &inputGamma, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     T epsilon, const LayerNormGradTiling &tiling, const LayerNormGradShapeInfo & = {})
{
    OPKG_TWIN_REQUIRE("LayerNormGrad", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_rows_of(tiling, inputX),
                     opkg::twin::reads_rows_of(tiling, inputDy),
                     opkg_writes(outputPdX, opkg::twin::rows_of_tiling(tiling) * tiling.hLength),
                     opkg_writes(resForGamma, opkg::twin::rows_of_tiling(tiling) * tiling.hLength),
                     opkg_reads(inputVariance, opkg::twin::rows_of_tiling(tiling)),
                     opkg_reads(inputMean, opkg::twin::rows_of_tiling(tiling)),
                     opkg_reads(inputGamma, tiling.originalHLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("LayerNormGrad", sharedTmpBuffer, opkg::adv::least_of_rows(tiling.hLength));
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, T, T>(
        opkg::twin::kLayerNormGrad, tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength);
    const LocalTensor<T> none;
    opkg::twin::set_operands(plan, outputPdX, inputX, inputGamma, none);
    plan.second = resForGamma.data();
    plan.other = inputDy.data();
    plan.epsilon = static_cast<float>(epsilon);
    plan.in_mean = inputMean.data();
    plan.in_variance = inputVariance.data();
    opkg_twin_norm(&plan);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGrad(const LocalTensor<T> &outputPdX, const LocalTensor<T> &resForGamma,
                                     const LocalTensor<T> &inputDy, const LocalTensor<T> &inputX,
                                     const LocalTensor<T> &inputVariance, const LocalTensor<T> &inputMean,
                                     const LocalTensor<T> &inputGamma, T epsilon, const LayerNormGradTiling &tiling,
                                     const LayerNormGradShapeInfo &shapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    LayerNormGrad<T, isReuseSource>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma, stack,
                                    epsilon, tiling, shapeInfo);
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGradBeta(const LocalTensor<T> &outputPdGamma, const LocalTensor<T> &outputPdBeta,
                                         const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,
                                         const LocalTensor<uint8_t> &sharedTmpBuffer,
                                         const LayerNormGradBetaTiling &tiling)
{
    OPKG_TWIN_REQUIRE("LayerNormGradBeta", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_rows_of(tiling, resForGamma),
                     opkg::twin::reads_rows_of(tiling, inputDy),
                     opkg_writes(outputPdGamma, tiling.hLength),
                     opkg_writes(outputPdBeta, tiling.hLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("LayerNormGradBeta", sharedTmpBuffer);
    opkg::twin::NormPlan plan = opkg::twin::norm_plan<T, T, T>(
        opkg::twin::kLayerNormGradBeta, tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength);
    plan.dst = outputPdGamma.data();
    plan.second = outputPdBeta.data();
    plan.x = resForGamma.data();
    plan.other = inputDy.data();
    opkg_twin_norm(&plan);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void LayerNormGradBeta(const LocalTensor<T> &outputPdGamma, const LocalTensor<T> &outputPdBeta,
                                         const LocalTensor<T> &resForGamma, const LocalTensor<T> &inputDy,
                                         const LayerNormGradBetaTiling &tiling)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    LayerNormGradBeta<T, isReuseSource>(outputPdGamma, outputPdBeta, resForGamma, inputDy, stack, tiling);
}

template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>
__aicore__ inline void WelfordUpdate(const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,
                                     const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,
                                     const LocalTensor<T> &inputX, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     const WelfordUpdateParam &para)
{
    OPKG_TWIN_REQUIRE("WelfordUpdate", T, opkg::twin::kNormRows);
    static_assert(std::is_same<U, float>::value, "WelfordUpdate: means and variances are float");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(outputMean, config.isInplace ? para.abLength : para.abComputeLength),
                     opkg_writes(outputVariance, config.isInplace ? para.abLength : para.abComputeLength),
                     opkg_reads(inputMean, config.isInplace ? para.abLength : para.abComputeLength),
                     opkg_reads(inputVariance, config.isInplace ? para.abLength : para.abComputeLength),
                     opkg_reads(inputX, para.abComputeLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("WelfordUpdate", sharedTmpBuffer);
    opkg::twin::WelfordPlan plan{};
    plan.dtype = opkg::twin::DtypeOf<T>::value;
    plan.length = para.abLength;
    plan.used = para.abComputeLength;
    plan.in_place = config.isInplace;
    plan.factor = para.nRec;
    plan.mean = outputMean.data();
    plan.variance = outputVariance.data();
    plan.in_mean = inputMean.data();
    plan.in_variance = inputVariance.data();
    plan.x = inputX.data();
    opkg_twin_welford_update(&plan);
}
template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>
__aicore__ inline void WelfordUpdate(const LocalTensor<U> &outputMean, const LocalTensor<U> &outputVariance,
                                     const LocalTensor<U> &inputMean, const LocalTensor<U> &inputVariance,
                                     const LocalTensor<T> &inputX, const WelfordUpdateParam &para)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    WelfordUpdate<T, U, isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, inputX, stack, para);
}

} // namespace AscendC

namespace opkg::twin {

// Without counts the columns weigh alike, or, where a part of the row was shorter, head_count and then tail_count.
template <bool corrected>
inline void welford_finalize(const AscendC::LocalTensor<float> &mean, const AscendC::LocalTensor<float> &variance,
                             const AscendC::LocalTensor<float> &in_mean, const AscendC::LocalTensor<float> &in_variance,
                             const int32_t *counts, const AscendC::WelfordFinalizePara &para)
{
    static_assert(!corrected || kWideChip, "WelfordFinalize corrects the variance on the 950 only");
    const bool alike = counts == nullptr && para.tailCountLength == 0;
    WelfordPlan plan{};
    plan.length = para.abLength;
    plan.mean = mean.data();
    plan.variance = variance.data();
    plan.in_mean = in_mean.data();
    plan.in_variance = in_variance.data();
    plan.counts = counts;
    plan.head_length = alike ? para.abLength : para.headCountLength;
    plan.head_count = static_cast<float>(alike ? para.rnLength : para.headCount);
    plan.tail_count = static_cast<float>(para.tailCount);
    plan.mean_factor = alike ? para.abRec / static_cast<float>(para.rnLength) : para.rRec;
    plan.variance_factor = corrected ? para.rRecWithCorrection : para.rRec;
    opkg_twin_welford_finalize(&plan);
}

} // namespace opkg::twin

namespace AscendC {

template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
__aicore__ inline void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                                       const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const WelfordFinalizePara &para)
{
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(outputMean, 1),
                     opkg_writes(outputVariance, 1),
                     opkg_reads(inputMean, para.abLength),
                     opkg_reads(inputVariance, para.abLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("WelfordFinalize", sharedTmpBuffer);
    opkg::twin::welford_finalize<config.isCorrection>(outputMean, outputVariance, inputMean, inputVariance, nullptr,
                                                      para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
__aicore__ inline void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                                       const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                       const LocalTensor<int32_t> &counts, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                       const WelfordFinalizePara &para)
{
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(outputMean, 1),
                     opkg_writes(outputVariance, 1),
                     opkg_reads(inputMean, para.abLength),
                     opkg_reads(inputVariance, para.abLength),
                     opkg_reads(counts, para.abLength),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("WelfordFinalize", sharedTmpBuffer);
    opkg::twin::welford_finalize<config.isCorrection>(outputMean, outputVariance, inputMean, inputVariance, counts.data(),
                                                      para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
__aicore__ inline void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                                       const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                       const WelfordFinalizePara &para)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, stack, para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig &config = WFFINALIZE_DEFAULT_CFG>
__aicore__ inline void WelfordFinalize(const LocalTensor<float> &outputMean, const LocalTensor<float> &outputVariance,
                                       const LocalTensor<float> &inputMean, const LocalTensor<float> &inputVariance,
                                       const LocalTensor<int32_t> &counts, const WelfordFinalizePara &para)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, counts, stack, para);
}

} // namespace AscendC

#undef OPKG_ADV_PARAMETERS

#endif // OPKG_ADV_NORM_H
