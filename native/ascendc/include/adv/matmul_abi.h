// SPDX-License-Identifier: Apache-2.0
// What a Matmul object and libopkg_twin.so.1 agree on: plain data and C symbols. Within one SONAME fields and functions
// are only ever added at the end.
#ifndef OPKG_ADV_MATMUL_ABI_H
#define OPKG_ADV_MATMUL_ABI_H

#include "twin/abi.h"

namespace opkg::twin {

// One of the matrices A, B, bias and their companions, from the first element that this core works on.
struct MatmulOperand {
    const void *data;
    uint32_t dtype;
    uint32_t format;     // CubeFormat
    uint32_t local;      // in an on-chip buffer: its extents are those of this core's part; 2: in L1
    uint32_t transposed;
    uint64_t limit;      // elements that may be read, 0 where it is not known
    int64_t line;        // elements from line to line; 0: as the shapes say
};

// Where the result goes.
struct MatmulTarget {
    void *data;
    uint32_t local;
    uint32_t atomic;     // 0 store, 1 add, 2 max, 3 min
    uint32_t sequential; // a base block of its own, not its place in this core's part
    int64_t line;        // as in MatmulOperand
    uint64_t limit;      // likewise
};

enum MatmulQuantKind : uint32_t { kNoQuant, kQuantScalar, kQuantVector };
enum MatmulTriangle : uint32_t { kFull, kUpper, kLower };
enum MatmulSplit : uint32_t { kNoSplit, kSplitM, kSplitN };

// Callbacks of the kernel that move data themselves, with the arguments that the kernel's own functions take.
struct MatmulProblem;
using MatmulLoadFn = void (*)(void *local, uint32_t bytes, const void *gm, int row, int col, int rows, int cols,
                              uint64_t tiling, uint64_t data);
using MatmulStoreFn = void (*)(const void *gm, void *local, uint32_t bytes, const void *params, uint64_t tiling,
                               uint64_t data);

// Everything that the set functions of a Matmul object have recorded.
struct MatmulProblem {
    MatmulOperand a;
    MatmulOperand b;
    MatmulOperand bias;    // data is NULL where there is none
    MatmulOperand scale_a; // of the MX forms
    MatmulOperand scale_b;
    const uint8_t *sparse_index;
    int32_t org_m, org_n, org_ka, org_kb, org_kc;
    uint32_t org_set;      // SetOrgShape was called
    int32_t single_m, single_n, single_k;
    int32_t base_m, base_n, base_k;
    uint32_t n_first;      // Iterate moves along N first
    uint32_t result_dtype;
    uint32_t result_format;
    uint32_t channel_split;
    uint32_t quant;
    uint64_t quant_scalar;
    const uint64_t *quant_vector;
    uint32_t hf32;         // 0: float32 as it is; 1: halves to even; 2: halves away from zero
    uint32_t relu;
    uint32_t triangle;
    uint32_t split;        // a base block's halves go to the block's two vector cores
    uint32_t partial;      // one step is baseK of a base block
    MatmulLoadFn load_a;
    MatmulLoadFn load_b;
    MatmulStoreFn store;
    uint64_t user_tiling;
    uint64_t user_data;
    // The state of Iterate.
    int32_t step;          // base blocks (or steps of K) begun
    int32_t taken;         // base blocks handed out of the workspace, or left out
    void *tile;            // the base block that Iterate has made; owned by the library
    uint64_t tile_bytes;
    // With A of half and B of int8 only: b is taken as (b + offset) * scale, in half. One of each, or one a column of B.
    MatmulOperand anti_scales;
    MatmulOperand anti_offsets; // data is NULL where there are none
};

} // namespace opkg::twin

extern "C" {
// This cube core has no part in what follows: its block's vector cores run the kernel. (Between vector and cube cores of a
// chip messages go back and forth; here the vector core makes the product itself.)
OPKG_TWIN_API uint32_t opkg_twin_matmul_served(uint32_t both_kinds_run);
// Products that belong to a whole block: whether this core makes it. opkg_twin_matmul_join waits until it is made.
OPKG_TWIN_API uint32_t opkg_twin_matmul_makes(uint32_t cube_makes);
OPKG_TWIN_API void opkg_twin_matmul_join(uint32_t cube_makes);
// The whole part of this core.
OPKG_TWIN_API void opkg_twin_matmul_all(opkg::twin::MatmulProblem *problem, const opkg::twin::MatmulTarget *target);
// The next base block, kept until it is fetched. onto: added to the block made before. 0: there is none left.
OPKG_TWIN_API uint32_t opkg_twin_matmul_step(opkg::twin::MatmulProblem *problem, uint32_t onto);
// The next base block, into the L0C buffer as fractals of 16 by 16 in float32 or int32.
OPKG_TWIN_API uint32_t opkg_twin_matmul_step_into(opkg::twin::MatmulProblem *problem, uint32_t onto, void *l0c);
// Where that block stands in the part of this core, and its extents.
OPKG_TWIN_API void opkg_twin_matmul_place(const opkg::twin::MatmulProblem *problem, int32_t *row, int32_t *column,
                                          int32_t *height, int32_t *width);
OPKG_TWIN_API void opkg_twin_matmul_fetch(opkg::twin::MatmulProblem *problem, const opkg::twin::MatmulTarget *target);
// All base blocks, one after the other, into a workspace; and the next of them from there.
OPKG_TWIN_API void opkg_twin_matmul_run_ahead(opkg::twin::MatmulProblem *problem, void *workspace);
OPKG_TWIN_API void *opkg_twin_matmul_take(opkg::twin::MatmulProblem *problem, void *workspace);
OPKG_TWIN_API void opkg_twin_matmul_copy_block(opkg::twin::MatmulProblem *problem, const void *block,
                                               const opkg::twin::MatmulTarget *target);
OPKG_TWIN_API void opkg_twin_matmul_release(opkg::twin::MatmulProblem *problem);
// Products of float32 are made with: "openblas" and its version, or "opkg".
OPKG_TWIN_API const char *opkg_twin_blas();
} // extern "C"

#endif // OPKG_ADV_MATMUL_ABI_H
