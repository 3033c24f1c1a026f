// SPDX-License-Identifier: Apache-2.0
// What OpDef and its parts collect, as plain data, and the resolved form that the package table works with.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "opkg/host/registry.h"
#include "register/op_def.h"

namespace opkg::host {

struct ParamSpec {
    std::string name;
    bool has_param_type = false;
    ops::Option param_type = ops::REQUIRED;
    std::vector<ge::DataType> dtypes;
    std::vector<ge::DataType> dtype_list;
    std::vector<ge::Format> formats;
    std::vector<ge::Format> format_list;
    bool value_depend = false;
    ops::Option value_depend_option = ops::IGNORE;
    ops::DependScope value_depend_scope = ops::DependScope::ALL;
    bool computed_shape = false;
    std::string follow;
    ops::FollowType follow_type = ops::FollowType::INVALID_TYPE;
    std::vector<ops::ScalarVar> init_values; // one for all, or one for each declared data type
    std::vector<std::pair<std::string, std::string>> extra;
};

enum class AttrKind {
    kInt,
    kFloat,
    kBool,
    kString,
    kDtype,
    kListInt,
    kListFloat,
    kListBool,
    kListString,
    kListDtype,
    kListListInt,
    kTensor
};

struct AttrSpec {
    ge::AscendString name;
    bool required = true;
    bool has_kind = false;
    AttrKind kind = AttrKind::kInt;
    bool has_default = false;
    int64_t i = 0; // int, bool, dtype
    float f = 0;
    std::string s;
    std::vector<int64_t> ints; // list of int, bool, dtype
    std::vector<float> floats;
    std::vector<std::string> strings;
    std::vector<std::vector<int64_t>> rows;
};

struct ConfigSpec {
    std::deque<ops::OpParamDef> inputs;
    std::deque<ops::OpParamDef> outputs;
    std::vector<std::pair<std::string, std::string>> flags;
};

struct OpSpec {
    std::string type;
    std::deque<ops::OpParamDef> inputs;
    std::deque<ops::OpParamDef> outputs;
    std::deque<ops::OpAttrDef> attrs;
    std::vector<std::pair<std::string, ops::OpAICoreConfig>> configs; // by compute unit
    ImplSpec impl;
    bool strict_formats = false;
    bool launch_empty = false;
    std::vector<std::string> hccl_groups;
};

// The specs behind the public classes.
struct Access {
    static ParamSpec &Of(ops::OpParamDef &p) { return *p.spec_; }
    static const ParamSpec &Of(const ops::OpParamDef &p) { return *p.spec_; }
    static AttrSpec &Of(ops::OpAttrDef &a) { return *a.spec_; }
    static const AttrSpec &Of(const ops::OpAttrDef &a) { return *a.spec_; }
    static ConfigSpec &Of(ops::OpAICoreConfig &c) { return *c.spec_; }
    static const ConfigSpec &Of(const ops::OpAICoreConfig &c) { return *c.spec_; }
    static OpSpec &Of(ops::OpDef &o) { return *o.spec_; }
};

inline const char *DefName(const ops::OpParamDef &p) { return Access::Of(p).name.c_str(); }
inline const char *DefName(const ops::OpAttrDef &a) { return Access::Of(a).name.GetString(); }


// The declared input or output of that name, added at the end where there is none.
template <typename Def> Def &FindOrAdd(std::deque<Def> &defs, const char *name)
{
    for (Def &def : defs) {
        if (std::string(DefName(def)) == name) {
            return def;
        }
    }
    defs.emplace_back(name);
    return defs.back();
}

} // namespace opkg::host
