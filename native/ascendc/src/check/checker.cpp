// SPDX-License-Identifier: Apache-2.0
// One core under check: instructions, and the frame around them (buffers, queues, flags, cores that wait for each other).
#include "checker.hpp"

#include <stdlib.h>
#include <string.h>

#include "allocations.hpp"
#include "scheduler.hpp"
#include "twin/types.h"

namespace opkg::twin::check {
namespace {

uint64_t address_of(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

const char *position_name(uint32_t position)
{
    static const char *const names[] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
                                        "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return position < sizeof names / sizeof *names ? names[position] : "?";
}

// OPKG_CHECK_AUTO_SYNC=off: as a compiler that is told --cce-auto-sync=off.
bool auto_sync_asked()
{
    const char *text = getenv("OPKG_CHECK_AUTO_SYNC");
    return text == nullptr || strcmp(text, "off") != 0;
}

// Who fills and who empties a queue's buffers.
struct QueuePipes {
    Pipe producer;
    Pipe consumer;
};

QueuePipes pipes_of_position(AscendC::TPosition position)
{
    using AscendC::TPosition;
    switch (position) {
        case TPosition::VECIN:
            return {kMte2, kVector};
        case TPosition::VECOUT:
        case TPosition::CO2:
            return {kVector, kMte3};
        case TPosition::VECCALC:
            return {kVector, kVector};
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
            return {kMte2, kMte1};
        case TPosition::A2:
        case TPosition::B2:
        case TPosition::C2:
            return {kMte1, kMatrix};
        case TPosition::CO1:
            return {kMatrix, kFix};
        default:
            return {kPipes, kPipes};
    }
}

QueuePipes pipes_of_queue(uint32_t source, uint32_t destination)
{
    using AscendC::TPosition;
    const TPosition from = static_cast<TPosition>(source);
    const TPosition to = static_cast<TPosition>(destination);
    if (from == to) {
        return pipes_of_position(from);
    }
    if (from == TPosition::GM) {
        return {kMte2, pipes_of_position(to).consumer};
    }
    if (from == TPosition::VECIN) {
        return {kMte2, to == TPosition::VECOUT || to == TPosition::GM ? kMte3 : kVector};
    }
    if (to == TPosition::GM) {
        return {pipes_of_position(from).producer, pipes_of_position(from).consumer};
    }
    if (from == TPosition::VECOUT && to == TPosition::VECIN) {
        return {kVector, kVector};
    }
    return {kPipes, kPipes};
}

std::string core_name(const Core &core)
{
    return std::string(core.kind == kCubeCore ? "cube core " : "vector core ") + std::to_string(core.index);
}

} // namespace

bool LocalByte::operator==(const LocalByte &other) const
{
    for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
        if (!(reads[pipe] == other.reads[pipe])) {
            return false;
        }
    }
    return write == other.write && content == other.content && origin == other.origin;
}

void LaunchChecker::count_sync(uint32_t core, const std::string &name, uint32_t site)
{
    std::lock_guard<std::mutex> lock(mutex);
    SyncCount &count = syncs_[core];
    count.name = name;
    if (site != 0) {
        ++count.count;
        count.site = site;
    }
}

void LaunchChecker::report_unequal_sync()
{
    std::lock_guard<std::mutex> lock(mutex);
    const SyncCount *most = nullptr;
    const SyncCount *least = nullptr;
    for (const auto &[core, count] : syncs_) {
        most = most == nullptr || count.count > most->count ? &count : most;
        least = least == nullptr || count.count < least->count ? &count : least;
    }
    if (most == nullptr || most->count == least->count) {
        return;
    }
    Finding found{};
    found.kind = kUnequalSync;
    found.site = most->site;
    found.other_site = least->site;
    found.core = most->name;
    found.text = most->name + " calls SyncAll " + std::to_string(most->count) + " times, but " + least->name + " only " +
                 std::to_string(least->count) + ": on the chip the cores would wait for ever";
    found.missing = "SyncAll on " + least->name;
    findings.add(found);
}

CoreChecker::CoreChecker(Core &core, LaunchChecker &launch, const void *stack_limit)
    : core_(core), launch_(launch), stack_limit_(stack_limit), name_(core_name(core)), auto_sync_(auto_sync_asked())
{
    launch_.count_sync(core.number, name_, 0);
}

uint32_t CoreChecker::site(const char *name, const void *frame) const
{
    return number_of(capture(name, frame, stack_limit_));
}

void CoreChecker::name_tensor(Finding &finding, uint32_t place, uint64_t begin)
{
    if (place == kGlobal) {
        const GlobalBuffer *buffer = global_of(begin);
        finding.tensor = "GM";
        finding.tensor_site = buffer != nullptr ? buffer->site : 0;
        finding.offset = buffer != nullptr ? begin - buffer->begin : 0;
        return;
    }
    const Region *region = region_of(begin);
    if (region == nullptr && begin > 0) {
        region = region_of(begin - 1); // the byte behind a buffer
    }
    if (region == nullptr) {
        finding.tensor = buffer_name(place);
        finding.offset = begin - address_of(core_.base[place]);
        return;
    }
    finding.tensor = position_name(region->destination == 0 ? region->source : region->destination);
    finding.tensor_site = region->site;
    finding.offset = begin - region->begin;
}

Finding CoreChecker::finding(Kind kind, uint32_t place, uint64_t begin, uint64_t bytes)
{
    Finding found{};
    found.kind = kind;
    found.site = site_;
    found.core = name_;
    found.bytes = bytes;
    name_tensor(found, place, begin);
    return found;
}

void CoreChecker::enter(const char *name, const void *frame, uint32_t pipe, const Touched *operands, uint32_t count)
{
    if (depth_ > 0) {
        ++depth_;
        return;
    }
    instruction_ = plain_name(name);
    site_ = site(instruction_, frame);
    operands_.clear();
    doubtful_.clear();
    reported_.clear();
    const Pipe given = pipe_of(pipe);
    for (uint32_t i = 0; i < count; ++i) {
        operands_.push_back(prepare(operands[i], given == kPipes));
    }
    settle_notes();
    pipe_ = given == kPipes ? pipe_between(operands_) : given;
    pipes_.issue(pipe_);
    bool harmless = true;
    for (const Operand &operand : operands_) {
        harmless = check_operand(operand) && harmless;
    }
    if (!harmless) {
        throw Cancelled(); // the core ends here
    }
    for (const bool writes : {false, true}) {
        for (const Operand &operand : operands_) {
            access(operand, writes);
        }
    }
    check_content(operands_);
    look_for_overflow_before();
    ++depth_;
}

bool CoreChecker::check_operand(const Operand &operand)
{
    if (operand.place == kElsewhere) {
        return true;
    }
    check_alignment(operand);
    check_state(operand);
    return check_extent(operand, (operand.touched.kind & kWrites) != 0);
}

void CoreChecker::access(const Operand &operand, bool writes)
{
    const uint32_t wanted = writes ? kWrites : kReads;
    if ((operand.touched.kind & wanted) == 0 || (operand.touched.kind & kSome) != 0 || operand.place == kElsewhere) {
        return;
    }
    operand.place == kGlobal ? access_global(operand, writes) : access_local(operand, writes);
}

void CoreChecker::leave()
{
    if (--depth_ > 0) {
        return;
    }
    for (const Doubtful &doubt : doubtful_) {
        if (memcmp(reinterpret_cast<const void *>(doubt.begin), doubt.before.data(), doubt.before.size()) != 0) {
            launch_.findings.add(doubt.finding);
        }
    }
    // As if the missing call were there: one finding for each call that is missing, not for each access behind it.
    for (const Epoch &earlier : reported_) {
        pipes_.wait_for(pipe_, static_cast<Pipe>(earlier.pipe), earlier.time);
    }
    look_for_overflow_after();
}

void CoreChecker::note(const void *address, uint64_t extent, uint32_t position, uint32_t dtype)
{
    constexpr size_t kMost = 64;
    if (depth_ > 0) {
        return;
    }
    if (notes_.size() == kMost) {
        settle_notes();
    }
    notes_.push_back({address_of(address), extent, position, dtype});
}

void CoreChecker::escape(const void *address, uint64_t extent)
{
    if (depth_ > 0) {
        return;
    }
    if (Region *region = region_of(address_of(address))) {
        region->escaped = true;
    }
    notes_.push_back({address_of(address), extent, 0, kDtypeSlots});
    settle_notes();
}

void CoreChecker::global_buffer(const void *frame, const void *address, uint64_t bytes)
{
    const uint64_t begin = address_of(address);
    for (GlobalBuffer &buffer : globals_) {
        if (buffer.begin == begin && buffer.end == begin + bytes) {
            return;
        }
    }
    globals_.push_back({begin, begin + bytes, site("SetGlobalBuffer", frame)});
}

void CoreChecker::flag(const void *frame, bool set, uint32_t event, int32_t id)
{
    if (depth_ > 0) {
        return;
    }
    settle_notes();
    const EventPipes pipes = event_pipes(event);
    Flag &flag = flags_[{event, id}];
    const std::string name = std::string(pipe_name(pipes.source)) + "_" + pipe_name(pipes.destination) + ">(" +
                             std::to_string(id) + ")";
    Finding found{};
    found.kind = kUnpairedFlag;
    found.core = name_;
    found.site = site(set ? "SetFlag" : "WaitFlag", frame);
    if (id < 0 || id > 7) {
        found.text = (set ? "SetFlag<HardEvent::" : "WaitFlag<HardEvent::") + name + ": event ids are 0 to 7";
        launch_.findings.add(found);
    } else if (set && flag.count > 0) {
        found.other_site = flag.site;
        found.text = "SetFlag<HardEvent::" + name + " is set at {there} and not waited for since";
        found.missing = "WaitFlag<HardEvent::" + name + " between {there} and {here}";
        launch_.findings.add(found);
    } else if (!set && flag.count == 0) {
        found.text = "WaitFlag<HardEvent::" + name + " waits for a flag that is not set: on the chip for ever";
        found.missing = "SetFlag<HardEvent::" + name + " before {here}";
        launch_.findings.add(found);
    }
    if (set) {
        flag = {1, found.site, pipes_.release(pipes.source)};
    } else if (flag.count > 0) {
        pipes_.acquire(pipes.destination, flag.clock);
        flag.count = 0;
    }
}

void CoreChecker::barrier(uint32_t pipe)
{
    settle_notes();
    pipes_.barrier(pipe_of(pipe));
}

void CoreChecker::buffers(const void *frame, const void *address, uint64_t bytes, uint32_t count, const void *owner,
                          uint32_t source, uint32_t destination)
{
    const uint64_t begin = address_of(address);
    const uint64_t end = begin + bytes * count;
    if (bytes == 0) {
        return;
    }
    for (auto region = regions_.begin(); region != regions_.end();) {
        const bool overlaps = region->second.begin < end && begin < region->second.end;
        region = overlaps ? regions_.erase(region) : std::next(region);
    }
    const uint32_t where = site("InitBuffer", frame);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t start = begin + i * bytes;
        regions_[start] = {start,       start + bytes, owner, source, destination, where,
                           owner == nullptr ? kInUse : kFree, 0,     false};
    }
}

