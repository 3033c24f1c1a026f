// SPDX-License-Identifier: Apache-2.0
// Attribute values in the form in which gert::RuntimeAttrs shows them.
#pragma once

#include <string>

#include "operator.hpp"
#include "slots.hpp"

namespace opkg::host {

// "int", "list_float": the name of a kind in an op info.
const char *AttrKindName(AttrKind kind);

// A value that lives as long as the operator.
AttrDefault MakeDefault(const AttrSpec &attr);

// The given value of one attribute, in the arena or where the caller has it. Returns what is wrong, or "".
std::string ConvertAttr(const AttrSpec &attr, const opkg_attr_v1 &given, Arena &arena, const void *&value);

} // namespace opkg::host
