// SPDX-License-Identifier: Apache-2.0
// dst = src0 op src1, element by element.
#ifndef OPKG_TWIN_BINARY_H
#define OPKG_TWIN_BINARY_H

#include "twin/support.h"

namespace opkg::twin {

inline constexpr uint32_t kDivide = on_chip(dtypes(kF16, kF32), dtypes(kI16, kU16, kI32, kU32, kI64, kU64));
inline constexpr uint32_t kBitwise = on_chip(dtypes(kI16, kU16), kAnyInteger);
inline constexpr uint32_t kMultiply = on_chip(dtypes(kI16, kF16, kI32, kF32), dtypes(kU16, kBF16, kU32, kI64, kU64));
inline constexpr uint32_t kFusedRelu = on_chip(dtypes(kI16, kF16, kF32), kB64);
inline constexpr uint32_t kFusedFloat = on_chip(dtypes(kF16, kF32), kB64);
inline constexpr uint32_t kFusedAdd = on_chip(dtypes(kF16, kF32), kB64 | dtypes(kBF16));

constexpr bool reads_dst(BinaryOp op) { return op == kMulAddDst || op == kFusedMulAdd || op == kFusedMulAddRelu; }

} // namespace opkg::twin

#define OPKG_TWIN_BINARY(Name, op, supported)                                                                          \
    template <typename T>                                                                                              \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                                const int32_t &count)                                                                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::Operands<T, T, T> all(dst, src0, src1, count, opkg::twin::reads_dst(op));                    \
        all.run(op);                                                                                                   \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                                const uint64_t mask[], const uint8_t repeatTime,                                       \
                                const BinaryRepeatParams &repeatParams)                                                \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        const opkg::twin::RepeatPlan plan = opkg::twin::binary_plan(isSetMask ? mask : nullptr, repeatTime,            \
                                                                    repeatParams, sizeof(T), sizeof(T), sizeof(T));    \
        opkg_twin_repeat_binary(opkg_twin_binary[op][opkg::twin::DtypeOf<T>::value], dst.data(), src0.data(),          \
                                src1.data(), &plan);                                                                   \
    }                                                                                                                  \
    template <typename T, bool isSetMask = true>                                                                       \
    __aicore__ inline void Name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,     \
                                uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &repeatParams)       \
    {                                                                                                                  \
        opkg::twin::Mask bits = opkg::twin::continuous_mask(mask);                                                     \
        Name<T, isSetMask>(dst, src0, src1, bits.bits, repeatTime, repeatParams);                                      \
    }

namespace AscendC {

OPKG_TWIN_BINARY(Add, opkg::twin::kAdd, opkg::twin::kArithmetic)
OPKG_TWIN_BINARY(Sub, opkg::twin::kSub, opkg::twin::kArithmetic)
OPKG_TWIN_BINARY(Mul, opkg::twin::kMul, opkg::twin::kMultiply)
OPKG_TWIN_BINARY(Div, opkg::twin::kDiv, opkg::twin::kDivide)
OPKG_TWIN_BINARY(Max, opkg::twin::kMax, opkg::twin::kArithmetic)
OPKG_TWIN_BINARY(Min, opkg::twin::kMin, opkg::twin::kArithmetic)
OPKG_TWIN_BINARY(And, opkg::twin::kAnd, opkg::twin::kBitwise)
OPKG_TWIN_BINARY(Or, opkg::twin::kOr, opkg::twin::kBitwise)
OPKG_TWIN_BINARY(AddRelu, opkg::twin::kAddRelu, opkg::twin::kFusedRelu)
OPKG_TWIN_BINARY(SubRelu, opkg::twin::kSubRelu, opkg::twin::kFusedRelu)
OPKG_TWIN_BINARY(FusedMulAdd, opkg::twin::kFusedMulAdd, opkg::twin::kFusedAdd)
OPKG_TWIN_BINARY(FusedMulAddRelu, opkg::twin::kFusedMulAddRelu, opkg::twin::kFusedFloat)
OPKG_TWIN_BINARY(MulAddRelu, opkg::twin::kFusedMulAddRelu, opkg::twin::kFusedFloat)

} // namespace AscendC

#undef OPKG_TWIN_BINARY

#endif // OPKG_TWIN_BINARY_H
