// SPDX-License-Identifier: Apache-2.0
// The Ascend C language on a CPU. One include for a kernel; each family of instructions has a file of its own.
#ifndef OPKG_KERNEL_OPERATOR_H
#define OPKG_KERNEL_OPERATOR_H

#include "twin/algorithms.h"
#include "twin/atomic.h"
#include "twin/binary.h"
#include "twin/block_sync.h"
#include "twin/cast.h"
#include "twin/compare.h"
#include "twin/copy_enhanced.h"
#include "twin/copy_shapes.h"
#include "twin/data_copy.h"
#include "twin/debug.h"
#include "twin/fill.h"
#include "twin/flexible.h"
#include "twin/fused.h"
#include "twin/gather.h"
#include "twin/list_tensor.h"
#include "twin/mask.h"
#include "twin/numbers.h"
#include "twin/operators.h"
#include "twin/pipe.h"
#include "twin/reduce.h"
#include "twin/registers.h"
#include "twin/scalar.h"
#include "twin/sort.h"
#include "twin/sync.h"
#include "twin/tiling.h"
#include "twin/transpose.h"
#include "twin/unary.h"

#include "adv/filter.h"
#include "adv/layout.h"
#include "adv/math.h"
#include "adv/math_950.h"
#include "adv/random.h"
#include "adv/reduce.h"
#include "adv/sort.h"

#endif // OPKG_KERNEL_OPERATOR_H
