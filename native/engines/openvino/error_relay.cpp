// SPDX-License-Identifier: Apache-2.0
#include "error_relay.hpp"

#include <deque>
#include <mutex>
#include <optional>

namespace opkg::openvino {
namespace {

constexpr char kMark[] = "[opkg error ";
constexpr size_t kKept = 64; // of runs that fail at the same time

struct Waiting {
    std::mutex mutex;
    uint64_t next = 0;
    std::deque<std::pair<uint64_t, core::Error>> errors;
};

Waiting& waiting() {
    static auto* const instance = new Waiting;
    return *instance;
}

std::optional<core::Error> find(uint64_t number) {
    Waiting& all = waiting();
    std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto& [key, error] : all.errors)
        if (key == number) return error;
    return std::nullopt;
}

bool is_noise(const std::string& line) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return true;
    for (const char* prefix : {"Exception from ", "Check '", "[ GENERAL_ERROR ]", "To facilitate the conversion", "FrontEnd API failed"})
        if (line.compare(begin, std::char_traits<char>::length(prefix), prefix) == 0) return true;
    return false;
}

} // namespace

void throw_marked(const core::Error& error) {
    Waiting& all = waiting();
    uint64_t number = 0;
    {
        std::lock_guard<std::mutex> lock(all.mutex);
        number = all.next++;
        all.errors.emplace_back(number, error);
        if (all.errors.size() > kKept) all.errors.pop_front();
    }
    throw std::runtime_error(kMark + std::to_string(number) + "] " + error.what());
}

void rethrow_marked(const std::string& text) {
    const size_t at = text.find(kMark);
    if (at == std::string::npos) return;
    if (auto error = find(std::strtoull(text.c_str() + at + sizeof kMark - 1, nullptr, 10))) throw *error;
}

std::string plain_text(const std::string& text) {
    std::string kept;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (!is_noise(line)) kept += (kept.empty() ? "" : " ") + line.substr(line.find_first_not_of(" \t"));
        begin = end + 1;
    }
    return kept.empty() ? text : kept;
}

} // namespace opkg::openvino
