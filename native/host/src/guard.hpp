// SPDX-License-Identifier: Apache-2.0
// Nothing that a package's functions throw crosses the C interface.
#pragma once

#include <exception>

#include "operator.hpp"
#include "report.hpp"

namespace opkg::host {

template <typename Body>
int32_t Guard(const Operator &op, const char *what, Code code, const opkg_exec_v1 *exec, Body body) noexcept
{
    try {
        try {
            return body();
        } catch (const std::exception &error) {
            return Report(exec, code, op.type + ": " + what + " threw: " + error.what());
        } catch (...) {
            return Report(exec, code, op.type + ": " + what + " threw something that is not a std::exception");
        }
    } catch (...) { // no memory for the message
        return code;
    }
}

} // namespace opkg::host
