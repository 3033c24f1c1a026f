// SPDX-License-Identifier: Apache-2.0
// Beginning and end, versions, and options that a CPU has no use for.
#include "runtime.hpp"

using namespace opkg::acl;

aclError aclInit(const char *configPath) { return runtime().init(configPath); }

aclError aclFinalize(void) { return runtime().finalize(); }

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr) {
        return null_pointer("aclrtGetVersion", "a version");
    }
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

namespace {

using Options = std::map<aclSysParamOpt, int64_t>;

aclError set_option(const char *function, Options &options, aclSysParamOpt opt, int64_t value)
{
    if (opt != ACL_OPT_DETERMINISTIC && opt != ACL_OPT_ENABLE_DEBUG_KERNEL) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no option %d", function, static_cast<int>(opt));
    }
    std::lock_guard<std::mutex> lock(runtime().mutex);
    options[opt] = value;
    return ACL_SUCCESS;
}

aclError get_option(const char *function, const Options &options, aclSysParamOpt opt, int64_t *value)
{
    if (value == nullptr) {
        return null_pointer(function, "value");
    }
    std::lock_guard<std::mutex> lock(runtime().mutex);
    const auto found = options.find(opt);
    if (found == options.end()) {
        return fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "%s: option %d has not been set", function,
                    static_cast<int>(opt));
    }
    *value = found->second;
    return ACL_SUCCESS;
}

} // namespace

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    return set_option("aclrtSetSysParamOpt", runtime().options, opt, value);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    return get_option("aclrtGetSysParamOpt", runtime().options, opt, value);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    aclError code;
    const std::shared_ptr<Context> context = runtime().current("aclrtCtxSetSysParamOpt", code);
    return context == nullptr ? code : set_option("aclrtCtxSetSysParamOpt", context->options, opt, value);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    aclError code;
    const std::shared_ptr<Context> context = runtime().current("aclrtCtxGetSysParamOpt", code);
    return context == nullptr ? code : get_option("aclrtCtxGetSysParamOpt", context->options, opt, value);
}

// A core that waits for ever is found without a timeout, and a slow one is not wrong.
aclError aclrtSetOpExecuteTimeOut(uint32_t) { return ACL_SUCCESS; }
aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t) { return ACL_SUCCESS; }
