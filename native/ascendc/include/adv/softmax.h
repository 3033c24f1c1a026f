// SPDX-License-Identifier: Apache-2.0
// The softmax family. What the tiling says of splitting has no effect here.
#ifndef OPKG_ADV_SOFTMAX_H
#define OPKG_ADV_SOFTMAX_H

#include "adv/common.h"

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
    constexpr SoftmaxConfig(bool check, uint32_t m = 0, uint32_t k = 0, SoftmaxMode output = SoftmaxMode::SOFTMAX_NORMAL)
        : isCheckTiling(check), oriSrcM(m), oriSrcK(k), mode(output)
    {
    }
    bool isCheckTiling;
    uint32_t oriSrcM;
    uint32_t oriSrcK;
    SoftmaxMode mode;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

struct SoftMaxShapeInfo {
    constexpr SoftMaxShapeInfo() = default;
    constexpr SoftMaxShapeInfo(uint32_t m, uint32_t k, uint32_t ori_m, uint32_t ori_k)
        : srcM(m), srcK(k), oriSrcM(ori_m), oriSrcK(ori_k)
    {
    }
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};

struct SoftMaxParams {
    constexpr SoftMaxParams() = default;
    constexpr SoftMaxParams(uint32_t m, uint32_t k, uint32_t ori_m, uint32_t ori_k, uint32_t loops = 1, uint32_t parts = 8,
                            float a = 0.9375f)
        : srcM(m), srcK(k), oriSrcM(ori_m), oriSrcK(ori_k), loopCnt(loops), splitMeanCnt(parts), alpha(a)
    {
    }
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    uint32_t loopCnt = 1;
    uint32_t splitMeanCnt = 8;
    float alpha = 0.9375f;
};

} // namespace AscendC

// sum and max are of T, or of float where T is half.
#define OPKG_ADV_SOFTMAX_TYPES(name, T, S)                                                                             \
    OPKG_TWIN_REQUIRE(name, T, opkg::twin::kFloats);                                                                   \
    static_assert(opkg::twin::softmax_types<T, S>, name ": sum and max have the type of the matrix, or float for half")

