// SPDX-License-Identifier: Apache-2.0
//
// opkg/_native/_openvino: ONNX models whose custom operators run through opkg packages.
#include "element_types.hpp"
#include "model.hpp"

#include "arrays.hpp"
#include "attr_values.hpp"
#include "errors.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace opkg::python {
namespace {

using openvino::CustomOp;
using openvino::Port;

// Keeps the memory of an object that has the buffer protocol.
class Buffer {
public:
    Buffer() = default;
    ~Buffer() { release(); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    openvino::Bytes open(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
        held_ = true;
        return {view_.buf, static_cast<size_t>(view_.len)};
    }
    void release() {
        if (held_) PyBuffer_Release(&view_);
        held_ = false;
    }

private:
    Py_buffer view_{};
    bool held_ = false;
};

openvino::ParamKind param_kind(const std::string& text) {
    if (text == "required") return openvino::ParamKind::kRequired;
    if (text == "optional") return openvino::ParamKind::kOptional;
    if (text == "dynamic") return openvino::ParamKind::kDynamic;
    throw nb::value_error(("'" + text + "' is none of required, optional, dynamic").c_str());
}

using Params = std::vector<std::tuple<std::string, std::string>>;

std::vector<openvino::Param> params_of(const Params& given) {
    std::vector<openvino::Param> params;
    for (const auto& [name, kind] : given) params.push_back({name, param_kind(kind)});
    return params;
}

// What Python holds: the declaration, shared with the nodes that are made of it.
struct Declared {
    std::shared_ptr<CustomOp> op;
};

Declared declare(const std::string& domain, const std::string& type, const std::string& key, const std::string& root,
                 const std::string& host_library, const Params& inputs, const Params& outputs, nb::object attrs,
                 const std::string& op_type) {
    auto op = std::make_shared<CustomOp>();
    op->domain = domain;
    op->type = type;
    op->key = key;
    op->root = root;
    op->host_library = host_library;
    op->op_type = op_type.empty() ? type : op_type;
    op->inputs = params_of(inputs);
    op->outputs = params_of(outputs);
    op->attrs = attrs_from_python(attrs);
    return {std::move(op)};
}

std::string shape_text(const std::vector<int64_t>& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + (shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
    return text + (shape.size() == 1 ? ",)" : ")");
}

bool takes_shape(const Port& port, const core::Tensor& tensor) {
    if (!port.fixed && port.shape.empty()) return true; // any rank
    if (port.shape.size() != tensor.ndim) return false;
    for (uint32_t i = 0; i < tensor.ndim; ++i)
        if (port.shape[i] >= 0 && port.shape[i] != tensor.shape[i]) return false;
    return true;
}

class Model {
public:
    Model(nb::object model, const std::vector<Declared>& custom, nb::object config, nb::object blob, nb::object input_shapes) {
        openvino::Source source;
        source.is_blob = !blob.is_none();
        nb::object from = source.is_blob ? blob : model;
        if (from.is_none()) throw nb::value_error("one of model and blob must be given");
        if (nb::isinstance<nb::str>(from)) source.path = nb::cast<std::string>(from);
        else source.bytes = bytes_.open(from);
        std::vector<std::shared_ptr<const CustomOp>> ops;
        for (const Declared& declared : custom) ops.push_back(declared.op);
        const auto options = mapping<openvino::CompiledModel::Config>(config);
        const auto shapes = mapping<openvino::CompiledModel::InputShapes>(input_shapes);
        {
            nb::gil_scoped_release release;
            compiled_ = std::make_unique<openvino::CompiledModel>(source, ops, options, shapes);
        }
        if (!source.is_blob) bytes_.release(); // an imported model goes on reading its weights there
    }

    ~Model() {
        nb::gil_scoped_release release;
        compiled_.reset();
    }

    openvino::CompiledModel& compiled() const noexcept { return *compiled_; }
    nb::list infer(nb::handle inputs);

private:
    template <class Map>
    static Map mapping(const nb::object& object) {
        return object.is_none() ? Map{} : nb::cast<Map>(object);
    }
    std::vector<nb::object> in_order(nb::handle inputs) const;
    void check(const Port& port, const core::Tensor& tensor) const;
    ov::TensorVector input_tensors(const ArrayInputs& arrays) const;

    Buffer bytes_;
    std::unique_ptr<openvino::CompiledModel> compiled_;
};

[[noreturn]] void wrong_input(const std::string& message) { throw core::Error("OPKG-9201", message); }

std::string names(const std::vector<Port>& ports) {
    std::string text;
    for (const Port& port : ports) text += (text.empty() ? "'" : ", '") + port.name + "'";
    return text;
}

std::vector<nb::object> Model::in_order(nb::handle inputs) const {
    const std::vector<Port>& ports = compiled_->inputs();
    std::vector<nb::object> found;
    if (PyDict_Check(inputs.ptr()) || PyMapping_Check(inputs.ptr()) > PySequence_Check(inputs.ptr())) {
        for (const Port& port : ports) {
            PyObject* item = PyMapping_GetItemString(inputs.ptr(), port.name.c_str());
            if (!item) {
                PyErr_Clear();
                wrong_input("input '" + port.name + "' is not given");
            }
            found.push_back(nb::steal(item));
        }
        if (static_cast<size_t>(PyMapping_Size(inputs.ptr())) != ports.size())
            wrong_input("the model takes the inputs " + names(ports) + ", and more were given");
        return found;
    }
    for (nb::handle item : nb::iter(inputs)) found.push_back(nb::borrow(item));
    if (found.size() != ports.size())
        wrong_input("the model takes " + std::to_string(ports.size()) + " inputs (" + names(ports) + "), and got " +
                    std::to_string(found.size()));
    return found;
}

void Model::check(const Port& port, const core::Tensor& tensor) const {
    if (tensor.absent) wrong_input("input '" + port.name + "' is not given");
    if (tensor.dtype != port.dtype) {
        const core::DTypeInfo* wanted = core::dtype_info(port.dtype);
        wrong_input("input '" + port.name + "' takes " + (wanted ? wanted->name : "a type that arrays do not have") + ", and got " +
                    core::dtype_info(tensor.dtype)->name);
    }
    if (!takes_shape(port, tensor))
        wrong_input("input '" + port.name + "' takes shape " + shape_text(port.shape) + ", and got " +
                    shape_text({tensor.shape, tensor.shape + tensor.ndim}));
}

ov::TensorVector Model::input_tensors(const ArrayInputs& arrays) const {
    ov::TensorVector tensors;
    for (size_t i = 0; i < compiled_->inputs().size(); ++i) {
        const core::Tensor& tensor = arrays.data()[i];
        const Port& port = compiled_->inputs()[i];
        check(port, tensor);
        tensors.emplace_back(port.type, ov::Shape(tensor.shape, tensor.shape + tensor.ndim), tensor.data);
    }
    return tensors;
}

// Results are copied out of the request. Lending the engine arrays to write to would save that, but where an output is
// an input of the model, or a view of one, it then reads the array instead of the input.
nb::object copy_of(const Port& port, const ov::Tensor& tensor) {
    const ov::Shape dims = tensor.get_shape(); // a copy: each call may give another object
    const std::vector<int64_t> shape(dims.begin(), dims.end());
    nb::object array = new_array(port.dtype, static_cast<uint32_t>(shape.size()), shape.data());
    const uint64_t count = ov::shape_size(dims);
    if (is_packed(port.dtype)) unpack(port.dtype, tensor.data(), count, array_data(array));
    else std::memcpy(array_data(array), tensor.data(), core::bytes_of(port.dtype, shape.data(), static_cast<uint32_t>(shape.size())));
    return array;
}

nb::list Model::infer(nb::handle inputs) {
    const std::vector<nb::object> objects = in_order(inputs);
    const ArrayInputs arrays(reinterpret_cast<const nb::handle*>(objects.data()), objects.size());
    const ov::TensorVector tensors = input_tensors(arrays);
    openvino::CompiledModel::Lease lease(*compiled_);
    {
        nb::gil_scoped_release release;
        compiled_->infer(lease, tensors);
    }
    nb::list results;
    for (size_t i = 0; i < compiled_->outputs().size(); ++i)
        results.append(copy_of(compiled_->outputs()[i], lease.request().get_output_tensor(i)));
    return results;
}

nb::list ports_of(const std::vector<Port>& ports) {
    nb::list found;
    for (const Port& port : ports) {
        nb::list dims;
        for (int64_t dim : port.shape) dims.append(dim);
        const core::DTypeInfo* info = core::dtype_info(port.dtype);
        found.append(nb::make_tuple(port.name, info ? info->name : "", nb::tuple(dims)));
    }
    return found;
}

bool carries(const std::string& dtype) {
    const core::DTypeInfo* info = core::dtype_info(dtype);
    return info && openvino::carried(info->number) != ov::element::dynamic;
}

void bind(nb::module_& module) {
    nb::class_<Declared>(module, "CustomOp")
        .def(
            "__init__",
            [](Declared* self, const std::string& domain, const std::string& type, const std::string& key,
               const std::string& root, const std::string& library, const Params& inputs, const Params& outputs,
               nb::object attrs, const std::string& op_type) {
                new (self) Declared(declare(domain, type, key, root, library, inputs, outputs, std::move(attrs), op_type));
            },
            nb::arg("domain"), nb::arg("type"), nb::arg("key"), nb::arg("root"), nb::arg("host_library"), nb::arg("inputs"),
            nb::arg("outputs"), nb::arg("attrs") = nb::tuple(), nb::arg("op_type") = "")
        .def_prop_ro("key", [](const Declared& self) { return self.op->key; });
    nb::class_<Model>(module, "Model")
        .def(nb::init<nb::object, const std::vector<Declared>&, nb::object, nb::object, nb::object>(), nb::arg("model").none(),
             nb::arg("custom") = std::vector<Declared>{}, nb::kw_only(), nb::arg("config") = nb::none(),
             nb::arg("blob") = nb::none(), nb::arg("input_shapes") = nb::none())
        .def_prop_ro("inputs", [](const Model& self) { return ports_of(self.compiled().inputs()); })
        .def_prop_ro("outputs", [](const Model& self) { return ports_of(self.compiled().outputs()); })
        .def_prop_ro("custom_nodes", [](const Model& self) { return self.compiled().custom_nodes(); })
        .def("infer", &Model::infer, nb::arg("inputs"))
        .def("export_blob", [](const Model& self) {
            std::string blob;
            {
                nb::gil_scoped_release release;
                blob = self.compiled().export_blob();
            }
            return nb::bytes(blob.data(), blob.size());
        });
    module.def("version", &openvino::engine_version);
    module.def("carries", &carries, nb::arg("dtype"));
}

} // namespace

NB_MODULE(_openvino, module) {
    import_numpy();
    register_errors();
    bind(module);
}

} // namespace opkg::python
