// SPDX-License-Identifier: Apache-2.0
#include "register/op_impl_registry.h"
