// SPDX-License-Identifier: Apache-2.0
// Copies that rearrange what they move: several dimensions with padding, slices, and matrices between rows and columns.
#include <string.h>

#include "core.hpp"

namespace opkg::twin {
namespace {

// Where the elements along one dimension of a copy are: the position in the source, or the padding beside it.
struct Line {
    uint64_t size;
    uint64_t left;
    uint64_t right;

    uint64_t length() const { return left + size + right; }
    bool is_padding(uint64_t i) const { return i < left || i >= left + size; }
    // The source position of element i; for padding, that of its nearest neighbour.
    uint64_t nearest(uint64_t i) const
    {
        return i < left ? 0 : i - left < size ? i - left : size - 1;
    }
};

class NdCopier {
public:
    NdCopier(uint8_t *dst, const uint8_t *src, const NdCopy &plan) : dst_(dst), src_(src), plan_(plan) {}

    void run() { dimension(plan_.dims - 1, 0, 0, false); }

private:
    // to, from: elements; padding: an outer dimension lies in its padding already.
    void dimension(uint32_t d, uint64_t to, uint64_t from, bool padding)
    {
        const Line line{plan_.size[d], plan_.left[d], plan_.right[d]};
        for (uint64_t i = 0; i < line.length(); ++i, to += plan_.dst_step[d]) {
            const bool outside = padding || (!plan_.nearest && line.is_padding(i));
            const uint64_t source = from + line.nearest(i) * plan_.src_step[d];
            if (d > 0) {
                dimension(d - 1, to, source, outside);
            } else {
                const void *value = outside ? static_cast<const void *>(&plan_.value) : src_ + source * plan_.element;
                memcpy(dst_ + to * plan_.element, value, plan_.element);
            }
        }
    }

    uint8_t *dst_;
    const uint8_t *src_;
    const NdCopy &plan_;
};

void check_nd_copy(const NdCopy &plan)
{
    for (uint32_t d = 0; d < plan.dims; ++d) {
        if (plan.size[d] == 0) {
            opkg_twin_fail("DataCopy of %u dimensions: loopSize of dimension %u is 0, it is at least 1", plan.dims, d);
        }
    }
    if (plan.element == 8 && (plan.nearest != 0 || plan.value != 0)) {
        opkg_twin_fail("DataCopy of several dimensions: elements of 64 bits are padded with 0 only");
    }
}

constexpr uint32_t kMostSliceDims = 8;

// Walks over the bursts of a slice in order; offsets in elements.
class SliceWalk {
public:
    SliceWalk(const Slice *slices, uint32_t dims, uint32_t burst_elements)
        : slices_(slices), dims_(dims), burst_(burst_elements)
    {
        for (uint32_t d = 0; d < dims_; ++d) {
            at_[d] = slices_[d].start;
        }
    }

    uint64_t offset() const
    {
        uint64_t offset = 0;
        uint64_t step = 1;
        for (uint32_t d = 0; d < dims_; ++d) {
            offset += at_[d] * step;
            step *= slices_[d].shape;
        }
        return offset;
    }
    // False when the last burst has been left.
    bool next()
    {
        for (uint32_t d = 0; d < dims_; ++d) {
            at_[d] += (d == 0 ? burst_ : 1) + static_cast<uint64_t>(slices_[d].gap);
            if (at_[d] <= slices_[d].end) {
                return true;
            }
            at_[d] = slices_[d].start;
        }
        return false;
    }

private:
    const Slice *slices_;
    uint32_t dims_;
    uint64_t burst_;
    uint64_t at_[kMostSliceDims];
};

uint64_t bursts_of(const Slice &slice, uint64_t burst)
{
    return (slice.end - slice.start + 1 + slice.gap) / (burst + slice.gap);
}

void check_slice(const char *which, uint32_t d, const Slice &slice, uint64_t burst)
{
    const uint64_t length = static_cast<uint64_t>(slice.end) - slice.start + 1;
    if (slice.end < slice.start || (length + slice.gap) % (burst + slice.gap) != 0) {
        opkg_twin_fail("DataCopy of slices: %s slice %u from %u to %u is no whole number of bursts of %llu elements with "
                       "%u between them",
                       which, d, slice.start, slice.end, static_cast<unsigned long long>(burst), slice.gap);
    }
}

void check_slices(const Slice *dst, const Slice *src, uint32_t dims, uint32_t burst)
{
    if (dims == 0 || dims > kMostSliceDims) {
        opkg_twin_fail("DataCopy of slices of %u dimensions: 1 to %u are possible", dims, kMostSliceDims);
    }
    if (burst == 0 || dst[0].burst != src[0].burst) {
        opkg_twin_fail("DataCopy of slices: burstLen of source (%u) and destination (%u) are not the same positive number",
                       src[0].burst, dst[0].burst);
    }
    for (uint32_t d = 0; d < dims; ++d) {
        const uint64_t unit = d == 0 ? burst : 1;
        check_slice("source", d, src[d], unit);
        check_slice("destination", d, dst[d], unit);
        if (bursts_of(src[d], unit) != bursts_of(dst[d], unit)) {
            opkg_twin_fail("DataCopy of slices: slice %u has %llu bursts in the source and %llu in the destination", d,
                           static_cast<unsigned long long>(bursts_of(src[d], unit)),
                           static_cast<unsigned long long>(bursts_of(dst[d], unit)));
        }
    }
}

void copy_elements(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t element, uint64_t step)
{
    if (step == element) {
        memmove(to, from, static_cast<size_t>(count) * element);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(to + static_cast<size_t>(i) * element, from + i * step, element);
    }
}

} // namespace
} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_copy_nd(void *dst, const void *src, const NdCopy *plan)
{
    check_nd_copy(*plan);
    opkg_twin_settle();
    NdCopier(static_cast<uint8_t *>(dst), static_cast<const uint8_t *>(src), *plan).run();
}

