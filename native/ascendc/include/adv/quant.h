// SPDX-License-Identifier: Apache-2.0
// Numbers to int8_t and back, on the Ascend950 to floats of 8 and 4 bits as well.
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
inline constexpr uint32_t kFloats8 = dtypes(kHiF8, kF8E4M3, kF8E5M2);
inline constexpr uint32_t kFloats4 = dtypes(kF4E2M1, kF4E1M2);
#define OPKG_TWIN_NARROW_TYPES                                                                                         \
    " int8_t, on the Ascend950 hifloat8_t and fp8 as well, and fp4 where groups share a scale"
// The narrow types; those of 4 bits with one scale a group only.
constexpr uint32_t quantized(bool grouped)
{
    return on_chip(dtypes(kI8), kFloats8 | (grouped ? kFloats4 : 0));
}

// Scales and offsets are tensors, or one number.
template <typename S>
const void *parameter_data(const AscendC::LocalTensor<S> &numbers) { return numbers.data(); }
template <typename S>
const void *parameter_data(const S &) { return nullptr; }
template <typename S>
float parameter_value(const AscendC::LocalTensor<S> &) { return 0.0f; }
template <typename S>
float parameter_value(const S &number) { return static_cast<float>(number); }

template <typename S>
uint32_t size_of(const AscendC::LocalTensor<S> &numbers) { return numbers.GetSize(); }
template <typename S>
uint32_t size_of(const S &) { return 0; }

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
    using Scale = typename ElementOf<S>::type;
    static_assert(!is_tensor<O> || !is_tensor<S> || std::is_same<Scale, typename ElementOf<O>::type>::value,
                  "scale and offset have the same type");
    plan.spread = spread;
    plan.scale_dtype = DtypeOf<Scale>::value;
    plan.scale = parameter_data(scale);
    plan.scale_value = parameter_value(scale);
    plan.offset = parameter_data(offset);
    plan.offset_value = parameter_value(offset);
    opkg_twin_quant(&plan);
}

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

// A matrix of the functions of the 950.
struct QuantMatrix {
    uint32_t rows;
    uint32_t columns;
    uint32_t group;
    bool has_offset;
    AscendC::RoundMode round_mode = AscendC::RoundMode::CAST_RINT;
    bool padded = false; // rows of dst are filled up to whole blocks
};
template <typename Dst, typename Src, typename S, typename O>
void quant_matrix(const char *function, QuantKind kind, QuantSpread spread, const QuantMatrix &matrix,
                  const AscendC::LocalTensor<Dst> &dst, const AscendC::LocalTensor<Src> &src, const S &scale,
                  const O &offset)
{
    if ((spread == kPerRowGroup || spread == kPerColumnGroup) && matrix.group == 0) {
        opkg_twin_fail("%s: groupSize is 0", function);
    }
    [[maybe_unused]] const uint64_t all = uint64_t{matrix.rows} * matrix.columns;
    [[maybe_unused]] const uint64_t numbers = parameters_of(spread, matrix.rows, matrix.columns, matrix.group);
    OPKG_TWIN_ACCESS_OF(function, PIPE_V, opkg_writes(dst, all), opkg_reads(src, all), reads_source(scale, numbers),
                        reads_source(offset, matrix.has_offset ? numbers : 0));
    QuantPlan plan = quant_plan(kind, dst, src, matrix.rows, matrix.columns);
    if (matrix.padded) {
        plan.dst_step = (matrix.columns + kPerBlock<Dst> - 1) / kPerBlock<Dst> * kPerBlock<Dst>;
    }
    plan.group = matrix.group;
    plan.has_offset = matrix.has_offset;
    plan.round_mode = static_cast<int32_t>(matrix.round_mode);
    run_quant(plan, spread, scale, offset);
}

