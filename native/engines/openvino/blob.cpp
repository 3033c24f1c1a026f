// SPDX-License-Identifier: Apache-2.0
//
// Lines of text: a mark, the engine's version, the number of custom nodes, and for each node its name, type and key on
// three lines. Zero bytes up to a multiple of 64 follow, so that OpenVINO's part keeps its alignment.
#include "blob.hpp"

#include <algorithm>
#include <cstring>

namespace opkg::openvino {
namespace {

constexpr char kMark[] = "OPKG-OPENVINO-1";
constexpr size_t kAlignment = 64;

// Names may hold anything; a line must not end inside one.
std::string one_line(std::string text) {
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\0'; }, ' ');
    return text + "\n";
}

[[noreturn]] void not_a_blob() {
    throw core::Error("OPKG-8501", "not a compiled model of the OpenVINO engine", "compile the model again");
}

class Lines {
public:
    explicit Lines(Bytes bytes) : text_(static_cast<const char*>(bytes.data)), size_(bytes.size) {}
    std::string next() {
        const void* end = std::memchr(text_ + at_, '\n', size_ - at_);
        if (!end) not_a_blob();
        const size_t length = static_cast<size_t>(static_cast<const char*>(end) - (text_ + at_));
        std::string line(text_ + at_, length);
        at_ += length + 1;
        return line;
    }
    size_t position() const noexcept { return at_; }

private:
    const char* text_;
    size_t size_, at_ = 0;
};

} // namespace

std::string blob_header(const std::string& version, const std::vector<NodeEntry>& nodes) {
    std::string text = one_line(kMark) + one_line(version) + one_line(std::to_string(nodes.size()));
    for (const auto& [name, type, key] : nodes) text += one_line(name) + one_line(type) + one_line(key);
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment);
    return text;
}

Bytes open_blob(Bytes blob, const std::string& version, std::vector<NodeEntry>& nodes) {
    if (blob.size < sizeof kMark || std::memcmp(blob.data, kMark, sizeof kMark - 1) != 0) not_a_blob();
    Lines lines(blob);
    lines.next();
    const std::string made_by = lines.next();
    if (made_by != version)
        throw core::Error("OPKG-8501", "the compiled model was made by OpenVINO " + made_by + ", and this is " + version,
                          "compile the model again");
    for (uint64_t left = std::strtoull(lines.next().c_str(), nullptr, 10); left > 0; --left) {
        std::string name = lines.next(), type = lines.next(), key = lines.next();
        nodes.emplace_back(std::move(name), std::move(type), std::move(key));
    }
    const size_t begin = (lines.position() + kAlignment - 1) / kAlignment * kAlignment;
    if (begin >= blob.size) not_a_blob();
    return {static_cast<const char*>(blob.data) + begin, blob.size - begin};
}

} // namespace opkg::openvino
