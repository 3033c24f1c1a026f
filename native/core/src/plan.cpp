// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>

namespace opkg::core {

// Per input one word (dtype, or -1 where it is absent), its rank, its dimensions.
std::vector<int64_t> signature_of(const Tensor* inputs, uint32_t count) {
    std::vector<int64_t> signature;
    for (uint32_t i = 0; i < count; ++i) {
        signature.push_back(inputs[i].absent ? -1 : inputs[i].dtype);
        if (inputs[i].absent) continue;
        signature.push_back(inputs[i].ndim);
        signature.insert(signature.end(), inputs[i].shape, inputs[i].shape + inputs[i].ndim);
    }
    return signature;
}

bool same_signature(const Plan& plan, const Tensor* inputs, uint32_t count) noexcept {
    const int64_t* at = plan.signature.data();
    for (uint32_t i = 0; i < count; ++i) {
        const Tensor& input = inputs[i];
        if (*at++ != (input.absent ? -1 : input.dtype)) return false;
        if (input.absent) continue;
        if (*at++ != input.ndim) return false;
        for (uint32_t d = 0; d < input.ndim; ++d)
            if (*at++ != input.shape[d]) return false;
    }
    return true;
}

std::shared_ptr<const Plan> PlanCache::find(const Tensor* inputs, uint32_t count) const {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& plan : plans_)
        if (same_signature(*plan, inputs, count)) return plan;
    return nullptr;
}

void PlanCache::insert(std::shared_ptr<const Plan> plan) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (plans_.size() < kLimit) {
        plans_.push_back(std::move(plan));
        return;
    }
    plans_[oldest_] = std::move(plan);
    oldest_ = (oldest_ + 1) % kLimit;
}

} // namespace opkg::core
