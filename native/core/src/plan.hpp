// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_PLAN_HPP
#define OPKG_CORE_PLAN_HPP

#include "opkg/core.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace opkg::core {

// What one signature (dtypes and shapes of all inputs) comes to: the outputs, and the result of tiling.
struct Plan {
    std::vector<int64_t> signature;
    std::vector<TensorType> outputs;
    std::vector<uint64_t> output_bytes; // kUnsized: known only after launch
    bool keep = true;                   // false: depends on the values of an input
    opkg_tiling_v1 tiling{};
    std::vector<uint64_t> tiling_data; // uint64_t for its alignment
    mutable std::atomic<uint64_t> launch_ns{0}; // the last launch, from begin to end
    mutable std::atomic<uint64_t> work_ns{0};   // the same, summed over its blocks

    void inherit(const Plan& other) const noexcept {
        launch_ns.store(other.launch_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
        work_ns.store(other.work_ns.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
};

constexpr uint64_t kUnsized = ~uint64_t{0};

std::vector<int64_t> signature_of(const Tensor* inputs, uint32_t count);
bool same_signature(const Plan& plan, const Tensor* inputs, uint32_t count) noexcept;

// The plans of one call. Small: a program uses few signatures, and a run first looks at the plan that it used last.
class PlanCache {
public:
    std::shared_ptr<const Plan> find(const Tensor* inputs, uint32_t count) const;
    void insert(std::shared_ptr<const Plan> plan);

private:
    static constexpr size_t kLimit = 256;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<const Plan>> plans_;
    size_t oldest_ = 0;
};

} // namespace opkg::core

#endif