// AscendQuant of rows of `channels` numbers, which to int8_t has the arithmetic of half. What the configuration says goes
// first.
template <const AscendC::AscendQuantConfig &config, typename D, typename T, typename S, typename O>
void ascend_quant(const AscendC::LocalTensor<D> &dst, const AscendC::LocalTensor<T> &src,
                  const AscendC::LocalTensor<uint8_t> &buffer, const S &scale, const O &offset, uint32_t channels,
                  uint32_t numbers)
{
    OPKG_TWIN_REQUIRE("AscendQuant", T, kQuantSource);
    static_assert(has_dtype<D>(quantized(false)), "AscendQuant gives" OPKG_TWIN_NARROW_TYPES);
    const uint32_t count = config.calcCount != 0 ? config.calcCount : numbers;
    const uint32_t columns = !is_tensor<S> ? count : config.scaleCount != 0 ? config.scaleCount : channels;
    OPKG_TWIN_ACCESS_OF("AscendQuant", PIPE_V, opkg_writes(dst, count), opkg_reads(src, count),
                        reads_source(scale, columns), reads_source(offset, columns),
                        opkg_scratch(buffer, own_bytes(buffer)));
    need_shared("AscendQuant", buffer);
    if (columns == 0) {
        return;
    }
    QuantPlan plan = quant_plan(kQuant, dst, src, count / columns, columns);
    plan.middle_dtype = is_small_float<D> ? kF32 : kF16;
    plan.round_mode = static_cast<int32_t>(config.roundMode);
    plan.has_offset = 1;
    run_quant(plan, is_tensor<S> ? kPerChannel : kPerTensor, scale, offset);
}
// counts: of the scales, of the offsets, of the numbers, as far as a call has them.
template <typename D, typename T, typename S, typename O, typename... Counts>
void ascend_quant_by_type(const AscendC::LocalTensor<D> &dst, const AscendC::LocalTensor<T> &src,
                          const AscendC::LocalTensor<uint8_t> &buffer, const S &scale, const O &offset, Counts... counts)
{
    const uint32_t given[] = {src.GetSize(), static_cast<uint32_t>(counts)...};
    constexpr size_t last = sizeof...(counts);
    ascend_quant<AscendC::ASCEND_QUANT_DEFAULT_CFG>(dst, src, buffer, scale, offset, last > 1 ? given[1] : size_of(scale),
                                                    given[last]);
}

} // namespace opkg::twin

