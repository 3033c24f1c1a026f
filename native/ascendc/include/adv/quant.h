// SPDX-License-Identifier: Apache-2.0
// Numbers to int8_t and back. 8-bit and 4-bit floating types are not there.
#ifndef OPKG_ADV_QUANT_H
#define OPKG_ADV_QUANT_H

#include "adv/common.h"

namespace AscendC {

struct AscendQuantConfig {
    constexpr AscendQuantConfig(uint32_t count, uint32_t offsets, uint32_t scales, uint32_t space, bool has_offset = false,
                                int32_t k_dim = 1, RoundMode mode = RoundMode::CAST_RINT)
        : calcCount(count), offsetCount(offsets), scaleCount(scales), workLocalSize(space), hasOffset(has_offset),
          kDim(k_dim), roundMode(mode)
    {
    }
    constexpr AscendQuantConfig(bool has_offset, int32_t k_dim = 1, RoundMode mode = RoundMode::CAST_RINT)
        : hasOffset(has_offset), kDim(k_dim), roundMode(mode)
    {
    }
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
    bool hasOffset = false;
    int32_t kDim = 1;
    RoundMode roundMode = RoundMode::CAST_RINT;
};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0u, 0u, 0u, 0u};

enum class AscendQuantPolicy : int32_t {
    PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP, PER_CHANNEL_PER_GROUP, PER_TOKEN_PER_GROUP
};
struct AscendQuantParam {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
    uint32_t groupSize = 0;
};

enum class DeQuantMode : uint8_t { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};
enum class AscendDeQuantPolicy : int32_t { PER_TOKEN, PER_GROUP, PER_CHANNEL_PER_GROUP, PER_TOKEN_PER_GROUP };
struct AscendDeQuantConfig {
    bool hasOffset;
    int32_t kDim = 1;
};
struct AscendDeQuantParam {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
    uint32_t groupSize = 0;
};

struct AntiQuantShapeInfo {
    uint32_t offsetHeight = 0;
    uint32_t offsetWidth = 0;
    uint32_t scaleHeight = 0;
    uint32_t scaleWidth = 0;
};
enum class AscendAntiQuantPolicy : int32_t {
    PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP, PER_CHANNEL_PER_GROUP, PER_TOKEN_PER_GROUP
};
struct AscendAntiQuantConfig {
    bool hasOffset;
    bool isTranspose;
    int32_t kDim = 1;
};
struct AscendAntiQuantParam {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
    uint32_t groupSize = 0;
};

enum class QuantizePolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP };
struct QuantizeConfig {
    QuantizePolicy policy;
    bool hasOffset;
    RoundMode roundMode = RoundMode::CAST_RINT;
    int32_t kDim = 1;
};
struct QuantizeParams {
    uint32_t m;
    uint32_t n;
    uint32_t groupSize = 0;
};
enum class DequantizePolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP };
struct DequantizeConfig {
    DequantizePolicy policy;
    bool hasOffset = false;
    int32_t kDim = 1;
};
struct DequantizeParams {
    uint32_t m;
    uint32_t n;
    uint32_t groupSize = 0;
};
enum class AntiQuantizePolicy : int32_t { PER_TENSOR, PER_CHANNEL, PER_TOKEN, PER_GROUP };
struct AntiQuantizeConfig {
    AntiQuantizePolicy policy;
    bool hasOffset;
    int32_t kDim = 1;
};
struct AntiQuantizeParams {
    uint32_t m;
    uint32_t n;
    uint32_t groupSize = 0;
};

} // namespace AscendC

