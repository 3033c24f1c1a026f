// SPDX-License-Identifier: Apache-2.0
// The softmax family. Rows are worked on as floats, whatever their type.
#include "rows.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

struct Operands {
    explicit Operands(const SoftmaxPlan &p)
        : src(p.src, p.dtype, p.rows, p.columns, p.nz != 0), grad(p.grad, p.dtype, p.rows, p.columns, p.nz != 0),
          dst(p.dst, p.dtype, p.rows, p.columns, p.nz != 0), sum(p.sum, p.stat_dtype, p.stat_step),
          max(p.max, p.stat_dtype, p.stat_step), mean(p.mean, p.stat_dtype, p.stat_step),
          reduce_max(p.reduce_max, p.stat_dtype, p.stat_step), exp_max(p.exp_max, p.dtype, p.exp_step),
          in_sum(p.in_sum, p.stat_dtype, p.stat_step), in_max(p.in_max, p.stat_dtype, p.stat_step),
          in_mean(p.in_mean, p.stat_dtype, p.stat_step)
    {
    }
    Rows src, grad, dst;
    Statistic sum, max, mean, reduce_max, exp_max, in_sum, in_max, in_mean;
};

void exponentials(float *d, const float *s, float shift, size_t count)
{
    fill(d, count, [s, shift](size_t i, size_t here) { return exponential(load_some(s + i, here) - shift); });
}

void divide(float *d, float by, size_t count)
{
    fill(d, count, [d, by](size_t i, size_t here) { return load_some(d + i, here) / by; });
}

float sum_row(const float *row, size_t count)
{
    return sum_of(count, [row](size_t i, size_t here) { return load_some(row + i, here); });
}

void logarithms(float *d, size_t count)
{
    fill(d, count, [d](size_t i, size_t here) { return logarithm(load_some(d + i, here)) * 0.43429448190325182765f; });
}

void plain_row(const SoftmaxPlan &p, Operands &o, size_t row)
{
    const float *x = o.src.read(row);
    const float max = largest(x, p.used);
    float *d = o.dst.make(row);
    exponentials(d, x, max, p.columns);
    const float sum = sum_row(d, p.used);
    divide(d, sum, p.columns);
    if (p.kind == kLogSoftmax) {
        logarithms(d, p.columns);
    }
    o.dst.finish(row);
    o.max.set(row, max);
    o.sum.set(row, sum);
}

void simple_row(const SoftmaxPlan &p, Operands &o, size_t row)
{
    float *d = o.dst.make(row);
    exponentials(d, o.src.read(row), o.in_max.get(row), p.columns);
    divide(d, o.in_sum.get(row), p.columns);
    o.dst.finish(row);
}

// Columns of a longer row: what was found of the earlier ones goes into maximum and sum.
void flash_row(const SoftmaxPlan &p, Operands &o, size_t row)
{
    const float *x = o.src.read(row);
    const float own = largest(x, p.used);
    const float before = p.update ? o.in_max.get(row) : own;
    const float max = before > own || before != before ? before : own;
    float *d = o.dst.make(row);
    exponentials(d, x, max, p.columns);
    float sum = sum_row(d, p.used);
    if (p.update) {
        const float factor = exponential_of(before - max);
        const float earlier = factor * o.in_sum.get(row);
        sum = earlier + sum;
        o.exp_max.set(row, p.kind == kSoftmaxFlash ? earlier / sum : factor);
        o.reduce_max.set(row, own);
    }
    if (p.kind == kSoftmaxFlash) {
        divide(d, sum, p.columns);
    }
    o.dst.finish(row);
    o.max.set(row, max);
    o.sum.set(row, sum);
}

constexpr size_t kParts = 8; // of which SoftmaxFlashV3 takes means

