// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void pad_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    const uint32_t all = data.height * data.width;
    const uint32_t padded = (data.width + 15) / 16 * 16;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, all * sizeof(half));
    pipe.InitBuffer(out, 1, data.height * padded * sizeof(half));
    AscendC::GlobalTensor<half> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x), all);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(y), data.height * padded);

    AscendC::LocalTensor<half> a = in.AllocTensor<half>();
    AscendC::DataCopyPad(a, from, AscendC::DataCopyExtParams{1, static_cast<uint32_t>(all * sizeof(half)), 0, 0, 0},
                         AscendC::DataCopyPadExtParams<half>{});
    in.EnQue(a);
    a = in.DeQue<half>();
    AscendC::LocalTensor<half> b = out.AllocTensor<half>();
    AscendC::PadParams params{0, static_cast<uint16_t>(padded - data.width), -7};
    AscendC::Pad(b, a, params, data.pad);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<half>();
    AscendC::DataCopy(to, b, data.height * padded);
    out.FreeTensor(b);
}
