// SPDX-License-Identifier: Apache-2.0
// The template arguments of a Matmul object: MatmulType and its relatives, policies, callbacks and constant tilings.
#ifndef OPKG_ADV_MATMUL_TYPES_H
#define OPKG_ADV_MATMUL_TYPES_H

#include "adv/matmul_abi.h"
#include "adv/matmul_config.h"
#include "twin/small_floats.h"
#include "twin/sync.h"
#include "twin/tiling.h"

namespace AscendC {

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    static constexpr TPosition pos = POSITION;
    static constexpr CubeFormat format = FORMAT;
    using T = TYPE;
    static constexpr bool isTrans = ISTRANS;
    static constexpr LayoutMode layout = LAYOUT;
    static constexpr bool ibShare = IBSHARE;
    static constexpr TPosition srcPos = SRCPOS;
};

// B with two of every four values along K kept; which two says the index matrix.
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat CUBE_FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, CUBE_FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
    static constexpr TPosition indexPosition = INDEX_POSITION;
};

// A or B with a scale, a power of two, for every 32 elements along K.
template <TPosition POSITION, TPosition SCALE_POSITION, CubeFormat CUBE_FORMAT, typename TYPE, bool ISTRANS = false,
          TPosition SRCPOS = TPosition::GM, CubeFormat SCALE_FORMAT = CUBE_FORMAT, bool SCALE_ISTRANS = ISTRANS,
          TPosition SCALE_SRCPOS = TPosition::GM, LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct MatmulTypeWithScale : MatmulType<POSITION, CUBE_FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE, SRCPOS> {
    static constexpr TPosition scalePosition = SCALE_POSITION;
    static constexpr CubeFormat scaleFormat = SCALE_FORMAT;
    static constexpr bool isScaleTrans = SCALE_ISTRANS;
};

using MatmulCopyOut = void (*)(const __gm__ void *gm, const LocalTensor<int8_t> &co1Local,
                               const void *dataCopyOutParams, const uint64_t tilingPtr, const uint64_t dataPtr);
using MatmulCopyIn = void (*)(const LocalTensor<int8_t> &matrix, const __gm__ void *gm, int row, int col, int rows,
                              int cols, const uint64_t tilingPtr, const uint64_t dataPtr);

template <MatmulCopyOut copy_out = nullptr, MatmulCopyIn copy_a = nullptr, MatmulCopyIn copy_b = nullptr>
struct MatmulCallBackFunc {
    static constexpr MatmulCopyOut DataCopyOut = copy_out;
    static constexpr MatmulCopyIn CopyA1 = copy_a;
    static constexpr MatmulCopyIn CopyB1 = copy_b;
};

// A policy says which base blocks are made, or how they are cut for the vector cores. How the chip keeps data in its
// buffers makes no difference on a CPU.
namespace Impl::Detail {
template <const auto &MM_CFG, typename... Types>
struct MatmulPolicy {
};
template <const auto &MM_CFG, typename... Types>
struct NBuffer33MatmulPolicy : MatmulPolicy<MM_CFG> {
};
template <const auto &MM_CFG, typename... Types>
struct MatmulWithScalePolicy : MatmulPolicy<MM_CFG> {
};
template <const auto &MM_CFG, typename... Types>
struct TrianUpperMatmulPolicy : MatmulPolicy<MM_CFG> {
    static constexpr opkg::twin::MatmulTriangle triangle = opkg::twin::kUpper;
};
template <const auto &MM_CFG, typename... Types>
struct TrianLowerMatmulPolicy : MatmulPolicy<MM_CFG> {
    static constexpr opkg::twin::MatmulTriangle triangle = opkg::twin::kLower;
};
template <const auto &MM_CFG, typename... Types>
struct SplitMMatmulPolicy : MatmulPolicy<MM_CFG> {
    static constexpr opkg::twin::MatmulSplit split = opkg::twin::kSplitM;
};
template <const auto &MM_CFG, typename... Types>
struct SplitNMatmulPolicy : MatmulPolicy<MM_CFG> {
    static constexpr opkg::twin::MatmulSplit split = opkg::twin::kSplitN;
};
} // namespace Impl::Detail

// The dtype of sums in the L0C buffer.
template <typename A>
struct GetMmDstType {
    using Type = float;
};
template <>
struct GetMmDstType<int8_t> {
    using Type = int32_t;
};
template <>
struct GetMmDstType<int4b_t> {
    using Type = int32_t;
};

namespace Impl {
inline constexpr int32_t L1_SIZE = __NPU_ARCH__ == 2201 || __NPU_ARCH__ == 3510 ? 524288 : 1048576;
inline constexpr int32_t QUEUE_DEPTH = 1;
} // namespace Impl

} // namespace AscendC

