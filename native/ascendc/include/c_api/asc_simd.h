// SPDX-License-Identifier: Apache-2.0
#error "the twin has no C interface of the instructions (c_api); kernels that use it need a device"
