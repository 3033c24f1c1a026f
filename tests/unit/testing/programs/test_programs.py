"""What `opkg ci` finds, which steps it takes from a README, how it runs them, and what it makes of how they end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import opkg.testing.programs
from opkg.errors import ProjectError
from opkg.testing.programs import Form, Program, Row, Settings, State, find_programs, run_programs, to_dict, totals
from opkg.testing.programs.commands import read_document
from opkg.testing.programs.execute import Ended, execute
from opkg.testing.programs.recipe import Part, Recipe, Step, recipe_of
from opkg.testing.programs.stage import copy_surroundings, stage_program
from opkg.testing.programs.verdict import first_error, judge

ASC_LISTING = "cmake_minimum_required(VERSION 3.16)\nfind_package(ASC REQUIRED)\nproject(x LANGUAGES ASC CXX)\n"


def _write(path: Path, text: str = "", mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    path.chmod(mode)
    return path


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path / "programs here"


# --- what is found


def test_every_form_is_found_by_its_own_marks(top: Path) -> None:
    _write(top / "a/CMakeLists.txt", ASC_LISTING)
    _write(top / "a/one.asc")
    _write(top / "a/sub/two.asc")
    _write(top / "b/CMakeLists.txt", "project(b)\ninclude(cmake/npu_lib.cmake)\n")
    _write(top / "b/cmake/npu_lib.cmake", "ascendc_library(k SHARED k.cpp)\n")
    _write(top / "c/op_host/x.cpp")
    _write(top / "c/op_kernel/x.cpp")
    _write(top / "c/op_kernel/CMakeLists.txt", "project(inner)\nascendc_library(x SHARED x.cpp)")
    _write(top / "d/CMakeLists.txt", "project(d)\nadd_executable(d d.cpp)\n")
    _write(top / "e/CMakeLists.txt", "project(e)\nadd_executable(e e.cpp)\ntarget_link_libraries(e ascendcl acl_rtc)\n")
    _write(top / "a/build/CMakeLists.txt", ASC_LISTING)
    found = find_programs(top)
    forms = [("a", Form.ASC), ("b", Form.LAUNCH), ("c", Form.OPERATOR), ("e", Form.RTC)]
    assert [(p.name, p.form) for p in found] == forms
    assert found[0].sources == ("one.asc", "sub/two.asc")


def test_an_operator_project_may_include_what_launch_projects_do(top: Path) -> None:
    _write(top / "a/CMakeLists.txt", "project(a)\ninclude(cmake/npu_lib.cmake)\nadd_subdirectory(op_host)\n")
    _write(top / "a/cmake/npu_lib.cmake", "ascendc_library(k SHARED k.cpp)\n")
    _write(top / "a/op_host/x.cpp")
    _write(top / "a/op_kernel/x.cpp")
    assert [p.form for p in find_programs(top)] == [Form.LAUNCH]
    _write(top / "a/CMakePresets.json", "{}")
    assert [p.form for p in find_programs(top)] == [Form.OPERATOR]


def test_folders_of_tools_and_of_builds_are_not_entered(top: Path) -> None:
    for name in (".git/x", ".hidden", "build/x", "out", "node_modules/x", "seen/x"):
        _write(top / name / "CMakeLists.txt", ASC_LISTING)
    assert [p.name for p in find_programs(top)] == ["seen/x"]


def test_what_cannot_be_read_as_a_listing_is_no_program(top: Path) -> None:
    _write(top / "a/CMakeLists.txt", ASC_LISTING)
    for name in ("loop", "pipe", "folder"):
        (top / name).mkdir()
    (top / "loop/CMakeLists.txt").symlink_to("CMakeLists.txt")
    os.mkfifo(top / "pipe/CMakeLists.txt")
    (top / "folder/CMakeLists.txt").mkdir()
    assert [p.name for p in find_programs(top)] == ["a"]


def test_a_listing_that_only_another_one_adds_is_no_program(top: Path) -> None:
    _write(top / "a/CMakeLists.txt", ASC_LISTING + "add_subdirectory(part)\n")
    _write(top / "a/part/CMakeLists.txt", "find_package(ASC)\nadd_library(part part.asc)\n")
    assert [p.name for p in find_programs(top)] == ["a"]


def test_a_place_that_is_no_folder_is_refused(top: Path) -> None:
    with pytest.raises(ProjectError, match="is not a folder"):
        find_programs(top)


# --- what a README says


def test_commands_of_a_readme_are_split_and_variables_put_in() -> None:
    text = """
