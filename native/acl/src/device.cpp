// SPDX-License-Identifier: Apache-2.0
// Devices and contexts.
#include <unistd.h>

#include "runtime.hpp"

using namespace opkg::acl;

namespace {

aclError synchronize_device(const char *function, Stream::Deadline deadline)
{
    aclError code;
    const std::shared_ptr<Context> context = runtime().current(function, code);
    if (context == nullptr) {
        return code;
    }
    for (const std::shared_ptr<Stream> &stream : runtime().streams_of_device(context->device)) {
        const aclError failed = stream->synchronize(deadline, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        code = code == ACL_SUCCESS ? failed : code;
    }
    return code;
}

int64_t total_memory()
{
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

} // namespace

aclError aclrtSetDevice(int32_t deviceId) { return runtime().set_device(deviceId, "aclrtSetDevice"); }

aclError aclrtResetDevice(int32_t deviceId) { return runtime().reset_device(deviceId, false, "aclrtResetDevice"); }

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    return runtime().reset_device(deviceId, true, "aclrtResetDeviceForce");
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    if (deviceId == nullptr) {
        return null_pointer("aclrtGetDevice", "deviceId");
    }
    aclError code;
    const std::shared_ptr<Context> context = runtime().current("aclrtGetDevice", code);
    if (context != nullptr) {
        *deviceId = context->device;
    }
    return code;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    if (count == nullptr) {
        return null_pointer("aclrtGetDeviceCount", "count");
    }
    *count = runtime().device_count();
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    if (value == nullptr) {
        return null_pointer("aclrtGetDeviceInfo", "value");
    }
    const aclError code = runtime().check_device(deviceId, "aclrtGetDeviceInfo");
    if (code != ACL_SUCCESS) {
        return code;
    }
    const opkg::SocInfo &soc = runtime().soc();
    switch (attr) {
        case ACL_DEV_ATTR_AICPU_CORE_NUM:
            *value = sysconf(_SC_NPROCESSORS_ONLN);
            break;
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
            *value = soc.ai_cores;
            break;
        case ACL_DEV_ATTR_CUBE_CORE_NUM:
            *value = soc.aic_cores();
            break;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM:
            *value = soc.aiv_cores();
            break;
        case ACL_DEV_ATTR_WARP_SIZE:
            *value = 32;
            break;
        case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
            *value = 2048;
            break;
        case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
            *value = soc.usable_ub();
            break;
        case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
            *value = total_memory();
            break;
        case ACL_DEV_ATTR_L2_CACHE_SIZE:
            *value = soc.l2;
            break;
        default:
            return fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetDeviceInfo: there is no attribute %d",
                        static_cast<int>(attr));
    }
    return ACL_SUCCESS;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    switch (deviceInfo) {
        case ACL_DEVICE_INFO_AI_CORE_NUM:
            return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_AICORE_CORE_NUM, value);
        case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
            return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_VECTOR_CORE_NUM, value);
        case ACL_DEVICE_INFO_L2_SIZE:
            return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_L2_CACHE_SIZE, value);
        default:
            return fail(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability: there is no such information (%d)",
                        static_cast<int>(deviceInfo));
    }
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    if (deviceStatus == nullptr) {
        return null_pointer("aclrtQueryDeviceStatus", "deviceStatus");
    }
    const aclError code = runtime().check_device(deviceId, "aclrtQueryDeviceStatus");
    if (code == ACL_SUCCESS) {
        *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    }
    return code;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
    if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtSetTsDevice: there is no scheduler %d", static_cast<int>(tsId));
    }
    return ACL_SUCCESS;
}

// Programs copy between host and device only when they run on the host.
aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    if (runMode == nullptr) {
        return null_pointer("aclrtGetRunMode", "runMode");
    }
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void) { return synchronize_device("aclrtSynchronizeDevice", Stream::kNever); }

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    if (timeout < -1) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtSynchronizeDeviceWithTimeout: a timeout of %d ms", timeout);
    }
    return synchronize_device("aclrtSynchronizeDeviceWithTimeout", Stream::within(timeout));
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    return context == nullptr ? null_pointer("aclrtCreateContext", "context")
                              : runtime().create_context(deviceId, context);
}

aclError aclrtDestroyContext(aclrtContext context)
{
    return context == nullptr ? null_pointer("aclrtDestroyContext", "context") : runtime().destroy_context(context);
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    return context == nullptr ? null_pointer("aclrtSetCurrentContext", "context") : runtime().set_context(context);
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    if (context == nullptr) {
        return null_pointer("aclrtGetCurrentContext", "context");
    }
    aclError code;
    *context = runtime().current("aclrtGetCurrentContext", code).get();
    return code;
}
