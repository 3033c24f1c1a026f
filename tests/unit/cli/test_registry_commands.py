"""list, info and which, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from made_roots import MadeRoot, foreign, operator, package

from opkg.cli import main


@pytest.fixture
def filled(root: MadeRoot) -> MadeRoot:
    leaky = operator("Leaky", "ai.onnx::11::LeakyRelu")
    root.show("customize", package("square", "Square", "Cube"), package("leaky", operators=(leaky,), version="2.1"))
    root.show("acme", package("maths", "Square", vendor="acme", domain="com.acme"))
    foreign(root.path / "vendors" / "huawei")
    (root.path / "vendors" / "config.ini").write_text("load_priority=customize\n", "utf-8")
    return root


def opkg(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def as_json(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    code, out, _ = opkg(capsys, *words, "--json")
    return code, json.loads(out)


def test_list_has_one_line_for_each_package(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = opkg(capsys, "list", "--install-path", filled.path)
    assert code == 0
    place = f"install root {filled.path}"
    assert out.splitlines()[0].split() == ["PACKAGE", "VERSION", "OPERATORS", "FROM", "LACKS"]
    assert [line.split(maxsplit=3) for line in out.splitlines()[1:]] == [
        ["customize/square", "1.0.0", "2", place],
        ["customize/leaky", "2.1", "1", place],
        ["acme/maths", "1.0.0", "1", place],
        ["huawei/huawei", "-", "1", f"{place}  has no manifest and no kernel for target cpu"],
    ]


def test_list_as_json(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = as_json(capsys, "list", "--install-path", filled.path)
    assert code == 0
    assert [(p["vendor"], p["name"], p["version"], p["operators"], bool(p["lacks"])) for p in found] == [
        ("customize", "square", "1.0.0", 2, False),
        ("customize", "leaky", "2.1", 1, False),
        ("acme", "maths", "1.0.0", 1, False),
        ("huawei", "huawei", "", 1, True),
    ]
    assert Path(found[0]["path"]).is_dir()


def test_an_install_path_may_be_written_in_any_way(
    filled: MadeRoot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(filled.path / "vendors")
    for way in ("..", "../vendors/../", "../../root", f"{filled.path}/"):
        assert len(as_json(capsys, "list", "--install-path", way)[1]) == 4
        assert as_json(capsys, "which", "Cube", "--install-path", way)[0] == 0


def test_list_of_operators(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = as_json(capsys, "list", "--operators", "--install-path", filled.path)
    assert code == 0
    assert [(o["op_type"], o["domain"], o["name"]) for o in found] == [
        ("Square", "customize", "square"),
        ("Cube", "customize", "square"),
        ("Leaky", "customize", "leaky"),
        ("Square", "com.acme", "maths"),
        ("FastGeluGrad", "huawei", "huawei"),
    ]
    _, out, _ = opkg(capsys, "list", "--operators", "--install-path", filled.path)
    assert out.splitlines()[1].split()[:4] == ["Square", "customize", "customize/square", "1.0.0"]


def test_an_install_path_hides_the_other_places(
    filled: MadeRoot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(filled.path / "vendors" / "customize"))
    assert as_json(capsys, "list", "--install-path", tmp_path / "empty") == (0, [])
    assert [p["name"] for p in as_json(capsys, "list")[1]] == ["square", "leaky"]


def test_which_shows_the_choice_and_why_not_the_others(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = opkg(capsys, "which", "Square", "--install-path", filled.path)
    assert code == 0
    place = f"install root {filled.path}"
    lines = out.splitlines()
    assert lines[0] == f"customize::Square is served by customize/square 1.0.0, {place}"
    because = f"comes after customize/square 1.0.0 ({place}): load_priority in vendors/config.ini"
    assert f"    acme/maths 1.0.0 ({place}): {because}" in lines
    assert f"    {place}: 5 operators" in lines
    [shown] = [line.split(maxsplit=1)[1] for line in lines if line.startswith("  package:")]
    assert Path(shown).is_dir()


def test_which_takes_a_domain_and_an_opset(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = as_json(capsys, "which", "com.acme::Square", "--install-path", filled.path)
    assert (code, found["chosen"]["vendor"]) == (0, "acme")
    assert [refused["reason"] for refused in found["rejected"]] == ["its domain is customize, not com.acme"]
    words = ("which", "ai.onnx::LeakyRelu", "--install-path", filled.path, "--opset")
    assert as_json(capsys, *words, "13")[1]["chosen"]["since"] == 11
    assert as_json(capsys, *words, "7")[0] == 1
    code, found = as_json(capsys, "which", "ai.onnx::11::LeakyRelu", "--install-path", filled.path)
    assert (code, found["chosen"]["name"]) == (0, "leaky")
    assert as_json(capsys, "which", "ai.onnx::7::LeakyRelu", "--install-path", filled.path)[0] == 1
    assert as_json(capsys, "which", "::Square", "--install-path", filled.path)[0] == 1


def test_which_explains_that_there_is_nothing(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = opkg(capsys, "which", "Sqare", "--install-path", filled.path)
    assert (code, out) == (1, "")
    assert err.splitlines()[0] == "opkg: nothing provides operator Sqare"
    assert "  similar names: Square" in err.splitlines()
    assert err.endswith("  did you mean Square?\n  [OPKG-7000]\n")
    code, out, err = opkg(capsys, "which", "FastGeluGrad", "--install-path", filled.path)
    assert code == 1
    assert "has no manifest and no kernel for target cpu" in err


def test_info_describes_a_package(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = as_json(capsys, "info", "customize/square", "--install-path", filled.path)
    assert code == 0
    [described] = found["packages"]
    assert described["operators"] == ["Cube", "Square"]
    assert (described["domain"], described["target"], described["soc"]) == ("customize", "cpu", ["ascend910b"])
    _, out, _ = opkg(capsys, "info", "customize", "--install-path", filled.path)
    assert [line.split()[1] for line in out.splitlines() if line.startswith("name:")] == ["square", "leaky"]


def test_info_describes_an_operator(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = opkg(capsys, "info", "Cube", "--install-path", filled.path)
    assert code == 0
    assert out.splitlines()[0] == "Cube(x) -> (y)"
    assert "input   x  required  float32:ND" in out.splitlines()
    code, found = as_json(capsys, "info", "FastGeluGrad", "--install-path", filled.path)
    assert code == 0
    assert found["operator"]["unusable"] == "has no manifest and no kernel for target cpu"
    assert found["operator"]["op_info"]["inputs"][0]["dtypes"] == ["float16", "float32"]
    _, out, _ = opkg(capsys, "info", "LeakyRelu", "--install-path", filled.path)
    assert "alias:   ai.onnx::11::LeakyRelu" in out.splitlines()


def test_info_of_nothing(filled: MadeRoot, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = opkg(capsys, "info", "nobody", "--install-path", filled.path)
    assert (code, err.splitlines()[0]) == (1, "opkg: no package, vendor or operator is called 'nobody'")
