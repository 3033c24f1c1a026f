// SPDX-License-Identifier: Apache-2.0
// Memory. "Device" memory is memory of the process; each allocation is known, so copies beyond its end are refused and
// a pointer that was never given or is free already is told from a good one.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "runtime.hpp"
#include "stream.hpp"

extern "C" void opkg_twin_allocated(const void *address, uint64_t bytes) __attribute__((weak));

namespace opkg::acl {
namespace {

constexpr size_t kAlignment = 512;
constexpr size_t kHugePage = 2u << 20;
constexpr size_t kWorthHugePages = 4u << 20;

enum class Place { kDevice, kHost, kRegistered };

struct Block {
    size_t size; // that may be used
    Place place;
    uint32_t device;
};

class Blocks {
public:
    // False where a block begins there already.
    bool add(void *address, Block block)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        return blocks_.insert({reinterpret_cast<uintptr_t>(address), block}).second;
    }

    // Takes the block out; false where it is none of this place.
    bool remove(void *address, Place place)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = blocks_.find(reinterpret_cast<uintptr_t>(address));
        if (found == blocks_.end() || found->second.place != place) {
            return false;
        }
        blocks_.erase(found);
        return true;
    }

    // The block that holds an address, and how many bytes follow there.
    bool find(const void *address, Block &block, size_t &left)
    {
        const uintptr_t at = reinterpret_cast<uintptr_t>(address);
        std::lock_guard<std::mutex> lock(mutex_);
        auto found = blocks_.upper_bound(at);
        if (found == blocks_.begin()) {
            return false;
        }
        --found;
        block = found->second;
        if (at - found->first >= block.size) {
            return false;
        }
        left = block.size - (at - found->first);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
};

Blocks &blocks()
{
    static Blocks *const instance = new Blocks; // never destroyed, as the streams that use it
    return *instance;
}

// Memory that the program has registered; it may be AscendCL's own host memory.
Blocks &registered()
{
    static Blocks *const instance = new Blocks;
    return *instance;
}

// The block that holds an address, if AscendCL gave it or knows it.
bool find_block(const void *address, Block &block, size_t &left)
{
    return blocks().find(address, block, left) || registered().find(address, block, left);
}

// Kernels compiled with checks know from it where memory ends. Programs without kernels have no twin.
void tell_twin(const void *memory, size_t bytes)
{
    if (opkg_twin_allocated != nullptr) {
        opkg_twin_allocated(memory, bytes);
    }
}

void give_back(void *memory)
{
    tell_twin(memory, 0);
    free(memory);
}

// Memory that the program has freed, and streams with kernels of before that may still use it: programs free a workspace
// right behind the launch.
class Remains {
public:
    struct User {
        std::shared_ptr<Stream> stream;
        uint64_t last;
    };
    using Users = std::vector<User>;

    void add(void *memory, Users users)
    {
        std::lock_guard<std::mutex> lock(mutex_);
        all_.push_back({memory, std::move(users)});
    }

    // Gives back what is used no longer.
    void sweep()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto first = std::partition(all_.begin(), all_.end(), [](const Item &item) { return in_use(item.users); });
        std::for_each(first, all_.end(), [](const Item &item) { give_back(item.memory); });
        all_.erase(first, all_.end());
    }

private:
    struct Item {
        void *memory;
        Users users;
    };

    static bool in_use(const Users &users)
    {
        return std::any_of(users.begin(), users.end(),
                           [](const User &user) { return !user.stream->has_finished(user.last); });
    }

    std::mutex mutex_;
    std::vector<Item> all_;
};

Remains &remains()
{
    static Remains *const instance = new Remains; // never destroyed, as the streams
    return *instance;
}

// The streams that have more to do than the caller can wait for.
Remains::Users busy_streams()
{
    Remains::Users busy;
    for (uint32_t device = 0; device < runtime().device_count(); ++device) {
        for (const std::shared_ptr<Stream> &stream : runtime().streams_of_device(static_cast<int32_t>(device))) {
            const uint64_t last = stream->drain();
            if (!stream->has_finished(last)) {
                busy.push_back({stream, last});
            }
        }
    }
    return busy;
}

