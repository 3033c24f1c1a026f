// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <stdarg.h>
#include <stdio.h>

namespace opkg::acl {
namespace {

struct Recent {
    std::string message;
    std::string handed_out; // stays valid until it is asked for again
    aclError message_code = ACL_SUCCESS;
    bool fresh = false;
    aclError last = ACL_SUCCESS;
};

thread_local Recent recent;

} // namespace

aclError fail_with(aclError code, const std::string &message)
{
    recent.message = message;
    recent.message_code = code;
    recent.fresh = true;
    recent.last = code;
    return code;
}

aclError fail(aclError code, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_with(code, text);
}

std::string last_message() { return recent.message; }

aclError null_pointer(const char *function, const char *parameter)
{
    return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is NULL", function, parameter);
}

} // namespace opkg::acl

using namespace opkg::acl;

const char *aclGetRecentErrMsg(void)
{
    if (!recent.fresh) {
        return nullptr;
    }
    recent.fresh = false;
    recent.handed_out = recent.message + " [" + std::to_string(recent.message_code) + "]";
    return recent.handed_out.c_str();
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    return level == ACL_RT_THREAD_LEVEL ? recent.last : ACL_ERROR_RT_PARAM_INVALID;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    const aclError code = aclrtPeekAtLastError(level);
    if (level == ACL_RT_THREAD_LEVEL) {
        recent.last = ACL_SUCCESS;
    }
    return code;
}
