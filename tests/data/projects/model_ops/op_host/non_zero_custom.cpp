// SPDX-License-Identifier: Apache-2.0
// The positions of the elements that are not zero: how many there are is known only when the kernel has run.
#include "../op_kernel/non_zero_custom_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus NonZeroCustomTiling(gert::TilingContext *context)
{
    auto *tiling = context->GetTilingData<NonZeroCustomTilingData>();
    tiling->total = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus NonZeroCustomShape(gert::InferShapeContext *context)
{
    gert::Shape *to = context->GetOutputShape(0);
    to->SetDimNum(1);
    to->SetDim(0, -1);
    return GRAPH_SUCCESS;
}

static graphStatus NonZeroCustomType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, ge::DT_INT32);
}

} // namespace ge

namespace ops {

class NonZeroCustom : public OpDef {
public:
    explicit NonZeroCustom(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("positions")
            .ParamType(REQUIRED)
            .DataType({ge::DT_INT32, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND})
            .OutputShapeDependOnCompute();
        this->SetInferShape(ge::NonZeroCustomShape).SetInferDataType(ge::NonZeroCustomType);
        this->AICore().SetTiling(optiling::NonZeroCustomTiling).AddConfig("ascend910b");
    }
};

OP_ADD(NonZeroCustom);

} // namespace ops
