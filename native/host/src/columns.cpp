// SPDX-License-Identifier: Apache-2.0
// Which column serves a call. Data types must be equal. A format fits if it is the column's own (best), if the call says
// ND, which stands for any layout that the caller does not care about, or if the column says ND and the call has one of
// the plain layouts (NCHW, NHWC, DHWCN, NCDHW, NCL), unless the operator asked for strict matching. Among columns that
// fit, the one with most formats of its own wins; among equals the first.
#include "columns.hpp"

#include "frame.hpp"
#include "tensors.hpp"

namespace opkg::host {
namespace {

bool IsPlain(int32_t format)
{
    return format == ge::FORMAT_NCHW || format == ge::FORMAT_NHWC || format == ge::FORMAT_DHWCN ||
           format == ge::FORMAT_NCDHW || format == ge::FORMAT_NCL;
}

// Points for a format: 2 the column's own, 1 fits, 0 does not.
int FormatScore(int32_t wanted, int32_t have, bool strict)
{
    if (wanted == have) {
        return 2;
    }
    if (strict) {
        return 0;
    }
    return have == ge::FORMAT_ND || (wanted == ge::FORMAT_ND && IsPlain(have)) ? 1 : 0;
}

// Points of one column for these tensors, -1 where it does not take them.
int Score(const Operator &op, const std::vector<Param> &params, const opkg_tensor_v1 *tensors, uint32_t count, uint32_t column)
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
