// SPDX-License-Identifier: Apache-2.0
// Families of instructions that the twin lacks. The compiler says so in one sentence, however much of one a kernel uses:
// names and parameters are declared, and every function leads to the same assertion.
#ifndef OPKG_TWIN_ABSENT_H
#define OPKG_TWIN_ABSENT_H

#include "twin/tensor.h"

#define OPKG_TWIN_NO_REG "the twin has no Reg instructions (vector registers); kernels that use them need a device"
#define OPKG_TWIN_NO_SIMT "the twin has no SIMT instructions (threads); kernels that use them need a device"

namespace opkg::twin {

template <typename>
inline constexpr bool is_there = false;

#define OPKG_TWIN_ABSENT_FAMILY(Family, sentence)                                                                      \
    template <typename T>                                                                                              \
    struct Family {                                                                                                    \
        static_assert(is_there<T>, sentence);                                                                          \
        static constexpr bool said = true;                                                                             \
    };
OPKG_TWIN_ABSENT_FAMILY(CubeInstructions, "the twin has no cube instructions (Mmad, LoadData, Fixpipe ...); the Matmul "
                                          "object makes products of matrices, or use a device")
OPKG_TWIN_ABSENT_FAMILY(CubeGroups, "the twin has no groups of cube cores (CubeResGroupHandle); kernels that use them "
                                    "need a device")
OPKG_TWIN_ABSENT_FAMILY(RegInstructions, OPKG_TWIN_NO_REG)
OPKG_TWIN_ABSENT_FAMILY(SimtInstructions, OPKG_TWIN_NO_SIMT)
OPKG_TWIN_ABSENT_FAMILY(TensorTraits, "the twin has no TensorTrait; its tensors are of plain types")
OPKG_TWIN_ABSENT_FAMILY(ComplexNumbers, "the twin has no complex numbers (complex32, complex64)")
OPKG_TWIN_ABSENT_FAMILY(WatchedMemory, "the twin has no registers that watch memory (CheckLocalMemoryIA); the check build finds "
                                       "what reads and writes outside of its tensors")
#undef OPKG_TWIN_ABSENT_FAMILY

// void, but not before it is known what a template's arguments are.
template <typename...>
struct Late {
    using type = void;
};
template <typename... T>
using LateVoid = typename Late<T...>::type;

// Parameters take whatever a kernel gives them.
template <typename Fields>
struct AbsentParameters : Fields {
    template <typename... Values>
    constexpr AbsentParameters(const Values &...) : Fields()
    {
    }
};

template <typename T>
inline constexpr bool are_absent_parameters = false;
template <typename Fields>
inline constexpr bool are_absent_parameters<AbsentParameters<Fields>> = true;

// Whether the last argument of a call is one of the parameters here: functions of a kernel's own may have the same name.
template <typename... All>
constexpr bool ends_with_parameters()
{
    constexpr bool which[] = {false, are_absent_parameters<std::decay_t<All>>...};
    return which[sizeof...(All)];
}
template <typename... All>
using IfParameters = std::enable_if_t<ends_with_parameters<All...>()>;

} // namespace opkg::twin

// A function with types for template arguments, or none.
#define OPKG_TWIN_ABSENT_FUNCTION(Name, Family)                                                                        \
    template <typename... Types, typename... All>                                                                      \
    void Name(All &&...)                                                                                               \
    {                                                                                                                  \
        static_assert(opkg::twin::Family<opkg::twin::LateVoid<All...>>::said);                                         \
    }
// The same with parameters behind its tensors.
#define OPKG_TWIN_ABSENT_CALL(Name, Family)                                                                            \
    template <typename... Types, typename... All, typename = opkg::twin::IfParameters<All...>>                         \
    void Name(All &&...)                                                                                               \
    {                                                                                                                  \
        static_assert(opkg::twin::Family<opkg::twin::LateVoid<All...>>::said);                                         \
    }
