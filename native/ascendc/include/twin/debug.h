// SPDX-License-Identifier: Apache-2.0
// Assertions and printing from inside a kernel.
#ifndef OPKG_TWIN_DEBUG_H
#define OPKG_TWIN_DEBUG_H

#include "opkg/adv/types.h"
#include "twin/print.h"
#include "twin/tensor.h"

// Each fails the launch with file and line; a message may follow the condition. On the chip a release build drops the
// condition unread, so kernels name things in it that they have not imported.
#define OPKG_TWIN_ASSERT(condition, ...)                                                                               \
    ([&]() -> bool {                                                                                                   \
        using namespace AscendC;                                                                                       \
        return static_cast<bool>(condition);                                                                           \
    }()                                                                                                                \
         ? static_cast<void>(0)                                                                                        \
         : opkg::twin::assertion_failed(__FILE__, __LINE__, #condition, ##__VA_ARGS__))
#define ASSERT(...) OPKG_TWIN_ASSERT(__VA_ARGS__)
#define ascendc_assert(...) OPKG_TWIN_ASSERT(__VA_ARGS__)
#define ASCENDC_ASSERT(condition, behaviour)                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            behaviour;                                                                                                 \
            opkg::twin::assertion_failed(__FILE__, __LINE__, #condition);                                              \
        }                                                                                                              \
    } while (0)
#undef assert
#define assert(...) OPKG_TWIN_ASSERT(__VA_ARGS__)

namespace opkg::twin {

template <typename... Values>
[[noreturn]] inline void assertion_failed(const char *file, uint32_t line, const char *condition)
{
    opkg_twin_assert(file, line, condition);
}
template <typename... Values>
[[noreturn]] inline void assertion_failed(const char *file, uint32_t line, const char *condition, const char *format,
                                          Values... values)
{
    opkg_twin_assert_says(file, line, condition, format, printable(values)...);
}

} // namespace opkg::twin

enum class LogLevel : uint8_t { KERNEL_DEBUG, KERNEL_INFO, KERNEL_WARN, KERNEL_ERROR };
#define KERNEL_LOG(level, format, ...) ::fprintf(stderr, "[" #level "] " format "\n", ##__VA_ARGS__)
#define KERNEL_LOG_INTERNAL(level, format, ...) KERNEL_LOG(level, format, ##__VA_ARGS__)

// Marks for a profiler; there is none here.
#define TRACE_START(...) static_cast<void>(0)
#define TRACE_STOP(...) static_cast<void>(0)

namespace AscendC {

struct ShapeInfo {
    constexpr ShapeInfo() = default;
    constexpr ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
        : ShapeInfo(dims, sizes, dims, sizes, format)
    {
    }
    constexpr ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims, const uint32_t original_sizes[],
                        DataFormat format)
        : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format)
    {
        for (uint8_t i = 0; i < 8; ++i) {
            shape[i] = i < dims ? sizes[i] : 0;
            originalShape[i] = i < original_dims ? original_sizes[i] : 0;
        }
    }
    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[8] = {};
    uint32_t originalShape[8] = {};
    DataFormat dataFormat = DataFormat::ND;
};
__aicore__ inline int GetShapeSize(const ShapeInfo &shapeInfo)
{
    int size = 1;
    for (uint8_t i = 0; i < shapeInfo.shapeDim; ++i) {
        size *= static_cast<int>(shapeInfo.shape[i]);
    }
    return size;
}

template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    if (ASCENDC_DUMP != 0) {
        opkg_twin_dump(tensor.data(), opkg::twin::DtypeOf<T>::value, dumpSize, desc, "GM");
    }
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    if (ASCENDC_DUMP != 0) {
        opkg_twin_dump(tensor.data(), opkg::twin::DtypeOf<T>::value, dumpSize, desc, "GM");
    }
}
template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize,
                                  const ShapeInfo &shapeInfo)
{
    if (ASCENDC_DUMP != 0) {
        opkg_twin_dump_shaped(tensor.data(), opkg::twin::DtypeOf<T>::value, dumpSize, desc, shapeInfo.shape,
                              shapeInfo.shapeDim);
    }
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize,
                                  const ShapeInfo &shapeInfo)
{
    if (ASCENDC_DUMP != 0) {
        opkg_twin_dump_shaped(tensor.data(), opkg::twin::DtypeOf<T>::value, dumpSize, desc, shapeInfo.shape,
                              shapeInfo.shapeDim);
    }
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const LocalTensor<T> &tensor, uint32_t index, uint32_t countOff,
                                       uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const GlobalTensor<T> &tensor, uint32_t index, uint32_t countOff,
                                       uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
__aicore__ inline void PrintTimeStamp([[maybe_unused]] uint32_t descId)
{
#ifdef ASCENDC_TIME_STAMP_ON
    opkg_twin_time_stamp(descId);
#endif
}
__aicore__ inline void Trap() { opkg_twin_trap(); }
template <pipe_t pipe, uint16_t index>
__aicore__ inline void MarkStamp()
{
}
template <pipe_t pipe>
__aicore__ inline void MarkStamp(uint16_t)
{
}

} // namespace AscendC

__aicore__ inline void __trap() { opkg_twin_trap(); }
__aicore__ inline void asc_time_stamp(uint32_t desc_id) { AscendC::PrintTimeStamp(desc_id); }
template <pipe_t pipe = PIPE_S>
__aicore__ inline void asc_mark_stamp(uint16_t)
{
}
template <pipe_t pipe = PIPE_S, uint16_t idx>
__aicore__ inline void asc_mark_stamp()
{
}
__aicore__ inline void asc_prof_start() {}
__aicore__ inline void asc_prof_stop() {}

#endif // OPKG_TWIN_DEBUG_H
