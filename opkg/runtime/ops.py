"""Operators as functions: `opkg.ops.<vendor>.<Type>(x, ..., attr=value)`.

    >>> import numpy as np
    >>> import opkg                                                # doctest: +SKIP
    >>> square = opkg.ops.customize.Square                         # doctest: +SKIP
    >>> square(np.array([3.0], np.float32))                        # doctest: +SKIP
    array([9.], dtype=float32)

An operator is looked up in the registry when it is taken from its vendor, so what has just been installed is found; one
that a program keeps in a variable is not looked up again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opkg._native import load_core
from opkg.errors import RunError
from opkg.opinfo import OpInfo, Param
from opkg.runtime.attrs import AttrError, complete_attrs

if TYPE_CHECKING:
    from opkg.registry import Candidate, Registry


_KERNEL_FAILED = "507015"
"""The code of a failure while a kernel ran, as CANN's runtime has it; the arguments did fit."""


class Operator:
    """One operator of an installed package, called with arrays.

    Arguments are the declared inputs in order: None or nothing for an optional one that is not given, a list of arrays
    for a dynamic one. Keyword arguments are inputs by their names, and attributes. The result is an array, or a tuple
    of arrays where the operator has several outputs; a dynamic output needs its number as `<name>_count`. `out=` takes
    the array, or the tuple of arrays, that results are written into, of their shape and data type.

    Attributes:
        op_info: what the operator takes and gives.
        package: vendor, name and version of its package.
        usage: how it is called, one line.
    """

    __slots__ = ("_attr_names", "_calls", "_native", "_package", "_plain", "op_info", "package", "usage")

    def __init__(self, candidate: Candidate) -> None:
        self.op_info: OpInfo = candidate.op_info
        self.package = f"{candidate.vendor}/{candidate.name} {candidate.version}"
        self.usage = describe(candidate.op_info)
        self._native = load_core()
        self._package = self._native.Package(str(candidate.package_root), str(candidate.host_library))
        self._attr_names = frozenset(a.name for a in candidate.op_info.attrs)
        self._calls: dict[Any, Any] = {}
        self._plain = self._plain_call()

    def __repr__(self) -> str:
        return f"<operator {self.op_info.op} of {self.package}>"

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Run the operator. Raises `RunError` for arguments that do not fit, and for what it reports itself."""
        # The usual call, kept free of everything that costs as much as a small kernel.
        if not named and self._plain is not None:
            try:
                return self._plain(*inputs)
            except (RunError, TypeError) as error:
                # What the kernel itself reports is final; anything else may be a list, a None or a number, which the
                # general way takes, or names better.
                if isinstance(error, RunError) and self._are_plain(inputs):
                    raise self._explained(error) from None
        return self._general(inputs, named)

    def _are_plain(self, inputs: Sequence[Any]) -> bool:
        """Whether the arguments are an array for each input, so that a failure is not one of calling."""
        import numpy as np

        return len(inputs) == len(self.op_info.inputs) and all(isinstance(each, np.ndarray) for each in inputs)

    def _plain_call(self) -> Any:
        """The prepared call for arrays alone, where every attribute has a default and nothing is dynamic."""
        params = (*self.op_info.inputs, *self.op_info.outputs)
        required = any(a.param_type == "required" and a.default is None for a in self.op_info.attrs)
        if required or any(p.param_type == "dynamic" for p in params):
            return None
        return self._prepared({}, [1] * len(self.op_info.inputs), [1] * len(self.op_info.outputs))

    def _general(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> Any:
        attrs = {name: value for name, value in named.items() if name in self._attr_names}
        rest = {name: value for name, value in named.items() if name not in self._attr_names}
        out = None if self._takes("out") else rest.pop("out", None)
        output_groups = [_output_count(self.op_info, p, rest) for p in self.op_info.outputs]
        groups = self._arguments(inputs, rest)
        call = self._prepared(attrs, [len(group) for group in groups], output_groups)
        arrays = [array for group in groups for array in group]
        try:
            results = call.run(arrays, None if out is None else _as_sequence(out))
        except RunError as error:
            raise self._explained(error) from None
        return results[0] if len(results) == 1 else tuple(results)

    def _takes(self, name: str) -> bool:
        """Whether the operator itself has an input of that name."""
        return any(p.name == name for p in self.op_info.inputs)

    def _explained(self, error: RunError) -> RunError:
        if error.code == _KERNEL_FAILED:
            return error
        columns = "columns are" in error.message
        hint = "turn the arrays into the data types of a column, with numpy's astype" if columns else ""
        return RunError(error.message, error.hint or hint or _columns_hint(self.op_info), code=error.code)

    def _prepared(self, attrs: Mapping[str, Any], input_groups: list[int], output_groups: list[int]) -> Any:
        key = (_frozen(attrs), tuple(input_groups), tuple(output_groups))
        call = self._calls.get(key)
        if call is None:
            try:
                complete = complete_attrs(self.op_info.attrs, attrs)
            except AttrError as error:
                raise RunError(f"{self.op_info.op}: {error}", self.usage) from None
            call = self._native.Call(self._package, self.op_info.op, complete, input_groups, output_groups)
            self._calls[key] = call
        return call

    def _arguments(self, inputs: Sequence[Any], named: Mapping[str, Any]) -> list[list[Any]]:
        params = self.op_info.inputs
        names = [p.name for p in params]
        unknown = [name for name in named if name not in names]
        if unknown or len(inputs) > len(params):
            what = f"has no input or attribute '{unknown[0]}'" if unknown else f"takes {_inputs(len(params))}"
            count = "" if unknown else f"; it was given {len(inputs)}"
            raise RunError(f"{self.op_info.op} {what}{count}", self.usage)
        given = dict(zip(names, inputs, strict=False))
        twice = [name for name in named if name in given]
        if twice:
            raise RunError(f"{self.op_info.op} was given its input '{twice[0]}' twice", self.usage)
        given.update(named)
        return [self._group(param, given.get(param.name)) for param in params]

    def _group(self, param: Param, value: Any) -> list[Any]:
        import numpy as np

        if param.param_type == "dynamic":
            if not isinstance(value, list | tuple):
                raise RunError(f"{self.op_info.op} takes a list of arrays as its dynamic input '{param.name}'")
            return [np.asarray(element, order="C") for element in value]
        if value is None:
            if param.param_type == "required":
                raise RunError(f"{self.op_info.op} was not given its input '{param.name}'", self.usage)
            return [None]
        array = np.asarray(value)
        return [array if array.flags.c_contiguous else np.ascontiguousarray(array)]


def _inputs(count: int) -> str:
    return "1 input" if count == 1 else f"{count} inputs"


_OPERATORS: dict[tuple[str, str, str], Operator] = {}
"""Operators that are loaded, by package digest, host library and type."""


class Vendor:
    """The operators of one vendor, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<operators of {self._name}>"

    def __getattr__(self, op_type: str) -> Operator:
        if op_type.startswith("__"):
            raise AttributeError(op_type)
        registry = _registry()
        candidate = _candidate(registry, self._name, op_type)
        if candidate is None:
            why = registry.explain(op_type, vendor=self._name)
            raise AttributeError(f"{self._name} has no operator {op_type}\n{why}".rstrip())
        return _operator(candidate)

    def __dir__(self) -> list[str]:
        return sorted({c.op_info.op for c in _registry().operators() if c.vendor == self._name})


