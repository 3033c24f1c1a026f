// SPDX-License-Identifier: Apache-2.0
// What the three operators on rows share: a matrix [rows, cols] whose rows are dealt to the cores.
#ifndef ROW_TILING_H
#define ROW_TILING_H

#include <cstdint>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

template <typename TilingData>
ge::graphStatus TileRows(gert::TilingContext *context) {
    const gert::Shape &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetDimNum() != 2) {
        return ge::GRAPH_FAILED;
    }
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto rows = static_cast<uint32_t>(shape.GetDim(0));
    const uint32_t cores = platform.GetCoreNumAiv();
    TilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(static_cast<uint32_t>(shape.GetDim(1)));
    context->SetBlockDim(rows < cores ? (rows == 0 ? 1 : rows) : cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

#endif
