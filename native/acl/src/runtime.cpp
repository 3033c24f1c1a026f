// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include <pthread.h>
#include <stdlib.h>

#include <algorithm>
#include <new>

#include "config.hpp"
#include "event.hpp"
#include "graph.hpp"

namespace opkg::acl {
namespace {

// The thread's context. It has no destructor: objects that are destroyed after main still ask for it.
struct Chosen {
    Context *context;
    uint64_t number;
};
thread_local Chosen thread_context = {nullptr, 0};

// The program ends: tasks that run may finish, so that nothing is torn down under them; queued ones are dropped.
void leave()
{
    const Stream::Deadline patience = Stream::Clock::now() + std::chrono::seconds(5);
    const uint32_t devices = runtime().device_count();
    for (uint32_t device = 0; device < devices; ++device) {
        for (const std::shared_ptr<Stream> &stream : runtime().streams_of_device(static_cast<int32_t>(device))) {
            stream->abort(patience);
        }
    }
}

} // namespace

Runtime &runtime()
{
    static Runtime *const instance = [] {
        pthread_atfork(nullptr, nullptr, [] { runtime().begin_afresh(); });
        return new Runtime;
    }();
    return *instance;
}

// What was there stays as it was: a mutex may be held, and nothing of it is used again.
void Runtime::begin_afresh()
{
    const SocInfo *chip = soc_.load();
    new (this) Runtime;
    soc_.store(chip);
}

void leave_at_exit()
{
    static const int registered = atexit(leave);
    (void)registered;
}

// The chip of a program that names none.
const SocInfo *Runtime::default_soc()
{
    const char *asked = getenv("OPKG_SOC");
    const SocInfo *found = asked == nullptr ? nullptr : find_soc(asked);
    return found != nullptr ? found : find_soc(kDefaultSoc);
}

void Runtime::use_npu_arch(uint32_t npu_arch)
{
    const char *asked = getenv("OPKG_SOC");
    if (asked != nullptr && find_soc(asked) != nullptr) {
        return;
    }
    for (const SocInfo &row : kSocTable) {
        if (row.npu_arch == npu_arch) {
            soc_.store(&row);
            return;
        }
    }
}

uint32_t Runtime::default_device_count()
{
    const char *text = getenv("OPKG_DEVICE_COUNT");
    const long asked = text == nullptr ? 0 : strtol(text, nullptr, 10);
    return asked > 0 && asked <= 64 ? static_cast<uint32_t>(asked) : 1;
}

aclError Runtime::init(const char *config_path)
{
    std::lock_guard<std::mutex> lock(mutex);
    if (initialised_) {
        return fail(ACL_ERROR_REPEAT_INITIALIZE, "aclInit has been called before: once is enough for a process");
    }
    const aclError code = config_path == nullptr ? ACL_SUCCESS : check_config(config_path);
    if (code == ACL_SUCCESS) {
        initialised_ = true;
        finalised_ = false;
    }
    return code;
}

aclError Runtime::finalize()
{
    std::vector<std::shared_ptr<Context>> contexts;
    {
        std::lock_guard<std::mutex> lock(mutex);
        if (finalised_) {
            return fail(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize has been called before");
        }
        finalised_ = true;
        initialised_ = false;
        for (auto &entry : contexts_) {
            contexts.push_back(entry.second);
        }
        contexts_.clear();
        devices_.clear();
    }
    for (const std::shared_ptr<Context> &context : contexts) {
        close_context(context);
    }
    return ACL_SUCCESS;
}

aclError Runtime::check_device(int64_t id, const char *function)
{
    if (id < 0 || id >= device_count_) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID,
                    "%s: there is no device %lld; this machine has %u (OPKG_DEVICE_COUNT gives more)", function,
                    static_cast<long long>(id), device_count_);
    }
    return ACL_SUCCESS;
}

aclError Runtime::set_device(int32_t id, const char *function)
{
    const aclError code = check_device(id, function);
    if (code != ACL_SUCCESS) {
        return code;
    }
    std::lock_guard<std::mutex> lock(mutex);
    Device &device = devices_[id];
    ++device.uses;
    if (device.context == nullptr) {
        device.context = std::make_shared<Context>();
        device.context->number = next_context_++;
        device.context->device = id;
        device.context->implicit = true;
        contexts_[device.context.get()] = device.context;
    }
    adopt_context(*device.context);
    return ACL_SUCCESS;
}

aclError Runtime::reset_device(int32_t id, bool force, const char *function)
{
    const aclError code = check_device(id, function);
    if (code != ACL_SUCCESS) {
        return code;
    }
    std::shared_ptr<Context> released;
    {
        std::lock_guard<std::mutex> lock(mutex);
        const auto found = devices_.find(id);
        if (found == devices_.end()) {
            return ACL_SUCCESS;
        }
        if (!force && --found->second.uses > 0) {
            return ACL_SUCCESS;
        }
        released = found->second.context;
        contexts_.erase(released.get());
        devices_.erase(found);
    }
    close_context(released);
    return ACL_SUCCESS;
}

std::vector<std::shared_ptr<Stream>> Runtime::take_streams(Context &context)
{
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::shared_ptr<Stream>> streams = std::move(context.streams);
    context.streams.clear();
    context.default_stream.reset();
    for (const std::shared_ptr<Stream> &stream : streams) {
        streams_.erase(stream.get());
    }
    return streams;
}

void Runtime::close_context(const std::shared_ptr<Context> &context)
{
    for (const std::shared_ptr<Stream> &stream : take_streams(*context)) {
        abandon_capture(stream);
        stream->close(false);
    }
}

