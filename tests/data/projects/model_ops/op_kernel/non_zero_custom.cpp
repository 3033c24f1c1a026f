// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

#include "non_zero_custom_tiling.h"

extern "C" __global__ __aicore__ void non_zero_custom(GM_ADDR x, GM_ADDR positions, GM_ADDR shapeOut, GM_ADDR workspace,
                                                      GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(NonZeroCustomTilingData);
    GET_TILING_DATA(data, tiling);
    AscendC::GlobalTensor<DTYPE_X> from;
    AscendC::GlobalTensor<int32_t> to;
    AscendC::GlobalTensor<uint64_t> shape;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X *>(x), data.total);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(positions), data.total);
    shape.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t *>(shapeOut), 9);
    uint64_t found = 0;
    for (uint64_t i = 0; i < data.total; ++i) {
        if (from.GetValue(i) != static_cast<DTYPE_X>(0)) {
            to.SetValue(found, static_cast<int32_t>(i));
            ++found;
        }
    }
    shape.SetValue(0, 1);
    shape.SetValue(1, found);
}
