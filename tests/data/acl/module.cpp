// SPDX-License-Identifier: Apache-2.0
// A file of kernels that a program loads by itself, as opkg-ascc writes it with --launchers.
#include "kernel_operator.h"
#include "opkg/asc_launch.h"

struct Pair {
    int32_t first;
    int32_t second;
};

extern "C" void weigh(__gm__ float *out, float factor, Pair pair)
{
    if (::opkg::asc::asked()) {
        ::opkg::asc::answer("weigh", ::opkg::asc::vector_cores());
        return;
    }
    const int64_t me = AscendC::GetBlockIdx();
    out[me] = factor * static_cast<float>(me) + static_cast<float>(pair.first - pair.second);
}

extern "C" __attribute__((visibility("default"))) uint32_t opkg_asc_packed_weigh(uint32_t blocks, void *stream,
                                                                                 const void *const *values)
{
    return ::opkg::asc::launch(
        blocks, nullptr, stream, [](auto... a) { weigh(a...); }, *static_cast<float *const *>(values[0]),
        *static_cast<const float *>(values[1]), *static_cast<const Pair *>(values[2]));
}
extern "C" __attribute__((visibility("default"))) const uint32_t opkg_asc_arguments_weigh = 3;
