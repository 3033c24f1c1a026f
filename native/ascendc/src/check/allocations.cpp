// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <map>
#include <mutex>

#include "twin/abi.h"

namespace opkg::twin::check {
namespace {

struct Allocations {
    std::mutex mutex;
    std::map<uint64_t, uint64_t> end_of; // by start
};

// Never destroyed: memory may be given back while the process ends.
Allocations &allocations()
{
    static Allocations *const instance = new Allocations;
    return *instance;
}

} // namespace

uint64_t allocated_from(const void *address)
{
    Allocations &all = allocations();
    const uint64_t at = reinterpret_cast<uint64_t>(address);
    std::lock_guard<std::mutex> lock(all.mutex);
    auto next = all.end_of.upper_bound(at);
    if (next == all.end_of.begin()) {
        return 0;
    }
    const uint64_t end = std::prev(next)->second;
    return at < end ? end - at : 0;
}

} // namespace opkg::twin::check

void opkg_twin_allocated(const void *address, uint64_t bytes)
{
    auto &all = opkg::twin::check::allocations();
    const uint64_t begin = reinterpret_cast<uint64_t>(address);
    std::lock_guard<std::mutex> lock(all.mutex);
    if (bytes == 0) {
        all.end_of.erase(begin);
    } else {
        all.end_of[begin] = begin + bytes;
    }
}
