// SPDX-License-Identifier: Apache-2.0
// The configuration file of aclInit: JSON of at most ten levels.
#include "config.hpp"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <memory>

namespace opkg::acl {
namespace {

constexpr int kDeepest = 10;
constexpr size_t kLargest = 10u << 20;

// Checks syntax only.
class Json {
public:
    explicit Json(const std::string &text) : at_(text.data()), begin_(at_), end_(at_ + text.size()) {}

    bool valid()
    {
        return value(0) && (space(), at_ == end_);
    }
    int line() const
    {
        int lines = 1;
        for (const char *c = begin_; c < at_; ++c) {
            lines += *c == '\n';
        }
        return lines;
    }

private:
    void space()
    {
        while (at_ < end_ && isspace(static_cast<unsigned char>(*at_))) {
            ++at_;
        }
    }
    bool take(char c)
    {
        space();
        return at_ < end_ && *at_ == c && ++at_;
    }
    bool word(const char *text)
    {
        const size_t length = strlen(text);
        if (static_cast<size_t>(end_ - at_) < length || memcmp(at_, text, length) != 0) {
            return false;
        }
        at_ += length;
        return true;
    }
    bool string()
    {
        if (!take('"')) {
            return false;
        }
        for (; at_ < end_ && *at_ != '"'; ++at_) {
            at_ += *at_ == '\\';
        }
        return at_ < end_ && ++at_;
    }
    bool number()
    {
        const char *start = at_;
        while (at_ < end_ && (isdigit(static_cast<unsigned char>(*at_)) || strchr("+-.eE", *at_) != nullptr)) {
            ++at_;
        }
        return at_ > start;
    }
    bool list(char close, int depth, bool named)
    {
        if (take(close)) {
            return true;
        }
        do {
            space();
            if ((named && !(string() && take(':'))) || !value(depth + 1)) {
                return false;
            }
        } while (take(','));
        return take(close);
    }
    bool value(int depth)
    {
        space();
        if (depth > kDeepest || at_ == end_) {
            return false;
        }
        if (take('{')) {
            return list('}', depth, true);
        }
        if (take('[')) {
            return list(']', depth, false);
        }
        return *at_ == '"' ? string() : word("true") || word("false") || word("null") || number();
    }

    const char *at_;
    const char *begin_;
    const char *end_;
};

struct Close {
    void operator()(FILE *file) const { fclose(file); }
};

} // namespace

aclError check_config(const char *path)
{
    if (*path == '\0') {
        return ACL_SUCCESS;
    }
    const std::unique_ptr<FILE, Close> file(fopen(path, "rb"));
    if (file == nullptr) {
        return fail(ACL_ERROR_INVALID_FILE, "aclInit: the configuration file %s cannot be read", path);
    }
    std::string text;
    char part[4096];
    size_t read;
    while ((read = fread(part, 1, sizeof part, file.get())) > 0 && text.size() <= kLargest) {
        text.append(part, read);
    }
    if (text.size() > kLargest) {
        return fail(ACL_ERROR_INVALID_FILE_SIZE, "aclInit: the configuration file %s is larger than 10 MB", path);
    }
    Json json(text);
    if (!json.valid()) {
        return fail(ACL_ERROR_PARSE_FILE, "aclInit: %s:%d: this is not JSON of at most ten levels", path, json.line());
    }
    return ACL_SUCCESS;
}

} // namespace opkg::acl
