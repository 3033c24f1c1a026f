// SPDX-License-Identifier: Apache-2.0
// Temporary memory and tiling of softmax, normalisation, activation and quantization.
#ifndef OPKG_HOST_ADV_NORM_TILING_H
#define OPKG_HOST_ADV_NORM_TILING_H

#include "adv/host_support.h"
#include "adv/tiling_classes.h"

#define OPKG_ADV_API __attribute__((visibility("default")))

namespace AscendC {

// Softmax.
OPKG_ADV_API uint32_t GetSoftMaxMaxTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isReuseSource);
OPKG_ADV_API uint32_t GetSoftMaxMinTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isReuseSource);
OPKG_ADV_API void SoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                    tiling::SoftMaxTiling &softmaxTiling);
OPKG_ADV_API void SoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                    optiling::SoftMaxTiling &softmaxTiling);
OPKG_ADV_API uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isUpdate,
                                                bool isReuseSource);
OPKG_ADV_API uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isUpdate,
                                                bool isReuseSource);
OPKG_ADV_API void SoftMaxFlashTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                         tiling::SoftMaxTiling &softmaxFlashTiling, bool isUpdate = false);
OPKG_ADV_API void SoftMaxFlashTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                         optiling::SoftMaxTiling &softmaxFlashTiling, bool isUpdate = false);
OPKG_ADV_API uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize1,
                                                  uint32_t dataTypeSize2, bool isUpdate, bool isBasicBlock = false,
                                                  bool isFlashOutputBrc = false);
OPKG_ADV_API uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize1,
                                                  uint32_t dataTypeSize2, bool isUpdate, bool isBasicBlock = false,
                                                  bool isFlashOutputBrc = false);
OPKG_ADV_API void SoftMaxFlashV2TilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize1, uint32_t dataTypeSize2,
                                           uint32_t localWorkSpaceSize, tiling::SoftMaxTiling &softmaxFlashTiling,
                                           bool isUpdate, bool isBasicBlock = false, bool isFlashOutputBrc = false);
OPKG_ADV_API void SoftMaxFlashV2TilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize1, uint32_t dataTypeSize2,
                                           uint32_t localWorkSpaceSize, optiling::SoftMaxTiling &softmaxFlashTiling,
                                           bool isUpdate, bool isBasicBlock = false, bool isFlashOutputBrc = false);
OPKG_ADV_API void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize1,
                                                 uint32_t dataTypeSize2, uint32_t &maxValue, uint32_t &minValue,
                                                 bool isUpdate, bool isBasicBlock = false);
OPKG_ADV_API void SoftMaxFlashV3TilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize1, uint32_t dataTypeSize2,
                                           uint32_t localWorkSpaceSize, tiling::SoftMaxTiling &softmaxFlashV3Tiling,
                                           bool isUpdate, bool isBasicBlock = false);
OPKG_ADV_API void SoftMaxFlashV3TilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize1, uint32_t dataTypeSize2,
                                           uint32_t localWorkSpaceSize, optiling::SoftMaxTiling &softmaxFlashV3Tiling,
                                           bool isUpdate, bool isBasicBlock = false);
OPKG_ADV_API uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isFront,
                                               bool isReuseSource);
OPKG_ADV_API uint32_t GetSoftMaxGradMinTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isFront,
                                               bool isReuseSource);
OPKG_ADV_API void SoftMaxGradTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                        tiling::SoftMaxTiling &softmaxGradTiling, bool isFront = false);
OPKG_ADV_API void SoftMaxGradTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                        optiling::SoftMaxTiling &softmaxGradTiling, bool isFront = false);
OPKG_ADV_API uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isReuseSource);
OPKG_ADV_API uint32_t GetLogSoftMaxMinTmpSize(const TensorShape &srcShape, uint32_t dataTypeSize, bool isReuseSource);
OPKG_ADV_API void LogSoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                       tiling::LogSoftMaxTiling &softmaxTiling);
OPKG_ADV_API void LogSoftMaxTilingFunc(const TensorShape &srcShape, uint32_t dataTypeSize, uint32_t localWorkSpaceSize,
                                       optiling::LogSoftMaxTiling &softmaxTiling);
// Rows of 256 bytes to 2047 elements, a multiple of 64 of them; eight rows at a time.
OPKG_ADV_API bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling &tiling, uint32_t dataTypeSize = 2);
OPKG_ADV_API bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling &tiling, uint32_t dataTypeSize = 2);

// Activation.
OPKG_ADV_API uint32_t GetGeluMaxTmpSize(const TensorShape &srcShape, uint32_t typeSize);
OPKG_ADV_API uint32_t GetGeluMinTmpSize(const TensorShape &srcShape, uint32_t typeSize);
OPKG_ADV_API void GetGeluMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                       uint32_t &minValue);
OPKG_ADV_API void GetGeGLUMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                        uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetGeGLUTmpBufferFactorSize(uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf);
OPKG_ADV_API void GetReGluMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                        uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetSigmoidMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                          uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetSiluTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource, uint32_t &maxValue,
                                 uint32_t &minValue);
OPKG_ADV_API void GetSwishTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource, uint32_t &maxValue,
                                  uint32_t &minValue);
OPKG_ADV_API void GetSwiGLUMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                         uint32_t &minValue, bool isReuseSource);
OPKG_ADV_API void GetSwiGLUTmpBufferFactorSize(uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuffer);

// Normalisation. Shapes are [B, S, H] or [B, S, H, H before padding]; those of rows [A, R].
OPKG_ADV_API void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                            uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                            bool isComputeRstd, bool isOnlyOutput, uint32_t &maxValue,
                                            uint32_t &minValue);
