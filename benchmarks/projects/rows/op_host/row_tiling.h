// SPDX-License-Identifier: Apache-2.0
// What the three operators on rows share: a matrix [rows, cols] whose rows are dealt to the cores.
#ifndef ROW_TILING_H
#define ROW_TILING_H

#include <cstdint>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

constexpr uint32_t kMostRows = 8;

template <typename TilingData>
ge::graphStatus TileRows(gert::TilingContext *context) {
    const gert::Shape &shape = context->GetInputShape(0)->GetStorageShape();
    if (shape.GetDimNum() != 2) {
        return ge::GRAPH_FAILED;
    }
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto rows = static_cast<uint32_t>(shape.GetDim(0));
    const auto cols = static_cast<uint32_t>(shape.GetDim(1));
    const uint32_t cores = platform.GetCoreNumAiv();
    uint64_t unifiedBuffer = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, unifiedBuffer);
    // Two queues of two tiles each, one row of work, and a little for scalars.
    const uint64_t rowBytes = (static_cast<uint64_t>(cols) * sizeof(float) + 31) / 32 * 32;
    const uint64_t fit = rowBytes == 0 ? kMostRows : (unifiedBuffer - rowBytes - 64) / (4 * (rowBytes + 32));
    if (fit == 0 || rowBytes * 5 > unifiedBuffer) {
        return ge::GRAPH_FAILED;
    }
    const uint32_t atOnce = fit < kMostRows ? static_cast<uint32_t>(fit) : kMostRows;
    const uint32_t tiles = (rows + atOnce - 1) / atOnce;
    TilingData tiling;
    tiling.set_rows(rows);
    tiling.set_cols(cols);
    tiling.set_atOnce(atOnce);
    context->SetBlockDim(tiles < cores ? (tiles == 0 ? 1 : tiles) : cores);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

#endif
