// SPDX-License-Identifier: Apache-2.0
// Included after a kernel's source: gives the library its one exported object, opkg_kernel_v1.
#ifndef OPKG_KERNEL_ENTRY_H
#define OPKG_KERNEL_ENTRY_H

#include "twin/tensor.h"

namespace opkg::twin {

template <size_t... I>
struct Indices {
};
template <size_t N, size_t... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {
};
template <size_t... I>
struct MakeIndices<0, I...> {
    using type = Indices<I...>;
};

template <typename T>
struct IsPointer {
    static constexpr bool value = false;
};
template <typename T>
struct IsPointer<T *> {
    static constexpr bool value = true;
};

// A parameter is a pointer of any kind, or a struct that the argument points to.
template <typename A>
inline A argument(void *pointer)
{
    if constexpr (__is_class(A)) {
        return *static_cast<const A *>(pointer);
    } else {
        static_assert(IsPointer<A>::value, "a kernel's parameters are pointers, such as GM_ADDR");
        if constexpr (IsPointer<A>::value) {
            return (A)pointer;
        }
    }
}

// Calls a kernel with an array of pointers, one for each of its parameters.
template <auto function>
struct Entry;

template <typename... Args, void (*function)(Args...)>
struct Entry<function> {
    static constexpr uint32_t count = sizeof...(Args);

    static void invoke(void *const *args) { spread(args, typename MakeIndices<sizeof...(Args)>::type()); }

private:
    template <size_t... I>
    static void spread([[maybe_unused]] void *const *args, Indices<I...>)
    {
        function(argument<Args>(args[I])...);
    }
};

} // namespace opkg::twin

extern "C" {
extern const opkg::twin::KernelFact __start_opkg_kernel_facts[] __attribute__((weak, visibility("hidden")));
extern const opkg::twin::KernelFact __stop_opkg_kernel_facts[] __attribute__((weak, visibility("hidden")));
}

#ifdef OPKG_TWIN_CHECK
// Asks whoever launches the kernel to tell how large its memory is.
#define OPKG_KERNEL_CHECKED                                                                                            \
    extern "C" OPKG_TWIN_API void opkg_kernel_allocated(const void *address, uint64_t bytes);                         \
    void opkg_kernel_allocated(const void *address, uint64_t bytes) { opkg_twin_allocated(address, bytes); }
#else
#define OPKG_KERNEL_CHECKED
#endif

#define OPKG_KERNEL_ENTRY(function, op_type, column)                                                                   \
    OPKG_KERNEL_CHECKED                                                                                                \
    static opkg::twin::KernelInfo opkg_kernel_info = {sizeof(opkg::twin::KernelInfo), column, op_type,                 \
                                                      opkg::twin::Entry<&function>::count, 0, nullptr,                 \
                                                      &opkg::twin::Entry<&function>::invoke,                           \
                                                      &opkg::twin::library_flags};                                     \
    static int32_t opkg_kernel_launch(void *const *args, uint32_t n_args, uint32_t block_dim, uint64_t tiling_key,     \
                                      const char *soc, const opkg_exec_v1 *exec)                                       \
    {                                                                                                                  \
        return opkg_twin_launch(&opkg_kernel_info, args, n_args, block_dim, tiling_key, soc, exec);                    \
    }                                                                                                                  \
    __attribute__((section("opkg_kernel_arguments"), used)) static const uint32_t opkg_kernel_arguments =              \
        opkg::twin::Entry<&function>::count;                                                                           \
    extern "C" OPKG_TWIN_API opkg_kernel_table_v1 opkg_kernel_v1;                                                      \
    opkg_kernel_table_v1 opkg_kernel_v1 = {sizeof(opkg_kernel_table_v1), OPKG_ABI_VERSION, op_type, column, -1,        \
                                           opkg::twin::Entry<&function>::count, 0, 0, &opkg_kernel_launch};            \
    __attribute__((constructor)) static void opkg_kernel_read_facts()                                                  \
    {                                                                                                                  \
        opkg_twin_read_facts(&opkg_kernel_info, &opkg_kernel_v1, __start_opkg_kernel_facts, __stop_opkg_kernel_facts); \
    }

#endif // OPKG_KERNEL_ENTRY_H
