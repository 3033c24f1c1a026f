// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_ACL_EXCEPTION_HPP
#define OPKG_ACL_EXCEPTION_HPP

#include "stream.hpp"

namespace opkg::acl {

// Tells the program's exception callback, if there is one, that a task has failed.
void report_exception(const Stream &stream, uint64_t task, aclError code);

} // namespace opkg::acl

#endif // OPKG_ACL_EXCEPTION_HPP
