#include "kernel_operator.h"

#include "add_one_tiling.h"
#include "common.h"

#ifndef STEP
#define STEP 1
#endif

extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(AddOneTilingData);
    GET_TILING_DATA(data, tiling);
    ForEach<DTYPE_X>(x, y, 0, data.total, [](DTYPE_X value) { return value + STEP; });
}
