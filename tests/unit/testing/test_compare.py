"""Tolerances, and what a comparison says."""

import math

import numpy as np
import pytest

from opkg.opinfo.dtypes import DTYPES
from opkg.runtime.numpy_types import numpy_dtype
from opkg.testing.compare import compare
from opkg.testing.tolerance import EXACT, TOLERANCES, Tolerance, tolerance_for
from opkg.testing.values import special_values

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_tolerance_lets_neighbours_pass_and_twice_itself_not(dtype):
    to = numpy_dtype(dtype)
    tolerance = tolerance_for(dtype)
    want = np.array([1.5], to)
    step = tolerance.relative / {"complex64": 2, "complex128": 2}.get(dtype, 2)
    assert compare(np.array([1.5 + step], to), want, tolerance) is None
    assert compare(np.array([1.5 + 4 * tolerance.relative], to), want, tolerance) is not None
    assert tolerance.reason and f"({tolerance.reason})" in str(tolerance)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "bool", "int32", "qint8"])
def test_integers_must_be_equal(dtype):
    assert dtype in DTYPES and tolerance_for(dtype).exact
    assert str(tolerance_for(dtype)).startswith("none (")


def test_close_integers_differ():
    found = compare(np.array([2**62, 5], np.int64), np.array([2**62, 6], np.int64), tolerance_for("int64"))
    assert found is not None and found.index == (1,) and (found.got, found.want) == ("5", "6")


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [(NAN, NAN, True), (NAN, 1, False), (1, NAN, False), (INF, INF, True), (INF, -INF, False), (INF, 3e38, False),
     (3e38, INF, False), (0.0, -0.0, True), (1e-40, 0.0, True)],
)  # fmt: skip
def test_nan_infinities_and_zeros(got, want, same):
    a, b = np.array([got], np.float32), np.array([want], np.float32)
    assert (compare(a, b, tolerance_for("float32")) is None) is same


def test_exact_allows_the_smallest_difference_only_where_it_is_a_zero():
    one = np.array([1.0], np.float32)
    assert compare(np.nextafter(one, 2), one, EXACT) is not None
    assert compare(one, one, EXACT) is None


def test_a_difference_says_where_how_many_and_how_far():
    want = np.zeros((2, 3, 4), np.float32)
    got = want.copy()
    got[0, 2, 1], got[1, 0, 0], got[1, 2, 3] = 2.5, -7, np.inf
    found = compare(got, want, Tolerance(0.1, 0.1, "here"))
    assert found is not None
    assert (found.index, found.count, found.total, found.largest) == ((0, 2, 1), 3, 24, 7.0)
    assert str(found) == "3 of 24 elements differ, first at [0, 2, 1]: 2.5 instead of 0.0"


def test_scalars_and_empty_arrays():
    assert compare(np.empty((0, 3), np.float16), np.empty((0, 3), np.float16), EXACT) is None
    found = compare(np.array(2, np.int32), np.array(3, np.int32), EXACT)
    assert found is not None and found.index == () and (found.count, found.total) == (1, 1)


def test_bfloat16_is_compared_beyond_its_own_precision():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    want = np.array([256], ml_dtypes.bfloat16)
    assert compare(np.array([258], want.dtype), want, tolerance_for("bfloat16")) is None
    assert compare(np.array([264], want.dtype), want, tolerance_for("bfloat16")) is not None


def test_special_values_of_floats_and_integers():
    values = special_values(np.dtype("float16"))
    assert np.isnan(values).sum() == 1 and np.isinf(values).sum() == 2
    assert {65504.0, -65504.0, 2.0**-24, 2.0**-14} <= set(values[np.isfinite(values)].astype(float))
    assert np.isfinite(special_values(np.dtype("float32"), integer_out=True)).all()
    assert {-128, 127, 0, -1} <= set(special_values(np.dtype("int8")).tolist())
    assert {0, 2**64 - 1} <= set(special_values(np.dtype("uint64")).tolist())
    assert special_values(np.dtype("bool")).tolist() == [False, True]
