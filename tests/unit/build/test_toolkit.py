"""The toolkit tree: what is in it, what it replaces, what it refuses, and the environment that it gives."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from opkg import __version__
from opkg.build import toolkit as module
from opkg.build.toolkit import INSTALL_INFO, LIBRARY_NAMES, lay_out, make_toolkit
from opkg.errors import BuildError

ARCH = f"{platform.machine()}-linux"


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    return make_toolkit(tmp_path_factory.mktemp("tool kit") / "my toolkit").path


def test_every_link_leads_somewhere_in_the_tree(tree):
    links = [path for path in tree.rglob("*") if path.is_symlink()]
    assert len(links) > 50
    root = tree.resolve()
    for link in links:
        assert not link.readlink().is_absolute(), link
        assert link.resolve().is_relative_to(root) and link.exists(), link


@pytest.mark.parametrize(
    "name",
    [
        "set_env.sh",
        "bin/setenv.bash",
        "bin/opkg-ascc",
        "bin/bisheng",
        "bin/msprof",
        "bin/npu-smi",
        "include/acl/acl.h",
        "include/kernel_operator.h",
        "include/tiling/platform/platform_ascendc.h",
        f"{ARCH}/include/register/tilingdata_base.h",
        f"{ARCH}/lib64/libascendcl.so",
        f"{ARCH}/{INSTALL_INFO}",
        "lib64/libopkg_twin.so.1",
        "compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake",
        "tools/tikcpp/ascendc_kernel_cmake/ascendc.cmake",
        "ascendc_devkit/tikcpp/samples/cmake/ascendc.cmake",
        "tools/tikicpulib/lib/cmake/tikicpulib-config.cmake",
        "tools/tikicpulib/lib/Ascend910B1/libopkg_twin.so",
        "tools/simulator/Ascend310P3/lib/libascendcl.so",
        "runtime/include/acl/acl.h",
        "acllib/lib64/stub/libascendcl.so",
        "opp/vendors",
        "cann/set_env.sh",
        "ascend-toolkit/latest/bin/setenv.bash",
        "ascend-toolkit/set_env.sh",
        "share/cmake/ASC/ASCConfig.cmake",
    ],
)
def test_what_projects_look_for_is_there(tree, name):
    assert (tree / name).exists()


def test_every_library_that_programs_name_is_one_of_ours(tree):
    for library, names in LIBRARY_NAMES.items():
        for name in names:
            assert (tree / "lib64" / f"lib{name}.so").samefile(tree / "lib64" / library)


def test_no_two_different_headers_share_a_name():
    """The folders of opkg's headers become one."""
    include = module.native_dir() / "include"
    seen: dict[str, Path] = {}
    for root in (include / "ascendc", include / "host", include):
        for file in root.rglob("*.h*"):
            if root != include or file.relative_to(include).parts[0] not in ("ascendc", "host"):
                name = str(file.relative_to(root))
                other = seen.setdefault(name, file)
                assert other.read_bytes() == file.read_bytes(), f"{file} and {other}"


def test_the_install_info_says_what_it_is(tree):
    text = (tree / ARCH / INSTALL_INFO).read_text("utf-8")
    assert f"version={__version__}\n" in text
    assert f"arch={platform.machine()}\n" in text


def test_a_toolkit_is_replaced_and_keeps_its_operators(tmp_path):
    first = make_toolkit(tmp_path / "kit")
    assert not first.replaced
    (first.path / "opp" / "vendors" / "mine").mkdir()
    (first.path / "bin" / "stray").write_text("old", "utf-8")
    second = make_toolkit(tmp_path / "kit")
    assert second.replaced
    assert (second.path / "opp" / "vendors" / "mine").is_dir()
    assert not (second.path / "bin" / "stray").exists()
    assert sorted(tmp_path.iterdir()) == [tmp_path / "kit"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "kit").mkdir()
    assert make_toolkit(tmp_path / "kit").set_env.is_file()


@pytest.mark.parametrize("what", ["file in it", "file", "link"])
def test_what_is_not_ours_is_refused_and_stays(tmp_path, what):
    kit = tmp_path / "kit"
    if what == "file in it":
        kit.mkdir()
        (kit / "thesis.tex").write_text("mine", "utf-8")
    elif what == "file":
        kit.write_text("mine", "utf-8")
    else:
        (tmp_path / "elsewhere").mkdir()
        kit.symlink_to("elsewhere")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BuildError) as refused:
        make_toolkit(kit)
    assert refused.value.code == "OPKG-4030"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failure_while_the_tree_is_written_changes_nothing(tmp_path, monkeypatch):
    kit = make_toolkit(tmp_path / "kit").path
    before = (kit / "set_env.sh").stat().st_ino

    def fail(tree: Path) -> None:
        (tree / "bin").mkdir(parents=True)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "lay_out", fail)
    with pytest.raises(OSError, match="No space left"):
        make_toolkit(kit)
    assert (kit / "set_env.sh").stat().st_ino == before
    assert sorted(tmp_path.iterdir()) == [kit]


