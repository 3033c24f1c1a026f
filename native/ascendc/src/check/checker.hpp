// SPDX-License-Identifier: Apache-2.0
// The checker of one launch and of each of its cores.
#ifndef OPKG_TWIN_CHECK_CHECKER_HPP
#define OPKG_TWIN_CHECK_CHECKER_HPP

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "core.hpp"
#include "findings.hpp"
#include "interval_map.hpp"
#include "sites.hpp"
#include "twin/access.h"

namespace opkg::twin::check {

// An access in the past: which pipe, when, where in the program. time 0: none.
struct Epoch {
    uint32_t pipe = 0;
    uint32_t time = 0;
    uint32_t site = 0;

    bool operator==(const Epoch &other) const
    {
        return pipe == other.pipe && time == other.time && site == other.site;
    }
};

enum Content : uint32_t { kNeverWritten, kDefined, kDerived }; // kDerived: computed from bytes that were never written

// What is known of a byte in a buffer of a core.
struct LocalByte {
    Epoch write;
    Epoch reads[kPipes];
    uint32_t content = kNeverWritten;
    uint32_t origin = 0; // of kDerived: a number of CoreChecker::origins_

    bool operator==(const LocalByte &other) const;
};

// And of a byte in global memory.
struct GlobalEpoch {
    uint32_t core = 0;
    Epoch epoch;
    bool atomic = false;

    bool operator==(const GlobalEpoch &other) const
    {
        return core == other.core && epoch == other.epoch && atomic == other.atomic;
    }
};
struct GlobalByte {
    GlobalEpoch write;
    std::vector<GlobalEpoch> reads;

    bool operator==(const GlobalByte &other) const { return write == other.write && reads == other.reads; }
};

class CoreChecker;

class LaunchChecker {
public:
    explicit LaunchChecker(const char *kernel) : findings(kernel) {}

    Findings findings;
    std::atomic<bool> stopped{false}; // a core has ended before its kernel did

    // How often each core has come to a SyncAll, and where last.
    void count_sync(uint32_t core, const std::string &name, uint32_t site);
    void report_unequal_sync();

    std::mutex mutex;
    IntervalMap<GlobalByte> global;               // under the mutex, as the rest
    std::map<std::pair<uint64_t, uint64_t>, Clock> published;

    // Kinds of keys of `published`: flags between cores, words of memory; those of SyncAll come behind, and are counted.
    static constexpr uint64_t kFlags = 0;
    static constexpr uint64_t kWords = 1;
    static constexpr uint64_t kSyncs = 2;

private:
    struct SyncCount {
        std::string name;
        uint32_t count = 0;
        uint32_t site = 0;
    };
    std::map<uint32_t, SyncCount> syncs_;
};

// A piece of a buffer that InitBuffer handed out.
struct Region {
    uint64_t begin;
    uint64_t end;
    const void *owner; // the queue, or NULL
    uint32_t source;
    uint32_t destination;
    uint32_t site;     // of InitBuffer
    uint32_t state;    // kFree…; a TBuf is always kInUse
    uint32_t state_site;
    bool escaped;      // the kernel has a bare pointer to it
};
enum RegionState : uint32_t { kFree, kInUse, kInQueue };

struct Range {
    uint64_t begin;
    uint64_t end;
};

inline constexpr uint32_t kGlobal = kBufferKinds;   // places beside the buffers
inline constexpr uint32_t kElsewhere = kGlobal + 1; // registers, the stack of the host

struct Operand {
    Touched touched;
    uint32_t place;
    std::vector<Range> runs; // in the order of elements
};

class CoreChecker {
public:
    CoreChecker(Core &core, LaunchChecker &launch, const void *stack_limit);

    void enter(const char *name, const void *frame, uint32_t pipe, const Touched *operands, uint32_t count);
    void leave();
    void note(const void *address, uint64_t extent, uint32_t position, uint32_t dtype);
    void escape(const void *address, uint64_t extent);
    void global_buffer(const void *frame, const void *address, uint64_t bytes);
    void flag(const void *frame, bool set, uint32_t event, int32_t id);
    void barrier(uint32_t pipe);
    void buffers(const void *frame, const void *address, uint64_t bytes, uint32_t count, const void *owner,
                 uint32_t source, uint32_t destination);
    void queue(const void *frame, uint32_t step, const void *address, uint32_t source, uint32_t destination);
    void sync(const void *frame, uint32_t step, uint64_t key, uint32_t pipe);
    void tiling(const void *frame, const void *data, uint64_t bytes);
    void reset();
    void copy_size(const void *frame, const void *local, uint64_t bytes);
    // An instruction or queue gives up: the sentence becomes a finding.
    void failure(const void *frame, Kind kind, const char *message);
    void end();

private:
    struct Note {
        uint64_t address;
        uint64_t extent;
        uint32_t position;
        uint32_t dtype;
    };
    struct GlobalBuffer {
        uint64_t begin;
        uint64_t end;
        uint32_t site;
    };
    struct Flag {
        uint32_t count = 0;
        uint32_t site = 0;
        Clock clock;
    };
    struct Origin {
        uint32_t site;
        std::string tensor;
        uint32_t tensor_site;
        uint64_t offset;
        uint64_t bytes;
    };
    // A write over another core's write, or one of its own pipe's: harmless if it writes what is there.
    struct Doubtful {
        Finding finding;
        uint64_t begin;
        std::vector<uint8_t> before;
    };

