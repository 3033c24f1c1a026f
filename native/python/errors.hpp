// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_PYTHON_ERRORS_HPP
#define OPKG_PYTHON_ERRORS_HPP

namespace opkg::python {

// core::Error becomes opkg.errors.RunError; codes of models become ConvertError and ModelError.
void register_errors();

} // namespace opkg::python

#endif
