// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <cstring>

#include "graph/utils/type_utils.h"

namespace opkg::host {
namespace {

constexpr int kBits = ge::kDataTypeSizeBitOffset;

// By number. size as ge::GetSizeByDataType gives it.
constexpr DtypeRow kDtypes[] = {
    {"DT_FLOAT", "float32", 4},
    {"DT_FLOAT16", "float16", 2},
    {"DT_INT8", "int8", 1},
    {"DT_INT32", "int32", 4},
    {"DT_UINT8", "uint8", 1},
    {nullptr, nullptr, -1},
    {"DT_INT16", "int16", 2},
    {"DT_UINT16", "uint16", 2},
    {"DT_UINT32", "uint32", 4},
    {"DT_INT64", "int64", 8},
    {"DT_UINT64", "uint64", 8},
    {"DT_DOUBLE", "double", 8},
    {"DT_BOOL", "bool", 1},
    {"DT_STRING", "string", -1},
    {"DT_DUAL_SUB_INT8", "dual_sub_int8", 1},
    {"DT_DUAL_SUB_UINT8", "dual_sub_uint8", 1},
    {"DT_COMPLEX64", "complex64", 8},
    {"DT_COMPLEX128", "complex128", 16},
    {"DT_QINT8", "qint8", 1},
    {"DT_QINT16", "qint16", 2},
    {"DT_QINT32", "qint32", 4},
    {"DT_QUINT8", "quint8", 1},
    {"DT_QUINT16", "quint16", 2},
    {"DT_RESOURCE", "resource", 8},
    {"DT_STRING_REF", "string_ref", -1},
    {"DT_DUAL", "dual", 5},
    {"DT_VARIANT", "variant", -1},
    {"DT_BF16", "bfloat16", 2},
    {"DT_UNDEFINED", nullptr, -1},
    {"DT_INT4", "int4", kBits + 4},
    {"DT_UINT1", "uint1", kBits + 1},
    {"DT_INT2", "int2", kBits + 2},
    {"DT_UINT2", "uint2", kBits + 2},
    {"DT_COMPLEX32", "complex32", 4},
    {"DT_HIFLOAT8", "hifloat8", 1},
    {"DT_FLOAT8_E5M2", "float8_e5m2", 1},
    {"DT_FLOAT8_E4M3FN", "float8_e4m3fn", 1},
    {"DT_FLOAT8_E8M0", "float8_e8m0", 1},
    {"DT_FLOAT6_E3M2", "float6_e3m2", kBits + 6},
    {"DT_FLOAT6_E2M3", "float6_e2m3", kBits + 6},
    {"DT_FLOAT4_E2M1", "float4_e2m1", kBits + 4},
    {"DT_FLOAT4_E1M2", "float4_e1m2", kBits + 4},
    {"DT_HIFLOAT4", "hifloat4", kBits + 4},
};
static_assert(sizeof(kDtypes) / sizeof(kDtypes[0]) == ge::DT_MAX, "one row a data type");

// By number.
constexpr const char *kFormats[] = {
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS", "HASHTABLE_LOOKUP_VALUE", "HASHTABLE_LOOKUP_OUTPUT", "HASHTABLE_LOOKUP_HITS", "C1HWNCoC0",
    "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW", "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC", "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL", "FRACTAL_Z_WINO", "C1HWC0", "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_2", "FRACTAL_NZ_C0_4", "FRACTAL_NZ_C0_8",
};
static_assert(sizeof(kFormats) / sizeof(kFormats[0]) == ge::FORMAT_END, "one name a format");

const DtypeRow *FindDtype(int32_t dtype)
{
    const bool known = dtype >= 0 && dtype < ge::DT_MAX && kDtypes[dtype].enumerator != nullptr;
    return known ? &kDtypes[dtype] : nullptr;
}

} // namespace

std::string DtypeName(int32_t dtype)
{
    const DtypeRow *row = FindDtype(dtype);
    return row != nullptr && row->name != nullptr ? row->name : "dtype " + std::to_string(dtype);
}

std::string FormatName(int32_t format)
{
    const int32_t primary = ge::GetPrimaryFormat(format);
    return format >= 0 && primary < ge::FORMAT_END ? kFormats[primary] : "format " + std::to_string(format);
}

int64_t DtypeBits(int32_t dtype)
{
    const int size = ge::GetSizeByDataType(static_cast<ge::DataType>(dtype));
    return size < 0 ? -1 : size > kBits ? size - kBits : size * 8;
}

} // namespace opkg::host

namespace ge {

using namespace opkg::host;

int GetSizeByDataType(DataType type)
{
    const DtypeRow *row = FindDtype(type);
    return row == nullptr ? -1 : row->size;
}

int64_t GetSizeInBytes(int64_t element_count, DataType type)
{
    const int64_t bits = DtypeBits(type);
    int64_t total = 0;
    if (element_count < 0 || bits < 0 || __builtin_mul_overflow(element_count, bits, &total)) {
        return -1;
    }
    return total / 8 + (total % 8 == 0 ? 0 : 1);
}

std::string TypeUtils::DataTypeToSerialString(DataType type)
{
    const DtypeRow *row = FindDtype(type);
    return row == nullptr ? "UNDEFINED" : row->enumerator;
}

DataType TypeUtils::SerialStringToDataType(const std::string &name)
{
    for (int i = 0; i < DT_MAX; ++i) {
        if (kDtypes[i].enumerator != nullptr && name == kDtypes[i].enumerator) {
            return static_cast<DataType>(i);
        }
    }
    return DT_UNDEFINED;
}

std::string TypeUtils::FormatToSerialString(Format format)
{
    return IsFormatValid(format) ? kFormats[GetPrimaryFormat(format)] : "RESERVED";
}

Format TypeUtils::SerialStringToFormat(const std::string &name)
{
    for (int i = 0; i < FORMAT_END; ++i) {
        if (name == kFormats[i]) {
            return static_cast<Format>(i);
        }
    }
    return FORMAT_RESERVED;
}

AscendString TypeUtils::DataTypeToAscendString(const DataType &type)
{
    return AscendString(DataTypeToSerialString(type).c_str());
}

AscendString TypeUtils::FormatToAscendString(const Format &format)
{
    return AscendString(FormatToSerialString(format).c_str());
}

bool TypeUtils::IsDataTypeValid(DataType type) { return FindDtype(type) != nullptr && type != DT_UNDEFINED; }

bool TypeUtils::IsFormatValid(Format format)
{
    return static_cast<int32_t>(format) >= 0 && GetPrimaryFormat(format) < FORMAT_END;
}

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t &length)
{
    const int size = GetSizeByDataType(type);
    if (size <= 0) {
        return false;
    }
    length = static_cast<uint32_t>(size);
    return true;
}

} // namespace ge
