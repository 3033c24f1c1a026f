// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <nanobind/nanobind.h>

#include <opkg/core.hpp>

#include <cstring>

namespace opkg::python {
namespace {

namespace nb = nanobind;

const char* class_of(const std::string& code) {
    if (std::strncmp(code.c_str(), "OPKG-80", 7) == 0) return "ConvertError";
    if (std::strncmp(code.c_str(), "OPKG-85", 7) == 0) return "ModelError";
    return "RunError";
}

// Messages of operators and engines may hold any bytes.
nb::object text(const char* bytes) {
    return nb::steal(PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(std::strlen(bytes)), "backslashreplace"));
}

void raise(const core::Error& error) {
    nb::object type = nb::module_::import_("opkg.errors").attr(class_of(error.code()));
    nb::object value = type(text(error.what()), text(error.hint().c_str()), nb::arg("code") = error.code().c_str());
    PyErr_SetObject(type.ptr(), value.ptr());
}

void translate(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (const core::Error& error) {
        raise(error);
    }
}

} // namespace

void register_errors() { nb::register_exception_translator(translate); }

} // namespace opkg::python
