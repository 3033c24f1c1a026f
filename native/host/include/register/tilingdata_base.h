// SPDX-License-Identifier: Apache-2.0
// BEGIN_TILING_DATA_DEF and its family: structs that the tiling function fills through set_ functions and the kernel
// reads as a plain struct. The layout is the contract between the two: each field is aligned to the size of its
// element, a nested struct to 8 bytes, and the whole is padded to a multiple of 8.
#ifndef OPKG_HOST_TILINGDATA_BASE_H
#define OPKG_HOST_TILINGDATA_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "opkg/host/registry.h"

namespace opkg::host {

// Collects the fields of a struct while an instance of it is constructed for registration.
struct TilingRecorder {
    std::vector<TilingField> fields;
};

// Set only while the library is being loaded, which is on one thread.
__attribute__((visibility("hidden"))) inline TilingRecorder *tiling_recorder = nullptr;

// Throws std::length_error.
[[noreturn]] __attribute__((visibility("default"))) void ThrowTilingTooLarge(size_t size, size_t capacity);

template <typename T> constexpr const char *TilingTypeName()
{
    static_assert(std::is_arithmetic<T>::value, "a tiling field is a number; structs use TILING_DATA_FIELD_DEF_STRUCT");
    if (std::is_same<T, bool>::value) {
        return "bool";
    }
    if (std::is_floating_point<T>::value) {
        return sizeof(T) == 4 ? "float" : "double";
    }
    constexpr const char *kSigned[] = {"int8_t", "int16_t", "int32_t", "int64_t"};
    constexpr const char *kUnsigned[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    constexpr int kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed<T>::value ? kSigned[kLog] : kUnsigned[kLog];
}

} // namespace opkg::host

namespace optiling {

// The base of every tiling struct: the bytes, and the running offset while the fields are placed. A nested struct has
// no bytes of its own; it is a window into its parent's.
class TilingDef {
public:
    // Copies the struct into data; capacity counts bytes.
    void SaveToBuffer(void *data, size_t capacity) const
    {
        if (capacity < size_) {
            opkg::host::ThrowTilingTooLarge(size_, capacity);
        }
        std::memcpy(data, Bytes(), size_);
    }
    size_t GetDataSize() const { return size_; }
    // The reverse, from a plain struct of the same fields, which may lack the padding at the end.
    void Load(const void *plain, size_t size) { std::memcpy(Bytes(), plain, size < size_ ? size : size_); }
    // From now on the fields live at data, which has room for GetDataSize() bytes.
    void SetDataPtr(void *data) { data_ = static_cast<unsigned char *>(data); }

protected:
    struct Parent {
        TilingDef *def;
        const char *field;
        const char *struct_name;
    };

    TilingDef() : recorder_(opkg::host::tiling_recorder) {}
    explicit TilingDef(const Parent &parent) : parent_(parent.def) {}
    TilingDef(const TilingDef &) = delete;
    TilingDef &operator=(const TilingDef &) = delete;
    ~TilingDef() { delete[] heap_; }

