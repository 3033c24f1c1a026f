"""A bundle that installs itself is killed before and after every command that changes something."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from crash.stopping import Bundles

from opkg.store import Root

CHANGING = "chmod cp ln mkdir mv rm sync tar".split()
READING = "cat diff flock getconf grep gzip head id ls mktemp sed sha256sum tail uname wc".split()
WRAPPER = """#!/bin/sh
read -r number <"$COUNT"
number=$((number + 1))
echo "$number" >"$COUNT"
[ "$number" != "$BEFORE" ] || kill -9 0
{tool} "$@"
status=$?
[ "$number" != "$AFTER" ] || kill -9 0
exit $status
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PATH whose tools count their calls and kill everybody at one of them."""
    folder = tmp_path_factory.mktemp("tools")
    for tool in (*CHANGING, *READING):
        found = shutil.which(tool)
        if found and tool in CHANGING:
            (folder / tool).write_text(WRAPPER.format(tool=found))
            (folder / tool).chmod(0o755)
        elif found:
            (folder / tool).symlink_to(found)
    return folder


def run(tools: Path, bundle: Path, root: Path, *options: str, before: int = 0, after: int = 0) -> tuple[int, int]:
    """The exit status of a bundle, and how many changing commands it ran."""
    count = root.parent / "count"
    count.write_text("0\n")
    env = {"PATH": str(tools), "COUNT": str(count), "BEFORE": str(before), "AFTER": str(after)}
    command = ["/bin/sh", str(bundle), "-q", f"--install-path={root}", *options]
    done = subprocess.run(command, env=env, start_new_session=True, check=False, capture_output=True, timeout=60)
    return done.returncode, int(count.read_text())


def state(root: Path) -> list[str]:
    assert Root(root).verify() == []
    return [package.manifest.version for package in Root(root).packages()]


@pytest.mark.parametrize(
    ("option", "old", "new"),
    [("--install", [], ["2.0.0"]), ("--upgrade", ["1.0.0"], ["2.0.0"]), ("--uninstall", ["2.0.0"], [])],
)
def test_killed_at_any_command_it_is_old_or_new_and_goes_on(
    tools: Path, tmp_path: Path, cases: list[str], option: str, old: list[str], new: list[str]
) -> None:
    bundles = Bundles(tmp_path)
    template = tmp_path / "template"
    template.mkdir()
    for version in old:
        assert run(tools, {"1.0.0": bundles.square_1, "2.0.0": bundles.square_2}[version], template)[0] == 0
    shutil.copytree(template, tmp_path / "root", symlinks=True)
    assert state(template) == old
    status, calls = run(tools, bundles.square_2, tmp_path / "root", option)
    assert status == 0
    assert state(tmp_path / "root") == new
    for number in range(2, 2 * calls + 2):
        root = tmp_path / f"root{number}"
        shutil.copytree(template, root, symlinks=True)
        when = {"before" if number % 2 == 0 else "after": number // 2}
        assert run(tools, bundles.square_2, root, option, **when)[0] == -9
        found = state(root)
        assert found in (old, new)
        cases.append("tried")
        if option != "--uninstall" or found == old:
            assert run(tools, bundles.square_2, root, option)[0] == 0
        assert state(root) == new
        assert not list(root.glob("vendors/.*"))
        assert not list(root.glob(".opkg/staging*"))
