"""`opkg new`: what is written, and when nothing is."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opkg.cli import main
from opkg.errors import OpkgError, ProjectError, UsageError
from opkg.opinfo import Attr, OpInfo, compare, read_ini, write_ini, write_ir_json
from opkg.project import new_project, parse_signature, read_project

SQUARE = parse_signature("Square", [], [], [])
FILES = [
    ".gitignore",
    ".opkg/template.json",
    "CMakeLists.txt",
    "CMakePresets.json",
    "README.md",
    "build.sh",
    "op_host/CMakeLists.txt",
    "op_host/square.cpp",
    "op_info/square.ini",
    "op_kernel/CMakeLists.txt",
    "op_kernel/square.cpp",
    "op_kernel/square_tiling.h",
    "opkg.toml",
    "tests/cases.toml",
    "tests/conftest.py",
    "tests/golden.py",
    "tests/test_operators.py",
]


def _op(*inputs: str, outputs: tuple[str, ...] = (), attrs: tuple[str, ...] = (), name: str = "Op") -> OpInfo:
    return parse_signature(name, inputs, outputs, attrs)


def test_a_new_project_reads_back_as_what_was_asked_for(tmp_path: Path) -> None:
    info = _op("a:float16,int8:ND", "b?:float", attrs=("k:float=1.5", "n:int"), name="AddCustom")
    files = new_project(tmp_path / "AddCustom", [info], vendor="acme", soc=["Ascend910B2", "ascend310p"])
    project = read_project(tmp_path / "AddCustom")
    assert (project.name, project.vendor, project.version) == ("add_custom", "acme", "0.1.0")
    assert project.socs == ("ascend910b", "ascend310p")
    assert compare(project.op_infos[0], info) == []
    assert list(project.kernel_sources) == ["add_custom"]
    assert Path("op_host/add_custom.cpp") in files


def test_every_file_is_written_and_scripts_can_be_run(tmp_path: Path) -> None:
    root = tmp_path / "Square"
    assert [str(file) for file in new_project(root, [SQUARE])] == FILES
    assert sorted(str(f.relative_to(root)) for f in root.rglob("*") if f.is_file()) == FILES
    assert (root / "build.sh").stat().st_mode & 0o111
    assert not (root / "README.md").stat().st_mode & 0o111
    assert (root / "op_info/square.ini").read_text().startswith("[Square]\ninput0.name=x\n")
    presets = json.loads((root / "CMakePresets.json").read_text())
    assert presets["configurePresets"][0]["cacheVariables"]["ASCEND_COMPUTE_UNIT"]["value"] == "ascend910b"


def test_no_file_has_leftovers_of_the_template_language(tmp_path: Path) -> None:
    wide = _op("x:float16,int8,bool,uint32,int64,bfloat16", "y?:int32", attrs=("k:bool=true", "l:list_int"))
    new_project(tmp_path / "Wide", [wide, SQUARE])
    for file in (f for f in (tmp_path / "Wide").rglob("*.*") if f.is_file() and f.parent.name != ".opkg"):
        text = file.read_text()
        assert "{%" not in text and "{{" not in text.replace("{{ge::", "") and "}}" not in text, file
        assert not any(line != line.rstrip() for line in text.split("\n")), file
        assert text.endswith("\n") and not text.endswith("\n\n"), file


def test_several_operators_share_one_project(tmp_path: Path) -> None:
    files = new_project(tmp_path / "Both", [SQUARE, _op("a", name="AddAll")])
    names = {str(file) for file in files}
    assert {"op_kernel/square.cpp", "op_kernel/add_all.cpp", "op_info/add_all.ini"} <= names


def test_an_empty_folder_may_be_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "Square").mkdir()
    new_project(tmp_path / "Square", [SQUARE])
    with pytest.raises(ProjectError, match=r"is in the way: it holds \.gitignore"):
        new_project(tmp_path / "Square", [SQUARE])
    (tmp_path / "File").write_text("mine")
    with pytest.raises(ProjectError, match="is in the way"):
        new_project(tmp_path / "File", [SQUARE])
    assert (tmp_path / "File").read_text() == "mine"


@pytest.mark.parametrize(
    ("info", "word"),
    [
        (_op("x:double,float", "y:float,float16", outputs=("z:half,float",)), "double and float16 in one column"),
        (_op("x:complex64"), "complex64"),
        (_op("x?:float"), "no input that is always there"),
        (OpInfo("A", (), SQUARE.outputs), "no input that is always there"),
        (OpInfo("A", SQUARE.inputs, ()), "no output"),
        (_op("x*:float", outputs=("x*:float",)), "in one place, and dynamic"),
        (_op("x:float", attrs=("k:list_string=[a]",)), "list_string"),
        (_op("x:float", attrs=("k:type=float",)), "which no OpDef can declare (it declares int, float, bool, string"),
        (_op("x:float", name="OpDef"), "cannot be called OpDef"),
        (_op("x:float", name="int"), "cannot be called int"),
        (_op("for:float"), "'for'"),
        (_op("a:float", "A:float"), "would be one name"),
        (_op("y:float", outputs=("Y:float",)), "would be one name"),
        (_op("x:float", "x_ref:float", outputs=("x:float",)), "would be one name"),
        (_op("k:float", attrs=("k:int=1",)), "an attribute and an input"),
        (_op("x:float", attrs=("np:int=1",)), "'np'"),
    ],
)
def test_what_has_no_correct_kernel_is_refused_and_nothing_is_written(tmp_path: Path, info: OpInfo, word: str) -> None:
    with pytest.raises(ProjectError) as caught:
        new_project(tmp_path / "A", [info])
    assert word in caught.value.message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("shapes", "word"),
    [
        ({"y": "z"}, "there is no input 'z'"),
        ({"z": "x"}, "there is no output 'z'"),
        ({"y": "x[:-2]"}, "is not output=shape"),
        ({"y": "x,1"}, "is not output=shape"),
        ({"y": "[2]"}, "is not output=shape"),
        ({"y": "x[:-1]", "s": "[]"}, "one output is summed along the last axis, another over all elements"),
        ({"x": "[]"}, "'x' is in the place of an input"),
    ],
)
def test_wrong_shapes_are_named_and_nothing_is_written(tmp_path: Path, shapes: dict[str, str], word: str) -> None:
    with pytest.raises(OpkgError) as caught:
        new_project(tmp_path / "A", [_op("x:float", outputs=("y", "s", "x"), name="A")], shapes={"A": shapes})
    assert word in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_name_of_the_c_library_names_an_operator_but_not_its_kernel(tmp_path: Path) -> None:
    new_project(tmp_path / "Exp", [_op("main:float", outputs=("printf",), name="Exp")])
    assert "void exp_kernel(GM_ADDR main_arg, GM_ADDR printf_arg," in (tmp_path / "Exp/op_kernel/exp.cpp").read_text()
    assert "opInterface.value=exp_kernel\n" in (tmp_path / "Exp/op_info/exp.ini").read_text()
    host = (tmp_path / "Exp/op_host/exp.cpp").read_text()
    assert 'ExtendCfgInfo("opInterface.value", "exp_kernel")' in host and 'this->Input("main")' in host


def test_a_star_is_any_number_of_tensors_and_a_question_mark_one_that_may_be_absent() -> None:
    info = _op("x:float", "xs*", "o?", outputs=("y?", "ys*"))
    assert [p.param_type for p in info.inputs] == ["required", "dynamic", "optional"]
    assert [p.param_type for p in info.outputs] == ["optional", "dynamic"]
    assert [p.name for p in (*info.inputs, *info.outputs)] == ["x", "xs", "o", "y", "ys"]


@pytest.mark.parametrize(
    ("keywords", "word"),
    [
        ({"vendor": "a b"}, "'a b'"),
        ({"version": "x"}, "'x' is not a version"),
        ({"soc": "ascend91"}, "did you mean 'ascend910"),
        ({"soc": "ai_core-ascend910b"}, "did you mean 'ascend910b'"),
        ({"template": "operatr"}, "did you mean 'operator'"),
    ],
)
def test_wrong_arguments_are_named_and_nothing_is_written(tmp_path: Path, keywords: Any, word: str) -> None:
    with pytest.raises(ProjectError) as caught:
        new_project(tmp_path / "A", [SQUARE], **keywords)
    assert word in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_a_failing_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: Any, **__: Any) -> int:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ProjectError, match="A cannot be made: No space") as caught:
        new_project(tmp_path / "A", [SQUARE])
    assert caught.value.hint == "make room on that disk, or name another place with --output-dir"
    assert list(tmp_path.iterdir()) == []


def test_defaults_are_literals_of_both_languages(tmp_path: Path) -> None:
    attrs = ("a:float=-inf", "b:list_float=[1e-5,inf]", 'c:string=a "b" é1', "d:list_list_int=[[1],[]]")
    new_project(tmp_path / "P", [_op("x:float", attrs=attrs)])
    host = (tmp_path / "P/op_host/op.cpp").read_text()
    assert ".Float(-__builtin_inff());" in host
    assert ".ListFloat({1e-05, __builtin_inff()});" in host
    assert '.String("a \\042b\\042 \\303\\2511");' in host
    assert ".ListListInt({{1}, {}});" in host
    golden = (tmp_path / "P/tests/golden.py").read_text()
    assert 'a=float("-inf"), b=[1e-05, float("inf")], c=' in golden


def test_two_operators_with_one_file_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="would share the file name add_a"):
        new_project(tmp_path / "A", [_op("x", name="AddA"), _op("x", name="add_a")])


def _golden(tmp_path: Path, info: OpInfo) -> dict[str, Any]:
    new_project(tmp_path / "P", [info])
    return runpy.run_path(str(tmp_path / "P/tests/golden.py"))


@pytest.mark.parametrize(
    ("inputs", "dtype", "values", "attributes", "expected"),
    [
        (("x:float16",), "float16", [[3, -0.5]], {}, [9, 0.25]),
        (("x:int32",), "int32", [[3, -4]], {}, [9, 16]),
        (("x:int8",), "int8", [[3, 12]], {}, [9, 127]),
        (("x:uint8",), "uint8", [[3, 200]], {}, [9, 255]),
        (("x:bool",), "bool", [[True, False]], {}, [True, False]),
        (("x:uint16",), "uint16", [[3, 300]], {}, [9, 90000 - 65536]),
        (("x:int64",), "int64", [[2**40, -3]], {}, [0, 9]),
        (("a:int32", "b:int32"), "int32", [[1, 2], [10, 20]], {}, [11, 22]),
        (("a:float", "b?:float"), "float32", [[1, 2], None], {}, [1, 2]),
        (("x:float",), "float32", [[1, 2]], {"k": 0.5, "n": 3, "flip": True, "l": [1, 2]}, [-3.5 + 3, -5 + 3]),
        (("x:int32",), "int32", [[1, 2]], {"k": 2.5, "n": 3, "flip": False, "l": []}, [5, 11]),
    ],
)
def test_golden_says_what_the_kernel_does(
    tmp_path: Path, inputs: tuple[str, ...], dtype: str, values: Any, attributes: dict[str, Any], expected: list[Any]
) -> None:
    attrs = ("k:float=1.0", "n:int=0", "flip:bool=false", "l:list_int=[]") if attributes else ()
    golden = _golden(tmp_path, _op(*inputs, attrs=attrs))
    arrays = [None if value is None else np.array(value, dtype) for value in values]
    (result,) = golden["op"](*arrays, output_dtypes=(dtype,), **attributes)
    assert result.dtype == np.dtype(dtype)
    assert result.tolist() == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x:"], "not name:dtype"),
        (["x:a:b:c"], "not name:dtype"),
        (["x:flaot"], "did you mean 'float'"),
        (["2x:float"], "identifier"),
        (["x:float,half:ND,NCHW,ND"], "3 formats and 2 data types"),
        (["x:float,half", "z:int8,int8,int8"], "columns"),
    ],
)
def test_words_that_say_nothing_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(OpkgError, match=message):
        parse_signature("A", words, [], [])


def test_words_become_a_signature() -> None:
    info = parse_signature("A", ["x:half,float:NCHW", "k:int32", "z"], ["y"], ["a:float=1e-3", "b:int", "c:str=x=y"])
    assert [p.dtypes for p in info.inputs] == [("float16", "float32"), ("int32", "int32"), ("float16", "float32")]
    assert [p.formats for p in info.inputs] == [("NCHW", "NCHW"), ("ND", "ND"), ("NCHW", "NCHW")]
    assert info.outputs[0].dtypes == ("float16", "float32")
    assert info.attrs == (
        Attr("a", "float", "optional", 1e-3),
        Attr("b", "int"),
        Attr("c", "string", "optional", "x=y"),
    )
    assert parse_signature("A", ["y"], [], []).outputs[0].name == "z"
    with pytest.raises(UsageError, match="not name:type=default"):
        parse_signature("A", [], [], ["k"])


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "Square", "--output-dir", str(tmp_path), "--vendor", "acme", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"project": str(tmp_path / "Square"), "operators": ["Square"], "files": FILES}
    assert read_project(tmp_path / "Square").vendor == "acme"
    assert main(["new", "Square", "--output-dir", str(tmp_path)]) == 1
    assert "in the way" in capsys.readouterr().err
    assert main(["new", "Square", "--output-dir", str(tmp_path / "a b")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[0], lines[-1]) == (f"made {tmp_path}/a b/Square", f"next: cd '{tmp_path}/a b/Square' && opkg build")
    assert main(["new", "a/b"]) == 2
    assert "--output-dir" in capsys.readouterr().err


def test_command_line_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = [_op("a:int32", "b:int32", name="AddCustom"), SQUARE]
    (tmp_path / "ops.json").write_text(write_ir_json(pair))
    (tmp_path / "ops.ini").write_text(write_ini(pair))
    (tmp_path / "none.ini").write_text("")
    base = ["--output-dir", str(tmp_path)]
    assert main(["new", "AddCustom", "--from", str(tmp_path / "ops.json"), *base]) == 0
    assert [info.op for info in read_project(tmp_path / "AddCustom").op_infos] == ["AddCustom"]
    assert main(["new", "Both", "--from", str(tmp_path / "ops.ini"), *base]) == 0
    assert sorted(info.op for info in read_project(tmp_path / "Both").op_infos) == ["AddCustom", "Square"]
    ini = (tmp_path / "Both/op_info/add_custom.ini").read_text()
    assert compare(read_ini(ini)[0], pair[0]) == []
    assert capsys.readouterr().out.splitlines()[-1] == f"next: cd {tmp_path}/Both && opkg build"
    for source, word in [("none.ini", "describes no operator"), ("ops.txt", "neither"), ("missing.ini", "missing.ini")]:
        assert main(["new", "X", "--from", str(tmp_path / source), *base]) != 0
        assert word in capsys.readouterr().err
    assert main(["new", "X", "--from", str(tmp_path / "ops.ini"), "--input", "x", *base]) == 2
    assert not (tmp_path / "X").exists()
