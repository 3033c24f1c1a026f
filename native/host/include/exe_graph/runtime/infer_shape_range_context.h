// SPDX-License-Identifier: Apache-2.0
#ifndef OPKG_HOST_INFER_SHAPE_RANGE_CONTEXT_H
#define OPKG_HOST_INFER_SHAPE_RANGE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"

namespace gert {

// Given to InferShapeRange: the smallest and largest shape of each input, and room for those of each output.
class InferShapeRangeContext : public ExtendedKernelContext {
public:
    InferShapeRangeContext(const ComputeNodeInfo *info, Tensor *inputs, Tensor *outputs,
                           const Range<Shape> *input_ranges, Range<Shape> *output_ranges)
        : ExtendedKernelContext(info, inputs, outputs), input_ranges_(input_ranges), output_ranges_(output_ranges)
    {
    }

    const Range<Shape> *GetInputShapeRange(size_t index) const
    {
        return index < GetComputeNodeInputNum() ? input_ranges_ + index : nullptr;
    }
    const Range<Shape> *GetRequiredInputShapeRange(size_t ir) const { return GetInputShapeRange(InputAt(ir, 0)); }
    const Range<Shape> *GetOptionalInputShapeRange(size_t ir) const { return GetInputShapeRange(InputAt(ir, 0)); }
    const Range<Shape> *GetDynamicInputShapeRange(size_t ir, size_t relative) const
    {
        return GetInputShapeRange(InputAt(ir, relative));
    }
    const Tensor *GetInputTensor(size_t index) const { return Input(index); }
    Range<Shape> *GetOutputShapeRange(size_t index)
    {
        return index < GetComputeNodeOutputNum() ? output_ranges_ + index : nullptr;
    }

private:
    const Range<Shape> *input_ranges_;
    Range<Shape> *output_ranges_;
};

} // namespace gert

#endif // OPKG_HOST_INFER_SHAPE_RANGE_CONTEXT_H
