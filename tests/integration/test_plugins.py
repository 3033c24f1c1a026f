"""The plugins in examples/, installed by pip: registry, converter, runtime and command line find them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import opkg

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Installed:
    """A folder that pip installed into, and processes that see it and nothing else of opkg's kind."""

    def __init__(self, base: Path) -> None:
        self.site = base / "site"
        self.base = base
        # opkg itself may be a source tree or an installation: children find the same one.
        paths = [str(self.site), str(Path(opkg.__file__).parents[1])]
        self.env = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "XDG_CACHE_HOME": str(base / "cache"),
            "XDG_DATA_HOME": str(base / "data"),
            "ASCEND_OPP_PATH": str(base / "root"),
            "ASCEND_CUSTOM_OPP_PATH": "",
        }
        for variable in ("OPKG_NO_PLUGINS", "OPKG_DISABLE_PLUGINS"):
            self.env.pop(variable, None)
        self.env["OPKG_STRICT_PLUGINS"] = "1"

    def pip(self, *projects: Path) -> None:
        options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(self.site)]
        self._run(["-m", "pip", "install", "-q", "--disable-pip-version-check", *options, *map(str, projects)])

    def opkg(self, *words: str | Path, code: int = 0, **env: str) -> str:
        return self._run(["-m", "opkg", *map(str, words)], code, env)

    def python(self, program: str) -> str:
        return self._run(["-c", program])

    def _run(self, words: list[str], code: int = 0, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=self.base, env=self.env | (env or {}), capture_output=True, text=True
        )
        assert done.returncode == code, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    base = tmp_path_factory.mktemp("plugins")
    for name in ("plugin_operator", "plugin_extension"):
        shutil.copytree(EXAMPLES / name, base / name)
    found = Installed(base)
    found.pip(base / "plugin_operator", base / "plugin_extension")
    return found


@pytest.fixture(scope="module")
def model(installed: Installed) -> Path:
    """Two hard-swish chains as exporters write them, a look-alike with another bound, and a Relu."""
    from onnx import parser, save

    text = """
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N, 3] x) => (float[N, 3] y, float[N, 3] other)
    <float three = {3}, float zero = {0}, float six = {6}, float five = {5}> {
        a = Add(x, three)
        b = Clip(a, zero, six)
        c = Mul(x, b)
        d = Div(c, six)
        r = Relu(d)
        e = Add(three, r)
        f = Clip(e, zero, six)
        g2 = Mul(f, r)
        y = Div(g2, six)
        h = Add(x, three)
        i = Clip(h, zero, five)
        j = Mul(x, i)
        other = Div(j, six)
    }
    """
    path = installed.base / "swish.onnx"
    save(parser.parse_model(text), path)
    return path


def hard_swish(x: Any) -> Any:
    return x * np.clip(x + 3, 0, 6) / 6


def test_both_doors_are_listed(installed: Installed) -> None:
    found = json.loads(installed.opkg("plugins", "--json"))
    ours = [p for p in found if p["distribution"].startswith("opkg-example-")]
    assert [(p["distribution"], p["door"], p["state"], p["provides"]) for p in ours] == [
        ("opkg-example-hard-swish", "static", "ok", ["HardSwish"]),
        ("opkg-example-fusion", "dynamic", "ok", ["opkg_commands", "opkg_graph_passes"]),
    ]


def test_the_registry_finds_the_operator_without_importing_its_plugin(installed: Installed) -> None:
    found = json.loads(installed.opkg("which", "HardSwish", "--json"))
    assert found["chosen"]["source"] == "plugin opkg-example-hard-swish"
    assert found["chosen"]["path"] == str(installed.site / "hard_swish_ops" / "package")
    program = (
        "import sys; from opkg.registry import open_registry; print(open_registry().require('HardSwish').domain);"
        "print('hard_swish_ops' in sys.modules)"
    )
    assert installed.python(program) == "example\nFalse\n"


def test_without_plugins_it_is_not_there(installed: Installed) -> None:
    found = json.loads(installed.opkg("which", "HardSwish", "--json", code=1, OPKG_NO_PLUGINS="1"))
    assert found["chosen"] is None
    off = installed.opkg("list", OPKG_DISABLE_PLUGINS="opkg-example-hard-swish")
    assert "hard_swish" not in off


def test_the_command_is_in_the_help_and_works(installed: Installed, model: Path) -> None:
    for _ in range(2):
        assert "nodes        count the operators of an ONNX model (opkg-example-fusion)" in installed.opkg("--help")
    assert installed.opkg("nodes", model).splitlines()[0].split() == ["3", "Add"]


def test_the_converter_fuses_and_the_runtime_computes(installed: Installed, model: Path) -> None:
    om = installed.base / "swish.om"
    installed.opkg("convert", model, "-o", om)
    x = np.linspace(-5, 5, 3 * 1001, dtype=np.float32).reshape(1001, 3)
    np.save(installed.base / "x.npy", x)
    program = f"""
import numpy, opkg
model = opkg.load({str(om)!r})
print([node.op_type for node in model.custom_nodes])
found = model.run({{"x": numpy.load("x.npy")}})
numpy.save("y.npy", found["y"])
numpy.save("other.npy", found["other"])
"""
    assert installed.python(program) == "['HardSwish', 'HardSwish']\n"
    once = np.maximum(hard_swish(x), 0)
    np.testing.assert_allclose(np.load(installed.base / "y.npy"), hard_swish(once), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        np.load(installed.base / "other.npy"), x * np.clip(x + 3, 0, 5) / 6, rtol=1e-6, atol=1e-6
    )


def test_the_operator_can_be_called_from_python(installed: Installed) -> None:
    program = """
import numpy, opkg
x = numpy.arange(-4, 5).astype(numpy.float16)
print(opkg.ops.example.HardSwish(x).tolist())
"""
    x = np.arange(-4, 5).astype(np.float16)
    found = np.array(json.loads(installed.python(program)))
    np.testing.assert_allclose(found, hard_swish(x.astype(np.float64)), rtol=2e-3, atol=1e-3)


def test_a_broken_neighbour_costs_a_warning(installed: Installed, model: Path, tmp_path: Path) -> None:
    """A third distribution whose module cannot be imported: everything else goes on."""
    info = installed.site / "broken_plugin-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 0.1\n", "utf-8")
    (info / "entry_points.txt").write_text("[opkg]\nbroken = no_such_module_of_a_plugin\n", "utf-8")
    try:
        lenient = {"OPKG_STRICT_PLUGINS": ""}
        installed.opkg("convert", model, "-o", tmp_path / "swish.om", **lenient)
        found = json.loads(installed.opkg("plugins", "--json", code=1, **lenient))
        assert {p["distribution"]: p["state"] for p in found}["broken-plugin"] == "failed"
        installed.opkg("convert", model, "-o", tmp_path / "strict.om", code=1)
    finally:
        shutil.rmtree(info)
