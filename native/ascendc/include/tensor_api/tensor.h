// SPDX-License-Identifier: Apache-2.0
#error "the twin has no tensor interface (tensor_api); kernels that use it need a device"
