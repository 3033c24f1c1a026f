// SPDX-License-Identifier: Apache-2.0
// Two outputs of different types: of each row the largest element, and how many elements exceed the threshold.
#include "../op_kernel/top_count_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus TopCountTiling(gert::TilingContext *context)
{
    const gert::Shape &shape = context->GetInputShape(0)->GetStorageShape();
    auto *tiling = context->GetTilingData<TopCountTilingData>();
    tiling->columns = static_cast<uint64_t>(shape.GetDim(shape.GetDimNum() - 1));
    tiling->rows = tiling->columns == 0 ? 0 : static_cast<uint64_t>(shape.GetShapeSize()) / tiling->columns;
    tiling->threshold = *context->GetAttrs()->GetFloat(0);
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus TopCountShape(gert::InferShapeContext *context)
{
    const gert::Shape *from = context->GetInputShape(0);
    for (size_t output = 0; output < 2; ++output) {
        gert::Shape *to = context->GetOutputShape(output);
        to->SetDimNum(0);
        for (size_t i = 0; i + 1 < from->GetDimNum(); ++i) {
            to->AppendDim(from->GetDim(i));
        }
    }
    return GRAPH_SUCCESS;
}

static graphStatus TopCountType(gert::InferDataTypeContext *context)
{
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return context->SetOutputDataType(1, ge::DT_INT32);
}

} // namespace ge

namespace ops {

class TopCount : public OpDef {
public:
    explicit TopCount(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("largest").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("count").ParamType(REQUIRED).DataType({ge::DT_INT32, ge::DT_INT32}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Attr("threshold").AttrType(REQUIRED).Float();
        this->SetInferShape(ge::TopCountShape).SetInferDataType(ge::TopCountType);
        this->AICore().SetTiling(optiling::TopCountTiling).AddConfig("ascend910b");
    }
};

OP_ADD(TopCount);

} // namespace ops
