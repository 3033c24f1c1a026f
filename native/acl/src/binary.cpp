// SPDX-License-Identifier: Apache-2.0
// Kernels that a program loads by itself: files made by ascendc_fatbin_library, their functions, and arguments put
// together one by one.
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <list>

#include "handles.hpp"
#include "runtime.hpp"

namespace opkg::acl {
namespace {

// What the compiler makes for a kernel that can be looked up: values[i] is where the bytes of an argument are.
using Packed = uint32_t (*)(uint32_t blocks, void *stream, const void *const *values);

struct Function {
    std::string name;
    Packed launch;
    uint32_t arguments;
};

struct Argument {
    std::vector<unsigned char> bytes;
};

struct Arguments {
    const Function *function;
    std::list<Argument> values; // their addresses are the handles
    bool finished = false;
};

// A library stays loaded to the end of the process: kernels may still be queued when the program unloads it.
struct Binary {
    void *library;
};

Handles<Binary> &binaries = *new Handles<Binary>;
Handles<Arguments> &argument_lists = *new Handles<Arguments>;
Handles<std::string> &images = *new Handles<std::string>;
std::mutex functions_mutex;
std::list<Function> &functions = *new std::list<Function>; // of all binaries; never removed, as their libraries

const Function *find_function(const char *what, aclrtFuncHandle handle, aclError &code)
{
    std::lock_guard<std::mutex> lock(functions_mutex);
    for (const Function &function : functions) {
        if (&function == handle) {
            code = ACL_SUCCESS;
            return &function;
        }
    }
    code = fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no function of a binary", what);
    return nullptr;
}

std::shared_ptr<Arguments> find_arguments(const char *what, aclrtArgsHandle handle, aclError &code)
{
    std::shared_ptr<Arguments> found = argument_lists.find(handle);
    code = found != nullptr ? ACL_SUCCESS : fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no list of arguments", what);
    return found;
}

aclError load(const char *what, const char *path, aclrtBinHandle *out)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return fail(ACL_ERROR_INVALID_FILE, "%s: %s", what, dlerror());
    }
    *out = binaries.add(std::make_shared<Binary>(Binary{library}));
    return ACL_SUCCESS;
}

aclError load_image(const char *what, const void *data, size_t bytes, aclrtBinHandle *out)
{
    const int file = memfd_create("opkg-kernels", MFD_CLOEXEC);
    const bool written = file >= 0 && write(file, data, bytes) == static_cast<ssize_t>(bytes);
    // The loader takes a name that it has seen for the file that it has loaded, so no name comes twice.
    static std::atomic<uint32_t> loaded{0};
    std::string path = "/proc/self/";
    const uint32_t number = loaded.fetch_add(1);
    for (uint32_t bit = 1u << 31; bit > 0; bit >>= 1) {
        path += (number & bit) != 0 ? "./" : "/";
    }
    path += "fd/" + std::to_string(file);
    const aclError code = written ? load(what, path.c_str(), out)
                                  : fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no room for %zu bytes", what, bytes);
    if (file >= 0) {
        close(file);
    }
    return code;
}

aclError launch(const Function &function, uint32_t blocks, aclrtStream stream, const std::vector<const void *> &values)
{
    return static_cast<aclError>(function.launch(blocks, stream, values.data()));
}

// Arguments one behind the other, eight bytes each.
aclError launch_packed(const char *what, aclrtFuncHandle handle, uint32_t blocks, const void *data, size_t bytes,
                       aclrtStream stream)
{
    aclError code;
    const Function *function = find_function(what, handle, code);
    if (function == nullptr) {
        return code;
    }
    if (data == nullptr && bytes > 0) {
        return null_pointer(what, "argsData");
    }
    if (bytes < function->arguments * sizeof(uint64_t)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the kernel %s has %u parameters, which %zu bytes do not hold",
                    what, function->name.c_str(), function->arguments, bytes);
    }
    std::vector<const void *> values;
    for (uint32_t i = 0; i < function->arguments; ++i) {
        values.push_back(static_cast<const unsigned char *>(data) + i * sizeof(uint64_t));
    }
    return launch(*function, blocks, stream, values);
}

} // namespace
} // namespace opkg::acl

