// SPDX-License-Identifier: Apache-2.0
//
// Errors of operators on their way through OpenVINO, which turns every exception into one of its own, with its own
// source lines. The error waits here under a number; a mark with the number travels in the exception's text.
#ifndef OPKG_OPENVINO_ERROR_RELAY_HPP
#define OPKG_OPENVINO_ERROR_RELAY_HPP

#include <opkg/core.hpp>

namespace opkg::openvino {

[[noreturn]] void throw_marked(const core::Error& error);
// Throws the error whose mark is in `text`, if there is one.
void rethrow_marked(const std::string& text);
// What a message of OpenVINO says, without source lines and stack frames.
std::string plain_text(const std::string& text);

// Runs a function that calls into OpenVINO; every failure comes out as core::Error. `code` is for OpenVINO's own.
template <class Function>
auto relayed(const char* code, const std::string& what, const Function& function) {
    try {
        return function();
    } catch (const core::Error&) {
        throw;
    } catch (const std::exception& error) {
        rethrow_marked(error.what());
        throw core::Error(code, what + ": " + plain_text(error.what()));
    }
}

} // namespace opkg::openvino

#endif
