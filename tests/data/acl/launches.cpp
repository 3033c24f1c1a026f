// SPDX-License-Identifier: Apache-2.0
// Kernels in streams. The launches stand here as opkg-ascc writes them.
#include "kernel_operator.h"
#include "opkg/asc_launch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "expect.hpp"

using namespace AscendC;

#if __NPU_ARCH__ == 3510
constexpr const char *kChip = "Ascend950PR";
constexpr int64_t kVectorCores = 64;
#else
constexpr const char *kChip = "Ascend910B1";
constexpr int64_t kVectorCores = 48;
#endif

#define KERNEL(name, cores)                                                                                            \
    if (::opkg::asc::asked()) {                                                                                        \
        ::opkg::asc::answer(#name, cores);                                                                             \
        return;                                                                                                        \
    }
#define LAUNCH(kernel, blocks, stream, ...)                                                                            \
    ::opkg::asc::launch((blocks), (nullptr), (stream), [=](auto... a) { kernel(a...); }, ##__VA_ARGS__)

namespace {

struct Device {
    aclrtStream stream = nullptr;
    Device()
    {
        EXPECT_OK(aclrtSetDevice(0));
        EXPECT_OK(aclrtCreateStream(&stream));
    }
    ~Device()
    {
        EXPECT_OK(aclrtDestroyStream(stream));
        EXPECT_OK(aclrtResetDevice(0));
    }
};

template <typename T>
T *allocate(size_t count)
{
    void *memory = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMemset(memory, count * sizeof(T), 0, count * sizeof(T)));
    return static_cast<T *>(memory);
}

struct Tiling {
    uint32_t length;
    double factors[40];
    uint8_t tail;
};

template <typename T>
void scale(__gm__ T *x, Tiling tiling, int8_t shift, T bias)
{
    KERNEL(scale, ::opkg::asc::vector_cores());
    const uint32_t per_core = tiling.length / static_cast<uint32_t>(GetBlockNum());
    for (uint32_t i = 0; i < per_core; ++i) {
        const uint32_t at = static_cast<uint32_t>(GetBlockIdx()) * per_core + i;
        x[at] = static_cast<T>(static_cast<double>(at) * tiling.factors[39] + shift + tiling.tail + bias);
    }
}

void count_cores(__gm__ int32_t *counts)
{
    KERNEL(count_cores, ::opkg::asc::mixed(1, 2));
    if (ASCEND_IS_AIC) {
        __atomic_fetch_add(&counts[0], 1, __ATOMIC_RELAXED);
        EXPECT(GetSubBlockNum() == 1 && GetTaskRatio() == 1 && GetSubBlockIdx() == 0);
    }
    if (ASCEND_IS_AIV) {
        __atomic_fetch_add(&counts[1 + GetBlockIdx()], 1, __ATOMIC_RELAXED);
        EXPECT(GetSubBlockNum() == 2 && GetTaskRatio() == 2 && GetSubBlockIdx() == GetBlockIdx() % 2);
    }
}

void fails_on(int32_t block)
{
    KERNEL(fails_on, ::opkg::asc::vector_cores());
    ascendc_assert(GetBlockIdx() != block, "block %d, half %f\n", block, half(0.5f));
}

void add_one(__gm__ int32_t *value)
{
    KERNEL(add_one, ::opkg::asc::vector_cores());
    if (GetBlockIdx() == 0) {
        ++*value;
    }
}

} // namespace

CASE(arguments_by_value)
{
    Device device;
    float *x = allocate<float>(64);
    {
        Tiling tiling = {64, {}, 7};
        tiling.factors[39] = 0.5;
        LAUNCH(scale<float>, 8, device.stream, x, tiling, int8_t{-3}, 0.25f);
        tiling.factors[39] = 100; // the launch has its own copy
    }
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    for (int i = 0; i < 64; ++i) {
        EXPECT(x[i] == static_cast<float>(i) * 0.5f + 4.25f);
    }
    EXPECT_OK(aclrtFree(x));
}

CASE(the_chip_is_that_of_the_kernels)
{
    Device device;
    int64_t cores = 0;
    EXPECT_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
    EXPECT(std::strcmp(aclrtGetSocName(), kChip) == 0 && cores == kVectorCores);
    const pid_t child = fork();
    if (child == 0) {
        std::_Exit(std::strcmp(aclrtGetSocName(), kChip) == 0 ? 0 : 1);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

CASE(kernels_by_pointer)
{
    Device device;
    int32_t *value = allocate<int32_t>(1);
    void (*kernel)(__gm__ int32_t *) = add_one;
    LAUNCH(kernel, 4, device.stream, value);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    LAUNCH(kernel, 1, nullptr, value + 0);
    EXPECT_OK(aclrtSynchronizeDevice());
    EXPECT(*value == 2);
    EXPECT_OK(aclrtFree(value));
}

CASE(mixed_kernels_have_all_their_cores)
{
    Device device;
    int32_t *counts = allocate<int32_t>(64);
    LAUNCH(count_cores, 20, device.stream, counts);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT(counts[0] == 20);
    for (int i = 1; i <= 40; ++i) {
        EXPECT(counts[i] == 1);
    }
    EXPECT_OK(aclrtFree(counts));
}

CASE(kernels_run_in_a_forked_child_too)
{
    Device device;
    int32_t *counts = allocate<int32_t>(64);
    LAUNCH(count_cores, 20, device.stream, counts);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    for (int i = 0; i < 99; ++i) {
        LAUNCH(count_cores, 20, device.stream, counts);
    }
    const pid_t child = fork(); // while they run
    if (child == 0) {
        EXPECT_OK(aclrtSetDevice(0));
        int32_t *own = allocate<int32_t>(64);
        LAUNCH(count_cores, 20, nullptr, own);
        EXPECT_OK(aclrtSynchronizeStream(nullptr));
        std::exit(own[0] == 20 ? 0 : 1);
    }
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT(counts[0] == 2000);
    EXPECT_OK(aclrtFree(counts));
}

CASE(a_failing_kernel_is_reported_by_the_next_wait)
{
    Device device;
    static uint32_t told = 0;
    EXPECT_OK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo *info) {
        told = aclrtGetErrorCodeFromExceptionInfo(info);
        EXPECT(aclrtGetDeviceIdFromExceptionInfo(info) == 0 && aclrtGetTaskIdFromExceptionInfo(info) == 1);
        EXPECT(aclrtGetStreamIdFromExceptionInfo(info) != 0xFFFFFFFFu && aclrtGetThreadIdFromExceptionInfo(info) != 0);
    }));
    EXPECT(aclrtGetErrorCodeFromExceptionInfo(nullptr) == 0xFFFFFFFFu);
    int32_t *value = allocate<int32_t>(1);
    LAUNCH(fails_on, 8, device.stream, 3);
    LAUNCH(add_one, 1, device.stream, value);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507015,
                "the assertion GetBlockIdx() != block does not hold: block 3, half 0.500000");
    EXPECT(told == 507015);
    EXPECT(*value == 1); // what follows runs all the same
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT_OK(aclrtSetExceptionInfoCallback(nullptr));
    // Of several failures the first one is told, once.
    LAUNCH(fails_on, 8, device.stream, 5);
    LAUNCH(fails_on, 8, device.stream, 6);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507015, "block 5");
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT_OK(aclrtSetStreamFailureMode(device.stream, ACL_STOP_ON_FAILURE));
    LAUNCH(fails_on, 8, device.stream, 0);
    LAUNCH(add_one, 1, device.stream, value);
    EXPECT_CODE(aclrtSynchronizeDevice(), 507015, "fails_on: vector core 0 of 8");
    EXPECT(*value == 1);
    LAUNCH(add_one, 1, device.stream, value);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT(*value == 2);
    EXPECT_OK(aclrtFree(value));
}

