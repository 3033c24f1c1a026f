// SPDX-License-Identifier: Apache-2.0
// Normalisations and their gradients. Rows are worked on as floats, whatever their type.
#include "rows.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

struct Operands {
    explicit Operands(const NormPlan &p)
        : x(p.x, p.dtype, p.rows, p.columns), other(p.other, p.dtype, p.rows, p.columns),
          dst(p.dst, p.dtype, p.rows, p.columns), second(p.second, p.dtype, p.rows, p.columns),
          gamma_row(p.gamma, p.param_dtype, 1, p.columns), beta_row(p.beta, p.param_dtype, 1, p.columns),
          mean(p.mean, p.stat_dtype, 1), variance(p.variance, p.stat_dtype, 1), rstd(p.rstd, p.stat_dtype, 1),
          in_mean(p.in_mean, p.stat_dtype, 1), in_variance(p.in_variance, p.stat_dtype, 1),
          sum(p.kind == kDeepNorm ? Floats(p.columns) : Floats())
    {
    }
    Rows x, other, dst, second, gamma_row, beta_row;
    Statistic mean, variance, rstd, in_mean, in_variance;
    Floats sum;
    const float *gamma = nullptr; // rows of parameters, NULL where there are none
    const float *beta = nullptr;
};

float mean_of(const float *x, size_t count)
{
    const float sum = sum_of(count, [x](size_t i, size_t here) { return load_some(x + i, here); });
    return sum / static_cast<float>(count);
}

float variance_of(const float *x, float mean, size_t count)
{
    const float sum = sum_of(count, [x, mean](size_t i, size_t here) {
        const F v = load_some(x + i, here) - mean;
        return v * v;
    });
    return sum / static_cast<float>(count);
}

// d = (x - mean) * factor * gamma + beta
void scale_row(float *d, const float *x, float mean, float factor, const Operands &o, size_t count)
{
    const float *g = o.gamma;
    const float *b = o.beta;
    fill(d, count, [=](size_t i, size_t here) {
        F v = (load_some(x + i, here) - mean) * factor;
        v = g == nullptr ? v : v * load_some(g + i, here);
        return b == nullptr ? v : v + load_some(b + i, here);
    });
}

void normalise(const NormPlan &p, Operands &o, size_t row, const float *x, float mean, float variance)
{
    const float rstd = 1.0f / square_root_of(variance + p.epsilon);
    scale_row(o.dst.make(row), x, mean, rstd, o, p.columns);
    o.dst.finish(row);
    o.mean.set(row, mean);
    o.variance.set(row, variance);
    o.rstd.set(row, rstd);
}

void layer_row(const NormPlan &p, Operands &o, size_t row)
{
    const float *x = o.x.read(row);
    const float mean = mean_of(x, p.used);
    normalise(p, o, row, x, mean, variance_of(x, mean, p.used));
}

void deep_row(const NormPlan &p, Operands &o, size_t row)
{
    const float *x = o.x.read(row);
    const float *gx = o.other.read(row);
    const float alpha = p.alpha;
    float *both = o.sum.data();
    fill(both, p.columns, [=](size_t i, size_t here) {
        return load_some(x + i, here) * alpha + load_some(gx + i, here);
    });
    const float mean = mean_of(both, p.used);
    normalise(p, o, row, both, mean, variance_of(both, mean, p.used));
}

void given_row(const NormPlan &p, Operands &o, size_t row)
{
    normalise(p, o, row, o.x.read(row), o.in_mean.get(row), o.in_variance.get(row));
}

void rms_row(const NormPlan &p, Operands &o, size_t row)
{
    const float *x = o.x.read(row);
    const float squares = variance_of(x, 0.0f, p.used);
    scale_row(o.dst.make(row), x, 0.0f, 1.0f / square_root_of(squares + p.epsilon), o, p.columns);
    o.dst.finish(row);
}

