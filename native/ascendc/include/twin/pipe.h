// SPDX-License-Identifier: Apache-2.0
// TPipe, queues and buffers. A queue here only hands buffers round: instructions run in program order, so the
// synchronisation that a queue carries on the chip is always satisfied.
#ifndef OPKG_TWIN_PIPE_H
#define OPKG_TWIN_PIPE_H

#include "twin/tensor.h"

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

// Buffers that travel from one position to another. depth is how many may wait at once; 0 selects the in-place forms.
template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
public:
    static constexpr TPosition position = src == TPosition::VECIN || dst == TPosition::GM ? src : dst;

    template <typename T>
    LocalTensor<T> AllocTensor()
    {
        opkg::twin::Slot *slot = opkg_twin_allocate_slot(slots_, count_, opkg::twin::name_of(position));
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
        if (waiting_ == kRing) {
            return false;
        }
        opkg::twin::Slot *slot = tensor.slot();
        if (slot != nullptr) {
            slot->state = 2;
        }
        Entry &entry = queue_[(first_ + waiting_) % kRing];
        entry.address = reinterpret_cast<uint8_t *>(tensor.data());
        entry.bytes = slot != nullptr ? slot->bytes : tensor.GetLength();
        entry.slot = slot;
        ++waiting_;
        return true;
    }
    template <TPosition from, TPosition to, typename T>
    bool EnQue(const LocalTensor<T> &tensor)
    {
        return EnQue(tensor);
    }
    template <typename T>
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
        return LocalTensor<T>(entry.address, entry.bytes, position, entry.slot);
    }
    template <typename T>
    void DeQue(LocalTensor<T> &tensor)
    {
        tensor = DeQue<T>();
    }
    template <TPosition from, TPosition to, typename T>
    LocalTensor<T> DeQue()
    {
        return DeQue<T>();
    }
    template <typename T>
    void FreeTensor(LocalTensor<T> &tensor)
    {
        opkg_twin_free_slot(slots_, count_, tensor.slot(), opkg::twin::name_of(position));
    }
    void FreeAllEvent() {}

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
    friend class TPipe;
    friend class TBufPoolBase;

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

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<pos, pos, depth, mask> {
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

private:
    friend class TPipe;
    friend class TBufPoolBase;

    uint8_t *address_ = nullptr;
    uint32_t bytes_ = 0;
};

class TPipe {
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
        for (uint32_t &used : opkg_twin_core->used) {
            used = 0;
        }
        for (uint8_t &ids : opkg_twin_core->events) {
            ids = 0;
        }
    }
    void Destroy()
    {
        if (opkg_twin_core->pipe == this) {
            opkg_twin_core->pipe = nullptr;
        }
    }

    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t num, uint32_t bytes)
    {
        using Queue = TQueBind<src, dst, depth, mask>;
        if (num > Queue::kRing) {
            opkg_twin_fail("InitBuffer: %u buffers for one queue of %s, at most %u are possible", num,
                           opkg::twin::name_of(Queue::position), Queue::kRing);
        }
        const uint32_t size = (bytes + 31u) / 32u * 32u;
        uint8_t *memory = opkg_twin_take(opkg::twin::buffer_of(Queue::position), static_cast<uint64_t>(size) * num,
                                         opkg::twin::name_of(Queue::position));
        for (uint32_t i = 0; i < num; ++i) {
            queue.slots_[i] = {memory + static_cast<size_t>(size) * i, size, 0, 0};
        }
        queue.count_ = num;
        queue.first_ = queue.waiting_ = 0;
        return true;
    }
    template <TPosition pos>
    bool InitBuffer(TBuf<pos> &buffer, uint32_t bytes)
    {
        buffer.bytes_ = (bytes + 31u) / 32u * 32u;
        buffer.address_ = opkg_twin_take(opkg::twin::buffer_of(pos), buffer.bytes_, opkg::twin::name_of(pos));
        return true;
    }

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
        return 0;
    }
    TEventID FetchEventID(HardEvent) { return 0; }

    uint8_t *GetBaseAddr(int8_t position)
    {
        return opkg_twin_buffer(opkg::twin::buffer_of(static_cast<TPosition>(position)));
    }
};

inline TPipe *GetTPipePtr() { return static_cast<TPipe *>(opkg_twin_core->pipe); }

} // namespace AscendC

#endif // OPKG_TWIN_PIPE_H