// A tiling that is known when the kernel is compiled, with the configuration it belongs to.
struct MatmulApiStaticTiling {
    int32_t usedCoreNum = -1;
    int32_t M = -1, N = -1, Ka = -1, Kb = -1;
    int32_t singleCoreM = -1, singleCoreN = -1, singleCoreK = -1;
    int32_t baseM = -1, baseN = -1, baseK = -1;
    int32_t depthA1 = -1, depthB1 = -1;
    int32_t stepM = -1, stepN = -1;
    int32_t isBias = -1;
    int32_t transLength = -1;
    int32_t iterateOrder = -1;
    int32_t shareMode = -1, shareL1Size = -1, shareL0CSize = -1, shareUbSize = -1;
    int32_t batchM = -1, batchN = -1, singleBatchM = -1, singleBatchN = -1;
    int32_t stepKa = -1, stepKb = -1;
    int32_t depthAL1CacheUB = -1, depthBL1CacheUB = -1;
    int32_t dbL0A = -1, dbL0B = -1, dbL0C = -1;
    int32_t ALayoutInfoB = -1, ALayoutInfoS = -1, ALayoutInfoN = -1, ALayoutInfoG = -1, ALayoutInfoD = -1;
    int32_t BLayoutInfoB = -1, BLayoutInfoS = -1, BLayoutInfoN = -1, BLayoutInfoG = -1, BLayoutInfoD = -1;
    int32_t CLayoutInfoB = -1, CLayoutInfoS1 = -1, CLayoutInfoN = -1, CLayoutInfoG = -1, CLayoutInfoS2 = -1;
    int32_t BatchNum = -1;
    int32_t mxTypePara = -1;
    MatmulConfig cfg = CFG_NORM;
};

namespace opkg::twin {

// Which matrices the cube unit of this chip multiplies, and what it makes of them.
template <typename A, typename B, typename C, typename Bias>
constexpr bool matmul_dtypes()
{
    constexpr uint32_t a = DtypeOf<A>::value;
    constexpr uint32_t b = DtypeOf<B>::value;
    constexpr uint32_t float8 = dtypes(kF8E4M3, kF8E5M2);
    constexpr uint32_t float4 = dtypes(kF4E2M1, kF4E1M2);
    const bool new_chip = __NPU_ARCH__ >= 3510;
    const bool floats = a == b && (a == kF16 || a == kBF16 || a == kF32);
    const bool integers = a == b && (a == kI8 || (a == kI4 && !new_chip));
    const bool small = ((1u << a) & float8) != 0 && ((1u << b) & float8) != 0;
    const bool smaller = ((1u << a) & float4) != 0 && ((1u << b) & float4) != 0;
    const bool mixed = __NPU_ARCH__ == 2002 && a == kF16 && b == kI8 && DtypeOf<C>::value == kF32;
    const bool any = floats || integers || mixed || (new_chip && (small || smaller || (a == b && a == kHiF8)));
    const uint32_t results = dtypes(kF16, kF32, kBF16, kI32, kI8, kU8, kF8E4M3, kF8E5M2, kHiF8);
    return any && ((1u << DtypeOf<C>::value) & results) != 0;
}

constexpr const MatmulConfig &config_of(const MatmulConfig &config) { return config; }
constexpr const MatmulConfig &config_of(const MatmulApiStaticTiling &tiling) { return tiling.cfg; }
constexpr MatmulApiStaticTiling constants_of(const MatmulConfig &) { return {}; }
constexpr const MatmulApiStaticTiling &constants_of(const MatmulApiStaticTiling &tiling) { return tiling; }

constexpr int32_t known(uint32_t size) { return size == 0 ? -1 : static_cast<int32_t>(size); }
constexpr int32_t blocks(int32_t size, int32_t base) { return size > 0 && base > 0 ? (size + base - 1) / base : 1; }

// Bytes of one element times 2, so that an int4b_t counts too.
template <typename T>
constexpr int32_t half_bytes()
{
    return static_cast<int32_t>(bytes_of<T>(16) / 8);
}

// The K steps kept in L1: as many as half of it holds, for a matrix whose base block has so many elements.
constexpr int32_t steps_in(int32_t room, int32_t block_bytes, int32_t wanted)
{
    const int32_t fit = block_bytes > 0 ? room / (2 * block_bytes) : 1;
    return fit < 1 ? 1 : fit < wanted ? fit : wanted;
}

} // namespace opkg::twin

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &mmCFG, int32_t l1Size = Impl::L1_SIZE)
{
    using namespace opkg::twin;
    MatmulApiStaticTiling tiling;
    tiling.cfg = mmCFG;
    tiling.M = tiling.singleCoreM = known(mmCFG.singleCoreM);
    tiling.N = tiling.singleCoreN = known(mmCFG.singleCoreN);
    tiling.Ka = tiling.Kb = tiling.singleCoreK = known(mmCFG.singleCoreK);
    tiling.baseM = known(mmCFG.basicM);
    tiling.baseN = known(mmCFG.basicN);
    tiling.baseK = known(mmCFG.basicK);
    const int32_t k_steps = blocks(tiling.singleCoreK, tiling.baseK);
    tiling.stepM = tiling.stepN = 1;
    tiling.stepKa = steps_in(l1Size / 2, tiling.baseM * tiling.baseK * half_bytes<typename A_TYPE::T>() / 2, k_steps);
    tiling.stepKb = steps_in(l1Size / 2, tiling.baseN * tiling.baseK * half_bytes<typename B_TYPE::T>() / 2, k_steps);
    tiling.depthA1 = 2 * tiling.stepKa;
    tiling.depthB1 = 2 * tiling.stepKb;
    tiling.iterateOrder = mmCFG.iterateOrder == IterateOrder::ORDER_N ? 1 : 0;
    tiling.dbL0A = tiling.dbL0B = 2;
    tiling.dbL0C = 1;
    return tiling;
}

} // namespace AscendC

#endif // OPKG_ADV_MATMUL_TYPES_H
