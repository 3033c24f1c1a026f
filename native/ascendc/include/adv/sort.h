// SPDX-License-Identifier: Apache-2.0
// The first k of each row, and sorting by a configuration.
#ifndef OPKG_ADV_SORT_H
#define OPKG_ADV_SORT_H

#include "adv/support.h"
#include "opkg/adv/tiling.h"
#include "opkg/adv/types.h"
#include "twin/sort.h"

namespace opkg::twin {

inline constexpr uint32_t kTopped = on_chip(kFloats, kAnyInteger | dtypes(kBF16));
inline constexpr uint32_t kOrdered = on_chip(0, kAnyInteger | kFloats | dtypes(kBF16));

struct TopkPlan {
    uint32_t dtype;
    uint32_t rows;
    uint32_t inner;      // elements of a row that are looked at
    uint32_t k;
    uint32_t largest;
    uint32_t in_order;   // 0: what is beyond the k-th value first, then what equals it, each as it stood
    uint32_t value_step; // from row to row of the results
    uint32_t index_step;
    uint32_t source_index_step;  // 0: all rows have the same indices
    const int32_t *source_index; // NULL: counted from 0
    const uint8_t *finished;     // NULL: none; a row that is gets `invalid` as its indices
    int32_t invalid;
};

} // namespace opkg::twin

extern "C" {
// Equal values keep their order; NaNs come first, whichever way.
OPKG_TWIN_API void opkg_twin_topk(void *dst, int32_t *dst_index, const void *src, const opkg::twin::TopkPlan *plan);
// Indices (may be NULL) of index_bytes each; source_index NULL: counted from 0. by_bits: -0 before 0 and NaNs by their
// sign at the ends, else as numbers.
OPKG_TWIN_API void opkg_twin_sort_values(uint32_t dtype, void *dst, void *dst_index, const void *src,
                                         const void *source_index, uint32_t index_bytes, uint32_t count,
                                         uint32_t descending, uint32_t by_bits);
} // extern "C"

namespace AscendC {

struct TopKInfo {
    int32_t outter = 1;
    int32_t inner;
    int32_t n;
};

} // namespace AscendC

namespace opkg::twin {

template <typename T, bool init_index, bool has_finish, AscendC::TopKMode mode>
inline TopkPlan topk_plan(const AscendC::LocalTensor<int32_t> &source_index, const AscendC::LocalTensor<bool> &finish,
                          int32_t k, const AscendC::TopKInfo &info, bool largest, bool in_order)
{
    constexpr bool small = mode == AscendC::TopKMode::TOPK_NSMALL;
    if (small && has_finish) {
        opkg_twin_fail("TopK: the small mode knows no finished rows");
    }
    if (info.inner % 32 != 0 || (small && info.inner != 32) || (!small && !kWideChip && info.inner > 4096)) {
        opkg_twin_fail("TopK: rows of %d elements; they must be a multiple of 32%s", info.inner,
                       small ? ", in the small mode 32" : " and at most 4096");
    }
    if (k < 1 || k > info.n || info.n > info.inner) {
        opkg_twin_fail("TopK: k = %d of %d elements in rows of %d", k, info.n, info.inner);
    }
    const uint32_t count = static_cast<uint32_t>(k), inner = static_cast<uint32_t>(info.inner);
    constexpr uint32_t block = 32 / sizeof(T);
    return {DtypeOf<T>::value,
            static_cast<uint32_t>(info.outter),
            inner,
            count,
            largest,
            in_order,
            small ? count : (count + block - 1) / block * block,
            small ? count : (count + 7) / 8 * 8,
            small ? inner : 0,
            init_index ? reinterpret_cast<const int32_t *>(source_index.place()) : nullptr,
            has_finish ? finish.place() : nullptr,
            info.n};
}

} // namespace opkg::twin

