"""Whatever the signature: a project that reads back as it was asked for, with tests that are Python, or a refusal."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opkg.errors import ProjectError
from opkg.opinfo import Attr, OpInfo, Param, compare
from opkg.opinfo.model import ATTR_TYPES
from opkg.opinfo.names import RESERVED_ATTRS
from opkg.project import kinds, new_project, read_project

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
DEFAULTS: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-(2**31), 2**31),
    "float": st.floats(width=32, allow_nan=False),
    "bool": st.booleans(),
    "string": st.text(max_size=5),
    "list_int": st.lists(st.integers(-9, 9), max_size=3),
    "list_float": st.lists(st.floats(width=32, allow_nan=False), max_size=3),
}


@st.composite
def attrs(draw: st.DrawFn) -> Attr:
    name, kind = draw(NAMES.filter(lambda name: name not in RESERVED_ATTRS)), draw(st.sampled_from(ATTR_TYPES))
    if draw(st.booleans()):
        return Attr(name, kind)
    return Attr(name, kind, "optional", draw(st.none() | DEFAULTS.get(kind, st.none())))


@st.composite
def operators(draw: st.DrawFn) -> OpInfo:
    columns = draw(st.integers(1, 3))
    dtypes = st.tuples(*[st.sampled_from((*kinds.SUPPORTED, "complex64"))] * columns)
    formats = st.tuples(*[st.sampled_from(["ND", "NCHW"])] * columns)
    kind = st.sampled_from(["required"] * 6 + ["optional"] * 2 + ["dynamic"])
    param = st.builds(Param, NAMES, kind, dtypes, formats)
    inputs, outputs = (
        tuple(draw(st.lists(param, min_size=1, max_size=3, unique_by=lambda p: p.name))) for _ in range(2)
    )
    return OpInfo(draw(NAMES), inputs, outputs, tuple(draw(st.lists(attrs(), max_size=3, unique_by=lambda a: a.name))))


SHAPES = ["same", "same", "{x}", "{x}[:-1]", "{x}[:-1],1", "[]", "[1]"]


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(operators(), st.lists(st.sampled_from(SHAPES), min_size=3, max_size=3))
def test_any_signature(info: OpInfo, shapes: list[str]) -> None:
    rules = zip((p.name for p in info.outputs), shapes, strict=False)
    stated = {name: rule.format(x=info.inputs[0].name) for name, rule in rules if rule != "same"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "Project"
        try:
            new_project(root, [info], shapes={info.op: stated})
        except ProjectError as refusal:
            assert info.op in refusal.message
            assert list(Path(folder).iterdir()) == []
            return
        assert compare(read_project(root).op_infos[0], info) == []
        assert set(tomllib.loads((root / "tests/cases.toml").read_text(encoding="utf-8"))) == {info.op}
        for file in (root / "tests").glob("*.py"):
            compile(file.read_text(encoding="utf-8"), str(file), "exec")
        kernel = (root / "op_kernel" / f"{info.snake}.cpp").read_text(encoding="utf-8")
        assert kernel.count("{") == kernel.count("}") and kernel.count("(") == kernel.count(")")
        assert f"void {info.snake}(" in kernel or f"void {info.snake}_kernel(" in kernel
