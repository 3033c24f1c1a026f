// SPDX-License-Identifier: Apache-2.0
// The Ascend950's forms of tensor and scalar where the scalar comes first, or is the first element of a tensor.
#ifndef OPKG_TWIN_FLEXIBLE_H
#define OPKG_TWIN_FLEXIBLE_H

#include "twin/compare.h"

namespace AscendC {

struct BinaryDefaultType {
};
// Which of two tensors stands for a scalar: 0 the first, 1 the second.
struct BinaryConfig {
    int8_t scalarTensorIndex = 1;
};
inline constexpr BinaryConfig DEFAULT_BINARY_CONFIG = {1};

} // namespace AscendC

namespace opkg::twin {

template <typename T>
struct IsLocal {
    static constexpr bool value = false;
};
template <typename T>
struct IsLocal<AscendC::LocalTensor<T>> {
    static constexpr bool value = true;
};
template <typename T>
inline constexpr bool is_local = IsLocal<T>::value;

// A tensor and a number behind it is what the plain forms take; this is every other pair of a tensor and a scalar.
template <typename First, typename Second>
using FlexiblePair = std::enable_if_t<is_local<Second>>;

// The operands in their roles. first: the scalar is the left operand.
template <typename T, int8_t index, typename First, typename Second>
struct Roles {
    static constexpr bool first = !is_local<First> || index == 0;

    Roles(const First &left, const Second &right)
    {
        if constexpr (!is_local<First>) {
            scalar = static_cast<T>(left);
            vector = right;
        } else {
            scalar = *(first ? left : right).data();
            vector = first ? right : left;
        }
    }
    T scalar;
    AscendC::LocalTensor<T> vector;
};

// The relation with its sides exchanged.
constexpr AscendC::CMPMODE exchanged(AscendC::CMPMODE mode)
{
    switch (mode) {
        case AscendC::CMPMODE::LT:
            return AscendC::CMPMODE::GT;
        case AscendC::CMPMODE::GT:
            return AscendC::CMPMODE::LT;
        case AscendC::CMPMODE::LE:
            return AscendC::CMPMODE::GE;
        case AscendC::CMPMODE::GE:
            return AscendC::CMPMODE::LE;
        default:
            return mode;
    }
}

} // namespace opkg::twin

#define OPKG_TWIN_FLEXIBLE(Name, op, op_from, supported)                                                               \
    template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig &config = DEFAULT_BINARY_CONFIG, \
              typename U, typename S, typename V, typename = opkg::twin::FlexiblePair<S, V>>                           \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const S &src0, const V &src1, const int32_t &count)         \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name " with the scalar first", U, opkg::twin::on_chip(0, supported));                       \
        using Roles = opkg::twin::Roles<U, config.scalarTensorIndex, S, V>;                                            \
        const Roles roles(src0, src1);                                                                                 \
        const opkg::twin::Operands<U, U, U> all(dst, roles.vector, roles.vector, count);                               \
        opkg_twin_scalar[Roles::first ? op_from : op][opkg::twin::DtypeOf<U>::value](all.dst, all.a, &roles.scalar,    \
                                                                                     all.count);                       \
    }                                                                                                                  \
    template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig &config = DEFAULT_BINARY_CONFIG, \
              typename U, typename S, typename V, typename = opkg::twin::FlexiblePair<S, V>>                           \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const S &src0, const V &src1, const uint64_t mask[],        \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name " with the scalar first", U, opkg::twin::on_chip(0, supported));                       \
        using Roles = opkg::twin::Roles<U, config.scalarTensorIndex, S, V>;                                            \
        const Roles roles(src0, src1);                                                                                 \
        const opkg::twin::RepeatPlan plan =                                                                            \
            opkg::twin::unary_plan(isSetMask ? mask : nullptr, repeatTime, repeatParams, sizeof(U), sizeof(U));        \
        opkg_twin_repeat_scalar(opkg_twin_scalar[Roles::first ? op_from : op][opkg::twin::DtypeOf<U>::value],          \
                                dst.data(), roles.vector.data(), &roles.scalar, &plan);                                \
    }                                                                                                                  \
    template <typename T = BinaryDefaultType, bool isSetMask = true, const BinaryConfig &config = DEFAULT_BINARY_CONFIG, \
              typename U, typename S, typename V, typename = opkg::twin::FlexiblePair<S, V>>                           \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const S &src0, const V &src1, uint64_t mask,                \
                                const uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                       \
    {                                                                                                                  \
        const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);                                               \
        Name<T, isSetMask, config>(dst, src0, src1, bits.bits, repeatTime, repeatParams);                              \
    }