using namespace opkg::acl;

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
    if (data == nullptr || dataLen == 0) {
        fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateBinary: %zu bytes at %p", dataLen, data);
        return nullptr;
    }
    return images.add(std::make_shared<std::string>(static_cast<const char *>(data), dataLen));
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
    return images.remove(binary) ? ACL_SUCCESS
                                 : fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtDestroyBinary: this is no binary");
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
    const std::shared_ptr<std::string> image = images.find(binary);
    if (image == nullptr || binHandle == nullptr) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtBinaryLoad: the binary or the handle is NULL or none");
    }
    return load_image("aclrtBinaryLoad", image->data(), image->size(), binHandle);
}

aclError aclrtBinaryLoadFromData(const void *data, size_t length, const aclrtBinaryLoadOptions *,
                                 aclrtBinHandle *binHandle)
{
    if (data == nullptr || binHandle == nullptr) {
        return null_pointer("aclrtBinaryLoadFromData", data == nullptr ? "data" : "binHandle");
    }
    return load_image("aclrtBinaryLoadFromData", data, length, binHandle);
}

aclError aclrtBinaryLoadFromFile(const char *binPath, aclrtBinaryLoadOptions *, aclrtBinHandle *binHandle)
{
    if (binPath == nullptr || binHandle == nullptr) {
        return null_pointer("aclrtBinaryLoadFromFile", binPath == nullptr ? "binPath" : "binHandle");
    }
    const std::string path = strchr(binPath, '/') == nullptr ? "./" + std::string(binPath) : binPath;
    return load("aclrtBinaryLoadFromFile", path.c_str(), binHandle);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
    return binaries.remove(binHandle) ? ACL_SUCCESS
                                      : fail(ACL_ERROR_RT_INVALID_HANDLE,
                                             "aclrtBinaryUnLoad: this is no loaded binary");
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
    if (kernelName == nullptr || funcHandle == nullptr) {
        return null_pointer("aclrtBinaryGetFunction", kernelName == nullptr ? "kernelName" : "funcHandle");
    }
    const std::shared_ptr<Binary> binary = binaries.find(binHandle);
    if (binary == nullptr) {
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "aclrtBinaryGetFunction: this is no loaded binary");
    }
    const std::string name = kernelName;
    void *const packed = dlsym(binary->library, ("opkg_asc_packed_" + name).c_str());
    const void *const count = dlsym(binary->library, ("opkg_asc_arguments_" + name).c_str());
    if (packed == nullptr || count == nullptr) {
        return fail(ACL_ERROR_RT_KERNEL_LOOKUP, "aclrtBinaryGetFunction: there is no kernel %s in this binary",
                    kernelName);
    }
    Function function = {name, nullptr, *static_cast<const uint32_t *>(count)};
    memcpy(&function.launch, &packed, sizeof packed);
    std::lock_guard<std::mutex> lock(functions_mutex);
    for (Function &known : functions) {
        if (known.launch == function.launch) {
            *funcHandle = &known;
            return ACL_SUCCESS;
        }
    }
    functions.push_back(std::move(function));
    *funcHandle = &functions.back();
    return ACL_SUCCESS;
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
    if (argsHandle == nullptr) {
        return null_pointer("aclrtKernelArgsInit", "argsHandle");
    }
    aclError code;
    const Function *function = find_function("aclrtKernelArgsInit", funcHandle, code);
    if (function != nullptr) {
        auto arguments = std::make_shared<Arguments>();
        arguments->function = function;
        *argsHandle = argument_lists.add(std::move(arguments));
    }
    return code;
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
    if (param == nullptr) {
        return null_pointer("aclrtKernelArgsAppend", "param");
    }
    aclrtParamHandle made = nullptr;
    const aclError code = aclrtKernelArgsAppendPlaceHolder(argsHandle, &made);
    if (code == ACL_SUCCESS) {
        const unsigned char *bytes = static_cast<const unsigned char *>(param);
        static_cast<Argument *>(made)->bytes.assign(bytes, bytes + paramSize);
    }
    if (code == ACL_SUCCESS && paramHandle != nullptr) {
        *paramHandle = made;
    }
    return code;
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
    if (paramHandle == nullptr) {
        return null_pointer("aclrtKernelArgsAppendPlaceHolder", "paramHandle");
    }
    aclError code;
    const std::shared_ptr<Arguments> arguments = find_arguments("aclrtKernelArgsAppend", argsHandle, code);
    if (arguments == nullptr) {
        return code;
    }
    if (arguments->finished) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtKernelArgsAppend: aclrtKernelArgsFinalize has been called");
    }
    arguments->values.emplace_back();
    *paramHandle = &arguments->values.back();
    return ACL_SUCCESS;
}

