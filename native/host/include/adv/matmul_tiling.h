// SPDX-License-Identifier: Apache-2.0
// The host side of Matmul objects: how a product is cut for the cores of a chip and for the buffers of one core.
#ifndef OPKG_HOST_ADV_MATMUL_TILING_H
#define OPKG_HOST_ADV_MATMUL_TILING_H

#include <cstdint>
// Programs print through these without including them: the kit's own header brings them along.
#include <iostream>
#include <string>

#include "graph/types.h"
#include "opkg/cube_tiling.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TCubeTiling)
#define OPKG_CUBE_TILING_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name)
OPKG_CUBE_TILING_FIELDS(OPKG_CUBE_TILING_FIELD)
#undef OPKG_CUBE_TILING_FIELD
END_TILING_DATA_DEF;
} // namespace optiling

namespace matmul_tiling {

enum class DataType : int32_t {
    OPKG_COMMON_DATA_TYPES
    DT_BFLOAT16 = 33,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E4M3FN = 35,
    DT_FLOAT8_E5M2 = 36,
    DT_FLOAT4_E2M1 = 37,
    DT_FLOAT8_E8M0 = 38,
    DT_FLOAT4_E1M2 = 39,
    DT_MAX = 40
};

enum class TPosition : int32_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, MAX
};

enum class CubeFormat : int32_t {
    ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8
};

enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

// Bytes of the buffers that a product of this tiling takes.
struct SysTilingTempBufSize {
    int32_t ubSize = 0;
    int32_t l1Size = 0;
    int32_t l0cSize = 0;
};

// The buffers of a core, for callers without a PlatformAscendC.
struct PlatformInfo {
    platform_ascendc::SocVersion socVersion;
    uint64_t l1Size = 0;
    uint64_t l0CSize = 0;
    uint64_t ubSize = 0;
    uint64_t l0ASize = 0;
    uint64_t l0BSize = 0;
};

struct MatmulConfigParams {
    int32_t mmConfigType;
    bool enableL1CacheUB;
    ScheduleType scheduleType;
    MatrixTraverse traverse;
    bool enVecND2NZ;

    MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                       ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                       MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
        : mmConfigType(mmConfigTypeIn), enableL1CacheUB(enableL1CacheUBIn), scheduleType(scheduleTypeIn),
          traverse(traverseIn), enVecND2NZ(enVecND2NZIn)
    {
    }
};

// Where a matrix is, how it is laid out, and of what.
struct MatTilingType {
    TPosition pos = TPosition::GM;
    CubeFormat type = CubeFormat::ND;
    DataType dataType = DataType::DT_FLOAT;
    bool isTrans = false;
    bool isDB = false;
    bool hasSetScaleType = false;
    TPosition scalePos = TPosition::GM;
    CubeFormat scaleType = CubeFormat::ND;
    bool isScaleTrans = false;
};

// What the setters have recorded. Sizes of 0 or below are not set.
struct MatmulRequest {
    struct Sizes {
        int32_t m = -1, n = -1, k = -1;
    };
    struct Buffers {
        int64_t l1 = 0, l0a = 0, l0b = 0, l0c = 0, ub = 0, bt = 0;
    };
    struct Layout {
        int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
    };

    Buffers chip;            // what a core has
    Buffers space;           // what SetBufferSpace leaves to the product; 0: all
    MatTilingType a, b, c, bias;
    bool has_bias = false;
    Sizes shape;             // SetShape
    int32_t org_m = -1, org_n = -1, org_ka = -1, org_kb = -1;
    Sizes single, most, least, align; // of one core
    Sizes base, most_base, least_base;
    int32_t cores = 1;
    bool split_k = false;
    MatrixTraverse traverse = MatrixTraverse::FIRSTM;
    MatrixMadType mad = MatrixMadType::NORMAL;
    ScheduleType schedule = ScheduleType::INNER_PRODUCT;
    DequantType dequant = DequantType::SCALAR;
    bool sparse = false;
    Layout layout_a, layout_b, layout_c;
    int32_t batch = 0;
    int32_t config_type = 1;
};

