// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include "types.hpp"

namespace opkg::host {
namespace {

void FillShape(gert::Shape &shape, int32_t ndim, const int64_t *dims)
{
    shape.SetDimNum(static_cast<size_t>(ndim < 0 ? 0 : ndim));
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        shape[i] = dims[i];
    }
}

std::string TensorText(const opkg_tensor_v1 &t)
{
    std::string text = DtypeName(t.dtype) + "[";
    if ((t.flags & OPKG_TENSOR_UNKNOWN_RANK) != 0) {
        text += "...";
    }
    for (int32_t i = 0; t.dl.shape != nullptr && i < t.dl.ndim; ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(t.dl.shape[i]);
    }
    text += "]";
    return t.format == ge::FORMAT_ND ? text : text + " " + FormatName(t.format);
}

void AddTexts(std::string &text, const std::vector<Param> &params, const opkg_tensor_v1 *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const opkg_tensor_v1 &t = tensors[i];
        if (IsAbsent(t) || t.ir_index >= params.size()) {
            continue;
        }
        const Param &param = params[t.ir_index];
        text += (text.empty() || text.back() == ' ' ? "" : ", ") + param.name;
        text += param.type == ops::DYNAMIC ? "[" + std::to_string(t.group_index) + "]=" : "=";
        text += TensorText(t);
    }
}

} // namespace

int64_t ElementCount(const opkg_tensor_v1 &t)
{
    if ((t.flags & OPKG_TENSOR_UNKNOWN_RANK) != 0 || (t.dl.ndim > 0 && t.dl.shape == nullptr)) {
        return -1;
    }
    int64_t count = 1;
    for (int32_t i = 0; i < t.dl.ndim; ++i) {
        if (t.dl.shape[i] < 0 || __builtin_mul_overflow(count, t.dl.shape[i], &count)) {
            return -1;
        }
    }
    return count;
}

int64_t ByteCount(const opkg_tensor_v1 &t)
{
    return ge::GetSizeInBytes(ElementCount(t), static_cast<ge::DataType>(t.dtype));
}

void FillTensor(gert::Tensor &tensor, const opkg_tensor_v1 &t, bool with_values)
{
    gert::Shape &storage = tensor.MutableStorageShape();
    gert::Shape &origin = tensor.MutableOriginShape();
    if ((t.flags & OPKG_TENSOR_UNKNOWN_RANK) != 0) {
        storage.AppendDim(ge::UNKNOWN_DIM_NUM);
        origin.AppendDim(ge::UNKNOWN_DIM_NUM);
    } else {
        FillShape(storage, t.dl.ndim, t.dl.shape);
        const bool same = t.origin_shape == nullptr;
        FillShape(origin, same ? t.dl.ndim : t.origin_ndim, same ? t.dl.shape : t.origin_shape);
    }
    tensor.SetDataType(static_cast<ge::DataType>(t.dtype));
    tensor.SetStorageFormat(static_cast<ge::Format>(t.format));
    tensor.SetOriginFormat(static_cast<ge::Format>(t.origin_format));
    if (with_values && (t.flags & OPKG_TENSOR_HOST_VALUE) != 0) {
        const int64_t bytes = ByteCount(t);
        tensor.SetAddr(DataOf(t), bytes < 0 ? 0 : static_cast<size_t>(bytes));
    }
}

DLDataType DlpackType(int32_t dtype)
{
    enum : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };
    uint8_t code = kInt;
    switch (dtype) {
        case ge::DT_FLOAT: case ge::DT_FLOAT16: case ge::DT_DOUBLE: code = kFloat; break;
        case ge::DT_BF16: code = kBfloat; break;
        case ge::DT_BOOL: code = kBool; break;
        case ge::DT_COMPLEX32: case ge::DT_COMPLEX64: case ge::DT_COMPLEX128: code = kComplex; break;
        case ge::DT_UINT8: case ge::DT_UINT16: case ge::DT_UINT32: case ge::DT_UINT64: case ge::DT_QUINT8:
        case ge::DT_QUINT16: case ge::DT_UINT1: case ge::DT_UINT2: code = kUInt; break;
        default: break;
    }
    const int64_t bits = DtypeBits(dtype);
    return DLDataType{code, static_cast<uint8_t>(bits < 0 ? 0 : bits), 1};
}

std::string TensorsText(const Operator &op, const opkg_call_v1 &call)
{
    std::string text;
    AddTexts(text, op.inputs, call.inputs, call.n_inputs);
    text += " -> ";
    AddTexts(text, op.outputs, call.outputs, call.n_outputs);
    return text;
}

} // namespace opkg::host
