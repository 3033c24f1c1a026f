// SPDX-License-Identifier: Apache-2.0
// TPipe, queues and buffers. A queue here only hands buffers round: instructions run in program order, so the
// synchronisation that a queue carries on the chip is always satisfied.
#ifndef OPKG_TWIN_PIPE_H
#define OPKG_TWIN_PIPE_H

#include "twin/data_copy.h"

namespace opkg::twin {

constexpr const char *name_of(AscendC::TPosition position)
{
    constexpr const char *names[] = {"GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECIN", "VECOUT",
                                     "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return names[static_cast<uint8_t>(position)];
}

} // namespace opkg::twin

namespace AscendC {

class TPipe;
using TBufHandle = uint8_t *;
template <typename Derived>
class BufferSource;

// Buffers that travel from one position to another. depth is how many may wait at once; 0 selects the in-place forms.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
public:
    static constexpr TPosition position =
        dst != TPosition::TSCM && (src == TPosition::VECIN || dst == TPosition::GM) ? src : dst;

    template <typename T>
    LocalTensor<T> AllocTensor()
    {
        opkg::twin::Slot *slot = opkg_twin_allocate_slot(slots_, count_, opkg::twin::name_of(position));
        OPKG_TWIN_HOOK(check<src, dst>(opkg::twin::kAllocTensor, slot->address));
        return LocalTensor<T>(slot->address, slot->bytes, position, slot);
    }
    template <typename T>
    void AllocTensor(LocalTensor<T> &tensor)
    {
        tensor = AllocTensor<T>();
    }
    template <typename T>
    bool EnQue(const LocalTensor<T> &tensor)
    {
        return EnQue<src, dst>(tensor);
    }
    template <TPosition from, TPosition to, typename T>
    bool EnQue(const LocalTensor<T> &tensor)
    {
        OPKG_TWIN_HOOK(check<from, to>(opkg::twin::kEnQue, tensor.place()));
        if (waiting_ == kRing) {
            return false;
        }
        opkg::twin::Slot *slot = tensor.slot();
        if (slot != nullptr) {
            slot->state = 2;
        }
        Entry &entry = queue_[(first_ + waiting_) % kRing];
        entry.address = tensor.place();
        entry.bytes = slot != nullptr ? slot->bytes : tensor.GetLength();
        entry.slot = slot;
        ++waiting_;
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue()
    {
        return DeQue<src, dst, T>();
    }
    template <TPosition from, TPosition to, typename T>
    LocalTensor<T> DeQue()
    {
        if (waiting_ == 0) {
            opkg_twin_empty_queue(opkg::twin::name_of(position));
        }
        const Entry entry = queue_[first_];
        first_ = (first_ + 1) % kRing;
        --waiting_;
        if (entry.slot != nullptr) {
            entry.slot->state = 1;
        }
        if constexpr (from == TPosition::VECIN && to == TPosition::VECOUT) { // as a wait of copies out for copies in
            opkg::twin::settle();
        }
        OPKG_TWIN_HOOK(check<from, to>(opkg::twin::kDeQue, entry.address));
        return LocalTensor<T>(entry.address, entry.bytes, position, entry.slot);
    }
    template <typename T>
    void DeQue(LocalTensor<T> &tensor)
    {
        tensor = DeQue<T>();
    }
    template <typename T>
    void FreeTensor(LocalTensor<T> &tensor)
    {
        OPKG_TWIN_HOOK(check<src, dst>(opkg::twin::kFreeTensor, tensor.place()));
        opkg_twin_free_slot(slots_, count_, tensor.slot(), opkg::twin::name_of(position));
    }
    void FreeAllEvent() {}

    // For pools that hand out memory themselves (EXTERN_IMPL_BUFPOOL): so many buffers, then the place of each of them.
    void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t len)
    {
        require_room(num);
        count_ = num;
        first_ = waiting_ = 0;
        for (uint32_t i = 0; i < num; ++i) {
            slots_[i] = {nullptr, len, 0, 0};
        }
    }
    template <typename Pool>
    void InitBufHandle(Pool *pool, uint32_t index, TBufHandle, uint32_t offset, uint32_t len)
    {
        if (index >= count_) {
            opkg_twin_fail("InitBufHandle of buffer %u of a queue of %s that has %u", index, opkg::twin::name_of(position),
                           count_);
        }
        slots_[index] = {pool->opkg_pool().place(offset, len, opkg::twin::name_of(position)), len, 0, 0};
        OPKG_TWIN_HOOK(opkg_twin_check_buffers(OPKG_TWIN_HEADERS, slots_[index].address, len, 1, this,
                                               static_cast<uint32_t>(src), static_cast<uint32_t>(dst)));
    }

