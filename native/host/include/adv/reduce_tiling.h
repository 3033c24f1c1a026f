// SPDX-License-Identifier: Apache-2.0
// Temporary memory of reductions.
#ifndef OPKG_HOST_ADV_REDUCE_TILING_H
#define OPKG_HOST_ADV_REDUCE_TILING_H

#include "adv/host_support.h"

namespace opkg::host {

// Half of the rows of the input, which is where a reduction in halves puts its first step.
inline void temporary_of_reduction(const ge::Shape &shape, ge::DataType type, bool reuse, uint32_t &most, uint32_t &least)
{
    const size_t dims = shape.GetDimNum();
    const int64_t size = ge::GetSizeByDataType(type);
    const uint64_t inner = dims == 0 || size < 0 ? 0 : static_cast<uint64_t>(shape.GetDim(dims - 1) * size);
    const int64_t rows = dims == 0 || shape.GetDim(dims - 1) <= 0 ? 0 : shape.GetShapeSize() / shape.GetDim(dims - 1);
    const uint64_t bytes = static_cast<uint64_t>(round_up(inner, 32)) * static_cast<uint64_t>((rows + 1) / 2);
    most = least = reuse ? 0 : round_up(bytes < 32 ? 32 : bytes, 32);
}

// One element for each repeat of 256 bytes.
inline uint32_t temporary_of_sum(uint32_t n, uint32_t type_size)
{
    const uint32_t repeat = 256 / (type_size == 0 ? 1 : type_size);
    return round_up(static_cast<uint64_t>((n + repeat - 1) / repeat) * type_size, 32);
}

} // namespace opkg::host

namespace AscendC {

#define OPKG_ADV_REDUCE_SIZES(Name)                                                                                    \
    inline void Get##Name##MaxMinTmpSize(const TensorShape &srcShape, const TensorDataType dataType, ReducePattern,    \
                                         bool, bool isReuseSource, uint32_t &maxValue, uint32_t &minValue)             \
    {                                                                                                                  \
        opkg::host::temporary_of_reduction(srcShape, dataType, isReuseSource, maxValue, minValue);                     \
    }
OPKG_ADV_REDUCE_SIZES(ReduceMax)
OPKG_ADV_REDUCE_SIZES(ReduceMin)
OPKG_ADV_REDUCE_SIZES(ReduceSum)
OPKG_ADV_REDUCE_SIZES(ReduceMean)
OPKG_ADV_REDUCE_SIZES(ReduceProd)
OPKG_ADV_REDUCE_SIZES(ReduceAll)
OPKG_ADV_REDUCE_SIZES(ReduceAny)
#undef OPKG_ADV_REDUCE_SIZES

inline void GetReduceXorSumMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool,
                                         uint32_t &maxValue, uint32_t &minValue)
{
    opkg::host::temporary(srcShape, typeSize, 4, maxValue, minValue);
    minValue = maxValue;
}

inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t &maxSize, uint32_t &minSize)
{
    maxSize = minSize = opkg::host::temporary_of_sum(n, typeSize);
}

inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool,
                                 uint32_t &maxSize, uint32_t &minSize)
{
    const uint32_t widened = accTypeSize > srcTypeSize ? opkg::host::round_up(static_cast<uint64_t>(n) * accTypeSize, 32) : 0;
    maxSize = minSize = opkg::host::temporary_of_sum(n, accTypeSize) + widened;
}
inline void GetMeanTmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer)
{
    maxLiveNodeCount = typeSize == 2 ? 3 : 1;
    extraBuffer = 32;
}

} // namespace AscendC

#endif // OPKG_HOST_ADV_REDUCE_TILING_H
