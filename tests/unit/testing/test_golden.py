"""Calling the functions of a golden.py."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from opkg.opinfo import Attr, OpInfo, Param
from opkg.testing.golden import Golden, GoldenError

X, Y = Param("x", "required", ("float32",), ("ND",)), Param("y", "required", ("float16",), ("ND",))
YS = Param("ys", "dynamic", ("float32",), ("ND",))
SCALE = OpInfo("ScaleBy", (X,), (Y,), (Attr("k", "float", "optional", 3.0),))
F16, F32 = np.dtype("float16"), np.dtype("float32")
ONE = np.array([1.0], np.float32)


@pytest.fixture(autouse=True)
def import_state() -> Iterator[None]:
    path, before = list(sys.path), sys.modules.get("golden")
    yield
    sys.path[:] = path
    sys.modules.pop("golden", None)
    if before is not None:
        sys.modules["golden"] = before


def golden(tmp_path: Path, text: str) -> Golden:
    (tmp_path / "golden.py").write_text(text)
    return Golden(tmp_path / "golden.py")


def test_results_get_the_output_s_data_type_and_inputs_are_copies(tmp_path: Path) -> None:
    found = golden(tmp_path, "def scale_by(x, k):\n    x *= k\n    return x.astype('float64')\n")
    assert found.has(SCALE) and not found.has(OpInfo("Other", (X,), (Y,)))
    (result,) = found(SCALE, [ONE], {}, [F16], [None])
    assert (result.dtype, result.tolist(), ONE.tolist()) == (F16, [3.0], [1.0])
    assert found(SCALE, [ONE], {"k": 5.0}, [F16], [None])[0].tolist() == [5.0]


def test_the_golden_s_own_default_counts_where_it_has_one(tmp_path: Path) -> None:
    found = golden(
        tmp_path,
        "def scale_by(x, k=2, output_dtypes=()):\n    assert output_dtypes == ('float16',)\n    return x * k\n",
    )
    assert found(SCALE, [ONE], {}, [F16], [None])[0].tolist() == [2.0]


def test_dynamic_outputs_are_a_list_or_one_array_for_all(tmp_path: Path) -> None:
    info = OpInfo("Split", (X,), (Y, YS))
    text = "def split(x):\n    return x, [x, x + 1]\n"
    assert [each.tolist() for each in golden(tmp_path, text)(info, [ONE], {}, [F16, F32], [None, 2])] == [[1], [1], [2]]
    text = "def split(x):\n    return x, x\n"
    assert len(golden(tmp_path, text)(info, [ONE], {}, [F16, F32], [None, 3])) == 4
    with pytest.raises(GoldenError, match="returns 1 arrays for Split's output ys; it was asked for 2"):
        golden(tmp_path, "def split(x):\n    return x, [x]\n")(info, [ONE], {}, [F16, F32], [None, 2])


def test_functions_whose_name_python_has_taken_end_in_an_underscore(tmp_path: Path) -> None:
    text = "import numpy as np\ndef lambda_(x):\n    return x\ndef np_(x):\n    return x\n"
    found = golden(tmp_path, text)
    assert found.has(OpInfo("Lambda", (X,), (Y,))) and found.has(OpInfo("Np", (X,), (Y,)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def scale_by(x, k):\n    return x / 0 + none\n", "raises NameError: name 'none' is not defined"),
        ("def scale_by(x, k):\n    return x, x\n", "returns 2 values; the operator has 1"),
        ("def scale_by():\n    return 1\n", "raises TypeError"),
        ("def scale_by(x:\n", "cannot be imported: SyntaxError"),
    ],
)
def test_what_is_wrong_with_a_golden_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(GoldenError, match=message):
        golden(tmp_path, text)(SCALE, [ONE], {}, [F16], [None])


def test_a_missing_file_has_no_golden(tmp_path: Path) -> None:
    assert not Golden(tmp_path / "golden.py").has(SCALE)
