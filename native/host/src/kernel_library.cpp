// SPDX-License-Identifier: Apache-2.0
#include "kernel_library.hpp"

#include <cstring>
#include <dlfcn.h>

#include "report.hpp"

namespace opkg::host {
std::atomic<TellAllocated> tell_allocated{nullptr};

namespace {

std::string KernelPath(const Operator &op, uint32_t column)
{
    std::string path = op.kernel_path;
    const size_t at = path.find("%u");
    if (at != std::string::npos) {
        path.replace(at, 2, std::to_string(column));
    }
    return op.root.empty() || path.front() == '/' ? path : op.root + "/" + path;
}

// "(x, y, z, workspace, tiling)"
std::string ArgumentNames(const Operator &op)
{
    std::string names = "(";
    for (const Param &input : op.inputs) {
        names += input.name + ", ";
    }
    for (const Param &output : op.outputs) {
        names += output.name + (output.in_place_of < 0 ? ", " : "_ref, ");
    }
    return names + (op.computes_shapes ? "shape_out, workspace, tiling)" : "workspace, tiling)");
}

// Why a loaded kernel is not the one that the operator needs, or "".
std::string CheckKernel(const Operator &op, uint32_t column, const opkg_kernel_table_v1 &kernel)
{
    if (kernel.abi_version != OPKG_ABI_VERSION || kernel.struct_size < sizeof(opkg_kernel_table_v1)) {
        return "it speaks version " + std::to_string(kernel.abi_version) +
               " of the kernel interface, this opkg version " + std::to_string(OPKG_ABI_VERSION);
    }
    if (kernel.op_type == nullptr || op.type != kernel.op_type || kernel.column != column) {
        return "it is column " + std::to_string(kernel.column) + " of " +
               (kernel.op_type == nullptr ? "?" : kernel.op_type);
    }
    const uint32_t wanted = KernelArguments(op);
    if (kernel.n_args != wanted) {
        return "its function takes " + std::to_string(kernel.n_args) + " arguments, but the operator declares " +
               std::to_string(wanted) + ": " + ArgumentNames(op);
    }
    if (op.tiling_size != 0 && kernel.tiling_size != 0 && op.tiling_size != kernel.tiling_size) {
        return "its tiling struct has " + std::to_string(kernel.tiling_size) + " bytes, that of the host library " +
               std::to_string(op.tiling_size) + "; build the package again";
    }
    return "";
}

int32_t Open(Operator &op, uint32_t column, const opkg_kernel_table_v1 *&kernel, const opkg_exec_v1 *exec)
{
    const std::string path = KernelPath(op, column);
    const std::string front = op.type + ": the kernel library of column " + std::to_string(column) + ", " + path + ", ";
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char *reason = dlerror();
        return Report(exec, kKernelMissing, front + "cannot be loaded: " + (reason == nullptr ? "?" : reason));
    }
    kernel = static_cast<const opkg_kernel_table_v1 *>(dlsym(library, OPKG_KERNEL_SYMBOL));
    const std::string problem =
        kernel == nullptr ? "it exports no " OPKG_KERNEL_SYMBOL : CheckKernel(op, column, *kernel);
    if (!problem.empty()) {
        kernel = nullptr;
        dlclose(library);
        return Report(exec, kKernelMissing, front + "cannot be used: " + problem);
    }
    if (void *told = dlsym(library, "opkg_kernel_allocated")) {
        tell_allocated.store(reinterpret_cast<TellAllocated>(told), std::memory_order_release);
    }
    return kOk; // stays loaded: kernels may run until the process ends
}

} // namespace

uint32_t KernelArguments(const Operator &op)
{
    return static_cast<uint32_t>(op.inputs.size() + op.outputs.size() + (op.computes_shapes ? 1 : 0) + 2);
}

int32_t LoadKernel(Operator &op, uint32_t column, const opkg_kernel_table_v1 *&kernel, const opkg_exec_v1 *exec)
{
    if (column >= op.columns) {
        return Report(exec, kInvalidParameter,
                      op.type + ": there is no column " + std::to_string(column) + " among its " +
                          std::to_string(op.columns));
    }
    kernel = op.kernels[column].load(std::memory_order_acquire);
    if (kernel != nullptr) {
        return kOk;
    }
    const std::lock_guard<std::mutex> lock(op.kernels_mutex);
    kernel = op.kernels[column].load(std::memory_order_relaxed);
    if (kernel != nullptr) {
        return kOk;
    }
    const int32_t code = Open(op, column, kernel, exec);
    op.kernels[column].store(kernel, std::memory_order_release);
    return code;
}

} // namespace opkg::host
