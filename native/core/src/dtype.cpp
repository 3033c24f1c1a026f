// SPDX-License-Identifier: Apache-2.0
#include "opkg/core.hpp"

namespace opkg::core {
namespace {

enum : uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBoolean = 6 }; // DLDataTypeCode

constexpr DTypeInfo kTypes[] = {
    {"float32", 0, {kFloat, 32, 1}},      {"float16", 1, {kFloat, 16, 1}},     {"int8", 2, {kInt, 8, 1}},
    {"int32", 3, {kInt, 32, 1}},          {"uint8", 4, {kUint, 8, 1}},         {"int16", 6, {kInt, 16, 1}},
    {"uint16", 7, {kUint, 16, 1}},        {"uint32", 8, {kUint, 32, 1}},       {"int64", 9, {kInt, 64, 1}},
    {"uint64", 10, {kUint, 64, 1}},       {"double", 11, {kFloat, 64, 1}},     {"bool", 12, {kBoolean, 8, 1}},
    {"complex64", 16, {kComplex, 64, 1}}, {"complex128", 17, {kComplex, 128, 1}}, {"qint8", 18, {kInt, 8, 1}},
    {"qint16", 19, {kInt, 16, 1}},        {"qint32", 20, {kInt, 32, 1}},       {"quint8", 21, {kUint, 8, 1}},
    {"quint16", 22, {kUint, 16, 1}},      {"bfloat16", 27, {kBfloat, 16, 1}},  {"int4", 29, {kInt, 4, 1}},
    {"uint1", 30, {kUint, 1, 1}},         {"int2", 31, {kInt, 2, 1}},          {"complex32", 33, {kComplex, 32, 1}},
};

struct ByNumber {
    const DTypeInfo* at[64] = {};
    constexpr ByNumber() {
        for (const DTypeInfo& type : kTypes) at[type.number] = &type;
    }
};
constexpr ByNumber kByNumber;

} // namespace

const DTypeInfo* dtype_info(int32_t number) noexcept {
    return number >= 0 && number < 64 ? kByNumber.at[number] : nullptr;
}

const DTypeInfo* dtype_info(std::string_view name) noexcept {
    for (const DTypeInfo& type : kTypes)
        if (name == type.name) return &type;
    return nullptr;
}

uint64_t bytes_of(int32_t dtype, const int64_t* shape, uint32_t ndim) noexcept {
    const DTypeInfo* type = dtype_info(dtype);
    uint64_t count = 1;
    for (uint32_t i = 0; i < ndim; ++i) count *= static_cast<uint64_t>(shape[i]);
    return type ? (count * type->dl.bits + 7) / 8 : 0;
}

} // namespace opkg::core
