// SPDX-License-Identifier: Apache-2.0
#include "matmul_split.hpp"

#include <algorithm>
#include <limits>

namespace opkg::host {
namespace {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::MatmulRequest;
using matmul_tiling::MatrixMadType;
using matmul_tiling::MatrixTraverse;
using matmul_tiling::MatTilingType;
using matmul_tiling::ScheduleType;
using matmul_tiling::TPosition;
using Sizes = MatmulRequest::Sizes;

int64_t CeilDiv(int64_t value, int64_t by) { return (value + by - 1) / by; }
int64_t RoundUp(int64_t value, int64_t to) { return CeilDiv(value, to) * to; }
int64_t RoundDown(int64_t value, int64_t to) { return value / to * to; }
int32_t Narrow(int64_t value) { return static_cast<int32_t>(value); }

std::string Text(const Sizes &sizes)
{
    return std::to_string(sizes.m) + " x " + std::to_string(sizes.n) + " x " + std::to_string(sizes.k);
}

// Elements of 32 bytes: the width of a fractal.
int32_t C0(const MatTilingType &type) { return 256 / MatmulBits(type.dataType); }

// Of elements in the buffers of a cube core. B of int8 becomes half on its way there where A is half.
int32_t BitsOfA(const MatmulRequest &r) { return MatmulBits(r.a.dataType); }
int32_t BitsOfB(const MatmulRequest &r) { return std::max(MatmulBits(r.b.dataType), BitsOfA(r)); }

// What the lengths of a base block are multiples of.
Sizes BaseAlignment(const MatmulRequest &r)
{
    Sizes align{16, 16, std::max(16, std::max(C0(r.a), C0(r.b)))};
    // Types of 8 and 4 bits are transposed in whole fractals as wide as they are tall.
    if (r.a.isTrans && MatmulBits(r.a.dataType) <= 8) {
        align.m = C0(r.a);
    }
    if (!r.b.isTrans && MatmulBits(r.b.dataType) <= 8) {
        align.n = C0(r.b);
    }
    if (r.mad == MatrixMadType::MXMODE) {
        align.k = std::max(align.k, 64);
    }
    return align;
}

// The whole product: what SetShape says, or SetOrgShape where it says nothing.
Sizes WholeShape(const MatmulRequest &r)
{
    const int32_t org_k = r.org_ka > 0 ? r.org_ka : r.org_kb;
    return {r.shape.m > 0 ? r.shape.m : r.org_m, r.shape.n > 0 ? r.shape.n : r.org_n,
            r.shape.k > 0 ? r.shape.k : org_k};
}

// Cycles, roughly: of the cube unit, and of bringing both matrices in, for each step of K.
double CostOfCore(int64_t m, int64_t n)
{
    return static_cast<double>(RoundUp(m, 16) * RoundUp(n, 16)) / 4096.0 + static_cast<double>(m + n) / 16.0;
}

// How many parts an axis is cut into, and how long a part is.
struct Cut {
    int64_t length;
    int64_t parts;
};

// Parts shorter than these are not worth a core of their own: rows of B come in bursts, and each core brings in its own.
constexpr int32_t kShortestM = 32;
constexpr int32_t kShortestN = 256;

Cut CutAxis(int64_t size, int64_t parts, int64_t align, int32_t most, int32_t least)
{
    int64_t length = std::max(RoundUp(CeilDiv(size, parts), align), RoundUp(std::max(least, 1), align));
    if (most > 0 && length > most) {
        length = most >= align ? RoundDown(most, align) : most;
    }
    length = std::min(length, size);
    return {length, CeilDiv(size, length)};
}

struct Split {
    Cut m, n, k;

