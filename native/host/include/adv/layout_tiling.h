// SPDX-License-Identifier: Apache-2.0
// Temporary memory and tiling of padding, broadcasting and transposing.
#ifndef OPKG_HOST_ADV_LAYOUT_TILING_H
#define OPKG_HOST_ADV_LAYOUT_TILING_H

#include "adv/host_support.h"
#include "adv/tiling_classes.h"

namespace opkg::host {

inline uint32_t extent(const ge::Shape &shape, size_t dim) { return static_cast<uint32_t>(shape.GetDim(dim)); }

// Sixteen rows at a time are turned round, there and back.
inline void temporary_of_rows(const ge::Shape &shape, uint32_t type_size, uint32_t &most, uint32_t &least)
{
    least = 2 * 16 * round_up(static_cast<uint64_t>(extent(shape, 1)) * type_size, 32);
    const uint32_t all = 2 * round_up(bytes_of(shape, type_size), 32);
    most = all < least ? least : all;
}

// AscendC::TransposeType::TRANSPOSE_ND2ND_ONLY
inline constexpr uint32_t kTwoDimensions = 7;

// The shape, first dimension first, then the kind and the element's bytes.
template <typename Tiling>
inline void fill_transpose(const ge::Shape &shape, uint32_t type_size, uint32_t kind, Tiling &tiling)
{
    tiling.set_param0(extent(shape, 0));
    tiling.set_param1(extent(shape, 1));
    tiling.set_param2(extent(shape, 2));
    tiling.set_param3(extent(shape, 3));
    tiling.set_param4(static_cast<uint32_t>(shape.GetDimNum()));
    tiling.set_param5(kind);
    tiling.set_param6(type_size);
}

} // namespace opkg::host

namespace AscendC {

inline void GetPadMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue)
{
    opkg::host::temporary_of_rows(srcShape, typeSize, maxValue, minValue);
}
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t, const uint32_t,
                          optiling::PadTiling &tiling)
{
    tiling.set_srcHeight(opkg::host::extent(srcShape, 0));
    tiling.set_srcWidth(opkg::host::extent(srcShape, 1));
    tiling.set_srcOriWidth(opkg::host::extent(oriSrcShape, 1));
}
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t stackBufferSize,
                          const uint32_t typeSize, AscendC::tiling::PadTiling &tiling)
{
    optiling::PadTiling found;
    PadTilingFunc(srcShape, oriSrcShape, stackBufferSize, typeSize, found);
    found.SaveToBuffer(&tiling, sizeof(tiling));
}

inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape,
                                  const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue)
{
    opkg::host::temporary_of_rows(srcShape, typeSize, maxValue, minValue);
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t, const uint32_t, optiling::UnPadTiling &tiling)
{
    tiling.set_srcHeight(opkg::host::extent(srcShape, 0));
    tiling.set_srcWidth(opkg::host::extent(srcShape, 1));
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            AscendC::tiling::UnPadTiling &tiling)
{
    optiling::UnPadTiling found;
    UnPadTilingFunc(srcShape, stackBufferSize, typeSize, found);
    found.SaveToBuffer(&tiling, sizeof(tiling));
}

inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape,
                                      const TensorShape &dstShape, uint32_t typeSize, const bool, uint32_t &maxValue,
                                      uint32_t &minValue)
{
    const uint64_t blocks = opkg::host::bytes_of(srcShape, 1) * 32;
    minValue = opkg::host::round_up(blocks < 256 ? 256 : blocks, 256);
    const uint32_t all = opkg::host::round_up(opkg::host::bytes_of(dstShape, typeSize), 256);
    maxValue = all < minValue ? minValue : all;
}

// false: no such element type, or a change of format that the kernel does not know.
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape,
                                      const TensorShape &dstShape, const TensorDataType dataType,
                                      const TransDataConfig &config, uint32_t &maxValue, uint32_t &minValue)
{
    const bool folds = config.srcFormat == DataFormat::NCDHW;
    const DataFormat other = folds ? config.dstFormat : config.srcFormat;
    const bool known = (folds || config.dstFormat == DataFormat::NCDHW) &&
                       (other == DataFormat::NDC1HWC0 || other == DataFormat::FRACTAL_Z_3D);
    if (!known || ge::GetSizeByDataType(dataType) != 2) {
        return false;
    }
    const uint64_t source = opkg::host::bytes_of(srcShape, 2), target = opkg::host::bytes_of(dstShape, 2);
    maxValue = minValue = opkg::host::round_up(source > target ? source : target, 32) + 1024;
    return true;
}

inline void GetTransposeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const uint32_t,
                                      uint32_t &maxValue, uint32_t &minValue)
{
    maxValue = minValue = 2 * opkg::host::round_up(opkg::host::bytes_of(srcShape, typeSize), 32);
}
inline void GetTransposeTilingInfo(const TensorShape &srcShape, const uint32_t, const uint32_t typeSize,
                                   const uint32_t transposeTypeIn, optiling::ConfusionTransposeTiling &tiling)
{
    opkg::host::fill_transpose(srcShape, typeSize, transposeTypeIn, tiling);
}
inline void GetTransposeTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                   const uint32_t transposeTypeIn, AscendC::tiling::ConfusionTransposeTiling &tiling)
{
    optiling::ConfusionTransposeTiling found;
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, found);
    found.SaveToBuffer(&tiling, sizeof(tiling));
}

// The older names.
inline void GetConfusionTransposeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize,
                                               const uint32_t transposeTypeIn, uint32_t &maxValue, uint32_t &minValue)
{
    GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
template <typename Tiling>
inline void GetConfusionTransposeTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize,
                                            const uint32_t typeSize, const uint32_t transposeTypeIn, Tiling &tiling)
{
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
template <typename Tiling>
inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize,
                                                const uint32_t typeSize, Tiling &tiling)
{
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize,
                           opkg::host::kTwoDimensions, tiling);
}

} // namespace AscendC

#endif // OPKG_HOST_ADV_LAYOUT_TILING_H
