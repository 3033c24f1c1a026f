// SPDX-License-Identifier: Apache-2.0
// Enumerations and parameter structs that several families of instructions share.
#ifndef OPKG_TWIN_TYPES_H
#define OPKG_TWIN_TYPES_H

#include "twin/abi.h"
#include "twin/half.h"
#include "twin/macros.h"

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX };
using event_t = int32_t;
inline constexpr event_t EVENT_ID0 = 0, EVENT_ID1 = 1, EVENT_ID2 = 2, EVENT_ID3 = 3, EVENT_ID4 = 4, EVENT_ID5 = 5,
                         EVENT_ID6 = 6, EVENT_ID7 = 7;

namespace AscendC {

using TEventID = int8_t;

template <typename T, typename U>
using IsSameType = std::is_same<T, U>;

template <bool condition, typename T, typename F>
struct Conditional {
    using type = std::conditional_t<condition, T, F>;
};

enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
    C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;

enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
    MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
    FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, FIX_V, V_FIX, S_FIX, S_M, S_MTE1, MTE1_S, MAX
};

enum class RoundMode { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, CAST_HYBRID };
enum class CMPMODE { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class CacheMode { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };

struct int4b_t {
    uint8_t bits;
};

struct BinaryRepeatParams {
    constexpr BinaryRepeatParams() = default;
    constexpr BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep, uint8_t src0_rep,
                                 uint8_t src1_rep)
        : dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk), dstRepStride(dst_rep),
          src0RepStride(src0_rep), src1RepStride(src1_rep)
    {
    }
    uint32_t blockNumber = 8;
    uint8_t dstBlkStride = 1;
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

struct UnaryRepeatParams {
    constexpr UnaryRepeatParams() = default;
    constexpr UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep)
    {
    }
    constexpr UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep, bool half_block)
        : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep),
          halfBlock(half_block)
    {
    }
    uint32_t blockNumber = 8;
    uint16_t dstBlkStride = 1;
    uint16_t srcBlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t srcRepStride = 8;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

} // namespace AscendC

namespace opkg::twin {

template <typename T>
struct DtypeOf;
#define OPKG_TWIN_DTYPE(type, id)                                                                                      \
    template <>                                                                                                        \
    struct DtypeOf<type> {                                                                                             \
        static constexpr Dtype value = id;                                                                             \
    };
OPKG_TWIN_DTYPE(float, kF32)
OPKG_TWIN_DTYPE(half, kF16)
OPKG_TWIN_DTYPE(bfloat16_t, kBF16)
OPKG_TWIN_DTYPE(int8_t, kI8)
OPKG_TWIN_DTYPE(uint8_t, kU8)
OPKG_TWIN_DTYPE(bool, kU8)
OPKG_TWIN_DTYPE(int16_t, kI16)
OPKG_TWIN_DTYPE(uint16_t, kU16)
OPKG_TWIN_DTYPE(int32_t, kI32)
OPKG_TWIN_DTYPE(uint32_t, kU32)
OPKG_TWIN_DTYPE(int64_t, kI64)
OPKG_TWIN_DTYPE(uint64_t, kU64)
OPKG_TWIN_DTYPE(long long, kI64)
OPKG_TWIN_DTYPE(unsigned long long, kU64)
OPKG_TWIN_DTYPE(double, kF64)
OPKG_TWIN_DTYPE(AscendC::int4b_t, kI4)
#undef OPKG_TWIN_DTYPE

template <typename T>
inline constexpr uint32_t dtype_bit = 1u << DtypeOf<T>::value;

constexpr uint32_t dtypes() { return 0; }
template <typename... Rest>
constexpr uint32_t dtypes(Dtype first, Rest... rest)
{
    return (1u << first) | dtypes(rest...);
}

inline constexpr uint32_t kFloats = dtypes(kF32, kF16);

} // namespace opkg::twin

#endif // OPKG_TWIN_TYPES_H
