// SPDX-License-Identifier: Apache-2.0
// Copies that rearrange what they move: slices of a tensor, matrices between rows (ND) and columns of blocks (NZ), and on
// the Ascend950 up to five dimensions with padding.
#ifndef OPKG_TWIN_COPY_SHAPES_H
#define OPKG_TWIN_COPY_SHAPES_H

#include "twin/data_copy.h"

namespace AscendC {

inline constexpr int32_t K_MAX_DIM = 8;

// One dimension of a slice: bursts from startIndex to endIndex, stride elements apart. A burst has burstLen blocks of 32
// bytes in the innermost dimension and one element in the others.
struct SliceInfo {
    constexpr SliceInfo() = default;
    constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape = 0)
        : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape)
    {
    }
    uint32_t startIndex = 0;
    uint32_t endIndex = ONE_BLK_SIZE - 1;
    uint32_t stride = 0;
    uint32_t burstLen = ONE_BLK_SIZE;
    uint32_t shapeValue = 0;
};
static_assert(sizeof(SliceInfo) == sizeof(opkg::twin::Slice), "SliceInfo is passed to the library as it is");

// Strides in elements, but those of the NZ side in blocks of 32 bytes.
struct Nd2NzParams {
#if __NPU_ARCH__ >= 3510
    using Wide = uint32_t;
    using Stride = uint64_t;
#else
    using Wide = uint16_t;
    using Stride = uint16_t;
#endif
    constexpr Nd2NzParams() = default;
    constexpr Nd2NzParams(uint16_t matrices, uint16_t rows, Wide columns, Stride src_matrix, Stride src_row,
                          uint16_t dst_column, uint16_t dst_row, Wide dst_matrix)
        : ndNum(matrices), nValue(rows), dValue(columns), srcNdMatrixStride(src_matrix), srcDValue(src_row),
          dstNzC0Stride(dst_column), dstNzNStride(dst_row), dstNzMatrixStride(dst_matrix)
    {
    }
    uint16_t ndNum = 0;
    uint16_t nValue = 0;
    Wide dValue = 0;
    Stride srcNdMatrixStride = 0;
    Stride srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    Wide dstNzMatrixStride = 0;
};

// The same from a matrix in column-major order.
struct Dn2NzParams {
    constexpr Dn2NzParams() = default;
    constexpr Dn2NzParams(uint16_t matrices, uint16_t columns, uint32_t rows, uint64_t src_matrix, uint64_t src_row,
                          uint16_t dst_column, uint16_t dst_row, uint32_t dst_matrix)
        : dnNum(matrices), nValue(columns), dValue(rows), srcDnMatrixStride(src_matrix), srcDValue(src_row),
          dstNzC0Stride(dst_column), dstNzNStride(dst_row), dstNzMatrixStride(dst_matrix)
    {
    }
    uint16_t dnNum = 0;
    uint16_t nValue = 0;
    uint32_t dValue = 0;
    uint64_t srcDnMatrixStride = 0;
    uint64_t srcDValue = 0;
    uint16_t dstNzC0Stride = 0;
    uint16_t dstNzNStride = 0;
    uint32_t dstNzMatrixStride = 0;
};

// Columns of 16 elements. srcNdMatrixStride in 256 elements, srcNStride in 16, those of the ND side in elements.
struct Nz2NdParamsFull {
    constexpr Nz2NdParamsFull() = default;
    constexpr Nz2NdParamsFull(uint16_t matrices, uint16_t rows, uint16_t columns, uint16_t src_matrix, uint16_t src_column,
                              uint16_t dst_row, uint16_t dst_matrix)
        : ndNum(matrices), nValue(rows), dValue(columns), srcNdMatrixStride(src_matrix), srcNStride(src_column),
          dstDStride(dst_row), dstNdMatrixStride(dst_matrix)
    {
    }
    uint16_t ndNum = 1;
    uint16_t nValue = 0;
    uint16_t dValue = 0;
    uint16_t srcNdMatrixStride = 1;
    uint16_t srcNStride = 0;
    uint16_t dstDStride = 0;
    uint16_t dstNdMatrixStride = 1;
};

struct NdDmaConfig {
    static constexpr uint16_t unsetPad = 0xffff;
    bool isNearestValueMode = false;
    uint16_t loopLpSize = unsetPad; // padding of every dimension, in place of each one's own
    uint16_t loopRpSize = unsetPad;
    bool ascOptimize = false;
};
using MultiCopyConfig = NdDmaConfig;
inline constexpr NdDmaConfig kDefaultNdDmaConfig = {};
inline constexpr NdDmaConfig kDefaultMultiCopyConfig = {};

