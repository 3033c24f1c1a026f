"""Operators for which the templates have no correct kernel, and why."""

from __future__ import annotations

import keyword
from collections.abc import Mapping

from opkg.errors import ProjectError
from opkg.opinfo import OpInfo, Param
from opkg.project import kinds
from opkg.project.attribute import OPDEF_ATTRS
from opkg.project.cpp_words import CPP_KEYWORDS, PYTHON_WORDS, TYPE_WORDS
from opkg.project.shapes import SAME
from opkg.project.tensor import argument


def check(info: OpInfo, shapes: Mapping[str, str]) -> None:
    """Returns if a kernel can be generated for the operator, whose outputs have these kinds of shapes.

    Raises:
        ProjectError: it cannot; says what stands in the way.
    """
    if info.op in TYPE_WORDS or info.op in CPP_KEYWORDS:
        raise ProjectError(
            f"an operator cannot be called {info.op}, as something in C++ is", f"call it {info.op}Custom"
        )
    if all(param.param_type == "optional" for param in info.inputs):
        raise _refusal(info, "it has no input that is always there, which would give its outputs their shape")
    if not info.outputs:
        raise _refusal(info, "it has no output")
    for param in (*info.inputs, *info.outputs):
        _check_param(info, param)
    for attr in info.attrs:
        if attr.type not in OPDEF_ATTRS:
            raise _refusal(
                info,
                f"its attribute {attr.name} has type {attr.type}, which no OpDef can declare "
                f"(it declares {', '.join(OPDEF_ATTRS)})",
            )
    if len(info.inputs) > 31:
        raise _refusal(info, "it has more than 31 inputs")
    _check_shapes(info, shapes)
    _check_columns(info)
    _check_names(info)


def _check_shapes(info: OpInfo, shapes: Mapping[str, str]) -> None:
    sums = {shape.removesuffix("-kept") for shape in shapes.values() if shape != SAME}
    if len(sums) > 1:
        raise _refusal(info, "one output is summed along the last axis, another over all elements")
    inputs = {param.name for param in info.inputs}
    for name, shape in shapes.items():
        if shape != SAME and name in inputs:
            raise _refusal(info, f"its output '{name}' is in the place of an input and cannot have another shape")


def _check_columns(info: OpInfo) -> None:
    for column in zip(*(param.dtypes for param in (*info.inputs, *info.outputs)), strict=True):
        small = {"float16", "bfloat16"} & set(column)
        if "double" in column and small:
            raise _refusal(info, f"it has double and {small.pop()} in one column, between which nothing converts")


def _check_param(info: OpInfo, param: Param) -> None:
    in_place = {p.name for p in info.inputs} & {p.name for p in info.outputs}
    if param.name in in_place and param.param_type != "required":
        raise _refusal(info, f"'{param.name}' is an input and an output in one place, and {param.param_type}")
    for name in param.dtypes:
        if name not in kinds.SUPPORTED:
            raise _refusal(info, f"'{param.name}' has data type {name}, in which no Ascend C instruction computes")


def _check_names(info: OpInfo) -> None:
    names = [param.name for param in (*info.inputs, *info.outputs)]
    for name in [*names, *(attr.name for attr in info.attrs)]:
        if name in CPP_KEYWORDS:
            raise ProjectError(f"{info.op}: '{name}' cannot name an argument of a kernel", "choose another name")
    _check_folded(info)
    for attr in info.attrs:
        if attr.name in PYTHON_WORDS or keyword.iskeyword(attr.name):
            raise ProjectError(f"{info.op}: '{attr.name}' cannot name an attribute here", "choose another name")
        if attr.name in names:
            raise ProjectError(f"{info.op}: '{attr.name}' names an attribute and an input or output", "rename one")


def _check_folded(info: OpInfo) -> None:
    """A kernel has one macro for each upper-cased name; an output that is named as an input gets `_REF`."""
    inputs = [param.name for param in info.inputs]
    outputs = [(p.name, f"{p.name}_ref" if p.name in inputs else p.name) for p in info.outputs]
    taken: dict[str, str] = {}
    for name, kernel_name in (*zip(inputs, inputs, strict=True), *outputs):
        for key in {kernel_name.upper(), argument(kernel_name).upper()}:
            if key in taken:
                raise ProjectError(
                    f"{info.op}: '{taken[key]}' and '{name}' would be one name in a kernel", "rename one"
                )
            taken[key] = name


def _refusal(info: OpInfo, why: str) -> ProjectError:
    return ProjectError(
        f"no kernel can be generated for {info.op}: {why}",
        "start from a simpler signature and write that part of the kernel by hand",
    )
