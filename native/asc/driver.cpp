// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "process.hpp"
#include "rewrite.hpp"

namespace opkg::asc {
namespace {

namespace fs = std::filesystem;

// Where headers and libraries are: next to this program, in opkg's own folder or in a toolkit.
struct Installation {
    std::vector<std::string> includes;
    std::string lib;

    Installation()
    {
        const fs::path root = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
        const bool toolkit = fs::exists(root / "include" / "kernel_operator.h");
        for (const char *name : {"include/ascendc", "include/host", "include"}) {
            if ((!toolkit || std::string_view(name) == "include") && fs::is_directory(root / name)) {
                includes.push_back((root / name).string());
            }
        }
        lib = (root / (toolkit ? "lib64" : "lib")).string();
    }
};

// What compiles the C++: the option's value, then OPKG_HOST_COMPILER, CXX, and the usual names.
std::vector<std::string> host_compiler(const Options &options)
{
    std::string chosen = options.host_compiler;
    for (const char *variable : {"OPKG_HOST_COMPILER", "CXX"}) {
        const char *value = std::getenv(variable);
        if (chosen.empty() && value != nullptr) {
            chosen = value;
        }
    }
    if (!chosen.empty()) {
        // A program, or several words such as "ccache g++".
        const bool one_word = !find_program(chosen).empty();
        std::vector<std::string> words;
        for (size_t begin = 0; begin < chosen.size();) {
            const size_t end = one_word ? chosen.size() : std::min(chosen.find(' ', begin), chosen.size());
            if (end > begin) {
                words.push_back(chosen.substr(begin, end - begin));
            }
            begin = end + 1;
        }
        return words;
    }
    for (const char *name : {"g++", "clang++", "c++"}) {
        if (const std::string found = find_program(name); !found.empty()) {
            return {found};
        }
    }
    throw std::runtime_error("there is no C++ compiler on PATH; install g++ 11 or clang 14, or newer, or set CXX");
}

// The twin's kernels are compiled for x86-64-v3 wherever this machine can run that: half is then one instruction.
bool machine_has_v3()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("f16c");
#else
    return false;
#endif
}

// A folder for objects that are linked at once; it goes however the program ends.
struct Scratch {
    fs::path folder;

    explicit Scratch(bool wanted)
    {
        if (!wanted) {
            return;
        }
        std::string name = (fs::temp_directory_path() / "opkg-ascc-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("cannot make a folder in " + fs::temp_directory_path().string());
        }
        folder = name;
    }
    ~Scratch()
    {
        if (!folder.empty()) {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
        }
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
};

class Driver {
public:
    explicit Driver(const Options &options) : options_(options), compiler_(host_compiler(options)) {}

    int run()
    {
        if (options_.stage == Stage::link && options_.launch_headers.empty() && !options_.show_rewritten) {
            return link();
        }
        for (const Source &source : options_.sources) {
            if (const int code = one(source, output_for(source)); code != 0) {
                return code;
            }
        }
        return 0;
    }

private:
    std::string output_for(const Source &source) const
    {
        if (!options_.output.empty() || options_.stage == Stage::preprocess || options_.show_rewritten) {
            return options_.output;
        }
        return fs::path(source.path).filename().replace_extension(options_.stage == Stage::assemble ? ".s" : ".o").string();
    }

    int one(const Source &source, const std::string &output) const
    {
        return source.asc ? compile_asc(source, output) : compile_plain(source, output);
    }

    int execute(const std::vector<std::string> &command, const std::string *input, std::string *output) const
    {
        if (options_.verbose) {
            for (const std::string &word : command) {
                std::cerr << (word.find(' ') == word.npos ? word : "'" + word + "'") << ' ';
            }
            std::cerr << '\n';
        }
        const int code = asc::run(command, input, output);
        if (code > 128) {
            std::cerr << "opkg-ascc: error: " << command[0] << " was ended by a signal: " << strsignal(code - 128) << '\n';
        }
        return code;
    }

