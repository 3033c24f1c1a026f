// SPDX-License-Identifier: Apache-2.0
#include "opkg/kernel_tiling.h"
