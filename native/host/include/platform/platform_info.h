// SPDX-License-Identifier: Apache-2.0
#include "platform/platform_infos_def.h"
