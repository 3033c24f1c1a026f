// SPDX-License-Identifier: Apache-2.0
// Launch: from a call to the kernel's own arguments, in the order inputs, outputs, shape_out, workspace, tiling.
//
// A dynamic input or output is one argument: the address of a block of uint64
//   [bytes from the block to the pointers] { rank | index << 32, extents... } for each tensor, [pointers...]
// An operator whose kernel computes output shapes gets shape_out: 9 uint64 for each such output, in the order of their
// declaration: rank (bit 31 set where the kernel states that the extents are 64 bits wide), then up to 8 extents.
#include <algorithm>
#include <cstring>

#include "fill.hpp"
#include "frame.hpp"
#include "guard.hpp"
#include "kernel_library.hpp"
#include "tensors.hpp"

namespace opkg::host {
namespace {

constexpr size_t kShapeSlot = 9;
constexpr size_t kShapeRank = 8;
constexpr uint64_t kUnwritten = ~0ull;
constexpr size_t kStackTiling = 2048;

// One output whose extents the kernel writes.
struct Computed {
    uint32_t output;   // flat
    int64_t bound;     // bytes that the kernel may write
    void *written;     // where it writes them
};

class Launcher {
public:
    Launcher(Operator &op, opkg_call_v1 &call, const opkg_tiling_v1 &tiling, const opkg_exec_v1 *exec)
        : op_(op), call_(call), tiling_(tiling), exec_(exec)
    {
    }

    int32_t Run(const opkg_kernel_table_v1 &kernel);

private:
    int32_t AddInputs();
    int32_t AddOutputs();
    int32_t AddOutput(const Param &param, uint32_t index, void *&data);
    int32_t AddComputed(const Param &param, uint32_t index, void *&data);
    int32_t AddTiling(const opkg_kernel_table_v1 &kernel);
    int32_t AddWorkspace();
    void TellSizes(TellAllocated tell, bool given) const;
    int32_t FinishShapes();
    int32_t FinishShape(size_t slot, const uint64_t *words);
    int32_t Check(const char *what, const Param &param, const opkg_tensor_v1 &t);
    int64_t UpperBound(const opkg_tensor_v1 &t) const;
    int32_t FindLargestShapes();
    void UseInPlace(uint32_t input, const opkg_tensor_v1 &output, void *data);
    void *ListBlock(const opkg_tensor_v1 *tensors, uint32_t count, void *const *data);
    int32_t Fail(Code code, const std::string &message)
    {
        return Report(exec_, code, Who(op_, call_) + ": " + message);
    }

