import json
import os

import pytest

from opkg.build.description import TilingField, describe_library, parse_description
from opkg.build.process import Run
from opkg.errors import BuildError

OP = {
    "op": "Square",
    "inputs": [{"name": "x", "param_type": "required", "dtypes": ["float32"], "formats": ["ND"]}],
    "outputs": [{"name": "y", "param_type": "required", "dtypes": ["float32"], "formats": ["ND"]}],
    "attrs": [],
    "soc": ["ascend910b"],
    "has_tiling": True,
    "error": None,
}
STRUCT = {
    "op_type": "Square",
    "class": "Data",
    "size": 24,
    "hash": "ab",
    "fields": [
        {"name": "n", "type": "uint32_t", "count": 1, "array": False, "offset": 0},
        {"name": "one", "type": "uint32_t", "count": 1, "array": True, "offset": 4},
        {"name": "inner", "struct": "Inner", "offset": 8},
        {"name": "many", "type": "uint16_t", "count": 3, "array": True, "offset": 16},
    ],
}


def text(**changed):
    return json.dumps({"abi": 1, "operators": [{**OP, **changed}], "tiling_structs": [STRUCT]})


def test_operators_and_tiling_structs():
    found = parse_description(text())
    assert found.abi == 1
    (op,) = found.operators
    assert (op.op_info.op, op.socs, op.facts) == ("Square", ("ascend910b",), {"has_tiling": True})
    struct = found.tiling_struct("Square")
    assert struct.fields == (
        TilingField("n", "uint32_t", 0),
        TilingField("one", "uint32_t", 4, 1),
        TilingField("inner", "Inner", 8, 0, True),
        TilingField("many", "uint16_t", 16, 3),
    )
    assert found.tiling_struct("Cube") is None


def test_an_opdef_that_is_wrong_is_named():
    with pytest.raises(BuildError, match="the OpDef of Square is wrong: unequal"):
        parse_description(text(error="unequal numbers"))


@pytest.mark.parametrize("damaged", ["", "{}", "[]", '{"abi": 1, "operators": [{}]}'])
def test_a_description_that_is_damaged(damaged):
    with pytest.raises(BuildError, match="cannot be read"):
        parse_description(damaged)


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo 'opkg_describe: no table' >&2; exit 1", "opkg_describe: no table"), ("kill -SEGV $$", "signal 11")],
)
def test_a_library_that_cannot_be_asked(tmp_path, monkeypatch, script, reason):
    tool = tmp_path / "bin/opkg_describe"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\n{script}\n")
    os.chmod(tool, 0o755)  # noqa: PTH101
    monkeypatch.setattr("opkg.build.description.native_dir", lambda: tmp_path)
    with pytest.raises(BuildError, match=reason) as caught:
        describe_library(tmp_path / "lib.so", Run())
    assert caught.value.code == "OPKG-4021"
