// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_MODEL_HPP
#define OPKG_OPENVINO_MODEL_HPP

#include "custom_op.hpp"

#include <openvino/core/type/element_type.hpp>
#include <openvino/runtime/compiled_model.hpp>

#include <map>
#include <mutex>
#include <tuple>

namespace opkg::openvino {

struct Bytes {
    const void* data = nullptr;
    size_t size = 0;
};

// Where a model comes from: the bytes of an ONNX model, a path of one, or a blob.
struct Source {
    std::string path; // empty: `bytes`
    Bytes bytes;
    bool is_blob = false;
};

struct Port {
    std::string name;
    int32_t dtype = core::kUndefined;
    std::vector<int64_t> shape; // -1: any
    ov::element::Type type;
    bool fixed = false; // every dimension is known
};

using NodeEntry = std::tuple<std::string, std::string, std::string>; // name, type, key of a custom node

class CompiledModel {
public:
    using Config = std::map<std::string, std::string>;
    using InputShapes = std::map<std::string, std::vector<int64_t>>;

    CompiledModel(const Source& source, const std::vector<std::shared_ptr<const CustomOp>>& ops, const Config& config,
                  const InputShapes& shapes);

    const std::vector<Port>& inputs() const noexcept { return inputs_; }
    const std::vector<Port>& outputs() const noexcept { return outputs_; }
    const std::vector<NodeEntry>& custom_nodes() const noexcept { return nodes_; }
    std::string export_blob();

    // A request of its own for each run at a time.
    class Lease {
    public:
        explicit Lease(CompiledModel& model);
        ~Lease();
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ov::InferRequest& request() noexcept { return request_; }

    private:
        CompiledModel& model_;
        ov::InferRequest request_;
    };

    // inputs: tensors over the caller's memory. Outputs are then in the request, until its next run. May be called
    // from several threads at once, each with its own lease.
    void infer(Lease& lease, const ov::TensorVector& inputs);

private:
    void compile(const Source& source, const std::vector<std::shared_ptr<const CustomOp>>& ops, const ov::AnyMap& config,
                 const InputShapes& shapes);
    void import(const Source& source, const ov::AnyMap& config);
    void describe_ports();

    ov::CompiledModel model_;
    std::vector<Port> inputs_, outputs_;
    std::vector<NodeEntry> nodes_;
    std::mutex mutex_;
    std::vector<ov::InferRequest> idle_;
};

std::string engine_version();

} // namespace opkg::openvino

#endif