class __attribute__((visibility("default"))) MatmulApiTilingBase {
public:
    MatmulApiTilingBase();
    explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &ascendcPlatform);
    explicit MatmulApiTilingBase(const PlatformInfo &platform);
    virtual ~MatmulApiTilingBase();

    // Setters return 0, or -1 for values that make no sense.
    int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
    int32_t SetScaleAType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans = false);
    int32_t SetScaleBType(TPosition scalePos, CubeFormat scaleType, bool isScaleTrans = true);
    int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
    int32_t SetDequantType(DequantType dequantType);
    virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn);
    int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
    int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
    int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
    int32_t SetBatchNum(int32_t batch);
    int32_t EnableBias(bool isBiasIn = false);
    int32_t SetBias(bool isBiasIn = false);
    int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
    int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
    int32_t SetTraverse(MatrixTraverse traverse);
    int32_t SetMadType(MatrixMadType madType);
    int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t minBaseM = -1,
                          int32_t minBaseN = -1, int32_t minBaseK = -1);
    int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true, bool transNZ2ND = true);
    void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                               ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                               MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false);
    void SetMatmulConfigParams(const MatmulConfigParams &configParams);
    int32_t SetSparse(bool isSparseIn = false);

    int32_t GetBaseM() const { return result_.baseM; }
    int32_t GetBaseN() const { return result_.baseN; }
    int32_t GetBaseK() const { return result_.baseK; }
    // 0, or -1 with a line on stderr that says what does not fit.
    virtual int64_t GetTiling(optiling::TCubeTiling &tiling);
    virtual int64_t GetTiling(AscendC::tiling::TCubeTiling &tiling);
    // Whether both halves of L1 hold what is loaded at the same time.
    bool EnableL1BankConflictOptimise() const;

protected:
    MatmulRequest request_;
    AscendC::tiling::TCubeTiling result_;
};

// The product of one core.
class __attribute__((visibility("default"))) MatmulApiTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    ~MatmulApiTiling() override;
};

// A product that is dealt out to several cores.
class __attribute__((visibility("default"))) MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    ~MultiCoreMatmulTiling() override;

    int32_t SetDim(int32_t dim);
    virtual int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1);
    virtual int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                                   int32_t minN = -1, int32_t minK = -1);
    int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
    int32_t GetSingleShape(int32_t &shapeM, int32_t &shapeN, int32_t &shapeK);
    int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim);
    void EnableMultiCoreSplitK(bool flag) { request_.split_k = flag; }
    void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }
};

// One product of a batch.
class __attribute__((visibility("default"))) BatchMatmulTiling : public MatmulApiTilingBase {
public:
    using MatmulApiTilingBase::MatmulApiTilingBase;
    ~BatchMatmulTiling() override;

    int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim, int32_t &batchCoreM, int32_t &batchCoreN);
};

} // namespace matmul_tiling

extern "C" {
__attribute__((visibility("default"))) int32_t MatmulGetTmpBufSize(optiling::TCubeTiling &tiling,
                                                                   matmul_tiling::SysTilingTempBufSize &bufSize);
__attribute__((visibility("default"))) int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling,
                                                                     matmul_tiling::SysTilingTempBufSize &bufSize);
__attribute__((visibility("default"))) int32_t MultiCoreMatmulGetTmpBufSize(
    optiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize);
__attribute__((visibility("default"))) int32_t MultiCoreMatmulGetTmpBufSizeV2(
    AscendC::tiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize);
__attribute__((visibility("default"))) int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling &tiling,
                                                                        matmul_tiling::SysTilingTempBufSize &bufSize);
__attribute__((visibility("default"))) int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling &tiling,
                                                                          matmul_tiling::SysTilingTempBufSize &bufSize);
}

#endif // OPKG_HOST_ADV_MATMUL_TILING_H
