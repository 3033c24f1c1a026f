// SPDX-License-Identifier: Apache-2.0
#include "execution.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace opkg::openvino {
namespace {

uint32_t tbb_threads() { return static_cast<uint32_t>(std::max(1, tbb::this_task_arena::max_concurrency())); }

// Isolated: a thread that waits for the rest must not begin another node of the model meanwhile.
void tbb_for(uint64_t n, void (*body)(void*, uint64_t), void* arg) {
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            uint64_t{0}, n, [&](uint64_t i) { body(arg, i); }, tbb::simple_partitioner());
    });
}

const core::Executor kTbb = {&tbb_threads, &tbb_for};

ov::PartialShape to_partial(const core::TensorType& type) {
    if (type.unknown_rank) return ov::PartialShape::dynamic();
    return ov::PartialShape(std::vector<ov::Dimension>(type.shape.begin(), type.shape.end()));
}

std::vector<PortType> to_ports(const std::vector<core::TensorType>& types) {
    std::vector<PortType> ports;
    for (const core::TensorType& type : types) ports.push_back({type.dtype, to_partial(type)});
    return ports;
}

std::vector<int64_t> with_unknown_as(const ov::PartialShape& shape, int64_t value) {
    std::vector<int64_t> dims;
    for (const ov::Dimension& dim : shape) dims.push_back(dim.is_static() ? dim.get_length() : value);
    return dims;
}

// What is the same in both stays; the rest is open.
ov::PartialShape common(const ov::PartialShape& a, const ov::PartialShape& b) {
    if (a.rank().is_dynamic() || b.rank().is_dynamic() || a.size() != b.size()) return ov::PartialShape::dynamic();
    ov::PartialShape found = a;
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) found[i] = ov::Dimension::dynamic();
    return found;
}

} // namespace

// Space for values in the operator's own types where those are not the carried ones.
struct Execution::Buffers {
    using Words = std::vector<uint64_t>;
    std::vector<Words> inputs, outputs;
    std::vector<Move> moves;    // of the outputs
    std::vector<Words> retired; // outgrown in this run, still read by whoever resizes

    static void* reserve(Words& buffer, uint64_t bytes) {
        const uint64_t words = bytes / sizeof(uint64_t) + 1;
        if (buffer.size() < words) buffer = Words(words);
        return buffer.data();
    }

    void* reserve_output(uint32_t index, uint64_t bytes) {
        if (!outputs[index].empty() && outputs[index].size() * sizeof(uint64_t) <= bytes)
            retired.push_back(std::move(outputs[index]));
        return reserve(outputs[index], bytes);
    }
};

class Execution::Results final : public core::Outputs {
public:
    Results(ov::TensorVector& results, Buffers& buffers) : results_(results), buffers_(buffers) {}

    void* allocate(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape) override {
        if (!has_shape(results_[index], ndim, shape)) reshape(index, ov::Shape(shape, shape + ndim));
        const Move move = move_of(dtype);
        buffers_.moves[index] = move;
        if (move == Move::kSame) return results_[index].data();
        return buffers_.reserve_output(index, core::bytes_of(dtype, shape, ndim));
    }

    void finish() {
        for (size_t i = 0; i < results_.size(); ++i)
            if (buffers_.moves[i] != Move::kSame)
                to_carried(buffers_.moves[i], buffers_.outputs[i].data(), results_[i].get_size(), results_[i].data());
    }

private:
    static bool has_shape(const ov::Tensor& tensor, uint32_t ndim, const int64_t* shape) {
        const ov::Shape& present = tensor.get_shape();
        if (present.size() != ndim) return false;
        for (uint32_t i = 0; i < ndim; ++i)
            if (present[i] != static_cast<size_t>(shape[i])) return false;
        return true;
    }

    // A tensor that grows gets other memory; what it had must stay until the resize has copied it.
    void reshape(uint32_t index, const ov::Shape& shape) {
        ov::Tensor& tensor = results_[index];
        if (tensor.get_size() != 0 && ov::shape_size(shape) > tensor.get_size()) {
            retired_.push_back(tensor);
            tensor = ov::Tensor(tensor.get_element_type(), shape);
        } else {
            tensor.set_shape(shape);
        }
    }

    ov::TensorVector& results_;
    Buffers& buffers_;
    ov::TensorVector retired_;
};

Execution::Execution(NodeSpec spec)
    : spec_(std::move(spec)), op_(recall(spec_.key)),
      call_(core::Package::open(op_->root, op_->host_library), op_->op_type, spec_.attrs, spec_.input_groups,
            spec_.output_groups, spec_.node_name) {
    for (uint32_t i = 0; i < spec_.input_dtypes.size(); ++i) {
        if (spec_.input_dtypes[i] == core::kUndefined) continue;
        present_.push_back(i);
        moves_.push_back(move_of(spec_.input_dtypes[i]));
    }
    if (spec_.input_dtypes.size() != call_.inputs())
        throw core::Error("OPKG-8503", "a custom node of the compiled model is damaged", "compile the model again");
}

Execution::~Execution() { delete spare_.load(); }