CASE(launches_that_cannot_be)
{
    EXPECT(LAUNCH(fails_on, 8, nullptr, 9) == 107002);
    Device device;
    int local = 0;
    EXPECT(LAUNCH(fails_on, 8, &local, 9) == 107003);
    EXPECT(std::strstr(aclGetRecentErrMsg(), "the kernel fails_on was not launched") != nullptr);
    EXPECT(LAUNCH(fails_on, 0, device.stream, 9) == 0);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 107000, "fails_on: a launch of 0 blocks");
    LAUNCH(fails_on, 70000, device.stream, 9);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 107000, "70000 blocks");
}

namespace {

void pass_around(__gm__ int32_t *x, int32_t rounds)
{
    KERNEL(pass_around, ::opkg::asc::mixed(0, 1));
    const int32_t me = static_cast<int32_t>(GetBlockIdx()), cores = static_cast<int32_t>(GetBlockNum());
    for (int32_t round = 0; round < rounds; ++round) {
        x[me] = round * 1000 + me;
        SyncAll();
        EXPECT(x[(me + 1) % cores] == round * 1000 + (me + 1) % cores);
        SyncAll();
    }
}

} // namespace

CASE(kernels_that_wait_for_their_cores_in_several_streams_at_once)
{
    Device device;
    constexpr int kStreams = 4;
    aclrtStream streams[kStreams];
    int32_t *x = allocate<int32_t>(kStreams * 64);
    for (auto &stream : streams) {
        EXPECT_OK(aclrtCreateStream(&stream));
    }
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < kStreams; ++i) {
            LAUNCH(pass_around, 48, streams[i], x + i * 64, 5);
        }
    }
    EXPECT_OK(aclrtSynchronizeDevice());
    for (auto &stream : streams) {
        EXPECT_OK(aclrtDestroyStream(stream));
    }
    EXPECT_OK(aclrtFree(x));
}

