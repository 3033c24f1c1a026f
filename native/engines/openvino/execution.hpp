// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_OPENVINO_EXECUTION_HPP
#define OPKG_OPENVINO_EXECUTION_HPP

#include "custom_op.hpp"
#include "element_types.hpp"
#include "spec.hpp"

#include <openvino/core/node.hpp>

#include <atomic>
#include <optional>

namespace opkg::openvino {

struct PortType {
    int32_t dtype = core::kUndefined;
    ov::PartialShape shape;
};

// A node's operator, ready to run: shared by all copies of the node that OpenVINO makes. Arguments are the inputs that
// are present; they and the results have carried types.
class Execution {
public:
    using Shapes = std::vector<ov::PartialShape>;
    using Constants = std::vector<const void*>;

    explicit Execution(NodeSpec spec);
    ~Execution();

    const NodeSpec& spec() const noexcept { return spec_; }
    const std::string& type() const noexcept { return op_->type; }
    std::string who() const { return spec_.node_name.empty() ? op_->type : op_->type + " (node '" + spec_.node_name + "')"; }
    size_t arguments() const noexcept { return present_.size(); }
    // Types of the results for those of the arguments; constants[i] is the value of an argument, or nullptr.
    std::vector<PortType> infer(const Shapes& shapes, const Constants& constants) const;
    void run(ov::TensorVector& results, const ov::TensorVector& arguments) const;

private:
    struct Buffers;
    class Results;
    using Dims = std::vector<std::optional<std::vector<int64_t>>>; // nullopt: rank not known

    std::vector<core::Tensor> tensors(const Dims& dims, const Constants& constants) const;
    Dims dims_with(const Shapes& shapes, int64_t unknown) const;
    std::vector<PortType> infer_with(const Shapes& shapes, int64_t unknown, const Constants& constants) const;
    std::vector<PortType> infer_open(const Shapes& shapes, const Constants& constants) const;
    std::vector<PortType> infer_types(const Shapes& shapes, const Constants& constants) const;

    NodeSpec spec_;
    std::shared_ptr<const CustomOp> op_;
    core::Call call_;
    std::vector<uint32_t> present_;                // flat input of each argument
    std::vector<Move> moves_;                      // of each argument
    mutable std::atomic<Buffers*> spare_{nullptr}; // waits for the next run; runs at once make their own
};

// The type that carries `dtype` here; core::Error where the engine would narrow its values.
ov::element::Type carried_or_refuse(const std::string& who, const std::string& port, int32_t dtype);

} // namespace opkg::openvino

#endif
