// SPDX-License-Identifier: Apache-2.0
// A value for every byte of an address space, kept as one entry for each run of bytes with the same value.
#ifndef OPKG_TWIN_CHECK_INTERVAL_MAP_HPP
#define OPKG_TWIN_CHECK_INTERVAL_MAP_HPP

#include <stdint.h>

#include <iterator>
#include <map>
#include <utility>

namespace opkg::twin::check {

// Bytes without an entry have the value Value().
template <typename Value>
class IntervalMap {
public:
    // Calls body(value, begin, end) for each run inside [begin, end); the body may change the value.
    template <typename Body>
    void update(uint64_t begin, uint64_t end, const Body &body)
    {
        if (begin >= end) {
            return;
        }
        fill_gaps(begin, end);
        auto entry = entries_.find(begin);
        while (entry != entries_.end() && entry->first < end) {
            body(entry->second.value, entry->first, entry->second.end);
            ++entry;
        }
        merge(begin, end);
    }

    // The same without changing anything; gaps are given as Value().
    template <typename Body>
    void visit(uint64_t begin, uint64_t end, const Body &body) const
    {
        const Value nothing{};
        auto entry = entries_.upper_bound(begin);
        if (entry != entries_.begin() && std::prev(entry)->second.end > begin) {
            --entry;
        }
        for (; begin < end; ++entry) {
            if (entry == entries_.end() || entry->first >= end) {
                body(nothing, begin, end);
                return;
            }
            if (begin < entry->first) {
                body(nothing, begin, entry->first);
                begin = entry->first;
            }
            const uint64_t stop = entry->second.end < end ? entry->second.end : end;
            body(entry->second.value, begin, stop);
            begin = stop;
        }
    }

private:
    struct Entry {
        uint64_t end;
        Value value;
    };
    using Entries = std::map<uint64_t, Entry>;

    // Makes `at` a border between entries, if one spans it.
    void split(uint64_t at)
    {
        auto next = entries_.upper_bound(at);
        if (next == entries_.begin()) {
            return;
        }
        auto entry = std::prev(next);
        if (entry->first < at && entry->second.end > at) {
            entries_.emplace_hint(next, at, Entry{entry->second.end, entry->second.value});
            entry->second.end = at;
        }
    }

    void fill_gaps(uint64_t begin, uint64_t end)
    {
        split(begin);
        split(end);
        auto entry = entries_.lower_bound(begin);
        while (begin < end) {
            const uint64_t stop = entry == entries_.end() || entry->first > end ? end : entry->first;
            if (begin < stop) {
                entries_.emplace_hint(entry, begin, Entry{stop, Value{}});
                begin = stop;
            } else {
                begin = entry->second.end;
                ++entry;
            }
        }
    }

    // Joins neighbours of one value, from the entry before begin to the one behind end.
    void merge(uint64_t begin, uint64_t end)
    {
        auto entry = entries_.find(begin);
        if (entry != entries_.begin()) {
            --entry;
        }
        for (auto next = std::next(entry); next != entries_.end() && entry->first <= end; next = std::next(entry)) {
            if (entry->second.end == next->first && entry->second.value == next->second.value) {
                entry->second.end = next->second.end;
                entries_.erase(next);
            } else {
                entry = next;
            }
        }
    }

    Entries entries_;
};

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_INTERVAL_MAP_HPP
