"""The command line of the compiler, where its errors point, and what it writes besides objects."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest
from made_programs import ASCC, CLANG, ascc, own_lines

PROGRAM = """\
__global__ __vector__ void k(int a, float b)
{
    (void)a;
    (void)b;
}
void f(void *s)
{
    int x = 1;
    k<<<x, 0,
        s>>>(
        x,
        2.0f);
    last();
}
"""


@pytest.fixture
def program(tmp_path):
    def write(text=PROGRAM, name="program.asc"):
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return file

    return write


def errors(text: str) -> list[str]:
    """`line:column: message` of every error."""
    return re.findall(r"program\.asc:(\d+:\d+: error: [^\n]*)", text)


def test_every_token_keeps_its_line(program):
    file = program()
    rows = own_lines(ascc("--show-rewritten", "-c", file).out, str(file))
    place = {row.strip(): line for line, row in rows}
    assert place["last();"] == 13
    assert place["x,"] == 11
    assert place["2.0f);"] == 12


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("2.0f", "nope", "12:9: error: ‘nope’ was not declared in this scope"),
        ("k<<<x", "k<<<nope", "9:9: error: ‘nope’ was not declared in this scope"),
        ("k<<<x", "nope<<<x", "9:9: error: ‘nope’ was not declared in this scope"),  # at the call's parenthesis
        ("last()", "nope()", "13:5: error: ‘nope’ was not declared in this scope"),
        ("(void)b;", "(void)nope;", "4:11: error: ‘nope’ was not declared in this scope"),
        ("{\n    (void)a;", "{ nope();", "2:3: error: ‘nope’ was not declared in this scope"),
    ],
)
def test_errors_point_at_the_users_own_lines_and_columns(program, old, new, expected):
    text = PROGRAM.replace("    last();\n", "    (void)x;\n") if "last" not in old else PROGRAM
    file = program(text.replace(old, new))
    done = ascc("--host-compiler=g++", "-c", file, "-o", file.with_suffix(".o"))
    assert done.code == 1
    assert errors(done.err.replace("'nope'", "‘nope’"))[0] == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("s>>>(", "s, t>>>(", "9:6: error: a launch with threads (four values between '<<<' and '>>>') is SIMT"),
        ("x, 0,\n        s>>>(", "x>>>(", "9:6: error: a launch has two or three values between '<<<' and '>>>'"),
        ("s>>>(\n        x,\n        2.0f);", "s>>>;", "10:10: error: a launch ends with its arguments in parentheses"),
        ("s>>>(\n        x,\n        2.0f);", "s;", "9:6: error: this '<<<' of a launch has no '>>>'"),
    ],
)
def test_a_launch_that_makes_no_sense_is_an_error_with_a_place(program, old, new, expected):
    file = program(PROGRAM.replace(old, new))
    done = ascc("-c", file, "-o", file.with_suffix(".o"))
    assert done.code == 1
    assert errors(done.err)[0].startswith(expected)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("__simd_vf__ inline void f() {}", "1:1: error: functions on vector registers (__simd_vf__) need the Reg"),
        (
            "\n __simt_vf__ void f() {}",
            "error: functions of threads (__simt_vf__) are SIMT, which the twin lacks",
        ),
        ('#include "simt_api/asc_simt.h"\n', "the twin has no SIMT instructions (simt_api)"),
        ('#include "c_api/asc_simd.h"\n', "the twin has no C interface of the instructions (c_api)"),
        ('#include "tensor_api/tensor.h"\n', "the twin has no tensor interface (tensor_api)"),
    ],
)
def test_what_the_twin_lacks_is_said_by_name(program, source, message):
    file = program(source)
    done = ascc("-c", file, "-o", file.with_suffix(".o"))
    assert done.code == 1
    assert message in done.err


@pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf")
def test_debug_information_has_the_users_lines(program):
    body = PROGRAM.replace("    last();\n", "").replace("(void)a", "volatile int c = a").replace("(void)b", "c = b")
    file = program(body)
    assert ascc("-g", "-O0", "-c", file, "-o", file.with_suffix(".o")).code == 0
    shown = subprocess.run(
        ["readelf", "--debug-dump=decodedline", str(file.with_suffix(".o"))], capture_output=True, text=True
    ).stdout
    lines = {int(n) for n in re.findall(r"^program\.asc\s+(\d+)\s+0x", shown, re.MULTILINE)}
    assert {2, 3, 4, 8, 9} <= lines
    assert max(lines) <= body.count("\n")


@pytest.mark.parametrize(
    ("architecture", "number", "aicore"), [("dav-2201", 2201, 220), ("dav-3510", 3510, 310), ("dav-2002", 2002, 200)]
)
def test_the_architecture_is_what_programs_see(program, architecture, number, aicore):
    source = f"static_assert(__NPU_ARCH__ == {number} && __CCE_AICORE__ == {aicore} && ASCENDC_CPU_DEBUG == 1);\n"
    file = program(source)
    done = ascc(f"--npu-arch={architecture}", "-c", file, "-o", file.with_suffix(".o"))
    assert (done.code, done.err) == (0, "")
    chip = {2201: "Ascend910B1", 3510: "Ascend950PR", 2002: "Ascend310P3"}[number]
    assert ascc(f"--npu-soc={chip}", "-c", file, "-o", file.with_suffix(".o")).code == 0
    assert ascc("--npu-arch", architecture, "--npu-soc=Ascend910A", "-c", file, "-o", file.with_suffix(".o")).code == 0


def test_without_an_architecture_it_is_the_910b(program):
    file = program("#if __NPU_ARCH__ != 2201 || !defined(__DAV_C220__)\n#error other\n#endif\n")
    assert ascc("-c", file, "-o", file.with_suffix(".o")).code == 0


def test_libraries_of_kernels_do_not_see_the_words_of_cpu_debugging(program):
    file = program(
        "#include <kernel_operator.h>\n#if defined(ASCENDC_CPU_DEBUG) || defined(__CCE_KT_TEST__)\n#error on\n#endif\n"
    )
    assert ascc("-c", file, "-o", file.with_suffix(".o")).code == 1
    assert ascc("--no-cpu-debug", "-c", file, "-o", file.with_suffix(".o")).code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--npu-arch=dav-1"],
            "unknown architecture 'dav-1'; known are dav-2201, dav-2002, dav-3002, dav-1001, dav-3510",
        ),
        (["--npu-soc=Ascend0"], "unknown chip 'Ascend0'; a known one is Ascend910B1"),
        (["--run-mode=gpu"], "--run-mode is cpu, npu or sim, not 'gpu'; all of them run on the CPU"),
        (["-x", "rust"], "unknown language 'rust'; -x takes asc, c++, c or none"),
        (["-o"], "option '-o' needs a value"),
        (["-c"], "no input files"),
        (
            ["-c", "a.asc", "b.asc", "-o", "c.o"],
            "one output file for several sources: leave out -o, or compile them one by one",
        ),
        (["@nowhere"], "cannot read the response file 'nowhere'"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(words, message):
    done = ascc(*words)
    assert (done.code, done.err) == (2, f"opkg-ascc: error: {message}\n")


def test_a_compiler_that_is_not_there_is_one_sentence(program):
    done = ascc("--host-compiler=/nowhere/g++", "-c", program())
    assert (done.code, done.err) == (1, "opkg-ascc: error: cannot start /nowhere/g++: No such file or directory\n")


def stub_compiler(folder: Path, script: str) -> Path:
    """A host compiler that does what a script says."""
    file = folder / "stub compiler"
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)
    return file


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Where temporary files come; empty."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def test_a_compiler_that_is_killed_fails_and_is_named(program, tmp_path, scratch):
    compiler = stub_compiler(tmp_path, "kill -KILL $$")
    done = ascc(f"--host-compiler={compiler}", program(), "-o", tmp_path / "a")
    assert (done.code, done.err) == (137, f"opkg-ascc: error: {compiler} was ended by a signal: Killed\n")
    assert not list(scratch.iterdir())


def test_a_program_that_does_not_compile_leaves_no_temporary_files(program, tmp_path, scratch):
    assert ascc("--host-compiler=/nowhere/g++", program(), "-o", tmp_path / "a").code == 1
    assert ascc(program("nope"), "-o", tmp_path / "a").code == 1
    assert ascc(program("int x = 1"), "-lib", "-o", tmp_path / "a.a").code == 1
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_compiler_ends_its_children_and_tidies_up(program, tmp_path, scratch, how):
    started = tmp_path / "started"
    os.mkfifo(started)
    compiler = stub_compiler(tmp_path, f"echo $$ > '{started}'\nexec sleep 100")
    words = [str(ASCC), f"--host-compiler={compiler}", str(program()), "-o", str(tmp_path / "a")]
    heed = partial(signal.signal, how, signal.SIG_DFL)  # it may be ignored here, as in a shell's background
    with subprocess.Popen(words, stderr=subprocess.PIPE, preexec_fn=heed) as run:
        child = int(started.read_text("utf-8"))
        run.send_signal(how)
        assert run.communicate(timeout=60)[1] == b""
    assert run.returncode == -how
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert not list(scratch.iterdir())


def test_errors_are_seen_where_the_caller_ignores_its_children(program):
    words = [str(ASCC), "-c", str(program("nope")), "-o", "/dev/null"]
    run = subprocess.run(["python3", "-c", IGNORING, *words], capture_output=True, text=True, check=False)
    assert run.stdout == "256\n"
    assert "nope" in run.stderr


IGNORING = """
import os, signal, sys
child = os.fork()
if child == 0:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.execv(sys.argv[1], sys.argv[1:])
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("words", [["--show-rewritten", "-c"], ["-E"]])
def test_output_that_cannot_be_written_is_an_error(program, words):
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run([str(ASCC), *words, str(program())], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (1, "opkg-ascc: error: cannot write the output: No space left on device\n")
    done = ascc(*words, program(), "-o", "/dev/full")
    assert (done.code, done.err) == (1, "opkg-ascc: error: cannot write /dev/full: No space left on device\n")
    assert Path("/dev/full").exists()


@pytest.mark.parametrize("word", ["-M", "-MM"])
def test_dependencies_alone(program, word):
    done = ascc(word, program("int x;"))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("program.o: ") and "program.asc" in done.out


def test_options_of_the_vendors_compiler_are_taken(program):
    file = program("int x;")
    words = [
        "-dc",
        "--enable-simt",
        "--cce-auto-sync",
        "-mllvm",
        "-some-pass",
        "--gcc-toolchain=/usr",
        "--run-mode=sim",
        "-O2",
    ]
    assert ascc(*words, file, "-o", file.with_suffix(".o")).code == 0
    assert file.with_suffix(".o").is_file()


def test_bytes_may_be_read_as_another_type_and_products_are_rounded(program):
    file = program(
        "int bits(float *f) { int *i = (int *)f; *i = 1; *f = 2.0f; return *i; }\n"
        "double sum(double a, double b, double c) { return a * b + c; }\n"
    )
    assert ascc("-O2", "-S", file, "-o", file.with_suffix(".s")).code == 0
    text = file.with_suffix(".s").read_text("utf-8")
    assert "movl\t$1, %eax" not in text  # the second store is seen
    assert "fmadd" not in text


def test_tiling_may_be_a_constant_of_a_kernels_type(program):
    file = program(
        '#include "kernel_operator.h"\n'
        "struct Tiling { int32_t rows; uint16_t parts[2]; float scale; };\n"
        "constexpr uint8_t bytes[] = {3, 1, 0, 0, 5, 0, 0, 2, 0, 0, 0x40, 0xc0};\n"
        "template <typename T, const uint8_t *B> struct Holder {\n"
        "    static constexpr T value = convert_from_bytes<T>(B);\n};\n"
        "using H = Holder<Tiling, bytes>;\n"
        "static_assert(H::value.rows == 259 && H::value.parts[0] == 5 && H::value.parts[1] == 512);\n"
        "static_assert(H::value.scale == -3.0f);\n"
    )
    assert ascc("-c", file, "-o", file.with_suffix(".o")).err == ""


def test_a_response_file(program, tmp_path):
    file = program("#ifndef A\n#error\n#endif\nint x = B;", "a b.asc")
    (tmp_path / "words").write_text(f'-c "{file}"\n-DA -o \'{tmp_path}/a b.o\' "-DB=1"', "utf-8")
    assert ascc(f"@{tmp_path}/words").err == ""
    assert (tmp_path / "a b.o").is_file()


def test_backslashes_of_a_response_file(program, tmp_path):
    file = program("static_assert(sizeof A == 5 && A[1] == 32 && A[2] == 92 && B == 1);\n", "a b.asc")
    (tmp_path / "words").write_text(
        f'-c {tmp_path}/a\\ b.asc -DA=\\"a\\ \\\\\\\\b\\" "-DB=\\"x\\"[1]==0" -o {tmp_path}/x.o', "utf-8"
    )
    assert ascc(f"@{tmp_path}/words").err == ""
    assert file.is_file() and (tmp_path / "x.o").is_file()


@pytest.mark.parametrize("given", [["-MD", "-MF", "deps", "-MT", "x.o"], ["-MMD", "-MF", "deps"], ["-MD"]])
def test_dependencies_name_the_object_and_the_headers(program, tmp_path, given):
    (tmp_path / "part.h").write_text("int part;\n", "utf-8")
    program('#include "part.h"\n')
    assert ascc(*given, "-c", "program.asc", "-o", "x.o", cwd=tmp_path).code == 0
    text = (tmp_path / ("deps" if "deps" in given else "x.d")).read_text("utf-8")
    assert text.startswith("x.o:")
    assert {"program.asc", "part.h"} <= set(text.replace("\\", " ").split())


def test_headers_for_launching_from_plain_programs(program, tmp_path):
    file = program(
        "struct Tiling { int a; };\n"
        'extern "C" __global__ __aicore__ void add(GM_ADDR x, __gm__ float *, uint32_t n = 1, Tiling t) { }\n'
        "__global__ void mangled(int a) { }\n"
        'extern "C" __global__ void declared(int a);\n'
        'extern "C" { __global__ __vector__ void none(void) { } }\n'
        'extern "C++" { __global__ void other(int a) { } }\n'
        'extern "C++" __global__ void another(int a) { }\n'
    )
    assert ascc(f"--launch-headers={tmp_path}", "-c", file).code == 0
    assert sorted(p.name for p in tmp_path.glob("*.h")) == ["aclrtlaunch_add.h", "aclrtlaunch_none.h"]
    text = re.sub(r"\s+", " ", (tmp_path / "aclrtlaunch_add.h").read_text("utf-8")).replace("* ", "*")
    assert (
        '"C" uint32_t aclrtlaunch_add(uint32_t blockDim, void *stream, '
        "void *opkg_0, void *opkg_1, uint32_t opkg_2, const void *opkg_3);" in text
    )
    assert "#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel" in text
    shown = ascc("--show-rewritten", "--launchers", "-c", file).out
    assert re.findall(r"aclrtlaunch_(\w+)\(", shown) == ["add", "none"]
    file.write_text(file.read_text("utf-8").replace(" = 1", ""), "utf-8")
    assert ascc("--launchers", "-Wall", "-Werror", "-c", file, "-o", tmp_path / "x.o").err == ""


def test_kernels_in_headers_of_the_system_have_no_warnings(program, tmp_path):
    (tmp_path / "kernels.h").write_text("__global__ inline void in_header()\n{\n    int unused;\n}\n", "utf-8")
    file = program("#include <kernels.h>\nint x;\n")
    words = ["-Wall", "-Werror", "-c", file, f"-o{tmp_path}/joined.o"]
    assert ascc("-isystem", tmp_path, *words).err == ""
    assert (tmp_path / "joined.o").is_file()
    assert "unused variable" in ascc("-I", tmp_path, *words).err


def test_a_language_holds_until_another_one_is_said(program, tmp_path):
    launch = "void k(); void f%d() { k<<<1, 0, nullptr>>>(); }\n"
    named, plain = program(launch % 1, "named.cpp"), program("int x;\n", "plain.cpp")
    shown = ascc("--show-rewritten", "-x", "asc", "-c", named, "-x", "none", plain).out
    assert "opkg::asc::launch(" in shown
    assert ascc("-x", "none", "-c", program(launch % 2, "by_suffix.asc"), "-o", tmp_path / "x.o").code == 0
    assert ascc("-x", "asc", "-x", "none", "-c", named, "-o", tmp_path / "y.o").code == 1


def test_a_launch_header_that_stays_the_same_is_not_written_again(program, tmp_path):
    file = program('extern "C" __global__ void add(int a) { }\n')
    ascc(f"--launch-headers={tmp_path}", "-c", file)
    header = tmp_path / "aclrtlaunch_add.h"
    before = header.stat().st_mtime_ns
    ascc(f"--launch-headers={tmp_path}", "-c", file)
    assert header.stat().st_mtime_ns == before


def test_preprocessing_alone_shows_what_the_user_wrote(program):
    assert "k<<<x, 0," in ascc("-E", program()).out


def test_plain_sources_are_left_alone(program, tmp_path):
    file = program("bool f(int a, int b) { return a < b; }\nint main() { return f(1, 0); }\n", "main.cpp")
    assert ascc("-c", file, "-o", tmp_path / "main.o").code == 0
    assert (
        ascc("-x", "asc", "-c", program("void k(); void f() { k<<<1, 0>>>(); }", "b.cpp"), "-o", tmp_path / "b.o").code
        == 0
    )
    assert ascc("-c", tmp_path / "b.cpp", "-o", tmp_path / "b.o").code == 1


def test_help_and_version():
    assert ascc("--help").out.startswith("usage: opkg-ascc ")
    assert re.fullmatch(r"opkg-ascc \d+\.\d+\.\d+\S*\n", ascc("--version").out)


@pytest.mark.skipif(CLANG is None, reason="needs clang++")
def test_clang_as_the_host_compiler(program, tmp_path):
    file = program(PROGRAM.replace("    last();\n", ""))
    words = ["-Wall", "-Wextra", "-I", tmp_path, "-DA=1", "-MD", "-c", file, "-o", file.with_suffix(".o")]
    done = ascc(f"--host-compiler={CLANG}", *words)
    assert (done.code, done.err) == (0, "")
    program(PROGRAM.replace("2.0f", "nope").replace("    last();\n", ""))
    assert errors(ascc(f"--host-compiler={CLANG}", *words).err)[0] == "12:9: error: use of undeclared identifier 'nope'"


def test_a_large_file_is_rewritten_quickly_and_completely(program):
    text = "void k(int); void *s;\n" + "".join(f"void f{i}() {{ k<<<{i}, 0, s>>>({i}); }}\n" for i in range(1, 20001))
    shown = ascc("--show-rewritten", "-c", program(text)).out
    assert shown.count("::opkg::asc::launch((") == 20000
    assert ASCC.is_file()
