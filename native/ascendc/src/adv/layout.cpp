// SPDX-License-Identifier: Apache-2.0
// Padding, broadcasting, and changes of the order in which elements lie.
#include "adv/layout.h"

#include <string.h>

namespace opkg::twin {

namespace {

void fill(uint8_t *to, uint32_t count, const PadRows &p)
{
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(to + static_cast<size_t>(i) * p.element, &p.value, p.element);
    }
}

uint32_t rounded_up(uint32_t value) { return (value + 15) / 16 * 16; }

// Where an element of a matrix lies that is kept in blocks of 16 columns; rows: of the matrix.
size_t in_blocks(uint32_t row, uint32_t column, uint32_t rows)
{
    return (static_cast<size_t>(column / 16) * rows + row) * 16 + column % 16;
}

// The four dimensions of the changes of format, and where an element lies before and after each. Matrices in blocks have
// their columns filled up to 16.
struct Heads {
    uint32_t b, n, s, h;

    uint32_t wide() const { return n * h; } // of the joined last axis
    size_t of_head(uint32_t ib, uint32_t in) const
    {
        return (static_cast<size_t>(ib) * n + in) * s * rounded_up(h);
    }
    size_t split_blocks(uint32_t ib, uint32_t in, uint32_t is, uint32_t ih) const
    {
        return of_head(ib, in) + in_blocks(is, ih, s);
    }
    size_t split_rows(uint32_t ib, uint32_t in, uint32_t is, uint32_t ih) const
    {
        return of_head(ib, in) + static_cast<size_t>(is) * rounded_up(h) + ih;
    }
    size_t joined_blocks(uint32_t ib, uint32_t in, uint32_t is, uint32_t ih) const
    {
        return static_cast<size_t>(ib) * s * rounded_up(wide()) + in_blocks(is, in * h + ih, s);
    }
    size_t joined_rows(uint32_t ib, uint32_t in, uint32_t is, uint32_t ih) const
    {
        return (static_cast<size_t>(ib) * s + is) * rounded_up(wide()) + in * h + ih;
    }
    size_t exchanged_rows(uint32_t ib, uint32_t in, uint32_t is, uint32_t ih) const
    {
        return ((static_cast<size_t>(ib) * s + is) * n + in) * h + ih;
    }
    size_t exchanged_blocks(uint32_t ib, uint32_t in, uint32_t is, uint32_t ih) const
    {
        const uint32_t heads = rounded_up(n);
        return (static_cast<size_t>(ib) * s + is) * heads * rounded_up(h) + in_blocks(in, ih, heads);
    }
};
using Place = size_t (Heads::*)(uint32_t, uint32_t, uint32_t, uint32_t) const;

struct Change {
    Place from;
    Place to;
};
// By TransposeType, from 1 on.
constexpr Change kChanges[] = {
    {&Heads::split_blocks, &Heads::exchanged_rows}, {&Heads::split_blocks, &Heads::exchanged_blocks},
    {&Heads::joined_blocks, &Heads::split_blocks},  {&Heads::joined_blocks, &Heads::split_rows},
    {&Heads::split_blocks, &Heads::joined_rows},    {&Heads::split_blocks, &Heads::joined_blocks},
};

template <typename Bits>
void change_format(Bits *dst, const Bits *src, const Change &change, const Heads &heads)
{
    for (uint32_t b = 0; b < heads.b; ++b) {
        for (uint32_t n = 0; n < heads.n; ++n) {
            for (uint32_t s = 0; s < heads.s; ++s) {
                for (uint32_t h = 0; h < heads.h; ++h) {
                    dst[(heads.*change.to)(b, n, s, h)] = src[(heads.*change.from)(b, n, s, h)];
                }
            }
        }
    }
}

// Element (i, j, k) goes to i, j and k times these steps.
struct Steps {
    size_t i, j, k;
};

template <typename Bits>
void move_axes(Bits *dst, const Bits *src, const uint32_t *shape, const Steps &steps)
{
    for (uint32_t i = 0; i < shape[0]; ++i) {
        for (uint32_t j = 0; j < shape[1]; ++j) {
            for (uint32_t k = 0; k < shape[2]; ++k) {
                dst[i * steps.i + j * steps.j + k * steps.k] = *src++;
            }
        }
    }
}

// Pairs of columns, each down all rows.
template <typename Bits>
void interleave_columns(Bits *dst, const Bits *src, uint32_t rows, uint32_t columns)
{
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) {
            dst[(static_cast<size_t>(c / 2) * rows + r) * 2 + c % 2] = src[static_cast<size_t>(r) * columns + c];
        }
    }
}