// Means as the function's description makes them: blocks of eight among the first 512 columns, one sum each; later
// columns are added to these 64 sums in turn; eight of them make one part's mean.
void means_of_parts(const float *x, size_t columns, float *means)
{
    constexpr size_t sums = kParts * 8;
    float part[sums] = {};
    for (size_t i = 0; i < sums; ++i) {
        for (size_t k = 0; k < 8; ++k) {
            part[i] += x[i * 8 + k];
        }
    }
    for (size_t at = sums * 8; at + sums <= columns; at += sums) {
        for (size_t k = 0; k < sums; ++k) {
            part[k] += x[at + k];
        }
    }
    const float length = static_cast<float>(columns / kParts);
    for (size_t i = 0; i < kParts; ++i) {
        means[i] = 0.0f;
        for (size_t k = 0; k < 8; ++k) {
            means[i] += part[i * 8 + k];
        }
        means[i] /= length;
    }
}

void shift_parts(float *d, const float *x, size_t columns, const float *means, float mean, float scale)
{
    const size_t length = columns / kParts;
    for (size_t part = 0; part < kParts; ++part) {
        const float shift = (mean - means[part]) * scale;
        const float *s = x + part * length;
        fill(d + part * length, length, [s, shift](size_t i, size_t here) { return load_some(s + i, here) - shift; });
    }
}

void shifted_flash_row(const SoftmaxPlan &p, Operands &o, size_t row)
{
    const float *x = o.src.read(row);
    const float scale = p.alpha / (1.0f - p.alpha);
    float means[kParts];
    means_of_parts(x, p.columns, means);
    float own_mean = 0.0f;
    for (const float m : means) {
        own_mean += m / static_cast<float>(kParts);
    }
    float *d = o.dst.make(row);
    shift_parts(d, x, p.columns, means, own_mean, scale);
    const float loops = static_cast<float>(p.loops);
    const float before_mean = p.update ? o.in_mean.get(row) : own_mean;
    const float mean = p.update ? (own_mean + before_mean * (loops - 1.0f)) / loops : own_mean;
    const float shift = (own_mean - mean) * scale;
    const float before_shift = (before_mean - mean) * scale;
    float max = shift + largest(d, p.columns);
    const float before = p.update ? o.in_max.get(row) : max;
    max = p.update && before_shift + before > max ? before_shift + before : max;
    exponentials(d, d, max - shift, p.columns);
    float sum = sum_row(d, p.columns);
    if (p.update) {
        const float factor = exponential_of(before - max + before_shift);
        sum = factor * o.in_sum.get(row) + sum;
        o.exp_max.set(row, factor);
    }
    o.dst.finish(row);
    o.mean.set(row, mean);
    o.max.set(row, max);
    o.sum.set(row, sum);
}

void gradient_row(const SoftmaxPlan &p, Operands &o, size_t row)
{
    const float *x = o.src.read(row);
    const float *g = o.grad.read(row);
    const float sum = sum_of(p.used, [x, g](size_t i, size_t here) {
        return load_some(x + i, here) * load_some(g + i, here);
    });
    if (p.kind == kSoftmaxGradFront) {
        return o.sum.set(row, sum);
    }
    fill(o.dst.make(row), p.columns, [x, g, sum](size_t i, size_t here) {
        return (load_some(g + i, here) - sum) * load_some(x + i, here);
    });
    o.dst.finish(row);
}

using RowFn = void (*)(const SoftmaxPlan &, Operands &, size_t);

RowFn row_function(uint32_t kind)
{
    switch (kind) {
        case kSimpleSoftmax:
            return simple_row;
        case kSoftmaxFlash:
        case kSoftmaxFlashV2:
            return flash_row;
        case kSoftmaxFlashV3:
            return shifted_flash_row;
        case kSoftmaxGrad:
        case kSoftmaxGradFront:
            return gradient_row;
        default:
            return plain_row;
    }
}

void softmax(const SoftmaxPlan &plan)
{
    Operands operands(plan);
    const RowFn one = row_function(plan.kind);
    for (size_t row = 0; row < plan.rows; ++row) {
        one(plan, operands, row);
    }
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(softmax) { advanced.softmax = softmax; }

} // namespace opkg::twin