// One that also takes a constant behind one or two types.
#define OPKG_TWIN_ABSENT_WITH_CONSTANT(Name, Family)                                                                   \
    OPKG_TWIN_ABSENT_CALL(Name, Family)                                                                                \
    template <typename T, const auto &, typename... All>                                                               \
    void Name(All &&...)                                                                                               \
    {                                                                                                                  \
        static_assert(opkg::twin::Family<opkg::twin::LateVoid<T>>::said);                                              \
    }                                                                                                                  \
    template <typename T, typename U, const auto &, typename... All>                                                   \
    void Name(All &&...)                                                                                               \
    {                                                                                                                  \
        static_assert(opkg::twin::Family<opkg::twin::LateVoid<T, U>>::said);                                           \
    }

// Markers of functions; the compiler of Ascend C programs looks for them itself.
#ifndef OPKG_ASC_LANGUAGE
#define OPKG_TWIN_PRAGMA(text) _Pragma(#text)
#define OPKG_TWIN_ERROR(sentence) OPKG_TWIN_PRAGMA(GCC error sentence)
#define __simd_vf__ OPKG_TWIN_ERROR(OPKG_TWIN_NO_REG)
#define __simd_callee__ OPKG_TWIN_ERROR(OPKG_TWIN_NO_REG)
#define __simt_vf__ OPKG_TWIN_ERROR(OPKG_TWIN_NO_SIMT)
#define __simt_callee__ OPKG_TWIN_ERROR(OPKG_TWIN_NO_SIMT)
#endif

enum QuantMode_t {
    NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8, QF322FP8_PRE, VQF322FP8_PRE,
    QF322HIF8_PRE, VQF322HIF8_PRE, QF322HIF8_PRE_HYBRID, VQF322HIF8_PRE_HYBRID, QS322BF16_PRE, VQS322BF16_PRE,
    QF322F16_PRE, VQF322F16_PRE, QF322BF16_PRE, VQF322BF16_PRE, QF322F32_PRE, VQF322F32_PRE
};

namespace opkg::twin {

struct MmadFields {
    uint16_t m, n, k;
    bool cmatrixInitVal, cmatrixSource, isBias, disableGemv, kDirectionAlign, enSsparse, enWinogradA, enWinogradB;
    uint8_t unitFlag;
    int32_t fmOffset;
};
struct LoadFields {
    uint32_t startIndex, repeatTimes, srcStride, dstStride, dstGap, srcFracGap, dstFracGap, sid, mStartPosition,
        kStartPosition, mStep, kStep, xStartPosition, yStartPosition, xStep, yStep, repeatTime, repeatStride, repeatMode;
    bool ifTranspose, addrMode;
};
struct ImageFields {
    uint8_t padList[4];
    uint32_t l1H, l1W, c1Index, fetchFilterW, fetchFilterH, channelSize, kExtension, mExtension, kStartPt, mStartPt, strideW,
        strideH, filterW, filterH, dilationFilterW, dilationFilterH, jumpStride, repeatMode, repeatTime, cSize;
    int32_t leftTopW, leftTopH;
    bool enTranspose, enSmallK, filterSizeW, filterSizeH, fMatrixCtrl;
    float padValue;
    uint64_t extConfig, filterConfig;
};
struct InitFields {
    uint32_t repeatTimes, blockNum, dstGap;
    float initValue;
};
struct RowFields {
    uint32_t ndNum, srcNdStride, dstNdStride, dnNum, srcNzMatrixStride, dstDnMatrixStride, srcNzC0Stride;
};
struct FixpipeFields : RowFields {
    uint32_t nSize, mSize, srcStride, dstStride;
    QuantMode_t quantPre;
    uint64_t deqScalar;
    bool reluEn, isChannelSplit;
    uint8_t unitFlag, dualDstCtl, subBlockId, clipReluPre, eltWiseOp, reluPre, sid;
    bool channelSplit, nz2ndEn;
    RowFields params;
};

} // namespace opkg::twin

