// SPDX-License-Identifier: Apache-2.0
// AscendCL for programs that launch kernels: everything in one include.
#ifndef OPKG_ACL_H
#define OPKG_ACL_H

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 13
#define ACL_PATCH_VERSION 0

// configPath: a JSON file, or NULL. Calls that need no configuration work without aclInit.
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);
// Waits for every stream and releases every device. A second call returns 100037.
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion);

// What went wrong last on this thread, in one sentence, once; NULL where nothing has since the last call. The text
// stays valid until the thread asks again.
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif // OPKG_ACL_H
