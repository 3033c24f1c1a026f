// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_PYTHON_ATTR_VALUES_HPP
#define OPKG_PYTHON_ATTR_VALUES_HPP

#include <nanobind/nanobind.h>

#include <opkg/core.hpp>

namespace opkg::python {

// One attribute from its name, its OPKG_ATTR_* kind and a Python value (None: not set).
core::Attr attr_from_python(std::string name, int32_t kind, nanobind::handle value);
// A sequence of (name, kind, value).
std::vector<core::Attr> attrs_from_python(nanobind::handle attrs);

} // namespace opkg::python

#endif
