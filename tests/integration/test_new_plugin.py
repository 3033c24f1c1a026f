"""A plugin as `opkg new --plugin` writes it: pip installs it, opkg finds the operator, and its own tests pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import opkg
from opkg.cli import main

pytestmark = pytest.mark.slow


def _run(words: list[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The project, installed into a folder, and the environment that sees it."""
    base = tmp_path_factory.mktemp("plugin")
    words = ["--input", "x:float32,int8", "--input", "xs*", "--attr", "scale:float", "--vendor", "acme.labs"]
    assert main(["new", "ScaleAll", *words, "--plugin", "--output-dir", str(base)]) == 0
    paths = [str(base / "site"), str(Path(opkg.__file__).parents[1])]
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "XDG_CACHE_HOME": str(base / "cache"),
        "XDG_DATA_HOME": str(base / "data"),
        "ASCEND_OPP_PATH": str(base / "root"),
        "ASCEND_CUSTOM_OPP_PATH": "",
        "OPKG_STRICT_PLUGINS": "1",
    }
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(base / "site")]
    _run(["-m", "pip", "install", "-q", "--disable-pip-version-check", *options, "./ScaleAll"], base, env)
    return base / "ScaleAll", env


def test_opkg_finds_the_operator(plugin: tuple[Path, dict[str, str]]) -> None:
    root, env = plugin
    found = _run(["-m", "opkg", "which", "ScaleAll"], root, env)
    assert found.startswith("acme.labs::ScaleAll is served by acme.labs/scale_all 0.1.0, plugin acme-labs-scale-all")
    assert "acme-labs-scale-all" in _run(["-m", "opkg", "plugins"], root, env)


def test_python_calls_the_operator(plugin: tuple[Path, dict[str, str]]) -> None:
    program = """
import numpy as np, opkg
scale_all = getattr(opkg.ops, "acme.labs").ScaleAll
x = np.float32([1, 2])
assert scale_all(x, [x, x], scale=2.0).tolist() == [6, 12]
"""
    _run(["-c", program], plugin[0], plugin[1])


def test_its_own_tests_pass(plugin: tuple[Path, dict[str, str]]) -> None:
    found = _run(["-m", "pytest", "-q", "-p", "no:cacheprovider"], plugin[0], plugin[1])
    assert " passed" in found and "skipped" not in found


def test_the_wheel_carries_the_package_and_nothing_else(plugin: tuple[Path, dict[str, str]]) -> None:
    site = plugin[0].parent / "site"
    files = {f.relative_to(site).parts[:2] for f in site.rglob("*") if f.is_file()}
    names = {parts for parts in files if not parts[0].endswith(".dist-info") and parts[-1] != "__pycache__"}
    assert names == {("acme_labs_scale_all", "__init__.py"), ("acme_labs_scale_all", "package")}
