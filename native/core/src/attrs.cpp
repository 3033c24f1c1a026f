// SPDX-License-Identifier: Apache-2.0
#include "attrs.hpp"

#include "tensors.hpp"

namespace opkg::core {
namespace {

template <class T>
std::shared_ptr<std::vector<T>> keep(std::vector<std::shared_ptr<void>>& storage) {
    auto kept = std::make_shared<std::vector<T>>();
    storage.push_back(kept);
    return kept;
}

[[noreturn]] void mismatch(const Attr& attr) {
    static const char* const kNames[] = {"an int",         "a float",          "a bool",           "a string",
                                         "a dtype",        "a list of ints",   "a list of floats", "a list of bools",
                                         "a list of strings", "a list of dtypes", "a list of lists of ints", "a tensor"};
    const bool known = attr.kind >= 0 && attr.kind <= OPKG_ATTR_TENSOR;
    throw Error("OPKG-9204", "attribute '" + attr.name + "' " +
                                 (known ? std::string("must be ") + kNames[attr.kind]
                                        : "has the unknown kind " + std::to_string(attr.kind)));
}

template <class T>
const T& expect(const Attr& attr) {
    const T* value = std::get_if<T>(&attr.value);
    if (!value) mismatch(attr);
    return *value;
}

} // namespace

AttrBlock::AttrBlock(std::vector<Attr> attrs) : attrs_(std::move(attrs)), table_(attrs_.size()) {
    for (size_t i = 0; i < attrs_.size(); ++i) fill(attrs_[i], table_[i]);
}

void AttrBlock::fill_list(const std::vector<int64_t>& from, opkg_attr_v1& to) {
    to.count = from.size();
    if (to.type == OPKG_ATTR_LIST_INT) {
        to.value.data = from.data();
    } else if (to.type == OPKG_ATTR_LIST_BOOL) {
        auto kept = keep<uint8_t>(storage_);
        for (int64_t value : from) kept->push_back(value != 0);
        to.value.data = kept->data();
    } else {
        auto kept = keep<int32_t>(storage_);
        kept->assign(from.begin(), from.end());
        to.value.data = kept->data();
    }
}

void AttrBlock::fill(const Attr& from, opkg_attr_v1& to) {
    to = opkg_attr_v1{};
    to.struct_size = sizeof(opkg_attr_v1);
    to.type = from.kind;
    to.name = from.name.c_str();
    to.is_set = !std::holds_alternative<std::monostate>(from.value);
    if (!to.is_set) return;
    switch (from.kind) {
        case OPKG_ATTR_INT:
        case OPKG_ATTR_BOOL:
        case OPKG_ATTR_DTYPE: to.value.i = expect<int64_t>(from); break;
        case OPKG_ATTR_FLOAT: to.value.f = expect<double>(from); break;
        case OPKG_ATTR_STRING: {
            const auto& text = expect<std::string>(from);
            to.value.s = text.c_str();
            to.count = text.size();
            break;
        }
        case OPKG_ATTR_LIST_INT:
        case OPKG_ATTR_LIST_BOOL:
        case OPKG_ATTR_LIST_DTYPE: fill_list(expect<std::vector<int64_t>>(from), to); break;
        case OPKG_ATTR_LIST_FLOAT: {
            const auto& list = expect<std::vector<double>>(from);
            to.value.data = list.data();
            to.count = list.size();
            break;
        }
        case OPKG_ATTR_LIST_STRING: {
            auto kept = keep<const char*>(storage_);
            for (const auto& text : expect<std::vector<std::string>>(from)) kept->push_back(text.c_str());
            to.value.data = kept->data();
            to.count = kept->size();
            break;
        }
        case OPKG_ATTR_LIST_LIST_INT: {
            auto kept = keep<opkg_list_int_v1>(storage_);
            for (const auto& row : expect<std::vector<std::vector<int64_t>>>(from)) kept->push_back({row.data(), row.size()});
            to.value.data = kept->data();
            to.count = kept->size();
            break;
        }
        case OPKG_ATTR_TENSOR: {
            const auto& value = expect<TensorValue>(from);
            auto kept = keep<opkg_tensor_v1>(storage_);
            kept->push_back(empty_tensor(0, 0));
            opkg_tensor_v1& tensor = kept->back();
            set_dtype(tensor, value.dtype);
            tensor.flags = OPKG_TENSOR_HOST_VALUE;
            tensor.dl.data = const_cast<uint8_t*>(value.data.data());
            tensor.dl.shape = const_cast<int64_t*>(value.shape.data());
            tensor.dl.ndim = tensor.origin_ndim = static_cast<int32_t>(value.shape.size());
            tensor.capacity = value.data.size();
            to.value.data = &tensor;
            to.count = 1;
            break;
        }
        default: mismatch(from);
    }
}

} // namespace opkg::core
