// SPDX-License-Identifier: Apache-2.0
#include "spec.hpp"

using opkg::host::Access;
using opkg::host::AttrKind;
using opkg::host::AttrSpec;
using opkg::host::ConfigSpec;
using opkg::host::OpSpec;
using opkg::host::ParamSpec;

namespace {

void SetPair(std::vector<std::pair<std::string, std::string>> &pairs, const std::string &key, const std::string &value)
{
    for (auto &pair : pairs) {
        if (pair.first == key) {
            pair.second = value;
            return;
        }
    }
    pairs.emplace_back(key, value);
}

const char *Text(const char *text) { return text == nullptr ? "" : text; }

} // namespace

namespace ops {

OpParamDef::OpParamDef(const char *name) : spec_(new ParamSpec) { spec_->name = Text(name); }
OpParamDef::OpParamDef(const OpParamDef &other) : spec_(new ParamSpec(*other.spec_)) {}
OpParamDef::~OpParamDef() = default;
OpParamDef &OpParamDef::operator=(const OpParamDef &other)
{
    *spec_ = *other.spec_;
    return *this;
}
OpParamDef &OpParamDef::ParamType(Option type)
{
    spec_->param_type = type;
    spec_->has_param_type = true;
    return *this;
}
OpParamDef &OpParamDef::DataType(std::vector<ge::DataType> types)
{
    spec_->dtypes = std::move(types);
    return *this;
}
OpParamDef &OpParamDef::Format(std::vector<ge::Format> formats)
{
    spec_->formats = std::move(formats);
    return *this;
}
OpParamDef &OpParamDef::DataTypeList(std::vector<ge::DataType> types)
{
    spec_->dtype_list = std::move(types);
    return *this;
}
OpParamDef &OpParamDef::FormatList(std::vector<ge::Format> formats)
{
    spec_->format_list = std::move(formats);
    return *this;
}
// Deprecated in the field and without meaning here: a column's format serves known and unknown shapes.
OpParamDef &OpParamDef::UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
// These let several columns share one binary; here each column has its own, which computes the same.
OpParamDef &OpParamDef::DataTypeForBinQuery(std::vector<ge::DataType>) { return *this; }
OpParamDef &OpParamDef::FormatForBinQuery(std::vector<ge::Format>) { return *this; }
OpParamDef &OpParamDef::ValueDepend(Option depend) { return ValueDepend(depend, DependScope::ALL); }
OpParamDef &OpParamDef::ValueDepend(Option depend, DependScope scope)
{
    spec_->value_depend = depend == REQUIRED || depend == OPTIONAL;
    spec_->value_depend_option = depend;
    spec_->value_depend_scope = scope;
    SetPair(spec_->extra, "valueDepend", depend == REQUIRED ? "required" : "optional");
    return *this;
}
OpParamDef &OpParamDef::IgnoreContiguous()
{
    SetPair(spec_->extra, "ignoreContiguous", "true");
    return *this;
}
OpParamDef &OpParamDef::AutoContiguous()
{
    SetPair(spec_->extra, "autoContiguous", "true");
    return *this;
}
OpParamDef &OpParamDef::Scalar()
{
    SetPair(spec_->extra, "scalar", "true");
    return *this;
}
OpParamDef &OpParamDef::ScalarList()
{
    SetPair(spec_->extra, "scalarList", "true");
    return *this;
}
OpParamDef &OpParamDef::To(ge::DataType type)
{
    SetPair(spec_->extra, "to", std::to_string(static_cast<int>(type)));
    return *this;
}
OpParamDef &OpParamDef::To(const char *name)
{
    SetPair(spec_->extra, "to", Text(name));
    return *this;
}
OpParamDef &OpParamDef::Version(uint32_t version)
{
    SetPair(spec_->extra, "version", std::to_string(version));
    return *this;
}
OpParamDef &OpParamDef::InitValue(uint64_t value)
{
    return InitValue(ScalarVar(ScalarType::UINT64, value));
}
OpParamDef &OpParamDef::InitValue(const ScalarVar &value) { return InitValue(std::vector<ScalarVar>{value}); }
OpParamDef &OpParamDef::InitValue(const std::vector<ScalarVar> &values)
{
    spec_->init_values = values;
    SetPair(spec_->extra, "initValue", "true");
    return *this;
}
OpParamDef &OpParamDef::OutputShapeDependOnCompute()
{
    spec_->computed_shape = true;
    SetPair(spec_->extra, "outputShapeDependOnCompute", "true");
    return *this;
}
OpParamDef &OpParamDef::Follow(const char *name) { return Follow(name, FollowType::ALL); }
OpParamDef &OpParamDef::Follow(const char *name, FollowType type)
{
    spec_->follow = Text(name);
    spec_->follow_type = type;
    return *this;
}
OpParamDef &OpParamDef::Comment(const char *) { return *this; }

OpAttrDef::OpAttrDef(const char *name) : spec_(new AttrSpec) { spec_->name = ge::AscendString(name); }
OpAttrDef::OpAttrDef(const OpAttrDef &other) : spec_(new AttrSpec(*other.spec_)) {}
OpAttrDef::~OpAttrDef() = default;
OpAttrDef &OpAttrDef::operator=(const OpAttrDef &other)
{
    *spec_ = *other.spec_;
    return *this;
}
OpAttrDef &OpAttrDef::AttrType(Option type)
{
    spec_->required = type != OPTIONAL;
    return *this;
}
OpAttrDef &OpAttrDef::Version(uint32_t) { return *this; }
OpAttrDef &OpAttrDef::Comment(const char *) { return *this; }
ge::AscendString &OpAttrDef::GetName() const { return spec_->name; }
bool OpAttrDef::IsRequired() { return spec_->required; }

// One pair of setters for each kind of attribute: without and with a default.
#define OPKG_ATTR_KIND(Name, kind_value) \
    OpAttrDef &OpAttrDef::Name() \
    { \
        spec_->has_kind = true; \
        spec_->kind = AttrKind::kind_value; \
        return *this; \
    }
#define OPKG_ATTR_DEFAULT(Name, kind_value, Argument, assign) \
    OPKG_ATTR_KIND(Name, kind_value) \
    OpAttrDef &OpAttrDef::Name(Argument value) \
    { \
        spec_->has_default = true; \
        assign; \
        return Name(); \
    }
OPKG_ATTR_DEFAULT(Bool, kBool, bool, spec_->i = value ? 1 : 0)
OPKG_ATTR_DEFAULT(Float, kFloat, float, spec_->f = value)
OPKG_ATTR_DEFAULT(Int, kInt, int64_t, spec_->i = value)
OPKG_ATTR_DEFAULT(String, kString, const char *, spec_->s = Text(value))
OPKG_ATTR_DEFAULT(Type, kDtype, ge::DataType, spec_->i = value)
OPKG_ATTR_KIND(Tensor, kTensor)
OPKG_ATTR_DEFAULT(ListBool, kListBool, std::vector<bool>, spec_->ints.assign(value.begin(), value.end()))
OPKG_ATTR_DEFAULT(ListFloat, kListFloat, std::vector<float>, spec_->floats = std::move(value))
OPKG_ATTR_DEFAULT(ListInt, kListInt, std::vector<int64_t>, spec_->ints = std::move(value))
OPKG_ATTR_DEFAULT(ListString, kListString, std::vector<std::string>, spec_->strings = std::move(value))
OPKG_ATTR_DEFAULT(ListType, kListDtype, std::vector<ge::DataType>, spec_->ints.assign(value.begin(), value.end()))
OPKG_ATTR_DEFAULT(ListListInt, kListListInt, std::vector<std::vector<int64_t>>, spec_->rows = std::move(value))

OpAICoreConfig::OpAICoreConfig() : spec_(new ConfigSpec) {}
OpAICoreConfig::OpAICoreConfig(const char *) : OpAICoreConfig() {}
OpAICoreConfig::OpAICoreConfig(const OpAICoreConfig &other) : spec_(new ConfigSpec(*other.spec_)) {}
OpAICoreConfig::~OpAICoreConfig() = default;
OpAICoreConfig &OpAICoreConfig::operator=(const OpAICoreConfig &other)
{
    *spec_ = *other.spec_;
    return *this;
}
OpParamDef &OpAICoreConfig::Input(const char *name) { return opkg::host::FindOrAdd(spec_->inputs, Text(name)); }
OpParamDef &OpAICoreConfig::Output(const char *name) { return opkg::host::FindOrAdd(spec_->outputs, Text(name)); }

#define OPKG_CONFIG_FLAG(Name, key) \
    OpAICoreConfig &OpAICoreConfig::Name(bool flag) { return ExtendCfgInfo(key, flag ? "true" : "false"); }
OPKG_CONFIG_FLAG(DynamicCompileStaticFlag, "dynamicCompileStatic.flag")
OPKG_CONFIG_FLAG(DynamicFormatFlag, "dynamicFormat.flag")
OPKG_CONFIG_FLAG(DynamicRankSupportFlag, "dynamicRankSupport.flag")
OPKG_CONFIG_FLAG(DynamicShapeSupportFlag, "dynamicShapeSupport.flag")
OPKG_CONFIG_FLAG(NeedCheckSupportFlag, "needCheckSupport.flag")
OPKG_CONFIG_FLAG(PrecisionReduceFlag, "precision_reduce.flag")

OpAICoreConfig &OpAICoreConfig::ExtendCfgInfo(const char *key, const char *value)
{
    SetPair(spec_->flags, Text(key), Text(value));
    return *this;
}

OpAICoreDef &OpAICoreDef::SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function)
{
    op_->impl.tiling = function;
    return *this;
}
// The graph engine asks these while it compiles a graph for a chip; opkg has no such step.
OpAICoreDef &OpAICoreDef::SetCheckSupport(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef &OpAICoreDef::SetOpSelectFormat(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef &OpAICoreDef::SetOpSupportInfo(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef &OpAICoreDef::SetOpSpecInfo(optiling::OP_CHECK_FUNC) { return *this; }
OpAICoreDef &OpAICoreDef::SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC) { return *this; }
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc)
{
    OpAICoreConfig none;
    return AddConfig(soc, none);
}
OpAICoreDef &OpAICoreDef::AddConfig(const char *soc, OpAICoreConfig &config)
{
    for (auto &known : op_->configs) {
        if (known.first == Text(soc)) {
            known.second = config;
            return *this;
        }
    }
    op_->configs.emplace_back(Text(soc), config);
    return *this;
}
OpAICoreDef &OpAICoreDef::LaunchWithZeroEleOutputTensors(bool launch)
{
    op_->launch_empty = launch;
    return *this;
}

OpMC2Def &OpMC2Def::HcclGroup(const char *group)
{
    op_->hccl_groups.emplace_back(Text(group));
    return *this;
}
OpMC2Def &OpMC2Def::HcclGroup(std::vector<const char *> groups)
{
    for (const char *group : groups) {
        HcclGroup(group);
    }
    return *this;
}

OpDef::OpDef(const char *type) : spec_(new OpSpec), ai_core_(spec_.get()), mc2_(spec_.get())
{
    spec_->type = Text(type);
}
OpDef::~OpDef() = default;
OpParamDef &OpDef::Input(const char *name) { return opkg::host::FindOrAdd(spec_->inputs, Text(name)); }
OpParamDef &OpDef::Output(const char *name) { return opkg::host::FindOrAdd(spec_->outputs, Text(name)); }
OpAttrDef &OpDef::Attr(const char *name) { return opkg::host::FindOrAdd(spec_->attrs, Text(name)); }
OpDef &OpDef::SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function)
{
    spec_->impl.infer_shape = function;
    return *this;
}
OpDef &OpDef::SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function)
{
    spec_->impl.infer_shape_range = function;
    return *this;
}
OpDef &OpDef::SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function)
{
    spec_->impl.infer_dtype = function;
    return *this;
}
OpAICoreDef &OpDef::AICore() { return ai_core_; }
OpAICPUDef &OpDef::AICPU() { return ai_cpu_; }
OpHostCPUDef &OpDef::HostCPU() { return ai_cpu_; }
OpMC2Def &OpDef::MC2() { return mc2_; }
OpDef &OpDef::Comment(const char *) { return *this; }
OpDef &OpDef::FormatMatchMode(FormatCheckOption option)
{
    spec_->strict_formats = option == FormatCheckOption::STRICT;
    return *this;
}
OpDef &OpDef::EnableFallBack() { return *this; }

} // namespace ops
