// SPDX-License-Identifier: Apache-2.0
// Any number of vectors, one behind the other, repeated as often as the value of the last input says.
#include "../op_kernel/join_all_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus JoinAllTiling(gert::TilingContext *context)
{
    auto *tiling = context->GetTilingData<JoinAllTilingData>();
    tiling->count = static_cast<uint32_t>(context->GetIrInputInstanceInfo(0)->GetInstanceNum());
    tiling->rows = static_cast<uint32_t>(context->GetInputTensor(tiling->count)->GetData<int32_t>()[0]);
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus JoinAllShape(gert::InferShapeContext *context)
{
    const size_t count = context->GetComputeNodeInfo()->GetInputInstanceInfo(0)->GetInstanceNum();
    int64_t length = 0;
    for (size_t i = 0; i < count; ++i) {
        const int64_t extent = context->GetDynamicInputShape(0, i)->GetDim(0);
        length = length < 0 || extent < 0 ? -1 : length + extent;
    }
    const gert::Tensor *rows = context->GetInputTensor(count);
    const int32_t *value = rows == nullptr ? nullptr : rows->GetData<int32_t>();
    gert::Shape *to = context->GetOutputShape(0);
    to->SetDimNum(2);
    to->SetDim(0, value == nullptr ? -1 : value[0]);
    to->SetDim(1, length);
    return GRAPH_SUCCESS;
}

static graphStatus JoinAllType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class JoinAll : public OpDef {
public:
    explicit JoinAll(const char *name) : OpDef(name)
    {
        this->Input("xs").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Input("rows").ParamType(REQUIRED).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND}).ValueDepend(OPTIONAL);
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::JoinAllShape).SetInferDataType(ge::JoinAllType);
        this->AICore().SetTiling(optiling::JoinAllTiling).AddConfig("ascend910b");
    }
};

OP_ADD(JoinAll);

} // namespace ops