namespace AscendC {

#define OPKG_TWIN_NO_CUBE_FUNCTION(Name) OPKG_TWIN_ABSENT_FUNCTION(Name, CubeInstructions)
OPKG_TWIN_ABSENT_CALL(Mmad, CubeInstructions)
OPKG_TWIN_ABSENT_CALL(MmadMx, CubeInstructions)
OPKG_TWIN_ABSENT_CALL(MmadWithSparse, CubeInstructions)
OPKG_TWIN_ABSENT_WITH_CONSTANT(LoadData, CubeInstructions)
OPKG_TWIN_ABSENT_CALL(LoadDataWithTranspose, CubeInstructions)
OPKG_TWIN_ABSENT_WITH_CONSTANT(LoadDataWithStride, CubeInstructions)
OPKG_TWIN_ABSENT_CALL(LoadDataWithSparse, CubeInstructions)
OPKG_TWIN_NO_CUBE_FUNCTION(LoadDataUnzip)
OPKG_TWIN_NO_CUBE_FUNCTION(LoadUnzipIndex)
OPKG_TWIN_NO_CUBE_FUNCTION(LoadImageToLocal)
OPKG_TWIN_ABSENT_CALL(InitConstValue, CubeInstructions)
OPKG_TWIN_ABSENT_WITH_CONSTANT(Fixpipe, CubeInstructions)
OPKG_TWIN_NO_CUBE_FUNCTION(SetFixPipeAddr)
OPKG_TWIN_NO_CUBE_FUNCTION(SetFixPipeClipRelu)
OPKG_TWIN_NO_CUBE_FUNCTION(SetFixPipeConfig)
OPKG_TWIN_NO_CUBE_FUNCTION(SetFixpipeNz2ndFlag)
OPKG_TWIN_NO_CUBE_FUNCTION(SetFixpipePreQuantFlag)
OPKG_TWIN_NO_CUBE_FUNCTION(SetFmatrix)
OPKG_TWIN_NO_CUBE_FUNCTION(SetLoadDataBoundary)
OPKG_TWIN_NO_CUBE_FUNCTION(SetLoadDataPaddingValue)
OPKG_TWIN_NO_CUBE_FUNCTION(SetAippFunctions)
OPKG_TWIN_NO_CUBE_FUNCTION(SetHF32Mode)
OPKG_TWIN_NO_CUBE_FUNCTION(SetHF32TransMode)
OPKG_TWIN_NO_CUBE_FUNCTION(SetMMColumnMajor)
OPKG_TWIN_NO_CUBE_FUNCTION(SetMMRowMajor)
#undef OPKG_TWIN_NO_CUBE_FUNCTION

using MmadParams = opkg::twin::AbsentParameters<opkg::twin::MmadFields>;
using LoadData2DParams = opkg::twin::AbsentParameters<opkg::twin::LoadFields>;
using LoadData2DParamsV2 = LoadData2DParams;
using LoadData2DMxParams = LoadData2DParams;
using LoadData2dTransposeParams = LoadData2DParams;
using LoadData2dTransposeParamsV2 = LoadData2DParams;
using LoadDataRepeatParam = LoadData2DParams;
using LoadDataRepeatParamWithStride = LoadData2DParams;
using LoadData3DParamsV2Pro = opkg::twin::AbsentParameters<opkg::twin::ImageFields>;
template <typename>
using LoadData3DParamsV1 = LoadData3DParamsV2Pro;
template <typename>
using LoadData3DParamsV2 = LoadData3DParamsV2Pro;
using FixpipeParamsV220 = opkg::twin::AbsentParameters<opkg::twin::FixpipeFields>;
using FixpipeParamsM300 = FixpipeParamsV220;
using DataCopyCO12DstParams = FixpipeParamsV220;
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
template <typename>
using FixpipeParams = FixpipeParamsV220;
template <CO2Layout>
using FixpipeParamsArch3510 = FixpipeParamsV220;
template <typename>
using InitConstValueParams = opkg::twin::AbsentParameters<opkg::twin::InitFields>;
// Calls with the parameters in braces, and functions whose name the vector unit has as well.
#define OPKG_TWIN_NO_CUBE_CALL(Name, Parameters)                                                                       \
    template <typename D, typename A, typename B>                                                                      \
    void Name(const D &, const A &, const B &, const Parameters &)                                                     \
    {                                                                                                                  \
        static_assert(opkg::twin::CubeInstructions<opkg::twin::LateVoid<D>>::said);                                    \
    }
OPKG_TWIN_NO_CUBE_CALL(Mmad, MmadParams)
OPKG_TWIN_NO_CUBE_CALL(MmadWithSparse, MmadParams)
#undef OPKG_TWIN_NO_CUBE_CALL
template <typename D, typename A>
void LoadData(const D &, const A &, const LoadData2DParams &)
{
    static_assert(opkg::twin::CubeInstructions<opkg::twin::LateVoid<D>>::said);
}
template <typename T = void>
void SetLoadDataRepeat(const LoadDataRepeatParam &)
{
    static_assert(opkg::twin::CubeInstructions<opkg::twin::LateVoid<T>>::said);
}
template <typename T = void>
void SetLoadDataRepeatWithStride(const LoadDataRepeatParamWithStride &)
{
    static_assert(opkg::twin::CubeInstructions<opkg::twin::LateVoid<T>>::said);
}
template <typename T>
void Fill(const LocalTensor<T> &, const InitConstValueParams<T> &)
{
    static_assert(opkg::twin::CubeInstructions<opkg::twin::LateVoid<T>>::said);
}
template <typename D, typename T>
void DataCopy(const D &, const LocalTensor<T> &, const DataCopyCO12DstParams &)
{
    static_assert(opkg::twin::CubeInstructions<opkg::twin::LateVoid<T>>::said);
}

inline constexpr int32_t PAD_SIZE = 4;
struct IsResetLoad3dConfig {
    bool isSetFMatrix = true;
    bool isSetPadding = true;
};
inline constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {};
enum class FmatrixMode : uint8_t { FMATRIX_LEFT, FMATRIX_RIGHT };
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false;
};
inline constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
inline constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

