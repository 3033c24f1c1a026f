// SPDX-License-Identifier: Apache-2.0
// What the process owns: devices, contexts, streams, events. Handles are looked up, so one that was never given or has
// been destroyed is told from a good one.
#ifndef OPKG_ACL_RUNTIME_HPP
#define OPKG_ACL_RUNTIME_HPP

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "errors.hpp"
#include "opkg/soc_table.h"
#include "stream.hpp"

namespace opkg::acl {

struct Event;

struct Context {
    uint64_t number; // of the contexts of the process
    int32_t device;
    bool implicit; // made by aclrtSetDevice
    std::shared_ptr<Stream> default_stream;
    std::vector<std::shared_ptr<Stream>> streams;
    std::map<aclSysParamOpt, int64_t> options;
};

struct Device {
    uint32_t uses = 0; // SetDevice without ResetDevice
    std::shared_ptr<Context> context;
};

class Runtime {
public:
    // In a forked child, which has none of the streams' threads.
    void begin_afresh();

    aclError init(const char *config_path);
    aclError finalize();

    aclError set_device(int32_t id, const char *function);
    aclError reset_device(int32_t id, bool force, const char *function);
    aclError check_device(int64_t id, const char *function);

    aclError create_context(int32_t device, aclrtContext *out);
    aclError destroy_context(aclrtContext handle);
    aclError set_context(aclrtContext handle);
    // The thread's context, or NULL with 107002 recorded in `code`.
    std::shared_ptr<Context> current(const char *function, aclError &code);

    aclError create_stream(const char *function, aclrtStream *out);
    aclError destroy_stream(const char *function, aclrtStream handle, bool force);
    // The stream behind a handle (NULL: the default one), or NULL with `code` set.
    std::shared_ptr<Stream> stream(const char *function, aclrtStream handle, aclError &code);
    std::vector<std::shared_ptr<Stream>> streams_of_device(int32_t device);

    aclError create_event(const char *function, uint32_t flag, bool reusable, aclrtEvent *out);
    aclError destroy_event(aclrtEvent handle);
    std::shared_ptr<Event> event(const char *function, aclrtEvent handle, aclError &code);

    const SocInfo &soc() const { return *soc_.load(); }
    // Unless OPKG_SOC names a chip.
    void use_npu_arch(uint32_t npu_arch);
    uint32_t device_count() const { return device_count_; }

    std::map<aclSysParamOpt, int64_t> options; // guarded by mutex
    std::mutex mutex;

private:
    std::vector<std::shared_ptr<Stream>> take_streams(Context &context);
    void close_context(const std::shared_ptr<Context> &context);

    std::atomic<const SocInfo *> soc_{default_soc()};
    uint32_t device_count_ = default_device_count();
    bool initialised_ = false;
    bool finalised_ = false;
    int32_t next_stream_ = 1;
    uint64_t next_context_ = 1;
    std::map<int32_t, Device> devices_;
    std::unordered_map<Context *, std::shared_ptr<Context>> contexts_;
    std::unordered_map<Stream *, std::shared_ptr<Stream>> streams_;
    std::unordered_map<Event *, std::shared_ptr<Event>> events_;

    static const SocInfo *default_soc();
    static uint32_t default_device_count();
};

// Never destroyed: stream threads may run until the process ends.
Runtime &runtime();

// Makes a context the calling thread's, without checks (a stream's own thread).
void adopt_context(Context &context);

// From the first call on the end of the program stops the streams. What the program itself made before the call is
// destroyed after that.
void leave_at_exit();

} // namespace opkg::acl

#endif // OPKG_ACL_RUNTIME_HPP
