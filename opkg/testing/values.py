"""The values of a case's inputs: random ones, and those that kernels get wrong."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opkg.opinfo import OpInfo
from opkg.runtime.numpy_types import numpy_dtype
from opkg.testing.case import Case, Shape

_FLOAT_RANGE = (-4.0, 4.0)
_INT_RANGE = (-8.0, 8.0)
_GRID = 8
"""Random floating point values are multiples of one eighth, so that sums are exact in whatever order they are made."""


def make_inputs(case: Case, info: OpInfo) -> list[Any]:
    """The arrays of every declared input: None for an absent one, a list for a dynamic one."""
    maker = _special_values if case.special else _random_values
    integer_out = any(numpy_dtype(p.dtypes[case.column]).kind in "iub" for p in info.outputs)
    made: list[Any] = []
    for number, (param, group) in enumerate(zip(info.inputs, case.inputs, strict=True)):
        if group is None:
            made.append(None)
            continue
        dtype = numpy_dtype(param.dtypes[case.column])
        limits = case.ranges.get(param.name) or case.ranges.get("*")
        arrays = [
            maker(dtype, shape, _Place(case, number + 31 * i, limits, integer_out)) for i, shape in enumerate(group)
        ]
        made.append(arrays if param.param_type == "dynamic" else arrays[0])
    return made


class _Place:
    """What values depend on besides data type and shape."""

    def __init__(self, case: Case, number: int, limits: tuple[float, float] | None, integer_out: bool) -> None:
        self.case = case
        self.number, self.limits, self.integer_out = number, limits, integer_out
        self.rng = np.random.default_rng(
            # Of the case's name, not its number: a case that is repeated alone, or among others, has the same values.
            [case.seed, zlib.crc32(f"{case.op}/{case.column}/{case.name}".encode()), number]
        )


def _random_values(dtype: np.dtype[Any], shape: Shape, place: _Place) -> NDArray[Any]:
    rng = place.rng
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low, high = _integer_limits(dtype, place.limits or _INT_RANGE)
        return rng.integers(low, high, shape, dtype=dtype.type, endpoint=True).astype(dtype).reshape(shape)
    real = np.asarray(_random_reals(shape, place))
    if dtype.kind == "c":
        return np.asarray(real + 1j * _random_reals(shape, place)).astype(dtype)
    return real.astype(dtype)


def _random_reals(shape: Shape, place: _Place) -> NDArray[np.float64]:
    lowest, highest = place.limits or _FLOAT_RANGE
    found = np.asarray(place.rng.uniform(lowest, highest, shape))
    return found if place.limits or place.case.fractions else np.rint(found * _GRID) / _GRID


def _integer_limits(dtype: np.dtype[Any], limits: tuple[float, float]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    low, high = max(int(limits[0]), info.min), min(int(limits[1]), info.max)
    return (low, high) if low <= high else (info.min, info.max)


def _special_values(dtype: np.dtype[Any], shape: Shape, place: _Place) -> NDArray[Any]:
    """All combinations of the special values of the first two inputs, over and over; further inputs run along them."""
    chosen = special_values(dtype, place.integer_out)
    positions = np.arange(int(np.prod(shape)))
    steps = positions // len(chosen) if place.number == 1 else positions * (place.number + 1) + place.number
    return chosen[steps % len(chosen)].reshape(shape)


def special_values(dtype: np.dtype[Any], integer_out: bool = False) -> NDArray[Any]:
    """The values of a data type that kernels get wrong.

    What becomes of NaN, infinities and numbers beyond the range of an integer differs from chip to chip, so operators
    that turn floating point into integers get halves, which show how they are rounded, instead.
    """
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        signed = [-1, info.min + 1] if dtype.kind == "i" else []
        return np.array([info.min, info.max, 0, 1, info.max - 1, 3, *signed], dtype)
    limits = _float_limits(dtype)
    tiny = [limits["denormal"], -limits["denormal"], limits["below_normal"], limits["normal"]]
    if integer_out:
        return np.array([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 3.0, *tiny], np.float64).astype(dtype)
    huge = [limits["largest"], -limits["largest"]]
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.5, *tiny, *huge]
    return np.array(values, np.float64).astype(dtype)


def _float_limits(dtype: np.dtype[Any]) -> Mapping[str, float]:
    kind = np.dtype(dtype.type(0).real.dtype) if dtype.kind == "c" else dtype
    if kind.kind == "f":
        info: Any = np.finfo(kind)
    else:
        import ml_dtypes

        info = ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]
    normal, smallest = float(info.smallest_normal), float(info.smallest_subnormal)
    return {
        "denormal": smallest,
        "below_normal": normal - smallest,
        "normal": normal,
        "largest": float(info.max),
    }