std::vector<core::Tensor> Execution::tensors(const Dims& dims, const Constants& constants) const {
    std::vector<core::Tensor> found(call_.inputs());
    for (core::Tensor& tensor : found) tensor.absent = true;
    for (size_t i = 0; i < present_.size(); ++i) {
        core::Tensor& tensor = found[present_[i]];
        tensor.absent = false;
        tensor.dtype = spec_.input_dtypes[present_[i]];
        tensor.data = moves_[i] == Move::kSame ? const_cast<void*>(constants[i]) : nullptr;
        tensor.unknown_rank = !dims[i];
        if (!dims[i]) continue;
        tensor.shape = dims[i]->data();
        tensor.ndim = static_cast<uint32_t>(dims[i]->size());
    }
    return found;
}

Execution::Dims Execution::dims_with(const Shapes& shapes, int64_t unknown) const {
    Dims dims;
    for (const ov::PartialShape& shape : shapes) {
        if (shape.rank().is_dynamic()) dims.emplace_back(std::nullopt);
        else dims.emplace_back(with_unknown_as(shape, unknown));
    }
    return dims;
}

std::vector<PortType> Execution::infer_with(const Shapes& shapes, int64_t unknown, const Constants& constants) const {
    const Dims dims = dims_with(shapes, unknown);
    return to_ports(call_.infer(tensors(dims, constants).data()));
}

// Shape functions are written for numbers, and many compute with -1 as if it were one. So unknown dimensions are tried
// with several sizes: what differs between the answers is open. -1 itself is the last resort.
std::vector<PortType> Execution::infer_open(const Shapes& shapes, const Constants& constants) const {
    std::vector<PortType> found;
    int answers = 0;
    for (const int64_t size : {7, 13, 1, 32}) {
        try {
            const std::vector<PortType> answer = infer_with(shapes, size, constants);
            for (size_t i = 0; answers && i < found.size(); ++i) found[i].shape = common(found[i].shape, answer[i].shape);
            if (!answers++) found = answer;
        } catch (const core::Error&) {
            continue; // this size is refused, another may do
        }
    }
    return answers > 1 ? found : infer_with(shapes, -1, constants);
}

std::vector<PortType> Execution::infer_types(const Shapes& shapes, const Constants& constants) const {
    std::vector<PortType> ports;
    for (int32_t dtype : call_.infer_dtypes(tensors(dims_with(shapes, -1), constants).data()))
        ports.push_back({dtype, ov::PartialShape::dynamic()});
    return ports;
}

std::vector<PortType> Execution::infer(const Shapes& shapes, const Constants& constants) const {
    const bool known = std::all_of(shapes.begin(), shapes.end(), [](const auto& shape) { return shape.is_static(); });
    const bool ranked = std::all_of(shapes.begin(), shapes.end(), [](const auto& shape) { return shape.rank().is_static(); });
    if (!ranked) return infer_types(shapes, constants);
    if (known && !call_.reads_values()) return infer_with(shapes, -1, constants);
    try {
        return known ? infer_with(shapes, -1, constants) : infer_open(shapes, constants);
    } catch (const core::Error&) {
        return infer_types(shapes, constants); // known only when it runs; an error that is one comes again then
    }
}

void Execution::run(ov::TensorVector& results, const ov::TensorVector& arguments) const {
    constexpr size_t kInline = 8;
    std::unique_ptr<Buffers> buffers(spare_.exchange(nullptr, std::memory_order_acquire));
    if (!buffers) {
        buffers = std::make_unique<Buffers>();
        buffers->inputs.resize(present_.size());
        buffers->outputs.resize(call_.outputs());
        buffers->moves.resize(call_.outputs());
    }
    core::Tensor few[kInline];
    std::vector<core::Tensor> many(call_.inputs() > kInline ? call_.inputs() : 0);
    core::Tensor* inputs = many.empty() ? few : many.data();
    for (uint32_t i = 0; i < call_.inputs(); ++i) inputs[i].absent = true;
    for (size_t i = 0; i < present_.size(); ++i) {
        core::Tensor& input = inputs[present_[i]];
        const ov::Shape& shape = arguments[i].get_shape();
        input.absent = false;
        input.dtype = spec_.input_dtypes[present_[i]];
        input.ndim = static_cast<uint32_t>(shape.size());
        input.shape = reinterpret_cast<const int64_t*>(shape.data());
        input.data = const_cast<void*>(static_cast<const ov::Tensor&>(arguments[i]).data());
        if (moves_[i] == Move::kSame) continue;
        void* space = Buffers::reserve(buffers->inputs[i], core::bytes_of(input.dtype, input.shape, input.ndim));
        from_carried(moves_[i], input.data, ov::shape_size(shape), space);
        input.data = space;
    }
    Results sink(results, *buffers);
    call_.run(inputs, sink, &kTbb);
    sink.finish();
    buffers->retired.clear();
    delete spare_.exchange(buffers.release(), std::memory_order_acq_rel);
}

ov::element::Type carried_or_refuse(const std::string& who, const std::string& port, int32_t dtype) {
    const ov::element::Type type = carried(dtype);
    if (type != ov::element::dynamic) return type;
    const core::DTypeInfo* info = core::dtype_info(dtype);
    const std::string name = info ? info->name : "of a type that tensors do not have";
    throw core::Error("OPKG-8010", who + ": its " + port + " is " + name + ", which the engine OpenVINO would narrow",
                      "use an engine that carries " + name + ", or an operator that takes int32 or float32");
}

} // namespace opkg::openvino