    bool VacantInQue() const { return waiting_ < (depth > 0 ? static_cast<uint32_t>(depth) : 1u); }
    bool HasTensorInQue() const { return waiting_ > 0; }
    int32_t GetTensorCountInQue() const { return static_cast<int32_t>(waiting_); }
    bool HasIdleBuffer() const
    {
        for (uint32_t i = 0; i < count_; ++i) {
            if (slots_[i].state == 0) {
                return true;
            }
        }
        return false;
    }

private:
    template <typename>
    friend class BufferSource;

#ifdef OPKG_TWIN_CHECK
    template <TPosition from, TPosition to>
    void check(opkg::twin::QueueStep step, const uint8_t *address) const
    {
        opkg_twin_check_queue(OPKG_TWIN_HEADERS, step, address, static_cast<uint32_t>(from), static_cast<uint32_t>(to));
    }
#endif

    static void require_room(uint32_t num)
    {
        if (num > kRing) {
            opkg_twin_fail("InitBuffer: %u buffers for one queue of %s, at most %u are possible", num,
                           opkg::twin::name_of(position), kRing);
        }
    }

    struct Entry {
        uint8_t *address;
        uint32_t bytes;
        opkg::twin::Slot *slot;
    };
    static constexpr uint32_t kInline = depth > 8 ? depth : 8;
    static constexpr uint32_t kRing = kInline * 2;

    opkg::twin::Slot slots_[kRing];
    Entry queue_[kRing];
    uint32_t count_ = 0;
    uint32_t first_ = 0;
    uint32_t waiting_ = 0;
};

// What a kernel may say of a queue when it is compiled, by the address of a constant. Sizes and numbers are hints.
struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

} // namespace AscendC

namespace opkg::twin {

template <auto mask>
constexpr bool converts()
{
    if constexpr (std::is_pointer<decltype(mask)>::value) {
        return mask->nd2nz || mask->nz2nd;
    } else {
        return false;
    }
}

} // namespace opkg::twin

namespace AscendC {

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<pos, pos, depth, mask> {
    static_assert(!opkg::twin::converts<mask>(), "the twin has no queues that convert between ND and NZ (TQueConfig)");
};

// Buffers in L1 that a vector core fills and its cube core reads.
template <TPosition pos, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<pos, TPosition::TSCM, depth, mask> {
};

template <TPosition pos = TPosition::VECCALC>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get()
    {
        return LocalTensor<T>(address_, bytes_, pos);
    }
    template <typename T>
    LocalTensor<T> Get(uint32_t elements)
    {
        return LocalTensor<T>(address_, static_cast<uint32_t>(opkg::twin::bytes_of<T>(elements)), pos);
    }
    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t elements, uint32_t offset)
    {
        return LocalTensor<T>(address_ + offset, static_cast<uint32_t>(opkg::twin::bytes_of<T>(elements)), pos);
    }
    uint32_t GetBufLen() const { return bytes_; }

    // The functions of a queue: a TBuf is one buffer that never has to be waited for.
    template <typename T>
    LocalTensor<T> AllocTensor()
    {
        return Get<T>();
    }
    template <typename T>
    bool EnQue(const LocalTensor<T> &)
    {
        return true;
    }
    template <typename T>
    LocalTensor<T> DeQue()
    {
        return Get<T>();
    }
    template <typename T>
    void FreeTensor(LocalTensor<T> &)
    {
    }

    void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t len)
    {
        if (num != 1) {
            opkg_twin_fail("InitStartBufHandle of a TBuf with %u buffers; a TBuf has 1", num);
        }
        bytes_ = len;
    }
    template <typename Pool>
    void InitBufHandle(Pool *pool, uint32_t, TBufHandle, uint32_t offset, uint32_t len)
    {
        address_ = pool->opkg_pool().place(offset, len, opkg::twin::name_of(pos));
        bytes_ = len;
        OPKG_TWIN_HOOK(opkg_twin_check_buffers(OPKG_TWIN_HEADERS, address_, len, 1, nullptr, static_cast<uint32_t>(pos),
                                               static_cast<uint32_t>(pos)));
    }