namespace opkg::twin {

inline constexpr uint32_t kQuantSource = on_chip(kFloats, dtypes(kBF16));
inline constexpr uint32_t kNumbers = kFloats | dtypes(kBF16);

// Scales and offsets are tensors, or one number.
template <typename S>
struct Parameter {
    static constexpr bool tensor = false;
    using Type = S;
    static const void *data(const S &) { return nullptr; }
    static float value(const S &number) { return static_cast<float>(number); }
};
template <typename S>
struct Parameter<AscendC::LocalTensor<S>> {
    static constexpr bool tensor = true;
    using Type = S;
    static const void *data(const AscendC::LocalTensor<S> &numbers) { return numbers.data(); }
    static float value(const AscendC::LocalTensor<S> &) { return 0.0f; }
};

// A call on m rows of n numbers of Src, to Dst.
template <typename Dst, typename Src>
QuantPlan quant_plan(QuantKind kind, const AscendC::LocalTensor<Dst> &dst, const AscendC::LocalTensor<Src> &src,
                     uint32_t rows, uint32_t columns)
{
    QuantPlan plan{};
    plan.kind = kind;
    plan.dst_dtype = DtypeOf<Dst>::value;
    plan.src_dtype = DtypeOf<Src>::value;
    plan.middle_dtype = kF32;
    plan.scale_dtype = kF32;
    plan.round_mode = static_cast<int32_t>(AscendC::RoundMode::CAST_RINT);
    plan.rows = rows;
    plan.columns = plan.src_step = plan.dst_step = columns;
    plan.group = 1;
    plan.dst = dst.data();
    plan.src = src.data();
    return plan;
}

template <typename S, typename O>
void run_quant(QuantPlan &plan, QuantSpread spread, const S &scale, const O &offset)
{
    static_assert(!Parameter<O>::tensor || !Parameter<S>::tensor ||
                      std::is_same<typename Parameter<S>::Type, typename Parameter<O>::Type>::value,
                  "scale and offset have the same type");
    plan.spread = spread;
    plan.scale_dtype = DtypeOf<typename Parameter<S>::Type>::value;
    plan.scale = Parameter<S>::data(scale);
    plan.scale_value = Parameter<S>::value(scale);
    plan.offset = Parameter<O>::data(offset);
    plan.offset_value = Parameter<O>::value(offset);
    opkg_twin_quant(&plan);
}

#ifdef OPKG_TWIN_CHECK
// The scales or offsets that a call reads; a number is not memory.
template <typename S>
Touched reads_parameter(const AscendC::LocalTensor<S> &numbers, uint64_t elements) { return opkg_reads(numbers, elements); }
template <typename S>
Touched reads_parameter(const S &number, uint64_t) { return touched(&number, 0, 0, kReads); }
#endif

// How many parameters a matrix has.
inline uint64_t parameters_of(QuantSpread spread, uint64_t m, uint64_t n, uint64_t group)
{
    return spread == kPerTensor     ? 0
           : spread == kPerChannel  ? n
           : spread == kPerToken    ? m
           : spread == kPerRowGroup ? (m + group - 1) / group * n
                                    : m * ((n + group - 1) / group);
}

// The policies of the newer functions have the same order everywhere.
template <typename Policy>
constexpr QuantSpread spread_of(Policy policy, int32_t k_dim)
{
    return policy == Policy::PER_TENSOR    ? kPerTensor
           : policy == Policy::PER_CHANNEL ? kPerChannel
           : policy == Policy::PER_TOKEN   ? kPerToken
           : k_dim == 0                    ? kPerRowGroup
                                           : kPerColumnGroup;
}
constexpr QuantSpread spread_by_rows(bool tokens, int32_t k_dim)
{
    return tokens ? kPerToken : k_dim == 0 ? kPerRowGroup : kPerColumnGroup;
}
inline uint32_t rows_of(uint32_t m, uint32_t n, uint32_t count) { return n != 0 && count / n < m ? count / n : m; }

// AscendQuant of rows of `channels` numbers, which has the arithmetic of half.
template <typename T, typename S, typename O>
void ascend_quant(const AscendC::LocalTensor<int8_t> &dst, const AscendC::LocalTensor<T> &src, const S &scale,
                  const O &offset, uint32_t channels, uint32_t count, int32_t round_mode)
{
    const uint32_t columns = Parameter<S>::tensor ? channels : count;
    if (columns == 0) {
        return;
    }
    QuantPlan plan = quant_plan(kQuant, dst, src, count / columns, columns);
    plan.middle_dtype = kF16;
    plan.round_mode = round_mode;
    plan.has_offset = 1;
    run_quant(plan, Parameter<S>::tensor ? kPerChannel : kPerTensor, scale, offset);
}

} // namespace opkg::twin

