"""Operators as functions, on the package that is written by hand."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import opkg
from opkg.errors import RunError
from opkg.opinfo import Attr, OpInfo, Param
from opkg.runtime import ops


def param(name: str, *dtypes: str, kind: str = "required") -> Param:
    return Param(name, kind, dtypes, ("ND",) * len(dtypes))


SQUARE = OpInfo("Square", (param("x", "float32", "int32"),), (param("y", "float32", "int32"),))
ADD = OpInfo(
    "AddOptional",
    (param("x", "float32"), param("bias", "float32", kind="optional")),
    (param("y", "float32"),),
    (Attr("add", "float", "optional", 0.5),),
)
JOIN = OpInfo("Join", (param("xs", "float32", kind="dynamic"),), (param("y", "float32"),))
SUM = OpInfo("Sum", (param("x", "float32"),), (param("total", "float32"), param("count", "int32")))
POSITIVE = OpInfo("Positive", (param("x", "float32"),), (param("y", "float32"),))
COPY = OpInfo("Copy", (param("x", "float32"),), (param("y", "float32"),), (Attr("axis", "int"),))
FAIL = OpInfo("Fail", (param("x", "float32"),), (param("y", "float32"),), (Attr("where", "string", "optional", ""),))
DESCRIBE = OpInfo(
    "Describe",
    (param("x", "float32"),),
    (param("text", "uint8"),),
    (Attr("k", "int", "optional", 3), Attr("names", "list_string", "optional", ["a"]), Attr("t", "type", "optional")),
)


@pytest.fixture(autouse=True)
def package(offer_package: Any, fake_host_library: Path) -> Path:
    infos = [SQUARE, ADD, JOIN, SUM, POSITIVE, COPY, FAIL, DESCRIBE]
    root: Path = offer_package(infos, name="by-hand", host_library=fake_host_library)
    return root


def test_one_array_in_one_out() -> None:
    x = np.array([[1, 2], [3, -4]], np.float32)
    y = opkg.ops.customize.Square(x)
    assert (y.dtype, y.tolist()) == (np.float32, [[1, 4], [9, 16]])
    assert opkg.ops.customize.Square(x.astype(np.int32)).dtype == np.int32


def test_arrays_of_any_layout_and_lists() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert opkg.ops.customize.Square(x.T).tolist() == (x.T**2).tolist()
    assert opkg.ops.customize.Square(x[:, ::2]).tolist() == (x[:, ::2] ** 2).tolist()
    assert opkg.ops.customize.Square(x=x).tolist() == (x**2).tolist()
    assert opkg.ops.customize.Square([1, 2]).tolist() == [1, 4]


def test_optional_inputs_can_be_left_out() -> None:
    x, bias = np.ones(3, np.float32), np.array([1, 2, 3], np.float32)
    add = opkg.ops.customize.AddOptional
    assert add(x, bias).tolist() == [2, 3, 4]
    assert add(x).tolist() == add(x, None).tolist() == [1.5, 1.5, 1.5]
    assert add(x, bias=bias).tolist() == [2, 3, 4]
    assert add(x, add=2).tolist() == [3, 3, 3]
    assert add(x, bias, add=2.0).tolist() == [2, 3, 4]


def test_dynamic_inputs_are_lists() -> None:
    join = opkg.ops.customize.Join
    arrays = [np.arange(n, dtype=np.float32) for n in (2, 0, 3)]
    assert join(arrays).tolist() == [0, 1, 0, 1, 2]
    assert join(xs=arrays[:1]).tolist() == [0, 1]
    with pytest.raises(RunError, match="takes a list of arrays as its dynamic input 'xs'"):
        join(arrays[0])


def test_a_pin_holds_for_functions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_PIN", "Join=customize/another")
    with pytest.raises(AttributeError, match=r"Join is pinned to customize/another \(OPKG_PIN\)"):
        opkg.ops.customize.Join  # noqa: B018
    monkeypatch.setenv("OPKG_PIN", "Join=customize")
    assert opkg.ops.customize.Join


def test_several_outputs_are_a_tuple() -> None:
    total, count = opkg.ops.customize.Sum(np.array([1, 2, 3], np.float32))
    assert (total.shape, float(total), count.tolist(), count.dtype) == ((), 6.0, [3], np.int32)


def test_a_shape_that_depends_on_data() -> None:
    assert opkg.ops.customize.Positive(np.array([1, -2, 3], np.float32)).tolist() == [1, 3]
    assert opkg.ops.customize.Positive(np.array([-2], np.float32)).shape == (0,)


def described(**attrs: Any) -> str:
    return bytes(opkg.ops.customize.Describe(np.zeros(1, np.float32), **attrs)).decode()


def test_attributes_reach_the_operator_and_do_not_mix() -> None:
    plain = described()
    assert "k:0=3" in plain
    assert "names:8=" in plain
    assert "k:0=4" in described(k=4)
    assert "k:0=5" in described(k=5)
    assert "t:4=1" in described(t="float16")
    assert described(names=["x", "y"]) != described(names=["xy"])
    assert described() == plain


def test_attributes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RunError) as error:
        described(k=1.5)
    assert error.value.message == "Describe: attribute 'k' is an integer of 64 bits, not 1.5"
    assert error.value.hint == "Describe(x: float32, k=3, names=['a'], t=...) -> (text: uint8)"
    with pytest.raises(RunError, match="Copy: attribute 'axis' is required and was not given"):
        opkg.ops.customize.Copy(np.zeros(1, np.float32))
    assert opkg.ops.customize.Copy(np.ones(1, np.float32), axis=0).tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "named", "says"),
    [
        ((), {}, "Square was not given its input 'x'"),
        ((None,), {}, "Square was not given its input 'x'"),
        ((1, 2), {}, "Square takes 1 input; it was given 2"),
        ((1,), {"x": 2}, "Square was given its input 'x' twice"),
        ((1,), {"axis": 2}, "Square has no input or attribute 'axis'"),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], named: dict[str, Any], says: str) -> None:
    with pytest.raises(RunError) as error:
        opkg.ops.customize.Square(*arguments, **named)
    assert error.value.message.startswith(says)
    assert error.value.hint == "Square(x: float32|int32) -> (y: float32|int32)"


def test_a_kernel_that_failed_is_not_about_columns() -> None:
    with pytest.raises(RunError, match="vector core 0 of 2: thrown") as error:
        opkg.ops.customize.Fail(np.zeros(1, np.float32), where="kernel")
    assert (error.value.code, error.value.hint) == ("507015", "")


def test_a_failure_shows_the_columns() -> None:
    with pytest.raises(RunError) as error:
        opkg.ops.customize.Fail(np.zeros(1, np.float32), where="tiling")
    assert "refused in tiling" in error.value.message
    assert error.value.code == "EZ9999"
    assert error.value.hint == "its columns are: x float32, y float32"


def test_unknown_operators_say_what_was_looked_at(package: Path) -> None:
    with pytest.raises(AttributeError) as error:
        _ = opkg.ops.customize.Sqare
    assert "customize has no operator Sqare" in str(error.value)
    assert "Square" in str(error.value)
    assert str(package) in str(error.value)
    with pytest.raises(AttributeError, match="nobody has no operator Square"):
        _ = opkg.ops.nobody.Square


def test_what_is_installed_later_is_found(offer_package: Any, fake_host_library: Path) -> None:
    with pytest.raises(AttributeError):
        _ = opkg.ops.later.Square
    offer_package([SQUARE], vendor="later", host_library=fake_host_library)
    assert opkg.ops.later.Square(np.array([3], np.float32)).tolist() == [9]


def test_names_for_interactive_use() -> None:
    assert "customize" in dir(opkg.ops)
    assert dir(opkg.ops.customize)[:2] == ["AddOptional", "Copy"]
    assert repr(opkg.ops.customize.Square) == "<operator Square of customize/by-hand 1.0.0>"
    assert not hasattr(opkg.ops, "__wrapped__")
    assert not hasattr(opkg.ops.customize, "__wrapped__")


def test_the_same_operator_is_loaded_once() -> None:
    assert opkg.ops.customize.Square is opkg.ops.customize.Square


def test_any_thread_may_call() -> None:
    square, results = opkg.ops.customize.Square, {}

    def work(seed: int) -> None:
        x = np.full(1000, seed, np.float32)
        results[seed] = all((square(x) == seed * seed).all() for _ in range(50))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(4), True)


def test_equal_attributes_of_other_types_are_told_apart() -> None:
    frozen = ops._frozen
    assert frozen({"a": 1}) != frozen({"a": True})
    assert frozen({"a": [1]}) == frozen({"a": (1,)})
    assert frozen({"a": np.array([1])}) != frozen({"a": np.array([1], np.int8)})
    assert frozen({"a": 1, "b": 2}) == frozen({"b": 2, "a": 1})


def test_results_are_written_where_out_says() -> None:
    x, y = np.array([1, 2, 3], np.float32), np.zeros(3, np.float32)
    assert opkg.ops.customize.Square(x, out=y) is y
    assert y.tolist() == [1, 4, 9]
    expected = opkg.ops.customize.Sum(x)
    total, count = (np.zeros_like(array) for array in expected)
    opkg.ops.customize.Sum(x, out=(total, count))
    assert (total.tolist(), count.tolist()) == (expected[0].tolist(), expected[1].tolist())


@pytest.mark.parametrize("wrong", [np.zeros(2, np.float32), np.zeros(3, np.int32), np.zeros(6, np.float32)[::2]])
def test_an_out_that_does_not_fit_is_refused_and_kept(wrong: np.ndarray) -> None:
    with pytest.raises(RunError, match=r"must be writable, compact, float32, and of shape \(3,\)"):
        opkg.ops.customize.Square(np.ones(3, np.float32), out=wrong)
    assert not wrong.any()
