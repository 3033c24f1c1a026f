// HardSwish on the host: what it is, which shapes and data types come out, and how the work is divided.
#include "../op_kernel/hard_swish_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

constexpr uint64_t ALIGNMENT = 256;        // elements; a multiple of 32 bytes in every data type
constexpr uint64_t WORTH_A_CORE = 4096;    // fewer elements than this are not worth a further core
constexpr uint64_t BYTES_PER_ELEMENT = 16; // of Unified Buffer: queues and work buffers of the widest column

uint64_t RoundUp(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

uint64_t AtLeastOne(uint64_t value)
{
    return value == 0 ? 1 : value;
}

} // namespace

namespace optiling {

static ge::graphStatus TilingFunc(gert::TilingContext *context)
{
    const gert::StorageShape *shape = context->GetInputShape(0);
    if (shape == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const uint64_t total = static_cast<uint64_t>(shape->GetStorageShape().GetShapeSize());

    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t unifiedBuffer = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, unifiedBuffer);
    const uint64_t cores = AtLeastOne(platform.GetCoreNumAiv());
    const uint64_t worth = AtLeastOne((total + WORTH_A_CORE - 1) / WORTH_A_CORE);
    const uint64_t used = worth < cores ? worth : cores;
    const uint64_t perCore = AtLeastOne(RoundUp((total + used - 1) / used, ALIGNMENT));

    auto *tiling = context->GetTilingData<HardSwishTilingData>();
    if (tiling == nullptr) {
        return ge::GRAPH_FAILED;
    }
    tiling->total = total;
    tiling->perCore = perCore;
    tiling->tile = static_cast<uint32_t>(unifiedBuffer / BYTES_PER_ELEMENT / ALIGNMENT * ALIGNMENT);

    context->SetBlockDim(static_cast<uint32_t>(AtLeastOne((total + perCore - 1) / perCore)));
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext *context)
{
    const gert::Shape *mainShape = context->GetInputShape(0);
    if (mainShape == nullptr) {
        return GRAPH_FAILED;
    }
    gert::Shape *yShape = context->GetOutputShape(0);
    if (yShape == nullptr) {
        return GRAPH_FAILED;
    }
    *yShape = *mainShape;
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    if (context->SetOutputDataType(0, context->GetInputDataType(0)) != GRAPH_SUCCESS) {
        return GRAPH_FAILED;
    }
    return GRAPH_SUCCESS;
}

} // namespace ge

namespace ops {

class HardSwish : public OpDef {
public:
    explicit HardSwish(const char *name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TilingFunc);
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(HardSwish);

} // namespace ops