namespace AscendC {

// One scale and offset for all.
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const float scale, const float offset,
                                   const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("AscendQuant", T, opkg::twin::kQuantSource);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount),
                     opkg_reads(srcTensor, calCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendQuant", sharedTmpBuffer, opkg::adv::kLeastOfElements);
    opkg::twin::ascend_quant(dstTensor, srcTensor, scale, offset, 0, config.calcCount != 0 ? config.calcCount : calCount,
                             static_cast<int32_t>(config.roundMode));
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const float scale, const float offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, sharedTmpBuffer, scale, offset, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const float scale, const float offset, const uint32_t calCount)
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, stack, scale, offset, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const float scale, const float offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, scale, offset, srcTensor.GetSize());
}

// One scale a channel; the offset is one number, or one a channel.
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const LocalTensor<T> &scaleTensor,
                                   const T offset, const uint32_t scaleCount, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("AscendQuant", T, opkg::twin::kQuantSource);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount),
                     opkg_reads(srcTensor, calCount),
                     opkg_reads(scaleTensor, scaleCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendQuant", sharedTmpBuffer, opkg::adv::kLeastOfElements);
    opkg::twin::ascend_quant(dstTensor, srcTensor, scaleTensor, offset,
                             config.scaleCount != 0 ? config.scaleCount : scaleCount,
                             config.calcCount != 0 ? config.calcCount : calCount, static_cast<int32_t>(config.roundMode));
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const LocalTensor<T> &scaleTensor,
                                   const LocalTensor<T> &offsetTensor, const uint32_t scaleCount,
                                   const uint32_t /* offsetCount */, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("AscendQuant", T, opkg::twin::kQuantSource);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount),
                     opkg_reads(srcTensor, calCount),
                     opkg_reads(scaleTensor, scaleCount),
                     opkg_reads(offsetTensor, scaleCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendQuant", sharedTmpBuffer, opkg::adv::kLeastOfElements);
    opkg::twin::ascend_quant(dstTensor, srcTensor, scaleTensor, offsetTensor,
                             config.scaleCount != 0 ? config.scaleCount : scaleCount,
                             config.calcCount != 0 ? config.calcCount : calCount, static_cast<int32_t>(config.roundMode));
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const LocalTensor<T> &scaleTensor,
                                   const T offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offset,
                                          scaleTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const LocalTensor<T> &scaleTensor,
                                   const LocalTensor<T> &offsetTensor)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offsetTensor,
                                          scaleTensor.GetSize(), offsetTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<T> &scaleTensor, const T offset, const uint32_t scaleCount,
                                   const uint32_t calCount)
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, stack, scaleTensor, offset, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor,
                                   const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount)
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, stack, scaleTensor, offsetTensor, scaleCount, offsetCount,
                                          calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<T> &scaleTensor, const T offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, scaleTensor, offset, scaleTensor.GetSize(),
                                          srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, scaleTensor, offsetTensor, scaleTensor.GetSize(),
                                          offsetTensor.GetSize(), srcTensor.GetSize());
}

// Of the 950: the same with the target's type named first.
template <typename dstT, typename srcT, bool isReuseSource = false, typename... Rest,
          typename = std::enable_if_t<opkg::twin::kWideChip && std::is_same<dstT, int8_t>::value>>
__aicore__ inline void AscendQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                   const Rest &...rest)
{
    AscendQuant<srcT, isReuseSource>(dstTensor, srcTensor, rest...);
}

// Of the 950: one scale a row, or a group.
template <typename dstT, typename srcT, typename scaleT, bool isReuseSource, const AscendQuantConfig &config,
          const AscendQuantPolicy &policy, typename O>
