// SPDX-License-Identifier: Apache-2.0
// Instructions made of others: an operation and a conversion of its result, in pieces that stay in the first cache; and
// dequantization.
#include <math.h>
#include <string.h>

#include "runs.hpp"
#include "vec/tables.hpp"

namespace opkg::twin {
namespace {

constexpr size_t kPiece = 256; // elements
constexpr int32_t kNearest = 1; // RoundMode::CAST_RINT
constexpr int32_t kAway = 4;    // RoundMode::CAST_ROUND

constexpr uint32_t bytes(Dtype dtype)
{
    return dtype == kI8 || dtype == kU8 ? 1 : dtype == kF16 || dtype == kI16 ? 2 : dtype == kI64 ? 8 : 4;
}

// dst = (to) (a op b)
template <BinaryOp op, Dtype from, Dtype to>
void operate_and_cast(void *dst, const void *a, const void *b, size_t count)
{
    alignas(64) uint8_t room[kPiece * bytes(from)];
    for (size_t i = 0; i < count; i += kPiece) {
        const size_t here = count - i < kPiece ? count - i : kPiece;
        opkg_twin_binary[op][from](room, at(a, i * bytes(from)), at(b, i * bytes(from)), here);
        opkg_twin_cast[from][to](at(dst, i * bytes(to)), room, here, kNearest);
    }
}

// dst = max(0, (half) ((a + b) * scale))
void add_dequantize_relu(void *dst, const void *a, const void *b, size_t count)
{
    operate_and_cast<kAdd, kI32, kF16>(dst, a, b, count);
    opkg_twin_unary[kRelu][kF16](dst, dst, count);
}

const void *as_floats(Dtype from, const void *src, float *room, size_t count)
{
    if (from == kF32) {
        return src;
    }
    opkg_twin_cast[kF16][kF32](room, src, count, kNearest);
    return room;
}

template <Dtype from, Dtype to>
void exp_of_difference(void *dst, const void *a, const void *b, size_t count)
{
    alignas(64) float left[kPiece], right[kPiece];
    for (size_t i = 0; i < count; i += kPiece) {
        const size_t here = count - i < kPiece ? count - i : kPiece;
        const void *x = as_floats(from, at(a, i * bytes(from)), left, here);
        const void *y = as_floats(from, at(b, i * bytes(from)), right, here);
        opkg_twin_binary[kSub][kF32](left, x, y, here);
        opkg_twin_unary[kExp][kF32](left, left, here);
        if (to == kF32) {
            memcpy(at(dst, i * 4), left, here * 4);
        } else {
            opkg_twin_cast[kF32][kF16](at(dst, i * 2), left, here, kNearest);
        }
    }
}

void scale_to_half(void *dst, const void *src, const void *scalar, size_t count)
{
    alignas(64) float room[kPiece];
    for (size_t i = 0; i < count; i += kPiece) {
        const size_t here = count - i < kPiece ? count - i : kPiece;
        opkg_twin_scalar[kMuls][kF32](room, at(src, i * 4), scalar, here);
        opkg_twin_cast[kF32][kF16](at(dst, i * 2), room, here, kAway);
    }
}

template <BinaryOp op>
void fill_relu_cast(BinaryOp row, BinaryOp integer_row)
{
    opkg_twin_binary[row][kF16] = operate_and_cast<op, kF16, kI8>;
    opkg_twin_binary[row][kI16] = operate_and_cast<op, kI16, kI8>;
    opkg_twin_binary[row][kF32] = operate_and_cast<op, kF32, kF16>;
    opkg_twin_binary[row][kI64] = operate_and_cast<op, kI64, kF32>;
    opkg_twin_binary[integer_row][kI64] = operate_and_cast<op, kI64, kI32>;
}

// The chip's scale has ten digits behind the leading one.
float scale_of(uint64_t parameters)
{
    const uint32_t raw = static_cast<uint32_t>(parameters) & ~0x1fffu;
    float scale;
    memcpy(&scale, &raw, 4);
    return scale;
}

uint8_t dequantize_one(int16_t value, uint64_t parameters)
{
    const int32_t offset = static_cast<int32_t>(parameters >> 37 << 23) >> 23; // nine bits with a sign
    const bool has_sign = (parameters >> 46 & 1) != 0;
    const float v = rintf(static_cast<float>(value) * scale_of(parameters) + static_cast<float>(offset));
    const float low = has_sign ? -128.0f : 0.0f;
    const float high = has_sign ? 127.0f : 255.0f;
    return static_cast<uint8_t>(static_cast<int32_t>(v != v ? 0.0f : v < low ? low : v > high ? high : v));
}

const uint64_t *dequantization_table()
{
    const uint64_t *table = opkg_twin_core->deq_table;
    if (table == nullptr) {
        opkg_twin_fail("CastDequant with isVecDeq needs SetDeqScale with a tensor and VdeqInfo before it");
    }
    return table;
}

// Elements whose blocks stand together: element i of a block of src goes to byte i of a half of the block of dst.
void dequantize(uint8_t *dst, size_t dst_offset, const uint8_t *src, const uint64_t *table, bool upper, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const size_t offset = dst_offset + 2 * i;
        const size_t inside = offset % kBlockBytes / 2;
        int16_t value;
        memcpy(&value, src + 2 * i, 2);
        const uint64_t parameters = table != nullptr ? table[inside] : opkg_twin_core->deq_bits;
        dst[offset / kBlockBytes * kBlockBytes + (upper ? kBlockBytes / 2 : 0) + inside] =
            dequantize_one(value, parameters);
    }
}

} // namespace

