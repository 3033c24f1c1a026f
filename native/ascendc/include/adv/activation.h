// SPDX-License-Identifier: Apache-2.0
// Activation functions. Each computes in float and rounds its result once, whatever precision it is asked for.
#ifndef OPKG_ADV_ACTIVATION_H
#define OPKG_ADV_ACTIVATION_H

#include "adv/common.h"

namespace opkg::twin {

template <typename T>
inline void activate(ActivationKind kind, const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &a,
                     const AscendC::LocalTensor<T> &b, float scalar, uint32_t count)
{
    opkg_twin_activation(kind, DtypeOf<T>::value, dst.data(), a.data(), b.data(), scalar, count);
}

} // namespace opkg::twin

// Functions of one tensor and a count, with and without a buffer.
#define OPKG_ADV_GELU(Name, kind)                                                                                      \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                    \
    __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                        \
                                const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t dataSize)                  \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, opkg::twin::kFloats);                                                              \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, dataSize), opkg_reads(srcLocal, dataSize),                      \
                         opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));                       \
        opkg::twin::need_shared(#Name, sharedTmpBuffer);                                                               \
        opkg::twin::activate(opkg::twin::kind, dstLocal, srcLocal, srcLocal, 0.0f, dataSize);                          \
    }                                                                                                                  \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                    \
    __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                        \
                                const uint32_t dataSize)                                                               \
    {                                                                                                                  \
        Name<T>(dstLocal, srcLocal, opkg::twin::stack_buffer(), dataSize);                                             \
    }

// Gated units of two tensors: with a buffer or without, with a count or for the whole first source.
#define OPKG_ADV_GATED(Name, kind, supported)                                                                          \
    template <typename T, bool isReuseSource = false>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                     \
                                const LocalTensor<T> &srcTensor1, const LocalTensor<uint8_t> &sharedTmpBuffer,         \
                                uint32_t calCount)                                                                     \
    {                                                                                                                  \
        OPKG_TWIN_REQUIRE(#Name, T, supported);                                                                        \
        OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(srcTensor0, calCount),                   \
                         opkg_reads(srcTensor1, calCount),                                                             \
                         opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));                       \
        opkg::twin::need_shared(#Name, sharedTmpBuffer);                                                               \
        opkg::twin::activate(opkg::twin::kind, dstTensor, srcTensor0, srcTensor1, 0.0f, calCount);                     \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                     \
                                const LocalTensor<T> &srcTensor1, const LocalTensor<uint8_t> &sharedTmpBuffer)         \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, sharedTmpBuffer, srcTensor0.GetSize());              \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                     \
                                const LocalTensor<T> &srcTensor1, uint32_t calCount)                                   \
    {                                                                                                                  \
        Name<T>(dstTensor, srcTensor0, srcTensor1, opkg::twin::stack_buffer(), calCount);                              \
    }                                                                                                                  \
    template <typename T, bool isReuseSource = false>                                                                  \
    __aicore__ inline void Name(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,                     \
                                const LocalTensor<T> &srcTensor1)                                                      \
    {                                                                                                                  \
        Name<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, srcTensor0.GetSize());                               \
    }

namespace AscendC {

OPKG_ADV_GELU(Gelu, kGelu)
OPKG_ADV_GELU(FasterGelu, kFasterGelu)
OPKG_ADV_GELU(FasterGeluV2, kFasterGeluV2)

OPKG_ADV_GATED(GeGLU, kGeGlu, opkg::twin::kFloats)
OPKG_ADV_GATED(ReGlu, kReGlu, opkg::twin::kFloats | opkg::twin::dtypes(opkg::twin::kBF16))

template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                               const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("Sigmoid", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(srcTensor, calCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("Sigmoid", sharedTmpBuffer);
    opkg::twin::activate(opkg::twin::kSigmoid, dstTensor, srcTensor, srcTensor, 0.0f, calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,
                               const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    Sigmoid<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, const uint32_t calCount)
{
    Sigmoid<T, isReuseSource>(dstTensor, srcTensor, opkg::twin::stack_buffer(), calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Sigmoid(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor)
{
    Sigmoid<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void Swish(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize,
                             const T scalarValue)
{
    OPKG_TWIN_REQUIRE("Swish", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, dataSize), opkg_reads(srcLocal, dataSize));
    opkg::twin::activate(opkg::twin::kSwish, dstLocal, srcLocal, srcLocal, static_cast<float>(scalarValue), dataSize);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Silu(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal, uint32_t dataSize)
{
    OPKG_TWIN_REQUIRE("Silu", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstLocal, dataSize), opkg_reads(srcLocal, dataSize));
    opkg::twin::activate(opkg::twin::kSwish, dstLocal, srcLocal, srcLocal, 1.0f, dataSize);
}

template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue,
                              const LocalTensor<uint8_t> &sharedTmpBuffer, const uint32_t calCount)
{
    OPKG_TWIN_REQUIRE("SwiGLU", T, opkg::twin::kFloats);
    OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dstTensor, calCount), opkg_reads(srcTensor0, calCount),
                     opkg_reads(srcTensor1, calCount),
                     opkg_scratch(sharedTmpBuffer, opkg::twin::own_bytes(sharedTmpBuffer)));
    opkg::twin::need_shared("SwiGLU", sharedTmpBuffer);
    opkg::twin::activate(opkg::twin::kSwiGlu, dstTensor, srcTensor0, srcTensor1, scalarValue, calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue,
                              const LocalTensor<uint8_t> &sharedTmpBuffer)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, sharedTmpBuffer, srcTensor0.GetSize());
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue, const uint32_t calCount)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, opkg::twin::stack_buffer(), calCount);
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void SwiGLU(LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor0,
                              const LocalTensor<T> &srcTensor1, const float &scalarValue)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, srcTensor0.GetSize());
}

} // namespace AscendC

#undef OPKG_ADV_GELU
#undef OPKG_ADV_GATED

#endif // OPKG_ADV_ACTIVATION_H