private:
    template <typename>
    friend class BufferSource;

    uint8_t *address_ = nullptr;
    uint32_t bytes_ = 0;
};

// InitBuffer and InitBufPool, over whatever hands out memory: Derived::take(buffer, bytes, position's name).
template <typename Derived>
class BufferSource {
public:
    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t num, uint32_t bytes)
    {
        using Queue = TQueBind<src, dst, depth, mask>;
        Queue::require_room(num);
        const uint32_t size = (bytes + 31u) / 32u * 32u;
        uint8_t *memory = static_cast<Derived *>(this)->take(opkg::twin::buffer_of(Queue::position), static_cast<uint64_t>(size) * num,
                                         opkg::twin::name_of(Queue::position));
        for (uint32_t i = 0; i < num; ++i) {
            queue.slots_[i] = {memory + static_cast<size_t>(size) * i, size, 0, 0};
        }
        queue.count_ = num;
        queue.first_ = queue.waiting_ = 0;
        OPKG_TWIN_HOOK(opkg_twin_check_buffers(OPKG_TWIN_HEADERS, memory, size, num, &queue, static_cast<uint32_t>(src),
                                               static_cast<uint32_t>(dst)));
        return true;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos> &buffer, uint32_t bytes)
    {
        buffer.bytes_ = (bytes + 31u) / 32u * 32u;
        buffer.address_ = static_cast<Derived *>(this)->take(opkg::twin::buffer_of(pos), buffer.bytes_, opkg::twin::name_of(pos));
        OPKG_TWIN_HOOK(opkg_twin_check_buffers(OPKG_TWIN_HEADERS, buffer.address_, buffer.bytes_, 1, nullptr,
                                               static_cast<uint32_t>(pos), static_cast<uint32_t>(pos)));
        return true;
    }
    template <typename Pool>
    bool InitBufPool(Pool &pool, uint32_t bytes)
    {
        const uint32_t size = (bytes + 31u) / 32u * 32u;
        pool.begin(static_cast<Derived *>(this)->take(opkg::twin::buffer_of(Pool::position), size,
                                                      opkg::twin::name_of(Pool::position)),
                   size);
        return true;
    }
    // Two pools in one place, used one after the other.
    template <typename Pool, typename Shared>
    bool InitBufPool(Pool &pool, uint32_t bytes, Shared &shared)
    {
        const uint32_t size = (bytes + 31u) / 32u * 32u;
        if (shared.start() == nullptr || size > shared.size()) {
            opkg_twin_fail("InitBufPool of %u bytes in the place of a TBufPool that has %u", size, shared.size());
        }
        pool.begin(shared.start(), size);
        return true;
    }
};

// A part of a buffer that hands out queues and buffers of its own.
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool : public BufferSource<TBufPool<pos, bufIDSize>> {
public:
    static constexpr TPosition position = pos;

    void Reset() { used_ = 0; }

    void begin(uint8_t *start, uint32_t bytes)
    {
        start_ = start;
        bytes_ = bytes;
        used_ = 0;
    }
    uint8_t *start() const { return start_; }
    uint32_t size() const { return bytes_; }
    uint8_t *take(uint32_t, uint64_t bytes, const char *what)
    {
        if (bytes > bytes_ - used_) {
            opkg_twin_fail("InitBuffer asks a TBufPool for %llu bytes at %s, but only %u of its %u bytes are left",
                           static_cast<unsigned long long>(bytes), what, bytes_ - used_, bytes_);
        }
        uint8_t *memory = start_ + used_;
        used_ += static_cast<uint32_t>(bytes);
        return memory;
    }

private:
    uint8_t *start_ = nullptr;
    uint32_t bytes_ = 0;
    uint32_t used_ = 0;
};

} // namespace AscendC