namespace AscendC {

OPKG_TWIN_FLEXIBLE(Adds, opkg::twin::kAdds, opkg::twin::kAdds, opkg::twin::kWithScalar)
OPKG_TWIN_FLEXIBLE(Muls, opkg::twin::kMuls, opkg::twin::kMuls, opkg::twin::kScaled)
OPKG_TWIN_FLEXIBLE(Maxs, opkg::twin::kMaxs, opkg::twin::kMaxs, opkg::twin::kWithScalar)
OPKG_TWIN_FLEXIBLE(Mins, opkg::twin::kMins, opkg::twin::kMins, opkg::twin::kWithScalar)
OPKG_TWIN_FLEXIBLE(Subs, opkg::twin::kSubs, opkg::twin::kSubsFrom, opkg::twin::kSubtracted)
OPKG_TWIN_FLEXIBLE(Divs, opkg::twin::kDivs, opkg::twin::kDivsFrom, opkg::twin::kDivided)
OPKG_TWIN_FLEXIBLE(Ands, opkg::twin::kAnds, opkg::twin::kAnds, opkg::twin::kMasked)
OPKG_TWIN_FLEXIBLE(Ors, opkg::twin::kOrs, opkg::twin::kOrs, opkg::twin::kMasked)
#undef OPKG_TWIN_FLEXIBLE

#define OPKG_TWIN_FLEXIBLE_COMPARE(Name)                                                                               \
    template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,                 \
              const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename U, typename S, typename V,                  \
              typename = opkg::twin::FlexiblePair<S, V>>                                                               \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const S &src0, const V &src1, CMPMODE cmpMode,              \
                                uint32_t count)                                                                        \
    {                                                                                                                  \
        using T = typename V::PrimType;                                                                                \
        OPKG_TWIN_REQUIRE(#Name " with the scalar first", T, opkg::twin::on_chip(0, opkg::twin::kCompared));           \
        using Roles = opkg::twin::Roles<T, config.scalarTensorIndex, S, V>;                                            \
        const Roles roles(src0, src1);                                                                                 \
        Name(dst, roles.vector, roles.scalar, Roles::first ? opkg::twin::exchanged(cmpMode) : cmpMode, count);         \
    }                                                                                                                  \
    template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,                 \
              const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename U, typename S, typename V, typename M,      \
              typename = opkg::twin::FlexiblePair<S, V>>                                                               \
    __aicore__ inline void Name(const LocalTensor<U> &dst, const S &src0, const V &src1, CMPMODE cmpMode, M mask,      \
                                uint8_t repeatTime, const UnaryRepeatParams &repeatParams)                             \
    {                                                                                                                  \
        using T = typename V::PrimType;                                                                                \
        OPKG_TWIN_REQUIRE(#Name " with the scalar first", T, opkg::twin::on_chip(0, opkg::twin::kCompared));           \
        using Roles = opkg::twin::Roles<T, config.scalarTensorIndex, S, V>;                                            \
        const Roles roles(src0, src1);                                                                                 \
        Name(dst, roles.vector, roles.scalar, Roles::first ? opkg::twin::exchanged(cmpMode) : cmpMode, mask,           \
             repeatTime, repeatParams);                                                                                \
    }
OPKG_TWIN_FLEXIBLE_COMPARE(Compares)
OPKG_TWIN_FLEXIBLE_COMPARE(CompareScalar)
#undef OPKG_TWIN_FLEXIBLE_COMPARE

// Selection between a tensor and a scalar, whichever comes first; of two tensors one is a scalar in this mode alone.
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType,
          const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename T, typename S, typename V,
          typename = opkg::twin::FlexiblePair<S, V>>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<T1> &selMask, const S &src0, const V &src1,
                              SELMODE, uint32_t count)
{
    OPKG_TWIN_REQUIRE("Select with the scalar first", T, opkg::twin::on_chip(0, opkg::twin::kSelected));
    using Roles = opkg::twin::Roles<T, config.scalarTensorIndex, S, V>;
    const Roles roles(src0, src1);
    opkg::twin::select_scalar(dst, selMask, roles.vector, roles.scalar, Roles::first, count);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename T, typename S, typename V,
          typename = opkg::twin::FlexiblePair<S, V>>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<T1> &selMask, const S &src0, const V &src1,
                              SELMODE, const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams &repeatParams)
{
    OPKG_TWIN_REQUIRE("Select with the scalar first", T, opkg::twin::on_chip(0, opkg::twin::kSelected));
    using Roles = opkg::twin::Roles<T, config.scalarTensorIndex, S, V>;
    const Roles roles(src0, src1);
    opkg::twin::select_scalar(dst, selMask, roles.vector, roles.scalar, Roles::first, opkg::twin::wide_mask(mask),
                              repeatTime, repeatParams);
}
template <typename T0 = BinaryDefaultType, typename T1 = BinaryDefaultType, bool isSetMask = true,
          const BinaryConfig &config = DEFAULT_BINARY_CONFIG, typename T, typename S, typename V,
          typename = opkg::twin::FlexiblePair<S, V>>
__aicore__ inline void Select(const LocalTensor<T> &dst, const LocalTensor<T1> &selMask, const S &src0, const V &src1,
                              SELMODE selMode, uint64_t mask, uint8_t repeatTime,
                              const BinaryRepeatParams &repeatParams)
{
    const opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);
    Select<T0, T1, isSetMask, config>(dst, selMask, src0, src1, selMode, bits.bits, repeatTime, repeatParams);
}

} // namespace AscendC

#endif // OPKG_TWIN_FLEXIBLE_H
