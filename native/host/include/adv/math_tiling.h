// SPDX-License-Identifier: Apache-2.0
// How much temporary memory the mathematical functions of the library want: so many times their input, and at least so
// many repeats of 256 bytes.
#ifndef OPKG_HOST_ADV_MATH_TILING_H
#define OPKG_HOST_ADV_MATH_TILING_H

#include "adv/host_support.h"

namespace AscendC {

#define OPKG_ADV_SIZES(Name, live)                                                                                     \
    inline void Get##Name##MaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool,             \
                                         uint32_t &maxValue, uint32_t &minValue)                                       \
    {                                                                                                                  \
        opkg::host::temporary(srcShape, typeSize, live, maxValue, minValue);                                           \
    }                                                                                                                  \
    inline void Get##Name##TmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer)      \
    {                                                                                                                  \
        maxLiveNodeCount = live;                                                                                       \
        extraBuffer = 0;                                                                                               \
    }
OPKG_ADV_SIZES(Acos, 5)
OPKG_ADV_SIZES(Acosh, 3)
OPKG_ADV_SIZES(Asin, 5)
OPKG_ADV_SIZES(Asinh, 5)
OPKG_ADV_SIZES(Atan, 6)
OPKG_ADV_SIZES(Atanh, 3)
OPKG_ADV_SIZES(Axpy, 2)
OPKG_ADV_SIZES(Ceil, 1)
OPKG_ADV_SIZES(Clamp, 1)
OPKG_ADV_SIZES(Cosh, 3)
OPKG_ADV_SIZES(Digamma, 9)
OPKG_ADV_SIZES(Erfc, 6)
OPKG_ADV_SIZES(Erf, 4)
OPKG_ADV_SIZES(Floor, 1)
OPKG_ADV_SIZES(Fmod, 3)
OPKG_ADV_SIZES(Frac, 2)
OPKG_ADV_SIZES(Hypot, 3)
OPKG_ADV_SIZES(Lgamma, 8)
OPKG_ADV_SIZES(Log, 0)
OPKG_ADV_SIZES(Log10, 0)
OPKG_ADV_SIZES(Sign, 2)
OPKG_ADV_SIZES(Sinh, 3)
OPKG_ADV_SIZES(Tan, 5)
OPKG_ADV_SIZES(Tanh, 2)
OPKG_ADV_SIZES(Trunc, 1)
OPKG_ADV_SIZES(Xor, 2)
OPKG_ADV_SIZES(Cos, 4)
OPKG_ADV_SIZES(Sin, 4)
#undef OPKG_ADV_SIZES

#define OPKG_ADV_CONFIGURED_SIZES(Name)                                                                                \
    inline void Get##Name##MaxMinTmpSize(const Name##Config &, const TensorShape &srcShape, const uint32_t typeSize,   \
                                         const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue)             \
    {                                                                                                                  \
        Get##Name##MaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);                               \
    }                                                                                                                  \
    inline void Get##Name##TmpBufferFactorSize(const Name##Config &, const uint32_t typeSize,                          \
                                               uint32_t &maxLiveNodeCount, uint32_t &extraBuffer)                      \
    {                                                                                                                  \
        Get##Name##TmpBufferFactorSize(typeSize, maxLiveNodeCount, extraBuffer);                                       \
    }
OPKG_ADV_CONFIGURED_SIZES(Cos)
OPKG_ADV_CONFIGURED_SIZES(Sin)
#undef OPKG_ADV_CONFIGURED_SIZES

// Functions that need none.
#define OPKG_ADV_NO_SIZES(Name)                                                                                        \
    inline void Get##Name##MaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &,               \
                                         const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue)           \
    {                                                                                                                  \
        maxValue = minValue = 0;                                                                                       \
    }                                                                                                                  \
    inline void Get##Name##TmpBufferFactorSize(const platform_ascendc::PlatformAscendC &, const uint32_t,              \
                                               uint32_t &maxLivedNodeCount, uint32_t &extraBuf)                        \
    {                                                                                                                  \
        maxLivedNodeCount = extraBuf = 0;                                                                              \
    }
OPKG_ADV_NO_SIZES(BitwiseAnd)
OPKG_ADV_NO_SIZES(BitwiseNot)
OPKG_ADV_NO_SIZES(BitwiseOr)
OPKG_ADV_NO_SIZES(BitwiseXor)
OPKG_ADV_NO_SIZES(Fma)
OPKG_ADV_NO_SIZES(IsInf)
OPKG_ADV_NO_SIZES(IsNan)
OPKG_ADV_NO_SIZES(LogicalAnd)
OPKG_ADV_NO_SIZES(LogicalAnds)
OPKG_ADV_NO_SIZES(LogicalNot)
OPKG_ADV_NO_SIZES(LogicalOr)
OPKG_ADV_NO_SIZES(LogicalOrs)
OPKG_ADV_NO_SIZES(LogicalXor)
OPKG_ADV_NO_SIZES(Rint)
OPKG_ADV_NO_SIZES(Round)
OPKG_ADV_NO_SIZES(SinCos)
OPKG_ADV_NO_SIZES(Where)
#undef OPKG_ADV_NO_SIZES

inline void GetLog2MaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue,
                                 uint32_t &minValue)
{
    opkg::host::temporary(srcShape, typeSize, typeSize == 2 ? 2 : 0, maxValue, minValue);
}
inline void GetLog2TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf)
{
    maxLiveNodeCount = typeSize == 2 ? 2 : 0;
    extraBuf = 0;
}

// false: there is no such type.
inline bool GetExpMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue,
                                uint32_t &minValue)
{
    opkg::host::temporary(srcShape, typeSize, 4, maxValue, minValue);
    return typeSize == 2 || typeSize == 4;
}
inline void GetExpTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer)
{
    maxLiveNodeCount = 4;
    extraBuffer = 0;
}

// A shape of one element is a scalar.
inline void GetPowerMaxMinTmpSize(const TensorShape &srcShape1, const TensorShape &srcShape2, const bool,
                                  const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue)
{
    const bool second = srcShape2.GetShapeSize() > srcShape1.GetShapeSize();
    opkg::host::temporary(second ? srcShape2 : srcShape1, typeSize, 6, maxValue, minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t, uint32_t &maxLiveNodeCount,
                                        uint32_t &extraBuffer)
{
    maxLiveNodeCount = 6;
    extraBuffer = 0;
}

inline void GetCumSumMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool, const bool,
                                   uint32_t &maxValue, uint32_t &minValue)
{
    opkg::host::temporary(srcShape, typeSize, 2, maxValue, minValue);
}

} // namespace AscendC

#endif // OPKG_HOST_ADV_MATH_TILING_H
