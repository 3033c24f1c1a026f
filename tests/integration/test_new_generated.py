"""Generated signatures: each project renders, builds, and passes its own tests.

A handful here; `OPKG_SIGNATURES=200 pytest tests/integration/test_new_generated.py` tries more.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import opkg
from opkg.errors import ProjectError
from opkg.opinfo import Attr, OpInfo, Param
from opkg.project import kinds, new_project
from opkg.project.attribute import OPDEF_ATTRS

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("OPKG_SIGNATURES", "4"))
AWKWARD = (
    "x y xs main shape tiling count value input index printf exp i T EOF sum work Value self None_ x_ref tiling_ T_X "
    "BUFFERS pipe_".split()
)
OPERATORS = "Op Exp Sum Lambda AddN main Kernel GlobalTensor Matmul3D Time Read X Has".split()
DEFAULTS: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-3, 3),
    "float": st.sampled_from([0.5, 1.0, 2.0, -1.0]),
    "bool": st.booleans(),
    "string": st.text(max_size=5).filter(lambda text: text.isprintable()),
    "list_int": st.lists(st.integers(-3, 3), min_size=1, max_size=3),
    "list_float": st.lists(st.sampled_from([0.5, 0.25]), min_size=1, max_size=3),
    "list_bool": st.lists(st.booleans(), min_size=1, max_size=3),
    "list_list_int": st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=2), min_size=1, max_size=2),
}
NAMES = st.sampled_from(AWKWARD) | st.from_regex(r"[a-z][a-z0-9_]{0,4}[a-z0-9]", fullmatch=True)


@st.composite
def attrs(draw: st.DrawFn, name: str) -> Attr:
    kind = draw(st.sampled_from(list(OPDEF_ATTRS)))
    optional = draw(st.booleans())
    return Attr(name, kind, "optional", draw(DEFAULTS[kind])) if optional else Attr(name, kind)


@st.composite
def operators(draw: st.DrawFn) -> tuple[OpInfo, dict[str, str]]:
    """An operator of up to three columns, and the shapes of its outputs."""
    columns = draw(st.integers(1, 3))
    names = draw(st.lists(NAMES, min_size=2, max_size=8, unique_by=lambda name: name.lower().rstrip("_")))
    n_inputs = draw(st.integers(1, min(4, len(names) - 1)))
    n_outputs = draw(st.integers(1, min(3, len(names) - n_inputs)))
    dtypes = [draw(st.sampled_from(kinds.SUPPORTED)) for _ in range(columns)]

    def param(name: str, kind: str) -> Param:
        mixed = draw(st.integers(0, 3)) == 0
        own = tuple(draw(st.sampled_from(kinds.SUPPORTED)) if mixed else dtype for dtype in dtypes)
        return Param(name, kind, own, ("ND",) * columns)

    kind = st.sampled_from(["required"] * 3 + ["optional", "dynamic"])
    inputs = tuple(param(name, draw(kind)) for name in names[:n_inputs])
    outputs = tuple(param(name, draw(kind)) for name in names[n_inputs : n_inputs + n_outputs])
    shape = draw(st.sampled_from(["", "", "{x}[:-1]", "{x}[:-1],1", "[]", "[1]"])).format(x=inputs[0].name)
    shapes = {output.name: shape for output in outputs if shape and draw(st.booleans())}
    given_attrs = tuple(draw(attrs(name)) for name in names[n_inputs + n_outputs :])
    return OpInfo(draw(st.sampled_from(OPERATORS)), inputs, outputs, given_attrs), shapes


def _pytest(project: Path) -> subprocess.CompletedProcess[str]:
    paths = [str(Path(opkg.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests"]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=[Phase.generate],  # a failure is shown as it was found: shrinking would compile hundreds of projects
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    derandomize="OPKG_SIGNATURES" not in os.environ,
)
@given(operators())
def test_any_signature_builds_and_passes_its_own_tests(case: tuple[OpInfo, dict[str, str]]) -> None:
    info, shapes = case
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "Project"
        try:
            new_project(root, [info], shapes={info.op: shapes})
        except ProjectError as refusal:
            assert info.op in refusal.message
            assume(False)
        finished = _pytest(root)
        assert finished.returncode == 0, f"{info}\n{shapes}\n{finished.stdout[-6000:]}{finished.stderr[-2000:]}"
        assert " passed" in finished.stdout and "skipped" not in finished.stdout