    std::vector<std::string> language_options(bool asc) const
    {
        std::vector<std::string> words = options_.compile;
        if (!options_.has_standard) {
            words.emplace_back("-std=c++17");
        }
        if (!options_.has_march && machine_has_v3()) {
            words.emplace_back("-march=x86-64-v3");
        }
        // As the program says it: a product is rounded before it is added, and bytes are read as whatever type it likes.
        words.insert(words.end(), {"-ffp-contract=off", "-fno-strict-aliasing"});
        if (asc && !options_.has_optimisation) {
            words.emplace_back(options_.check ? "-O1" : "-O2");
        }
        if (options_.check) {
            // Findings name lines, and the calls that led there. Of version 5 many an addr2line takes the first header for
            // the file.
            words.insert(words.end(), {"-g", "-gdwarf-4", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"});
        }
        return words;
    }

    std::vector<std::string> preprocess_command(const Source &source) const
    {
        std::vector<std::string> command = compiler_;
        const std::vector<std::string> language = language_options(source.asc);
        command.insert(command.end(), language.begin(), language.end());
        command.insert(command.end(), options_.preprocess.begin(), options_.preprocess.end());
        command.insert(command.end(), {"-D__NPU_ARCH__=" + std::to_string(options_.soc->npu_arch),
                                       "-D__CCE_AICORE__=" + std::to_string(options_.soc->cce_aicore)});
        if (options_.soc->npu_arch == 2201) {
            command.emplace_back("-D__DAV_C220__=1");
        }
        if (options_.cpu_debug) {
            command.insert(command.end(), {"-DASCENDC_CPU_DEBUG=1", "-D__CCE_KT_TEST__=1"});
        } else {
            command.emplace_back("-DOPKG_NO_CPU_DEBUG=1");
        }
        if (options_.check) {
            command.emplace_back("-DOPKG_TWIN_CHECK=1");
        }
        if (source.asc) {
            command.insert(command.end(), {"-DOPKG_ASC_LANGUAGE=1", "-include", "opkg/asc_language.h"});
        }
        for (const std::string &folder : here_.includes) {
            command.insert(command.end(), {"-isystem", folder});
        }
        return command;
    }

    // Dependencies name the object, though it is the preprocessor that writes them.
    void add_dependency_options(std::vector<std::string> &command, const Source &source, const std::string &output) const
    {
        bool file = false;
        bool target = false;
        bool side = false;
        for (const std::string &word : options_.dependency) {
            file |= word == "-MF";
            target |= word == "-MT" || word == "-MQ";
            side |= word == "-MD" || word == "-MMD";
        }
        command.insert(command.end(), options_.dependency.begin(), options_.dependency.end());
        const fs::path object = output.empty() ? fs::path(source.path).filename().replace_extension(".o") : fs::path(output);
        if (side && !file) {
            command.insert(command.end(), {"-MF", fs::path(object).replace_extension(".d").string()});
        }
        if (!options_.dependency.empty() && !target) {
            command.insert(command.end(), {"-MQ", object.string()});
        }
    }

    int compile_plain(const Source &source, const std::string &output) const
    {
        std::vector<std::string> command = preprocess_command(source);
        add_dependency_options(command, source, output);
        command.emplace_back(options_.stage == Stage::preprocess ? "-E" : options_.stage == Stage::assemble ? "-S" : "-c");
        command.push_back(source.path);
        if (!output.empty()) {
            command.insert(command.end(), {"-o", output});
        }
        return execute(command, nullptr, nullptr);
    }

    int compile_asc(const Source &source, const std::string &output) const
    {
        std::vector<std::string> command = preprocess_command(source);
        add_dependency_options(command, source, output);
        command.insert(command.end(), {"-E", "-x", "c++", source.path});
        std::string text;
        if (const int code = execute(command, nullptr, &text); code != 0) {
            return code;
        }
        if (options_.stage == Stage::preprocess && !options_.show_rewritten) {
            return write(output, text);
        }
        try {
            return compile_preprocessed(Program(text), output);
        } catch (const SourceError &error) {
            std::cerr << error.file << ':' << error.line << ':' << error.column << ": error: " << error.message << '\n';
            return 1;
        }
    }

    int compile_preprocessed(const Program &program, const std::string &output) const
    {
        if (!options_.launch_headers.empty()) {
            return write_headers(program);
        }
        std::string text = rewrite(program);
        if (options_.launchers) {
            text += launchers(program);
        }
        if (options_.show_rewritten) {
            return write(output, text);
        }
        std::vector<std::string> command = compiler_;
        const std::vector<std::string> language = language_options(true);
        command.insert(command.end(), language.begin(), language.end());
        command.insert(command.end(), {options_.stage == Stage::assemble ? "-S" : "-c", "-x", "c++-cpp-output", "-"});
        command.insert(command.end(), {"-o", output});
        return execute(command, &text, nullptr);
    }

    static int write(const std::string &path, const std::string &text)
    {
        if (path.empty() || path == "-") {
            const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
            return written && std::fflush(stdout) == 0 ? 0 : cannot_write("the output");
        }
        std::ofstream file(path, std::ios::binary);
        file << text;
        file.close();
        if (!file) {
            const int code = cannot_write(path);
            if (std::error_code ignored; fs::is_regular_file(path, ignored)) {
                fs::remove(path, ignored); // half of it is worse than nothing
            }
            return code;
        }
        return 0;
    }

    static int cannot_write(const std::string &what)
    {
        std::cerr << "opkg-ascc: error: cannot write " << what << ": " << std::strerror(errno) << '\n';
        return 1;
    }

    // A header that says what it said before is left alone, so that nothing is compiled again for it.
    int write_headers(const Program &program) const
    {
        for (const Kernel &kernel : program.kernels()) {
            const std::string text = launch_header(program, kernel);
            if (text.empty()) {
                continue;
            }
            const std::string path = options_.launch_headers + "/aclrtlaunch_" + std::string(kernel.name) + ".h";
            std::ifstream old(path);
            const std::string before((std::istreambuf_iterator<char>(old)), std::istreambuf_iterator<char>());
            if (const int code = before == text ? 0 : write(path, text); code != 0) {
                return code;
            }
        }
        return 0;
    }

    int link() const
    {
        std::vector<std::string> objects;
        const Scratch scratch(!options_.sources.empty());
        int code = 0;
        for (size_t i = 0; i < options_.sources.size() && code == 0; ++i) {
            objects.push_back((scratch.folder / (std::to_string(i) + ".o")).string());
            code = one(options_.sources[i], objects.back());
        }
        if (code == 0) {
            code = options_.static_library ? archive(objects) : link_objects(objects);
        }
        return code;
    }

    int archive(const std::vector<std::string> &objects) const
    {
        std::vector<std::string> command = {"ar", "qcs", options_.output.empty() ? "a.a" : options_.output};
        std::error_code ignored;
        fs::remove(command[2], ignored);
        command.insert(command.end(), objects.begin(), objects.end());
        for (const std::string &word : options_.link) {
            if (word[0] != '-') {
                command.push_back(word);
            }
        }
        return execute(command, nullptr, nullptr);
    }

    int link_objects(const std::vector<std::string> &objects) const
    {
        std::vector<std::string> command = compiler_;
        command.insert(command.end(), options_.compile.begin(), options_.compile.end());
        command.insert(command.end(), objects.begin(), objects.end());
        command.insert(command.end(), options_.link.begin(), options_.link.end());
        command.insert(command.end(), {"-L" + here_.lib, "-lascendcl", "-lopkg_twin", "-Wl,-rpath," + here_.lib});
        if (!options_.output.empty()) {
            command.insert(command.end(), {"-o", options_.output});
        }
        return execute(command, nullptr, nullptr);
    }

    const Options &options_;
    const std::vector<std::string> compiler_;
    const Installation here_;
};

} // namespace

int drive(const Options &options) { return Driver(options).run(); }

} // namespace opkg::asc