aclError allocate(const char *function, void **out, size_t size, size_t usable, Place place, uint32_t device)
{
    if (usable < size || usable > SIZE_MAX - kHugePage) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes are more than there can be", function, size);
    }
    const size_t alignment = usable >= kWorthHugePages ? kHugePage : kAlignment;
    const size_t bytes = (usable + alignment - 1) / alignment * alignment;
    void *memory = aligned_alloc(alignment, bytes);
    if (memory == nullptr) {
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: the system has no memory for %zu bytes", function, size);
    }
    if (alignment == kHugePage) {
        madvise(memory, bytes, MADV_HUGEPAGE);
    }
    blocks().add(memory, {usable, place, device});
    tell_twin(memory, usable);
    *out = memory;
    return ACL_SUCCESS;
}

// CANN gives whole blocks of 32 bytes, and one more that a copy of whole blocks may run into.
aclError allocate_device(const char *function, void **out, size_t size, uint32_t policy, size_t padding)
{
    constexpr uint32_t kPolicies = 0x7u | ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                                   ACL_MEM_ACCESS_USER_SPACE_READONLY;
    if (out == nullptr) {
        return null_pointer(function, "devPtr");
    }
    if (size == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a size of 0", function);
    }
    if ((policy & ~kPolicies) != 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no policy %u", function, policy);
    }
    aclError code;
    const std::shared_ptr<Context> context = runtime().current(function, code);
    if (context == nullptr) {
        return code;
    }
    remains().sweep();
    const size_t usable = (size + 31) / 32 * 32 + padding;
    return allocate(function, out, size, usable, Place::kDevice, static_cast<uint32_t>(context->device));
}

aclError take(const char *function, const char *parameter, void *memory, Place place)
{
    if (memory == nullptr) {
        return null_pointer(function, parameter);
    }
    if (!blocks().remove(memory, place)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not the start of %s memory in use; it may be free already",
                    function, memory, place == Place::kHost ? "host" : "device");
    }
    return ACL_SUCCESS;
}

// Whether `bytes` from an address on stay inside of its allocation. Memory that AscendCL did not give is not known.
aclError check_end(const char *function, const char *what, const void *address, size_t bytes)
{
    Block block;
    size_t left = 0;
    if (bytes > 0 && find_block(address, block, left) && bytes > left) {
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: %zu bytes at %s %p, but only %zu are left of its allocation of %zu",
                    function, bytes, what, address, left, block.size);
    }
    return ACL_SUCCESS;
}

aclError check_copy(const char *function, const void *dst, size_t room, const void *src, size_t count,
                    aclrtMemcpyKind kind)
{
    if (dst == nullptr || src == nullptr) {
        return null_pointer(function, dst == nullptr ? "dst" : "src");
    }
    if (kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) {
        return fail(ACL_ERROR_INVALID_PARAM, "%s: there is no kind of copy %d", function, static_cast<int>(kind));
    }
    if (count > room) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes do not fit into a destination of %zu (destMax)",
                    function, count, room);
    }
    const aclError code = check_end(function, "dst", dst, count);
    return code == ACL_SUCCESS ? check_end(function, "src", src, count) : code;
}

struct Rectangle {
    void *dst;
    size_t dst_pitch;
    const void *src;
    size_t src_pitch;
    size_t width;
    size_t height;

    size_t extent(size_t pitch) const { return height == 0 || width == 0 ? 0 : (height - 1) * pitch + width; }
    void copy() const
    {
        for (size_t row = 0; row < height; ++row) {
            memmove(static_cast<char *>(dst) + row * dst_pitch, static_cast<const char *>(src) + row * src_pitch,
                    width);
        }
    }
};

