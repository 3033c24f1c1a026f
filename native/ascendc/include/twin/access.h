// SPDX-License-Identifier: Apache-2.0
// What an instruction says about itself to the check build: its pipe, and the bytes that each operand reads or writes. In
// the fast build (OPKG_TWIN_CHECK not defined) everything here is nothing: no code, and arguments are not evaluated.
//
// A new instruction needs one line, its first, after the checks of dtypes:
//
//     OPKG_TWIN_ACCESS(PIPE_V, opkg_writes(dst, count), opkg_reads(src, count), opkg_scratch(tmp));
//
// Until its function returns, the line speaks for all that happens inside, calls of other instructions included. Operands
// (tensor: a LocalTensor or a GlobalTensor):
//
//     opkg_reads(tensor, elements)                 contiguous elements; likewise opkg_writes, and opkg_updates for both
//     opkg_reads(tensor, plan, i)                  the elements of operand i of a RepeatPlan
//     opkg_reads_bytes(tensor, bytes)              where elements are no measure (bits of a mask)
//     opkg_reads_rows(tensor, rows, bytes, step)   rows of bytes, step bytes from start to start
//     opkg_reads_some(tensor, elements)            not all of them, and which depends on data
//     opkg_scratch(tensor[, elements])             working space: what it held does not matter, before or after
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
#define OPKG_TWIN_HOOK(...) static_cast<void>(0)

#else

#define OPKG_TWIN_ACCESS(pipe, ...) const ::opkg::twin::Instruction opkg_instruction_(__func__, (pipe), __VA_ARGS__)
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
OPKG_TWIN_API void opkg_twin_check_queue(const char *headers, uint32_t step, const void *queue, const void *address,
                                         uint32_t source, uint32_t destination);
OPKG_TWIN_API void opkg_twin_check_sync(const char *headers, uint32_t step, uint64_t key, uint32_t pipe);
OPKG_TWIN_API void opkg_twin_check_tiling(const char *headers, const void *data, uint64_t bytes);
OPKG_TWIN_API void opkg_twin_check_reset();
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

} // namespace opkg::twin

#define opkg_twin_repeat_binary ::opkg::twin::checked_repeat_binary
#define opkg_twin_repeat_scalar ::opkg::twin::checked_repeat_scalar
#define opkg_twin_repeat_unary ::opkg::twin::checked_repeat_unary
#define opkg_twin_repeat_cast ::opkg::twin::checked_repeat_cast
#define opkg_twin_load ::opkg::twin::checked_load
#define opkg_twin_load_row ::opkg::twin::checked_load_row
#define opkg_twin_load_pad ::opkg::twin::checked_load_pad
#define opkg_twin_store ::opkg::twin::checked_store

#endif // OPKG_TWIN_CHECK

#endif // OPKG_TWIN_ACCESS_H
