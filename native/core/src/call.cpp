// SPDX-License-Identifier: Apache-2.0
#include "opkg/core.hpp"

#include "attrs.hpp"
#include "interrupt.hpp"
#include "run.hpp"

#include <algorithm>

namespace opkg::core {
namespace {

// Waking a helper costs some ten microseconds until it works: a launch with less work than this runs on its caller.
constexpr uint64_t kOnCallerNs = 20'000;
constexpr uint64_t kTilingBytes = 64 * 1024; // what CANN lets one operator's tiling data have at most

const Executor kPool = {&threads, &parallel_for};

uint32_t sum(const std::vector<uint32_t>& groups) noexcept {
    uint32_t total = 0;
    for (uint32_t count : groups) total += count;
    return total;
}

bool is_sized(const TensorType& type) noexcept {
    return !type.unknown_rank && std::all_of(type.shape.begin(), type.shape.end(), [](int64_t dim) { return dim >= 0; });
}

std::vector<TensorType> types_of(const std::vector<opkg_tensor_v1>& tensors) {
    std::vector<TensorType> types;
    for (const opkg_tensor_v1& tensor : tensors) {
        TensorType type;
        type.dtype = tensor.dtype;
        type.unknown_rank = tensor.flags & OPKG_TENSOR_UNKNOWN_RANK;
        if (!type.unknown_rank) type.shape.assign(tensor.dl.shape, tensor.dl.shape + tensor.dl.ndim);
        types.push_back(std::move(type));
    }
    return types;
}

} // namespace

struct Call::Impl {
    std::shared_ptr<const Package> package;
    const opkg_operator_v1* op;
    AttrBlock attrs;
    std::vector<uint32_t> input_groups, output_groups;
    std::string node_name;
    uint32_t n_inputs, n_outputs;
    PlanCache plans;
    std::atomic<Frame*> spare{nullptr}; // one frame waits for the next run; runs at once make their own

    Impl(std::shared_ptr<const Package> owner, std::string_view type, std::vector<Attr> given,
         std::vector<uint32_t> ins, std::vector<uint32_t> outs, std::string node);
    ~Impl() { delete spare.load(); }

    std::unique_ptr<Frame> acquire();
    void release(std::unique_ptr<Frame> frame) noexcept;

    void check(const Tensor* inputs, bool with_values) const;
    void infer_dtypes(Run& run, const opkg_exec_v1& exec) const;
    void infer(Run& run, const opkg_exec_v1& exec) const;
    void check_outputs(const std::vector<TensorType>& types) const;
    void tile(Run& run, const opkg_exec_v1& exec, Plan& plan) const;
    std::shared_ptr<const Plan> make_plan(Run& run, const opkg_exec_v1& exec, const Tensor* inputs) const;
    void prepare(Run& run, const opkg_exec_v1& exec, const Tensor* inputs);
    void launch(Run& run, const opkg_exec_v1& exec, const Plan& plan) const;
    void check_sized(const Frame& frame) const;

    std::string who() const { return node_name.empty() ? op->type : std::string(op->type) + " (node '" + node_name + "')"; }
    // A package may have named the operator itself.
    std::string said(const std::string& message) const {
        return message.compare(0, std::char_traits<char>::length(op->type), op->type) == 0 ? message : who() + ": " + message;
    }

