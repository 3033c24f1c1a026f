// SPDX-License-Identifier: Apache-2.0
// y = x * scale + bias + offset, where scale and offset say something about every attribute.
#include "../op_kernel/scale_bias_tiling.h"
#include "register/op_def_registry.h"

#include <cstring>

namespace optiling {

template <typename List>
static double SumOf(const List *list)
{
    double sum = 0;
    for (size_t i = 0; list != nullptr && i < list->GetSize(); ++i) {
        sum += static_cast<double>(list->GetData()[i]);
    }
    return sum;
}

static ge::graphStatus ScaleBiasTiling(gert::TilingContext *context)
{
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    const float *factor = attrs->GetFloat(0);
    const int64_t *shift = attrs->GetInt(1);
    const bool *negate = attrs->GetBool(2);
    const char *mode = attrs->GetStr(3);
    double offset = static_cast<double>(*shift);
    offset += 10 * SumOf(attrs->GetListInt(4));
    offset += 100 * SumOf(attrs->GetListFloat(5));
    offset += 1000 * SumOf(attrs->GetListBool(6));
    const gert::ContinuousVectorVector *table = attrs->GetListListInt(7);
    for (size_t i = 0; table != nullptr && i < table->GetSize(); ++i) {
        const gert::ContinuousVector *row = table->Get(i);
        const int64_t *values = static_cast<const int64_t *>(row->GetData());
        for (size_t k = 0; k < row->GetSize(); ++k) {
            offset += static_cast<double>(i + 1) * static_cast<double>(values[k]);
        }
    }
    auto *tiling = context->GetTilingData<ScaleBiasTilingData>();
    tiling->total = static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
    tiling->scale = *factor * (*negate ? -1.0f : 1.0f) * (std::strcmp(mode, "double") == 0 ? 2.0f : 1.0f);
    tiling->offset = static_cast<float>(offset);
    tiling->hasBias = context->GetOptionalInputShape(1) == nullptr ? 0 : 1;
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

} // namespace optiling

namespace ge {

static graphStatus ScaleBiasShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}

static graphStatus ScaleBiasType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

} // namespace ge

namespace ops {

class ScaleBias : public OpDef {
public:
    explicit ScaleBias(const char *name) : OpDef(name)
    {
        const std::initializer_list<ge::DataType> types = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8,
                                                           ge::DT_INT64};
        const std::initializer_list<ge::Format> formats = {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND,
                                                           ge::FORMAT_ND};
        this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
        this->Input("bias").ParamType(OPTIONAL).DataType(types).Format(formats);
        this->Output("y").ParamType(REQUIRED).DataType(types).Format(formats);
        this->Attr("factor").AttrType(OPTIONAL).Float(1.0f);
        this->Attr("shift").AttrType(OPTIONAL).Int(0);
        this->Attr("negate").AttrType(OPTIONAL).Bool(false);
        this->Attr("mode").AttrType(OPTIONAL).String("plain");
        this->Attr("steps").AttrType(OPTIONAL).ListInt({});
        this->Attr("weights").AttrType(OPTIONAL).ListFloat({});
        this->Attr("flags").AttrType(OPTIONAL).ListBool({});
        this->Attr("table").AttrType(OPTIONAL).ListListInt({});
        this->SetInferShape(ge::ScaleBiasShape).SetInferDataType(ge::ScaleBiasType);
        this->AICore().SetTiling(optiling::ScaleBiasTiling).AddConfig("ascend910b");
    }
};

OP_ADD(ScaleBias);

} // namespace ops
