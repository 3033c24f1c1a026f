// SPDX-License-Identifier: Apache-2.0
// Names of data types and formats ("DT_FLOAT16", "NCHW") and back.
#ifndef OPKG_HOST_GRAPH_TYPE_UTILS_H
#define OPKG_HOST_GRAPH_TYPE_UTILS_H

#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class __attribute__((visibility("default"))) TypeUtils {
public:
    // "DT_FLOAT16"; "UNDEFINED" for a number that is none.
    static std::string DataTypeToSerialString(DataType type);
    static DataType SerialStringToDataType(const std::string &name);
    // "NCHW"; "RESERVED" for a number that is none.
    static std::string FormatToSerialString(Format format);
    static Format SerialStringToFormat(const std::string &name);
    static AscendString DataTypeToAscendString(const DataType &type);
    static AscendString FormatToAscendString(const Format &format);
    static bool IsDataTypeValid(DataType type);
    static bool IsFormatValid(Format format);
    static bool GetDataTypeLength(DataType type, uint32_t &length);
};

} // namespace ge

#endif // OPKG_HOST_GRAPH_TYPE_UTILS_H
