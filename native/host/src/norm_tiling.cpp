// SPDX-License-Identifier: Apache-2.0
#include "adv/norm_tiling.h"

#include <cstring>

#include "opkg/adv/norm_sizes.h"

namespace opkg::host {
namespace {

// Temporary memory in units of the input, for functions of elements.
constexpr uint32_t kGeluLive = 3;
constexpr uint32_t kGatedLive = 4;
constexpr uint32_t kSigmoidLive = 1;
constexpr uint32_t kQuantLive = 2;

uint32_t Number(int64_t value) { return value > 0 ? static_cast<uint32_t>(value) : 0; }

uint32_t Elements(const ge::Shape &shape) { return Number(shape.GetShapeSize()); }

uint32_t LastDim(const ge::Shape &shape)
{
    return shape.GetDimNum() == 0 ? 0 : Number(shape.GetDim(shape.GetDimNum() - 1));
}

// A shape as a matrix: its last axis, and all others together.
struct Matrix {
    explicit Matrix(const ge::Shape &shape)
        : columns(LastDim(shape)), rows(columns == 0 ? 0 : Elements(shape) / columns)
    {
    }
    uint32_t columns;
    uint32_t rows;
};

// [B, S, H], or [B, S, H, H before padding].
struct Bsh {
    explicit Bsh(const ge::Shape &shape)
        : b(Number(shape.GetDim(0))), s(Number(shape.GetDim(1))), h(Number(shape.GetDim(2))),
          original(shape.GetDimNum() > 3 ? Number(shape.GetDim(3)) : h)
    {
    }
    uint32_t rows() const { return b * s; }
    uint32_t b;
    uint32_t s;
    uint32_t h;
    uint32_t original;
};

void RowSizes(uint32_t rows, uint32_t columns, uint32_t &most, uint32_t &least)
{
    least = adv::least_of_rows(columns);
    most = adv::most_of_rows(rows, columns);
}

void ElementSizes(const ge::Shape &shape, uint32_t type_size, uint32_t live, uint32_t &most, uint32_t &least)
{
    least = adv::kLeastOfElements;
    most = adv::most_of_elements(Elements(shape), type_size, live);
}

// The class whose bytes are those of the plain struct.
template <typename Class, typename Plain> void Load(Class &to, const Plain &from)
{
    static_assert(std::is_trivially_copyable<Plain>::value, "a plain struct of numbers");
    to.Load(&from, sizeof(from));
}

// What the tilings of normalisations say alike about splitting rows.
template <typename Tiling> void SplitRows(Tiling &t, uint32_t rows, uint32_t columns, uint32_t space)
{
    const uint32_t once = adv::rows_within(rows, columns, space);
    t.inputXSize = rows * columns;
    t.meanVarSize = rows;
    t.numberOfTmpBuf = 1;
    t.tmpBufSize = space / sizeof(float);
    t.oneTmpSize = once * columns;
    t.loopRound = rows / once;
    t.inputRoundSize = once * columns;
    t.inputTailSize = rows % once * columns;
    t.inputTailPos = t.inputXSize - t.inputTailSize;
    t.meanVarRoundSize = once;
    t.meanVarTailSize = rows % once;
    t.meanVarTailPos = rows - rows % once;
}

float Reciprocal(uint32_t value) { return value == 0 ? 0.0f : 1.0f / static_cast<float>(value); }

// B * S a multiple of 8, H of 64, and not longer than a limit.
bool IsBasicBlock(uint32_t rows, uint32_t columns, uint32_t limit)
{
    return rows % 8 == 0 && columns % 64 == 0 && columns <= limit;
}

template <typename Tiling> Tiling LayerNormTilingOf(const Bsh &shape, uint32_t space)
{
    Tiling t{};
    SplitRows(t, shape.rows(), shape.h, space);
    t.bLength = shape.b;
    t.sLength = shape.s;
    t.hLength = shape.h;
    t.originalHLength = shape.original;
    t.bshCurLength = t.oneTmpSize;
    t.bsCurLength = t.meanVarRoundSize;
    t.lastDimValueBack = Reciprocal(shape.original);
    return t;
}

} // namespace
} // namespace opkg::host

