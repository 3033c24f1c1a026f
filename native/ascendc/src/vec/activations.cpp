// SPDX-License-Identifier: Apache-2.0
// Activation functions, element by element, in float.
#include "rows.hpp"
#include "tables.hpp"

using namespace opkg::twin;

namespace {

// x / (1 + e^(-z)): every gate of the family has this form.
inline F gate(F x, F z) { return x / (1.0f + exponential(F{} - z)); }

inline F cubic(F x) { return 1.5957691216057308f * (x + 0.044715f * (x * x * x)); }

// A polynomial of the second degree in place of the error function; never negative, so that its sign is free.
inline F quadratic(F x)
{
    const F m = magnitude_of(x * 0.7071f);
    const F low = (m < 1.769f ? m : splat(1.769f)) - 1.769f;
    return x * (with_sign_of(low * low * -0.1444f + 0.5f, x + 1e-12f) + 0.5f);
}

struct Sigmoid {
    static inline F apply(F a, F, F) { return 1.0f / (1.0f + exponential(F{} - a)); }
};
struct Swish {
    static inline F apply(F a, F, F scalar) { return gate(a, a * scalar); }
};
struct Gelu {
    static inline F apply(F a, F, F) { return gate(a, cubic(a)); }
};
struct FasterGelu {
    static inline F apply(F a, F, F) { return gate(a, a * 1.702f); }
};
struct FasterGeluV2 {
    static inline F apply(F a, F, F) { return quadratic(a); }
};
struct ReGlu {
    static inline F apply(F a, F b, F) { return a * (b < 0.0f ? F{} : b); }
};
struct GeGlu {
    static inline F apply(F a, F b, F) { return a * gate(b, cubic(b)); }
};
struct SwiGlu {
    static inline F apply(F a, F b, F scalar) { return a * gate(b, b * scalar); }
};

template <typename Op, typename T>
void activation(void *dst, const void *a, const void *b, float scalar, size_t count)
{
    T *d = static_cast<T *>(dst);
    const T *x = static_cast<const T *>(a);
    const T *y = static_cast<const T *>(b == nullptr ? a : b);
    const F s = splat(scalar);
    for (size_t i = 0; i < count; i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        store_some(d + i, Op::apply(load_some(x + i, here), load_some(y + i, here), s), here);
    }
}

template <typename Op>
void fill_row(ActivationKind kind)
{
    advanced.activation[kind][kF32] = activation<Op, float>;
    advanced.activation[kind][kF16] = activation<Op, half>;
    advanced.activation[kind][kBF16] = activation<Op, bfloat>;
}

} // namespace

namespace opkg::twin {

OPKG_TWIN_FILL(activations)
{
    fill_row<Sigmoid>(kSigmoid);
    fill_row<Swish>(kSwish);
    fill_row<Gelu>(kGelu);
    fill_row<FasterGelu>(kFasterGelu);
    fill_row<FasterGeluV2>(kFasterGeluV2);
    fill_row<ReGlu>(kReGlu);
    fill_row<GeGlu>(kGeGlu);
    fill_row<SwiGlu>(kSwiGlu);
}

} // namespace opkg::twin
