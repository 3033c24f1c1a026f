// SPDX-License-Identifier: Apache-2.0
#include "attr_values.hpp"

#include "arrays.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace opkg::python {
namespace {

std::vector<int64_t> ints(nb::handle value) {
    std::vector<int64_t> found;
    for (nb::handle item : nb::iter(value)) found.push_back(nb::cast<int64_t>(item));
    return found;
}

// True and False are taken for what they are, and NumPy's too.
int64_t truth(nb::handle value) {
    const int found = PyObject_IsTrue(value.ptr());
    if (found < 0) throw nb::python_error();
    return found;
}

int64_t dtype_number(nb::handle value) {
    if (!nb::isinstance<nb::str>(value)) return nb::cast<int64_t>(value);
    const auto name = nb::cast<std::string>(value);
    const core::DTypeInfo* type = core::dtype_info(name);
    if (!type) throw core::Error("OPKG-9204", "'" + name + "' is not a dtype");
    return type->number;
}

std::vector<int64_t> each(nb::handle value, int64_t (*convert)(nb::handle)) {
    std::vector<int64_t> found;
    for (nb::handle item : nb::iter(value)) found.push_back(convert(item));
    return found;
}

std::vector<std::vector<int64_t>> rows(nb::handle value) {
    std::vector<std::vector<int64_t>> found;
    for (nb::handle row : nb::iter(value)) found.push_back(ints(row));
    return found;
}

std::vector<double> floats(nb::handle value) {
    std::vector<double> found;
    for (nb::handle item : nb::iter(value)) found.push_back(nb::cast<double>(item));
    return found;
}

core::AttrValue convert(int32_t kind, nb::handle value) {
    switch (kind) {
        case OPKG_ATTR_INT: return nb::cast<int64_t>(value);
        case OPKG_ATTR_FLOAT: return nb::cast<double>(value);
        case OPKG_ATTR_BOOL: return truth(value);
        case OPKG_ATTR_STRING: return nb::cast<std::string>(value);
        case OPKG_ATTR_DTYPE: return dtype_number(value);
        case OPKG_ATTR_LIST_INT: return ints(value);
        case OPKG_ATTR_LIST_FLOAT: return floats(value);
        case OPKG_ATTR_LIST_BOOL: return each(value, truth);
        case OPKG_ATTR_LIST_STRING: return nb::cast<std::vector<std::string>>(value);
        case OPKG_ATTR_LIST_DTYPE: return each(value, dtype_number);
        case OPKG_ATTR_LIST_LIST_INT: return rows(value);
        case OPKG_ATTR_TENSOR: return tensor_value(value);
        default: return std::monostate{};
    }
}

const char* kind_name(int32_t kind) {
    static const char* const kNames[] = {"an int", "a float", "a bool", "a string", "a dtype", "ints", "floats", "bools",
                                         "strings", "dtypes", "lists of ints", "a tensor"};
    return kind >= 0 && kind <= OPKG_ATTR_TENSOR ? kNames[kind] : "a value of a kind that is not known";
}

[[noreturn]] void refuse(const std::string& name, int32_t kind, nb::handle value) {
    throw core::Error("OPKG-9204", "attribute '" + name + "' takes " + kind_name(kind) + ", not " +
                                       nb::cast<std::string>(nb::repr(value)));
}

} // namespace

core::Attr attr_from_python(std::string name, int32_t kind, nb::handle value) {
    if (kind < 0 || kind > OPKG_ATTR_TENSOR) refuse(name, kind, value);
    core::Attr attr{std::move(name), kind, std::monostate{}};
    if (value.is_none()) return attr;
    try {
        attr.value = convert(kind, value);
    } catch (const std::bad_cast&) {
        refuse(attr.name, kind, value);
    } catch (const nb::python_error&) {
        refuse(attr.name, kind, value);
    }
    return attr;
}

std::vector<core::Attr> attrs_from_python(nb::handle attrs) {
    std::vector<core::Attr> found;
    for (nb::handle item : nb::iter(attrs))
        found.push_back(attr_from_python(nb::cast<std::string>(item[0]), nb::cast<int32_t>(item[1]), item[2]));
    return found;
}

} // namespace opkg::python
