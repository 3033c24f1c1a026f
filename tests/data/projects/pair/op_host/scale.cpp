#include "scale_tiling.h"

#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus ScaleTiling(gert::TilingContext *context)
{
    ScaleTilingData tiling;
    const uint32_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    const uint32_t cores = 2;
    tiling.set_negate(*context->GetAttrs()->GetAttrPointer<bool>(1) ? 1 : 0);
    tiling.range.set_total(total);
    tiling.range.set_perCore(((total + cores - 1) / cores + 15) / 16 * 16);
    tiling.set_factor(*context->GetAttrs()->GetAttrPointer<float>(0));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(cores);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus ScaleShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus ScaleDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class Scale : public OpDef {
public:
    explicit Scale(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("factor").AttrType(OPTIONAL).Float(2.0);
        this->Attr("negate").AttrType(OPTIONAL).Bool(false);
        this->SetInferShape(ge::ScaleShape).SetInferDataType(ge::ScaleDataType);
        this->AICore().SetTiling(optiling::ScaleTiling);
        this->AICore().AddConfig("ascend910b").AddConfig("ascend310p");
    }
};

OP_ADD(Scale);

} // namespace ops
