// SPDX-License-Identifier: Apache-2.0
//
// A package that speaks the plain-C interface by hand, for tests of whoever calls packages. Each operator shows one
// thing that a caller has to handle. Variants: -DFAKE_ABI=N, -DFAKE_OPEN=symbol, -DFAKE_NULL.
#include <opkg/package_abi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#ifndef FAKE_ABI
#define FAKE_ABI OPKG_ABI_VERSION
#endif
#ifndef FAKE_OPEN
#define FAKE_OPEN opkg_package_open_v1
#endif

namespace {

using Op = opkg_operator_v1;

int64_t elements(const opkg_tensor_v1& t) {
    int64_t n = 1;
    for (int32_t i = 0; i < t.dl.ndim; ++i) n *= t.dl.shape[i];
    return n;
}

int64_t bytes(const opkg_tensor_v1& t) { return (elements(t) * t.dl.dtype.bits + 7) / 8; }

void set_shape(opkg_tensor_v1& t, std::initializer_list<int64_t> shape) {
    t.dl.ndim = 0;
    for (int64_t dim : shape) t.dl.shape[t.dl.ndim++] = dim;
}

void like(opkg_tensor_v1& to, const opkg_tensor_v1& from) {
    to.flags |= from.flags & OPKG_TENSOR_UNKNOWN_RANK;
    to.dl.ndim = from.dl.ndim;
    for (int32_t i = 0; i < from.dl.ndim; ++i) to.dl.shape[i] = from.dl.shape[i];
}

const opkg_attr_v1* attr(const opkg_call_v1* call, const char* name) {
    for (uint32_t i = 0; i < call->n_attrs; ++i)
        if (std::strcmp(call->attrs[i].name, name) == 0 && call->attrs[i].is_set) return &call->attrs[i];
    return nullptr;
}

bool attr_is(const opkg_call_v1* call, const char* name, const char* value) {
    const opkg_attr_v1* found = attr(call, name);
    return found && std::strcmp(found->value.s, value) == 0;
}

// ---- defaults: every output is like the first input -------------------------------------------------------------

int32_t shape_like_first(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    for (uint32_t i = 0; i < call->n_outputs; ++i) like(call->outputs[i], call->inputs[0]);
    return 0;
}

int32_t dtype_like_first(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    for (uint32_t i = 0; i < call->n_outputs; ++i) call->outputs[i].dtype = call->inputs[0].dtype;
    return 0;
}

int32_t dtype_float(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    for (uint32_t i = 0; i < call->n_outputs; ++i) call->outputs[i].dtype = 0;
    return 0;
}

std::atomic<uint64_t> g_tilings{0};

int32_t tile(const Op*, opkg_call_v1* call, opkg_tiling_v1* tiling, const opkg_exec_v1*) {
    const uint64_t serial = ++g_tilings;
    tiling->block_dim = 4;
    tiling->data_size = sizeof serial;
    std::memcpy(tiling->data, &serial, sizeof serial);
    (void)call;
    return 0;
}

int32_t workspace(const Op*, const opkg_tiling_v1*, uint64_t* size) {
    *size = 0;
    return 0;
}

// ---- operators -----------------------------------------------------------------------------------------------------

struct Blocks {
    opkg_call_v1* call;
    uint32_t count;
    const opkg_exec_v1* exec;
};

template <class T>
void square_range(const opkg_call_v1* call, int64_t begin, int64_t end) {
    const T* x = static_cast<const T*>(call->inputs[0].dl.data);
    T* y = static_cast<T*>(call->outputs[0].dl.data);
    for (int64_t i = begin; i < end; ++i) y[i] = static_cast<T>(x[i] * x[i]);
}

void square_block(void* arg, uint64_t block) {
    const auto& blocks = *static_cast<Blocks*>(arg);
    const int64_t n = elements(blocks.call->inputs[0]);
    const int64_t each = (n + blocks.count - 1) / blocks.count;
    const int64_t begin = std::min<int64_t>(n, each * static_cast<int64_t>(block)), end = std::min(n, begin + each);
    switch (blocks.call->inputs[0].dtype) {
        case 0: return square_range<float>(blocks.call, begin, end);
        case 3: return square_range<int32_t>(blocks.call, begin, end);
        case 9: return square_range<int64_t>(blocks.call, begin, end);
        default: return square_range<uint8_t>(blocks.call, begin, end);
    }
}

int32_t square(const Op*, opkg_call_v1* call, const opkg_tiling_v1* tiling, const opkg_exec_v1* exec) {
    Blocks blocks{call, tiling->block_dim, exec};
    exec->parallel_for(exec->context, tiling->block_dim, square_block, &blocks);
    return 0;
}

int32_t copy(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1*) {
    std::memcpy(call->outputs[0].dl.data, call->inputs[0].dl.data, static_cast<size_t>(bytes(call->inputs[0])));
    return 0;
}

// Text of what the call looks like, as uint8; the shape is known only after it is written.
std::string describe_attr(const opkg_attr_v1& a) {
    std::string text = std::string(a.name) + ":" + std::to_string(a.type) + "=";
    if (!a.is_set) return text + "unset";
    char number[64];
    const auto real = [&](double v) {
        std::snprintf(number, sizeof number, "%.17g", v);
        return std::string(number);
    };
    switch (a.type) {
        case OPKG_ATTR_INT:
        case OPKG_ATTR_BOOL:
        case OPKG_ATTR_DTYPE: return text + std::to_string(a.value.i);
        case OPKG_ATTR_FLOAT: return text + real(a.value.f);
        case OPKG_ATTR_STRING: return text + std::string(a.value.s, a.count);
        case OPKG_ATTR_TENSOR: {
            const auto& t = *static_cast<const opkg_tensor_v1*>(a.value.data);
            text += "dtype" + std::to_string(t.dtype) + "[" + std::to_string(t.dl.ndim) + "]";
            for (int64_t i = 0; i < bytes(t); ++i) text += "." + std::to_string(static_cast<uint8_t*>(t.dl.data)[i]);
            return text;
        }
        default: break;
    }
    for (uint64_t i = 0; i < a.count; ++i) {
        text += i ? "," : "";
        if (a.type == OPKG_ATTR_LIST_INT) text += std::to_string(static_cast<const int64_t*>(a.value.data)[i]);
        if (a.type == OPKG_ATTR_LIST_FLOAT) text += real(static_cast<const double*>(a.value.data)[i]);
        if (a.type == OPKG_ATTR_LIST_BOOL) text += std::to_string(static_cast<const uint8_t*>(a.value.data)[i]);
        if (a.type == OPKG_ATTR_LIST_STRING) text += static_cast<const char* const*>(a.value.data)[i];
        if (a.type == OPKG_ATTR_LIST_DTYPE) text += std::to_string(static_cast<const int32_t*>(a.value.data)[i]);
        if (a.type == OPKG_ATTR_LIST_LIST_INT) {
            const auto& row = static_cast<const opkg_list_int_v1*>(a.value.data)[i];
            text += "(";
            for (uint64_t k = 0; k < row.count; ++k) text += (k ? "," : "") + std::to_string(row.data[k]);
            text += ")";
        }
    }
    return text;
}

std::string describe_input(const opkg_tensor_v1& t) {
    std::string text = std::to_string(t.ir_index) + "." + std::to_string(t.group_index) + ":";
    if (t.flags & OPKG_TENSOR_ABSENT) return text + "absent";
    text += "dtype" + std::to_string(t.dtype) + "(";
    for (int32_t i = 0; i < t.dl.ndim; ++i) text += (i ? "," : "") + std::to_string(t.dl.shape[i]);
    return text + ")";
}

int32_t describe_dtype(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    call->outputs[0].dtype = 4;
    return 0;
}

int32_t unknown_length(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    set_shape(call->outputs[0], {-1});
    return 0;
}

int32_t describe_call(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1* exec) {
    std::string text;
    for (uint32_t i = 0; i < call->n_inputs; ++i) text += describe_input(call->inputs[i]) + "\n";
    for (uint32_t i = 0; i < call->n_attrs; ++i) text += describe_attr(call->attrs[i]) + "\n";
    void* data = nullptr;
    const int64_t shape[] = {static_cast<int64_t>(text.size())};
    if (exec->resize_output(exec->context, 0, 1, shape, &data)) return 1;
    std::memcpy(data, text.data(), text.size());
    return 0;
}

// y = x + bias where bias is given, else x + the attribute `add`.
int32_t add_optional(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1*) {
    const float* x = static_cast<const float*>(call->inputs[0].dl.data);
    const bool given = !(call->inputs[1].flags & OPKG_TENSOR_ABSENT);
    const float* bias = static_cast<const float*>(call->inputs[1].dl.data);
    const opkg_attr_v1* add = attr(call, "add");
    float* y = static_cast<float*>(call->outputs[0].dl.data);
    for (int64_t i = 0; i < elements(call->inputs[0]); ++i) y[i] = x[i] + (given ? bias[i] : add ? static_cast<float>(add->value.f) : 0.0f);
    return 0;
}

// Joins any number of 1-D tensors.
int32_t join_shape(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    int64_t n = 0;
    for (uint32_t i = 0; i < call->n_inputs; ++i) {
        const int64_t dim = call->inputs[i].dl.ndim == 1 ? call->inputs[i].dl.shape[0] : -1;
        n = n < 0 || dim < 0 ? -1 : n + dim;
    }
    set_shape(call->outputs[0], {n});
    return 0;
}

int32_t join(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1*) {
    char* to = static_cast<char*>(call->outputs[0].dl.data);
    for (uint32_t i = 0; i < call->n_inputs; ++i) {
        const auto size = static_cast<size_t>(bytes(call->inputs[i]));
        std::memcpy(to, call->inputs[i].dl.data, size);
        to += size;
    }
    return 0;
}

// Two outputs of different dtype and shape: the sum (float32 scalar) and the number of elements (int32, shape [1]).
int32_t sum_shape(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    set_shape(call->outputs[0], {});
    set_shape(call->outputs[1], {1});
    return 0;
}

int32_t sum_dtype(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    call->outputs[0].dtype = 0;
    call->outputs[1].dtype = 3;
    return 0;
}

int32_t sum(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1*) {
    const float* x = static_cast<const float*>(call->inputs[0].dl.data);
    float total = 0;
    for (int64_t i = 0; i < elements(call->inputs[0]); ++i) total += x[i];
    *static_cast<float*>(call->outputs[0].dl.data) = total;
    *static_cast<int32_t*>(call->outputs[1].dl.data) = static_cast<int32_t>(elements(call->inputs[0]));
    return 0;
}

// Keeps positive elements: the output's shape depends on data. Writes through scratch memory.
int32_t positive(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1* exec) {
    const int64_t n = elements(call->inputs[0]);
    const float* x = static_cast<const float*>(call->inputs[0].dl.data);
    auto* kept = static_cast<float*>(exec->alloc(exec->context, static_cast<uint64_t>(n + 1) * sizeof(float), 64));
    if (!kept || reinterpret_cast<uintptr_t>(kept) % 64) return 2;
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i)
        if (x[i] > 0) kept[count++] = x[i];
    void* data = nullptr;
    if (exec->resize_output(exec->context, 0, 1, &count, &data)) return 1;
    std::memcpy(data, kept, static_cast<size_t>(count) * sizeof(float));
    return 0;
}

