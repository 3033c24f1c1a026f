"""Which cases an operator gets, what values, and what cases.toml changes."""

from pathlib import Path

import numpy as np
import pytest

from opkg.errors import ProjectError
from opkg.opinfo import Attr, OpInfo, Param
from opkg.testing.case import CORES, Case
from opkg.testing.declared import Declared, read_declared
from opkg.testing.plan import LENGTHS, SHAPES, SPECIAL_LENGTH, Skipped, cases_of
from opkg.testing.values import make_inputs


def param(name: str, *dtypes: str, kind: str = "required", formats: tuple[str, ...] = ()) -> Param:
    return Param(name, kind, dtypes, formats or ("ND",) * len(dtypes))


SQUARE = OpInfo("Square", (param("x", "float16", "int32"),), (param("y", "float16", "int32"),))
BIASED = OpInfo(
    "Biased",
    (param("x", "float32"), param("b", "float32", kind="optional"), param("c", "float32", kind="optional")),
    (param("y", "float32"),),
    (Attr("scale", "float", "optional", 1.0), Attr("mode", "int")),
)
LISTS = OpInfo("Lists", (param("xs", "float32", kind="dynamic"),), (param("y", "float32"),))


def plan(info: OpInfo, declared: Declared | None = None, **more: object) -> list[Case | Skipped]:
    options = {"seed": 1, "cores": ("many",), **more}
    return list(cases_of(info, declared or Declared(), **options))


def declared(tmp_path: Path, text: str, *infos: OpInfo) -> dict[str, Declared]:
    (tmp_path / "cases.toml").write_text(text)
    return read_declared(tmp_path / "cases.toml", infos)


def names(cases: list[Case | Skipped], column: int = 0) -> list[str]:
    return [case.name for case in cases if isinstance(case, Case) and case.column == column]


def test_every_column_has_every_length_and_rank():
    for column in (0, 1):
        found = [case for case in plan(SQUARE) if case.column == column]
        assert [case.inputs[0][0] for case in found if case.name.startswith("length=")] == [(n,) for n in LENGTHS]
        assert [case.inputs[0][0] for case in found if case.name.startswith("shape=")] == list(SHAPES)
        assert [case.inputs for case in found if case.special] == [(((SPECIAL_LENGTH,),),)]
    assert "fractions" in names(plan(SQUARE)) and "fractions" not in names(plan(SQUARE), 1)
    assert {0, 1} <= set(LENGTHS) and sum(n % 16 != 0 for n in LENGTHS) > 10 and max(LENGTHS) > 100_000


def test_names_are_unique_in_a_column_and_cases_come_in_every_kind_of_cores():
    found = plan(SQUARE, cores=tuple(CORES))
    assert len({case.label for case in found}) == len(found)
    assert len(found) == 3 * len(plan(SQUARE))


def test_lengths_may_be_chosen():
    assert names(plan(SQUARE, lengths=(5, 6)))[:3] == ["length=5", "length=6", "shape=scalar"]


def test_columns_that_no_call_reaches_are_skipped_with_the_reason():
    info = OpInfo(
        "Many",
        (param("x", "float32", "float32", "float32", "int8", formats=("NCHW", "ND", "NC1HWC0", "ND")),),
        (param("y", "float32", "int8", "float32", "int8", formats=("ND", "ND", "NC1HWC0", "ND")),),
    )
    found = plan(info)
    skipped = {each.column: each.why for each in found if isinstance(each, Skipped)}
    assert skipped[0] == "column 1 has the same data types of inputs and is chosen"
    assert skipped[2] == "'x' has the format NC1HWC0, which arrays do not have"
    assert {each.column for each in found if isinstance(each, Case)} == {1, 3}


def test_optional_inputs_are_left_out_one_by_one_and_all():
    cases = plan(BIASED, Declared(attrs={"mode": 3}))
    found = {case.name: [group is None for group in case.inputs] for case in cases if case.name.startswith("without")}
    assert found == {
        "without=b": [False, True, False],
        "without=c": [False, False, True],
        "without=b+c": [False, True, True],
    }


def test_a_case_that_would_run_another_column_is_left_out():
    info = OpInfo(
        "Pair",
        (param("x", "int8", "int8"), param("b", "float32", "int64", kind="optional")),
        (param("y", "int8", "int8"),),
    )
    found = plan(info)
    assert "without=b" in names(found) and "without=b" not in names(found, 1) and "length=33" in names(found, 1)


def test_an_attribute_without_a_default_must_be_declared():
    with pytest.raises(ProjectError, match="need a value of its attribute 'mode'"):
        plan(BIASED)
    assert {tuple(case.attrs.items()) for case in plan(BIASED, Declared(attrs={"mode": 3}))} == {(("mode", 3),)}


def test_dynamic_inputs_have_one_two_and_three_tensors():
    found = {case.name: len(case.inputs[0]) for case in plan(LISTS)}
    assert (found["length=7"], found["tensors=1"], found["tensors=3"]) == (2, 1, 3)


