// SPDX-License-Identifier: Apache-2.0
// dst = a + b and the like, over all elements of dst; dst = a < b sets one bit for each element of a.
#ifndef OPKG_TWIN_OPERATORS_H
#define OPKG_TWIN_OPERATORS_H

#include "twin/binary.h"
#include "twin/compare.h"

namespace opkg::twin {

// What stands right of the sign of assignment: LocalTensor::operator= calls into().
template <typename T, BinaryOp op>
struct Expression {
    using is_expression = void;

    void into(const AscendC::LocalTensor<T> &dst) const
    {
        const int32_t count = static_cast<int32_t>(dst.GetSize());
        if constexpr (op == kAdd) {
            AscendC::Add(dst, left, right, count);
        } else if constexpr (op == kSub) {
            AscendC::Sub(dst, left, right, count);
        } else if constexpr (op == kMul) {
            AscendC::Mul(dst, left, right, count);
        } else if constexpr (op == kDiv) {
            AscendC::Div(dst, left, right, count);
        } else if constexpr (op == kAnd) {
            AscendC::And(dst, left, right, count);
        } else {
            AscendC::Or(dst, left, right, count);
        }
    }

    AscendC::LocalTensor<T> left;
    AscendC::LocalTensor<T> right;
};

template <typename T>
struct Comparison {
    using is_expression = void;

    template <typename U>
    void into(const AscendC::LocalTensor<U> &dst) const
    {
        const uint32_t room = dst.GetLength() * 8;
        AscendC::Compare(dst, left, right, mode, left.GetSize() < room ? left.GetSize() : room);
    }

    AscendC::LocalTensor<T> left;
    AscendC::LocalTensor<T> right;
    AscendC::CMPMODE mode;
};

} // namespace opkg::twin

namespace AscendC {

#define OPKG_TWIN_OPERATOR(sign, op)                                                                                   \
    template <typename T>                                                                                              \
    inline opkg::twin::Expression<T, op> operator sign(const LocalTensor<T> &left, const LocalTensor<T> &right)        \
    {                                                                                                                  \
        return {left, right};                                                                                          \
    }
OPKG_TWIN_OPERATOR(+, opkg::twin::kAdd)
OPKG_TWIN_OPERATOR(-, opkg::twin::kSub)
OPKG_TWIN_OPERATOR(*, opkg::twin::kMul)
OPKG_TWIN_OPERATOR(/, opkg::twin::kDiv)
OPKG_TWIN_OPERATOR(&, opkg::twin::kAnd)
OPKG_TWIN_OPERATOR(|, opkg::twin::kOr)
#undef OPKG_TWIN_OPERATOR

#define OPKG_TWIN_COMPARISON_OPERATOR(sign, mode)                                                                      \
    template <typename T>                                                                                              \
    inline opkg::twin::Comparison<T> operator sign(const LocalTensor<T> &left, const LocalTensor<T> &right)            \
    {                                                                                                                  \
        return {left, right, CMPMODE::mode};                                                                           \
    }
OPKG_TWIN_COMPARISON_OPERATOR(<, LT)
OPKG_TWIN_COMPARISON_OPERATOR(>, GT)
OPKG_TWIN_COMPARISON_OPERATOR(==, EQ)
OPKG_TWIN_COMPARISON_OPERATOR(<=, LE)
OPKG_TWIN_COMPARISON_OPERATOR(>=, GE)
OPKG_TWIN_COMPARISON_OPERATOR(!=, NE)
#undef OPKG_TWIN_COMPARISON_OPERATOR

} // namespace AscendC

#endif // OPKG_TWIN_OPERATORS_H