// Infers the full length, writes there, and shrinks afterwards: what was written stays.
int32_t shrink(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1* exec) {
    const int64_t n = elements(call->inputs[0]), half = n / 2;
    std::memcpy(call->outputs[0].dl.data, call->inputs[0].dl.data, static_cast<size_t>(n) * sizeof(float));
    return exec->resize_output(exec->context, 0, 1, &half, nullptr);
}

// The output's shape is the value of the first input.
int32_t fill_shape(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    const opkg_tensor_v1& dims = call->inputs[0];
    if (!(dims.flags & OPKG_TENSOR_HOST_VALUE)) {
        call->outputs[0].flags |= OPKG_TENSOR_UNKNOWN_RANK;
        return 0;
    }
    call->outputs[0].dl.ndim = static_cast<int32_t>(elements(dims));
    for (int32_t i = 0; i < call->outputs[0].dl.ndim; ++i)
        call->outputs[0].dl.shape[i] = dims.dtype == 9 ? static_cast<int64_t *>(dims.dl.data)[i] : static_cast<int32_t *>(dims.dl.data)[i];
    return 0;
}

int32_t fill(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1*) {
    for (int64_t i = 0; i < elements(call->outputs[0]); ++i) static_cast<float*>(call->outputs[0].dl.data)[i] = 7.0f;
    return 0;
}

