// SPDX-License-Identifier: Apache-2.0
//
// Loading operator packages and calling their operators, for bindings and engines.
#ifndef OPKG_CORE_HPP
#define OPKG_CORE_HPP

#include <opkg/package_abi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#define OPKG_CORE_API __attribute__((visibility("default")))

namespace opkg::core {

// What went wrong, in one readable sentence, with a stable code ("OPKG-9101", or the code that a package reported).
class OPKG_CORE_API Error : public std::exception {
public:
    Error(std::string code, std::string message, std::string hint = "");
    ~Error() override;
    const char* what() const noexcept override { return message_.c_str(); }
    const std::string& code() const noexcept { return code_; }
    const std::string& hint() const noexcept { return hint_; }

private:
    std::string code_, message_, hint_;
};

// ge::DataType numbers that code here needs by name.
enum DType : int32_t {
    kFloat32 = 0, kFloat16 = 1, kInt8 = 2, kInt32 = 3, kUint8 = 4, kInt16 = 6, kUint16 = 7, kUint32 = 8, kInt64 = 9,
    kUint64 = 10, kDouble = 11, kBool = 12, kComplex64 = 16, kComplex128 = 17, kBfloat16 = 27, kUndefined = 28,
    kInt4 = 29, kUint1 = 30, kInt2 = 31,
};

struct DTypeInfo {
    const char* name; // canonical, "float16"
    int32_t number;   // ge::DataType
    DLDataType dl;
};

OPKG_CORE_API const DTypeInfo* dtype_info(int32_t number) noexcept;           // nullptr: not a type a tensor can have
OPKG_CORE_API const DTypeInfo* dtype_info(std::string_view name) noexcept;    // by canonical name
OPKG_CORE_API uint64_t bytes_of(int32_t dtype, const int64_t* shape, uint32_t ndim) noexcept; // sub-byte types are packed

// ---- the thread pool of the process -------------------------------------------------------------------------------

// OPKG_NUM_THREADS, else the CPUs that this process may use.
OPKG_CORE_API uint32_t threads() noexcept;
OPKG_CORE_API void set_threads(uint32_t count);
// Runs body(arg, i) for i in [0, n) and returns when all have returned; rethrows the first exception of a body.
OPKG_CORE_API void parallel_for(uint64_t n, void (*body)(void*, uint64_t), void* arg);

// ---- packages ------------------------------------------------------------------------------------------------------

class OPKG_CORE_API Package {
public:
    // Loads a package's host library once in a process: the same library gives the same object while one is alive.
    static std::shared_ptr<const Package> open(const std::string& root, const std::string& host_library);

    const char* vendor() const noexcept { return table_->vendor; }
    const char* name() const noexcept { return table_->name; }
    const char* version() const noexcept { return table_->version; }
    const char* soc() const noexcept { return table_->soc ? table_->soc : ""; }
    const std::string& host_library() const noexcept { return host_library_; }
    std::vector<std::string> operators() const;
    const opkg_operator_v1* find(std::string_view type) const noexcept;
    std::string describe() const;

    Package(const Package&) = delete;
    Package& operator=(const Package&) = delete;

private:
    Package(std::string host_library, const opkg_package_v1* table);
    std::string host_library_;
    const opkg_package_v1* table_;
};

// ---- attributes and tensors ----------------------------------------------------------------------------------------

struct TensorValue {
    int32_t dtype = kFloat32;
    std::vector<int64_t> shape;
    std::vector<uint8_t> data;
};

using AttrValue =
    std::variant<std::monostate, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                 std::vector<std::string>, std::vector<std::vector<int64_t>>, TensorValue>;

// kind is one of OPKG_ATTR_*; monostate means neither given nor defaulted. BOOL and DTYPE (and lists of them) are ints.
struct Attr {
    std::string name;
    int32_t kind = OPKG_ATTR_INT;
    AttrValue value;
};

// A tensor that the caller owns: compact and row-major. shape may hold -1 (a dimension not known yet) for infer.
struct Tensor {
    void* data = nullptr;
    const int64_t* shape = nullptr;
    uint32_t ndim = 0;
    int32_t dtype = kUndefined;
    bool absent = false;       // an optional input that is not given
    bool unknown_rank = false; // infer only
};

struct TensorType {
    int32_t dtype = kUndefined;
    bool unknown_rank = false;
    std::vector<int64_t> shape; // -1: not known before the operator has run
};

// Where results go, and what the caller wants to know about a run.
class OPKG_CORE_API Outputs {
public:
    virtual ~Outputs();
    // Storage for output number `index` (flat), on the thread of Call::run. A second call for one index comes from
    // within a launch, from any thread, and gives the output another shape; whoever resizes copies what was there.
    virtual void* allocate(uint32_t index, int32_t dtype, uint32_t ndim, const int64_t* shape) = 0;
    // Right before the kernel starts. last_ns: how long it took the last time with this signature, 0 where not known.
    virtual void launching(uint64_t last_ns, bool may_resize);
};

// How a launch spreads its blocks. The default is the pool above; an engine with threads of its own lends those.
struct Executor {
    uint32_t (*threads)();
    void (*parallel_for)(uint64_t n, void (*body)(void*, uint64_t), void* arg);
};

// ---- a prepared call -----------------------------------------------------------------------------------------------

// One operator with its attributes and its number of inputs and outputs. Safe to run from several threads at once.
// Output shapes and tiling are kept for each signature (shapes and dtypes of the inputs), unless the operator reads
// values.
class OPKG_CORE_API Call {
public:
    // input_groups and output_groups: for each declared input or output, how many tensors it has in this call
    // (1 for required and optional ones, any number for dynamic ones).
    Call(std::shared_ptr<const Package> package, std::string_view type, std::vector<Attr> attrs,
         std::vector<uint32_t> input_groups, std::vector<uint32_t> output_groups, std::string node_name = "");
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    uint32_t inputs() const noexcept;
    uint32_t outputs() const noexcept;
    const Package& package() const noexcept;
    const char* type() const noexcept;

    // Dtypes and shapes of the outputs as far as those of the inputs tell them; an input with data may be read.
    // An output whose shape depends on data has the right rank and only unknown dimensions.
    std::vector<TensorType> infer(const Tensor* inputs) const;
    // Dtypes alone, for inputs of which too little is known for shapes.
    std::vector<int32_t> infer_dtypes(const Tensor* inputs) const;
    // Whether shapes or tiling depend on the values of an input.
    bool reads_values() const noexcept;
    // One run. inputs: as many as inputs(). Throws Error.
    void run(const Tensor* inputs, Outputs& outputs, const Executor* executor = nullptr) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace opkg::core

#endif
