"""Programs that launch their own kernels, built by CMake as their authors build them, with a toolkit of opkg."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from opkg.build.toolkit import make_toolkit
from opkg.build.tools import find_tool

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

KERNEL = """\
#include "kernel_operator.h"
#include "amount.h"
extern "C" __global__ __vector__ void increase(__gm__ int32_t *x)
{
    x[AscendC::GetBlockIdx()] += AMOUNT;
}
"""
LAUNCH = """\
#include "acl/acl.h"
extern "C" __global__ __vector__ void increase(__gm__ int32_t *x);
void launch(uint32_t cores, void *stream, int *x) { increase<<<cores, nullptr, stream>>>(x); }
"""
MAIN = """\
#include "acl/acl.h"
#include <cstdio>
void launch(uint32_t cores, void *stream, int *x);
int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    void *stream = nullptr, *x = nullptr;
    aclrtCreateStream(&stream);
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(x, 64, 0, 64);
    launch(4, stream, static_cast<int *>(x));
    aclrtSynchronizeStream(stream);
    int y[5] = {};
    aclrtMemcpy(y, sizeof y, x, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d %d %d %d %d\\n", y[0], y[1], y[2], y[3], y[4]);
    aclrtFree(x);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
"""
HEAD = """\
cmake_minimum_required(VERSION 3.16)
find_package(ASC REQUIRED)
project(p LANGUAGES ASC CXX)
"""


@dataclass(frozen=True)
class Kit:
    """A toolkit, and commands in its environment."""

    path: Path

    def sh(self, command: str, cwd: Path, code: int = 0) -> str:
        tools = {find_tool("cmake").parent, find_tool("ninja").parent, Path(sys.executable).parent}
        env = {k: v for k, v in os.environ.items() if k not in ("CXX", "CXXFLAGS", "CMAKE_GENERATOR")}
        env["PATH"] = os.pathsep.join([*map(str, tools), env["PATH"]])
        done = subprocess.run(
            ["bash", "-c", f". '{self.path}/set_env.sh' && {command}"], cwd=cwd, env=env, capture_output=True, text=True
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def kit(tmp_path_factory) -> Kit:
    return Kit(make_toolkit(tmp_path_factory.mktemp("tool kit") / "kit").path)


@pytest.fixture
def project(tmp_path):
    """Writes a project: its CMakeLists.txt after the usual head, and its sources."""

    def write(cmake: str, head: str = HEAD, **sources: str) -> Path:
        folder = tmp_path / "a project"
        folder.mkdir(exist_ok=True)
        (folder / "CMakeLists.txt").write_text(head + cmake, "utf-8")
        for name, text in {"amount.h": "#define AMOUNT 3\n", "kernel.asc": KERNEL, "main.cpp": MAIN}.items():
            (folder / name).write_text(text, "utf-8")
        (folder / "launch.asc").write_text(LAUNCH, "utf-8")
        for name, text in sources.items():
            (folder / name.replace("_dot_", ".")).write_text(text, "utf-8")
        return folder

    return write


def example(name: str, to: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / name, to / name))


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_the_example_with_launch_syntax(kit, tmp_path, generator):
    folder = example("launch_asc", tmp_path)
    (folder / "build").mkdir()
    kit.sh(f"cmake -G '{generator}' .. && cmake --build .", folder / "build")
    out = kit.sh("python ../scripts/gen_data.py && ./demo && python ../scripts/verify_result.py", folder / "build")
    assert out == "test pass\n"


@pytest.mark.parametrize("name", ["launch_mixed", "launch_library"])
def test_examples_that_check_themselves(kit, tmp_path, name):
    folder = example(name, tmp_path)
    kit.sh("cmake -B build && cmake --build build", folder)
    assert re.fullmatch(r"0 of \d+ \w+ are wrong\ntest pass\n", kit.sh("./build/demo", folder))


@pytest.mark.parametrize("name", ["launch_asc", "launch_mixed", "launch_library"])
def test_the_check_build_finds_nothing_in_the_examples(kit, tmp_path, name):
    folder = example(name, tmp_path)
    (folder / "build").mkdir()
    kit.sh("cmake -G Ninja -DCMAKE_ASC_CHECK=ON .. && cmake --build .", folder / "build")
    if (folder / "scripts").is_dir():
        kit.sh("python ../scripts/gen_data.py", folder / "build")
        assert kit.sh("./demo", folder / "build") == ""
    else:
        assert re.fullmatch(r"0 of \d+ \w+ are wrong\ntest pass\n", kit.sh("./demo", folder / "build"))


@pytest.mark.parametrize(("mode", "chip"), [("cpu", "Ascend910B1"), ("npu", "Ascend910B"), ("sim", "Ascend950PR")])
def test_the_example_with_a_kernel_launch_project(kit, tmp_path, mode, chip):
    folder = example("launch_project", tmp_path)
    out = kit.sh(f"bash run.sh -r {mode} -v {chip}", folder)
    assert out.endswith("0 of 185111 elements are wrong\ntest pass\n")
    assert ("tiling key 2: 0 of" in out) == (mode == "cpu")


@pytest.mark.parametrize(
    "cmake",
    [
        "add_executable(demo main.cpp kernel.asc launch.asc)",
        "add_library(k STATIC kernel.asc launch.asc)\nadd_executable(demo main.cpp)\ntarget_link_libraries(demo k)",
        "add_library(k SHARED kernel.asc launch.asc)\nadd_executable(demo main.cpp)\ntarget_link_libraries(demo k)\n"
        "set_target_properties(demo PROPERTIES LINKER_LANGUAGE ASC)",
        "add_library(k OBJECT kernel.asc launch.asc)\nadd_executable(demo main.cpp $<TARGET_OBJECTS:k>)",
        "add_library(a STATIC kernel.asc)\nadd_library(b SHARED launch.asc)\ntarget_link_libraries(b PRIVATE a)\n"
        "set_target_properties(a PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
        "add_executable(demo main.cpp)\ntarget_link_libraries(demo b)\n"
        "target_link_directories(demo PRIVATE $ENV{ASCEND_HOME_PATH}/lib64)\ntarget_link_libraries(demo ascendcl)",
        "add_executable(demo main.cpp kernel.asc launch.asc)\n"
        "set_target_properties(demo PROPERTIES LINKER_LANGUAGE CXX)",
        "add_executable(demo main.cpp kernel.asc launch.cpp)\n"
        "set_source_files_properties(launch.cpp PROPERTIES LANGUAGE ASC)",
        "set(CMAKE_BUILD_TYPE Debug)\nadd_executable(demo main.cpp kernel.asc launch.asc)\n"
        "target_link_libraries(demo tiling_api register platform graph_base m dl unified_dlog)",
    ],
    ids=[
        "separate",
        "static",
        "shared",
        "object",
        "static in shared",
        "linked by c++",
        "cpp as asc",
        "debug, libraries",
    ],
)
def test_every_way_of_putting_a_program_together(kit, project, cmake):
    includes = '\ntarget_include_directories(demo PRIVATE "$ENV{ASCEND_HOME_PATH}/include")\n'
    folder = project(cmake + includes, launch_dot_cpp=LAUNCH)
    kit.sh("cmake -G Ninja -B build && cmake --build build", folder)
    assert kit.sh("./build/demo", folder) == "3 3 3 3 0\n"
    # The program finds its libraries by itself.
    assert (
        subprocess.run(["env", "-i", "./build/demo"], cwd=folder, capture_output=True, text=True).stdout
        == "3 3 3 3 0\n"
    )


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_a_changed_header_compiles_what_includes_it_and_nothing_else(kit, project, generator):
    cmake = (
        'add_executable(demo main.cpp kernel.asc launch.asc)\ninclude_directories("$ENV{ASCEND_HOME_PATH}/include")\n'
    )
    folder = project(cmake)
    build = "cmake --build build"
    kit.sh(f"cmake -G '{generator}' -B build && {build}", folder)
    assert "Building" not in kit.sh(build, folder)
    (folder / "amount.h").write_text("#define AMOUNT 4\n", "utf-8")
    os.utime(folder / "amount.h", (2e9, 2e9))
    assert re.findall(r"Building \w+ object \S*/(\S+)\.o", kit.sh(build, folder)) == ["kernel.asc"]
    assert kit.sh("./build/demo", folder) == "4 4 4 4 0\n"


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_changed_options_compile_what_they_concern_and_nothing_else(kit, project, generator):
    cmake = (
        'include_directories("$ENV{ASCEND_HOME_PATH}/include")\nadd_library(k STATIC kernel.asc)\n'
        "add_library(l STATIC launch.asc)\nadd_executable(demo main.cpp)\ntarget_link_libraries(demo l k)\n"
    )
    folder = project(cmake)

    def built(options: str = "") -> list[str]:
        out = kit.sh(f"cmake -G '{generator}' -B build {options} && cmake --build build", folder)
        return sorted(re.findall(r"Building \w+ object \S*/(\S+)\.o", out))

    assert built() == ["kernel.asc", "launch.asc", "main.cpp"]
    assert built() == []
    assert built("-DCMAKE_ASC_CHECK=ON") == ["kernel.asc", "launch.asc"]
    assert built("-DCMAKE_ASC_ARCHITECTURES=dav-3510") == ["kernel.asc", "launch.asc"]
    assert built("-DCMAKE_ASC_STANDARD=20") == ["kernel.asc", "launch.asc"]
    project(cmake + "target_compile_definitions(k PRIVATE MORE=1)\n")
    for name in ("kernel.asc", "launch.asc", "main.cpp", "amount.h"):  # were written again
        os.utime(folder / name, (1e9, 1e9))
    assert built() == ["kernel.asc"]
    assert kit.sh("./build/demo", folder) == "3 3 3 3 0\n"


def test_the_kind_of_build_decides_the_options(kit, project):
    folder = project("add_executable(demo main.cpp kernel.asc)\n")
    wanted = {"": "", "Debug": "-O0 -g", "Release": "-O3 -DNDEBUG", "RelWithDebInfo": "-O2 -g -DNDEBUG"}
    for kind, options in wanted.items():
        kit.sh(f"rm -rf build && cmake -G Ninja -B build -DCMAKE_BUILD_TYPE={kind}", folder)
        line = next(row for row in kit.sh("ninja -C build -t commands", folder).splitlines() if " -x asc " in row)
        assert options in line
        assert (" -O" in line) == bool(kind)


def test_the_variables_that_a_project_may_set(kit, project):
    check = "#if __cplusplus <= 201703L || ONE != 1 || TWO != 2\n#error\n#endif\nint main() { }\n"
    folder = project("add_executable(demo only.asc)\n", only_dot_asc=check)
    tools = {name: folder.parent / name for name in ("compile", "link", "host")}
    for name, tool in tools.items():
        tool.write_text(f'#!/bin/sh\necho {name} >> "{folder}/told"\nexec {"g++ " if name == "host" else ""}"$@"\n')
        tool.chmod(0o755)
    values = {
        "COMPILER_LAUNCHER": tools["compile"],
        "LINKER_LAUNCHER": tools["link"],
        "HOST_COMPILER": tools["host"],
        "STANDARD": 20,
        "FLAGS": "-DONE=1",
        "FLAGS_DEBUG": "-DTWO=2",
    }
    words = " ".join(f"'-DCMAKE_ASC_{name}={value}'" for name, value in values.items())
    kit.sh(f"cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Debug {words}", folder)
    (folder / "told").unlink(missing_ok=True)
    kit.sh("ninja -C build && ./build/demo", folder)
    told = (folder / "told").read_text().split()
    assert (told[0], told.count("compile"), told.count("link"), told[-1]) == ("compile", 1, 1, "host")
    assert told.index("link") > told.index("host")


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja", "Ninja Multi-Config"])
def test_a_project_in_this_language_alone_installs(kit, project, generator):
    head = HEAD.replace("ASC CXX", "ASC")
    cmake = (
        "add_library(k SHARED kernel.asc launch.asc)\nadd_executable(demo main.asc)\ntarget_link_libraries(demo k)\n"
        'set_target_properties(demo PROPERTIES INSTALL_RPATH "$ORIGIN")\ninstall(TARGETS demo k DESTINATION bin)\n'
    )
    folder = project(cmake, head, main_dot_asc=MAIN)
    kit.sh(f"cmake -G '{generator}' -B build -DCMAKE_INSTALL_PREFIX=\"$PWD/out\"", folder)
    kit.sh("cmake --build build --config Release && cmake --install build --config Release", folder)
    assert kit.sh("./out/bin/demo", folder) == "3 3 3 3 0\n"


def test_what_the_architecture_and_the_run_mode_do(kit, project):
    check = "#if __NPU_ARCH__ != 3510\n#error\n#endif\nint main() { }\n"
    folder = project("add_executable(demo only.asc)\n", only_dot_asc=check)
    out = kit.sh(
        "cmake -B build -DCMAKE_ASC_ARCHITECTURES=dav-3510 -DCMAKE_ASC_RUN_MODE=npu && cmake --build build", folder
    )
    assert "CMAKE_ASC_RUN_MODE=npu: programs run on the CPU twin, as with cpu" in out
    assert "CMAKE_ASC_RUN_MODE" not in kit.sh("cmake -B build2 -DCMAKE_ASC_ARCHITECTURES=dav-3510", folder)
    assert "not 'gpu'" in kit.sh("cmake -B build3 -DCMAKE_ASC_RUN_MODE=gpu", folder, 1)
    out = kit.sh("cmake -B build4 -DCMAKE_ASC_ARCHITECTURES=dav-7 && cmake --build build4", folder, 2)
    assert "unknown architecture 'dav-7'" in out


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (HEAD.replace("project(", "set(CMAKE_ASC_COMPILER /nowhere/ascc)\nproject("), "is not there: /nowhere/ascc"),
        (HEAD + "npu_op_library(x TILING a.cpp)\n", "npu_op_library: type 'opkg build"),
        ("project(p)\nfind_package(ASC REQUIRED)\nenable_language(ASC)\n", ""),
    ],
)
def test_configurations_that_cannot_be_and_one_that_can(kit, project, head, message):
    if not head.startswith("cmake"):
        head = "cmake_minimum_required(VERSION 3.16)\n" + head
    folder = project("add_library(k STATIC kernel.asc)\n", head)
    assert message in re.sub(r"\s+", " ", kit.sh("cmake -B build", folder, 1 if message else 0))


AI_CPU_FUNCTION = """\
#include "aicpu_api.h"
#include "bounds.h"
__global__ __aicpu__ uint32_t choose(Limits limits, int *chosen)
{
    assert(limits.low <= limits.high);
    *chosen = (limits.low + limits.high) / 2;
    AscendC::DataStoreBarrier();
    AscendC::printf("chosen %d\\n", *chosen);
    return 0;
}
"""
AI_CPU_MAIN = """\
#include "kernel_operator.h"
#include "acl/acl.h"
#include "bounds.h"
extern __global__ __aicpu__ uint32_t choose(Limits limits, int *chosen);
__global__ __vector__ void fill(__gm__ int *chosen, __gm__ int *y) { y[AscendC::GetBlockIdx()] = *chosen; }
int main(int count, char **)
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    void *memory = nullptr;
    aclrtCreateStream(&stream);
    aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    int *data = static_cast<int *>(memory);
    choose<<<1, nullptr, stream>>>(Limits{count > 1 ? 50 : 3, 9}, data);
    fill<<<2, nullptr, stream>>>(data, data + 1);
    const int code = aclrtSynchronizeStream(stream);
    printf("%d: %d %d %s\\n", code, data[1], data[2], aclrtGetSocName());
}
"""


def test_functions_of_the_ai_cpu_run_on_streams_between_kernels(kit, project):
    head = HEAD.replace(
        "project(p LANGUAGES ASC CXX)", "find_package(AICPU REQUIRED)\nproject(p LANGUAGES ASC AICPU CXX)"
    )
    folder = project(
        "add_executable(demo choose.aicpu main.asc)\n",
        head,
        main_dot_asc=AI_CPU_MAIN,
        choose_dot_aicpu=AI_CPU_FUNCTION,
        bounds_dot_h="struct Limits { int low, high; };\n",
    )
    configure = "cmake -B build -DCMAKE_ASC_ARCHITECTURES=dav-3510"
    out = kit.sh(f"{configure} && cmake --build build && ./build/demo && ./build/demo too-low", folder)
    assert "chosen 6\n0: 6 6 Ascend950PR\n" in out
    assert "choose: AI CPU: " in out and "assertion 'limits.low <= limits.high' does not hold" in out
    assert "507015: 0 0" in out
    out = kit.sh("touch bounds.h && cmake --build build", folder)
    assert "Building AICPU object CMakeFiles/demo.dir/choose.aicpu.o" in out


def test_errors_name_the_users_line_through_cmake(kit, project):
    folder = project("add_library(k STATIC kernel.asc)\n", kernel_dot_asc=KERNEL.replace("AMOUNT", "AMUONT"))
    out = kit.sh("cmake -B build && cmake --build build", folder, 2)
    assert re.search(r"kernel\.asc:5:34: error: .AMUONT. was not declared", out)


def test_a_toolkit_that_was_moved_builds_and_runs(kit, project, tmp_path):
    there = tmp_path / "moved" / "kit"
    there.parent.mkdir()
    subprocess.run(["cp", "-r", str(kit.path), str(there)], check=True)
    moved = Kit(there)
    folder = project(
        'add_executable(demo main.cpp kernel.asc launch.asc)\ninclude_directories("$ENV{ASCEND_HOME_PATH}/include")\n'
    )
    moved.sh("cmake -G Ninja -B build && cmake --build build", folder)
    assert moved.sh("./build/demo", folder) == "3 3 3 3 0\n"
    assert str(there) in moved.sh("ninja -C build -t commands", folder)


def test_the_compiler_alone_links_programs_and_libraries(kit, project):
    folder = project("")
    kit.sh("bisheng --npu-arch=dav-2201 main.cpp kernel.asc launch.asc -o one", folder)
    kit.sh(
        'bisheng -shared -fPIC kernel.asc launch.asc -o libk.so && bisheng main.cpp -L. -lk -Wl,-rpath,"$PWD" -o two',
        folder,
    )
    kit.sh(
        "bisheng -dc kernel.asc -o k.o && bisheng -lib launch.asc k.o -o libl.a && bisheng main.cpp libl.a -o three",
        folder,
    )
    for program in ("one", "two", "three"):
        assert kit.sh(f"./{program}", folder) == "3 3 3 3 0\n"


BY_NAME = """\
#include "acl/acl.h"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>
int main(int count, char **words)
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    void *stream = nullptr, *x = nullptr, *none = nullptr;
    aclrtCreateStream(&stream);
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(x, 64, 0, 64);
    aclrtBinHandle file = nullptr, data = nullptr;
    aclrtFuncHandle kernel = nullptr, again = nullptr;
    aclrtArgsHandle arguments = nullptr;
    aclrtParamHandle first = nullptr;
    std::printf("%d ", aclrtBinaryLoadFromFile("nowhere.o", nullptr, &file));
    std::printf("%d ", aclrtBinaryLoadFromFile(words[count - 1], nullptr, &file));
    std::printf("%d ", aclrtBinaryGetFunction(file, "nothing", &kernel));
    std::printf("%d ", aclrtBinaryGetFunction(file, "increase", &kernel));
    std::printf("%d ", aclrtKernelArgsInit(kernel, &arguments));
    std::printf("%d ", aclrtKernelArgsFinalize(arguments));
    std::printf("%d ", aclrtLaunchKernelWithConfig(kernel, 4, stream, nullptr, arguments, nullptr));
    std::printf("%d ", aclrtKernelArgsAppend(arguments, &none, sizeof none, &first));
    std::printf("%d ", aclrtKernelArgsParaUpdate(arguments, first, &x, sizeof x));
    std::printf("%d ", aclrtKernelArgsFinalize(arguments));
    std::printf("%d ", aclrtKernelArgsAppend(arguments, &x, sizeof x, nullptr));
    std::printf("%d\\n", aclrtLaunchKernelWithConfig(kernel, 4, stream, nullptr, arguments, nullptr));
    std::ifstream stored(words[count - 1], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(stored)), std::istreambuf_iterator<char>());
    void *values[] = {&x};
    std::printf("%d ", aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &data));
    std::printf("%d ", aclrtBinaryGetFunction(data, "increase", &again));
    std::printf("%d ", aclrtLaunchKernelWithArgsArray(again, 2, stream, nullptr, values));
    std::printf("%d ", aclrtSynchronizeStream(stream));
    std::printf("%d %d\\n", aclrtBinaryUnLoad(file), aclrtBinaryUnLoad(data));
    int y[5] = {};
    aclrtMemcpy(y, sizeof y, x, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d %d %d %d %d\\n", y[0], y[1], y[2], y[3], y[4]);
    aclrtFree(x);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
}
"""


COMPILING = """\
#include "acl/acl.h"
#include "acl/acl_rt_compile.h"
#include <cstdio>
#include <string>
#include <vector>
const char *source = R"(#include "kernel_operator.h"
#include "../two.h"
#include "part/step.h"
extern "C" __global__ __vector__ void plain(__gm__ int32_t *x) { x[AscendC::GetBlockIdx()] += STEP; }
namespace n {
template <typename T> __global__ __vector__ void add(__gm__ T *x, T value) { x[AscendC::GetBlockIdx()] += value; }
}
)";
int main()
{
    const char *headers[] = {"#define STEP TWO + 3", "#define TWO 2"}, *names[] = {"part/step.h", "../two.h"};
    const char *options[] = {"--npu-arch=dav-2201", "-O1"};
    aclrtcProg bad = nullptr, good = nullptr;
    size_t size = 0;
    aclrtcCreateProg(&bad, "__global__ void k() { nonsense; }", "bad.asc", 0, nullptr, nullptr);
    std::printf("%d ", aclrtcCompileProg(bad, 0, nullptr));
    aclrtcGetCompileLogSize(bad, &size);
    std::string log(size, ' ');
    aclrtcGetCompileLog(bad, log.data());
    std::printf("%d ", log.find("bad.asc:1:") != log.npos);
    const char *unknown[] = {"--npu-arch=dav-1"};
    std::printf("%d %d ", aclrtcCompileProg(bad, 1, unknown), aclrtcGetBinDataSize(bad, &size));
    aclrtcCreateProg(&good, source, "log", 2, headers, names);
    const char *name = nullptr;
    std::printf("%d ", aclrtcAddNameExpr(good, "n::add<int32_t>"));
    std::printf("%d ", aclrtcGetLoweredName(good, "n::add<int32_t>", &name));
    std::printf("%d ", aclrtcCompileProg(good, 2, options));
    std::printf("%d ", aclrtcGetLoweredName(good, "n::add<int32_t>", &name));
    aclrtcGetBinDataSize(good, &size);
    std::vector<char> data(size);
    aclrtcGetBinData(good, data.data());
    std::printf("%d\\n", aclrtcAddNameExpr(good, "n::add<float>"));
    aclInit(nullptr);
    aclrtSetDevice(0);
    void *stream = nullptr, *x = nullptr;
    aclrtCreateStream(&stream);
    aclrtMalloc(&x, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(x, 64, 0, 64);
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle plain = nullptr, add = nullptr;
    int value = 100;
    void *values[] = {&x, &value};
    std::printf("%d ", aclrtBinaryLoadFromData(data.data(), size, nullptr, &binary));
    std::printf("%d %d ", aclrtBinaryGetFunction(binary, "plain", &plain), aclrtBinaryGetFunction(binary, name, &add));
    std::printf("%d ", aclrtLaunchKernelWithArgsArray(plain, 3, stream, nullptr, values));
    std::printf("%d ", aclrtLaunchKernelWithArgsArray(add, 2, stream, nullptr, values));
    std::printf("%d\\n", aclrtSynchronizeStream(stream));
    int y[4] = {};
    aclrtMemcpy(y, sizeof y, x, sizeof y, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d %d %d %d\\n", y[0], y[1], y[2], y[3]);
    std::printf("%d %d\\n", aclrtcDestroyProg(&good), aclrtcDestroyProg(&bad));
    aclrtFree(x);
    aclrtDestroyStream(stream);
    aclFinalize();
}
"""


ZEROS = """\
#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void pointer(__gm__ int32_t *x, GM_ADDR absent, int32_t n, float f, bool b)
{
    *x += absent == nullptr && n == 0 && f == 0 && !b ? 1 : 100;
}
template <typename T> __global__ __vector__ void number(__gm__ int32_t *x, T n) { *x += sizeof(T) == 4 ? 10 + n : 100; }
__global__ __vector__ void both(__gm__ int32_t *x, int64_t n) { *x += n == 0 ? 100 : 0; }
__global__ __vector__ void both(__gm__ int32_t *x, __gm__ int32_t *) { *x += 10000; }
int main()
{
    aclrtSetDevice(0);
    void *x = nullptr;
    aclrtMalloc(&x, 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(x, 32, 0, 32);
    int32_t *y = static_cast<int32_t *>(x);
    auto *chosen = &pointer;
    pointer<<<1, 0>>>(y, 0, 0, 0, 0);
    chosen<<<1, 0>>>(y, 0, 0, 0, false);
    number<<<1, 0>>>(y, 0);
    both<<<1, 0>>>(y, (int64_t)0);
    int wrong = 0;
    pointer<<<1, 0>>>(y, 0, wrong, 0.0f, true);
    aclrtSynchronizeStream(nullptr);
    std::printf("%d\\n", *y);
}
"""


def test_a_literal_0_is_a_null_pointer_or_a_number(kit, tmp_path):
    (tmp_path / "zeros.asc").write_text(ZEROS, "utf-8")
    assert kit.sh("bisheng -Wall -Wextra -Werror zeros.asc -o zeros && ./zeros", tmp_path) == "212\n"
    (tmp_path / "zeros.asc").write_text(ZEROS.replace("(y, 0, 0, 0, 0)", "(y, 0, 0, 0, nope)"), "utf-8")
    assert re.search(r"zeros.asc:18:35: error: .nope. was not declared", kit.sh("bisheng zeros.asc", tmp_path, code=1))


def test_a_project_may_set_the_check_build_itself(kit, project):
    """Also when it is configured for the first time, with the policies of an old CMake."""
    head = HEAD.replace("find_package", "set(CMAKE_ASC_CHECK ON)\nfind_package")
    folder = project("add_executable(demo kernel.asc)\n", head)
    assert " --check " in kit.sh("cmake -G Ninja -B build && ninja -C build -t commands", folder)


TOO_FAR = """\
#include "kernel_operator.h"
template <typename T> __attribute__((noinline)) void move(AscendC::GlobalTensor<T> &to, AscendC::LocalTensor<T> &from)
{
    AscendC::DataCopy(to, from, 64);
}
extern "C" __global__ __aicore__ void too_far(__gm__ float *y)
{
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    AscendC::GlobalTensor<float> out;
    out.SetGlobalBuffer(y, 32);
    auto x = queue.AllocTensor<float>();
    AscendC::Duplicate(x, 1.0f, 64);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    move(out, x);
    queue.FreeTensor(x);
}
"""
CALLS_TOO_FAR = """\
#include "tikicpulib.h"
extern "C" void too_far(float *y);
int main()
{
    AscendC::SetKernelMode(KernelMode::AIV_MODE);
    ICPU_RUN_KF(too_far, 1, static_cast<float *>(AscendC::GmAlloc(256)));
}
"""


@pytest.mark.parametrize("options", ["-O0 -g", "-O2"])
def test_findings_name_lines_whatever_a_launch_project_compiles_with(kit, project, options):
    """Its own options have no frame pointers, or no debug information; unoptimised, headers come first in that."""
    head = "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES CXX)\nfind_package(tikicpulib REQUIRED)\n"
    cmake = (
        "add_library(k SHARED kernel.cpp)\ntarget_link_libraries(k PUBLIC tikicpulib::Ascend910B1)\n"
        f"target_compile_options(k PRIVATE {options} -std=c++17)\n"
        "add_executable(demo main.cpp)\ntarget_link_libraries(demo PRIVATE k)\n"
    )
    folder = project(cmake, head, kernel_dot_cpp=TOO_FAR, main_dot_cpp=CALLS_TOO_FAR)
    kit.sh("cmake -G Ninja -DCMAKE_ASC_CHECK=ON -B build && ninja -C build", folder)
    told = kit.sh("./build/demo || true", folder).splitlines()
    assert told[0].startswith(f"{folder.resolve()}/kernel.cpp:4: gm-bounds: DataCopy writes 256 bytes")
    assert told[2:4] == ["    > AscendC::DataCopy(to, from, 64);", "    called from kernel.cpp:17"]


def test_kernels_are_compiled_while_a_program_runs(kit, project):
    head = "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES CXX)\n"
    cmake = (
        'add_executable(demo rtc.cpp)\ntarget_include_directories(demo PRIVATE "$ENV{ASCEND_HOME_PATH}/include")\n'
        'target_link_directories(demo PRIVATE "$ENV{ASCEND_HOME_PATH}/lib64")\n'
        "target_link_libraries(demo PRIVATE ascendcl acl_rtc)\n"
    )
    folder = project(cmake, head, rtc_dot_cpp=COMPILING)
    kit.sh("cmake -G Ninja -B build && ninja -C build", folder)
    shown = kit.sh("./build/demo", folder)
    assert shown == "176003 1 176002 176000 0 176006 0 0 176005\n0 0 0 0 0 0\n105 105 5 0\n0 0\n"


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_a_static_library_of_kernels(kit, project, generator):
    head = "cmake_minimum_required(VERSION 3.16)\nproject(p)\nset(SOC_VERSION Ascend910B1)\n"
    cmake = (
        "include($ENV{ASCEND_HOME_PATH}/compiler/tikcpp/ascendc_kernel_cmake/ascendc.cmake)\n"
        "ascendc_library(k STATIC kernel.cpp)\n"
        "add_executable(demo main.cpp)\ntarget_link_libraries(demo PRIVATE k host_intf_pub)\n"
    )
    more = "ascendc_compile_definitions(k PRIVATE -DMORE)\ntarget_compile_definitions(demo PRIVATE MORE)\n"
    kernel = KERNEL.replace("int32_t *x)", "int32_t *x PARAMETER)").replace(
        'extern "C"', '#ifdef MORE\n#define PARAMETER , int32_t\n#else\n#define PARAMETER\n#endif\nextern "C"'
    )
    call = "ACLRT_LAUNCH_KERNEL(increase)(4, stream, x"
    main = MAIN.replace(
        "void launch(uint32_t cores, void *stream, int *x);", '#include "aclrtlaunch_increase.h"'
    ).replace("launch(4, stream, static_cast<int *>(x));", f"\n#ifdef MORE\n{call}, 1);\n#else\n{call});\n#endif")
    folder = project(cmake, head, kernel_dot_cpp=kernel, main_dot_cpp=main)
    kit.sh(f"cmake -G '{generator}' -B build && cmake --build build", folder)
    assert kit.sh("./build/demo", folder) == "3 3 3 3 0\n"
    # A changed definition makes the launch headers again.
    (folder / "CMakeLists.txt").write_text(head + cmake + more, "utf-8")
    kit.sh("cmake -B build && cmake --build build", folder)
    assert kit.sh("./build/demo", folder) == "3 3 3 3 0\n"


def test_kernels_are_installed_and_loaded_from_there(kit, project):
    head = "cmake_minimum_required(VERSION 3.16)\nproject(p)\nset(SOC_VERSION Ascend310P3)\n"
    cmake = (
        "include($ENV{ASCEND_HOME_PATH}/ascendc_devkit/tikcpp/samples/cmake/ascendc.cmake)\n"
        "ascendc_library(k SHARED kernel.cpp)\nascendc_include_directories(k PRIVATE ${CMAKE_SOURCE_DIR}/inc)\n"
        "ascendc_compile_definitions(k PRIVATE -DMORE=1 OTHER)\nascendc_compile_options(k PRIVATE -O1)\n"
        "ascendc_fatbin_library(f kernel.cpp)\ntarget_include_directories(f PRIVATE inc)\n"
        "target_compile_definitions(f PRIVATE MORE=1 OTHER)\n"
        "add_executable(demo main.cpp)\ntarget_link_libraries(demo PRIVATE k)\ninstall(TARGETS demo)\n"
        "add_executable(by_name by_name.cpp)\ntarget_link_libraries(by_name PRIVATE host_intf_pub)\n"
    )
    kernel = KERNEL.replace("+= AMOUNT", "+= AMOUNT + MORE").replace(
        "{\n", "{\n#if __NPU_ARCH__ == 2002 && defined(OTHER)\n"
    )
    main = MAIN.replace("void launch(uint32_t cores, void *stream, int *x);", '#include "aclrtlaunch_increase.h"')
    folder = project(cmake, head, kernel_dot_cpp=kernel.replace("}\n", "#endif\n}\n"), by_name_dot_cpp=BY_NAME)
    (folder / "main.cpp").write_text(main.replace("launch(4, ", "ACLRT_LAUNCH_KERNEL(increase)(4, "), "utf-8")
    (folder / "inc").mkdir()
    (folder / "amount.h").rename(folder / "inc" / "amount.h")
    kit.sh('cmake -G Ninja -B build -DCMAKE_INSTALL_PREFIX="$PWD/out" && ninja -C build install', folder)
    assert kit.sh('LD_LIBRARY_PATH="$PWD/out/lib:$LD_LIBRARY_PATH" ./out/bin/demo', folder) == "4 4 4 4 0\n"
    shown = kit.sh("./build/by_name out/fatbin/f/f.o", folder)
    assert shown == "100003 0 507027 0 0 107000 107000 0 0 0 107000 0\n0 0 0 0 0 0\n8 8 4 4 0\n"
    # A changed header of the kernel makes the launch headers again, which stay the same.
    os.utime(folder / "inc" / "amount.h", (2e9, 2e9))
    out = kit.sh("ninja -C build", folder)
    assert "kernel.cpp.o" in out and "main.cpp.o" not in out
