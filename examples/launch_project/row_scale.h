// SPDX-License-Identifier: Apache-2.0
// Each row of a matrix times a number of its own. Shared by the kernel and the program.
#ifndef ROW_SCALE_H
#define ROW_SCALE_H

#include <cstdint>

struct RowScaleTiling {
    uint32_t rows;
    uint32_t columns;
};

#endif // ROW_SCALE_H
