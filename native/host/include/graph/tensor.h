// SPDX-License-Identifier: Apache-2.0
// ge::Shape: the shapes that the host functions of the library take.
#ifndef OPKG_HOST_GRAPH_TENSOR_H
#define OPKG_HOST_GRAPH_TENSOR_H

#include <cstdint>
#include <vector>

#include "graph/types.h"

namespace ge {

// The extents of a tensor. No dimensions: a scalar, or nothing is known.
class Shape {
public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}

    size_t GetDimNum() const { return dims_.size(); }
    std::vector<int64_t> GetDims() const { return dims_; }
    // 0 beyond the last dimension.
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    graphStatus SetDim(size_t index, int64_t value)
    {
        if (index >= dims_.size()) {
            return GRAPH_FAILED;
        }
        dims_[index] = value;
        return GRAPH_SUCCESS;
    }
    // The number of elements: 0 without dimensions, -1 where an extent is unknown or the product overflows.
    int64_t GetShapeSize() const
    {
        int64_t size = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            if (dim < 0 || __builtin_mul_overflow(size, dim, &size)) {
                return -1;
            }
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

} // namespace ge

#endif // OPKG_HOST_GRAPH_TENSOR_H
