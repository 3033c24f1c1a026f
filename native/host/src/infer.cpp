// SPDX-License-Identifier: Apache-2.0
// Shapes and data types of outputs. An operator without InferShape has, for each output, the shape of the input that it
// follows, else that of the first input. One without InferDataType has the types of the first column that takes the
// inputs.
#include "columns.hpp"
#include "frame.hpp"
#include "guard.hpp"
#include "tensors.hpp"
#include "types.hpp"

namespace opkg::host {
namespace {

void DefaultShapes(const Operator &op, Frame &frame)
{
    const gert::ComputeNodeInfo &info = *frame.Info();
    for (size_t ir = 0; ir < op.outputs.size(); ++ir) {
        const int from = op.outputs[ir].shape_from;
        const gert::AnchorInstanceInfo *source =
            from < 0 ? nullptr : info.GetInputInstanceInfo(static_cast<size_t>(from));
        const size_t input = source != nullptr && source->GetInstanceNum() > 0 ? source->GetInstanceStart() : 0;
        const gert::AnchorInstanceInfo *targets = info.GetOutputInstanceInfo(ir);
        for (size_t i = 0; i < targets->GetInstanceNum() && input < info.GetInputsNum(); ++i) {
            frame.Outputs()[targets->GetInstanceStart() + i].MutableOriginShape() =
                frame.Inputs()[input].GetOriginShape();
        }
    }
}

int32_t StoreShape(const Operator &op, const opkg_call_v1 &call, const gert::Shape &shape, opkg_tensor_v1 &out,
                   const opkg_exec_v1 *exec)
{
    if (out.dl.shape == nullptr) {
        return Report(exec, kNullPointer, Who(op, call) + ": an output has no room for its shape");
    }
    const bool unknown_rank = shape.GetDimNum() == 1 && shape.GetDim(0) == ge::UNKNOWN_DIM_NUM;
    out.flags = unknown_rank ? out.flags | OPKG_TENSOR_UNKNOWN_RANK
                             : out.flags & ~static_cast<uint32_t>(OPKG_TENSOR_UNKNOWN_RANK);
    out.dl.ndim = unknown_rank ? 0 : static_cast<int32_t>(shape.GetDimNum());
    for (int32_t i = 0; i < out.dl.ndim; ++i) {
        const int64_t dim = shape.GetDim(static_cast<size_t>(i));
        if (dim < ge::UNKNOWN_DIM) {
            return Report(exec, kInferShape,
                          Who(op, call) + ": InferShape gave output '" + op.outputs[out.ir_index].name +
                              "' dimension " + std::to_string(i) + " the extent " + std::to_string(dim));
        }
        out.dl.shape[i] = dim;
    }
    out.origin_shape = nullptr;
    out.origin_ndim = out.dl.ndim;
    return kOk;
}

int32_t InferShape(const Operator &op, opkg_call_v1 *call, const opkg_exec_v1 *exec)
{
    const int32_t bad = CheckCall(op, call, exec);
    if (bad != kOk) {
        return bad;
    }
    Frame frame;
    const int32_t bad_frame = frame.Build(op, *call, Phase::kInferShape, exec);
    if (bad_frame != kOk) {
        return bad_frame;
    }
    for (size_t i = 0; i < frame.Info()->GetOutputsNum(); ++i) {
        frame.Outputs()[i].GetShape() = gert::StorageShape();
    }
    if (op.impl.infer_shape == nullptr) {
        DefaultShapes(op, frame);
    } else {
        gert::InferShapeContext context(frame.Info(), frame.Inputs(), frame.Outputs());
        const ge::graphStatus status = op.impl.infer_shape(&context);
        if (status != ge::GRAPH_SUCCESS) {
            return Report(exec, kInferShape,
                          Who(op, *call) + ": InferShape failed (it returned " + std::to_string(status) + ") for " +
                              TensorsText(op, *call));
        }
    }
    for (size_t i = 0; i < frame.Info()->GetOutputsNum(); ++i) {
        opkg_tensor_v1 &out = call->outputs[frame.CallOutput(i)];
        const int32_t bad_shape = StoreShape(op, *call, frame.Outputs()[i].GetOriginShape(), out, exec);
        if (bad_shape != kOk) {
            return bad_shape;
        }
    }
    return kOk;
}

void StoreDtype(opkg_tensor_v1 &out, int32_t dtype, int32_t format)
{
    out.dtype = dtype;
    out.dl.dtype = DlpackType(dtype);
    out.format = format;
    out.origin_format = format;
}

// Whether the operator computed the types itself. code is set where that failed.
int32_t RunInferDtype(const Operator &op, const opkg_call_v1 &call, Frame &frame, const opkg_exec_v1 *exec)
{
    gert::InferDataTypeContext context(frame.Info(), frame.Inputs(), frame.Outputs());
    const ge::graphStatus status = op.impl.infer_dtype(&context);
    if (status != ge::GRAPH_SUCCESS) {
        return Report(exec, kInferShape,
                      Who(op, call) + ": InferDataType failed (it returned " + std::to_string(status) + ") for " +
                          TensorsText(op, call));
    }
    return kOk;
}

int32_t InferDtype(const Operator &op, opkg_call_v1 *call, const opkg_exec_v1 *exec)
{
    const int32_t bad = CheckCall(op, call, exec);
    if (bad != kOk) {
        return bad;
    }
    Frame frame;
    const int32_t bad_frame = frame.Build(op, *call, Phase::kInferDtype, exec);
    if (bad_frame != kOk) {
        return bad_frame;
    }
    const uint32_t column = SelectColumn(op, *call, false);
    const bool own = op.impl.infer_dtype != nullptr;
    const bool first = !own && op.impl.dtype_of_first_input && frame.Info()->GetInputsNum() > 0;
    if (own) {
        const int32_t failed = RunInferDtype(op, *call, frame, exec);
        if (failed != kOk) {
            return failed;
        }
    } else if (!first && column == kNoColumn) {
        return Report(exec, kInvalidParameter, NoColumnText(op, *call));
    }
    for (size_t i = 0; i < frame.Info()->GetOutputsNum(); ++i) {
        opkg_tensor_v1 &out = call->outputs[frame.CallOutput(i)];
        const Param &param = op.outputs[out.ir_index];
        const int32_t format = column == kNoColumn ? ge::FORMAT_ND : param.formats[column];
        const int32_t dtype = own     ? frame.Outputs()[i].GetDataType()
                              : first ? frame.Inputs()[0].GetDataType()
                                      : param.dtypes[column];
        StoreDtype(out, dtype, format);
    }
    return kOk;
}

} // namespace

int32_t InferShapeEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_exec_v1 *exec)
{
    return Guard(Self(op), "InferShape", kInferShape, exec, [&] { return InferShape(Self(op), call, exec); });
}

int32_t InferDtypeEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_exec_v1 *exec)
{
    return Guard(Self(op), "InferDataType", kInferShape, exec, [&] { return InferDtype(Self(op), call, exec); });
}

} // namespace opkg::host
