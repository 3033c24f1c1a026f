// HardSwish: x * min(max(x + 3, 0), 6) / 6
#include "kernel_operator.h"

#include "hard_swish_tiling.h"

namespace {

constexpr int32_t BUFFERS = 2; // of each queue: one is copied while another is computed

template <typename T_X, typename T_Y>
class HardSwishKernel {
public:
    __aicore__ inline HardSwishKernel(AscendC::TPipe *pipe, const HardSwishTilingData &tiling) : pipe_(pipe), tiling_(tiling) {}

    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y)
    {
        const uint64_t firstElement = static_cast<uint64_t>(AscendC::GetBlockIdx()) * tiling_.perCore;
        const uint64_t elementsLeft = firstElement < tiling_.total ? tiling_.total - firstElement : 0;
        length_ = elementsLeft < tiling_.perCore ? elementsLeft : tiling_.perCore;
        xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T_X *>(x) + firstElement, length_);
        pipe_->InitBuffer(xQueue_, BUFFERS, tiling_.tile * sizeof(T_X));
        yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T_Y *>(y) + firstElement, length_);
        pipe_->InitBuffer(yQueue_, BUFFERS, tiling_.tile * sizeof(T_Y));
    }

    __aicore__ inline void Process()
    {
        for (uint64_t done = 0; done < length_; done += tiling_.tile) {
            const uint64_t left = length_ - done;
            const uint32_t count = left < tiling_.tile ? static_cast<uint32_t>(left) : tiling_.tile;
            CopyIn(done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    template <typename T, typename Queue>
    __aicore__ inline void CopyTile(Queue &queue, const AscendC::GlobalTensor<T> &from, uint64_t done, uint32_t count)
    {
        AscendC::LocalTensor<T> local = queue.template AllocTensor<T>();
        const AscendC::DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        const AscendC::DataCopyPadExtParams<T> padding{false, 0, 0, 0};
        AscendC::DataCopyPad(local, from[done], bytes, padding);
        queue.EnQue(local);
    }

    template <typename T, typename Queue>
    __aicore__ inline void StoreTile(const AscendC::GlobalTensor<T> &to, Queue &queue, uint64_t done, uint32_t count)
    {
        AscendC::LocalTensor<T> local = queue.template DeQue<T>();
        const AscendC::DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPad(to[done], local, bytes);
        queue.FreeTensor(local);
    }

    __aicore__ inline void CopyIn(uint64_t done, uint32_t count)
    {
        CopyTile(xQueue_, xGm_, done, count);
    }

    __aicore__ inline void CopyOut(uint64_t done, uint32_t count)
    {
        StoreTile(yGm_, yQueue_, done, count);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        AscendC::LocalTensor<T_X> xLocal = xQueue_.template DeQue<T_X>();
        AscendC::LocalTensor<T_Y> yLocal = yQueue_.template AllocTensor<T_Y>();
        ComputeNative(xLocal, yLocal, count);
        yQueue_.EnQue(yLocal);
        xQueue_.FreeTensor(xLocal);
    }

    // One type for all, which the vector unit computes in.
    __aicore__ inline void ComputeNative(AscendC::LocalTensor<T_X> &xLocal, AscendC::LocalTensor<T_Y> &yLocal, uint32_t count)
    {
        AscendC::Adds(yLocal, xLocal, static_cast<T_X>(3), count);
        AscendC::Maxs(yLocal, yLocal, static_cast<T_X>(0), count);
        AscendC::Mins(yLocal, yLocal, static_cast<T_X>(6), count);
        AscendC::Mul(yLocal, yLocal, xLocal, count);
        AscendC::Muls(yLocal, yLocal, static_cast<T_X>(1.0f / 6), count);
    }

    AscendC::TPipe *pipe_;
    HardSwishTilingData tiling_;
    uint64_t length_ = 0; // elements of this core
    AscendC::GlobalTensor<T_X> xGm_;
    AscendC::GlobalTensor<T_Y> yGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> xQueue_;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> yQueue_;
};

} // namespace

extern "C" __global__ __aicore__ void hard_swish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(HardSwishTilingData);
    GET_TILING_DATA(tilingData, tiling);
    AscendC::TPipe pipe;
    HardSwishKernel<DTYPE_X, DTYPE_Y> kernel(&pipe, tilingData);
    kernel.Init(x, y);
    kernel.Process();
}
