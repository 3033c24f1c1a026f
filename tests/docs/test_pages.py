"""Every page in docs/, and the README, says what really happens: its commands are run and its output is compared.

In a page, a fence with the info string

- `console` holds commands (`$ …`, continued lines end in a backslash) and what they print; `...` in a line of output
  stands for any text, a line `...` for any lines;
- `python` is run by the same Python, where the shell is;
- `gdb` is as `console`, where there is a gdb;
- `LANGUAGE file=NAME` is written to NAME, relative to the page's folder, before what follows.

Other fences are text. All fences of a page share one empty folder, one home, one default install root, and one shell:
`cd` and `export` last to the page's end. A command that ends in `# fails` must fail.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
RUN = ("console", "python", *(["gdb"] if shutil.which("gdb") else []))
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    info: str
    body: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(m["info"].strip(), m["body"], text.count("\n", 0, m.start()) + 1)
        for m in _FENCE.finditer(text)
        if m["info"].strip().split()[0] in RUN or "file=" in m["info"]
    ]


def commands(body: str) -> list[tuple[str, list[str]]]:
    """The commands of a console fence, each with the lines it is said to print."""
    found: list[tuple[str, list[str]]] = []
    lines = iter(body.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines)
            found.append((command, []))
        else:
            assert found, f"output before the first command: {line!r}"
            found[-1][1].append(line)
    return found


def as_pattern(expected: list[str]) -> str:
    """A regular expression for lines in which `...` stands for anything."""
    out = []
    for line in expected:
        if line.strip() == "...":
            out.append(r"(?:.*\n)*?")
        else:
            out.append(r"[^\n]*".join(re.escape(part.rstrip()) for part in line.split("...")) + r"[ ]*\n")
    return "".join(out)


def environment(home: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPKG_", "ASCEND_", "PYTHON"))}
    scripts = Path(sys.executable).parent
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / "data"),
        "ASCEND_OPP_PATH": str(home / "opp"),
        "PATH": f"{home / 'bin'}:{scripts}:{os.environ['PATH']}",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "COLUMNS": "120",
    }


def make_home(home: Path) -> None:
    """A home in which `opkg` is this Python's opkg."""
    (home / "bin").mkdir(parents=True)
    launcher = home / "bin" / "opkg"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m opkg "$@"\n', "utf-8")
    launcher.chmod(0o755)
    (home / "opp" / "vendors").mkdir(parents=True)


def run(command: str, page: Path, block: Block, folder: Path, env: dict[str, str], expected: list[str]) -> None:
    state = folder.parent / "shell-state"
    keep = f"{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} > '{state}'"
    before = f". '{state}'\n" if state.exists() else ""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{before}{command}\nstatus=$?\n{keep}\nexit $status"],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    where = f"{page.name}:{block.line}: $ {command}\n{done.stdout}"
    fails = command.rstrip().endswith("# fails")
    assert (done.returncode != 0) == fails, f"{where}\nexit code {done.returncode}"
    if expected:
        printed = "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())
        assert re.fullmatch(as_pattern(expected), printed), f"{where}\nis not\n" + "\n".join(expected)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    make_home(home)
    folder.mkdir()
    env = environment(home)
    for block in blocks(page):
        named = re.search(r"file=(\S+)", block.info)
        if named:
            target = folder / named[1]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, "utf-8")
        elif block.info.startswith("python"):
            script = folder / ".page.py"
            script.write_text(block.body, "utf-8")
            run(f"'{sys.executable}' '{script}'", page, block, folder, env, [])
        else:
            for command, expected in commands(block.body):
                run(command, page, block, folder, env, expected)


def test_every_page_has_something_to_run() -> None:
    assert len(PAGES) > 1
    assert [page.name for page in PAGES if not blocks(page)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).is_file()] == []


def test_output_patterns_match_only_what_they_say() -> None:
    assert re.fullmatch(as_pattern(["a ... c", "..."]), "a b c\nmore\n")
    assert re.fullmatch(as_pattern(["a", "...", "z"]), "a\nb\nc\nz\n")
    assert not re.fullmatch(as_pattern(["a b"]), "a c\n")
    assert not re.fullmatch(as_pattern(["a"]), "a\nb\n")