namespace opkg::twin {

// What EXTERN_IMPL_BUFPOOL puts into a class: a part of a buffer whose addresses the class hands out as it likes.
template <uint32_t buffers>
class OwnPool {
public:
    void begin(uint8_t *start, uint32_t bytes, Buffer buffer)
    {
        base_ = opkg_twin_buffer(buffer);
        begin_ = static_cast<uint32_t>(start - base_);
        bytes_ = bytes;
        reset();
    }
    void reset()
    {
        used_buffers = 0;
        address = begin_;
    }
    uint8_t *start() const { return base_ == nullptr ? nullptr : base_ + begin_; }
    uint32_t size() const { return bytes_; }
    uint8_t *handle(uint32_t index)
    {
        if (index >= buffers) {
            opkg_twin_fail("GetBufHandle(%u) of a pool that has %u buffers", index, buffers);
        }
        return reinterpret_cast<uint8_t *>(&handles_[index]);
    }
    uint8_t *place(uint32_t offset, uint32_t bytes, const char *what) const
    {
        if (offset < begin_ || static_cast<uint64_t>(offset) + bytes > static_cast<uint64_t>(begin_) + bytes_) {
            opkg_twin_fail("InitBufHandle of %u bytes at offset %u for %s is outside of its pool, which has %u bytes at %u",
                           bytes, offset, what, bytes_, begin_);
        }
        return base_ + offset;
    }

    uint32_t address = 0;
    uint8_t used_buffers = 0;

private:
    uint8_t *base_ = nullptr;
    uint32_t begin_ = 0;
    uint32_t bytes_ = 0;
    uint8_t handles_[buffers] = {};
};

} // namespace opkg::twin

// A pool of the user's own: the class itself decides where in the pool buffers are.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                                         \
public:                                                                                                                \
    static constexpr AscendC::TPosition position = POSITION;                                                           \
    static constexpr AscendC::TPosition poolPos = POSITION;                                                            \
    ~EXT_BUFPOOL() { Reset(); }                                                                                        \
    void Init() { opkg_own_pool_.reset(); }                                                                            \
    void Reset() { opkg_own_pool_.reset(); }                                                                           \
    AscendC::TBufHandle GetBufHandle(uint8_t offset) { return opkg_own_pool_.handle(offset); }                         \
    void SetCurAddr(uint32_t curAddr) { opkg_own_pool_.address = curAddr; }                                            \
    uint32_t GetCurAddr() { return opkg_own_pool_.address; }                                                           \
    void SetCurBufSize(uint8_t curBufSize) { opkg_own_pool_.used_buffers = curBufSize; }                               \
    uint8_t GetCurBufSize() { return opkg_own_pool_.used_buffers; }                                                    \
    void begin(uint8_t *opkg_start, uint32_t opkg_bytes)                                                               \
    {                                                                                                                  \
        opkg_own_pool_.begin(opkg_start, opkg_bytes, opkg::twin::buffer_of(POSITION));                                 \
    }                                                                                                                  \
    uint8_t *start() const { return opkg_own_pool_.start(); }                                                          \
    uint32_t size() const { return opkg_own_pool_.size(); }                                                            \
    const opkg::twin::OwnPool<BUFID_SIZE> &opkg_pool() const { return opkg_own_pool_; }                                \
                                                                                                                       \
private:                                                                                                               \
    opkg::twin::OwnPool<BUFID_SIZE> opkg_own_pool_

namespace AscendC {

class TPipe : public BufferSource<TPipe> {
public:
    TPipe() { Init(); }
    TPipe(const TPipe &) = delete;
    TPipe &operator=(const TPipe &) = delete;
    ~TPipe() { Destroy(); }

    void Init()
    {
        Reset();
        opkg_twin_core->pipe = this;
    }
    void Reset()
    {
        OPKG_TWIN_HOOK(opkg_twin_check_reset());
        for (uint32_t &used : opkg_twin_core->used) {
            used = 0;
        }
        for (uint8_t &ids : opkg_twin_core->events) {
            ids = 0;
        }
    }
    void Destroy()
    {
        OPKG_TWIN_HOOK(opkg_twin_check_barrier(PIPE_ALL));
        if (opkg_twin_core->pipe == this) {
            opkg_twin_core->pipe = nullptr;
        }
    }
    void DestroyWithoutPipeAll() { Destroy(); }

