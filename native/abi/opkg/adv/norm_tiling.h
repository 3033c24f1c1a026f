// SPDX-License-Identifier: Apache-2.0
// What the host tells the softmax and normalisation functions of a kernel. The names and their order are the interface;
// what a field holds is between the two sides of this library.
#ifndef OPKG_ADV_NORM_TILING_H
#define OPKG_ADV_NORM_TILING_H

#include <stdint.h>

// Each list is F(type, name) for every field, of which both the kernel's plain struct and the host's class are made.

#define OPKG_FIELDS_SOFTMAX_TILING(F) \
    F(uint32_t, srcM) F(uint32_t, srcK) F(uint32_t, srcSize) F(uint32_t, outMaxM) F(uint32_t, outMaxK) \
    F(uint32_t, outMaxSize) F(uint32_t, splitM) F(uint32_t, splitK) F(uint32_t, splitSize) F(uint32_t, reduceM) \
    F(uint32_t, reduceK) F(uint32_t, reduceSize) F(uint32_t, rangeM) F(uint32_t, tailM) \
    F(uint32_t, tailSplitSize) F(uint32_t, tailReduceSize)

#define OPKG_FIELDS_LAYER_NORM_TILING(F) \
    F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength) \
    F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) F(uint32_t, meanTmpTensorPos) \
    F(uint32_t, meanTmpTensorSize) F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize) \
    F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) \
    F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) \
    F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) \
    F(uint32_t, meanVarTailPos) F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, lastDimValueBack)

#define OPKG_FIELDS_LAYER_NORM_SEPARATE_TILING(F) \
    F(uint32_t, aLength) F(uint32_t, rLength) F(uint32_t, halfAddRepeatTimes) F(uint32_t, rHeadLength) \
    F(float, k2Rec) F(float, k2RRec) F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) \
    F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize) F(uint32_t, tmpBufSize) \
    F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) \
    F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) \
    F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) \
    F(uint32_t, meanVarTailPos) F(uint32_t, arCurLength) F(uint32_t, aCurLength) F(float, rValueBack)

#define OPKG_FIELDS_LAYER_NORM_GRAD_TILING(F) \
    F(uint32_t, stackBufferSize) F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) \
    F(uint32_t, originalHLength) F(uint32_t, oneCalSize) F(uint32_t, nohCalSize) F(uint32_t, loopNum) \
    F(uint32_t, tailSize) F(uint32_t, nohTailSize) F(uint32_t, tmpTensorBSHPos) F(uint32_t, tmpTensorBSHSize) \
    F(uint32_t, pdVarTensorPos) F(uint32_t, pdVarTensorSize) F(uint32_t, pdMeanTensorPos) \
    F(uint32_t, pdMeanTensorSize) F(uint32_t, x1TensorPos) F(uint32_t, x1TensorSize) F(uint32_t, x2TensorPos) \
    F(uint32_t, x2TensorSize) F(uint32_t, x3TensorPos) F(uint32_t, x3TensorSize) F(uint32_t, tmpTensorPos) \
    F(uint32_t, tmpTensorSize) F(uint32_t, tmpTensor1Pos) F(uint32_t, tmpTensor1Size) F(uint32_t, tmpTensor2Pos) \
    F(uint32_t, tmpTensor2Size) F(uint32_t, lastDimValueBack) F(uint32_t, lastDimValueBackMulTwo)

#define OPKG_FIELDS_LAYER_NORM_GRAD_BETA_TILING(F) \
    F(uint32_t, stackBufferSize) F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) \
    F(uint32_t, originalHLength) F(uint32_t, bshLength) F(uint32_t, bsLength) F(uint32_t, oneCalSize) \
    F(uint32_t, numberOfTmpBuf) F(uint32_t, loopRound) F(uint32_t, inputTailSize) F(uint32_t, inputTailPos) \
    F(uint32_t, bsTailSize) F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(uint32_t, gammaTempTensorPos) \
    F(uint32_t, betaTempTensorPos) F(uint32_t, inputDyTmpTensorPos) F(uint32_t, resForGammaTmpTensorPos) \
    F(uint32_t, reserved)

#define OPKG_FIELDS_RMS_NORM_TILING(F) \
    F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength) \
    F(float, reciprocalOfHLength) F(uint32_t, mainBshLength) F(uint32_t, mainBsLength) \
    F(uint32_t, mainBsLengthAlign) F(uint32_t, loopRound) F(uint32_t, inputTailPos) F(uint32_t, tailBshLength) \
    F(uint32_t, tailBsLength)

