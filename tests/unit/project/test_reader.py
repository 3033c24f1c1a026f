"""Reading projects: ours, and every layout that strangers have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opkg.errors import OpInfoError, ProjectError
from opkg.project import read_project

INI = """[{op}]
input0.name=x
input0.dtype=float
input0.format=ND
input0.paramType=required
output0.name=y
output0.dtype=float
output0.format=ND
output0.paramType=required
"""


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


def _ours(root: Path, toml: str) -> Path:
    return _write(root, {"opkg.toml": toml, "op_info/square.ini": INI.format(op="Square"), "op_kernel/square.cpp": ""})


def _presets(**variables: object) -> str:
    return json.dumps({"version": 1, "configurePresets": [{"name": "default", "cacheVariables": variables}]})


def test_our_project(tmp_path: Path) -> None:
    toml = """
        [package]
        name = "square"
        version = "1.2.0"
        vendor = "acme"
        domain = "com.acme"
        requires = ["acme/base>=1"]
        [operators.Square]
        aliases = ["ai.onnx::11::Square"]
        [build]
        soc = ["Ascend910B3", "ascend310p"]
        options = ["-O2"]
        [template]
        name = "operator"
        answers = { a = 1 }
    """
    root = _write(_ours(tmp_path, toml), {"op_host/square.cpp": "", "framework/a/x.cc": "", "op_kernel/square.h": ""})
    project = read_project(root)
    assert (project.name, project.vendor, project.version, project.domain) == ("square", "acme", "1.2.0", "com.acme")
    assert project.socs == ("ascend910b", "ascend310p")
    assert project.requires == ("acme/base>=1",)
    assert project.aliases == {"Square": ("ai.onnx::11::Square",)}
    assert [info.op for info in project.op_infos] == ["Square"]
    assert project.host_sources == (root / "op_host/square.cpp",)
    assert project.kernel_sources == {"square": root / "op_kernel/square.cpp"}
    assert project.compile_options == {"ALL": ("-O2",)}
    assert project.include_dirs == (root / "op_host", root / "op_kernel")
    assert project.framework_dir == root / "framework"
    assert project.template == {"name": "operator", "answers": {"a": 1}}
    assert project.is_opkg


def test_what_opkg_toml_leaves_out_comes_from_elsewhere(tmp_path: Path) -> None:
    root = _ours(tmp_path / "My Square", "")
    _write(root, {"CMakePresets.json": _presets(vendor_name={"type": "STRING", "value": "acme"})})
    project = read_project(root)
    assert (project.name, project.vendor, project.domain) == ("My_Square", "acme", "acme")
    assert project.version.startswith("0.0.0+") and len(project.version) == 18


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[pakage]\n", ["pakage", "'package'"]),
        ("[package]\nvendr = 'a'\n", ["[package] vendr", "'vendor'"]),
        ("[package]\nversion = 1\n", ["[package] version", "text"]),
        ("[package]\nversion = 'one'\n", ["'one' is not a version"]),
        ("[package]\nvendor = 'a b'\n", ["'a b' is no vendor"]),
        (f"[package]\nname = '{'a' * 65}'\n", ["is no name: it may hold up to 64 letters"]),
        ("[package]\nversion = ' 1.0'\n", ["' 1.0' is not a version"]),
        (f"[package]\nversion = '1.{'0' * 63}'\n", ["is not a version"]),
        ("[package]\nvendor = '../up'\n", ["'../up'"]),
        ("[package]\nrequires = [1]\n", ["requires", "a list of text"]),
        ("[operators.Square]\nalias = []\n", ["[operators.Square] alias", "'aliases'"]),
        ("[operators.Square]\naliases = ['LeakyRelu']\n", ["'LeakyRelu' is not domain::opset::Type"]),
        ("[operators.Cube]\naliases = []\n", ["no operator Cube"]),
        ("[build]\nsoc = 'ascend910x'\n", ["ascend910x", "did you mean 'ascend910"]),
        ("[build]\noptions = 'x'\n", ["[build] options"]),
        ("[template]\nnam = 'x'\n", ["[template] nam", "'name'"]),
        ("package = 1\n", ["[package]", "a table"]),
        ("[package\n", ["not TOML"]),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, toml: str, words: list[str]) -> None:
    with pytest.raises(ProjectError) as caught:
        read_project(_ours(tmp_path, toml))
    for word in ["opkg.toml", *words]:
        assert word in caught.value.message


def test_a_strangers_project(tmp_path: Path) -> None:
    presets = _presets(
        vendor_name={"type": "STRING", "value": "customize"},
        ASCEND_COMPUTE_UNIT={"type": "STRING", "value": "ascend310p;ascend910b;new900"},
        CMAKE_BUILD_TYPE="Release",
    )
    files = {"CMakePresets.json": presets, "op_host/add_custom.cpp": "", "op_kernel/add_custom.cpp": ""}
    project = read_project(_write(tmp_path / "AddCustom", files))
    assert (project.name, project.vendor) == ("AddCustom", "customize")
    assert project.socs == ("ascend310p", "ascend910b", "new900")
    assert project.op_infos == () and not project.is_opkg
    assert list(project.kernel_sources) == ["add_custom"]


def test_version_of_a_strangers_project_changes_with_its_sources_only(tmp_path: Path) -> None:
    root = _write(tmp_path / "A", {"op_host/a.cpp": "1", "op_kernel/a.cpp": "", "README.md": "1", "build_out/x": "1"})
    first = read_project(root).version
    _write(root, {"README.md": "2", "build_out/x": "2"})
    assert read_project(root).version == first
    _write(root, {"op_host/a.cpp": "2"})
    assert read_project(root).version != first
    _write(root, {"op_host/a.cpp": "1"})
    assert read_project(root).version == first


@pytest.mark.parametrize(
    ("cmake", "options"),
    [
        ("add_ops_compile_options(ALL OPTIONS -g -O0)", {"ALL": ("-g", "-O0")}),
        ("add_ops_compile_options(AddCustom OPTIONS --tiling_key=1,2)", {"AddCustom": ("--tiling_key=1,2",)}),
        ("ADD_OPS_COMPILE_OPTIONS(OP_NAME A B OPTIONS -DX)", {"A": ("-DX",), "B": ("-DX",)}),
        ("add_ops_compile_options(A COMPUTE_UNIT Ascend910B OPTIONS -DX)", {"A": ("-DX",)}),
        ("add_ops_compile_options(A COMPUTE_UNIT ascend310p OPTIONS -DX)", {}),
        ('npu_op_kernel_options(kernels ALL OPTIONS -DX="a b")\n', {"ALL": ('-DX="a b"',)}),
        ('npu_op_kernel_options(kernels ALL OPTIONS "-DX=a b" "-DY")', {"ALL": ("-DX=a b", "-DY")}),
        (
            "npu_op_kernel_options(kernels A OPTIONS -DA)\nnpu_op_kernel_options(kernels A OPTIONS -DB)",
            {"A": ("-DA", "-DB")},
        ),
        ("# add_ops_compile_options(ALL OPTIONS -g)\n#[[ add_ops_compile_options(ALL OPTIONS -g) ]]", {}),
        ("set(FLAGS -DA -DB)\nadd_ops_compile_options(ALL OPTIONS ${FLAGS} -I${CMAKE_CURRENT_SOURCE_DIR}/x)", None),
        ('if ("${CMAKE_BUILD_TYPE}x" STREQUAL "Debugx")\nadd_ops_compile_options(ALL OPTIONS -g)\nendif()', {}),
        (
            'if (CMAKE_BUILD_TYPE STREQUAL "Release")\nadd_ops_compile_options(ALL OPTIONS -O3)\nendif()',
            {"ALL": ("-O3",)},
        ),
        ("if(FOO)\nelse()\nadd_ops_compile_options(ALL OPTIONS -O3)\nendif()", {"ALL": ("-O3",)}),
        ("if(FOO)\nif(A STREQUAL A)\nadd_ops_compile_options(ALL OPTIONS -O3)\nendif()\nendif()", {}),
    ],
)
def test_kernel_options_of_cmake_files(tmp_path: Path, cmake: str, options: dict[str, tuple[str, ...]] | None) -> None:
    files = {"op_host/a.cpp": "", "op_kernel/a.cpp": "", "op_kernel/CMakeLists.txt": cmake}
    root = _write(tmp_path / "A", files)
    expected = {"ALL": ("-DA", "-DB", f"-I{root}/op_kernel/x")} if options is None else options
    assert read_project(root).compile_options == expected


def test_cmake_options_come_before_those_of_opkg_toml(tmp_path: Path) -> None:
    root = _ours(tmp_path, "[build]\noptions = { Square = ['-DB'], ALL = ['-DC'] }\n")
    _write(root, {"op_kernel/CMakeLists.txt": "add_ops_compile_options(Square OPTIONS -DA)"})
    assert read_project(root).compile_options == {"Square": ("-DA", "-DB"), "ALL": ("-DC",)}


def test_comments_of_cmake_files_may_have_any_encoding(tmp_path: Path) -> None:
    root = _write(tmp_path / "A", {"op_host/a.cpp": "", "op_kernel/a.cpp": ""})
    (root / "op_kernel/CMakeLists.txt").write_bytes("# 中文\nadd_ops_compile_options(A OPTIONS -g)".encode("gbk"))
    assert read_project(root).compile_options == {"A": ("-g",)}


def test_kernel_files_under_other_names(tmp_path: Path) -> None:
    cmake = "npu_op_kernel_sources(kernels OP_TYPE AddCustom KERNEL_DIR ./impl KERNEL_FILE entry.cpp)"
    files = {"op_host/a.cpp": "", "op_kernel/CMakeLists.txt": cmake, "op_kernel/impl/entry.cpp": ""}
    root = _write(tmp_path / "A", files)
    assert read_project(root).kernel_sources["add_custom"] == root / "op_kernel/impl/entry.cpp"


def test_a_tbe_project(tmp_path: Path) -> None:
    files = {"tbe/op_info_cfg/ai_core/ascend310/add_dsl.ini": INI.format(op="AddDsl"), "tbe/impl/add_dsl.py": ""}
    project = read_project(_write(tmp_path / "Old", files))
    assert [info.op for info in project.op_infos] == ["AddDsl"]
    assert project.socs == ("ascend310",)


def test_one_operator_in_two_files_is_refused(tmp_path: Path) -> None:
    root = _write(_ours(tmp_path, ""), {"op_info/zz.ini": INI.format(op="Square")})
    with pytest.raises(ProjectError, match=r"op_info/zz\.ini: the operator Square is described in op_info/square\.ini"):
        read_project(root)


def test_a_wrong_op_info_is_named_relative_to_the_project(tmp_path: Path) -> None:
    root = _write(_ours(tmp_path, ""), {"op_info/bad.ini": "[A]\nx\n"})
    with pytest.raises(OpInfoError) as caught:
        read_project(root)
    assert (caught.value.file, caught.value.line) == ("op_info/bad.ini", 2)


def test_other_folders_are_refused_with_the_projects_in_them(tmp_path: Path) -> None:
    _ours(tmp_path / "inner", "")
    with pytest.raises(ProjectError, match="not an operator project") as caught:
        read_project(tmp_path)
    assert caught.value.hint == "there are projects in it: inner"
    with pytest.raises(ProjectError, match="not a folder"):
        read_project(tmp_path / "missing")


def test_presets_that_are_no_json_are_refused(tmp_path: Path) -> None:
    root = _write(_ours(tmp_path, ""), {"CMakePresets.json": "{"})
    with pytest.raises(ProjectError, match=r"CMakePresets\.json: not a CMake presets file"):
        read_project(root)
