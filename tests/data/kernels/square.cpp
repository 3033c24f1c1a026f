// A right kernel for the project of `opkg new Square`, which tests make wrong in one place each.
#include "kernel_operator.h"

#include "square_tiling.h"

template <typename T>
class SquareKernel {
public:
    __aicore__ inline SquareKernel(AscendC::TPipe *pipe, const SquareTilingData &tiling) : tiling_(tiling)
    {
        pipe->InitBuffer(xQueue_, 2, tiling_.tile * sizeof(T));
        pipe->InitBuffer(yQueue_, 2, tiling_.tile * sizeof(T));
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y)
    {
        const uint64_t first = static_cast<uint64_t>(AscendC::GetBlockIdx()) * tiling_.perCore;
        const uint64_t left = first < tiling_.total ? tiling_.total - first : 0;
        const uint64_t length = left < tiling_.perCore ? left : tiling_.perCore;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x) + first, length);
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y) + first, length);
        for (uint64_t done = 0; done < length; done += tiling_.tile) {
            const uint64_t rest = length - done;
            Tile(done, rest < tiling_.tile ? static_cast<uint32_t>(rest) : tiling_.tile);
        }
        // end of Process
    }

private:
    __aicore__ inline void Tile(uint64_t done, uint32_t count)
    {
        const uint32_t bytes = count * sizeof(T);
        AscendC::LocalTensor<T> xLocal = xQueue_.template AllocTensor<T>();
        AscendC::DataCopyPad(xLocal, xGm_[done], AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
        xQueue_.EnQue(xLocal);
        xLocal = xQueue_.template DeQue<T>();
        AscendC::LocalTensor<T> yLocal = yQueue_.template AllocTensor<T>();
        AscendC::Mul(yLocal, xLocal, xLocal, count);
        yQueue_.EnQue(yLocal);
        xQueue_.FreeTensor(xLocal);
        yLocal = yQueue_.template DeQue<T>();
        AscendC::DataCopyPad(yGm_[done], yLocal, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
        yQueue_.FreeTensor(yLocal);
    }

    SquareTilingData tiling_;
    AscendC::GlobalTensor<T> xGm_;
    AscendC::GlobalTensor<T> yGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> xQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> yQueue_;
};

extern "C" __global__ __aicore__ void square(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(SquareTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    SquareKernel<DTYPE_X> kernel(&pipe, tilingData);
    kernel.Process(x, y);
}
