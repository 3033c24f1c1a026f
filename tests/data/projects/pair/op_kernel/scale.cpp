#include "kernel_operator.h"

#include "common.h"

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(data, tiling);
    const uint32_t start = AscendC::GetBlockIdx() * data.range.perCore;
    if (start >= data.range.total) {
        return;
    }
    const uint32_t left = data.range.total - start;
    const uint32_t count = left < data.range.perCore ? left : data.range.perCore;
    const float factor = data.negate ? -data.factor : data.factor;
    ForEach<DTYPE_X>(x, y, start, count, [factor](float value) { return value * factor; });
}
