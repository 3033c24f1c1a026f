// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut: TCubeTiling, which the host side fills and a kernel with a Matmul object reads.
#ifndef OPKG_CUBE_TILING_H
#define OPKG_CUBE_TILING_H

// The fields in the order that both sides agree on. X(name): an int32_t.
#define OPKG_CUBE_TILING_FIELDS(X)                                                                                     \
    X(usedCoreNum) X(M) X(N) X(Ka) X(Kb) X(singleCoreM) X(singleCoreN) X(singleCoreK) X(baseM) X(baseN) X(baseK)       \
    X(depthA1) X(depthB1) X(stepM) X(stepN) X(isBias) X(transLength) X(iterateOrder) X(shareMode) X(shareL1Size)       \
    X(shareL0CSize) X(shareUbSize) X(batchM) X(batchN) X(singleBatchM) X(singleBatchN) X(stepKa) X(stepKb)             \
    X(depthAL1CacheUB) X(depthBL1CacheUB) X(dbL0A) X(dbL0B) X(dbL0C) X(ALayoutInfoB) X(ALayoutInfoS) X(ALayoutInfoN)   \
    X(ALayoutInfoG) X(ALayoutInfoD) X(BLayoutInfoB) X(BLayoutInfoS) X(BLayoutInfoN) X(BLayoutInfoG) X(BLayoutInfoD)    \
    X(CLayoutInfoB) X(CLayoutInfoS1) X(CLayoutInfoN) X(CLayoutInfoG) X(CLayoutInfoS2) X(BatchNum) X(mxTypePara)

#include <stdint.h>

namespace AscendC {
namespace tiling {

// set_ and get_ serve code that was written for the struct of the host side.
struct TCubeTiling {
#define OPKG_CUBE_TILING_FIELD(name)                                                                                   \
    int32_t name = 0;                                                                                                  \
    void set_##name(int32_t value) { name = value; }                                                                   \
    int32_t get_##name() const { return name; }
    OPKG_CUBE_TILING_FIELDS(OPKG_CUBE_TILING_FIELD)
#undef OPKG_CUBE_TILING_FIELD
};

} // namespace tiling
} // namespace AscendC

using AscendC::tiling::TCubeTiling;

#endif // OPKG_CUBE_TILING_H
