"""A project's golden: `tests/golden.py`, imported in a process of its own, and how it is called."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opkg.errors import OpkgError
from opkg.opinfo import OpInfo

GOLDEN_NAME = "golden.py"


class GoldenError(OpkgError):
    """A golden cannot be imported, raises, or returns what no result can be compared with."""

    code = "OPKG-3100"


class Golden:
    """The functions of a `golden.py`: one for each operator, of its name in snake case."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._module = _imported(file) if file.is_file() else None

    def has(self, info: OpInfo) -> bool:
        """Whether there is a function for an operator."""
        return self._function(info) is not None

    def _function(self, info: OpInfo) -> Callable[..., Any] | None:
        """The function of the operator's name in snake case, or with an underscore where that is a word of Python."""
        for name in (info.snake, f"{info.snake}_"):
            found = getattr(self._module, name, None)
            if inspect.isfunction(found):
                return found
        return None

    def __call__(
        self,
        info: OpInfo,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any],
        dtypes: Sequence[np.dtype[Any]],
        counts: Sequence[int | None],
    ) -> list[NDArray[Any]]:
        """What the operator must return, every array in its output's data type.

        Args:
            info: the operator.
            inputs: as the operator takes them; the function gets copies.
            attrs: attributes that the case gives.
            dtypes: data type of every declared output.
            counts: number of tensors of each dynamic output, None for the others.

        Raises:
            GoldenError: the function raises, or returns another number of arrays.
        """
        function = self._function(info)
        if function is None:
            raise GoldenError(f"{self._file} has no function {info.snake}")
        copies = [_copied(each) for each in inputs]
        named = _named(function, info, attrs, dtypes)
        try:
            with np.errstate(all="ignore"):
                found = function(*copies, **named)
        except Exception as error:
            raise GoldenError(
                f"the golden of {info.op} raises {type(error).__name__}: {error}", self._where()
            ) from error
        values = list(found) if isinstance(found, list | tuple) else [found]
        if len(values) != len(dtypes):
            raise GoldenError(f"the golden of {info.op} returns {len(values)} values; the operator has {len(dtypes)}")
        arrays: list[NDArray[Any]] = []
        for value, dtype, count, param in zip(values, dtypes, counts, info.outputs, strict=True):
            arrays += [_as_array(each, dtype) for each in _tensors(value, count, f"{info.op}'s output {param.name}")]
        return arrays

    def _where(self) -> str:
        """The innermost line of the project's own file in the traceback of the exception that is handled."""
        frames = traceback.extract_tb(sys.exc_info()[2])
        own = [frame for frame in frames if frame.filename == str(self._file)]
        return f"at {GOLDEN_NAME}:{own[-1].lineno}: {own[-1].line}" if own else "check its parameters"


def _imported(file: Path) -> Any:
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location("golden", file)
    if spec is None or spec.loader is None:
        raise GoldenError(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden"] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise GoldenError(f"{file} cannot be imported: {type(error).__name__}: {error}", "repair it") from error
    return module


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [each.copy() for each in value]
    return None if value is None else value.copy()


def _named(
    function: Callable[..., Any], info: OpInfo, attrs: Mapping[str, Any], dtypes: Sequence[np.dtype[Any]]
) -> dict[str, Any]:
    """Attributes, and defaults where the function itself has none; `output_dtypes` if it wants them."""
    parameters = inspect.signature(function).parameters
    named = dict(attrs)
    for attr in info.attrs:
        wanted = parameters.get(attr.name)
        if wanted is not None and wanted.default is inspect.Parameter.empty and attr.default is not None:
            named.setdefault(attr.name, attr.default)
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    if "output_dtypes" in parameters or takes_any:
        named["output_dtypes"] = tuple(dtype.name for dtype in dtypes)
    return named


def _tensors(value: Any, count: int | None, what: str) -> list[Any]:
    """The tensors of an output: of a dynamic one a list, or one array that all are like."""
    if count is None:
        return [value]
    found = list(value) if isinstance(value, list | tuple) else [value] * count
    if len(found) != count:
        raise GoldenError(f"the golden returns {len(found)} arrays for {what}; it was asked for {count}")
    return found


def _as_array(value: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)
