// SPDX-License-Identifier: Apache-2.0
// Selection by masks of whole elements, and dropping elements out.
#include "adv/filter.h"

#include <string.h>

#include "twin/half.h"

namespace opkg::twin {

namespace {

bool is_zero(const uint8_t *at, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

template <typename Bits>
void select_row(Bits *dst, const Bits *tensor, Bits number, const uint8_t *mask, const MaskedRows &r, bool number_first)
{
    for (uint32_t k = 0; k < r.columns; ++k) {
        const bool zero = is_zero(mask + static_cast<size_t>(k) * r.mask_element, r.mask_element);
        dst[k] = zero == number_first ? number : tensor[k];
    }
}

template <typename Bits>
void select_rows(void *dst, const void *tensor, const void *number, const void *mask, const MaskedRows &r, bool number_first)
{
    Bits value;
    memcpy(&value, number, sizeof(value));
    for (uint32_t i = 0; i < r.rows; ++i) {
        const size_t at = static_cast<size_t>(i) * r.columns;
        select_row(static_cast<Bits *>(dst) + at, static_cast<const Bits *>(tensor) + at, value,
                   static_cast<const uint8_t *>(mask) + static_cast<size_t>(i) * r.mask_step * r.mask_element, r, number_first);
    }
}

template <typename T>
void drop_rows(void *dst, const void *src, const uint8_t *mask, const void *scale, const MaskedRows &r, bool bits)
{
    T factor;
    memcpy(static_cast<void *>(&factor), scale, sizeof(factor));
    for (uint32_t i = 0; i < r.rows; ++i) {
        const T *from = static_cast<const T *>(src) + static_cast<size_t>(i) * r.columns;
        T *to = static_cast<T *>(dst) + static_cast<size_t>(i) * r.columns;
        const uint8_t *kept = mask + static_cast<size_t>(i) * r.mask_step;
        for (uint32_t k = 0; k < r.columns; ++k) {
            const bool keep = bits ? (kept[k / 8] >> (k % 8) & 1) != 0 : kept[k] != 0;
            to[k] = keep ? T(from[k] * factor) : T(0.0f);
        }
    }
}

} // namespace

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_select_bytes(void *dst, const void *tensor, const void *number, const void *mask, const MaskedRows *rows,
                            uint32_t number_first)
{
    (rows->element == 2 ? select_rows<uint16_t> : select_rows<uint32_t>)(dst, tensor, number, mask, *rows,
                                                                         number_first != 0);
}

void opkg_twin_drop_out(uint32_t dtype, void *dst, const void *src, const uint8_t *mask, const void *scale,
                        const MaskedRows *rows, uint32_t bits)
{
    const auto drop = dtype == kF32 ? drop_rows<float> : dtype == kF16 ? drop_rows<half> : drop_rows<bfloat16_t>;
    drop(dst, src, mask, scale, *rows, bits != 0);
}