namespace AscendC {

// One scale and offset for all.
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const float scale, const float offset,
                                   const uint32_t calCount)
{
    opkg::twin::ascend_quant<config>(dstTensor, srcTensor, sharedTmpBuffer, scale, offset, 0, calCount);
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
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
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
    opkg::twin::ascend_quant<config>(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offset, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const LocalTensor<T> &scaleTensor,
                                   const LocalTensor<T> &offsetTensor, const uint32_t scaleCount,
                                   const uint32_t /* offsetCount */, const uint32_t calCount)
{
    opkg::twin::ascend_quant<config>(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offsetTensor, scaleCount,
                                     calCount);
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
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, stack, scaleTensor, offset, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>
__aicore__ inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
                                   const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor,
                                   const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
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

template <typename dstT, typename srcT, bool isReuseSource = false, typename S, typename O, typename... Counts,
          typename = std::enable_if_t<opkg::twin::is_small_float<dstT>>>
__aicore__ inline void AscendQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                   const LocalTensor<uint8_t> &sharedTmpBuffer, const S &scale, const O &offset,
                                   const Counts &...counts)
{
    opkg::twin::ascend_quant_by_type(dstTensor, srcTensor, sharedTmpBuffer, scale, offset, counts...);
}
template <typename dstT, typename srcT, bool isReuseSource = false, typename S, typename O, typename... Counts,
          typename = std::enable_if_t<opkg::twin::is_small_float<dstT>>, typename = void>
__aicore__ inline void AscendQuant(const LocalTensor<dstT> &dstTensor, const LocalTensor<srcT> &srcTensor,
                                   const S &scale, const O &offset, const Counts &...counts)
{
    opkg::twin::ascend_quant_by_type(dstTensor, srcTensor, opkg::twin::stack_buffer(), scale, offset, counts...);
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
    static_assert(opkg::twin::has_dtype<dstT>(opkg::twin::quantized(policy == AscendQuantPolicy::PER_GROUP)),
                  "AscendQuant gives" OPKG_TWIN_NARROW_TYPES);
    constexpr opkg::twin::QuantSpread spread =
        opkg::twin::spread_by_rows(policy == AscendQuantPolicy::PER_TOKEN, config.kDim);
    opkg::twin::quant_matrix("AscendQuant", opkg::twin::kQuant, spread,
                             {opkg::twin::rows_of(para.m, para.n, para.calCount), para.n, para.groupSize,
                              config.hasOffset && !opkg::twin::is_half_byte<dstT>, config.roundMode},
                             dstTensor, srcTensor, scaleTensor, offset);
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

template <typename D, typename S>
inline constexpr bool dequant_types =
    (std::is_same<D, half>::value && std::is_same<S, uint64_t>::value) ||
    ((std::is_same<D, float>::value || std::is_same<D, bfloat16_t>::value) &&
     (std::is_same<S, float>::value || std::is_same<S, bfloat16_t>::value));

// Rows of n numbers, of which the first calCount count; the rows of dst are padded to whole blocks.
template <AscendC::DeQuantMode mode, typename Dst, typename S>
void ascend_dequant(const AscendC::LocalTensor<Dst> &dst, const AscendC::LocalTensor<int32_t> &src, const S &scale,
                    const AscendC::LocalTensor<uint8_t> &buffer, AscendC::DequantParams p)
{
    OPKG_TWIN_REQUIRE("AscendDequant", Dst, kNumbers);
    static_assert(dequant_types<Dst, typename ElementOf<S>::type>,
                  "AscendDequant: the scale is float or bfloat16_t, uint64_t where the result is half");
    OPKG_TWIN_ACCESS_OF("AscendDequant", PIPE_V, writes_rows(dst, p), reads_rows(src, p),
                        reads_source(scale, p.calCount), opkg_scratch(buffer, own_bytes(buffer)));
    need_shared("AscendDequant", buffer);
    if (mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount != 0 &&
        p.calCount % kPerBlock<Dst> == 0 && p.n % p.calCount == 0) {
        p = {p.n / p.calCount, p.calCount, p.calCount};
    }
    QuantPlan plan = quant_plan(kDequant, dst, src, p.m, p.calCount);
    plan.src_step = p.n;
    plan.dst_step = (p.n + kPerBlock<Dst> - 1) / kPerBlock<Dst> * kPerBlock<Dst>;
    run_quant(plan, is_tensor<S> ? kPerChannel : kPerTensor, scale, 0.0f);
}

} // namespace opkg::twin

namespace AscendC {

template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     DequantParams params)
{
    opkg::twin::ascend_dequant<mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const LocalTensor<scaleT> &deqScale, DequantParams params)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, stack, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
          typename = std::enable_if_t<!opkg::twin::is_tensor<scaleT>>>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const scaleT deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                     DequantParams params)
{
    opkg::twin::ascend_dequant<mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer, params);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW,
          typename = std::enable_if_t<!opkg::twin::is_tensor<scaleT>>>
__aicore__ inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
                                     const scaleT deqScale, DequantParams params)
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
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
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
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
    opkg::twin::quant_matrix("AscendDequant", opkg::twin::kDequant, spread,
                             {opkg::twin::rows_of(para.m, para.n, para.calCount), para.n, para.groupSize, false},
                             dstTensor, srcTensor, scaleTensor, offsetTensor);
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

// What AscendAntiQuant takes beside the 950's types, and gives; the 310P has int8_t and half alone.
inline constexpr bool kLarge = __NPU_ARCH__ != 2002;
inline constexpr uint32_t kAntiQuantSource = dtypes(kI8) | (kLarge ? dtypes(kI4) : 0);
inline constexpr uint32_t kAntiQuantResult = dtypes(kF16) | (kLarge ? dtypes(kBF16) : 0);

