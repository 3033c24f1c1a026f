// Classic tiling, with a gap and a nested struct.
#ifndef SCALE_TILING_H
#define SCALE_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(ScaleRange)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, perCore);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleRangeOp, ScaleRange)

BEGIN_TILING_DATA_DEF(ScaleTilingData)
TILING_DATA_FIELD_DEF(uint8_t, negate);
TILING_DATA_FIELD_DEF_STRUCT(ScaleRange, range);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Scale, ScaleTilingData)

} // namespace optiling

#endif // SCALE_TILING_H