namespace opkg::twin {

template <typename T, typename S>
inline constexpr bool softmax_types =
    (std::is_same<T, S>::value && has_dtype<T>(kFloats)) ||
    (std::is_same<T, half>::value && std::is_same<S, float>::value);

// The shape of a call: that of its argument, else a constant one, else the tiling's.
template <typename T, typename Tiling>
AscendC::SoftMaxShapeInfo softmax_shape(const AscendC::SoftMaxShapeInfo &info, const Tiling &tiling,
                                        const AscendC::SoftmaxConfig &config)
{
    if (info.srcM != 0 && info.srcK != 0) {
        return {info.srcM, info.srcK, info.oriSrcM, info.oriSrcK != 0 ? info.oriSrcK : info.srcK};
    }
    if (config.oriSrcM != 0 && config.oriSrcK != 0) {
        const uint32_t columns = (config.oriSrcK + kPerBlock<T> - 1) / kPerBlock<T> * kPerBlock<T>;
        return {config.oriSrcM, columns, config.oriSrcM, config.oriSrcK};
    }
    return {tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK};
}

// What all members of the family fill in; T is the matrix's type, S that of its statistics.
template <typename T, typename S>
SoftmaxPlan softmax_plan(SoftmaxKind kind, const AscendC::SoftMaxShapeInfo &shape, bool nz, bool one_each = false)
{
    SoftmaxPlan plan{};
    plan.kind = kind;
    plan.dtype = DtypeOf<T>::value;
    plan.stat_dtype = DtypeOf<S>::value;
    plan.rows = shape.srcM;
    plan.columns = shape.srcK;
    plan.used = shape.oriSrcK;
    plan.nz = nz;
    plan.stat_step = one_each ? 1 : kPerBlock<S>;
    plan.exp_step = one_each ? 1 : kPerBlock<T>;
    return plan;
}

#ifdef OPKG_TWIN_CHECK
// The part of a matrix that counts; padding may be anything.
template <typename T>
Touched reads_matrix(const AscendC::LocalTensor<T> &matrix, const AscendC::SoftMaxShapeInfo &shape, bool nz)
{
    const uint64_t whole = uint64_t{shape.srcM} * shape.srcK;
    return nz ? opkg_reads(matrix, whole)
              : opkg_reads_rows(matrix, shape.srcM, uint64_t{shape.oriSrcK} * sizeof(T),
                                uint64_t{shape.srcK} * sizeof(T));
}
template <typename T>
Touched writes_matrix(const AscendC::LocalTensor<T> &matrix, const AscendC::SoftMaxShapeInfo &shape)
{
    return opkg_writes(matrix, uint64_t{shape.srcM} * shape.srcK);
}
// One value a row, repeated through a block unless one_each.
template <typename T>
uint64_t statistic(const AscendC::LocalTensor<T> &tensor, const AscendC::SoftMaxShapeInfo &shape, bool one_each = false)
{
    return if_there(tensor, uint64_t{shape.srcM} * (one_each ? 1 : kPerBlock<T>));
}
template <typename T>
Touched writes_statistic(const AscendC::LocalTensor<T> &tensor, const AscendC::SoftMaxShapeInfo &shape, bool really = true)
{
    return opkg_writes(tensor, really ? statistic(tensor, shape) : 0);
}
template <typename T>
Touched reads_statistic(const AscendC::LocalTensor<T> &tensor, const AscendC::SoftMaxShapeInfo &shape, bool really = true)
{
    return opkg_reads(tensor, really ? statistic(tensor, shape) : 0);
}
#endif

// Of whole rows: sum and max are results, but for a simple softmax, which is given them.
template <bool nz, typename D, typename S>
inline void softmax(const char *name, SoftmaxKind kind, const AscendC::LocalTensor<D> &dst,
                    const AscendC::LocalTensor<S> &sum, const AscendC::LocalTensor<S> &max,
                    const AscendC::LocalTensor<D> &src, const AscendC::LocalTensor<uint8_t> &buffer,
                    const AscendC::SoftMaxShapeInfo &shape)
{
    const bool given = kind == kSimpleSoftmax;
    OPKG_TWIN_ACCESS_OF(name, PIPE_V, reads_matrix(src, shape, nz), writes_matrix(dst, shape),
                        given ? reads_statistic(sum, shape) : writes_statistic(sum, shape),
                        given ? reads_statistic(max, shape) : writes_statistic(max, shape),
                        opkg_scratch(buffer, own_bytes(buffer)));
    need_shared(name, buffer, adv::least_of_rows(shape.srcK));
    SoftmaxPlan plan = softmax_plan<D, S>(kind, shape, nz);
    plan.dst = dst.data();
    plan.src = src.data();
    if (given) {
        plan.in_sum = sum.data();
        plan.in_max = max.data();
    } else {
        plan.sum = sum.data();
        plan.max = max.data();
    }
    opkg_twin_softmax(&plan);
}

template <bool update, bool nz, const AscendC::SoftmaxConfig &config, typename D, typename S>
inline void flash_v2(const AscendC::LocalTensor<D> &dst, const AscendC::LocalTensor<S> &reduce_max,
                     const AscendC::LocalTensor<S> &sum, const AscendC::LocalTensor<S> &max,
                     const AscendC::LocalTensor<D> &src, const AscendC::LocalTensor<D> &exp_max,
                     const AscendC::LocalTensor<S> &in_sum, const AscendC::LocalTensor<S> &in_max,
                     const AscendC::LocalTensor<uint8_t> &buffer, const SoftMaxTiling &tiling,
                     const AscendC::SoftMaxShapeInfo &info)
{
    OPKG_ADV_SOFTMAX_TYPES("SoftmaxFlashV2", D, S);
    const AscendC::SoftMaxShapeInfo shape = softmax_shape<D>(info, tiling, config);
    constexpr bool one_each = config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    OPKG_TWIN_ACCESS_OF("SoftmaxFlashV2", PIPE_V, reads_matrix(src, shape, nz), writes_matrix(dst, shape),
                        opkg_writes(sum, statistic(sum, shape, one_each)),
                        opkg_writes(max, statistic(max, shape, one_each)),
                        opkg_writes(exp_max, update ? statistic(exp_max, shape, one_each) : 0),
                        opkg_writes(reduce_max, update ? statistic(reduce_max, shape, one_each) : 0),
                        opkg_reads(in_sum, update ? statistic(in_sum, shape, one_each) : 0),
                        opkg_reads(in_max, update ? statistic(in_max, shape, one_each) : 0),
                        opkg_scratch(buffer, own_bytes(buffer)));
    need_shared("SoftmaxFlashV2", buffer, adv::least_of_rows(shape.srcK));
    SoftmaxPlan plan = softmax_plan<D, S>(kSoftmaxFlashV2, shape, nz, one_each);
    plan.update = update;
    plan.dst = dst.data();
    plan.src = src.data();
    plan.sum = sum.data();
    plan.max = max.data();
    plan.exp_max = exp_max.data();
    plan.reduce_max = reduce_max.data();
    plan.in_sum = in_sum.data();
    plan.in_max = in_max.data();
    opkg_twin_softmax(&plan);
}

// front: dst has one block a row, with the row's sum.
template <bool nz, typename T>
inline void softmax_grad(const char *name, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &grad,
                         const AscendC::LocalTensor<T> &src, const AscendC::LocalTensor<uint8_t> &buffer, bool front,
                         const AscendC::SoftMaxShapeInfo &shape)
{
    OPKG_TWIN_ACCESS_OF(name, PIPE_V, reads_matrix(src, shape, nz), reads_matrix(grad, shape, nz),
                        front ? writes_statistic(dst, shape) : writes_matrix(dst, shape),
                        opkg_scratch(buffer, own_bytes(buffer)));
    need_shared(name, buffer, adv::least_of_rows(shape.srcK));
    SoftmaxPlan plan = softmax_plan<T, T>(front ? kSoftmaxGradFront : kSoftmaxGrad, shape, nz);
    plan.dst = front ? nullptr : dst.data();
    plan.sum = front ? dst.data() : nullptr;
    plan.src = src.data();
    plan.grad = grad.data();
    opkg_twin_softmax(&plan);
}

} // namespace opkg::twin