void CoreChecker::queue(const void *frame, uint32_t step, const void *address, uint32_t source, uint32_t destination)
{
    settle_notes();
    const QueuePipes pipes = pipes_of_queue(source, destination);
    const uint64_t begin = address_of(address);
    static const char *const names[] = {"AllocTensor", "EnQue", "DeQue", "FreeTensor"};
    Region *region = region_of(begin);
    if (region != nullptr && region->owner != nullptr) {
        region->state = step == kFreeTensor ? kFree : step == kEnQue ? kInQueue : kInUse;
        region->state_site = site(names[step], frame);
    }
    switch (step) {
        case kEnQue:
            enqueued_[begin] = pipes_.release(pipes.producer);
            break;
        case kDeQue:
            pipes_.acquire(pipes.consumer, enqueued_[begin]);
            break;
        case kFreeTensor:
            freed_[begin] = pipes_.release(pipes.consumer);
            break;
        default:
            pipes_.acquire(pipes.producer, freed_[begin]);
    }
}

void CoreChecker::sync(const void *frame, uint32_t step, uint64_t key, uint32_t pipe)
{
    settle_notes();
    if (step == kSyncAllBegin) {
        launch_.count_sync(core_.number, name_, site("SyncAll", frame));
        const Clock clock = pipes_.publish(kPipes, core_.number);
        std::lock_guard<std::mutex> lock(launch_.mutex);
        launch_.published[{++syncs_, LaunchChecker::kSyncs + key}].join(clock);
    } else if (step == kSyncAllEnd) {
        std::lock_guard<std::mutex> lock(launch_.mutex);
        pipes_.acquire_all(launch_.published[{syncs_, LaunchChecker::kSyncs + key}]);
    } else if (step == kPublish) {
        const Clock clock = pipes_.publish(pipe_of(pipe), core_.number);
        std::lock_guard<std::mutex> lock(launch_.mutex);
        launch_.published[{key, LaunchChecker::kFlags}].join(clock);
    } else {
        std::unique_lock<std::mutex> lock(launch_.mutex);
        Clock clock = launch_.published[{key, LaunchChecker::kFlags}];
        lock.unlock();
        if (clock.others != nullptr && clock.others->count(core_.number) > 0) {
            clock.own = clock.others->at(core_.number);
        }
        pipes_.acquire(pipe_of(pipe), clock);
    }
}

