// SPDX-License-Identifier: Apache-2.0
// Fills the rows of a float16 matrix up to whole blocks of 32 bytes; the library's Pad brings its own tiling.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(PadRowsTilingData)
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF_STRUCT(PadTiling, pad);
TILING_DATA_FIELD_DEF(uint32_t, height);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(PadRows, PadRowsTilingData)

static ge::graphStatus Tile(gert::TilingContext *context)
{
    const gert::Shape &x = context->GetInputShape(0)->GetStorageShape();
    const AscendC::TensorShape shape({x.GetDim(0), x.GetDim(1)});
    uint32_t most = 0, least = 0;
    AscendC::GetPadMaxMinTmpSize(shape, 2, most, least);
    PadRowsTilingData tiling;
    tiling.set_height(static_cast<uint32_t>(x.GetDim(0)));
    tiling.set_width(static_cast<uint32_t>(x.GetDim(1)));
    AscendC::PadTilingFunc(shape, shape, least, 2, tiling.pad);
    context->SetBlockDim(1);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext *context)
{
    const gert::Shape *x = context->GetInputShape(0);
    gert::Shape *y = context->GetOutputShape(0);
    y->SetDimNum(2);
    y->SetDim(0, x->GetDim(0));
    y->SetDim(1, (x->GetDim(1) + 15) / 16 * 16);
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class PadRows : public OpDef {
public:
    explicit PadRows(const char *name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::Tile);
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(PadRows);

} // namespace ops