def test_cases_toml_replaces_and_adds(tmp_path):
    text = """
[Square]
lengths = [3, 4]
shapes = [[2, 2]]
special = false
range = { x = [0, 1] }
tolerance = { float16 = { relative = 0.5, absolute = 0.25, reason = "because" } }
[[Square.case]]
name = "wide"
shapes = { x = [2, 100] }
columns = [1]
"""
    found = declared(tmp_path, text, SQUARE)["Square"]
    assert names(plan(SQUARE, found)) == ["length=3", "length=4", "shape=2x2", "fractions"]
    assert names(plan(SQUARE, found), 1) == ["length=3", "length=4", "shape=2x2", "wide"]
    assert plan(SQUARE, found)[-1].inputs == (((2, 100),),)
    tolerance = found.tolerances["float16"]
    assert (tolerance.relative, tolerance.absolute, tolerance.reason) == (0.5, 0.25, "because")
    values = make_inputs(plan(SQUARE, found)[0], SQUARE)[0]
    assert values.min() >= 0 and values.max() <= 1


def test_a_pattern_gives_every_input_its_shape_at_a_length(tmp_path):
    info = OpInfo("Rows", (param("x", "float32"), param("b", "float32")), (param("y", "float32"),))
    found = declared(tmp_path, '[Rows]\nshape = { x = [4, "n"], b = [2] }\n', info)["Rows"]
    cases = {case.name: case.inputs for case in plan(info, found)}
    assert cases["length=33"] == (((4, 33),), ((2,),))
    assert not [name for name in cases if name.startswith("shape=")]


def test_dynamic_inputs_may_be_given_shapes_or_be_empty(tmp_path):
    none = '[[Lists.case]]\nname = "none"\nshapes = { xs = [] }\n'
    text = none + '[[Lists.case]]\nname = "two"\nshapes = { xs = [[2], []] }\n'
    cases = {case.name: case.inputs for case in plan(LISTS, declared(tmp_path, text, LISTS)["Lists"])}
    assert cases["none"] == ((),) and cases["two"] == (((2,), ()),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Squar]\n", "there is no operator Squar; did you mean 'Square'"),
        ("[Square]\nlenghts = [1]\n", "unknown key 'lenghts'; did you mean 'lengths'"),
        ("[Square]\nlengths = [-1]\n", "expected a number of elements, not -1"),
        ("[Square]\nlengths = [true]\n", "expected a number of elements, not True"),
        ("[Square]\nrange = [3, 1]\n", r"expected a range \[lowest, highest\]"),
        ("[Square]\nrange = { z = [1, 3] }\n", "there is no input 'z'"),
        ("[Square]\nspecial = 1\n", "expected true or false"),
        ("[Square]\nattrs = { k = 1 }\n", "there is no attribute 'k'"),
        ("[Square]\ntolerance = { float32 = 1 }\n", "no output has the data type float32"),
        ("[Square]\ntolerance = -1\n", "a tolerance is not negative"),
        ("[[Square.case]]\nspecial = true\n", "every case needs a name"),
        ('[[Square.case]]\nname = "a"\ncolumns = [2]\n', "there is no column 2; the last one is 1"),
        ('[[Square.case]]\nname = "a"\nabsent = ["x"]\n', "the input 'x' is not optional"),
        ("[Square\n", "not TOML"),
    ],
)
def test_what_is_wrong_in_cases_toml_is_said_with_its_place(tmp_path, text, message):
    with pytest.raises(ProjectError, match=message) as caught:
        declared(tmp_path, text, SQUARE)
    assert str(tmp_path / "cases.toml") in caught.value.message


def test_values_follow_from_seed_operator_column_and_name_only():
    case = Case("Square", 0, "length=50", (((50,),),), seed=4)
    first = make_inputs(case, SQUARE)[0]
    same = make_inputs(Case.from_dict({**case.to_dict(), "cores": "one"}), SQUARE)[0]
    other = make_inputs(Case("Square", 0, "length=50", (((50,),),), seed=5), SQUARE)[0]
    assert np.array_equal(first, same) and not np.array_equal(first, other)
    assert first.dtype == np.float16 and np.array_equal(first * 8, np.rint(first * 8)) and np.abs(first).max() <= 4


def test_special_cases_hold_all_pairs_of_two_inputs():
    info = OpInfo("Add", (param("a", "float32"), param("b", "float32")), (param("y", "float32"),))
    a, b = make_inputs(Case("Add", 0, "special", (((SPECIAL_LENGTH,),),) * 2, special=True), info)
    pairs = {(x.tobytes(), y.tobytes()) for x, y in zip(a, b, strict=True)}
    assert len(pairs) == len({x.tobytes() for x in a}) ** 2


def test_a_case_survives_json():
    import json

    case = Case("Op", 1, "x", (((1, 2),), None, ()), "one", {"k": [1.5]}, True, False, {"*": (0.0, 1.0)}, {"ys": 2}, 9)
    assert Case.from_dict(json.loads(json.dumps(case.to_dict()))) == case
