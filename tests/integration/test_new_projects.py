"""Projects as `opkg new` writes them build, and pass the tests that come with them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import opkg
from opkg.cli import main

pytestmark = pytest.mark.slow

WARNINGS = "-Wall -Wextra -Werror"
"""What is generated must compile in a strict project too."""

SIGNATURES = {
    "Square": [],
    "AddCustom": ["--input", "a:int32", "--input", "b:int32"],
    "ThreeColumns": ["--input", "x:float16,float32,int32"],
    "Attributes": [
        *(
            "--input",
            "x:float16,float32,int32",
            "--attr",
            "scale:float=1.0",
            "--attr",
            "shift:int",
            "--attr",
            "mode:str=a",
        ),
        *("--attr", "negate:bool=false", "--attr", "bias:list_float=[0.5]", "--attr", "axes:list_int=[1]"),
    ],
    "EveryType": [
        *("--input", "x:float16,float32,int16,int32,bfloat16,int8,uint8,bool,int64,uint16,uint32,uint64"),
        *("--attr", "scale:float=2.0", "--attr", "shift:int=1"),
    ],
    "Mixed": [
        *("--input", "x:float16,float32,bfloat16", "--input", "rows:int32,uint16,int64", "--input", "scale?:float32"),
        *("--output", "y"),
    ],
    "IntegersMixed": ["--input", "x:int8,uint16", "--input", "k:int64,uint32", "--output", "y:int32,bool"],
    "Optional": ["--input", "a?:float32,int64", "--input", "b", "--input", "c?"],
    "Outputs": ["--input", "x:float16,float32,int32", "--output", "y:float32,float32,int16", "--output", "z:bool"],
    "InPlace": ["--input", "x:float32,int64", "--output", "x"],
    "AddN": ["--input", "xs*:float16,float32,int32,int64,bfloat16,double"],
    "Lists": [
        *("--input", "x:float16,float32,int64,int32,int8", "--input", "xs*", "--input", "o?"),
        *("--output", "y", "--output", "z?", "--output", "ys*", "--attr", "k:float=2", "--attr", "b:bool=true"),
    ],
    "ListOfOthers": ["--input", "b?:bool,float32", "--input", "xs*:uint8,int16", "--input", "ms*:int64,double"],
    "Double": ["--input", "x:double,double,float32", "--output", "y:double,int16,bool", "--attr", "k:float=0.5"],
    "RowSum": [
        *("--input", "x:float16,float32,bfloat16,int8,uint8,bool,int16,int32,int64,uint16,uint32,uint64,double"),
        *("--output", "y", "--shape", "y=x[:-1]"),
    ],
    "RowSumKept": [
        *("--input", "x:float16,int32,int8,double", "--input", "b?", "--input", "xs*"),
        *("--output", "y", "--output", "s:float32,int64,bool,double", "--output", "n:int32", "--output", "t?"),
        *("--shape", "s=x[:-1],1", "--shape", "n=x[:-1]", "--attr", "k:float=2", "--attr", "i:int=1"),
    ],
    "SumOfAll": [
        *("--input", "a:float32,int16,bool", "--input", "b", "--output", "s", "--output", "t:float32,int64,uint8"),
        *("--shape", "s=[]", "--shape", "t=[1]"),
    ],
    "Exp": ["--attr", "sum:list_float=[0.5,0.25]", "--input", "main:float32", "--input", "printf", "--output", "index"],
    "Lambda": ["--input", "input:float32,int32", "--input", "shape", "--output", "EOF", "--attr", "i:int=2"],
    "ThreeInputs": ["--input", "a:int16,bfloat16", "--input", "b", "--input", "c", "--soc", "ascend310b"],
}


def _pytest(project: Path) -> subprocess.CompletedProcess[str]:
    paths = [str(Path(opkg.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "CXXFLAGS": WARNINGS}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_new_project_builds_and_passes_its_own_tests(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", name, *SIGNATURES[name], "--output-dir", str(tmp_path)]) == 0
    capsys.readouterr()
    code = main(["test", str(tmp_path / name), "--json"])
    found = json.loads(capsys.readouterr().out)
    wrong = [case for case in found["cases"] if case["verdict"] not in ("passed", "skipped")]
    assert (code, wrong[:3]) == (0, [])
    repeated = {case["column"] for case in found["cases"] if case["verdict"] == "skipped"}
    assert repeated == ({1} if name == "Double" else set())  # the one with the inputs of an earlier column
    assert found["passed"] > 80


def test_a_project_from_an_ir_json(tmp_path: Path) -> None:
    source = Path(__file__).parents[1] / "data/cases/opinfo/good/ir.json"
    assert main(["new", "GatherRows", "--from", str(source), "--output-dir", str(tmp_path)]) == 0
    finished = _pytest(tmp_path / "GatherRows")
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-4000:]


def test_the_tests_of_a_new_project_fail_when_the_kernel_is_wrong(tmp_path: Path) -> None:
    assert main(["new", "Square", "--output-dir", str(tmp_path)]) == 0
    kernel = tmp_path / "Square/op_kernel/square.cpp"
    text = kernel.read_text()
    assert text.count("AscendC::Mul(yLocal, xLocal, xLocal, count)") == 1
    kernel.write_text(
        text.replace("AscendC::Mul(yLocal, xLocal, xLocal, count)", "AscendC::Add(yLocal, xLocal, xLocal, count)")
    )
    finished = _pytest(tmp_path / "Square")
    assert finished.returncode == 1
    # x + x is x * x where x is 0 or 2, and some of the random inputs are.
    assert re.search(r"mismatch: output y: \d+ of 33 elements differ, first at \[\d+\]: ", finished.stdout)
    assert "--op Square --column 1 --length 33 --case length=33 --cores many --seed " in finished.stdout
    assert main(["test", str(tmp_path / "Square"), "--length", "0", "--case", "length=0"]) == 0


def test_pytest_runs_the_cases_beside_own_tests(tmp_path: Path) -> None:
    assert main(["new", "Lists", *SIGNATURES["Lists"], "--output-dir", str(tmp_path)]) == 0
    own = "def test_own(opkg_project):\n    assert opkg_project.operator('Lists').op_info.columns == 5\n"
    (tmp_path / "Lists/tests/test_own.py").write_text("pytest_plugins = ['opkg.testing.fixtures']\n" + own)
    (tmp_path / "Lists/tests/golden.py").rename(tmp_path / "golden.py")
    finished = _pytest(tmp_path / "Lists")
    assert finished.returncode == 1 and "nothing for Lists" in finished.stdout and "1 passed" in finished.stdout
    (tmp_path / "golden.py").rename(tmp_path / "Lists/tests/golden.py")
    finished = _pytest(tmp_path / "Lists")
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-4000:]
    assert "517 passed" in finished.stdout
