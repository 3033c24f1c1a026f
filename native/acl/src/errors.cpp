// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <stdarg.h>
#include <stdio.h>

namespace opkg::acl {
namespace {

constexpr size_t kLongest = 1024;

// It has no destructor: objects that are destroyed after main may still fail.
struct Recent {
    char message[kLongest];
    char handed_out[kLongest + 16]; // stays valid until it is asked for again
    aclError message_code;
    bool fresh;
    aclError last;
};

thread_local Recent recent = {};

} // namespace

aclError fail_with(aclError code, const std::string &message)
{
    snprintf(recent.message, sizeof recent.message, "%s", message.c_str());
    recent.message_code = code;
    recent.fresh = true;
    recent.last = code;
    return code;
}

aclError fail(aclError code, const char *format, ...)
{
    char text[kLongest];
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
    snprintf(recent.handed_out, sizeof recent.handed_out, "%s [%d]", recent.message, recent.message_code);
    return recent.handed_out;
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
