// SPDX-License-Identifier: Apache-2.0
#include "findings.hpp"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "sites.hpp"

namespace opkg::twin::check {
namespace {

constexpr const char *kNames[kKinds] = {
    "gm-bounds",     "buffer-bounds", "buffer-capacity", "alignment",     "queue-leak",  "freed-buffer",
    "overflow",      "uninitialised", "cores-one-place", "unequal-sync",  "tiling-size", "missing-sync",
    "unpaired-flag", "queue-misuse",  "missing-core-sync", "stopped"};

constexpr size_t kMost = 200; // of one launch

std::string code_of(Kind kind)
{
    char text[16];
    snprintf(text, sizeof text, "OPKG-C%03u", kind + 1);
    return text;
}

std::string base_name(const std::string &file)
{
    const size_t slash = file.rfind('/');
    return slash == std::string::npos ? file : file.substr(slash + 1);
}

std::string place_of(const std::vector<Line> &lines, bool whole)
{
    if (lines.empty()) {
        return "a place without debug information";
    }
    return (whole ? lines[0].file : base_name(lines[0].file)) + ":" + std::to_string(lines[0].line);
}

void replace_all(std::string &text, const std::string &what, const std::string &with)
{
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
}

// A finding with its lines.
struct Told {
    const Finding *finding;
    std::string tensor;
    std::vector<Line> here;
    std::vector<Line> there;
    std::string text;
    std::string missing;
    bool suppressed;
};

// "// opkg-check: allow missing-sync" on the line itself.
bool allowed_by_comment(const std::vector<Line> &lines, Kind kind)
{
    if (lines.empty()) {
        return false;
    }
    const std::string text = text_of(lines[0]);
    const size_t mark = text.find("opkg-check: allow ");
    return mark != std::string::npos && text.find(kNames[kind], mark) != std::string::npos;
}

// OPKG_CHECK_ALLOW: kinds, or kind@file or kind@file:line, separated by commas.
std::vector<std::string> allowed_items()
{
    const char *list = getenv("OPKG_CHECK_ALLOW");
    std::string rest = list != nullptr ? list : "";
    std::vector<std::string> items;
    while (!rest.empty()) {
        const size_t comma = rest.find(',');
        items.push_back(rest.substr(0, comma));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return items;
}

// A misspelt kind would suppress nothing, and nobody would know why.
void tell_unknown_kinds()
{
    std::string names;
    for (const char *name : kNames) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    for (const std::string &item : allowed_items()) {
        const std::string kind = item.substr(0, item.find('@'));
        if (std::find(kNames, kNames + kKinds, kind) == kNames + kKinds) {
            fprintf(stderr, "opkg: check: OPKG_CHECK_ALLOW names %s, which is none of %s\n", kind.c_str(), names.c_str());
        }
    }
}

bool allowed_by_environment(const std::vector<Line> &lines, Kind kind)
{
    const std::string name = kNames[kind];
    for (const std::string &item : allowed_items()) {
        if (item == name) {
            return true;
        }
        if (!lines.empty() && (item == name + "@" + base_name(lines[0].file) || item == name + "@" + place_of(lines, false))) {
            return true;
        }
    }
    return false;
}

bool is_name(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '[' || c == ']'; }

// The name of a tensor or queue, from the line that gives it its memory: pipe.InitBuffer(NAME, or NAME.SetGlobalBuffer(.
std::string name_in(const std::string &text)
{
    const size_t init = text.find("InitBuffer(");
    if (init != std::string::npos && text.find("InitBuffer(", init + 1) != std::string::npos) {
        return ""; // of several, nothing says which
    }
    if (init != std::string::npos) {
        const size_t begin = text.find_first_not_of(" ", init + 11);
        size_t end = begin;
        while (end < text.size() && is_name(text[end])) {
            ++end;
        }
        return begin == std::string::npos ? "" : text.substr(begin, end - begin);
    }
    const size_t set = text.find(".SetGlobalBuffer");
    size_t begin = set == std::string::npos ? 0 : set;
    while (begin > 0 && is_name(text[begin - 1])) {
        --begin;
    }
    return set == std::string::npos ? "" : text.substr(begin, set - begin);
}

Told tell(const Finding &finding, const Place &at, const Place &before, const std::vector<Line> &made)
{
    const std::vector<Line> &here = at.lines;
    const std::vector<Line> &there = before.lines;
    Told told{&finding, finding.tensor, here, there, finding.text, finding.missing, false};
    const std::string name = made.empty() ? "" : name_in(text_of(made[0]));
    told.tensor += name.empty() ? "" : " " + name;
    for (std::string *text : {&told.text, &told.missing}) {
        replace_all(*text, "{here}", place_of(here, false));
        replace_all(*text, "{there}", place_of(there, false));
        replace_all(*text, "{name}", at.name);
        replace_all(*text, "{other}", before.name);
    }
    told.suppressed = allowed_by_comment(here, finding.kind) || allowed_by_comment(there, finding.kind) ||
                      allowed_by_environment(here, finding.kind) || allowed_by_environment(there, finding.kind);
    return told;
}

void print(const Told &told, const std::string &kernel)
{
    const Finding &finding = *told.finding;
    std::string text = place_of(told.here, true) + ": " + kNames[finding.kind] + ": " + told.text + " [" +
                       code_of(finding.kind) + "]\n    kernel " + kernel + ", " + finding.core;
    if (!told.tensor.empty()) {
        text += ", " + told.tensor + ", offset " + std::to_string(finding.offset) + ", " +
                std::to_string(finding.bytes) + " bytes";
    }
    text += "\n";
    if (!told.here.empty() && !text_of(told.here[0]).empty()) {
        text += "    > " + text_of(told.here[0]) + "\n";
    }
    for (size_t i = 1; i < told.here.size() && i < 6; ++i) {
        text += "    called from " + base_name(told.here[i].file) + ":" + std::to_string(told.here[i].line) + "\n";
    }
    if (!told.missing.empty()) {
        text += "    missing: " + told.missing + "\n";
    }
    fputs(text.c_str(), stderr);
}

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char code[8];
            snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string json_place(const std::vector<Line> &lines)
{
    if (lines.empty()) {
        return "null";
    }
    std::string text = "{\"file\": " + quoted(lines[0].file) + ", \"line\": " + std::to_string(lines[0].line) +
                       ", \"function\": " + quoted(lines[0].function) + ", \"callers\": [";
    for (size_t i = 1; i < lines.size(); ++i) {
        text += (i > 1 ? ", " : "") + quoted(lines[i].file + ":" + std::to_string(lines[i].line));
    }
    return text + "]}";
}

std::string json_of(const Told &told, const std::string &kernel)
{
    const Finding &finding = *told.finding;
    std::string text = "{\"code\": " + quoted(code_of(finding.kind)) + ", \"kind\": " + quoted(kNames[finding.kind]) +
                       ", \"kernel\": " + quoted(kernel) + ", \"core\": " + quoted(finding.core);
    text += ", \"message\": " + quoted(told.text) + ", \"missing\": ";
    text += told.missing.empty() ? "null" : quoted(told.missing);
    text += ", \"tensor\": " + (told.tensor.empty() ? "null" : quoted(told.tensor));
    text += ", \"offset\": " + std::to_string(finding.offset) + ", \"bytes\": " + std::to_string(finding.bytes);
    text += ", \"here\": " + json_place(told.here) + ", \"there\": " + json_place(told.there);
    return text + ", \"suppressed\": " + (told.suppressed ? "true" : "false") + "}";
}

// The file holds all launches of this process so far; "%p" in its name is the process id.
void write_json(const std::string &kernel, const std::vector<std::string> &found)
{
    const char *name = getenv("OPKG_CHECK_JSON");
    if (name == nullptr || *name == 0) {
        return;
    }
    // Never destroyed: a stream may run a kernel while the program ends.
    static std::mutex mutex;
    static std::vector<std::string> &launches = *new std::vector<std::string>;
    static std::vector<std::string> &findings = *new std::vector<std::string>;
    std::lock_guard<std::mutex> lock(mutex);
    launches.push_back("{\"kernel\": " + quoted(kernel) + ", \"findings\": " + std::to_string(found.size()) + "}");
    findings.insert(findings.end(), found.begin(), found.end());
    std::string path = name;
    replace_all(path, "%p", std::to_string(getpid()));
    const std::string part = path + ".part";
    FILE *file = fopen(part.c_str(), "w");
    if (file == nullptr) {
        fprintf(stderr, "opkg: check: cannot write %s\n", part.c_str());
        return;
    }
    const auto list = [file](const char *key, const std::vector<std::string> &items, const char *end) {
        fprintf(file, "  \"%s\": [", key);
        for (size_t i = 0; i < items.size(); ++i) {
            fprintf(file, "%s\n    %s", i > 0 ? "," : "", items[i].c_str());
        }
        fprintf(file, "\n  ]%s\n", end);
    };
    fputs("{\n  \"version\": 1,\n", file);
    list("launches", launches, ",");
    list("findings", findings, "");
    fputs("}\n", file);
    const bool written = ferror(file) == 0;
    if (fclose(file) != 0 || !written || rename(part.c_str(), path.c_str()) != 0) {
        fprintf(stderr, "opkg: check: cannot write %s\n", path.c_str());
    }
}

} // namespace

void Findings::add(const Finding &finding)
{
    std::lock_guard<std::mutex> lock(mutex_);
    const Key key{{finding.kind, finding.tensor}, {finding.site, finding.other_site, finding.tensor_site}};
    if (!seen_.insert(key).second) {
        return;
    }
    if (findings_.size() == kMost) {
        ++left_out_;
        return;
    }
    findings_.push_back(finding);
}

uint32_t Findings::report(std::string &sentence)
{
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<uint32_t> sites;
    for (const Finding &finding : findings_) {
        sites.push_back(finding.site);
        sites.push_back(finding.other_site);
        sites.push_back(finding.tensor_site);
    }
    const std::vector<Place> places = places_of(sites);
    std::vector<std::string> json;
    std::set<std::string> printed; // two places of one line are one finding
    uint32_t count = 0;
    uint32_t suppressed = 0;
    for (size_t i = 0; i < findings_.size(); ++i) {
        const Told told = tell(findings_[i], places[3 * i], places[3 * i + 1], places[3 * i + 2].lines);
        const std::string key = std::string(kNames[findings_[i].kind]) + place_of(told.here, true) +
                                place_of(told.there, true) + told.tensor;
        if (!printed.insert(key).second) {
            continue;
        }
        json.push_back(json_of(told, kernel_));
        if (told.suppressed) {
            ++suppressed;
            continue;
        }
        print(told, kernel_);
        if (++count == 1) {
            sentence = std::string(kNames[findings_[i].kind]) + " at " + place_of(told.here, false) + ": " + told.text;
        }
    }
    write_json(kernel_, json);
    if (count > 0) {
        tell_unknown_kinds();
    }
    if (count + suppressed > 0) {
        const std::string more = left_out_ > 0 ? ", " + std::to_string(left_out_) + " more left out" : "";
        fprintf(stderr, "check: kernel %s: %u finding%s, %u suppressed%s\n", kernel_.c_str(), count, count == 1 ? "" : "s",
                suppressed, more.c_str());
    }
    return count;
}

} // namespace opkg::twin::check
