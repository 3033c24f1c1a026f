// What the host's tiling function tells the kernel of HardSwish.
#ifndef HARD_SWISH_TILING_H
#define HARD_SWISH_TILING_H

#include <cstdint>

struct HardSwishTilingData {
    uint64_t total;   // elements of each tensor
    uint64_t perCore; // elements of each core; the last one has what is left
    uint32_t tile;    // elements that are computed at once
};

#endif // HARD_SWISH_TILING_H