namespace AscendC {

using namespace opkg::host;
namespace adv = opkg::adv;

#define OPKG_SOFTMAX_SIZES(Name, ...) \
    uint32_t Get##Name##MaxTmpSize(const TensorShape &srcShape, __VA_ARGS__) \
    { \
        const Matrix m(srcShape); \
        return adv::most_of_rows(m.rows, m.columns); \
    } \
    uint32_t Get##Name##MinTmpSize(const TensorShape &srcShape, __VA_ARGS__) \
    { \
        return adv::least_of_rows(Matrix(srcShape).columns); \
    }
OPKG_SOFTMAX_SIZES(SoftMax, uint32_t, bool)
OPKG_SOFTMAX_SIZES(SoftMaxFlash, uint32_t, bool, bool)
OPKG_SOFTMAX_SIZES(SoftMaxFlashV2, uint32_t, uint32_t, bool, bool, bool)
OPKG_SOFTMAX_SIZES(SoftMaxGrad, uint32_t, bool, bool)
OPKG_SOFTMAX_SIZES(LogSoftMax, uint32_t, bool)
#undef OPKG_SOFTMAX_SIZES

void SoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                       tiling::SoftMaxTiling &softmaxTiling)
{
    const Matrix m(srcShape);
    softmaxTiling = adv::softmax_tiling(m.rows, m.columns, dataTypeSize, localWorkSpaceSize);
}
void SoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                       optiling::SoftMaxTiling &softmaxTiling)
{
    tiling::SoftMaxTiling plain;
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, plain);
    Load(softmaxTiling, plain);
}
void SoftMaxFlashTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                            tiling::SoftMaxTiling &softmaxFlashTiling, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, softmaxFlashTiling);
}
void SoftMaxFlashTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                            optiling::SoftMaxTiling &softmaxFlashTiling, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, softmaxFlashTiling);
}
void SoftMaxFlashV2TilingFunc(const TensorShape &srcShape, uint32_t, uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              tiling::SoftMaxTiling &softmaxFlashTiling, bool, bool, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize2, localWorkSpaceSize, softmaxFlashTiling);
}
void SoftMaxFlashV2TilingFunc(const TensorShape &srcShape, uint32_t, uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              optiling::SoftMaxTiling &softmaxFlashTiling, bool, bool, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize2, localWorkSpaceSize, softmaxFlashTiling);
}
void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape &srcShape, uint32_t, uint32_t, uint32_t &maxValue,
                                    uint32_t &minValue, bool, bool)
{
    const Matrix m(srcShape);
    RowSizes(m.rows, m.columns, maxValue, minValue);
}
void SoftMaxFlashV3TilingFunc(const TensorShape &srcShape, uint32_t, uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              tiling::SoftMaxTiling &softmaxFlashV3Tiling, bool, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize2, localWorkSpaceSize, softmaxFlashV3Tiling);
}
void SoftMaxFlashV3TilingFunc(const TensorShape &srcShape, uint32_t, uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,
                              optiling::SoftMaxTiling &softmaxFlashV3Tiling, bool, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize2, localWorkSpaceSize, softmaxFlashV3Tiling);
}
void SoftMaxGradTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                           tiling::SoftMaxTiling &softmaxGradTiling, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, softmaxGradTiling);
}
void SoftMaxGradTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                           optiling::SoftMaxTiling &softmaxGradTiling, bool)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, softmaxGradTiling);
}
void LogSoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                          tiling::LogSoftMaxTiling &softmaxTiling)
{
    const Matrix m(srcShape);
    softmaxTiling = adv::softmax_tiling<tiling::LogSoftMaxTiling>(m.rows, m.columns, dataTypeSize, localWorkSpaceSize);
}
void LogSoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                          optiling::LogSoftMaxTiling &softmaxTiling)
{
    tiling::LogSoftMaxTiling plain;
    LogSoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, plain);
    Load(softmaxTiling, plain);
}

bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling &tiling, uint32_t dataTypeSize)
{
    return IsBasicBlock(tiling.srcM, tiling.srcK, 2047) && tiling.srcK * dataTypeSize >= adv::kRepeat &&
           tiling.splitM % 8 == 0 && tiling.tailM % 8 == 0;
}
bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling &tiling, uint32_t dataTypeSize)
{
    tiling::SoftMaxTiling plain;
    tiling.SaveToBuffer(&plain, sizeof(plain));
    return IsBasicBlockInSoftMax(plain, dataTypeSize);
}