#define OPKG_FIELDS_DEEP_NORM_TILING(F) \
    F(uint32_t, bLength) F(uint32_t, sLength) F(uint32_t, hLength) F(uint32_t, originalHLength) \
    F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) F(uint32_t, meanTmpTensorPos) \
    F(uint32_t, meanTmpTensorSize) F(uint32_t, varianceTmpTensorPos) F(uint32_t, varianceTmpTensorSize) \
    F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) \
    F(uint32_t, thirdTmpStartPos) F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) \
    F(uint32_t, inputTailPos) F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) \
    F(uint32_t, meanVarTailPos) F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, lastDimValueBack)

#define OPKG_FIELDS_BATCH_NORM_TILING(F) \
    F(uint32_t, originalBLength) F(uint32_t, meanVarSize) F(uint32_t, meanTmpTensorPos) \
    F(uint32_t, varianceTmpTensorPos) F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) \
    F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos) \
    F(uint32_t, loopRound) F(uint32_t, inputTailSize) F(uint32_t, inputTailPos) F(uint32_t, meanVarTailSize) \
    F(uint32_t, meanVarTailPos) F(uint32_t, bshCurLength) F(uint32_t, shCurLength) F(float, firstDimValueBack) \
    F(uint32_t, castHalfRepStride) F(uint32_t, shCurLengthBlockNum) F(uint32_t, castHalfOutRepStride)

#define OPKG_FIELDS_GROUP_NORM_TILING(F) \
    F(uint32_t, n) F(uint32_t, c) F(uint32_t, hw) F(uint32_t, g) F(uint32_t, d) F(uint32_t, hwAlignSize) \
    F(uint32_t, dhwAlignSize) F(uint32_t, inputXSize) F(uint32_t, meanVarSize) F(uint32_t, numberOfTmpBuf) \
    F(uint32_t, meanTmpTensorPos) F(uint32_t, meanTmpTensorSize) F(uint32_t, varianceTmpTensorPos) \
    F(uint32_t, varianceTmpTensorSize) F(uint32_t, tmpBufSize) F(uint32_t, oneTmpSize) \
    F(uint32_t, firstTmpStartPos) F(uint32_t, secondTmpStartPos) F(uint32_t, thirdTmpStartPos) \
    F(uint32_t, loopRound) F(uint32_t, inputRoundSize) F(uint32_t, inputTailSize) F(uint32_t, inputTailPos) \
    F(uint32_t, meanVarRoundSize) F(uint32_t, meanVarTailSize) F(uint32_t, meanVarTailPos) \
    F(uint32_t, bshCurLength) F(uint32_t, bsCurLength) F(float, factor) F(bool, smallShape)

#define OPKG_ADV_TILINGS(S) \
    S(SoftMaxTiling, OPKG_FIELDS_SOFTMAX_TILING) \
    S(LogSoftMaxTiling, OPKG_FIELDS_SOFTMAX_TILING) \
    S(LayerNormTiling, OPKG_FIELDS_LAYER_NORM_TILING) \
    S(LayerNormSeparateTiling, OPKG_FIELDS_LAYER_NORM_SEPARATE_TILING) \
    S(LayerNormGradTiling, OPKG_FIELDS_LAYER_NORM_GRAD_TILING) \
    S(LayerNormGradBetaTiling, OPKG_FIELDS_LAYER_NORM_GRAD_BETA_TILING) \
    S(RmsNormTiling, OPKG_FIELDS_RMS_NORM_TILING) \
    S(DeepNormTiling, OPKG_FIELDS_DEEP_NORM_TILING) \
    S(BatchNormTiling, OPKG_FIELDS_BATCH_NORM_TILING) \
    S(GroupNormTiling, OPKG_FIELDS_GROUP_NORM_TILING)

namespace AscendC::tiling {

#define OPKG_TILING_FIELD(type, name) type name = 0;
#define OPKG_TILING_STRUCT(name, fields) \
    struct alignas(8) name { \
        fields(OPKG_TILING_FIELD) \
    };
OPKG_ADV_TILINGS(OPKG_TILING_STRUCT)
#undef OPKG_TILING_STRUCT
#undef OPKG_TILING_FIELD

} // namespace AscendC::tiling


using namespace AscendC::tiling;

#endif // OPKG_ADV_NORM_TILING_H
