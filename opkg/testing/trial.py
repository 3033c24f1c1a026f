"""One case, run in this process: the golden, the operator several times, and what it may not touch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opkg.errors import OpkgError, RunError
from opkg.opinfo import OpInfo, Param
from opkg.runtime.numpy_types import numpy_dtype
from opkg.runtime.ops import Operator
from opkg.testing import outcome as verdicts
from opkg.testing.case import Case
from opkg.testing.compare import compare
from opkg.testing.golden import Golden
from opkg.testing.outcome import Outcome, outcome_of
from opkg.testing.tolerance import Tolerance, tolerance_for
from opkg.testing.values import make_inputs

_GUARD = 512
"""Bytes before and after an array; what the kit's allocator aligns to."""

_PATTERN = 0xA5
_RUNS = {"one": 2, "many": 3, "backwards": 2}
"""How often a case is run: cores that disturb each other do not always do so."""


class _WrongError(Exception):
    """The operator did something wrong; what there is to say about it."""

    def __init__(self, message: str, **more: Any) -> None:
        super().__init__(message)
        self.message, self.more = message, more


def run_case(case: Case, operator: Operator, golden: Golden, tolerances: Mapping[str, Tolerance]) -> Outcome:
    """The outcome of a case, whatever the operator reports; what it does to the process is not caught."""
    start = perf_counter()
    try:
        _Trial(case, operator, golden, tolerances).run()
    except _WrongError as wrong:
        return outcome_of(case, verdicts.MISMATCH, perf_counter() - start, wrong.message, **wrong.more)
    except OpkgError as error:
        details = (error.hint,) if error.hint else ()
        return outcome_of(case, verdicts.ERROR, perf_counter() - start, error.message, details=details)
    return outcome_of(case, verdicts.PASSED, perf_counter() - start)


class _Trial:
    def __init__(self, case: Case, operator: Operator, golden: Golden, tolerances: Mapping[str, Tolerance]) -> None:
        self._case, self._operator, self._info = case, operator, operator.op_info
        self._tolerances = tolerances
        self._outputs = _outputs_of(self._info, case)
        given = make_inputs(case, self._info)
        dtypes = [numpy_dtype(param.dtypes[case.column]) for param in self._info.outputs]
        counts = [_count(p, case) if p.param_type == "dynamic" else None for p in self._info.outputs]
        self._want = golden(self._info, given, case.attrs, dtypes, counts)
        self._inputs = [_guarded(each) for each in given]
        self._before = [_copied(each) for each in self._inputs]

    def run(self) -> None:
        """Run it into arrays of our own, which show what is written beside them, and once as anybody does."""
        computed = any(dict(p.extra).get("outputShapeDependOnCompute") for p in self._info.outputs)
        for _ in range(_RUNS[self._case.cores] - 1):
            if computed:
                self._check(self._call())
            else:
                self._run_guarded()
        self._check(self._call())

    def _call(self, **more: Any) -> Sequence[NDArray[Any]]:
        counts = {f"{name}_count": count for name, count in self._counts().items()}
        found = self._operator(*self._inputs, **self._case.attrs, **counts, **more)
        return found if isinstance(found, tuple) else [found]

    def _run_guarded(self) -> None:
        out = [_Guarded(want.shape, want.dtype) for want in self._want]
        try:
            self._call(out=tuple(each.array for each in out))
        except RunError:
            self._check(self._call())  # says so where the outputs are others than the golden's
            raise
        for each, (name, _) in zip(out, self._outputs, strict=True):
            _check_guard(each, name)
        self._check([each.array for each in out])

    def _counts(self) -> dict[str, int]:
        return {p.name: _count(p, self._case) for p in self._info.outputs if p.param_type == "dynamic"}

    def _check(self, results: Sequence[NDArray[Any]]) -> None:
        for got, want, (name, dtype) in zip(results, self._want, self._outputs, strict=True):
            if got.dtype != want.dtype:
                raise _WrongError(f"output {name} has the data type {got.dtype}; the column says {want.dtype}")
            if got.shape != want.shape:
                raise _WrongError(f"output {name} has the shape {list(got.shape)}; the golden has {list(want.shape)}")
            tolerance = self._tolerances.get(dtype) or tolerance_for(dtype)
            found = compare(got, want, tolerance)
            if found is not None:
                raise _WrongError(
                    f"output {name}: {found}",
                    details=(f"tolerance of {dtype}: {tolerance}",),
                    difference={"output": name, **asdict(found), "tolerance": asdict(tolerance)},
                )
        self._check_inputs()

    def _check_inputs(self) -> None:
        in_place = {p.name for p in self._info.outputs}
        for param, now, before in zip(self._info.inputs, self._inputs, self._before, strict=True):
            # An output of an input's name is that input, changed on purpose.
            if param.name not in in_place and _bytes(now) != _bytes(before):
                raise _WrongError(f"the kernel changed its input {param.name}")


def _outputs_of(info: OpInfo, case: Case) -> list[tuple[str, str]]:
    """Name and data type of every output tensor."""
    return [
        (p.name if p.param_type != "dynamic" else f"{p.name}[{i}]", p.dtypes[case.column])
        for p in info.outputs
        for i in range(_count(p, case))
    ]


def _count(param: Param, case: Case) -> int:
    """Tensors of an output: as many as the project says, else as the longest dynamic input has."""
    if param.param_type != "dynamic":
        return 1
    return case.counts.get(param.name) or max(len(group) for group in case.inputs if group is not None)


class _Guarded:
    """An array with a pattern before, in and after it."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        size = int(np.prod(shape)) * dtype.itemsize
        whole = np.full(size + 3 * _GUARD, _PATTERN, np.uint8)
        start = _GUARD + -(whole.ctypes.data + _GUARD) % _GUARD
        self._whole, self._start, self._end = whole, start, start + size
        self.array: NDArray[Any] = whole[start : start + size].view(dtype).reshape(shape)

    def touched(self) -> tuple[int, int]:
        """How far writes went before and beyond the array, in bytes."""
        before = np.flatnonzero(self._whole[: self._start] != _PATTERN)
        after = np.flatnonzero(self._whole[self._end :] != _PATTERN)
        return (self._start - int(before[0]) if before.size else 0), (int(after[-1]) + 1 if after.size else 0)


def _check_guard(guarded: _Guarded, name: str) -> None:
    before, after = guarded.touched()
    if before:
        raise _WrongError(f"the kernel wrote up to {before} bytes before the start of its output {name}")
    if after:
        raise _WrongError(f"the kernel wrote up to {after} bytes beyond the end of its output {name}")


def _guarded(value: Any) -> Any:
    """The same values with a pattern beside them, so that what is read beyond them is not zero by chance."""
    if isinstance(value, list):
        return [_guarded(each) for each in value]
    if value is None:
        return None
    made = _Guarded(value.shape, value.dtype).array
    made[...] = value
    return made


def _copied(value: Any) -> Any:
    return [each.copy() for each in value] if isinstance(value, list) else None if value is None else value.copy()


def _bytes(value: Any) -> Any:
    return [each.tobytes() for each in value] if isinstance(value, list) else None if value is None else value.tobytes()