__aicore__ inline void AscendQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                   const LocalTensor<scaleT> &scaleTensor, const O &offset, const AscendQuantParam &para)
{
    static_assert(opkg::twin::wide_chip<dstT>, "AscendQuant of tokens and groups is there on the 950 only");
    static_assert(policy == AscendQuantPolicy::PER_TOKEN || policy == AscendQuantPolicy::PER_GROUP,
                  "AscendQuant with a policy takes PER_TOKEN or PER_GROUP");
    OPKG_TWIN_REQUIRE("AscendQuant", srcT, opkg::twin::kQuantSource);
    constexpr opkg::twin::QuantSpread spread =
        opkg::twin::spread_by_rows(policy == AscendQuantPolicy::PER_TOKEN, config.kDim);
    const uint32_t rows = opkg::twin::rows_of(para.m, para.n, para.calCount);
    [[maybe_unused]] const uint64_t numbers = opkg::twin::parameters_of(spread, rows, para.n, para.groupSize);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, uint64_t{rows} * para.n),
                     opkg_reads(srcTensor, uint64_t{rows} * para.n),
                     opkg::twin::reads_parameter(scaleTensor, numbers),
                     opkg::twin::reads_parameter(offset, config.hasOffset ? numbers : 0));
    opkg::twin::QuantPlan plan = opkg::twin::quant_plan(opkg::twin::kQuant, dstTensor, srcTensor, rows, para.n);
    plan.group = para.groupSize;
    plan.has_offset = config.hasOffset;
    plan.round_mode = static_cast<int32_t>(config.roundMode);
    opkg::twin::run_quant(plan, spread, scaleTensor, offset);
}
template <typename dstT, typename srcT, typename scaleT, bool isReuseSource, const AscendQuantConfig &config,
          const AscendQuantPolicy &policy, typename O>
__aicore__ inline void AscendQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                   const LocalTensor<uint8_t> &, const LocalTensor<scaleT> &scaleTensor, const O &offset,
                                   const AscendQuantParam &para)
{
    AscendQuant<dstT, srcT, scaleT, isReuseSource, config, policy>(dstTensor, srcTensor, scaleTensor, offset, para);
}

} // namespace AscendC

namespace opkg::twin {

#ifdef OPKG_TWIN_CHECK
// A row of as many rows as it has runs of calCount numbers is written and read as a whole.
inline bool is_runs(const AscendC::DequantParams &p, uint32_t per_block)
{
    return p.m == 1 && p.calCount != 0 && p.calCount % per_block == 0 && p.n % p.calCount == 0;
}
template <typename Dst>
Touched writes_rows(const AscendC::LocalTensor<Dst> &dst, const AscendC::DequantParams &p)
{
    const uint64_t step = (uint64_t{p.n} * sizeof(Dst) + 31) / 32 * 32;
    return is_runs(p, kPerBlock<Dst>) ? opkg_writes_some(dst, p.n)
                                      : opkg_writes_rows(dst, p.m, uint64_t{p.calCount} * sizeof(Dst), step);
}
inline Touched reads_rows(const AscendC::LocalTensor<int32_t> &src, const AscendC::DequantParams &p)
{
    return p.m == 1 ? opkg_reads_some(src, p.n) : opkg_reads_rows(src, p.m, uint64_t{p.calCount} * 4, uint64_t{p.n} * 4);
}
#endif

// Rows of n numbers, of which the first calCount count; the rows of dst are padded to whole blocks.
template <AscendC::DeQuantMode mode, typename Dst, typename S>
void ascend_dequant(const AscendC::LocalTensor<Dst> &dst, const AscendC::LocalTensor<int32_t> &src, const S &scale,
                    AscendC::DequantParams p)
{
    if (mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount != 0 &&
        p.calCount % kPerBlock<Dst> == 0 && p.n % p.calCount == 0) {
        p = {p.n / p.calCount, p.calCount, p.calCount};
    }
    QuantPlan plan = quant_plan(kDequant, dst, src, p.m, p.calCount);
    plan.src_step = p.n;
    plan.dst_step = (p.n + kPerBlock<Dst> - 1) / kPerBlock<Dst> * kPerBlock<Dst>;
    run_quant(plan, Parameter<S>::tensor ? kPerChannel : kPerTensor, scale, 0.0f);
}

template <typename D, typename S>
inline constexpr bool dequant_types =
    (std::is_same<D, half>::value && std::is_same<S, uint64_t>::value) ||
    ((std::is_same<D, float>::value || std::is_same<D, bfloat16_t>::value) &&
     (std::is_same<S, float>::value || std::is_same<S, bfloat16_t>::value));

} // namespace opkg::twin