    template <HardEvent event>
    TEventID AllocEventID()
    {
        return opkg_twin_allocate_event(static_cast<uint32_t>(event));
    }
    template <HardEvent event>
    void ReleaseEventID(TEventID id)
    {
        opkg_twin_release_event(static_cast<uint32_t>(event), id);
    }
    template <HardEvent event>
    TEventID FetchEventID()
    {
        return FetchEventID(event);
    }
    TEventID FetchEventID(HardEvent event) { return opkg_twin_fetch_event(static_cast<uint32_t>(event)); }

    uint8_t *take(uint32_t buffer, uint64_t bytes, const char *what) { return opkg_twin_take(buffer, bytes, what); }

    // Room for what the Unified Buffer cannot hold: in global memory, or on older chips in L1. Offsets in bytes.
    template <typename T>
    void InitSpmBuffer(const GlobalTensor<T> &workspace, const int32_t bufferSize)
    {
        spill_ = {reinterpret_cast<uint8_t *>(workspace.data()), bufferSize, true};
    }
    template <int32_t arch = __NPU_ARCH__>
    void InitSpmBuffer(const int32_t bufferSize)
    {
        static_assert(arch == 2002 || arch == 1001, "InitSpmBuffer in L1, without a workspace, is not there on this SoC");
        const uint64_t bytes = static_cast<uint64_t>(bufferSize > 0 ? bufferSize : 0);
        spill_ = {take(opkg::twin::kL1, bytes, "SPM"), bufferSize, false};
    }
    template <typename T>
    void WriteSpmBuffer(const LocalTensor<T> &writeBuffer, const DataCopyParams &p, int32_t writeOffset = 0)
    {
        const uint64_t bytes = extent_of(p, p.dstStride);
        if (spill_.global) {
            DataCopy(spilled_globally<T>("WriteSpmBuffer", writeOffset, bytes), writeBuffer, p);
        } else {
            DataCopy(spilled_locally<T>("WriteSpmBuffer", writeOffset, bytes), writeBuffer, p);
        }
    }
    template <typename T>
    void WriteSpmBuffer(const LocalTensor<T> &writeBuffer, const int32_t writeSize, int32_t writeOffset = 0)
    {
        WriteSpmBuffer(writeBuffer, whole_blocks_of<T>(writeSize), writeOffset);
    }
    template <typename T>
    void ReadSpmBuffer(const LocalTensor<T> &readBuffer, const DataCopyParams &p, int32_t readOffset = 0)
    {
        const uint64_t bytes = extent_of(p, p.srcStride);
        if (spill_.global) {
            DataCopy(readBuffer, spilled_globally<T>("ReadSpmBuffer", readOffset, bytes), p);
        } else {
            DataCopy(readBuffer, spilled_locally<T>("ReadSpmBuffer", readOffset, bytes), p);
        }
    }
    template <typename T>
    void ReadSpmBuffer(const LocalTensor<T> &readBuffer, const int32_t readSize, int32_t readOffset = 0)
    {
        ReadSpmBuffer(readBuffer, whole_blocks_of<T>(readSize), readOffset);
    }

    // A template, so that only kernels which call it are taken to keep addresses.
    template <typename T = uint8_t>
    T *GetBaseAddr(int8_t position)
    {
        static_cast<void>(&opkg::twin::UsesElements<T>::noted);
        return opkg_twin_buffer(opkg::twin::buffer_of(static_cast<TPosition>(position)));
    }

private:
    struct Spill {
        uint8_t *start = nullptr;
        int32_t bytes = 0;
        bool global = true;
    };