// The innermost dimension first; everything in elements.
template <uint8_t dim>
struct MultiCopyLoopInfo {
    static_assert(dim >= 1 && dim <= 5, "a copy of several dimensions has 1 to 5 of them");
    uint64_t loopSrcStride[dim] = {};
    uint32_t loopDstStride[dim] = {};
    uint32_t loopSize[dim] = {};
    uint8_t loopLpSize[dim] = {};
    uint8_t loopRpSize[dim] = {};
};
template <uint8_t dim>
using NdDmaLoopInfo = MultiCopyLoopInfo<dim>;

template <typename T, uint8_t dim>
struct MultiCopyParams {
    MultiCopyLoopInfo<dim> loopInfo;
    T constantValue;
};
template <typename T, uint8_t dim>
using NdDmaParams = MultiCopyParams<T, dim>;

} // namespace AscendC

namespace opkg::twin {

inline const Slice *raw_slices(const AscendC::SliceInfo *slices) { return reinterpret_cast<const Slice *>(slices); }

// Elements from the first to the last one that a copy touches on either side.
inline uint64_t nd_elements(const FractalCopy &p)
{
    const bool none = p.matrices == 0 || p.rows == 0 || p.row_elements == 0;
    const uint64_t last = (p.matrices - 1) * p.nd_matrix + (p.rows - 1) * p.nd_row + (p.row_elements - 1) * p.nd_element;
    return none ? 0 : last / p.element + 1;
}
inline uint64_t nz_elements(const FractalCopy &p)
{
    const bool none = p.matrices == 0 || p.rows == 0 || p.row_elements == 0;
    const uint32_t in_column = p.column / p.element;
    const uint64_t columns = none ? 0 : (p.row_elements - 1) / in_column;
    const uint64_t end = (p.matrices - 1) * p.nz_matrix + (p.rows - 1) * p.nz_row + columns * p.nz_column + p.column;
    return none ? 0 : end / p.element;
}
inline uint64_t slice_elements(const AscendC::SliceInfo *slices, uint32_t dims)
{
    uint64_t last = 0;
    uint64_t step = 1;
    for (uint32_t d = 0; d < dims; ++d) {
        last += slices[d].endIndex * step;
        step *= slices[d].shapeValue;
    }
    return last + 1;
}
// The same of a copy of several dimensions, by its steps.
template <typename Step>
inline uint64_t nd_reach(const NdCopy &p, const Step *step, bool with_padding)
{
    uint64_t last = 0;
    for (uint32_t d = 0; d < p.dims; ++d) {
        last += (p.size[d] + (with_padding ? p.left[d] + p.right[d] : 0) - 1) * static_cast<uint64_t>(step[d]);
    }
    return last + 1;
}

inline FractalCopy fractal_copy(const AscendC::Nd2NzParams &p, uint32_t element, bool small)
{
    return {p.ndNum, p.nValue, p.dValue, element, small ? 4 * element : 32u, 0, p.srcNdMatrixStride * uint64_t{element},
            p.srcDValue * uint64_t{element}, element, p.dstNzMatrixStride * uint64_t{element}, p.dstNzNStride * kBlock,
            p.dstNzC0Stride * kBlock};
}

} // namespace opkg::twin

namespace AscendC {

template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo dstSliceInfo[],
                                const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::slice_elements(dstSliceInfo, dimValue)),
                     opkg_reads_some(src, opkg::twin::slice_elements(srcSliceInfo, dimValue)));
    opkg_twin_copy_slices(dst.address(), src.data(), opkg::twin::raw_slices(dstSliceInfo),
                          opkg::twin::raw_slices(srcSliceInfo), dimValue, opkg::twin::DtypeOf<T>::value, 0);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const SliceInfo dstSliceInfo[],
                                const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1)
{
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::slice_elements(dstSliceInfo, dimValue)),
                     opkg_reads_some(src, opkg::twin::slice_elements(srcSliceInfo, dimValue)));
    opkg_twin_copy_slices(dst.data(), src.address(), opkg::twin::raw_slices(dstSliceInfo),
                          opkg::twin::raw_slices(srcSliceInfo), dimValue, opkg::twin::DtypeOf<T>::value, 1);
}

