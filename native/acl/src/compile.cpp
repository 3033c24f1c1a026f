// SPDX-License-Identifier: Apache-2.0
// Compiling kernels while a program runs: opkg-ascc makes a library of the source, which is the binary data.
#include "acl/acl_rt_compile.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "handles.hpp"

extern char **environ;

namespace opkg::acl {
namespace {

namespace fs = std::filesystem;

struct Expression {
    std::string text;
    std::string lowered;
};

struct Program {
    std::string source;
    std::string name;
    std::vector<std::pair<std::string, std::string>> headers; // name, text
    std::vector<Expression> expressions;
    std::string log;
    std::string binary;
    bool compiled = false;
};

Handles<Program> &programs = *new Handles<Program>;

std::shared_ptr<Program> find_program(const char *function, aclrtcProg handle, aclError &code)
{
    std::shared_ptr<Program> found = programs.find(handle);
    code = found != nullptr ? ACL_SUCCESS
                            : fail(ACL_ERROR_RTC_INVALID_PROG, "%s: this is no program, or it has been destroyed", function);
    return found;
}

std::string read_file(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

// The compiler beside this library, in a toolkit or in opkg's own folder.
std::string find_compiler()
{
    Dl_info here;
    if (dladdr(reinterpret_cast<const void *>(&find_compiler), &here) == 0 || here.dli_fname == nullptr) {
        return "";
    }
    std::error_code ignored;
    const fs::path library = fs::canonical(here.dli_fname, ignored).parent_path();
    for (const fs::path &root : {library.parent_path(), library.parent_path().parent_path()}) {
        if (fs::exists(root / "bin" / "opkg-ascc", ignored)) {
            return (root / "bin" / "opkg-ascc").string();
        }
    }
    return "";
}

bool write_file(const fs::path &path, const std::string &text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    return !file.fail();
}

// Runs a command with its output and errors in a file; the exit code, or -1 if it does not start or a signal ends it.
// Where the program ignores its children (SIGCHLD) no code is to be had, and 0 comes back.
int run(const std::vector<std::string> &command, const std::string &log)
{
    std::vector<char *> words;
    for (const std::string &word : command) {
        words.push_back(const_cast<char *>(word.c_str()));
    }
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failed = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    while (failed == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return failed == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The source, and behind it an entry for each kernel that was named.
std::string whole_source(Program &program)
{
    std::string text = program.source;
    for (size_t i = 0; i < program.expressions.size(); ++i) {
        Expression &expression = program.expressions[i];
        expression.lowered = "opkg_rtc_" + std::to_string(i);
        text += "\n#line 1 \"" + program.name + " (" + expression.text + ")\"\nextern \"C\" uint32_t opkg_asc_packed_" +
                expression.lowered + "(uint32_t blocks, void *stream, const void *const *values) " +
                "{ return ::opkg::asc::launch_packed(&" + expression.text + ", blocks, stream, values); } " +
                "extern \"C\" const uint32_t opkg_asc_arguments_" + expression.lowered +
                " = ::opkg::asc::parameters_of(&" + expression.text + ");";
    }
    return text + "\n";
}

// The headers and the source; the source is deep enough for names such as "../common.h".
aclError write_sources(Program &program, const fs::path &folder, const fs::path &source)
{
    std::error_code ignored;
    fs::create_directories(source.parent_path(), ignored);
    for (const auto &[name, text] : program.headers) {
        const fs::path header = (source.parent_path() / name).lexically_normal();
        if (*header.lexically_relative(folder).begin() == "..") {
            return fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcCompileProg: a header cannot be called %s", name.c_str());
        }
        fs::create_directories(header.parent_path(), ignored);
        if (!write_file(header, text)) {
            return fail(ACL_ERROR_RTC_FAILURE, "aclrtcCompileProg: %s cannot be written", header.c_str());
        }
    }
    return write_file(source, whole_source(program))
               ? ACL_SUCCESS
               : fail(ACL_ERROR_RTC_FAILURE, "aclrtcCompileProg: %s cannot be written", source.c_str());
}

aclError compile_in(Program &program, const fs::path &folder, const std::string &compiler, int count, const char **options)
{
    const fs::path source = folder / "1" / "2" / "3" / "4" / fs::path(program.name).filename();
    if (const aclError failed = write_sources(program, folder, source); failed != ACL_SUCCESS) {
        return failed;
    }
    std::vector<std::string> command = {compiler, "-shared", "-fPIC", "--launchers", "-I" + source.parent_path().string()};
    command.insert(command.end(), options, options + count);
    command.insert(command.end(), {"-o", (folder / "kernels.so").string(), "-x", "asc", source.string()});
    const int code = run(command, (folder / "log").string());
    program.log = read_file(folder / "log");
    program.binary = read_file(folder / "kernels.so");
    if (code == 2) {
        return fail(ACL_ERROR_RTC_INVALID_OPTION, "aclrtcCompileProg: %s", program.log.c_str());
    }
    if (code != 0 || program.binary.empty()) {
        return fail(ACL_ERROR_RTC_COMPILATION, "aclrtcCompileProg: %s does not compile: %s", program.name.c_str(),
                    program.log.c_str());
    }
    program.compiled = true;
    return ACL_SUCCESS;
}

} // namespace
} // namespace opkg::acl

using namespace opkg::acl;

aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name, int numHeaders, const char **headers,
                          const char **includeNames)
{
    if (prog == nullptr || src == nullptr || numHeaders < 0 ||
        (numHeaders > 0 && (headers == nullptr || includeNames == nullptr))) {
        return fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcCreateProg: prog, src, or a header is null");
    }
    auto program = std::make_shared<Program>();
    program->source = src;
    program->name = name == nullptr || *name == '\0' ? "program.asc" : name;
    for (int i = 0; i < numHeaders; ++i) {
        program->headers.emplace_back(includeNames[i], headers[i]);
    }
    *prog = programs.add(std::move(program));
    return ACL_SUCCESS;
}

aclError aclrtcDestroyProg(aclrtcProg *prog)
{
    if (prog == nullptr || !programs.remove(*prog)) {
        return fail(ACL_ERROR_RTC_INVALID_PROG, "aclrtcDestroyProg: this is no program, or it has been destroyed");
    }
    *prog = nullptr;
    return ACL_SUCCESS;
}

aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char **options)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcCompileProg", prog, code);
    if (program == nullptr) {
        return code;
    }
    if (numOptions < 0 || (numOptions > 0 && options == nullptr)) {
        return fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcCompileProg: options is null");
    }
    const std::string compiler = find_compiler();
    std::error_code ignored;
    const fs::path temporary = fs::canonical(fs::temp_directory_path(ignored), ignored);
    std::string folder = (temporary / "opkg-rtc-XXXXXX").string();
    if (compiler.empty() || temporary.empty() || mkdtemp(folder.data()) == nullptr) {
        return fail(ACL_ERROR_RTC_FAILURE, "aclrtcCompileProg: %s",
                    compiler.empty() ? "there is no opkg-ascc beside this library" : "no temporary folder can be made");
    }
    code = compile_in(*program, folder, compiler, numOptions, options);
    fs::remove_all(folder, ignored);
    return code;
}

aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *logSizeRet)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcGetCompileLogSize", prog, code);
    if (program == nullptr || logSizeRet == nullptr) {
        return program == nullptr ? code : fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetCompileLogSize: logSizeRet is null");
    }
    *logSizeRet = program->log.size() + 1;
    return ACL_SUCCESS;
}

aclError aclrtcGetCompileLog(aclrtcProg prog, char *log)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcGetCompileLog", prog, code);
    if (program == nullptr || log == nullptr) {
        return program == nullptr ? code : fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetCompileLog: log is null");
    }
    memcpy(log, program->log.c_str(), program->log.size() + 1);
    return ACL_SUCCESS;
}

aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *binDataSizeRet)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcGetBinDataSize", prog, code);
    if (program == nullptr || binDataSizeRet == nullptr) {
        return program == nullptr ? code : fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetBinDataSize: binDataSizeRet is null");
    }
    if (!program->compiled) {
        return fail(ACL_ERROR_RTC_INVALID_PROG, "aclrtcGetBinDataSize: the program is not compiled");
    }
    *binDataSizeRet = program->binary.size();
    return ACL_SUCCESS;
}

aclError aclrtcGetBinData(aclrtcProg prog, char *binData)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcGetBinData", prog, code);
    if (program == nullptr || binData == nullptr) {
        return program == nullptr ? code : fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetBinData: binData is null");
    }
    if (!program->compiled) {
        return fail(ACL_ERROR_RTC_INVALID_PROG, "aclrtcGetBinData: the program is not compiled");
    }
    memcpy(binData, program->binary.data(), program->binary.size());
    return ACL_SUCCESS;
}

aclError aclrtcAddNameExpr(aclrtcProg prog, const char *const nameExpression)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcAddNameExpr", prog, code);
    if (program == nullptr || nameExpression == nullptr) {
        return program == nullptr ? code : fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcAddNameExpr: nameExpression is null");
    }
    if (program->compiled) {
        return fail(ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION,
                    "aclrtcAddNameExpr: the program is compiled; kernels are named before that");
    }
    program->expressions.push_back({nameExpression, ""});
    return ACL_SUCCESS;
}

aclError aclrtcGetLoweredName(aclrtcProg prog, const char *nameExpression, const char **loweredName)
{
    aclError code;
    const std::shared_ptr<Program> program = find_program("aclrtcGetLoweredName", prog, code);
    if (program == nullptr || nameExpression == nullptr || loweredName == nullptr) {
        return program == nullptr ? code : fail(ACL_ERROR_RTC_INVALID_INPUT, "aclrtcGetLoweredName: a name is null");
    }
    if (!program->compiled) {
        return fail(ACL_ERROR_RTC_NO_LOWERED_NAMES_BEFORE_COMPILATION, "aclrtcGetLoweredName: the program is not compiled");
    }
    for (const Expression &expression : program->expressions) {
        if (expression.text == nameExpression) {
            *loweredName = expression.lowered.c_str();
            return ACL_SUCCESS;
        }
    }
    return fail(ACL_ERROR_RTC_NAME_EXPR_NOT_VALID, "aclrtcGetLoweredName: '%s' was not named before compiling",
                nameExpression);
}
