// SPDX-License-Identifier: Apache-2.0
// Operators that each show one side of the host library. Most tiling functions write what they see as int64 values, so
// that a test can read it.
#include <cmath>
#include <stdexcept>

#include "graph/utils/type_utils.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SquareTilingData)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, cores);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Square, SquareTilingData)

BEGIN_TILING_DATA_DEF(Inner)
TILING_DATA_FIELD_DEF(uint8_t, kind);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, sizes);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerOp, Inner)

BEGIN_TILING_DATA_DEF(Outer)
TILING_DATA_FIELD_DEF(uint8_t, first);
TILING_DATA_FIELD_DEF_STRUCT(Inner, inner);
TILING_DATA_FIELD_DEF_ARR(float, 70, many);
TILING_DATA_FIELD_DEF(bool, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Nested, Outer)
} // namespace optiling

namespace {

using ge::graphStatus;

void Write(gert::TilingContext *context, int64_t value) { context->GetRawTilingData()->Append(value); }

graphStatus SquareTiling(gert::TilingContext *context)
{
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    optiling::SquareTilingData tiling;
    tiling.set_total(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
    tiling.set_cores(platform.GetCoreNumAiv());
    context->SetBlockDim(platform.GetCoreNumAiv());
    context->SetTilingKey(7);
    auto *raw = context->GetRawTilingData();
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
    context->GetWorkspaceSizes(1)[0] = 100;
    return ge::GRAPH_SUCCESS;
}

graphStatus SameShape(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}

graphStatus SameType(gert::InferDataTypeContext *context)
{
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

graphStatus WriteAttrs(gert::TilingContext *context)
{
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    Write(context, static_cast<int64_t>(attrs->GetAttrNum()));
    Write(context, *attrs->GetInt(0));
    Write(context, std::lround(*attrs->GetFloat(1) * 1000));
    Write(context, *attrs->GetBool(2));
    const std::string text = attrs->GetStr(3);
    Write(context, static_cast<int64_t>(text.size()));
    Write(context, text.empty() ? 0 : text[0]);
    Write(context, *attrs->GetAttrPointer<ge::DataType>(4));
    const auto *ints = attrs->GetListInt(5);
    Write(context, static_cast<int64_t>(ints->GetSize()));
    Write(context, ints->GetSize() == 0 ? 0 : ints->GetData()[ints->GetSize() - 1]);
    const auto *floats = attrs->GetListFloat(6);
    Write(context, static_cast<int64_t>(floats->GetSize()));
    Write(context, std::lround(floats->GetData()[0] * 1000));
    const auto *bools = attrs->GetListBool(7);
    Write(context, bools->GetData()[0] * 2 + bools->GetData()[1]);
    const auto *rows = attrs->GetListListInt(8);
    Write(context, static_cast<int64_t>(rows->GetSize()));
    for (size_t i = 0; i < rows->GetSize(); ++i) {
        Write(context, static_cast<int64_t>(rows->Get(i)->GetSize()));
        Write(context, static_cast<const int64_t *>(rows->Get(i)->GetData())[0]);
    }
    const auto *texts = attrs->GetAttrPointer<gert::TypedContinuousVector<const char *>>(9);
    Write(context, static_cast<int64_t>(texts->GetSize()));
    Write(context, texts->GetData()[1][0]);
    Write(context, attrs->GetInt(10) == nullptr ? -1 : *attrs->GetInt(10));
    Write(context, attrs->GetInt(99) == nullptr);
    return ge::GRAPH_SUCCESS;
}

graphStatus WriteInstances(gert::TilingContext *context)
{
    Write(context, static_cast<int64_t>(context->GetComputeNodeInputNum()));
    Write(context, static_cast<int64_t>(context->GetComputeNodeOutputNum()));
    for (size_t ir = 0; ir < 4; ++ir) {
        Write(context, static_cast<int64_t>(context->GetIrInputInstanceInfo(ir)->GetInstanceStart()));
        Write(context, static_cast<int64_t>(context->GetIrInputInstanceInfo(ir)->GetInstanceNum()));
    }
    const auto *bias = context->GetOptionalInputShape(1);
    Write(context, bias == nullptr ? -1 : bias->GetStorageShape().GetDim(0));
    Write(context, context->GetOptionalInputDesc(1) == nullptr);
    Write(context, context->GetDynamicInputShape(2, 1) == nullptr ? -1
                                                                  : context->GetDynamicInputShape(2, 1)->GetOriginShape().GetDim(0));
    Write(context, context->GetDynamicInputShape(2, 9) == nullptr);
    Write(context, context->GetRequiredInputShape(3)->GetStorageShape().GetDim(0));
    Write(context, context->GetInputShape(99) == nullptr && context->GetIrInputInstanceInfo(99) == nullptr);
    return ge::GRAPH_SUCCESS;
}

graphStatus WritePlatform(gert::TilingContext *context)
{
    using namespace platform_ascendc;
    PlatformAscendC platform(context->GetPlatformInfo());
    Write(context, platform.GetCoreNumAic());
    Write(context, platform.GetCoreNumAiv());
    Write(context, platform.GetCoreNumVector());
    for (const CoreMemType memory : {CoreMemType::UB, CoreMemType::L1, CoreMemType::L0_A, CoreMemType::L0_C, CoreMemType::L2}) {
        uint64_t size = 0;
        platform.GetCoreMemSize(memory, size);
        Write(context, static_cast<int64_t>(size));
    }
    Write(context, static_cast<int64_t>(platform.GetSocVersion()));
    Write(context, static_cast<int64_t>(platform.GetCurNpuArch()));
    Write(context, platform.GetLibApiWorkSpaceSize());
    Write(context, platform.CalcTschBlockDim(5, 20, 40));
    platform.ReserveLocalMemory(ReservedSize::RESERVED_SIZE_16K);
    uint64_t rest = 0;
    platform.GetCoreMemSize(CoreMemType::UB, rest);
    Write(context, static_cast<int64_t>(rest));
    return ge::GRAPH_SUCCESS;
}

graphStatus Throws(gert::TilingContext *context)
{
    if (context->GetInputShape(0)->GetStorageShape().GetDim(0) == 1) {
        return ge::GRAPH_FAILED;
    }
    if (context->GetInputShape(0)->GetStorageShape().GetDim(0) == 2) {
        context->SetBlockDim(0);
        return ge::GRAPH_SUCCESS;
    }
    if (context->GetInputShape(0)->GetStorageShape().GetDim(0) == 3) {
        context->GetRawTilingData()->SetDataSize(1 << 20);
        return ge::GRAPH_SUCCESS;
    }
    throw std::runtime_error("no plan for this shape");
}

graphStatus ShapeFromValue(gert::InferShapeContext *context)
{
    const gert::Tensor *wanted = context->GetInputTensor(1);
    gert::Shape *out = context->GetOutputShape(0);
    out->SetDimNum(0);
    for (int64_t i = 0; i < wanted->GetShapeSize(); ++i) {
        out->AppendDim(wanted->GetData<int64_t>()[i]);
    }
    return ge::GRAPH_SUCCESS;
}

graphStatus ValueTiling(gert::TilingContext *context)
{
    Write(context, context->GetInputTensor(0)->GetData<float>() == nullptr);
    Write(context, context->GetInputTensor(1)->GetData<int64_t>()[0]);
    return ge::GRAPH_SUCCESS;
}

graphStatus Unknown(gert::InferShapeContext *context)
{
    *context->GetOutputShape(0) = gert::Shape({-1, 2});
    *context->GetOutputShape(1) = *context->GetInputShape(0);
    return ge::GRAPH_SUCCESS;
}

graphStatus UnknownRank(gert::InferShapeContext *context)
{
    const bool unknown = context->GetInputShape(0)->GetDim(0) == -2;
    *context->GetOutputShape(0) = unknown ? gert::Shape({-2}) : gert::Shape({});
    return ge::GRAPH_SUCCESS;
}

graphStatus Atomic(gert::TilingContext *context)
{
    context->SetNeedAtomic(context->GetInputShape(0)->GetStorageShape().GetDim(0) != 5);
    return ge::GRAPH_SUCCESS;
}

graphStatus NestedTiling(gert::TilingContext *context)
{
    const uint16_t sizes[] = {10, 20, 30, 99};
    float many[70] = {};
    many[69] = 2.5f;
    optiling::Outer tiling;
    tiling.set_first(1);
    tiling.inner.set_kind(2);
    tiling.inner.set_sizes(sizes);
    tiling.inner.get_sizes()[1] = 21;
    tiling.set_many(many);
    tiling.set_last(true);
    optiling::Outer copy = tiling;
    tiling.inner.set_kind(9); // the copy does not see this
    const optiling::Inner alone = copy.inner;
    auto *raw = context->GetRawTilingData();
    if (context->GetInputShape(0)->GetStorageShape().GetDim(0) == 1) {
        copy.SaveToBuffer(raw->GetData(), raw->GetCapacity());
        raw->SetDataSize(copy.GetDataSize());
    } else { // written in place
        optiling::Outer direct;
        direct.SetDataPtr(raw->GetData());
        raw->SetDataSize(direct.GetDataSize());
        direct.set_first(7);
        direct.inner.set_kind(alone.get_kind());
    }
    return copy.get_last() && alone.get_kind() == 2 ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

graphStatus LargestIsTwice(gert::InferShapeRangeContext *context)
{
    const gert::Shape *input = context->GetInputShapeRange(0)->GetMax();
    gert::Range<gert::Shape> *range = context->GetOutputShapeRange(0);
    range->GetMax()->SetDimNum(1);
    range->GetMax()->SetDim(0, input->GetDim(0) * 2);
    return ge::GRAPH_SUCCESS;
}

struct PlainTiling {
    uint16_t small;
    uint64_t large;
};

struct CompileInfo {
    int64_t cores = 0;
};

int parsed = 0;

graphStatus ParseCompileInfo(gert::TilingParseContext *context)
{
    ++parsed;
    context->GetCompiledInfo<CompileInfo>()->cores =
        platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    return ge::GRAPH_SUCCESS;
}

graphStatus PlainStructTiling(gert::TilingContext *context)
{
    auto *tiling = context->GetTilingData<PlainTiling>();
    tiling->small = 3;
    tiling->large = static_cast<uint64_t>(context->GetCompileInfo<CompileInfo>()->cores * 100 + parsed);
    context->SetScheduleMode(1);
    return ge::GRAPH_SUCCESS;
}

} // namespace

namespace ops {

const std::vector<ge::DataType> kFloats = {ge::DT_FLOAT, ge::DT_FLOAT16};
const std::vector<ge::Format> kNd = {ge::FORMAT_ND, ge::FORMAT_ND};

class Square : public OpDef {
public:
    explicit Square(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType(kFloats).Format(kNd).UnknownShapeFormat(kNd);
        Output("y").ParamType(REQUIRED).DataType(kFloats).Format(kNd).UnknownShapeFormat(kNd);
        SetInferShape(SameShape).SetInferDataType(SameType);
        AICore().SetTiling(SquareTiling);
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true).PrecisionReduceFlag(false).ExtendCfgInfo("opFile.value", "square");
        AICore().AddConfig("ascend910b", config);
        OpAICoreConfig integers;
        integers.Input("x").DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        integers.Output("y").DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        AICore().AddConfig("ascend310p", integers);
    }
};
OP_ADD(Square);

class Attributes : public OpDef {
public:
    explicit Attributes(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Attr("whole").AttrType(REQUIRED).Int();
        Attr("real").AttrType(OPTIONAL).Float(0.1f);
        Attr("flag").AttrType(OPTIONAL).Bool(true);
        Attr("text").AttrType(OPTIONAL).String("say \"hi\"");
        Attr("type").AttrType(OPTIONAL).Type(ge::DT_BF16);
        Attr("ints").AttrType(OPTIONAL).ListInt({4, 5, 6});
        Attr("reals").AttrType(OPTIONAL).ListFloat({1e-5f, 2});
        Attr("flags").AttrType(OPTIONAL).ListBool({true, false});
        Attr("rows").AttrType(OPTIONAL).ListListInt({{1, 2}, {3}});
        Attr("texts").AttrType(OPTIONAL).ListString({"a", "b"});
        Attr("nothing").AttrType(OPTIONAL).Int();
        AICore().SetTiling(WriteAttrs);
        AICore().AddConfig("ascend910b");
    }
};
OP_ADD(Attributes);

class Instances : public OpDef {
public:
    explicit Instances(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT});
        Input("bias").ParamType(OPTIONAL).DataTypeList({ge::DT_FLOAT});
        Input("xs").ParamType(DYNAMIC).DataTypeList({ge::DT_FLOAT});
        Input("last").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataTypeList({ge::DT_FLOAT});
        Output("ys").ParamType(DYNAMIC).DataTypeList({ge::DT_FLOAT});
        AICore().SetTiling(WriteInstances);
    }
};
OP_ADD(Instances);

class Layouts : public OpDef {
public:
    explicit Layouts(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
            .Format({ge::FORMAT_NC1HWC0, ge::FORMAT_NHWC, ge::FORMAT_ND});
        Output("y").ParamType(REQUIRED).Follow("x");
    }
};
OP_ADD(Layouts);

class StrictLayouts : public OpDef {
public:
    explicit StrictLayouts(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_NHWC, ge::FORMAT_FRACTAL_NZ});
        Output("y").ParamType(REQUIRED).Follow("x");
        FormatMatchMode(FormatCheckOption::STRICT);
    }
};
OP_ADD(StrictLayouts);

