// SPDX-License-Identifier: Apache-2.0
// Words of the device language that g++ and clang do not know.
#ifndef OPKG_TWIN_MACROS_H
#define OPKG_TWIN_MACROS_H

#include <stdint.h>

#include "opkg/soc_table.h"

#define __aicore__
#define __host_aicore__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__
#define __sync_noalias__
#define __sync_alias__
// The compiler of Ascend C programs reads these as markers and removes them; to a plain C++ compiler they are nothing.
#ifdef OPKG_ASC_LANGUAGE
#define __global__ __opkg_global__
#define __cube__ __opkg_cube__
#define __vector__ __opkg_vector__
#define __mix__(aic, aiv) __opkg_mix__(aic, aiv)
#define __aicpu__ __opkg_aicpu__
#else
#define __global__
#define __cube__
#define __vector__
#define __mix__(aic, aiv)
#define __aicpu__
#endif
#ifndef __forceinline__
#define __forceinline__ __attribute__((always_inline))
#endif
#define __BLOCK_LOCAL__
// On a chip: the argument behind the room that cube and vector cores use for messages. Here there is no such room.
#define __kfc_workspace__

#ifndef GM_ADDR
#define GM_ADDR __gm__ uint8_t *
#endif

// The chip that a kernel is compiled for; the build passes other numbers for other chips.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#if __NPU_ARCH__ == 2201 && !defined(__DAV_C220__)
#define __DAV_C220__ 1
#endif
// Libraries of kernels that a program launches as on a device (`ascendc_library`) are compiled without these two.
#ifndef OPKG_NO_CPU_DEBUG
#ifndef ASCENDC_CPU_DEBUG
#define ASCENDC_CPU_DEBUG 1
#endif
#ifndef __CCE_KT_TEST__
#define __CCE_KT_TEST__ 1
#endif
#endif

// Numbers of ge::DataType and ge::Format, for the preprocessor: ORIG_DTYPE_X == DT_FLOAT and FORMAT_X == FORMAT_ND. Where
// the host's headers are there as well, these names are enumerators.
#ifndef OPKG_HOST_GRAPH_TYPES_H
#define OPKG_TWIN_TYPE_NUMBERS 1
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_STRING 13
#define DT_COMPLEX64 16
#define DT_COMPLEX128 17
#define DT_QINT8 18
#define DT_QINT16 19
#define DT_QINT32 20
#define DT_QUINT8 21
#define DT_QUINT16 22
#define DT_BF16 27
#define DT_INT4 29
#define DT_UINT1 30
#define DT_INT2 31
#define DT_UINT2 32
#define DT_COMPLEX32 33
#define DT_HIFLOAT8 34
#define DT_FLOAT8_E5M2 35
#define DT_FLOAT8_E4M3FN 36

#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_CHWN 14
#define FORMAT_HWCN 16
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_DHWCN 31
#define FORMAT_NDC1HWC0 32
#define FORMAT_FRACTAL_Z_3D 33
#endif

constexpr bool likely(bool condition) { return __builtin_expect(condition, true); }
constexpr bool unlikely(bool condition) { return __builtin_expect(condition, false); }

namespace AscendC {
inline constexpr int32_t ONE_BLK_SIZE = 32;
inline constexpr int32_t ONE_BLOCK_SIZE = 32;
inline constexpr int32_t DEFAULT_BLK_NUM = 8;
inline constexpr int32_t DEFAULT_C0_SIZE = 32;
inline constexpr int32_t BLOCK_CUBE = 16;
inline constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
inline constexpr uint32_t VECTOR_REG_WIDTH = 256;
inline constexpr int32_t DEFAULT_BLK_STRIDE = 1;
inline constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
inline constexpr int32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
inline constexpr int32_t MAX_REPEAT_TIMES = 255;
inline constexpr int32_t MRG_SORT_ELEMENT_LEN = 4;
inline constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
} // namespace AscendC

#endif // OPKG_TWIN_MACROS_H