aclError Runtime::create_context(int32_t device, aclrtContext *out)
{
    const aclError code = check_device(device, "aclrtCreateContext");
    if (code != ACL_SUCCESS) {
        return code;
    }
    auto context = std::make_shared<Context>();
    context->device = device;
    context->implicit = false;
    std::lock_guard<std::mutex> lock(mutex);
    context->number = next_context_++;
    contexts_[context.get()] = context;
    adopt_context(*context);
    *out = context.get();
    return ACL_SUCCESS;
}

aclError Runtime::destroy_context(aclrtContext handle)
{
    std::shared_ptr<Context> context;
    {
        std::lock_guard<std::mutex> lock(mutex);
        const auto found = contexts_.find(static_cast<Context *>(handle));
        if (found == contexts_.end()) {
            return fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtDestroyContext: this is no context, or it has been destroyed");
        }
        if (found->second->implicit) {
            return fail(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtDestroyContext: this is the context of aclrtSetDevice, which aclrtResetDevice releases");
        }
        context = found->second;
        contexts_.erase(found);
    }
    close_context(context);
    return ACL_SUCCESS;
}

aclError Runtime::set_context(aclrtContext handle)
{
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = contexts_.find(static_cast<Context *>(handle));
    if (found == contexts_.end()) {
        return fail(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetCurrentContext: this is no context, or it has been destroyed");
    }
    adopt_context(*found->second);
    return ACL_SUCCESS;
}

std::shared_ptr<Context> Runtime::current(const char *function, aclError &code)
{
    const Chosen chosen = thread_context;
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = contexts_.find(chosen.context);
    if (found == contexts_.end() || found->second->number != chosen.number) { // another one may be at its address
        code = fail(ACL_ERROR_RT_CONTEXT_NULL,
                    "%s: this thread has no context: call aclrtSetDevice or aclrtSetCurrentContext first", function);
        return nullptr;
    }
    code = ACL_SUCCESS;
    return found->second;
}

aclError Runtime::create_stream(const char *function, aclrtStream *out)
{
    aclError code;
    const std::shared_ptr<Context> context = current(function, code);
    if (context == nullptr) {
        return code;
    }
    std::lock_guard<std::mutex> lock(mutex);
    auto stream = std::make_shared<Stream>(next_stream_++, context, context->device);
    context->streams.push_back(stream);
    streams_[stream.get()] = stream;
    *out = stream.get();
    return ACL_SUCCESS;
}

std::shared_ptr<Stream> Runtime::stream(const char *function, aclrtStream handle, aclError &code)
{
    const std::shared_ptr<Context> context = current(function, code);
    if (context == nullptr) {
        return nullptr;
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (handle == nullptr) {
        if (context->default_stream == nullptr) {
            context->default_stream = std::make_shared<Stream>(next_stream_++, context, context->device);
            context->streams.push_back(context->default_stream);
            streams_[context->default_stream.get()] = context->default_stream;
        }
        return context->default_stream;
    }
    const auto found = streams_.find(static_cast<Stream *>(handle));
    if (found == streams_.end()) {
        code = fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: this is no stream, or it has been destroyed", function);
        return nullptr;
    }
    if (found->second->context.lock() != context) {
        code = fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: stream %d belongs to another context than this thread's",
                    function, found->second->id);
        return nullptr;
    }
    return found->second;
}

aclError Runtime::destroy_stream(const char *function, aclrtStream handle, bool force)
{
    if (handle == nullptr) {
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the default stream lives as long as its context", function);
    }
    aclError code;
    const std::shared_ptr<Stream> found = stream(function, handle, code);
    if (found == nullptr) {
        return code;
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        const std::shared_ptr<Context> context = found->context.lock();
        if (context == nullptr || streams_.erase(found.get()) == 0) {
            return fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: another thread has destroyed this stream", function);
        }
        auto &streams = context->streams;
        streams.erase(std::remove(streams.begin(), streams.end(), found), streams.end());
    }
    abandon_capture(found);
    found->close(force);
    return ACL_SUCCESS;
}

std::vector<std::shared_ptr<Stream>> Runtime::streams_of_device(int32_t device)
{
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::shared_ptr<Stream>> found;
    for (const auto &entry : contexts_) {
        if (entry.second->device == device) {
            found.insert(found.end(), entry.second->streams.begin(), entry.second->streams.end());
        }
    }
    return found;
}

aclError Runtime::create_event(const char *function, uint32_t flag, bool reusable, aclrtEvent *out)
{
    constexpr uint32_t kKnown =
        ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE | ACL_EVENT_EXTERNAL;
    aclError code;
    if (current(function, code) == nullptr) {
        return code;
    }
    if ((flag & ~kKnown) != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flag 0x%x has bits that mean nothing", function, flag);
    }
    auto event = std::make_shared<Event>(flag, reusable);
    std::lock_guard<std::mutex> lock(mutex);
    *out = event.get();
    events_[event.get()] = std::move(event);
    return ACL_SUCCESS;
}

aclError Runtime::destroy_event(aclrtEvent handle)
{
    std::lock_guard<std::mutex> lock(mutex);
    if (events_.erase(static_cast<Event *>(handle)) == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtDestroyEvent: this is no event, or it has been destroyed");
    }
    return ACL_SUCCESS;
}

std::shared_ptr<Event> Runtime::event(const char *function, aclrtEvent handle, aclError &code)
{
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = events_.find(static_cast<Event *>(handle));
    if (found == events_.end()) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "%s: this is no event, or it has been destroyed", function);
        return nullptr;
    }
    code = ACL_SUCCESS;
    return found->second;
}

void adopt_context(Context &context) { thread_context = {&context, context.number}; }

} // namespace opkg::acl