namespace {

// Cube and vector cores of a block hand a value to and fro; the cube cores of all blocks meet, and the vector cores of
// a block, and all cores.
void every_mode(__gm__ int32_t *x, int32_t rounds)
{
    KERNEL(every_mode, ::opkg::asc::mixed(1, 2));
    const int32_t block = static_cast<int32_t>(ASCEND_IS_AIC ? GetBlockIdx() : GetBlockIdx() / 2);
    __gm__ int32_t *mine = x + block * 8;
    for (int32_t round = 1; round <= rounds; ++round) {
        if (ASCEND_IS_AIC) {
            mine[0] = round;
            CrossCoreSetFlag<2, PIPE_FIX>(1);
            CrossCoreWaitFlag(2);
            EXPECT(mine[1] == round * 10 && mine[2] == round * 10 + 1);
            CrossCoreSetFlag<0, PIPE_FIX>(3);
            CrossCoreWaitFlag(3);
            EXPECT(x[(block + 1) % GetBlockNum() * 8] == round);
        }
        if (ASCEND_IS_AIV) {
            CrossCoreWaitFlag(1);
            const int32_t sub = static_cast<int32_t>(GetSubBlockIdx());
            mine[1 + sub] = mine[0] * 10 + sub;
            CrossCoreSetFlag<1, PIPE_MTE3>(4);
            CrossCoreWaitFlag(4);
            EXPECT(mine[2 - sub] == round * 10 + 1 - sub);
            CrossCoreSetFlag<2, PIPE_MTE3>(2);
        }
        SyncAll<false>();
    }
}

} // namespace

CASE(flags_in_every_mode)
{
    Device device;
    int32_t *x = allocate<int32_t>(24 * 8);
    for (const int blocks : {1, 2, 24}) {
        LAUNCH(every_mode, blocks, device.stream, x, 30);
        EXPECT_OK(aclrtSynchronizeStream(device.stream));
        EXPECT(x[(blocks - 1) * 8 + 2] == 301);
    }
    EXPECT_OK(aclrtFree(x));
}

namespace {

void some_meet(__gm__ int32_t *x, __gm__ int32_t *workspace, int32_t used)
{
    KERNEL(some_meet, ::opkg::asc::mixed(0, 1));
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 8 * 32);
    GlobalTensor<int32_t> words;
    words.SetGlobalBuffer(workspace, 64);
    const LocalTensor<int32_t> local = buffer.Get<int32_t>();
    const int32_t me = static_cast<int32_t>(GetBlockIdx());
    if (me < used) {
        x[me] = me + 1;
        SyncAll(words, local, used);
        EXPECT(x[used - 1 - me] == used - me);
    }
}

} // namespace

CASE(some_of_the_cores_meet)
{
    Device device;
    int32_t *x = allocate<int32_t>(8), *workspace = allocate<int32_t>(64);
    LAUNCH(some_meet, 8, device.stream, x, workspace, 3);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    LAUNCH(some_meet, 8, device.stream, x, workspace, 9);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507015, "SyncAll of 9 cores, but the launch has 8");
    EXPECT_OK(aclrtFree(x));
    EXPECT_OK(aclrtFree(workspace));
}

