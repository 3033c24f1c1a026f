"""Attribute values on their way to the native core."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from opkg.opinfo import Attr
from opkg.runtime.attrs import AttrError, attr_value, complete_attrs


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("int", np.int32(7), 7),
        ("float", 2, 2.0),
        ("float", np.float32(0.5), 0.5),
        ("bool", True, 1),
        ("bool", np.False_, 0),
        ("bool", 1, 1),
        ("string", b"text", "text"),
        ("type", "fp16", 1),
        ("type", np.dtype("int64"), 9),
        ("type", np.float32, 0),
        ("type", 27, 27),
        ("list_int", (1, 2), [1, 2]),
        ("list_int", np.array([3, 4]), [3, 4]),
        ("list_float", [1, 2.5], [1.0, 2.5]),
        ("list_bool", [True, 0], [1, 0]),
        ("list_string", ["a", b"b"], ["a", "b"]),
        ("list_type", ["float32", "int8"], [0, 2]),
        ("list_list_int", [[1], [2, 3], []], [[1], [2, 3], []]),
    ],
)
def test_values_that_fit(kind: str, value: Any, expected: Any) -> None:
    converted = attr_value(Attr("a", kind), value)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("kind", "value", "says"),
    [
        ("int", 1.5, "attribute 'a' is an integer of 64 bits, not 1.5"),
        ("int", True, "not True"),
        ("int", 1 << 63, "not 9223372036854775808"),
        ("float", "1", "is a number, not '1'"),
        ("bool", 2, "is a bool, not 2"),
        ("string", 3, "is a string, not 3"),
        ("type", "float17", "name of a data type, not 'float17'"),
        ("type", 12345, "not 12345"),
        ("type", 1.0, "not 1.0"),
        ("list_int", 3, "list of integers, not 3"),
        ("list_int", [1.5], "list of integers"),
        ("list_string", "abc", "list of strings, not 'abc'"),
        ("list_list_int", [1], "list of lists of integers"),
        ("list_tensor", [], "type list_tensor, which cannot be passed"),
    ],
)
def test_values_that_do_not_fit(kind: str, value: Any, says: str) -> None:
    with pytest.raises(AttrError) as error:
        attr_value(Attr("a", kind), value)
    assert says in str(error.value)


def test_a_tensor_becomes_a_compact_array() -> None:
    value = attr_value(Attr("a", "tensor"), np.arange(6, dtype=np.int16).reshape(2, 3).T)
    assert value.flags.c_contiguous
    assert value.tolist() == [[0, 3], [1, 4], [2, 5]]


ATTRS = (Attr("axis", "int"), Attr("scale", "float", "optional", 1.5), Attr("mode", "string", "optional"))


def test_defaults_fill_what_is_not_given() -> None:
    assert complete_attrs(ATTRS, {"axis": 2}) == [("axis", 0, 2), ("scale", 1, 1.5), ("mode", 3, None)]


def test_given_values_win_whatever_their_order() -> None:
    given = {"mode": "fast", "scale": 3, "axis": 0}
    assert complete_attrs(ATTRS, given) == [("axis", 0, 0), ("scale", 1, 3.0), ("mode", 3, "fast")]


def test_undeclared_and_missing_attributes_are_named() -> None:
    with pytest.raises(AttrError, match="'axes' is not declared; declared are: axis, scale, mode"):
        complete_attrs(ATTRS, {"axes": 1})
    with pytest.raises(AttrError, match="'axis' is required"):
        complete_attrs(ATTRS, {})
