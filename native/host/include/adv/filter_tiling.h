// SPDX-License-Identifier: Apache-2.0
// Temporary memory of selection, of dropping out and of sequences.
#ifndef OPKG_HOST_ADV_FILTER_TILING_H
#define OPKG_HOST_ADV_FILTER_TILING_H

#include "adv/host_support.h"

namespace AscendC {

inline uint32_t GetDropOutMaxTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool)
{
    uint32_t most = 0, least = 0;
    opkg::host::temporary(srcShape, typeSize, 1, most, least);
    return most;
}
inline uint32_t GetDropOutMinTmpSize(const TensorShape &, const uint32_t, const bool) { return 256; }
inline void GetDropOutMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                    uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = GetDropOutMaxTmpSize(srcShape, typeSize, isReuseSource);
    minValue = GetDropOutMinTmpSize(srcShape, typeSize, isReuseSource);
}

// The mask as half, and the bits of its comparison with zero; a mask that must not change is copied first.
inline uint32_t GetSelectMaxTmpSize(const TensorShape &, const TensorShape &, const uint32_t, const TensorShape &maskShape,
                                    const uint32_t maskTypeSize, const bool isReuseMask)
{
    const uint64_t mask = opkg::host::bytes_of(maskShape, maskTypeSize);
    const uint64_t copy = isReuseMask ? 0 : opkg::host::round_up(mask, 32);
    return opkg::host::round_up(copy + 3 * opkg::host::bytes_of(maskShape, 1) + 1024, 256);
}
inline uint32_t GetSelectMinTmpSize(const TensorShape &, const TensorShape &, const uint32_t, const TensorShape &maskShape,
                                    const uint32_t maskTypeSize, const bool isReuseMask)
{
    const uint64_t mask = opkg::host::bytes_of(maskShape, maskTypeSize);
    return opkg::host::round_up((isReuseMask ? 0 : mask) + 1024, 256);
}
inline void GetSelectMaxMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                   const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask,
                                   uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = GetSelectMaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
    minValue = GetSelectMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline uint32_t GetSelectWithBytesMaskMaxTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,
                                                 const uint32_t srcTypeSize, const TensorShape &maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask)
{
    return GetSelectMaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline uint32_t GetSelectWithBytesMaskMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,
                                                 const uint32_t srcTypeSize, const TensorShape &maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask)
{
    return GetSelectMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline void GetSelectWithBytesMaskMaxMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape,
                                                const uint32_t srcTypeSize, const TensorShape &maskShape,
                                                const uint32_t maskTypeSize, const bool isReuseMask, uint32_t &maxValue,
                                                uint32_t &minValue)
{
    GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, maxValue, minValue);
}

inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }

} // namespace AscendC

#endif // OPKG_HOST_ADV_FILTER_TILING_H
