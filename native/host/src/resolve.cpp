// SPDX-License-Identifier: Apache-2.0
// From an OpDef to columns. Parameters with DataType or Format give one entry a column; those with DataTypeList or
// FormatList are combined with every column: the columns of the others stay in order, and for each of them the lists
// vary, that of the last parameter fastest. Without any format a parameter is ND.
#include <cstring>

#include "attr_values.hpp"
#include "operator.hpp"
#include "types.hpp"

namespace opkg::host {
namespace {

constexpr size_t kMaxColumns = 4096;

void MergeParam(ParamSpec &base, const ParamSpec &over)
{
    if (over.has_param_type) {
        base.param_type = over.param_type;
    }
    if (!over.dtypes.empty() || !over.dtype_list.empty()) {
        base.dtypes = over.dtypes;
        base.dtype_list = over.dtype_list;
    }
    if (!over.formats.empty() || !over.format_list.empty()) {
        base.formats = over.formats;
        base.format_list = over.format_list;
    }
    if (over.value_depend) {
        base.value_depend = true;
        base.value_depend_option = over.value_depend_option;
        base.value_depend_scope = over.value_depend_scope;
    }
    base.computed_shape |= over.computed_shape;
    if (!over.follow.empty()) {
        base.follow = over.follow;
        base.follow_type = over.follow_type;
    }
    if (!over.init_values.empty()) {
        base.init_values = over.init_values;
    }
    base.extra.insert(base.extra.end(), over.extra.begin(), over.extra.end());
}

std::vector<ParamSpec> Merge(const std::deque<ops::OpParamDef> &defs, const std::deque<ops::OpParamDef> *overrides)
{
    std::vector<ParamSpec> merged;
    for (const ops::OpParamDef &def : defs) {
        merged.push_back(Access::Of(def));
    }
    if (overrides == nullptr) {
        return merged;
    }
    for (const ops::OpParamDef &def : *overrides) {
        const ParamSpec &over = Access::Of(def);
        bool found = false;
        for (ParamSpec &base : merged) {
            if (base.name == over.name) {
                MergeParam(base, over);
                found = true;
            }
        }
        if (!found) {
            merged.push_back(over);
        }
    }
    return merged;
}

bool FollowsDtype(const ParamSpec &p)
{
    return !p.follow.empty() && (p.follow_type == ops::FollowType::ALL || p.follow_type == ops::FollowType::DTYPE);
}
bool FollowsFormat(const ParamSpec &p)
{
    return !p.follow.empty() && (p.follow_type == ops::FollowType::ALL || p.follow_type == ops::FollowType::FORMAT);
}
bool FollowsShape(const ParamSpec &p)
{
    return !p.follow.empty() && (p.follow_type == ops::FollowType::ALL || p.follow_type == ops::FollowType::SHAPE);
}

// One source of a column's entries: the dtypes or the formats of one parameter.
struct Axis {
    bool is_list;
    std::vector<int32_t> values;
    std::vector<int32_t> *target;
};

template <typename E> std::vector<int32_t> Numbers(const std::vector<E> &values)
{
    return std::vector<int32_t>(values.begin(), values.end());
}

// Collects the axes of one parameter; returns what is wrong with it.
std::string AddAxes(const ParamSpec &spec, Param &param, std::vector<Axis> &axes)
{
    if (!FollowsDtype(spec)) {
        if (spec.dtypes.empty() == spec.dtype_list.empty()) {
            return spec.dtypes.empty() ? "has no data types" : "has both DataType and DataTypeList";
        }
        axes.push_back(
            {spec.dtypes.empty(), Numbers(spec.dtypes.empty() ? spec.dtype_list : spec.dtypes), &param.dtypes});
    }
    if (!FollowsFormat(spec)) {
        if (!spec.formats.empty() && !spec.format_list.empty()) {
            return "has both Format and FormatList";
        }
        std::vector<int32_t> formats = Numbers(spec.formats.empty() ? spec.format_list : spec.formats);
        if (formats.empty()) {
            formats.push_back(ge::FORMAT_ND);
        }
        axes.push_back({spec.formats.empty(), std::move(formats), &param.formats});
    }
    return "";
}

// Appends every column: for each row of the plain axes all combinations of the lists.
void Expand(const std::vector<Axis> &axes, size_t rows, size_t combinations)
{
    for (size_t row = 0; row < rows; ++row) {
        for (size_t c = 0; c < combinations; ++c) {
            size_t rest = c;
            size_t stride = combinations;
            for (const Axis &axis : axes) {
                size_t index = row;
                if (axis.is_list) {
                    stride /= axis.values.size();
                    index = rest / stride;
                    rest %= stride;
                }
                axis.target->push_back(axis.values[index]);
            }
        }
    }
}

int FindParam(const std::vector<ParamSpec> &specs, const std::string &name)
{
    for (size_t i = 0; i < specs.size(); ++i) {
        if (specs[i].name == name) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

// The parameter at the end of a chain of Follow, an input; -1 where the chain leads nowhere.
int FollowEnd(const std::vector<ParamSpec> &inputs, const ParamSpec &start, bool (*follows)(const ParamSpec &))
{
    int at = FindParam(inputs, start.follow);
    for (size_t steps = 0; at >= 0 && follows(inputs[static_cast<size_t>(at)]); ++steps) {
        if (steps > inputs.size()) {
            return -1;
        }
        at = FindParam(inputs, inputs[static_cast<size_t>(at)].follow);
    }
    return at;
}

std::string CheckRows(const std::vector<Axis> &axes, const std::vector<std::string> &owners, size_t &rows,
                      size_t &combinations)
{
    rows = 0;
    combinations = 1;
    std::string first;
    for (size_t i = 0; i < axes.size(); ++i) {
        const size_t count = axes[i].values.size();
        if (axes[i].is_list) {
            combinations *= count;
        } else if (rows == 0) {
            rows = count;
            first = owners[i];
        } else if (count != rows) {
            return owners[i] + " has " + std::to_string(count) + " entries but " + first + " has " +
                   std::to_string(rows);
        }
        if (combinations > kMaxColumns) {
            return "it has more than " + std::to_string(kMaxColumns) + " columns";
        }
    }
    rows = rows == 0 ? 1 : rows;
    return "";
}

void CopyTraits(const ParamSpec &spec, Param &param)
{
    param.name = spec.name;
    param.type = spec.param_type;
    param.value_tiling = spec.value_depend;
    param.value_infer = spec.value_depend && spec.value_depend_scope != ops::DependScope::TILING;
    param.value_required = spec.value_depend && spec.value_depend_option == ops::REQUIRED;
    param.computed_shape = spec.computed_shape;
    param.extra = spec.extra;
    if (!spec.follow.empty()) {
        param.extra.emplace_back("follow", spec.follow);
    }
    const std::vector<ge::DataType> &types = spec.dtypes.empty() ? spec.dtype_list : spec.dtypes;
    for (size_t i = 0; i < spec.init_values.size(); ++i) {
        const bool one_each = spec.init_values.size() > 1 && i < types.size();
        param.init.emplace_back(one_each ? static_cast<int32_t>(types[i]) : -1, spec.init_values[i]);
    }
}

std::string ResolveFollowers(const std::vector<ParamSpec> &ins, const std::vector<ParamSpec> &specs,
                             std::vector<Param> &params, const std::vector<Param> &inputs)
{
    for (size_t i = 0; i < specs.size(); ++i) {
        const struct {
            bool (*follows)(const ParamSpec &);
            std::vector<int32_t> Param::*member;
        } kinds[] = {{FollowsDtype, &Param::dtypes}, {FollowsFormat, &Param::formats}};
        for (const auto &kind : kinds) {
            if (!kind.follows(specs[i])) {
                continue;
            }
            const int end = FollowEnd(ins, specs[i], kind.follows);
            if (end < 0) {
                return "'" + specs[i].name + "' follows '" + specs[i].follow + "', which is not an input";
            }
            params[i].*kind.member = inputs[static_cast<size_t>(end)].*kind.member;
        }
        if (FollowsShape(specs[i])) {
            params[i].shape_from = FollowEnd(ins, specs[i], FollowsShape);
        }
    }
    return "";
}

std::string ResolveParams(const std::vector<ParamSpec> &ins, const std::vector<ParamSpec> &outs, Operator &op)
{
    op.inputs.resize(ins.size());
    op.outputs.resize(outs.size());
    std::vector<Axis> axes;
    std::vector<std::string> owners;
    for (size_t i = 0; i < ins.size() + outs.size(); ++i) {
        const bool is_input = i < ins.size();
        const ParamSpec &spec = is_input ? ins[i] : outs[i - ins.size()];
        Param &param = is_input ? op.inputs[i] : op.outputs[i - ins.size()];
        CopyTraits(spec, param);
        const std::string owner = (is_input ? "input '" : "output '") + spec.name + "'";
        const std::string problem = AddAxes(spec, param, axes);
        if (!problem.empty()) {
            return owner + " " + problem;
        }
        while (owners.size() < axes.size()) {
            owners.push_back((axes[owners.size()].target == &param.formats ? "Format of " : "DataType of ") + owner);
        }
    }
    size_t rows = 0;
    size_t combinations = 0;
    std::string problem = CheckRows(axes, owners, rows, combinations);
    if (!problem.empty()) {
        return problem;
    }
    if (rows * combinations > kMaxColumns) {
        return "it has more than " + std::to_string(kMaxColumns) + " columns";
    }
    Expand(axes, rows, combinations);
    op.columns = static_cast<uint32_t>(rows * combinations);
    problem = ResolveFollowers(ins, ins, op.inputs, op.inputs);
    return problem.empty() ? ResolveFollowers(ins, outs, op.outputs, op.inputs) : problem;
}

void ResolveAttrs(const OpSpec &spec, Operator &op)
{
    for (const ops::OpAttrDef &def : spec.attrs) {
        const AttrSpec &attr = Access::Of(def);
        if (!attr.has_kind && op.error.empty()) {
            op.error = "attribute '" + std::string(attr.name.GetString()) + "' has no type";
        }
        op.attrs.push_back(attr);
        op.defaults.push_back(MakeDefault(attr));
    }
}

// What IMPL_OP registered counts where the OpDef itself names no function.
void MergeImpl(const ImplSpec &from_def, ImplSpec &impl)
{
    impl.infer_shape = from_def.infer_shape != nullptr ? from_def.infer_shape : impl.infer_shape;
    impl.infer_shape_range =
        from_def.infer_shape_range != nullptr ? from_def.infer_shape_range : impl.infer_shape_range;
    impl.infer_dtype = from_def.infer_dtype != nullptr ? from_def.infer_dtype : impl.infer_dtype;
    impl.tiling = from_def.tiling != nullptr ? from_def.tiling : impl.tiling;
}

template <typename Set> void ForEachIndex(const std::vector<int32_t> &indices, std::vector<Param> &params, Set set)
{
    for (const int32_t index : indices) {
        if (index >= 0 && static_cast<size_t>(index) < params.size()) {
            set(params[static_cast<size_t>(index)]);
        }
    }
}

} // namespace

void Resolve(const OpSpec &spec, const ConfigSpec *config, Operator &op)
{
    const std::vector<ParamSpec> ins = Merge(spec.inputs, config == nullptr ? nullptr : &config->inputs);
    const std::vector<ParamSpec> outs = Merge(spec.outputs, config == nullptr ? nullptr : &config->outputs);
    op.error = outs.empty() ? "it has no outputs" : ResolveParams(ins, outs, op);
    ResolveAttrs(spec, op);
    MergeImpl(spec.impl, op.impl);
    op.strict_formats = spec.strict_formats;
    op.launch_empty = spec.launch_empty;
    if (config != nullptr) {
        op.flags = config->flags;
    }
    ForEachIndex(op.impl.value_inputs, op.inputs, [](Param &p) { p.value_infer = p.value_tiling = true; });
    ForEachIndex(op.impl.tiling_value_inputs, op.inputs, [](Param &p) { p.value_tiling = true; });
    ForEachIndex(op.impl.computed_shapes, op.outputs, [](Param &p) { p.computed_shape = true; });
    for (Param &output : op.outputs) {
        op.computes_shapes |= output.computed_shape;
        output.in_place_of = FindParam(ins, output.name);
    }
}

std::string ColumnText(const Operator &op, uint32_t column)
{
    std::string text;
    const auto add = [&](const std::vector<Param> &params) {
        for (size_t i = 0; i < params.size(); ++i) {
            const Param &p = params[i];
            text +=
                (i == 0 ? "" : ", ") + p.name + ":" + DtypeName(p.dtypes[column]) + " " + FormatName(p.formats[column]);
        }
    };
    add(op.inputs);
    text += " -> ";
    add(op.outputs);
    return text;
}

} // namespace opkg::host
