"""What opkg_describe says of a host library."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from opkg.opinfo import OpInfo
from opkg.paths import native_dir

CASES = json.loads((Path(__file__).parents[2] / "data/cases/tiling/classic_layout.json").read_text("utf-8"))["structs"]


def operator(description: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(op for op in description["operators"] if op["op"] == name)
    return found


def describe(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    tool = native_dir() / "bin" / "opkg_describe"
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)


def test_package_says_who_it_is(description: dict[str, Any]) -> None:
    facts = {key: description[key] for key in ("abi", "vendor", "name", "version", "soc")}
    assert facts == {"abi": 1, "vendor": "customize", "name": "first", "version": "1.0.0", "soc": "Ascend910B1"}


def test_operator_is_a_canonical_op_info(description: dict[str, Any]) -> None:
    found = operator(description, "Square")
    info = OpInfo.from_dict(found)
    assert info.to_dict()["inputs"] == [
        {"name": "x", "param_type": "required", "dtypes": ["float32", "float16"], "formats": ["ND", "ND"]}
    ]
    assert info.columns == found["columns"] == 2
    assert info.flags == {
        "dynamicShapeSupport.flag": "true",
        "precision_reduce.flag": "false",
        "opFile.value": "square",
    }
    assert found["soc"] == ["ascend910b", "ascend310p"]
    assert (found["has_tiling"], found["has_infer_shape"], found["has_infer_dtype"]) == (True, True, True)
    assert found["kernel_path"] == "kernels/square_%u.so"


def test_operator_without_a_line_has_its_kernels_where_builds_put_them(description: dict[str, Any]) -> None:
    path = operator(description, "ShapeByValue")["kernel_path"]
    assert path == "op_impl/ai_core/tbe/kernel/cpu/shape_by_value/ShapeByValue_%u.so"


def test_attributes_carry_type_and_default(description: dict[str, Any]) -> None:
    attrs = operator(description, "Attributes")["attrs"]
    assert [(a["name"], a["type"], a["param_type"], a["default"]) for a in attrs] == [
        ("whole", "int", "required", None),
        ("real", "float", "optional", 0.1),
        ("flag", "bool", "optional", True),
        ("text", "string", "optional", 'say "hi"'),
        ("type", "type", "optional", "bfloat16"),
        ("ints", "list_int", "optional", [4, 5, 6]),
        ("reals", "list_float", "optional", [1e-05, 2.0]),
        ("flags", "list_bool", "optional", [True, False]),
        ("rows", "list_list_int", "optional", [[1, 2], [3]]),
        ("texts", "list_string", "optional", ["a", "b"]),
        ("nothing", "int", "optional", None),
    ]


def test_lists_combine_with_every_column_and_followers_copy_them(description: dict[str, Any]) -> None:
    found = operator(description, "Combined")
    columns = {p["name"]: list(zip(p["dtypes"], p["formats"], strict=True)) for p in found["inputs"] + found["outputs"]}
    assert columns["a"] == [
        *[("float32", "ND")] * 2,
        *[("float32", "NCHW")] * 2,
        *[("float16", "ND")] * 2,
        *[("float16", "NCHW")] * 2,
    ]
    assert columns["b"] == [("int32", "ND"), ("int64", "ND")] * 4
    assert columns["c"] == columns["z"] == columns["b"]
    assert columns["y"] == [("float32", "ND")] * 4 + [("float16", "ND")] * 4


def test_value_dependence_and_computed_shapes_are_extra_keys(description: dict[str, Any]) -> None:
    assert operator(description, "ShapeByValue")["inputs"][1]["extra"] == {"valueDepend": "required"}
    unique = operator(description, "Unique")
    assert unique["outputs"][0]["extra"] == {"outputShapeDependOnCompute": "true"}
    assert unique["computes_shapes"] is True


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("Unequal", "Format of input 'x' has 1 entries but DataType of input 'x' has 2"),
        ("Stray", "'y' follows 'w', which is not an input"),
        ("Explodes", "its constructor threw something that is not a std::exception"),
        ("Repeated", "two classes are registered for it"),
    ],
)
def test_wrong_definition_is_said_and_spoils_nothing_else(description: dict[str, Any], name: str, error: str) -> None:
    assert operator(description, name)["error"] == error
    assert operator(description, "Square")["error"] is None


@pytest.mark.parametrize("number", range(len(CASES)))
def test_classic_struct_has_the_layout_of_the_case(description: dict[str, Any], number: int) -> None:
    found = next(s for s in description["tiling_structs"] if s["class"] == f"Case{number}")
    assert [f["offset"] for f in found["fields"]] == CASES[number]["offsets"]
    assert found["size"] == CASES[number]["size"]
    assert [f["name"] for f in found["fields"]] == [name for _, name in CASES[number]["fields"]]


def test_fields_say_type_count_and_nested_struct(description: dict[str, Any]) -> None:
    structs = {s["class"]: s for s in description["tiling_structs"]}
    assert structs["Case2"]["fields"][1] == {
        "name": "pad",
        "type": "uint16_t",
        "count": 3,
        "array": True,
        "offset": 4,
        "size": 6,
    }
    assert structs["Case3"]["fields"][1] == {"name": "inner", "struct": "Case1003", "offset": 8, "size": 8}
    assert structs["Case3"]["hash"] != structs["Case2"]["hash"]
    assert structs["SquareTilingData"]["op_type"] == "Square"


def test_two_packages_with_one_class_name_stay_apart(libraries: Path) -> None:
    second = json.loads(describe(libraries / "libsecond.so").stdout)
    assert [op["op"] for op in second["operators"]] == ["Square"]
    assert second["operators"][0]["inputs"][0]["name"] == "other"


def test_library_that_is_no_package_is_refused_in_one_line() -> None:
    done = describe(native_dir() / "lib" / "libopkg_host.so.1")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "exports no opkg_package_open_v1" in done.stderr


def test_missing_library_and_wrong_usage_have_their_exit_codes(tmp_path: Path) -> None:
    assert describe(tmp_path / "none.so").returncode == 1
    assert describe().returncode == 2
