// SPDX-License-Identifier: Apache-2.0
// What an instruction says about itself to the check build: its pipe, and the bytes that each operand reads or writes. In
// the fast build (OPKG_TWIN_CHECK not defined) everything here is nothing: no code, and arguments are not evaluated.
//
// A new instruction needs one line, its first, after the checks of dtypes:
//
//     OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count), opkg_scratch(tmp));
//
// Until its function returns, the line speaks for all that happens inside, calls of other instructions included. It stands
// before the first data() of an operand, which would be taken for an opaque instruction's. Findings name the function that
// has the line; in a helper that is OPKG_TWIN_ACCESS_OF("Name", PIPE_V, ...). Operands (tensor: a LocalTensor or a
// GlobalTensor):
//
//     opkg_reads(tensor, elements)                 contiguous elements; likewise opkg_writes, and opkg_updates for both
//     opkg_reads(tensor, plan, i)                  the elements of operand i of a RepeatPlan
//     opkg_reads_bytes(tensor, bytes)              where elements are no measure (bits of a mask)
//     opkg_reads_rows(tensor, rows, bytes, step)   rows of bytes, step bytes from start to start
//     opkg_reads_some(tensor, elements)            not all of them, and which depends on data
//     opkg_scratch(tensor[, elements])             working space: what it held does not matter, before or after
//     opkg_may_read(tensor, elements)              read, but what it holds may be thrown away (the sides of a selection)
//
// Nothing needs to be said by instructions that hand their operands over with Operands, or call the plain functions of
// abi.h that are listed at the end of this file: those speak for them. An instruction that says nothing at all is opaque:
// the checker takes its tensors as written and synchronised, so it finds no defect there and no wrong one after it.
//
// PIPE_ALL as the pipe of a copy means: the pipe that moves data between these two places.
#ifndef OPKG_TWIN_ACCESS_H
#define OPKG_TWIN_ACCESS_H

#include "twin/abi.h"

namespace opkg::twin {

// How an operand is used.
inline constexpr uint32_t kReads = 1;
inline constexpr uint32_t kWrites = 2;
inline constexpr uint32_t kSome = 4;    // of the bytes, not all
inline constexpr uint32_t kScratch = 8; // written before it is read
inline constexpr uint32_t kAtomic = 16;
inline constexpr uint32_t kElementwise = 32; // element i of what is written comes from the elements i that are read
inline constexpr uint32_t kFolds = 64;       // all elements that are read go into each that is written
inline constexpr uint32_t kAligned = 128;    // begins at a multiple of 32 bytes
inline constexpr uint32_t kUnsure = 256;     // read, but perhaps for nothing: what it holds does not matter

// The bytes that one operand of an instruction touches.
struct Touched {
    const void *address;
    uint64_t extent; // bytes that the tensor has from there on; 0: unknown; kPast<uint64_t>: there is none left
    uint64_t bytes;  // of one row
    uint64_t step;   // from row to row
    uint32_t rows;
    uint32_t kind;
    const RepeatPlan *plan; // not NULL: its elements of operand `operand`, instead of rows
    uint32_t operand;
    uint32_t dtype;    // kDtypeSlots: unknown
    uint32_t position; // a TPosition; kNowhere: unknown
};
inline constexpr uint32_t kNowhere = ~0u;

// The extent of a view that begins at or behind the end of its tensor: the highest bit, which no length has.
template <typename N>
inline constexpr N kPast = static_cast<N>(static_cast<N>(1) << (8 * sizeof(N) - 1));

// What a view has left of an extent after so much was skipped; 0 is an unknown extent, which a view keeps.
template <typename N>
constexpr N rest(N extent, N skipped)
{
#ifdef OPKG_TWIN_CHECK
    return extent == 0 ? 0 : (extent & kPast<N>) != 0 || extent <= skipped ? kPast<N> : static_cast<N>(extent - skipped);
#else
    return extent > skipped ? static_cast<N>(extent - skipped) : 0;
#endif
}
template <typename N>
constexpr N length(N extent)
{
#ifdef OPKG_TWIN_CHECK
    return extent == kPast<N> ? 0 : extent;
#else
    return extent;
#endif
}

// A kernel compiled with checks; in KernelInfo::library_flags.
inline constexpr uint32_t kChecked = 2;

enum QueueStep : uint32_t { kAllocTensor, kEnQue, kDeQue, kFreeTensor };

// Order between cores, or between pipes by other means than flags. Whoever acquires a key knows what has been published
// under it; keys are those of the launch.
enum SyncStep : uint32_t { kSyncAllBegin, kSyncAllEnd, kPublish, kAcquire };

} // namespace opkg::twin

