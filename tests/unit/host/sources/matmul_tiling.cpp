// SPDX-License-Identifier: Apache-2.0
// Tilings on request, for tests: what is asked for and what comes back are rows of int32_t.
#include "tiling/tiling_api.h"

using namespace matmul_tiling;

// As the test writes it down; -1: not said.
struct Wish {
    int32_t single_core, m, n, k, cores, dtype, a_transposed, b_transposed, c_in_ub, bias, base_m, base_n, base_k;
    int32_t single_m, single_n, single_k, l1, l0c, ub, n_first, split_k, align_m, align_n, max_m, max_n, max_base_m;
    int32_t schedule, mx, a_format, traverse_set, b_dtype;
};

template <typename Api>
static void record(Api &api, const Wish &w)
{
    const DataType dtype = static_cast<DataType>(w.dtype);
    const DataType of_b = w.b_dtype >= 0 ? static_cast<DataType>(w.b_dtype) : dtype;
    const bool integers = dtype == DataType::DT_INT8 || dtype == DataType::DT_INT4;
    const DataType sums = integers ? DataType::DT_INT32 : DataType::DT_FLOAT;
    api.SetAType(TPosition::GM, static_cast<CubeFormat>(w.a_format), dtype, w.a_transposed != 0);
    api.SetBType(TPosition::GM, CubeFormat::ND, of_b, w.b_transposed != 0);
    api.SetCType(w.c_in_ub != 0 ? TPosition::VECIN : TPosition::GM, CubeFormat::ND, sums);
    api.SetBiasType(TPosition::GM, CubeFormat::ND, sums);
    api.EnableBias(w.bias != 0);
    api.SetOrgShape(w.m, w.n, w.k);
    api.SetShape(-1, -1, -1);
    api.SetFixSplit(w.base_m, w.base_n, w.base_k);
    api.SetSplitRange(w.max_base_m, -1, -1);
    api.SetBufferSpace(w.l1, w.l0c, w.ub);
    if (w.traverse_set != 0) {
        api.SetTraverse(w.n_first != 0 ? MatrixTraverse::FIRSTN : MatrixTraverse::FIRSTM);
    }
    api.SetMatmulConfigParams(1, false, static_cast<ScheduleType>(w.schedule));
    api.SetMadType(w.mx != 0 ? MatrixMadType::MXMODE : MatrixMadType::NORMAL);
}

template <typename Api>
static int64_t answer(Api &api, int32_t *tiling)
{
    optiling::TCubeTiling classic;
    AscendC::tiling::TCubeTiling plain;
    const int64_t code = api.GetTiling(classic);
    if (code != api.GetTiling(plain)) {
        return -2;
    }
    if (code == 0) {
        classic.SaveToBuffer(tiling, classic.GetDataSize());
        if (classic.GetDataSize() != sizeof(plain) || std::memcmp(tiling, &plain, sizeof(plain)) != 0) {
            return -3;
        }
    }
    return code;
}

extern "C" __attribute__((visibility("default"))) int64_t ask(const char *soc, const Wish *w, int32_t *tiling,
                                                              int32_t *cores)
{
    static fe::PlatFormInfos *const none = nullptr;
    const platform_ascendc::PlatformAscendC chip =
        soc == nullptr ? platform_ascendc::PlatformAscendC(none) : *platform_ascendc::PlatformAscendCManager::GetInstance(soc);
    if (w->single_core != 0) {
        MatmulApiTiling api(chip);
        record(api, *w);
        return answer(api, tiling);
    }
    MultiCoreMatmulTiling api(chip);
    record(api, *w);
    api.SetDim(w->cores);
    api.SetSingleShape(w->single_m, w->single_n, w->single_k);
    api.SetSingleRange(w->max_m, w->max_n);
    api.SetAlignSplit(w->align_m, w->align_n, -1);
    api.EnableMultiCoreSplitK(w->split_k != 0);
    const int64_t code = answer(api, tiling);
    api.GetCoreNum(cores[0], cores[1], cores[2]);
    return code;
}
