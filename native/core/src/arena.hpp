// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_ARENA_HPP
#define OPKG_CORE_ARENA_HPP

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace opkg::core {

// Scratch memory of one run. What a run took stays for the next one, up to a limit, so that a repeated call does not
// ask the system for pages again.
class Arena {
public:
    Arena() = default;
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void* allocate(uint64_t bytes, uint64_t alignment) noexcept; // any thread; nullptr: none left
    void reset() noexcept;                                       // all of it is free again

private:
    struct Chunk {
        unsigned char* data;
        uint64_t size;
        uint64_t used;
    };
    std::mutex mutex_;
    std::vector<Chunk> chunks_;
};

} // namespace opkg::core

#endif
