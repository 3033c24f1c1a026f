// SPDX-License-Identifier: Apache-2.0
// GlobalTensor and LocalTensor: typed views of global memory and of an on-chip buffer.
#ifndef OPKG_TWIN_TENSOR_H
#define OPKG_TWIN_TENSOR_H

#include "twin/access.h"
#include "twin/types.h"

namespace opkg::twin {

// Elements in so many bytes; an int4b_t is half a byte.
template <typename T>
inline constexpr bool is_half_byte =
    DtypeOf<T>::value == kI4 || DtypeOf<T>::value == kF4E2M1 || DtypeOf<T>::value == kF4E1M2;
template <typename T>
constexpr uint64_t elements_in(uint64_t bytes)
{
    return is_half_byte<T> ? bytes * 2 : bytes / sizeof(T);
}
template <typename T>
constexpr uint64_t bytes_of(uint64_t elements)
{
    return is_half_byte<T> ? elements / 2 : elements * sizeof(T);
}

constexpr Buffer buffer_of(AscendC::TPosition position)
{
    switch (position) {
        case AscendC::TPosition::A1:
        case AscendC::TPosition::B1:
        case AscendC::TPosition::C1:
        case AscendC::TPosition::TSCM:
        case AscendC::TPosition::SPM:
            return kL1;
        case AscendC::TPosition::A2:
            return kL0A;
        case AscendC::TPosition::B2:
            return kL0B;
        case AscendC::TPosition::CO1:
            return kL0C;
        case AscendC::TPosition::C2:
            return kBiasTable;
        case AscendC::TPosition::C2PIPE2GM:
            return kFixpipe;
        default:
            return kUb;
    }
}

// Per library: whether its kernel keeps addresses of elements, which it can do only when every copy is made at once.
// Initialising `noted` sets the flag, and that happens only where a function that names it is compiled.
template <typename T>
struct UsesElements {
    static const bool noted;
};
template <typename T>
__attribute__((visibility("hidden"))) const bool UsesElements<T>::noted = (library_flags |= kUsesElements, true);
// The same for kernels that look at single values, by which one core may wait for another.
template <typename T>
struct LooksAtValues {
    static const bool noted;
};
template <typename T>
__attribute__((visibility("hidden"))) const bool LooksAtValues<T>::noted = (library_flags |= kLooksAtValues, true);
#ifdef OPKG_TWIN_CHECK
// Its copies are all made at once, since the checker follows each.
__attribute__((visibility("hidden"))) inline const bool is_checked = (library_flags |= kUsesElements | kChecked, true);
#elif !defined(__OPTIMIZE__)
// Compiled for a debugger, which looks into buffers without asking: to it a copy that waits is one that was not made.
__attribute__((visibility("hidden"))) inline const bool is_debugged = (library_flags |= kUsesElements, true);
#endif

inline void settle()
{
    if (opkg_twin_core->deferred_count != 0) {
        opkg_twin_settle();
    }
}

} // namespace opkg::twin

namespace AscendC {

struct ShapeInfo; // debug.h

using TTagType = int32_t;

template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;
    LocalTensor(uint8_t *address, uint32_t bytes, TPosition position, opkg::twin::Slot *slot = nullptr)
        : address_(address), bytes_(bytes), position_(position), slot_(slot)
    {
    }
    LocalTensor(TPosition position, uint32_t offset, uint32_t elements)
        : address_(opkg_twin_place(opkg::twin::buffer_of(position), offset, opkg::twin::bytes_of<T>(elements))),
          bytes_(static_cast<uint32_t>(opkg::twin::bytes_of<T>(elements))), position_(position)
    {
    }
    explicit LocalTensor(uint32_t offset) : LocalTensor(TPosition::VECCALC, offset, 0) {}

    __ubuf__ T *GetPhyAddr() const
    {
        OPKG_TWIN_HOOK(opkg_twin_check_escape(address_, touched_bytes(0, 0).extent));
        return elements();
    }
    __ubuf__ T *GetPhyAddr(uint32_t offset) const { return (*this)[offset].GetPhyAddr(); }
    T GetValue(uint32_t index) const
    {
        static_cast<void>(&opkg::twin::LooksAtValues<T>::noted);
        OPKG_TWIN_ACCESS(PIPE_S, opkg_reads((*this)[index], 1));
        return settled(index)[index];
    }
    // dst = a + b and the like; see operators.h.
    template <typename E, typename = typename E::is_expression>
    void operator=(const E &expression) const
    {
        expression.into(*this);
    }

