// SPDX-License-Identifier: Apache-2.0
// Tiling: choose the column, run the operator's function, hand its decisions to the caller.
#include <stdexcept>

#include "columns.hpp"
#include "frame.hpp"
#include "guard.hpp"
#include "platform.hpp"
#include "register/tilingdata_base.h"
#include "tensors.hpp"

namespace opkg::host {

void ThrowTilingTooLarge(size_t size, size_t capacity)
{
    throw std::length_error("tiling data of " + std::to_string(size) + " bytes does not fit the buffer of " +
                            std::to_string(capacity) + " bytes");
}

namespace {

// What TilingParse made for this chip; made when first asked for.
int32_t CompileInfo(Operator &op, fe::PlatFormInfos *platform, const void *&info, const opkg_exec_v1 *exec)
{
    info = nullptr;
    if (op.impl.parse == nullptr) {
        return kOk;
    }
    std::atomic<void *> &slot = op.compile_infos[PlatformIndex(platform)];
    info = slot.load(std::memory_order_acquire);
    if (info != nullptr) {
        return kOk;
    }
    const std::lock_guard<std::mutex> lock(op.compile_mutex);
    void *made = slot.load(std::memory_order_relaxed);
    if (made == nullptr) {
        made = op.impl.create_compile_info();
        gert::TilingParseContext context(op.type.c_str(), made, platform);
        const ge::graphStatus status = op.impl.parse(&context);
        if (status != ge::GRAPH_SUCCESS) {
            return Report(exec, kTiling, op.type + ": TilingParse failed (it returned " + std::to_string(status) + ")");
        }
        slot.store(made, std::memory_order_release);
    }
    info = made;
    return kOk;
}

// Whether there is nothing to compute: every output is known to be empty.
bool AllOutputsEmpty(const Operator &op, const opkg_call_v1 &call)
{
    if (op.launch_empty || op.computes_shapes || call.n_outputs == 0) {
        return false;
    }
    for (uint32_t i = 0; i < call.n_outputs; ++i) {
        if (!IsAbsent(call.outputs[i]) && ElementCount(call.outputs[i]) != 0) {
            return false;
        }
    }
    return true;
}

void Clear(opkg_tiling_v1 &tiling, uint32_t column)
{
    tiling.column = column;
    tiling.tiling_key = 0;
    tiling.block_dim = 1;
    tiling.schedule_mode = 0;
    tiling.workspace_size = 0;
    tiling.data_size = 0;
    tiling.needs_values = 0;
    tiling.flags = 0;
}

int32_t Store(const Operator &op, const opkg_call_v1 &call, const gert::TilingResult &result, opkg_tiling_v1 &tiling,
              const opkg_exec_v1 *exec)
{
    tiling.tiling_key = result.key;
    tiling.block_dim = result.block_dim;
    tiling.schedule_mode = result.schedule_mode;
    tiling.data_size = result.raw.GetDataSize();
    tiling.flags = result.needs_atomic ? kTilingFillsOutputs : 0;
    for (size_t i = 0; i < result.workspace_count; ++i) {
        // Each workspace begins at an address that any core may transfer to.
        tiling.workspace_size += (result.workspaces[i] + 511) / 512 * 512;
    }
    if (tiling.data_size > tiling.data_capacity) {
        return Report(exec, kTiling,
                      Who(op, call) + ": its tiling data of " + std::to_string(tiling.data_size) +
                          " bytes does not fit the buffer of " + std::to_string(tiling.data_capacity) + " bytes");
    }
    if (tiling.block_dim == 0) {
        return Report(exec, kTiling,
                      Who(op, call) + ": its tiling function set the block dim to 0 for " + TensorsText(op, call));
    }
    return kOk;
}

int32_t RunTiling(Operator &op, const opkg_call_v1 &call, opkg_tiling_v1 &tiling, const opkg_exec_v1 *exec)
{
    const bool own_soc = call.soc == nullptr || *call.soc == '\0';
    fe::PlatFormInfos *platform = own_soc ? op.platform : PlatformOf(call.soc);
    if (platform == nullptr) {
        const std::string soc = own_soc ? op.package_soc : call.soc;
        return Report(exec, kInvalidParameter, Who(op, call) + ": there is no chip named '" + soc + "'");
    }
    Frame frame;
    const int32_t bad_frame = frame.Build(op, call, Phase::kTiling, exec);
    if (bad_frame != kOk) {
        return bad_frame;
    }
    tiling.needs_values = frame.ReadsValues() ? 1 : 0;
    const void *compile_info = nullptr;
    const int32_t bad_info = CompileInfo(op, platform, compile_info, exec);
    if (bad_info != kOk) {
        return bad_info;
    }
    gert::TilingResult result(tiling.data, tiling.data == nullptr ? 0 : tiling.data_capacity);
    gert::TilingContext context(frame.Info(), frame.Inputs(), frame.Outputs(), &result, platform, compile_info,
                                static_cast<int32_t>(call.deterministic));
    const ge::graphStatus status = op.impl.tiling(&context);
    if (status != ge::GRAPH_SUCCESS) {
        return Report(exec, kTiling,
                      Who(op, call) + ": its tiling function failed (it returned " + std::to_string(status) + ") for " +
                          TensorsText(op, call));
    }
    return Store(op, call, result, tiling, exec);
}

int32_t Tiling(Operator &op, opkg_call_v1 *call, opkg_tiling_v1 *tiling, const opkg_exec_v1 *exec)
{
    const int32_t bad = CheckCall(op, call, exec);
    if (bad != kOk) {
        return bad;
    }
    if (tiling == nullptr || tiling->struct_size < sizeof(opkg_tiling_v1)) {
        return Report(exec, kInvalidParameter, Who(op, *call) + ": there is no room for the result of tiling");
    }
    const uint32_t column = SelectColumn(op, *call, true);
    if (column == kNoColumn) {
        return Report(exec, kInvalidParameter, NoColumnText(op, *call));
    }
    Clear(*tiling, column);
    if (AllOutputsEmpty(op, *call)) {
        tiling->block_dim = 0;
        return kOk;
    }
    return op.impl.tiling == nullptr ? static_cast<int32_t>(kOk) : RunTiling(op, *call, *tiling, exec);
}

} // namespace

int32_t TilingEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, opkg_tiling_v1 *tiling, const opkg_exec_v1 *exec)
{
    return Guard(Self(op), "its tiling function", kTiling, exec,
                 [&] { return Tiling(MutableSelf(op), call, tiling, exec); });
}

int32_t WorkspaceEntry(const opkg_operator_v1 *, const opkg_tiling_v1 *tiling, uint64_t *bytes)
{
    if (tiling == nullptr || bytes == nullptr) {
        return kNullPointer;
    }
    *bytes = tiling->workspace_size;
    return kOk;
}

} // namespace opkg::host