@pytest.mark.parametrize("step", ["rename of the operators", "rename of the tree"])
def test_a_failure_while_the_tree_is_put_in_its_place_puts_the_old_one_back(tmp_path, monkeypatch, step):
    kit = make_toolkit(tmp_path / "kit").path
    (kit / "opp" / "vendors" / "mine").mkdir()
    before = (kit / "set_env.sh").stat().st_ino
    rename = Path.rename
    fails = "opp" if step.endswith("operators") else "new"

    def fail(self: Path, target: Path) -> Path:
        if self.name == fails and target.parent != self.parent and "old" not in target.parts:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="No space left"):
        make_toolkit(kit)
    assert (kit / "set_env.sh").stat().st_ino == before
    assert (kit / "opp" / "vendors" / "mine").is_dir()
    assert sorted(tmp_path.iterdir()) == [kit]


@pytest.mark.parametrize("moved", [False, True])
def test_what_a_killed_run_left_is_put_back(tmp_path, moved):
    kit = make_toolkit(tmp_path / "kit [1]").path
    (kit / "opp" / "vendors" / "mine").mkdir()
    stage = tmp_path / ".kit [1].opkg-abc"
    stage.mkdir()
    lay_out(stage / "new")
    kit.rename(stage / "old")
    if moved:
        shutil.rmtree(stage / "new" / "opp")
        (stage / "old" / "opp").rename(stage / "new" / "opp")
    assert make_toolkit(kit).replaced
    assert (kit / "opp" / "vendors" / "mine").is_dir()
    assert sorted(tmp_path.iterdir()) == [kit]


def test_the_native_half_is_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "native_dir", lambda: tmp_path / "nowhere")
    with pytest.raises(BuildError) as failed:
        make_toolkit(tmp_path / "kit")
    assert failed.value.code == "OPKG-4031"
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_a_toolkit_is_refused_and_its_operators_stay(tmp_path):
    kit = make_toolkit(tmp_path / "kit-1").path
    (kit / "opp" / "vendors" / "mine").mkdir()
    (tmp_path / "kit").symlink_to("kit-1")
    with pytest.raises(BuildError, match="symbolic link"):
        make_toolkit(tmp_path / "kit")
    assert (kit / "opp" / "vendors" / "mine").is_dir()
    assert sorted(tmp_path.iterdir()) == [tmp_path / "kit", kit]


def test_an_installed_opkg_is_not_replaced_by_a_toolkit(tmp_path):
    kit = make_toolkit(tmp_path / "kit").path
    (kit / "bin" / "opkg").write_text("#!/bin/sh\n", "utf-8")
    with pytest.raises(BuildError, match="holds opkg itself") as refused:
        make_toolkit(kit)
    assert refused.value.code == "OPKG-4030"
    assert (kit / "bin" / "opkg").is_file()


def test_what_killed_runs_left_is_deleted_unless_operators_are_in_it(tmp_path):
    kit = make_toolkit(tmp_path / "kit [1]").path
    half, over, precious, other = (tmp_path / f".{name}.opkg-x{n}" for n, name in enumerate([kit.name] * 3 + ["kit 1"]))
    (half / "new" / "bin").mkdir(parents=True)
    (over / "old" / "bin").mkdir(parents=True)
    (precious / "old" / "opp" / "vendors").mkdir(parents=True)
    (other / "new").mkdir(parents=True)
    assert make_toolkit(kit).replaced
    assert sorted(tmp_path.iterdir()) == sorted([kit, precious, other])


def test_two_runs_at_once_come_one_after_the_other(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        kits = list(pool.map(make_toolkit, [tmp_path / "kit"] * 2))
    assert sorted(kit.replaced for kit in kits) == [False, True]
    assert sorted(tmp_path.iterdir()) == [tmp_path / "kit"]


def environment(command: str, shell: str = "bash", **variables: str) -> dict[str, str]:
    """The environment after a command in a shell."""
    base = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **variables}
    done = subprocess.run([shell, "-c", f"{command} && env -0"], env=base, capture_output=True, text=True, check=True)
    return dict(line.split("=", 1) for line in done.stdout.split("\0") if "=" in line)


