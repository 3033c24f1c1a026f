// SPDX-License-Identifier: Apache-2.0
// What a compiled kernel and libopkg_twin.so.1 agree on: plain data and C symbols. Within one SONAME enumerators, table
// rows and struct fields are only ever added at the end.
#ifndef OPKG_TWIN_ABI_H
#define OPKG_TWIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "opkg/package_abi.h"

#define OPKG_TWIN_API __attribute__((visibility("default")))

namespace opkg::twin {

enum Dtype : uint32_t { kF32, kF16, kBF16, kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF64, kI4, kDtypeSlots = 16,
    // Of 8 and 4 bits; the tables below have no columns for them.
    kF8E4M3 = 17, kF8E5M2, kHiF8, kF8E8M0, kF4E2M1, kF4E1M2 };

enum BinaryOp : uint32_t {
    kAdd, kSub, kMul, kDiv, kMax, kMin, kAnd, kOr, kXor, kAddRelu, kSubRelu, kAbsSub, kMulAddDst, kFusedMulAdd,
    kFusedMulAddRelu, kShiftLeftBy, kShiftRightBy, kPrelu, kMulAddDstWiden, kAddReluCast, kAddReluCastInteger, kSubReluCast,
    kSubReluCastInteger, kMulCast, kMulCastInteger, kMulCastUnsigned, kAddDeqRelu, kExpSub, kExpSubToFloat, kExpSubToHalf,
    kBinaryOps
};
enum ScalarOp : uint32_t {
    kAdds, kMuls, kMaxs, kMins, kAxpy, kLeakyRelu, kShiftLeft, kShiftRight, kShiftRightRound, kSubs, kSubsFrom, kDivs,
    kDivsFrom, kAnds, kOrs, kDuplicate, kAxpyWiden, kMulsCast, kScalarOps
};
enum UnaryOp : uint32_t { kExp, kLn, kAbs, kSqrt, kRsqrt, kReciprocal, kRelu, kNot, kNeg, kCopy, kUnaryOps };
// Each repeat has bits of its own, all use the first ones; a is taken where a bit is not set.
enum SelectFlag : uint32_t { kOwnBits = 0, kSameBits = 1, kInvertedBits = 2 };
enum ReduceShape : uint32_t { kWholeRepeat, kEachBlock, kEachPair };
enum ReduceOp : uint32_t { kReduceSum, kReduceMax, kReduceMin, kReduceOps };

// Element-wise work on contiguous data. dst may be exactly one of the sources.
using BinaryFn = void (*)(void *dst, const void *a, const void *b, size_t count);
using ScalarFn = void (*)(void *dst, const void *src, const void *scalar, size_t count);
using UnaryFn = void (*)(void *dst, const void *src, size_t count);
using CastFn = void (*)(void *dst, const void *src, size_t count, int32_t round_mode);
// Bit i of dst is set where the comparison holds; bits of the last byte beyond count become 0.
using CompareFn = void (*)(uint8_t *dst, const void *a, const void *b, size_t count, int32_t mode);
// Element i is a[i] where bit i of mask is set, else b[i]; a stride of 0 repeats one element.
using SelectFn = void (*)(void *dst, const uint8_t *mask, const void *a, const void *b, size_t b_step, size_t count);
// Writes one element; index (may be NULL) receives the position of the first extreme.
using ReduceFn = void (*)(void *dst, const void *src, size_t count, uint32_t *index);

// The work of one instruction with mask, repeat and strides. Operand 0 is dst.
struct RepeatPlan {
    const uint64_t *mask;    // bits of one repeat; NULL: the mask register, which may be in counter mode
    uint32_t mask_bits;      // how many elements one repeat has
    uint32_t repeat;
    uint32_t operands;
    uint32_t element[4];     // bytes of one element, 0 for an operand that does not move
    uint32_t block_stride[4]; // in blocks of 32 bytes
    uint32_t repeat_stride[4];
};

// Rows of a DataCopyPad into a buffer, each filled up to a whole block.
struct PadPlan {
    uint32_t rows;
    uint32_t bytes;      // of one row in global memory
    size_t src_step;     // bytes from row to row
    size_t dst_step;
    uint32_t left;       // bytes
    uint32_t right;
    uint32_t element;    // bytes
    uint32_t first_element; // 1: fill with the row's first element (no padding asked for)
    uint64_t value;
};

// Up to four queues, each sorted from the largest score down, that become one.
struct MergePlan {
    const void *src[4];
    uint32_t length[4];  // entries of each queue
    uint32_t queues;
    uint32_t repeat;     // further groups of four queues follow the first ones
    uint32_t suspend;    // 1: stop when a queue is used up
    uint32_t entry;      // bytes
    uint32_t key;        // where the score stands in an entry
    uint32_t dtype;      // of the score
};

// A copy of up to five dimensions, the innermost first; sizes, steps and padding in elements.
struct NdCopy {
    uint32_t dims;
    uint32_t element;
    uint64_t src_step[5];
    uint32_t dst_step[5];
    uint32_t size[5];
    uint32_t left[5]; // elements of padding before and behind
    uint32_t right[5];
    uint32_t nearest; // 1: padding repeats the nearest element, 0: it is `value`
    uint64_t value;
};

// Which elements of one dimension take part in a copy: bursts from start to end, gap elements apart.
struct Slice {
    uint32_t start;
    uint32_t end;
    uint32_t gap;
    uint32_t burst; // in blocks of 32 bytes; dimensions above the innermost have 1 element
    uint32_t shape;
};

// A matrix in row-major order (ND) beside the same in columns of `column` bytes (NZ). Steps in bytes.
struct FractalCopy {
    uint32_t matrices;
    uint32_t rows;
    uint32_t row_elements;
    uint32_t element;
    uint32_t column;
    uint32_t reserved;
    uint64_t nd_matrix;
    uint64_t nd_row;
    uint64_t nd_element;
    uint64_t nz_matrix;
    uint64_t nz_row;
    uint64_t nz_column;
};

// Rows of sums out of the L0C Buffer that become narrower on their way. Steps in bytes.
struct QuantizedCopy {
    uint32_t rows;
    uint32_t elements; // of a row
    uint32_t src_dtype;
    uint32_t dst_dtype;
    uint32_t scale;    // AscendC::DeqScale
    uint32_t relu;
    uint32_t storage;  // of bytes: 0, 1 in the lower or upper half of each block, 2 one behind the other
    uint32_t reserved;
    size_t src_step;
    size_t dst_step;
    uint64_t value;    // of all elements; or
    const void *table; // sixteen for each row, one for each column of its squares
};

// Sums of blocks of half, each times a weight. The eight blocks of a step stand at src + offsets; its weights are one for
// all blocks or one for each. `across` steps make one row of dst.
struct BlendPlan {
    const uint64_t *mask;
    uint32_t across;
    uint32_t down;            // rows
    uint32_t weight_by_block; // 1: each block has its own
    uint32_t block_stride;    // of dst, in blocks of 32 bytes
    uint32_t row_stride;      // of dst, in elements
};

enum FactKind : uint32_t { kFactTaskType = 1, kFactTilingSize = 2 };

// What a kernel's body says about itself, written into an ELF section when it is compiled.
struct KernelFact {
    uint32_t kind;
    uint32_t keyed; // 1: holds for one tiling key
    uint64_t key;
    uint64_t value;
};

struct KernelInfo {
    uint32_t struct_size;
    uint32_t column;
    const char *op_type;
    uint32_t n_args;
    uint32_t n_facts;
    const KernelFact *facts;
    void (*invoke)(void *const *args);
    const uint32_t *library_flags; // kUsesElements and the like; valid once the library's initialisers have run
};

// The kernel takes the address of a LocalTensor or a reference to one of its elements.
inline constexpr uint32_t kUsesElements = 1;
// It reads single values of tensors; 2 is kChecked.
inline constexpr uint32_t kLooksAtValues = 4;

// A copy into a buffer that has not been made: the buffer's bytes are still those of global memory. Instructions read
// them there, which saves two trips through the caches; whatever else touches the buffer or that memory settles it first.
struct Deferred {
    uint8_t *local;
    const uint8_t *global;
    size_t bytes;
};
inline constexpr uint32_t kMostDeferred = 8;

// An instruction on rows of global memory that has not been executed: the copy of its result into global memory does that,
// and the result need not go through the Unified Buffer. Whatever else happens before has it executed first.
struct Postponed {
    uint32_t sources; // 2: op is a BinaryOp; 1: a UnaryOp; 0: there is nothing
    uint32_t op;
    uint32_t dtype;
    uint32_t reserved;
    uint8_t *dst;
    const uint8_t *a;
    const uint8_t *b;
    size_t count;
    size_t bytes; // of each operand
};

// One buffer of a queue.
struct Slot {
    uint8_t *address;
    uint32_t bytes;
    int32_t tag;
    uint32_t state; // 0 free, 1 allocated, 2 in the queue
};

struct Launch;

// Two loops around each copy of one direction, as SetLoopModePara makes them. Steps in bytes.
struct CopyLoops {
    uint32_t inner;
    uint32_t outer; // both 0: no loops
    uint64_t inner_src;
    uint64_t inner_dst;
    uint64_t outer_src;
    uint64_t outer_dst;
};

enum CoreKind : uint32_t { kVectorCore = 0, kCubeCore = 1 };
enum Buffer : uint32_t { kUb, kL1, kL0A, kL0B, kL0C, kBiasTable, kFixpipe, kBufferKinds };

// One running AI core; its thread's current one is opkg_twin_core.
struct Core {
    Launch *launch;
    uint32_t kind;
    uint32_t index;       // GetBlockIdx
    uint32_t count;       // GetBlockNum
    uint32_t sub_index;   // which vector core beside its cube core
    uint32_t sub_count;
    uint64_t tiling_key;
    uint64_t mask[2];     // the mask register
    uint32_t counter_mode;
    int32_t atomic_op;    // -1: plain stores to GM
    int32_t atomic_dtype;
    uint32_t npu_arch;
    uint64_t pad_value;
    float deq_scale;
    uint32_t saturate;
    uint8_t *base[kBufferKinds];
    uint32_t capacity[kBufferKinds];
    uint32_t used[kBufferKinds];
    uint8_t events[64];   // a bit for each event id in use, by HardEvent
    void *pipe;           // the TPipe alive
    void *workspace;      // system workspace
    uint64_t compare_mask[2];
    double last_sum;      // of a ReduceRepeat; likewise the last extreme and its position
    double last_extreme;
    uint64_t last_position;
    uint64_t gm_written;
    uint32_t number;      // among all cores of the launch
    uint32_t block;       // its block
    uint32_t may_defer;
    uint32_t deferred_count;
    uint64_t moved[12];   // the deferred copies were here
    const uint8_t *ahead[2]; // what deferred copies will likely want next
    uint32_t merged[4];   // how many entries of each queue the last merge took
    CopyLoops loops[2];      // from buffers to global memory, and back
    const uint8_t *fetched[2]; // where the last bytes begin that were fetched beforehand
    uint64_t control;        // bits of the control register that stand nowhere else
    uint32_t mutex_ids;      // a bit for each mutex that AllocMutexID has given out
    uint32_t polls;          // how often this core has looked at global memory past its cache
    uint32_t helped;         // it has had a thread started for cores that have not begun
    uint32_t mutex_held[32]; // pipes that hold a mutex
    int32_t flags[48][8];    // by HardEvent and id: how often a flag was set more than waited for
    uint32_t flags_by_pipe;  // flags were set or waited for by the names of pipes, which are not counted
    void *checker;           // of a kernel compiled with checks
    uint64_t deq_bits;    // scale, offset and sign of a CastDequant
    const uint64_t *deq_table; // sixteen of them, one for each element of a block
    uint32_t looks_at_values;  // the kernel reads single values of tensors
    const void *looked_at;     // where the last short copy from global memory came from
    Deferred deferred[kMostDeferred];
    Postponed postponed;
};

// The cores that one block of a kernel needs, none for a function of the device's own CPU; keyed: only for this tiling key.
struct BlockCores {
    uint32_t cube;
    uint32_t vector;
    uint32_t keyed;
    uint32_t reserved;
    uint64_t key;
};

// What a kernel answers when it is asked before a launch, instead of running.
struct Answer {
    uint32_t struct_size;
    uint32_t npu_arch; // that the kernel was compiled for
    const char *name;  // NULL: it has not answered
    const uint32_t *library_flags;
    uint64_t tiling_key; // given by who asks
    uint32_t cube;
    uint32_t vector;
};

// A launch by the program itself: invoke(argument) is the body of every core.
struct RunPlan {
    uint32_t struct_size;
    uint32_t blocks;
    const char *name;
    uint32_t npu_arch; // names the chip whose cores and buffers there are
    uint32_t cube;
    uint32_t vector;
    uint32_t dynamic_ub; // bytes of the Unified Buffer that the launch itself asks for
    uint64_t tiling_key;
    const uint32_t *library_flags;
    void (*invoke)(void *argument);
    void *argument;
    char *message; // receives the reason of a failure
    uint64_t message_bytes;
};

// Per library: what its kernels use (kUsesElements and the like).
inline __attribute__((visibility("hidden"))) uint32_t library_flags = 0;

} // namespace opkg::twin

