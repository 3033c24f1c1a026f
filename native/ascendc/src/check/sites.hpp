// SPDX-License-Identifier: Apache-2.0
// Places in programs: the return addresses above a call, and the lines of source that they stand for.
#ifndef OPKG_TWIN_CHECK_SITES_HPP
#define OPKG_TWIN_CHECK_SITES_HPP

#include <stdint.h>

#include <string>
#include <vector>

namespace opkg::twin::check {

// An instruction and the calls that led to it, innermost first.
struct Site {
    static constexpr uint32_t kDepth = 12;
    const char *name;
    uint32_t depth;
    const void *addresses[kDepth];

    bool operator==(const Site &other) const;
};

// The name of an instruction, without template arguments; valid for ever.
const char *plain_name(const char *name);

// The frames from `frame` up to `limit`, an address on the same stack. Check builds keep frame pointers.
Site capture(const char *name, const void *frame, const void *limit);

// A number for a site, the same for equal ones; 0 is no site.
uint32_t number_of(const Site &site);
Site site_of(uint32_t number);

struct Line {
    std::string function;
    std::string file; // empty: not known
    uint32_t line = 0;
};

struct Place {
    std::vector<Line> lines; // the user's own frames, innermost first: those outside of the twin's headers
    std::string name;        // of the function that the user called; empty: not known
};

std::vector<Place> places_of(const std::vector<uint32_t> &sites);

// Tells which headers are the twin's: `header` is the path of one of them, as in ".../twin/pipe.h".
void note_headers(const char *header);

// The text of a line, without blanks around it; empty if the file cannot be read.
std::string text_of(const Line &line);

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_SITES_HPP
