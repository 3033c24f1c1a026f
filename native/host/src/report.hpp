// SPDX-License-Identifier: Apache-2.0
// How a failure leaves the package: a code and a sentence through exec->report_error, and the code as return value.
#pragma once

#include <string>

#include "opkg/package_abi.h"

namespace opkg::host {

// Codes of the field (aclnn).
enum Code : int32_t {
    kOk = 0,
    kNullPointer = 161001,
    kInvalidParameter = 161002,
    kInner = 561000,
    kInferShape = 561001,
    kTiling = 561002,
    kKernelMissing = 561003,
};

inline int32_t Report(const opkg_exec_v1 *exec, Code code, const std::string &message)
{
    if (exec != nullptr && exec->report_error != nullptr) {
        exec->report_error(exec->context, std::to_string(code).c_str(), message.c_str());
    }
    return code;
}

} // namespace opkg::host