aclError check_rectangle(const char *function, const Rectangle &part, aclrtMemcpyKind kind)
{
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST && kind != ACL_MEMCPY_DEVICE_TO_DEVICE &&
        kind != ACL_MEMCPY_DEFAULT) {
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind %d does not copy rows", function, static_cast<int>(kind));
    }
    if (part.width == 0 || part.height == 0 || part.width > part.dst_pitch || part.width > part.src_pitch) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: rows of %zu bytes, %zu of them, with pitches %zu and %zu",
                    function, part.width, part.height, part.dst_pitch, part.src_pitch);
    }
    const aclError code =
        check_copy(function, part.dst, part.extent(part.dst_pitch), part.src, part.width, kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    const aclError to = check_end(function, "dst", part.dst, part.extent(part.dst_pitch));
    return to == ACL_SUCCESS ? check_end(function, "src", part.src, part.extent(part.src_pitch)) : to;
}

class CopyTask : public Task {
public:
    explicit CopyTask(const Rectangle &part) : part_(part) {}
    aclError run(Stream &, std::string &) override
    {
        part_.copy();
        return ACL_SUCCESS;
    }
    const char *kind() const override { return "copy"; }
    bool anywhere() const override { return true; }

private:
    Rectangle part_;
};

class SetTask : public Task {
public:
    SetTask(void *memory, int value, size_t count) : memory_(memory), value_(value), count_(count) {}
    aclError run(Stream &, std::string &) override
    {
        memset(memory_, value_, count_);
        return ACL_SUCCESS;
    }
    const char *kind() const override { return "set"; }
    bool anywhere() const override { return true; }

private:
    void *memory_;
    int value_;
    size_t count_;
};

bool is_known(const void *address)
{
    Block block;
    size_t left = 0;
    return find_block(address, block, left);
}

// Memory that AscendCL does not know is copied when the call returns, after what the stream has to do before: it may be gone
// right after.
aclError copy_later(const char *function, const Rectangle &part, aclrtStream handle)
{
    aclError code;
    const std::shared_ptr<Stream> stream = runtime().stream(function, handle, code);
    code = stream == nullptr ? code : stream->submit(std::make_shared<CopyTask>(part));
    if (code == ACL_SUCCESS && !(is_known(part.dst) && is_known(part.src))) {
        stream->finish();
    }
    return code;
}

aclError check_set(const char *function, const void *memory, size_t room, size_t count)
{
    if (memory == nullptr) {
        return null_pointer(function, "devPtr");
    }
    if (count > room) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes do not fit into %zu (maxCount)", function, count, room);
    }
    return check_end(function, "devPtr", memory, count);
}

} // namespace
} // namespace opkg::acl

using namespace opkg::acl;

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return allocate_device("aclrtMalloc", devPtr, size, policy, 32);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return allocate_device("aclrtMallocAlign32", devPtr, size, policy, 0);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return allocate_device("aclrtMallocCached", devPtr, size, policy, 32);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *)
{
    return allocate_device("aclrtMallocWithCfg", devPtr, size, policy, 32);
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    if (hostPtr == nullptr) {
        return null_pointer("aclrtMallocHost", "hostPtr");
    }
    if (size == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: a size of 0");
    }
    return allocate("aclrtMallocHost", hostPtr, size, size, Place::kHost, 0);
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *)
{
    return aclrtMallocHost(ptr, static_cast<size_t>(size));
}

aclError aclrtFree(void *devPtr)
{
    const aclError code = take("aclrtFree", "devPtr", devPtr, Place::kDevice);
    if (code == ACL_SUCCESS) {
        remains().add(devPtr, busy_streams());
        remains().sweep();
    }
    return code;
}