#ifndef OPKG_TWIN_CHECK

#define OPKG_TWIN_ACCESS(pipe, ...) static_cast<void>(0)
#define OPKG_TWIN_ACCESS_OF(name, pipe, ...) static_cast<void>(0)
#define OPKG_TWIN_HOOK(...) static_cast<void>(0)

#else

#define OPKG_TWIN_ACCESS(pipe, ...) OPKG_TWIN_ACCESS_OF(__func__, pipe, __VA_ARGS__)
#define OPKG_TWIN_ACCESS_OF(name, pipe, ...) const ::opkg::twin::Instruction opkg_instruction_((name), (pipe), __VA_ARGS__)
#define OPKG_TWIN_HOOK(...) __VA_ARGS__

extern "C" {
// An instruction, its pipe (pipe_t) and operands; what it does inside is not looked at until it has left.
OPKG_TWIN_API void opkg_twin_check_enter(const char *headers, const char *name, uint32_t pipe,
                                         const opkg::twin::Touched *operands, uint32_t count);
OPKG_TWIN_API void opkg_twin_check_leave();
// The library of instructions has been given the address of a tensor; position: a TPosition.
OPKG_TWIN_API void opkg_twin_check_note(const void *address, uint64_t extent, uint32_t position,
                                        uint32_t dtype);
// The kernel has been given a pointer to a tensor's bytes.
OPKG_TWIN_API void opkg_twin_check_escape(const void *address, uint64_t extent);
OPKG_TWIN_API void opkg_twin_check_global(const char *headers, const void *address, uint64_t bytes);
OPKG_TWIN_API void opkg_twin_check_flag(const char *headers, uint32_t set, uint32_t event, int32_t id);
OPKG_TWIN_API void opkg_twin_check_barrier(uint32_t pipe);
// Buffers of a queue, or of a TBuf (owner NULL); source and destination: the TPositions of the queue.
OPKG_TWIN_API void opkg_twin_check_buffers(const char *headers, const void *address, uint64_t bytes, uint32_t count,
                                           const void *owner, uint32_t source, uint32_t destination);
OPKG_TWIN_API void opkg_twin_check_queue(const char *headers, uint32_t step, const void *address, uint32_t source,
                                         uint32_t destination);
OPKG_TWIN_API void opkg_twin_check_sync(const char *headers, uint32_t step, uint64_t key, uint32_t pipe);
OPKG_TWIN_API void opkg_twin_check_tiling(const char *headers, const void *data, uint64_t bytes);
OPKG_TWIN_API void opkg_twin_check_reset();
// A copy of so many bytes, from or to this place of a buffer, that moves whole blocks only.
OPKG_TWIN_API void opkg_twin_check_copy(const char *headers, const void *local, uint64_t bytes);
} // extern "C"

namespace AscendC {
template <typename T>
class LocalTensor;
template <typename T>
class GlobalTensor;
} // namespace AscendC

// Tells the checker which headers are the twin's own.
#define OPKG_TWIN_HEADERS __FILE__

