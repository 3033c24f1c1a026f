// SPDX-License-Identifier: Apache-2.0
//
// ONNX has seven kinds of attribute values, an op info has more: a bool is an int there, a dtype is the number of
// onnx.TensorProto.DataType or a name, a list of lists is a string such as "[[1, 2], [3]]", and a tensor, which
// OpenVINO's reader does not hand out, is a string such as "float32:2,1:0000803f00000040" (dtype, shape, bytes).
#include "attributes.hpp"

#include "element_types.hpp"

#include <cctype>

namespace opkg::openvino {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

// onnx.TensorProto.DataType to ge::DataType
constexpr std::pair<int64_t, int32_t> kOnnxTypes[] = {
    {1, core::kFloat32}, {2, core::kUint8},   {3, core::kInt8},    {4, core::kUint16},  {5, core::kInt16},
    {6, core::kInt32},   {7, core::kInt64},   {9, core::kBool},    {10, core::kFloat16}, {11, core::kDouble},
    {12, core::kUint32}, {13, core::kUint64}, {14, core::kComplex64}, {15, core::kComplex128}, {16, core::kBfloat16},
    {22, core::kInt4},
};

int64_t from_onnx_dtype(int64_t number) {
    for (const auto& [onnx, dtype] : kOnnxTypes)
        if (onnx == number) return dtype;
    throw core::Error("", "is " + std::to_string(number) + ", which is no data type of ONNX that operators take");
}

int64_t from_dtype_name(const std::string& name) {
    if (const core::DTypeInfo* info = core::dtype_info(std::string_view(name))) return info->number;
    if (name == "float") return core::kFloat32;
    throw core::Error("", "is '" + name + "', which is no data type");
}

[[noreturn]] void mismatch(const char* wanted) { throw core::Error("", std::string("must be ") + wanted); }

int64_t as_int(const ov::Any& value, const char* wanted) {
    if (value.is<int64_t>()) return value.as<int64_t>();
    mismatch(wanted);
}

double as_float(const ov::Any& value) {
    if (value.is<double>()) return value.as<double>();
    if (value.is<float>()) return value.as<float>();
    if (value.is<int64_t>()) return static_cast<double>(value.as<int64_t>());
    mismatch("a float");
}

Ints as_ints(const ov::Any& value, const char* wanted) {
    if (value.is<Ints>()) return value.as<Ints>();
    mismatch(wanted);
}

std::vector<double> as_floats(const ov::Any& value) {
    if (value.is<std::vector<double>>()) return value.as<std::vector<double>>();
    if (value.is<Floats>()) {
        const Floats floats = value.as<Floats>();
        return {floats.begin(), floats.end()};
    }
    const Ints ints = as_ints(value, "floats");
    return {ints.begin(), ints.end()};
}

Strings as_strings(const ov::Any& value) {
    if (value.is<Strings>()) return value.as<Strings>();
    mismatch("strings");
}

int64_t as_dtype(const ov::Any& value) {
    if (value.is<std::string>()) return from_dtype_name(value.as<std::string>());
    return from_onnx_dtype(as_int(value, "a data type"));
}

Ints as_dtypes(const ov::Any& value) {
    Ints found;
    if (value.is<Strings>())
        for (const std::string& name : value.as<Strings>()) found.push_back(from_dtype_name(name));
    else
        for (int64_t number : as_ints(value, "data types")) found.push_back(from_onnx_dtype(number));
    return found;
}

// "[[1, 2], [3], []]"
std::vector<Ints> parse_rows(const std::string& text) {
    std::vector<Ints> rows;
    int depth = 0;
    for (size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '[') {
            if (++depth == 2) rows.emplace_back();
            ++at;
        } else if (c == ']') {
            --depth;
            ++at;
        } else if (c == ',' || std::isspace(static_cast<unsigned char>(c))) {
            ++at;
        } else {
            char* end = nullptr;
            const long long value = std::strtoll(text.c_str() + at, &end, 10);
            if (depth != 2 || end == text.c_str() + at) mismatch("a list of lists of ints");
            rows.back().push_back(value);
            at = static_cast<size_t>(end - text.c_str());
        }
        if (depth < 0 || depth > 2) mismatch("a list of lists of ints");
    }
    if (depth != 0) mismatch("a list of lists of ints");
    return rows;
}

