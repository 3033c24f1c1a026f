// SPDX-License-Identifier: Apache-2.0
//
// NumPy arrays as tensors of native/core, and back.
#ifndef OPKG_PYTHON_ARRAYS_HPP
#define OPKG_PYTHON_ARRAYS_HPP

#include <nanobind/nanobind.h>

#include <opkg/core.hpp>

#include <vector>

namespace opkg::python {

namespace nb = nanobind;

void import_numpy(); // once, when the module is initialised

// A new, uninitialised, row-major array.
nb::object new_array(int32_t dtype, uint32_t ndim, const int64_t* shape);
void* array_data(nb::handle array) noexcept;
// dtype of an array, as a ge::DataType number. Throws Error where it has none or its bytes are swapped.
int32_t array_dtype(nb::handle array, uint32_t index);
core::TensorValue tensor_value(nb::handle value);

// NumPy keeps one element of int4 and int2 in a byte; kernels keep them packed, the first element in the low bits.
bool is_packed(int32_t dtype) noexcept;
void pack(int32_t dtype, const void* bytes, uint64_t count, void* packed) noexcept;
void unpack(int32_t dtype, const void* packed, uint64_t count, void* bytes) noexcept;

// The arguments of one run, kept alive. Arrays that are not compact are copied, and other objects become arrays.
class ArrayInputs {
public:
    ArrayInputs(nb::handle const* items, size_t count);
    ~ArrayInputs();
    ArrayInputs(const ArrayInputs&) = delete;
    ArrayInputs& operator=(const ArrayInputs&) = delete;
    const core::Tensor* data() const noexcept { return tensors_; }

private:
    void set(core::Tensor& to, nb::handle item, uint32_t index);
    void set_packed(core::Tensor& to, nb::handle array);

    static constexpr size_t kInline = 8;
    core::Tensor inline_[kInline];
    std::vector<core::Tensor> more_;
    core::Tensor* tensors_;
    std::vector<nb::object> owners_;
    std::vector<std::vector<uint8_t>> packed_;
};

// The results of one run. Holds the interpreter's lock unless the launch takes long.
class ArrayOutputs final : public core::Outputs {
public:
    // given: arrays to write to, or nullptr for new ones.
    ArrayOutputs(size_t count, const nb::handle* given);
    ~ArrayOutputs() override;
    void* allocate(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape) override;
    void launching(uint64_t last_ns, bool may_resize) override;
    void lock() noexcept; // takes the interpreter's lock again if a launch runs without it
    void finish();        // the same; results are complete after this
    nb::object take(size_t index);

private:
    struct Slot {
        nb::object array;
        std::vector<uint8_t> packed;
        int32_t dtype = core::kUndefined;
    };
    void* allocate_locked(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape);
    void use_given(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape);

    std::vector<Slot> slots_;
    std::vector<Slot> replaced_; // storage of outputs that a launch gave another shape; still read by the resize
    const nb::handle* given_;
    PyThreadState* state_ = nullptr;
};

} // namespace opkg::python

#endif