namespace {

Argument *find_argument(const char *what, aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, aclError &code)
{
    const std::shared_ptr<Arguments> arguments = find_arguments(what, argsHandle, code);
    if (arguments == nullptr) {
        return nullptr;
    }
    for (Argument &argument : arguments->values) {
        if (&argument == paramHandle) {
            return &argument;
        }
    }
    code = fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: this is no argument of the list", what);
    return nullptr;
}

} // namespace

// The buffer holds what the kernel is given the address of; it lives as long as the list of arguments.
aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize,
                                             void **bufferAddr)
{
    if (bufferAddr == nullptr || dataSize == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtKernelArgsGetPlaceHolderBuffer: %zu bytes, bufferAddr %p", dataSize,
                    static_cast<void *>(bufferAddr));
    }
    aclError code;
    Argument *argument = find_argument("aclrtKernelArgsGetPlaceHolderBuffer", argsHandle, paramHandle, code);
    if (argument != nullptr) {
        argument->bytes.assign(sizeof(void *) + dataSize, 0);
        *bufferAddr = argument->bytes.data() + sizeof(void *);
        memcpy(argument->bytes.data(), bufferAddr, sizeof(void *));
    }
    return code;
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param,
                                   size_t paramSize)
{
    if (param == nullptr) {
        return null_pointer("aclrtKernelArgsParaUpdate", "param");
    }
    aclError code;
    Argument *argument = find_argument("aclrtKernelArgsParaUpdate", argsHandle, paramHandle, code);
    if (argument != nullptr) {
        const unsigned char *bytes = static_cast<const unsigned char *>(param);
        argument->bytes.assign(bytes, bytes + paramSize);
    }
    return code;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
    aclError code;
    const std::shared_ptr<Arguments> arguments = find_arguments("aclrtKernelArgsFinalize", argsHandle, code);
    if (arguments == nullptr) {
        return code;
    }
    const Function &function = *arguments->function;
    if (arguments->values.size() != function.arguments) {
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtKernelArgsFinalize: the kernel %s has %u parameters, and %zu arguments "
                    "were appended", function.name.c_str(), function.arguments, arguments->values.size());
    }
    arguments->finished = true;
    return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t blockDim, aclrtStream stream,
                                     aclrtLaunchKernelCfg *, aclrtArgsHandle argsHandle, void *)
{
    aclError code;
    const Function *function = find_function("aclrtLaunchKernelWithConfig", funcHandle, code);
    const std::shared_ptr<Arguments> arguments =
        function == nullptr ? nullptr : find_arguments("aclrtLaunchKernelWithConfig", argsHandle, code);
    if (arguments == nullptr) {
        return code;
    }
    if (!arguments->finished || arguments->function != function) {
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtLaunchKernelWithConfig: aclrtKernelArgsFinalize has not been called for "
                    "these arguments, or they are another kernel's");
    }
    std::vector<const void *> values;
    for (const Argument &argument : arguments->values) {
        values.push_back(argument.bytes.data());
    }
    return launch(*function, blockDim, stream, values);
}

aclError aclrtLaunchKernelWithArgsArray(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                        aclrtLaunchKernelCfg *, void **args)
{
    aclError code;
    const Function *function = find_function("aclrtLaunchKernelWithArgsArray", funcHandle, code);
    if (function == nullptr) {
        return code;
    }
    if (args == nullptr && function->arguments > 0) {
        return null_pointer("aclrtLaunchKernelWithArgsArray", "args");
    }
    return launch(*function, numBlocks, stream, std::vector<const void *>(args, args + function->arguments));
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t blockDim, const void *argsData, size_t argsSize,
                           aclrtStream stream)
{
    return launch_packed("aclrtLaunchKernel", funcHandle, blockDim, argsData, argsSize, stream);
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData, size_t argsSize,
                             aclrtLaunchKernelCfg *, aclrtStream stream)
{
    return launch_packed("aclrtLaunchKernelV2", funcHandle, numBlocks, argsData, argsSize, stream);
}