Text with `cmake ..` that is no fence.

```bash
source ${install_path}/set_env.sh
N=3 ARCH=dav-3510   # the case
mkdir -p build && cd build;  # a comment; with cmake in it
cmake .. -DN=$N \\
   -DARCH=${ARCH};make -j;
python3 -m pip install numpy
./demo "a b" | tee log
sudo make install
```

```text
./not_a_command
```

~~~sh
./demo "a b" $UNKNOWN
~~~
"""
    document = read_document(text)
    assert [command.words for command in document.commands] == [
        ("mkdir", "-p", "build"),
        ("cd", "build"),
        ("cmake", "..", "-DN=3", "-DARCH=dav-3510"),
        ("make", "-j"),
        ("python3", "-m", "pip", "install", "numpy"),
        ("./demo", "a b", "$UNKNOWN"),
    ]
    assert document.shown == ("./not_a_command",)


def test_a_readme_with_bytes_that_no_command_can_have_is_read_without_them() -> None:
    assert [command.words for command in read_document("```\n./demo a\0b\n```\n").commands] == [("./demo", "ab")]


def test_indented_blocks_have_commands_too() -> None:
    text = "Do:\n\n    cmake ..\n    make\n\n```sh\n./demo\n```\n\n    python3 verify.py\n\nand see:\n\n    well\n"
    document = read_document(text)
    commands = [" ".join(command.words) for command in document.commands]
    assert commands == ["cmake ..", "make", "./demo", "python3 verify.py"]
    assert document.shown == ()


def _recipe(root: Path, readme: str, listing: str = ASC_LISTING) -> list[tuple[str, str, str]]:
    _write(root / "CMakeLists.txt", listing)
    _write(root / "README.md", readme)
    steps = recipe_of(Program("p", root, Form.ASC)).steps
    return [(step.part.value, step.folder, " ".join(step.words)) for step in steps]


def test_the_first_way_through_the_commands_is_taken_and_its_variants_are_left(top: Path) -> None:
    readme = """
