"""Reading `.ini` files that are unusual, and what is said about wrong ones."""

from __future__ import annotations

import pytest

from opkg.errors import OpInfoError
from opkg.opinfo import KernelRef, OpInfo, decode, read_ini

PARAM = "{kind}.name={name}\n{kind}.dtype={dtype}\n{kind}.format=ND\n{kind}.paramType=required\n"


def _op(*lines: str, name: str = "A") -> str:
    x = PARAM.format(kind="input0", name="x", dtype="float")
    y = PARAM.format(kind="output0", name="y", dtype="float")
    return f"[{name}]\n{x}{y}" + "".join(f"{line}\n" for line in lines)


def _one(text: str) -> OpInfo:
    (op,) = read_ini(text, "a.ini")
    return op


def _refused(text: str) -> OpInfoError:
    with pytest.raises(OpInfoError) as caught:
        read_ini(text, "a.ini")
    return caught.value


def test_byte_order_mark_and_carriage_returns_are_accepted() -> None:
    assert read_ini("\ufeff" + _op().replace("\n", "\r\n")) == read_ini(_op())
    assert read_ini(decode(b"\xef\xbb\xbf" + _op().encode())) == read_ini(_op())


def test_other_encodings_are_refused_with_the_line() -> None:
    with pytest.raises(OpInfoError, match="0xe9 is not UTF-8") as caught:
        decode(b"[A]\n# caf\xe9\n", "a.ini")
    assert (caught.value.file, caught.value.line) == ("a.ini", 2)


def test_text_without_operators_has_none() -> None:
    assert read_ini("# nothing\n\n; nothing either\n") == []


def test_several_operators_keep_their_order() -> None:
    assert [op.op for op in read_ini(_op(name="B") + "\n" + _op(name="A"))] == ["B", "A"]


def test_both_dialects_may_be_mixed() -> None:
    text = '[A]\ninput0 = {"name": "x", "dtype": "float, int8",\n "format": ["ND", "ND"], "paramType": "optional"}\n'
    text += PARAM.format(kind="output0", name="y", dtype="half,DT_INT8").replace("=ND", "=nd,FORMAT_NHWC")
    op = _one(text)
    assert (op.inputs[0].dtypes, op.inputs[0].param_type) == (("float32", "int8"), "optional")
    assert (op.outputs[0].dtypes, op.outputs[0].formats) == (("float16", "int8"), ("ND", "NHWC"))


def test_a_missing_format_is_nd_in_every_column() -> None:
    text = _op().replace("input0.format=ND\n", "")
    assert _one(text).inputs[0].formats == ("ND",)


def test_further_keys_of_a_parameter_are_kept() -> None:
    op = _one(_op("input0.valueDepend=required", "input0.shape=all", "output0.shape=1,2"))
    assert op.inputs[0].extra == (("valueDepend", "required"),)
    assert op.outputs[0].extra == (("shape", "1,2"),)