    int64_t Cores() const { return m.parts * n.parts * k.parts; }
};

// Cores that end early cost time; cores of a vector pair without a partner do as well.
double CostOfSplit(const Split &split, const Sizes &whole, int32_t cores)
{
    double cost = CostOfCore(split.m.length, split.n.length) * static_cast<double>(split.k.length);
    cost *= whole.m % split.m.length != 0 ? 1.15 : 1.0;
    cost *= whole.n % split.n.length != 0 ? 1.15 : 1.0;
    const bool odd = cores % 2 == 0 && split.Cores() % 2 == 1 && split.Cores() > 1;
    return cost * (odd ? 1.05 : 1.0);
}

Sizes CoreAlignment(const MatmulRequest &r)
{
    Sizes align = BaseAlignment(r);
    align.m = std::max(align.m, std::max(r.align.m, r.base.m));
    align.n = std::max(align.n, std::max(r.align.n, r.base.n));
    align.k = std::max(align.k, r.align.k);
    if (r.schedule == ScheduleType::N_BUFFER_33) {
        // Its kernels know no tails: whole base blocks of the usual lengths.
        align.m = static_cast<int32_t>(RoundUp(align.m, 128));
        align.n = static_cast<int32_t>(RoundUp(align.n, 256));
    }
    return align;
}

int64_t DepthParts(const MatmulRequest &r, const Sizes &whole, int64_t cores_left)
{
    // A part of K that is too short costs more in adding up results than it saves.
    constexpr int64_t kShortest = 1024;
    return r.split_k ? std::max<int64_t>(1, std::min(cores_left, whole.k / kShortest)) : 1;
}

// With a fixed base block whole columns of blocks are dealt out, if they come out even: each core then moves along M only.
bool DealsColumns(const MatmulRequest &r, const Sizes &whole)
{
    return r.cores > 1 && r.base.n > 0 && r.base.m > 0 && whole.n % (static_cast<int64_t>(r.base.n) * r.cores) == 0;
}

// Fractals that the kernel itself puts into a buffer of the core are those of the whole matrix: its lines stay together.
bool HeldWhole(const MatTilingType &type)
{
    return type.pos != TPosition::GM && type.type == CubeFormat::NZ;
}

Split BestSplit(const MatmulRequest &r, const Sizes &whole)
{
    const Sizes align = CoreAlignment(r);
    const int32_t least_m = r.least.m > 0 ? r.least.m : r.base.m > 0 ? r.base.m : kShortestM;
    const int32_t least_n = r.least.n > 0 ? r.least.n : r.base.n > 0 ? r.base.n : kShortestN;
    Split best{};
    double least = std::numeric_limits<double>::max();
    const int64_t first = DealsColumns(r, whole) || HeldWhole(r.a) ? 1 : r.cores;
    for (int64_t m_parts = first; m_parts >= 1; --m_parts) {
        for (int64_t n_parts = HeldWhole(r.b) ? 1 : r.cores / m_parts; n_parts >= 1; --n_parts) {
            const int64_t k_parts = DepthParts(r, whole, r.cores / (m_parts * n_parts));
            const Split split{CutAxis(whole.m, m_parts, align.m, r.most.m, least_m),
                              CutAxis(whole.n, n_parts, align.n, r.most.n, least_n),
                              CutAxis(whole.k, k_parts, align.k, r.most.k, r.least.k)};
            const double cost = CostOfSplit(split, whole, r.cores);
            if (cost < least && split.Cores() <= r.cores) {
                least = cost;
                best = split;
            }
        }
    }
    return best;
}

// What SetSingleShape fixes stays; the other axes are cut for the cores that are left.
Split SplitForCores(const MatmulRequest &r, const Sizes &whole)
{
    if (r.single.m <= 0 && r.single.n <= 0 && r.single.k <= 0) {
        return BestSplit(r, whole);
    }
    const auto fixed = [](int64_t size, int32_t length) {
        return length > 0 ? Cut{length, CeilDiv(size, length)} : Cut{size, 1};
    };
    Split split{fixed(whole.m, r.single.m), fixed(whole.n, r.single.n), fixed(whole.k, r.single.k)};
    const Sizes align = CoreAlignment(r);
    if (r.single.m <= 0) {
        split.m = CutAxis(whole.m, std::max<int64_t>(1, r.cores / split.n.parts), align.m, r.most.m, r.least.m);
    } else if (r.single.n <= 0) {
        split.n = CutAxis(whole.n, std::max<int64_t>(1, r.cores / split.m.parts), align.n, r.most.n, r.least.n);
    }
    return split;
}

// Room for the base block: of its matrices in L0, of its result in L0C and, where it goes to the vector core, in UB.
struct Room {
    int64_t l0a, l0b, l0c, result, bias;
};

Room RoomFor(const MatmulRequest &r)
{
    const auto space = [](int64_t wanted, int64_t chip) { return wanted > 0 && wanted < chip ? wanted : chip; };
    const int64_t ub = space(r.space.ub, r.chip.ub);
    Room room{r.chip.l0a, r.chip.l0b, space(r.space.l0c, r.chip.l0c), std::numeric_limits<int64_t>::max(),
              std::numeric_limits<int64_t>::max()};
    if (r.c.pos == TPosition::VECIN) {
        // Half of it: the kernel works on the result there.
        room.result = r.space.ub > 0 ? ub : ub / 2;
    }
    const int64_t bias_table = space(r.space.bt, r.chip.bt);
    if (r.has_bias && bias_table > 0) {
        room.bias = bias_table;
    }
    return room;
}

bool Fits(const MatmulRequest &r, const Room &room, int64_t m, int64_t n, int64_t k)
{
    const int64_t a = m * k * BitsOfA(r) / 8 * 2;
    const int64_t b = n * k * BitsOfB(r) / 8 * 2;
    return a <= room.l0a && b <= room.l0b && m * n * 4 <= room.l0c &&
           m * n * MatmulBits(r.c.dataType) / 8 <= room.result && n * 4 <= room.bias;
}

// What is brought in for each element of the result, padding included.
double CostOfBase(const Sizes &single, int64_t m, int64_t n)
{
    const double padded = static_cast<double>(RoundUp(single.m, m)) * static_cast<double>(RoundUp(single.n, n));
    return padded * (1.0 / static_cast<double>(m) + 1.0 / static_cast<double>(n));
}

struct Range {
    int64_t low, high;
};

Range BaseRange(int64_t single, int64_t align, int32_t fixed, int32_t most, int32_t least)
{
    if (fixed > 0) {
        const int64_t length = RoundUp(fixed, align);
        return {length, length};
    }
    constexpr int64_t kLongest = 512;
    int64_t high = std::min(RoundUp(single, align), kLongest);
    high = most > 0 ? std::min(high, std::max(RoundDown(most, align), align)) : high;
    const int64_t low = least > 0 ? std::min(RoundUp(least, align), high) : align;
    return {low, high};
}

// The base block, with the shortest K that it can have; m is 0 where none fits.
Sizes BaseBlock(const MatmulRequest &r, const Sizes &single)
{
    const Sizes align = BaseAlignment(r);
    const Room room = RoomFor(r);
    const Range m_range = BaseRange(single.m, align.m, r.base.m, r.most_base.m, r.least_base.m);
    const Range n_range = BaseRange(single.n, align.n, r.base.n, r.most_base.n, r.least_base.n);
    const int64_t shortest = r.base.k > 0 ? RoundUp(r.base.k, align.k) : align.k;
    Sizes best{0, 0, Narrow(shortest)};
    double least = std::numeric_limits<double>::max();
    for (int64_t m = m_range.low; m <= m_range.high; m += align.m) {
        for (int64_t n = n_range.low; n <= n_range.high; n += align.n) {
            const double cost = CostOfBase(single, m, n);
            const bool better = cost < least * (1.0 - 1e-9) || (cost <= least * (1.0 + 1e-9) && n > best.n);
            if (better && Fits(r, room, m, n, shortest)) {
                least = cost;
                best.m = Narrow(m);
                best.n = Narrow(n);
            }
        }
    }
    return best;
}

int32_t BaseDepth(const MatmulRequest &r, const Sizes &single, const Sizes &base)
{
    if (r.base.k > 0) {
        return base.k;
    }
    const int64_t align = base.k;
    const int64_t of_a = r.chip.l0a * 8 / (2 * base.m * BitsOfA(r));
    const int64_t of_b = r.chip.l0b * 8 / (2 * base.n * BitsOfB(r));
    int64_t depth = RoundDown(std::min(of_a, of_b), align);
    depth = r.most_base.k > 0 ? std::min(depth, std::max(RoundDown(r.most_base.k, align), align)) : depth;
    depth = std::min(depth, RoundUp(single.k, align));
    return Narrow(std::max(depth, align));
}

int64_t BlockBytes(int32_t bits, int64_t length, int64_t depth) { return length * depth * bits / 8; }

// L1 that is left for base blocks: without the bias, and without matrices that the kernel itself has put there.
int64_t SpaceInL1(const MatmulRequest &r, const Sizes &single, const Sizes &base)
{
    int64_t space = r.space.l1 > 0 && r.space.l1 < r.chip.l1 ? r.space.l1 : r.chip.l1;
    space -= r.has_bias ? static_cast<int64_t>(base.n) * 4 : 0;
    if (r.space.l1 <= 0) {
        space -= r.a.pos == TPosition::TSCM ? BlockBytes(BitsOfA(r), RoundUp(single.m, 16), RoundUp(single.k, 16)) : 0;
        space -= r.b.pos == TPosition::TSCM ? BlockBytes(BitsOfB(r), RoundUp(single.n, 16), RoundUp(single.k, 16)) : 0;
    }
    return space;
}

// Steps of K that both matrices keep in L1, twice each; equal, or one a multiple of the other, as the MDL form asks.
void StepsInL1(const MatmulRequest &r, const Sizes &single, const Sizes &base, AscendC::tiling::TCubeTiling &t)
{
    const int64_t all = CeilDiv(single.k, base.k);
    const int64_t half = std::max<int64_t>(SpaceInL1(r, single, base), 0) / 2;
    const auto steps = [&](int32_t bits, int32_t length) {
        const int64_t block = BlockBytes(bits, length, base.k) * 2;
        return std::max<int64_t>(1, std::min(all, half / std::max<int64_t>(block, 1)));
    };
    int64_t of_a = steps(BitsOfA(r), base.m);
    int64_t of_b = steps(BitsOfB(r), base.n);
    const int64_t loads_a = CeilDiv(all, of_a);
    const int64_t loads_b = CeilDiv(all, of_b);
    if (loads_a % loads_b != 0 && loads_b % loads_a != 0) {
        of_a = of_b = std::min(of_a, of_b);
    }
    t.stepKa = Narrow(of_a);
    t.stepKb = Narrow(of_b);
    t.stepM = t.stepN = 1;
    t.depthA1 = Narrow(2 * of_a);
    t.depthB1 = Narrow(2 * of_b);
}

// All of A as 3 by 3 base blocks at most, and B column by column.
std::string NineBlocks(const Sizes &single, const Sizes &base, AscendC::tiling::TCubeTiling &t)
{
    const int64_t m = CeilDiv(single.m, base.m);
    const int64_t k = CeilDiv(single.k, base.k);
    if (m > 3 || k > 3) {
        return "N_BUFFER_33 needs at most 3 x 3 base blocks of A in one core, there are " + std::to_string(m) + " x " +
               std::to_string(k);
    }
    t.stepM = Narrow(m);
    t.stepN = 1;
    t.stepKa = t.stepKb = Narrow(k);
    t.depthA1 = Narrow(m * k);
    t.depthB1 = Narrow(2 * k);
    return {};
}

// The cube unit works on two blocks in turn along one axis, with all of K in one step.
std::string OuterProduct(const MatmulRequest &r, const Sizes &single, const Sizes &base, AscendC::tiling::TCubeTiling &t)
{
    if (single.k > base.k) {
        return "OUTER_PRODUCT needs all of K in one step: singleCoreK is " + std::to_string(single.k) + ", baseK is " +
               std::to_string(base.k);
    }
    const bool along_n = r.traverse != MatrixTraverse::FIRSTN;
    t.stepN = along_n && single.n > base.n ? 2 : 1;
    t.stepM = !along_n && single.m > base.m ? 2 : 1;
    t.depthA1 = 2 * t.stepM * t.stepKa;
    t.depthB1 = 2 * t.stepN * t.stepKb;
    return {};
}

std::string CheckRequest(const MatmulRequest &r, const Sizes &whole)
{
    if (whole.m <= 0 || whole.n <= 0 || whole.k <= 0) {
        return "the shape " + Text(whole) + " is not known: SetShape or SetOrgShape is missing";
    }
    if (r.cores < 1) {
        return "SetDim(" + std::to_string(r.cores) + "): there must be a core";
    }
    for (const MatTilingType *type : {&r.a, &r.b, &r.c}) {
        if (MatmulBits(type->dataType) == 0) {
            return "data type " + std::to_string(static_cast<int32_t>(type->dataType)) + " is none that a product takes";
        }
    }
    if (r.a.type == CubeFormat::VECTOR && whole.m != 1) {
        return "a matrix A in the format VECTOR has one row, not " + std::to_string(whole.m);
    }
    return {};
}

std::string CheckBase(const MatmulRequest &r, const Sizes &base, const Sizes &single)
{
    if (base.m > 0) {
        return {};
    }
    const Sizes wanted = r.base;
    if (wanted.m > 0 || wanted.n > 0) {
        return "the base block of SetFixSplit(" + std::to_string(wanted.m) + ", " + std::to_string(wanted.n) + ", " +
               std::to_string(wanted.k) + ") does not fit the buffers of a core";
    }
    return "no base block for the " + Text(single) + " of a core fits the buffers that SetBufferSpace leaves";
}

void FillBatch(const MatmulRequest &r, AscendC::tiling::TCubeTiling &t)
{
    t.ALayoutInfoB = r.layout_a.b;
    t.ALayoutInfoS = r.layout_a.s;
    t.ALayoutInfoN = r.layout_a.n;
    t.ALayoutInfoG = r.layout_a.g;
    t.ALayoutInfoD = r.layout_a.d;
    t.BLayoutInfoB = r.layout_b.b;
    t.BLayoutInfoS = r.layout_b.s;
    t.BLayoutInfoN = r.layout_b.n;
    t.BLayoutInfoG = r.layout_b.g;
    t.BLayoutInfoD = r.layout_b.d;
    t.CLayoutInfoB = r.layout_c.b;
    t.CLayoutInfoS1 = r.layout_c.s;
    t.CLayoutInfoN = r.layout_c.n;
    t.CLayoutInfoG = r.layout_c.g;
    t.CLayoutInfoS2 = r.layout_c.d;
    t.BatchNum = r.batch;
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
}

void FillShares(const MatmulRequest &r, AscendC::tiling::TCubeTiling &t)
{
    const int64_t a = BlockBytes(BitsOfA(r), t.baseM, t.baseK) * t.depthA1;
    const int64_t b = BlockBytes(BitsOfB(r), t.baseN, t.baseK) * t.depthB1;
    const int64_t result = static_cast<int64_t>(t.baseM) * t.baseN * 4;
    t.shareMode = 0;
    t.shareL1Size = Narrow(a + b + (r.has_bias ? static_cast<int64_t>(t.baseN) * 4 : 0));
    t.shareL0CSize = Narrow(result);
    t.shareUbSize = 0;
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 2 * result <= RoomFor(r).l0c ? 2 : 1;
    // Changes of format in UB: only chips whose cube unit does not make them itself need the room.
    const bool in_ub = r.chip.bt == 0;
    t.transLength = in_ub ? Narrow(std::max(std::max(a / t.depthA1, b / t.depthB1), result)) : 0;
}

} // namespace

int32_t MatmulBits(DataType dtype)
{
    switch (dtype) {
        case DataType::DT_FLOAT:
        case DataType::DT_INT32:
            return 32;
        case DataType::DT_FLOAT16:
        case DataType::DT_BF16:
        case DataType::DT_BFLOAT16:
            return 16;
        case DataType::DT_INT8:
        case DataType::DT_UINT8:
        case DataType::DT_HIFLOAT8:
        case DataType::DT_FLOAT8_E4M3FN:
        case DataType::DT_FLOAT8_E5M2:
        case DataType::DT_FLOAT8_E8M0:
            return 8;
        case DataType::DT_INT4:
        case DataType::DT_FLOAT4_E2M1:
        case DataType::DT_FLOAT4_E1M2:
            return 4;
        default:
            return 0;
    }
}

std::string SplitMatmul(const MatmulRequest &r, AscendC::tiling::TCubeTiling &tiling)
{
    AscendC::tiling::TCubeTiling t;
    const Sizes whole = WholeShape(r);
    if (const std::string problem = CheckRequest(r, whole); !problem.empty()) {
        return problem;
    }
    const Split split = SplitForCores(r, whole);
    if (split.Cores() == 0) {
        return "no way to deal " + Text(whole) + " out to " + std::to_string(r.cores) +
               " cores keeps to SetSingleRange";
    }
    if (split.Cores() > r.cores) {
        return "a part of " + Text(r.single) + " for each core makes " + std::to_string(split.Cores()) +
               " parts of " + Text(whole) + ", but SetDim gives " + std::to_string(r.cores) + " cores";
    }
    const Sizes single{Narrow(split.m.length), Narrow(split.n.length), Narrow(split.k.length)};
    Sizes base = BaseBlock(r, single);
    if (const std::string problem = CheckBase(r, base, single); !problem.empty()) {
        return problem;
    }
    base.k = BaseDepth(r, single, base);
    t.usedCoreNum = Narrow(split.Cores());
    t.M = r.org_m > 0 ? r.org_m : whole.m;
    t.N = r.org_n > 0 ? r.org_n : whole.n;
    t.Ka = r.org_ka > 0 ? r.org_ka : whole.k;
    t.Kb = r.org_kb > 0 ? r.org_kb : whole.k;
    t.singleCoreM = single.m;
    t.singleCoreN = single.n;
    t.singleCoreK = single.k;
    t.baseM = base.m;
    t.baseN = base.n;
    t.baseK = base.k;
    t.isBias = r.has_bias ? 1 : 0;
    t.iterateOrder = r.traverse == MatrixTraverse::FIRSTN ? 1 : 0;
    StepsInL1(r, single, base, t);
    std::string problem;
    if (r.schedule == ScheduleType::N_BUFFER_33) {
        problem = NineBlocks(single, base, t);
    } else if (r.schedule == ScheduleType::OUTER_PRODUCT) {
        problem = OuterProduct(r, single, base, t);
    }
    FillBatch(r, t);
    FillShares(r, t);
    t.mxTypePara = r.mad == MatrixMadType::MXMODE ? 0x01010101 : 0;
    if (problem.empty()) {
        tiling = t;
    }
    return problem;
}

} // namespace opkg::host