void fill_fused()
{
    fill_relu_cast<kAddRelu>(kAddReluCast, kAddReluCastInteger);
    fill_relu_cast<kSubRelu>(kSubReluCast, kSubReluCastInteger);
    opkg_twin_binary[kMulCast][kF16] = operate_and_cast<kMul, kF16, kI8>;
    opkg_twin_binary[kMulCastUnsigned][kF16] = operate_and_cast<kMul, kF16, kU8>;
    opkg_twin_binary[kMulCast][kI64] = operate_and_cast<kMul, kI64, kF32>;
    opkg_twin_binary[kMulCastInteger][kI64] = operate_and_cast<kMul, kI64, kI32>;
    opkg_twin_binary[kAddDeqRelu][kI32] = add_dequantize_relu;
    opkg_twin_binary[kExpSub][kF32] = exp_of_difference<kF32, kF32>;
    opkg_twin_binary[kExpSub][kF16] = exp_of_difference<kF16, kF16>;
    opkg_twin_binary[kExpSubToFloat][kF16] = exp_of_difference<kF16, kF32>;
    opkg_twin_binary[kExpSubToHalf][kF32] = exp_of_difference<kF32, kF16>;
    opkg_twin_scalar[kMulsCast][kF32] = scale_to_half;
}

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_repeat_cast_pairs(CastFn fn, void *dst, const void *src, int32_t round_mode, const RepeatPlan *plan)
{
    Core *core = opkg_twin_core;
    const auto run = [&](const size_t *offset, uint32_t pairs) {
        fn(at(dst, offset[0]), at(src, offset[1]), 2 * static_cast<size_t>(pairs), round_mode);
    };
    if (plan->mask == nullptr && core->counter_mode) {
        const uint64_t elements = core->mask[0];
        core->mask[0] = elements / 2;
        for_each_run(*plan, run);
        core->mask[0] = elements;
        return;
    }
    // Both bits of a pair are the same; every other one remains.
    const uint64_t *bits = plan->mask != nullptr ? plan->mask : core->mask;
    uint64_t mask[2] = {0, 0};
    for (uint32_t i = 0; i < 64; ++i) {
        mask[0] |= (bits[i / 32] >> (2 * i % 64) & 1) << i;
    }
    RepeatPlan pairs = *plan;
    pairs.mask = mask;
    for_each_run(pairs, run);
}

void opkg_twin_repeat_dequantize(void *dst, const void *src, uint32_t by_element, uint32_t upper,
                                 const RepeatPlan *plan)
{
    const uint64_t *table = by_element ? dequantization_table() : nullptr;
    for_each_run(*plan, [&](const size_t *offset, uint32_t count) {
        dequantize(static_cast<uint8_t *>(dst), offset[0], at(src, offset[1]), table, upper != 0, count);
    });
}

void opkg_twin_dequantize(void *dst, const void *src, uint32_t by_element, uint32_t upper, size_t count)
{
    const uint64_t *table = by_element ? dequantization_table() : nullptr;
    dequantize(static_cast<uint8_t *>(dst), 0, static_cast<const uint8_t *>(src), table, upper != 0, count);
}

void opkg_twin_blend(void *dst, const void *src, const uint32_t *offsets, const void *weights,
                     const BlendPlan *plan)
{
    constexpr uint32_t kElements = 128, kInBlock = 16;
    const uint16_t *weight = static_cast<const uint16_t *>(weights);
    for (uint32_t row = 0; row < plan->down; ++row) {
        uint16_t sum[kElements], step[kElements];
        for (uint32_t i = 0; i < plan->across; ++i) {
            for (uint32_t block = 0; block < 8; ++block) {
                const uint16_t *by = weight + (plan->weight_by_block ? block : 0);
                opkg_twin_scalar[kMuls][kF16](step + block * kInBlock, at(src, *offsets++), by, kInBlock);
            }
            weight += plan->weight_by_block ? 8 : 1;
            if (i == 0) {
                memcpy(sum, step, sizeof sum);
            } else {
                opkg_twin_binary[kAdd][kF16](sum, sum, step, kElements);
            }
        }
        uint16_t *to = static_cast<uint16_t *>(dst) + static_cast<size_t>(row) * plan->row_stride;
        for (uint32_t i = 0; i < kElements; ++i) {
            if ((plan->mask[i / 64] >> (i % 64) & 1) != 0) {
                to[i / kInBlock * plan->block_stride * kInBlock + i % kInBlock] = sum[i];
            }
        }
    }
}

void opkg_twin_multiply_long(void *low, void *high, const void *a, const void *b, uint32_t is_signed, size_t count)
{
    const uint32_t *x = static_cast<const uint32_t *>(a);
    const uint32_t *y = static_cast<const uint32_t *>(b);
    uint32_t *lower = static_cast<uint32_t *>(low);
    uint32_t *upper = static_cast<uint32_t *>(high);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t product = is_signed ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(x[i])) *
                                                                   static_cast<int32_t>(y[i]))
                                           : static_cast<uint64_t>(x[i]) * y[i];
        lower[i] = static_cast<uint32_t>(product);
        upper[i] = static_cast<uint32_t>(product >> 32);
    }
}