// src is [k, n], transposed [n, k]; the shape of scale and offset says how many elements of k share one.
template <bool transposed, typename In, typename Out, typename S, typename O>
void ascend_anti_quant(const AscendC::LocalTensor<Out> &dst, const AscendC::LocalTensor<In> &src, const O &offset,
                       const S &scale, bool has_offset, const AscendC::LocalTensor<uint8_t> &buffer, uint32_t k,
                       const AscendC::AntiQuantShapeInfo &shape)
{
    static_assert(has_dtype<In>(kWideChip ? quantized(std::is_same<S, AscendC::LocalTensor<fp8_e8m0_t>>::value)
                                          : kAntiQuantSource),
                  "AscendAntiQuant takes int4b_t on the Ascend910B, and" OPKG_TWIN_NARROW_TYPES);
    OPKG_TWIN_REQUIRE("AscendAntiQuant", Out, kAntiQuantResult);
    OPKG_TWIN_ACCESS_OF("AscendAntiQuant", PIPE_V, opkg_writes(dst, src.GetSize()), opkg_reads(src, src.GetSize()),
                        reads_source(offset, size_of(offset)), reads_source(scale, size_of(scale)),
                        opkg_scratch(buffer, own_bytes(buffer)));
    need_shared("AscendAntiQuant", buffer, adv::kBlock);
    const uint32_t n = k == 0 ? 0 : src.GetSize() / k;
    if (n == 0) {
        return;
    }
    QuantPlan plan = quant_plan(kAntiQuant, dst, src, transposed ? n : k, transposed ? k : n);
    plan.middle_dtype = std::is_same<Out, half>::value && !kWideChip ? kF16 : kF32;
    plan.has_offset = has_offset;
    const uint32_t given = transposed ? shape.scaleWidth : shape.scaleHeight;
    const uint32_t along = given != 0 ? given : size_of(scale) / n;
    plan.group = along == 0 ? k : k / along;
    if (plan.group == 0) {
        opkg_twin_fail("AscendAntiQuant: %u scales along an axis of %u elements", along, k);
    }
    const QuantSpread spread = transposed ? kPerColumnGroup : kPerRowGroup;
    run_quant(plan, is_tensor<S> ? spread : kPerTensor, scale, offset);
}

} // namespace opkg::twin

