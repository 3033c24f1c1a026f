"""Operators for which the templates have no correct kernel, and why."""

from __future__ import annotations

from opkg.errors import ProjectError
from opkg.opinfo import OpInfo, Param
from opkg.project import kinds
from opkg.project.attribute import OPDEF_ATTRS
from opkg.project.cpp_words import C_LIBRARY, CPP_KEYWORDS, KERNEL_WORDS, PYTHON_WORDS


def check(info: OpInfo) -> None:
    """Returns if a kernel can be generated for the operator.

    Raises:
        ProjectError: it cannot; says what stands in the way.
    """
    if info.snake in C_LIBRARY or info.snake in CPP_KEYWORDS:
        raise ProjectError(
            f"the kernel of {info.op} would be called '{info.snake}', which C++ or its library uses already",
            f"call the operator {info.op}Custom",
        )
    if info.op == "OpDef":
        raise ProjectError("an operator cannot be called OpDef, as its own base class is", "call it OpDefCustom")
    if not any(param.param_type == "required" for param in info.inputs):
        raise _refusal(info, "it has no required input, which would give its outputs their shape")
    for param in (*info.inputs, *info.outputs):
        _check_param(info, param)
    for attr in info.attrs:
        if attr.type not in OPDEF_ATTRS:
            raise _refusal(info, f"its attribute {attr.name} has type {attr.type}, which no OpDef can declare")
    if len(info.inputs) > 31:
        raise _refusal(info, "it has more than 31 inputs")
    _check_names(info)


def _check_param(info: OpInfo, param: Param) -> None:
    if param.param_type == "dynamic":
        raise _refusal(info, f"'{param.name}' is dynamic (any number of tensors)")
    if param in info.outputs and param.param_type == "optional":
        raise _refusal(info, f"its output '{param.name}' is optional")
    for name in param.dtypes:
        if name not in kinds.SUPPORTED:
            raise _refusal(info, f"'{param.name}' has data type {name}, in which no Ascend C instruction computes")


def _check_names(info: OpInfo) -> None:
    names = [param.name for param in (*info.inputs, *info.outputs)]
    for name in [*names, *(attr.name for attr in info.attrs)]:
        if name in CPP_KEYWORDS or name in KERNEL_WORDS:
            raise ProjectError(f"{info.op}: '{name}' cannot name an argument of a kernel", "choose another name")
    for kind in (info.inputs, info.outputs):
        folded: dict[str, str] = {}
        for param in kind:
            other = folded.setdefault(param.name.upper(), param.name)
            if other != param.name:
                raise ProjectError(
                    f"{info.op}: '{other}' and '{param.name}' differ in case only, and a kernel has one macro for both"
                )
    for attr in info.attrs:
        if attr.name in PYTHON_WORDS:
            raise ProjectError(f"{info.op}: '{attr.name}' cannot name an attribute here", "choose another name")
        if attr.name in names:
            raise ProjectError(f"{info.op}: '{attr.name}' names an attribute and an input or output", "rename one")


def _refusal(info: OpInfo, why: str) -> ProjectError:
    return ProjectError(
        f"no kernel can be generated for {info.op}: {why}",
        "start from a simpler signature and write that part of the kernel by hand",
    )