// Writes which result of tiling it was launched with.
int32_t serial_dtype(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    call->outputs[0].dtype = 9;
    return 0;
}

int32_t serial_shape(const Op*, opkg_call_v1* call, const opkg_exec_v1*) {
    set_shape(call->outputs[0], {1});
    return 0;
}

int32_t serial(const Op*, opkg_call_v1* call, const opkg_tiling_v1* tiling, const opkg_exec_v1*) {
    std::memcpy(call->outputs[0].dl.data, tiling->data, sizeof(int64_t));
    return 0;
}

int32_t tile_by_value(const Op* op, opkg_call_v1* call, opkg_tiling_v1* tiling, const opkg_exec_v1* exec) {
    tiling->needs_values = 1;
    return tile(op, call, tiling, exec);
}

// Fails where the attribute `where` says.
int32_t fail(opkg_call_v1* call, const opkg_exec_v1* exec, const char* where) {
    if (!attr_is(call, "where", where)) return 0;
    if (attr_is(call, "how", "silent")) return 561002;
    if (attr_is(call, "how", "throw")) throw std::runtime_error("thrown on purpose");
    const char* how = attr_is(call, "how", "bytes") ? "\xff\xfe " : "";
    exec->report_error(exec->context, "EZ9999", (std::string(how) + "refused in " + where).c_str());
    return 561002;
}

