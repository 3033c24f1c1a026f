// SPDX-License-Identifier: Apache-2.0
#include "registry_data.hpp"

#include <exception>

#include "describe.hpp"
#include "platform.hpp"

namespace opkg::host {
namespace {

// As msopgen names files: AddCustom -> add_custom, GRUCell -> gru_cell.
std::string SnakeCase(const std::string &type)
{
    const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    std::string name;
    for (size_t i = 0; i < type.size(); ++i) {
        const char c = type[i];
        if (upper(c) && i > 0 && type[i - 1] != '_' &&
            (!upper(type[i - 1]) || (i + 1 < type.size() && lower(type[i + 1])))) {
            name += '_';
        }
        name += upper(c) ? static_cast<char>(c + 32) : c;
    }
    return name;
}

const ops::OpAICoreConfig *FindConfig(const std::vector<std::pair<std::string, ops::OpAICoreConfig>> &configs,
                                      const std::string &unit)
{
    for (const auto &config : configs) {
        if (config.first == unit) {
            return &config.second;
        }
    }
    return nullptr;
}

// Configs of REGISTER_OP_AICORE_CONFIG count where AddConfig has none for the same unit.
void AddRegisteredConfigs(const RegistryData &data, OpSpec &spec)
{
    for (const RegistryData::Config &registered : data.configs) {
        if (registered.type == spec.type && FindConfig(spec.configs, registered.soc) == nullptr) {
            spec.configs.emplace_back(registered.soc, registered.create());
        }
    }
}

void FillTable(Operator &op)
{
    bool depends = false;
    for (const Param &input : op.inputs) {
        depends |= input.value_infer || input.value_tiling;
    }
    op.table.struct_size = sizeof(opkg_operator_v1);
    op.table.abi_version = OPKG_ABI_VERSION;
    op.table.type = op.type.c_str();
    op.table.self = &op;
    op.table.infer_shape = InferShapeEntry;
    op.table.infer_dtype = InferDtypeEntry;
    op.table.tiling = TilingEntry;
    op.table.workspace = WorkspaceEntry;
    op.table.launch = LaunchEntry;
    op.table.flags = (op.computes_shapes ? uint32_t{OPKG_OPERATOR_DATA_DEPENDENT_SHAPE} : 0u) |
                     (depends ? uint32_t{OPKG_OPERATOR_VALUE_DEPENDENT} : 0u);
    op.table.n_columns = op.columns;
}

// The size of an operator's tiling struct where there is exactly one: Add_1 gives key 1 a struct of its own.
uint64_t OnlyTilingSize(const RegistryData &data, const std::string &type)
{
    uint64_t size = 0;
    int found = 0;
    for (const RegistryData::TilingStruct &s : data.tiling_structs) {
        const bool keyed = s.op_type.compare(0, type.size() + 1, type + "_") == 0 &&
                           s.op_type.find_first_not_of("0123456789", type.size() + 1) == std::string::npos;
        if (s.op_type == type || keyed) {
            size = s.size;
            ++found;
        }
    }
    return found == 1 ? size : 0;
}

std::string KernelPathOf(const RegistryData &data, const std::string &type)
{
    for (const auto &path : data.kernel_paths) {
        if (path.first == type) {
            return path.second;
        }
    }
    return "op_impl/ai_core/tbe/kernel/cpu/" + SnakeCase(type) + "/" + type + "_%u.so";
}

bool IsRepeated(const RegistryData &data, const RegistryData::Added &added)
{
    int found = 0;
    for (const RegistryData::Added &other : data.added) {
        found += other.type == added.type ? 1 : 0;
    }
    return found > 1;
}

std::unique_ptr<Operator> MakeOperator(RegistryData &data, const RegistryData::Added &added)
{
    std::unique_ptr<Operator> op(new Operator);
    op->type = added.type;
    op->root = data.root;
    op->package_soc = data.soc;
    op->platform = PlatformOf(data.soc.c_str());
    op->kernel_path = KernelPathOf(data, added.type);
    op->tiling_size = OnlyTilingSize(data, added.type);
    if (ImplSpec *impl = data.FindImpl(added.type)) {
        op->impl = *impl;
    }
    try {
        const std::unique_ptr<ops::OpDef> def(added.create(added.type.c_str()));
        OpSpec &spec = Access::Of(*def);
        AddRegisteredConfigs(data, spec);
        for (const auto &config : spec.configs) {
            op->units.push_back(config.first);
        }
        const SocInfo *soc = find_soc(data.soc.c_str());
        const ops::OpAICoreConfig *config = soc == nullptr ? nullptr : FindConfig(spec.configs, soc->compute_unit);
        Resolve(spec, config == nullptr ? nullptr : &Access::Of(*config), *op);
    } catch (const std::exception &error) {
        op->error = std::string("its constructor threw: ") + error.what();
    } catch (...) {
        op->error = "its constructor threw something that is not a std::exception";
    }
    if (IsRepeated(data, added)) {
        op->error = "two classes are registered for it";
    }
    op->columns = op->error.empty() ? op->columns : 0;
    op->kernels.reset(new std::atomic<const opkg_kernel_table_v1 *>[op->columns]());
    FillTable(*op);
    return op;
}

void OpenOnce(RegistryData &data, const char *root, const char *(*describe)())
{
    data.root = root == nullptr ? "" : root;
    while (data.root.size() > 1 && data.root.back() == '/') {
        data.root.pop_back();
    }
    data.operators.clear();
    data.tables.clear();
    for (const RegistryData::Added &added : data.added) {
        data.operators.push_back(MakeOperator(data, added));
        data.tables.push_back(&data.operators.back()->table);
    }
    opkg_package_v1 &p = data.package;
    p.struct_size = sizeof(opkg_package_v1);
    p.abi_version = OPKG_ABI_VERSION;
    p.vendor = data.vendor.c_str();
    p.name = data.name.c_str();
    p.version = data.version.c_str();
    p.soc = data.soc.c_str();
    p.n_operators = static_cast<uint32_t>(data.tables.size());
    p.operators = data.tables.data();
    p.describe = describe;
}

} // namespace

ImplSpec *RegistryData::FindImpl(const std::string &type)
{
    for (auto &impl : impls) {
        if (impl.first == type) {
            return &impl.second;
        }
    }
    return nullptr;
}

Registry::Registry() : data_(new RegistryData) {}
Registry::~Registry() { delete data_; }

bool Registry::AddOperator(const char *type, ops::OpDef *(*create)(const char *type))
{
    data_->added.push_back({type, create});
    return true;
}

bool Registry::AddConfig(const char *type, const char *soc, ops::OpAICoreConfig (*create)())
{
    data_->configs.push_back({type, soc, create});
    return true;
}

ImplSpec *Registry::Impl(const char *type)
{
    ImplSpec *found = data_->FindImpl(type);
    if (found == nullptr) {
        data_->impls.emplace_back(type, ImplSpec());
        found = &data_->impls.back().second;
    }
    return found;
}

bool Registry::AddTilingStruct(const char *op_type, const char *class_name, size_t size, const TilingField *fields,
                               size_t count)
{
    for (const RegistryData::TilingStruct &known : data_->tiling_structs) {
        if (known.op_type == op_type && known.class_name == class_name) {
            return true; // a header that several sources include
        }
    }
    data_->tiling_structs.push_back({op_type, class_name, size, std::vector<TilingField>(fields, fields + count)});
    return true;
}

bool Registry::AddPackage(const char *vendor, const char *name, const char *version, const char *soc)
{
    data_->vendor = vendor;
    data_->name = name;
    data_->version = version;
    data_->soc = soc;
    return true;
}

bool Registry::AddKernelPath(const char *type, const char *path)
{
    data_->kernel_paths.emplace_back(type, path);
    return true;
}

const opkg_package_v1 *Registry::Open(const char *root, const char *(*describe)()) noexcept
{
    try {
        std::call_once(data_->opened, [&] { OpenOnce(*data_, root, describe); });
        return &data_->package;
    } catch (const std::exception &) {
        return nullptr;
    }
}

const char *Registry::Describe() noexcept
{
    try {
        const std::lock_guard<std::mutex> lock(data_->describe_mutex);
        if (data_->description.empty()) {
            data_->description = DescribePackage(*data_);
        }
        return data_->description.c_str();
    } catch (const std::exception &) {
        return nullptr;
    }
}

} // namespace opkg::host
