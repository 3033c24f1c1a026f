// SPDX-License-Identifier: Apache-2.0
// Sorting by score: pairs of a score and an index, or region proposals on the chips that have those, and merging of
// sorted queues.
#ifndef OPKG_TWIN_SORT_H
#define OPKG_TWIN_SORT_H

#include "twin/support.h"

namespace opkg::twin {

// The chips of the 310P and 910 families sort region proposals: x1, y1, x2, y2, score, label and two numbers to spare.
inline constexpr bool kSortsProposals = __NPU_ARCH__ == 2002 || __NPU_ARCH__ == 1001;
inline constexpr uint32_t kSorted = __NPU_ARCH__ == 1001 ? dtypes(kF16) : kFloats;
inline constexpr uint32_t kPairSorted = kSortsProposals ? 0 : kFloats;
inline constexpr uint32_t kProposalSorted = kSortsProposals ? kSorted : 0;

inline constexpr uint32_t kPair = 8;         // bytes of a score and its index
inline constexpr uint32_t kPairIndex = 4;    // where the index stands
inline constexpr uint32_t kScore = 4;        // places in a proposal
inline constexpr uint32_t kProposalIndex = 6; // an index of 32 bits lies in what is to spare

// Bytes of what is sorted for each score of type T.
template <typename T>
inline constexpr uint32_t sorted_bytes = kSortsProposals ? 8 * sizeof(T) : kPair;

} // namespace opkg::twin

namespace AscendC {

struct MrgSort4Info {
    MrgSort4Info() = default;
    MrgSort4Info(const uint16_t lengths[MRG_SORT_ELEMENT_LEN], const bool suspend, const uint16_t valid,
                 const uint16_t repeats)
        : ifExhaustedSuspension(suspend), validBit(valid), repeatTimes(static_cast<uint8_t>(repeats))
    {
        for (int32_t i = 0; i < MRG_SORT_ELEMENT_LEN; ++i) {
            elementLengths[i] = lengths[i];
        }
    }
    uint16_t elementLengths[MRG_SORT_ELEMENT_LEN] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

template <typename T>
struct MrgSortSrcList {
    MrgSortSrcList() = default;
    MrgSortSrcList(const LocalTensor<T> &first, const LocalTensor<T> &second, const LocalTensor<T> &third,
                   const LocalTensor<T> &fourth)
        : src1(first), src2(second), src3(third), src4(fourth)
    {
    }
    LocalTensor<T> src1;
    LocalTensor<T> src2;
    LocalTensor<T> src3;
    LocalTensor<T> src4;
};

} // namespace AscendC

namespace opkg::twin {

template <typename T>
inline void merge([[maybe_unused]] const char *name, const AscendC::LocalTensor<T> &dst,
                  const AscendC::MrgSortSrcList<T> &list, const AscendC::MrgSort4Info &info)
{
    MergePlan plan{{},
                   {},
                   info.validBit == 15 ? 4u : info.validBit == 7 ? 3u : 2u,
                   info.repeatTimes,
                   info.ifExhaustedSuspension,
                   sorted_bytes<T>,
                   kSortsProposals ? kScore * static_cast<uint32_t>(sizeof(T)) : 0u,
                   DtypeOf<T>::value};
    for (uint32_t i = 0; i < 4; ++i) {
        plan.length[i] = info.elementLengths[i];
    }
    [[maybe_unused]] const uint32_t repeats = plan.queues == 4 && !plan.suspend ? plan.repeat : plan.repeat > 0 ? 1 : 0;
    [[maybe_unused]] const auto bytes = [&](uint32_t q) { return q < plan.queues ? plan.length[q] * plan.entry : 0u; };
    OPKG_TWIN_ACCESS_OF(name, PIPE_V, opkg_reads_bytes(list.src1, bytes(0)), opkg_reads_bytes(list.src2, bytes(1)),
                        opkg_reads_bytes(list.src3, bytes(2)), opkg_reads_bytes(list.src4, bytes(3)),
                        opkg_writes_some(dst, elements_in<T>((bytes(0) + bytes(1) + bytes(2) + bytes(3)) * repeats)));
    const AscendC::LocalTensor<T> *const sources[] = {&list.src1, &list.src2, &list.src3, &list.src4};
    for (uint32_t i = 0; i < 4; ++i) {
        plan.src[i] = sources[i]->data();
    }
    opkg_twin_merge(dst.data(), &plan);
}

} // namespace opkg::twin

namespace AscendC {

// Each repeat sorts 32 scores into pairs of a score and its index.
template <typename T>
__aicore__ inline void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
                              const int32_t repeatTime)
{
    OPKG_TWIN_REQUIRE("Sort32", T, opkg::twin::kPairSorted);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_bytes(dst, 256u * repeatTime), opkg_reads(src0, 32u * repeatTime),
                     opkg_reads(src1, 32u * repeatTime));
    opkg_twin_sort(dst.data(), src0.data(), src1.data(), opkg::twin::DtypeOf<T>::value, 32,
                   static_cast<uint32_t>(repeatTime));
}
template <typename T>
__aicore__ inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
    OPKG_TWIN_REQUIRE("MrgSort", T, opkg::twin::kSorted);
    opkg::twin::merge("MrgSort", dst, src, params);
}
template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList,
                               const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                               const int32_t repeatTime)
{
    OPKG_TWIN_REQUIRE("MrgSort", T, opkg::twin::kSorted);
    opkg::twin::merge("MrgSort", dst, sortList,
                      MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeatTime)));
    for (uint32_t i = 0; isExhaustedSuspension && i < 4; ++i) {
        sortedNum[i] = opkg_twin_core->merged[i];
    }
}

