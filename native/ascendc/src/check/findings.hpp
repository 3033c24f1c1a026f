// SPDX-License-Identifier: Apache-2.0
// What the checker found, and how it is told: text on standard error, and JSON where OPKG_CHECK_JSON names a file.
#ifndef OPKG_TWIN_CHECK_FINDINGS_HPP
#define OPKG_TWIN_CHECK_FINDINGS_HPP

#include <stdint.h>

#include <array>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace opkg::twin::check {

// In the order of their codes, which never change: OPKG-C001 is the first.
enum Kind : uint32_t {
    kGmBounds, kBufferBounds, kBufferCapacity, kAlignment, kQueueLeak, kFreedBuffer, kOverflow, kUninitialised,
    kCoresOneplace, kUnequalSync, kTilingSize, kMissingSync, kUnpairedFlag, kQueueMisuse, kMissingCoreSync, kStopped,
    kKinds
};

struct Finding {
    Kind kind;
    uint32_t site;       // where it was noticed
    uint32_t other_site; // the earlier access, or 0
    std::string core;
    std::string tensor;  // its position; tensor_site is where it was given its memory, and the name stands there
    uint32_t tensor_site;
    uint64_t offset;     // bytes from the tensor's start
    uint64_t bytes;
    std::string text;    // what is wrong; {here}, {there} stand for the places, {name}, {other} for what is called there
    std::string missing; // the call that is missing, or empty
};

// Of one launch. Each distinct finding is kept once.
class Findings {
public:
    explicit Findings(std::string kernel) : kernel_(std::move(kernel)) {}

    void add(const Finding &finding);

    // Findings beyond those that are kept, suppressed or not.
    uint32_t left_out() const { return left_out_; }

    // Prints and writes what there is; returns how many findings are not suppressed, and a sentence about them.
    uint32_t report(std::string &sentence);

private:
    using Key = std::pair<std::pair<uint32_t, std::string>, std::array<uint32_t, 3>>;

    std::string kernel_;
    std::mutex mutex_;
    std::vector<Finding> findings_;
    std::set<Key> seen_;
    uint32_t left_out_ = 0;
};

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_FINDINGS_HPP