    static uint64_t extent_of(const DataCopyParams &p, uint32_t gap)
    {
        return p.blockCount == 0 ? 0 : (uint64_t{p.blockCount} * (p.blockLen + gap) - gap) * opkg::twin::kBlock;
    }
    template <typename T>
    static DataCopyParams whole_blocks_of(int32_t elements)
    {
        const uint64_t bytes = opkg::twin::bytes_of<T>(static_cast<uint64_t>(elements > 0 ? elements : 0));
        return DataCopyParams(1, static_cast<uint16_t>(bytes / opkg::twin::kBlock), 0, 0);
    }
    uint8_t *spilled(const char *function, int32_t offset, uint64_t bytes) const
    {
        if (offset < 0 || static_cast<uint64_t>(offset) + bytes > static_cast<uint64_t>(spill_.bytes)) {
            opkg_twin_fail("%s of %llu bytes at offset %d of an SPM buffer that has %d", function,
                           static_cast<unsigned long long>(bytes), offset, spill_.bytes);
        }
        return spill_.start + offset;
    }
    template <typename T>
    GlobalTensor<T> spilled_globally(const char *function, int32_t offset, uint64_t bytes) const
    {
        GlobalTensor<T> place;
        place.SetGlobalBuffer(reinterpret_cast<T *>(spilled(function, offset, bytes)), opkg::twin::elements_in<T>(bytes));
        return place;
    }
    template <typename T>
    LocalTensor<T> spilled_locally(const char *function, int32_t offset, uint64_t bytes) const
    {
        return LocalTensor<T>(spilled(function, offset, bytes), static_cast<uint32_t>(bytes), TPosition::SPM);
    }

    Spill spill_;
};

// Tensors without queues: memory from the start of a buffer, in order, for as long as the core runs.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
public:
    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t elements)
    {
        const uint64_t bytes = (opkg::twin::bytes_of<DataType>(elements) + 31u) / 32u * 32u;
        const uint32_t capacity = opkg_twin_core->capacity[kBuffer];
        if (bytes > capacity - used_) {
            opkg_twin_fail("LocalMemAllocator: %llu bytes are asked for, but only %u of the buffer's %u are left",
                           static_cast<unsigned long long>(bytes), capacity - used_, capacity);
        }
        uint8_t *memory = opkg_twin_buffer(kBuffer) + used_;
        used_ += static_cast<uint32_t>(bytes);
        return LocalTensor<DataType>(memory, static_cast<uint32_t>(opkg::twin::bytes_of<DataType>(elements)), pos);
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t elements)
    {
        return Alloc<kPosition, DataType>(elements);
    }
    template <class DataType, uint32_t elements>
    LocalTensor<DataType> Alloc()
    {
        return Alloc<kPosition, DataType>(elements);
    }
    template <TPosition pos, class DataType, uint32_t elements>
    LocalTensor<DataType> Alloc()
    {
        return Alloc<pos, DataType>(elements);
    }
    uint32_t GetCurAddr() const { return used_; }

private:
    static constexpr opkg::twin::Buffer kBuffer = hard == Hardware::UB    ? opkg::twin::kUb
                                                  : hard == Hardware::L1  ? opkg::twin::kL1
                                                  : hard == Hardware::L0A ? opkg::twin::kL0A
                                                  : hard == Hardware::L0B ? opkg::twin::kL0B
                                                  : hard == Hardware::L0C ? opkg::twin::kL0C
                                                                          : opkg::twin::kBiasTable;
    static constexpr TPosition kPosition = hard == Hardware::UB    ? TPosition::VECCALC
                                           : hard == Hardware::L1  ? TPosition::A1
                                           : hard == Hardware::L0A ? TPosition::A2
                                           : hard == Hardware::L0B ? TPosition::B2
                                           : hard == Hardware::L0C ? TPosition::CO1
                                                                   : TPosition::C2;
    uint32_t used_ = 0;
};

inline TPipe *GetTPipePtr()
{
    if (opkg_twin_core->pipe == nullptr) {
        opkg_twin_fail("GetTPipePtr where no TPipe is alive");
    }
    return static_cast<TPipe *>(opkg_twin_core->pipe);
}

// All that is left of a buffer.
template <typename T, TPosition pos>
inline bool PopStackBuffer(LocalTensor<T> &popLocal)
{
    constexpr opkg::twin::Buffer kind = opkg::twin::buffer_of(pos);
    const uint32_t used = opkg_twin_core->used[kind];
    popLocal = LocalTensor<T>(opkg_twin_buffer(kind) + used, opkg_twin_core->capacity[kind] - used, pos);
    return true;
}

} // namespace AscendC

using AscendC::GetTPipePtr;

#endif // OPKG_TWIN_PIPE_H
