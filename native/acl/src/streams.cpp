// SPDX-License-Identifier: Apache-2.0
// The stream calls of AscendCL, and the launch of kernels.
#include "opkg/asc_launch.h"

#include <stdio.h>

#include "runtime.hpp"

namespace opkg::acl {
namespace {

class KernelTask : public Task {
public:
    explicit KernelTask(const opkg_acl_task &task) : task_(task), name_(task.name == nullptr ? "kernel" : task.name) {}
    KernelTask(const KernelTask &) = delete;
    KernelTask &operator=(const KernelTask &) = delete;
    ~KernelTask() override { task_.destroy(task_.data); }

    aclError run(Stream &, std::string &message) override
    {
        char text[800];
        text[0] = '\0';
        const int32_t code = task_.run(task_.data, text, sizeof text);
        message = text;
        return code;
    }
    const char *kind() const override { return "kernel"; }
    const char *name() const override { return name_.c_str(); }
    bool anywhere() const override { return true; }

private:
    opkg_acl_task task_;
    std::string name_;
};

// A launch has no return value in the program's source, so that it was not queued must be seen.
aclError complain(aclError code, const char *name)
{
    const std::string sentence = "the kernel " + std::string(name) + " was not launched: " + last_message();
    fflush(stdout);
    fprintf(stderr, "opkg: %s [%d]\n", sentence.c_str(), code);
    return fail_with(code, sentence);
}

aclError synchronize(const char *function, aclrtStream handle, Stream::Deadline deadline)
{
    aclError code;
    const std::shared_ptr<Stream> stream = runtime().stream(function, handle, code);
    return stream == nullptr ? code : stream->synchronize(deadline, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

} // namespace
} // namespace opkg::acl

using namespace opkg::acl;

void opkg_acl_use_npu_arch(uint32_t npu_arch) { runtime().use_npu_arch(npu_arch); }

int32_t opkg_acl_launch(void *stream, const opkg_acl_task *task)
{
    auto kernel = std::make_shared<KernelTask>(*task);
    aclError code;
    const std::shared_ptr<Stream> where = runtime().stream("<<<>>>", stream, code);
    code = where == nullptr ? code : where->submit(kernel);
    return code == ACL_SUCCESS ? ACL_SUCCESS : complain(code, kernel->name());
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    return stream == nullptr ? null_pointer("aclrtCreateStream", "stream")
                             : runtime().create_stream("aclrtCreateStream", stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    if (stream == nullptr) {
        return null_pointer("aclrtCreateStreamWithConfig", "stream");
    }
    if (priority > 7 || (flag & ~(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC)) != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtCreateStreamWithConfig: priority %u, flag 0x%x; priorities are 0 to 7, flags "
                    "ACL_STREAM_FAST_LAUNCH and ACL_STREAM_FAST_SYNC",
                    priority, flag);
    }
    return runtime().create_stream("aclrtCreateStreamWithConfig", stream);
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return runtime().destroy_stream("aclrtDestroyStream", stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return runtime().destroy_stream("aclrtDestroyStreamForce", stream, true);
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return synchronize("aclrtSynchronizeStream", stream, Stream::kNever);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    if (timeout < -1) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtSynchronizeStreamWithTimeout: a timeout of %d ms", timeout);
    }
    return synchronize("aclrtSynchronizeStreamWithTimeout", stream, Stream::within(timeout));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    if (status == nullptr) {
        return null_pointer("aclrtStreamQuery", "status");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtStreamQuery", stream, code);
    if (found != nullptr) {
        *status = found->idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    }
    return code;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    if (streamId == nullptr) {
        return null_pointer("aclrtStreamGetId", "streamId");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtStreamGetId", stream, code);
    if (found != nullptr) {
        *streamId = found->id;
    }
    return code;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
    if (stream == nullptr) {
        return null_pointer("aclrtStreamAbort", "stream");
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtStreamAbort", stream, code);
    if (found != nullptr) {
        found->abort();
    }
    return code;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    if (stream == nullptr || mode > ACL_STOP_ON_FAILURE) {
        return fail(ACL_ERROR_INVALID_PARAM,
                    "aclrtSetStreamFailureMode: stream %p, mode %llu; the default stream has no mode, modes are "
                    "ACL_CONTINUE_ON_FAILURE and ACL_STOP_ON_FAILURE",
                    stream, static_cast<unsigned long long>(mode));
    }
    aclError code;
    const std::shared_ptr<Stream> found = runtime().stream("aclrtSetStreamFailureMode", stream, code);
    if (found != nullptr) {
        found->failure_mode.store(mode);
    }
    return code;
}
