// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_FRAME_HPP
#define OPKG_CORE_FRAME_HPP

#include "arena.hpp"
#include "plan.hpp"
#include "tensors.hpp"

#include <vector>

namespace opkg::core {

// The structs that a package reads, for one run at a time. A frame is used again, so that a repeated run only writes
// new data pointers.
struct Frame {
    std::vector<opkg_tensor_v1> inputs, outputs;
    std::vector<int64_t> shapes; // OPKG_MAX_DIMS for each input, then for each output
    opkg_call_v1 call{};
    Arena arena;
    std::shared_ptr<const Plan> plan; // whose shapes stand in this frame
    bool resized = false;             // a launch gave an output another shape than the plan's

    Frame(const std::vector<uint32_t>& input_groups, const std::vector<uint32_t>& output_groups);
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    void set_inputs(const Tensor* from); // those with data may be read while inferring and tiling
    void set_outputs(const Plan& plan);
    void clear_outputs();
};

} // namespace opkg::core

#endif
