import multiprocessing
import os

import pytest

from opkg.build.workspace import Workspace
from opkg.errors import BuildError


@pytest.fixture
def awkward(tmp_path, monkeypatch):
    """A workspace whose path has characters that CMake and depfiles cannot carry."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    root = tmp_path / 'it\'s "a"; $p\\roject'
    root.mkdir()
    space = Workspace(root, root / "build_out")
    space.make()
    return space


def test_plain_paths_are_used_as_they_are(tmp_path):
    root = tmp_path / "p q-ü.1"
    space = Workspace(root, root / "build_out")
    assert space.tool_path(root / "op_host/a.cpp") == root / "op_host/a.cpp"


def test_other_paths_go_through_a_link_with_a_plain_name(awkward):
    alias = awkward.tool_path(awkward.root / "op_host")
    assert not set("'\"; $\\") & set(str(alias))
    (awkward.root / "op_host").mkdir()
    assert alias.resolve() == (awkward.root / "op_host").resolve()
    assert awkward.tool_path(awkward.cmake).resolve() == awkward.cmake.resolve()


def test_messages_show_paths_below_the_project(awkward):
    assert awkward.show(awkward.tool_path(awkward.root / "op_kernel/a.cpp")) == "op_kernel/a.cpp"
    assert awkward.show(awkward.root / "op_kernel/a.cpp") == "op_kernel/a.cpp"
    assert awkward.show("/usr/include/x.h") == "/usr/include/x.h"


def test_only_the_users_files_are_own(awkward):
    assert awkward.is_own(awkward.tool_path(awkward.root / "op_kernel/a.cpp"))
    assert not awkward.is_own(awkward.tool_path(awkward.generated / "A_0.cpp"))
    assert not awkward.is_own("/usr/include/x.h")


def test_prefix_maps_put_the_deepest_last(tmp_path):
    space = Workspace(tmp_path / "p", tmp_path / "p/build_out")
    first, second, third = space.prefix_maps()
    assert (first, second) == (f"{tmp_path}/p/=", f"{tmp_path}/p/build_out/.opkg/=build/")
    assert third.endswith("/_native/=opkg/")


def test_a_link_folder_of_somebody_else_is_refused(awkward, tmp_path):
    folder = tmp_path / "tmp" / f"opkg-{os.getuid()}"
    for link in folder.iterdir():
        link.unlink()
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BuildError, match="belongs to somebody else"):
        awkward.make()


def test_an_out_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildError, match="cannot write to") as caught:
        Workspace(tmp_path, tmp_path / "file/out").make()
    assert "--out" in caught.value.hint


def _hold(root, entered, leave):
    space = Workspace(root, root / "out")
    with space.locked(lambda _: None):
        entered.set()
        leave.wait(30)


def test_a_second_build_waits_and_says_for_whom(tmp_path):
    space = Workspace(tmp_path, tmp_path / "out")
    space.make()
    context = multiprocessing.get_context("spawn")
    entered, leave = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, entered, leave))
    other.start()
    assert entered.wait(30)
    said = []

    def log(line):
        said.append(line)
        leave.set()

    with space.locked(log):
        pass
    other.join(30)
    assert said == [f"another 'opkg build' (process {other.pid}) works here; waiting for it"]
    assert other.exitcode == 0