namespace AscendC {

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename S>
__aicore__ inline void SoftMax(const LocalTensor<D> &dstTensor, const LocalTensor<S> &sumTensor,
                               const LocalTensor<S> &maxTensor, const LocalTensor<D> &srcTensor,
                               const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
                               const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    OPKG_ADV_SOFTMAX_TYPES("SoftMax", D, S);
    opkg::twin::softmax<isDataFormatNZ>("SoftMax", opkg::twin::kSoftmax, dstTensor, sumTensor, maxTensor, srcTensor,
                                        sharedTmpBuffer,
                                        opkg::twin::softmax_shape<D>(softmaxShapeInfo, tiling, config));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename S>
__aicore__ inline void SoftMax(const LocalTensor<D> &dstTensor, const LocalTensor<S> &sumTensor,
                               const LocalTensor<S> &maxTensor, const LocalTensor<D> &srcTensor,
                               const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dstTensor, sumTensor, maxTensor, srcTensor, stack,
                                                                    tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                               const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
                               const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    const LocalTensor<T> none;
    SoftMax<T, isReuseSource, isBasicBlock, false, config>(dstTensor, none, none, srcTensor, sharedTmpBuffer, tiling,
                                                           softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                               const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    const LocalTensor<T> none;
    SoftMax<T, isReuseSource, isBasicBlock, false, config>(dstTensor, none, none, srcTensor, tiling, softmaxShapeInfo);
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename S>
__aicore__ inline void SimpleSoftMax(const LocalTensor<D> &dstTensor, const LocalTensor<S> &inSumTensor,
                                     const LocalTensor<S> &inMaxTensor, const LocalTensor<D> &srcTensor,
                                     const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
                                     const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    OPKG_ADV_SOFTMAX_TYPES("SimpleSoftMax", D, S);
    opkg::twin::softmax<isDataFormatNZ>("SimpleSoftMax", opkg::twin::kSimpleSoftmax, dstTensor, inSumTensor, inMaxTensor,
                                        srcTensor, sharedTmpBuffer,
                                        opkg::twin::softmax_shape<D>(softmaxShapeInfo, tiling, config));
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename S>
__aicore__ inline void SimpleSoftMax(const LocalTensor<D> &dstTensor, const LocalTensor<S> &inSumTensor,
                                     const LocalTensor<S> &inMaxTensor, const LocalTensor<D> &srcTensor,
                                     const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SimpleSoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dstTensor, inSumTensor, inMaxTensor, srcTensor,
                                                                          stack, tiling, softmaxShapeInfo);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
                                  const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                  const LogSoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    OPKG_TWIN_REQUIRE("LogSoftMax", T, opkg::twin::kFloats);
    opkg::twin::softmax<isDataFormatNZ>("LogSoftMax", opkg::twin::kLogSoftmax, dst, sum, max, src, sharedTmpBuffer,
                                        opkg::twin::softmax_shape<T>(softmaxShapeInfo, tiling, SOFTMAX_DEFAULT_CFG));
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename D, typename S>
__aicore__ inline void SoftmaxFlash(const LocalTensor<D> &dstTensor, const LocalTensor<S> &sumTensor,
                                    const LocalTensor<S> &maxTensor, const LocalTensor<D> &srcTensor,
                                    const LocalTensor<D> &expMaxTensor, const LocalTensor<S> &inSumTensor,
                                    const LocalTensor<S> &inMaxTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                    const SoftMaxTiling &tiling, bool isUpdate = false,
                                    const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    OPKG_ADV_SOFTMAX_TYPES("SoftmaxFlash", D, S);
    const SoftMaxShapeInfo shape = opkg::twin::softmax_shape<D>(softmaxShapeInfo, tiling, SOFTMAX_DEFAULT_CFG);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_matrix(srcTensor, shape, false),
                     opkg::twin::writes_matrix(dstTensor, shape), opkg::twin::writes_statistic(sumTensor, shape),
                     opkg::twin::writes_statistic(maxTensor, shape),
                     opkg::twin::writes_statistic(expMaxTensor, shape, isUpdate),
                     opkg::twin::reads_statistic(inSumTensor, shape, isUpdate),
                     opkg::twin::reads_statistic(inMaxTensor, shape, isUpdate),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("SoftmaxFlash", sharedTmpBuffer, opkg::adv::least_of_rows(shape.srcK));
    opkg::twin::SoftmaxPlan plan = opkg::twin::softmax_plan<D, S>(opkg::twin::kSoftmaxFlash, shape, false);
    plan.update = isUpdate;
    plan.dst = dstTensor.data();
    plan.src = srcTensor.data();
    plan.sum = sumTensor.data();
    plan.max = maxTensor.data();
    plan.exp_max = expMaxTensor.data();
    plan.in_sum = inSumTensor.data();
    plan.in_max = inMaxTensor.data();
    opkg_twin_softmax(&plan);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename D, typename S>
__aicore__ inline void SoftmaxFlash(const LocalTensor<D> &dstTensor, const LocalTensor<S> &sumTensor,
                                    const LocalTensor<S> &maxTensor, const LocalTensor<D> &srcTensor,
                                    const LocalTensor<D> &expMaxTensor, const LocalTensor<S> &inSumTensor,
                                    const LocalTensor<S> &inMaxTensor, const SoftMaxTiling &tiling, bool isUpdate = false,
                                    const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftmaxFlash<T, isReuseSource, isBasicBlock>(dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor,
                                                 inMaxTensor, stack, tiling, isUpdate, softmaxShapeInfo);
}

template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename S>
__aicore__ inline void SoftmaxFlashV2(const LocalTensor<D> &dstTensor, const LocalTensor<S> &expSumTensor,
                                      const LocalTensor<S> &maxTensor, const LocalTensor<D> &srcTensor,
                                      const LocalTensor<D> &expMaxTensor, const LocalTensor<S> &inExpSumTensor,
                                      const LocalTensor<S> &inMaxTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                      const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    const LocalTensor<S> none;
    opkg::twin::flash_v2<isUpdate, isDataFormatNZ, config>(dstTensor, none, expSumTensor, maxTensor, srcTensor,
                                                           expMaxTensor, inExpSumTensor, inMaxTensor, sharedTmpBuffer,
                                                           tiling, softmaxShapeInfo);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename D, typename S>
__aicore__ inline void SoftmaxFlashV2(const LocalTensor<D> &dstTensor, const LocalTensor<S> &expSumTensor,
                                      const LocalTensor<S> &maxTensor, const LocalTensor<D> &srcTensor,
                                      const LocalTensor<D> &expMaxTensor, const LocalTensor<S> &inExpSumTensor,
                                      const LocalTensor<S> &inMaxTensor, const SoftMaxTiling &tiling,
                                      const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
        dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor, inMaxTensor, stack, tiling,
        softmaxShapeInfo);
}
// With the maximum of these columns alone; only where statistics are not repeated.
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftmaxFlashV2(const LocalTensor<T> &dstTensor, const LocalTensor<T> &outReduceMax,
                                      const LocalTensor<T> &outExpSum, const LocalTensor<T> &outMax,
                                      const LocalTensor<T> &srcTensor, const LocalTensor<T> &outExpMax,
                                      const LocalTensor<T> &inExpSum, const LocalTensor<T> &inMax,
                                      const LocalTensor<uint8_t> &sharedTmpBuffer, const SoftMaxTiling &tiling,
                                      const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    if (config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC) {
        opkg::twin::flash_v2<isUpdate, false, config>(dstTensor, outReduceMax, outExpSum, outMax, srcTensor, outExpMax,
                                                      inExpSum, inMax, sharedTmpBuffer, tiling, softmaxShapeInfo);
    }
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftmaxFlashV2(const LocalTensor<T> &dstTensor, const LocalTensor<T> &outReduceMax,
                                      const LocalTensor<T> &outExpSum, const LocalTensor<T> &outMax,
                                      const LocalTensor<T> &srcTensor, const LocalTensor<T> &outExpMax,
                                      const LocalTensor<T> &inExpSum, const LocalTensor<T> &inMax,
                                      const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
        dstTensor, outReduceMax, outExpSum, outMax, srcTensor, outExpMax, inExpSum, inMax, stack, tiling,
        softmaxShapeInfo);
}

// The tiling made again in the kernel, for another shape.
__aicore__ inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo &shapeInfo,
                                                                   const uint32_t, const uint32_t dataTypeSize2,
                                                                   const uint32_t localWorkSpaceSize,
                                                                   const bool = false, const bool = false,
                                                                   const bool = false, const bool = false)
{
    return opkg::adv::softmax_tiling(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize2, localWorkSpaceSize);
}

template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftmaxFlashV3(const LocalTensor<T> &dstTensor, const LocalTensor<U> &meanTensor,
                                      const LocalTensor<U> &expSumTensor, const LocalTensor<U> &maxTensor,
                                      const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,
                                      const LocalTensor<U> &inMeanTensor, const LocalTensor<U> &inExpSumTensor,
                                      const LocalTensor<U> &inMaxTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                      const SoftMaxTiling &, const SoftMaxParams &params)
{
    OPKG_TWIN_REQUIRE("SoftmaxFlashV3", T, opkg::twin::dtypes(opkg::twin::kF16));
    static_assert(std::is_same<U, float>::value, "SoftmaxFlashV3: sum, max and mean are float");
    if (params.srcK < 512 || params.srcK % 64 != 0) {
        opkg_twin_fail("SoftmaxFlashV3: rows of %u elements; they must be a multiple of 64 and at least 512", params.srcK);
    }
    const SoftMaxShapeInfo shape(params.srcM, params.srcK, params.oriSrcM, params.srcK);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::reads_matrix(srcTensor, shape, false),
                     opkg::twin::writes_matrix(dstTensor, shape), opkg::twin::writes_statistic(meanTensor, shape),
                     opkg::twin::writes_statistic(expSumTensor, shape),
                     opkg::twin::writes_statistic(maxTensor, shape),
                     opkg::twin::writes_statistic(expMaxTensor, shape, isUpdate),
                     opkg::twin::reads_statistic(inMeanTensor, shape, isUpdate),
                     opkg::twin::reads_statistic(inExpSumTensor, shape, isUpdate),
                     opkg::twin::reads_statistic(inMaxTensor, shape, isUpdate),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("SoftmaxFlashV3", sharedTmpBuffer, opkg::adv::least_of_rows(params.srcK));
    opkg::twin::SoftmaxPlan plan = opkg::twin::softmax_plan<T, U>(opkg::twin::kSoftmaxFlashV3, shape, false);
    plan.update = isUpdate;
    plan.loops = params.loopCnt;
    plan.alpha = params.alpha;
    plan.dst = dstTensor.data();
    plan.src = srcTensor.data();
    plan.sum = expSumTensor.data();
    plan.max = maxTensor.data();
    plan.exp_max = expMaxTensor.data();
    plan.mean = meanTensor.data();
    plan.in_sum = inExpSumTensor.data();
    plan.in_max = inMaxTensor.data();
    plan.in_mean = inMeanTensor.data();
    opkg_twin_softmax(&plan);
}
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
__aicore__ inline void SoftmaxFlashV3(const LocalTensor<T> &dstTensor, const LocalTensor<U> &meanTensor,
                                      const LocalTensor<U> &expSumTensor, const LocalTensor<U> &maxTensor,
                                      const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,
                                      const LocalTensor<U> &inMeanTensor, const LocalTensor<U> &inExpSumTensor,
                                      const LocalTensor<U> &inMaxTensor, const SoftMaxTiling &tiling,
                                      const SoftMaxParams &params)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftmaxFlashV3<T, U, isUpdate>(dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inMeanTensor,
                                   inExpSumTensor, inMaxTensor, stack, tiling, params);
}

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,
                                   const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                   const SoftMaxTiling &tiling, bool isFront = false,
                                   const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    OPKG_TWIN_REQUIRE("SoftmaxGrad", T, opkg::twin::kFloats);
    opkg::twin::softmax_grad<isDataFormatNZ>(
        "SoftmaxGrad", dstTensor, gradTensor, srcTensor, sharedTmpBuffer, isFront,
        opkg::twin::softmax_shape<T>(softmaxShapeInfo, tiling, SOFTMAX_DEFAULT_CFG));
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,
                                   const LocalTensor<T> &srcTensor, const SoftMaxTiling &tiling, bool isFront = false,
                                   const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftmaxGrad<T, isReuseSource, isDataFormatNZ>(dstTensor, gradTensor, srcTensor, stack, tiling, isFront,
                                                  softmaxShapeInfo);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGradFront(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,
                                        const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                        const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    OPKG_TWIN_REQUIRE("SoftmaxGradFront", T, opkg::twin::kFloats);
    opkg::twin::softmax_grad<isDataFormatNZ>(
        "SoftmaxGradFront", dstTensor, gradTensor, srcTensor, sharedTmpBuffer, true,
        opkg::twin::softmax_shape<T>(softmaxShapeInfo, tiling, SOFTMAX_DEFAULT_CFG));
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
__aicore__ inline void SoftmaxGradFront(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,
                                        const LocalTensor<T> &srcTensor, const SoftMaxTiling &tiling,
                                        const SoftMaxShapeInfo &softmaxShapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    SoftmaxGradFront<T, isBasicBlock, isDataFormatNZ>(dstTensor, gradTensor, srcTensor, stack, tiling, softmaxShapeInfo);
}

// Rows whose maximum is `from`, given as its bits, become `to`.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
__aicore__ inline bool AdjustSoftMaxRes(const LocalTensor<T1> &softMaxRes, const LocalTensor<T2> &maxTensor,
                                        const uint32_t from, const T1 to, const SoftMaxShapeInfo &softmaxShapeInfo)
{
    OPKG_TWIN_REQUIRE("AdjustSoftMaxRes", T1, opkg::twin::kFloats);
    OPKG_TWIN_REQUIRE("AdjustSoftMaxRes", T2, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_updates(softMaxRes, uint64_t{softmaxShapeInfo.srcM} * softmaxShapeInfo.srcK),
                     opkg_reads(maxTensor, uint64_t{softmaxShapeInfo.srcM} *
                                               (stepSizeMode == 0 ? opkg::twin::kPerBlock<T2> : 1)));
    return opkg_twin_adjust_rows(softMaxRes.data(), opkg::twin::DtypeOf<T1>::value, maxTensor.data(),
                                 opkg::twin::DtypeOf<T2>::value, stepSizeMode == 0 ? opkg::twin::kPerBlock<T2> : 1, from,
                                 &to, softmaxShapeInfo.srcM, softmaxShapeInfo.srcK, isDataFormatNZ) != 0;
}

} // namespace AscendC

#undef OPKG_ADV_SOFTMAX_TYPES

#endif // OPKG_ADV_SOFTMAX_H
