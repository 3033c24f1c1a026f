// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <numpy/arrayobject.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace opkg::python {
namespace {

using core::Error;

// A launch that took less than this does not let other threads of Python run meanwhile: handing the interpreter's
// lock over costs more than it gives.
constexpr uint64_t kKeepLockNs = 5'000;

struct NumpyType {
    int number;
    int32_t dtype;
};
constexpr NumpyType kTypes[] = {
    {NPY_FLOAT, core::kFloat32}, {NPY_HALF, core::kFloat16},     {NPY_BYTE, core::kInt8},       {NPY_INT, core::kInt32},
    {NPY_UBYTE, core::kUint8},   {NPY_SHORT, core::kInt16},      {NPY_USHORT, core::kUint16},   {NPY_UINT, core::kUint32},
    {NPY_INT64, core::kInt64},   {NPY_UINT64, core::kUint64},    {NPY_LONGLONG, core::kInt64},  {NPY_ULONGLONG, core::kUint64},
    {NPY_DOUBLE, core::kDouble}, {NPY_BOOL, core::kBool},        {NPY_CFLOAT, core::kComplex64}, {NPY_CDOUBLE, core::kComplex128},
};

constexpr int kKnown = 32;
int32_t g_dtype_of[kKnown]; // by NumPy's type number, -1: none
int g_number_of[64];        // by ge::DataType number, -1: none

// Types that ml_dtypes adds to NumPy: their numbers are known only once it is loaded.
struct ExtraType {
    const char* name;
    int32_t dtype;
    std::atomic<PyArray_Descr*> descr{nullptr}; // kept for the life of the process
};
ExtraType g_extra[] = {{"bfloat16", core::kBfloat16}, {"int4", core::kInt4}, {"int2", core::kInt2}};

PyArray_Descr* extra_descr(ExtraType& type) {
    if (PyArray_Descr* found = type.descr.load()) return found;
    nb::object scalar;
    try {
        scalar = nb::module_::import_("ml_dtypes").attr(type.name);
    } catch (const nb::python_error&) {
        throw Error("OPKG-9201", std::string("arrays of ") + type.name + " need the package ml_dtypes", "pip install ml_dtypes");
    }
    PyArray_Descr* descr = PyArray_DescrFromTypeObject(scalar.ptr());
    if (!descr) throw nb::python_error();
    type.descr.store(descr);
    return descr;
}

std::string dtype_text(nb::handle array) {
    const nb::object dtype = array.attr("dtype");
    return nb::str(nb::handle(dtype)).c_str();
}

int32_t extra_dtype(nb::handle array) {
    const std::string name = dtype_text(array);
    for (ExtraType& type : g_extra)
        if (name == type.name) return type.dtype;
    return -1;
}

PyArrayObject* as_array(nb::handle object) noexcept { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

nb::object compact_copy(nb::handle object, uint32_t index) {
    PyObject* made = PyArray_FromAny(object.ptr(), nullptr, 0, 0, NPY_ARRAY_CARRAY_RO, nullptr);
    if (!made) {
        PyErr_Clear();
        throw Error("OPKG-9201", "input " + std::to_string(index) + " is not an array, and cannot be made one");
    }
    return nb::steal(made);
}

uint64_t count_of(uint32_t ndim, const int64_t* shape) noexcept {
    uint64_t count = 1;
    for (uint32_t i = 0; i < ndim; ++i) count *= static_cast<uint64_t>(shape[i]);
    return count;
}

std::string shape_text(uint32_t ndim, const int64_t* shape) {
    std::string text = "(";
    for (uint32_t i = 0; i < ndim; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (ndim == 1 ? ",)" : ")");
}

} // namespace

void import_numpy() {
    if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
    std::fill(std::begin(g_dtype_of), std::end(g_dtype_of), -1);
    std::fill(std::begin(g_number_of), std::end(g_number_of), -1);
    for (const NumpyType& type : kTypes) {
        g_dtype_of[type.number] = type.dtype;
        if (g_number_of[type.dtype] < 0) g_number_of[type.dtype] = type.number;
    }
}

nb::object new_array(int32_t dtype, uint32_t ndim, const int64_t* shape) {
    npy_intp dims[OPKG_MAX_DIMS];
    std::copy_n(shape, ndim, dims);
    PyObject* made = nullptr;
    const int number = dtype >= 0 && dtype < 64 ? g_number_of[dtype] : -1;
    if (number >= 0) {
        made = PyArray_SimpleNew(static_cast<int>(ndim), dims, number);
    } else {
        const auto type = std::find_if(std::begin(g_extra), std::end(g_extra), [&](auto& t) { return t.dtype == dtype; });
        const core::DTypeInfo* info = core::dtype_info(dtype);
        if (type == std::end(g_extra))
            throw Error("OPKG-9201", std::string("NumPy has no dtype for an output of ") + (info ? info->name : "unknown type"));
        PyArray_Descr* descr = extra_descr(*type);
        Py_INCREF(descr);
        made = PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(ndim), dims, nullptr, nullptr, 0, nullptr);
    }
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

void* array_data(nb::handle array) noexcept { return PyArray_DATA(as_array(array)); }

int32_t array_dtype(nb::handle array, uint32_t index) {
    const int number = PyArray_TYPE(as_array(array));
    const int32_t dtype = number < kKnown ? g_dtype_of[number] : extra_dtype(array);
    if (dtype < 0)
        throw Error("OPKG-9201", "input " + std::to_string(index) + " has dtype " + dtype_text(array) +
                                     ", which operators do not take");
    if (!PyArray_ISNOTSWAPPED(as_array(array)))
        throw Error("OPKG-9202", "input " + std::to_string(index) + " has bytes in the other order (dtype " +
                                     dtype_text(array) + ")",
                    "pass x.astype(x.dtype.newbyteorder('='))");
    return dtype;
}

core::TensorValue tensor_value(nb::handle value) {
    const nb::handle items[] = {value};
    ArrayInputs inputs(items, 1);
    const core::Tensor& tensor = *inputs.data();
    core::TensorValue found;
    found.dtype = tensor.dtype;
    found.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    const auto* data = static_cast<const uint8_t*>(tensor.data);
    found.data.assign(data, data + core::bytes_of(tensor.dtype, tensor.shape, tensor.ndim));
    return found;
}

bool is_packed(int32_t dtype) noexcept { return dtype == core::kInt4 || dtype == core::kInt2; }

void pack(int32_t dtype, const void* bytes, uint64_t count, void* packed) noexcept {
    const unsigned bits = dtype == core::kInt4 ? 4 : 2;
    const unsigned per_byte = 8 / bits;
    const auto* from = static_cast<const uint8_t*>(bytes);
    auto* to = static_cast<uint8_t*>(packed);
    std::memset(to, 0, (count + per_byte - 1) / per_byte);
    for (uint64_t i = 0; i < count; ++i)
        to[i / per_byte] |= static_cast<uint8_t>((from[i] & ((1u << bits) - 1)) << (i % per_byte * bits));
}

void unpack(int32_t dtype, const void* packed, uint64_t count, void* bytes) noexcept {
    const int bits = dtype == core::kInt4 ? 4 : 2;
    const unsigned per_byte = static_cast<unsigned>(8 / bits);
    const auto* from = static_cast<const uint8_t*>(packed);
    auto* to = static_cast<int8_t*>(bytes);
    for (uint64_t i = 0; i < count; ++i) {
        const int raw = from[i / per_byte] >> (i % per_byte * static_cast<unsigned>(bits)) & ((1 << bits) - 1);
        to[i] = static_cast<int8_t>(raw >= 1 << (bits - 1) ? raw - (1 << bits) : raw);
    }
}

ArrayInputs::ArrayInputs(nb::handle const* items, size_t count) : tensors_(inline_) {
    if (count > kInline) {
        more_.resize(count);
        tensors_ = more_.data();
    }
    for (size_t i = 0; i < count; ++i) set(tensors_[i], items[i], static_cast<uint32_t>(i));
}

ArrayInputs::~ArrayInputs() = default;

void ArrayInputs::set(core::Tensor& to, nb::handle item, uint32_t index) {
    if (item.is_none()) {
        to.absent = true;
        return;
    }
    if (!PyArray_Check(item.ptr())) {
        owners_.push_back(compact_copy(item, index));
        item = owners_.back();
    }
    to.dtype = array_dtype(item, index);
    if (!PyArray_IS_C_CONTIGUOUS(as_array(item)) || !PyArray_ISALIGNED(as_array(item))) {
        owners_.push_back(compact_copy(item, index));
        item = owners_.back();
    }
    to.data = PyArray_DATA(as_array(item));
    to.ndim = static_cast<uint32_t>(PyArray_NDIM(as_array(item)));
    to.shape = reinterpret_cast<const int64_t*>(PyArray_DIMS(as_array(item)));
    if (is_packed(to.dtype)) set_packed(to, item);
}

void ArrayInputs::set_packed(core::Tensor& to, nb::handle array) {
    packed_.emplace_back(core::bytes_of(to.dtype, to.shape, to.ndim) + 1);
    pack(to.dtype, array_data(array), count_of(to.ndim, to.shape), packed_.back().data());
    to.data = packed_.back().data();
}

ArrayOutputs::ArrayOutputs(size_t count, const nb::handle* given) : slots_(count), given_(given) {}

ArrayOutputs::~ArrayOutputs() { lock(); }

void ArrayOutputs::lock() noexcept {
    if (state_) PyEval_RestoreThread(state_);
    state_ = nullptr;
}

void ArrayOutputs::use_given(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape) {
    nb::handle array = given_[index];
    const bool fits = PyArray_Check(array.ptr()) && array_dtype(array, index) == dtype &&
                      static_cast<uint32_t>(PyArray_NDIM(as_array(array))) == ndim &&
                      std::equal(shape, shape + ndim, PyArray_DIMS(as_array(array))) && PyArray_ISCARRAY(as_array(array));
    if (!fits)
        throw Error("OPKG-9201", "the array given for output " + std::to_string(index) + " must be writable, compact, " +
                                     core::dtype_info(dtype)->name + ", and of shape " + shape_text(ndim, shape));
    slots_[index].array = nb::borrow(array);
}

void* ArrayOutputs::allocate_locked(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape) {
    Slot& slot = slots_[index];
    slot.dtype = dtype;
    if (given_) use_given(index, dtype, ndim, shape);
    else slot.array = new_array(dtype, ndim, shape);
    if (!is_packed(dtype)) return array_data(slot.array);
    slot.packed.resize(core::bytes_of(dtype, shape, ndim) + 1);
    return slot.packed.data();
}

void* ArrayOutputs::allocate(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape) {
    if (!state_) return allocate_locked(index, dtype, ndim, shape);
    nb::gil_scoped_acquire lock;
    replaced_.push_back(std::move(slots_[index]));
    slots_[index] = Slot{};
    return allocate_locked(index, dtype, ndim, shape);
}

void ArrayOutputs::launching(uint64_t last_ns, bool may_resize) {
    if (last_ns == 0 || last_ns > kKeepLockNs || may_resize) state_ = PyEval_SaveThread();
}

void ArrayOutputs::finish() {
    lock();
    for (Slot& slot : slots_)
        if (is_packed(slot.dtype))
            unpack(slot.dtype, slot.packed.data(), static_cast<uint64_t>(PyArray_SIZE(as_array(slot.array))), array_data(slot.array));
}

nb::object ArrayOutputs::take(size_t index) { return std::move(slots_[index].array); }

} // namespace opkg::python
