"""Dynamic plugins: every hook, and what a broken plugin costs."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from made_plugins import distribution, tool

from opkg.errors import PluginError, UsageError
from opkg.plugins import collect, first, hookspecs, status
from opkg.plugins.types import OpQuery, OpSource

SOURCES = """
@hookimpl
def opkg_op_sources():
    return [OpSource(Path("/srv/{0}"), "{0}")]
"""


def test_every_hook_has_an_example_that_runs_and_fits_its_specification() -> None:
    import pluggy

    specified = {name for name in vars(hookspecs) if name.startswith("opkg_")}
    assert specified == set(hookspecs.RESULTS)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    manager = pluggy.PluginManager("opkg")
    manager.add_hookspecs(hookspecs)
    for name in sorted(specified):
        [test] = finder.find(getattr(hookspecs, name), name, globs={})
        names: dict[str, object] = {}
        test.globs = names
        assert len(test.examples) >= 3, name
        assert runner.run(test, clear_globs=False).failed == 0, name
        example = type("Example", (), {name: staticmethod(names[name])})
        manager.register(example, name)  # refuses arguments that the specification does not have
        assert [call.name for call in manager.get_hookcallers(example) or ()] == [name]


def test_results_of_all_plugins_are_collected_in_the_order_of_their_names(site: Path) -> None:
    tool(site, "zulu", SOURCES.format("late"))
    tool(site, "alpha-tools", SOURCES.format("early"))
    assert collect("opkg_op_sources") == [
        ("alpha-tools", OpSource(Path("/srv/early"), "early")),
        ("zulu", OpSource(Path("/srv/late"), "late")),
    ]


def test_a_plugin_may_yield_and_may_leave_out_arguments(site: Path) -> None:
    tool(
        site,
        "vetoes",
        """
        @hookimpl
        def opkg_pre_install():
            yield Veto("never")
            yield Veto("really never")
        """,
    )
    found = collect("opkg_pre_install", plan=None)
    assert [(name, veto.reason) for name, veto in found] == [("vetoes", "never"), ("vetoes", "really never")]


def test_the_first_answer_ends_the_question(site: Path) -> None:
    answer = """
    asked = []
    @hookimpl
    def opkg_find_op(query):
        asked.append(query.op_type)
        return OpSource(Path("/srv/{0}")) if query.op_type in {1} else None
    """
    tool(site, "one", answer.format("one", ["Square"]))
    tool(site, "two", answer.format("two", ["Square", "Cube"]))
    assert first("opkg_find_op", query=OpQuery("Square")) == ("one", OpSource(Path("/srv/one")))
    assert first("opkg_find_op", query=OpQuery("Cube")) == ("two", OpSource(Path("/srv/two")))
    assert first("opkg_find_op", query=OpQuery("Sphere")) is None
    import two  # type: ignore[import-not-found]

    assert two.asked == ["Cube", "Sphere"]


def test_an_unknown_hook_is_a_mistake_of_the_caller(site: Path) -> None:
    tool(site, "some", SOURCES.format("x"))
    with pytest.raises(UsageError, match="there is no hook 'opkg_nothing'"):
        collect("opkg_nothing")


BROKEN = {
    "import": ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
    "syntax": ("def (", "SyntaxError: invalid syntax"),
    "exit": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "unknown": ("@hookimpl\ndef opkg_nothing():\n    pass", "there is no hook 'opkg_nothing' in this opkg"),
    "arguments": ("@hookimpl\ndef opkg_op_sources(context):\n    pass", "PluginValidationError"),
    "wrapper": (
        "@hookimpl(wrapper=True)\ndef opkg_op_sources():\n    return (yield)",
        "'opkg_op_sources' is a hook wrapper; plugins are asked one by one and cannot wrap each other",
    ),
    "raises": ("@hookimpl\ndef opkg_op_sources():\n    raise ValueError('not today')", "ValueError: not today"),
    "exits": ("@hookimpl\ndef opkg_op_sources():\n    raise SystemExit(9)", "SystemExit: 9"),
    "late": ("@hookimpl\ndef opkg_op_sources():\n    yield 1/0", "ZeroDivisionError: division by zero"),
    "number": ("@hookimpl\ndef opkg_op_sources():\n    return 7", "TypeError: 'int' object is not iterable"),
    "text": ("@hookimpl\ndef opkg_op_sources():\n    return 'ab'", "returned str where OpSource belongs"),
    "other": ("@hookimpl\ndef opkg_op_sources():\n    return [Veto('x')]", "returned Veto where OpSource belongs"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_plugin_is_one_warning_that_names_it(
    site: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    source, sentence = BROKEN[kind]
    tool(site, "good-before", SOURCES.format("a").replace("Path(", "Path("))
    tool(site, "the-broken-one", source)
    tool(site, "ugly-but-good", SOURCES.format("z"))
    for _ in range(3):
        assert [name for name, _ in collect("opkg_op_sources")] == ["good-before", "ugly-but-good"]
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("opkg: warning: plugin the-broken-one (")
    assert sentence in line


@pytest.mark.parametrize("kind", BROKEN)
def test_strictness_makes_it_an_error(site: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    source, sentence = BROKEN[kind]
    tool(site, "the-broken-one", source)
    monkeypatch.setenv("OPKG_STRICT_PLUGINS", "1")
    with pytest.raises(PluginError) as caught:
        collect("opkg_op_sources")
    assert caught.value.message.startswith("plugin the-broken-one (")
    assert sentence in caught.value.message
    assert caught.value.hint == "repair it, or turn it off: opkg plugins disable the-broken-one"


def test_of_two_results_of_one_name_the_first_counts(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("first", "second"):
        tool(site, name, SOURCES.format("same"))
    assert [owner for owner, _ in collect("opkg_op_sources")] == ["first"]
    assert capsys.readouterr().err == (
        "opkg: warning: plugin second (opkg_op_sources): 'same' is left out: first provides one of that name\n"
    )


def test_plugins_can_be_turned_off(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(site, "one-plugin", SOURCES.format("1"))
    tool(site, "two", "raise RuntimeError('must not be imported')")
    monkeypatch.setenv("OPKG_DISABLE_PLUGINS", "Two, nobody")
    assert [name for name, _ in collect("opkg_op_sources")] == ["one-plugin"]
    monkeypatch.setenv("OPKG_DISABLE_PLUGINS", "two,One_Plugin")
    assert collect("opkg_op_sources") == []
    monkeypatch.delenv("OPKG_DISABLE_PLUGINS")
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    assert collect("opkg_op_sources") == []


def test_the_state_of_each_plugin_can_be_seen(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(site, "fine", SOURCES.format("x"))
    tool(site, "broken", "1 / 0")
    tool(site, "off", "")
    distribution(site, "ops", {"opkg.ops": {"ops": "no_such_package:package"}})
    monkeypatch.setenv("OPKG_DISABLE_PLUGINS", "off")
    found = {plugin.distribution: plugin for plugin in status()}
    assert {name: plugin.state for name, plugin in found.items()} == {
        "ops": "failed",
        "broken": "failed",
        "fine": "ok",
        "off": "disabled",
    }
    assert found["fine"].provides == ("opkg_op_sources",)
    assert found["broken"].error == "ZeroDivisionError: division by zero"
    assert found["ops"].error == "entry point ops: the distribution has no Python package 'no_such_package'"
    assert (found["fine"].version, found["fine"].door, found["ops"].door) == ("1.5", "dynamic", "static")
