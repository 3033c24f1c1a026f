// SPDX-License-Identifier: Apache-2.0
// Copies into buffers, and copies past the caches for tensors that are larger than they are. Rows of a few KiB are where
// memcpy changes to an instruction of the processor (rep movsb) that is half as fast as a loop.
#include "pack.hpp"
#include "tables.hpp"
#include "copies.hpp"

namespace {

constexpr size_t kLine = 64;

void copy_line(uint8_t *dst, const uint8_t *src)
{
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i *>(dst), _mm512_loadu_si512(src));
#elif defined(__AVX2__)
    for (size_t i = 0; i < kLine; i += 32) {
        _mm256_stream_si256(reinterpret_cast<__m256i *>(dst + i),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i *>(src + i)));
    }
#elif defined(__SSE2__)
    for (size_t i = 0; i < kLine; i += 16) {
        _mm_stream_si128(reinterpret_cast<__m128i *>(dst + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i *>(src + i)));
    }
#else
    memcpy(dst, src, kLine);
#endif
}

struct Line {
    uint8_t bytes[kLine];
};

// Source and destination do not overlap. A kernel mostly goes on where it stopped, so the row behind this one is asked
// for meanwhile and is near when its turn comes.
void copy(void *dst, const void *src, size_t bytes)
{
    uint8_t *d = static_cast<uint8_t *>(dst);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    size_t i = 0;
    for (; i + 2 * kLine <= bytes; i += 2 * kLine) {
        Line lines[2];
        __builtin_prefetch(s + bytes + i, 0, 2);
        __builtin_prefetch(s + bytes + i + kLine, 0, 2);
        memcpy(lines, s + i, sizeof lines);
        memcpy(d + i, lines, sizeof lines);
    }
    memcpy(d + i, s + i, bytes - i);
}

// The memory that a kernel reads next is asked for while this row is written.
void stream(void *dst, const void *src, size_t bytes, const uint8_t *const *ahead)
{
    uint8_t *d = static_cast<uint8_t *>(dst);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    const size_t head = (kLine - reinterpret_cast<uintptr_t>(d) % kLine) % kLine;
    size_t i = head < bytes ? head : bytes;
    memcpy(d, s, i);
    for (; i + kLine <= bytes; i += kLine) {
        if (ahead[0] != nullptr) {
            __builtin_prefetch(ahead[0] + i, 0, 2);
        }
        if (ahead[1] != nullptr) {
            __builtin_prefetch(ahead[1] + i, 0, 2);
        }
        copy_line(d + i, s + i);
    }
    memcpy(d + i, s + i, bytes - i);
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(copies) 
{
    copy_function = copy;
    stream_function = stream;
}

} // namespace opkg::twin
