#ifndef ADD_ONE_TILING_H
#define ADD_ONE_TILING_H

#include <cstdint>

struct AddOneTilingData {
    uint32_t total;
};

#endif // ADD_ONE_TILING_H