namespace opkg::twin {

class Instruction {
public:
    template <typename... Operand>
    Instruction(const char *name, uint32_t pipe, const Operand &...operands)
    {
        const Touched all[] = {operands...};
        opkg_twin_check_enter(OPKG_TWIN_HEADERS, name, pipe, all, sizeof...(operands));
    }
    Instruction(const Instruction &) = delete;
    Instruction &operator=(const Instruction &) = delete;
    ~Instruction() { opkg_twin_check_leave(); }
};

inline Touched touched(const void *address, uint64_t extent, uint64_t bytes, uint32_t kind)
{
    return {address, extent, bytes, bytes, 1, kind, nullptr, 0, kDtypeSlots, kNowhere};
}
inline Touched touched_rows(const void *address, uint64_t rows, uint64_t bytes, uint64_t step, uint32_t kind)
{
    return {address, 0, bytes, step, static_cast<uint32_t>(rows), kind, nullptr, 0, kDtypeSlots, kNowhere};
}
inline Touched touched(const void *address, const RepeatPlan *plan, uint32_t operand, uint32_t kind)
{
    return {address, 0, 0, 0, 0, kind, plan, operand, kDtypeSlots, kNowhere};
}

} // namespace opkg::twin

#define OPKG_TWIN_OPERANDS(name, kinds)                                                                                \
    template <typename Tensor>                                                                                         \
    inline ::opkg::twin::Touched name(const Tensor &tensor, uint64_t elements)                                         \
    {                                                                                                                  \
        return tensor.touched_elements(elements, kinds);                                                               \
    }                                                                                                                  \
    template <typename Tensor>                                                                                         \
    inline ::opkg::twin::Touched name(const Tensor &tensor, const ::opkg::twin::RepeatPlan &plan, uint32_t operand)    \
    {                                                                                                                  \
        ::opkg::twin::Touched all = tensor.touched_bytes(0, kinds);                                                    \
        all.plan = &plan;                                                                                              \
        all.operand = operand;                                                                                         \
        return all;                                                                                                    \
    }                                                                                                                  \
    template <typename Tensor>                                                                                         \
    inline ::opkg::twin::Touched name##_bytes(const Tensor &tensor, uint64_t bytes)                                    \
    {                                                                                                                  \
        return tensor.touched_bytes(bytes, kinds);                                                                     \
    }                                                                                                                  \
    template <typename Tensor>                                                                                         \
    inline ::opkg::twin::Touched name##_rows(const Tensor &tensor, uint32_t rows, uint64_t bytes, uint64_t step)       \
    {                                                                                                                  \
        ::opkg::twin::Touched all = tensor.touched_bytes(bytes, kinds);                                                \
        all.rows = rows;                                                                                               \
        all.step = step;                                                                                               \
        return all;                                                                                                    \
    }                                                                                                                  \
    template <typename Tensor>                                                                                         \
    inline ::opkg::twin::Touched name##_some(const Tensor &tensor, uint64_t elements)                                  \
    {                                                                                                                  \
        return tensor.touched_elements(elements, (kinds) | ::opkg::twin::kSome);                                       \
    }
OPKG_TWIN_OPERANDS(opkg_reads, ::opkg::twin::kReads)
OPKG_TWIN_OPERANDS(opkg_writes, ::opkg::twin::kWrites)
OPKG_TWIN_OPERANDS(opkg_updates, ::opkg::twin::kReads | ::opkg::twin::kWrites)
OPKG_TWIN_OPERANDS(opkg_may_read, ::opkg::twin::kReads | ::opkg::twin::kUnsure)
#undef OPKG_TWIN_OPERANDS

template <typename Tensor>
inline ::opkg::twin::Touched opkg_scratch(const Tensor &tensor)
{
    return tensor.touched_elements(tensor.GetSize(), ::opkg::twin::kWrites | ::opkg::twin::kScratch);
}
template <typename Tensor>
inline ::opkg::twin::Touched opkg_scratch(const Tensor &tensor, uint64_t elements)
{
    return tensor.touched_elements(elements, ::opkg::twin::kWrites | ::opkg::twin::kScratch);
}

