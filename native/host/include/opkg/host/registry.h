// SPDX-License-Identifier: Apache-2.0
// What the sources of one host library register while it is loaded. Each library has a registry of its own, so packages
// that live in one process never see each other's operators.
#ifndef OPKG_HOST_REGISTRY_H
#define OPKG_HOST_REGISTRY_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opkg/package_abi.h"

namespace ops {
class OpDef;
class OpAICoreConfig;
} // namespace ops

namespace gert {
class InferShapeContext;
class InferShapeRangeContext;
class InferDataTypeContext;
class TilingContext;
class TilingParseContext;
} // namespace gert

namespace opkg::host {

// The functions of one operator that IMPL_OP and its like registered.
struct ImplSpec {
    uint32_t (*infer_shape)(gert::InferShapeContext *) = nullptr;
    uint32_t (*infer_shape_range)(gert::InferShapeRangeContext *) = nullptr;
    uint32_t (*infer_dtype)(gert::InferDataTypeContext *) = nullptr;
    uint32_t (*tiling)(gert::TilingContext *) = nullptr;
    uint32_t (*parse)(gert::TilingParseContext *) = nullptr;
    void *(*create_compile_info)() = nullptr;
    bool dtype_of_first_input = false;
    std::vector<int32_t> value_inputs;
    std::vector<int32_t> tiling_value_inputs;
    std::vector<int32_t> computed_shapes;
};

// One field of a tiling struct. type is NULL for a nested struct, whose class is struct_name.
struct TilingField {
    const char *name;
    const char *type;
    const char *struct_name;
    uint32_t count; // elements of an array, 0 for a single value
    uint32_t offset;
    uint32_t size;
};

struct RegistryData;

class __attribute__((visibility("default"))) Registry {
public:
    Registry();
    ~Registry();
    Registry(const Registry &) = delete;
    Registry &operator=(const Registry &) = delete;

    bool AddOperator(const char *type, ops::OpDef *(*create)(const char *type));
    bool AddConfig(const char *type, const char *soc, ops::OpAICoreConfig (*create)());
    // The object belongs to the registry; the same type gives the same object.
    ImplSpec *Impl(const char *type);
    bool AddTilingStruct(const char *op_type, const char *class_name, size_t size, const TilingField *fields,
                         size_t count);
    bool AddPackage(const char *vendor, const char *name, const char *version, const char *soc);
    bool AddKernelPath(const char *type, const char *path);

    // What opkg_package_open_v1 returns. Never throws; NULL only without memory.
    const opkg_package_v1 *Open(const char *root, const char *(*describe)()) noexcept;
    const char *Describe() noexcept;

private:
    RegistryData *data_;
};

// Hidden, so that every library gets its own. Never destroyed: threads may still run kernels while a process ends.
__attribute__((visibility("hidden"))) inline Registry &registry()
{
    static Registry *own = new Registry();
    return *own;
}

} // namespace opkg::host

#endif // OPKG_HOST_REGISTRY_H