    template <typename V>
    void SetValue(uint32_t index, V value) const
    {
        OPKG_TWIN_ACCESS(PIPE_S, opkg_writes((*this)[index], 1));
        settled(index)[index] = static_cast<T>(value);
    }
    T &operator()(uint32_t index) const
    {
        OPKG_TWIN_ACCESS(PIPE_S, opkg_updates_some((*this)[index], 1));
        return elements()[index];
    }

    LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor view = *this;
        const uint32_t skipped = static_cast<uint32_t>(opkg::twin::bytes_of<T>(offset));
        view.address_ += skipped;
        view.bytes_ = opkg::twin::rest(bytes_, skipped);
        return view;
    }
    template <typename U>
    LocalTensor<U> ReinterpretCast() const
    {
        return LocalTensor<U>(address_, bytes_, position_, slot_);
    }

    int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    uint32_t GetSize() const { return static_cast<uint32_t>(opkg::twin::elements_in<T>(GetLength())); }
    uint32_t GetLength() const { return opkg::twin::length(bytes_); }
    void SetSize(uint32_t elements) { bytes_ = static_cast<uint32_t>(opkg::twin::bytes_of<T>(elements)); }
    void SetBufferLen(uint32_t bytes) { bytes_ = bytes; }
    template <typename U>
    void SetAddrWithOffset(LocalTensor<U> &from, uint32_t offset)
    {
        const LocalTensor<U> start = from[offset];
        *this = LocalTensor(start.place(), start.GetLength(),
                            static_cast<TPosition>(from.GetPosition()), from.slot());
    }
    void SetAddr(uint32_t offset) { *this = (*this)[offset]; }

    // Kept beside the tensor, for its address.
    template <typename Info = ShapeInfo>
    void SetShapeInfo(const Info &info) const
    {
        opkg_twin_set_shape(address_, &info, sizeof(info));
    }
    template <typename Info = ShapeInfo>
    Info GetShapeInfo() const
    {
        Info info;
        opkg_twin_get_shape(address_, &info, sizeof(info));
        return info;
    }

    // For debugging on a CPU: prints the elements, a block of 32 bytes a row; and saves them all in a file. 0: it is saved.
    void Print() const { Print(GetSize()); }
    void Print(uint32_t count) const
    {
        const uint32_t all = GetSize();
        opkg_twin_print_rows(data(), opkg::twin::DtypeOf<T>::value, count < all ? count : all,
                             static_cast<uint32_t>(opkg::twin::elements_in<T>(32)));
    }
    template <typename Name>
    int32_t ToFile(const Name &fileName) const
    {
        if constexpr (std::is_class<Name>::value) {
            return opkg_twin_save(fileName.c_str(), data(), GetLength());
        } else {
            return opkg_twin_save(fileName, data(), GetLength());
        }
    }

    TTagType GetUserTag() const { return slot_ ? slot_->tag : tag_; }
    void SetUserTag(TTagType tag)
    {
        tag_ = tag;
        if (slot_) {
            slot_->tag = tag;
        }
    }

    // For instructions: the elements, with every deferred copy made; and the bare address.
    T *data() const
    {
        opkg::twin::settle();
        return address();
    }
    T *address() const
    {
        OPKG_TWIN_HOOK(opkg_twin_check_note(address_, touched_bytes(0, 0).extent, static_cast<uint32_t>(position_),
                                            opkg::twin::DtypeOf<T>::value));
        return reinterpret_cast<T *>(address_);
    }
    // For queues, which hand the tensor on without looking into it.
    uint8_t *place() const { return address_; }
    opkg::twin::Slot *slot() const { return slot_; }

#ifdef OPKG_TWIN_CHECK
    opkg::twin::Touched touched_bytes(uint64_t bytes, uint32_t kind) const
    {
        const uint64_t extent = bytes_ == opkg::twin::kPast<uint32_t> ? opkg::twin::kPast<uint64_t> : bytes_;
        return {address_, extent, bytes, bytes, 1, kind, nullptr, 0, opkg::twin::DtypeOf<T>::value,
                static_cast<uint32_t>(position_)};
    }
    opkg::twin::Touched touched_elements(uint64_t elements, uint32_t kind) const
    {
        return touched_bytes(opkg::twin::bytes_of<T>(elements), kind);
    }
