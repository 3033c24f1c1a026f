// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_TENSOR_DATA_H
#define OPKG_HOST_TENSOR_DATA_H

#include <cstddef>
#include <cstdint>

namespace gert {

using TensorAddress = void *;
using ConstTensorAddressPtr = const void *;

enum TensorPlacement : int32_t {
    kOnDeviceHbm = 0,
    kOnHost = 1,
    kFollowing = 2,
    kOnDeviceP2p = 3,
    kTensorPlacementEnd = 4,
};

} // namespace gert

#endif // OPKG_HOST_TENSOR_DATA_H
