// SPDX-License-Identifier: Apache-2.0
#include "tiling/tiling_api.h"
