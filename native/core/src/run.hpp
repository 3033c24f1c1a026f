// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_RUN_HPP
#define OPKG_CORE_RUN_HPP

#include "frame.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace opkg::core {

// What a package reaches through opkg_exec_v1 while one of its functions runs.
struct Run {
    Frame& frame;
    Outputs* sink; // nullptr: infer only
    const Executor& executor;
    bool may_resize = false; // the operator has outputs whose shape depends on data
    bool on_caller = false;  // too little work for helpers
    std::atomic<uint64_t> work_ns{0};
    std::mutex mutex{};
    std::string code{}, message{}; // of the last report
};

opkg_exec_v1 exec_for(Run& run);

inline uint64_t now_ns() noexcept {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

} // namespace opkg::core

#endif
