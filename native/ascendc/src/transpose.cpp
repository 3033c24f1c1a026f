// SPDX-License-Identifier: Apache-2.0
// Matrices with rows and columns exchanged, blocks read across, tensors taken in turn.
#include <string.h>

#include <vector>

#include "runs.hpp"

namespace opkg::twin {
namespace {

// In tiles, so that both sides stay in the first cache.
template <typename T>
void transpose(T *dst, const T *src, size_t rows, size_t columns)
{
    constexpr size_t tile = 16;
    for (size_t r = 0; r < rows; r += tile) {
        const size_t r_end = r + tile < rows ? r + tile : rows;
        for (size_t c = 0; c < columns; c += tile) {
            const size_t c_end = c + tile < columns ? c + tile : columns;
            for (size_t i = c; i < c_end; ++i) {
                for (size_t k = r; k < r_end; ++k) {
                    dst[i * rows + k] = src[k * columns + i];
                }
            }
        }
    }
}

template <typename T>
void transpose_all(void *dst, const void *src, size_t count, size_t rows, size_t columns)
{
    const size_t size = rows * columns;
    std::vector<T> copy;
    const T *from = static_cast<const T *>(src);
    if (dst == src) {
        copy.assign(from, from + count * size);
        from = copy.data();
    }
    for (size_t i = 0; i < count; ++i) {
        transpose(static_cast<T *>(dst) + i * size, from + i * size, rows, columns);
    }
}

constexpr uint32_t kBlocks = 16;
constexpr size_t kBlock = kBlockBytes;

// All sixteen sources are read before a destination is written: they may be the same blocks.
void transpose_blocks(uint8_t *const *dst, const uint8_t *const *src, uint32_t element, uint32_t high)
{
    uint8_t across[kBlocks * kBlock];
    const size_t first = element == 1 && (high & 2) != 0 ? kBlock / 2 : 0;
    const size_t per_block = element == 1 ? kBlock / 2 : kBlock / element;
    for (size_t i = 0; i < per_block; ++i) {
        for (size_t k = 0; k < kBlocks; ++k) {
            memcpy(across + (i * kBlocks + k) * element, src[k] + first + i * element, element);
        }
    }
    const size_t part = element == 1 ? kBlock / 2 : kBlock;
    const size_t place = element == 1 && (high & 1) != 0 ? kBlock / 2 : 0;
    for (size_t i = 0; i < kBlocks; ++i) {
        memcpy(dst[i] + place, across + i * part, part);
    }
}

// Which element of a block of n, and n for a zero, comes at place i of the block that continues it.
uint32_t continued(uint32_t mode, bool right, uint32_t i, uint32_t n)
{
    if (mode == 0) {
        return right ? n - 1 : 0;
    }
    const uint32_t mirrored = n - 1 - i;
    if (mode == 1) {
        return mirrored;
    }
    if (right) {
        return i + 1 < n ? mirrored - 1 : n;
    }
    return i > 0 ? mirrored + 1 : n;
}

template <typename T>
void interleave(void *dst0, void *dst1, const void *src0, const void *src1, size_t count)
{
    const T *a = static_cast<const T *>(src0);
    const T *b = static_cast<const T *>(src1);
    T *halves[2] = {static_cast<T *>(dst0), static_cast<T *>(dst1)};
    for (size_t h = 0; h < 2; ++h) {
        for (size_t i = 0; i < count / 2; ++i) {
            halves[h][2 * i] = a[h * (count / 2) + i];
            halves[h][2 * i + 1] = b[h * (count / 2) + i];
        }
    }
}

template <typename T>
void deinterleave_one(T *even, T *odd, const T *from, size_t pairs)
{
    for (size_t i = 0; i < pairs; ++i) {
        even[i] = from[2 * i];
        odd[i] = from[2 * i + 1];
    }
}

template <typename T>
void deinterleave(void *dst0, void *dst1, const void *src0, const void *src1, size_t count)
{
    T *even = static_cast<T *>(dst0);
    T *odd = static_cast<T *>(dst1);
    deinterleave_one(even, odd, static_cast<const T *>(src0), count / 2);
    if (src1 != nullptr) {
        deinterleave_one(even + count / 2, odd + count / 2, static_cast<const T *>(src1), count / 2);
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

#define OPKG_TWIN_BY_SIZE(element, function, ...)                                                                      \
    switch (element) {                                                                                                 \
        case 1:                                                                                                        \
            return function<uint8_t>(__VA_ARGS__);                                                                     \
        case 2:                                                                                                        \
            return function<uint16_t>(__VA_ARGS__);                                                                    \
        case 4:                                                                                                        \
            return function<uint32_t>(__VA_ARGS__);                                                                    \
        default:                                                                                                       \
            return function<uint64_t>(__VA_ARGS__);                                                                    \
    }

void opkg_twin_transpose(void *dst, const void *src, uint32_t element, size_t count, size_t rows, size_t columns)
{
    OPKG_TWIN_BY_SIZE(element, transpose_all, dst, src, count, rows, columns)
}

// One repeat alone begins where a second one would: at the first address and one stride.
void opkg_twin_transpose_blocks(const uint64_t *dst, const uint64_t *src, uint32_t element, uint32_t high,
                                uint32_t repeat, uint32_t dst_step, uint32_t src_step)
{
    const uint32_t skipped = repeat == 1 ? 1 : 0;
    for (uint32_t r = skipped; r < repeat + skipped; ++r) {
        uint8_t *to[kBlocks];
        const uint8_t *from[kBlocks];
        for (uint32_t i = 0; i < kBlocks; ++i) {
            to[i] = reinterpret_cast<uint8_t *>(dst[i]) + static_cast<size_t>(r) * dst_step * kBlock;
            from[i] = reinterpret_cast<const uint8_t *>(src[i]) + static_cast<size_t>(r) * src_step * kBlock;
        }
        transpose_blocks(to, from, element, high);
    }
}

void opkg_twin_continue_blocks(void *dst, const void *src, uint32_t mode, uint32_t right, const RepeatPlan *plan)
{
    const uint32_t size = plan->element[0];
    const uint32_t in_block = kBlockBytes / size;
    for_each_run(*plan, [&](const size_t *offset, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) {
            const size_t place = offset[1] + static_cast<size_t>(i) * size;
            const uint32_t from = continued(mode, right != 0, static_cast<uint32_t>(place % kBlockBytes) / size, in_block);
            const uint8_t zero[kBlockBytes] = {};
            const uint8_t *element = from == in_block ? zero : at(src, place / kBlockBytes * kBlockBytes + from * size);
            memcpy(at(dst, offset[0] + static_cast<size_t>(i) * size), element, size);
        }
    });
}

void opkg_twin_interleave(void *dst0, void *dst1, const void *src0, const void *src1, uint32_t element, size_t count)
{
    OPKG_TWIN_BY_SIZE(element, interleave, dst0, dst1, src0, src1, count)
}

void opkg_twin_deinterleave(void *dst0, void *dst1, const void *src0, const void *src1, uint32_t element, size_t count)
{
    OPKG_TWIN_BY_SIZE(element, deinterleave, dst0, dst1, src0, src1, count)
}