// The plain functions that speak for the instructions that call them. The name is that of the calling function.
namespace opkg::twin {

#define OPKG_TWIN_CALLER const char *name = __builtin_FUNCTION()

inline constexpr uint32_t kEach = kElementwise | kAligned;

// Whether a function of opkg_twin_binary reads dst as well.
inline bool accumulates(BinaryFn fn)
{
    constexpr BinaryOp accumulating[] = {kMulAddDst, kFusedMulAdd, kFusedMulAddRelu, kMulAddDstWiden};
    for (uint32_t dtype = 0; dtype < kDtypeSlots; ++dtype) {
        for (const BinaryOp op : accumulating) {
            if (opkg_twin_binary[op][dtype] == fn) {
                return true;
            }
        }
    }
    return false;
}

inline void checked_repeat_binary(BinaryFn fn, void *dst, const void *a, const void *b, const RepeatPlan *plan,
                                  OPKG_TWIN_CALLER)
{
    const uint32_t dst_too = accumulates(fn) ? kReads : 0u;
    const Instruction instruction(name, 1, touched(dst, plan, 0, kWrites | kEach | dst_too),
                                  touched(a, plan, 1, kReads | kEach), touched(b, plan, 2, kReads | kEach));
    opkg_twin_repeat_binary(fn, dst, a, b, plan);
}
inline void checked_repeat_scalar(ScalarFn fn, void *dst, const void *src, const void *scalar, const RepeatPlan *plan,
                                  OPKG_TWIN_CALLER)
{
    const Instruction instruction(name, 1, touched(dst, plan, 0, kWrites | kEach),
                                  touched(src, plan, 1, kReads | kEach));
    opkg_twin_repeat_scalar(fn, dst, src, scalar, plan);
}
inline void checked_repeat_unary(UnaryFn fn, void *dst, const void *src, const RepeatPlan *plan, OPKG_TWIN_CALLER)
{
    const Instruction instruction(name, 1, touched(dst, plan, 0, kWrites | kEach),
                                  touched(src, plan, 1, kReads | kEach));
    opkg_twin_repeat_unary(fn, dst, src, plan);
}
inline void checked_repeat_cast(CastFn fn, void *dst, const void *src, int32_t round_mode, const RepeatPlan *plan,
                                OPKG_TWIN_CALLER)
{
    const Instruction instruction(name, 1, touched(dst, plan, 0, kWrites | kEach),
                                  touched(src, plan, 1, kReads | kEach));
    opkg_twin_repeat_cast(fn, dst, src, round_mode, plan);
}
inline void checked_load(void *dst, const void *src, uint32_t rows, size_t bytes, size_t dst_step, size_t src_step,
                         OPKG_TWIN_CALLER)
{
    const Instruction instruction(name, 6, touched_rows(dst, rows, bytes, dst_step, kWrites | kEach),
                                  touched_rows(src, rows, bytes, src_step, kReads | kEach));
    opkg_twin_load(dst, src, rows, bytes, dst_step, src_step);
}
inline void checked_load_row(void *dst, const void *src, size_t bytes, OPKG_TWIN_CALLER)
{
    const Instruction instruction(name, 6, touched(dst, 0, bytes, kWrites | kEach), touched(src, 0, bytes, kReads | kEach));
    opkg_twin_load_row(dst, src, bytes);
}
inline void checked_load_pad(void *dst, const void *src, const PadPlan *plan, OPKG_TWIN_CALLER)
{
    const size_t row = (static_cast<size_t>(plan->left) + plan->bytes + plan->right + 31) / 32 * 32;
    const Instruction instruction(name, 6,
                                  touched_rows(dst, plan->bytes > 0 ? plan->rows : 0, row, plan->dst_step,
                                               kWrites | kAligned),
                                  touched_rows(src, plan->rows, plan->bytes, plan->src_step, kReads));
    opkg_twin_load_pad(dst, src, plan);
}
inline void checked_store(void *dst, const void *src, uint32_t rows, size_t bytes, size_t dst_step, size_t src_step,
                          uint32_t dtype, OPKG_TWIN_CALLER)
{
    const uint32_t atomic = opkg_twin_core->atomic_op >= 0 ? kAtomic : 0u;
    const Instruction instruction(name, 6, touched_rows(dst, rows, bytes, dst_step, kWrites | kEach | atomic),
                                  touched_rows(src, rows, bytes, src_step, kReads | kEach));
    opkg_twin_store(dst, src, rows, bytes, dst_step, src_step, dtype);
}

// How many repeats, and how many elements of each at most.
inline uint32_t repeats_of(const RepeatPlan &plan)
{
    const bool counted = plan.mask == nullptr && opkg_twin_core->counter_mode != 0;
    return counted ? static_cast<uint32_t>((opkg_twin_core->mask[0] + plan.mask_bits - 1) / plan.mask_bits) : plan.repeat;
}
inline uint32_t reach_of(const RepeatPlan &plan)
{
    if (plan.mask == nullptr && opkg_twin_core->counter_mode != 0) {
        return plan.mask_bits;
    }
    const uint64_t *mask = plan.mask != nullptr ? plan.mask : opkg_twin_core->mask;
    const uint32_t reach = plan.mask_bits > 64 && mask[1] != 0 ? 128u - static_cast<uint32_t>(__builtin_clzll(mask[1]))
                           : mask[0] != 0                      ? 64u - static_cast<uint32_t>(__builtin_clzll(mask[0]))
                                                               : 0u;
    return reach < plan.mask_bits ? reach : plan.mask_bits;
}
inline uint64_t highest(const uint32_t *offsets, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; ++i) {
        most = offsets[i] > most ? offsets[i] : most;
    }
    return most;
}

