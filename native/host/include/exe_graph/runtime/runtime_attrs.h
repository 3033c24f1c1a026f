// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_RUNTIME_ATTRS_H
#define OPKG_HOST_RUNTIME_ATTRS_H

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

// The attributes of one call, numbered in the order in which the operator declares them. Every getter returns NULL for
// an index that does not exist and for an attribute that was neither given nor has a default.
class RuntimeAttrs {
public:
    RuntimeAttrs(const void *const *values, size_t count) : values_(values), count_(count) {}

    template <typename T> const T *GetAttrPointer(size_t index) const
    {
        return index < count_ ? static_cast<const T *>(values_[index]) : nullptr;
    }
    const int64_t *GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float *GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool *GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char *GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t> *GetListInt(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float> *GetListFloat(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const TypedContinuousVector<bool> *GetListBool(size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<bool>>(index);
    }
    const ContinuousVectorVector *GetListListInt(size_t index) const
    {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    const ContinuousVectorVector *GetListListFloat(size_t index) const
    {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    const Tensor *GetTensor(size_t index) const { return GetAttrPointer<Tensor>(index); }
    size_t GetAttrNum() const { return count_; }

private:
    const void *const *values_;
    size_t count_;
};

} // namespace gert

#endif // OPKG_HOST_RUNTIME_ATTRS_H
