// SPDX-License-Identifier: Apache-2.0
// A kernel library by hand: keeps its arguments for the test to look at, and does what ACTION says.
#include <string.h>

#include "opkg/package_abi.h"

__attribute__((visibility("default"))) void *seen_args[64];
__attribute__((visibility("default"))) uint32_t seen_count, seen_blocks;
__attribute__((visibility("default"))) uint64_t seen_key;
__attribute__((visibility("default"))) char seen_soc[32];
__attribute__((visibility("default"))) unsigned char seen_tiling[64];

static int32_t launch(void *const *args, uint32_t n_args, uint32_t block_dim, uint64_t tiling_key, const char *soc,
                      const opkg_exec_v1 *exec)
{
    (void)exec;
    memcpy(seen_args, args, n_args * sizeof(void *));
    memcpy(seen_tiling, args[n_args - 1], sizeof(seen_tiling));
    seen_count = n_args;
    seen_blocks = block_dim;
    seen_key = tiling_key;
    strncpy(seen_soc, soc, sizeof(seen_soc) - 1);
#ifdef ACTION
    ACTION
#endif
    return 0;
}

__attribute__((visibility("default"))) opkg_kernel_table_v1 opkg_kernel_v1 = {
    sizeof(opkg_kernel_table_v1), ABI, OP, COLUMN, -1, N_ARGS, 0, TILING_SIZE, launch};
