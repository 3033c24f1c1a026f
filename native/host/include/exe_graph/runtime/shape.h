// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_SHAPE_H
#define OPKG_HOST_SHAPE_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace gert {

// Up to 25 dimensions. No dimensions: a scalar. A shape of one dimension -2 has unknown rank; -1 is an unknown extent.
class Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

    Shape() = default;
    Shape(std::initializer_list<int64_t> dims)
    {
        if (dims.size() <= kMaxDimNum) {
            for (const int64_t dim : dims) {
                dims_[dim_num_++] = dim;
            }
        }
    }

    bool operator==(const Shape &other) const
    {
        if (dim_num_ != other.dim_num_) {
            return false;
        }
        for (size_t i = 0; i < dim_num_; ++i) {
            if (dims_[i] != other.dims_[i]) {
                return false;
            }
        }
        return true;
    }
    bool operator!=(const Shape &other) const { return !(*this == other); }

    // Product of all dimensions; 1 for a scalar; -1 where a dimension is negative or the product overflows.
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (size_t i = 0; i < dim_num_; ++i) {
            if (dims_[i] < 0 || __builtin_mul_overflow(size, dims_[i], &size)) {
                return -1;
            }
        }
        return size;
    }
    bool IsScalar() const { return dim_num_ == 0; }
    void SetScalar() { dim_num_ = 0; }

    size_t GetDimNum() const { return dim_num_; }
    // Extents may be set before the number of dimensions is.
    void SetDimNum(size_t dim_num) { dim_num_ = dim_num < kMaxDimNum ? dim_num : kMaxDimNum; }
    int64_t GetDim(size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }
    void SetDim(size_t i, int64_t value)
    {
        if (i < kMaxDimNum) {
            dims_[i] = value;
        }
    }
    Shape &AppendDim(int64_t value)
    {
        if (dim_num_ < kMaxDimNum) {
            dims_[dim_num_++] = value;
        }
        return *this;
    }
    const int64_t &operator[](size_t i) const { return dims_[i]; }
    int64_t &operator[](size_t i) { return dims_[i]; }

private:
    size_t dim_num_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

} // namespace gert

#endif // OPKG_HOST_SHAPE_H
