// SPDX-License-Identifier: Apache-2.0
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void matrix_product(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA(data, tiling);
    const TCubeTiling &t = data.cube;
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>>
        mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    const int32_t down = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t row = static_cast<int32_t>(GetBlockIdx()) % down * t.singleCoreM;
    const int32_t column = static_cast<int32_t>(GetBlockIdx()) / down * t.singleCoreN;
    GlobalTensor<half> left, right;
    GlobalTensor<float> result;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a) + row * t.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b) + column);
    result.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c) + row * t.N + column);
    mm.SetTail(t.M - row < t.singleCoreM ? t.M - row : t.singleCoreM,
               t.N - column < t.singleCoreN ? t.N - column : t.singleCoreN);
    mm.SetTensorA(left);
    mm.SetTensorB(right);
    mm.IterateAll(result);
    mm.End();
}
