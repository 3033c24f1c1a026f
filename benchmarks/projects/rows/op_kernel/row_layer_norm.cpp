// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

extern "C" __global__ __aicore__ void row_layer_norm(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    Rows<RowLayerNormStep> rows;
    rows.Run(x, y, data.rows, data.cols, data.atOnce);
}
