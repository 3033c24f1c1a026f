// SPDX-License-Identifier: Apache-2.0
// Two accesses to one byte, one of them a write, need an order: program order inside a pipe is not always one.

#include "checker.hpp"

namespace opkg::twin::check {
namespace {

bool is_write_behind_write(bool writes, bool wrote) { return writes && wrote; }

} // namespace

// Whether the earlier access is complete before the present one begins. The compiler adds the flags that accesses of the
// scalar unit need, and the barriers inside the vector pipe, unless it was told not to.
bool CoreChecker::ordered(const Epoch &earlier, bool writes, bool wrote)
{
    const Pipe other = static_cast<Pipe>(earlier.pipe);
    if (other == pipe_) {
        const bool copies = pipe_ == kMte2 || pipe_ == kMte3;
        const bool vector = pipe_ == kVector && !auto_sync_ && core_.npu_arch < 3510;
        if (!(copies && is_write_behind_write(writes, wrote)) && !(vector && (wrote || writes))) {
            return true;
        }
        // A vector instruction reads what it needs before a later one can write.
        if (vector && !wrote) {
            return true;
        }
        return pipes_.knows(pipe_, other, earlier.time);
    }
    if (pipes_.knows(pipe_, other, earlier.time)) {
        return true;
    }
    if ((pipe_ == kScalar || other == kScalar) && auto_sync_ && core_.kind == kVectorCore) {
        pipes_.wait_for(pipe_, other, earlier.time);
        return true;
    }
    return false;
}

// Whether the flag that was found missing for a later access would order this one too.
bool CoreChecker::follows_from_reported(const Epoch &earlier) const
{
    for (const Epoch &reported : reported_) {
        const bool same = reported.pipe == earlier.pipe && !(reported == earlier) && reported.time > earlier.time;
        if (same || pipes_.knows(static_cast<Pipe>(reported.pipe), static_cast<Pipe>(earlier.pipe), earlier.time)) {
            return true;
        }
    }
    return false;
}

std::string CoreChecker::missing_call(uint32_t place, uint64_t begin, uint32_t earlier) const
{
    const std::string where = " between {there} and {here}";
    if (earlier == pipe_) {
        return "PipeBarrier<PIPE_" + std::string(pipe_name(pipe_)) + ">()" + where;
    }
    const std::string event = std::string(pipe_name(earlier)) + "_" + pipe_name(pipe_);
    const Region *region = const_cast<CoreChecker *>(this)->region_of(begin);
    if (place < kBufferKinds && region != nullptr && region->owner != nullptr) {
        const std::string call = region->state == kInQueue ? "DeQue" : "EnQue and DeQue";
        return call + where + ", or SetFlag/WaitFlag<HardEvent::" + event + ">";
    }
    return "SetFlag/WaitFlag<HardEvent::" + event + ">" + where;
}

void CoreChecker::conflict_local(uint32_t place, uint64_t begin, uint64_t end, const Epoch &earlier, bool writes, bool wrote)
{
    if (earlier.time == 0 || ordered(earlier, writes, wrote) || follows_from_reported(earlier)) {
        return;
    }
    Finding found = finding(kMissingSync, place, begin, end - begin);
    found.other_site = earlier.site;
    found.text = std::string("{name}") + " (PIPE_" + pipe_name(pipe_) + ") " + (writes ? "writes" : "reads") +
                 " what " + "{other}" + " (PIPE_" + pipe_name(earlier.pipe) + ") at {there} may still be " +
                 (wrote ? "writing" : "reading");
    found.missing = missing_call(place, begin, earlier.pipe);
    launch_.findings.add(found);
    reported_.push_back(earlier);
}

void CoreChecker::access_local(const Operand &operand, bool writes)
{
    const uint32_t place = operand.place;
    const Epoch now{static_cast<uint32_t>(pipe_), pipes_.now(pipe_), site_};
    for (const Range &run : operand.runs) {
        const Region *region = region_of(run.begin);
        if (region != nullptr && region->escaped) {
            continue;
        }
        local_[place].update(run.begin, run.end, [&](LocalByte &byte, uint64_t begin, uint64_t end) {
            if (!writes) {
                conflict_local(place, begin, end, byte.write, false, true);
                byte.reads[pipe_] = now;
                return;
            }
            for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
                conflict_local(place, begin, end, byte.reads[pipe], true, false);
                byte.reads[pipe] = Epoch();
            }
            conflict_local(place, begin, end, byte.write, true, true);
            byte.write = now;
        });
    }
}