@pytest.mark.parametrize("file", ["set_env.sh", "bin/setenv.bash", "cann/set_env.sh", "ascend-toolkit/set_env.sh"])
def test_sourcing_gives_the_variables_that_programs_read(tree, file):
    found = environment(f". '{tree}/{file}'")
    root = str(tree.resolve())
    assert found["ASCEND_HOME_PATH"] == found["ASCEND_TOOLKIT_HOME"] == root
    assert found["ASCEND_OPP_PATH"] == f"{root}/opp"
    assert found["PATH"].split(":")[0] == f"{root}/bin"
    assert found["LD_LIBRARY_PATH"] == f"{root}/lib64"
    assert found["CMAKE_PREFIX_PATH"] == f"{root}:{root}/tools/tikicpulib/lib/cmake"


def test_sourcing_twice_and_with_values_there_before(tree):
    line = f". '{tree}/set_env.sh'"
    found = environment(f"{line}; {line}", LD_LIBRARY_PATH="/lib/mine", CMAKE_PREFIX_PATH="/prefix/mine")
    root = str(tree.resolve())
    assert found["PATH"].count(f"{root}/bin") == 1
    assert found["LD_LIBRARY_PATH"] == f"{root}/lib64:/lib/mine"
    assert found["CMAKE_PREFIX_PATH"] == f"{root}:{root}/tools/tikicpulib/lib/cmake:/prefix/mine"


def test_sourcing_heeds_no_cdpath(tree, tmp_path):
    (tmp_path / tree.name).mkdir()
    found = environment(f"cd '{tree.parent}' && . '{tree.name}/set_env.sh'", CDPATH=str(tmp_path))
    assert found["ASCEND_HOME_PATH"] == str(tree.resolve())


@pytest.mark.skipif(not shutil.which("dash"), reason="needs dash")
def test_a_shell_that_does_not_say_where_the_file_is(tree):
    found = environment(f"OPKG_TOOLKIT='{tree}'; . '{tree}/set_env.sh'", "dash")
    assert found["ASCEND_HOME_PATH"] == str(tree)
    done = subprocess.run(["dash", "-c", f". '{tree}/set_env.sh'"], env={}, capture_output=True, text=True)
    assert "set OPKG_TOOLKIT to its folder" in done.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["info"], "| 0     910B1"),
        (["info", "-l"], "Total Count                    : 1"),
        (["info", "-m"], "Ascend910B1"),
        (["info", "-t", "board", "-i", "0"], "NPU Name                       : 910B1"),
    ],
)
def test_npu_smi_lists_the_cpu(tree, words, part):
    done = subprocess.run([str(tree / "bin" / "npu-smi"), *words], capture_output=True, text=True, check=True)
    assert part in done.stdout


def test_npu_smi_counts_as_ascendcl_does(tree):
    def count(value: str) -> int:
        env = os.environ | {"OPKG_DEVICE_COUNT": value, "OPKG_SOC": "Ascend310P3"}
        done = subprocess.run([str(tree / "bin" / "npu-smi")], env=env, capture_output=True, text=True, check=True)
        return done.stdout.count("310P3")

    assert [count("3"), count("12"), count("none"), count("0"), count("65")] == [3, 12, 1, 1, 1]


def test_npu_smi_says_what_it_cannot(tree):
    done = subprocess.run([str(tree / "bin" / "npu-smi"), "set"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "npu-smi: the CPU twin has no 'set'; 'npu-smi info' lists the devices\n"


@pytest.mark.parametrize(
    "words",
    [
        ["op", "--launch-count=2", "--output=./prof", "echo", "it", "ran"],
        ["op", "simulator", "--application=echo it ran"],
        ["--application=echo it ran"],
    ],
)
def test_msprof_runs_the_program(tree, words):
    done = subprocess.run([str(tree / "bin" / "msprof"), *words], capture_output=True, text=True, check=True)
    assert done.stdout == "it ran\n"
    assert done.stderr == "msprof: nothing is measured on a CPU; the program runs as it is\n"


def test_msprof_gives_the_status_of_the_program(tree):
    msprof = str(tree / "bin" / "msprof")
    assert subprocess.run([msprof, "op", "sh", "-c", "exit 3"], capture_output=True).returncode == 3
    assert subprocess.run([msprof, "op"], capture_output=True).returncode == 2
    assert subprocess.run([msprof, "-x"], capture_output=True).returncode == 2