class Combined : public OpDef {
public:
    explicit Combined(const char *name) : OpDef(name)
    {
        Input("a").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).FormatList({ge::FORMAT_ND, ge::FORMAT_NCHW});
        Input("b").ParamType(REQUIRED).DataTypeList({ge::DT_INT32, ge::DT_INT64}).FormatList({ge::FORMAT_ND});
        Input("c").ParamType(REQUIRED).Follow("b");
        Output("y").ParamType(REQUIRED).Follow("a", FollowType::DTYPE).FormatList({ge::FORMAT_ND});
        Output("z").ParamType(REQUIRED).Follow("c");
    }
};
OP_ADD(Combined);

class PlatformNumbers : public OpDef {
public:
    explicit PlatformNumbers(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        AICore().SetTiling(WritePlatform);
    }
};
OP_ADD(PlatformNumbers);

class Throwing : public OpDef {
public:
    explicit Throwing(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        SetInferShape([](gert::InferShapeContext *) { return ge::GRAPH_PARAM_INVALID; });
        SetInferDataType([](gert::InferDataTypeContext *) -> ge::graphStatus { throw std::out_of_range("no such type"); });
        AICore().SetTiling(Throws);
    }
};
OP_ADD(Throwing);

class ShapeByValue : public OpDef {
public:
    explicit ShapeByValue(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Input("shape").ParamType(REQUIRED).DataType({ge::DT_INT64}).ValueDepend(REQUIRED);
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        SetInferShape(ShapeFromValue);
        AICore().SetTiling(ValueTiling);
    }
};
OP_ADD(ShapeByValue);

