"""AscendCL, kernels in streams, and ICPU_RUN_KF: programs of named cases, compiled once and run one case at a time."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from twin_harness import INCLUDE, LIB

SOURCES = Path(__file__).parents[1] / "data" / "acl"

RUNTIME_CASES = re.findall(r"^CASE\((\w+)\)", (SOURCES / "runtime.cpp").read_text(), re.MULTILINE)
LAUNCH_CASES = re.findall(r"^CASE\((\w+)\)", (SOURCES / "launches.cpp").read_text(), re.MULTILINE)
ENDING = {
    "lines_of_one_core_are_not_torn",
    "a_crash_names_the_core",
    "an_assertion_of_the_host",
    "a_launch_that_gets_no_further",
}

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def build(folder: Path, name: str, *libraries: str, to: str | None = None) -> Path:
    program = folder / (to or name)
    command = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", f"-I{INCLUDE / 'ascendc'}", f"-I{INCLUDE}"]
    command += [
        str(SOURCES / f"{name}.cpp"),
        "-o",
        str(program),
        f"-L{LIB}",
        *libraries,
        f"-Wl,-rpath,{LIB}",
        "-pthread",
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""
    return program


def runner(program: Path, folder: Path) -> Run:
    def run(case: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(program), case],
            cwd=folder,
            env=os.environ | env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("acl_runtime")
    return runner(build(folder, "runtime", "-lascendcl"), folder)


@pytest.fixture(scope="session")
def launches(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("acl_launches")
    build(folder, "module", "-shared", "-fPIC", "-lascendcl", "-lopkg_twin", to="module.o")
    return runner(build(folder, "launches", "-lascendcl", "-lopkg_twin"), folder)


@pytest.fixture(scope="session")
def run_kf(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("run_kf")
    return runner(build(folder, "run_kf", "-lopkg_twin"), folder)


ENVIRONMENT = {
    "the_environment_says_how_many_devices_there_are_and_which_chip": {
        "OPKG_DEVICE_COUNT": "3",
        "OPKG_SOC": "Ascend310P3",
    }
}


@pytest.mark.parametrize("case", RUNTIME_CASES)
def test_the_runtime(runtime: Run, case: str) -> None:
    ran = runtime(case, **ENVIRONMENT.get(case, {}))
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stdout + ran.stderr


@pytest.mark.parametrize("case", [case for case in LAUNCH_CASES if case not in ENDING])
def test_kernels_in_streams(launches: Run, case: str) -> None:
    ran = launches(case)
    assert ran.returncode == 0 and ran.stdout.endswith("done\n"), ran.stdout + ran.stderr


def test_the_chip_is_that_of_the_kernels(tmp_path: Path) -> None:
    program = build(tmp_path, "launches", "-lascendcl", "-lopkg_twin", "-D__NPU_ARCH__=3510")
    ran = runner(program, tmp_path)("the_chip_is_that_of_the_kernels")
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stdout


def test_a_captured_model_is_shown(launches: Run, tmp_path: Path) -> None:
    ran = launches("captured_streams_run_again")
    shown = json.loads(ran.stdout.removesuffix("done\n"))
    assert [node["kind"] for node in shown["nodes"]] == ["kernel", "record event", "kernel", "record event", "copy"]
    assert shown["nodes"][0]["name"] == "add_one"
    assert shown["nodes"][0]["stream"] != shown["nodes"][2]["stream"]


def test_lines_of_one_core_are_not_torn(launches: Run) -> None:
    lines = launches("lines_of_one_core_are_not_torn").stdout.splitlines()
    assert lines[0] == "host" and lines[-1] == "done"
    by_core: dict[str, list[str]] = {}
    for line in lines[1:-1]:
        found = re.fullmatch(r"\[AIV Block (\d)/8\] (.*)", line)
        assert found, line
        by_core.setdefault(found[1], []).append(found[2])
    assert sorted(by_core) == [str(core) for core in range(8)]
    for core, printed in by_core.items():
        assert printed == [f"line {i} of {core}, half 0.25, text, end" for i in range(20)] + ["no end"]


def test_a_crash_names_the_core(launches: Run) -> None:
    ran = launches("a_crash_names_the_core")
    assert ran.returncode == -11
    assert ran.stderr == "opkg: add_one: vector core 0 of 1 touches memory that is not there, at 0x40\n"


@pytest.mark.parametrize("seconds", ["1", "0"])
def test_a_launch_that_gets_no_further_is_spoken_of_once(launches: Run, seconds: str) -> None:
    ran = launches("a_launch_that_gets_no_further", OPKG_TWIN_PATIENCE=seconds)
    assert (ran.returncode, ran.stdout) == (0, "done\n")
    said = "opkg: dawdles: nothing has happened for a while; 0 of 2 cores have returned; vector core 1 of 2 waits in "
    lines = ran.stderr.splitlines()
    assert len(lines) == int(seconds)
    assert all(line.startswith(said) for line in lines)


def test_an_assertion_of_the_host_aborts(launches: Run) -> None:
    ran = launches("an_assertion_of_the_host")
    assert ran.returncode == -6
    assert re.fullmatch(r"\[ASSERT\] .*launches\.cpp:\d+: Assertion `answer == 42' \n", ran.stdout)


def test_failing_kernels_are_on_stderr_at_once(launches: Run) -> None:
    said = launches("what_would_hang_says_where").stderr.splitlines()
    assert [line[-8:] for line in said] == ["[507014]"] * 3 + ["[507015]", "[507016]"]
    assert said[0].startswith("opkg: stuck: deadlock: 2 of 6 cores wait")


@pytest.mark.parametrize("case", ["values", "modes"])
def test_icpu_run_kf(run_kf: Run, case: str) -> None:
    ran = run_kf(case)
    assert (ran.returncode, ran.stdout) == (0, ""), ran.stdout + ran.stderr


def test_a_kernel_that_fails_ends_a_program_without_a_runtime(run_kf: Run) -> None:
    ran = run_kf("fails")
    assert ran.returncode == 1
    assert "not reached" not in ran.stdout
    assert re.search(r"opkg: refuses: .* core \d+ of \d+: .*run_kf\.cpp:\d+: the assertion .* \[507015\]", ran.stderr)


def test_freeing_what_gm_alloc_did_not_give(run_kf: Run) -> None:
    ran = run_kf("free")
    assert ran.returncode == 1
    assert "GmFree of memory that GmAlloc did not give" in ran.stderr


@pytest.mark.parametrize("header", ["acl/acl.h", "acl/acl_rt.h", "acl/acl_base.h", "acl/acl_base_rt.h"])
@pytest.mark.parametrize("language", [["-x", "c", "-std=c11"], ["-x", "c++", "-std=c++11"]], ids=["c", "c++"])
def test_headers_stand_alone(header: str, language: list[str]) -> None:
    command = ["g++" if "c++" in language else "gcc", *language, "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command += ["-fsyntax-only", f"-I{INCLUDE}", "-"]
    text = f'#include "{header}"\nint main(void) {{ return ACL_SUCCESS + (int)sizeof(aclrtStream) * 0; }}\n'
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
