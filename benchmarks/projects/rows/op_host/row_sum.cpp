// SPDX-License-Identifier: Apache-2.0
#include "row_sum_tiling.h"

#include "row_tiling.h"

namespace ge {

static graphStatus InferShape(gert::InferShapeContext *context) {
    gert::Shape *y = context->GetOutputShape(0);
    y->SetDimNum(1);
    y->SetDim(0, context->GetInputShape(0)->GetDim(0));
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class RowSum : public OpDef {
public:
    explicit RowSum(const char *name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TileRows<optiling::RowSumTilingData>);
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(RowSum);

} // namespace ops