// How many entries of each queue the last merge took, where it was to stop at the end of a queue.
__aicore__ inline void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2, uint16_t &mrgSortList3,
                                        uint16_t &mrgSortList4)
{
    const uint32_t *merged = opkg_twin_core->merged;
    mrgSortList1 = static_cast<uint16_t>(merged[0]);
    mrgSortList2 = static_cast<uint16_t>(merged[1]);
    mrgSortList3 = static_cast<uint16_t>(merged[2]);
    mrgSortList4 = static_cast<uint16_t>(merged[3]);
}

// Region proposals, sixteen a repeat. modeNumber is the place in a proposal: 0 to 3 the corners, 4 the score, 5 the label.
template <typename T>
__aicore__ inline void ProposalConcat(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                      const int32_t modeNumber)
{
    OPKG_TWIN_REQUIRE("ProposalConcat", T, opkg::twin::kProposalSorted);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_some(dst, 128u * repeatTime), opkg_reads(src, 16u * repeatTime));
    opkg_twin_copy_apart(dst.data() + modeNumber, 8 * sizeof(T), src.data(), sizeof(T), sizeof(T),
                         16u * static_cast<uint32_t>(repeatTime));
}
template <typename T>
__aicore__ inline void ProposalExtract(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime,
                                       const int32_t modeNumber)
{
    OPKG_TWIN_REQUIRE("ProposalExtract", T, opkg::twin::kProposalSorted);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, 16u * repeatTime), opkg_reads_some(src, 128u * repeatTime));
    opkg_twin_copy_apart(dst.data(), sizeof(T), src.data() + modeNumber, 8 * sizeof(T), sizeof(T),
                         16u * static_cast<uint32_t>(repeatTime));
}
template <typename T>
__aicore__ inline void RpSort16(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeatTime)
{
    OPKG_TWIN_REQUIRE("RpSort16", T, opkg::twin::kProposalSorted);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, 128u * repeatTime), opkg_reads_some(src, 128u * repeatTime));
    opkg_twin_sort_proposals(dst.data(), src.data(), opkg::twin::DtypeOf<T>::value, 16,
                             static_cast<uint32_t>(repeatTime));
}
template <typename T>
__aicore__ inline void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params)
{
    OPKG_TWIN_REQUIRE("MrgSort4", T, opkg::twin::kProposalSorted);
    opkg::twin::merge("MrgSort4", dst, src, params);
}

