// SPDX-License-Identifier: Apache-2.0
// A dynamic input: one argument that lists tensors. Memory: the byte offset of the table of pointers; for each tensor
// uint32 rank, uint32 index and its uint64 dimensions; then the pointers.
#ifndef OPKG_TWIN_LIST_TENSOR_H
#define OPKG_TWIN_LIST_TENSOR_H

#include "twin/tensor.h"

namespace AscendC {

template <typename T>
class TensorDesc {
public:
    void SetShapeAddr(uint64_t *room) { shape_ = room; }
    uint64_t GetDim() const { return rank_; }
    uint64_t GetIndex() const { return index_; }
    uint64_t GetShape(uint32_t i) const { return shape_[i]; }
    T *GetDataPtr() const { return data_; }
    GlobalTensor<T> GetDataObj() const
    {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_);
        return tensor;
    }

private:
    friend class ListTensorDesc;
    uint64_t *shape_ = nullptr;
    uint64_t rank_ = 0;
    uint64_t index_ = 0;
    T *data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() = default;
    explicit ListTensorDesc(__gm__ void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff)
    {
        Init(data, length, shapeSize);
    }
    void Init(__gm__ void *data, uint32_t = 0xffffffff, uint32_t = 0xffffffff)
    {
        words_ = static_cast<const uint64_t *>(data);
    }

    uint32_t GetSize() const
    {
        uint32_t count = 0;
        for (uint64_t at = 1; at * 8 < words_[0]; at += 1 + rank_at(at)) {
            ++count;
        }
        return count;
    }
    template <typename T>
    T *GetDataPtr(uint32_t index) const
    {
        require(index);
        return reinterpret_cast<T *>(words_[words_[0] / 8 + index]);
    }
    template <typename T>
    void GetDesc(TensorDesc<T> &desc, uint32_t index) const
    {
        require(index);
        uint64_t at = 1;
        for (uint32_t i = 0; i < index; ++i) {
            at += 1 + rank_at(at);
        }
        desc.rank_ = rank_at(at);
        desc.index_ = words_[at] >> 32;
        desc.data_ = GetDataPtr<T>(index);
        for (uint64_t i = 0; desc.shape_ != nullptr && i < desc.rank_; ++i) {
            desc.shape_[i] = words_[at + 1 + i];
        }
    }

private:
    void require(uint32_t index) const
    {
        if (words_ == nullptr || index >= GetSize()) {
            opkg_twin_fail("ListTensorDesc: tensor %u of a list of %u", index, words_ == nullptr ? 0 : GetSize());
        }
    }
    uint64_t rank_at(uint64_t at) const { return words_[at] & 0xffffffffu; }

    const uint64_t *words_ = nullptr;
};

} // namespace AscendC

#endif // OPKG_TWIN_LIST_TENSOR_H
