// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_ACL_CONFIG_HPP
#define OPKG_ACL_CONFIG_HPP

#include "errors.hpp"

namespace opkg::acl {

// Whether the file of aclInit is there and is JSON. What it configures (dumps, profiling) has no use on a CPU.
aclError check_config(const char *path);

} // namespace opkg::acl

#endif // OPKG_ACL_CONFIG_HPP