int32_t fail_shape(const Op* op, opkg_call_v1* call, const opkg_exec_v1* exec) {
    const int32_t status = fail(call, exec, "shape");
    return status ? status : shape_like_first(op, call, exec);
}

int32_t fail_tiling(const Op* op, opkg_call_v1* call, opkg_tiling_v1* tiling, const opkg_exec_v1* exec) {
    const int32_t status = fail(call, exec, "tiling");
    return status ? status : tile(op, call, tiling, exec);
}

void fail_block(void* arg, uint64_t block) {
    if (block == 3) throw std::runtime_error("block " + std::to_string(block) + " thrown on purpose");
    (void)arg;
}

int32_t fail_launch(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1* exec) {
    if (attr_is(call, "how", "never ends")) {
        std::fputs("running\n", stdout);
        std::fflush(stdout);
        for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (attr_is(call, "where", "kernel")) {
        exec->report_error(exec->context, "507015", "vector core 0 of 2: thrown");
        return 507015;
    }
    if (attr_is(call, "where", "block")) exec->parallel_for(exec->context, 64, fail_block, nullptr);
    return fail(call, exec, "launch");
}

// Counts the bodies of a parallel_for inside a parallel_for; sleeps so that helpers join in.
std::atomic<int32_t> g_inner{0};

void nested_inner(void*, uint64_t) { ++g_inner; }

void nested_outer(void* arg, uint64_t) {
    const auto* exec = static_cast<const opkg_exec_v1*>(arg);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    exec->parallel_for(exec->context, 5, nested_inner, nullptr);
}

int32_t nested(const Op*, opkg_call_v1* call, const opkg_tiling_v1*, const opkg_exec_v1* exec) {
    g_inner = 0;
    exec->parallel_for(exec->context, 8, nested_outer, const_cast<opkg_exec_v1*>(exec));
    *static_cast<int64_t*>(call->outputs[0].dl.data) = g_inner;
    return 0;
}

constexpr uint32_t kSize = sizeof(Op);
const Op kOperators[] = {
    {kSize, FAKE_ABI, "Square", nullptr, shape_like_first, dtype_like_first, tile, workspace, square, 0, 1},
    {kSize, FAKE_ABI, "Copy", nullptr, shape_like_first, dtype_like_first, tile, workspace, copy, 0, 1},
    {kSize, FAKE_ABI, "Describe", nullptr, unknown_length, describe_dtype, tile, workspace, describe_call, OPKG_OPERATOR_DATA_DEPENDENT_SHAPE, 1},
    {kSize, FAKE_ABI, "AddOptional", nullptr, shape_like_first, dtype_like_first, tile, workspace, add_optional, 0, 1},
    {kSize, FAKE_ABI, "Join", nullptr, join_shape, dtype_like_first, tile, workspace, join, 0, 1},
    {kSize, FAKE_ABI, "Sum", nullptr, sum_shape, sum_dtype, tile, workspace, sum, 0, 1},
    {kSize, FAKE_ABI, "Positive", nullptr, unknown_length, dtype_like_first, tile, workspace, positive, OPKG_OPERATOR_DATA_DEPENDENT_SHAPE, 1},
    {kSize, FAKE_ABI, "Shrink", nullptr, shape_like_first, dtype_like_first, tile, workspace, shrink, OPKG_OPERATOR_DATA_DEPENDENT_SHAPE, 1},
    {kSize, FAKE_ABI, "Resizes", nullptr, shape_like_first, dtype_like_first, tile, workspace, shrink, 0, 1},
    {kSize, FAKE_ABI, "Fill", nullptr, fill_shape, dtype_float, tile, workspace, fill, OPKG_OPERATOR_VALUE_DEPENDENT, 1},
    {kSize, FAKE_ABI, "Serial", nullptr, serial_shape, serial_dtype, tile, workspace, serial, 0, 1},
    {kSize, FAKE_ABI, "SerialByValue", nullptr, serial_shape, serial_dtype, tile_by_value, workspace, serial, 0, 1},
    {kSize, FAKE_ABI, "Fail", nullptr, fail_shape, dtype_like_first, fail_tiling, workspace, fail_launch, 0, 1},
    {kSize, FAKE_ABI, "Nested", nullptr, serial_shape, serial_dtype, tile, workspace, nested, 0, 1},
    {kSize, FAKE_ABI, "Open", nullptr, unknown_length, dtype_like_first, tile, workspace, copy, 0, 1},
};
constexpr uint32_t kCount = sizeof kOperators / sizeof *kOperators;

const char* describe() { return "{\"abi\": 1}"; }

struct Table {
    const Op* list[kCount];
    opkg_package_v1 package;
    Table() {
        for (uint32_t i = 0; i < kCount; ++i) list[i] = &kOperators[i];
        package = {sizeof package, FAKE_ABI, "fake", "everything", "1.2.3", "Ascend910B1", kCount, 0, list, describe};
    }
};

} // namespace

extern "C" __attribute__((visibility("default"))) const opkg_package_v1* FAKE_OPEN(const char*) {
    static const Table table;
#ifdef FAKE_NULL
    return nullptr;
#else
    return &table.package;
#endif
}