template <typename Bits>
void reorder(void *to, const void *from, uint32_t kind, const uint32_t *shape, uint32_t rank)
{
    Bits *dst = static_cast<Bits *>(to);
    const Bits *src = static_cast<const Bits *>(from);
    if (kind >= 1 && kind <= 6) {
        change_format(dst, src, kChanges[kind - 1], Heads{shape[0], shape[1], shape[2], shape[3]});
        return;
    }
    const uint32_t two[3] = {1, shape[0], shape[1]};
    const uint32_t *three = rank == 3 ? shape : two;
    const size_t n = three[0], h = three[1], w = three[2];
    switch (kind) {
        case 7:
        case 13:
            return move_axes(dst, src, three, {h * w, 1, h});
        case 14:
            return move_axes(dst, src, three, {w, n * w, 1});
        case 15:
            return move_axes(dst, src, three, {1, n, n * h});
        case 16:
            return interleave_columns(dst, src, shape[0], shape[1]);
        default:
            opkg_twin_fail("Transpose: there is no kind %u", kind);
    }
}

// The first unit, so many times in a row.
void repeat(uint8_t *to, size_t unit, size_t times)
{
    const size_t all = unit * times;
    for (size_t done = unit; done < all;) {
        const size_t more = done < all - done ? done : all - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

void spread(uint8_t *dst, const uint8_t *src, size_t element, uint32_t rank, const uint32_t *dst_shape,
            const uint32_t *src_shape)
{
    const size_t all = product(dst_shape, rank);
    if (all == product(src_shape, rank)) {
        memcpy(dst, src, all * element);
        return;
    }
    const size_t unit = all / dst_shape[0] * element;
    const size_t from = product(src_shape + 1, rank - 1) * element;
    for (uint32_t i = 0; i < src_shape[0]; ++i) {
        spread(dst + i * unit, src + i * from, element, rank - 1, dst_shape + 1, src_shape + 1);
    }
    if (src_shape[0] == 1) {
        repeat(dst, unit, dst_shape[0]);
    }
}

} // namespace

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_pad_rows(void *dst, const void *src, const PadRows *plan)
{
    const size_t element = plan->element;
    const uint32_t right = plan->dst_step - plan->left - plan->kept;
    for (uint32_t i = 0; i < plan->rows; ++i) {
        uint8_t *to = static_cast<uint8_t *>(dst) + i * (plan->dst_step * element);
        const uint8_t *from = static_cast<const uint8_t *>(src) + i * (plan->columns * element);
        fill(to, plan->left, *plan);
        memcpy(to + plan->left * element, from, plan->kept * element);
        fill(to + (plan->left + plan->kept) * element, right, *plan);
    }
}

void opkg_twin_unpad_rows(void *dst, const void *src, const PadRows *plan)
{
    const size_t row = plan->kept * static_cast<size_t>(plan->element);
    for (uint32_t i = 0; i < plan->rows; ++i) {
        memmove(static_cast<uint8_t *>(dst) + i * row,
                static_cast<const uint8_t *>(src) + i * (plan->columns * static_cast<size_t>(plan->element)), row);
    }
}

void opkg_twin_broadcast(void *dst, const void *src, uint32_t element, uint32_t rank, const uint32_t *dst_shape,
                         const uint32_t *src_shape)
{
    if (product(dst_shape, rank) != 0) {
        spread(static_cast<uint8_t *>(dst), static_cast<const uint8_t *>(src), element, rank, dst_shape, src_shape);
    }
}

void opkg_twin_reorder(void *dst, const void *src, uint32_t kind, const uint32_t *shape, uint32_t rank, uint32_t element)
{
    const auto move = element == 1 ? reorder<uint8_t> : element == 2 ? reorder<uint16_t> : reorder<uint32_t>;
    move(dst, src, kind, shape, rank);
}

void opkg_twin_trans_data(uint16_t *dst, const uint16_t *src, const Volume *v)
{
    const uint32_t plane = v->h * v->w, flat_plane = rounded_up(plane), blocks = rounded_up(v->c) / 16;
    const uint32_t batch = v->fractal ? rounded_up(v->n) : v->n;
    memset(dst, 0, 2 * (v->fold ? folded_elements(*v) : flat_elements(*v)));
    for (size_t i = 0; i < static_cast<size_t>(v->n) * v->c * v->d * plane; ++i) {
        const size_t hw = i % plane, d = i / plane % v->d, c = i / plane / v->d % v->c, n = i / plane / v->d / v->c;
        const size_t flat = ((n * v->c + c) * v->d + d) * flat_plane + hw;
        const size_t folded = v->fractal ? (((d * blocks + c / 16) * plane + hw) * batch + n) * 16 + c % 16
                                         : (((n * v->d + d) * blocks + c / 16) * plane + hw) * 16 + c % 16;
        dst[v->fold ? folded : flat] = src[v->fold ? flat : folded];
    }
}
