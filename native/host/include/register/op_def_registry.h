// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_OP_DEF_REGISTRY_H
#define OPKG_HOST_OP_DEF_REGISTRY_H

#include "opkg/host/registry.h"
#include "register/op_config_registry.h"
#include "register/op_def.h"
#include "register/op_impl_registry.h"

// Registers the class; it is constructed when the package is opened, not while the library is loaded.
#define OP_ADD(op_class, ...) \
    [[maybe_unused]] static const bool opkg_op_added_##op_class = opkg::host::registry().AddOperator( \
        #op_class, [](const char *type) -> ops::OpDef * { return new op_class(type); })

#endif // OPKG_HOST_OP_DEF_REGISTRY_H