class Unique : public OpDef {
public:
    explicit Unique(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_INT64}).OutputShapeDependOnCompute();
        Output("copy").ParamType(REQUIRED).DataType({ge::DT_INT32});
        Output("z").ParamType(REQUIRED).DataType({ge::DT_INT32}).OutputShapeDependOnCompute();
        SetInferShape(Unknown);
    }
};
OP_ADD(Unique);

class Narrow : public OpDef {
public:
    explicit Narrow(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).OutputShapeDependOnCompute();
    }
};
OP_ADD(Narrow);

class Ranged : public OpDef {
public:
    explicit Ranged(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_INT32});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32}).OutputShapeDependOnCompute();
        SetInferShapeRange(LargestIsTwice);
    }
};
OP_ADD(Ranged);

class Nested : public OpDef {
public:
    explicit Nested(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        AICore().SetTiling(NestedTiling);
    }
};
OP_ADD(Nested);

class RankOnly : public OpDef {
public:
    explicit RankOnly(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        SetInferShape(UnknownRank);
    }
};
OP_ADD(RankOnly);

class Filled : public OpDef {
public:
    explicit Filled(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32, ge::DT_INT8})
            .InitValue({{ScalarType::FLOAT32, 1.5}, {ScalarType::FLOAT16, 0.1f}, {ScalarType::INT32, -7}, {ScalarType::INT8, -1}});
        Output("zero").ParamType(REQUIRED).DataTypeList({ge::DT_INT64}).InitValue(0);
        AICore().SetTiling(Atomic);
    }
};
OP_ADD(Filled);

