// SPDX-License-Identifier: Apache-2.0
// What needs no device: dtypes, half-precision numbers, the application's log.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.hpp"

using namespace opkg::acl;

float aclFloat16ToFloat(aclFloat16 value)
{
    const uint32_t sign = static_cast<uint32_t>(value & 0x8000u) << 16;
    const uint32_t exponent = value >> 10 & 0x1fu;
    const uint32_t fraction = value & 0x3ffu;
    float result;
    if (exponent == 0) {
        result = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -result : result;
    }
    const uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
    memcpy(&result, &bits, sizeof result);
    return result;
}

aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return static_cast<aclFloat16>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    }
    if (magnitude >= 0x47800000u) { // 65536 and more, infinity
        return static_cast<aclFloat16>(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) { // below the smallest normal number: the sum's own rounding does the work
        float small;
        memcpy(&small, &magnitude, sizeof small);
        const float shifted = small + 0.5f;
        uint32_t rounded;
        memcpy(&rounded, &shifted, sizeof rounded);
        return static_cast<aclFloat16>(sign | (rounded - 0x3f000000u));
    }
    const uint32_t half = magnitude - 0x38000000u;
    const uint32_t rounded = (half + 0xfffu + (half >> 13 & 1u)) >> 13;
    return static_cast<aclFloat16>(sign | rounded);
}

size_t aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0:
            return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16:
            return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_COMPLEX32:
            return 4;
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_DOUBLE:
        case ACL_COMPLEX64:
            return 8;
        case ACL_COMPLEX128:
            return 16;
        default:
            return 0;
    }
}

const char *aclrtGetSocName(void) { return runtime().soc().name; }

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    static const aclCannAttr attributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
    if (cannAttrList == nullptr || num == nullptr) {
        return null_pointer("aclGetCannAttributeList", cannAttrList == nullptr ? "cannAttrList" : "num");
    }
    *cannAttrList = attributes;
    *num = sizeof attributes / sizeof attributes[0];
    return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    if (value == nullptr) {
        return null_pointer("aclGetCannAttribute", "value");
    }
    if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclGetCannAttribute: there is no attribute %d",
                    static_cast<int>(cannAttr));
    }
    *value = cannAttr != ACL_CANN_ATTR_JIT_COMPILE;
    return ACL_SUCCESS;
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    static const int lowest = [] {
        const char *text = getenv("ASCEND_GLOBAL_LOG_LEVEL");
        return text == nullptr ? static_cast<int>(ACL_ERROR) : atoi(text);
    }();
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    if (fmt == nullptr || logLevel < lowest || logLevel < ACL_DEBUG || logLevel > ACL_ERROR) {
        return;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(text, sizeof text, fmt, arguments);
    va_end(arguments);
    fprintf(stderr, "[%s] %s:%u %s: %s\n", names[logLevel], file == nullptr ? "" : file, line,
            func == nullptr ? "" : func, text);
}
