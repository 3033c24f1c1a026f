// SPDX-License-Identifier: Apache-2.0
#include "row_softmax_tiling.h"

#include "row_tiling.h"

namespace ge {

static graphStatus InferShape(gert::InferShapeContext *context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class RowSoftmax : public OpDef {
public:
    explicit RowSoftmax(const char *name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::TileRows<optiling::RowSoftmaxTilingData>);
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(RowSoftmax);

} // namespace ops