// enableSmallC0: columns of 4 elements, for matrices of at most 4.
template <typename T, bool enableSmallC0 = false>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
    static_assert(!enableSmallC0 || opkg::twin::kWideChip, "enableSmallC0 is there on the Ascend950 only");
    const opkg::twin::FractalCopy plan = opkg::twin::fractal_copy(p, sizeof(T), enableSmallC0 && p.dValue <= 4);
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::nz_elements(plan)),
                     opkg_reads_some(src, opkg::twin::nd_elements(plan)));
    opkg_twin_nd_to_nz(dst.address(), src.data(), &plan);
}
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Nd2NzParams &p)
{
    const opkg::twin::FractalCopy plan = opkg::twin::fractal_copy(p, sizeof(T), false);
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::nz_elements(plan)),
                     opkg_reads_some(src, opkg::twin::nd_elements(plan)));
    opkg_twin_nd_to_nz(dst.address(), src.data(), &plan);
}
template <typename T, bool enableSmallC0 = false>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Dn2NzParams &p)
{
    static_assert(opkg::twin::kWideChip || sizeof(T) == 0, "DataCopy with Dn2NzParams is there on the Ascend950 only");
    const uint64_t element = sizeof(T);
    const opkg::twin::FractalCopy plan{p.dnNum, p.nValue, p.dValue, sizeof(T),
                                       enableSmallC0 && p.dValue <= 4 ? 4 * sizeof(T) : 32u, 0,
                                       p.srcDnMatrixStride * element, element, p.srcDValue * element,
                                       p.dstNzMatrixStride * element, p.dstNzNStride * opkg::twin::kBlock,
                                       p.dstNzC0Stride * opkg::twin::kBlock};
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::nz_elements(plan)),
                     opkg_reads_some(src, opkg::twin::nd_elements(plan)));
    opkg_twin_nd_to_nz(dst.address(), src.data(), &plan);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &p)
{
    const uint64_t element = sizeof(T);
    const opkg::twin::FractalCopy plan{p.ndNum, p.nValue, p.dValue, sizeof(T), 16 * sizeof(T), 0,
                                       p.dstNdMatrixStride * element, p.dstDStride * element, element,
                                       p.srcNdMatrixStride * 256 * element, 16 * element, p.srcNStride * 16 * element};
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::nd_elements(plan)),
                     opkg_reads_some(src, opkg::twin::nz_elements(plan)));
    opkg_twin_nz_to_nd(dst.data(), src.address(), &plan, opkg::twin::DtypeOf<T>::value);
}

// From a vector core's buffer into L1, in NZ. The rows to move are those that the second parameters name.
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &rows,
                                   const Nd2NzParams &p)
{
    opkg::twin::FractalCopy plan = opkg::twin::fractal_copy(p, sizeof(T), false);
    plan.nd_row = (rows.blockLen + opkg::twin::kBlock - 1) / opkg::twin::kBlock * opkg::twin::kBlock +
                  static_cast<uint64_t>(rows.srcStride) * opkg::twin::kBlock;
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::nz_elements(plan)),
                     opkg_reads_some(src, opkg::twin::nd_elements(plan)));
    opkg_twin_nd_to_nz(dst.address(), src.address(), &plan);
}
template <typename T>
__aicore__ inline void DataCopyPad(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &rows,
                                   const Nd2NzParams &p)
{
    DataCopyPad(dst, src, DataCopyExtParams(rows.blockCount, rows.blockLen, rows.srcStride, rows.dstStride, 0), p);
}

template <typename T, uint8_t dim, const NdDmaConfig &config = kDefaultNdDmaConfig>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const MultiCopyParams<T, dim> &p)
{
    static_assert(opkg::twin::kWideChip || sizeof(T) == 0, "DataCopy with NdDmaParams is there on the Ascend950 only");
    opkg::twin::NdCopy plan{};
    plan.dims = dim;
    plan.element = sizeof(T);
    plan.nearest = config.isNearestValueMode;
    plan.value = opkg::twin::raw_bits(p.constantValue);
    for (uint32_t d = 0; d < dim; ++d) {
        plan.src_step[d] = p.loopInfo.loopSrcStride[d];
        plan.dst_step[d] = p.loopInfo.loopDstStride[d];
        plan.size[d] = p.loopInfo.loopSize[d];
        plan.left[d] = config.loopLpSize == NdDmaConfig::unsetPad ? p.loopInfo.loopLpSize[d] : config.loopLpSize;
        plan.right[d] = config.loopRpSize == NdDmaConfig::unsetPad ? p.loopInfo.loopRpSize[d] : config.loopRpSize;
    }
    OPKG_TWIN_ACCESS(PIPE_ALL, opkg_writes_some(dst, opkg::twin::nd_reach(plan, plan.dst_step, true)),
                     opkg_reads_some(src, opkg::twin::nd_reach(plan, plan.src_step, false)));
    opkg_twin_copy_nd(dst.address(), src.data(), &plan);
}
// Drops what the copies of several dimensions have cached; here they read global memory.
__aicore__ inline void NdDmaDci() {}

} // namespace AscendC

#endif // OPKG_TWIN_COPY_SHAPES_H
