// SPDX-License-Identifier: Apache-2.0
//
// The attribute text is the spec's fields in order, every number as eight bytes and every sequence after its length,
// as hexadecimal digits: OpenVINO keeps it in XML.
#include "spec.hpp"

#include <cstring>

namespace opkg::openvino {
namespace {

class Writer {
public:
    void put(uint64_t value) {
        for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<uint8_t>(value >> shift));
    }
    void put(int64_t value) { put(static_cast<uint64_t>(value)); }
    void put(uint32_t value) { put(static_cast<uint64_t>(value)); }
    void put(int32_t value) { put(static_cast<int64_t>(value)); }
    void put(uint8_t value) { bytes_.push_back(value); }
    void put(double value) {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        put(bits);
    }
    void put(const std::string& text) {
        put(static_cast<uint64_t>(text.size()));
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    template <class T>
    void put(const std::vector<T>& list) {
        put(static_cast<uint64_t>(list.size()));
        for (const T& item : list) put(item);
    }
    void put(std::monostate) {}
    void put(const core::TensorValue& value) {
        put(value.dtype);
        put(value.shape);
        put(value.data);
    }
    void put(const core::Attr& attr) {
        put(attr.name);
        put(attr.kind);
        put(static_cast<uint64_t>(attr.value.index()));
        std::visit([this](const auto& value) { put(value); }, attr.value);
    }

    std::string text() const {
        static const char digits[] = "0123456789abcdef";
        std::string text;
        for (uint8_t byte : bytes_) {
            text += digits[byte >> 4];
            text += digits[byte & 15];
        }
        return text;
    }

private:
    std::vector<uint8_t> bytes_;
};

[[noreturn]] void damaged() {
    throw core::Error("OPKG-8503", "a custom node of the compiled model is damaged", "compile the model again");
}

uint8_t digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
    damaged();
}

class Reader {
public:
    explicit Reader(const std::string& text) {
        if (text.size() % 2) damaged();
        for (size_t i = 0; i < text.size(); i += 2)
            bytes_.push_back(static_cast<uint8_t>(digit(text[i]) << 4 | digit(text[i + 1])));
    }
    void get(uint64_t& value) {
        need(8);
        value = 0;
        for (int shift = 0; shift < 64; shift += 8) value |= static_cast<uint64_t>(bytes_[at_++]) << shift;
    }
    void get(int64_t& value) { value = static_cast<int64_t>(number()); }
    void get(uint32_t& value) { value = static_cast<uint32_t>(number()); }
    void get(int32_t& value) { value = static_cast<int32_t>(number()); }
    void get(uint8_t& value) {
        need(1);
        value = bytes_[at_++];
    }
    void get(double& value) {
        const uint64_t bits = number();
        std::memcpy(&value, &bits, sizeof value);
    }
    void get(std::string& text) {
        const uint64_t size = length();
        text.assign(bytes_.begin() + static_cast<ptrdiff_t>(at_), bytes_.begin() + static_cast<ptrdiff_t>(at_ + size));
        at_ += size;
    }
    template <class T>
    void get(std::vector<T>& list) {
        list.resize(length());
        for (T& item : list) get(item);
    }
    void get(std::monostate&) {}
    void get(core::TensorValue& value) {
        get(value.dtype);
        get(value.shape);
        get(value.data);
    }
    void get(core::Attr& attr) {
        get(attr.name);
        get(attr.kind);
        attr.value = alternative(number());
        std::visit([this](auto& value) { get(value); }, attr.value);
    }

private:
    void need(uint64_t count) const {
        if (bytes_.size() - at_ < count) damaged();
    }
    uint64_t number() {
        uint64_t value;
        get(value);
        return value;
    }
    uint64_t length() {
        const uint64_t count = number();
        need(count); // every item takes at least one byte
        return count;
    }

    template <size_t I = 0>
    static core::AttrValue alternative(uint64_t index) {
        if constexpr (I < std::variant_size_v<core::AttrValue>)
            return index == I ? core::AttrValue(std::in_place_index<I>) : alternative<I + 1>(index);
        else
            damaged();
    }

    std::vector<uint8_t> bytes_;
    size_t at_ = 0;
};

} // namespace

std::string to_text(const NodeSpec& spec) {
    Writer writer;
    writer.put(spec.key);
    writer.put(spec.node_name);
    writer.put(spec.input_groups);
    writer.put(spec.output_groups);
    writer.put(spec.input_dtypes);
    writer.put(spec.attrs);
    return writer.text();
}

NodeSpec from_text(const std::string& text) {
    Reader reader(text);
    NodeSpec spec;
    reader.get(spec.key);
    reader.get(spec.node_name);
    reader.get(spec.input_groups);
    reader.get(spec.output_groups);
    reader.get(spec.input_dtypes);
    reader.get(spec.attrs);
    return spec;
}

} // namespace opkg::openvino
