// SPDX-License-Identifier: Apache-2.0
// The exception callback: what it is given about a task that failed.
#include "exception.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "runtime.hpp"

struct rtExceptionInfo {
    uint32_t task;
    uint32_t stream;
    uint32_t thread;
    uint32_t device;
    uint32_t code;
};

namespace opkg::acl {
namespace {

constexpr uint32_t kNoInformation = 0xFFFFFFFFu;
std::atomic<aclrtExceptionInfoCallback> exception_callback{nullptr};

} // namespace

void report_exception(const Stream &stream, uint64_t task, aclError code)
{
    const aclrtExceptionInfoCallback callback = exception_callback.load();
    if (callback == nullptr) {
        return;
    }
    rtExceptionInfo info = {static_cast<uint32_t>(task), static_cast<uint32_t>(stream.id),
                            static_cast<uint32_t>(syscall(SYS_gettid)), static_cast<uint32_t>(stream.device),
                            static_cast<uint32_t>(code)};
    callback(&info);
}

} // namespace opkg::acl

using namespace opkg::acl;

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    exception_callback.store(callback);
    return ACL_SUCCESS;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info == nullptr ? kNoInformation : info->task;
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info == nullptr ? kNoInformation : info->stream;
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info == nullptr ? kNoInformation : info->thread;
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info == nullptr ? kNoInformation : info->device;
}
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    return info == nullptr ? kNoInformation : info->code;
}
