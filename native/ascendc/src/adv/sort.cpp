// SPDX-License-Identifier: Apache-2.0
// The first k of each row, and sorting of values.
#include "adv/sort.h"

#include <string.h>

#include <algorithm>
#include <vector>

#include "twin/half.h"

namespace opkg::twin {

namespace {

// A number that ranks values as the library does. Floats by their bits: from the most negative up, NaNs at the ends.
template <typename T>
uint64_t rank_by_bits(T value)
{
    if constexpr (std::is_integral<T>::value) {
        constexpr uint64_t sign = std::is_signed<T>::value ? 1ull << 63 : 0;
        return (static_cast<uint64_t>(value) << (64 - 8 * sizeof(T))) ^ sign;
    } else {
        uint64_t bits = 0;
        memcpy(&bits, &value, sizeof(T));
        bits <<= 64 - 8 * sizeof(T);
        return (bits >> 63) != 0 ? ~bits : bits | 1ull << 63;
    }
}

// As numbers: both zeros are equal.
template <typename T>
uint64_t rank_by_value(T value)
{
    if constexpr (std::is_integral<T>::value) {
        return rank_by_bits(value);
    } else {
        return rank_by_bits(static_cast<float>(value) == 0.0f ? T(0.0f) : value);
    }
}

template <typename T>
bool is_nan(T value)
{
    if constexpr (std::is_integral<T>::value) {
        return false;
    } else {
        return static_cast<float>(value) != static_cast<float>(value);
    }
}

// Positions, those that come first first; equal ones keep their order.
std::vector<uint32_t> ordered(const std::vector<uint64_t> &ranks, bool descending)
{
    std::vector<uint32_t> at(ranks.size());
    for (uint32_t i = 0; i < at.size(); ++i) {
        at[i] = i;
    }
    std::stable_sort(at.begin(), at.end(), [&](uint32_t a, uint32_t b) {
        return descending ? ranks[a] > ranks[b] : ranks[a] < ranks[b];
    });
    return at;
}

// The first k of a row, in the order in which they are written.
template <typename T>
std::vector<uint32_t> first_of(const T *row, const TopkPlan &plan)
{
    std::vector<uint64_t> ranks(plan.inner);
    for (uint32_t i = 0; i < plan.inner; ++i) {
        ranks[i] = is_nan(row[i]) ? (plan.largest ? ~0ull : 0) : rank_by_value(row[i]);
    }
    std::vector<uint32_t> at = ordered(ranks, plan.largest != 0);
    at.resize(plan.k);
    if (!plan.in_order) {
        const uint64_t last = ranks[at.back()];
        std::sort(at.begin(), at.end(), [&](uint32_t a, uint32_t b) {
            const bool a_last = ranks[a] == last, b_last = ranks[b] == last;
            return a_last != b_last ? b_last : a < b;
        });
    }
    return at;
}

template <typename T>
void topk(void *dst, int32_t *dst_index, const void *src, const TopkPlan &plan)
{
    for (uint32_t i = 0; i < plan.rows; ++i) {
        const T *row = static_cast<const T *>(src) + static_cast<size_t>(i) * plan.inner;
        T *values = static_cast<T *>(dst) + static_cast<size_t>(i) * plan.value_step;
        int32_t *indices = dst_index + static_cast<size_t>(i) * plan.index_step;
        const std::vector<uint32_t> at = first_of(row, plan);
        const bool finished = plan.finished != nullptr && plan.finished[i] != 0;
        const int32_t *given = plan.source_index == nullptr ? nullptr : plan.source_index + i * plan.source_index_step;
        for (uint32_t j = 0; j < plan.k; ++j) {
            values[j] = row[at[j]];
            const int32_t index = given == nullptr ? static_cast<int32_t>(at[j]) : given[at[j]];
            indices[j] = finished ? plan.invalid : index;
        }
    }
}

template <typename T>
void sort_values(void *dst, void *dst_index, const void *src, const void *source_index, uint32_t index_bytes,
                 uint32_t count, bool descending, bool by_bits)
{
    const T *values = static_cast<const T *>(src);
    std::vector<uint64_t> ranks(count);
    for (uint32_t i = 0; i < count; ++i) {
        ranks[i] = by_bits ? rank_by_bits(values[i]) : rank_by_value(values[i]);
    }
    const std::vector<uint32_t> at = ordered(ranks, descending);
    for (uint32_t i = 0; i < count; ++i) {
        static_cast<T *>(dst)[i] = values[at[i]];
        if (dst_index != nullptr && source_index != nullptr) {
            memcpy(static_cast<uint8_t *>(dst_index) + static_cast<size_t>(i) * index_bytes,
                   static_cast<const uint8_t *>(source_index) + static_cast<size_t>(at[i]) * index_bytes, index_bytes);
        } else if (dst_index != nullptr) {
            static_cast<uint32_t *>(dst_index)[i] = at[i];
        }
    }
}

// Calls body with a null pointer of the dtype's type.
template <typename Body>
void by_dtype(uint32_t dtype, const Body &body)
{
    switch (dtype) {
        case kF32:
            return body(static_cast<float *>(nullptr));
        case kF16:
            return body(static_cast<half *>(nullptr));
        case kBF16:
            return body(static_cast<bfloat16_t *>(nullptr));
        case kI8:
            return body(static_cast<int8_t *>(nullptr));
        case kU8:
            return body(static_cast<uint8_t *>(nullptr));
        case kI16:
            return body(static_cast<int16_t *>(nullptr));
        case kU16:
            return body(static_cast<uint16_t *>(nullptr));
        case kI32:
            return body(static_cast<int32_t *>(nullptr));
        case kU32:
            return body(static_cast<uint32_t *>(nullptr));
        case kI64:
            return body(static_cast<int64_t *>(nullptr));
        default:
            return body(static_cast<uint64_t *>(nullptr));
    }
}

} // namespace

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_topk(void *dst, int32_t *dst_index, const void *src, const TopkPlan *plan)
{
    by_dtype(plan->dtype, [&](auto *type) { topk<std::remove_pointer_t<decltype(type)>>(dst, dst_index, src, *plan); });
}

void opkg_twin_sort_values(uint32_t dtype, void *dst, void *dst_index, const void *src, const void *source_index,
                           uint32_t index_bytes, uint32_t count, uint32_t descending, uint32_t by_bits)
{
    by_dtype(dtype, [&](auto *type) {
        sort_values<std::remove_pointer_t<decltype(type)>>(dst, dst_index, src, source_index, index_bytes, count,
                                                           descending != 0, by_bits != 0);
    });
}
