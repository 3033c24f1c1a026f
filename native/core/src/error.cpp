// SPDX-License-Identifier: Apache-2.0
#include "opkg/core.hpp"

namespace opkg::core {

Error::Error(std::string code, std::string message, std::string hint)
    : code_(std::move(code)), message_(std::move(message)), hint_(std::move(hint)) {}

Error::~Error() = default;

Outputs::~Outputs() = default;

void Outputs::launching(uint64_t, bool) {}

} // namespace opkg::core
