// SPDX-License-Identifier: Apache-2.0
// Every call of AscendCL that needs no kernel: what it does, and the code of every wrong use.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "acl/acl_rt_compile.h"
#include "expect.hpp"

namespace {

struct Session {
    aclrtStream stream = nullptr;
    Session()
    {
        EXPECT_OK(aclInit(nullptr));
        EXPECT_OK(aclrtSetDevice(0));
        EXPECT_OK(aclrtCreateStream(&stream));
    }
    ~Session()
    {
        EXPECT_OK(aclrtDestroyStream(stream));
        EXPECT_OK(aclrtResetDevice(0));
        EXPECT_OK(aclFinalize());
    }
};

void nap(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// A stream's own thread waits until the test opens the gate.
struct Gate {
    std::atomic<bool> open{false};
    static void hold(void *gate)
    {
        while (!static_cast<Gate *>(gate)->open.load()) {
            nap(1);
        }
    }
};

void write_file(const char *path, const char *text)
{
    FILE *file = std::fopen(path, "w");
    EXPECT(file != nullptr && std::fputs(text, file) >= 0 && std::fclose(file) == 0);
}

} // namespace

CASE(init_and_finalize)
{
    EXPECT_OK(aclInit(nullptr));
    EXPECT_CODE(aclInit(nullptr), 100002, "aclInit");
    EXPECT_OK(aclFinalize());
    EXPECT_CODE(aclFinalize(), 100037, "aclFinalize");
    EXPECT_OK(aclInit(""));
    EXPECT_OK(aclFinalize());
}

CASE(configuration_files)
{
    EXPECT_CODE(aclInit("not-there.json"), 100003, "not-there.json");
    write_file("good.json",
               "{\"dump\": {\"dump_list\": [], \"dump_mode\": \"all\"}, \"n\": [1, -2.5e3, true, null]}\n");
    write_file("bad.json", "{\"dump\":\n {\"dump_list\": [}}");
    write_file("deep.json", "[[[[[[[[[[[[1]]]]]]]]]]]]");
    EXPECT_CODE(aclInit("bad.json"), 100006, "bad.json:2");
    EXPECT_CODE(aclInit("deep.json"), 100006, "ten levels");
    EXPECT_OK(aclInit("good.json"));
}

CASE(versions_and_names)
{
    int32_t major = 0, minor = 0, patch = -1;
    EXPECT_OK(aclrtGetVersion(&major, &minor, &patch));
    EXPECT(major == ACL_MAJOR_VERSION && minor == ACL_MINOR_VERSION && patch == ACL_PATCH_VERSION);
    EXPECT_CODE(aclrtGetVersion(&major, nullptr, &patch), 100000, "NULL");
    EXPECT(std::strcmp(aclrtGetSocName(), "Ascend910B1") == 0);
}

CASE(data_types)
{
    const std::pair<aclDataType, size_t> sizes[] = {{ACL_FLOAT, 4},  {ACL_FLOAT16, 2}, {ACL_INT8, 1},   {ACL_INT32, 4},
                                                    {ACL_UINT8, 1},  {ACL_INT16, 2},   {ACL_UINT16, 2}, {ACL_UINT32, 4},
                                                    {ACL_INT64, 8},  {ACL_UINT64, 8},  {ACL_DOUBLE, 8}, {ACL_BOOL, 1},
                                                    {ACL_BF16, 2},   {ACL_COMPLEX64, 8}, {ACL_COMPLEX128, 16},
                                                    {ACL_STRING, 0}, {ACL_DT_UNDEFINED, 0}};
    for (const auto &each : sizes) {
        EXPECT(aclDataTypeSize(each.first) == each.second);
    }
}

CASE(half_precision)
{
    // Every half survives the way to float and back.
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const float wide = aclFloat16ToFloat(static_cast<aclFloat16>(bits));
        if (std::isnan(wide)) {
            EXPECT((aclFloatToFloat16(wide) & 0x7c00) == 0x7c00 && (aclFloatToFloat16(wide) & 0x3ff) != 0);
        } else {
            EXPECT(aclFloatToFloat16(wide) == bits);
        }
    }
    EXPECT(aclFloat16ToFloat(0x3c00) == 1.0f && aclFloat16ToFloat(0xc000) == -2.0f);
    EXPECT(aclFloat16ToFloat(0x0001) == 0x1p-24f && std::isinf(aclFloat16ToFloat(0x7c00)));
    // Halfway cases go to the even neighbour; above the largest half there is infinity.
    EXPECT(aclFloatToFloat16(1.0f + 0x1p-11f) == 0x3c00 && aclFloatToFloat16(1.0f + 3 * 0x1p-11f) == 0x3c02);
    EXPECT(aclFloatToFloat16(0x1p-25f) == 0x0000 && aclFloatToFloat16(3 * 0x1p-25f) == 0x0002);
    EXPECT(aclFloatToFloat16(65519.0f) == 0x7bff && aclFloatToFloat16(65520.0f) == 0x7c00);
    EXPECT(aclFloatToFloat16(-1e30f) == 0xfc00 && aclFloatToFloat16(1e-30f) == 0);
}