void gradient_row(const NormPlan &p, Operands &o, size_t row)
{
    const float *x = o.x.read(row);
    const float *dy = o.other.read(row);
    const float *gamma = o.gamma;
    const float mean = o.in_mean.get(row);
    const float rstd = 1.0f / square_root_of(o.in_variance.get(row) + p.epsilon);
    const auto scaled = [dy, gamma](size_t i, size_t here) {
        return load_some(dy + i, here) * load_some(gamma + i, here);
    };
    const auto centred = [x, mean](size_t i, size_t here) { return load_some(x + i, here) - mean; };
    const float of_variance = -0.5f * (rstd * rstd * rstd) * sum_of(p.used, [&](size_t i, size_t here) {
        return scaled(i, here) * centred(i, here);
    });
    const float length = static_cast<float>(p.used);
    const float of_mean = -rstd * sum_of(p.used, scaled) + of_variance / length * -2.0f * sum_of(p.used, centred);
    float *res = o.second.make(row);
    float *d = o.dst.make(row);
    const float first = of_variance * 2.0f / length;
    const float last = of_mean / length;
    for (size_t i = 0; i < p.columns; i += kLanes) { // d and res may be x and dy
        const size_t here = p.columns - i < kLanes ? p.columns - i : kLanes;
        const F c = centred(i, here);
        const F g = scaled(i, here);
        store_some(res + i, c * rstd, here);
        store_some(d + i, g * rstd + c * first + last, here);
    }
    o.second.finish(row);
    o.dst.finish(row);
}

// Columns: one sum of each over all rows.
void gradients_of_parameters(const NormPlan &p)
{
    Rows res(p.x, p.dtype, p.rows, p.columns);
    Rows dy(p.other, p.dtype, p.rows, p.columns);
    const Floats gamma(p.columns);
    const Floats beta(p.columns);
    memset(gamma.data(), 0, p.columns * sizeof(float));
    memset(beta.data(), 0, p.columns * sizeof(float));
    for (size_t row = 0; row < p.rows; ++row) {
        const float *r = res.read(row);
        const float *y = dy.read(row);
        float *g = gamma.data();
        float *b = beta.data();
        fill(g, p.columns, [=](size_t i, size_t here) {
            return load_some(g + i, here) + load_some(r + i, here) * load_some(y + i, here);
        });
        fill(b, p.columns, [=](size_t i, size_t here) { return load_some(b + i, here) + load_some(y + i, here); });
    }
    with_type(p.dtype, [&](auto *type) {
        narrow(reinterpret_cast<decltype(type)>(p.dst), gamma.data(), p.columns);
        narrow(reinterpret_cast<decltype(type)>(p.second), beta.data(), p.columns);
    });
}

void columns_to(void *d, uint32_t dtype, const float *s, size_t count)
{
    with_type(dtype, [&](auto *type) { narrow(reinterpret_cast<decltype(type)>(d), s, count); });
}

// Statistics of each column over all rows; gamma and beta have one value a row.
void batch_norm(const NormPlan &p)
{
    Rows x(p.x, p.dtype, p.rows, p.columns);
    Rows dst(p.dst, p.dtype, p.rows, p.columns);
    const Floats mean_row(p.columns);
    const Floats variance_row(p.columns);
    float *mean = mean_row.data();
    float *variance = variance_row.data();
    const float factor = 1.0f / static_cast<float>(p.used);
    memset(mean, 0, p.columns * sizeof(float));
    memset(variance, 0, p.columns * sizeof(float));
    for (size_t row = 0; row < p.used; ++row) {
        const float *s = x.read(row);
        fill(mean, p.columns, [=](size_t i, size_t here) {
            return load_some(mean + i, here) + load_some(s + i, here) * factor;
        });
    }
    for (size_t row = 0; row < p.used; ++row) {
        const float *s = x.read(row);
        fill(variance, p.columns, [=](size_t i, size_t here) {
            const F v = load_some(s + i, here) - load_some(mean + i, here);
            return load_some(variance + i, here) + v * v * factor;
        });
    }
    const Statistic gamma(p.gamma, p.param_dtype, 1);
    const Statistic beta(p.beta, p.param_dtype, 1);
    const float epsilon = p.epsilon;
    for (size_t row = 0; row < p.used; ++row) {
        const float *s = x.read(row);
        const float g = gamma.get(row);
        const float b = beta.get(row);
        fill(dst.make(row), p.columns, [=](size_t i, size_t here) {
            const F rstd = 1.0f / square_root(load_some(variance + i, here) + epsilon);
            return (load_some(s + i, here) - load_some(mean + i, here)) * rstd * g + b;
        });
        dst.finish(row);
    }
    columns_to(p.mean, p.stat_dtype, mean, p.columns);
    columns_to(p.variance, p.stat_dtype, variance, p.columns);
}