#define OPKG_ADV_DEQUANT_TYPES(D, S)                                                                                   \
    OPKG_TWIN_REQUIRE("AscendDequant", D, opkg::twin::kNumbers);                                                       \
    static_assert(opkg::twin::dequant_types<D, S>,                                                                     \
                  "AscendDequant: the scale is float or bfloat16_t, uint64_t where the result is half")

namespace AscendC {

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     DequantParams params)
{
    OPKG_ADV_DEQUANT_TYPES(dstT, scaleT);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::writes_rows(dstTensor, params),
                     opkg::twin::reads_rows(srcTensor, params),
                     opkg_reads(deqScale, params.calCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendDequant", sharedTmpBuffer, opkg::adv::kLeastOfElements);
    opkg::twin::ascend_dequant<mode>(dstTensor, srcTensor, deqScale, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, DequantParams params)
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, stack, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
          typename = std::enable_if_t<!opkg::twin::Parameter<scaleT>::tensor>>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const scaleT deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     DequantParams params)
{
    OPKG_ADV_DEQUANT_TYPES(dstT, scaleT);
    OPKG_TWIN_ACCESS(PIPE_V, opkg::twin::writes_rows(dstTensor, params),
                     opkg::twin::reads_rows(srcTensor, params),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendDequant", sharedTmpBuffer, opkg::adv::kLeastOfElements);
    opkg::twin::ascend_dequant<mode>(dstTensor, srcTensor, deqScale, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
          typename = std::enable_if_t<!opkg::twin::Parameter<scaleT>::tensor>>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const scaleT deqScale, DequantParams params)
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, stack, params);
}
// Older forms: rows as long as the scale.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     const uint32_t calCount)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer,
                                      DequantParams{1, srcTensor.GetSize(), calCount});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer, deqScale.GetSize());
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, const uint32_t calCount)
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, stack, calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, deqScale.GetSize());
}
// Of the 950: one scale a row, or a group.
template <typename dstT, typename srcT, typename scaleT, const AscendDeQuantConfig &config,
          const AscendDeQuantPolicy &policy>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                     const LocalTensor<scaleT> &scaleTensor, const LocalTensor<scaleT> &offsetTensor,
                                     const AscendDeQuantParam &para)
{
    static_assert(opkg::twin::wide_chip<dstT>, "AscendDequant of tokens and groups is there on the 950 only");
    static_assert(policy == AscendDeQuantPolicy::PER_TOKEN || policy == AscendDeQuantPolicy::PER_GROUP,
                  "AscendDequant with a policy takes PER_TOKEN or PER_GROUP");
    OPKG_TWIN_REQUIRE("AscendDequant", dstT, opkg::twin::kNumbers);
    constexpr opkg::twin::QuantSpread spread =
        opkg::twin::spread_by_rows(policy == AscendDeQuantPolicy::PER_TOKEN, config.kDim);
    const uint32_t rows = opkg::twin::rows_of(para.m, para.n, para.calCount);
    [[maybe_unused]] const uint64_t numbers = opkg::twin::parameters_of(spread, rows, para.n, para.groupSize);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, uint64_t{rows} * para.n),
                     opkg_reads(srcTensor, uint64_t{rows} * para.n),
                     opkg::twin::reads_parameter(scaleTensor, numbers),
                     opkg::twin::reads_parameter(offsetTensor, 0));
    opkg::twin::QuantPlan plan = opkg::twin::quant_plan(opkg::twin::kDequant, dstTensor, srcTensor, rows, para.n);
    plan.group = para.groupSize;
    opkg::twin::run_quant(plan, spread, scaleTensor, offsetTensor);
}
template <typename dstT, typename srcT, typename scaleT, const AscendDeQuantConfig &config,
          const AscendDeQuantPolicy &policy>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                     const LocalTensor<scaleT> &scaleTensor, const LocalTensor<scaleT> &offsetTensor,
                                     const LocalTensor<uint8_t> &, const AscendDeQuantParam &para)
{
    AscendDequant<dstT, srcT, scaleT, config, policy>(dstTensor, srcTensor, scaleTensor, offsetTensor, para);
}

} // namespace AscendC

