// SPDX-License-Identifier: Apache-2.0
// Temporary memory and tiling of sorting.
#ifndef OPKG_HOST_ADV_SORT_TILING_H
#define OPKG_HOST_ADV_SORT_TILING_H

#include "adv/host_support.h"
#include "adv/tiling_classes.h"

namespace opkg::host {

// A score with its index, as the chip keeps it while it sorts.
inline constexpr uint32_t kSortedPair = 8;

inline bool is_proposal_chip(const platform_ascendc::PlatformAscendC &platform)
{
    return platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P;
}

inline bool temporary_of_topk(int32_t inner, int32_t outer, AscendC::TopKMode mode, uint32_t type_size, bool init_index,
                              uint32_t &most, uint32_t &least)
{
    if (inner <= 0 || outer <= 0 || inner % 32 != 0 || (mode == AscendC::TopKMode::TOPK_NSMALL && inner != 32)) {
        return false;
    }
    const uint64_t rows = mode == AscendC::TopKMode::TOPK_NSMALL ? static_cast<uint64_t>(outer) : 1;
    const uint64_t pairs = 2 * kSortedPair * static_cast<uint64_t>(inner) * rows;
    const uint64_t indices = init_index ? 0 : 4 * static_cast<uint64_t>(inner) * rows;
    most = least = round_up(pairs + indices + static_cast<uint64_t>(inner) * static_cast<uint64_t>(outer) * type_size, 32);
    return true;
}

template <typename Tiling>
inline void fill_topk(int32_t inner, int32_t outer, int32_t k, uint32_t bytes, Tiling &tiling)
{
    tiling.set_tmpLocalSize(static_cast<int32_t>(bytes));
    tiling.set_allDataSize(inner * outer);
    tiling.set_innerDataSize(inner);
    tiling.set_sortRepeat(static_cast<uint32_t>(inner / 32));
    tiling.set_kAlignFourBytes((k + 7) / 8 * 8);
    tiling.set_kAlignTwoBytes((k + 15) / 16 * 16);
}

} // namespace opkg::host

namespace AscendC {

inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &ascendcPlatform, const uint32_t elemCount,
                                 const uint32_t dataTypeSize)
{
    return opkg::host::is_proposal_chip(ascendcPlatform) ? elemCount * opkg::host::kSortedPair * dataTypeSize : 0;
}
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &ascendcPlatform, const uint32_t elemCount,
                               const uint32_t dataTypeSize)
{
    return elemCount * opkg::host::kSortedPair * (opkg::host::is_proposal_chip(ascendcPlatform) ? dataTypeSize : 1);
}

inline void GetSortMaxMinTmpSize(const TensorShape &srcShape, TensorDataType valueType, TensorDataType indexType, bool,
                                 const SortConfig &config, uint32_t &maxValue, uint32_t &minValue)
{
    const int value = ge::GetSizeByDataType(valueType);
    const int index = ge::GetSizeByDataType(indexType);
    const uint32_t wide = static_cast<uint32_t>((value > 0 ? value : 0) + (index > 0 ? index : 0));
    const uint32_t each = config.type == SortType::MERGE_SORT ? 2 * opkg::host::kSortedPair : wide;
    maxValue = minValue = opkg::host::round_up(opkg::host::bytes_of(srcShape, each) + 1024, 32);
}

// false: the kernel's TopK does not take such rows.
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter,
                                 const bool, const bool isInitIndex, enum TopKMode mode, const bool,
                                 const uint32_t dataTypeSize, uint32_t &maxValue, uint32_t &minValue)
{
    return opkg::host::temporary_of_topk(inner, outter, mode, dataTypeSize, isInitIndex, maxValue, minValue);
}
inline bool GetTopKMaxMinTmpSize(const int32_t inner, const int32_t outter, const int32_t, const bool,
                                 const bool isInitIndex, enum TopKMode mode, const bool, TensorDataType dataType,
                                 const TopKConfig &, uint32_t &maxValue, uint32_t &minValue)
{
    const int size = ge::GetSizeByDataType(dataType);
    return size > 0 && opkg::host::temporary_of_topk(inner, outter, mode, static_cast<uint32_t>(size), isInitIndex, maxValue,
                                                     minValue);
}

inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter,
                           const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode,
                           const bool, optiling::TopkTiling &topKTiling)
{
    uint32_t most = 0, least = 0;
    if (k < 1 || !opkg::host::temporary_of_topk(inner, outter, mode, dataTypeSize, isInitIndex, most, least)) {
        return false;
    }
    opkg::host::fill_topk(inner, outter, k, least, topKTiling);
    return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &ascendcPlatform, const int32_t inner,
                           const int32_t outter, const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex,
                           enum TopKMode mode, const bool isLargest, AscendC::tiling::TopkTiling &topKTiling)
{
    optiling::TopkTiling found;
    const bool fits =
        TopKTilingFunc(ascendcPlatform, inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest, found);
    found.SaveToBuffer(&topKTiling, sizeof(topKTiling));
    return fits;
}

} // namespace AscendC

#endif // OPKG_HOST_ADV_SORT_TILING_H
