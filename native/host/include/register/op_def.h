// SPDX-License-Identifier: Apache-2.0
// How an operator describes itself: inputs, outputs, attributes, dtype/format columns, and the functions that infer and
// tile. Everything here only collects; the package table (opkg/package_table.h) makes sense of it.
#ifndef OPKG_HOST_OP_DEF_H
#define OPKG_HOST_OP_DEF_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/operator.h"
#include "graph/types.h"
#include "register/op_impl_registry.h"

#define OPKG_HOST_API __attribute__((visibility("default")))

namespace opkg::host {
struct ParamSpec;
struct AttrSpec;
struct ConfigSpec;
struct OpSpec;
struct Access;
} // namespace opkg::host

namespace optiling {
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator &op, ge::AscendString &result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator &op, const ge::AscendString &generalize_config,
                                                  ge::AscendString &generalized_op_params);
} // namespace optiling

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FollowType { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class DependScope { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FormatCheckOption { DEFAULT = 0, STRICT = 1, MAX };
enum HcclServerType : uint32_t { AICPU = 0, AICORE, CCU, MAX };

enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = static_cast<uint32_t>(-1),
};

union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
    ScalarNum() : value_u64(0) {}
    explicit ScalarNum(uint64_t value) : value_u64(value) {}
    explicit ScalarNum(int64_t value) : value_i64(value) {}
    explicit ScalarNum(float value) : value_u64(0) { value_f32 = value; }
};

// A value and the type in which it fills an output. Floating types hold value_f32, the others an integer.
struct ScalarVar {
    ScalarType scalar_type = ScalarType::INVALID_DTYPE;
    ScalarNum scalar_num;

    ScalarVar() = default;
    ScalarVar(ScalarType type, uint64_t num) : scalar_type(type), scalar_num(Held(type, num)) {}
    ScalarVar(ScalarType type, int64_t num) : scalar_type(type), scalar_num(Held(type, num)) {}
    ScalarVar(ScalarType type, int num) : ScalarVar(type, static_cast<int64_t>(num)) {}
    ScalarVar(ScalarType type, unsigned int num) : ScalarVar(type, static_cast<uint64_t>(num)) {}
    ScalarVar(ScalarType type, float num) : scalar_type(type), scalar_num(Held(type, num)) {}
    ScalarVar(ScalarType type, double num) : ScalarVar(type, static_cast<float>(num)) {}
    bool operator==(const ScalarVar &o) const
    {
        return scalar_type == o.scalar_type && scalar_num.value_u64 == o.scalar_num.value_u64;
    }

private:
    template <typename T> static ScalarNum Held(ScalarType type, T num)
    {
        if (type == ScalarType::FLOAT32 || type == ScalarType::FLOAT16) {
            return ScalarNum(static_cast<float>(num));
        }
        return type == ScalarType::UINT64 ? ScalarNum(static_cast<uint64_t>(num))
                                          : ScalarNum(static_cast<int64_t>(num));
    }
};

// An input or an output.
class OPKG_HOST_API OpParamDef {
public:
    explicit OpParamDef(const char *name);
    OpParamDef(const OpParamDef &other);
    ~OpParamDef();
    OpParamDef &operator=(const OpParamDef &other);

    OpParamDef &ParamType(Option type);
    // One entry for each column.
    OpParamDef &DataType(std::vector<ge::DataType> types);
    OpParamDef &Format(std::vector<ge::Format> formats);
    // Combined with every column of the others.
    OpParamDef &DataTypeList(std::vector<ge::DataType> types);
    OpParamDef &FormatList(std::vector<ge::Format> formats);
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format> formats);
    OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType> types);
    OpParamDef &FormatForBinQuery(std::vector<ge::Format> formats);
    OpParamDef &ValueDepend(Option depend);
    OpParamDef &ValueDepend(Option depend, DependScope scope);
    OpParamDef &IgnoreContiguous();
    OpParamDef &AutoContiguous();
    OpParamDef &Scalar();
    OpParamDef &ScalarList();
    OpParamDef &To(ge::DataType type);
    OpParamDef &To(const char *name);
    OpParamDef &Version(uint32_t version);
    OpParamDef &InitValue(uint64_t value);
    OpParamDef &InitValue(const ScalarVar &value);
    OpParamDef &InitValue(const std::vector<ScalarVar> &values);
    OpParamDef &OutputShapeDependOnCompute();
    OpParamDef &Follow(const char *name);
    OpParamDef &Follow(const char *name, FollowType type);
    OpParamDef &Comment(const char *comment);

private:
    friend struct opkg::host::Access;
    std::unique_ptr<opkg::host::ParamSpec> spec_;
};

class OPKG_HOST_API OpAttrDef {
public:
    explicit OpAttrDef(const char *name);
    OpAttrDef(const OpAttrDef &other);
    ~OpAttrDef();
    OpAttrDef &operator=(const OpAttrDef &other);