CASE(devices)
{
    uint32_t count = 0;
    EXPECT_OK(aclrtGetDeviceCount(&count));
    EXPECT(count == 1);
    EXPECT_CODE(aclrtGetDeviceCount(nullptr), 100000, "count");
    EXPECT_CODE(aclrtSetDevice(1), 107001, "device 1");
    EXPECT_CODE(aclrtSetDevice(-1), 107001, "device -1");
    EXPECT_CODE(aclrtResetDevice(7), 107001, "device 7");
    int32_t device = -1;
    EXPECT_CODE(aclrtGetDevice(&device), 107002, "aclrtSetDevice");
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetDevice(&device));
    EXPECT(device == 0);
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclrtGetDevice(&device)); // set twice, reset once
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_CODE(aclrtGetDevice(&device), 107002, "context");
    EXPECT_OK(aclrtResetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtResetDeviceForce(0));
    EXPECT_CODE(aclrtGetDevice(&device), 107002, "context");
    aclrtRunMode mode = ACL_DEVICE;
    EXPECT_OK(aclrtGetRunMode(&mode));
    EXPECT(mode == ACL_HOST);
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
    EXPECT_OK(aclrtQueryDeviceStatus(0, &status));
    EXPECT(status == ACL_RT_DEVICE_STATUS_NORMAL);
    EXPECT_OK(aclrtSetTsDevice(ACL_TS_ID_AICORE));
    EXPECT_CODE(aclrtSetTsDevice(ACL_TS_ID_RESERVED), 100000, "scheduler");
}

CASE(device_information)
{
    int64_t value = 0;
    EXPECT_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value));
    EXPECT(value == 48);
    EXPECT_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &value));
    EXPECT(value == 24);
    EXPECT_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    EXPECT(value == 24);
    EXPECT_CODE(aclrtGetDeviceInfo(3, ACL_DEV_ATTR_CUBE_CORE_NUM, &value), 107001, "device 3");
    EXPECT_CODE(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(77), &value), 107000, "77");
    EXPECT_CODE(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, nullptr), 100000, "value");
}

