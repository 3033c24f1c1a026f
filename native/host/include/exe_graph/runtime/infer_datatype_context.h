// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_INFER_DATATYPE_CONTEXT_H
#define OPKG_HOST_INFER_DATATYPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

// Given to InferDataType. A tensor that does not exist has type DT_UNDEFINED.
class InferDataTypeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;

    ge::DataType GetInputDataType(size_t index) const { return TypeOf(Input(index)); }
    ge::DataType GetRequiredInputDataType(size_t ir) const { return TypeOf(InputInstance(ir, 0)); }
    ge::DataType GetOptionalInputDataType(size_t ir) const { return TypeOf(InputInstance(ir, 0)); }
    ge::DataType GetDynamicInputDataType(size_t ir, size_t relative) const
    {
        return TypeOf(InputInstance(ir, relative));
    }
    ge::DataType GetOutputDataType(size_t index) const { return TypeOf(Output(index)); }
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType type)
    {
        Tensor *tensor = Output(index);
        if (tensor == nullptr) {
            return ge::GRAPH_FAILED;
        }
        tensor->SetDataType(type);
        return ge::GRAPH_SUCCESS;
    }

private:
    static ge::DataType TypeOf(const Tensor *tensor)
    {
        return tensor == nullptr ? ge::DT_UNDEFINED : tensor->GetDataType();
    }
};

} // namespace gert

#endif // OPKG_HOST_INFER_DATATYPE_CONTEXT_H
