// SPDX-License-Identifier: Apache-2.0
// From what an instruction says to bytes: where each operand lies, whether it fits its tensor and may begin there.

#include <algorithm>

#include "allocations.hpp"
#include "checker.hpp"
#include "runs.hpp"

namespace opkg::twin::check {
namespace {

constexpr uint64_t kRoom = 4096; // behind every buffer, see buffers.cpp

uint64_t address_of(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

uint64_t rounded(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

void add_run(std::vector<Range> &runs, uint64_t begin, uint64_t bytes)
{
    runs.push_back({begin, begin + bytes});
}

// The elements of a plan, one run for each piece that is contiguous in every operand.
void add_plan(std::vector<Range> &runs, const Touched &touched)
{
    const uint32_t size = touched.plan->element[touched.operand];
    const uint64_t start = address_of(touched.address);
    if (size == 0) {
        return;
    }
    for_each_run(*touched.plan, [&](const size_t *offsets, uint32_t count) {
        add_run(runs, start + offsets[touched.operand], static_cast<uint64_t>(count) * size);
    });
}

void add_rows(std::vector<Range> &runs, const Touched &touched)
{
    const uint64_t start = address_of(touched.address);
    if (touched.bytes == 0) {
        return;
    }
    if (touched.step == touched.bytes && touched.rows > 0) {
        add_run(runs, start, touched.bytes * touched.rows);
        return;
    }
    for (uint32_t row = 0; row < touched.rows; ++row) {
        add_run(runs, start + row * touched.step, touched.bytes);
    }
}

uint64_t last_byte(const std::vector<Range> &runs)
{
    uint64_t end = 0;
    for (const Range &run : runs) {
        end = std::max(end, run.end);
    }
    return end;
}

} // namespace

uint32_t CoreChecker::place_of(uint64_t address) const
{
    for (uint32_t kind = 0; kind < kBufferKinds; ++kind) {
        const uint64_t base = address_of(core_.base[kind]);
        if (base != 0 && address >= base && address < base + core_.capacity[kind] + kRoom) {
            return kind;
        }
    }
    return kGlobal;
}

Region *CoreChecker::region_of(uint64_t address)
{
    auto next = regions_.upper_bound(address);
    if (next == regions_.begin()) {
        return nullptr;
    }
    Region &region = std::prev(next)->second;
    return address < region.end ? &region : nullptr;
}

const CoreChecker::GlobalBuffer *CoreChecker::global_of(uint64_t address) const
{
    const GlobalBuffer *best = nullptr;
    const GlobalBuffer *before = nullptr; // begins last before the address, and perhaps ends before it too
    for (const GlobalBuffer &buffer : globals_) {
        if (address < buffer.begin) {
            continue;
        }
        const bool inside = address < buffer.end || buffer.end == buffer.begin;
        best = inside && (best == nullptr || buffer.begin >= best->begin) ? &buffer : best;
        before = before == nullptr || buffer.begin >= before->begin ? &buffer : before;
    }
    return best != nullptr ? best : before;
}

Operand CoreChecker::prepare(const Touched &touched, bool copies)
{
    Operand operand{touched, place_of(address_of(touched.address)), {}};
    const uint64_t address = address_of(touched.address);
    bool noted = touched.position != kNowhere;
    // The latest note is this instruction's own; those before it are of instructions that said nothing.
    for (size_t i = notes_.size(); i-- > 0 && !noted;) {
        const Note &note = notes_[i];
        const uint64_t length = (note.extent & kPast<uint64_t>) != 0 ? 0 : note.extent;
        if (address < note.address || address > note.address + length) {
            continue;
        }
        operand.touched.extent = length > 0 ? length - (address - note.address) : note.extent;
        operand.touched.dtype = note.dtype;
        operand.touched.position = note.position;
        notes_.erase(notes_.begin() + static_cast<ptrdiff_t>(i));
        noted = true;
    }
    // A copy may be given bare addresses of global memory; whatever else is in no buffer is a register.
    if (operand.place == kGlobal && !(copies && !noted) && operand.touched.position != 0) {
        operand.place = kElsewhere;
        return operand;
    }
    touched.plan != nullptr ? add_plan(operand.runs, touched) : add_rows(operand.runs, touched);
    return operand;
}

// Tensors whose address an instruction took without saying what it does there: taken as written and synchronised.
void CoreChecker::settle_notes()
{
    for (const Note &note : notes_) {
        const uint32_t place = place_of(note.address);
        const bool known = note.extent != 0 && (note.extent & kPast<uint64_t>) == 0;
        if (!known) {
            continue;
        }
        if (place < kBufferKinds) {
            local_[place].update(note.address, note.address + note.extent, [](LocalByte &byte, uint64_t, uint64_t) {
                byte = LocalByte();
                byte.content = kDefined;
            });
        } else {
            std::lock_guard<std::mutex> lock(launch_.mutex);
            launch_.global.update(note.address, note.address + note.extent,
                                  [](GlobalByte &byte, uint64_t, uint64_t) { byte = GlobalByte(); });
        }
    }
    notes_.clear();
}

// The pipe that moves data from the place that is read to the place that is written.
Pipe CoreChecker::pipe_between(const std::vector<Operand> &operands) const
{
    uint32_t from = kElsewhere;
    uint32_t to = kElsewhere;
    for (const Operand &operand : operands) {
        ((operand.touched.kind & kWrites) != 0 ? to : from) = operand.place;
    }
    if (from == kGlobal) {
        return kMte2;
    }
    if (from == kL0C) {
        return core_.npu_arch == 2002 ? kVector : kFix;
    }
    if (from == kL1) {
        return to == kGlobal ? kMte3 : to == kFixpipe ? kFix : kMte1;
    }
    return to == kUb ? kVector : to == kL0C ? kVector : kMte3;
}

// Whether this place lies behind the end of the memory in which its tensor begins, be that nobody's or another's.
bool CoreChecker::behind_its_memory(uint64_t address) const
{
    const GlobalBuffer *buffer = global_of(address);
    if (buffer == nullptr || (address >= buffer->end && buffer->end != buffer->begin)) {
        return false;
    }
    const uint64_t given = allocated_from(reinterpret_cast<const void *>(buffer->begin));
    return given != 0 && address - buffer->begin >= given;
}

// False where going on would write over whatever lies behind.
bool CoreChecker::check_extent(const Operand &operand, bool writes)
{
    if (operand.runs.empty()) {
        return true;
    }
    const uint64_t begin = address_of(operand.touched.address);
    const uint64_t bytes = last_byte(operand.runs) - begin;
    const uint64_t extent = operand.touched.extent;
    const bool past = (extent & kPast<uint64_t>) != 0;
    const bool is_global = operand.place == kGlobal;
    const uint64_t allowed = past ? 0 : is_global ? extent : rounded(extent);
    uint64_t room = allowed;
    bool beyond = (past || extent != 0) && bytes > allowed;
    const uint64_t allocated = is_global && !beyond ? allocated_from(operand.touched.address) : 0;
    const bool behind = is_global && !beyond && allocated == 0 && behind_its_memory(begin);
    if (behind || (allocated != 0 && bytes > allocated)) {
        beyond = true;
        room = allocated;
    }
    const Region *region = is_global ? nullptr : region_of(begin);
    if (region != nullptr && !beyond && bytes > region->end - begin && extent == 0) {
        beyond = true;
        room = region->end - begin;
    }
    const uint64_t capacity_end = is_global ? 0 : address_of(core_.base[operand.place]) + core_.capacity[operand.place];
    if (!is_global && !beyond && begin + bytes > capacity_end) {
        beyond = true;
        room = capacity_end > begin ? capacity_end - begin : 0;
    }
    if (!beyond) {
        return true;
    }
    Finding found = finding(is_global ? kGmBounds : kBufferBounds, operand.place, begin, bytes - room);
    found.offset += room;
    found.text = std::string("{name}") + (writes ? " writes " : " reads ") + std::to_string(bytes) +
                 (behind || allocated != 0 ? " bytes of memory that has " : " bytes of a tensor that has ") + std::to_string(room) +
                 " from there on";
    launch_.findings.add(found);
    return is_global ? !writes && bytes - room <= kRoom : begin + bytes <= capacity_end + kRoom;
}

void CoreChecker::check_alignment(const Operand &operand)
{
    const uint64_t begin = address_of(operand.touched.address);
    const bool local = operand.place == kUb || operand.place == kL1;
    if ((operand.touched.kind & kAligned) == 0 || !local || begin % 32 == 0 || operand.runs.empty()) {
        return;
    }
    Finding found = finding(kAlignment, operand.place, begin, last_byte(operand.runs) - begin);
    found.text = std::string("{name}") + " takes a tensor that begins at byte " +
                 std::to_string(begin - address_of(core_.base[operand.place])) + " of the " + buffer_name(operand.place) +
                 "; it must begin at a multiple of 32 bytes";
    launch_.findings.add(found);
}

void CoreChecker::copy_size(const void *frame, const void *local, uint64_t bytes)
{
    if (depth_ > 0 || bytes % 32 == 0) {
        return;
    }
    site_ = site("DataCopy", frame);
    Finding found = finding(kAlignment, place_of(address_of(local)), address_of(local), bytes);
    found.text = "DataCopy of " + std::to_string(bytes) + " bytes moves only " + std::to_string(bytes / 32 * 32) +
                 ", whole blocks of 32";
    found.missing = "DataCopyPad, which moves any number of bytes";
    launch_.findings.add(found);
}

void CoreChecker::check_state(const Operand &operand)
{
    const bool behind = (operand.touched.extent & kPast<uint64_t>) != 0; // so this is another buffer
    if (operand.place >= kBufferKinds || operand.runs.empty() || behind) {
        return;
    }
    const uint64_t begin = operand.runs[0].begin;
    const Region *region = region_of(begin);
    if (region == nullptr || region->owner == nullptr || region->state != kFree) {
        return;
    }
    Finding found = finding(kFreedBuffer, operand.place, begin, operand.runs[0].end - begin);
    found.other_site = region->state_site;
    found.text = region->state_site != 0 ? std::string("{name}") + " uses a tensor that FreeTensor gave back at {there}"
                                         : std::string("{name}") + " uses a buffer of a queue that AllocTensor has not given";
    launch_.findings.add(found);
}

} // namespace opkg::twin::check