namespace opkg::twin {

// src is [k, n], transposed [n, k]; the shape of scale and offset says how many elements of k share one.
template <bool transposed, typename In, typename Out, typename S, typename O>
void ascend_anti_quant(const AscendC::LocalTensor<Out> &dst, const AscendC::LocalTensor<In> &src, const O &offset,
                       const S &scale, bool has_offset, uint32_t k, uint32_t scale_height, uint32_t scale_width,
                       uint32_t scales)
{
    const uint32_t n = k == 0 ? 0 : src.GetSize() / k;
    if (n == 0) {
        return;
    }
    QuantPlan plan = quant_plan(kAntiQuant, dst, src, transposed ? n : k, transposed ? k : n);
    plan.middle_dtype = std::is_same<Out, half>::value && !kWideChip ? kF16 : kF32;
    plan.has_offset = has_offset;
    const uint32_t along = transposed ? (scale_width != 0 ? scale_width : scales / n)
                                      : (scale_height != 0 ? scale_height : scales / n);
    plan.group = along == 0 ? k : k / along;
    const QuantSpread spread = transposed ? kPerColumnGroup : kPerRowGroup;
    run_quant(plan, Parameter<S>::tensor ? spread : kPerTensor, scale, offset);
}

} // namespace opkg::twin

#define OPKG_ADV_ANTI_QUANT_TYPES(In, Out)                                                                             \
    static_assert(std::is_same<In, int8_t>::value || (std::is_same<In, int4b_t>::value && !opkg::twin::kWideChip),      \
                  "AscendAntiQuant takes int8_t, and int4b_t before the 950");                                         \
    OPKG_TWIN_REQUIRE("AscendAntiQuant", Out,                                                                          \
                      opkg::twin::dtypes(opkg::twin::kF16) | opkg::twin::dtypes(opkg::twin::kBF16))

namespace AscendC {

template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<OutputDataType> &offset,
                                       const LocalTensor<OutputDataType> &scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    OPKG_ADV_ANTI_QUANT_TYPES(InputDataType, OutputDataType);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, src.GetSize()),
                     opkg_reads(src, src.GetSize()),
                     opkg_reads(offset, offset.GetSize()),
                     opkg_reads(scale, scale.GetSize()),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendAntiQuant", sharedTmpBuffer, opkg::adv::kBlock);
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, offset, scale, true, k, shapeInfo.scaleHeight,
                                               shapeInfo.scaleWidth, scale.GetSize());
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<OutputDataType> &scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    OPKG_ADV_ANTI_QUANT_TYPES(InputDataType, OutputDataType);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, src.GetSize()),
                     opkg_reads(src, src.GetSize()),
                     opkg_reads(scale, scale.GetSize()),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendAntiQuant", sharedTmpBuffer, opkg::adv::kBlock);
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, 0.0f, scale, false, k, shapeInfo.scaleHeight,
                                               shapeInfo.scaleWidth, scale.GetSize());
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const OutputDataType offset, const OutputDataType scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo & = {})
{
    OPKG_ADV_ANTI_QUANT_TYPES(InputDataType, OutputDataType);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, src.GetSize()),
                     opkg_reads(src, src.GetSize()),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendAntiQuant", sharedTmpBuffer, opkg::adv::kBlock);
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, offset, scale, true, k, 0, 0, 0);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const OutputDataType scale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                       const uint32_t k, const AntiQuantShapeInfo & = {})
{
    OPKG_ADV_ANTI_QUANT_TYPES(InputDataType, OutputDataType);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, src.GetSize()),
                     opkg_reads(src, src.GetSize()),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("AscendAntiQuant", sharedTmpBuffer, opkg::adv::kBlock);
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, 0.0f, scale, false, k, 0, 0, 0);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<OutputDataType> &offset,
                                       const LocalTensor<OutputDataType> &scale, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, stack, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const OutputDataType offset, const OutputDataType scale, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    LocalTensor<uint8_t> stack;
    opkg::twin::stack_buffer(stack);
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, stack, k, shapeInfo);
}
// Of the 950: one scale a row, or a group.
template <typename dstT, typename srcT, typename scaleT, const AscendAntiQuantConfig &config,
          const AscendAntiQuantPolicy &policy>
