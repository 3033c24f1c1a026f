// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

#include "scale_bias_tiling.h"

extern "C" __global__ __aicore__ void scale_bias(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(ScaleBiasTilingData);
    GET_TILING_DATA(data, tiling);
    AscendC::GlobalTensor<DTYPE_X> from, add;
    AscendC::GlobalTensor<DTYPE_Y> to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X *>(x), data.total);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_Y *>(y), data.total);
    if (data.hasBias != 0) {
        add.SetGlobalBuffer(reinterpret_cast<__gm__ DTYPE_X *>(bias), data.total);
    }
    for (uint64_t i = 0; i < data.total; ++i) {
        float value = static_cast<float>(from.GetValue(i)) * data.scale + data.offset;
        if (data.hasBias != 0) {
            value += static_cast<float>(add.GetValue(i));
        }
        to.SetValue(i, static_cast<DTYPE_Y>(value));
    }
}
