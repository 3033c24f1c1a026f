// SPDX-License-Identifier: Apache-2.0
#include "adv/matmul_tiling.h"

#include <cstdio>

#include "matmul_split.hpp"

namespace matmul_tiling {

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;

MatmulApiTilingBase::MatmulApiTilingBase() : MatmulApiTilingBase(PlatformAscendC(nullptr)) {}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformAscendC &platform)
{
    const auto size = [&platform](CoreMemType memory) {
        uint64_t bytes = 0;
        platform.GetCoreMemSize(memory, bytes);
        return static_cast<int64_t>(bytes);
    };
    request_.chip = {size(CoreMemType::L1),   size(CoreMemType::L0_A), size(CoreMemType::L0_B),
                     size(CoreMemType::L0_C), size(CoreMemType::UB),   size(CoreMemType::BT)};
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo &platform) : MatmulApiTilingBase()
{
    request_.chip.l1 = static_cast<int64_t>(platform.l1Size);
    request_.chip.l0a = static_cast<int64_t>(platform.l0ASize);
    request_.chip.l0b = static_cast<int64_t>(platform.l0BSize);
    request_.chip.l0c = static_cast<int64_t>(platform.l0CSize);
    request_.chip.ub = static_cast<int64_t>(platform.ubSize);
    const bool old = platform.socVersion == platform_ascendc::SocVersion::ASCEND310P ||
                     platform.socVersion == platform_ascendc::SocVersion::ASCEND910;
    request_.chip.bt = old ? 0 : request_.chip.bt;
}

MatmulApiTilingBase::~MatmulApiTilingBase() = default;
MatmulApiTiling::~MatmulApiTiling() = default;
MultiCoreMatmulTiling::~MultiCoreMatmulTiling() = default;
BatchMatmulTiling::~BatchMatmulTiling() = default;

namespace {

int32_t Fail(const std::string &why)
{
    std::fprintf(stderr, "matmul_tiling: %s\n", why.c_str());
    return -1;
}

void SetType(MatTilingType &type, TPosition pos, CubeFormat format, DataType dtype, bool transposed)
{
    type.pos = pos;
    type.type = format;
    type.dataType = dtype;
    type.isTrans = transposed;
}

void SetScale(MatTilingType &type, TPosition pos, CubeFormat format, bool transposed)
{
    type.hasSetScaleType = true;
    type.scalePos = pos;
    type.scaleType = format;
    type.isScaleTrans = transposed;
}

} // namespace

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans)
{
    SetType(request_.a, pos, type, dataType, isTrans);
    return 0;
}

int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans)
{
    SetType(request_.b, pos, type, dataType, isTrans);
    return 0;
}

int32_t MatmulApiTilingBase::SetScaleAType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans)
{
    SetScale(request_.a, scalePos, scaleType, isScaleTrans);
    return 0;
}

int32_t MatmulApiTilingBase::SetScaleBType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans)
{
    SetScale(request_.b, scalePos, scaleType, isScaleTrans);
    return 0;
}

int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType)
{
    SetType(request_.c, pos, type, dataType, false);
    return 0;
}

int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType)
{
    SetType(request_.bias, pos, type, dataType, false);
    return 0;
}

int32_t MatmulApiTilingBase::SetDequantType(DequantType dequantType)
{
    request_.dequant = dequantType;
    return 0;
}

int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k)
{
    request_.shape = {m, n, k};
    return 0;
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn)
{
    return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
}

int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn)
{
    request_.org_m = orgMIn;
    request_.org_n = orgNIn;
    request_.org_ka = orgKaIn;
    request_.org_kb = orgKbIn;
    return 0;
}

int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    request_.layout_a = {b, s, n, g, d};
    return 0;
}

int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    request_.layout_b = {b, s, n, g, d};
    return 0;
}

int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d)
{
    request_.layout_c = {b, s, n, g, d};
    return 0;
}

int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k)
{
    request_.layout_a = {batchA, m, 1, 1, k};
    request_.layout_b = {batchB, n, 1, 1, k};
    request_.layout_c = {batchA > batchB ? batchA : batchB, m, 1, 1, n};
    return 0;
}

int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch)
{
    request_.batch = batch;
    return batch > 0 ? 0 : -1;
}

int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn)
{
    request_.has_bias = isBiasIn;
    return 0;
}

int32_t MatmulApiTilingBase::SetBias(bool isBiasIn) { return EnableBias(isBiasIn); }

int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn)
{
    request_.base = {baseMIn, baseNIn, baseKIn};
    return 0;
}

int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize, int32_t btSize)
{
    request_.space = {l1Size, 0, 0, l0CSize, ubSize, btSize};
    return 0;
}

