"""The tables of names: every name of the field is there, with its number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opkg.opinfo.dtypes import BY_NUMBER, DTYPES, FORMATS, GROUPS, canonical_dtype, canonical_format
from opkg.opinfo.model import ATTR_TYPES, PARAM_TYPES
from opkg.opinfo.names import RESERVED_ATTRS
from opkg.opinfo.socs import COMPUTE_UNITS, compute_unit
from opkg.paths import data_dir


@pytest.mark.parametrize(
    ("spelling", "name", "number"),
    [
        ("float", "float32", 0),
        ("fp32", "float32", 0),
        ("DT_FLOAT", "float32", 0),
        ("DT_FLOAT32", "float32", 0),
        ("half", "float16", 1),
        ("fp16", "float16", 1),
        ("ge::DT_FLOAT16", "float16", 1),
        ("DT_HALF", "float16", 1),
        ("int8", "int8", 2),
        ("uint8", "uint8", 4),
        ("int64", "int64", 9),
        ("double", "double", 11),
        ("bool", "bool", 12),
        ("string", "string", 13),
        ("qint16", "qint16", 19),
        ("quint8", "quint8", 21),
        ("resource", "resource", 23),
        ("variant", "variant", 26),
        ("bf16", "bfloat16", 27),
        ("DT_Bfp16", "bfloat16", 27),
        ("int4", "int4", 29),
        ("uint1", "uint1", 30),
        ("int2", "int2", 31),
        ("complex32", "complex32", 33),
        ("float8_e4m3fn", "float8_e4m3fn", 36),
    ],
)
def test_data_types(spelling: str, name: str, number: int) -> None:
    assert canonical_dtype(spelling) == name
    assert DTYPES[name].number == number and BY_NUMBER[number].name == name


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("NCHW", 0),
        ("ND", 2),
        ("FRACTAL_Z", 4),
        ("FRACTAL_DECONV_TRANSPOSE", 10),
        ("HASHTABLE_LOOKUP_LOOKUPS", 20),
        ("C1HWNCoC0", 25),
        ("FRACTAL_NZ", 29),
        ("NCDHW", 30),
        ("NC", 35),
        ("FRACTAL_Z_G", 39),
        ("NULL", 42),
        ("FRACTAL_ZN_RNN", 44),
    ],
)
def test_formats(name: str, number: int) -> None:
    assert FORMATS[name] == number
    assert canonical_format(f"FORMAT_{name}") == name == canonical_format(name.lower())


def test_groups_name_known_types() -> None:
    assert {name for group in GROUPS.values() for name in group} <= set(DTYPES)
    assert {name: len(group) for name, group in GROUPS.items()} == {
        "numbertype": 18,
        "realnumbertype": 11,
        "quantizedtype": 5,
        "all": 25,
        "basictype": 20,
        "indexnumbertype": 2,
    }


def test_there_are_as_many_names_as_the_vendor_has() -> None:
    assert len(RESERVED_ATTRS) == 67
    assert len(FORMATS) == 42


@pytest.mark.parametrize(
    ("soc", "unit"),
    [
        ("Ascend910B3", "ascend910b"),
        ("ascend910b", "ascend910b"),
        ("ascend910b4-1", "ascend910b"),
        ("ascend910prob", "ascend910"),
        ("ascend910_9362", "ascend910_93"),
        ("ascend310p3vir08", "ascend310p"),
        ("ascend950pr", "ascend950"),
        ("bs9sx1aa", "bs9sx1a"),
        ("ascend123", None),
    ],
)
def test_compute_units(soc: str, unit: str | None) -> None:
    assert compute_unit(soc) == unit


def test_every_compute_unit_stands_for_itself() -> None:
    assert all(COMPUTE_UNITS[unit] == unit for unit in COMPUTE_UNITS.values())


def test_the_schema_knows_the_same_names() -> None:
    schema = json.loads((data_dir("registry") / "opinfo.schema.json").read_text(encoding="utf-8"))
    definitions = schema["$defs"]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert definitions["dtype"]["enum"] == list(DTYPES)
    assert definitions["format"]["enum"] == list(FORMATS)
    assert definitions["param"]["properties"]["param_type"]["enum"] == list(PARAM_TYPES)
    assert definitions["attr"]["properties"]["type"]["enum"] == list(ATTR_TYPES)
    assert set(definitions["attr"]["properties"]["name"]["not"]["enum"]) == RESERVED_ATTRS


def test_the_reference_page_lists_every_name() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "op-info.md"
    text = page.read_text(encoding="utf-8")
    for name in (*DTYPES, *FORMATS, *RESERVED_ATTRS, *COMPUTE_UNITS):
        assert f"`{name}`" in text, name
