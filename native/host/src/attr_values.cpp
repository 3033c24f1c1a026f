// SPDX-License-Identifier: Apache-2.0
#include "attr_values.hpp"

#include <cstring>

#include "tensors.hpp"

namespace opkg::host {
namespace {

using gert::ContinuousVector;
using gert::ContinuousVectorVector;

// The types in which lists are stored, by kind.
template <typename T> size_t ListBytes(size_t count) { return sizeof(ContinuousVector) + sizeof(T) * count; }

template <typename T, typename Source> void FillList(void *block, const Source &source, size_t count)
{
    auto *list = new (block) ContinuousVector(count, count);
    T *data = static_cast<T *>(list->MutableData());
    for (size_t i = 0; i < count; ++i) {
        data[i] = static_cast<T>(source[i]);
    }
}

// Allocate gives memory that is aligned to 8 bytes at least.
template <typename T, typename Source, typename Allocate>
const void *List(const Source &source, size_t count, const Allocate &allocate)
{
    void *block = allocate(ListBytes<T>(count));
    FillList<T>(block, source, count);
    return block;
}

// Texts lie behind the list, one after the other, each with its NUL.
template <typename Text, typename Allocate>
const void *StringList(size_t count, const Text &text, const Allocate &allocate)
{
    auto **pointers = static_cast<const char **>(allocate(sizeof(const char *) * (count + 1)));
    for (size_t i = 0; i < count; ++i) {
        const size_t length = std::strlen(text(i)) + 1;
        pointers[i] = static_cast<const char *>(std::memcpy(allocate(length), text(i), length));
    }
    return List<const char *>(pointers, count, allocate);
}

template <typename Row, typename Allocate>
const void *ListOfLists(size_t count, const Row &row, const Allocate &allocate)
{
    const size_t head = (sizeof(ContinuousVectorVector) + sizeof(size_t) * count + 15) / 16 * 16;
    size_t total = head;
    for (size_t i = 0; i < count; ++i) {
        total += (ListBytes<int64_t>(row(i).count) + 15) / 16 * 16;
    }
    auto *block = static_cast<unsigned char *>(allocate(total));
    auto *lists = new (block) ContinuousVectorVector(count);
    size_t at = head;
    for (size_t i = 0; i < count; ++i) {
        const opkg_list_int_v1 list = row(i);
        lists->MutableOffsets()[i] = at;
        FillList<int64_t>(block + at, list.data, list.count);
        at += (ListBytes<int64_t>(list.count) + 15) / 16 * 16;
    }
    return block;
}

template <typename T, typename Allocate> const void *Scalar(T value, const Allocate &allocate)
{
    return new (allocate(sizeof(T))) T(value);
}

template <typename Allocate> const void *DefaultValue(const AttrSpec &attr, const Allocate &allocate)
{
    switch (attr.kind) {
        case AttrKind::kInt: return Scalar<int64_t>(attr.i, allocate);
        case AttrKind::kFloat: return Scalar<float>(attr.f, allocate);
        case AttrKind::kBool: return Scalar<bool>(attr.i != 0, allocate);
        case AttrKind::kDtype: return Scalar<int32_t>(static_cast<int32_t>(attr.i), allocate);
        case AttrKind::kString: return std::memcpy(allocate(attr.s.size() + 1), attr.s.c_str(), attr.s.size() + 1);
        case AttrKind::kListInt: return List<int64_t>(attr.ints, attr.ints.size(), allocate);
        case AttrKind::kListFloat: return List<float>(attr.floats, attr.floats.size(), allocate);
        case AttrKind::kListBool: return List<bool>(attr.ints, attr.ints.size(), allocate);
        case AttrKind::kListDtype: return List<int32_t>(attr.ints, attr.ints.size(), allocate);
        case AttrKind::kListString:
            return StringList(attr.strings.size(), [&](size_t i) { return attr.strings[i].c_str(); }, allocate);
        case AttrKind::kListListInt:
            return ListOfLists(
                attr.rows.size(), [&](size_t i) { return opkg_list_int_v1{attr.rows[i].data(), attr.rows[i].size()}; },
                allocate);
        case AttrKind::kTensor: break;
    }
    return nullptr;
}

constexpr int32_t kAbiTypes[] = {OPKG_ATTR_INT,        OPKG_ATTR_FLOAT,         OPKG_ATTR_BOOL,
                                 OPKG_ATTR_STRING,     OPKG_ATTR_DTYPE,         OPKG_ATTR_LIST_INT,
                                 OPKG_ATTR_LIST_FLOAT, OPKG_ATTR_LIST_BOOL,     OPKG_ATTR_LIST_STRING,
                                 OPKG_ATTR_LIST_DTYPE, OPKG_ATTR_LIST_LIST_INT, OPKG_ATTR_TENSOR};
constexpr const char *kKindNames[] = {"int",       "float",       "bool",      "string",        "type",   "list_int",
                                      "list_float", "list_bool", "list_string", "list_type", "list_list_int", "tensor"};

bool IsNumber(int32_t type) { return type == OPKG_ATTR_INT || type == OPKG_ATTR_FLOAT || type == OPKG_ATTR_BOOL; }

// A whole number may stand for a float, and true for 1; nothing that loses a value.
bool Fits(AttrKind kind, const opkg_attr_v1 &given)
{
    if (given.type == kAbiTypes[static_cast<int>(kind)]) {
        return true;
    }
    const bool whole = given.type == OPKG_ATTR_INT || given.type == OPKG_ATTR_BOOL;
    switch (kind) {
        case AttrKind::kFloat: return IsNumber(given.type);
        case AttrKind::kInt: return whole;
        case AttrKind::kBool: return whole && (given.value.i == 0 || given.value.i == 1);
        case AttrKind::kDtype: return given.type == OPKG_ATTR_INT;
        case AttrKind::kListFloat: return given.type == OPKG_ATTR_LIST_INT;
        default: return given.count == 0 && given.type >= OPKG_ATTR_LIST_INT && given.type <= OPKG_ATTR_LIST_LIST_INT &&
                        kind >= AttrKind::kListInt && kind <= AttrKind::kListListInt;
    }
}

double Number(const opkg_attr_v1 &given)
{
    return given.type == OPKG_ATTR_FLOAT ? given.value.f : static_cast<double>(given.value.i);
}

template <typename Allocate> const void *GivenList(AttrKind kind, const opkg_attr_v1 &given, const Allocate &allocate)
{
    const void *data = given.value.data;
    const size_t count = given.count;
    switch (kind) {
        case AttrKind::kListInt: return List<int64_t>(static_cast<const int64_t *>(data), count, allocate);
        case AttrKind::kListFloat:
            return given.type == OPKG_ATTR_LIST_INT ? List<float>(static_cast<const int64_t *>(data), count, allocate)
                                                    : List<float>(static_cast<const double *>(data), count, allocate);
        case AttrKind::kListBool: return List<bool>(static_cast<const uint8_t *>(data), count, allocate);
        case AttrKind::kListDtype: return List<int32_t>(static_cast<const int32_t *>(data), count, allocate);
        case AttrKind::kListString: return List<const char *>(static_cast<const char *const *>(data), count, allocate);
        default: {
            const auto *rows = static_cast<const opkg_list_int_v1 *>(data);
            return ListOfLists(count, [&](size_t i) { return rows[i]; }, allocate);
        }
    }
}

} // namespace

const char *AttrKindName(AttrKind kind) { return kKindNames[static_cast<int>(kind)]; }

AttrDefault MakeDefault(const AttrSpec &attr)
{
    AttrDefault made;
    if (attr.has_default && attr.has_kind) {
        made.storage.reset(new Arena);
        made.value = DefaultValue(attr, [&](size_t bytes) { return made.storage->Allocate(bytes); });
    }
    return made;
}

std::string ConvertAttr(const AttrSpec &attr, const opkg_attr_v1 &given, Arena &arena, const void *&value)
{
    if (!Fits(attr.kind, given)) {
        const bool known =
            given.type >= 0 && given.type < static_cast<int32_t>(sizeof(kKindNames) / sizeof(kKindNames[0]));
        return std::string("attribute '") + attr.name.GetString() + "' is " + AttrKindName(attr.kind) +
               ", but a value of type " + (known ? kKindNames[given.type] : "?") + " was given";
    }
    const auto allocate = [&](size_t bytes) { return arena.Allocate(bytes); };
    switch (attr.kind) {
        case AttrKind::kInt: value = &given.value.i; break;
        case AttrKind::kFloat: value = Scalar<float>(static_cast<float>(Number(given)), allocate); break;
        case AttrKind::kBool: value = Scalar<bool>(given.value.i != 0, allocate); break;
        case AttrKind::kDtype: value = Scalar<int32_t>(static_cast<int32_t>(given.value.i), allocate); break;
        case AttrKind::kString: value = given.value.s == nullptr ? "" : given.value.s; break;
        case AttrKind::kTensor: {
            auto *tensor = new (arena.Allocate(sizeof(gert::Tensor))) gert::Tensor;
            FillTensor(*tensor, *static_cast<const opkg_tensor_v1 *>(given.value.data), true);
            value = tensor;
            break;
        }
        default: value = GivenList(attr.kind, given, allocate); break;
    }
    return "";
}

} // namespace opkg::host
