// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace opkg::asc {
namespace {

bool starts(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Options of the vendor's compiler that mean nothing on a CPU.
bool ignored(std::string_view word)
{
    constexpr std::array<std::string_view, 4> exact = {"--enable-simt", "--sanitizer", "--static-cann", "-help"};
    for (const std::string_view option : exact) {
        if (word == option) {
            return true;
        }
    }
    return starts(word, "--cce-") || starts(word, "--gcc-toolchain") || starts(word, "-fcce-");
}

// Options whose value is the next word.
bool takes_value(std::string_view word)
{
    constexpr std::array<std::string_view, 19> all = {
        "-I",       "-L", "-l", "-D", "-U",      "-isystem", "-iquote", "-idirafter",     "-include",   "-imacros",
        "-Xlinker", "-T", "-u", "-z", "--param", "-isysroot", "-Xclang", "-Xpreprocessor", "-Xassembler"};
    for (const std::string_view option : all) {
        if (word == option) {
            return true;
        }
    }
    return false;
}

bool for_the_linker(std::string_view word)
{
    constexpr std::array<std::string_view, 6> exact = {"-shared", "-static", "-rdynamic", "-pie", "-no-pie", "-s"};
    for (const std::string_view option : exact) {
        if (word == option) {
            return true;
        }
    }
    return starts(word, "-l") || starts(word, "-L") || starts(word, "-Wl,") || starts(word, "-Xlinker") ||
           word == "-T" || word == "-u" || word == "-z";
}

bool for_the_preprocessor(std::string_view word)
{
    return starts(word, "-I") || starts(word, "-D") || starts(word, "-U") || starts(word, "-isystem") ||
           starts(word, "-iquote") || starts(word, "-idirafter") || starts(word, "-include") || starts(word, "-imacros");
}

enum class Language { by_suffix, asc, plain };

class Parser {
public:
    explicit Parser(const std::vector<std::string> &words) : words_(words) {}

    Options run()
    {
        for (here_ = 0; here_ < words_.size(); ++here_) {
            word(words_[here_]);
        }
        finish();
        return std::move(options_);
    }

private:
    std::string value(const std::string &option)
    {
        if (here_ + 1 >= words_.size()) {
            throw UsageError("option '" + option + "' needs a value");
        }
        return words_[++here_];
    }

    void word(const std::string &word)
    {
        if (own(word) || stage(word) || dependency(word)) {
            return;
        }
        if (word == "-mllvm") {
            value(word);
        } else if (!ignored(word)) {
            pass(word);
        }
    }

    // --name=value or --name value
    bool named(const std::string &word, const std::string &name, std::string &out)
    {
        if (word == name) {
            out = value(word);
            return true;
        }
        if (!starts(word, name + "=")) {
            return false;
        }
        out = word.substr(name.size() + 1);
        return true;
    }

    bool own(const std::string &word)
    {
        std::string text;
        if (named(word, "--npu-arch", text)) {
            architecture(text);
        } else if (named(word, "--npu-soc", text)) {
            chip(text);
        } else if (named(word, "--run-mode", text)) {
            if (text != "cpu" && text != "npu" && text != "sim") {
                throw UsageError("--run-mode is cpu, npu or sim, not '" + text + "'; all of them run on the CPU");
            }
        } else if (named(word, "--host-compiler", options_.host_compiler)) {
            return true;
        } else if (named(word, "--launch-headers", options_.launch_headers)) {
            return true;
        } else if (word == "--launchers") {
            options_.launchers = true;
        } else if (word == "--no-cpu-debug") {
            options_.cpu_debug = false;
        } else if (word == "--check") {
            options_.check = true;
        } else if (word == "--show-rewritten") {
            options_.show_rewritten = true;
        } else {
            return false;
        }
        return true;
    }

    void architecture(const std::string &text)
    {
        arch_given_ = true;
        for (const SocInfo &soc : kSocTable) {
            if (text == "dav-" + std::to_string(soc.npu_arch)) {
                options_.soc = &soc;
                return;
            }
        }
        throw UsageError("unknown architecture '" + text + "'; known are " + architectures());
    }

    static std::string architectures()
    {
        std::string all;
        for (const SocInfo &soc : kSocTable) {
            const std::string name = "dav-" + std::to_string(soc.npu_arch);
            if (all.find(name) == all.npos) {
                all.append(all.empty() ? "" : ", ").append(name);
            }
        }
        return all;
    }

    void chip(const std::string &text)
    {
        const SocInfo *soc = find_soc(text.c_str());
        if (soc == nullptr) {
            throw UsageError("unknown chip '" + text + "'; a known one is " + kDefaultSoc);
        }
        options_.soc = arch_given_ ? options_.soc : soc;
    }

    bool stage(const std::string &word)
    {
        if (word == "-E") {
            options_.stage = Stage::preprocess;
        } else if (word == "-S") {
            options_.stage = Stage::assemble;
        } else if (word == "-c" || word == "-dc") {
            options_.stage = Stage::object;
        } else if (word == "-lib" || word == "--cce-build-static-lib") {
            options_.static_library = true;
        } else if (word == "-v" || word == "-###") {
            options_.verbose = true;
        } else if (word == "--shared") {
            options_.link.emplace_back("-shared");
        } else if (word == "-o") {
            options_.output = value(word);
        } else if (starts(word, "-o") && word.size() > 2) {
            options_.output = word.substr(2);
        } else if (word == "-x") {
            const std::string name = value(word);
            language_ = name == "asc" ? Language::asc : name == "none" ? Language::by_suffix : Language::plain;
            if (language_ == Language::plain && name != "c++" && name != "c") {
                throw UsageError("unknown language '" + name + "'; -x takes asc, c++, c or none");
            }
        } else {
            return false;
        }
        return true;
    }

    bool dependency(const std::string &word)
    {
        if (word == "-MF" || word == "-MT" || word == "-MQ") {
            options_.dependency.push_back(word);
            options_.dependency.push_back(value(word));
        } else if (starts(word, "-M") && word.size() <= 4) {
            options_.dependency.push_back(word);
            only_dependencies_ |= word == "-M" || word == "-MM";
        } else {
            return false;
        }
        return true;
    }

    void pass(const std::string &word)
    {
        if (word.empty() || word[0] != '-' || word == "-") {
            input(word);
            return;
        }
        options_.has_standard |= starts(word, "-std=");
        options_.has_march |= starts(word, "-march=") || starts(word, "-mtune=") || starts(word, "-mcpu=");
        options_.has_optimisation |= starts(word, "-O");
        std::vector<std::string> &target = for_the_linker(word)         ? options_.link
                                           : for_the_preprocessor(word) ? options_.preprocess
                                                                        : options_.compile;
        target.push_back(word);
        if (takes_value(word)) {
            target.push_back(value(word));
        }
    }

    void input(const std::string &path)
    {
        if (language_ == Language::asc) {
            options_.sources.push_back({path, true});
            return;
        }
        const size_t dot = path.rfind('.');
        const std::string suffix = dot == path.npos ? "" : path.substr(dot + 1);
        const bool plain = suffix == "c" || suffix == "cc" || suffix == "cpp" || suffix == "cxx" || suffix == "C";
        if (suffix == "asc" || suffix == "aicpu") {
            options_.sources.push_back({path, true});
        } else if (plain || language_ == Language::plain) {
            options_.sources.push_back({path, false});
        } else {
            options_.link.push_back(path);
        }
    }

    void finish()
    {
        if (only_dependencies_) {
            options_.stage = Stage::preprocess;
        }
        const bool many = options_.sources.size() > 1;
        if (many && !options_.output.empty() && options_.stage != Stage::link) {
            throw UsageError("one output file for several sources: leave out -o, or compile them one by one");
        }
        if (options_.sources.empty() && (options_.link.empty() || options_.stage != Stage::link)) {
            throw UsageError("no input files");
        }
    }

    const std::vector<std::string> &words_;
    Options options_;
    size_t here_ = 0;
    Language language_ = Language::by_suffix;
    bool arch_given_ = false;
    bool only_dependencies_ = false; // -M and -MM print them and compile nothing
};

// Response files, as CMake writes them for long command lines: words between blanks, with quotes and backslashes.
void read_response(const std::string &path, std::vector<std::string> &out)
{
    std::ifstream file(path);
    if (!file) {
        throw UsageError("cannot read the response file '" + path + "'");
    }
    std::stringstream content;
    content << file.rdbuf();
    std::string word;
    bool open = false;
    char quote = '\0';
    bool taken = false; // by a backslash before it
    for (const char c : content.str()) {
        if (taken) {
            word.push_back(c);
            taken = false;
        } else if (c == '\\') {
            taken = open = true;
        } else if (quote != '\0') {
            c == quote ? (void)(quote = '\0') : word.push_back(c);
        } else if (c == '"' || c == '\'') {
            quote = c;
            open = true;
        } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
            if (open) {
                out.push_back(word);
            }
            word.clear();
            open = false;
        } else {
            word.push_back(c);
            open = true;
        }
    }
    if (open) {
        out.push_back(word);
    }
}

} // namespace

Options parse_options(const std::vector<std::string> &words)
{
    std::vector<std::string> all;
    for (const std::string &word : words) {
        if (word.size() > 1 && word[0] == '@') {
            read_response(word.substr(1), all);
        } else {
            all.push_back(word);
        }
    }
    return Parser(all).run();
}

} // namespace opkg::asc
