// SPDX-License-Identifier: Apache-2.0
// Lines come from the debug information, through the addr2line of the toolchain, and only once there is a finding.
#include "sites.hpp"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

extern char **environ;

namespace opkg::twin::check {

bool Site::operator==(const Site &other) const
{
    return name == other.name && depth == other.depth && memcmp(addresses, other.addresses, depth * sizeof(void *)) == 0;
}

const char *plain_name(const char *name)
{
    static std::mutex mutex;
    static std::set<std::string> *const names = new std::set<std::string>;
    thread_local std::unordered_map<std::string, const char *> known;
    const char *&plain = known[name];
    if (plain == nullptr) {
        const std::string text(name, strcspn(name, "<"));
        std::lock_guard<std::mutex> lock(mutex);
        plain = names->insert(text).first->c_str();
    }
    return plain;
}

Site capture(const char *name, const void *frame, const void *limit)
{
    Site site{name, 0, {}};
    const uintptr_t end = reinterpret_cast<uintptr_t>(limit);
    uintptr_t at = reinterpret_cast<uintptr_t>(frame);
    while (site.depth < Site::kDepth && at + 2 * sizeof(void *) <= end && at % sizeof(void *) == 0) {
        const uintptr_t *words = reinterpret_cast<const uintptr_t *>(at);
        site.addresses[site.depth++] = reinterpret_cast<const void *>(words[1]);
        if (words[0] <= at) {
            break;
        }
        at = words[0];
    }
    return site;
}

namespace {

struct Hash {
    size_t operator()(const Site &site) const
    {
        size_t value = reinterpret_cast<size_t>(site.name);
        for (uint32_t i = 0; i < site.depth; ++i) {
            value = value * 0x9e3779b97f4a7c15ull + reinterpret_cast<size_t>(site.addresses[i]);
        }
        return value ^ value >> 29;
    }
};

std::mutex sites_mutex;
std::vector<Site> sites(1);

std::mutex headers_mutex;
std::set<std::string> header_roots;

} // namespace

uint32_t number_of(const Site &site)
{
    thread_local std::unordered_map<Site, uint32_t, Hash> known;
    uint32_t &number = known[site];
    if (number == 0) {
        std::lock_guard<std::mutex> lock(sites_mutex);
        number = static_cast<uint32_t>(sites.size());
        sites.push_back(site);
    }
    return number;
}

Site site_of(uint32_t number)
{
    std::lock_guard<std::mutex> lock(sites_mutex);
    return sites[number];
}

void note_headers(const char *header)
{
    thread_local std::unordered_set<const char *> noted;
    if (!noted.insert(header).second) {
        return;
    }
    std::string root(header);
    for (int i = 0; i < 2 && root.rfind('/') != std::string::npos; ++i) {
        root.erase(root.rfind('/'));
    }
    char *real = realpath(root.c_str(), nullptr);
    std::lock_guard<std::mutex> lock(headers_mutex);
    header_roots.insert(root + "/");
    if (real != nullptr) {
        header_roots.insert(std::string(real) + "/");
        free(real);
    }
}

namespace {

bool is_own_header(const std::string &file)
{
    std::lock_guard<std::mutex> lock(headers_mutex);
    for (const std::string &root : header_roots) {
        if (file.compare(0, root.size(), root) == 0) {
            return true;
        }
    }
    return file.find("/include/ascendc/") != std::string::npos;
}

// The file that holds an address, and the address as the file counts.
struct Module {
    std::string file;
    uintptr_t address;
};

Module module_of(const void *address)
{
    struct Search {
        uintptr_t wanted;
        Module found;
    } search{reinterpret_cast<uintptr_t>(address), {}};
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *argument) {
            Search &search = *static_cast<Search *>(argument);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const auto &part = info->dlpi_phdr[i];
                const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
                if (part.p_type == PT_LOAD && search.wanted >= begin && search.wanted < begin + part.p_memsz) {
                    search.found = {info->dlpi_name, search.wanted - info->dlpi_addr};
                    return 1;
                }
            }
            return 0;
        },
        &search);
    if (search.found.address != 0 && search.found.file.empty()) {
        char *self = realpath("/proc/self/exe", nullptr);
        search.found.file = self != nullptr ? self : "";
        free(self);
    }
    return search.found;
}

// What a program writes to its standard output.
std::string output_of(const std::vector<std::string> &command)
{
    std::string text;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) { // else another child would keep the end open that this one writes
        fprintf(stderr, "opkg: check: findings have no lines: %s\n", strerror(errno));
        return text;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    std::vector<char *> words;
    for (const std::string &word : command) {
        words.push_back(const_cast<char *>(word.c_str()));
    }
    words.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char part[4096];
    for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR);) {
        text.append(part, n > 0 ? static_cast<size_t>(n) : 0);
    }
    close(ends[0]);
    if (failed != 0) {
        fprintf(stderr, "opkg: check: %s cannot be run, so findings have no lines: %s\n", words[0], strerror(failed));
    } else {
        waitpid(child, nullptr, 0);
    }
    return text;
}

