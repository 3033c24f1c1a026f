// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_INFER_SHAPE_CONTEXT_H
#define OPKG_HOST_INFER_SHAPE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

// Given to InferShape: shapes as the model sees them. Plain getters count the tensors of the call; those with an ir
// index count declared inputs.
class InferShapeContext : public ExtendedKernelContext {
public:
    using ExtendedKernelContext::ExtendedKernelContext;

    const Shape *GetInputShape(size_t index) const { return ShapeOf(Input(index)); }
    const Shape *GetRequiredInputShape(size_t ir) const { return ShapeOf(InputInstance(ir, 0)); }
    const Shape *GetOptionalInputShape(size_t ir) const { return ShapeOf(InputInstance(ir, 0)); }
    const Shape *GetDynamicInputShape(size_t ir, size_t relative) const { return ShapeOf(InputInstance(ir, relative)); }
    // Values are there only for inputs that the operator declared with ValueDepend, and only where they are known.
    const Tensor *GetInputTensor(size_t index) const { return Input(index); }
    const Tensor *GetRequiredInputTensor(size_t ir) const { return InputInstance(ir, 0); }
    const Tensor *GetOptionalInputTensor(size_t ir) const { return InputInstance(ir, 0); }
    const Tensor *GetDynamicInputTensor(size_t ir, size_t relative) const { return InputInstance(ir, relative); }
    Shape *GetOutputShape(size_t index)
    {
        Tensor *tensor = Output(index);
        return tensor == nullptr ? nullptr : &tensor->MutableOriginShape();
    }
    Shape *GetRequiredOutputShape(size_t ir) { return GetOutputShape(OutputAt(ir, 0)); }
    Shape *GetDynamicOutputShape(size_t ir, size_t relative) { return GetOutputShape(OutputAt(ir, relative)); }

private:
    static const Shape *ShapeOf(const Tensor *tensor)
    {
        return tensor == nullptr ? nullptr : &tensor->GetOriginShape();
    }
};

} // namespace gert

#endif // OPKG_HOST_INFER_SHAPE_CONTEXT_H