std::vector<Ints> as_rows(const ov::Any& value) {
    if (value.is<std::string>()) return parse_rows(value.as<std::string>());
    mismatch("a string that holds a list of lists of ints, as in \"[[1, 2], [3]]\"");
}

constexpr char kTensorWords[] = "a tensor, as opkg's converter writes it: \"dtype:shape:bytes in hexadecimal\"";

std::vector<uint8_t> parse_hex(const std::string& text) {
    std::vector<uint8_t> bytes;
    if (text.size() % 2 || text.find_first_not_of("0123456789abcdef") != std::string::npos) mismatch(kTensorWords);
    for (size_t i = 0; i < text.size(); i += 2) bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

std::vector<int64_t> parse_shape(const std::string& text) {
    std::vector<int64_t> shape;
    if (text.find_first_not_of("0123456789,") != std::string::npos) mismatch(kTensorWords);
    for (const char* at = text.c_str(); *at;) {
        char* end = nullptr;
        shape.push_back(std::strtoll(at, &end, 10));
        at = *end ? end + 1 : end;
    }
    return shape;
}

core::TensorValue as_tensor(const ov::Any& value) {
    if (!value.is<std::string>()) mismatch(kTensorWords);
    const std::string text = value.as<std::string>();
    const size_t first = text.find(':'), second = text.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) mismatch(kTensorWords);
    core::TensorValue found;
    found.dtype = static_cast<int32_t>(from_dtype_name(text.substr(0, first)));
    found.shape = parse_shape(text.substr(first + 1, second - first - 1));
    found.data = parse_hex(text.substr(second + 1));
    if (found.data.size() != core::bytes_of(found.dtype, found.shape.data(), static_cast<uint32_t>(found.shape.size())))
        mismatch(kTensorWords);
    return found;
}

core::AttrValue convert(int32_t kind, const ov::Any& value) {
    switch (kind) {
        case OPKG_ATTR_INT: return as_int(value, "an int");
        case OPKG_ATTR_BOOL: return static_cast<int64_t>(as_int(value, "a bool (an int in ONNX)") != 0);
        case OPKG_ATTR_FLOAT: return as_float(value);
        case OPKG_ATTR_STRING:
            if (value.is<std::string>()) return value.as<std::string>();
            mismatch("a string");
        case OPKG_ATTR_DTYPE: return as_dtype(value);
        case OPKG_ATTR_LIST_INT: return as_ints(value, "ints");
        case OPKG_ATTR_LIST_BOOL: return as_ints(value, "bools (ints in ONNX)");
        case OPKG_ATTR_LIST_FLOAT: return as_floats(value);
        case OPKG_ATTR_LIST_STRING: return as_strings(value);
        case OPKG_ATTR_LIST_DTYPE: return as_dtypes(value);
        case OPKG_ATTR_LIST_LIST_INT: return as_rows(value);
        default: return as_tensor(value);
    }
}

} // namespace

core::Attr read_attribute(const ov::frontend::NodeContext& node, const core::Attr& declared, const std::string& who) {
    core::Attr attr = declared;
    try {
        const ov::Any value = node.get_attribute_as_any(declared.name);
        if (!value.empty()) attr.value = convert(declared.kind, value);
    } catch (const core::Error& error) {
        throw core::Error("OPKG-8011", who + ": attribute '" + declared.name + "' " + error.what());
    }
    return attr;
}

std::vector<int64_t> read_ints(const ov::frontend::NodeContext& node, const std::string& name) {
    const ov::Any value = node.get_attribute_as_any(name);
    return value.empty() ? Ints{} : as_ints(value, "ints");
}

} // namespace opkg::openvino
