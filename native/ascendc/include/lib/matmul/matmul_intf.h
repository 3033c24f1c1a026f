// SPDX-License-Identifier: Apache-2.0
#include "lib/matmul_intf.h"