__aicore__ inline void AscendAntiQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                       const LocalTensor<scaleT> &scaleTensor, const LocalTensor<scaleT> &offsetTensor,
                                       const AscendAntiQuantParam &para)
{
    static_assert(opkg::twin::wide_chip<dstT>, "AscendAntiQuant of tokens and groups is there on the 950 only");
    static_assert(policy == AscendAntiQuantPolicy::PER_TOKEN || policy == AscendAntiQuantPolicy::PER_GROUP,
                  "AscendAntiQuant with a policy takes PER_TOKEN or PER_GROUP");
    static_assert(std::is_same<srcT, int8_t>::value, "AscendAntiQuant takes int8_t");
    constexpr opkg::twin::QuantSpread spread =
        opkg::twin::spread_by_rows(policy == AscendAntiQuantPolicy::PER_TOKEN,
                                   config.isTranspose ? 1 - config.kDim : config.kDim);
    const uint32_t rows = opkg::twin::rows_of(para.m, para.n, para.calCount);
    [[maybe_unused]] const uint64_t numbers = opkg::twin::parameters_of(spread, rows, para.n, para.groupSize);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, uint64_t{rows} * para.n),
                     opkg_reads(srcTensor, uint64_t{rows} * para.n),
                     opkg::twin::reads_parameter(scaleTensor, numbers),
                     opkg::twin::reads_parameter(offsetTensor, config.hasOffset ? numbers : 0));
    opkg::twin::QuantPlan plan = opkg::twin::quant_plan(opkg::twin::kAntiQuant, dstTensor, srcTensor, rows, para.n);
    plan.group = para.groupSize;
    plan.has_offset = config.hasOffset;
    opkg::twin::run_quant(plan, spread, scaleTensor, offsetTensor);
}
template <typename dstT, typename srcT, typename scaleT, const AscendAntiQuantConfig &config,
          const AscendAntiQuantPolicy &policy>
__aicore__ inline void AscendAntiQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                       const LocalTensor<scaleT> &scaleTensor, const LocalTensor<scaleT> &offsetTensor,
                                       const LocalTensor<uint8_t> &, const AscendAntiQuantParam &para)
{
    AscendAntiQuant<dstT, srcT, scaleT, config, policy>(dstTensor, srcTensor, scaleTensor, offsetTensor, para);
}

// The functions of the 950 that know all four ways. Their arithmetic is that of float.
template <const QuantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void Quantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                const ScaleT &scale, const OffsetT &offset, const QuantizeParams &params)
{
    static_assert(opkg::twin::wide_chip<DstT>, "Quantize is there on the 950 only; use AscendQuant");
    static_assert(std::is_same<DstT, int8_t>::value, "Quantize gives int8_t");
    static_assert(opkg::twin::Parameter<ScaleT>::tensor == (config.policy != QuantizePolicy::PER_TENSOR),
                  "Quantize: the scale is a number for PER_TENSOR, else a tensor");
    OPKG_TWIN_REQUIRE("Quantize", SrcT, opkg::twin::on_chip(0, opkg::twin::kNumbers));
    constexpr opkg::twin::QuantSpread spread = opkg::twin::spread_of(config.policy, config.kDim);
    const uint32_t rows = params.m;
    [[maybe_unused]] const uint64_t numbers = opkg::twin::parameters_of(spread, rows, params.n, params.groupSize);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, uint64_t{rows} * params.n),
                     opkg_reads(srcTensor, uint64_t{rows} * params.n),
                     opkg::twin::reads_parameter(scale, numbers),
                     opkg::twin::reads_parameter(offset, config.hasOffset ? numbers : 0));
    opkg::twin::QuantPlan plan = opkg::twin::quant_plan(opkg::twin::kQuant, dstTensor, srcTensor, rows, params.n);
    plan.group = params.groupSize;
    plan.has_offset = config.hasOffset;
    plan.round_mode = static_cast<int32_t>(config.roundMode);
    opkg::twin::run_quant(plan, spread, scale, offset);
}
template <const QuantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void Quantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                const LocalTensor<uint8_t> &, const ScaleT &scale, const OffsetT &offset,
                                const QuantizeParams &params)
{
    Quantize<config>(dstTensor, srcTensor, scale, offset, params);
}

