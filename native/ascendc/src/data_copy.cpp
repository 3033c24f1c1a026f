// SPDX-License-Identifier: Apache-2.0
// Copies between global memory and buffers, padding included, and copies that accumulate atomically.
#include <string.h>

#include <atomic>

#include "core.hpp"
#include "deferred.hpp"
#include "vec/copies.hpp"

namespace opkg::twin {
namespace {

// A launch that writes more than this is streaming: what it writes is not read again before the caches have turned over.
constexpr uint64_t kStreamingAfter = 4u << 20;
constexpr size_t kStreamingRow = 2048;

// How much of a postponed instruction is executed at a time: little enough to leave the caches to the operands.
constexpr size_t kPiece = 1024;
constexpr size_t kLine = 64;

// Atomic copies lock the pages that they touch, so that whole rows are accumulated by the vector instructions. Every
// launch of the process uses the same locks: two launches may accumulate into one tensor.
constexpr uintptr_t kPage = 4096;
std::atomic_flag page_locks[256];

void accumulate_page(uint8_t *dst, const uint8_t *src, size_t bytes, BinaryFn fn, uint32_t element)
{
    std::atomic_flag &lock = page_locks[reinterpret_cast<uintptr_t>(dst) / kPage % 256];
    while (lock.test_and_set(std::memory_order_acquire)) {
    }
    fn(dst, dst, src, bytes / element);
    lock.clear(std::memory_order_release);
}

void accumulate(uint8_t *dst, const uint8_t *src, size_t bytes, int32_t op, uint32_t dtype)
{
    const BinaryFn fn = opkg_twin_binary[op][dtype];
    if (fn == nullptr) {
        opkg_twin_fail("the atomic mode that is set does not support the dtype of this DataCopy");
    }
    const uint32_t element = element_bytes(dtype);
    while (bytes > 0) {
        const size_t room = kPage - reinterpret_cast<uintptr_t>(dst) % kPage;
        const size_t part = bytes < room ? bytes : room;
        accumulate_page(dst, src, part, fn, element);
        dst += part;
        src += part;
        bytes -= part;
    }
}

// What one core tells another by a copy: a word, and whatever shares its blocks.
constexpr size_t kMessage = 512;

// Another core may look at these bytes, and then write what copies of this one still have to read.
bool may_tell(const Core &core, size_t bytes, uint32_t dtype)
{
    const bool words = dtype == kI32 || dtype == kU32 || dtype == kI64 || dtype == kU64;
    return words && bytes <= kMessage && core.looks_at_values != 0;
}

// Copying the same few bytes again and again, and nothing else, is waiting for another core to change them.
void look_at(Core &core, const void *src, size_t bytes)
{
    if (core.looks_at_values != 0 && core.looked_at == src) {
        opkg_twin_poll();
    }
    core.looked_at = bytes <= kMessage ? src : nullptr;
}

// A row may overlap itself where a kernel moves data inside one buffer.
void copy_row(uint8_t *to, const uint8_t *from, size_t bytes)
{
    const bool apart = to + bytes <= from || from + bytes <= to;
    if (bytes >= 256 && apart) {
        row_copy(to, from, bytes);
    } else {
        memmove(to, from, bytes);
    }
}

} // namespace

uint32_t element_bytes(uint32_t dtype)
{
    switch (dtype) {
        case kF32:
        case kI32:
        case kU32:
            return 4;
        case kF16:
        case kBF16:
        case kI16:
        case kU16:
            return 2;
        case kI64:
        case kU64:
        case kF64:
            return 8;
        default:
            return 1;
    }
}

} // namespace opkg::twin

using namespace opkg::twin;

void opkg_twin_load(void *dst, const void *src, uint32_t rows, size_t bytes, size_t dst_step, size_t src_step)
{
    uint8_t *to = static_cast<uint8_t *>(dst);
    const uint8_t *from = static_cast<const uint8_t *>(src);
    if (bytes == 0) {
        return;
    }
    for (uint32_t row = 0; row < rows; ++row) {
        copy_row(to, from, bytes);
        to += dst_step;
        from += src_step;
    }
}

void opkg_twin_load_row(void *dst, const void *src, size_t bytes)
{
    look_at(*opkg_twin_core, src, bytes);
    if (bytes > 0 && !defer(static_cast<uint8_t *>(dst), static_cast<const uint8_t *>(src), bytes)) {
        copy_row(static_cast<uint8_t *>(dst), static_cast<const uint8_t *>(src), bytes);
    }
}