aclError aclrtFreeHost(void *hostPtr)
{
    const aclError code = take("aclrtFreeHost", "hostPtr", hostPtr, Place::kHost);
    if (code == ACL_SUCCESS) {
        give_back(hostPtr);
    }
    return code;
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    if (ptr == nullptr || devPtr == nullptr) {
        return null_pointer("aclrtHostRegister", ptr == nullptr ? "ptr" : "devPtr");
    }
    if (size == 0 || type != ACL_HOST_REGISTER_MAPPED) {
        return fail(ACL_ERROR_INVALID_PARAM, "aclrtHostRegister: size %llu, type %d",
                    static_cast<unsigned long long>(size),
                    static_cast<int>(type));
    }
    if (!registered().add(ptr, {static_cast<size_t>(size), Place::kRegistered, 0})) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtHostRegister: %p is registered already", ptr);
    }
    *devPtr = ptr;
    return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void *ptr)
{
    if (ptr == nullptr) {
        return null_pointer("aclrtHostUnregister", "ptr");
    }
    return registered().remove(ptr, Place::kRegistered)
               ? ACL_SUCCESS
               : fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtHostUnregister: %p is not registered", ptr);
}

// Host and device see one memory, so there is nothing to write back.
aclError aclrtMemFlush(void *devPtr, size_t size)
{
    return devPtr == nullptr ? null_pointer("aclrtMemFlush", "devPtr")
                             : check_end("aclrtMemFlush", "devPtr", devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    return devPtr == nullptr ? null_pointer("aclrtMemInvalidate", "devPtr")
                             : check_end("aclrtMemInvalidate", "devPtr", devPtr, size);
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    if (ptr == nullptr || attributes == nullptr) {
        return null_pointer("aclrtPointerGetAttributes", ptr == nullptr ? "ptr" : "attributes");
    }
    Block block = {0, Place::kHost, 0};
    size_t left = 0;
    const bool known = find_block(ptr, block, left);
    *attributes = aclrtPtrAttributes();
    attributes->location.id = block.device;
    attributes->location.type = !known                        ? ACL_MEM_LOCATION_TYPE_UNREGISTERED
                                : block.place == Place::kHost ? ACL_MEM_LOCATION_TYPE_HOST
                                                              : ACL_MEM_LOCATION_TYPE_DEVICE;
    attributes->pageSize = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
    return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    if (free == nullptr || total == nullptr) {
        return null_pointer("aclrtGetMemInfo", free == nullptr ? "free" : "total");
    }
    if (attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_HUGE1G) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "aclrtGetMemInfo: there is no memory %d", static_cast<int>(attr));
    }
    aclError code;
    if (runtime().current("aclrtGetMemInfo", code) != nullptr) {
        const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        *free = static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
        *total = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * page;
    }
    return code;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    const aclError code = check_set("aclrtMemset", devPtr, maxCount, count);
    if (code == ACL_SUCCESS) {
        memset(devPtr, value, count);
    }
    return code;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    aclError code = check_set("aclrtMemsetAsync", devPtr, maxCount, count);
    const std::shared_ptr<Stream> where =
        code == ACL_SUCCESS ? runtime().stream("aclrtMemsetAsync", stream, code) : nullptr;
    return where == nullptr ? code : where->submit(std::make_shared<SetTask>(devPtr, value, count));
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    const aclError code = check_copy("aclrtMemcpy", dst, destMax, src, count, kind);
    if (code == ACL_SUCCESS) {
        memmove(dst, src, count);
    }
    return code;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
    const aclError code = check_copy("aclrtMemcpyAsync", dst, destMax, src, count, kind);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtMemcpyAsync: a stream does not copy from host to host");
    }
    return copy_later("aclrtMemcpyAsync", {dst, count, src, count, count, 1}, stream);
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream)
{
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
    const Rectangle part = {dst, dpitch, src, spitch, width, height};
    const aclError code = check_rectangle("aclrtMemcpy2d", part, kind);
    if (code == ACL_SUCCESS) {
        part.copy();
    }
    return code;
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream)
{
    const Rectangle part = {dst, dpitch, src, spitch, width, height};
    const aclError code = check_rectangle("aclrtMemcpy2dAsync", part, kind);
    return code == ACL_SUCCESS ? copy_later("aclrtMemcpy2dAsync", part, stream) : code;
}
