// SPDX-License-Identifier: Apache-2.0
#error "the twin has no SIMT instructions (simt_api); kernels that use them need a device"