OPKG_TWIN_ABSENT_FUNCTION(CreateCubeResGroup, CubeGroups)
template <typename T>
struct CubeResGroupHandle {
    static_assert(opkg::twin::CubeGroups<opkg::twin::LateVoid<T>>::said);
};

template <typename T, TPosition position = TPosition::GM, typename Layout = void>
struct TensorTrait {
    static_assert(opkg::twin::TensorTraits<opkg::twin::LateVoid<T>>::said);
};
template <typename T, TPosition position, typename Layout>
TensorTrait<T, position, Layout> MakeTensorTrait(const Layout &)
{
    return {};
}
template <typename T>
struct Complex {
    static_assert(opkg::twin::ComplexNumbers<opkg::twin::LateVoid<T>>::said);
    template <typename... Parts>
    constexpr Complex(const Parts &...)
    {
    }
};
struct CheckLocalMemoryIAParam {
    uint8_t enableBit = 0;
    uint32_t startAddr = 0;
    uint32_t endAddr = 0;
    bool isScalarRead = false, isScalarWrite = false, isVectorRead = false, isVectorWrite = false, isMteRead = false,
         isMteWrite = false, isEnable = false;
    uint32_t reserved = 0;
};
template <typename T = void>
void CheckLocalMemoryIA(const CheckLocalMemoryIAParam &)
{
    static_assert(opkg::twin::WatchedMemory<opkg::twin::LateVoid<T>>::said);
}

namespace Reg {
template <typename T, const auto &...>
struct RegTensor {
    static_assert(opkg::twin::RegInstructions<opkg::twin::LateVoid<T>>::said);
};
} // namespace Reg
namespace MicroAPI = Reg;

namespace Simt {
struct Dim3 {
    uint32_t x = 1, y = 1, z = 1;
};
template <auto, typename... All>
void VF_CALL(All &&...)
{
    static_assert(opkg::twin::SimtInstructions<opkg::twin::LateVoid<All...>>::said);
}
} // namespace Simt

} // namespace AscendC

namespace opkg::twin {
template <typename T>
struct DtypeOf<AscendC::Complex<T>> : DtypeOf<double> { // so that no more is said
};
} // namespace opkg::twin

// Calls a function on vector registers, or of threads.
template <auto, typename... All>
void asc_vf_call(All &&...)
{
    static_assert(opkg::twin::RegInstructions<opkg::twin::LateVoid<All...>>::said);
}

using complex32 = AscendC::Complex<half>;
using complex64 = AscendC::Complex<float>;

#endif // OPKG_TWIN_ABSENT_H
