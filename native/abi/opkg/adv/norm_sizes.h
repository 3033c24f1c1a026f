// SPDX-License-Identifier: Apache-2.0
// How much temporary memory the library functions ask for, said by the host and checked by the kernel, and what their
// tiling says. On a CPU they need none: the sizes are those of one row, and of all rows, as single-precision numbers.
#ifndef OPKG_ADV_NORM_SIZES_H
#define OPKG_ADV_NORM_SIZES_H

#include <stdint.h>

#include "opkg/adv/norm_tiling.h"

namespace opkg::adv {

constexpr uint32_t kBlock = 32;
constexpr uint32_t kRepeat = 256;

constexpr uint32_t blocks(uint64_t bytes)
{
    return static_cast<uint32_t>((bytes + kBlock - 1) / kBlock * kBlock);
}

// Functions of rows: the least is for one row at a time.
constexpr uint32_t least_of_rows(uint32_t columns) { return blocks(uint64_t(columns) * 4) + kBlock; }
constexpr uint32_t most_of_rows(uint32_t rows, uint32_t columns) { return (rows > 0 ? rows : 1) * least_of_rows(columns); }

// Functions of elements: whole repeats, `live` of them at a time.
constexpr uint32_t kLeastOfElements = kRepeat;
constexpr uint32_t most_of_elements(uint64_t count, uint32_t type_size, uint32_t live)
{
    const uint64_t bytes = count * type_size;
    return live * static_cast<uint32_t>(bytes < kRepeat ? kRepeat : blocks(bytes));
}

// Rows that so many bytes are enough for, at least one.
constexpr uint32_t rows_within(uint32_t rows, uint32_t columns, uint32_t space)
{
    const uint32_t fit = space / least_of_rows(columns);
    return fit == 0 || rows == 0 ? 1 : fit < rows ? fit : rows;
}

template <typename Tiling = AscendC::tiling::SoftMaxTiling>
constexpr Tiling softmax_tiling(uint32_t rows, uint32_t columns, uint32_t stat_size, uint32_t space)
{
    Tiling t{};
    const uint32_t step = kBlock / (stat_size == 0 ? 4 : stat_size);
    t.srcM = rows;
    t.srcK = columns;
    t.srcSize = rows * columns;
    t.outMaxM = rows;
    t.outMaxK = step;
    t.outMaxSize = rows * step;
    t.splitM = rows_within(rows, columns, space);
    t.splitK = columns;
    t.splitSize = t.splitM * columns;
    t.reduceM = t.splitM;
    t.reduceK = step;
    t.reduceSize = t.splitM * step;
    t.rangeM = rows / t.splitM;
    t.tailM = rows % t.splitM;
    t.tailSplitSize = t.tailM * columns;
    t.tailReduceSize = t.tailM * step;
    return t;
}

} // namespace opkg::adv

#endif // OPKG_ADV_NORM_SIZES_H