def describe(info: OpInfo) -> str:
    """An operator as one line: `Square(x: float32|float16) -> (y: float32|float16)`."""
    sides = [
        ", ".join(f"{p.name}: {'|'.join(dict.fromkeys(p.dtypes))}" for p in s) for s in (info.inputs, info.outputs)
    ]
    attrs = "".join(f", {a.name}={'...' if a.default is None else repr(a.default)}" for a in info.attrs)
    return f"{info.op}({sides[0]}{attrs}) -> ({sides[1]})"


def __getattr__(vendor: str) -> Vendor:
    """The operators of a vendor (PEP 562)."""
    if vendor.startswith("_"):
        raise AttributeError(f"module 'opkg.ops' has no attribute {vendor!r}")
    return Vendor(vendor)


def __dir__() -> list[str]:
    return sorted({c.vendor for c in _registry().operators()})


def _registry() -> Registry:
    from opkg.registry import open_registry

    return open_registry()


def _candidate(registry: Registry, vendor: str, op_type: str) -> Candidate | None:
    """The vendor's operator of that name that can run here; most packages have their vendor's name as domain."""
    for domain in (vendor, None):
        chosen = registry.resolve(op_type, domain, vendor=vendor).chosen
        if chosen is not None and chosen.vendor == vendor:
            return chosen
    return None


def _operator(candidate: Candidate) -> Operator:
    key = (candidate.digest, str(candidate.host_library), candidate.op_info.op)
    # Loaded once a process: a package that changed on the disk has another digest.
    if key not in _OPERATORS:
        _OPERATORS[key] = Operator(candidate)
    return _OPERATORS[key]


def _output_count(info: OpInfo, param: Param, named: dict[str, Any]) -> int:
    if param.param_type != "dynamic":
        return 1
    count = named.pop(f"{param.name}_count", None)
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise RunError(f"{info.op} has a dynamic output '{param.name}': pass how many as {param.name}_count=")
    return count


def _as_sequence(out: Any) -> list[Any]:
    return list(out) if isinstance(out, list | tuple) else [out]


def _frozen(value: Any) -> Any:
    """A hashable stand-in for attribute values that is equal only for equal values of equal types."""
    if isinstance(value, Mapping):
        return tuple(sorted((name, _frozen(element)) for name, element in value.items()))
    if isinstance(value, list | tuple):
        return ("list", *map(_frozen, value))
    if hasattr(value, "tobytes"):
        return (str(value.dtype), tuple(value.shape), value.tobytes())
    return (type(value).__name__, value)


def _columns_hint(info: OpInfo) -> str:
    columns = [
        ", ".join(f"{p.name} {p.dtypes[column]}" for p in (*info.inputs, *info.outputs))
        for column in range(info.columns)
    ]
    return f"its columns are: {'; '.join(columns)}"
