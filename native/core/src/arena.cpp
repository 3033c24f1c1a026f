// SPDX-License-Identifier: Apache-2.0
#include "arena.hpp"

#include <algorithm>
#include <cstdlib>

namespace opkg::core {
namespace {

constexpr uint64_t kChunk = 64 * 1024;
constexpr uint64_t kKeep = 64 * 1024 * 1024;
constexpr uint64_t kAlignment = 64;

unsigned char* take(unsigned char* data, uint64_t size, uint64_t& used, uint64_t bytes, uint64_t alignment) {
    const uint64_t base = reinterpret_cast<uint64_t>(data);
    const uint64_t start = ((base + used + alignment - 1) & ~(alignment - 1)) - base;
    if (start > size || size - start < bytes) return nullptr;
    used = start + bytes;
    return data + start;
}

} // namespace

Arena::~Arena() {
    for (Chunk& chunk : chunks_) std::free(chunk.data);
}

void* Arena::allocate(uint64_t bytes, uint64_t alignment) noexcept {
    alignment = std::max<uint64_t>(alignment, kAlignment);
    if ((alignment & (alignment - 1)) != 0 || bytes > UINT64_MAX / 2 || alignment > kKeep) return nullptr;
    std::lock_guard<std::mutex> lock(mutex_);
    if (!chunks_.empty()) {
        Chunk& last = chunks_.back();
        if (void* found = take(last.data, last.size, last.used, bytes, alignment)) return found;
    }
    const uint64_t size = (std::max(kChunk, bytes + alignment) + kAlignment - 1) / kAlignment * kAlignment;
    auto* data = static_cast<unsigned char*>(std::aligned_alloc(kAlignment, size));
    if (!data) return nullptr;
    try {
        chunks_.push_back({data, size, 0});
    } catch (...) {
        std::free(data);
        return nullptr;
    }
    return take(data, size, chunks_.back().used, bytes, alignment);
}

// A run that needed several chunks gets one that is large enough the next time.
void Arena::reset() noexcept {
    if (chunks_.empty()) return;
    uint64_t total = 0;
    for (const Chunk& chunk : chunks_) total += chunk.size;
    if (chunks_.size() == 1 && total <= kKeep) {
        chunks_.front().used = 0;
        return;
    }
    for (Chunk& chunk : chunks_) std::free(chunk.data);
    chunks_.clear();
    if (total > kKeep) return;
    if (auto* data = static_cast<unsigned char*>(std::aligned_alloc(kAlignment, total))) chunks_.push_back({data, total, 0});
}

} // namespace opkg::core
