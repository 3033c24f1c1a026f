// SPDX-License-Identifier: Apache-2.0
#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(RowLayerNormTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);
TILING_DATA_FIELD_DEF(uint32_t, cols);
TILING_DATA_FIELD_DEF(uint32_t, atOnce);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RowLayerNorm, RowLayerNormTilingData)

} // namespace optiling