std::string next_line(const std::string &text, size_t &at)
{
    const size_t end = text.find('\n', at);
    std::string line = text.substr(at, end == std::string::npos ? end : end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    return line;
}

// "file:line (discriminator 3)"
Line parse_place(const std::string &function, std::string place)
{
    place.erase(place.find(" (discriminator") == std::string::npos ? place.size() : place.find(" (discriminator"));
    const size_t colon = place.rfind(':');
    if (colon == std::string::npos || place.compare(0, 2, "??") == 0) {
        return {function, "", 0};
    }
    std::string file = place.substr(0, colon);
    char *real = realpath(file.c_str(), nullptr);
    if (real != nullptr) {
        file = real;
        free(real);
    }
    return {function, file, static_cast<uint32_t>(strtoul(place.c_str() + colon + 1, nullptr, 10))};
}

using Frames = std::map<uintptr_t, std::vector<Line>>; // by address in a file, inlined calls included

Frames look_up(const std::string &file, const std::set<uintptr_t> &addresses)
{
    std::vector<std::string> command = {"addr2line", "-Cfia", "-e", file};
    char text[32];
    for (uintptr_t address : addresses) {
        snprintf(text, sizeof text, "0x%zx", static_cast<size_t>(address));
        command.push_back(text);
    }
    const std::string output = output_of(command);
    Frames frames;
    std::vector<Line> *current = nullptr;
    for (size_t at = 0; at < output.size();) {
        const std::string line = next_line(output, at);
        if (line.compare(0, 2, "0x") == 0) {
            current = &frames[strtoull(line.c_str(), nullptr, 16)];
        } else if (current != nullptr) {
            current->push_back(parse_place(line, next_line(output, at)));
        }
    }
    return frames;
}

} // namespace

namespace {

// "void AscendC::LocalTensor<float>::GetValue(unsigned int) const" is GetValue.
std::string bare_name(const std::string &function)
{
    std::string text;
    uint32_t depth = 0;
    for (char c : function) {
        depth += c == '<';
        if (depth == 0 && c == '(') {
            break;
        }
        if (depth == 0) {
            text += c;
        }
        depth -= c == '>' && depth > 0;
    }
    const size_t colon = text.rfind(':');
    return text.find("AscendC::") == std::string::npos || colon == std::string::npos ? "" : text.substr(colon + 1);
}

void add_line(Place &place, const Line &line)
{
    // What calls a kernel stands in its file too.
    const bool calls_it = line.function.find("opkg::twin::Entry<") != std::string::npos;
    if (line.file.empty() || calls_it) {
        return;
    }
    if (!is_own_header(line.file)) {
        place.lines.push_back(line);
    } else if (place.lines.empty()) {
        place.name = bare_name(line.function);
    }
}

} // namespace

std::vector<Place> places_of(const std::vector<uint32_t> &numbers)
{
    std::vector<std::vector<Module>> addresses;
    std::map<std::string, std::set<uintptr_t>> wanted;
    for (uint32_t number : numbers) {
        const Site site = site_of(number);
        addresses.emplace_back();
        for (uint32_t i = 0; i < site.depth; ++i) {
            // A return address may already belong to the next line.
            const Module module = module_of(static_cast<const char *>(site.addresses[i]) - 1);
            addresses.back().push_back(module);
            wanted[module.file].insert(module.address);
        }
    }
    std::map<std::string, Frames> frames;
    for (const auto &[file, all] : wanted) {
        if (!file.empty()) {
            frames[file] = look_up(file, all);
        }
    }
    std::vector<Place> places;
    for (size_t i = 0; i < numbers.size(); ++i) {
        places.emplace_back();
        for (const Module &module : addresses[i]) {
            for (const Line &line : frames[module.file][module.address]) {
                add_line(places.back(), line);
            }
        }
        if (places.back().name.empty() || places.back().name == "operator") {
            const char *recorded = site_of(numbers[i]).name;
            places.back().name = recorded != nullptr ? recorded : "";
        }
    }
    return places;
}

std::string text_of(const Line &line)
{
    std::ifstream file(line.file);
    std::string text;
    for (uint32_t i = 0; i < line.line && std::getline(file, text); ++i) {
    }
    if (!file) {
        return "";
    }
    const size_t begin = text.find_first_not_of(" \t");
    const size_t end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

} // namespace opkg::twin::check