    OpAttrDef &AttrType(Option type);
    OpAttrDef &Bool();
    OpAttrDef &Bool(bool value);
    OpAttrDef &Float();
    OpAttrDef &Float(float value);
    OpAttrDef &Int();
    OpAttrDef &Int(int64_t value);
    OpAttrDef &String();
    OpAttrDef &String(const char *value);
    OpAttrDef &Type();
    OpAttrDef &Type(ge::DataType value);
    OpAttrDef &Tensor();
    OpAttrDef &ListBool();
    OpAttrDef &ListBool(std::vector<bool> value);
    OpAttrDef &ListFloat();
    OpAttrDef &ListFloat(std::vector<float> value);
    OpAttrDef &ListInt();
    OpAttrDef &ListInt(std::vector<int64_t> value);
    OpAttrDef &ListString();
    OpAttrDef &ListString(std::vector<std::string> value);
    OpAttrDef &ListType();
    OpAttrDef &ListType(std::vector<ge::DataType> value);
    OpAttrDef &ListListInt();
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>> value);
    OpAttrDef &Version(uint32_t version);
    OpAttrDef &Comment(const char *comment);
    ge::AscendString &GetName() const;
    bool IsRequired();

private:
    friend struct opkg::host::Access;
    std::unique_ptr<opkg::host::AttrSpec> spec_;
};

// What differs on one compute unit.
class OPKG_HOST_API OpAICoreConfig {
public:
    OpAICoreConfig();
    explicit OpAICoreConfig(const char *soc);
    OpAICoreConfig(const OpAICoreConfig &other);
    ~OpAICoreConfig();
    OpAICoreConfig &operator=(const OpAICoreConfig &other);

    OpParamDef &Input(const char *name);
    OpParamDef &Output(const char *name);
    OpAICoreConfig &DynamicCompileStaticFlag(bool flag);
    OpAICoreConfig &DynamicFormatFlag(bool flag);
    OpAICoreConfig &DynamicRankSupportFlag(bool flag);
    OpAICoreConfig &DynamicShapeSupportFlag(bool flag);
    OpAICoreConfig &NeedCheckSupportFlag(bool flag);
    OpAICoreConfig &PrecisionReduceFlag(bool flag);
    OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value);

private:
    friend struct opkg::host::Access;
    std::unique_ptr<opkg::host::ConfigSpec> spec_;
};

class OPKG_HOST_API OpAICoreDef {
public:
    explicit OpAICoreDef(opkg::host::OpSpec *op) : op_(op) {}

    OpAICoreDef &SetTiling(gert::OpImplRegisterV2::TilingKernelFunc function);
    OpAICoreDef &SetCheckSupport(optiling::OP_CHECK_FUNC function);
    OpAICoreDef &SetOpSelectFormat(optiling::OP_CHECK_FUNC function);
    OpAICoreDef &SetOpSupportInfo(optiling::OP_CHECK_FUNC function);
    OpAICoreDef &SetOpSpecInfo(optiling::OP_CHECK_FUNC function);
    OpAICoreDef &SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC function);
    OpAICoreDef &AddConfig(const char *soc);
    OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &config);
    OpAICoreDef &LaunchWithZeroEleOutputTensors(bool launch);

private:
    opkg::host::OpSpec *op_;
};

// Settings of the AI CPU and of the host CPU, which opkg does not target; accepted and kept out of the way.
class OPKG_HOST_API OpAICPUDef {
public:
    OpAICPUDef &OpKernelLib(const char *) { return *this; }
    OpAICPUDef &KernelSo(const char *) { return *this; }
    OpAICPUDef &FunctionName(const char *) { return *this; }
    OpAICPUDef &UserDefined(bool) { return *this; }
    OpAICPUDef &Engine(const char *) { return *this; }
    OpAICPUDef &FlagPartial(bool) { return *this; }
    OpAICPUDef &FlagAsync(bool) { return *this; }
    OpAICPUDef &ComputeCost(uint32_t) { return *this; }
    OpAICPUDef &ExtendCfgInfo(const char *, const char *) { return *this; }
};
using OpHostCPUDef = OpAICPUDef;

// Communication between chips; recorded, not run.
class OPKG_HOST_API OpMC2Def {
public:
    explicit OpMC2Def(opkg::host::OpSpec *op) : op_(op) {}

    OpMC2Def &HcclGroup(const char *group);
    OpMC2Def &HcclGroup(std::vector<const char *> groups);
    OpMC2Def &HcclServerType(enum HcclServerType, const char * = nullptr) { return *this; }

private:
    opkg::host::OpSpec *op_;
};

class OPKG_HOST_API OpDef {
public:
    explicit OpDef(const char *type);
    OpDef(const OpDef &) = delete;
    OpDef &operator=(const OpDef &) = delete;
    virtual ~OpDef();

    OpParamDef &Input(const char *name);
    OpParamDef &Output(const char *name);
    OpAttrDef &Attr(const char *name);
    OpDef &SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc function);
    OpDef &SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc function);
    OpDef &SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc function);
    OpAICoreDef &AICore();
    OpAICPUDef &AICPU();
    OpHostCPUDef &HostCPU();
    OpMC2Def &MC2();
    OpDef &Comment(const char *comment);
    // For the tools that name sections of generated documentation.
    template <typename Section> OpDef &Comment(Section, const char *comment) { return Comment(comment); }
    OpDef &FormatMatchMode(FormatCheckOption option);
    OpDef &EnableFallBack();

private:
    friend struct opkg::host::Access;
    std::unique_ptr<opkg::host::OpSpec> spec_;
    OpAICoreDef ai_core_;
    OpAICPUDef ai_cpu_;
    OpMC2Def mc2_;
};

} // namespace ops

#endif // OPKG_HOST_OP_DEF_H
