// SPDX-License-Identifier: Apache-2.0
// A program without a runtime: ICPU_RUN_KF and what belongs to it. argv[1] is the case.
#include "tikicpulib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_operator.h"

struct Numbers {
    int32_t values[20];
};

extern "C" __global__ __aicore__ void add_numbers(GM_ADDR x, GM_ADDR y, Numbers numbers, float factor)
{
    AscendC::GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float *)x);
    out.SetGlobalBuffer((__gm__ float *)y);
    const uint32_t at = static_cast<uint32_t>(AscendC::GetBlockIdx());
    out.SetValue(at, in.GetValue(at) * factor + static_cast<float>(numbers.values[19]));
}

extern "C" __global__ __aicore__ void kinds(GM_ADDR counts)
{
    __gm__ int32_t *count = (__gm__ int32_t *)counts;
    __atomic_fetch_add(&count[ASCEND_IS_AIC ? 0 : 1], 1, __ATOMIC_RELAXED);
    if (TILING_KEY_IS(3)) {
        __atomic_fetch_add(&count[2], 1, __ATOMIC_RELAXED);
    }
}

extern "C" __global__ __aicore__ void refuses(GM_ADDR)
{
    ASSERT(AscendC::GetBlockIdx() < 2);
}

static int values()
{
    float *x = static_cast<float *>(AscendC::GmAlloc(8 * sizeof(float)));
    float *y = static_cast<float *>(AscendC::GmAlloc(8 * sizeof(float)));
    Numbers numbers = {};
    numbers.values[19] = 5;
    for (int i = 0; i < 8; ++i) {
        x[i] = static_cast<float>(i);
    }
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(add_numbers, 8, (GM_ADDR)x, (GM_ADDR)y, *&numbers, 0.5f);
    int wrong = 0;
    for (int i = 0; i < 8; ++i) {
        wrong += y[i] != static_cast<float>(i) * 0.5f + 5.0f;
    }
    AscendC::GmFree((void *)x);
    AscendC::GmFree(y);
    AscendC::GmFree(nullptr);
    return wrong;
}

static int modes()
{
    uint8_t *memory = (uint8_t *)AscendC::GmAlloc(12);
    int32_t *count = (int32_t *)memory;
    const auto run = [&](int cube, int vector, int keyed) {
        memset(memory, 0, 12);
        ICPU_RUN_KF(kinds, 4, memory);
        return count[0] == cube && count[1] == vector && count[2] == keyed;
    };
    bool good = run(4, 8, 0); // a mode is not set: both kinds
    ICPU_SET_TILING_KEY(3);
    AscendC::SetKernelMode(KernelMode::AIC_MODE);
    good = good && run(4, 0, 4);
    AscendC::SetKernelMode(KernelMode::MIX_MODE);
    good = good && run(4, 8, 12);
    ICPU_SET_TILING_KEY(0);
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    good = good && run(0, 4, 0);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    if (strcmp(argv[1], "values") == 0) {
        return values();
    }
    if (strcmp(argv[1], "modes") == 0) {
        return modes();
    }
    uint8_t *memory = (uint8_t *)AscendC::GmAlloc(64);
    if (strcmp(argv[1], "fails") == 0) {
        ICPU_RUN_KF(refuses, 8, memory);
        puts("not reached");
    }
    if (strcmp(argv[1], "free") == 0) {
        AscendC::GmFree(memory + 64);
        puts("not reached");
    }
    return 0;
}
