// SPDX-License-Identifier: Apache-2.0
// Kernels that are looked up by name in a file, which is what ascendc_fatbin_library makes: a library that can be loaded.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "errors.hpp"

namespace opkg::acl {
namespace {

using Launcher = uint32_t (*)(uint32_t blocks, void *stream, const void *const *values);

struct Function {
    std::string name;
    Launcher launch;
    uint32_t parameters;
};

struct Binary {
    void *library;
    std::unordered_map<std::string, std::unique_ptr<Function>> functions;
};

// The bytes of each argument, appended one by one.
struct Arguments {
    const Function *function;
    std::vector<std::vector<uint8_t>> values;
    bool complete = false;
};

aclError load(const char *path, const char *shown, aclrtBinHandle *handle)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return fail(ACL_ERROR_INVALID_FILE, "%s cannot be loaded: %s", shown, dlerror());
    }
    *handle = new Binary{library, {}};
    return ACL_SUCCESS;
}

aclError launch(const Function &function, uint32_t blocks, aclrtStream stream, const void *const *values)
{
    return static_cast<aclError>(function.launch(blocks, stream, values));
}

} // namespace
} // namespace opkg::acl

using namespace opkg::acl;

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *, aclrtBinHandle *binHandle)
{
    if (binPath == nullptr || binHandle == nullptr) {
        return null_pointer("aclrtBinaryLoadFromFile", binPath == nullptr ? "binPath" : "binHandle");
    }
    // A name without a slash would be looked for among the system's libraries.
    const std::string path = strchr(binPath, '/') == nullptr ? std::string("./") + binPath : binPath;
    return load(path.c_str(), binPath, binHandle);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *, aclrtBinHandle *binHandle)
{
    if (data == nullptr || binHandle == nullptr) {
        return null_pointer("aclrtBinaryLoadFromData", data == nullptr ? "data" : "binHandle");
    }
    const int file = memfd_create("kernels", MFD_CLOEXEC);
    if (file < 0 || write(file, data, length) != static_cast<ssize_t>(length)) {
        if (file >= 0) {
            close(file);
        }
        return fail(ACL_ERROR_INVALID_FILE, "aclrtBinaryLoadFromData: no room for %zu bytes", length);
    }
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const aclError code = load(path.c_str(), "the data", binHandle);
    close(file);
    return code;
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    if (binHandle == nullptr) {
        return null_pointer("aclrtBinaryUnLoad", "binHandle");
    }
    // What a stream may still have to run stays loaded until the process ends.
    delete static_cast<Binary *>(binHandle);
    return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    if (binHandle == nullptr || kernelName == nullptr || funcHandle == nullptr) {
        return null_pointer("aclrtBinaryGetFunction", binHandle == nullptr    ? "binHandle"
                                                      : kernelName == nullptr ? "kernelName"
                                                                              : "funcHandle");
    }
    Binary &binary = *static_cast<Binary *>(binHandle);
    const std::string name = kernelName;
    void *launcher = dlsym(binary.library, ("opkg_asc_packed_" + name).c_str());
    const void *parameters = dlsym(binary.library, ("opkg_asc_arguments_" + name).c_str());
    if (launcher == nullptr || parameters == nullptr) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryGetFunction: there is no kernel '%s' (extern \"C\", no template)",
                    kernelName);
    }
    std::unique_ptr<Function> &found = binary.functions[name];
    if (found == nullptr) {
        found.reset(new Function{name, reinterpret_cast<Launcher>(launcher), *static_cast<const uint32_t *>(parameters)});
    }
    *funcHandle = found.get();
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    if (funcHandle == nullptr || argsHandle == nullptr) {
        return null_pointer("aclrtKernelArgsInit", funcHandle == nullptr ? "funcHandle" : "argsHandle");
    }
    // Handles of arguments live as long as the process: programs never give them back.
    *argsHandle = new Arguments{static_cast<const Function *>(funcHandle), {}};
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    if (argsHandle == nullptr || param == nullptr) {
        return null_pointer("aclrtKernelArgsAppend", argsHandle == nullptr ? "argsHandle" : "param");
    }
    Arguments &arguments = *static_cast<Arguments *>(argsHandle);
    if (arguments.complete) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtKernelArgsAppend: the arguments are final");
    }
    const auto *bytes = static_cast<const uint8_t *>(param);
    arguments.values.emplace_back(bytes, bytes + paramSize);
    if (paramHandle != nullptr) {
        *paramHandle = reinterpret_cast<aclrtParamHandle>(arguments.values.size());
    }
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize)
{
    if (argsHandle == nullptr || param == nullptr) {
        return null_pointer("aclrtKernelArgsParaUpdate", argsHandle == nullptr ? "argsHandle" : "param");
    }
    Arguments &arguments = *static_cast<Arguments *>(argsHandle);
    const auto index = reinterpret_cast<size_t>(paramHandle);
    if (index == 0 || index > arguments.values.size() || arguments.values[index - 1].size() != paramSize) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtKernelArgsParaUpdate: no argument of %zu bytes has this handle", paramSize);
    }
    memcpy(arguments.values[index - 1].data(), param, paramSize);
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    if (argsHandle == nullptr) {
        return null_pointer("aclrtKernelArgsFinalize", "argsHandle");
    }
    Arguments &arguments = *static_cast<Arguments *>(argsHandle);
    if (arguments.values.size() != arguments.function->parameters) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtKernelArgsFinalize: %s has %u parameters, and %zu arguments were appended",
                    arguments.function->name.c_str(), arguments.function->parameters, arguments.values.size());
    }
    arguments.complete = true;
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg *, aclrtArgsHandle argsHandle, void *)
{
    if (funcHandle == nullptr || argsHandle == nullptr) {
        return null_pointer("aclrtLaunchKernelWithConfig", funcHandle == nullptr ? "funcHandle" : "argsHandle");
    }
    const Arguments &arguments = *static_cast<const Arguments *>(argsHandle);
    if (!arguments.complete || arguments.function != funcHandle) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtLaunchKernelWithConfig: the arguments are not final, or another kernel's");
    }
    std::vector<const void *> values;
    for (const std::vector<uint8_t> &value : arguments.values) {
        values.push_back(value.data());
    }
    return launch(*arguments.function, numBlocks, stream, values.data());
}

aclError aclrtLaunchKernelWithArgsArray(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                        aclrtLaunchKernelCfg *, void *args[])
{
    const Function *function = static_cast<const Function *>(funcHandle);
    if (function == nullptr || (args == nullptr && function->parameters != 0)) {
        return null_pointer("aclrtLaunchKernelWithArgsArray", function == nullptr ? "funcHandle" : "args");
    }
    return launch(*function, numBlocks, stream, args);
}
