// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "blob.hpp"
#include "conversion.hpp"
#include "custom_node.hpp"
#include "error_relay.hpp"

#include <openvino/core/op_extension.hpp>
#include <openvino/core/version.hpp>
#include <openvino/frontend/onnx/frontend.hpp>
#include <openvino/op/util/multi_subgraph_base.hpp>
#include <openvino/runtime/core.hpp>
#include <openvino/runtime/properties.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace opkg::openvino {
namespace {

constexpr char kDevice[] = "CPU";

// One for the process, never destroyed: it unloads the plugin, whose threads may still be running at exit.
ov::Core& engine() {
    static ov::Core* const core = [] {
        auto* made = new ov::Core;
        made->add_extension(std::make_shared<ov::OpExtension<CustomNode>>());
        return made;
    }();
    return *core;
}

// Reads memory that somebody else owns.
class MemoryBuffer final : public std::streambuf {
public:
    explicit MemoryBuffer(Bytes bytes) {
        char* begin = static_cast<char*>(const_cast<void*>(bytes.data));
        setg(begin, begin, begin + bytes.size);
    }

protected:
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
        char* base = from == std::ios_base::beg ? eback() : from == std::ios_base::cur ? gptr() : egptr();
        if (base + offset < eback() || base + offset > egptr()) return pos_type(off_type(-1));
        setg(eback(), base + offset, egptr());
        return pos_type(gptr() - eback());
    }
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
        return seekoff(off_type(position), std::ios_base::beg, which);
    }
};

// The custom nodes of a model and of the bodies of its loops and branches.
void list_nodes(const ov::Model& model, std::vector<NodeEntry>& found) {
    for (const auto& node : model.get_ordered_ops()) {
        if (const auto custom = ov::as_type_ptr<CustomNode>(node)) {
            const Execution& execution = custom->execution();
            found.emplace_back(execution.spec().node_name, execution.type(), execution.spec().key);
        }
        if (const auto holder = ov::as_type_ptr<ov::op::util::MultiSubGraphOp>(node))
            for (const auto& body : holder->get_functions()) list_nodes(*body, found);
    }
}

void check_ranks(const ov::Model& model) {
    for (const auto& node : model.get_ordered_ops()) {
        const auto custom = ov::as_type_ptr<CustomNode>(node);
        for (size_t i = 0; custom && i < custom->get_output_size(); ++i)
            if (custom->get_output_partial_shape(i).rank().is_dynamic())
                throw core::Error("OPKG-8013", custom->execution().who() + ": the rank of its output " + std::to_string(i) +
                                                   " is known only when it runs, which the engine OpenVINO does not take",
                                  "give the input that says it as a constant, or use another engine");
    }
}

ov::AnyMap properties(const CompiledModel::Config& config) {
    ov::AnyMap all{ov::hint::inference_precision(ov::element::f32), ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY)};
    if (std::getenv("OPKG_NUM_THREADS")) all.emplace(ov::inference_num_threads(static_cast<int32_t>(core::threads())));
    for (const auto& [name, value] : config) all[name] = value;
    return all;
}

std::shared_ptr<ov::Model> read(ov::frontend::onnx::FrontEnd& frontend, const Source& source) {
    if (!source.path.empty()) return frontend.convert(frontend.load(source.path));
    MemoryBuffer buffer(source.bytes);
    std::istream stream(&buffer);
    return frontend.convert(frontend.load(static_cast<std::istream*>(&stream)));
}

std::map<std::string, ov::PartialShape> partial_shapes(const CompiledModel::InputShapes& shapes) {
    std::map<std::string, ov::PartialShape> found;
    for (const auto& [name, dims] : shapes)
        found[name] = ov::PartialShape(std::vector<ov::Dimension>(dims.begin(), dims.end()));
    return found;
}