    // Runs one function of the package and turns each way in which it can fail into an Error that names the operator.
    template <class Function>
    void guarded(Run& run, const char* what, const Function& function) const {
        int32_t status = 0;
        try {
            status = function();
        } catch (const Error& error) {
            throw Error(error.code(), said(error.what()), error.hint());
        } catch (const std::exception& error) {
            throw Error("OPKG-9301", who() + ": " + what + " failed: " + error.what());
        }
        if (status == 0) return;
        if (run.message.empty())
            throw Error("OPKG-9301", who() + ": " + what + " failed with status " + std::to_string(status));
        throw Error(run.code, said(run.message));
    }
};

Call::Impl::Impl(std::shared_ptr<const Package> owner, std::string_view type, std::vector<Attr> given,
                 std::vector<uint32_t> ins, std::vector<uint32_t> outs, std::string node)
    : package(std::move(owner)), op(package->find(type)), attrs(std::move(given)), input_groups(std::move(ins)),
      output_groups(std::move(outs)), node_name(std::move(node)), n_inputs(sum(input_groups)),
      n_outputs(sum(output_groups)) {
    if (!op)
        throw Error("OPKG-9104", std::string("package ") + package->vendor() + "/" + package->name() +
                                     " has no operator '" + std::string(type) + "'");
}

std::unique_ptr<Frame> Call::Impl::acquire() {
    if (Frame* frame = spare.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<Frame>(frame);
    auto frame = std::make_unique<Frame>(input_groups, output_groups);
    frame->call.node_name = node_name.c_str();
    frame->call.attrs = attrs.data();
    frame->call.n_attrs = attrs.size();
    return frame;
}

void Call::Impl::release(std::unique_ptr<Frame> frame) noexcept {
    frame->arena.reset();
    delete spare.exchange(frame.release(), std::memory_order_acq_rel);
}

void Call::Impl::check(const Tensor* inputs, bool with_values) const {
    for (uint32_t i = 0; i < n_inputs; ++i) {
        const Tensor& input = inputs[i];
        if (input.absent) continue;
        if (!dtype_info(input.dtype))
            throw Error("OPKG-9201", who() + ": input " + std::to_string(i) + " has a dtype that operators do not take");
        if (input.ndim > OPKG_MAX_DIMS)
            throw Error("OPKG-9201", who() + ": input " + std::to_string(i) + " has " + std::to_string(input.ndim) +
                                         " dimensions, and an operator takes at most " + std::to_string(OPKG_MAX_DIMS));
        if (with_values && std::any_of(input.shape, input.shape + input.ndim, [](int64_t dim) { return dim < 0; }))
            throw Error("OPKG-9201", who() + ": input " + std::to_string(i) + " has a negative dimension");
    }
}

void Call::Impl::infer_dtypes(Run& run, const opkg_exec_v1& exec) const {
    run.frame.clear_outputs();
    guarded(run, "inferring dtypes", [&] { return op->infer_dtype(op, &run.frame.call, &exec); });
    for (opkg_tensor_v1& output : run.frame.outputs) set_dtype(output, output.dtype);
}

void Call::Impl::infer(Run& run, const opkg_exec_v1& exec) const {
    opkg_call_v1& call = run.frame.call;
    infer_dtypes(run, exec);
    guarded(run, "inferring shapes", [&] { return op->infer_shape(op, &call, &exec); });
}

void Call::Impl::check_outputs(const std::vector<TensorType>& types) const {
    for (size_t i = 0; i < types.size(); ++i) {
        if (!dtype_info(types[i].dtype))
            throw Error("OPKG-9303", who() + ": its InferDataType does not say the dtype of output " + std::to_string(i));
        if (!is_sized(types[i]) && !(op->flags & OPKG_OPERATOR_DATA_DEPENDENT_SHAPE))
            throw Error("OPKG-9303", who() + ": its InferShape leaves the shape of output " + std::to_string(i) + " open",
                        "set every dimension, or declare the output with OutputShapeDependOnCompute");
    }
}

void Call::Impl::tile(Run& run, const opkg_exec_v1& exec, Plan& plan) const {
    plan.tiling_data.resize(kTilingBytes / sizeof(uint64_t));
    plan.tiling.struct_size = sizeof plan.tiling;
    plan.tiling.data_capacity = kTilingBytes;
    plan.tiling.data = plan.tiling_data.data();
    guarded(run, "tiling", [&] { return op->tiling(op, &run.frame.call, &plan.tiling, &exec); });
    if (plan.tiling.data_size > kTilingBytes)
        throw Error("OPKG-9303", who() + ": its tiling data has " + std::to_string(plan.tiling.data_size) + " bytes");
    plan.tiling_data.resize((plan.tiling.data_size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    plan.tiling_data.shrink_to_fit();
    plan.tiling.data = plan.tiling_data.data();
    plan.tiling.data_capacity = plan.tiling_data.size() * sizeof(uint64_t);
}

std::shared_ptr<const Plan> Call::Impl::make_plan(Run& run, const opkg_exec_v1& exec, const Tensor* inputs) const {
    auto plan = std::make_shared<Plan>();
    infer(run, exec);
    plan->signature = signature_of(inputs, n_inputs);
    plan->outputs = types_of(run.frame.outputs);
    check_outputs(plan->outputs);
    for (const TensorType& type : plan->outputs)
        plan->output_bytes.push_back(
            is_sized(type) ? bytes_of(type.dtype, type.shape.data(), static_cast<uint32_t>(type.shape.size())) : kUnsized);
    tile(run, exec, *plan);
    plan->keep = !(op->flags & OPKG_OPERATOR_VALUE_DEPENDENT) && !plan->tiling.needs_values;
    return plan;
}

// Leaves a frame whose shapes, dtypes and plan are those of `inputs`, and whose inputs have their data.
void Call::Impl::prepare(Run& run, const opkg_exec_v1& exec, const Tensor* inputs) {
    Frame& frame = run.frame;
    const bool repeated = frame.plan && same_signature(*frame.plan, inputs, n_inputs);
    if (!repeated) {
        check(inputs, true);
        frame.plan = nullptr;
        frame.set_inputs(inputs);
    }
    for (uint32_t i = 0; i < n_inputs; ++i) frame.inputs[i].dl.data = inputs[i].data;
    if (repeated && frame.plan->keep) {
        if (frame.resized) frame.set_outputs(*frame.plan);
        return;
    }
    std::shared_ptr<const Plan> plan = repeated ? nullptr : plans.find(inputs, n_inputs);
    if (!plan) {
        plan = make_plan(run, exec, inputs);
        if (plan->keep) plans.insert(plan);
    }
    if (repeated) plan->inherit(*frame.plan);
    frame.set_outputs(*plan);
    frame.plan = std::move(plan);
}

void Call::Impl::launch(Run& run, const opkg_exec_v1& exec, const Plan& plan) const {
    const uint64_t last = plan.launch_ns.load(std::memory_order_relaxed);
    const uint64_t work = plan.work_ns.load(std::memory_order_relaxed);
    run.on_caller = work != 0 && work < kOnCallerNs;
    run.may_resize = op->flags & OPKG_OPERATOR_DATA_DEPENDENT_SHAPE;
    run.sink->launching(last, run.may_resize);
    const uint64_t begin = now_ns();
    const Interruptible running;
    guarded(run, "the kernel", [&] { return op->launch(op, &run.frame.call, &plan.tiling, &exec); });
    const uint64_t took = now_ns() - begin;
    const uint64_t spread = run.work_ns.load(std::memory_order_relaxed);
    plan.launch_ns.store(took, std::memory_order_relaxed);
    plan.work_ns.store(spread ? spread : took, std::memory_order_relaxed);
}

void Call::Impl::check_sized(const Frame& frame) const {
    const std::vector<TensorType> types = types_of(frame.outputs);
    for (size_t i = 0; i < types.size(); ++i)
        if (!is_sized(types[i]))
            throw Error("OPKG-9303", who() + ": its kernel did not say the shape of output " + std::to_string(i));
}

Call::Call(std::shared_ptr<const Package> package, std::string_view type, std::vector<Attr> attrs,
           std::vector<uint32_t> input_groups, std::vector<uint32_t> output_groups, std::string node_name)
    : impl_(std::make_unique<Impl>(std::move(package), type, std::move(attrs), std::move(input_groups),
                                   std::move(output_groups), std::move(node_name))) {}

Call::~Call() = default;

uint32_t Call::inputs() const noexcept { return impl_->n_inputs; }
uint32_t Call::outputs() const noexcept { return impl_->n_outputs; }
const Package& Call::package() const noexcept { return *impl_->package; }
const char* Call::type() const noexcept { return impl_->op->type; }

bool Call::reads_values() const noexcept { return impl_->op->flags & OPKG_OPERATOR_VALUE_DEPENDENT; }

std::vector<TensorType> Call::infer(const Tensor* inputs) const {
    impl_->check(inputs, false);
    std::unique_ptr<Frame> frame = impl_->acquire();
    frame->plan = nullptr;
    frame->set_inputs(inputs);
    Run run{*frame, nullptr, kPool};
    impl_->infer(run, exec_for(run));
    std::vector<TensorType> types = types_of(frame->outputs);
    if (impl_->op->flags & OPKG_OPERATOR_DATA_DEPENDENT_SHAPE)
        for (TensorType& type : types) std::fill(type.shape.begin(), type.shape.end(), -1);
    impl_->release(std::move(frame));
    return types;
}

std::vector<int32_t> Call::infer_dtypes(const Tensor* inputs) const {
    impl_->check(inputs, false);
    std::unique_ptr<Frame> frame = impl_->acquire();
    frame->plan = nullptr;
    frame->set_inputs(inputs);
    Run run{*frame, nullptr, kPool};
    impl_->infer_dtypes(run, exec_for(run));
    std::vector<int32_t> dtypes;
    for (const opkg_tensor_v1& output : frame->outputs) dtypes.push_back(output.dtype);
    impl_->release(std::move(frame));
    return dtypes;
}

void Call::run(const Tensor* inputs, Outputs& outputs, const Executor* executor) const {
    std::unique_ptr<Frame> frame = impl_->acquire();
    Run run{*frame, &outputs, executor ? *executor : kPool};
    const opkg_exec_v1 exec = exec_for(run);
    impl_->prepare(run, exec, inputs);
    const Plan& plan = *frame->plan;
    for (uint32_t i = 0; i < impl_->n_outputs; ++i) {
        opkg_tensor_v1& output = frame->outputs[i];
        const bool sized = plan.output_bytes[i] != kUnsized;
        output.dl.data = sized ? outputs.allocate(i, output.dtype, static_cast<uint32_t>(output.dl.ndim), output.dl.shape)
                               : nullptr;
        output.capacity = sized ? plan.output_bytes[i] : 0;
    }
    impl_->launch(run, exec, plan);
    if (frame->resized || impl_->op->flags & OPKG_OPERATOR_DATA_DEPENDENT_SHAPE) impl_->check_sized(*frame);
    impl_->release(std::move(frame));
}

} // namespace opkg::core