class InPlace : public OpDef {
public:
    explicit InPlace(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    }
};
OP_ADD(InPlace);

class Registered : public OpDef {
public:
    explicit Registered(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        AICore().AddConfig("ascend310p");
    }
};
OP_ADD(Registered);
IMPL_OP_OPTILING(Registered).Tiling(PlainStructTiling).TilingParse<CompileInfo>(ParseCompileInfo);
IMPL_OP_INFERSHAPE(Registered).InferShape(SameShape).InferDataType(SameType);
REGISTER_OP_AICORE_CONFIG(Registered, ascend910b, []() {
    OpAICoreConfig config("ascend910b");
    config.Input("x").ParamType(OPTIONAL);
    return config;
});

class Unequal : public OpDef {
public:
    explicit Unequal(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32}).Format({ge::FORMAT_ND});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32});
    }
};
OP_ADD(Unequal);

class Stray : public OpDef {
public:
    explicit Stray(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).Follow("w");
    }
};
OP_ADD(Stray);

class Explodes : public OpDef {
public:
    explicit Explodes(const char *name) : OpDef(name) { throw 5; }
};
OP_ADD(Explodes);

class Repeated : public OpDef {
public:
    explicit Repeated(const char *name) : OpDef(name)
    {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    }
};
OP_ADD(Repeated);

} // namespace ops

namespace other {
using ops::OpDef;
using ops::Repeated;
OP_ADD(Repeated);
} // namespace other