int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse)
{
    request_.traverse = traverse;
    return 0;
}

int32_t MatmulApiTilingBase::SetMadType(MatrixMadType madType)
{
    request_.mad = madType;
    return 0;
}

int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxBaseM, int32_t maxBaseN, int32_t maxBaseK, int32_t minBaseM,
                                           int32_t minBaseN, int32_t minBaseK)
{
    request_.most_base = {maxBaseM, maxBaseN, maxBaseK};
    request_.least_base = {minBaseM, minBaseN, minBaseK};
    return 0;
}

// Double buffering of L1 and L0 is chosen by the tiling itself.
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return 0; }

void MatmulApiTilingBase::SetMatmulConfigParams(int32_t mmConfigTypeIn, bool enableL1CacheUBIn,
                                                ScheduleType scheduleTypeIn, MatrixTraverse traverseIn,
                                                bool enVecND2NZIn)
{
    SetMatmulConfigParams(
        MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn));
}

void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams &configParams)
{
    request_.config_type = configParams.mmConfigType;
    request_.schedule = configParams.scheduleType;
    if (configParams.traverse != MatrixTraverse::NOSET) {
        request_.traverse = configParams.traverse;
    }
}

int32_t MatmulApiTilingBase::SetSparse(bool isSparseIn)
{
    request_.sparse = isSparseIn;
    return 0;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling &tiling)
{
    const std::string problem = opkg::host::SplitMatmul(request_, result_);
    if (!problem.empty()) {
        return Fail(problem);
    }
    tiling = result_;
    return 0;
}

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling &tiling)
{
    AscendC::tiling::TCubeTiling result;
    if (GetTiling(result) != 0) {
        return -1;
    }
#define OPKG_CUBE_TILING_FIELD(name) tiling.set_##name(result.name);
    OPKG_CUBE_TILING_FIELDS(OPKG_CUBE_TILING_FIELD)
#undef OPKG_CUBE_TILING_FIELD
    return 0;
}

bool MatmulApiTilingBase::EnableL1BankConflictOptimise() const
{
    return result_.baseM > 0 && 2 * static_cast<int64_t>(result_.shareL1Size) <= request_.chip.l1;
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim)
{
    request_.cores = dim;
    return dim > 0 ? 0 : -1;
}

int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn, int32_t singleKIn)
{
    request_.single = {singleMIn, singleNIn, singleKIn};
    return 0;
}

int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK, int32_t minM, int32_t minN,
                                              int32_t minK)
{
    request_.most = {maxM, maxN, maxK};
    request_.least = {minM, minN, minK};
    return 0;
}

int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK)
{
    request_.align = {alignM, alignN, alignK};
    return 0;
}

int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t &shapeM, int32_t &shapeN, int32_t &shapeK)
{
    shapeM = result_.singleCoreM;
    shapeN = result_.singleCoreN;
    shapeK = result_.singleCoreK;
    return shapeM > 0 ? 0 : -1;
}

namespace {

int32_t Parts(int32_t size, int32_t length) { return length > 0 ? (size + length - 1) / length : 0; }

} // namespace

int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim)
{
    dim = result_.usedCoreNum;
    mDim = Parts(request_.shape.m > 0 ? request_.shape.m : result_.M, result_.singleCoreM);
    nDim = Parts(request_.shape.n > 0 ? request_.shape.n : result_.N, result_.singleCoreN);
    return dim > 0 ? 0 : -1;
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim, int32_t &batchCoreM,
                                      int32_t &batchCoreN)
{
    dim = result_.usedCoreNum;
    mDim = nDim = batchCoreM = batchCoreN = 1;
    return dim > 0 ? 0 : -1;
}

} // namespace matmul_tiling

int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize)
{
    bufSize.l1Size = tiling.shareL1Size;
    bufSize.l0cSize = tiling.shareL0CSize;
    bufSize.ubSize = tiling.shareUbSize;
    return tiling.baseM > 0 ? 0 : -1;
}

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize)
{
    bufSize.l1Size = tiling.get_shareL1Size();
    bufSize.l0cSize = tiling.get_shareL0CSize();
    bufSize.ubSize = tiling.get_shareUbSize();
    return tiling.get_baseM() > 0 ? 0 : -1;
}

int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize)
{
    return MatmulGetTmpBufSize(tiling, bufSize);
}

int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling,
                                       matmul_tiling::SysTilingTempBufSize &bufSize)
{
    return MatmulGetTmpBufSizeV2(tiling, bufSize);
}

int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize)
{
    return MatmulGetTmpBufSize(tiling, bufSize);
}

int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize)
{
    return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
