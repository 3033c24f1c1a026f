"""The cached list of installed plugins."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from made_plugins import distribution, tool
from made_roots import package, write

from opkg.plugins import command_summaries, scan, static_op_packages

COMMAND = """
@hookimpl
def opkg_commands():
    return [Command("greet", "say hello", lambda parser: None, lambda args: 0)]
"""


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each real scan; time stamps count as old."""
    monkeypatch.setattr(scan, "_TICK_NS", -(10**12))
    seen: list[int] = []
    real = scan._entry_points

    def counting() -> tuple[scan.Plugin, ...]:
        seen.append(1)
        return real()

    monkeypatch.setattr(scan, "_entry_points", counting)
    return seen


def test_a_scan_is_made_once_for_each_set_of_installed_distributions(site: Path, scans: list[int]) -> None:
    tool(site, "one", COMMAND)
    for _ in range(3):
        assert [plugin.name for plugin in scan.scan().plugins] == ["one"]
    assert len(scans) == 1
    tool(site, "two", COMMAND)
    assert [plugin.name for plugin in scan.scan().plugins] == ["one", "two"]
    shutil.rmtree(site / "one-1.5.dist-info")
    assert [plugin.name for plugin in scan.scan().plugins] == ["two"]
    assert len(scans) == 3


def test_a_folder_changed_a_moment_ago_is_scanned_again(
    site: Path, scans: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "_TICK_NS", 60 * 10**9)
    tool(site, "one", COMMAND)
    scan.scan()
    scan.scan()
    assert len(scans) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 99}', '{"format":1,"stamps":3,"time":"x"}'])
def test_a_damaged_cache_is_made_again(site: Path, scans: list[int], text: str) -> None:
    tool(site, "one", COMMAND)
    scan.scan()
    Path(scan._cache_file()).write_text(text, "utf-8")
    assert [plugin.name for plugin in scan.scan().plugins] == ["one"]
    assert len(scans) == 2


def test_no_cache_can_be_written_and_everything_works(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    tool(site, "one", COMMAND)
    assert [command.name for command in command_summaries()] == ["greet"]


def test_commands_of_plugins_are_shown_without_loading_them_twice(
    site: Path, scans: list[int], new_process: Callable[[], None]
) -> None:
    tool(site, "greeting", COMMAND)
    assert command_summaries() == (scan.CommandSummary("greet", "say hello", "greeting"),)
    new_process()
    sys.modules.pop("greeting")
    assert command_summaries() == (scan.CommandSummary("greet", "say hello", "greeting"),)
    assert "greeting" not in sys.modules


def test_commands_of_plugins_that_are_turned_off_are_not_shown(
    site: Path, scans: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(site, "greeting", COMMAND)
    tool(site, "other", COMMAND.replace("greet", "wave"))
    assert [command.name for command in command_summaries()] == ["greet", "wave"]
    monkeypatch.setenv("OPKG_DISABLE_PLUGINS", "greeting")
    assert [command.name for command in command_summaries()] == ["wave"]


def test_static_packages_are_found_without_importing_anything(site: Path) -> None:
    distribution(
        site,
        "some-ops",
        {"opkg.ops": {"one": "some_ops:package", "many": "some_ops.deeper:all.of", "itself": "bare_ops"}},
        {"some_ops/__init__.py": "raise RuntimeError", "some_ops/deeper/__init__.py": "raise RuntimeError"},
    )
    write(site / "some_ops" / "package", package("one", "Square"))
    for name in ("b", "a"):
        write(site / "some_ops" / "deeper" / "all" / "of" / name, package(name, "Cube"))
    write(site / "bare_ops", package("itself", "Sphere"))
    found = static_op_packages()
    base = site / "some_ops"
    assert [source.path for source in found] == [
        site / "bare_ops",
        base / "deeper" / "all" / "of" / "a",
        base / "deeper" / "all" / "of" / "b",
        base / "package",
    ]
    assert {source.name for source in found} == {"some-ops"}
    assert "some_ops" not in sys.modules


def test_what_a_removal_left_behind_is_no_obstacle(site: Path, scans: list[int]) -> None:
    distribution(site, "half-gone", {"opkg": {"rest": "no_such_module"}})
    (site / "half_gone-1.5.dist-info" / "METADATA").unlink()
    distribution(site, "rest", {})  # the fixture shows only plugins by the names of what is in the folder
    assert [(p.distribution, p.version) for p in scan.installed().plugins if p.name == "rest"] == [("rest", "")]


def test_a_static_entry_point_that_leads_nowhere_is_one_warning(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    distribution(site, "lost", {"opkg.ops": {"x": "lost_ops:package"}}, {"lost_ops/__init__.py": ""})
    assert static_op_packages() == static_op_packages() == []
    assert capsys.readouterr().err == (
        "opkg: warning: plugin lost (opkg.ops): entry point x: the distribution has no 'opkg-package.json' in"
        " lost_ops/package\n"
    )


def test_neither_pluggy_nor_metadata_is_loaded_where_no_plugin_is(site: Path, tmp_path: Path) -> None:
    program = (
        "import sys, opkg.plugins.scan as scan; scan._TICK_NS = -10**12; scan._entry_points = lambda: ();"
        "from opkg.plugins import collect, command_summaries, static_op_packages;"
        "scan.scan(); before = set(sys.modules);"
        "assert collect('opkg_commands') == static_op_packages() == [] and command_summaries() == ();"
        "print(sorted({'pluggy', 'importlib.metadata', 'dataclasses', 'numpy', 'onnx'} & set(sys.modules)))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