    uint32_t site(const char *name, const void *frame) const;
    uint32_t place_of(uint64_t address) const;
    Region *region_of(uint64_t address);
    const GlobalBuffer *global_of(uint64_t address) const;
    Finding finding(Kind kind, uint32_t place, uint64_t begin, uint64_t bytes);
    void name_tensor(Finding &finding, uint32_t place, uint64_t begin);

    Operand prepare(const Touched &touched, bool copies);
    void settle_notes();
    Pipe pipe_between(const std::vector<Operand> &operands) const;
    bool check_operand(const Operand &operand);
    void access(const Operand &operand, bool writes);
    bool behind_its_memory(uint64_t address) const;
    bool check_extent(const Operand &operand, bool writes);
    void check_alignment(const Operand &operand);
    void check_state(const Operand &operand);

    void access_local(const Operand &operand, bool writes);
    void order_by_word(uint64_t address, bool writes);
    void access_global(const Operand &operand, bool writes);
    void conflict_local(uint32_t place, uint64_t begin, uint64_t end, const Epoch &earlier, bool writes, bool wrote);
    void conflict_global(uint64_t begin, uint64_t end, const GlobalEpoch &earlier, bool writes, bool wrote);
    bool follows_from_reported(const Epoch &earlier) const;
    bool ordered(const Epoch &earlier, bool writes, bool wrote);
    std::string missing_call(uint32_t place, uint64_t begin, uint32_t earlier) const;

    struct Undefined {
        uint64_t never = 0;   // bytes that nothing has written
        uint64_t derived = 0; // bytes computed from such
        uint64_t total = 0;
        uint64_t first = 0;
        uint32_t origin = 0;
    };
    struct Spread {
        const Operand *from;
        uint32_t origin;
    };
    struct Mark {
        std::vector<Range> ranges;
        uint32_t origin;
    };
    Undefined undefined_in(uint32_t place, const std::vector<Range> &runs) const;
    Undefined undefined_blocks_in(uint32_t place, const std::vector<Range> &runs) const;
    bool has_escaped(const Operand &operand);
    void check_content(const std::vector<Operand> &operands);
    std::vector<Spread> sources_without_content(const std::vector<Operand> &operands);
    std::vector<Mark> marks_for(const Operand &to, const std::vector<Spread> &spreads) const;
    void set_content(const std::vector<Range> &ranges, Content content, uint32_t origin);
    void report_undefined(const Operand &operand, const Undefined &undefined);
    uint32_t origin_of(const Operand &operand, const Undefined &undefined);

    bool is_defined(uint64_t address) const;
    void check_cast(const Operand &from, const Operand &to);
    void look_for_overflow_before();
    void look_for_overflow_after();

    Core &core_;
    LaunchChecker &launch_;
    const void *stack_limit_;
    std::string name_;
    bool auto_sync_;
    Pipes pipes_;
    IntervalMap<LocalByte> local_[kBufferKinds];
    std::map<uint64_t, Region> regions_;
    std::vector<GlobalBuffer> globals_;
    std::vector<Note> notes_;
    std::map<std::pair<uint32_t, int32_t>, Flag> flags_;
    std::map<uint64_t, Clock> enqueued_;
    std::map<uint64_t, Clock> freed_;
    std::vector<Origin> origins_;
    uint64_t syncs_ = 0;

    // The instruction at hand.
    uint32_t depth_ = 0;
    const char *instruction_ = "";
    uint32_t site_ = 0;
    Pipe pipe_ = kScalar;
    std::vector<Operand> operands_;
    std::vector<Doubtful> doubtful_;
    std::vector<Epoch> reported_; // accesses that the present one has not waited for
    int32_t overflow_operand_ = -1;
};

inline CoreChecker *checker_of(Core *core) { return core == nullptr ? nullptr : static_cast<CoreChecker *>(core->checker); }

} // namespace opkg::twin::check

#endif // OPKG_TWIN_CHECK_CHECKER_HPP
