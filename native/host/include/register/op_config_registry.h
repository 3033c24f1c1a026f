// SPDX-License-Identifier: Apache-2.0
// REGISTER_OP_AICORE_CONFIG: what an operator has differently on one compute unit, from a file of its own.
#ifndef OPKG_HOST_OP_CONFIG_REGISTRY_H
#define OPKG_HOST_OP_CONFIG_REGISTRY_H

#include "opkg/host/registry.h"
#include "register/op_def.h"

#define REGISTER_OP_AICORE_CONFIG(op_type, soc_version, function) \
    [[maybe_unused]] static const bool opkg_op_config_##op_type##_##soc_version = opkg::host::registry().AddConfig( \
        #op_type, #soc_version, function)

#endif // OPKG_HOST_OP_CONFIG_REGISTRY_H