namespace {

void stuck(int32_t kind)
{
    KERNEL(stuck, ::opkg::asc::mixed(1, 2));
    if (kind == 0 && ASCEND_IS_AIC) {
        CrossCoreWaitFlag(5);
    }
    if (kind == 1 && ASCEND_IS_AIV && GetBlockIdx() != 1) {
        SyncAll();
    }
    if (kind == 2 && ASCEND_IS_AIV) {
        for (int i = 0; i < 17; ++i) {
            CrossCoreSetFlag<2, PIPE_MTE3>(6);
        }
    }
    if (kind == 3) {
        Trap();
    }
    if (kind == 4 && ASCEND_IS_AIV) {
        CrossCoreWaitFlag(21); // the chip looks at the lowest four bits
    }
    if (kind == 4 && ASCEND_IS_AIC) {
        CrossCoreSetFlag<2, PIPE_FIX>(5);
    }
}

} // namespace

CASE(what_would_hang_says_where)
{
    Device device;
    LAUNCH(stuck, 2, device.stream, 0);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507014,
                "stuck: deadlock: 2 of 6 cores wait and no core is left that could let them go on: cube core");
    LAUNCH(stuck, 2, device.stream, 0);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507014, "of 2 in CrossCoreWaitFlag(5)");
    LAUNCH(stuck, 2, device.stream, 1);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507014, "of 4 in SyncAll");
    LAUNCH(stuck, 2, device.stream, 2);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507015, "flag 6 has been set 16 times");
    LAUNCH(stuck, 1, device.stream, 3);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 507016, "Trap");
    LAUNCH(stuck, 4, device.stream, 4);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
}