void CoreChecker::tiling(const void *frame, const void *data, uint64_t bytes)
{
    const uint64_t given = allocated_from(data);
    if (given == 0 || given == bytes) {
        return;
    }
    Finding found{};
    found.kind = kTilingSize;
    found.core = name_;
    found.site = site("GET_TILING_DATA", frame);
    found.bytes = bytes;
    found.text = "the kernel reads a tiling struct of " + std::to_string(bytes) + " bytes, but the host gives " +
                 std::to_string(given);
    if (given < bytes) {
        launch_.findings.add(found);
    }
}

void CoreChecker::reset()
{
    pipes_.barrier_all();
    regions_.clear();
    enqueued_.clear();
    freed_.clear();
}

void CoreChecker::failure(const void *frame, Kind kind, const char *message)
{
    Finding found{};
    found.kind = kind;
    found.core = name_;
    found.site = site("", frame);
    found.text = message;
    launch_.findings.add(found);
}

// What is still open when the kernel returns.
void CoreChecker::end()
{
    settle_notes();
    for (const auto &[begin, region] : regions_) {
        if (region.owner == nullptr || region.state == kFree) {
            continue;
        }
        Finding found = finding(kQueueLeak, place_of(begin), begin, region.end - region.begin);
        found.site = region.state_site;
        found.text = region.state == kInQueue ? "a tensor is enqueued here and never dequeued"
                                              : "a tensor of a queue is taken here and never freed";
        found.missing = region.state == kInQueue ? "DeQue and FreeTensor" : "FreeTensor";
        launch_.findings.add(found);
    }
    for (const auto &[key, flag] : flags_) {
        if (flag.count == 0) {
            continue;
        }
        const EventPipes pipes = event_pipes(key.first);
        const std::string name = std::string("Flag<HardEvent::") + pipe_name(pipes.source) + "_" +
                                 pipe_name(pipes.destination) + ">(" + std::to_string(key.second) + ")";
        Finding found{};
        found.kind = kUnpairedFlag;
        found.core = name_;
        found.site = flag.site;
        found.text = "Set" + name + " is never waited for";
        found.missing = "Wait" + name + " behind {here}";
        launch_.findings.add(found);
    }
}

} // namespace opkg::twin::check
