// SPDX-License-Identifier: Apache-2.0
// An operator as the package table runs it: its OpDef merged with what differs on the package's chip, columns spelled
// out, functions found.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "opkg/package_abi.h"
#include "opkg/soc_table.h"
#include "slots.hpp"
#include "spec.hpp"

namespace opkg::host {

// Bits of opkg_tiling_v1::flags.
constexpr uint32_t kTilingFillsOutputs = 1; // outputs with InitValue are filled before the kernel runs

struct Param {
    std::string name;
    ops::Option type = ops::REQUIRED;
    std::vector<int32_t> dtypes;  // by column
    std::vector<int32_t> formats; // by column
    bool value_infer = false;     // inference sees its values
    bool value_tiling = false;    // tiling sees its values
    bool value_required = false;
    bool computed_shape = false;
    int shape_from = -1;     // input whose shape an output has by Follow
    int in_place_of = -1;    // input of the same name as this output
    std::vector<std::pair<int32_t, ops::ScalarVar>> init; // by dtype; dtype -1 stands for all
    std::vector<std::pair<std::string, std::string>> extra;
};

// An attribute's default in the form in which RuntimeAttrs shows it; NULL where there is none.
struct AttrDefault {
    std::unique_ptr<Arena> storage;
    const void *value = nullptr;
};

struct Operator {
    opkg_operator_v1 table = {};
    std::string type;
    std::string error; // why the OpDef cannot be used; empty where it can
    std::vector<Param> inputs;
    std::vector<Param> outputs;
    std::vector<AttrSpec> attrs;
    std::vector<AttrDefault> defaults;
    std::vector<std::pair<std::string, std::string>> flags;
    std::vector<std::string> units; // compute units of AddConfig
    ImplSpec impl;
    std::string package_soc;
    fe::PlatFormInfos *platform = nullptr; // of package_soc; NULL where that is no chip
    uint32_t columns = 0;
    bool strict_formats = false;
    bool launch_empty = false;
    bool computes_shapes = false;
    uint64_t tiling_size = 0; // of the only tiling struct registered for it, else 0

    std::string root;
    std::string kernel_path; // below root, %u stands for the column
    std::unique_ptr<std::atomic<const opkg_kernel_table_v1 *>[]> kernels;
    std::mutex kernels_mutex;
    std::atomic<void *> compile_infos[kSocCount] = {};
    std::mutex compile_mutex;
};

inline const Operator &Self(const opkg_operator_v1 *op) { return *static_cast<const Operator *>(op->self); }
inline Operator &MutableSelf(const opkg_operator_v1 *op)
{
    return *const_cast<Operator *>(static_cast<const Operator *>(op->self));
}

// Fills an operator from what its OpDef collected. `config` may be NULL. Problems end up in op.error.
void Resolve(const OpSpec &spec, const ConfigSpec *config, Operator &op);

// "x:float32 ND, y:float16 ND -> z:float32 ND"
std::string ColumnText(const Operator &op, uint32_t column);

// Entries of the table.
int32_t InferShapeEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_exec_v1 *exec);
int32_t InferDtypeEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_exec_v1 *exec);
int32_t TilingEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, opkg_tiling_v1 *tiling, const opkg_exec_v1 *exec);
int32_t WorkspaceEntry(const opkg_operator_v1 *op, const opkg_tiling_v1 *tiling, uint64_t *bytes);
int32_t LaunchEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_tiling_v1 *tiling,
                    const opkg_exec_v1 *exec);

} // namespace opkg::host
