// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_STORAGE_FORMAT_H
#define OPKG_HOST_STORAGE_FORMAT_H

#include "graph/types.h"

namespace gert {

class StorageFormat {
public:
    StorageFormat() = default;
    StorageFormat(ge::Format origin, ge::Format storage) : origin_format_(origin), storage_format_(storage) {}

    ge::Format GetOriginFormat() const { return origin_format_; }
    void SetOriginFormat(ge::Format format) { origin_format_ = format; }
    ge::Format GetStorageFormat() const { return storage_format_; }
    void SetStorageFormat(ge::Format format) { storage_format_ = format; }

private:
    ge::Format origin_format_ = ge::FORMAT_ND;
    ge::Format storage_format_ = ge::FORMAT_ND;
};

} // namespace gert

#endif // OPKG_HOST_STORAGE_FORMAT_H
