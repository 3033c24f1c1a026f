// SPDX-License-Identifier: Apache-2.0
// Which column serves a call. Data types must be equal. A format fits if it is the column's own (best); if the call says
// ND, by which callers mean that they have no other layout in mind, and the column a plain one; or if the column says ND
// and the call a plain layout, unless the operator asked for strict matching. Layouts that order memory in blocks fit
// only themselves. Among columns that fit, the one with most formats of its own wins; among equals the first.
#include "columns.hpp"

#include "frame.hpp"
#include "tensors.hpp"

namespace opkg::host {
namespace {

// A layout whose memory is the tensor's dimensions in their order.
bool IsPlain(int32_t format)
{
    switch (format) {
        case ge::FORMAT_ND:
        case ge::FORMAT_NCHW:
        case ge::FORMAT_NHWC:
        case ge::FORMAT_HWCN:
        case ge::FORMAT_CHWN:
        case ge::FORMAT_NCDHW:
        case ge::FORMAT_NDHWC:
        case ge::FORMAT_DHWCN:
        case ge::FORMAT_DHWNC:
        case ge::FORMAT_NCL:
        case ge::FORMAT_NC:
        case ge::FORMAT_CN: return true;
        default: return false;
    }
}

// Points for a format: 2 the column's own, 1 fits, 0 does not.
int FormatScore(int32_t wanted, int32_t have, bool strict)
{
    if (wanted == have) {
        return 2;
    }
    const bool unnamed = have == ge::FORMAT_ND && IsPlain(wanted);
    return unnamed || (!strict && wanted == ge::FORMAT_ND && IsPlain(have)) ? 1 : 0;
}

// Points of one column for these tensors, -1 where it does not take them.
int Score(const Operator &op, const std::vector<Param> &params, const opkg_tensor_v1 *tensors, uint32_t count,
          uint32_t column)
{
    int score = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const opkg_tensor_v1 &t = tensors[i];
        if (IsAbsent(t)) {
            continue;
        }
        const Param &param = params[t.ir_index];
        if (param.dtypes[column] != t.dtype) {
            return -1;
        }
        const int points = FormatScore(param.formats[column], ge::GetPrimaryFormat(t.format), op.strict_formats);
        if (points == 0) {
            return -1;
        }
        score += points;
    }
    return score;
}

} // namespace

uint32_t SelectColumn(const Operator &op, const opkg_call_v1 &call, bool with_outputs)
{
    uint32_t best = kNoColumn;
    int best_score = -1;
    for (uint32_t column = 0; column < op.columns; ++column) {
        int score = Score(op, op.inputs, call.inputs, call.n_inputs, column);
        if (score >= 0 && with_outputs) {
            const int outputs = Score(op, op.outputs, call.outputs, call.n_outputs, column);
            score = outputs < 0 ? -1 : score + outputs;
        }
        if (score > best_score) {
            best = column;
            best_score = score;
        }
    }
    return best;
}

std::string NoColumnText(const Operator &op, const opkg_call_v1 &call)
{
    constexpr uint32_t kShown = 32;
    std::string text = Who(op, call) + ": no column takes " + TensorsText(op, call) + "; its columns are: ";
    for (uint32_t column = 0; column < op.columns && column < kShown; ++column) {
        text += (column == 0 ? "[" : "; [") + std::to_string(column) + "] " + ColumnText(op, column);
    }
    return op.columns > kShown ? text + "; and " + std::to_string(op.columns - kShown) + " more" : text;
}

} // namespace opkg::host
