// SPDX-License-Identifier: Apache-2.0
// Assertions and printing from inside a kernel.
#ifndef OPKG_TWIN_DEBUG_H
#define OPKG_TWIN_DEBUG_H

#include <stdio.h>

#include "opkg/adv/types.h"
#include "twin/tensor.h"

// Each fails the launch with file and line; a message may follow the condition. On the chip a release build drops the
// condition unread, so kernels name things in it that they have not imported.
#define OPKG_TWIN_ASSERT(condition, ...)                                                                               \
    ([&]() -> bool {                                                                                                   \
        using namespace AscendC;                                                                                       \
        return static_cast<bool>(condition);                                                                           \
    }()                                                                                                                \
         ? static_cast<void>(0)                                                                                        \
         : opkg_twin_assert(__FILE__, __LINE__, #condition))
#define ASSERT(...) OPKG_TWIN_ASSERT(__VA_ARGS__, 0)
#define ascendc_assert(...) OPKG_TWIN_ASSERT(__VA_ARGS__, 0)
#define ASCENDC_ASSERT(condition, behaviour)                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            behaviour;                                                                                                 \
            opkg_twin_assert(__FILE__, __LINE__, #condition);                                                          \
        }                                                                                                              \
    } while (0)
#undef assert
#define assert(...) OPKG_TWIN_ASSERT(__VA_ARGS__, 0)

enum class LogLevel : uint8_t { KERNEL_DEBUG, KERNEL_INFO, KERNEL_WARN, KERNEL_ERROR };
#define KERNEL_LOG(level, format, ...) ::fprintf(stderr, "[" #level "] " format "\n", ##__VA_ARGS__)
#define KERNEL_LOG_INTERNAL(level, format, ...) KERNEL_LOG(level, format, ##__VA_ARGS__)
#define PRINTF(...) ::printf(__VA_ARGS__)

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

using ::printf;

template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    opkg_twin_dump(tensor.data(), opkg::twin::DtypeOf<T>::value, dumpSize, desc, "L1 or L0");
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize)
{
    opkg_twin_dump(tensor.data(), opkg::twin::DtypeOf<T>::value, dumpSize, desc, "GM");
}
template <typename T>
__aicore__ inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &)
{
    DumpTensor(tensor, desc, dumpSize);
}
template <typename T>
__aicore__ inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &)
{
    DumpTensor(tensor, desc, dumpSize);
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const LocalTensor<T> &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
template <typename T>
__aicore__ inline void DumpAccChkPoint(const GlobalTensor<T> &tensor, uint32_t index, uint32_t countOff,
                                       uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
__aicore__ inline void PrintTimeStamp(uint32_t) {}
[[noreturn]] __aicore__ inline void Trap() { opkg_twin_fail("Trap"); }

} // namespace AscendC

#endif // OPKG_TWIN_DEBUG_H
