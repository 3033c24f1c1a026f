// SPDX-License-Identifier: Apache-2.0
// Which bytes of the Unified Buffer hold something. Rounding a length up to whole blocks is normal, so bytes that nothing
// has written may be computed with, as long as what comes of them is thrown away: it is a defect when it reaches global
// memory or the scalar unit, or when all that an instruction reads was never written.
#include <string.h>

#include "checker.hpp"

namespace opkg::twin::check {

bool CoreChecker::has_escaped(const Operand &operand)
{
    const Region *region = region_of(operand.runs[0].begin);
    return region != nullptr && region->escaped;
}

CoreChecker::Undefined CoreChecker::undefined_in(uint32_t place, const std::vector<Range> &runs) const
{
    Undefined all;
    for (const Range &run : runs) {
        local_[place].visit(run.begin, run.end, [&](const LocalByte &byte, uint64_t begin, uint64_t end) {
            all.total += end - begin;
            if (byte.content == kDefined) {
                return;
            }
            if (all.never + all.derived == 0) {
                all.first = begin;
            }
            (byte.content == kNeverWritten ? all.never : all.derived) += end - begin;
            all.origin = byte.content == kDerived && all.origin == 0 ? byte.origin : all.origin;
        });
    }
    return all;
}

// DataCopy moves whole blocks of 32 bytes, so a block that holds something may have a rest that does not.
CoreChecker::Undefined CoreChecker::undefined_blocks_in(uint32_t place, const std::vector<Range> &runs) const
{
    Undefined all;
    for (const Range &run : runs) {
        for (uint64_t begin = run.begin; begin < run.end; begin += 32) {
            const uint64_t end = begin + 32 < run.end ? begin + 32 : run.end;
            const Undefined block = undefined_in(place, {{begin, end}});
            all.total += end - begin;
            if (block.never + block.derived < end - begin) {
                continue;
            }
            all.first = all.never + all.derived == 0 ? block.first : all.first;
            all.origin = all.origin == 0 ? block.origin : all.origin;
            all.never += block.never;
            all.derived += block.derived;
        }
    }
    return all;
}

uint32_t CoreChecker::origin_of(const Operand &operand, const Undefined &undefined)
{
    if (undefined.origin != 0) {
        return undefined.origin;
    }
    Finding place = finding(kUninitialised, operand.place, undefined.first, undefined.never);
    for (uint32_t i = 0; i < origins_.size(); ++i) {
        if (origins_[i].site == site_ && origins_[i].tensor_site == place.tensor_site) {
            return i + 1;
        }
    }
    origins_.push_back({site_, place.tensor, place.tensor_site, place.offset, undefined.never});
    return static_cast<uint32_t>(origins_.size());
}

void CoreChecker::report_undefined(const Operand &operand, const Undefined &undefined)
{
    Finding found = finding(kUninitialised, operand.place, undefined.first, undefined.never + undefined.derived);
    found.text = std::string("{name}") + " reads " + std::to_string(undefined.never + undefined.derived) +
                 " bytes that nothing has written";
    if (undefined.origin != 0) {
        const Origin &origin = origins_[undefined.origin - 1];
        found.site = origin.site;
        found.other_site = site_;
        found.tensor = origin.tensor;
        found.tensor_site = origin.tensor_site;
        found.offset = origin.offset;
        found.bytes = origin.bytes;
        found.text = std::string("{name}") + " reads " + std::to_string(origin.bytes) +
                     " bytes that nothing has written, and what it made of them " +
                     (pipe_ == kScalar ? "is read at {there}" : "goes to global memory at {there}");
    }
    launch_.findings.add(found);
}

namespace {

// The part of `to` that stands for [begin, end) of `from`.
Range scaled(const Range &from, const Range &to, uint64_t begin, uint64_t end)
{
    const uint64_t here = from.end - from.begin;
    const uint64_t there = to.end - to.begin;
    return {to.begin + (begin - from.begin) * there / here, to.begin + ((end - from.begin) * there + here - 1) / here};
}

bool pairs(const Operand &from, const Operand &to)
{
    return (from.touched.kind & kElementwise) != 0 && (to.touched.kind & kElementwise) != 0 &&
           from.runs.size() == to.runs.size();
}

} // namespace

// The operands that are read and lack content in part; those that lack it altogether are reported.
std::vector<CoreChecker::Spread> CoreChecker::sources_without_content(const std::vector<Operand> &operands)
{
    bool to_global = false;
    for (const Operand &operand : operands) {
        to_global = to_global || (operand.place == kGlobal && (operand.touched.kind & kWrites) != 0);
    }
    std::vector<Spread> spreads;
    for (const Operand &operand : operands) {
        const bool whole_read = (operand.touched.kind & (kReads | kSome | kUnsure)) == kReads;
        if (!whole_read || operand.place != kUb || operand.runs.empty() || has_escaped(operand)) {
            continue;
        }
        const bool by_blocks = to_global && strcmp(instruction_, "DataCopy") == 0;
        const Undefined undefined =
            by_blocks ? undefined_blocks_in(kUb, operand.runs) : undefined_in(kUb, operand.runs);
        if (undefined.never + undefined.derived == 0) {
            continue;
        }
        if (!to_global && pipe_ != kScalar && undefined.never != undefined.total) {
            spreads.push_back({&operand, origin_of(operand, undefined)});
            continue;
        }
        report_undefined(operand, undefined);
        set_content(operand.runs, kDefined, 0); // once is enough
    }
    return spreads;
}

// Element by element, what is computed from bytes without content has none.
std::vector<CoreChecker::Mark> CoreChecker::marks_for(const Operand &to, const std::vector<Spread> &spreads) const
{
    std::vector<Mark> marks;
    for (const Spread &spread : spreads) {
        const Operand &from = *spread.from;
        if ((from.touched.kind & kFolds) != 0) {
            marks.push_back({to.runs, spread.origin});
        } else if (pairs(from, to)) {
            marks.push_back({{}, spread.origin});
            for (size_t i = 0; i < from.runs.size(); ++i) {
                const Range &run = from.runs[i];
                local_[kUb].visit(run.begin, run.end, [&](const LocalByte &byte, uint64_t begin, uint64_t end) {
                    if (byte.content != kDefined) {
                        marks.back().ranges.push_back(scaled(run, to.runs[i], begin, end));
                    }
                });
            }
        }
    }
    return marks;
}

void CoreChecker::set_content(const std::vector<Range> &ranges, Content content, uint32_t origin)
{
    for (const Range &range : ranges) {
        local_[kUb].update(range.begin, range.end, [&](LocalByte &byte, uint64_t, uint64_t) {
            byte.content = content;
            byte.origin = origin;
        });
    }
}

void CoreChecker::check_content(const std::vector<Operand> &operands)
{
    const std::vector<Spread> spreads = sources_without_content(operands);
    for (const Operand &to : operands) {
        if ((to.touched.kind & kWrites) == 0 || to.place != kUb) {
            continue;
        }
        // Before the write makes the rest defined, since a source may be the destination.
        const std::vector<Mark> marks = marks_for(to, spreads);
        set_content(to.runs, kDefined, 0);
        for (const Mark &mark : marks) {
            set_content(mark.ranges, kDerived, mark.origin);
        }
    }
}

} // namespace opkg::twin::check
