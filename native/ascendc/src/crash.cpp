// SPDX-License-Identifier: Apache-2.0
#include "crash.hpp"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "scheduler.hpp"

namespace opkg::twin {
namespace {

// Only what a signal handler may call.
class Line {
public:
    Line &text(const char *add)
    {
        for (; *add != '\0' && length_ < sizeof text_; ++add) {
            text_[length_++] = *add;
        }
        return *this;
    }
    Line &number(uint64_t value, uint32_t base)
    {
        char digits[24];
        char *end = digits + sizeof digits - 1;
        *end = '\0';
        do {
            *--end = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0);
        return text(end);
    }
    void print() const
    {
        const ssize_t written = write(STDERR_FILENO, text_, length_);
        (void)written;
    }

private:
    char text_[512];
    size_t length_ = 0;
};

void say(int signal, siginfo_t *information, void *)
{
    const Core *core = opkg_twin_core;
    if (core != nullptr && core->launch != nullptr) {
        Line line;
        line.text("opkg: ").text(core->launch->kernel->op_type);
        line.text(core->kind == kCubeCore ? ": cube core " : ": vector core ").number(core->index, 10);
        line.text(" of ").number(core->launch->of_kind(core->kind), 10);
        line.text(signal == SIGFPE ? " divides an integer by zero" : " touches memory that is not there");
        if (signal != SIGFPE) {
            line.text(", at 0x").number(reinterpret_cast<uintptr_t>(information->si_addr), 16);
        }
        line.text("\n").print();
    }
    ::signal(signal, SIG_DFL); // the instruction runs again and ends the process
}

} // namespace

void name_crashing_cores()
{
    static const bool installed = [] {
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE}) {
            struct sigaction now;
            if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) {
                continue;
            }
            struct sigaction wanted;
            memset(&wanted, 0, sizeof wanted);
            wanted.sa_sigaction = say;
            wanted.sa_flags = SA_SIGINFO;
            sigaction(number, &wanted, nullptr);
        }
        return true;
    }();
    (void)installed;
}

} // namespace opkg::twin
