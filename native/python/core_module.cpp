// SPDX-License-Identifier: Apache-2.0
//
// opkg/_native/_core: packages and their operators, called in this process.
#include "arrays.hpp"
#include "attr_values.hpp"
#include "errors.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace opkg::python {
namespace {

using core::Call;
using core::Package;

class Handles {
public:
    explicit Handles(nb::handle sequence) : fast_(nb::steal(PySequence_Fast(sequence.ptr(), "expected a sequence of arrays"))) {
        if (!fast_.is_valid()) throw nb::python_error();
    }
    const nb::handle* data() const { return reinterpret_cast<const nb::handle*>(PySequence_Fast_ITEMS(fast_.ptr())); }
    size_t size() const { return static_cast<size_t>(PySequence_Fast_GET_SIZE(fast_.ptr())); }

private:
    nb::object fast_;
};
static_assert(sizeof(nb::handle) == sizeof(PyObject*));

void expect_count(const Call& call, const char* what, size_t want, size_t got) {
    if (want == got) return;
    throw core::Error("OPKG-9201", std::string(call.type()) + " takes " + std::to_string(want) + " " + what +
                                       (want == 1 ? "" : "s") + ", and got " + std::to_string(got));
}

void run_into(const Call& call, const nb::handle* items, size_t count, ArrayOutputs& outputs) {
    expect_count(call, "input", call.inputs(), count);
    ArrayInputs inputs(items, count);
    try {
        call.run(inputs.data(), outputs);
    } catch (...) {
        outputs.lock(); // before the arguments go
        throw;
    }
    outputs.finish();
}

nb::object run(const Call& call, nb::handle inputs, nb::handle out) {
    Handles items(inputs);
    const size_t count = call.outputs();
    if (out.is_none()) {
        ArrayOutputs outputs(count, nullptr);
        run_into(call, items.data(), items.size(), outputs);
        nb::list results;
        for (size_t i = 0; i < count; ++i) results.append(outputs.take(i));
        return results;
    }
    Handles given(out);
    expect_count(call, "output array", count, given.size());
    ArrayOutputs outputs(count, given.data());
    run_into(call, items.data(), items.size(), outputs);
    return nb::borrow(out);
}

nb::object invoke(const Call& call, nb::args inputs) {
    ArrayOutputs outputs(call.outputs(), nullptr);
    run_into(call, reinterpret_cast<const nb::handle*>(PySequence_Fast_ITEMS(inputs.ptr())), inputs.size(), outputs);
    if (call.outputs() == 1) return outputs.take(0);
    nb::list results;
    for (size_t i = 0; i < call.outputs(); ++i) results.append(outputs.take(i));
    return nb::tuple(results);
}

nb::object shape_tuple(const core::TensorType& type) {
    if (type.unknown_rank) return nb::none();
    nb::list dims;
    for (int64_t dim : type.shape) dims.append(dim);
    return nb::tuple(dims);
}

nb::list infer(const Call& call, nb::sequence shapes, nb::sequence dtypes) {
    expect_count(call, "shape", call.inputs(), nb::len(shapes));
    expect_count(call, "dtype", call.inputs(), nb::len(dtypes));
    std::vector<std::vector<int64_t>> dims(call.inputs());
    std::vector<core::Tensor> tensors(call.inputs());
    for (uint32_t i = 0; i < call.inputs(); ++i) {
        nb::object shape = shapes[i], dtype = dtypes[i];
        tensors[i].absent = dtype.is_none();
        if (tensors[i].absent) continue;
        tensors[i].dtype = nb::cast<int32_t>(dtype);
        tensors[i].unknown_rank = shape.is_none();
        if (tensors[i].unknown_rank) continue;
        for (nb::handle dim : nb::iter(shape)) dims[i].push_back(nb::cast<int64_t>(dim));
        tensors[i].shape = dims[i].data();
        tensors[i].ndim = static_cast<uint32_t>(dims[i].size());
    }
    nb::list found;
    for (const core::TensorType& type : call.infer(tensors.data()))
        found.append(nb::make_tuple(type.dtype, shape_tuple(type)));
    return found;
}

void bind_package(nb::module_& module) {
    nb::class_<Package>(module, "Package")
        .def(nb::new_([](const std::string& root, const std::string& library) {
                 return std::const_pointer_cast<Package>(Package::open(root, library));
             }),
             nb::arg("root"), nb::arg("host_library"))
        .def_prop_ro("vendor", &Package::vendor)
        .def_prop_ro("name", &Package::name)
        .def_prop_ro("version", &Package::version)
        .def_prop_ro("soc", &Package::soc)
        .def_prop_ro("operators", &Package::operators)
        .def("describe", &Package::describe);
}

void bind_call(nb::module_& module) {
    nb::class_<Call>(module, "Call")
        .def(
            "__init__",
            [](Call* self, std::shared_ptr<Package> package, const std::string& type, nb::object attrs,
               std::vector<uint32_t> ins, std::vector<uint32_t> outs, std::string node_name) {
                new (self) Call(std::move(package), type, attrs_from_python(attrs), std::move(ins), std::move(outs),
                                std::move(node_name));
            },
            nb::arg("package"), nb::arg("op_type"), nb::arg("attrs") = nb::tuple(),
            nb::arg("input_groups") = std::vector<uint32_t>{1}, nb::arg("output_groups") = std::vector<uint32_t>{1},
            nb::arg("node_name") = "")
        .def_prop_ro("input_count", &Call::inputs)
        .def_prop_ro("output_count", &Call::outputs)
        .def("run", &run, nb::arg("inputs"), nb::arg("out") = nb::none())
        .def("__call__", &invoke)
        .def("infer", &infer, nb::arg("shapes"), nb::arg("dtypes"));
}

void bind_numbers(nb::module_& module) {
    const std::pair<const char*, int> numbers[] = {
        {"ATTR_INT", OPKG_ATTR_INT},
        {"ATTR_FLOAT", OPKG_ATTR_FLOAT},
        {"ATTR_BOOL", OPKG_ATTR_BOOL},
        {"ATTR_STRING", OPKG_ATTR_STRING},
        {"ATTR_DTYPE", OPKG_ATTR_DTYPE},
        {"ATTR_LIST_INT", OPKG_ATTR_LIST_INT},
        {"ATTR_LIST_FLOAT", OPKG_ATTR_LIST_FLOAT},
        {"ATTR_LIST_BOOL", OPKG_ATTR_LIST_BOOL},
        {"ATTR_LIST_STRING", OPKG_ATTR_LIST_STRING},
        {"ATTR_LIST_DTYPE", OPKG_ATTR_LIST_DTYPE},
        {"ATTR_LIST_LIST_INT", OPKG_ATTR_LIST_LIST_INT},
        {"ATTR_TENSOR", OPKG_ATTR_TENSOR},
        {"ABI_VERSION", OPKG_ABI_VERSION},
    };
    for (const auto& [name, value] : numbers) module.attr(name) = value;
}

} // namespace

NB_MODULE(_core, module) {
    import_numpy();
    register_errors();
    bind_package(module);
    bind_call(module);
    bind_numbers(module);
    module.def("threads", [] { return core::threads(); });
    module.def("set_threads", &core::set_threads, nb::arg("count"));
}

} // namespace opkg::python
