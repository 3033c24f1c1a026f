"""Building again: only what changed, with the reason; errors of compilers; interrupts and builds at the same time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from made_projects import call, edit, pair, square, tree

from opkg.build import build_project
from opkg.errors import BuildError

pytestmark = pytest.mark.slow

HOST = "host library"
HALF = "Square column 0 (x float16, y float16)"
FLOAT = "Square column 1 (x float32, y float32)"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("CXX", "CPPFLAGS", "CXXFLAGS", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def built_once(tmp_path_factory) -> Path:
    project = square(tmp_path_factory.mktemp("once") / "Square")
    build_project(project, pkg=True)
    return project


@pytest.fixture
def project(built_once) -> Path:
    """A built project; a test that changes it leaves it built."""
    return built_once


def times(folder: Path) -> dict[str, int]:
    return {str(f): f.stat().st_mtime_ns for f in sorted(folder.rglob("*")) if f.is_file() and f.name != "lock"}


def test_nothing_to_do_touches_nothing(project):
    before = times(project)
    result = build_project(project, pkg=True)
    assert result.rebuilt == ()
    assert result.bundle is not None and result.bundle.is_file()
    assert times(project) == before


def test_a_changed_kernel_rebuilds_its_columns_only(project):
    edit(project / "op_kernel/square.cpp", "Mul(yLocal, xLocal, xLocal, count)", "Add(yLocal, xLocal, xLocal, count)")
    result = build_project(project)
    assert result.rebuilt == (f"{HALF}: op_kernel/square.cpp changed", f"{FLOAT}: op_kernel/square.cpp changed")
    assert call(result, "Square", np.float32([3])) == 6
    edit(project / "op_kernel/square.cpp", "Add(yLocal", "Mul(yLocal")
    assert call(build_project(project), "Square", np.float32([3])) == 9


def test_a_changed_host_source_rebuilds_the_host_library_only(project):
    with (project / "op_host/square.cpp").open("a") as file:
        file.write("// a remark\n")
    assert build_project(project).rebuilt == (f"{HOST}: op_host/square.cpp changed",)


def test_a_changed_shared_header_rebuilds_both(project):
    with (project / "op_kernel/square_tiling.h").open("a") as file:
        file.write("// a remark\n")
    why = "op_kernel/square_tiling.h changed"
    assert build_project(project).rebuilt == (f"{HOST}: {why}", f"{HALF}: {why}", f"{FLOAT}: {why}")


def test_a_file_that_nothing_compiles_rebuilds_nothing_but_is_staged(project):
    (project / "op_kernel/notes.h").write_text("// not included\n")
    result = build_project(project)
    assert result.rebuilt == ()
    assert (result.package / "op_impl/ai_core/tbe/customize_impl/dynamic/notes.h").is_file()
    (project / "op_kernel/notes.h").unlink()
    assert not (build_project(project).package / "op_impl/ai_core/tbe/customize_impl/dynamic/notes.h").exists()


def test_a_file_that_became_older_is_noticed(project):
    """As when an older copy is unpacked over it with its time: make and ninja would miss it."""
    source = project / "op_kernel/square.cpp"
    with source.open("a") as file:
        file.write("// older\n")
    os.utime(source, (1_000_000_000, 1_000_000_000))
    result = build_project(project)
    assert result.rebuilt == (f"{HALF}: op_kernel/square.cpp changed", f"{FLOAT}: op_kernel/square.cpp changed")


def test_other_options_are_a_reason(project, monkeypatch):
    monkeypatch.setenv("CXXFLAGS", "-DUNUSED=1")
    assert {line.split(": ")[1] for line in build_project(project).rebuilt} == {"options changed"}
    assert build_project(project).rebuilt == ()
    monkeypatch.delenv("CXXFLAGS")
    assert len(build_project(project).rebuilt) == 3


def test_another_compiler_is_a_reason(project, tmp_path, monkeypatch):
    wrapper = tmp_path / "mycxx"
    wrapper.write_text(f'#!/bin/sh\nexec {shutil.which("c++")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("CXX", str(wrapper))
    assert {line.split(": ")[1] for line in build_project(project).rebuilt} == {"compiler changed"}
    monkeypatch.delenv("CXX")
    assert {line.split(": ")[1] for line in build_project(project).rebuilt} == {"compiler changed"}


def test_a_project_that_moved_is_built_anew(tmp_path, project):
    shutil.copytree(project, tmp_path / "moved")
    result = build_project(tmp_path / "moved")
    assert {line.split(": ")[1] for line in result.rebuilt} == {"the project or opkg moved"}
    assert tree(result.package) == tree(build_project(project).package)


def test_a_new_version_is_in_the_host_library(project):
    edit(project / "opkg.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    result = build_project(project)
    assert result.rebuilt == (f"{HOST}: opkg.toml changed",)
    assert result.manifest.version == "0.2.0"
    edit(project / "opkg.toml", 'version = "0.2.0"', 'version = "0.1.0"')
    build_project(project)


def test_a_staged_file_that_is_gone_is_put_back(project):
    package = build_project(project).package
    (package / "version.info").unlink()
    assert build_project(project).rebuilt == ()
    assert (package / "version.info").read_text().startswith("custom_opp_compiler_version=")


def test_a_bundle_that_is_gone_is_written_again(project):
    first = build_project(project, pkg=True).bundle.read_bytes()
    build_project(project, pkg=True).bundle.unlink()
    assert build_project(project, pkg=True).bundle.read_bytes() == first


def test_a_build_tree_that_is_gone_is_made_again(project):
    shutil.rmtree(project / "build_out/.opkg/cmake")
    result = build_project(project)
    assert {line.split(": ")[1] for line in result.rebuilt} == {"not built yet"}
    assert call(result, "Square", np.float32([3])) == 9


def test_an_installation_without_its_headers_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("opkg.build.session.native_dir", lambda: tmp_path / "nothing")
    with pytest.raises(BuildError, match="this installation of opkg is not complete") as caught:
        build_project(square(tmp_path / "Square"))
    assert caught.value.code == "OPKG-4016"


def test_clean_builds_everything(project):
    assert {line.split(": ")[1] for line in build_project(project, clean=True).rebuilt} == {"clean build"}


def test_a_further_column_compiles_only_the_new_kernel(tmp_path):
    folder = pair(tmp_path / "pair")
    build_project(folder)
    source = folder / "op_host/scale.cpp"
    edit(source, "{ge::DT_FLOAT}", "{ge::DT_FLOAT, ge::DT_FLOAT16}")
    edit(source, "{ge::FORMAT_ND}", "{ge::FORMAT_ND, ge::FORMAT_ND}")
    result = build_project(folder)
    assert [line.split(" (")[0] for line in result.rebuilt] == [
        f"{HOST}: op_host/scale.cpp changed, the package's version changed",
        "Scale column 1",
    ]
    assert len(result.manifest.operators[1].columns) == 2


def test_a_changed_tiling_struct_reaches_the_kernel(tmp_path):
    from opkg._native import _core

    folder = pair(tmp_path / "pair")
    attrs = (("factor", _core.ATTR_FLOAT, 3.0), ("negate", _core.ATTR_BOOL, False))
    first = build_project(folder).manifest.operators[1].tiling_hash
    edit(folder / "op_host/scale_tiling.h", "(uint8_t, negate)", "(uint64_t, negate)")
    result = build_project(folder)
    assert [line for line in result.rebuilt if line.startswith("Scale")] == [
        "Scale column 0 (x float32, y float32): the host library's description changed"
    ]
    assert result.manifest.operators[1].tiling_hash != first
    np.testing.assert_array_equal(call(result, "Scale", np.float32([1, 2]), attrs=attrs), [3, 6])


def test_errors_name_the_users_own_file_and_line(tmp_path):
    folder = square(tmp_path / "it's")
    source = folder / "op_kernel/square.cpp"
    lines = source.read_text().splitlines()
    line = next(i for i, text in enumerate(lines) if "AscendC::Mul(" in text)
    lines[line] = "        undefined_function(xLocal);"
    source.write_text("\n".join(lines) + "\n")
    with pytest.raises(BuildError) as caught:
        build_project(folder)
    place = f"op_kernel/square.cpp:{line + 1}:"
    assert place in caught.value.message
    assert caught.value.message.startswith(f"{HALF} and 1 more cannot be built: ")
    assert caught.value.log.startswith(place)
    assert f"    in {HALF}\n    in {FLOAT}" in caught.value.log
    assert "build.log" in caught.value.hint
    with pytest.raises(BuildError) as again:
        build_project(folder)
    assert (again.value.message, again.value.log) == (caught.value.message, caught.value.log)


def test_one_column_that_fails_is_named(tmp_path):
    folder = square(tmp_path / "Square")
    check = "#if ORIG_DTYPE_X == DT_FLOAT16\n#error no half here\n#endif\n"
    source = folder / "op_kernel/square.cpp"
    source.write_text(source.read_text() + check)
    with pytest.raises(BuildError) as caught:
        build_project(folder)
    assert caught.value.message.startswith(f"{HALF} cannot be built: op_kernel/square.cpp:")
    assert "no half here" in caught.value.message
    assert FLOAT not in caught.value.log
    assert not (folder / "build_out/package").exists()


def test_a_failed_build_leaves_the_last_package(project):
    before = tree(project / "build_out/package")
    edit(project / "op_host/square.cpp", "namespace ops {", "broken\nnamespace ops {")
    with pytest.raises(BuildError, match=r"the host library cannot be built: op_host/square\.cpp:\d+:1: error: "):
        build_project(project)
    assert tree(project / "build_out/package") == before
    edit(project / "op_host/square.cpp", "broken\n", "")
    assert build_project(project).rebuilt == (f"{HOST}: op_host/square.cpp changed",)


def test_a_kernel_that_is_not_defined(tmp_path):
    folder = square(tmp_path / "Square")
    edit(folder / "op_kernel/square.cpp", "void square(", "void sqare(")
    with pytest.raises(BuildError) as caught:
        build_project(folder)
    assert caught.value.message == "op_kernel/square.cpp defines no kernel function `square`; it defines `sqare`"


def test_a_function_that_nobody_defines(tmp_path):
    folder = square(tmp_path / "Square")
    edit(folder / "op_host/square.cpp", "namespace optiling {", "int helper(int);\nnamespace optiling {")
    edit(folder / "op_host/square.cpp", "SetBlockDim(static_cast", "SetBlockDim(helper(1) + static_cast")
    with pytest.raises(BuildError, match=r"undefined reference to 'helper\(int\)'"):
        build_project(folder)


def opkg_build(folder: Path) -> subprocess.Popen[str]:
    # Who runs the tests may ignore interrupts, as shells let programs do that they start in the background.
    heed = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
    script = f"{heed}; from opkg.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", script, "build", str(folder), "-j", "1"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def test_an_interrupted_build_leaves_no_half_state(tmp_path):
    folder = square(tmp_path / "Square")
    child = opkg_build(folder)
    marks = folder / "build_out/.opkg/cmake"
    deadline = time.monotonic() + 60
    while not any(marks.glob("CMakeFiles/**/*.o")) and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert errors == "opkg: interrupted\n"
    assert not (folder / "build_out/package").exists()
    result = build_project(folder)
    assert call(result, "Square", np.float32([3])) == 9
    assert build_project(folder).rebuilt == ()


def test_two_builds_at_once_make_one_package(tmp_path):
    folder = square(tmp_path / "Square")
    both = [opkg_build(folder), opkg_build(folder)]
    answers = [child.communicate(timeout=120) for child in both]
    assert [child.returncode for child in both] == [0, 0], answers
    assert sum("nothing to do" in out for out, _ in answers) == 1
    assert sum("waiting for it" in err for _, err in answers) == 1
