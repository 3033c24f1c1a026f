// SPDX-License-Identifier: Apache-2.0
// Compiling kernels while a program runs. The compiler is the opkg-ascc of the toolkit that the library is part of.
#ifndef OPKG_ACL_RT_COMPILE_H
#define OPKG_ACL_RT_COMPILE_H

#include <stddef.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtcProg;

static const int ACL_ERROR_RTC_INVALID_PROG = 176000;
static const int ACL_ERROR_RTC_INVALID_INPUT = 176001;
static const int ACL_ERROR_RTC_INVALID_OPTION = 176002;
static const int ACL_ERROR_RTC_COMPILATION = 176003;
static const int ACL_ERROR_RTC_LINKING = 176004;
static const int ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION = 176005;
static const int ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION = 176006;
static const int ACL_ERROR_RTC_NAME_EXPR_NOT_VALID = 176007;
static const int ACL_ERROR_RTC_PROG_CREATION_FAILURE = 276000;
static const int ACL_ERROR_RTC_OUT_OF_MEMORY = 276001;
static const int ACL_ERROR_RTC_FAILURE = 576000;

// headers[i] is the text of a header that the source includes as includeNames[i].
ACL_FUNC_VISIBILITY aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name, int numHeaders,
                                              const char **headers, const char **includeNames);
ACL_FUNC_VISIBILITY aclError aclrtcDestroyProg(aclrtcProg *prog);
ACL_FUNC_VISIBILITY aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char **options);
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *logSizeRet);
ACL_FUNC_VISIBILITY aclError aclrtcGetCompileLog(aclrtcProg prog, char *log);
// What aclrtBinaryLoadFromData takes.
ACL_FUNC_VISIBILITY aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSizeRet);
ACL_FUNC_VISIBILITY aclError aclrtcGetBinData(aclrtcProg prog, char *binData);
// A kernel that is a template or has C++ linkage, `ns::kernel<float>`: named before compiling, and after that looked up
// under the name that GetLoweredName gives.
ACL_FUNC_VISIBILITY aclError aclrtcAddNameExpr(aclrtcProg prog, const char *const nameExpression);
ACL_FUNC_VISIBILITY aclError aclrtcGetLoweredName(aclrtcProg prog, const char *nameExpression, const char **loweredName);

#ifdef __cplusplus
}
#endif

#endif // OPKG_ACL_RT_COMPILE_H