#endif

private:
    // The elements, once the bytes of one of them are there.
    T *settled(uint32_t index) const
    {
        T *all = address();
        if (opkg_twin_core->deferred_count != 0) {
            opkg_twin_settle_bytes(all + index, sizeof(T));
        }
        return all;
    }
    // The elements for a kernel that keeps a reference or an address.
    T *elements() const
    {
        static_cast<void>(&opkg::twin::UsesElements<T>::noted);
        return address();
    }

    uint8_t *address_ = nullptr;
    uint32_t bytes_ = 0;
    TPosition position_ = TPosition::VECCALC;
    opkg::twin::Slot *slot_ = nullptr;
    TTagType tag_ = 0;
};

template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(__gm__ T *buffer, uint64_t elements)
    {
        address_ = buffer;
        elements_ = elements;
        OPKG_TWIN_HOOK(opkg_twin_check_global(OPKG_TWIN_HEADERS, buffer, opkg::twin::bytes_of<T>(elements)));
    }
    void SetGlobalBuffer(__gm__ T *buffer) { SetGlobalBuffer(buffer, 0); }

    const __gm__ T *GetPhyAddr() const { return address_; }
    __gm__ T *GetPhyAddr(uint64_t offset) const { return address_ + index_of(offset); }
    T GetValue(uint64_t offset) const
    {
        static_cast<void>(&opkg::twin::LooksAtValues<T>::noted);
        OPKG_TWIN_ACCESS(PIPE_S, opkg_reads((*this)[offset], 1));
        return address_[offset];
    }
    template <typename V>
    void SetValue(uint64_t offset, V value) const
    {
        OPKG_TWIN_ACCESS(PIPE_S, opkg_writes((*this)[offset], 1));
        opkg::twin::settle();
        address_[offset] = static_cast<T>(value);
    }
    T &operator()(uint64_t offset) const
    {
        OPKG_TWIN_ACCESS(PIPE_S, opkg_updates_some((*this)[offset], 1));
        opkg::twin::settle();
        return address_[offset];
    }

    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor view = *this;
        view.address_ += index_of(offset);
        view.elements_ = opkg::twin::rest(elements_, offset);
        return view;
    }
    template <typename U>
    GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> view;
        view.SetGlobalBuffer(reinterpret_cast<U *>(address_),
                             opkg::twin::elements_in<U>(opkg::twin::bytes_of<T>(GetSize())));
        return view;
    }

    uint64_t GetSize() const { return opkg::twin::length(elements_); }
    // Kept beside the tensor, for its address.
    template <typename Info = ShapeInfo>
    void SetShapeInfo(const Info &info) const
    {
        opkg_twin_set_shape(address_, &info, sizeof(info));
    }
    template <typename Info = ShapeInfo>
    Info GetShapeInfo() const
    {
        Info info;
        opkg_twin_get_shape(address_, &info, sizeof(info));
        return info;
    }
    template <CacheRwMode mode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode)
    {
    }

    T *data() const
    {
        OPKG_TWIN_HOOK(opkg_twin_check_note(address_, touched_bytes(0, 0).extent, 0, opkg::twin::DtypeOf<T>::value));
        return address_;
    }

#ifdef OPKG_TWIN_CHECK
    opkg::twin::Touched touched_bytes(uint64_t bytes, uint32_t kind) const
    {
        const bool past = elements_ == opkg::twin::kPast<uint64_t>;
        return {address_, past ? elements_ : opkg::twin::bytes_of<T>(elements_), bytes, bytes, 1, kind, nullptr, 0,
                opkg::twin::DtypeOf<T>::value, 0};
    }
    opkg::twin::Touched touched_elements(uint64_t elements, uint32_t kind) const
    {
        return touched_bytes(opkg::twin::bytes_of<T>(elements), kind);
    }
#endif

private:
    static constexpr uint64_t index_of(uint64_t offset)
    {
        return opkg::twin::is_half_byte<T> ? offset / 2 : offset;
    }

    T *address_ = nullptr;
    uint64_t elements_ = 0;
};

} // namespace AscendC

#endif // OPKG_TWIN_TENSOR_H
