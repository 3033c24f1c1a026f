// SPDX-License-Identifier: Apache-2.0
// A program of named cases: `program NAME` runs one, without a name it lists them.
#ifndef EXPECT_HPP
#define EXPECT_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"

struct Case {
    const char *name;
    void (*run)();
};

inline std::vector<Case> &cases()
{
    static std::vector<Case> all;
    return all;
}

#define CASE(name)                                                                                                     \
    static void name();                                                                                                \
    static const bool name##_added = (cases().push_back({#name, name}), true);                                         \
    static void name()

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                \
            std::fflush(stdout);                                                                                       \
            std::_Exit(1);                                                                                             \
        }                                                                                                              \
    } while (0)

// The call returns this code, and where it is an error there is a sentence with this word in it.
#define EXPECT_CODE(call, code, word)                                                                                  \
    do {                                                                                                               \
        (void)aclGetRecentErrMsg();                                                                                    \
        const int got = (call);                                                                                        \
        const char *said = aclGetRecentErrMsg();                                                                       \
        if (got != (code) || (got != 0 && (said == nullptr || std::strstr(said, word) == nullptr))) {                  \
            std::printf("%s:%d: %s = %d: %s\n", __FILE__, __LINE__, #call, got, said == nullptr ? "" : said);          \
            std::fflush(stdout);                                                                                       \
            std::_Exit(1);                                                                                             \
        }                                                                                                              \
    } while (0)
#define EXPECT_OK(call) EXPECT_CODE(call, 0, "")

int main(int argc, char **argv)
{
    for (const Case &each : cases()) {
        if (argc < 2) {
            std::printf("%s\n", each.name);
        } else if (std::strcmp(each.name, argv[1]) == 0) {
            each.run();
            std::printf("done\n");
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}

#endif // EXPECT_HPP
