// SPDX-License-Identifier: Apache-2.0
// Reductions of matrices along one axis, and of rows.
#include "adv/reduce.h"

#include <string.h>

#include <vector>

#include "twin/half.h"

namespace opkg::twin {

namespace {

constexpr size_t kBlock = 32;

size_t bytes_of_dtype(uint32_t dtype)
{
    switch (dtype) {
        case kI8:
        case kU8:
            return 1;
        case kF32:
        case kI32:
        case kU32:
            return 4;
        case kI64:
        case kU64:
            return 8;
        default:
            return 2;
    }
}

// A matrix whose rows begin at whole blocks.
struct Matrix {
    const uint8_t *data;
    uint32_t rows;
    uint32_t columns;
    size_t element;

    const uint8_t *row(uint32_t i) const { return data + i * ((columns * element + kBlock - 1) / kBlock * kBlock); }
};

float product(const float *row, uint32_t count)
{
    float result = 1.0f;
    for (uint32_t i = 0; i < count; ++i) {
        result *= row[i];
    }
    return result;
}

ReduceOp reduction_of(uint32_t op)
{
    return op == kAxisMax || op == kAxisAny ? kReduceMax : op == kAxisMin || op == kAxisAll ? kReduceMin : kReduceSum;
}

BinaryOp combination_of(uint32_t op)
{
    switch (op) {
        case kAxisMax:
        case kAxisAny:
            return kMax;
        case kAxisMin:
        case kAxisAll:
            return kMin;
        case kAxisProd:
            return kMul;
        default:
            return kAdd;
    }
}

void along_rows(uint32_t op, uint32_t dtype, uint8_t *dst, const Matrix &m)
{
    const ReduceFn reduce = opkg_twin_reduce[reduction_of(op)][dtype];
    for (uint32_t i = 0; i < m.rows; ++i, dst += m.element) {
        if (op == kAxisProd) {
            const float value = product(reinterpret_cast<const float *>(m.row(i)), m.columns);
            memcpy(dst, &value, sizeof(value));
        } else {
            reduce(dst, m.row(i), m.columns, nullptr);
        }
    }
}

void down_columns(uint32_t op, uint32_t dtype, uint8_t *dst, const Matrix &m)
{
    const BinaryFn combine = opkg_twin_binary[combination_of(op)][dtype];
    memcpy(dst, m.row(0), m.columns * m.element);
    for (uint32_t i = 1; i < m.rows; ++i) {
        combine(dst, dst, m.row(i), m.columns);
    }
}

void divide(float *values, uint32_t count, uint32_t by)
{
    for (uint32_t i = 0; i < count; ++i) {
        values[i] /= static_cast<float>(by);
    }
}

template <typename T>
void sum_row(T *dst, const T *src, uint32_t n, bool wide, bool mean, uint32_t dtype)
{
    if (wide && dtype != kF32) {
        std::vector<float> row(src, src + n);
        float total = 0.0f;
        opkg_twin_reduce[kReduceSum][kF32](&total, row.data(), n, nullptr);
        *dst = static_cast<T>(mean ? total / static_cast<float>(n) : total);
        return;
    }
    opkg_twin_reduce[kReduceSum][dtype](dst, src, n, nullptr);
    if (mean) {
        *dst = static_cast<T>(static_cast<float>(*dst) / static_cast<float>(n));
    }
}

template <typename T>
void sum_rows(void *dst, const void *src, uint32_t rows, uint32_t step, uint32_t n, bool wide, bool mean, uint32_t dtype)
{
    for (uint32_t i = 0; i < rows; ++i) {
        sum_row(static_cast<T *>(dst) + i, static_cast<const T *>(src) + static_cast<size_t>(i) * step, n, wide, mean, dtype);
    }
}

} // namespace

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_reduce_axis(uint32_t op, uint32_t dtype, void *dst, const void *src, uint32_t rows, uint32_t columns,
                           uint32_t along_last)
{
    if (rows == 0 || columns == 0) {
        return;
    }
    const Matrix m{static_cast<const uint8_t *>(src), rows, columns, bytes_of_dtype(dtype)};
    (along_last ? along_rows : down_columns)(op, dtype, static_cast<uint8_t *>(dst), m);
    if (op == kAxisMean) {
        divide(static_cast<float *>(dst), along_last ? rows : columns, along_last ? columns : rows);
    }
}

void opkg_twin_sum_rows(uint32_t dtype, uint32_t wide, uint32_t mean, void *dst, const void *src, uint32_t rows,
                        uint32_t step, uint32_t n)
{
    (dtype == kF16 ? sum_rows<half> : sum_rows<float>)(dst, src, rows, step, n, wide != 0, mean != 0, dtype);
}

int16_t opkg_twin_xor_sum(const int16_t *a, const int16_t *b, uint32_t count)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
        total += static_cast<int16_t>(a[i] ^ b[i]);
    }
    return static_cast<int16_t>(total > 32767 ? 32767 : total < -32768 ? -32768 : total);
}
