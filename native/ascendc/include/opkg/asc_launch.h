// SPDX-License-Identifier: Apache-2.0
// How a program launches kernels. `k<<<blocks, dyn, stream>>>(args)` becomes
//     ::opkg::asc::launch((blocks), (dyn), (stream), [=](auto... a) { k(a...); }, args)
// and every kernel begins with
//     if (::opkg::asc::asked()) { ::opkg::asc::answer("k", <cores>); return; }
// so that a launch can ask a kernel which cores it needs, wherever it was compiled.
#ifndef OPKG_ASC_LAUNCH_H
#define OPKG_ASC_LAUNCH_H

#include <type_traits>

#include "twin/abi.h"

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

extern "C" {

// Work for a stream of libascendcl: run returns 0 or a code and a sentence; destroy is called once, whatever happens.
typedef struct opkg_acl_task {
    uint32_t struct_size;
    uint32_t reserved;
    const char *name; // of the kernel; copied
    void *data;
    int32_t (*run)(void *data, char *message, size_t message_bytes);
    void (*destroy)(void *data);
} opkg_acl_task;

// Queues a task on a stream, NULL for the default stream of the thread's context. Returns an aclError.
OPKG_TWIN_API int32_t opkg_acl_launch(void *stream, const opkg_acl_task *task);
// Which chip AscendCL speaks of: the one that the program's kernels are compiled for. Not there in a program without it.
OPKG_TWIN_API __attribute__((weak)) void opkg_acl_use_npu_arch(uint32_t npu_arch);
}

namespace opkg::asc {

__attribute__((visibility("hidden"))) inline const bool chip_is_told = [] {
    if (&opkg_acl_use_npu_arch != nullptr) {
        opkg_acl_use_npu_arch(__NPU_ARCH__);
    }
    return true;
}();

using Cores = twin::BlockCores;

// What a kernel may answer. Several answers with tiling keys may follow the one that holds for all others.
constexpr Cores vector_cores() { return {0, 1, 0, 0, 0}; }
constexpr Cores cube_cores() { return {1, 0, 0, 0, 0}; }
constexpr Cores mixed(uint32_t cube, uint32_t vector) { return {cube, vector, 0, 0, 0}; }
// A function for the device's own CPU.
constexpr Cores ai_cpu() { return {0, 0, 0, 0, 0}; }
// A kernel that says nothing: both kinds where its file uses the cube, vector cores otherwise.
constexpr Cores automatic(bool uses_cube) { return uses_cube ? mixed(1, 2) : vector_cores(); }

// The number of a KERNEL_TYPE_... enumerator.
constexpr Cores task_type(int type)
{
    switch (type) {
        case 1: // AIC_ONLY
        case 3: // MIX_AIC_1_0
            return cube_cores();
        case 4: // MIX_AIC_1_1
            return mixed(1, 1);
        case 5: // MIX_AIC_1_2
            return mixed(1, 2);
        default:
            return vector_cores();
    }
}
constexpr Cores task_type(uint64_t key, int type)
{
    Cores cores = task_type(type);
    cores.keyed = 1;
    cores.key = key;
    return cores;
}

inline bool asked() { return opkg_twin_asking != nullptr; }

template <typename... Rest>
inline void answer(const char *name, Cores first, Rest... rest)
{
    twin::Answer &answer = *opkg_twin_asking;
    answer.name = name;
    answer.npu_arch = __NPU_ARCH__;
    answer.library_flags = &twin::library_flags;
    const Cores all[] = {first, rest...};
    for (const Cores &cores : all) {
        if (cores.keyed == 0 || cores.key == answer.tiling_key) {
            answer.cube = cores.cube;
            answer.vector = cores.vector;
        }
    }
}

// The arguments of a launch, copied, since the launch outlives the call.
template <typename... Values>
struct Arguments {
    template <typename Call, typename... Before>
    void pass(Call &call, Before &...before)
    {
        call(before...);
    }
};
template <typename First, typename... Rest>
struct Arguments<First, Rest...> {
    First first;
    Arguments<Rest...> rest;

    template <typename Call, typename... Before>
    void pass(Call &call, Before &...before)
    {
        rest.pass(call, before..., first);
    }
};

inline Arguments<> pack() { return {}; }
template <typename First, typename... Rest>
inline Arguments<First, Rest...> pack(First first, Rest... rest)
{
    return {first, pack(rest...)};
}

template <typename Call, typename Values>
struct Launch {
    Call call;
    Values values;
    twin::Answer needs;
    uint32_t blocks;
    uint32_t dynamic_ub;

    static void invoke(void *self)
    {
        Launch *launch = static_cast<Launch *>(self);
        launch->values.pass(launch->call);
    }
    static void destroy(void *self) { delete static_cast<Launch *>(self); }

    void ask()
    {
        opkg_twin_asking = &needs;
        invoke(this);
        opkg_twin_asking = nullptr;
    }

    static int32_t run(void *self, char *message, size_t message_bytes)
    {
        Launch *launch = static_cast<Launch *>(self);
        const twin::Answer &needs = launch->needs;
        const twin::RunPlan plan = {sizeof plan,       launch->blocks,      needs.name, needs.npu_arch,
                                    needs.cube,        needs.vector,        launch->dynamic_ub,
                                    needs.tiling_key,  needs.library_flags, &invoke,    self,
                                    message,           message_bytes};
        return opkg_twin_run(&plan);
    }
};

// The second value of a launch: bytes of the Unified Buffer, or a null pointer of older programs.
template <typename T>
constexpr uint32_t dynamic_bytes(T bytes)
{
    return static_cast<uint32_t>(bytes);
}
template <typename T>
constexpr uint32_t dynamic_bytes(T *)
{
    return 0;
}
constexpr uint32_t dynamic_bytes(decltype(nullptr)) { return 0; }

template <typename Blocks, typename Dynamic, typename Call, typename... Values>
inline uint32_t launch(Blocks blocks, Dynamic dynamic, void *stream, Call call, Values... values)
{
    using Bound = Launch<Call, decltype(pack(values...))>;
    Bound *bound = new Bound{call, pack(values...), {sizeof(twin::Answer), __NPU_ARCH__, nullptr, nullptr, 0, 0, 1},
                             static_cast<uint32_t>(blocks), dynamic_bytes(dynamic)};
    bound->ask();
    const opkg_acl_task task = {sizeof task, 0, bound->needs.name, bound, &Bound::run, &Bound::destroy};
    return static_cast<uint32_t>(opkg_acl_launch(stream, &task));
}

// A literal 0 among the arguments: a number where the kernel takes one, as a template does, else a null pointer.
struct Zero {
    operator int() const { return 0; }
    template <typename T>
    operator T *() const
    {
        return nullptr;
    }
};
template <typename T>
constexpr T &number(T &value)
{
    return value;
}
constexpr int number(Zero) { return 0; }

template <typename Blocks, typename Dynamic, typename Probe, typename Call, typename... Values>
inline uint32_t launch_zeros(Blocks blocks, Dynamic dynamic, void *stream, Probe, Call call, Values... values)
{
    if constexpr (std::is_invocable_v<Probe, decltype(number(values))...>) {
        return launch(blocks, dynamic, stream, call, number(values)...);
    } else {
        return launch(blocks, dynamic, stream, call, values...);
    }
}

} // namespace opkg::asc

#endif // OPKG_ASC_LAUNCH_H
