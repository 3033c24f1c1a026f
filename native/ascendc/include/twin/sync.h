// SPDX-License-Identifier: Apache-2.0
// Which core this is, and order among pipes and cores. Within one core instructions run in program order, so flags and
// barriers between pipes have nothing to wait for.
#ifndef OPKG_TWIN_SYNC_H
#define OPKG_TWIN_SYNC_H

#include "twin/pipe.h"

namespace AscendC {

__aicore__ inline int64_t GetBlockIdx() { return opkg_twin_core->index; }
__aicore__ inline int64_t GetBlockNum() { return opkg_twin_core->count; }
__aicore__ inline int64_t GetSubBlockIdx() { return opkg_twin_core->sub_index; }
__aicore__ inline int64_t GetSubBlockNum() { return opkg_twin_core->sub_count; }
__aicore__ inline int64_t GetTaskRation() { return opkg_twin_core->sub_count; }
__aicore__ inline int64_t GetTaskRatio() { return opkg_twin_core->sub_count; }

template <pipe_t pipe>
__aicore__ inline void PipeBarrier()
{
}
template <HardEvent event>
__aicore__ inline void SetFlag(int32_t)
{
}
template <HardEvent event>
__aicore__ inline void WaitFlag(int32_t)
{
}

template <bool isAIVOnly = true>
__aicore__ inline void SyncAll()
{
    opkg_twin_sync_all(isAIVOnly);
}
template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t> &, const LocalTensor<int32_t> &, const int32_t = 0)
{
    opkg_twin_sync_all(isAIVOnly);
}

} // namespace AscendC

#define ASCEND_IS_AIV (opkg_twin_core->kind == opkg::twin::kVectorCore)
#define ASCEND_IS_AIC (opkg_twin_core->kind == opkg::twin::kCubeCore)
#define ASCEND_IS_NOT_AIV (!(ASCEND_IS_AIV))
#define ASCEND_IS_NOT_AIC (!(ASCEND_IS_AIC))

#endif // OPKG_TWIN_SYNC_H
