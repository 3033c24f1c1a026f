// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace opkg::core {
namespace {

struct sigaction g_before;
std::atomic<int32_t> g_running{0};
std::atomic<int32_t> g_pressed{0};

void pass_on(int number, siginfo_t* info, void* context) {
    if (g_before.sa_flags & SA_SIGINFO) g_before.sa_sigaction(number, info, context);
    else g_before.sa_handler(number);
}

void on_interrupt(int number, siginfo_t* info, void* context) {
    if (g_running.load() > 0 && g_pressed.fetch_add(1) > 0) {
        static const char said[] = "\nopkg: a kernel does not end; interrupted\n";
        if (write(STDERR_FILENO, said, sizeof said - 1) < 0) { // nobody can be told
        }
        signal(number, SIG_DFL);
        raise(number);
    }
    pass_on(number, info, context);
}

// Where SIGINT ends the process anyway, or is ignored, it stays so.
void install() {
    if (sigaction(SIGINT, nullptr, &g_before) != 0) return;
    const bool plain = !(g_before.sa_flags & SA_SIGINFO);
    if (plain && (g_before.sa_handler == SIG_DFL || g_before.sa_handler == SIG_IGN)) return;
    struct sigaction ours = g_before;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = &on_interrupt;
    sigaction(SIGINT, &ours, nullptr);
}

} // namespace

Interruptible::Interruptible() {
    static std::once_flag once;
    std::call_once(once, install);
    g_running.fetch_add(1);
}

Interruptible::~Interruptible() {
    if (g_running.fetch_sub(1) == 1) g_pressed.store(0);
}

} // namespace opkg::core
