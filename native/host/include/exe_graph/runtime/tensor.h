// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_TENSOR_H
#define OPKG_HOST_TENSOR_H

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor_data.h"

namespace gert {

// Shape, format, type and, where the operator declared that it needs them, the values of a tensor.
class Tensor {
public:
    Tensor() = default;
    Tensor(const StorageShape &shape, const StorageFormat &format, TensorPlacement placement, ge::DataType data_type,
           TensorAddress address)
        : shape_(shape), format_(format), data_type_(data_type), placement_(placement), address_(address)
    {
    }
    Tensor(const StorageShape &shape, const StorageFormat &format, ge::DataType data_type)
        : shape_(shape), format_(format), data_type_(data_type)
    {
    }

    int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
    template <typename T> const T *GetData() const { return static_cast<const T *>(address_); }
    template <typename T> T *GetData() { return static_cast<T *>(address_); }
    const void *GetAddr() const { return address_; }
    void *GetAddr() { return address_; }
    // Bytes at GetAddr().
    size_t GetSize() const { return size_; }
    void SetSize(size_t size) { size_ = size; }
    void SetAddr(void *address, size_t size)
    {
        address_ = address;
        size_ = size;
    }

    ge::DataType GetDataType() const { return data_type_; }
    void SetDataType(ge::DataType type) { data_type_ = type; }
    const StorageShape &GetShape() const { return shape_; }
    StorageShape &GetShape() { return shape_; }
    const Shape &GetStorageShape() const { return shape_.GetStorageShape(); }
    const Shape &GetOriginShape() const { return shape_.GetOriginShape(); }
    Shape &MutableStorageShape() { return shape_.MutableStorageShape(); }
    Shape &MutableOriginShape() { return shape_.MutableOriginShape(); }
    const StorageFormat &GetFormat() const { return format_; }
    StorageFormat &MutableFormat() { return format_; }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
    void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
    TensorPlacement GetPlacement() const { return placement_; }
    void SetPlacement(TensorPlacement placement) { placement_ = placement; }

private:
    StorageShape shape_;
    StorageFormat format_;
    ge::DataType data_type_ = ge::DT_UNDEFINED;
    TensorPlacement placement_ = kOnHost;
    void *address_ = nullptr;
    size_t size_ = 0;
};

} // namespace gert

#endif // OPKG_HOST_TENSOR_H