namespace AscendC {

template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig>
__aicore__ inline void TopK(const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,
                            const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,
                            const LocalTensor<bool> &finishLocal, const int32_t k, const AscendC::tiling::TopkTiling &,
                            const TopKInfo &topKInfo, const bool isLargest = true)
{
    OPKG_TWIN_REQUIRE("TopK", T, opkg::twin::kTopped);
    static_assert(config.algo == TopKAlgo::RADIX_SELECT || opkg::twin::has_dtype<T>(opkg::twin::kFloats),
                  "TopK sorts half and float; other types need TopKAlgo::RADIX_SELECT");
    const bool largest = config.order == TopKOrder::UNSET ? isLargest : config.order == TopKOrder::LARGEST;
    const opkg::twin::TopkPlan plan = opkg::twin::topk_plan<T, isInitIndex, isHasfinish, topkMode>(
        srcIndexLocal, finishLocal, k, topKInfo, largest, config.sorted);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_rows(dstValueLocal, plan.rows, plan.k * sizeof(T), plan.value_step * sizeof(T)),
                     opkg_writes_rows(dstIndexLocal, plan.rows, plan.k * 4, plan.index_step * 4),
                     opkg_reads(srcLocal, static_cast<uint64_t>(plan.rows) * plan.inner),
                     opkg_reads(srcIndexLocal, isInitIndex ? (plan.source_index_step == 0 ? 1 : plan.rows) * plan.inner : 0),
                     opkg_reads(finishLocal, isHasfinish ? plan.rows : 0));
    opkg_twin_topk(dstValueLocal.data(), dstIndexLocal.data(), srcLocal.data(), &plan);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig &config = defaultTopKConfig>
__aicore__ inline void TopK(const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,
                            const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,
                            const LocalTensor<bool> &finishLocal, const LocalTensor<uint8_t> &tmpLocal, const int32_t k,
                            const AscendC::tiling::TopkTiling &tilling, const TopKInfo &topKInfo,
                            const bool isLargest = true)
{
    opkg::twin::need_shared("TopK", tmpLocal);
    TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode, config>(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal,
                                                                    finishLocal, k, tilling, topKInfo, isLargest);
}

} // namespace AscendC

namespace opkg::twin {

template <typename T>
inline void sort_values(const AscendC::LocalTensor<T> &dst, void *dst_index, const AscendC::LocalTensor<T> &src,
                        const void *src_index, uint32_t index_bytes, uint32_t count, const AscendC::SortConfig &config)
{
    const bool merges = config.type == AscendC::SortType::MERGE_SORT;
    if (merges && count % 32 != 0) {
        opkg_twin_fail("Sort: SortType::MERGE_SORT takes a multiple of 32 elements, not %u", count);
    }
    opkg_twin_sort_values(DtypeOf<T>::value, dst.data(), dst_index, src.data(), src_index, index_bytes, count,
                          config.isDescend, !merges);
}

} // namespace opkg::twin

namespace AscendC {

// Sorts values: alone, with their positions, or with indices that go with them.
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
__aicore__ inline void Sort(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("Sort of values", T, opkg::twin::kOrdered);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(srcTensor, calCount));
    opkg::twin::sort_values(dstTensor, nullptr, srcTensor, nullptr, 4, calCount, config);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
__aicore__ inline void Sort(LocalTensor<T> &dstTensor, LocalTensor<uint32_t> &dstIndexTensor,
                            const LocalTensor<T> &srcTensor, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("Sort of values", T, opkg::twin::kOrdered);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_writes(dstIndexTensor, calCount),
                     opkg_reads(srcTensor, calCount));
    opkg::twin::sort_values(dstTensor, dstIndexTensor.data(), srcTensor, nullptr, 4, calCount, config);
}
template <typename T, typename U, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
__aicore__ inline void Sort(const LocalTensor<T> &dstTensor, const LocalTensor<U> &dstIndexTensor,
                            const LocalTensor<T> &srcTensor, const LocalTensor<U> &srcIndexTensor, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("Sort of values", T, opkg::twin::kOrdered);
    static_assert(sizeof(U) >= 4, "Sort takes indices of 32 or 64 bits");
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_writes(dstIndexTensor, calCount),
                     opkg_reads(srcTensor, calCount), opkg_reads(srcIndexTensor, calCount));
    opkg::twin::sort_values(dstTensor, dstIndexTensor.data(), srcTensor, srcIndexTensor.data(), sizeof(U), calCount,
                            config);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
__aicore__ inline void Sort(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &,
                            const uint32_t calCount)
{
    Sort<T, isReuseSource, config>(dstTensor, srcTensor, calCount);
}
template <typename T, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
__aicore__ inline void Sort(LocalTensor<T> &dstTensor, LocalTensor<uint32_t> &dstIndexTensor,
                            const LocalTensor<T> &srcTensor, const LocalTensor<uint8_t> &, const uint32_t calCount)
{
    Sort<T, isReuseSource, config>(dstTensor, dstIndexTensor, srcTensor, calCount);
}
template <typename T, typename U, bool isReuseSource = false, const SortConfig &config = DEFAULT_SORT_CONFIG>
__aicore__ inline void Sort(LocalTensor<T> &dstTensor, LocalTensor<U> &dstIndexTensor, const LocalTensor<T> &srcTensor,
                            const LocalTensor<U> &srcIndexTensor, const LocalTensor<uint8_t> &, const uint32_t calCount)
{
    Sort<T, U, isReuseSource, config>(dstTensor, dstIndexTensor, srcTensor, srcIndexTensor, calCount);
}

} // namespace AscendC

#endif // OPKG_ADV_SORT_H
