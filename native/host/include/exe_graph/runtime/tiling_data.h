// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_TILING_DATA_H
#define OPKG_HOST_TILING_DATA_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "graph/ge_error_codes.h"

namespace gert {

// The bytes that tiling hands to the kernel.
class TilingData {
public:
    TilingData(void *data, size_t capacity) : capacity_(capacity), data_size_(0), data_(data) {}
    TilingData(const TilingData &) = delete;
    TilingData &operator=(const TilingData &) = delete;

    size_t GetCapacity() const { return capacity_; }
    size_t GetDataSize() const { return data_size_; }
    // A size beyond the capacity is kept, so that the caller can say how much room is missing.
    void SetDataSize(size_t size) { data_size_ = size; }
    void *GetData() { return data_; }
    const void *GetData() const { return data_; }

    template <typename T, typename std::enable_if<std::is_trivially_copyable<T>::value, int>::type = 0>
    ge::graphStatus Append(const T &value)
    {
        return Append(&value, 1);
    }
    template <typename T, typename std::enable_if<std::is_trivially_copyable<T>::value, int>::type = 0>
    ge::graphStatus Append(const T *values, size_t count)
    {
        const size_t bytes = sizeof(T) * count;
        if (data_size_ > capacity_ || bytes > capacity_ - data_size_) {
            return ge::GRAPH_FAILED;
        }
        std::memcpy(static_cast<char *>(data_) + data_size_, values, bytes);
        data_size_ += bytes;
        return ge::GRAPH_SUCCESS;
    }
    // Moves the end forward by size zeroed bytes and returns where they begin; NULL where they do not fit.
    void *Expand(size_t size)
    {
        if (data_size_ > capacity_ || size > capacity_ - data_size_) {
            return nullptr;
        }
        void *begin = static_cast<char *>(data_) + data_size_;
        std::memset(begin, 0, size);
        data_size_ += size;
        return begin;
    }

private:
    size_t capacity_;
    size_t data_size_;
    void *data_;
};

} // namespace gert

#endif // OPKG_HOST_TILING_DATA_H
