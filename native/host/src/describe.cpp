// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

#include <cmath>
#include <cstdio>

#include "attr_values.hpp"
#include "types.hpp"

namespace opkg::host {
namespace {

std::string Quoted(const std::string &text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escaped[8];
            std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// The shortest text that reads back as the same float.
std::string Number(float value)
{
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
    char text[32];
    for (int digits = 6; digits <= 9; ++digits) {
        std::snprintf(text, sizeof(text), "%.*g", digits, static_cast<double>(value));
        float back = 0;
        if (std::sscanf(text, "%f", &back) == 1 && back == value) {
            break;
        }
    }
    const std::string found = text;
    return found.find_first_of(".e") == std::string::npos ? found + ".0" : found;
}

std::string Truth(bool value) { return value ? "true" : "false"; }

template <typename List, typename Text> std::string Array(const List &list, const Text &text)
{
    std::string out = "[";
    for (const auto &item : list) {
        out += (out.size() == 1 ? "" : ", ") + text(item);
    }
    return out + "]";
}

std::string Pairs(const std::vector<std::pair<std::string, std::string>> &pairs)
{
    std::string out = "{";
    for (const auto &pair : pairs) {
        out += (out.size() == 1 ? "" : ", ") + Quoted(pair.first) + ": " + Quoted(pair.second);
    }
    return out + "}";
}

std::string Integers(const std::vector<int64_t> &list)
{
    return Array(list, [](int64_t i) { return std::to_string(i); });
}

std::string DtypeText(int64_t dtype) { return Quoted(DtypeName(static_cast<int32_t>(dtype))); }

std::string DefaultText(const AttrSpec &attr)
{
    if (!attr.has_default) {
        return "null";
    }
    switch (attr.kind) {
        case AttrKind::kInt: return std::to_string(attr.i);
        case AttrKind::kFloat: return Number(attr.f);
        case AttrKind::kBool: return Truth(attr.i != 0);
        case AttrKind::kString: return Quoted(attr.s);
        case AttrKind::kDtype: return DtypeText(attr.i);
        case AttrKind::kListInt: return Integers(attr.ints);
        case AttrKind::kListFloat: return Array(attr.floats, Number);
        case AttrKind::kListBool: return Array(attr.ints, [](int64_t i) { return Truth(i != 0); });
        case AttrKind::kListString: return Array(attr.strings, Quoted);
        case AttrKind::kListDtype: return Array(attr.ints, DtypeText);
        case AttrKind::kListListInt: return Array(attr.rows, Integers);
        case AttrKind::kTensor: break;
    }
    return "null";
}

std::string ParamText(const Param &p)
{
    const char *type = p.type == ops::OPTIONAL ? "optional" : p.type == ops::DYNAMIC ? "dynamic" : "required";
    std::string out = "{\"name\": " + Quoted(p.name) + ", \"param_type\": \"" + type + "\"";
    out += ", \"dtypes\": " + Array(p.dtypes, [](int32_t d) { return Quoted(DtypeName(d)); });
    out += ", \"formats\": " + Array(p.formats, [](int32_t f) { return Quoted(FormatName(f)); });
    return out + (p.extra.empty() ? "}" : ", \"extra\": " + Pairs(p.extra) + "}");
}

std::string AttrText(const AttrSpec &attr)
{
    return "{\"name\": " + Quoted(attr.name.GetString()) + ", \"type\": \"" + AttrKindName(attr.kind) +
           "\", \"param_type\": \"" + (attr.required ? "required" : "optional") +
           "\", \"default\": " + DefaultText(attr) + "}";
}

std::string OperatorText(const std::unique_ptr<Operator> &op)
{
    std::string out = "{\"op\": " + Quoted(op->type);
    out += ", \"inputs\": " + Array(op->inputs, ParamText) + ", \"outputs\": " + Array(op->outputs, ParamText);
    out += ", \"attrs\": " + Array(op->attrs, AttrText) + ", \"kernel\": null, \"flags\": " + Pairs(op->flags);
    out += ", \"soc\": " + Array(op->units, Quoted) + ", \"columns\": " + std::to_string(op->columns);
    out += ", \"kernel_path\": " + Quoted(op->kernel_path);
    out += ", \"has_tiling\": " + Truth(op->impl.tiling != nullptr);
    out += ", \"has_infer_shape\": " + Truth(op->impl.infer_shape != nullptr);
    out += ", \"has_infer_dtype\": " + Truth(op->impl.infer_dtype != nullptr);
    out += ", \"computes_shapes\": " + Truth(op->computes_shapes);
    return out + ", \"error\": " + (op->error.empty() ? "null" : Quoted(op->error)) + "}";
}

// FNV-1a over the names, types and places of all fields.
std::string LayoutHash(const RegistryData::TilingStruct &s)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    const auto add = [&](const std::string &text) {
        for (const char c : text + ";") {
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
        }
    };
    for (const TilingField &f : s.fields) {
        add(f.name);
        add(f.type == nullptr ? f.struct_name : f.type);
        add(std::to_string(f.count) + "@" + std::to_string(f.offset) + "+" + std::to_string(f.size));
    }
    add(std::to_string(s.size));
    char text[24];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

std::string LastName(const std::string &qualified)
{
    const size_t at = qualified.rfind("::");
    return at == std::string::npos ? qualified : qualified.substr(at + 2);
}

std::string FieldText(const TilingField &f)
{
    std::string out = "{\"name\": " + Quoted(f.name);
    if (f.type == nullptr) {
        out += ", \"struct\": " + Quoted(LastName(f.struct_name));
    } else {
        out += ", \"type\": \"" + std::string(f.type) + "\", \"count\": " + std::to_string(f.count == 0 ? 1 : f.count);
        out += ", \"array\": " + Truth(f.count != 0);
    }
    return out + ", \"offset\": " + std::to_string(f.offset) + ", \"size\": " + std::to_string(f.size) + "}";
}

std::string StructText(const RegistryData::TilingStruct &s)
{
    return "{\"op_type\": " + Quoted(s.op_type) + ", \"class\": " + Quoted(LastName(s.class_name)) +
           ", \"size\": " + std::to_string(s.size) + ", \"hash\": \"" + LayoutHash(s) +
           "\", \"fields\": " + Array(s.fields, FieldText) + "}";
}

} // namespace

std::string DescribePackage(const RegistryData &data)
{
    return "{\"abi\": " + std::to_string(OPKG_ABI_VERSION) + ", \"vendor\": " + Quoted(data.vendor) +
           ", \"name\": " + Quoted(data.name) + ", \"version\": " + Quoted(data.version) +
           ", \"soc\": " + Quoted(data.soc) + ", \"operators\": " + Array(data.operators, OperatorText) +
           ", \"tiling_structs\": " + Array(data.tiling_structs, StructText) + "}";
}

} // namespace opkg::host
