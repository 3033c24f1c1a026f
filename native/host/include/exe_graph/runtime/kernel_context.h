// SPDX-License-Identifier: Apache-2.0
#include "exe_graph/runtime/tiling_parse_context.h"