    Operator &op_;
    opkg_call_v1 &call_;
    const opkg_tiling_v1 &tiling_;
    const opkg_exec_v1 *exec_;
    Slots<void *, 32> args_;
    Slots<Computed, 8> computed_;
    uint64_t *shape_out_ = nullptr;
    std::vector<gert::Shape> largest_; // of each flat output, by InferShapeRange; empty where the operator has none
    alignas(64) unsigned char tiling_copy_[kStackTiling];
    alignas(64) unsigned char no_workspace_[64];
    Arena arena_;
};

bool IsCompact(const DLTensor &t)
{
    if (t.strides == nullptr) {
        return true;
    }
    int64_t expected = 1;
    for (int32_t i = t.ndim - 1; i >= 0; --i) {
        if (t.shape[i] != 1 && t.strides[i] != expected) {
            return false;
        }
        expected *= t.shape[i];
    }
    return true;
}

int32_t Launcher::Check(const char *what, const Param &param, const opkg_tensor_v1 &t)
{
    const int64_t bytes = ByteCount(t);
    const bool has_room = t.capacity == 0 || t.capacity >= static_cast<uint64_t>(bytes);
    if (bytes >= 0 && has_room && (bytes == 0 || t.dl.data != nullptr) && IsCompact(t.dl)) {
        return kOk;
    }
    const std::string front = std::string(what) + " '" + param.name + "' ";
    if (bytes < 0) {
        return Fail(kInvalidParameter, front + "has no known size");
    }
    if (bytes > 0 && t.dl.data == nullptr) {
        return Fail(kNullPointer, front + "has no data");
    }
    if (!has_room) {
        return Fail(kInvalidParameter,
                    front + "needs " + std::to_string(bytes) + " bytes but has " + std::to_string(t.capacity));
    }
    return Fail(kInvalidParameter, front + "is not compact; copy it first");
}

void *Launcher::ListBlock(const opkg_tensor_v1 *tensors, uint32_t count, void *const *data)
{
    size_t words = 1;
    for (uint32_t i = 0; i < count; ++i) {
        words += 1 + static_cast<size_t>(tensors[i].dl.ndim);
    }
    auto *block = static_cast<uint64_t *>(arena_.Allocate((words + count) * sizeof(uint64_t)));
    block[0] = words * sizeof(uint64_t);
    size_t at = 1;
    for (uint32_t i = 0; i < count; ++i) {
        block[at++] = static_cast<uint64_t>(tensors[i].dl.ndim) | static_cast<uint64_t>(i) << 32;
        for (int32_t d = 0; d < tensors[i].dl.ndim; ++d) {
            block[at++] = static_cast<uint64_t>(tensors[i].dl.shape[d]);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        block[at++] = reinterpret_cast<uint64_t>(data[i]);
    }
    return block;
}

int32_t Launcher::AddInputs()
{
    uint32_t at = 0;
    for (uint32_t ir = 0; ir < op_.inputs.size(); ++ir) {
        const Param &param = op_.inputs[ir];
        const uint32_t start = at;
        Slots<void *, 8> data;
        data.Reserve(call_.n_inputs - start);
        for (; at < call_.n_inputs && call_.inputs[at].ir_index == ir; ++at) {
            const opkg_tensor_v1 &t = call_.inputs[at];
            if (IsAbsent(t)) {
                continue;
            }
            const int32_t bad = Check("input", param, t);
            if (bad != kOk) {
                return bad;
            }
            data.Add(DataOf(t));
        }
        const uint32_t count = static_cast<uint32_t>(data.size());
        args_.Add(param.type == ops::DYNAMIC ? ListBlock(call_.inputs + start, count, data.data())
                                             : count == 0 ? nullptr : data[0]);
    }
    return kOk;
}

// Asks InferShapeRange for the largest shapes of the outputs of this call, whose input shapes are known.
int32_t Launcher::FindLargestShapes()
{
    if (op_.impl.infer_shape_range == nullptr) {
        return kOk;
    }
    Frame frame;
    const int32_t bad = frame.Build(op_, call_, Phase::kInferShape, exec_);
    if (bad != kOk) {
        return bad;
    }
    const size_t inputs = frame.Info()->GetInputsNum();
    const size_t outputs = frame.Info()->GetOutputsNum();
    std::vector<gert::Range<gert::Shape>> from;
    for (size_t i = 0; i < inputs; ++i) {
        from.emplace_back(&frame.Inputs()[i].MutableOriginShape());
    }
    std::vector<gert::Shape> smallest(outputs);
    std::vector<gert::Shape> largest(outputs);
    std::vector<gert::Range<gert::Shape>> to;
    for (size_t i = 0; i < outputs; ++i) {
        to.emplace_back(&smallest[i], &largest[i]);
    }
    gert::InferShapeRangeContext context(frame.Info(), frame.Inputs(), frame.Outputs(), from.data(), to.data());
    const ge::graphStatus status = op_.impl.infer_shape_range(&context);
    if (status != ge::GRAPH_SUCCESS) {
        return Fail(kInferShape, "InferShapeRange failed (it returned " + std::to_string(status) + ")");
    }
    largest_.resize(call_.n_outputs);
    for (size_t i = 0; i < outputs; ++i) {
        largest_[frame.CallOutput(i)] = *to[i].GetMax();
    }
    return kOk;
}

// Bytes that the kernel may write at most. InferShapeRange says so; without it each extent that the call does not know
// stands for as many elements as the largest input has.
int64_t Launcher::UpperBound(const opkg_tensor_v1 &t) const
{
    int64_t elements = 1;
    if (!largest_.empty()) {
        elements = largest_[static_cast<size_t>(&t - call_.outputs)].GetShapeSize();
        return ge::GetSizeInBytes(elements, static_cast<ge::DataType>(t.dtype));
    }
    int64_t largest = 1;
    for (uint32_t i = 0; i < call_.n_inputs; ++i) {
        if (!IsAbsent(call_.inputs[i])) {
            largest = std::max(largest, ElementCount(call_.inputs[i]));
        }
    }
    elements = (t.flags & OPKG_TENSOR_UNKNOWN_RANK) != 0 ? largest : 1;
    for (int32_t i = 0; i < t.dl.ndim; ++i) {
        const int64_t extent = t.dl.shape[i] < 0 ? largest : t.dl.shape[i];
        if (__builtin_mul_overflow(elements, extent, &elements)) {
            return -1;
        }
    }
    return ge::GetSizeInBytes(elements, static_cast<ge::DataType>(t.dtype));
}

int32_t Launcher::AddComputed(const Param &param, uint32_t index, void *&data)
{
    const opkg_tensor_v1 &t = call_.outputs[index];
    int64_t bound = UpperBound(t);
    if (bound < 0) {
        return Fail(kInvalidParameter, "output '" + param.name + "' has no bound for its size");
    }
    data = DataOf(t);
    if (data != nullptr && t.capacity >= static_cast<uint64_t>(bound)) {
        bound = static_cast<int64_t>(t.capacity);
    } else {
        data = exec_->alloc(exec_->context, static_cast<uint64_t>(std::max<int64_t>(bound, 1)), 64);
        if (data == nullptr) {
            return Fail(kInner, "no memory for the " + std::to_string(bound) + " bytes that output '" + param.name +
                                    "' may have");
        }
    }
    computed_.Add(Computed{index, bound, data});
    return kOk;
}

int32_t Launcher::AddOutput(const Param &param, uint32_t index, void *&data)
{
    const opkg_tensor_v1 &t = call_.outputs[index];
    if (param.computed_shape) {
        return AddComputed(param, index, data);
    }
    data = DataOf(t);
    return Check("output", param, t);
}

// The kernel updates its input; here it updates a copy, which is the output.
void Launcher::UseInPlace(uint32_t input, const opkg_tensor_v1 &output, void *data)
{
    void *&argument = args_[input];
    for (uint32_t i = 0; i < call_.n_inputs && argument != nullptr; ++i) {
        const opkg_tensor_v1 &t = call_.inputs[i];
        if (t.ir_index == input && !IsAbsent(t) && argument != data) {
            std::memcpy(data, argument,
                        static_cast<size_t>(std::max<int64_t>(0, std::min(ByteCount(t), ByteCount(output)))));
        }
    }
    argument = data;
}

int32_t Launcher::AddOutputs()
{
    uint32_t at = 0;
    computed_.Reserve(call_.n_outputs);
    for (uint32_t ir = 0; ir < op_.outputs.size(); ++ir) {
        const Param &param = op_.outputs[ir];
        const uint32_t start = at;
        Slots<void *, 8> data;
        data.Reserve(call_.n_outputs - start);
        for (; at < call_.n_outputs && call_.outputs[at].ir_index == ir; ++at) {
            if (IsAbsent(call_.outputs[at])) {
                continue;
            }
            void *address = nullptr;
            const int32_t bad = AddOutput(param, at, address);
            if (bad != kOk) {
                return bad;
            }
            if ((tiling_.flags & kTilingFillsOutputs) != 0) {
                FillOutput(param, call_.outputs[at], address);
            }
            data.Add(address);
        }
        const uint32_t count = static_cast<uint32_t>(data.size());
        void *argument = count == 0 ? nullptr : data[0];
        if (param.type == ops::DYNAMIC) {
            argument = ListBlock(call_.outputs + start, count, data.data());
        } else if (param.in_place_of >= 0 && argument != nullptr) {
            UseInPlace(static_cast<uint32_t>(param.in_place_of), call_.outputs[start], argument);
        }
        args_.Add(argument);
    }
    return kOk;
}

int32_t Launcher::AddWorkspace()
{
    void *workspace = no_workspace_;
    if (tiling_.workspace_size > 0) {
        workspace = exec_->alloc(exec_->context, tiling_.workspace_size, 512);
        if (workspace == nullptr) {
            return Fail(kInner, "no memory for a workspace of " + std::to_string(tiling_.workspace_size) + " bytes");
        }
    }
    args_.Add(workspace);
    return kOk;
}

// The kernel gets a copy of its own, as long as the struct that it was compiled with.
int32_t Launcher::AddTiling(const opkg_kernel_table_v1 &kernel)
{
    const size_t size = std::max<uint64_t>({tiling_.data_size, kernel.tiling_size, 64});
    if (tiling_.data_size > 0 && tiling_.data == nullptr) {
        return Fail(kNullPointer, "launched without its tiling data");
    }
    auto *copy = size <= kStackTiling ? tiling_copy_ : static_cast<unsigned char *>(arena_.Allocate(size));
    if (tiling_.data_size > 0) {
        std::memcpy(copy, tiling_.data, tiling_.data_size);
    }
    std::memset(copy + tiling_.data_size, 0, size - tiling_.data_size);
    args_.Add(static_cast<void *>(copy));
    return kOk;
}

// Reads the extents that the kernel wrote for one output, gives the output its shape and, if the kernel wrote
// elsewhere, its data.
int32_t Launcher::FinishShape(size_t slot, const uint64_t *words)
{
    const Computed &computed = computed_[slot];
    opkg_tensor_v1 &out = call_.outputs[computed.output];
    const std::string front = "output '" + op_.outputs[out.ir_index].name + "' ";
    const uint64_t rank = words[0] & 0x7FFFFFFFu;
    if (words[0] == kUnwritten || rank > kShapeRank) {
        return Fail(kInner, front + (words[0] == kUnwritten
                                         ? "got no shape from the kernel"
                                         : "got rank " + std::to_string(rank) + " from the kernel; 8 is the most"));
    }
    int64_t shape[kShapeRank] = {};
    int64_t elements = 1;
    for (uint64_t i = 0; i < rank; ++i) {
        shape[i] = static_cast<int64_t>(words[1 + i]);
        if (shape[i] < 0 || __builtin_mul_overflow(elements, shape[i], &elements)) {
            return Fail(kInner, front + "got an impossible extent from the kernel");
        }
    }
    const int64_t bytes = ge::GetSizeInBytes(elements, static_cast<ge::DataType>(out.dtype));
    if (bytes < 0 || bytes > computed.bound) {
        return Fail(kInner, front + "got " + std::to_string(elements) +
                                " elements from the kernel, more than it may have (" + std::to_string(computed.bound) +
                                " bytes)");
    }
    void *data = nullptr;
    if (exec_->resize_output(exec_->context, computed.output, static_cast<uint32_t>(rank), shape, &data) != 0) {
        return Fail(kInner, front + "could not be given its final shape");
    }
    if (data != nullptr && data != computed.written && bytes > 0) {
        std::memcpy(data, computed.written, static_cast<size_t>(bytes));
    }
    return kOk;
}

int32_t Launcher::FinishShapes()
{
    // Kernels of older kits write 32-bit words: then the word behind the last extent is untouched.
    const auto *narrow = reinterpret_cast<const uint32_t *>(shape_out_);
    const uint32_t rank = narrow[0] & 0x7FFFFFFFu;
    const bool is_narrow = shape_out_[0] != kUnwritten && (narrow[0] >> 31) == 0 && rank >= 1 && rank <= kShapeRank &&
                           narrow[2 * rank + 1] == 0xFFFFFFFFu;
    for (size_t slot = 0; slot < computed_.size(); ++slot) {
        uint64_t words[kShapeSlot];
        for (size_t i = 0; i < kShapeSlot; ++i) {
            words[i] = is_narrow ? narrow[slot * kShapeSlot + i] : shape_out_[slot * kShapeSlot + i];
        }
        const int32_t bad = FinishShape(slot, words);
        if (bad != kOk) {
            return bad;
        }
    }
    return kOk;
}

// Tensors end with a whole block of 32 bytes and one more, which a copy of whole blocks may run into, as on the chip.
void Launcher::TellSizes(TellAllocated tell, bool given) const
{
    const auto tensor = [&](const opkg_tensor_v1 &t) {
        if (!IsAbsent(t) && DataOf(t) != nullptr) {
            tell(DataOf(t), given ? (static_cast<uint64_t>(std::max<int64_t>(ByteCount(t), 0)) + 31) / 32 * 32 + 32 : 0);
        }
    };
    for (uint32_t i = 0; i < call_.n_inputs; ++i) {
        tensor(call_.inputs[i]);
    }
    for (uint32_t i = 0; i < call_.n_outputs && computed_.size() == 0; ++i) {
        tensor(call_.outputs[i]);
    }
    const size_t last = args_.size() - 1;
    if (tiling_.workspace_size > 0) {
        tell(args_[last - 1], given ? tiling_.workspace_size : 0);
    }
    if (tiling_.data_size > 0) {
        tell(args_[last], given ? tiling_.data_size : 0);
    }
}

int32_t Launcher::Run(const opkg_kernel_table_v1 &kernel)
{
    args_.Reserve(KernelArguments(op_));
    int32_t bad = AddInputs();
    bad = bad == kOk && op_.computes_shapes ? FindLargestShapes() : bad;
    bad = bad != kOk ? bad : AddOutputs();
    if (bad == kOk && op_.computes_shapes) {
        const size_t words = kShapeSlot * std::max<size_t>(computed_.size(), 1);
        shape_out_ = static_cast<uint64_t *>(arena_.Allocate(words * sizeof(uint64_t)));
        std::fill(shape_out_, shape_out_ + words, kUnwritten);
        args_.Add(static_cast<void *>(shape_out_));
    }
    bad = bad != kOk ? bad : AddWorkspace();
    bad = bad != kOk ? bad : AddTiling(kernel);
    if (bad != kOk) {
        return bad;
    }
    const char *soc = call_.soc == nullptr || *call_.soc == '\0' ? op_.package_soc.c_str() : call_.soc;
    const TellAllocated tell = tell_allocated.load(std::memory_order_acquire);
    if (tell != nullptr) {
        TellSizes(tell, true);
    }
    const int32_t code = kernel.launch(args_.data(), static_cast<uint32_t>(args_.size()), tiling_.block_dim,
                                       tiling_.tiling_key, soc, exec_);
    if (tell != nullptr) {
        TellSizes(tell, false);
    }
    return code == kOk && computed_.size() > 0 ? FinishShapes() : code;
}

int32_t Launch(Operator &op, opkg_call_v1 *call, const opkg_tiling_v1 *tiling, const opkg_exec_v1 *exec)
{
    if (exec == nullptr || exec->struct_size < sizeof(opkg_exec_v1) || exec->abi_version != OPKG_ABI_VERSION) {
        return Report(exec, kInvalidParameter,
                      op.type + ": the caller's services have another version than this package");
    }
    const int32_t bad = CheckCall(op, call, exec);
    if (bad != kOk) {
        return bad;
    }
    if (tiling == nullptr || tiling->struct_size < sizeof(opkg_tiling_v1)) {
        return Report(exec, kInvalidParameter, Who(op, *call) + ": launched without the result of tiling");
    }
    if (tiling->block_dim == 0) {
        return kOk; // every output is empty
    }
    if (exec->cancelled != nullptr && exec->cancelled(exec->context) != 0) {
        return Report(exec, kInner, Who(op, *call) + ": cancelled");
    }
    const opkg_kernel_table_v1 *kernel = nullptr;
    const int32_t missing = LoadKernel(op, tiling->column, kernel, exec);
    return missing != kOk ? missing : Launcher(op, *call, *tiling, exec).Run(*kernel);
}

} // namespace

int32_t LaunchEntry(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_tiling_v1 *tiling,
                    const opkg_exec_v1 *exec)
{
    return Guard(Self(op), "launch", kInner, exec, [&] { return Launch(MutableSelf(op), call, tiling, exec); });
}

} // namespace opkg::host
