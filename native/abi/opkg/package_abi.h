/*
 * The plain-C interface between a built operator package and whoever runs it.
 *
 * A package's host library exports opkg_package_open_v1(), which returns one table. Everything here is C, every struct
 * begins with its own size, and nothing depends on a compiler's C++ library or on Python. A field is only ever added at
 * the end of a struct; a reader looks at struct_size before it touches a field that came later.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef OPKG_PACKAGE_ABI_H
#define OPKG_PACKAGE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OPKG_ABI_VERSION 1u
#define OPKG_MAX_DIMS 25 /* as many as gert::Shape holds */

/* DLPack's DLTensor, laid out exactly as dlpack.h has it, so that a table needs no other header. */
#ifndef DLPACK_DLPACK_H_
typedef struct {
    int32_t device_type; /* 1 = CPU */
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code; /* 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool */
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;
    int64_t *strides; /* NULL: compact, row-major. Packages accept nothing else. */
    uint64_t byte_offset;
} DLTensor;
#endif

enum {
    OPKG_TENSOR_ABSENT = 1u << 0,       /* an optional input that was not given; no other field counts */
    OPKG_TENSOR_UNKNOWN_RANK = 1u << 1, /* shape not known at all (infer only) */
    OPKG_TENSOR_HOST_VALUE = 1u << 2,   /* dl.data may be read during infer and tiling */
};

typedef struct opkg_tensor_v1 {
    uint32_t struct_size;
    uint32_t flags;
    DLTensor dl;                 /* storage shape; outputs of infer_shape: room for OPKG_MAX_DIMS at dl.shape */
    int32_t dtype;               /* number of ge::DataType (float32 0, float16 1, int8 2, int32 3, ...) */
    int32_t format;              /* number of ge::Format (NCHW 0, NHWC 1, ND 2, ...) */
    int32_t origin_format;
    int32_t origin_ndim;
    const int64_t *origin_shape; /* NULL: the same as dl.shape */
    uint32_t ir_index;           /* which declared input or output this is an instance of */
    uint32_t group_index;        /* position inside a dynamic input or output, else 0 */
    uint64_t capacity;           /* bytes at dl.data */
} opkg_tensor_v1;

enum {
    OPKG_ATTR_INT = 0,
    OPKG_ATTR_FLOAT = 1,
    OPKG_ATTR_BOOL = 2,
    OPKG_ATTR_STRING = 3,
    OPKG_ATTR_DTYPE = 4,
    OPKG_ATTR_LIST_INT = 5,
    OPKG_ATTR_LIST_FLOAT = 6,
    OPKG_ATTR_LIST_BOOL = 7,
    OPKG_ATTR_LIST_STRING = 8,
    OPKG_ATTR_LIST_DTYPE = 9,
    OPKG_ATTR_LIST_LIST_INT = 10,
    OPKG_ATTR_TENSOR = 11,
};

typedef struct opkg_list_int_v1 {
    const int64_t *data;
    uint64_t count;
} opkg_list_int_v1;

/* Attributes come in the order of their declaration; one that was not given carries its default. */
typedef struct opkg_attr_v1 {
    uint32_t struct_size;
    int32_t type;
    const char *name;
    int32_t is_set; /* 0: neither given nor defaulted */
    int32_t reserved;
    union {
        int64_t i;       /* INT, BOOL, DTYPE */
        double f;        /* FLOAT */
        const char *s;   /* STRING, UTF-8, NUL-terminated */
        const void *data; /* lists: int64_t, double, uint8_t, const char *, int32_t, opkg_list_int_v1; TENSOR: opkg_tensor_v1 */
    } value;
    uint64_t count; /* elements of a list; bytes of a string without its NUL */
} opkg_attr_v1;

/* One call of one operator. inputs and outputs are flat: the instances of a dynamic input stand next to each other. */
typedef struct opkg_call_v1 {
    uint32_t struct_size;
    uint32_t abi_version;
    const char *node_name;
    const char *soc; /* "Ascend910B1"; NULL: the package's own */
    uint32_t n_inputs;
    uint32_t n_outputs;
    uint32_t n_attrs;
    uint32_t deterministic;
    opkg_tensor_v1 *inputs;
    opkg_tensor_v1 *outputs;
    const opkg_attr_v1 *attrs;
} opkg_call_v1;

