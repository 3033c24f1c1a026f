"""Comparing a result with its golden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opkg.testing.tolerance import Tolerance


@dataclass(frozen=True)
class Difference:
    """Where a result leaves its golden.

    Attributes:
        index: the first element that differs.
        got, want: its two values, as text.
        count, total: how many elements differ, of how many.
        largest: the largest distance between finite values.
    """

    index: tuple[int, ...]
    got: str
    want: str
    count: int
    total: int
    largest: float

    def __str__(self) -> str:
        where = ", ".join(map(str, self.index))
        return f"{self.count} of {self.total} elements differ, first at [{where}]: {self.got} instead of {self.want}"


def compare(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance) -> Difference | None:
    """The difference of two arrays of one shape and data type, None where all is within the tolerance.

    NaN equals NaN, infinities must be the same, and 0.0 equals -0.0.
    """
    wrong = ~_close(got, want, tolerance)
    if not wrong.any():
        return None
    flat = int(np.argmax(wrong))
    index = tuple(int(i) for i in np.unravel_index(flat, wrong.shape))
    return Difference(
        index,
        _shown(got.flat[flat]),
        _shown(want.flat[flat]),
        int(np.count_nonzero(wrong)),
        wrong.size,
        _largest(got, want, wrong),
    )


def _close(got: NDArray[Any], want: NDArray[Any], tolerance: Tolerance) -> NDArray[np.bool_]:
    if got.dtype.kind in "biu":
        return np.asarray(got == want)
    a, b = _wide(got), _wide(want)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= tolerance.absolute + tolerance.relative * np.abs(b)
        finite = np.isfinite(a) & np.isfinite(b)
        return np.asarray((a == b) | (near & finite) | (np.isnan(a) & np.isnan(b)))


def _wide(array: NDArray[Any]) -> NDArray[Any]:
    """The values in a type in which differences do not overflow."""
    return array.astype(np.clongdouble if array.dtype.kind == "c" else np.longdouble)


def _largest(got: NDArray[Any], want: NDArray[Any], wrong: NDArray[np.bool_]) -> float:
    a, b = _wide(got[wrong]), _wide(want[wrong])
    with np.errstate(all="ignore"):
        distances = np.abs(a - b)
    finite = distances[np.isfinite(distances)]
    return float(finite.max()) if finite.size else float("nan")


def _shown(value: Any) -> str:
    return str(value.item() if hasattr(value, "item") and value.dtype.kind in "biufc" else value)