extern "C" {
extern OPKG_TWIN_API __thread opkg::twin::Core *opkg_twin_core __attribute__((tls_model("initial-exec")));

// The compiler's own variables: the number of the block and how many there are.
extern OPKG_TWIN_API __thread int64_t block_idx __asm__("opkg_twin_block_idx") __attribute__((tls_model("initial-exec")));
extern OPKG_TWIN_API __thread int64_t block_num __asm__("opkg_twin_block_num") __attribute__((tls_model("initial-exec")));

extern OPKG_TWIN_API opkg::twin::BinaryFn opkg_twin_binary[][opkg::twin::kDtypeSlots];
extern OPKG_TWIN_API opkg::twin::ScalarFn opkg_twin_scalar[][opkg::twin::kDtypeSlots];
extern OPKG_TWIN_API opkg::twin::UnaryFn opkg_twin_unary[][opkg::twin::kDtypeSlots];
extern OPKG_TWIN_API opkg::twin::CastFn opkg_twin_cast[][opkg::twin::kDtypeSlots]; // [from][to]
extern OPKG_TWIN_API opkg::twin::CompareFn opkg_twin_compare[][opkg::twin::kDtypeSlots]; // [0] tensor, [1] scalar
extern OPKG_TWIN_API opkg::twin::SelectFn opkg_twin_select[4]; // by log2 of the element's bytes
extern OPKG_TWIN_API opkg::twin::ReduceFn opkg_twin_reduce[][opkg::twin::kDtypeSlots];

OPKG_TWIN_API void opkg_twin_repeat_binary(opkg::twin::BinaryFn fn, void *dst, const void *a, const void *b,
                                           const opkg::twin::RepeatPlan *plan);
OPKG_TWIN_API void opkg_twin_repeat_scalar(opkg::twin::ScalarFn fn, void *dst, const void *src, const void *scalar,
                                           const opkg::twin::RepeatPlan *plan);
OPKG_TWIN_API void opkg_twin_repeat_unary(opkg::twin::UnaryFn fn, void *dst, const void *src,
                                          const opkg::twin::RepeatPlan *plan);
OPKG_TWIN_API void opkg_twin_repeat_cast(opkg::twin::CastFn fn, void *dst, const void *src, int32_t round_mode,
                                         const opkg::twin::RepeatPlan *plan);

// Comparisons: the bits of one repeat follow those of the one before.
OPKG_TWIN_API void opkg_twin_repeat_compare(opkg::twin::CompareFn fn, uint8_t *dst, const void *a, const void *b,
                                            int32_t mode, const opkg::twin::RepeatPlan *plan);
// Selections: operands are dst, a, b; flags: of SelectFlag.
OPKG_TWIN_API void opkg_twin_repeat_select(void *dst, const uint8_t *mask, const void *a, const void *b,
                                           uint32_t flags, const opkg::twin::RepeatPlan *plan);
// Reductions of each repeat, block or pair. order: AscendC::ReduceOrder, for maxima and minima of a repeat.
OPKG_TWIN_API void opkg_twin_repeat_reduce(uint32_t op, uint32_t dtype, uint32_t shape, void *dst, const void *src,
                                           int32_t order, const opkg::twin::RepeatPlan *plan);
// One reduction of all repeats, into dst and, with index, the position behind it.
OPKG_TWIN_API void opkg_twin_reduce_all(uint32_t op, uint32_t dtype, void *dst, const void *src, uint32_t with_index,
                                        const opkg::twin::RepeatPlan *plan);

// dst[i] = the element at src + offsets[i] bytes; and the reverse.
OPKG_TWIN_API void opkg_twin_gather(void *dst, const void *src, const uint32_t *offsets, uint32_t element, size_t count);
OPKG_TWIN_API void opkg_twin_scatter(void *dst, const void *src, const uint32_t *offsets, uint32_t element, size_t count);
// Packs the elements of each repeat whose bit is set; returns how many there are.
OPKG_TWIN_API uint64_t opkg_twin_gather_mask(void *dst, const void *src, const uint8_t *pattern, uint32_t pattern_step,
                                             uint32_t per_repeat, const opkg::twin::RepeatPlan *plan);

// Makes all deferred copies.
OPKG_TWIN_API void opkg_twin_settle();
// Makes those that bring some bytes of a buffer.
OPKG_TWIN_API void opkg_twin_settle_bytes(const void *local, size_t bytes);
// Points the sources of an instruction at where their bytes are, before dst is written. Returns whether both are rows of
// global memory as long as dst, so that the instruction may be postponed.
OPKG_TWIN_API uint32_t opkg_twin_resolve(void *dst, size_t dst_bytes, uint32_t reads_dst, const void **a, size_t a_bytes,
                                     const void **b, size_t b_bytes);
OPKG_TWIN_API void opkg_twin_postpone(const opkg::twin::Postponed *instruction);
// One row from global memory into the Unified Buffer, now or when it is needed.
OPKG_TWIN_API void opkg_twin_load_row(void *dst, const void *src, size_t bytes);

// Moves rows of bytes. The copy into GM honours the core's atomic mode.
OPKG_TWIN_API void opkg_twin_load(void *dst, const void *src, uint32_t rows, size_t bytes, size_t dst_step, size_t src_step);
OPKG_TWIN_API void opkg_twin_store(void *dst, const void *src, uint32_t rows, size_t bytes, size_t dst_step, size_t src_step,
                                   uint32_t dtype);

OPKG_TWIN_API void opkg_twin_load_pad(void *dst, const void *src, const opkg::twin::PadPlan *plan);

OPKG_TWIN_API int32_t opkg_twin_launch(const opkg::twin::KernelInfo *kernel, void *const *args, uint32_t n_args,
                                       uint32_t block_dim, uint64_t tiling_key, const char *soc,
                                       const opkg_exec_v1 *exec);

// Fills in what the kernel's body says about itself; runs once, when the library is loaded.
OPKG_TWIN_API void opkg_twin_read_facts(opkg::twin::KernelInfo *kernel, opkg_kernel_table_v1 *table,
                                        const opkg::twin::KernelFact *begin, const opkg::twin::KernelFact *end);

// Takes bytes (rounded up to 32) of a buffer; fails with a readable sentence when it is full.
OPKG_TWIN_API uint8_t *opkg_twin_take(uint32_t buffer, uint64_t bytes, const char *what);
[[noreturn]] OPKG_TWIN_API void opkg_twin_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
OPKG_TWIN_API void opkg_twin_sync_all(uint32_t vector_only);
OPKG_TWIN_API void opkg_twin_cross_core_set(uint32_t mode, uint32_t flag);
OPKG_TWIN_API void opkg_twin_cross_core_wait(uint32_t flag);
// The system counter: 50 ticks a microsecond.
OPKG_TWIN_API uint64_t opkg_twin_cycles();
[[noreturn]] OPKG_TWIN_API void opkg_twin_assert(const char *file, uint32_t line, const char *condition);
OPKG_TWIN_API void opkg_twin_dump(const void *data, uint32_t dtype, uint32_t count, uint32_t tag, const char *where);
// The slots of a queue. A queue with none left or an empty one would hang on the chip; here it fails with a sentence.
OPKG_TWIN_API uint8_t *opkg_twin_buffer(uint32_t buffer);
OPKG_TWIN_API opkg::twin::Slot *opkg_twin_allocate_slot(opkg::twin::Slot *slots, uint32_t count, const char *position);
OPKG_TWIN_API void opkg_twin_free_slot(opkg::twin::Slot *slots, uint32_t count, opkg::twin::Slot *slot,
                                       const char *position);
[[noreturn]] OPKG_TWIN_API void opkg_twin_empty_queue(const char *position);
// Sorts each of `groups` groups of `group` scores from the largest down, ties in their order. dst gets entries of 8 bytes:
// the score, and from byte 4 on its index. index may be NULL: 0.
OPKG_TWIN_API void opkg_twin_sort(void *dst, const void *scores, const uint32_t *index, uint32_t dtype, uint32_t group,
                                  uint32_t groups);
// The same for region proposals: eight numbers each, the fifth of them the score.
OPKG_TWIN_API void opkg_twin_sort_proposals(void *dst, const void *src, uint32_t dtype, uint32_t group, uint32_t groups);
OPKG_TWIN_API void opkg_twin_merge(void *dst, const opkg::twin::MergePlan *plan);
// Elements that stand apart by a step in bytes on either side.
OPKG_TWIN_API void opkg_twin_copy_apart(void *dst, size_t dst_step, const void *src, size_t src_step, uint32_t element,
                                        size_t count);
// Transposes each of `count` matrices; dst may be src.
OPKG_TWIN_API void opkg_twin_transpose(void *dst, const void *src, uint32_t element, size_t count, size_t rows,
                                       size_t columns);
// Sixteen blocks of 32 bytes, read across. high: for elements of one byte, bit 0 the upper half of dst, bit 1 of src.
OPKG_TWIN_API void opkg_twin_transpose_blocks(const uint64_t *dst, const uint64_t *src, uint32_t element, uint32_t high,
                                              uint32_t repeat, uint32_t dst_step, uint32_t src_step);
// Takes elements of the two sources in turn, into dst0 and when it has `count`, into dst1; and the reverse, where the
// source may be one tensor: src1 is NULL then, and each dst gets half of `count`.
OPKG_TWIN_API void opkg_twin_interleave(void *dst0, void *dst1, const void *src0, const void *src1, uint32_t element,
                                        size_t count);
OPKG_TWIN_API void opkg_twin_deinterleave(void *dst0, void *dst1, const void *src0, const void *src1, uint32_t element,
                                          size_t count);
// Casts from or to int4b_t. The plan counts in pairs of elements.
OPKG_TWIN_API void opkg_twin_repeat_cast_pairs(opkg::twin::CastFn fn, void *dst, const void *src, int32_t round_mode,
                                               const opkg::twin::RepeatPlan *plan);
// int16_t to 8 bits, by the core's deq_table (by_element) or deq_bits. A block of 16 elements goes into the upper or the
// lower half of a block of dst; the plan counts elements of two bytes on both sides.
OPKG_TWIN_API void opkg_twin_repeat_dequantize(void *dst, const void *src, uint32_t by_element, uint32_t upper,
                                               const opkg::twin::RepeatPlan *plan);
OPKG_TWIN_API void opkg_twin_dequantize(void *dst, const void *src, uint32_t by_element, uint32_t upper, size_t count);
// The block that continues a block of 32 bytes beyond its first element or (right) its last: the element itself (mode 0),
// the block mirrored (1), mirrored around that element with a zero at the far end (2).
OPKG_TWIN_API void opkg_twin_continue_blocks(void *dst, const void *src, uint32_t mode, uint32_t right,
                                             const opkg::twin::RepeatPlan *plan);
// See BlendPlan.
OPKG_TWIN_API void opkg_twin_blend(void *dst, const void *src, const uint32_t *offsets, const void *weights,
                                   const opkg::twin::BlendPlan *plan);
// The lower and the upper 32 bits of the products.
OPKG_TWIN_API void opkg_twin_multiply_long(void *low, void *high, const void *a, const void *b, uint32_t is_signed,
                                           size_t count);
OPKG_TWIN_API int8_t opkg_twin_allocate_event(uint32_t hard_event);
OPKG_TWIN_API void opkg_twin_release_event(uint32_t hard_event, int8_t id);
OPKG_TWIN_API int8_t opkg_twin_fetch_event(uint32_t hard_event);
// The address of so many bytes at an offset of a buffer; fails where they do not lie in it.
OPKG_TWIN_API uint8_t *opkg_twin_place(uint32_t buffer, uint64_t offset, uint64_t bytes);

// Set while a kernel is asked what it needs, on the thread that asks.
extern OPKG_TWIN_API __thread opkg::twin::Answer *opkg_twin_asking __attribute__((tls_model("initial-exec")));
// Runs a kernel on the twin's own threads and returns when all cores have returned: 0, or a code with plan->message set.
OPKG_TWIN_API int32_t opkg_twin_run(const opkg::twin::RunPlan *plan);
// Rows one behind the other, filled up to a whole block at the end of the last one; plan: left and right do not count.
OPKG_TWIN_API void opkg_twin_load_compact(void *dst, const void *src, const opkg::twin::PadPlan *plan);
// Cores that wait for a word in global memory, which other cores set with these functions. A wait that can never end
// fails the launch. `what` names the wait, such as "IBWait of block 0, event 1".
OPKG_TWIN_API void opkg_twin_exchange_when(int32_t *word, int32_t expected, int32_t desired, const char *what);
OPKG_TWIN_API void opkg_twin_count_up(int32_t *word);
OPKG_TWIN_API void opkg_twin_await_counts(const int32_t *words, uint32_t count, int32_t at_least, const char *what);
// The vector cores of a launch one after the other, again and again, told apart by the address of their workspace.
OPKG_TWIN_API void opkg_twin_turns(const void *workspace);
OPKG_TWIN_API void opkg_twin_await_turn(const void *workspace);
OPKG_TWIN_API void opkg_twin_end_turn(const void *workspace);
// A core looks at global memory that another one writes, perhaps in a loop: others get a chance to run.
OPKG_TWIN_API void opkg_twin_poll();
// What this core has written is visible to the others from here on.
OPKG_TWIN_API void opkg_twin_publish();

[[noreturn]] OPKG_TWIN_API void opkg_twin_bad_event(uint32_t hard_event, int32_t id);

// The control register, bits first to last.
OPKG_TWIN_API void opkg_twin_set_control(uint32_t first, uint32_t last, int64_t value);
OPKG_TWIN_API int64_t opkg_twin_control(uint32_t first, uint32_t last);
OPKG_TWIN_API void opkg_twin_reset_control(uint32_t first, uint32_t last);
OPKG_TWIN_API int64_t opkg_twin_program_counter();
// Mutexes between the pipes of one core.
OPKG_TWIN_API uint8_t opkg_twin_allocate_mutex();
OPKG_TWIN_API void opkg_twin_release_mutex(uint8_t id);
OPKG_TWIN_API void opkg_twin_lock_mutex(uint8_t id, uint32_t pipe, const char *name);
OPKG_TWIN_API void opkg_twin_unlock_mutex(uint8_t id, uint32_t pipe, const char *name);

// Copies that rearrange what they move. Those with to_global write global memory and honour the core's atomic mode.
OPKG_TWIN_API void opkg_twin_copy_nd(void *dst, const void *src, const opkg::twin::NdCopy *plan);
OPKG_TWIN_API void opkg_twin_copy_slices(void *dst, const void *src, const opkg::twin::Slice *dst_slices,
                                         const opkg::twin::Slice *src_slices, uint32_t dims, uint32_t dtype,
                                         uint32_t to_global);
OPKG_TWIN_API void opkg_twin_nd_to_nz(void *dst, const void *src, const opkg::twin::FractalCopy *plan);
OPKG_TWIN_API void opkg_twin_nz_to_nd(void *dst, const void *src, const opkg::twin::FractalCopy *plan, uint32_t dtype);
// SyncAll of some of the vector cores (0: all), told from others by their workspace.
OPKG_TWIN_API void opkg_twin_sync_some(const void *workspace, uint32_t cores);
OPKG_TWIN_API void opkg_twin_cross_core_wait_mode(uint32_t mode, uint32_t flag);
// Prints from a kernel, or on the host. What the core prints stays together by lines.
OPKG_TWIN_API int opkg_twin_printf(const char *format, ...);
[[noreturn]] OPKG_TWIN_API void opkg_twin_assert_says(const char *file, uint32_t line, const char *condition,
                                                      const char *format, ...);
OPKG_TWIN_API void opkg_twin_dump_shaped(const void *data, uint32_t dtype, uint32_t count, uint32_t tag,
                                         const uint32_t *shape, uint32_t dims);
OPKG_TWIN_API void opkg_twin_time_stamp(uint32_t id);
[[noreturn]] OPKG_TWIN_API void opkg_twin_trap();

// Memory that kernels are given, and its size; 0 bytes: it is given back. Check builds know from it where an allocation ends.
OPKG_TWIN_API void opkg_twin_allocated(const void *address, uint64_t bytes);

// The shape that a kernel gave a tensor, by the tensor's address; nothing is written where there is none.
OPKG_TWIN_API void opkg_twin_set_shape(const void *tensor, const void *shape, uint32_t bytes);
OPKG_TWIN_API void opkg_twin_get_shape(const void *tensor, void *shape, uint32_t bytes);

// Casts from or to a floating type of 8 or 4 bits; and the value of one of its codes, the lower one of a pair.
OPKG_TWIN_API opkg::twin::CastFn opkg_twin_small_cast(uint32_t from, uint32_t to);
OPKG_TWIN_API float opkg_twin_small_value(uint32_t dtype, uint8_t code);
// Prints elements in rows, each behind the number of its first one; and saves bytes in a file: 0, or -1 where it cannot be.
OPKG_TWIN_API void opkg_twin_print_rows(const void *data, uint32_t dtype, uint32_t count, uint32_t per_row);
OPKG_TWIN_API int32_t opkg_twin_save(const char *file, const void *data, uint64_t bytes);
OPKG_TWIN_API void opkg_twin_copy_quantized(void *dst, const void *src, const opkg::twin::QuantizedCopy *plan);
} // extern "C"

#endif // OPKG_TWIN_ABI_H