uint32_t GetGeluMaxTmpSize(const TensorShape &srcShape, uint32_t typeSize)
{
    return adv::most_of_elements(Elements(srcShape), typeSize, kGeluLive);
}
uint32_t GetGeluMinTmpSize(const TensorShape &, uint32_t) { return adv::kLeastOfElements; }
void GetGeluMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue)
{
    ElementSizes(srcShape, typeSize, kGeluLive, maxValue, minValue);
}
void GetGeGLUMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool, uint32_t &maxValue, uint32_t &minValue)
{
    ElementSizes(srcShape, typeSize, kGatedLive, maxValue, minValue);
}
void GetGeGLUTmpBufferFactorSize(uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    maxLiveNodeCount = kGatedLive;
    extraBuf = 0;
}
void GetReGluMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool, uint32_t &maxValue, uint32_t &minValue)
{
    ElementSizes(srcShape, typeSize, kGatedLive, maxValue, minValue);
}
void GetSigmoidMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool, uint32_t &maxValue, uint32_t &minValue)
{
    ElementSizes(srcShape, typeSize, kSigmoidLive, maxValue, minValue);
}
void GetSiluTmpSize(const TensorShape &, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = 0;
}
void GetSwishTmpSize(const TensorShape &, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = 0;
}
void GetSwiGLUMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue, bool)
{
    ElementSizes(srcShape, typeSize, kGatedLive, maxValue, minValue);
}
void GetSwiGLUTmpBufferFactorSize(uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer)
{
    maxLiveNodeCount = kGatedLive;
    extraBuffer = 0;
}

void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
    const Bsh shape(srcShape);
    RowSizes(shape.rows(), shape.h, maxValue, minValue);
}
void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t, bool, bool, bool, uint32_t &maxValue,
                               uint32_t &minValue)
{
    const Matrix m(srcShape);
    RowSizes(m.rows, m.columns, maxValue, minValue);
}
void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t, bool,
                              tiling::LayerNormTiling &tiling)
{
    tiling = LayerNormTilingOf<tiling::LayerNormTiling>(Bsh(srcShape), stackBufferSize);
}
void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                              bool isReuseSource, optiling::LayerNormTiling &tiling)
{
    tiling::LayerNormTiling plain;
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, plain);
    Load(tiling, plain);
}
void GetLayerNormNDTillingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                               bool isReuseSource, optiling::LayerNormTiling &tilling)
{
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}
void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t, bool, bool,
                              tiling::LayerNormSeparateTiling &tiling)
{
    const Matrix m(srcShape);
    tiling = {};
    SplitRows(tiling, m.rows, m.columns, stackBufferSize);
    uint32_t power = 1;
    while (power * 2 <= m.columns) {
        power *= 2;
    }
    tiling.aLength = m.rows;
    tiling.rLength = m.columns;
    tiling.rHeadLength = power;
    tiling.k2Rec = Reciprocal(power);
    tiling.k2RRec = static_cast<float>(power) * Reciprocal(m.columns);
    tiling.arCurLength = tiling.oneTmpSize;
    tiling.aCurLength = tiling.meanVarRoundSize;
    tiling.rValueBack = Reciprocal(m.columns);
}
void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                              bool isReuseSource, bool isComputeRstd, optiling::LayerNormSeparateTiling &tiling)
{
    tiling::LayerNormSeparateTiling plain;
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, isComputeRstd, plain);
    Load(tiling, plain);
}

