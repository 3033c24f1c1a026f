// SPDX-License-Identifier: Apache-2.0
// Lists as attributes and workspaces carry them: a header, directly followed by the elements.
#ifndef OPKG_HOST_CONTINUOUS_VECTOR_H
#define OPKG_HOST_CONTINUOUS_VECTOR_H

#include <cstddef>
#include <cstdint>

#include "graph/ge_error_codes.h"

namespace gert {

class ContinuousVector {
public:
    ContinuousVector(size_t capacity, size_t size) : capacity_(capacity), size_(size) {}
    ContinuousVector(const ContinuousVector &) = delete;
    ContinuousVector &operator=(const ContinuousVector &) = delete;

    size_t GetSize() const { return size_; }
    size_t GetCapacity() const { return capacity_; }
    ge::graphStatus SetSize(size_t size)
    {
        if (size > capacity_) {
            return ge::GRAPH_FAILED;
        }
        size_ = size;
        return ge::GRAPH_SUCCESS;
    }
    const void *GetData() const { return this + 1; }
    void *MutableData() { return this + 1; }

private:
    size_t capacity_;
    size_t size_;
};

template <typename T> class TypedContinuousVector : private ContinuousVector {
public:
    using ContinuousVector::ContinuousVector;
    using ContinuousVector::GetCapacity;
    using ContinuousVector::GetSize;
    using ContinuousVector::SetSize;

    const T *GetData() const { return static_cast<const T *>(ContinuousVector::GetData()); }
    T *MutableData() { return static_cast<T *>(ContinuousVector::MutableData()); }
};

// A list of lists: the offsets of its rows (from this object) follow the header, the rows follow them.
class ContinuousVectorVector {
public:
    explicit ContinuousVectorVector(size_t size) : size_(size) {}
    ContinuousVectorVector(const ContinuousVectorVector &) = delete;
    ContinuousVectorVector &operator=(const ContinuousVectorVector &) = delete;

    size_t GetSize() const { return size_; }
    const ContinuousVector *Get(size_t index) const
    {
        if (index >= size_) {
            return nullptr;
        }
        return reinterpret_cast<const ContinuousVector *>(reinterpret_cast<const char *>(this) + Offsets()[index]);
    }
    size_t *MutableOffsets() { return reinterpret_cast<size_t *>(this + 1); }

private:
    const size_t *Offsets() const { return reinterpret_cast<const size_t *>(this + 1); }

    size_t size_;
};

} // namespace gert

#endif // OPKG_HOST_CONTINUOUS_VECTOR_H