Port describe(const ov::Output<const ov::Node>& output) {
    Port port;
    port.name = output.get_names().empty() ? output.get_node()->get_friendly_name() : output.get_any_name();
    port.type = output.get_element_type();
    port.dtype = dtype_of(port.type);
    const ov::PartialShape shape = output.get_partial_shape();
    port.fixed = shape.is_static();
    if (shape.rank().is_static())
        for (const ov::Dimension& dim : shape) port.shape.push_back(dim.is_static() ? dim.get_length() : -1);
    return port;
}

} // namespace

std::string engine_version() { return ov::get_openvino_version().buildNumber; }

CompiledModel::CompiledModel(const Source& source, const std::vector<std::shared_ptr<const CustomOp>>& ops,
                             const Config& config, const InputShapes& shapes) {
    for (const auto& op : ops) remember(op);
    if (source.is_blob) import(source, properties(config));
    else compile(source, ops, properties(config), shapes);
    describe_ports();
}

void CompiledModel::compile(const Source& source, const std::vector<std::shared_ptr<const CustomOp>>& ops,
                            const ov::AnyMap& config, const InputShapes& shapes) {
    ov::frontend::onnx::FrontEnd frontend;
    for (const auto& op : ops) frontend.add_extension(conversion_of(op));
    const auto model = relayed("OPKG-8001", "OpenVINO cannot read the model", [&] { return read(frontend, source); });
    list_nodes(*model, nodes_);
    if (!shapes.empty())
        relayed("OPKG-8002", "the model does not take these input shapes", [&] { model->reshape(partial_shapes(shapes)); });
    check_ranks(*model);
    model_ = relayed("OPKG-8003", "OpenVINO cannot compile the model",
                     [&] { return engine().compile_model(model, kDevice, config); });
}

void CompiledModel::import(const Source& source, const ov::AnyMap& config) {
    std::string text;
    Bytes blob = source.bytes;
    if (!source.path.empty()) {
        std::ifstream file(source.path, std::ios::binary);
        if (!file) throw core::Error("OPKG-8501", "cannot read '" + source.path + "'");
        text.assign(std::istreambuf_iterator<char>(file), {});
        blob = {text.data(), text.size()};
    }
    const Bytes payload = open_blob(blob, engine_version(), nodes_);
    model_ = relayed("OPKG-8501", "OpenVINO cannot import the compiled model", [&] {
        if (!source.path.empty()) {
            MemoryBuffer buffer(payload);
            std::istream stream(&buffer);
            return engine().import_model(stream, kDevice, config);
        }
        const ov::Tensor view(ov::element::u8, {payload.size}, const_cast<void*>(payload.data));
        return engine().import_model(view, kDevice, config);
    });
}

void CompiledModel::describe_ports() {
    for (const auto& input : model_.inputs()) inputs_.push_back(describe(input));
    for (const auto& output : model_.outputs()) outputs_.push_back(describe(output));
}

std::string CompiledModel::export_blob() {
    std::ostringstream stream;
    stream << blob_header(engine_version(), nodes_);
    relayed("OPKG-8504", "OpenVINO cannot export the compiled model", [&] { model_.export_model(stream); });
    return stream.str();
}

CompiledModel::Lease::Lease(CompiledModel& model) : model_(model) {
    {
        std::lock_guard<std::mutex> lock(model.mutex_);
        if (!model.idle_.empty()) {
            request_ = std::move(model.idle_.back());
            model.idle_.pop_back();
            return;
        }
    }
    request_ = relayed("OPKG-9401", "OpenVINO cannot start a run", [&] { return model.model_.create_infer_request(); });
}

CompiledModel::Lease::~Lease() {
    std::lock_guard<std::mutex> lock(model_.mutex_);
    model_.idle_.push_back(std::move(request_));
}

void CompiledModel::infer(Lease& lease, const ov::TensorVector& inputs) {
    relayed("OPKG-9402", "the model failed", [&] {
        ov::InferRequest& request = lease.request();
        for (size_t i = 0; i < inputs.size(); ++i) request.set_input_tensor(i, inputs[i]);
        request.infer();
    });
}

} // namespace opkg::openvino