namespace AscendC {

template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<OutputDataType> &offset,
                                       const LocalTensor<OutputDataType> &scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, offset, scale, true, sharedTmpBuffer, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<OutputDataType> &scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, 0.0f, scale, false, sharedTmpBuffer, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const OutputDataType offset, const OutputDataType scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo & = {})
{
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, offset, scale, true, sharedTmpBuffer, k, {});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const OutputDataType scale, const LocalTensor<uint8_t> &sharedTmpBuffer,
                                       const uint32_t k, const AntiQuantShapeInfo & = {})
{
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, 0.0f, scale, false, sharedTmpBuffer, k, {});
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<OutputDataType> &offset,
                                       const LocalTensor<OutputDataType> &scale, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, stack, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const OutputDataType offset, const OutputDataType scale, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, stack, k, shapeInfo);
}
// Of the 950: floats of 4 bits, of which a group shares a power of two.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<fp8_e8m0_t> &scale,
                                       const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    opkg::twin::ascend_anti_quant<isTranspose>(dst, src, 0.0f, scale, false, sharedTmpBuffer, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
__aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
                                       const LocalTensor<fp8_e8m0_t> &scale, const uint32_t k,
                                       const AntiQuantShapeInfo &shapeInfo = {})
{
    LocalTensor<uint8_t> stack = opkg::twin::stack_buffer();
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, scale, stack, k, shapeInfo);
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
    static_assert(opkg::twin::has_dtype<srcT>(opkg::twin::quantized(policy == AscendAntiQuantPolicy::PER_GROUP)),
                  "AscendAntiQuant takes" OPKG_TWIN_NARROW_TYPES);
    constexpr opkg::twin::QuantSpread spread =
        opkg::twin::spread_by_rows(policy == AscendAntiQuantPolicy::PER_TOKEN,
                                   config.isTranspose ? 1 - config.kDim : config.kDim);
    opkg::twin::quant_matrix("AscendAntiQuant", opkg::twin::kAntiQuant, spread,
                             {opkg::twin::rows_of(para.m, para.n, para.calCount), para.n, para.groupSize,
                              config.hasOffset && !opkg::twin::is_half_byte<srcT>},
                             dstTensor, srcTensor, scaleTensor, offsetTensor);
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
    static_assert(opkg::twin::has_dtype<DstT>(opkg::twin::quantized(config.policy == QuantizePolicy::PER_GROUP)),
                  "Quantize gives" OPKG_TWIN_NARROW_TYPES);
    static_assert(opkg::twin::is_tensor<ScaleT> == (config.policy != QuantizePolicy::PER_TENSOR),
                  "Quantize: the scale is a number for PER_TENSOR, else a tensor");
    OPKG_TWIN_REQUIRE("Quantize", SrcT, opkg::twin::on_chip(0, opkg::twin::kNumbers));
    opkg::twin::quant_matrix("Quantize", opkg::twin::kQuant, opkg::twin::spread_of(config.policy, config.kDim),
                             {params.m, params.n, params.groupSize,
                              config.hasOffset && !opkg::twin::is_half_byte<DstT>, config.roundMode},
                             dstTensor, srcTensor, scale, offset);
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
    static_assert(opkg::twin::is_tensor<ScaleT> == (config.policy != DequantizePolicy::PER_TENSOR),
                  "Dequantize: the scale is a number for PER_TENSOR, else a tensor");
    OPKG_TWIN_REQUIRE("Dequantize", DstT, opkg::twin::on_chip(0, opkg::twin::kNumbers));
    opkg::twin::quant_matrix("Dequantize", opkg::twin::kDequant, opkg::twin::spread_of(config.policy, config.kDim),
                             {params.m, params.n, params.groupSize, false, RoundMode::CAST_RINT, true}, dstTensor,
                             srcTensor, scale, offset);
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
    static_assert(opkg::twin::has_dtype<SrcT>(opkg::twin::quantized(config.policy == AntiQuantizePolicy::PER_GROUP)),
                  "AntiQuantize takes" OPKG_TWIN_NARROW_TYPES);
    static_assert(opkg::twin::is_tensor<ScaleT> == (config.policy != AntiQuantizePolicy::PER_TENSOR),
                  "AntiQuantize: the scale is a number for PER_TENSOR, else a tensor");
    OPKG_TWIN_REQUIRE("AntiQuantize", DstT, opkg::twin::on_chip(0, opkg::twin::kNumbers));
    opkg::twin::quant_matrix("AntiQuantize", opkg::twin::kAntiQuant, opkg::twin::spread_of(config.policy, config.kDim),
                             {params.m, params.n, params.groupSize,
                              config.hasOffset && !opkg::twin::is_half_byte<SrcT>},
                             dstTensor, srcTensor, scale, offset);
}
template <const AntiQuantizeConfig &config, typename DstT, typename SrcT, typename ScaleT, typename OffsetT>
__aicore__ inline void AntiQuantize(const LocalTensor<DstT> &dstTensor, const LocalTensor<SrcT> &srcTensor,
                                    const ScaleT &scale, const OffsetT &offset, const LocalTensor<uint8_t> &,
                                    const AntiQuantizeParams &params)
{
    AntiQuantize<config>(dstTensor, srcTensor, scale, offset, params);
}

} // namespace AscendC

#endif // OPKG_ADV_QUANT_H