void CoreChecker::conflict_global(uint64_t begin, uint64_t end, const GlobalEpoch &earlier, bool writes, bool wrote)
{
    if (earlier.epoch.time == 0) {
        return;
    }
    const bool own = earlier.core == core_.number;
    const Pipe other = static_cast<Pipe>(earlier.epoch.pipe);
    if (own ? ordered(earlier.epoch, writes, wrote) : pipes_.knows(pipe_, earlier.core, other, earlier.epoch.time)) {
        return;
    }
    // A core that looks at a single value of another one may be waiting for it; that is how flags in memory work.
    if (!own && (pipe_ == kScalar || other == kScalar)) {
        return;
    }
    const bool both_write = writes && wrote;
    Finding found = finding(own ? kMissingSync : both_write ? kCoresOneplace : kMissingCoreSync, kGlobal, begin, end - begin);
    found.other_site = earlier.epoch.site;
    found.text = std::string("{name}") + " (PIPE_" + pipe_name(pipe_) + ") " + (writes ? "writes" : "reads") + " what " +
                 "{other}" + " (PIPE_" + pipe_name(other) + ") at {there} " +
                 (own ? "may still be " : "of core " + std::to_string(earlier.core) + " may still be ") +
                 (wrote ? "writing" : "reading");
    found.missing = own ? missing_call(kGlobal, begin, other)
                        : both_write ? "SetAtomicAdd, or SyncAll between {there} and {here}, or places of their own"
                                     : "SyncAll between {there} and {here}";
    if (!both_write) {
        launch_.findings.add(found);
        if (own) {
            reported_.push_back(earlier.epoch);
        }
        return;
    }
    const uint8_t *bytes = reinterpret_cast<const uint8_t *>(begin);
    doubtful_.push_back({found, begin, std::vector<uint8_t>(bytes, bytes + (end - begin))});
}

// A value that the scalar unit writes may be a flag for other cores: who reads it knows what its writer knew.
void CoreChecker::order_by_word(uint64_t address, bool writes)
{
    Clock &word = launch_.published[{address, LaunchChecker::kWords}];
    if (writes) {
        word.join(pipes_.publish(kScalar, core_.number));
    } else {
        pipes_.acquire(kScalar, word);
    }
}

void CoreChecker::access_global(const Operand &operand, bool writes)
{
    const bool atomic = (operand.touched.kind & kAtomic) != 0;
    const GlobalEpoch now{core_.number, {static_cast<uint32_t>(pipe_), pipes_.now(pipe_), site_}, atomic};
    std::lock_guard<std::mutex> lock(launch_.mutex);
    if (pipe_ == kScalar && !operand.runs.empty()) {
        order_by_word(operand.runs[0].begin, writes);
    }
    for (const Range &run : operand.runs) {
        launch_.global.update(run.begin, run.end, [&](GlobalByte &byte, uint64_t begin, uint64_t end) {
            if (!(atomic && byte.write.atomic)) {
                conflict_global(begin, end, byte.write, writes, true);
            }
            if (writes) {
                for (const GlobalEpoch &read : byte.reads) {
                    conflict_global(begin, end, read, true, false);
                }
                byte.reads.clear();
                byte.write = now;
                return;
            }
            for (GlobalEpoch &read : byte.reads) {
                if (read.core == now.core && read.epoch.pipe == now.epoch.pipe) {
                    read = now;
                    return;
                }
            }
            byte.reads.push_back(now);
        });
    }
}

} // namespace opkg::twin::check