OPKG_ADV_API void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                           bool isReuseSource, tiling::LayerNormTiling &tiling);
OPKG_ADV_API void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                           bool isReuseSource, optiling::LayerNormTiling &tiling);
OPKG_ADV_API void GetLayerNormNDTillingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                            bool isReuseSource, optiling::LayerNormTiling &tilling);
OPKG_ADV_API void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                           bool isReuseSource, bool isComputeRstd,
                                           tiling::LayerNormSeparateTiling &tiling);
OPKG_ADV_API void GetLayerNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                           bool isReuseSource, bool isComputeRstd,
                                           optiling::LayerNormSeparateTiling &tiling);
OPKG_ADV_API void GetLayerNormGradMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                                uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetLayerNormGradNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                               bool isReuseSource, tiling::LayerNormGradTiling &tiling);
OPKG_ADV_API void GetLayerNormGradNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                               bool isReuseSource, optiling::LayerNormGradTiling &tiling);
OPKG_ADV_API void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                                    uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetLayerNormGradBetaNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize,
                                                   uint32_t typeSize, bool isReuseSource,
                                                   tiling::LayerNormGradBetaTiling &tiling);
OPKG_ADV_API void GetLayerNormGradBetaNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize,
                                                   uint32_t typeSize, bool isReuseSource,
                                                   optiling::LayerNormGradBetaTiling &tiling);
OPKG_ADV_API void GetNormalizeMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSizeU, uint32_t typeSizeT,
                                            bool isReuseSource, bool isComputeRstd, bool isOnlyOutput,
                                            uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API bool GetRmsNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                          uint32_t &minValue, bool isBasicBlock = false);
OPKG_ADV_API bool GetRmsNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                       uint32_t stackBufferByteSize, uint32_t typeSize, tiling::RmsNormTiling &tiling,
                                       bool isBasicBlock = false);
OPKG_ADV_API bool GetRmsNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                       uint32_t stackBufferByteSize, uint32_t typeSize, optiling::RmsNormTiling &tiling,
                                       bool isBasicBlock = false);
OPKG_ADV_API bool GetDeepNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                           bool isBasicBlock, uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API bool GetDeepNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                        uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                                        bool isBasicBlock, tiling::DeepNormTiling &tiling);
OPKG_ADV_API bool GetDeepNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                        uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                                        bool isBasicBlock, optiling::DeepNormTiling &tiling);
OPKG_ADV_API bool GetBatchNormMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                            uint32_t typeSize, bool isReuseSource, uint32_t &maxValue,
                                            uint32_t &minValue, bool isBasicBlock = false);
OPKG_ADV_API bool GetBatchNormNDTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                           uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                                           tiling::BatchNormTiling &tilling, bool isBasicBlock = false);
OPKG_ADV_API bool GetBatchNormNDTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,
                                           uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                                           optiling::BatchNormTiling &tilling, bool isBasicBlock = false);
OPKG_ADV_API void GetGroupNormMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                            uint32_t groupNum, uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetGroupNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                           bool isReuseSource, uint32_t groupNum, tiling::GroupNormTiling &tiling);
OPKG_ADV_API void GetGroupNormNDTilingInfo(const TensorShape &srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                                           bool isReuseSource, uint32_t groupNum, optiling::GroupNormTiling &tiling);
OPKG_ADV_API void GetWelfordUpdateMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSizeT, uint32_t typeSizeU,
                                                bool isReuseSource, bool isInplace, uint32_t &maxValue,
                                                uint32_t &minValue);
OPKG_ADV_API void GetWelfordFinalizeMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, bool isReuseSource,
                                                  uint32_t &maxValue, uint32_t &minValue);

// Quantization.
OPKG_ADV_API void GetAscendQuantMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                              uint32_t &minValue);
OPKG_ADV_API void GetAscendQuantTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf);
OPKG_ADV_API void GetAscendDequantMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                                uint32_t &minValue);
OPKG_ADV_API void GetAscendDequantTmpBufferFactorSize(const TensorShape &srcShape, uint32_t &maxLiveNodeCount,
                                                      uint32_t &extraBuf);
OPKG_ADV_API uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                                   bool isTranspose, TensorDataType inputDataType,
                                                   TensorDataType outputDataType);
OPKG_ADV_API uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                                   bool isTranspose, TensorDataType inputDataType,
                                                   TensorDataType outputDataType);
OPKG_ADV_API void GetAscendAntiQuantMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                                  bool isTranspose, TensorDataType inputDataType,
                                                  TensorDataType outputDataType, uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                                        bool isTranspose, TensorDataType inputDataType,
                                                        TensorDataType outputDataType, uint32_t &maxLiveNodeCount,
                                                        uint32_t &extraBuf);
OPKG_ADV_API void GetQuantizeMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                           uint32_t &minValue);
OPKG_ADV_API void GetQuantizeTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf);
OPKG_ADV_API void GetDequantizeMaxMinTmpSize(const TensorShape &srcShape, uint32_t typeSize, uint32_t &maxValue,
                                             uint32_t &minValue);
OPKG_ADV_API void GetDequantizeTmpBufferFactorSize(const TensorShape &srcShape, uint32_t &maxLiveNodeCnt,
                                                   uint32_t &extraBuf);
OPKG_ADV_API void GetAntiQuantizeMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                               bool isTranspose, TensorDataType inputDataType,
                                               TensorDataType outputDataType, uint32_t &maxValue, uint32_t &minValue);
OPKG_ADV_API void GetAntiQuantizeTmpBufferFactorSize(const TensorShape &srcShape, const TensorShape &scaleShape,
                                                     TensorDataType inputDataType, TensorDataType outputDataType,
                                                     uint32_t &maxLiveNodeCount, uint32_t &extraBuf);

} // namespace AscendC

#undef OPKG_ADV_API

#endif // OPKG_HOST_ADV_NORM_TILING_H