void opkg_twin_copy_slices(void *dst, const void *src, const Slice *dst_slices, const Slice *src_slices, uint32_t dims,
                           uint32_t dtype, uint32_t to_global)
{
    const uint32_t element = element_bytes(dtype);
    const uint32_t burst = src_slices[0].burst * 32 / element;
    check_slices(dst_slices, src_slices, dims, burst);
    opkg_twin_settle();
    const size_t bytes = static_cast<size_t>(burst) * element;
    SliceWalk to(dst_slices, dims, burst);
    SliceWalk from(src_slices, dims, burst);
    do {
        uint8_t *target = static_cast<uint8_t *>(dst) + to.offset() * element;
        const uint8_t *source = static_cast<const uint8_t *>(src) + from.offset() * element;
        if (to_global) {
            opkg_twin_store(target, source, 1, bytes, 0, 0, dtype);
        } else {
            opkg_twin_load(target, source, 1, bytes, 0, 0);
        }
    } while (to.next() && from.next());
}

void opkg_twin_nd_to_nz(void *dst, const void *src, const FractalCopy *plan)
{
    const uint32_t in_column = plan->column / plan->element;
    opkg_twin_settle();
    for (uint32_t matrix = 0; matrix < plan->matrices; ++matrix) {
        for (uint32_t row = 0; row < plan->rows; ++row) {
            const uint8_t *from = static_cast<const uint8_t *>(src) + matrix * plan->nd_matrix + row * plan->nd_row;
            uint8_t *to = static_cast<uint8_t *>(dst) + matrix * plan->nz_matrix + row * plan->nz_row;
            for (uint32_t done = 0; done < plan->row_elements; done += in_column, to += plan->nz_column) {
                const uint32_t left = plan->row_elements - done;
                const uint32_t count = left < in_column ? left : in_column;
                copy_elements(to, from + done * plan->nd_element, count, plan->element, plan->nd_element);
                memset(to + static_cast<size_t>(count) * plan->element, 0, (in_column - count) * plan->element);
            }
        }
    }
}

void opkg_twin_nz_to_nd(void *dst, const void *src, const FractalCopy *plan, uint32_t dtype)
{
    const uint32_t in_column = plan->column / plan->element;
    if (plan->row_elements % in_column != 0) {
        opkg_twin_fail("DataCopy from NZ to ND: dValue is %u, which is no multiple of %u", plan->row_elements, in_column);
    }
    for (uint32_t matrix = 0; matrix < plan->matrices; ++matrix) {
        uint8_t *to = static_cast<uint8_t *>(dst) + matrix * plan->nd_matrix;
        const uint8_t *from = static_cast<const uint8_t *>(src) + matrix * plan->nz_matrix;
        for (uint32_t done = 0; done < plan->row_elements; done += in_column, from += plan->nz_column) {
            opkg_twin_store(to + done * plan->nd_element, from, plan->rows, plan->column, plan->nd_row, plan->nz_row, dtype);
        }
    }
}