def test_flags_and_kernel() -> None:
    op = _one(_op("dynamicFormat.flag=true", "op.pattern=broadcast", "coreType.value=AiCore", "opFile.value=f"))
    assert op.flags == {"dynamicFormat": "true", "opPattern": "broadcast", "coreType.value": "AiCore"}
    assert op.kernel == KernelRef("f", "f")
    assert _one(_op("opInterface.value=g")).kernel == KernelRef("a", "g")


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("int", "-3", -3),
        ("int", "0x10", 16),
        ("float", "1e-5", 1e-5),
        ("float", "2", 2.0),
        ("bool", "True", True),
        ("str", "two words", "two words"),
        ("str", '" padded "', " padded "),
        ("str", "", ""),
        ("listInt", "1,2", [1, 2]),
        ("listInt", "{1,2}", [1, 2]),
        ("listFloat", "[0.5, 1]", [0.5, 1.0]),
        ("listBool", "[true,false]", [True, False]),
        ("listBool", "true,false", [True, False]),
        ("listStr", "[a,b]", ["a", "b"]),
        ("listStr", '["a,b"]', ["a,b"]),
        ("listInt", "[]", []),
        ("listListInt", "[[1],[2,3]]", [[1], [2, 3]]),
        ("listListInt", "{{1},{2,3}}", [[1], [2, 3]]),
        ("type", "DT_FLOAT16", "float16"),
        ("int", "", None),
    ],
)
def test_defaults_are_read_as_their_type(kind: str, text: str, value: object) -> None:
    lines = ("attr.list=k", f"attr_k.type={kind}", "attr_k.paramType=optional", f"attr_k.defaultValue={text}")
    found = _one(_op(*lines)).attrs[0].default
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text", "word"),
    [
        ("int", "1.5", "whole number"),
        ("float", "x", "a number"),
        ("bool", "2", "true or false"),
        ("listInt", "[1.5]", ""),
    ],
)
def test_defaults_of_the_wrong_type_are_refused(kind: str, text: str, word: str) -> None:
    error = _refused(_op("attr.list=k", f"attr_k.type={kind}", f"attr_k.defaultValue={text}"))
    assert (error.key, error.line) == ("attr_k.defaultValue", 12)
    assert text in error.message and word in error.message


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("input0.name=x\n[A]\n", 1, "input0.name", ["before the first"]),
        ("[A]\nnonsense\n", 2, "", ["nonsense", "key=value"]),
        (_op() + _op(), 10, "A", ["line 1"]),
        (_op().replace("[A]", "[A-B]"), 1, "A-B", ["A-B", "identifier"]),
        (_op().replace("input0", "input1"), 2, "input0", ["input1 is described"]),
        (_op().replace("input0.dtype", "input0.dtpye"), 3, "input0.dtpye", ["input0.dtype"]),
        (_op().replace("input0.paramType=required\n", ""), 2, "input0.paramType", ["lacks"]),
        (_op().replace("float\n", "float,,half\n", 1), 3, "input0.dtype", ["empty item"]),
        (_op().replace("format=ND", "format=NDD", 1), 4, "input0.format", ["NDD", "'ND'"]),
        (_op().replace("output0.dtype=float", "output0.dtype=float,half"), 8, "output0.format", ["1", "2"]),
        (_op("input1.name=x", "input1.dtype=int8", "input1.paramType=required"), 10, "input1.name", ["line 2"]),
        (_op("attr.list=k", "attr_k.paramType=required"), 11, "attr_k.type", ["missing"]),
        (_op("attr.list=k", "attr_k.type=flaot"), 11, "attr_k.type", ["flaot", "'float'"]),
        (_op("attr.list=k", "attr_k.type=int", "attr_k.default=1"), 12, "attr_k.default", ["defaultValue"]),
        (_op("attr.list=k", "attr_k.type=int", "attr_j.type=int"), 12, "attr_j.type", ["attr.list", "j"]),
        (_op("kernelName = m.f"), 10, "kernelName", ["module::function"]),
        (_op("opInfo.engine=DNN_VM_AICPU"), 10, "opInfo.engine", ["AI CPU"]),
        (_op("opPattern=a", "op.pattern=b"), 11, "op.pattern", ["opPattern"]),
        (_op("input1 = x"), 10, "input1", ["unknown key"]),
        (_op("input00.name=z"), 10, "input00.name", ["unknown key"]),
        (_op("output0 = [1]"), 10, "output0", ["unknown key"]),
        (_op("attrlist=k", "attr_kind=int"), 11, "attr_kind", ["unknown key"]),
        (_op("attr = []"), 10, "attr", ["unknown key"]),
        (_op(f"input{'1' * 5000}.name=z"), 10, f"input{'1' * 5000}.name", ["unknown key"]),
        (_op("attr.list=k", "attr_k.type=int", f"attr_k.defaultValue={2**63}"), 12, "attr_k.defaultValue", ["64 bits"]),
        ('[A]\ninput0 = {"name": %s}\n' % ("[" * 600 + "]" * 600), 2, "input0", ["nested too deeply"]),
        ('[A]\ninput0 = {"name": %s}\n' % ("1" * 5000), 2, "input0", ["too long"]),
        ('[A]\ninput0 = {"name": "x",\n "data type": "z"}\n', 3, "data type", ["letters"]),
        ('[A]\ninput0 = {"name": "x",\n "name": "z"}\n', 3, "name", ["line 2"]),
        ('[A]\ninput0 = {"name": "x"}}\n', 2, "input0", ["'}'"]),
        ('[A]\ninput0 = {"name": x}\n', 2, "input0", ["JSON"]),
        ('[A]\ninput0 = {"name": "x",\n[B]\n', 2, "input0", ["never closed", "line 3"]),
    ],
)
def test_what_is_wrong_is_said_where_it_is(text: str, line: int, key: str, words: list[str]) -> None:
    error = _refused(text)
    assert (error.line, error.key) == (line, key)
    assert error.message.startswith(f"a.ini:{line}: ")
    for word in words:
        assert word in error.message


def test_columns_of_different_parameters_must_agree() -> None:
    text = (
        _op()
        .replace("output0.dtype=float", "output0.dtype=float,half")
        .replace("output0.format=ND", "output0.format=ND,ND")
    )
    error = _refused(text)
    assert (error.key, error.line) == ("output0.dtype", 7)
    assert "2 columns where input0.dtype has 1" in error.message
