// SPDX-License-Identifier: Apache-2.0
// Copies past the caches, for tensors that are larger than they are.
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

void stream(void *dst, const void *src, size_t bytes)
{
    uint8_t *d = static_cast<uint8_t *>(dst);
    const uint8_t *s = static_cast<const uint8_t *>(src);
    const size_t head = (kLine - reinterpret_cast<uintptr_t>(d) % kLine) % kLine;
    size_t i = head < bytes ? head : bytes;
    memcpy(d, s, i);
    for (; i + kLine <= bytes; i += kLine) {
        copy_line(d + i, s + i);
    }
    memcpy(d + i, s + i, bytes - i);
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(copies) { stream_function = stream; }

} // namespace opkg::twin