inline void checked_repeat_compare(CompareFn fn, uint8_t *dst, const void *a, const void *b, int32_t mode,
                                   const RepeatPlan *plan, OPKG_TWIN_CALLER)
{
    const Instruction instruction(name, 1, touched(dst, 0, repeats_of(*plan) * uint64_t{plan->mask_bits} / 8, kWrites),
                                  touched(a, plan, 1, kReads | kAligned), touched(b, plan, 2, kReads | kAligned));
    opkg_twin_repeat_compare(fn, dst, a, b, mode, plan);
}
inline void checked_repeat_select(void *dst, const uint8_t *mask, const void *a, const void *b, uint32_t flags,
                                  const RepeatPlan *plan, OPKG_TWIN_CALLER)
{
    const uint64_t bits = uint64_t{plan->mask_bits} * ((flags & kSameBits) != 0 ? 1 : repeats_of(*plan));
    const Instruction instruction(name, 1, touched(dst, plan, 0, kWrites | kAligned), touched(mask, 0, bits / 8, kReads | kUnsure),
                                  touched(a, plan, 1, kReads | kUnsure | kAligned),
                                  touched(b, plan, 2, kReads | kUnsure | kAligned));
    opkg_twin_repeat_select(dst, mask, a, b, flags, plan);
}
inline void checked_repeat_reduce(uint32_t op, uint32_t dtype, uint32_t shape, void *dst, const void *src, int32_t order,
                                  const RepeatPlan *plan, OPKG_TWIN_CALLER)
{
    const uint32_t size = plan->element[1];
    const uint32_t group = shape == kEachBlock ? 32 / size : 2;
    const uint32_t pair = op == kReduceSum || order == 2 ? size : order == 3 ? 4u : 2 * size; // AscendC::ReduceOrder
    const uint32_t unit = shape == kWholeRepeat ? pair : shape == kEachBlock ? 8 * size : 128u;
    const uint32_t bytes = shape == kWholeRepeat ? pair : (reach_of(*plan) + group - 1) / group * size;
    const uint32_t repeats = repeats_of(*plan);
    const Instruction instruction(name, 1, touched_rows(dst, repeats, bytes, uint64_t{plan->repeat_stride[0]} * unit, kWrites),
                                  touched(src, plan, 1, kReads | kAligned | (repeats == 1 ? kFolds : kUnsure)));
    opkg_twin_repeat_reduce(op, dtype, shape, dst, src, order, plan);
}
inline void checked_reduce_all(uint32_t op, uint32_t dtype, void *dst, const void *src, uint32_t with_index,
                               const RepeatPlan *plan, OPKG_TWIN_CALLER)
{
    const uint32_t bytes = plan->element[1] * (with_index != 0 ? 2 : 1);
    const Instruction instruction(name, 1, touched(dst, 0, bytes, kWrites), touched(src, plan, 1, kReads | kAligned | kFolds));
    opkg_twin_reduce_all(op, dtype, dst, src, with_index, plan);
}
inline void checked_gather(void *dst, const void *src, const uint32_t *offsets, uint32_t element, size_t count,
                           OPKG_TWIN_CALLER)
{
    const uint64_t reach = count > 0 ? highest(offsets, count) + element : 0;
    const Instruction instruction(name, 1, touched(dst, 0, count * element, kWrites), touched(offsets, 0, count * 4, kReads),
                                  touched(src, 0, reach, kReads | kSome));
    opkg_twin_gather(dst, src, offsets, element, count);
}
inline void checked_scatter(void *dst, const void *src, const uint32_t *offsets, uint32_t element, size_t count,
                            OPKG_TWIN_CALLER)
{
    const uint64_t reach = count > 0 ? highest(offsets, count) + element : 0;
    const Instruction instruction(name, 1, touched(dst, 0, reach, kWrites | kSome), touched(offsets, 0, count * 4, kReads),
                                  touched(src, 0, count * element, kReads | kUnsure));
    opkg_twin_scatter(dst, src, offsets, element, count);
}
// How much it writes is known when it has.
inline uint64_t checked_gather_mask(void *dst, const void *src, const uint8_t *pattern, uint32_t pattern_step,
                                    uint32_t per_repeat, const RepeatPlan *plan)
{
    const uint64_t kept = opkg_twin_gather_mask(dst, src, pattern, pattern_step, per_repeat, plan);
    const uint32_t size = plan->element[1];
    const bool inside = pattern_step != ~0u;
    const Instruction instruction(
        "GatherMask", 1, touched(dst, 0, kept * size, kWrites),
        touched_rows(src, plan->block_stride[1] == 1 ? plan->repeat : 0, uint64_t{per_repeat} * size,
                     uint64_t{plan->repeat_stride[1]} * 32, kReads | kUnsure),
        touched_rows(pattern, inside ? plan->repeat : 0, (per_repeat + 7) / 8, pattern_step, kReads | kUnsure));
    return kept;
}

} // namespace opkg::twin

#define opkg_twin_repeat_binary ::opkg::twin::checked_repeat_binary
#define opkg_twin_repeat_scalar ::opkg::twin::checked_repeat_scalar
#define opkg_twin_repeat_unary ::opkg::twin::checked_repeat_unary
#define opkg_twin_repeat_cast ::opkg::twin::checked_repeat_cast
#define opkg_twin_load ::opkg::twin::checked_load
#define opkg_twin_load_row ::opkg::twin::checked_load_row
#define opkg_twin_load_pad ::opkg::twin::checked_load_pad
#define opkg_twin_store ::opkg::twin::checked_store
#define opkg_twin_repeat_compare ::opkg::twin::checked_repeat_compare
#define opkg_twin_repeat_select ::opkg::twin::checked_repeat_select
#define opkg_twin_repeat_reduce ::opkg::twin::checked_repeat_reduce
#define opkg_twin_reduce_all ::opkg::twin::checked_reduce_all
#define opkg_twin_gather ::opkg::twin::checked_gather
#define opkg_twin_scatter ::opkg::twin::checked_scatter
#define opkg_twin_gather_mask ::opkg::twin::checked_gather_mask

#endif // OPKG_TWIN_CHECK

#endif // OPKG_TWIN_ACCESS_H