void GetLayerNormGradMaxMinTmpSize(const TensorShape &srcShape, uint32_t, bool, uint32_t &maxValue, uint32_t &minValue)
{
    const Bsh shape(srcShape);
    RowSizes(shape.rows(), shape.h, maxValue, minValue);
}
void GetLayerNormGradNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize, bool,
                                  tiling::LayerNormGradTiling &tiling)
{
    const Bsh shape(srcShape);
    const uint32_t once = adv::rows_within(shape.rows(), shape.h, stackBufferSize * (typeSize == 0 ? 1 : typeSize));
    tiling = {};
    tiling.stackBufferSize = stackBufferSize;
    tiling.bLength = shape.b;
    tiling.sLength = shape.s;
    tiling.hLength = shape.h;
    tiling.originalHLength = shape.original;
    tiling.oneCalSize = once * shape.h;
    tiling.nohCalSize = once;
    tiling.loopNum = shape.rows() / once;
    tiling.tailSize = shape.rows() % once * shape.h;
    tiling.nohTailSize = shape.rows() % once;
    const float back = Reciprocal(shape.original);
    const float twice = 2.0f * back;
    std::memcpy(&tiling.lastDimValueBack, &back, sizeof(back));
    std::memcpy(&tiling.lastDimValueBackMulTwo, &twice, sizeof(twice));
}
void GetLayerNormGradNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                  bool isReuseSource, optiling::LayerNormGradTiling &tiling)
{
    tiling::LayerNormGradTiling plain;
    GetLayerNormGradNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, plain);
    Load(tiling, plain);
}
void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape &srcShape, uint32_t, bool, uint32_t &maxValue,
                                       uint32_t &minValue)
{
    const Bsh shape(srcShape);
    RowSizes(shape.rows(), shape.h, maxValue, minValue);
}
void GetLayerNormGradBetaNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize, bool,
                                      tiling::LayerNormGradBetaTiling &tiling)
{
    const Bsh shape(srcShape);
    const uint32_t once = adv::rows_within(shape.rows(), shape.h, stackBufferSize * (typeSize == 0 ? 1 : typeSize));
    tiling = {};
    tiling.stackBufferSize = stackBufferSize;
    tiling.bLength = shape.b;
    tiling.sLength = shape.s;
    tiling.hLength = shape.h;
    tiling.originalHLength = shape.original;
    tiling.bshLength = shape.rows() * shape.h;
    tiling.bsLength = shape.rows();
    tiling.oneCalSize = once * shape.h;
    tiling.numberOfTmpBuf = 1;
    tiling.loopRound = shape.rows() / once;
    tiling.bsTailSize = shape.rows() % once;
    tiling.inputTailSize = tiling.bsTailSize * shape.h;
    tiling.inputTailPos = tiling.bshLength - tiling.inputTailSize;
    tiling.bshCurLength = once * shape.h;
    tiling.bsCurLength = once;
}
void GetLayerNormGradBetaNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                      bool isReuseSource, optiling::LayerNormGradBetaTiling &tiling)
{
    tiling::LayerNormGradBetaTiling plain;
    GetLayerNormGradBetaNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, plain);
    Load(tiling, plain);
}

void GetNormalizeMaxMinTmpSize(const TensorShape &srcShape, uint32_t, uint32_t, bool, bool, bool, uint32_t &maxValue,
                               uint32_t &minValue)
{
    const Matrix m(srcShape);
    RowSizes(m.rows, m.columns, maxValue, minValue);
}

bool GetRmsNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t, uint32_t &maxValue, uint32_t &minValue,
                             bool isBasicBlock)
{
    const Bsh shape(srcShape);
    RowSizes(shape.rows(), shape.h, maxValue, minValue);
    return !isBasicBlock || IsBasicBlock(shape.rows(), shape.h, 2047);
}
bool GetRmsNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape, uint32_t stackBufferByteSize,
                          uint32_t, tiling::RmsNormTiling &tiling, bool isBasicBlock)
{
    const Bsh shape(srcShape);
    const uint32_t original = Bsh(originSrcShape).h;
    const uint32_t once = adv::rows_within(shape.rows(), shape.h, stackBufferByteSize);
    if (shape.rows() == 0 || shape.h == 0 || original > shape.h ||
        (isBasicBlock && !IsBasicBlock(shape.rows(), shape.h, 2047))) {
        return false;
    }
    tiling = {};
    tiling.bLength = shape.b;
    tiling.sLength = shape.s;
    tiling.hLength = shape.h;
    tiling.originalHLength = original;
    tiling.reciprocalOfHLength = Reciprocal(original);
    tiling.mainBshLength = once * shape.h;
    tiling.mainBsLength = once;
    tiling.mainBsLengthAlign = (once + 7) / 8 * 8;
    tiling.loopRound = shape.rows() / once;
    tiling.tailBsLength = shape.rows() % once;
    tiling.tailBshLength = tiling.tailBsLength * shape.h;
    tiling.inputTailPos = shape.rows() * shape.h - tiling.tailBshLength;
    return true;
}
bool GetRmsNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape, uint32_t stackBufferByteSize,
                          uint32_t typeSize, optiling::RmsNormTiling &tiling, bool isBasicBlock)
{
    tiling::RmsNormTiling plain;
    const bool made = GetRmsNormTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, plain, isBasicBlock);
    Load(tiling, plain);
    return made;
}