    // Places a field: returns its offset and moves the end behind it.
    template <typename T> uint32_t Place(const char *name, uint32_t count)
    {
        const uint32_t elements = count == 0 ? 1 : count;
        const uint32_t offset = Align(size_, sizeof(T));
        size_ = offset + sizeof(T) * elements;
        if (__builtin_expect(recorder_ != nullptr, 0)) {
            recorder_->fields.push_back({name, opkg::host::TilingTypeName<T>(), nullptr, count, offset,
                                         static_cast<uint32_t>(sizeof(T) * elements)});
        }
        return offset;
    }
    // Places a nested struct of which a window was made just before.
    uint32_t PlaceStruct(TilingDef &nested, const char *name, const char *struct_name)
    {
        nested.offset_ = Align(size_, 8);
        size_ = nested.offset_ + nested.size_;
        if (__builtin_expect(recorder_ != nullptr, 0)) {
            recorder_->fields.push_back({name, nullptr, struct_name, 0, nested.offset_, nested.size_});
        }
        return nested.offset_;
    }
    // All fields are placed: pads the whole and makes room for its bytes.
    char Finish()
    {
        size_ = Align(size_, 8);
        if (parent_ == nullptr) {
            data_ = inline_;
            if (size_ > sizeof(inline_)) {
                heap_ = new unsigned char[size_];
                data_ = heap_;
            }
            std::memset(data_, 0, size_);
        }
        return 0;
    }
    template <typename T> T Get(uint32_t offset) const
    {
        T value;
        std::memcpy(&value, Bytes() + offset, sizeof(T));
        return value;
    }
    template <typename T> void Set(uint32_t offset, const T &value)
    {
        std::memcpy(Bytes() + offset, &value, sizeof(T));
    }
    template <typename T> T *Array(uint32_t offset) { return reinterpret_cast<T *>(Bytes() + offset); }
    void CopyFrom(const TilingDef &other) { std::memcpy(Bytes(), other.Bytes(), size_); }

private:
    static constexpr uint32_t Align(uint32_t offset, uint32_t alignment)
    {
        return (offset + alignment - 1) / alignment * alignment;
    }
    unsigned char *Bytes() const { return parent_ == nullptr ? data_ : parent_->Bytes() + offset_; }

    opkg::host::TilingRecorder *recorder_ = nullptr;
    TilingDef *parent_ = nullptr;
    unsigned char *data_ = nullptr;
    unsigned char *heap_ = nullptr;
    uint32_t size_ = 0;
    uint32_t offset_ = 0;
    alignas(8) unsigned char inline_[256];
};

} // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name) \
    class class_name : public ::optiling::TilingDef { \
        using OpkgSelf = class_name; \
\
    public: \
        class_name() {} \
        explicit class_name(const ::optiling::TilingDef::Parent &opkg_parent) : ::optiling::TilingDef(opkg_parent) {} \
        class_name(const class_name &other) : class_name() { this->CopyFrom(other); } \
        class_name &operator=(const class_name &other) \
        { \
            this->CopyFrom(other); \
            return *this; \
        }

#define TILING_DATA_FIELD_DEF(data_type, field_name) \
public: \
    void set_##field_name(data_type value) { this->Set<data_type>(opkg_at_##field_name, value); } \
    data_type get_##field_name() const { return this->Get<data_type>(opkg_at_##field_name); } \
\
private: \
    uint32_t opkg_at_##field_name = this->Place<data_type>(#field_name, 0);

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name) \
public: \
    void set_##field_name(const arr_type *values) \
    { \
        std::memcpy(this->Array<arr_type>(opkg_at_##field_name), values, sizeof(arr_type) * (arr_size)); \
    } \
    arr_type *get_##field_name() { return this->Array<arr_type>(opkg_at_##field_name); } \
\
private: \
    uint32_t opkg_at_##field_name = this->Place<arr_type>(#field_name, arr_size);

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
public: \
    struct_type field_name{::optiling::TilingDef::Parent{this, #field_name, #struct_type}}; \
\
private: \
    uint32_t opkg_at_##field_name = this->PlaceStruct(field_name, #field_name, #struct_type);

#define END_TILING_DATA_DEF \
private: \
    char opkg_end = this->Finish(); \
    }

// Ties a struct to an operator: to its default tiling key, to one key (Add_1), or, as SOp, to its use inside others.
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) OPKG_TILING_CLASS(op_type, class_name, __COUNTER__)
#define OPKG_TILING_CLASS(op_type, class_name, counter) OPKG_TILING_CLASS_NAMED(op_type, class_name, counter)
#define OPKG_TILING_CLASS_NAMED(op_type, class_name, counter) \
    [[maybe_unused]] static const bool opkg_tiling_class_##op_type##_##counter = []() { \
        opkg::host::TilingRecorder recorder; \
        opkg::host::tiling_recorder = &recorder; \
        const class_name instance; \
        opkg::host::tiling_recorder = nullptr; \
        return opkg::host::registry().AddTilingStruct(#op_type, #class_name, instance.GetDataSize(), \
                                                      recorder.fields.data(), recorder.fields.size()); \
    }();

#endif // OPKG_HOST_TILINGDATA_BASE_H
