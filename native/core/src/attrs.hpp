// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_CORE_ATTRS_HPP
#define OPKG_CORE_ATTRS_HPP

#include "opkg/core.hpp"

#include <memory>
#include <vector>

namespace opkg::core {

// Attributes in the form that a package reads, with the storage that this form points into.
class AttrBlock {
public:
    explicit AttrBlock(std::vector<Attr> attrs);
    const opkg_attr_v1* data() const noexcept { return table_.data(); }
    uint32_t size() const noexcept { return static_cast<uint32_t>(table_.size()); }

private:
    void fill(const Attr& from, opkg_attr_v1& to);
    void fill_list(const std::vector<int64_t>& from, opkg_attr_v1& to);

    std::vector<Attr> attrs_;
    std::vector<opkg_attr_v1> table_;
    std::vector<std::shared_ptr<void>> storage_; // lists in the element type of the interface
};

} // namespace opkg::core

#endif
