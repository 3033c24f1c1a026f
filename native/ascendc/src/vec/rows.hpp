// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix as floats, and sums over them. Sums are made in 64 lanes and folded in halves, so that every
// instruction set gives the same bits.
#ifndef OPKG_TWIN_VEC_ROWS_HPP
#define OPKG_TWIN_VEC_ROWS_HPP

#include <stdlib.h>

#include "../adv/table.hpp"
#include "math.hpp"

namespace {

using opkg::twin::kBF16;
using opkg::twin::kF16;
using opkg::twin::kF32;

constexpr size_t kSumLanes = 64;
constexpr size_t kNzColumns = 16;

template <typename T>
inline F load_some(const T *p, size_t count)
{
    return count == kLanes ? load(p) : load_part(p, count);
}
template <typename T>
inline void store_some(T *p, F v, size_t count)
{
    count == kLanes ? store(p, v) : store_part(p, v, count);
}

// The first count lanes, zeros after them.
inline F first_lanes(F v, size_t count)
{
    float lanes[kLanes] = {};
    float all[kLanes];
    store(all, v);
    memcpy(lanes, all, count * sizeof(float));
    return load(lanes);
}

inline float fold(const F *packs)
{
    float lane[kSumLanes];
    memcpy(lane, packs, sizeof(lane));
    for (size_t width = kSumLanes / 2; width > 0; width /= 2) {
        for (size_t i = 0; i < width; ++i) {
            lane[i] += lane[i + width];
        }
    }
    return lane[0];
}

// The sum of get(at, count) over packs of a row.
template <typename Get>
inline float sum_of(size_t count, const Get &get)
{
    constexpr size_t packs = kSumLanes / kLanes;
    F lane[packs] = {};
    size_t i = 0;
    for (; i + kSumLanes <= count; i += kSumLanes) {
        for (size_t k = 0; k < packs; ++k) {
            lane[k] += get(i + k * kLanes, kLanes);
        }
    }
    for (size_t k = 0; i < count; ++k, i += kLanes) {
        const size_t here = count - i < kLanes ? count - i : kLanes;
        const F v = get(i, here);
        lane[k] += here == kLanes ? v : first_lanes(v, here);
    }
    return fold(lane);
}

// d[i] = make(i, count) over packs of a row.
template <typename Make>
inline void fill(float *d, size_t count, const Make &make)
{
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        store(d + i, make(i, kLanes));
    }
    if (i < count) {
        store_part(d + i, make(i, count - i), count - i);
    }
}

inline float largest(const float *row, size_t count)
{
    float result;
    opkg_twin_reduce[opkg::twin::kReduceMax][kF32](&result, row, count, nullptr);
    return result;
}

inline float exponential_of(float x)
{
    return exponential(splat(x))[0];
}
inline float square_root_of(float x)
{
    return square_root(splat(x))[0];
}

// Copies a run of elements to floats, or back.
template <typename T>
inline void widen(float *d, const T *s, size_t count)
{
    fill(d, count, [s](size_t i, size_t here) { return load_some(s + i, here); });
}
template <typename T>
inline void narrow(T *d, const float *s, size_t count)
{
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        store(d + i, load(s + i));
    }
    if (i < count) {
        store_part(d + i, load_part(s + i, count - i), count - i);
    }
}

// Calls body with a pointer of the type that a dtype stands for.
template <typename Body>
inline void with_type(uint32_t dtype, const Body &body)
{
    switch (dtype) {
        case kF16:
            return body(static_cast<half *>(nullptr));
        case kBF16:
            return body(static_cast<bfloat *>(nullptr));
        default:
            return body(static_cast<float *>(nullptr));
    }
}

// Floats of one call. No standard container: its code would be shared between instruction sets.
class Floats {
public:
    Floats() = default;
    explicit Floats(size_t count) : data_(static_cast<float *>(malloc(count * sizeof(float))))
    {
        if (data_ == nullptr) {
            opkg_twin_fail("no memory for %zu numbers", count);
        }
    }
    Floats(const Floats &) = delete;
    Floats &operator=(const Floats &) = delete;
    Floats(Floats &&other) : data_(other.data_) { other.data_ = nullptr; }
    ~Floats() { free(data_); }
    float *data() const { return data_; }

private:
    float *data_ = nullptr;
};

// A matrix of any floating type whose rows are read and written as floats.
class Rows {
public:
    Rows(const void *base, uint32_t dtype, size_t rows, size_t columns, bool nz = false)
        : base_(static_cast<uint8_t *>(const_cast<void *>(base))), dtype_(dtype), rows_(rows), columns_(columns),
          nz_(nz), scratch_(base != nullptr && (nz || dtype != kF32) ? Floats(columns) : Floats())
    {
    }

    // Where a row can be read; good until the next row is asked for.
    const float *read(size_t row)
    {
        if (scratch_.data() == nullptr) {
            return reinterpret_cast<const float *>(base_) + row * columns_;
        }
        with_type(dtype_, [&](auto *type) {
            const auto *start = reinterpret_cast<decltype(type)>(base_);
            runs(row, [&](size_t at, size_t column, size_t count) {
                widen(scratch_.data() + column, start + at, count);
            });
        });
        return scratch_.data();
    }
    // Where a row can be made; finish() puts it into its place.
    float *make(size_t row)
    {
        return scratch_.data() == nullptr ? reinterpret_cast<float *>(base_) + row * columns_ : scratch_.data();
    }
    void finish(size_t row)
    {
        if (scratch_.data() == nullptr) {
            return;
        }
        with_type(dtype_, [&](auto *type) {
            auto *start = reinterpret_cast<decltype(type)>(base_);
            runs(row, [&](size_t at, size_t column, size_t count) {
                narrow(start + at, scratch_.data() + column, count);
            });
        });
    }

private:
    // Calls body(element in memory, column, count) for each contiguous run of a row.
    template <typename Body>
    void runs(size_t row, const Body &body) const
    {
        if (!nz_) {
            return body(row * columns_, 0, columns_);
        }
        for (size_t column = 0; column < columns_; column += kNzColumns) {
            const size_t left = columns_ - column;
            body(column * rows_ + row * kNzColumns, column, left < kNzColumns ? left : kNzColumns);
        }
    }

    uint8_t *base_;
    uint32_t dtype_;
    size_t rows_;
    size_t columns_;
    bool nz_;
    Floats scratch_;
};

// Values of which each row has one, repeated `step` times.
class Statistic {
public:
    Statistic(const void *base, uint32_t dtype, size_t step)
        : base_(static_cast<uint8_t *>(const_cast<void *>(base))), dtype_(dtype), step_(step)
    {
    }

    float get(size_t row) const
    {
        float value = 0.0f;
        with_type(dtype_, [&](auto *type) {
            value = load_part(reinterpret_cast<decltype(type)>(base_) + row * step_, 1)[0];
        });
        return value;
    }
    void set(size_t row, float value) const
    {
        if (base_ == nullptr) {
            return;
        }
        with_type(dtype_, [&](auto *type) {
            auto *at = reinterpret_cast<decltype(type)>(base_) + row * step_;
            for (size_t i = 0; i < step_; i += kLanes) {
                store_part(at + i, splat(value), step_ - i < kLanes ? step_ - i : kLanes);
            }
        });
    }

private:
    uint8_t *base_;
    uint32_t dtype_;
    size_t step_;
};

} // namespace

#endif // OPKG_TWIN_VEC_ROWS_HPP
