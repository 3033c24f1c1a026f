// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_GRAPH_ASCEND_STRING_H
#define OPKG_HOST_GRAPH_ASCEND_STRING_H

#include <cstddef>
#include <cstring>
#include <string>

namespace ge {

// A string whose text crosses library boundaries as a pointer.
class AscendString {
public:
    AscendString() = default;
    AscendString(const char *text) : text_(text == nullptr ? "" : text) {} // NOLINT: conversions are wanted
    AscendString(const char *text, size_t length) : text_(text == nullptr ? std::string() : std::string(text, length))
    {
    }

    const char *GetString() const { return text_.c_str(); }
    size_t GetLength() const { return text_.size(); }
    size_t Find(const AscendString &part) const { return text_.find(part.text_); }
    size_t Hash() const { return std::hash<std::string>()(text_); }

    bool operator<(const AscendString &o) const { return text_ < o.text_; }
    bool operator>(const AscendString &o) const { return text_ > o.text_; }
    bool operator<=(const AscendString &o) const { return text_ <= o.text_; }
    bool operator>=(const AscendString &o) const { return text_ >= o.text_; }
    bool operator==(const AscendString &o) const { return text_ == o.text_; }
    bool operator!=(const AscendString &o) const { return text_ != o.text_; }
    bool operator==(const char *o) const { return o != nullptr && text_ == o; }
    bool operator!=(const char *o) const { return !(*this == o); }

private:
    std::string text_;
};

} // namespace ge

template <> struct std::hash<ge::AscendString> {
    size_t operator()(const ge::AscendString &s) const { return s.Hash(); }
};

#endif // OPKG_HOST_GRAPH_ASCEND_STRING_H
