// SPDX-License-Identifier: Apache-2.0
// What a tiling function works out for sorting, padding and transposing.
#ifndef OPKG_ADV_TILING_H
#define OPKG_ADV_TILING_H

#include <stdint.h>

// Each list is F(type, name) for every field, of which both the kernel's plain struct and the host's class are made.

#define OPKG_FIELDS_TOPK_TILING(F) \
    F(int32_t, tmpLocalSize) F(int32_t, allDataSize) F(int32_t, innerDataSize) F(uint32_t, sortRepeat) \
    F(int32_t, mrgSortRepeat) F(int32_t, kAlignFourBytes) F(int32_t, kAlignTwoBytes) F(int32_t, maskOffset) \
    F(int32_t, maskVreducev2FourBytes) F(int32_t, maskVreducev2TwoBytes) F(int32_t, mrgSortSrc1offset) \
    F(int32_t, mrgSortSrc2offset) F(int32_t, mrgSortSrc3offset) F(int32_t, mrgSortTwoQueueSrc1Offset) \
    F(int32_t, mrgFourQueueTailPara1) F(int32_t, mrgFourQueueTailPara2) F(int32_t, srcIndexOffset) \
    F(uint32_t, copyUbToUbBlockCount) F(int32_t, topkMrgSrc1MaskSizeOffset) F(int32_t, topkNSmallSrcIndexOffset) \
    F(uint32_t, vreduceValMask0) F(uint32_t, vreduceValMask1) F(uint32_t, vreduceIdxMask0) \
    F(uint32_t, vreduceIdxMask1) F(uint16_t, vreducehalfValMask0) F(uint16_t, vreducehalfValMask1) \
    F(uint16_t, vreducehalfValMask2) F(uint16_t, vreducehalfValMask3) F(uint16_t, vreducehalfValMask4) \
    F(uint16_t, vreducehalfValMask5) F(uint16_t, vreducehalfValMask6) F(uint16_t, vreducehalfValMask7)

#define OPKG_FIELDS_PAD_TILING(F) \
    F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, srcOriWidth) F(uint32_t, widthWithoutLastBlock) \
    F(uint32_t, blocksPerRow) F(uint32_t, heightTiling) F(uint32_t, heightFractal) \
    F(uint32_t, heightFractalTail) F(uint32_t, mainLoopOffset) F(uint32_t, tailBlockOffset) \
    F(uint32_t, tmpBuffer1BlockNum) F(uint32_t, tmpBuffer1RowNum) F(uint32_t, tmpBuffer2Offset) \
    F(uint32_t, widthTiling) F(uint32_t, widthFractal) F(uint32_t, widthFractalTail) \
    F(uint32_t, widthFractalTailAlingned) F(uint32_t, brcbTiling) F(uint32_t, brcbFractal) \
    F(uint32_t, brcbFractalTail) F(uint32_t, maxRepeatTimes) F(uint32_t, brcbTilingRepeatTimes) \
    F(uint32_t, brcbTilingRepeatTimesTail) F(uint32_t, brcbFractalTailRepeatTimes) \
    F(uint32_t, brcbFractalTailRepeatTimesTail) F(uint32_t, reserved)

#define OPKG_FIELDS_UN_PAD_TILING(F) \
    F(uint32_t, srcHeight) F(uint32_t, srcWidth) F(uint32_t, tmpBuffer1BlockNum) F(uint32_t, tmpBuffer1RowNum) \
    F(uint32_t, tmpBuffer2Offset) F(uint32_t, widthTiling) F(uint32_t, widthFractal) \
    F(uint32_t, widthFractalTail)

#define OPKG_FIELDS_CONFUSION_TRANSPOSE_TILING(F) \
    F(uint32_t, param0) F(uint32_t, param1) F(uint32_t, param2) F(uint32_t, param3) F(uint32_t, param4) \
    F(uint32_t, param5) F(uint32_t, param6) F(uint32_t, param7) F(uint32_t, param8) F(uint32_t, param9) \
    F(uint32_t, param10) F(uint32_t, param11) F(uint32_t, param12) F(uint32_t, param13) F(uint32_t, param14) \
    F(uint32_t, param15) F(uint32_t, param16) F(uint32_t, param17)

#define OPKG_ADV_LAYOUT_TILINGS(S) \
    S(TopkTiling, OPKG_FIELDS_TOPK_TILING) \
    S(PadTiling, OPKG_FIELDS_PAD_TILING) \
    S(UnPadTiling, OPKG_FIELDS_UN_PAD_TILING) \
    S(ConfusionTransposeTiling, OPKG_FIELDS_CONFUSION_TRANSPOSE_TILING)

namespace AscendC::tiling {

#define OPKG_TILING_FIELD(type, name) type name = 0;
#define OPKG_TILING_STRUCT(name, fields) \
    struct alignas(8) name { \
        fields(OPKG_TILING_FIELD) \
    };
OPKG_ADV_LAYOUT_TILINGS(OPKG_TILING_STRUCT)
#undef OPKG_TILING_STRUCT
#undef OPKG_TILING_FIELD

} // namespace AscendC::tiling

using namespace AscendC::tiling;

#endif // OPKG_ADV_TILING_H
