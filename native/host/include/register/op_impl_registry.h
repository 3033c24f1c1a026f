// SPDX-License-Identifier: Apache-2.0
// IMPL_OP_INFERSHAPE, IMPL_OP_OPTILING and IMPL_OP: an operator's functions, registered apart from its OpDef.
#ifndef OPKG_HOST_OP_IMPL_REGISTRY_H
#define OPKG_HOST_OP_IMPL_REGISTRY_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "opkg/host/registry.h"

namespace gert {

// Each setter returns the object itself; registering happens as the calls are made.
class OpImplRegisterV2 {
public:
    using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext *);
    using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext *);
    using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext *);
    using TilingKernelFunc = ge::graphStatus (*)(TilingContext *);
    using TilingParseFunc = ge::graphStatus (*)(TilingParseContext *);

    explicit OpImplRegisterV2(const char *type) : impl_(opkg::host::registry().Impl(type)) {}

    OpImplRegisterV2 &InferShape(InferShapeKernelFunc function)
    {
        impl_->infer_shape = function;
        return *this;
    }
    OpImplRegisterV2 &InferShapeRange(InferShapeRangeKernelFunc function)
    {
        impl_->infer_shape_range = function;
        return *this;
    }
    OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc function)
    {
        impl_->infer_dtype = function;
        return *this;
    }
    OpImplRegisterV2 &InferOutDataTypeSameWithFirstInput()
    {
        impl_->dtype_of_first_input = true;
        return *this;
    }
    OpImplRegisterV2 &Tiling(TilingKernelFunc function, size_t = 2048)
    {
        impl_->tiling = function;
        return *this;
    }
    template <typename CompileInfo> OpImplRegisterV2 &TilingParse(TilingParseFunc function)
    {
        impl_->parse = function;
        impl_->create_compile_info = []() -> void * { return new CompileInfo(); };
        return *this;
    }
    // The inputs, by their number among the declared ones, whose values inference or tiling reads.
    OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs)
    {
        impl_->value_inputs.assign(inputs.begin(), inputs.end());
        return *this;
    }
    OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs)
    {
        impl_->tiling_value_inputs.assign(inputs.begin(), inputs.end());
        return *this;
    }
    // The outputs whose shape the kernel writes.
    OpImplRegisterV2 &OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs)
    {
        impl_->computed_shapes.assign(outputs.begin(), outputs.end());
        return *this;
    }

private:
    opkg::host::ImplSpec *impl_;
};
using OpImplRegister = OpImplRegisterV2;

// Where the types of the functions are also looked up.
struct OpImplKernelRegistry {
    using InferShapeKernelFunc = OpImplRegisterV2::InferShapeKernelFunc;
    using InferShapeRangeKernelFunc = OpImplRegisterV2::InferShapeRangeKernelFunc;
    using InferDataTypeKernelFunc = OpImplRegisterV2::InferDataTypeKernelFunc;
    using TilingKernelFunc = OpImplRegisterV2::TilingKernelFunc;
};

} // namespace gert

#define OPKG_IMPL_OP_NAMED(op_type, counter) \
    [[maybe_unused]] static const gert::OpImplRegisterV2 opkg_impl_##op_type##_##counter = \
        gert::OpImplRegisterV2(#op_type)
#define OPKG_IMPL_OP_COUNTED(op_type, counter) OPKG_IMPL_OP_NAMED(op_type, counter)

#define IMPL_OP(op_type) OPKG_IMPL_OP_COUNTED(op_type, __COUNTER__)
#define IMPL_OP_INFERSHAPE(op_type) IMPL_OP(op_type)
#define IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)
// Tiling that the vendor's kit may also run on the device's own CPU; here it is tiling.
#define DEVICE_IMPL_OP_OPTILING(op_type) IMPL_OP(op_type)

#endif // OPKG_HOST_OP_IMPL_REGISTRY_H