// The longest row that DeepNorm takes.
static constexpr uint32_t kDeepest = 2040;

bool GetDeepNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t, bool, bool isBasicBlock, uint32_t &maxValue,
                              uint32_t &minValue)
{
    const Bsh shape(srcShape);
    RowSizes(shape.rows(), shape.h, maxValue, minValue);
    return shape.h <= kDeepest && (!isBasicBlock || IsBasicBlock(shape.rows(), shape.h, kDeepest));
}
bool GetDeepNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape, uint32_t stackBufferSize,
                           uint32_t, bool, bool isBasicBlock, tiling::DeepNormTiling &tiling)
{
    Bsh shape(srcShape);
    shape.original = Bsh(originSrcShape).h;
    if (shape.rows() == 0 || shape.h == 0 || shape.h > kDeepest || shape.original == 0 || shape.original > shape.h ||
        (isBasicBlock && (shape.original != shape.h || !IsBasicBlock(shape.rows(), shape.h, kDeepest)))) {
        return false;
    }
    tiling = LayerNormTilingOf<tiling::DeepNormTiling>(shape, stackBufferSize);
    return true;
}
bool GetDeepNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape, uint32_t stackBufferSize,
                           uint32_t typeSize, bool isReuseSource, bool isBasicBlock, optiling::DeepNormTiling &tiling)
{
    tiling::DeepNormTiling plain;
    const bool made = GetDeepNormTilingInfo(srcShape, originSrcShape, stackBufferSize, typeSize, isReuseSource,
                                            isBasicBlock, plain);
    Load(tiling, plain);
    return made;
}

bool GetBatchNormMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &originSrcShape, uint32_t typeSize, bool,
                               uint32_t &maxValue, uint32_t &minValue, bool isBasicBlock)
{
    ElementSizes(srcShape, sizeof(float), 2, maxValue, minValue);
    const Bsh shape(srcShape);
    const uint32_t columns = shape.s * shape.h;
    return columns * typeSize % adv::kBlock == 0 &&
           (!isBasicBlock || IsBasicBlock(Bsh(originSrcShape).b, columns, 2047));
}
bool GetBatchNormNDTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool, tiling::BatchNormTiling &tilling,
                              bool isBasicBlock)
{
    const Bsh shape(srcShape);
    const uint32_t samples = Bsh(originSrcShape).b;
    const uint32_t columns = shape.s * shape.h;
    if (samples == 0 || columns == 0 || columns * typeSize % adv::kBlock != 0 ||
        (isBasicBlock && !IsBasicBlock(samples, columns, 2047))) {
        return false;
    }
    tilling = {};
    tilling.originalBLength = samples;
    tilling.meanVarSize = columns;
    tilling.tmpBufSize = stackBufferByteSize / sizeof(float);
    tilling.oneTmpSize = samples * columns;
    tilling.loopRound = 1;
    tilling.bshCurLength = samples * columns;
    tilling.shCurLength = columns;
    tilling.firstDimValueBack = Reciprocal(samples);
    tilling.shCurLengthBlockNum = columns * typeSize / adv::kBlock;
    return true;
}
bool GetBatchNormNDTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                              optiling::BatchNormTiling &tilling, bool isBasicBlock)
{
    tiling::BatchNormTiling plain;
    const bool made = GetBatchNormNDTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, isReuseSource,
                                               plain, isBasicBlock);
    Load(tilling, plain);
    return made;
}

void GetGroupNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t, bool, uint32_t, uint32_t &maxValue,
                               uint32_t &minValue)
{
    ElementSizes(srcShape, sizeof(float), 2, maxValue, minValue);
}
void GetGroupNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize, bool,
                              uint32_t groupNum, tiling::GroupNormTiling &tiling)
{
    tiling = {};
    tiling.n = Number(srcShape.GetDim(0));
    tiling.c = Number(srcShape.GetDim(1));
    tiling.hw = Number(srcShape.GetDim(2)) * Number(srcShape.GetDim(3));
    tiling.g = groupNum;
    tiling.d = groupNum == 0 ? 0 : tiling.c / groupNum;
    const uint32_t columns = tiling.d * tiling.hw;
    SplitRows(tiling, tiling.n * tiling.g, columns, stackBufferSize);
    tiling.hwAlignSize = adv::blocks(tiling.hw * typeSize) / (typeSize == 0 ? 1 : typeSize);
    tiling.dhwAlignSize = tiling.d * tiling.hwAlignSize;
    tiling.bshCurLength = tiling.oneTmpSize;
    tiling.bsCurLength = tiling.meanVarRoundSize;
    tiling.factor = Reciprocal(columns);
    tiling.smallShape = tiling.hw * typeSize < adv::kBlock;
}
void GetGroupNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                              bool isReuseSource, uint32_t groupNum, optiling::GroupNormTiling &tiling)
{
    tiling::GroupNormTiling plain;
    GetGroupNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, groupNum, plain);
    Load(tiling, plain);
}

void GetWelfordUpdateMaxMinTmpSize(const TensorShape &srcShape, uint32_t, uint32_t typeSizeU, bool, bool,
                                   uint32_t &maxValue, uint32_t &minValue)
{
    ElementSizes(srcShape, typeSizeU, 3, maxValue, minValue);
}
void GetWelfordFinalizeMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool, uint32_t &maxValue,
                                     uint32_t &minValue)
{
    ElementSizes(srcShape, typeSize, 2, maxValue, minValue);
}

#define OPKG_QUANT_SIZES(Name) \
    void Get##Name##MaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue) \
    { \
        ElementSizes(srcShape, typeSize, kQuantLive, maxValue, minValue); \
    }
OPKG_QUANT_SIZES(AscendQuant)
OPKG_QUANT_SIZES(AscendDequant)
OPKG_QUANT_SIZES(Quantize)
OPKG_QUANT_SIZES(Dequantize)
#undef OPKG_QUANT_SIZES

void GetAscendQuantTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    maxLiveNodeCount = kQuantLive;
    extraBuf = 0;
}
void GetQuantizeTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    GetAscendQuantTmpBufferFactorSize(maxLiveNodeCount, extraBuf);
}
void GetAscendDequantTmpBufferFactorSize(const TensorShape &, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    GetAscendQuantTmpBufferFactorSize(maxLiveNodeCount, extraBuf);
}
void GetDequantizeTmpBufferFactorSize(const TensorShape &, uint32_t &maxLiveNodeCnt, uint32_t &extraBuf)
{
    GetAscendQuantTmpBufferFactorSize(maxLiveNodeCnt, extraBuf);
}

uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape &srcShape, const TensorShape &, bool, TensorDataType,
                                      TensorDataType)
{
    return adv::most_of_elements(Elements(srcShape), sizeof(float), kQuantLive);
}
uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape &, const TensorShape &, bool, TensorDataType, TensorDataType)
{
    return adv::kLeastOfElements;
}
void GetAscendAntiQuantMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &, bool, TensorDataType,
                                     TensorDataType, uint32_t &maxValue, uint32_t &minValue)
{
    ElementSizes(srcShape, sizeof(float), kQuantLive, maxValue, minValue);
}
void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape &, const TensorShape &, bool, TensorDataType inputDataType,
                                           TensorDataType, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    const int size = ge::GetSizeByDataType(inputDataType);
    maxLiveNodeCount = kQuantLive * static_cast<uint32_t>(sizeof(float)) / (size >= 1 && size <= 4 ? size : 1);
    extraBuf = 0;
}
void GetAntiQuantizeMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape, bool isTranspose,
                                  TensorDataType inputDataType, TensorDataType outputDataType, uint32_t &maxValue,
                                  uint32_t &minValue)
{
    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, maxValue, minValue);
}
void GetAntiQuantizeTmpBufferFactorSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                        TensorDataType inputDataType, TensorDataType outputDataType,
                                        uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    GetAscendAntiQuantTmpBufferFactorSize(srcShape, scaleShape, false, inputDataType, outputDataType, maxLiveNodeCount,
                                          extraBuf);
}

} // namespace AscendC
