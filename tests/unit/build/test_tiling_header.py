"""Kernel-side tiling structs have the host's offsets: the shared cases, compiled."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from opkg.build.description import Description, TilingField, TilingStruct
from opkg.build.tiling_header import tiling_header
from opkg.errors import BuildError

CASES = json.loads((Path(__file__).parents[2] / "data/cases/tiling/classic_layout.json").read_text("utf-8"))["structs"]


def struct_of(case: dict, name: str) -> list[TilingStruct]:
    """The case as the description of a host library would give it; a nested struct comes as one of its own."""
    fields, nested = [], []
    for (kind, field), offset in zip(case["fields"], case["offsets"], strict=True):
        if kind.startswith("struct"):
            members = re.findall(r"(\w+) (\w+);", kind)
            inner = [TilingField(n, t, 4 * i) for i, (t, n) in enumerate(members)]
            nested.append(TilingStruct(f"{name}InnerOp", f"{name}Inner", 8, "", tuple(inner)))
            fields.append(TilingField(field, f"{name}Inner", offset, 0, True))
        else:
            base, _, count = kind.partition("[")
            fields.append(TilingField(field, base, offset, int(count.rstrip("]") or 0) if count else 0))
    return [TilingStruct("Op", name, case["size"], "", tuple(fields)), *nested]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["fields"][0][1])
def test_offsets_and_size_of_the_case_are_asserted(case):
    text = tiling_header("Op", Description(1, (), tuple(struct_of(case, "Data"))))
    for (_, field), offset in zip(case["fields"], case["offsets"], strict=True):
        assert f"static_assert(offsetof(Data, {field}) == {offset}, " in text
    assert f"static_assert(sizeof(Data) == {case['size']}, " in text
    assert "using OpkgDefaultTiling = Data;" in text


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a compiler")
def test_all_cases_compile(tmp_path):
    headers = []
    for index, case in enumerate(CASES):
        text = tiling_header("Op", Description(1, (), tuple(struct_of(case, f"Data{index}"))))
        headers.append(f"namespace case{index} {{\n{text.replace('#pragma once', '')}\n}}\n")
    body = "\n".join(headers).replace("#include <cstddef>\n#include <cstdint>\n", "")
    source = tmp_path / "cases.cpp"
    source.write_text("#include <cstddef>\n#include <cstdint>\n" + body)
    done = subprocess.run(
        ["c++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_gaps_are_fields():
    data = TilingStruct("Op", "D", 16, "", (TilingField("a", "uint8_t", 0), TilingField("b", "uint64_t", 8)))
    assert "    uint8_t a;\n    uint8_t opkg_gap_1[7];\n    uint64_t b;\n" in tiling_header(
        "Op", Description(1, (), (data,))
    )


def test_a_nested_struct_comes_first_and_only_once():
    inner = TilingStruct("InnerOp", "Inner", 8, "", (TilingField("x", "uint32_t", 0), TilingField("y", "uint32_t", 4)))
    fields = (TilingField("p", "Inner", 0, 0, True), TilingField("q", "Inner", 8, 0, True))
    text = tiling_header("Op", Description(1, (), (TilingStruct("Op", "Outer", 16, "", fields), inner)))
    assert text.count("struct Inner {") == 1
    assert text.index("struct Inner {") < text.index("struct Outer {")


def test_structs_of_other_operators_stay_out():
    own = TilingStruct("Add", "AddData", 8, "", (TilingField("n", "uint64_t", 0),))
    other = TilingStruct("Mul", "MulData", 8, "", (TilingField("n", "uint64_t", 0),))
    keyed = TilingStruct("Add_2", "AddData2", 8, "", (TilingField("n", "uint64_t", 0),))
    text = tiling_header("Add", Description(1, (), (other, own, keyed)))
    assert "AddData2" in text and "MulData" not in text
    assert "using OpkgDefaultTiling = AddData;" in text


def test_an_operator_without_a_classic_struct_gets_no_header():
    other = TilingStruct("Mul", "MulData", 8, "", (TilingField("n", "uint64_t", 0),))
    assert tiling_header("Add", Description(1, (), (other,))) == ""


def test_a_nested_struct_that_is_not_registered_is_named():
    outer = TilingStruct("Op", "Outer", 8, "", (TilingField("p", "Inner", 0, 0, True),))
    with pytest.raises(BuildError, match="Outer holds Inner, which op_host does not register") as caught:
        tiling_header("Op", Description(1, (), (outer,)))
    assert "REGISTER_TILING_DATA_CLASS(InnerOp, Inner)" in caught.value.hint


def test_a_struct_that_holds_itself_is_refused():
    loop = TilingStruct("Op", "Loop", 8, "", (TilingField("p", "Loop", 0, 0, True),))
    with pytest.raises(BuildError, match="Loop holds itself"):
        tiling_header("Op", Description(1, (), (loop,)))


def test_structs_of_library_functions_come_from_their_header():
    """Kernels with a Matmul object know TCubeTiling already; the header checks that both sides agree on it."""
    cube = TilingStruct("TCubeTilingOp", "TCubeTiling", 200, "", (TilingField("usedCoreNum", "int32_t", 0),))
    own = TilingStruct(
        "Op", "Data", 208, "", (TilingField("cube", "TCubeTiling", 0, 0, True), TilingField("n", "int32_t", 200))
    )
    text = tiling_header("Op", Description(1, (), (own, cube)))
    assert '#include "kernel_tiling/kernel_tiling.h"' in text
    assert "struct TCubeTiling {" not in text
    assert "static_assert(sizeof(TCubeTiling) == 200" in text
    assert "    TCubeTiling cube;" in text


@pytest.mark.parametrize(("name", "size"), [("TopkTiling", 112), ("PadTiling", 104), ("ConfusionTransposeTiling", 72)])
def test_structs_of_library_functions_need_no_registration(name: str, size: int) -> None:
    """The kit's own classes are not registered by whoever uses them; their layout is that of the kernel's header."""
    fields = (TilingField("inner", name, 0, 0, True, size), TilingField("n", "int32_t", size))
    text = tiling_header("Op", Description(1, (), (TilingStruct("Op", "Data", size + 8, "", fields),)))
    assert f"    {name} inner;\n    int32_t n;" in text
    assert f"static_assert(sizeof({name}) == {size}" in text
    assert f"struct {name} {{" not in text
