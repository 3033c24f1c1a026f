#include "register/op_def_registry.h"

#include "../op_kernel/add_one_tiling.h"

namespace optiling {

static ge::graphStatus AddOneTiling(gert::TilingContext *context)
{
    auto *tiling = context->GetTilingData<AddOneTilingData>();
    tiling->total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus AddOneShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus AddOneDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class AddOne : public OpDef {
public:
    explicit AddOne(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::AddOneShape).SetInferDataType(ge::AddOneDataType);
        this->AICore().SetTiling(optiling::AddOneTiling);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend310p");
    }
};

OP_ADD(AddOne);

} // namespace ops
