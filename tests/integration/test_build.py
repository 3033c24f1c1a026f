"""`opkg build` on real projects with the real compiler: what it makes, and that it runs."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from made_programs import CLANG
from made_projects import DATA, call, edit, pair, square, tree

from opkg.build import BuildResult, build_project
from opkg.bundle import open_bundle
from opkg.errors import BuildError, ProjectError

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("CXX", "CPPFLAGS", "CXXFLAGS", "LDFLAGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def square_built(tmp_path_factory) -> BuildResult:
    return build_project(square(tmp_path_factory.mktemp("square") / "Square"), pkg=True)


@pytest.fixture(scope="module")
def pair_built(tmp_path_factory) -> BuildResult:
    return build_project(pair(tmp_path_factory.mktemp("pair") / "pair"))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("shape", [(1,), (7, 5), (4096,), (3, 333, 17)], ids=str)
def test_square_computes_squares(square_built, dtype, shape):
    x = np.random.default_rng(1).uniform(-4, 4, shape).astype(dtype)
    y = call(square_built, "Square", x)
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, x * x)


def test_the_package_has_canns_layout(square_built):
    arch = platform.machine()
    assert sorted(tree(square_built.package)) == [
        "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json",
        "op_impl/ai_core/tbe/customize_impl/dynamic/square.cpp",
        "op_impl/ai_core/tbe/customize_impl/dynamic/square_tiling.h",
        "op_impl/ai_core/tbe/kernel/config/ascend910b/binary_info_config.json",
        "op_impl/ai_core/tbe/kernel/config/ascend910b/square.json",
        "op_impl/ai_core/tbe/kernel/cpu/square/Square_0.so",
        "op_impl/ai_core/tbe/kernel/cpu/square/Square_1.so",
        f"op_impl/ai_core/tbe/op_tiling/lib/linux/{arch}/libcust_opmaster_rt2.0.so",
        "op_proto/inc/op_proto.h",
        "opkg-package.json",
        "version.info",
    ]


def test_the_manifest_says_what_the_package_needs(square_built):
    manifest = square_built.manifest
    assert (manifest.name, manifest.vendor, manifest.version) == ("square", "customize", "0.1.0")
    assert (manifest.target, manifest.arch, manifest.abi) == ("cpu", platform.machine(), 1)
    assert manifest.isa == ("x86-64-v3" if platform.machine() == "x86_64" else "")
    assert manifest.tools.keys() & {"g++", "clang++"}
    (operator,) = manifest.operators
    assert operator.op_info.inputs[0].dtypes == ("float16", "float32")
    assert [c.library for c in operator.columns] == [
        "op_impl/ai_core/tbe/kernel/cpu/square/Square_0.so",
        "op_impl/ai_core/tbe/kernel/cpu/square/Square_1.so",
    ]
    for library in (manifest.host_library, *(c.library for c in operator.columns)):
        assert (square_built.package / library).is_file()


def test_the_manifests_symbol_versions_are_the_highest_that_readelf_finds(square_built):
    found = set()
    for file in square_built.package.rglob("*.so"):
        told = subprocess.run(["readelf", "-V", "--wide", file], capture_output=True, text=True, check=True).stdout
        found |= set(re.findall(r"Name: (GLIBC(?:XX)?)_([\d.]+)", told))
    for family, value in (("GLIBC", square_built.manifest.glibc), ("GLIBCXX", square_built.manifest.glibcxx)):
        versions = [tuple(map(int, v.split("."))) for f, v in found if f == family]
        assert value == ".".join(map(str, max(versions, default=())))


def test_libraries_need_opkgs_libraries_by_name_and_have_no_search_path(square_built):
    for file in square_built.package.rglob("*.so"):
        told = subprocess.run(["readelf", "-d", "--wide", file], capture_output=True, text=True, check=True).stdout
        wanted = "libopkg_twin.so.1" if "kernel/cpu" in str(file) else "libopkg_host.so.1"
        assert f"[{wanted}]" in told
        assert "RPATH" not in told and "RUNPATH" not in told


def test_the_bundle_holds_the_package(square_built):
    assert re.fullmatch(rf"custom_opp_\w+_{platform.machine()}\.run", square_built.bundle.name)
    with open_bundle(square_built.bundle) as bundle:
        assert bundle.manifest.name == "square"
        listed = {entry.path for entry in bundle.list()}
    assert listed == set(tree(square_built.package, "opkg-package.json"))


def test_a_strangers_project_with_two_operators(pair_built):
    manifest = pair_built.manifest
    assert manifest.vendor == "pair_vendor"
    assert manifest.version.startswith("0.0.0+")
    assert [o.op_info.op for o in manifest.operators] == ["AddOne", "Scale"]
    assert [len(o.columns) for o in manifest.operators] == [2, 1]
    configs = pair_built.package / "op_impl/ai_core/tbe/config"
    assert sorted(p.name for p in configs.iterdir()) == ["ascend310p", "ascend910b"]


def test_task_types_and_tiling_hashes_are_recorded(pair_built):
    add_one, scale = pair_built.manifest.operators
    assert [c.task_type for c in scale.columns] == ["KERNEL_TYPE_AIV_ONLY"]
    assert [c.task_type for c in add_one.columns] == ["", ""]
    assert re.fullmatch(r"[0-9a-f]{16,64}", scale.tiling_hash)
    assert add_one.tiling_hash == ""
    binaries = json.loads(
        (pair_built.package / "op_impl/ai_core/tbe/kernel/config/ascend910b/binary_info_config.json").read_text()
    )
    assert binaries["Scale"]["binaryList"][0]["coreType"] == 2


def test_classic_tiling_structs_reach_the_kernel(pair_built):
    from opkg._native import _core

    x = np.arange(100, dtype=np.float32)
    attrs = (("factor", _core.ATTR_FLOAT, 3.0), ("negate", _core.ATTR_BOOL, True))
    np.testing.assert_array_equal(call(pair_built, "Scale", x, attrs=attrs), x * -3)


def test_tiling_structs_of_library_functions_reach_the_kernel(tmp_path):
    shutil.copytree(DATA / "projects/pad_rows", tmp_path / "pad_rows")
    built = build_project(tmp_path / "pad_rows")
    x = np.arange(5 * 13, dtype=np.float16).reshape(5, 13)
    expected = np.full((5, 16), -7, np.float16)
    expected[:, :13] = x
    np.testing.assert_array_equal(call(built, "PadRows", x), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_plain_tiling_structs_and_compile_options_reach_the_kernel(pair_built, dtype):
    x = np.arange(33, dtype=dtype)
    np.testing.assert_array_equal(call(pair_built, "AddOne", x), x + 1)


def test_options_of_the_vendors_compiler_are_left_out_with_a_note(tmp_path):
    said: list[str] = []
    build_project(pair(tmp_path / "pair"), log=said.append)
    assert said == ["note: options of the vendor's kernel compiler are left out: --cce-auto-sync=on"]


def test_options_of_a_project_outweigh_those_of_the_build(tmp_path):
    project = pair(tmp_path / "pair")
    edit(project / "op_kernel/CMakeLists.txt", "-DSTEP=1", "-DSTEP=1 -O0")
    edit(
        project / "op_kernel/others.cpp", "#ifndef STEP", "#ifdef __OPTIMIZE__\n#error optimised\n#endif\n#ifndef STEP"
    )
    assert len(build_project(project).rebuilt) == 4


def test_the_same_inputs_give_the_same_bytes_anywhere(tmp_path, square_built):
    """Another folder, with characters that make other tools stumble, another time, and a read-only project."""
    project = square(tmp_path / 'it\'s a "folder"; $HOME\\ü' / "Sq uare")
    before = tree(project)
    project.chmod(0o555)
    try:
        result = build_project(project, out=tmp_path / "out 1", pkg=True)
    finally:
        project.chmod(0o755)
    assert tree(project) == before
    assert tree(result.package) == tree(square_built.package)
    assert result.bundle.read_bytes() == square_built.bundle.read_bytes()
    x = np.float32([3.0])
    assert call(result, "Square", x) == 9.0


def test_debug_information_is_the_same_anywhere_too(tmp_path, monkeypatch):
    monkeypatch.setenv("CXXFLAGS", "-g")
    one = build_project(square(tmp_path / "one"))
    two = build_project(square(tmp_path / 'an"other'))
    assert tree(one.package, "opkg-package.json") == tree(two.package, "opkg-package.json")
    assert str(tmp_path).encode() not in b"".join(tree(one.package).values())


def test_the_project_is_only_written_to_in_build_out(tmp_path):
    project = square(tmp_path / "Square")
    before = tree(project)
    build_project(project, pkg=True)
    assert tree(project, "build_out/") == before


def test_an_ini_and_an_opdef_that_disagree(tmp_path):
    project = square(tmp_path / "Square")
    edit(project / "op_info/square.ini", "input0.dtype=float16,float", "input0.dtype=float16,int32")
    with pytest.raises(BuildError) as caught:
        build_project(project)
    assert caught.value.code == "OPKG-4020"
    assert "the .ini says float16, int32, the OpDef says float16, float32" in caught.value.message


def test_an_ini_without_its_opdef(tmp_path):
    project = square(tmp_path / "Square")
    text = (project / "op_info/square.ini").read_text()
    (project / "op_info/cube.ini").write_text(text.replace("[Square]", "[Cube]").replace("=square", "=cube"))
    (project / "op_kernel/cube.cpp").write_text((project / "op_kernel/square.cpp").read_text())
    with pytest.raises(BuildError, match="describes the operator Cube, which op_host/ does not define") as caught:
        build_project(project)
    assert caught.value.hint == "op_host/ defines Square"


def test_no_host_source(tmp_path):
    project = square(tmp_path / "Square")
    (project / "op_host/square.cpp").unlink()
    with pytest.raises(BuildError, match=r"no op_host/\*\.cpp"):
        build_project(project)


def test_host_sources_without_an_operator(tmp_path):
    project = square(tmp_path / "Square")
    (project / "op_info/square.ini").unlink()
    (project / "op_host/square.cpp").write_text("int nothing() { return 0; }\n")
    with pytest.raises(BuildError, match="define no operator"):
        build_project(project)


def test_a_host_library_that_crashes_when_it_is_loaded(tmp_path):
    project = square(tmp_path / "Square")
    edit(project / "op_host/square.cpp", "namespace ops {", "static int crash = *(volatile int *)8;\nnamespace ops {")
    with pytest.raises(BuildError, match="cannot be asked for its operators") as caught:
        build_project(project)
    assert caught.value.code == "OPKG-4021"


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("GM_ADDR x, GM_ADDR y, GM_ADDR tiling", "takes 3 arguments, and Square gives it 4"),
        ("GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling", "takes 5 arguments, and Square gives"),
        ("GM_ADDR x, GM_ADDR y, uint32_t count, GM_ADDR tiling", "has a parameter that is no pointer"),
    ],
)
def test_a_kernel_with_other_parameters_than_the_operator_has(tmp_path, parameters, words):
    project = square(tmp_path / "Square")
    edit(project / "op_kernel/square.cpp", "GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling", parameters)
    edit(project / "op_kernel/square.cpp", "    (void)workspace;\n", "")
    for _ in range(2):
        with pytest.raises(BuildError, match=words) as caught:
            build_project(project)
        assert caught.value.message.startswith("the kernel `square` in op_kernel/square.cpp ")
    assert not (project / "build_out/package").exists()


def test_a_kernel_that_the_compiler_does_not_see(tmp_path):
    project = square(tmp_path / "Square")
    source = project / "op_kernel/square.cpp"
    source.write_text(f"#ifdef NO_SUCH_MACRO\n{source.read_text()}#endif\n")
    with pytest.raises(BuildError, match="has the kernel function `square`, but the compiler does not see it"):
        build_project(project)


def test_an_operator_that_is_defined_twice(tmp_path):
    project = square(tmp_path / "Square")
    shutil.copy(project / "op_host/square.cpp", project / "op_host/again.cpp")
    with pytest.raises(BuildError, match="the OpDef of Square is wrong: two classes are registered for it") as caught:
        build_project(project)
    assert caught.value.hint == ""


def test_a_folder_that_is_no_project_stays_as_it_is(tmp_path):
    with pytest.raises(ProjectError, match="is not an operator project"):
        build_project(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_instruction_set_of_ones_own(tmp_path):
    result = build_project(
        square(tmp_path / "Square"), march="x86-64-v2" if platform.machine() == "x86_64" else "armv8-a"
    )
    assert result.manifest.isa in ("x86-64-v2", "armv8-a")


def test_framework_files_travel(tmp_path):
    project = square(tmp_path / "Square")
    plugin = project / "framework/onnx_plugin/square_plugin.cc"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("// plugin\n")
    result = build_project(project)
    assert (result.package / "framework/onnx_plugin/square_plugin.cc").read_text() == "// plugin\n"


def test_the_command_prints_json(tmp_path):
    import sys

    project = square(tmp_path / "Square")
    words = [sys.executable, "-m", "opkg", "build", str(project), "--pkg", "--json", "-j", "2"]
    first = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert Path(first["package"]) == project / "build_out/package"
    assert Path(first["bundle"]).parent == project / "build_out"
    assert first["rebuilt"] == [
        "host library: first build",
        "Square column 0 (x float16, y float16): first build",
        "Square column 1 (x float32, y float32): first build",
    ]
    again = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert again == {**first, "rebuilt": []}


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
def test_clang_builds_the_same_operators(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", CLANG or "")
    result = build_project(pair(tmp_path / "pair"))
    assert "clang++" in result.manifest.tools
    x = np.arange(33, dtype=np.int32)
    np.testing.assert_array_equal(call(result, "AddOne", x), x + 1)
    assert [c.task_type for c in result.manifest.operators[1].columns] == ["KERNEL_TYPE_AIV_ONLY"]
