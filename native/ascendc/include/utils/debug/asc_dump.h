// SPDX-License-Identifier: Apache-2.0
// Printing memory from a kernel by its address.
#ifndef OPKG_UTILS_DEBUG_ASC_DUMP_H
#define OPKG_UTILS_DEBUG_ASC_DUMP_H

#include "twin/debug.h"

namespace opkg::twin {

template <typename T>
inline void dump(T *input, uint32_t desc, uint32_t count)
{
    using Plain = typename std::remove_cv<T>::type;
    if (ASCENDC_DUMP != 0) {
        opkg_twin_dump(input, DtypeOf<Plain>::value, count, desc, "GM");
    }
}

} // namespace opkg::twin

template <typename T>
__aicore__ inline void asc_dump(T *input, uint32_t desc, uint32_t dump_size)
{
    opkg::twin::dump(input, desc, dump_size);
}
template <typename T>
__aicore__ inline void asc_dump_gm(__gm__ T *input, uint32_t desc, uint32_t dump_size)
{
    opkg::twin::dump(input, desc, dump_size);
}
template <typename T>
__aicore__ inline void asc_dump_ubuf(__ubuf__ T *input, uint32_t desc, uint32_t dump_size)
{
    opkg::twin::dump(input, desc, dump_size);
}
template <typename T>
__aicore__ inline void asc_dump_l1buf(__cbuf__ T *input, uint32_t desc, uint32_t dump_size)
{
    opkg::twin::dump(input, desc, dump_size);
}
template <typename T>
__aicore__ inline void asc_dump_cbuf(__cc__ T *input, uint32_t desc, uint32_t dump_size)
{
    opkg::twin::dump(input, desc, dump_size);
}

#endif // OPKG_UTILS_DEBUG_ASC_DUMP_H
