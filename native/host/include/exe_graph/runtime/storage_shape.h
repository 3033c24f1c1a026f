// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_STORAGE_SHAPE_H
#define OPKG_HOST_STORAGE_SHAPE_H

#include "exe_graph/runtime/shape.h"

namespace gert {

// A tensor's shape as the model sees it (origin) and as it lies in memory (storage).
class StorageShape {
public:
    StorageShape() = default;
    StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
        : origin_shape_(origin), storage_shape_(storage)
    {
    }
    StorageShape(const Shape &origin, const Shape &storage) : origin_shape_(origin), storage_shape_(storage) {}

    const Shape &GetOriginShape() const { return origin_shape_; }
    const Shape &GetStorageShape() const { return storage_shape_; }
    const Shape &GetShape() const { return storage_shape_; }
    Shape &MutableOriginShape() { return origin_shape_; }
    Shape &MutableStorageShape() { return storage_shape_; }
    bool operator==(const StorageShape &o) const
    {
        return origin_shape_ == o.origin_shape_ && storage_shape_ == o.storage_shape_;
    }
    bool operator!=(const StorageShape &o) const { return !(*this == o); }

private:
    Shape origin_shape_;
    Shape storage_shape_;
};

} // namespace gert

#endif // OPKG_HOST_STORAGE_SHAPE_H