template <const DequantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void Dequantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                  const ScaleT &scale, const OffsetT &offset, const DequantizeParams &params)
{
    static_assert(opkg::twin::wide_chip<DstT>, "Dequantize is there on the 950 only; use AscendDequant");
    static_assert(!config.hasOffset, "Dequantize has no offset");
    static_assert(opkg::twin::Parameter<ScaleT>::tensor == (config.policy != DequantizePolicy::PER_TENSOR),
                  "Dequantize: the scale is a number for PER_TENSOR, else a tensor");
    OPKG_TWIN_REQUIRE("Dequantize", DstT, opkg::twin::on_chip(0, opkg::twin::kNumbers));
    constexpr opkg::twin::QuantSpread spread = opkg::twin::spread_of(config.policy, config.kDim);
    const uint32_t rows = params.m;
    [[maybe_unused]] const uint64_t numbers = opkg::twin::parameters_of(spread, rows, params.n, params.groupSize);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, uint64_t{rows} * params.n),
                     opkg_reads(srcTensor, uint64_t{rows} * params.n),
                     opkg::twin::reads_parameter(scale, numbers),
                     opkg::twin::reads_parameter(offset, 0));
    opkg::twin::QuantPlan plan = opkg::twin::quant_plan(opkg::twin::kDequant, dstTensor, srcTensor, rows, params.n);
    plan.dst_step = (params.n + opkg::twin::kPerBlock<DstT> - 1) / opkg::twin::kPerBlock<DstT> *
                    opkg::twin::kPerBlock<DstT>;
    plan.group = params.groupSize;
    opkg::twin::run_quant(plan, spread, scale, offset);
}
template <const DequantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void Dequantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                  const ScaleT &scale, const OffsetT &offset, const LocalTensor<uint8_t> &,
                                  const DequantizeParams &params)
{
    Dequantize<config>(dstTensor, srcTensor, scale, offset, params);
}

template <const AntiQuantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void AntiQuantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                    const ScaleT &scale, const OffsetT &offset, const AntiQuantizeParams &params)
{
    static_assert(opkg::twin::wide_chip<DstT>, "AntiQuantize is there on the 950 only; use AscendAntiQuant");
    static_assert(std::is_same<SrcT, int8_t>::value, "AntiQuantize takes int8_t");
    static_assert(opkg::twin::Parameter<ScaleT>::tensor == (config.policy != AntiQuantizePolicy::PER_TENSOR),
                  "AntiQuantize: the scale is a number for PER_TENSOR, else a tensor");
    OPKG_TWIN_REQUIRE("AntiQuantize", DstT, opkg::twin::on_chip(0, opkg::twin::kNumbers));
    constexpr opkg::twin::QuantSpread spread = opkg::twin::spread_of(config.policy, config.kDim);
    const uint32_t rows = params.m;
    [[maybe_unused]] const uint64_t numbers = opkg::twin::parameters_of(spread, rows, params.n, params.groupSize);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, uint64_t{rows} * params.n),
                     opkg_reads(srcTensor, uint64_t{rows} * params.n),
                     opkg::twin::reads_parameter(scale, numbers),
                     opkg::twin::reads_parameter(offset, config.hasOffset ? numbers : 0));
    opkg::twin::QuantPlan plan = opkg::twin::quant_plan(opkg::twin::kAntiQuant, dstTensor, srcTensor, rows, params.n);
    plan.group = params.groupSize;
    plan.has_offset = config.hasOffset;
    opkg::twin::run_quant(plan, spread, scale, offset);
}
template <const AntiQuantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void AntiQuantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                    const ScaleT &scale, const OffsetT &offset, const LocalTensor<uint8_t> &,
                                    const AntiQuantizeParams &params)
{
    AntiQuantize<config>(dstTensor, srcTensor, scale, offset, params);
}

} // namespace AscendC

#undef OPKG_ADV_DEQUANT_TYPES
#undef OPKG_ADV_ANTI_QUANT_TYPES

#endif // OPKG_ADV_QUANT_H
