// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <algorithm>
#include <cstring>

namespace opkg::core {
namespace {

struct TimedBody {
    void (*body)(void*, uint64_t);
    void* arg;
    std::atomic<uint64_t>& total;
};

void run_timed(void* arg, uint64_t i) {
    auto& timed = *static_cast<TimedBody*>(arg);
    const uint64_t begin = now_ns();
    timed.body(timed.arg, i);
    timed.total.fetch_add(now_ns() - begin, std::memory_order_relaxed);
}

void exec_parallel_for(void* context, uint64_t n, void (*body)(void*, uint64_t), void* arg) {
    Run& run = *static_cast<Run*>(context);
    if (n <= 1 || run.on_caller) {
        for (uint64_t i = 0; i < n; ++i) body(arg, i);
        return;
    }
    TimedBody timed{body, arg, run.work_ns};
    run.executor.parallel_for(n, run_timed, &timed);
}

void* exec_alloc(void* context, uint64_t bytes, uint64_t alignment) {
    return static_cast<Run*>(context)->frame.arena.allocate(bytes, alignment);
}

void report(Run& run, const char* code, const char* message) {
    std::lock_guard<std::mutex> lock(run.mutex);
    run.code = code && *code ? code : "OPKG-9301";
    run.message = message ? message : "";
}

void exec_report_error(void* context, const char* code, const char* message) {
    report(*static_cast<Run*>(context), code, message);
}

int32_t exec_cancelled(void*) { return 0; }

int32_t resize(Run& run, uint32_t index, uint32_t ndim, const int64_t* shape, void** data) {
    if (!run.sink || index >= run.frame.outputs.size())
        throw Error("OPKG-9302", "asked to resize output " + std::to_string(index) + ", which it does not have");
    if (!run.may_resize)
        throw Error("OPKG-9302", "asked to resize output " + std::to_string(index) + ", whose shape does not depend on data");
    if (ndim > OPKG_MAX_DIMS || std::any_of(shape, shape + ndim, [](int64_t dim) { return dim < 0; }))
        throw Error("OPKG-9302", "gave output " + std::to_string(index) + " a shape that no tensor can have");
    opkg_tensor_v1& output = run.frame.outputs[index];
    std::lock_guard<std::mutex> lock(run.mutex);
    const bool same = output.dl.data && static_cast<uint32_t>(output.dl.ndim) == ndim &&
                      std::equal(shape, shape + ndim, output.dl.shape);
    if (!same) {
        const uint64_t bytes = bytes_of(output.dtype, shape, ndim);
        void* fresh = run.sink->allocate(index, output.dtype, ndim, shape);
        if (output.dl.data && fresh) std::memmove(fresh, output.dl.data, std::min(bytes, output.capacity));
        output.flags &= ~static_cast<uint32_t>(OPKG_TENSOR_UNKNOWN_RANK);
        output.dl.data = fresh;
        output.dl.ndim = output.origin_ndim = static_cast<int32_t>(ndim);
        std::copy_n(shape, ndim, output.dl.shape);
        output.capacity = bytes;
        run.frame.resized = true;
    }
    if (data) *data = output.dl.data;
    return 0;
}

int32_t exec_resize_output(void* context, uint32_t index, uint32_t ndim, const int64_t* shape, void** data) {
    Run& run = *static_cast<Run*>(context);
    try {
        return resize(run, index, ndim, shape, data);
    } catch (const Error& error) {
        report(run, error.code().c_str(), error.what());
    } catch (const std::exception& error) {
        report(run, "OPKG-9302", error.what());
    }
    return 1;
}

} // namespace

opkg_exec_v1 exec_for(Run& run) {
    opkg_exec_v1 exec{};
    exec.struct_size = sizeof exec;
    exec.abi_version = OPKG_ABI_VERSION;
    exec.context = &run;
    exec.threads = run.executor.threads();
    exec.parallel_for = exec_parallel_for;
    exec.alloc = exec_alloc;
    exec.resize_output = exec_resize_output;
    exec.report_error = exec_report_error;
    exec.cancelled = exec_cancelled;
    return exec;
}

} // namespace opkg::core
