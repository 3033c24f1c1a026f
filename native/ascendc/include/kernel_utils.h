// SPDX-License-Identifier: Apache-2.0
// A header of the vendor's kit that kernels include by name; here all of the language is in one.
#include "kernel_operator.h"