/* What the caller lends to a package. All entries may be called from any thread. */
typedef struct opkg_exec_v1 {
    uint32_t struct_size;
    uint32_t abi_version;
    void *context;
    uint32_t threads; /* how many threads parallel_for uses at most */
    uint32_t reserved;
    /* Runs body(arg, i) for i in [0, n) and returns when all have returned. Bodies may run at once or one by one. */
    void (*parallel_for)(void *context, uint64_t n, void (*body)(void *arg, uint64_t i), void *arg);
    /* Scratch memory that lives until the call returns; NULL when there is none. alignment is a power of two. */
    void *(*alloc)(void *context, uint64_t bytes, uint64_t alignment);
    /* Gives output number `output` (flat) its final shape and storage. Returns 0, or non-zero when that failed. */
    int32_t (*resize_output)(void *context, uint32_t output, uint32_t ndim, const int64_t *shape, void **data);
    void *stream;
    /* code: "OPKG-R..." or a code of CANN; message: one readable sentence. The last report wins. */
    void (*report_error)(void *context, const char *code, const char *message);
    int32_t (*cancelled)(void *context);
} opkg_exec_v1;

/* The result of tiling. The caller gives the buffer `data` of `data_capacity` bytes. */
typedef struct opkg_tiling_v1 {
    uint32_t struct_size;
    uint32_t column;        /* index of the dtype/format column that matches the call */
    uint64_t tiling_key;
    uint32_t block_dim;
    uint32_t schedule_mode;
    uint64_t workspace_size; /* bytes, all workspaces together */
    uint64_t data_size;
    uint64_t data_capacity;
    void *data;
    uint32_t needs_values;  /* 1: the result depends on an input's values and must not be kept for the next call */
    uint32_t flags;         /* private to the package; goes to launch unchanged */
} opkg_tiling_v1;

typedef struct opkg_operator_v1 opkg_operator_v1;

/* Each function returns 0, or a ge::graphStatus / aclnn code after it has called exec->report_error. All are re-entrant. */
struct opkg_operator_v1 {
    uint32_t struct_size;
    uint32_t abi_version;
    const char *type;
    const void *self; /* private to the package */
    int32_t (*infer_shape)(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_exec_v1 *exec);
    int32_t (*infer_dtype)(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_exec_v1 *exec);
    int32_t (*tiling)(const opkg_operator_v1 *op, opkg_call_v1 *call, opkg_tiling_v1 *tiling, const opkg_exec_v1 *exec);
    int32_t (*workspace)(const opkg_operator_v1 *op, const opkg_tiling_v1 *tiling, uint64_t *bytes);
    /* Runs the kernel. Outputs whose shape depends on data may come without storage; the kernel asks resize_output. */
    int32_t (*launch)(const opkg_operator_v1 *op, opkg_call_v1 *call, const opkg_tiling_v1 *tiling, const opkg_exec_v1 *exec);
    uint32_t flags; /* OPKG_OPERATOR_* */
    uint32_t n_columns;
};

enum {
    OPKG_OPERATOR_DATA_DEPENDENT_SHAPE = 1u << 0, /* some output's shape is known only after launch */
    OPKG_OPERATOR_VALUE_DEPENDENT = 1u << 1,      /* infer or tiling reads the values of an input */
};

typedef struct opkg_package_v1 {
    uint32_t struct_size;
    uint32_t abi_version;
    const char *vendor;
    const char *name;
    const char *version;
    const char *soc; /* the SoC whose cores and buffers its twin has, e.g. "Ascend910B1" */
    uint32_t n_operators;
    uint32_t reserved;
    const opkg_operator_v1 *const *operators;
    /* JSON of the OpDefs and tiling structs in this library (schema in docs/package-abi.md); owned by the library. */
    const char *(*describe)(void);
} opkg_package_v1;

/* package_root: the package's directory, from which kernel libraries are found. Later calls return the same table. */
typedef const opkg_package_v1 *(*opkg_package_open_v1_fn)(const char *package_root);
#define OPKG_PACKAGE_OPEN_SYMBOL "opkg_package_open_v1"

/*
 * A column's kernel library exports one object `opkg_kernel_v1` of this type.
 */
typedef struct opkg_kernel_table_v1 {
    uint32_t struct_size;
    uint32_t abi_version;
    const char *op_type;
    uint32_t column;
    int32_t task_type;         /* KERNEL_TYPE_* as the kernel states it, -1 where it states none */
    uint32_t n_args;           /* GM arguments, workspace and tiling included */
    uint32_t uses_cross_core;  /* reserved for the scheduler; 0 where not known */
    uint64_t tiling_size;      /* bytes of the tiling struct the kernel was compiled with; 0 where it uses none */
    /* args: one pointer each, in the kernel's own order. Returns 0 or a code after report_error. */
    int32_t (*launch)(void *const *args, uint32_t n_args, uint32_t block_dim, uint64_t tiling_key, const char *soc,
                      const opkg_exec_v1 *exec);
} opkg_kernel_table_v1;
#define OPKG_KERNEL_SYMBOL "opkg_kernel_v1"

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* OPKG_PACKAGE_ABI_H */
