// SPDX-License-Identifier: Apache-2.0
// One program for both ways: with ASCENDC_CPU_DEBUG the kernel is called, otherwise it is launched on a stream.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "row_scale.h"
#ifdef ASCENDC_CPU_DEBUG
#include "tikicpulib.h"
extern "C" __global__ __aicore__ void row_scale(GM_ADDR x, GM_ADDR scale, GM_ADDR y, RowScaleTiling tiling);
#else
#include "acl/acl.h"
#include "aclrtlaunch_row_scale.h"
#endif

namespace {

constexpr uint32_t kRows = 37;
constexpr uint32_t kColumns = 5003;
constexpr uint32_t kCores = 8;

struct Problem {
    std::vector<float> x = std::vector<float>(kRows * kColumns);
    std::vector<float> scale = std::vector<float>(kRows);
    std::vector<float> y = std::vector<float>(kRows * kColumns);
    RowScaleTiling tiling{kRows, kColumns};

    Problem()
    {
        for (size_t i = 0; i < x.size(); ++i) {
            x[i] = std::sin(static_cast<float>(i));
        }
        for (size_t i = 0; i < scale.size(); ++i) {
            scale[i] = static_cast<float>(i) - 3.5f;
        }
    }

    size_t wrong() const
    {
        size_t count = 0;
        for (size_t i = 0; i < y.size(); ++i) {
            count += y[i] != x[i] * scale[i / kColumns];
        }
        return count;
    }
};

size_t bytes(const std::vector<float> &values) { return values.size() * sizeof(float); }

#ifdef ASCENDC_CPU_DEBUG
void run(Problem &problem)
{
    auto copied = [](const std::vector<float> &values) {
        auto *memory = static_cast<uint8_t *>(AscendC::GmAlloc(bytes(values)));
        std::memcpy(memory, values.data(), bytes(values));
        return memory;
    };
    uint8_t *x = copied(problem.x);
    uint8_t *scale = copied(problem.scale);
    for (const int key : {1, 2}) {
        uint8_t *y = copied(problem.y);
        AscendC::SetKernelMode(KernelMode::AIV_MODE);
        ICPU_SET_TILING_KEY(key);
        ICPU_RUN_KF(row_scale, kCores, x, scale, y, problem.tiling);
        std::memcpy(problem.y.data(), y, bytes(problem.y));
        std::printf("tiling key %d: %zu of %zu elements are wrong\n", key, problem.wrong(), problem.y.size());
        AscendC::GmFree(y);
    }
    AscendC::GmFree(x);
    AscendC::GmFree(scale);
}
#else
void run(Problem &problem)
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    auto copied = [](const std::vector<float> &values) {
        void *memory = nullptr;
        aclrtMalloc(&memory, bytes(values), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, bytes(values), values.data(), bytes(values), ACL_MEMCPY_HOST_TO_DEVICE);
        return memory;
    };
    void *x = copied(problem.x);
    void *scale = copied(problem.scale);
    void *y = copied(problem.y);
    ACLRT_LAUNCH_KERNEL(row_scale)(kCores, stream, x, scale, y, &problem.tiling);
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(problem.y.data(), bytes(problem.y), y, bytes(problem.y), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%zu of %zu elements are wrong\n", problem.wrong(), problem.y.size());
    for (void *memory : {x, scale, y}) {
        aclrtFree(memory);
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
#endif

} // namespace

int main()
{
    Problem problem;
    run(problem);
    const bool passed = problem.wrong() == 0;
    std::puts(passed ? "test pass" : "test failed");
    return passed ? 0 : 1;
}
