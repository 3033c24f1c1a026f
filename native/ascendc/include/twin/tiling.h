// SPDX-License-Identifier: Apache-2.0
// How a kernel reads its tiling data, asks for its tiling key and says which kind of cores it needs.
#ifndef OPKG_TWIN_TILING_H
#define OPKG_TWIN_TILING_H

#include "twin/access.h"
#include "twin/types.h"

enum KernelMetaType {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE,
    KERNEL_TYPE_MAX
};

// A fact about the kernel, kept in a section of its own so that a launch knows it before the body runs. It is assembly
// because it must survive every optimisation, and stand in templates and in functions that are inlined.
#if defined(__x86_64__) || defined(__i386__)
#define OPKG_TWIN_FACT(kind, keyed, key, value)                                                                        \
    __asm__ volatile(".pushsection opkg_kernel_facts,\"a\"\n\t.balign 8\n\t.long %c0\n\t.long %c1\n\t.quad %c2\n\t"    \
                     ".quad %c3\n\t.popsection"                                                                        \
                     :                                                                                                 \
                     : "i"(kind), "i"(keyed), "i"(key), "i"(value))
#else
#define OPKG_TWIN_FACT(kind, keyed, key, value)                                                                        \
    __asm__ volatile(".pushsection opkg_kernel_facts,\"a\"\n\t.balign 8\n\t.word %c0\n\t.word %c1\n\t.xword %c2\n\t"   \
                     ".xword %c3\n\t.popsection"                                                                       \
                     :                                                                                                 \
                     : "i"(kind), "i"(keyed), "i"(key), "i"(value))
#endif

#ifdef OPKG_ASC_LANGUAGE
#define KERNEL_TASK_TYPE_DEFAULT(value) __opkg_task_type__(value)
#define KERNEL_TASK_TYPE(key, value) __opkg_task_type__(key, value)
#else
#define KERNEL_TASK_TYPE_DEFAULT(value)                                                                                \
    OPKG_TWIN_FACT(opkg::twin::kFactTaskType, 0, 0, static_cast<int>(value))
#define KERNEL_TASK_TYPE(key, value) OPKG_TWIN_FACT(opkg::twin::kFactTaskType, 1, key, static_cast<int>(value))
#endif

#define TILING_KEY_VAR (opkg_twin_core->tiling_key)
#define TILING_KEY_IS(key) (TILING_KEY_VAR == static_cast<uint64_t>(key))
#define TILING_KEY_LIST(...) opkg::twin::is_one_of(TILING_KEY_VAR, __VA_ARGS__)

#define REGISTER_TILING_DEFAULT(type) using OpkgDefaultTiling [[maybe_unused]] = type
#define REGISTER_TILING_FOR_TILINGKEY(condition, type) static_assert(sizeof(type) > 0, condition)
#define REGISTER_NONE_TILING struct OpkgDefaultTiling

#define GET_TILING_DATA_WITH_STRUCT(type, name, pointer)                                                               \
    OPKG_TWIN_FACT(opkg::twin::kFactTilingSize, 0, 0, sizeof(type));                                                   \
    type name;                                                                                                         \
    opkg::twin::copy_tiling(&name, pointer)
#define GET_TILING_DATA(name, pointer) GET_TILING_DATA_WITH_STRUCT(OpkgDefaultTiling, name, pointer)
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, pointer)                                                           \
    OPKG_TWIN_FACT(opkg::twin::kFactTilingSize, 0, 0, sizeof(type));                                                   \
    const type *name = reinterpret_cast<const type *>(pointer)
#define GET_TILING_DATA_MEMBER(type, member, name, pointer)                                                            \
    decltype(type::member) name;                                                                                       \
    opkg::twin::copy_tiling(&name, reinterpret_cast<const uint8_t *>(pointer) + __builtin_offsetof(type, member))
#define COPY_TILING_WITH_STRUCT(type, pointer, name) const type *name = reinterpret_cast<const type *>(pointer)
#define COPY_TILING_WITH_ARRAY(type, count, pointer, name)                                                             \
    const type(*name)[count] = reinterpret_cast<const type(*)[count]>(pointer)

// A constant struct from its bytes, while the kernel is compiled: tiling that is part of a kernel's type.
template <typename T>
constexpr T convert_from_bytes(const uint8_t *bytes)
{
    struct Bytes {
        unsigned char all[sizeof(T)];
    } copy{};
    for (uint32_t i = 0; i < sizeof(T); ++i) {
        copy.all[i] = bytes[i];
    }
    return __builtin_bit_cast(T, copy);
}

namespace opkg::twin {

template <typename T, typename P>
inline void copy_tiling(T *to, const P *from)
{
    if (from == nullptr) {
        opkg_twin_fail("the kernel reads its tiling data, but it was called without any");
    }
    OPKG_TWIN_HOOK(opkg_twin_check_tiling(OPKG_TWIN_HEADERS, from, sizeof(T)));
    __builtin_memcpy(static_cast<void *>(to), static_cast<const void *>(from), sizeof(T));
}

template <typename... Keys>
constexpr bool is_one_of(uint64_t key, Keys... keys)
{
    return ((key == static_cast<uint64_t>(keys)) || ...);
}

} // namespace opkg::twin

namespace AscendC {

// The workspace argument as it stands: the part that the library needs is kept apart by the launch.
__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
__aicore__ inline void SetSysWorkspace(GM_ADDR workspace) { opkg_twin_core->workspace = workspace; }
__aicore__ inline void SetSysWorkspaceForce(GM_ADDR workspace) { SetSysWorkspace(workspace); }
__aicore__ inline GM_ADDR GetSysWorkSpacePtr() { return static_cast<GM_ADDR>(opkg_twin_core->workspace); }

} // namespace AscendC

#endif // OPKG_TWIN_TILING_H
