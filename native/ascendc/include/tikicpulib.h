// SPDX-License-Identifier: Apache-2.0
// Running a kernel from a program of its own: ICPU_RUN_KF and the memory that goes with it.
#ifndef OPKG_TIKICPULIB_H
#define OPKG_TIKICPULIB_H

#include <stddef.h>
#include <stdint.h>

#include "opkg/asc_launch.h"
#include "securec.h"
#include "twin/access.h"
#include "twin/macros.h"
#include "twin/types.h"

enum class KernelMode { MIX_MODE = 0, AIC_MODE, AIV_MODE };

extern "C" {
// Memory of a CPU run; NULL where there is none. Freeing what is not such memory ends the program with a sentence.
OPKG_TWIN_API void *opkg_twin_gm_allocate(size_t size);
OPKG_TWIN_API void opkg_twin_gm_free(void *memory);
OPKG_TWIN_API void opkg_twin_set_kernel_mode(uint32_t cube, uint32_t vector);
OPKG_TWIN_API void opkg_twin_set_tiling_key(uint64_t key);
// Runs a kernel with the mode and key of the calls before; ends the program with status 1 where it fails.
OPKG_TWIN_API void opkg_twin_run_kf(const char *name, uint32_t npu_arch, uint32_t blocks,
                                    const uint32_t *library_flags, void (*invoke)(void *argument), void *argument);
}

namespace AscendC {
inline void *GmAlloc(size_t size) { return opkg_twin_gm_allocate(size); }
inline void GmFree(void *memory) { opkg_twin_gm_free(memory); }
inline void SetKernelMode(KernelMode mode)
{
    opkg_twin_set_kernel_mode(mode != KernelMode::AIV_MODE,
                              mode == KernelMode::AIC_MODE ? 0 : mode == KernelMode::AIV_MODE ? 1 : 2);
}
} // namespace AscendC

namespace opkg::asc {

template <typename Call>
inline void run_kf(const char *name, uint32_t blocks, Call call)
{
    // The library of the kernel is not known here: its copies are made at once, and it is as checked as this file is.
#ifdef OPKG_TWIN_CHECK
    static constexpr uint32_t flags = twin::kUsesElements | twin::kChecked;
#else
    static constexpr uint32_t flags = twin::kUsesElements;
#endif
    opkg_twin_run_kf(name, __NPU_ARCH__, blocks, &flags, [](void *argument) { (*static_cast<Call *>(argument))(); },
                     &call);
}

} // namespace opkg::asc

// The arguments are the caller's own variables, read by every core.
#define ICPU_RUN_KF(func, blocks, ...)                                                                                 \
    ::opkg::asc::run_kf(#func, static_cast<uint32_t>(blocks), [&]() { (func)(__VA_ARGS__); })
#define ICPU_SET_TILING_KEY(key) opkg_twin_set_tiling_key(static_cast<uint64_t>(key))

#endif // OPKG_TIKICPULIB_H
