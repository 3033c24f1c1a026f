"""Plugins that hang, print, never end or return nonsense; turning plugins off and on; `opkg plugins explain`."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_plugins import distribution, tool

from opkg.cli import main
from opkg.errors import UsageError
from opkg.plugins import choice, collect, command_summaries, scan, status

GREET = """
@hookimpl
def opkg_commands():
    return [Command("{0}", "greet", lambda parser: None, lambda args: 0)]
"""
SLEEP = """
import time
@hookimpl
def opkg_op_sources():
    time.sleep(600)
"""
STUBBORN = """
import time
@hookimpl
def opkg_op_sources():
    try:
        time.sleep(600)
    except BaseException:
        time.sleep(600)
"""


def warnings(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(("source", "where"), [("import time; time.sleep(600)", "import"), (SLEEP, "opkg_op_sources")])
def test_a_plugin_that_hangs_is_one_warning_and_the_others_work(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str, where: str
) -> None:
    monkeypatch.setenv("OPKG_PLUGIN_SECONDS", "0.2")
    tool(site, "sleepy", source)
    tool(site, "zealous", '@hookimpl\ndef opkg_op_sources():\n    return [OpSource(Path("/srv"))]')
    before = time.monotonic()
    assert [name for name, _ in collect("opkg_op_sources")] == ["zealous"]
    assert time.monotonic() - before < 5
    assert warnings(capsys) == [
        f"opkg: warning: plugin sleepy ({where}): did not answer within 0.2 seconds (OPKG_PLUGIN_SECONDS)"
    ]
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_plugin_that_swallows_the_interruption_is_interrupted_again(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPKG_PLUGIN_SECONDS", "0.1")
    tool(site, "stubborn", STUBBORN)
    assert collect("opkg_op_sources") == []
    assert "plugin stubborn (opkg_op_sources): did not answer" in warnings(capsys)[-1]


def test_outside_the_main_thread_a_line_says_who_it_is(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPKG_PLUGIN_SECONDS", "0.1")
    tool(site, "slow", "import time\n@hookimpl\ndef opkg_op_sources():\n    time.sleep(1.5)\n    return []")
    thread = threading.Thread(target=collect, args=("opkg_op_sources",))
    thread.start()
    thread.join()
    assert warnings(capsys) == [
        "opkg: plugin slow (opkg_op_sources) has been busy for more than 0.1 seconds; "
        "interrupt it, or set OPKG_PLUGIN_SECONDS"
    ]


def test_an_alarm_of_somebody_else_is_left_alone(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def theirs(*_: object) -> None: ...

    monkeypatch.setenv("OPKG_PLUGIN_SECONDS", "0.01")
    tool(
        site,
        "brief",
        "import time\n@hookimpl\ndef opkg_op_sources():\n    time.sleep(0.1)\n    return [OpSource(Path('/x'))]",
    )
    before = signal.signal(signal.SIGALRM, theirs)
    try:
        assert len(collect("opkg_op_sources")) == 1
        assert signal.getsignal(signal.SIGALRM) is theirs
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("text", ["soon", "-1", "nan", "inf"])
def test_a_time_limit_that_is_none(site: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("OPKG_PLUGIN_SECONDS", text)
    tool(site, "fine", GREET.format("hi"))
    with pytest.raises(UsageError, match=f"OPKG_PLUGIN_SECONDS={text} is no number of seconds"):
        collect("opkg_commands")


def test_what_a_plugin_prints_does_not_spoil_the_output(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(
        site,
        "chatty",
        "print('hello from import')\n" + GREET.format("hi").replace("    return", "    print('hook')\n    return"),
    )
    assert [name for name, _ in collect("opkg_commands")] == ["chatty"]
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello from import\nhook\n")


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        ("[Command(3, 'x', print, print)]", "Command.name is 3, not a text"),
        ("[Command('two words', 'x', print, print)]", "'two words' cannot be the name of a command"),
        ("[Command('--force', 'x', print, print)]", "'--force' cannot be the name of a command"),
        ("[Command('x', None, print, print)]", "Command.help is None, not a text"),
        ("[Command('x', 'x', print, 'run')]", "Command.run is 'run', not a function"),
        ("['Command']", "returned str where Command belongs"),
        ("3", "TypeError: 'int' object is not iterable"),
        ("iter(lambda: Command('x', 'x', print, print), None)", "returned more than 10000 results"),
        ("__import__('sys').exit(3)", "SystemExit: 3"),
        ("[][1]", "IndexError: list index out of range"),
        ("(_ for _ in ()).throw(GeneratorExit)", "GeneratorExit"),
    ],
)
def test_nonsense_is_one_warning(site: Path, capsys: pytest.CaptureFixture[str], returned: str, sentence: str) -> None:
    tool(site, "odd", f"@hookimpl\ndef opkg_commands():\n    return {returned}")
    assert collect("opkg_commands") == []
    [line] = warnings(capsys)
    assert line.startswith("opkg: warning: plugin odd (opkg_commands): ")
    assert sentence in line


def test_the_good_results_beside_a_bad_one_count(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(
        site,
        "half",
        """
        @hookimpl
        def opkg_graph_passes():
            return [GraphPass("bad", lambda m: True, after="x"), GraphPass("good", lambda m: True, after=("x",))]
        """,
    )
    assert [result.name for _, result in collect("opkg_graph_passes")] == ["good"]
    assert "GraphPass.after is 'x', not a tuple of texts" in warnings(capsys)[0]


def test_a_command_of_opkg_s_own_name_is_left_out(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(site, "clash", GREET.format("list"))
    assert main(["--help"]) == 0
    captured = capsys.readouterr()
    assert "commands of plugins" not in captured.out
    assert captured.err == (
        "opkg: warning: plugin clash (opkg_commands): 'list' is left out: opkg itself has a command of that name\n"
    )


# ---- off and on


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = main(["plugins", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def states() -> dict[str, tuple[str, str]]:
    return {plugin.distribution: (plugin.state, plugin.error) for plugin in status()}


def test_a_plugin_is_turned_off_and_on_for_good(
    site: Path, capsys: pytest.CaptureFixture[str], new_process: Callable[[], None]
) -> None:
    tool(site, "Acme-Greet", GREET.format("hello"))
    assert main(["plugins", "disable", "acme-greet"]) == 0
    assert capsys.readouterr().out == "acme-greet is turned off\n"
    new_process()
    assert collect("opkg_commands") == []
    assert command_summaries() == ()
    assert states() == {"Acme-Greet": ("disabled", f"by opkg plugins disable ({choice.state_file()})")}
    assert run(capsys, "enable", "ACME.greet") == (0, {"disabled": [], "file": choice.state_file()})
    new_process()
    assert [name for name, _, _ in command_summaries()] == ["hello"]
    assert states()["Acme-Greet"][0] == "ok"


def test_the_environment_outweighs_the_file(
    site: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tool(site, "greet", GREET.format("hello"))
    assert main(["plugins", "disable", "greet"]) == 0
    monkeypatch.setenv("OPKG_ENABLE_PLUGINS", "Greet")
    assert len(collect("opkg_commands")) == 1
    capsys.readouterr()
    assert main(["plugins", "disable", "greet"]) == 0
    assert capsys.readouterr().out == "greet is turned off, but OPKG_ENABLE_PLUGINS is set and outweighs that\n"
    monkeypatch.setenv("OPKG_DISABLE_PLUGINS", "greet")
    assert states()["greet"] == ("disabled", "by OPKG_DISABLE_PLUGINS")
    assert main(["plugins", "enable", "greet"]) == 0
    assert capsys.readouterr().out == "greet is turned on, but OPKG_DISABLE_PLUGINS is set and outweighs that\n"


def test_the_summaries_of_commands_follow_what_is_turned_off(
    site: Path, monkeypatch: pytest.MonkeyPatch, new_process: Callable[[], None]
) -> None:
    tool(site, "one", GREET.format("first"))
    tool(site, "two", GREET.format("second"))
    for off, names in (("", ["first", "second"]), ("two", ["first"]), ("one", ["second"]), ("", ["first", "second"])):
        monkeypatch.setenv("OPKG_DISABLE_PLUGINS", off)
        new_process()
        assert [summary.name for summary in command_summaries()] == names
        assert [summary.name for summary in command_summaries()] == names  # now from the cache


@pytest.mark.parametrize("content", ["{", "[]", '{"disabled": 3}', '{"disabled": [1]}', "\xff"])
def test_a_damaged_state_file_turns_nothing_off(site: Path, content: str) -> None:
    file = Path(choice.state_file())
    file.parent.mkdir(parents=True)
    file.write_bytes(content.encode("latin-1"))
    assert choice.stored() == frozenset()


@pytest.mark.parametrize("words", [["disable"], ["enable"], ["list", "greet"], ["remove", "greet"]])
def test_the_wrong_words(site: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", *words]) == 2


def test_a_name_that_no_plugin_has(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(site, "acme-greet", GREET.format("hello"))
    for action in ("disable", "enable", "explain"):
        assert main(["plugins", action, "acme-gret"]) == 1
        assert "no plugin is called 'acme-gret'\n  did you mean 'acme-greet'?" in capsys.readouterr().err
    assert not Path(choice.state_file()).exists()


def test_what_is_turned_off_and_gone_can_be_turned_on(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    choice.store(["gone"])
    assert run(capsys, "enable", "gone")[1]["disabled"] == []


# ---- explain


def test_explain_says_what_a_plugin_brings(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = GREET.format("hello") + "\n@hookimpl\ndef opkg_pre_install(plan):\n    return []\n"
    tool(site, "acme-greet", source)
    assert main(["plugins", "explain", "acme-greet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "plugin",
        "entry point",
        "state",
        "opkg_commands",
        "opkg_pre_install",
    ]
    values = [line.partition(":")[2].strip() for line in lines]
    assert values[:4] == ["acme_greet of acme-greet 1.5", "acme_greet = acme_greet, group opkg", "ok", "hello"]


def test_explain_shows_the_traceback_of_a_broken_one(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(site, "fine", GREET.format("hello"))
    tool(site, "broken", "def helper():\n    return 1 / 0\nhelper()")
    distribution(site, "ops", {"opkg.ops": {"ops": "no_such_package:package"}})
    code, found = run(capsys, "explain")
    assert code == 1
    by_name = {one["status"]["distribution"]: one for one in found}
    assert "in helper" in by_name["broken"]["trace"]
    assert "ZeroDivisionError: division by zero" in by_name["broken"]["trace"]
    assert by_name["fine"]["trace"] == ""
    assert by_name["ops"]["status"]["state"] == "failed"
    assert main(["plugins", "explain", "broken"]) == 1
    out = capsys.readouterr().out
    assert "error:       ZeroDivisionError: division by zero" in out
    assert "Traceback" in out


def test_the_scan_that_was_made_before_this_format_is_not_used(site: Path) -> None:
    tool(site, "greet", GREET.format("hello"))
    scan.installed()
    file = Path(scan._cache_file())
    record = json.loads(file.read_text())
    file.write_text(json.dumps({**record, "format": 1, "plugins": []}))
    assert [plugin.distribution for plugin in scan.installed().plugins] == ["greet"]