namespace {

// Executes the instruction and writes its result past the caches, piece by piece.
void stream_result(uint8_t *to, const Postponed &late)
{
    if (late.sources == 2 && late.dtype == kF32 && stream_floats[late.op] != nullptr) {
        stream_floats[late.op](to, late.a, late.b, late.count);
        return;
    }
    static const uint8_t *const nothing[2] = {nullptr, nullptr};
    alignas(kLine) uint8_t piece[kPiece];
    const size_t size = late.bytes / late.count;
    size_t part = kPiece - reinterpret_cast<uintptr_t>(to) % kLine / size * size; // later ones begin with a line
    for (size_t done = 0; done < late.bytes; done += part, part = kPiece) {
        part = late.bytes - done < part ? late.bytes - done : part;
        execute(late, piece, done, part);
        stream_copy(to + done, piece, part, nothing);
    }
}

} // namespace

void opkg_twin_store(void *dst, const void *src, uint32_t rows, size_t bytes, size_t dst_step, size_t src_step,
                     uint32_t dtype)
{
    Core *core = opkg_twin_core;
    uint8_t *to = static_cast<uint8_t *>(dst);
    const uint8_t *from = static_cast<const uint8_t *>(src);
    if (rows == 0 || bytes == 0) {
        return;
    }
    if (may_tell(*core, rows * bytes, dtype)) {
        opkg_twin_publish();
    }
    core->gm_written += rows * bytes;
    const bool streaming = bytes >= kStreamingRow && core->gm_written >= kStreamingAfter;
    if (core->deferred_count != 0) {
        Postponed late;
        if (rows == 1 && core->atomic_op < 0 && take_postponed(from, bytes, to, late)) {
            if (streaming) {
                stream_result(to, late);
            } else {
                execute(late, to, 0, bytes);
            }
            core->ahead[0] = core->ahead[1] = nullptr;
            return;
        }
        settle_for_store(from, (rows - 1) * src_step + bytes, to, (rows - 1) * dst_step + bytes);
    }
    for (uint32_t row = 0; row < rows; ++row) {
        if (core->atomic_op >= 0) {
            accumulate(to, from, bytes, core->atomic_op, core->atomic_dtype >= 0 ? core->atomic_dtype : dtype);
        } else if (streaming) {
            stream_copy(to, from, bytes, core->ahead);
        } else {
            copy_row(to, from, bytes);
        }
        to += dst_step;
        from += src_step;
    }
    core->looked_at = core->ahead[0] = core->ahead[1] = nullptr;
}

namespace {

void fill(uint8_t *to, size_t bytes, const void *element, uint32_t size)
{
    size_t done = 0;
    for (; done + size <= bytes; done += size) {
        memcpy(to + done, element, size);
    }
    memcpy(to + done, element, bytes - done);
}

} // namespace

void opkg_twin_load_compact(void *dst, const void *src, const PadPlan *plan)
{
    uint8_t *to = static_cast<uint8_t *>(dst);
    const size_t used = static_cast<size_t>(plan->rows) * plan->bytes;
    if (used == 0) {
        return;
    }
    const void *value = plan->first_element ? src : &plan->value;
    opkg_twin_settle();
    opkg_twin_load(to, src, plan->rows, plan->bytes, plan->bytes, plan->src_step);
    fill(to + used, (used + 31) / 32 * 32 - used, value, plan->element);
}

void opkg_twin_load_pad(void *dst, const void *src, const PadPlan *plan)
{
    uint8_t *to = static_cast<uint8_t *>(dst);
    const uint8_t *from = static_cast<const uint8_t *>(src);
    if (plan->bytes == 0) {
        return;
    }
    const size_t used = plan->left + plan->bytes;
    const size_t tail = (used + plan->right + 31) / 32 * 32 - used;
    if (plan->rows == 1 && plan->left == 0) {
        const void *value = plan->first_element ? static_cast<const void *>(from) : &plan->value;
        settle_overwritten(to, to + used + tail);
        opkg_twin_load_row(to, from, plan->bytes);
        fill(to + used, tail, value, plan->element);
        return;
    }
    const bool solid = plan->left == 0 && tail == 0 && plan->src_step == plan->bytes && plan->dst_step == plan->bytes;
    if (solid) {
        opkg_twin_load_row(to, from, plan->rows * static_cast<size_t>(plan->bytes));
        return;
    }
    opkg_twin_settle();
    for (uint32_t row = 0; row < plan->rows; ++row) {
        const void *value = plan->first_element ? static_cast<const void *>(from) : &plan->value;
        fill(to, plan->left, value, plan->element);
        copy_row(to + plan->left, from, plan->bytes);
        fill(to + used, tail, value, plan->element);
        to += plan->dst_step;
        from += plan->src_step;
    }
}