namespace {

// Every core spins until all others have begun, which nobody but the watchdog can make true.
void spins(__gm__ int32_t *count)
{
    KERNEL(spins, ::opkg::asc::vector_cores());
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(count, __ATOMIC_RELAXED) < GetBlockNum()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

} // namespace

CASE(cores_that_spin_for_others)
{
    Device device;
    int32_t *count = allocate<int32_t>(1);
    LAUNCH(spins, 24, device.stream, count);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT(*count == 24);
    EXPECT_OK(aclrtFree(count));
}

namespace {

void dawdles(int32_t milliseconds)
{
    KERNEL(dawdles, ::opkg::asc::mixed(0, 1));
    if (GetBlockIdx() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
    SyncAll();
}

} // namespace

CASE(a_launch_that_gets_no_further)
{
    Device device;
    LAUNCH(dawdles, 2, device.stream, 2500);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
}

namespace {

void prints(int32_t lines)
{
    KERNEL(prints, ::opkg::asc::mixed(0, 1));
    for (int32_t i = 0; i < lines; ++i) {
        printf("line %d", i);
        std::this_thread::yield();
        printf(" of %lld, ", static_cast<long long>(GetBlockIdx()));
        AscendC::PRINTF("half %.2f, %s, ", half(0.25f), "text");
        AscendC::printf("end\n");
    }
    SyncAll();
    printf("no end");
}

} // namespace

CASE(lines_of_one_core_are_not_torn)
{
    Device device;
    printf("host\n");
    LAUNCH(prints, 8, device.stream, 20);
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
}

CASE(a_crash_names_the_core)
{
    Device device;
    int32_t *nowhere = reinterpret_cast<int32_t *>(uintptr_t{64});
    LAUNCH(add_one, 1, device.stream, nowhere);
    (void)aclrtSynchronizeStream(device.stream);
}

CASE(an_assertion_of_the_host)
{
    const int answer = 41;
    assert(answer == 42);
}

namespace {

// Made before main, destroyed after it.
struct Lasting {
    std::atomic<bool> started{false};
    std::atomic<bool> alive{true};
    ~Lasting() { alive.store(false); }
} lasting;

} // namespace

CASE(a_task_that_runs_at_the_end_finds_what_was_made_before_main)
{
    EXPECT_OK(aclrtSetDevice(0));
    const auto slow = [](void *) {
        lasting.started.store(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        EXPECT(lasting.alive.load());
    };
    EXPECT_OK(aclrtLaunchHostFunc(nullptr, slow, nullptr));
    while (!lasting.started.load()) {
        std::this_thread::yield();
    }
}

namespace {

std::thread::id ran_on;

void notes_its_thread()
{
    KERNEL(notes_its_thread, ::opkg::asc::vector_cores());
    ran_on = std::this_thread::get_id();
}

// Destroyed when what belonged to the main thread alone, such as a core's buffers, is gone.
struct Late {
    ~Late()
    {
        for (int i = 0; i < 100; ++i) {
            LAUNCH(notes_its_thread, 1, nullptr);
            EXPECT_OK(aclrtSynchronizeStream(nullptr));
            EXPECT(ran_on != std::thread::id() && ran_on != std::this_thread::get_id());
        }
    }
};

} // namespace

CASE(kernels_after_main_run_on_a_thread_that_is_whole)
{
    static Late late;
    EXPECT_OK(aclrtSetDevice(0));
    LAUNCH(notes_its_thread, 1, nullptr);
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
}

CASE(captured_streams_run_again)
{
    Device device;
    int32_t *value = allocate<int32_t>(2);
    int32_t *host = nullptr;
    EXPECT_OK(aclrtMallocHost(reinterpret_cast<void **>(&host), 8));
    aclrtStream other = nullptr;
    aclrtEvent begun = nullptr, done = nullptr;
    aclmdlRI model = nullptr;
    EXPECT_OK(aclrtCreateStream(&other));
    EXPECT_OK(aclrtCreateEventExWithFlag(&begun, ACL_EVENT_SYNC));
    EXPECT_OK(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC));
    EXPECT_CODE(aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 107031, "default stream");
    EXPECT_CODE(aclmdlRICaptureEnd(device.stream, &model), 107029, "not being captured");
    EXPECT_OK(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    EXPECT_CODE(aclmdlRICaptureBegin(device.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 107027, "already");
    LAUNCH(add_one, 4, device.stream, value);
    EXPECT_OK(aclrtRecordEvent(begun, device.stream));
    EXPECT_OK(aclrtStreamWaitEvent(other, begun));
    LAUNCH(add_one, 4, other, value + 1);
    EXPECT_OK(aclrtRecordEvent(done, other));
    EXPECT_OK(aclrtStreamWaitEvent(device.stream, done));
    EXPECT_OK(aclrtMemcpyAsync(host, 8, value, 8, ACL_MEMCPY_DEVICE_TO_HOST, device.stream));
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    EXPECT_OK(aclmdlRICaptureGetInfo(other, &status, &model));
    EXPECT(status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    EXPECT_CODE(aclrtSynchronizeStream(device.stream), 107027, "captured");
    EXPECT_CODE(aclrtSynchronizeEvent(done), 107028, "captured");
    EXPECT_CODE(aclmdlRICaptureEnd(other, &model), 107036, "not begun on stream");
    EXPECT(*value == 0);
    EXPECT_OK(aclmdlRICaptureEnd(device.stream, &model));
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    EXPECT(*value == 0);
    for (int i = 1; i <= 3; ++i) {
        EXPECT_OK(aclmdlRIExecuteAsync(model, device.stream));
        EXPECT_OK(aclrtSynchronizeStream(device.stream));
        EXPECT(host[0] == i && host[1] == i);
    }
    EXPECT_OK(aclmdlRIExecute(model, 10000));
    EXPECT(host[0] == 4);
    EXPECT_OK(aclmdlRIDebugJsonPrint(model, "captured.json", 0));
    EXPECT_OK(aclmdlRIDebugPrint(model));
    EXPECT_CODE(aclmdlRIDebugJsonPrint(model, "no/such/folder/captured.json", 0), 107009, "cannot be written");
    EXPECT_OK(aclmdlRIDestroy(model));
    EXPECT_CODE(aclmdlRIDestroy(model), 107000, "destroyed");
    EXPECT_CODE(aclmdlRIExecuteAsync(model, device.stream), 107000, "destroyed");
    EXPECT_OK(aclrtDestroyEvent(begun));
    EXPECT_OK(aclrtDestroyEvent(done));
    EXPECT_OK(aclrtDestroyStream(other));
    EXPECT_OK(aclrtFreeHost(host));
    EXPECT_OK(aclrtFree(value));
}

namespace {

struct Pair {
    int32_t first;
    int32_t second;
};

std::vector<char> read_file(const char *path)
{
    std::vector<char> bytes;
    FILE *file = std::fopen(path, "rb");
    EXPECT(file != nullptr);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
        bytes.push_back(static_cast<char>(c));
    }
    std::fclose(file);
    return bytes;
}

void expect_weights(Device &device, float *out, float factor, float offset)
{
    EXPECT_OK(aclrtSynchronizeStream(device.stream));
    for (int i = 0; i < 4; ++i) {
        EXPECT(out[i] == factor * static_cast<float>(i) + offset);
        out[i] = -1;
    }
}

} // namespace

CASE(kernels_looked_up_by_name)
{
    Device device;
    float *out = allocate<float>(4);
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle weigh = nullptr;
    EXPECT_CODE(aclrtBinaryLoadFromFile("not-there.o", nullptr, &binary), 100003, "not-there.o");
    EXPECT_CODE(aclrtBinaryLoadFromFile(nullptr, nullptr, &binary), 100000, "binPath");
    EXPECT_OK(aclrtBinaryLoadFromFile("module.o", nullptr, &binary));
    EXPECT_CODE(aclrtBinaryGetFunction(binary, "measure", &weigh), 507027, "measure");
    EXPECT_CODE(aclrtBinaryGetFunction(&device, "weigh", &weigh), 107017, "binary");
    EXPECT_OK(aclrtBinaryGetFunction(binary, "weigh", &weigh));

    // Arguments one by one; the launch has copies.
    aclrtArgsHandle arguments = nullptr;
    aclrtParamHandle parameter = nullptr, last = nullptr;
    float factor = 2;
    Pair pair = {5, 4};
    EXPECT_CODE(aclrtKernelArgsInit(&device, &arguments), 107017, "function");
    EXPECT_OK(aclrtKernelArgsInit(weigh, &arguments));
    EXPECT_OK(aclrtKernelArgsAppend(arguments, &out, sizeof out, &parameter));
    EXPECT_OK(aclrtKernelArgsAppend(arguments, &factor, sizeof factor, &parameter));
    EXPECT_CODE(aclrtLaunchKernelWithConfig(weigh, 4, device.stream, nullptr, arguments, nullptr), 107000, "Finalize");
    EXPECT_OK(aclrtKernelArgsAppendPlaceHolder(arguments, &last));
    EXPECT_OK(aclrtKernelArgsParaUpdate(arguments, last, &pair, sizeof pair));
    EXPECT_OK(aclrtKernelArgsFinalize(arguments));
    EXPECT_CODE(aclrtKernelArgsAppend(arguments, &out, sizeof out, &parameter), 107000, "Finalize");
    EXPECT_OK(aclrtLaunchKernelWithConfig(weigh, 4, device.stream, nullptr, arguments, nullptr));
    expect_weights(device, out, 2, 1);
    EXPECT_CODE(aclrtLaunchKernelWithConfig(weigh, 4, device.stream, nullptr, &device, nullptr), 107017, "arguments");
    aclrtArgsHandle short_list = nullptr;
    EXPECT_OK(aclrtKernelArgsInit(weigh, &short_list));
    EXPECT_CODE(aclrtKernelArgsFinalize(short_list), 107000, "3 parameters, and 0 arguments");

    factor = 3;
    void *values[] = {&out, &factor, &pair};
    EXPECT_OK(aclrtLaunchKernelWithArgsArray(weigh, 4, device.stream, nullptr, values));
    expect_weights(device, out, 3, 1);
    struct {
        float *out;
        float factor;
        float padding;
        Pair pair;
    } packed = {out, 4, 0, {9, 2}};
    EXPECT_OK(aclrtLaunchKernel(weigh, 4, &packed, sizeof packed, device.stream));
    expect_weights(device, out, 4, 7);
    EXPECT_OK(aclrtLaunchKernelV2(weigh, 4, &packed, sizeof packed, nullptr, device.stream));
    expect_weights(device, out, 4, 7);
    EXPECT_CODE(aclrtLaunchKernel(weigh, 4, &packed, 16, device.stream), 107000, "16 bytes do not hold");

    const std::vector<char> bytes = read_file("module.o");
    EXPECT_OK(aclrtBinaryUnLoad(binary));
    EXPECT_CODE(aclrtBinaryUnLoad(binary), 107017, "binary");
    EXPECT_OK(aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &binary));
    EXPECT_OK(aclrtBinaryGetFunction(binary, "weigh", &weigh));
    EXPECT_OK(aclrtLaunchKernelWithArgsArray(weigh, 4, device.stream, nullptr, values));
    expect_weights(device, out, 3, 1);
    const aclrtBinary image = aclrtCreateBinary(bytes.data(), bytes.size());
    EXPECT_OK(aclrtBinaryLoad(image, &binary));
    EXPECT_OK(aclrtDestroyBinary(image));
    EXPECT_CODE(aclrtDestroyBinary(image), 107017, "binary");
    EXPECT_CODE(aclrtBinaryLoadFromData("text", 4, nullptr, &binary), 100003, "file too short");
    EXPECT_OK(aclrtFree(out));
}
