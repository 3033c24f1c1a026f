// SPDX-License-Identifier: Apache-2.0
// The library functions behind softmax, normalisation, activation and quantization: plain data and C symbols. The rules
// of twin/abi.h hold.
#ifndef OPKG_ADV_NORM_ABI_H
#define OPKG_ADV_NORM_ABI_H

#include "twin/abi.h"

namespace opkg::twin {

enum SoftmaxKind : uint32_t {
    kSoftmax, kSimpleSoftmax, kLogSoftmax, kSoftmaxFlash, kSoftmaxFlashV2, kSoftmaxFlashV3, kSoftmaxGrad, kSoftmaxGradFront
};

// One call on a matrix. A statistic (sum, max, ...) has one value a row, repeated stat_step times.
struct SoftmaxPlan {
    uint32_t kind;
    uint32_t dtype;      // of src, dst, grad and exp_max
    uint32_t stat_dtype; // of the other statistics
    uint32_t rows;
    uint32_t columns;
    uint32_t used;       // the columns that maxima and sums see
    uint32_t nz;         // 1: blocks of 16 columns, each with all its rows
    uint32_t update;     // statistics of earlier columns go in
    uint32_t stat_step;  // elements
    uint32_t exp_step;
    uint32_t loops;
    float alpha;
    void *dst;
    const void *src;
    const void *grad;
    void *sum;
    void *max;
    void *exp_max;
    void *reduce_max;
    void *mean;
    const void *in_sum;
    const void *in_max;
    const void *in_mean;
};

enum ActivationKind : uint32_t {
    kSigmoid, kSwish, kGelu, kFasterGelu, kFasterGeluV2, kReGlu, kGeGlu, kSwiGlu, kActivations
};

enum NormKind : uint32_t {
    kLayerNorm, kRmsNorm, kDeepNorm, kNormalize, kBatchNorm, kGroupNorm, kLayerNormGrad, kLayerNormGradBeta
};

// One call on a matrix of rows to normalise. Absent operands are NULL.
struct NormPlan {
    uint32_t kind;
    uint32_t dtype;       // of dst, x and what has their shape
    uint32_t param_dtype; // of gamma and beta
    uint32_t stat_dtype;  // of mean, variance, rstd
    uint32_t rows;
    uint32_t columns;
    uint32_t used;        // columns that count
    uint32_t channels;    // of a group
    uint32_t groups;      // of one sample
    float epsilon;
    float alpha;
    void *dst;
    void *mean;
    void *variance;
    void *rstd;
    void *second;         // resForGamma, or the gradient of beta
    const void *x;
    const void *other;    // gx, or dy
    const void *gamma;
    const void *beta;
    const void *in_mean;
    const void *in_variance;
};

// Mean and variance over parts of a row.
struct WelfordPlan {
    uint32_t dtype; // of x
    uint32_t length;
    uint32_t used;
    uint32_t in_place; // what is beyond `used` stays as it was
    float factor;   // 1 / how many parts there are so far
    void *mean;
    void *variance;
    const void *in_mean;
    const void *in_variance;
    const void *x;
    const int32_t *counts; // how much each mean weighs; NULL: head_count, then tail_count
    uint32_t head_length;
    float head_count;
    float tail_count;
    float mean_factor;
    float variance_factor;
};

enum QuantKind : uint32_t { kQuant, kDequant, kAntiQuant };
enum QuantSpread : uint32_t { kPerTensor, kPerChannel, kPerToken, kPerRowGroup, kPerColumnGroup };

// Numbers of m rows to narrow ones, or back. Rows are src_step and dst_step elements apart.
struct QuantPlan {
    uint32_t kind;
    uint32_t spread;
    uint32_t dst_dtype;
    uint32_t src_dtype;
    uint32_t scale_dtype;
    uint32_t middle_dtype; // in which the arithmetic is rounded
    int32_t round_mode;
    uint32_t rows;
    uint32_t columns;
    uint32_t src_step;
    uint32_t dst_step;
    uint32_t group; // elements that share one scale
    uint32_t has_offset;
    float scale_value;  // where scale, offset are NULL
    float offset_value;
    void *dst;
    const void *src;
    const void *scale;
    const void *offset;
};

} // namespace opkg::twin

extern "C" {
OPKG_TWIN_API void opkg_twin_softmax(const opkg::twin::SoftmaxPlan *plan);
// Rows whose maximum has the bits `from` become `to`; returns 1 where there is one.
OPKG_TWIN_API uint32_t opkg_twin_adjust_rows(void *rows, uint32_t dtype, const void *max, uint32_t max_dtype,
                                             uint32_t max_step, uint32_t from, const void *to, uint32_t row_count,
                                             uint32_t columns, uint32_t nz);
OPKG_TWIN_API void opkg_twin_activation(uint32_t kind, uint32_t dtype, void *dst, const void *a, const void *b,
                                        float scalar, size_t count);
OPKG_TWIN_API void opkg_twin_norm(const opkg::twin::NormPlan *plan);
OPKG_TWIN_API void opkg_twin_welford_update(const opkg::twin::WelfordPlan *plan);
OPKG_TWIN_API void opkg_twin_welford_finalize(const opkg::twin::WelfordPlan *plan);
OPKG_TWIN_API void opkg_twin_quant(const opkg::twin::QuantPlan *plan);
// A function that needs temporary memory: fails with a sentence where `bytes` are fewer than `least`.
OPKG_TWIN_API void opkg_twin_need_memory(const char *function, const char *whose, uint64_t bytes, uint64_t least);
} // extern "C"

#endif // OPKG_ADV_NORM_ABI_H
