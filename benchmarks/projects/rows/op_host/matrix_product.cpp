// SPDX-License-Identifier: Apache-2.0
#include "matrix_product_tiling.h"

#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus Tile(gert::TilingContext *context) {
    const gert::Shape &a = context->GetInputShape(0)->GetStorageShape();
    const gert::Shape &b = context->GetInputShape(1)->GetStorageShape();
    if (a.GetDimNum() != 2 || b.GetDimNum() != 2 || a.GetDim(1) != b.GetDim(0)) {
        return ge::GRAPH_FAILED;
    }
    const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    const auto m = static_cast<int32_t>(a.GetDim(0));
    const auto n = static_cast<int32_t>(b.GetDim(1));
    const auto k = static_cast<int32_t>(a.GetDim(1));
    using namespace matmul_tiling;
    MultiCoreMatmulTiling api(platform);
    api.SetDim(static_cast<int32_t>(platform.GetCoreNumAic()));
    api.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    api.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
    api.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    api.SetOrgShape(m, n, k);
    api.SetShape(m, n, k);
    api.SetBufferSpace(-1, -1, -1);
    MatrixProductTilingData tiling;
    if (api.GetTiling(tiling.cube) != 0) {
        return ge::GRAPH_FAILED;
    }
    context->SetBlockDim(static_cast<uint32_t>(tiling.cube.get_usedCoreNum()));
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext *context) {
    gert::Shape *c = context->GetOutputShape(0);
    c->SetDimNum(2);
    c->SetDim(0, context->GetInputShape(0)->GetDim(0));
    c->SetDim(1, context->GetInputShape(1)->GetDim(1));
    return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext *context) {
    return context->SetOutputDataType(0, ge::DT_FLOAT);
}

} // namespace ge

namespace ops {

class MatrixProduct : public OpDef {
public:
    explicit MatrixProduct(const char *name) : OpDef(name) {
        this->Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Input("b").ParamType(REQUIRED).DataType({ge::DT_FLOAT16}).Format({ge::FORMAT_ND});
        this->Output("c").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::Tile);
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(MatrixProduct);

} // namespace ops
