// SPDX-License-Identifier: Apache-2.0
// The log of host code, on stderr from the level ASCEND_GLOBAL_LOG_LEVEL on (0 debug to 3 error, which is the default).
#ifndef OPKG_UTILS_LOG_ASC_CPU_LOG_H
#define OPKG_UTILS_LOG_ASC_CPU_LOG_H

#include <cstdio>
#include <cstdlib>

namespace opkg::log {

inline bool wanted(int level)
{
    static const int lowest = [] {
        const char *text = ::getenv("ASCEND_GLOBAL_LOG_LEVEL");
        return text == nullptr ? 3 : ::atoi(text);
    }();
    return level >= lowest;
}

} // namespace opkg::log

#define OPKG_CPU_LOG(level, name, format, ...)                                                                         \
    (::opkg::log::wanted(level)                                                                                        \
         ? static_cast<void>(::fprintf(stderr, "[" name "] [%s:%d][%s] " format "\n", __FILE__, __LINE__, __func__,    \
                                       ##__VA_ARGS__))                                                                 \
         : static_cast<void>(0))
#define ASC_CPU_LOG_DEBUG(format, ...) OPKG_CPU_LOG(0, "DEBUG", format, ##__VA_ARGS__)
#define ASC_CPU_LOG_INFO(format, ...) OPKG_CPU_LOG(1, "INFO", format, ##__VA_ARGS__)
#define ASC_CPU_LOG_WARNING(format, ...) OPKG_CPU_LOG(2, "WARNING", format, ##__VA_ARGS__)
#define ASC_CPU_LOG_ERROR(format, ...) OPKG_CPU_LOG(3, "ERROR", format, ##__VA_ARGS__)

#endif // OPKG_UTILS_LOG_ASC_CPU_LOG_H
