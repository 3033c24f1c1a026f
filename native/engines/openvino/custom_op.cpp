// SPDX-License-Identifier: Apache-2.0
#include "custom_op.hpp"

#include <map>
#include <mutex>

namespace opkg::openvino {
namespace {

struct Known {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const CustomOp>> ops;
};

Known& known() {
    static auto* const instance = new Known;
    return *instance;
}

} // namespace

void remember(std::shared_ptr<const CustomOp> op) {
    Known& all = known();
    std::lock_guard<std::mutex> lock(all.mutex);
    all.ops[op->key] = std::move(op);
}

std::shared_ptr<const CustomOp> recall(const std::string& key) {
    Known& all = known();
    std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.ops.find(key);
    if (found == all.ops.end())
        throw core::Error("OPKG-8502", "the compiled model needs operator '" + key + "', which was not given with it",
                          "compile the model again");
    return found->second;
}

} // namespace opkg::openvino
