// SPDX-License-Identifier: Apache-2.0
// Another name of the same declarations, which newer programs include.
#ifndef OPKG_ACL_BASE_RT_H
#define OPKG_ACL_BASE_RT_H

#include "acl/acl_base.h"

#endif // OPKG_ACL_BASE_RT_H
