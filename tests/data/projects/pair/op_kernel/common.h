// What both kernels share: a range of elements of one type, worked on in one tile, element by element.
#ifndef COMMON_H
#define COMMON_H

#include "kernel_operator.h"

template <typename T, typename Compute>
__aicore__ inline void ForEach(GM_ADDR x, GM_ADDR y, uint32_t start, uint32_t count, const Compute &compute)
{
    AscendC::TPipe pipe;
    AscendC::GlobalTensor<T> from;
    AscendC::GlobalTensor<T> to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x) + start, count);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y) + start, count);
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    const uint32_t bytes = (count * sizeof(T) + 31) / 32 * 32;
    pipe.InitBuffer(in, 1, bytes);
    pipe.InitBuffer(out, 1, bytes);
    AscendC::LocalTensor<T> a = in.AllocTensor<T>();
    const AscendC::DataCopyExtParams rows{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(a, from, rows, AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
    in.EnQue(a);
    a = in.DeQue<T>();
    AscendC::LocalTensor<T> b = out.AllocTensor<T>();
    for (uint32_t i = 0; i < count; ++i) {
        b.SetValue(i, static_cast<T>(compute(a.GetValue(i))));
    }
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<T>();
    AscendC::DataCopyPad(to, b, rows);
    out.FreeTensor(b);
}

#endif // COMMON_H