// A row is a group: `channels` channels of as many elements each, which share gamma and beta.
void group_row(const NormPlan &p, Operands &o, size_t row)
{
    const float *x = o.x.read(row);
    const float mean = mean_of(x, p.used);
    const float variance = variance_of(x, mean, p.used);
    const float rstd = 1.0f / square_root_of(variance + p.epsilon);
    const Statistic gamma(p.gamma, p.param_dtype, 1);
    const Statistic beta(p.beta, p.param_dtype, 1);
    const size_t length = p.columns / p.channels;
    float *d = o.dst.make(row);
    for (size_t c = 0; c < p.channels; ++c) {
        const size_t channel = row % p.groups * p.channels + c;
        const float g = gamma.get(channel) * rstd;
        const float b = beta.get(channel);
        const float *s = x + c * length;
        fill(d + c * length, length, [=](size_t i, size_t here) { return (load_some(s + i, here) - mean) * g + b; });
    }
    o.dst.finish(row);
    o.mean.set(row, mean);
    o.variance.set(row, variance);
}

using RowFn = void (*)(const NormPlan &, Operands &, size_t);

RowFn row_function(uint32_t kind)
{
    switch (kind) {
        case kRmsNorm:
            return rms_row;
        case kDeepNorm:
            return deep_row;
        case kNormalize:
            return given_row;
        case kGroupNorm:
            return group_row;
        case kLayerNormGrad:
            return gradient_row;
        default:
            return layer_row;
    }
}

void norm(const NormPlan &plan)
{
    if (plan.kind == kBatchNorm) {
        return batch_norm(plan);
    }
    if (plan.kind == kLayerNormGradBeta) {
        return gradients_of_parameters(plan);
    }
    Operands operands(plan);
    if (plan.kind != kGroupNorm) {
        operands.gamma = plan.gamma == nullptr ? nullptr : operands.gamma_row.read(0);
        operands.beta = plan.beta == nullptr ? nullptr : operands.beta_row.read(0);
    }
    const RowFn one = row_function(plan.kind);
    for (size_t row = 0; row < plan.rows; ++row) {
        one(plan, operands, row);
    }
}

void welford_update(const WelfordPlan &p)
{
    with_type(p.dtype, [&](auto *type) {
        const auto *x = reinterpret_cast<decltype(type)>(const_cast<void *>(p.x));
        const float *in_mean = static_cast<const float *>(p.in_mean);
        const float *in_variance = static_cast<const float *>(p.in_variance);
        float *mean = static_cast<float *>(p.mean);
        float *variance = static_cast<float *>(p.variance);
        for (size_t i = 0; i < p.used; i += kLanes) {
            const size_t here = p.used - i < kLanes ? p.used - i : kLanes;
            const F before = load_some(in_mean + i, here);
            const F off = load_some(x + i, here) - before;
            const F now = before + off * p.factor;
            const F spread = load_some(in_variance + i, here) + off * (load_some(x + i, here) - now);
            store_some(mean + i, now, here);
            store_some(variance + i, spread, here);
        }
    });
    if (p.in_place && p.length > p.used) {
        const size_t first = p.used * sizeof(float);
        const size_t rest = (p.length - p.used) * sizeof(float);
        memmove(static_cast<char *>(p.mean) + first, static_cast<const char *>(p.in_mean) + first, rest);
        memmove(static_cast<char *>(p.variance) + first, static_cast<const char *>(p.in_variance) + first, rest);
    }
}

void welford_finalize(const WelfordPlan &p)
{
    const Floats weights(p.length);
    float *w = weights.data();
    for (size_t i = 0; i < p.length; ++i) {
        w[i] = p.counts != nullptr ? static_cast<float>(p.counts[i]) : i < p.head_length ? p.head_count : p.tail_count;
    }
    const float *m = static_cast<const float *>(p.in_mean);
    const float *v = static_cast<const float *>(p.in_variance);
    const float mean = sum_of(p.length, [=](size_t i, size_t here) {
        return load_some(m + i, here) * (load_some(w + i, here) * p.mean_factor);
    });
    const float variance = sum_of(p.length, [=](size_t i, size_t here) {
        const F off = load_some(m + i, here) - mean;
        return (load_some(v + i, here) + off * off * load_some(w + i, here)) * p.variance_factor;
    });
    *static_cast<float *>(p.mean) = mean;
    *static_cast<float *>(p.variance) = variance;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(normalizations)
{
    advanced.norm = norm;
    advanced.welford_update = welford_update;
    advanced.welford_finalize = welford_finalize;
}

} // namespace opkg::twin
