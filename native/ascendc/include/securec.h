// SPDX-License-Identifier: Apache-2.0
// Copies that know how much room there is. Programs call them without an include of their own.
#ifndef OPKG_SECUREC_H
#define OPKG_SECUREC_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#ifndef EOK
#define EOK 0
#endif
typedef int errno_t;

static inline errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count)
{
    if (dest == NULL || src == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    memcpy(dest, src, count);
    return EOK;
}

static inline errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count)
{
    if (dest == NULL || src == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    memmove(dest, src, count);
    return EOK;
}

static inline errno_t memset_s(void *dest, size_t destMax, int c, size_t count)
{
    if (dest == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    memset(dest, c, count);
    return EOK;
}

static inline errno_t strcpy_s(char *strDest, size_t destMax, const char *strSrc)
{
    return strSrc == NULL ? EINVAL : memcpy_s(strDest, destMax, strSrc, strlen(strSrc) + 1);
}

#endif // OPKG_SECUREC_H
