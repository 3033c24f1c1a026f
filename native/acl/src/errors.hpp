// SPDX-License-Identifier: Apache-2.0
// Return codes and the sentence that goes with each; both are kept for the calling thread.
#ifndef OPKG_ACL_ERRORS_HPP
#define OPKG_ACL_ERRORS_HPP

#include <string>

#include "acl/acl.h"

namespace opkg::acl {

// Keeps the sentence for aclGetRecentErrMsg and the code for aclrtGetLastError; returns the code.
aclError fail(aclError code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The same for a failure whose sentence was made elsewhere.
aclError fail_with(aclError code, const std::string &message);

// The sentence of this thread's last failure.
std::string last_message();

aclError null_pointer(const char *function, const char *parameter);

} // namespace opkg::acl

#endif // OPKG_ACL_ERRORS_HPP