```bash
cmake -DCASE=6 ..   # shown for another folder
```
```bash
mkdir build && cd build
cmake -DCMAKE_ASC_RUN_MODE=npu -DCMAKE_ASC_ARCHITECTURES=dav-2201 ..;make -j4;
python3 ../scripts/gen_data.py -m 1
./demo 1
python3 ../scripts/verify_result.py a.bin b.bin
```
```bash
cmake -DCMAKE_ASC_RUN_MODE=sim ..;make -j;
./demo 2
```
"""
    assert _recipe(top, readme) == [
        ("build", "build", "cmake -DCMAKE_ASC_ARCHITECTURES=dav-2201 .. -DCMAKE_ASC_RUN_MODE=cpu"),
        ("build", "build", "make"),
        ("data", "build", "python3 ../scripts/gen_data.py -m 1"),
        ("run", "build", "./demo 1"),
        ("verify", "build", "python3 ../scripts/verify_result.py a.bin b.bin"),
    ]


@pytest.mark.parametrize(
    ("commands", "steps"),
    [
        ("./build/demo", ["build$ cmake ..", "build$ cmake --build .", ".$ ./build/demo"]),
        ("cmake .. | tee log\ncd build\nmake\n./demo", ["build$ cmake ..", "build$ make", "build$ ./demo"]),
        ("cmake -S . -B b\ncmake --build b", [".$ cmake -S . -B b", ".$ cmake --build b", "b$ ./*"]),
        (
            "cd ${clone}/group/p; mkdir build; cd build\ncmake ..\nmake",
            ["build$ cmake ..", "build$ make", "build$ ./*"],
        ),
        ("cd group/p\n./demo", ["build$ cmake ..", "build$ cmake --build .", ".$ ./demo"]),
        ("cd /opt/other\n./demo", ["build$ cmake ..", "build$ cmake --build .", "build$ ./*"]),
        ("make -B variant\ncd build\ncmake ..\nmake", ["build$ cmake ..", "build$ make", "build$ ./*"]),
    ],
)
def test_every_way_of_writing_steps_down_begins_with_a_configuration(
    top: Path, commands: str, steps: list[str]
) -> None:
    found = _recipe(top / "p", f"```bash\n{commands}\n```\n")
    assert [f"{folder}$ {words}".replace(" -DCMAKE_ASC_RUN_MODE=cpu", "") for _, folder, words in found] == steps


def test_without_a_readme_the_customary_steps_are_taken(top: Path) -> None:
    _write(top / "p/CMakeLists.txt", ASC_LISTING)
    _write(top / "p/scripts/gen_data.py")
    _write(top / "p/scripts/verify_result.py")
    steps = recipe_of(Program("p", top / "p", Form.ASC), options=("-DX=1",)).steps
    assert [(step.part.value, step.folder, " ".join(step.words)) for step in steps] == [
        ("build", "build", "cmake .. -DCMAKE_ASC_RUN_MODE=cpu -DX=1"),
        ("build", "build", "cmake --build ."),
        ("data", "build", "python3 ../scripts/gen_data.py"),
        ("run", "build", "./*"),
        ("verify", "build", "python3 ../scripts/verify_result.py output/output.bin output/golden.bin"),
    ]


def test_a_placeholder_for_the_architecture_becomes_the_one_of_the_listing(top: Path) -> None:
    listing = ASC_LISTING + 'set(CMAKE_ASC_ARCHITECTURES "dav-3510" CACHE STRING "")\n'
    readme = "```bash\nmkdir build; cd build\ncmake -DCMAKE_ASC_ARCHITECTURES=$ARCH ..; make\n./demo\n```\n"
    assert _recipe(top, readme, listing)[0][2].endswith("-DCMAKE_ASC_ARCHITECTURES=dav-3510")


@pytest.mark.parametrize(
    ("script", "main", "words"),
    [
        ("LONG=run-mode:,soc-version:", "ICPU_RUN_KF(k, 8, x);", "bash run.sh -r cpu -v Ascend310P3"),
        ("LONG=run-mode:,soc-version:", "ACLRT_LAUNCH_KERNEL(k)(8, s, x);", "bash run.sh -r npu -v Ascend310P3"),
        ("LONG=soc-version:", "", "bash run.sh -v Ascend310P3"),
    ],
)
def test_a_launch_project_runs_its_own_script(top: Path, script: str, main: str, words: str) -> None:
    _write(top / "run.sh", script)
    _write(top / "main.cpp", main)
    (step,) = recipe_of(Program("p", top, Form.LAUNCH), soc="Ascend310P3").steps
    assert (step.part, " ".join(step.words)) == (Part.ALL, words)


# --- how it runs


def test_a_copy_finds_what_stands_beside_it_and_writes_nothing_back(top: Path, tmp_path: Path) -> None:
    _write(top / "common/data.h", "shared")
    _write(top / "group/beside.txt", "near")
    _write(top / "group/p/main.cpp", "old")
    _write(top / "group/p/build/stale.o")
    _write(top / "group/p/data/out/golden.bin", "right")
    around = copy_surroundings(top, tmp_path / "around")
    copy = stage_program(top, top / "group/p", tmp_path / "copy", around)
    assert (copy / "../../common/data.h").read_text() == "shared"
    assert (copy / "../beside.txt").read_text() == "near"
    assert not (copy / "build").exists()
    assert (copy / "data/out/golden.bin").read_text() == "right"
    (copy / "main.cpp").write_text("new")
    (copy / "../../common/data.h").write_text("new")
    (copy / "../../common/out").mkdir()
    assert (top / "group/p/main.cpp").read_text() == "old"
    assert (top / "common/data.h").read_text() == "shared"
    assert sorted(path.name for path in (top / "common").iterdir()) == ["data.h"]


def test_links_out_of_the_folder_lead_where_they_led(top: Path, tmp_path: Path) -> None:
    _write(tmp_path / "shared/data.h", "far")
    _write(top / "p/near.h", "near")
    (top / "lib").symlink_to("../shared")
    (top / "p/far.h").symlink_to("../../shared/data.h")
    (top / "p/same.h").symlink_to("near.h")
    deep = tmp_path / "elsewhere" / "deeper"
    deep.mkdir(parents=True)
    copy = stage_program(top, top / "p", deep / "copy", copy_surroundings(top, deep / "around"))
    assert [(copy / name).read_text() for name in ("far.h", "../lib/data.h", "same.h")] == ["far", "far", "near"]
    assert (copy / "same.h").readlink() == Path("near.h")


def test_links_into_the_folder_lead_into_the_copy(top: Path, tmp_path: Path) -> None:
    _write(top / "p/data.txt", "old")
    _write(top / "common/data.h", "old")
    (top / "p/absolute").symlink_to(top / "p/data.txt")
    (top / "p/around").symlink_to("../../programs here/common/data.h")
    (top / "p/itself").symlink_to("itself")
    (top / "common/itself").symlink_to(top / "common/itself")
    copy = stage_program(top, top / "p", tmp_path / "copy", copy_surroundings(top, tmp_path / "around"))
    (copy / "absolute").write_text("new")
    (copy / "around").write_text("new")
    assert (copy / "data.txt").read_text() == "new"
    assert (top / "p/data.txt").read_text() == "old"
    assert (top / "common/data.h").read_text() == "old"


def test_copies_are_not_copied_and_large_files_are_linked(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opkg.testing.programs.stage._LARGE", 4)
    _write(top / "small", "1234")
    _write(top / "large", "12345")
    os.mkfifo(top / "pipe")
    (top / "opkg-ci-x").mkdir()
    around = copy_surroundings(top, top / "opkg-ci-x" / "around")
    assert {path.name: path.is_symlink() for path in around.iterdir()} == {"small": False, "large": True}


def test_a_command_that_hangs_ends_with_all_that_it_started(tmp_path: Path) -> None:
    ended = execute(["sh", "-c", "sleep 600 & echo $!; wait"], tmp_path, os.environ, tmp_path / "log", 2.0)
    assert ended.code is None
    assert ended.how().startswith("still running after 2 s")
    with pytest.raises(ProcessLookupError):
        _until_gone(int(ended.output.split()[0]))


def _until_gone(pid: int) -> None:
    from time import monotonic, sleep

    end = monotonic() + 20
    while monotonic() < end:
        os.kill(pid, 0)
        if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            raise ProcessLookupError  # nobody waits for orphans in a container without an init
        sleep(0.02)


def test_a_command_that_prints_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opkg.testing.programs.execute._MOST_BYTES", 3_000_000)
    ended = execute(["yes"], tmp_path, os.environ, tmp_path / "log", 60.0)
    assert (ended.code, ended.how()) == (None, "stopped: it printed more than 3 MB")


def test_a_program_that_is_not_there_is_an_ending_not_an_exception(tmp_path: Path) -> None:
    ended = execute(["./none"], tmp_path, os.environ, tmp_path / "log", 5.0)
    assert (ended.code, ended.output) == (127, "./none: No such file or directory")


def test_only_the_output_of_the_command_itself_is_its_output(tmp_path: Path) -> None:
    log = tmp_path / "log"
    execute(["echo", "one"], tmp_path, os.environ, log, 5.0)
    assert execute(["echo", "two"], tmp_path, os.environ, log, 5.0).output == "two\n"
    assert log.read_text() == "$ echo one\none\n$ echo two\ntwo\n"


# --- what is made of it


def _judged(*steps: tuple[Part, int | None, str], shown: tuple[str, ...] = (), checked: bool = False) -> Row:
    done = [(Step(part, ("x",)), Ended(code, output, 1.0)) for part, code, output in steps]
    return judge(Program("p", Path("/p"), Form.ASC), done, Recipe((), shown, checked))


def test_a_finding_of_the_check_build_fails_what_verified() -> None:
    said = (
        "/tmp/x/scale.asc:22: missing-sync: Muls reads what DataCopy may still be writing [OPKG-C012]\n    kernel k\n"
    )
    row = _judged((Part.BUILD, 0, ""), (Part.RUN, 0, said), (Part.VERIFY, 0, "test pass"))
    assert (row.build, row.run, row.verify) == (State.DONE, State.FAILED, State.NONE)
    assert row.reason == "scale.asc:22: missing-sync: Muls reads what DataCopy may still be writing [OPKG-C012]"


B = (Part.BUILD, 0, "warning: it may fail")
R = (Part.RUN, 0, "some output")


@pytest.mark.parametrize(
    ("steps", "states", "reason"),
    [
        ((B, R, (Part.VERIFY, 0, "error ratio: 0.0\ntest pass!")), "ok ok ok", ""),
        ((B, (Part.RUN, 0, "Accuracy verification passed.")), "ok ok ok", ""),
        ((B, (Part.RUN, 0, "0 of 185 elements are wrong\ntest pass")), "ok ok ok", ""),
        ((B, (Part.RUN, 0, "10 of 185 elements are wrong\nsuccess")), "ok ok FAILED", "10 of 185 elements are wrong"),
        ((B, (Part.RUN, 0, "ratio 0.5 failed\nsuccess")), "ok ok FAILED", "ratio 0.5 failed"),
        ((B, R), "ok ok unsaid", "nothing that it printed says that the result is right"),
        ((B, (Part.RUN, 0, "test passed: no\nverification FAILED")), "ok ok FAILED", "verification FAILED"),
        ((B, R, (Part.VERIFY, 1, "[ERROR] result error")), "ok ok FAILED", "[ERROR] result error"),
        (((Part.BUILD, 2, "note\na.asc:3:1: error: no\nmake: *** x"),), "FAILED - -", "a.asc:3:1: error: no"),
        ((B, (Part.RUN, -11, "half of it")), "ok FAILED -", "crashed: Segmentation fault"),
        ((B, (Part.RUN, None, "")), "ok FAILED -", "still running after 1 s"),
        ((B, (Part.DATA, 1, "ImportError: No module named torch.nn")), "ok needs -", "needs the Python package torch"),
        (((Part.ALL, 1, "x.cpp:1: error: bad"),), "FAILED - -", "x.cpp:1: error: bad"),
        (((Part.ALL, 1, "error ratio: 0.5\n[ERROR] result error"),), "ok ok FAILED", "error ratio: 0.5"),
        (((Part.ALL, 0, "error ratio: 0.0000\ntest pass"),), "ok ok ok", ""),
        ((B,), "ok - -", ""),
    ],
)  # fmt: skip
def test_states_and_first_error_line(steps: tuple[tuple[Part, int | None, str], ...], states: str, reason: str) -> None:
    row = _judged(*steps)
    assert f"{row.build.value} {row.run.value} {row.verify.value}" == states
    assert row.reason == reason
    assert row.failed == ("FAILED" in states)


def test_a_line_that_the_readme_shows_is_a_success_line() -> None:
    hello = (Part.RUN, 0, "[Block (0/8)]: Hello\n[Block (1/8)]: Hello\n")
    assert _judged(B, hello, shown=("[Block (1/8)]: Hello",)).verify is State.DONE
    assert _judged(B, hello, shown=("[Block (9/8)]: Hello", "8")).verify is State.UNSAID
    with_core = (Part.RUN, 0, "[AIV Block 3/8] OUTPUT = 24\n")
    assert _judged(B, with_core, shown=("OUTPUT = 24",)).verify is State.DONE
    assert _judged(B, with_core, shown=("[AIV Block 3/8] OUTPUT = 24",)).verify is State.DONE
    assert _judged(B, with_core, shown=("OUTPUT = 2", "[AIV Block 3/8]")).verify is State.UNSAID
    # Of a line of three letters nothing can be told.
    short = (Part.RUN, 0, "...\nend\n")
    assert _judged(B, short, shown=("end", "...", "en...")).verify is State.UNSAID


@pytest.mark.parametrize(
    ("after", "checked"),
    [("if [ $count -ne 8 ]; then\n    exit 1\nfi\n", True), ("", False), ("exit 0\n", False)],
)
def test_a_script_that_looks_at_the_output_is_a_checker(top: Path, after: str, checked: bool) -> None:
    script = f"if [ -z $1 ]; then\n    exit 1\nfi\n./build/main | tee out.txt\ncount=$(grep -c Hello out.txt)\n{after}"
    _write(top / "run.sh", script)
    recipe = recipe_of(Program("p", top, Form.LAUNCH))
    assert recipe.checked == checked
    row = _judged((Part.ALL, 0, "Hello\n"), checked=recipe.checked)
    assert row.verify is (State.DONE if checked else State.UNSAID)


@pytest.mark.parametrize(
    ("output", "states", "reason"),
    [
        ("-- Performing Test HAVE_X - Success\nran", "ok ok unsaid",
         "nothing that it printed says that the result is right"),
        ("-- Performing Test HAVE_X - Failed\nmax error: 0.0\ntest pass", "ok ok ok", ""),
        ("a.cpp:1:2: error: no\nmake: *** [x] Error 1\ntest pass", "FAILED - -", "a.cpp:1:2: error: no"),
        ("Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch'\n", "ok needs -",
         "needs the Python package torch"),
        ("./run.sh: line 3: 12 Segmentation fault ./main\nHello", "ok ok FAILED",
         "./run.sh: line 3: 12 Segmentation fault ./main"),
    ],
)  # fmt: skip
def test_a_script_that_goes_on_after_a_failure_is_not_taken_at_its_exit_status(
    output: str, states: str, reason: str
) -> None:
    row = _judged((Part.ALL, 0, output), shown=("Hello",), checked="Traceback" in output)
    assert f"{row.build.value} {row.run.value} {row.verify.value}" == states
    assert row.reason == reason


def test_of_what_a_readme_shows_the_last_line_counts() -> None:
    document = read_document("```text\nStarting\nresult: 24\n```\n\n```text\n1.00 2.00 ...\n```\n")
    assert document.shown == ("result: 24", "1.00 2.00 ...")
    for output, state in [
        ("Starting\nresult: 25", State.UNSAID),
        ("Starting\nresult: 24", State.DONE),
        ("1.00 2.00 3.00", State.DONE),
        ("1.00 2.50 3.00", State.UNSAID),
    ]:
        assert _judged(B, (Part.RUN, 0, output), shown=document.shown).verify is state


def test_a_reason_is_one_line_for_a_terminal_without_colours_and_not_endless() -> None:
    row = _judged(B, (Part.RUN, 1, "\x1b[1;31merror\x1b[0m:\x1b]0;title\x07 \tbad\n"))
    assert row.reason == "error: \\tbad"
    assert len(_judged(B, (Part.RUN, 1, f"error: {'7' * 100_000}")).reason) < 500


def test_of_a_long_output_the_end_is_kept_and_all_of_it_is_heard() -> None:
    row = _judged(B, (Part.RUN, 0, "test pass\n" + "7\n" * 100_000 + "end"))
    assert row.verified
    assert [len(ended.output) for _, ended in row.steps] == [len(B[2]), 20_000]
    assert row.steps[1][1].output.endswith("7\nend")


def test_a_cmake_error_is_shown_with_what_it_says() -> None:
    text = "-- Configuring\nCMake Error at CMakeLists.txt:3 (find_package):\n  Could not find a package\n"
    assert (
        first_error(Ended(1, text, 0.1)) == "CMake Error at CMakeLists.txt:3 (find_package): Could not find a package"
    )


def test_rows_as_json_and_in_one_line() -> None:
    row = _judged(B, R, (Part.VERIFY, 0, "test pass!"))
    as_json = to_dict(row)
    assert (as_json["project"], as_json["verified"], as_json["seconds"]) == ("p", True, 3.0)
    assert list(as_json) == [  # docs/command-line.md says what each is
        *("project", "form", "sources", "build", "run", "verify", "verified", "seconds", "reason", "steps"),
    ]
    assert list(as_json["steps"][0]) == ["part", "command", "folder", "code", "seconds", "output"]
    assert [step["part"] for step in as_json["steps"]] == ["build", "run", "verify"]
    rows = [row, _judged(B), _judged(B, (Part.RUN, 1, "")), _judged(B, (Part.DATA, 1, "No module named"))]
    assert totals(rows) == "4 programs: 1 verified, 1 built, 2 failed"
    assert totals([rows[0]]).startswith("1 program: ")


# --- all of it, without a compiler


def _fake_cmake(folder: Path, program: str) -> Path:
    """A toolkit whose `cmake` copies a shell script where a compiler would put the program."""
    body = f"#!/bin/sh\ncase $1 in --build) cp ../{program} demo; chmod +x demo;; esac\n"
    _write(folder / "bin/cmake", body, 0o755)
    _write(folder / "set_env.sh")
    return folder


def test_a_folder_of_programs_gives_a_row_each(top: Path, tmp_path: Path) -> None:
    readme = "```bash\nmkdir build; cd build\ncmake ..\ncmake --build .\n./demo\n```\n"
    for name, script in [("good", "echo test pass"), ("hang", "sleep 600"), ("crash", "kill -SEGV $$")]:
        _write(top / name / "CMakeLists.txt", ASC_LISTING)
        _write(top / name / "README.md", readme)
        _write(top / name / "program", f"#!/bin/sh\n{script}\n")
    _write(top / "bad/build", "a file where a folder must be")
    _write(top / "bad/CMakeLists.txt", ASC_LISTING)
    os.mkfifo(top / "bad/pipe")
    settings = Settings(_fake_cmake(tmp_path / "toolkit", "program"), limit=3.0, logs=tmp_path / "logs")
    heard: list[str] = []
    rows = run_programs(top, find_programs(top), settings, lambda row: heard.append(row.program.name))
    assert {row.program.name: (row.run.value, row.reason) for row in rows} == {
        "bad": ("-", f"cannot be run: `{top}/bad/pipe` is a named pipe"),
        "crash": ("FAILED", "crashed: Segmentation fault"),
        "good": ("ok", ""),
        "hang": ("FAILED", "still running after 3 s"),
    }
    assert sorted(heard) == ["bad", "crash", "good", "hang"]
    assert "test pass" in (tmp_path / "logs/good.log").read_text()
    assert not (top / "good/build").exists()


def test_another_interpreter_does_not_get_the_packages_of_opkgs_own(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Path(opkg.testing.programs.__file__).resolve().parents[3]
    monkeypatch.setenv("PYTHONPATH", f"{own}{os.pathsep}/opt/mine")
    python = _write(tmp_path / "a python/python3", '#!/bin/sh\necho "$1 with $PYTHONPATH, test pass"\n', 0o755)
    _write(top / "CMakeLists.txt", ASC_LISTING)
    _write(top / "README.md", "```bash\ncmake .\npython3 check.py\n```\n")
    _write(tmp_path / "kit/bin/cmake", "#!/bin/sh\n[ $1 != --build ] || cp /bin/true .\n", 0o755)
    (row,) = run_programs(top, find_programs(top), Settings(tmp_path / "kit", python=python))
    assert row.steps[-1][1].output == "check.py with /opt/mine, test pass\n"


def test_options_for_all_reach_the_cmake_that_a_script_calls(top: Path, tmp_path: Path) -> None:
    _write(top / "CMakeLists.txt", "project(x)\nascendc_library(x SHARED x.cpp)\n")
    _write(top / "run.sh", 'cmake -S . -B build\ncmake --build "a b"\necho test pass\n')
    _write(tmp_path / "kit/bin/cmake", '#!/bin/sh\nfor each; do printf "<%s>" "$each"; done; echo\n', 0o755)
    settings = Settings(tmp_path / "kit", options=("-DCMAKE_ASC_CHECK=ON", "-DFLAGS=a $b"))
    (row,) = run_programs(top, find_programs(top), settings)
    assert row.steps[0][1].output.splitlines() == [
        "<-S><.><-B><build><-DCMAKE_ASC_CHECK=ON><-DFLAGS=a $b>",
        "<--build><a b>",
        "test pass",
    ]
    assert row.verified


def test_a_program_without_a_place_is_its_own_row(top: Path, tmp_path: Path) -> None:
    for name in ("a.log/b", "a"):
        _write(top / name / "CMakeLists.txt", ASC_LISTING)
    settings = Settings(_fake_cmake(tmp_path / "toolkit", "none"), jobs=1, logs=tmp_path / "logs")
    found = {row.program.name: row.reason for row in run_programs(top, find_programs(top), settings)}
    assert found["a.log/b"] == f"cannot be run: File exists: {tmp_path}/logs/a.log"
    assert found["a"].startswith("cp: ")


def test_what_a_program_put_out_of_its_session_ends_with_it(top: Path, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"setsid sh -c 'echo $$ >> {pids}; sleep 600' & while ! [ -s {pids} ]; do :; done; echo test pass"
    _write(top / "CMakeLists.txt", ASC_LISTING)
    _write(top / "program", f"#!/bin/sh\n{script}\n")
    _write(top / "README.md", "```\ncd build\ncmake ..\ncmake --build .\n./demo\n```\n")
    (row,) = run_programs(top, find_programs(top), Settings(_fake_cmake(tmp_path / "toolkit", "program")))
    assert row.verified
    (pid,) = map(int, pids.read_text().split())
    with pytest.raises(ProcessLookupError):
        _until_gone(pid)


def test_logs_of_any_two_programs_are_two_files(top: Path, tmp_path: Path) -> None:
    for name in ("a/b", "a__b"):
        _write(top / name / "CMakeLists.txt", ASC_LISTING)
    settings = Settings(_fake_cmake(tmp_path / "toolkit", "none"), logs=tmp_path / "logs")
    run_programs(top, find_programs(top), settings)
    assert sorted(str(p.relative_to(tmp_path / "logs")) for p in (tmp_path / "logs").rglob("*.log")) == [
        "a/b.log", "a__b.log",
    ]  # fmt: skip
    run_programs(top / "a__b", find_programs(top / "a__b"), settings)
    assert not list((tmp_path / "logs").glob(".*"))
    # A folder of the same name in a program, which is one as well.
    _write(top / "a__b/a__b/CMakeLists.txt", ASC_LISTING)
    (tmp_path / "logs/a__b.log").unlink()
    run_programs(top / "a__b", find_programs(top / "a__b"), settings)
    assert sorted(p.name for p in (tmp_path / "logs").iterdir()) == ["a", "a__b.log", "log.txt"]


def test_an_interrupt_ends_what_runs_and_starts_nothing_more(top: Path, tmp_path: Path) -> None:
    readme = "```bash\nmkdir build; cd build\ncmake ..\ncmake --build .\n./demo\n```\n"
    for name in ("one", "two", "three"):
        _write(top / name / "CMakeLists.txt", ASC_LISTING)
        _write(top / name / "README.md", readme)
        _write(top / name / "program", f"#!/bin/sh\ntouch '{tmp_path}/{name}'\n[ {name} = one ] || sleep 600\n")
    settings = Settings(_fake_cmake(tmp_path / "toolkit", "program"), jobs=1, limit=600.0)
    programs = [Program(name, top / name, Form.ASC) for name in ("one", "two", "three")]

    def interrupt(row: Row) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.5)

    def raised(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, raised)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_programs(top, programs, settings, interrupt)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not (tmp_path / "three").exists()