// Prepares scores for Sort: as they are, or as the scores of proposals, sixteen a repeat.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                              const int32_t repeatTime)
{
    OPKG_TWIN_REQUIRE("Concat", T, opkg::twin::kFloats);
    if (!opkg::twin::kSortsProposals) {
        concat = src;
        return;
    }
    concat = tmp;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_some(concat, 128u * repeatTime), opkg_reads(src, 16u * repeatTime));
    opkg_twin_copy_apart(concat.data() + opkg::twin::kScore, 8 * sizeof(T), src.data(), sizeof(T), sizeof(T),
                         16u * static_cast<uint32_t>(repeatTime));
}
// Sorts what Concat has prepared: each repeat by itself, or with isFullSort all of them together.
template <typename T, bool isFullSort>
__aicore__ inline void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat,
                            const LocalTensor<uint32_t> &index, [[maybe_unused]] LocalTensor<T> &tmp,
                            const int32_t repeatTime)
{
    OPKG_TWIN_REQUIRE("Sort", T, opkg::twin::kFloats);
    constexpr uint32_t per_repeat = opkg::twin::kSortsProposals ? 16 : 32;
    const uint32_t repeats = static_cast<uint32_t>(repeatTime);
    const uint32_t group = isFullSort ? per_repeat * repeats : per_repeat;
    const uint32_t groups = isFullSort ? 1 : repeats;
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes_bytes(dst, opkg::twin::sorted_bytes<T> * per_repeat * repeats),
                     opkg_reads_some(concat, (opkg::twin::kSortsProposals ? 8 : 1) * per_repeat * repeats),
                     opkg_reads(index, per_repeat * repeats), opkg_scratch(tmp));
    if (!opkg::twin::kSortsProposals) {
        opkg_twin_sort(dst.data(), concat.data(), index.data(), opkg::twin::DtypeOf<T>::value, group, groups);
        return;
    }
    opkg_twin_copy_apart(concat.data() + opkg::twin::kProposalIndex, 8 * sizeof(T), index.data(), 4, 4,
                         per_repeat * repeats);
    opkg_twin_sort_proposals(dst.data(), concat.data(), opkg::twin::DtypeOf<T>::value, group, groups);
}
// Takes the result of Sort apart: 32 pairs a repeat, or 16 proposals.
template <typename T>
__aicore__ inline void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
                               const LocalTensor<T> &sorted, const int32_t repeatTime)
{
    OPKG_TWIN_REQUIRE("Extract", T, opkg::twin::kFloats);
    constexpr uint32_t step = opkg::twin::sorted_bytes<T>;
    constexpr bool proposals = opkg::twin::kSortsProposals;
    const uint32_t count = (proposals ? 16u : 32u) * static_cast<uint32_t>(repeatTime);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstValue, count), opkg_writes(dstIndex, count),
                     opkg_reads_bytes(sorted, step * count));
    const uint8_t *from = reinterpret_cast<const uint8_t *>(sorted.data());
    opkg_twin_copy_apart(dstValue.data(), sizeof(T), from + (proposals ? opkg::twin::kScore * sizeof(T) : 0), step,
                         sizeof(T), count);
    opkg_twin_copy_apart(dstIndex.data(), 4,
                         from + (proposals ? opkg::twin::kProposalIndex * sizeof(T) : opkg::twin::kPairIndex), step, 4,
                         count);
}

// Where the sorted entry of an element begins, and how long so many of them are, in elements of type T.
template <typename T>
__aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset)
{
    return elemOffset * opkg::twin::sorted_bytes<T> / static_cast<uint32_t>(sizeof(T));
}
template <typename T>
__aicore__ inline uint32_t GetSortLen(const uint32_t elemCount)
{
    return GetSortOffset<T>(elemCount);
}

} // namespace AscendC

#endif // OPKG_TWIN_SORT_H