CASE(the_environment_says_how_many_devices_there_are_and_which_chip)
{
    uint32_t count = 0;
    EXPECT_OK(aclrtGetDeviceCount(&count));
    EXPECT(count == 3);
    EXPECT_OK(aclrtSetDevice(2));
    EXPECT_CODE(aclrtSetDevice(3), 107001, "device 3");
    EXPECT(std::string(aclrtGetSocName()) == "Ascend310P3");
    int64_t cores = 0;
    EXPECT_OK(aclrtGetDeviceInfo(2, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
    EXPECT(cores == 8);
    EXPECT_OK(aclrtResetDevice(2));
}

CASE(contexts)
{
    aclrtContext first = nullptr, second = nullptr, current = nullptr;
    EXPECT_CODE(aclrtCreateContext(nullptr, 0), 100000, "context");
    EXPECT_CODE(aclrtCreateContext(&first, 5), 107001, "device 5");
    EXPECT_OK(aclrtCreateContext(&first, 0));
    EXPECT_OK(aclrtCreateContext(&second, 0));
    EXPECT_OK(aclrtGetCurrentContext(&current));
    EXPECT(current == second);
    EXPECT_OK(aclrtSetCurrentContext(first));
    EXPECT_OK(aclrtGetCurrentContext(&current));
    EXPECT(current == first);
    aclrtStream of_first = nullptr;
    EXPECT_OK(aclrtCreateStream(&of_first));
    EXPECT_OK(aclrtSetCurrentContext(second));
    EXPECT_CODE(aclrtSynchronizeStream(of_first), 107003, "another context");
    std::thread([] {
        aclrtStream stream = nullptr;
        EXPECT_CODE(aclrtCreateStream(&stream), 107002, "this thread has no context");
    }).join();
    std::thread([first, of_first] {
        EXPECT_OK(aclrtSetCurrentContext(first));
        EXPECT_OK(aclrtSynchronizeStream(of_first));
    }).join();
    EXPECT_OK(aclrtDestroyContext(second));
    EXPECT_CODE(aclrtGetCurrentContext(&current), 107002, "context");
    EXPECT_CODE(aclrtSetCurrentContext(second), 107002, "destroyed");
    EXPECT_CODE(aclrtDestroyContext(second), 107002, "destroyed");
    EXPECT_CODE(aclrtDestroyContext(nullptr), 100000, "context");
    EXPECT_OK(aclrtDestroyContext(first)); // with its stream
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtGetCurrentContext(&current));
    EXPECT_CODE(aclrtDestroyContext(current), 107000, "aclrtResetDevice");
}

CASE(memory)
{
    void *memory = nullptr;
    EXPECT_CODE(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 107002, "context");
    Session session;
    EXPECT_CODE(aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST), 100000, "devPtr");
    EXPECT_CODE(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000, "size of 0");
    EXPECT_CODE(aclrtMalloc(&memory, SIZE_MAX - 8, ACL_MEM_MALLOC_HUGE_FIRST), 207001, "more than there can be");
    EXPECT_CODE(aclrtMalloc(&memory, size_t{1} << 56, ACL_MEM_MALLOC_HUGE_FIRST), 207001, "no memory");
    EXPECT_CODE(aclrtMalloc(&memory, 64, static_cast<aclrtMemMallocPolicy>(0x40)), 107000, "policy");
    for (const size_t size : {size_t{1}, size_t{100}, size_t{5} << 20}) {
        EXPECT_OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_NORMAL_ONLY));
        EXPECT(reinterpret_cast<uintptr_t>(memory) % 64 == 0);
        EXPECT_OK(aclrtMemset(memory, size, 0x5a, size));
        EXPECT(static_cast<unsigned char *>(memory)[size - 1] == 0x5a);
        EXPECT_OK(aclrtFree(memory));
        EXPECT_CODE(aclrtFree(memory), 107000, "free already");
    }
    EXPECT_CODE(aclrtFree(nullptr), 100000, "devPtr");
    int local = 0;
    EXPECT_CODE(aclrtFree(&local), 107000, "not the start");
    EXPECT_OK(aclrtMallocHost(&memory, 48));
    EXPECT_CODE(aclrtFree(memory), 107000, "device memory");
    EXPECT_OK(aclrtFreeHost(memory));
    EXPECT_CODE(aclrtFreeHost(memory), 107000, "host memory");
    EXPECT_CODE(aclrtMallocHost(&memory, 0), 100000, "size of 0");
    EXPECT_CODE(aclrtMallocHost(nullptr, 8), 100000, "hostPtr");
    EXPECT_OK(aclrtMallocAlign32(&memory, 33, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_CODE(aclrtMemset(memory, 96, 0, 96), 107000, "64 are left of its allocation of 64");
    EXPECT_OK(aclrtMemset(memory, 64, 0, 64));
    EXPECT_CODE(aclrtMemset(memory, 65, 0, 65), 107000, "64 are left of its allocation of 64");
    aclrtPtrAttributes about{};
    EXPECT_OK(aclrtPointerGetAttributes(static_cast<char *>(memory) + 63, &about));
    EXPECT(about.location.type == ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_OK(aclrtPointerGetAttributes(static_cast<char *>(memory) + 64, &about));
    EXPECT(about.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_OK(aclrtMemFlush(memory, 33));
    EXPECT_OK(aclrtMemInvalidate(memory, 33));
    EXPECT_OK(aclrtFree(memory));
    EXPECT_OK(aclrtMallocCached(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtFree(memory));
    size_t free_bytes = 0, total = 0;
    EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
    EXPECT(free_bytes > 0 && free_bytes <= total);
    EXPECT_CODE(aclrtGetMemInfo(static_cast<aclrtMemAttr>(50), &free_bytes, &total), 107000, "50");
    EXPECT_CODE(aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total), 100000, "free");
}

CASE(freed_memory_stays_while_a_stream_that_waits_may_use_it)
{
    Session session;
    void *memory = nullptr;
    void *other = nullptr;
    constexpr size_t kBytes = 1000000;
    aclrtStream recorder = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtCreateEvent(&event));
    EXPECT_OK(aclrtCreateStream(&recorder));
    EXPECT_OK(aclrtStreamWaitEvent(session.stream, event));
    EXPECT_OK(aclrtMemsetAsync(memory, kBytes, 1, kBytes, session.stream));
    // The event is recorded after this, so whoever waited for the stream here would wait for ever.
    EXPECT_OK(aclrtFree(memory));
    EXPECT_CODE(aclrtFree(memory), 107000, "free already");
    EXPECT_OK(aclrtMalloc(&other, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMemset(other, kBytes, 2, kBytes));
    EXPECT_OK(aclrtRecordEvent(event, recorder));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT(memory != other && static_cast<char *>(other)[kBytes - 1] == 2);
    EXPECT_OK(aclrtFree(other));
    EXPECT_OK(aclrtDestroyStream(recorder));
    EXPECT_OK(aclrtDestroyEvent(event));
}

CASE(a_callback_may_free_memory)
{
    Session session;
    void *memory = nullptr;
    EXPECT_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, [](void *what) { EXPECT_OK(aclrtFree(what)); }, memory));
    EXPECT_OK(aclrtMemsetAsync(memory, 64, 1, 64, session.stream));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT_CODE(aclrtFree(memory), 107000, "free already");
}

CASE(pointers_are_known)
{
    Session session;
    aclrtPtrAttributes attributes;
    void *device = nullptr, *host = nullptr, *mapped = nullptr;
    std::vector<char> own(100);
    EXPECT_OK(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMallocHost(&host, 100));
    EXPECT_OK(aclrtPointerGetAttributes(static_cast<char *>(device) + 99, &attributes));
    EXPECT(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && attributes.location.id == 0);
    EXPECT_OK(aclrtPointerGetAttributes(host, &attributes));
    EXPECT(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT_OK(aclrtPointerGetAttributes(own.data(), &attributes));
    EXPECT(attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_OK(aclrtHostRegister(own.data(), own.size(), ACL_HOST_REGISTER_MAPPED, &mapped));
    EXPECT(mapped == own.data());
    EXPECT_OK(aclrtHostUnregister(own.data()));
    EXPECT_CODE(aclrtHostUnregister(own.data()), 107000, "not registered");
    // AscendCL's own host memory may be registered too, and stays what it is.
    void *host_memory = nullptr;
    EXPECT_OK(aclrtMallocHost(&host_memory, 64));
    EXPECT_OK(aclrtHostRegister(host_memory, 64, ACL_HOST_REGISTER_MAPPED, &mapped));
    EXPECT_CODE(aclrtHostRegister(host_memory, 64, ACL_HOST_REGISTER_MAPPED, &mapped), 107000, "already");
    EXPECT_CODE(aclrtMemcpy(mapped, 96, own.data(), 96, ACL_MEMCPY_HOST_TO_HOST), 107000, "64 are left");
    EXPECT_OK(aclrtHostUnregister(host_memory));
    EXPECT_OK(aclrtFreeHost(host_memory));
    EXPECT_OK(aclrtFree(device));
    EXPECT_OK(aclrtFreeHost(host));
}

CASE(copies)
{
    Session session;
    char *device = nullptr;
    std::vector<char> host(256), back(256);
    for (size_t i = 0; i < host.size(); ++i) {
        host[i] = static_cast<char>(i);
    }
    EXPECT_OK(aclrtMalloc(reinterpret_cast<void **>(&device), 256, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMemcpy(device, 256, host.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_OK(aclrtMemcpy(back.data(), 256, device, 256, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(back == host);
    EXPECT_CODE(aclrtMemcpy(device, 255, host.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE), 107000, "destMax");
    EXPECT_CODE(aclrtMemcpy(device, 512, host.data(), 300, ACL_MEMCPY_HOST_TO_DEVICE), 107000, "dst");
    EXPECT_CODE(aclrtMemcpy(host.data(), 512, device + 100, 200, ACL_MEMCPY_DEVICE_TO_HOST), 107000, "src");
    EXPECT_CODE(aclrtMemcpy(nullptr, 8, host.data(), 8, ACL_MEMCPY_HOST_TO_DEVICE), 100000, "dst");
    EXPECT_CODE(aclrtMemcpy(device, 8, nullptr, 8, ACL_MEMCPY_HOST_TO_DEVICE), 100000, "src");
    EXPECT_CODE(aclrtMemcpy(device, 8, device, 8, static_cast<aclrtMemcpyKind>(9)), 100000, "kind");
    EXPECT_OK(aclrtMemcpyAsync(device, 256, back.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
    EXPECT_CODE(aclrtMemcpyAsync(back.data(), 256, host.data(), 16, ACL_MEMCPY_HOST_TO_HOST, session.stream), 207000,
                "host to host");
    EXPECT_OK(aclrtMemcpyAsyncWithCondition(back.data(), 256, device, 256, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
    EXPECT(back == host);
    EXPECT_OK(aclrtMemsetAsync(device, 256, 7, 200, session.stream));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT(device[199] == 7 && device[200] == host[200]);
    EXPECT_CODE(aclrtMemsetAsync(device, 100, 7, 200, session.stream), 107000, "maxCount");
    EXPECT_CODE(aclrtMemsetAsync(nullptr, 100, 7, 20, session.stream), 100000, "devPtr");
    // Rows of 5 bytes out of rows of 16, into rows of 8.
    EXPECT_OK(aclrtMemcpy2d(device, 8, host.data(), 16, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT(device[3 * 8 + 4] == host[3 * 16 + 4] && device[5] == 7);
    EXPECT_OK(aclrtMemcpy2dAsync(device, 8, host.data() + 1, 16, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT(device[3 * 8 + 4] == host[3 * 16 + 5]);
    EXPECT_CODE(aclrtMemcpy2d(device, 4, host.data(), 16, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE), 107000, "pitches");
    EXPECT_CODE(aclrtMemcpy2d(device, 16, host.data(), 4, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE), 107000, "pitches");
    EXPECT_CODE(aclrtMemcpy2d(device, 128, host.data(), 16, 5, 4, ACL_MEMCPY_HOST_TO_DEVICE), 107000, "dst");
    EXPECT_CODE(aclrtMemcpy2d(device, 8, host.data(), 16, 5, 4, ACL_MEMCPY_HOST_TO_HOST), 100000, "kind");
    EXPECT_OK(aclrtFree(device));
}

CASE(only_memory_of_ascendcl_is_copied_later)
{
    Session session;
    char *device = nullptr;
    char *pinned = nullptr;
    char own[64] = "own";
    EXPECT_OK(aclrtMalloc(reinterpret_cast<void **>(&device), 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclrtMallocHost(reinterpret_cast<void **>(&pinned), 64));
    std::strcpy(pinned, "first");
    Gate gate;
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, Gate::hold, &gate));
    EXPECT_OK(aclrtMemcpyAsync(device, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
    std::strcpy(pinned, "second");
    std::thread opener([&gate] {
        nap(50);
        gate.open.store(true);
    });
    EXPECT_OK(aclrtMemcpyAsync(device + 32, 32, own, 32, ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
    std::strcpy(own, "gone");
    EXPECT(gate.open.load());
    EXPECT(std::strcmp(device, "second") == 0 && std::strcmp(device + 32, "own") == 0);
    opener.join();
    EXPECT_OK(aclrtMemcpyAsync(own, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST, session.stream));
    EXPECT(std::strcmp(own, "second") == 0);
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT_OK(aclrtFree(device));
    EXPECT_OK(aclrtFreeHost(pinned));
}

CASE(streams_are_told_from_what_is_none)
{
    aclrtStream stream = nullptr;
    EXPECT_CODE(aclrtCreateStream(&stream), 107002, "context");
    Session session;
    EXPECT_CODE(aclrtCreateStream(nullptr), 100000, "stream");
    EXPECT_CODE(aclrtCreateStreamWithConfig(&stream, 8, 0), 107000, "priority 8");
    EXPECT_CODE(aclrtCreateStreamWithConfig(&stream, 0, 0x80), 107000, "flag");
    EXPECT_OK(aclrtCreateStreamWithConfig(&stream, 7, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    int32_t first = -1, second = -1;
    EXPECT_OK(aclrtStreamGetId(session.stream, &first));
    EXPECT_OK(aclrtStreamGetId(stream, &second));
    EXPECT(first != second);
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT_CODE(aclrtSynchronizeStream(stream), 107003, "destroyed");
    EXPECT_CODE(aclrtDestroyStream(stream), 107003, "destroyed");
    EXPECT_CODE(aclrtDestroyStream(nullptr), 100000, "default stream");
    int local = 0;
    EXPECT_CODE(aclrtSynchronizeStream(&local), 107003, "no stream");
    EXPECT_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_OK(aclrtSynchronizeDevice());
    EXPECT_CODE(aclrtSynchronizeStreamWithTimeout(session.stream, -2), 100000, "timeout");
    EXPECT_CODE(aclrtSetStreamFailureMode(session.stream, 2), 100000, "mode 2");
    EXPECT_OK(aclrtSetStreamFailureMode(session.stream, ACL_STOP_ON_FAILURE));
}

CASE(a_stream_runs_by_itself)
{
    Session session;
    Gate gate;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, Gate::hold, &gate));
    EXPECT_OK(aclrtStreamQuery(session.stream, &status));
    EXPECT(status == ACL_STREAM_STATUS_NOT_READY);
    EXPECT_CODE(aclrtSynchronizeStreamWithTimeout(session.stream, 20), 507046, "1 tasks");
    EXPECT_CODE(aclrtSynchronizeStreamWithTimeout(session.stream, 0), 507046, "tasks");
    EXPECT_CODE(aclrtSynchronizeDeviceWithTimeout(5), 507046, "tasks");
    gate.open = true;
    EXPECT_OK(aclrtSynchronizeStreamWithTimeout(session.stream, 10000));
    EXPECT_OK(aclrtStreamQuery(session.stream, &status));
    EXPECT(status == ACL_STREAM_STATUS_COMPLETE);
    EXPECT_CODE(aclrtLaunchHostFunc(session.stream, nullptr, nullptr), 100000, "fn");
    EXPECT_CODE(aclrtStreamQuery(session.stream, nullptr), 100000, "status");
}

CASE(two_streams_overlap)
{
    Session session;
    aclrtStream other = nullptr;
    EXPECT_OK(aclrtCreateStream(&other));
    // Each holds until the other has begun: in one queue this would never end.
    struct Meeting {
        std::atomic<int> there{0};
        static void arrive(void *meeting)
        {
            auto &there = static_cast<Meeting *>(meeting)->there;
            ++there;
            while (there.load() < 2) {
                nap(1);
            }
        }
    } meeting;
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, Meeting::arrive, &meeting));
    EXPECT_OK(aclrtLaunchHostFunc(other, Meeting::arrive, &meeting));
    EXPECT_OK(aclrtSynchronizeDevice());
    EXPECT(meeting.there == 2);
    EXPECT_OK(aclrtDestroyStream(other));
}

CASE(destroying_waits_and_force_drops)
{
    Session session;
    static std::atomic<int> ran{0};
    const auto count = [](void *) {
        nap(5);
        ++ran;
    };
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < 5; ++i) {
        EXPECT_OK(aclrtLaunchHostFunc(stream, count, nullptr));
    }
    EXPECT_OK(aclrtDestroyStream(stream));
    EXPECT(ran == 5);
    EXPECT_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < 200; ++i) {
        EXPECT_OK(aclrtLaunchHostFunc(stream, count, nullptr));
    }
    EXPECT_OK(aclrtDestroyStreamForce(stream));
    EXPECT(ran < 100);
    EXPECT_OK(aclrtCreateStream(&stream));
    const int before = ran;
    for (int i = 0; i < 200; ++i) {
        EXPECT_OK(aclrtLaunchHostFunc(stream, count, nullptr));
    }
    EXPECT_OK(aclrtStreamAbort(stream));
    EXPECT(ran < before + 100);
    EXPECT_OK(aclrtLaunchHostFunc(stream, count, nullptr)); // it goes on after that
    const int after = ran;
    EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT(ran == after + 1);
    EXPECT_OK(aclrtDestroyStream(stream));
}

CASE(a_wait_for_an_event_that_never_comes_ends_with_its_stream)
{
    Session session;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtCreateEvent(&event));
    EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    EXPECT_CODE(aclrtSynchronizeStreamWithTimeout(stream, 10), 507046, "task");
    EXPECT_OK(aclrtDestroyStreamForce(stream));
    EXPECT_OK(aclrtDestroyEvent(event));
}

CASE(who_waits_for_a_stream_hears_that_it_is_aborted)
{
    Session session;
    aclrtContext context = nullptr;
    EXPECT_OK(aclrtGetCurrentContext(&context));
    Gate gate;
    std::atomic<bool> waits{false};
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, Gate::hold, &gate));
    std::thread waiting([&] {
        EXPECT_OK(aclrtSetCurrentContext(context));
        waits.store(true);
        EXPECT_CODE(aclrtSynchronizeStream(session.stream), 107023, "aborted");
    });
    while (!waits.load()) {
        nap(1);
    }
    nap(50);
    std::thread opener([&gate] {
        nap(20);
        gate.open.store(true);
    });
    EXPECT_OK(aclrtStreamAbort(session.stream));
    waiting.join();
    opener.join();
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
}

CASE(waits_for_events_may_have_a_timeout)
{
    Session session;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateEvent(&event));
    EXPECT_OK(aclrtSetOpWaitTimeout(1));
    EXPECT_OK(aclrtStreamWaitEvent(session.stream, event));
    EXPECT_OK(aclrtSetOpWaitTimeout(0));
    EXPECT_CODE(aclrtSynchronizeStream(session.stream), 107019, "not come within 1 s");
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT_OK(aclrtDestroyEvent(event));
}

CASE(a_capture_ends_with_its_stream)
{
    Session session;
    aclrtStream origin = nullptr;
    aclrtEvent event = nullptr;
    EXPECT_OK(aclrtCreateStream(&origin));
    EXPECT_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    EXPECT_OK(aclmdlRICaptureBegin(origin, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    EXPECT_OK(aclrtRecordEvent(event, origin));
    EXPECT_OK(aclrtStreamWaitEvent(session.stream, event));
    EXPECT_CODE(aclrtSynchronizeStream(session.stream), 107027, "captured");
    EXPECT_OK(aclrtDestroyStream(origin));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    // Nothing is left that could reach the event.
    EXPECT_CODE(aclrtSynchronizeEvent(event), 107028, "captured");
    EXPECT_CODE(aclrtStreamWaitEvent(session.stream, event), 107028, "no more");
    EXPECT_OK(aclrtRecordEvent(event, session.stream));
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT_OK(aclrtDestroyEvent(event));
}

CASE(a_stream_cannot_wait_for_itself)
{
    Session session;
    static aclrtStream own = nullptr;
    static int code = -1;
    own = session.stream;
    EXPECT_OK(aclrtLaunchHostFunc(
        session.stream, [](void *) { code = aclrtSynchronizeStream(own); }, nullptr));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT(code == 107000);
}

CASE(events)
{
    aclrtEvent event = nullptr, other = nullptr;
    EXPECT_CODE(aclrtCreateEvent(&event), 107002, "context");
    Session session;
    EXPECT_CODE(aclrtCreateEvent(nullptr), 100000, "event");
    EXPECT_CODE(aclrtCreateEventWithFlag(&event, 0x100), 107000, "0x100");
    EXPECT_OK(aclrtCreateEvent(&event));
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    EXPECT_OK(aclrtQueryEventStatus(event, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EXPECT_CODE(aclrtSynchronizeEvent(event), 107000, "not been recorded");
    Gate gate;
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, Gate::hold, &gate));
    EXPECT_OK(aclrtRecordEvent(event, session.stream));
    EXPECT_OK(aclrtQueryEventStatus(event, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    aclrtEventWaitStatus waits = ACL_EVENT_WAIT_STATUS_COMPLETE;
    EXPECT_OK(aclrtQueryEventWaitStatus(event, &waits));
    EXPECT(waits == ACL_EVENT_WAIT_STATUS_NOT_READY);
    EXPECT_CODE(aclrtSynchronizeEventWithTimeout(event, 10), 507047, "10 ms");
    uint64_t ticks = 0;
    EXPECT_CODE(aclrtEventGetTimestamp(event, &ticks), 107006, "not been reached");
    const auto begin = std::chrono::steady_clock::now();
    gate.open = true;
    EXPECT_OK(aclrtSynchronizeEvent(event));
    aclrtEventStatus old_status = ACL_EVENT_STATUS_NOT_READY;
    EXPECT_OK(aclrtQueryEvent(event, &old_status));
    EXPECT(old_status == ACL_EVENT_STATUS_COMPLETE);
    EXPECT_OK(aclrtEventGetTimestamp(event, &ticks));
    EXPECT(ticks > 0);
    // Time passes between two recordings.
    float milliseconds = -1;
    EXPECT_OK(aclrtCreateEventWithFlag(&other, ACL_EVENT_TIME_LINE));
    EXPECT_CODE(aclrtEventElapsedTime(&milliseconds, event, other), 107006, "not been recorded");
    EXPECT_OK(aclrtLaunchHostFunc(
        session.stream, [](void *) { nap(20); }, nullptr));
    EXPECT_OK(aclrtRecordEvent(other, session.stream));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT_OK(aclrtEventElapsedTime(&milliseconds, event, other));
    const std::chrono::duration<float, std::milli> since = std::chrono::steady_clock::now() - begin;
    EXPECT(milliseconds >= 20 && milliseconds <= since.count());
    EXPECT_CODE(aclrtEventElapsedTime(&milliseconds, other, event), 107007, "before");
    EXPECT_CODE(aclrtEventElapsedTime(nullptr, event, other), 100000, "ms");
    EXPECT_OK(aclrtResetEvent(other, session.stream));
    EXPECT_OK(aclrtQueryEventStatus(other, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EXPECT_CODE(aclrtSynchronizeEventWithTimeout(other, 1000), 107000, "not been recorded");
    EXPECT_CODE(aclrtSynchronizeEventWithTimeout(event, -2), 100000, "-2 ms");
    EXPECT_OK(aclrtDestroyEvent(event));
    EXPECT_CODE(aclrtDestroyEvent(event), 107000, "destroyed");
    EXPECT_CODE(aclrtRecordEvent(event, session.stream), 107000, "destroyed");
    EXPECT_CODE(aclrtDestroyEvent(nullptr), 100000, "event");
    EXPECT_OK(aclrtDestroyEvent(other));
    // An event that may be recorded again and again has captured nothing before its first recording.
    EXPECT_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    EXPECT_OK(aclrtQueryEventStatus(event, &status));
    EXPECT(status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT_OK(aclrtStreamWaitEvent(session.stream, event));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    EXPECT_CODE(aclrtEventGetTimestamp(event, &ticks), 107006, "ACL_EVENT_TIME_LINE");
    EXPECT_OK(aclrtRecordEvent(event, nullptr));
    EXPECT_OK(aclrtSynchronizeEvent(event));
    EXPECT_CODE(aclrtEventGetTimestamp(event, &ticks), 107006, "ACL_EVENT_TIME_LINE");
    EXPECT_OK(aclrtDestroyEvent(event));
}

CASE(an_event_orders_two_streams)
{
    Session session;
    aclrtStream other = nullptr;
    EXPECT_OK(aclrtCreateStream(&other));
    static std::atomic<int> value{0};
    static std::atomic<int> wrong{0};
    for (int round = 0; round < 200; ++round) {
        aclrtEvent event = nullptr;
        EXPECT_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        value = 0;
        EXPECT_OK(aclrtLaunchHostFunc(
            session.stream,
            [](void *) {
                std::this_thread::yield();
                value = 1;
            },
            nullptr));
        EXPECT_OK(aclrtRecordEvent(event, session.stream));
        EXPECT_OK(aclrtStreamWaitEvent(other, event));
        EXPECT_OK(aclrtLaunchHostFunc(
            other, [](void *) { wrong += value != 1; }, nullptr));
        EXPECT_OK(aclrtDestroyEvent(event)); // the wait keeps what it needs
        EXPECT_OK(aclrtSynchronizeStream(other));
    }
    EXPECT(wrong == 0);
    EXPECT_OK(aclrtDestroyStream(other));
}

CASE(callbacks_run_on_the_thread_that_subscribed)
{
    Session session;
    static std::thread::id worker_id;
    static std::atomic<int> calls{0};
    static std::atomic<bool> stop{false};
    const auto count = [](void *) {
        EXPECT(std::this_thread::get_id() == worker_id);
        ++calls;
    };
    EXPECT_CODE(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, session.stream), 107015, "subscribed");
    EXPECT_CODE(aclrtProcessReport(1), 107012, "subscribed");
    EXPECT_CODE(aclrtProcessReport(-2), 100000, "timeout");
    std::atomic<uint64_t> id{0};
    std::thread worker([&id] {
        worker_id = std::this_thread::get_id();
        id = static_cast<uint64_t>(pthread_self());
        while (!stop.load()) {
            const int code = aclrtProcessReport(5);
            EXPECT(code == 0 || code == 507012 || code == 107012);
        }
    });
    while (id.load() == 0) {
        nap(1);
    }
    EXPECT_OK(aclrtSubscribeReport(id, session.stream));
    EXPECT_CODE(aclrtSubscribeReport(id, session.stream), 107011, "already");
    for (int i = 0; i < 10; ++i) {
        EXPECT_OK(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_BLOCK, session.stream));
    }
    EXPECT_OK(aclrtSynchronizeStream(session.stream)); // blocking callbacks are part of the stream
    EXPECT(calls == 10);
    EXPECT_OK(aclrtLaunchCallback(count, nullptr, ACL_CALLBACK_NO_BLOCK, session.stream));
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
    for (int i = 0; i < 1000 && calls < 11; ++i) {
        nap(5);
    }
    EXPECT(calls == 11);
    EXPECT_CODE(aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, session.stream), 100000, "fn");
    EXPECT_OK(aclrtUnSubscribeReport(id, session.stream));
    EXPECT_CODE(aclrtUnSubscribeReport(id, session.stream), 107015, "not subscribed");
    stop = true;
    worker.join();
}

CASE(errors_belong_to_a_thread)
{
    EXPECT(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0);
    EXPECT(aclrtSetDevice(9) == 107001);
    std::thread([] {
        EXPECT(aclGetRecentErrMsg() == nullptr);
        EXPECT(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 0);
    }).join();
    EXPECT(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == 107001);
    EXPECT(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == 107001);
    EXPECT(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == 0);
    const char *message = aclGetRecentErrMsg();
    EXPECT(message != nullptr && std::strstr(message, "device 9") != nullptr && std::strstr(message,
                                                                                            "[107001]") != nullptr);
    EXPECT(aclGetRecentErrMsg() == nullptr);
}

CASE(options_are_remembered)
{
    int64_t value = 0;
    EXPECT_CODE(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107021, "not been set");
    EXPECT_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    EXPECT_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    EXPECT(value == 1);
    EXPECT_CODE(aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(9), 1), 107000, "option 9");
    EXPECT_CODE(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), 107002, "context");
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 5));
    EXPECT_OK(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &value));
    EXPECT(value == 5);
    EXPECT_OK(aclrtSetOpWaitTimeout(3));
    EXPECT_OK(aclrtSetOpExecuteTimeOut(3));
    EXPECT_OK(aclrtSetOpExecuteTimeOutWithMs(3));
    int32_t available = -1;
    EXPECT_OK(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &available));
    EXPECT(available == 1);
    const aclCannAttr *list = nullptr;
    size_t count = 0;
    EXPECT_OK(aclGetCannAttributeList(&list, &count));
    EXPECT(count == 2 && list[1] == ACL_CANN_ATTR_BF16);
}

CASE(nothing_works_after_the_end)
{
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void *memory = nullptr;
    EXPECT_OK(aclInit(nullptr));
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_OK(aclrtCreateStream(&stream));
    EXPECT_OK(aclrtCreateEvent(&event));
    EXPECT_OK(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_OK(aclFinalize());
    EXPECT_CODE(aclrtSynchronizeStream(stream), 107002, "context");
    EXPECT_CODE(aclrtRecordEvent(event, stream), 107002, "context");
    EXPECT_CODE(aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST), 107002, "context");
    EXPECT_CODE(aclrtDestroyStream(stream), 107002, "context");
    EXPECT_OK(aclrtFree(memory));
}

CASE(tasks_that_still_run_when_the_program_ends)
{
    EXPECT_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    EXPECT_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < 1000; ++i) {
        EXPECT_OK(aclrtLaunchHostFunc(
            stream, [](void *) { nap(2); }, nullptr));
    }
}

namespace {

int status_of(pid_t child)
{
    int status = 0;
    EXPECT(waitpid(child, &status, 0) == child);
    return status;
}

} // namespace

CASE(a_forked_child_begins_afresh)
{
    Session session;
    Gate gate;
    EXPECT_OK(aclrtLaunchHostFunc(session.stream, Gate::hold, &gate));
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        EXPECT_CODE(aclrtSynchronizeStream(session.stream), 107002, "no context");
        EXPECT_OK(aclInit(nullptr));
        EXPECT_OK(aclrtSetDevice(0));
        std::atomic<int> ran{0};
        EXPECT_OK(aclrtLaunchHostFunc(
            nullptr, [](void *count) { static_cast<std::atomic<int> *>(count)->fetch_add(1); }, &ran));
        EXPECT_OK(aclrtSynchronizeStream(nullptr));
        EXPECT(ran.load() == 1);
        EXPECT(std::strcmp(aclrtGetSocName(), "Ascend910B1") == 0);
        std::exit(0); // does not wait for the tasks of its parent, which it does not run
    }
    EXPECT(status_of(child) == 0);
    EXPECT(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
    gate.open.store(true);
    EXPECT_OK(aclrtSynchronizeStream(session.stream));
}

CASE(calls_after_main_still_have_errors)
{
    // The object's destructor runs when what belongs to the thread is gone.
    static struct Last {
        ~Last()
        {
            EXPECT_CODE(aclInit("/nowhere/a/configuration/with/a/name/that/is/longer/than/any/message/before.json"), 100003,
                        "before.json cannot be read");
            EXPECT_CODE(aclrtSynchronizeStream(nullptr), 107002, "context");
        }
    } last;
    EXPECT_OK(aclrtSetDevice(0));
    EXPECT_CODE(aclrtFreeHost(&last), 107000, "host memory");
    EXPECT_OK(aclrtResetDevice(0));
}

CASE(a_binary_can_be_loaded_again_and_again)
{
    for (int i = 0; i < 2200; ++i) {
        aclrtBinHandle binary = nullptr;
        EXPECT_CODE(aclrtBinaryLoadFromData("nonsense", 8, nullptr, &binary), 100003, "too short");
    }
}

CASE(what_cannot_be_compiled_while_a_program_runs)
{
    for (const char *name : {"/opkg-header.h", "../../../../../opkg-header.h", "a/../../../../../../b.h"}) {
        const char *header = "";
        aclrtcProg program = nullptr;
        EXPECT_OK(aclrtcCreateProg(&program, "int x;", "x.asc", 1, &header, &name));
        EXPECT_CODE(aclrtcCompileProg(program, 0, nullptr), 176001, name);
        EXPECT_OK(aclrtcDestroyProg(&program));
    }
    // A temporary folder whose name is relative changes nothing: what follows is said by the compiler.
    setenv("TMPDIR", ".", 1);
    const char *header = "";
    const char *inside = "a.h";
    aclrtcProg program = nullptr;
    EXPECT_OK(aclrtcCreateProg(&program, "int x = nope;", "x.asc", 1, &header, &inside));
    EXPECT_CODE(aclrtcCompileProg(program, 0, nullptr), 176003, "nope");
    EXPECT_OK(aclrtcDestroyProg(&program));
    EXPECT_OK(aclrtcCreateProg(&program, "int x;", "x.asc", 0, nullptr, nullptr));
    setenv("TMPDIR", "/nowhere", 1);
    EXPECT_CODE(aclrtcCompileProg(program, 0, nullptr), 576000, "temporary folder");
    aclrtcProg again = program;
    EXPECT_OK(aclrtcDestroyProg(&program));
    EXPECT_CODE(aclrtcCompileProg(again, 0, nullptr), 176000, "destroyed");
    EXPECT_CODE(aclrtcDestroyProg(&again), 176000, "destroyed");
    EXPECT_CODE(aclrtcAddNameExpr(nullptr, "k"), 176000, "no program");
}

CASE(many_threads_and_streams)
{
    // Each thread has a chain through three streams, ordered by events; numbers must come out in order.
    constexpr int kThreads = 4, kRounds = 300;
    EXPECT_OK(aclrtSetDevice(0));
    aclrtContext context = nullptr;
    EXPECT_OK(aclrtGetCurrentContext(&context));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([context] {
            EXPECT_OK(aclrtSetCurrentContext(context));
            aclrtStream streams[3];
            aclrtEvent events[3];
            for (int i = 0; i < 3; ++i) {
                EXPECT_OK(aclrtCreateStream(&streams[i]));
                EXPECT_OK(aclrtCreateEventExWithFlag(&events[i], ACL_EVENT_SYNC));
            }
            struct State {
                int value = 0; // ordered by the events alone
                int wrong = 0;
            } state;
            struct Step {
                State *state;
                int number;
            };
            std::vector<Step> steps(kRounds * 3);
            for (int n = 0; n < kRounds * 3; ++n) {
                steps[static_cast<size_t>(n)] = {&state, n};
                if (n > 0) {
                    EXPECT_OK(aclrtStreamWaitEvent(streams[n % 3], events[(n - 1) % 3]));
                }
                EXPECT_OK(aclrtLaunchHostFunc(
                    streams[n % 3],
                    [](void *argument) {
                        Step &step = *static_cast<Step *>(argument);
                        step.state->wrong += step.state->value != step.number;
                        step.state->value = step.number + 1;
                    },
                    &steps[static_cast<size_t>(n)]));
                EXPECT_OK(aclrtRecordEvent(events[n % 3], streams[n % 3]));
            }
            for (int i = 0; i < 3; ++i) {
                EXPECT_OK(aclrtSynchronizeStream(streams[i]));
                EXPECT_OK(aclrtDestroyStream(streams[i]));
                EXPECT_OK(aclrtDestroyEvent(events[i]));
            }
            EXPECT(state.wrong == 0 && state.value == kRounds * 3);
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_OK(aclrtResetDevice(0));
}
