"""docs/package-abi.md has every field of the tables in opkg/package_abi.h, and every key of a description."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from opkg.opinfo import OpInfo, Param
from opkg.paths import native_dir
from opkg.testing import load_project

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "package-abi.md").read_text("utf-8")
HEADER = (native_dir() / "include" / "opkg" / "package_abi.h").read_text("utf-8")
TABLES = ["opkg_package_v1", "opkg_operator_v1", "opkg_exec_v1", "opkg_kernel_table_v1"]


def fields(struct: str) -> list[str]:
    body = re.search(rf"struct {struct} \{{(.*?)^\}}", HEADER, re.DOTALL | re.MULTILINE)
    assert body, struct
    declarations = re.sub(r"/\*.*?\*/", "", body[1], flags=re.DOTALL).split(";")
    names = [re.search(r"\(\*(\w+)\)|(\w+)\s*$", text) for text in declarations if text.strip()]
    return [match[1] or match[2] for match in names if match]


@pytest.mark.parametrize("struct", TABLES)
def test_every_field_of_a_table_is_on_the_page(struct):
    named = set(re.findall(r"`(\w+)`", PAGE))
    assert len(fields(struct)) > 5
    assert [field for field in fields(struct) if field not in named] == []


@pytest.mark.slow
def test_every_key_of_a_description_is_on_the_page(tmp_path):
    from opkg.project import new_project

    x, y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
    new_project(tmp_path / "Square", [OpInfo("Square", (x,), (y,))])
    package = load_project(tmp_path / "Square").package
    (library,) = package.rglob("libcust_opmaster_rt2.0.so")
    said = subprocess.run([native_dir() / "bin" / "opkg_describe", library], capture_output=True, check=True).stdout
    description = json.loads(said)
    named = set(re.findall(r"`(\w+)`", PAGE.split("## The description")[1]))
    op_info = OpInfo.from_dict(description["operators"][0]).to_dict().keys()
    keys = description.keys() | (description["operators"][0].keys() - op_info)
    assert sorted(keys - named) == []
