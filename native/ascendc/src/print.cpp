// SPDX-License-Identifier: Apache-2.0
// Lines of one core are put together before they go to stdout, so no other core's output comes in between. They are
// flushed at once: a kernel that crashes has still shown what it printed.
#include "print.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>

#include "scheduler.hpp"

namespace opkg::twin {
namespace {

thread_local std::string begun; // the line that has not ended yet

void begin_line()
{
    const Core &core = *opkg_twin_core;
    char prefix[64];
    snprintf(prefix, sizeof prefix, "[%s Block %u/%u] ", core.kind == kCubeCore ? "AIC" : "AIV", core.index,
             core.launch->of_kind(core.kind));
    begun += prefix;
}

void put(const std::string &text)
{
    fwrite(text.data(), 1, text.size(), stdout);
    fflush(stdout);
}

} // namespace

void print_lines(const char *text, size_t length)
{
    const char *const end = text + length;
    while (text < end) {
        if (begun.empty() || begun.back() == '\n') {
            begin_line();
        }
        const void *found = memchr(text, '\n', static_cast<size_t>(end - text));
        const char *next = found == nullptr ? end : static_cast<const char *>(found) + 1;
        begun.append(text, next);
        text = next;
    }
    const size_t complete = begun.rfind('\n');
    if (complete != std::string::npos) {
        put(begun.substr(0, complete + 1));
        begun.erase(0, complete + 1);
    }
}

void print_block(const char *text, size_t length)
{
    finish_printing();
    begin_line();
    begun.append(text, length);
    put(begun);
    begun.clear();
}

void finish_printing()
{
    if (!begun.empty()) {
        put(begun + "\n");
        begun.clear();
    }
}

} // namespace opkg::twin

using namespace opkg::twin;

int opkg_twin_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (opkg_twin_core == nullptr) {
        const int printed = vprintf(format, arguments);
        va_end(arguments);
        return printed;
    }
    char *text = nullptr;
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        print_lines(text, static_cast<size_t>(length));
        free(text);
    }
    return length;
}
