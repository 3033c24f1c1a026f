// SPDX-License-Identifier: Apache-2.0
// Where kernels of check builds enter the checker. A core without one (its library was built without checks, or no launch
// is running) passes through.
#define OPKG_TWIN_CHECK
#include "hooks.hpp"

#include <stdio.h>

#include "checker.hpp"
#include "scheduler.hpp"

namespace opkg::twin::check {

void begin_launch(Launch &launch)
{
    launch.checker = new LaunchChecker(launch.kernel->op_type);
}

void end_launch(Launch &launch)
{
    LaunchChecker *checker = static_cast<LaunchChecker *>(launch.checker);
    launch.checker = nullptr;
    checker->report_unequal_sync();
    std::string sentence;
    const uint32_t count = checker->findings.report(sentence);
    const bool stopped = checker->stopped.load();
    const uint32_t left_out = checker->findings.left_out();
    delete checker;
    if (count == 0 && left_out > 0) {
        fail_launch(launch, "check", "so many findings are suppressed that further ones were left out");
    }
    if (count == 0 && stopped) {
        fail_launch(launch, "check", "a core ended at a finding that is suppressed, before its kernel did");
    }
    if (count == 0) {
        return;
    }
    char before[200] = "";
    if (launch.failed.load()) {
        snprintf(before, sizeof before, "%.190s; ", launch.message);
    }
    snprintf(launch.message, sizeof launch.message, "%s%.64s: %u finding%s of the check build; the first: %.280s", before,
             launch.kernel->op_type, count, count == 1 ? "" : "s", sentence.c_str());
    launch.code = kCoreException;
    launch.failed.store(true);
}

void begin_core(Core &core, const void *stack_limit)
{
    core.checker = new CoreChecker(core, *static_cast<LaunchChecker *>(core.launch->checker), stack_limit);
}

void end_core(Core &core, bool returned)
{
    CoreChecker *checker = checker_of(&core);
    core.checker = nullptr;
    if (returned) {
        checker->end();
    } else {
        static_cast<LaunchChecker *>(core.launch->checker)->stopped.store(true);
    }
    delete checker;
}

void record_failure(const void *frame, Kind kind, const char *message)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        checker->failure(frame, kind, message);
    }
}

} // namespace opkg::twin::check

using namespace opkg::twin;
using namespace opkg::twin::check;

// The frame of the hook itself: what it returns to is the first address of a site. The frame must outlive the call that it
// is given to, so that is never the last thing which a hook does.
#define FRAME __builtin_frame_address(0)
#define KEEP_FRAME __asm__ volatile("")

void opkg_twin_check_enter(const char *headers, const char *name, uint32_t pipe, const Touched *operands, uint32_t count)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->enter(name, FRAME, pipe, operands, count);
        KEEP_FRAME;
    }
}

void opkg_twin_check_leave()
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        checker->leave();
    }
}

void opkg_twin_check_note(const void *address, uint64_t extent, uint32_t position, uint32_t dtype)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        checker->note(address, extent, position, dtype);
    }
}

void opkg_twin_check_escape(const void *address, uint64_t extent)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        checker->escape(address, extent);
    }
}

void opkg_twin_check_global(const char *headers, const void *address, uint64_t bytes)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->global_buffer(FRAME, address, bytes);
        KEEP_FRAME;
    }
}

void opkg_twin_check_flag(const char *headers, uint32_t set, uint32_t event, int32_t id)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->flag(FRAME, set != 0, event, id);
        KEEP_FRAME;
    }
}

void opkg_twin_check_barrier(uint32_t pipe)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        checker->barrier(pipe);
    }
}

void opkg_twin_check_buffers(const char *headers, const void *address, uint64_t bytes, uint32_t count, const void *owner,
                             uint32_t source, uint32_t destination)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->buffers(FRAME, address, bytes, count, owner, source, destination);
        KEEP_FRAME;
    }
}

void opkg_twin_check_queue(const char *headers, uint32_t step, const void *address, uint32_t source,
                           uint32_t destination)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->queue(FRAME, step, address, source, destination);
        KEEP_FRAME;
    }
}

void opkg_twin_check_sync(const char *headers, uint32_t step, uint64_t key, uint32_t pipe)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->sync(FRAME, step, key, pipe);
        KEEP_FRAME;
    }
}

void opkg_twin_check_tiling(const char *headers, const void *data, uint64_t bytes)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->tiling(FRAME, data, bytes);
        KEEP_FRAME;
    }
}

void opkg_twin_check_reset()
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        checker->reset();
    }
}

void opkg_twin_check_copy(const char *headers, const void *local, uint64_t bytes)
{
    if (CoreChecker *checker = checker_of(opkg_twin_core)) {
        note_headers(headers);
        checker->copy_size(FRAME, local, bytes);
        KEEP_FRAME;
    }
}
