// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_TILING_CONTEXT_H
#define OPKG_HOST_TILING_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

struct Dim3 {
    uint32_t x, y, z;

    Dim3(uint32_t x_extent, uint32_t y_extent = 1, uint32_t z_extent = 1) : x(x_extent), y(y_extent), z(z_extent) {}
};

// All that a tiling function decides.
struct TilingResult {
    static constexpr size_t kMaxWorkspaces = 16;

    explicit TilingResult(void *data, size_t capacity) : raw(data, capacity) {}

    TilingData raw;
    uint64_t key = 0;
    uint32_t block_dim = 1;
    uint32_t aicpu_block_dim = 0;
    uint32_t schedule_mode = 0;
    uint32_t local_memory = 0;
    int32_t condition = -1;
    bool needs_atomic = false;
    size_t workspace_count = 0;
    size_t workspaces[kMaxWorkspaces] = {};
    Dim3 simt_grid = Dim3(1);
    Dim3 simt_block = Dim3(1);
};

// Given to the tiling function. Plain getters count the tensors of the call; those with an ir index count declared
// inputs and return NULL for an optional input that is absent.
class TilingContext : public ExtendedKernelContext {
public:
    TilingContext(const ComputeNodeInfo *info, Tensor *inputs, Tensor *outputs, TilingResult *result,
                  fe::PlatFormInfos *platform, const void *compile_info, int32_t deterministic)
        : ExtendedKernelContext(info, inputs, outputs), result_(result), platform_(platform),
          compile_info_(compile_info), deterministic_(deterministic)
    {
    }

    const StorageShape *GetInputShape(size_t index) const { return ShapeOf(Input(index)); }
    const StorageShape *GetRequiredInputShape(size_t ir) const { return ShapeOf(InputInstance(ir, 0)); }
    const StorageShape *GetOptionalInputShape(size_t ir) const { return ShapeOf(InputInstance(ir, 0)); }
    const StorageShape *GetDynamicInputShape(size_t ir, size_t relative) const
    {
        return ShapeOf(InputInstance(ir, relative));
    }
    const StorageShape *GetOutputShape(size_t index) const { return ShapeOf(Output(index)); }
    const StorageShape *GetRequiredOutputShape(size_t ir) const { return ShapeOf(OutputInstance(ir, 0)); }
    const StorageShape *GetDynamicOutputShape(size_t ir, size_t relative) const
    {
        return ShapeOf(OutputInstance(ir, relative));
    }
    const Tensor *GetInputTensor(size_t index) const { return Input(index); }
    const Tensor *GetRequiredInputTensor(size_t ir) const { return InputInstance(ir, 0); }
    const Tensor *GetOptionalInputTensor(size_t ir) const { return InputInstance(ir, 0); }
    const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputInstance(ir, relative); }

    // Tensors are compact here: no views, no offsets.
    bool InputIsView(size_t) const { return false; }
    bool OutputIsView(size_t) const { return false; }
    int64_t GetInputOffset(size_t index) const { return Input(index) == nullptr ? -1 : 0; }
    int64_t GetOutputOffset(size_t index) const { return Output(index) == nullptr ? -1 : 0; }

    ge::graphStatus SetTilingKey(uint64_t key) { return Set(result_->key, key); }
    uint64_t GetTilingKey() const { return result_->key; }
    // Number of blocks: how many cores run the kernel.
    ge::graphStatus SetBlockDim(uint32_t blocks) { return Set(result_->block_dim, blocks); }
    uint32_t GetBlockDim() const { return result_->block_dim; }
    ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
    uint32_t GetSimdNumBlocks() const { return result_->block_dim; }
    ge::graphStatus SetAicpuBlockDim(uint32_t blocks) { return Set(result_->aicpu_block_dim, blocks); }
    uint32_t GetAicpuBlockDim() const { return result_->aicpu_block_dim; }
    ge::graphStatus SetAicpuNumBlocks(uint32_t blocks) { return SetAicpuBlockDim(blocks); }
    uint32_t GetAicpuNumBlocks() const { return result_->aicpu_block_dim; }
    // 1: all blocks run at the same time, as SyncAll needs it.
    ge::graphStatus SetScheduleMode(uint32_t mode) { return Set(result_->schedule_mode, mode); }
    uint32_t GetScheduleMode() const { return result_->schedule_mode; }
    // Outputs with InitValue are filled before the kernel runs.
    ge::graphStatus SetNeedAtomic(bool atomic) { return Set(result_->needs_atomic, atomic); }
    bool NeedAtomic() const { return result_->needs_atomic; }
    ge::graphStatus SetTilingCond(int32_t condition) { return Set(result_->condition, condition); }
    int32_t GetTilingCond() const { return result_->condition; }
    ge::graphStatus SetLocalMemorySize(uint32_t bytes) { return Set(result_->local_memory, bytes); }
    uint32_t GetLocalMemorySize() const { return result_->local_memory; }
    ge::graphStatus SetDynUBufSize(uint32_t bytes) { return SetLocalMemorySize(bytes); }
    uint32_t GetDynUBufSize() const { return result_->local_memory; }
    ge::graphStatus SetSimtGridDim(const Dim3 &grid) { return Set(result_->simt_grid, grid); }
    ge::graphStatus SetSimtBlockDim(const Dim3 &block) { return Set(result_->simt_block, block); }

    // NULL where T does not fit the buffer. Bytes that were not in use before are zero.
    template <typename T> T *GetTilingData()
    {
        TilingData &raw = result_->raw;
        const size_t used = raw.GetDataSize();
        raw.SetDataSize(sizeof(T));
        if (sizeof(T) > raw.GetCapacity()) {
            return nullptr;
        }
        if (used < sizeof(T)) {
            std::memset(static_cast<char *>(raw.GetData()) + used, 0, sizeof(T) - used);
        }
        return static_cast<T *>(raw.GetData());
    }
    TilingData *GetRawTilingData() { return &result_->raw; }
    size_t *GetWorkspaceSizes(size_t count)
    {
        if (count > TilingResult::kMaxWorkspaces) {
            return nullptr;
        }
        result_->workspace_count = count;
        return result_->workspaces;
    }
    size_t GetWorkspaceNum() const { return result_->workspace_count; }

    fe::PlatFormInfos *GetPlatformInfo() const { return platform_; }
    // What the operator's TilingParse function made, once for each chip; NULL for an operator without one.
    const void *GetCompileInfo() const { return compile_info_; }
    template <typename T> const T *GetCompileInfo() const { return static_cast<const T *>(compile_info_); }
    int32_t GetDeterministic() const { return deterministic_; }
    int32_t GetDeterministicLevel() const { return deterministic_; }

private:
    template <typename T> static ge::graphStatus Set(T &target, const T &value)
    {
        target = value;
        return ge::GRAPH_SUCCESS;
    }
    static const StorageShape *ShapeOf(const Tensor *tensor)
    {
        return tensor == nullptr ? nullptr : &tensor->GetShape();
    }

    TilingResult *result_;
    fe::PlatFormInfos *platform_;
    const void *compile_info_;
    int32_t deterministic_;
};

} // namespace gert

#endif // OPKG_HOST_TILING_CONTEXT_H
