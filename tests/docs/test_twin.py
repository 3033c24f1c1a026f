"""docs/twin.md: its tables are what the headers say.

A test that fails prints the table as it should be; put that into the page.
"""

import itertools
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from opkg.paths import native_dir

PAGE = Path(__file__).resolve().parents[2] / "docs" / "twin.md"
INCLUDE = native_dir() / "include"
FLAGS = ["-std=c++17", "-x", "c++", "-I", str(INCLUDE / "ascendc"), "-I", str(INCLUDE)]
CHIPS = {"910B": ("2201", "220"), "950": ("3510", "310"), "310P": ("2002", "200")}
DTYPES = {
    "half": "kF16", "bfloat16_t": "kBF16", "float": "kF32", "int8_t": "kI8", "uint8_t": "kU8", "int16_t": "kI16",
    "uint16_t": "kU16", "int32_t": "kI32", "uint32_t": "kU32", "int64_t": "kI64", "uint64_t": "kU64",
}  # fmt: skip
SMALL_DTYPES = {
    "hifloat8_t": "kHiF8", "fp8_e4m3fn_t": "kF8E4M3", "fp8_e5m2_t": "kF8E5M2", "fp8_e8m0_t": "kF8E8M0",
    "fp4x2_e2m1_t": "kF4E2M1", "fp4x2_e1m2_t": "kF4E1M2",
}  # fmt: skip
SOC_ROW = re.compile(r"^ *\{(\".*)\},$", re.MULTILINE)


def compiler(*arguments: str, text: str) -> str:
    done = subprocess.run(["c++", *FLAGS, *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def required() -> dict[str, str]:
    """Instructions, each with the C++ expression for the dtypes that it takes."""
    text = compiler("-E", "-P", "-", text='#include "kernel_operator.h"')
    found: dict[str, str] = {}
    asked = r"refused<[^()]*>\(([^;]*)\)>;\s*if constexpr \(!\w+::all\) \{"
    line = asked + r"\s*static_assert\(\w+::kF32, *((?:\"[^\"]*\"\s*)+)"
    for match in re.finditer(line, text):
        name = "".join(re.findall(r'"([^"]*)"', match[2])).partition(" does not support")[0]
        dtypes = match[1].replace("opkg::twin::", "")  # some are said inside of the namespace
        assert found.setdefault(name, dtypes) == dtypes, f"{name} is declared with several sets of dtypes"
    assert len(found) > 100, "the macro of these lines has another shape"
    return found


def masks(expressions: Mapping[str, str], chip: str, folder: Path) -> dict[str, int]:
    """The values of the expressions, for one chip."""
    arch, aicore = CHIPS[chip]
    prints = "\n".join(f'printf("%u %s\\n", {expression}, "{name}");' for name, expression in expressions.items())
    text = f"""#include "kernel_operator.h"
        #include <cstdio>
        namespace opkg::twin {{ void print() {{ {prints} }} }}
        int main() {{ opkg::twin::print(); }}"""
    defines = [f"-D__NPU_ARCH__={arch}", f"-D__CCE_AICORE__={aicore}"]
    libraries = ["-L", str(native_dir() / "lib"), f"-Wl,-rpath,{native_dir() / 'lib'}", "-lopkg_twin"]
    program = folder / f"masks_{chip}"
    compiler(*defines, "-", "-o", str(program), *libraries, text=text)
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name: int(value) for value, name in (line.split(" ", 1) for line in lines)}


def on_chips(expressions: Mapping[str, str], folder: Path) -> dict[str, tuple[str, ...]]:
    """For each expression a cell a dtype: `yes`, `950`, `310P` or nothing."""
    found = {chip: masks(expressions, chip, folder) for chip in CHIPS}
    bits = [f"dtypes({dtype})" for dtype in DTYPES.values()]
    dtypes = masks({bit: bit for bit in bits}, "910B", folder)

    def cell(name: str, bit: str) -> str:
        chips = [chip for chip in CHIPS if found[chip][name] & dtypes[bit]]
        return "yes" if "910B" in chips else "".join(chips[:1])

    return {name: tuple(cell(name, bit) for bit in bits) for name in expressions}


def markdown(first: str, header: Sequence[str], rows: Mapping[str, tuple[str, ...]]) -> str:
    lines = [[first, *header], ["---"] * (len(header) + 1), *([name, *cells] for name, cells in rows.items())]
    return "\n".join(re.sub(" +", " ", f"| {' | '.join(line)} |") for line in lines)


def instruction_table(folder: Path) -> str:
    """Instructions that take the same dtypes share a line."""
    expressions = {name: e for name, e in required().items() if not name.startswith("Cast ")}
    lines: dict[tuple[str, ...], list[str]] = {}
    for name, cells in sorted(on_chips(expressions, folder).items()):
        plain, with_scalar, _ = name.partition(" with the scalar first")
        lines.setdefault(cells, []).append(f"`{plain}`{'*' if with_scalar else ''}")
    return markdown("instruction", list(DTYPES), {" ".join(names): cells for cells, names in lines.items()})


def cast_table(folder: Path) -> str:
    sources = {name: f"cast_targets({dtype})" for name, dtype in (DTYPES | {"int4b_t": "kI4"}).items()}
    found = on_chips(sources, folder)
    return markdown("from", list(DTYPES), {f"`{name}`": cells for name, cells in found.items() if any(cells)})


def small_cast_table(folder: Path) -> str:
    """Casts of floats of 8 and 4 bits, which go both ways or not at all."""
    wide = list(DTYPES)[:3]
    both = {
        f"{small} {name}": [(dtype, DTYPES[name]), (DTYPES[name], dtype)]
        for small, dtype in SMALL_DTYPES.items()
        for name in wide
    }
    ways = {
        f"{pair} {i}": f"cast_targets({source}) & dtypes({target})"
        for pair, casts in both.items()
        for i, (source, target) in enumerate(casts)
    }
    found = {chip: masks(ways, chip, folder) for chip in CHIPS}
    assert not any(found["910B"].values()) and not any(found["310P"].values())
    there = {pair: [found["950"][f"{pair} {i}"] != 0 for i in (0, 1)] for pair in both}
    assert all(into == out for into, out in there.values())
    rows = {
        f"`{small}`": tuple("950" if there[f"{small} {name}"][0] else "" for name in wide) for small in SMALL_DTYPES
    }
    return markdown("from and to", wide, {name: cells for name, cells in rows.items() if any(cells)})


def soc_table() -> str:
    """SoCs that share everything share a line."""
    text = (INCLUDE / "opkg" / "soc_table.h").read_text("utf-8")
    fields = [[field.strip().strip('"') for field in row.split(",")] for row in SOC_ROW.findall(text)]
    assert len(fields) > 20
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, _, _, arch, _, ai, cube, vector, split, ub, l1, l0a, l0b, l0c, *_ in fields:
        of_split = split == "true"
        vectors, cubes = (vector if of_split else ai), (cube if of_split and cube != "0" else ai)
        sizes = tuple(str(int(size) // 1024) for size in (ub, l1, l0a, l0b, l0c))
        groups.setdefault((arch, vectors, cubes, *sizes), []).append(f"`{name}`")
    header = ["`__NPU_ARCH__`", "vector cores", "cube cores", "UB", "L1", "L0A", "L0B", "L0C"]
    return markdown("SoC", header, {" ".join(names): cells for cells, names in groups.items()})


def test_instructions_and_their_dtypes_are_those_of_the_headers(tmp_path):
    table = instruction_table(tmp_path)
    assert table in PAGE.read_text("utf-8"), f"the page must have this table:\n{table}"


@pytest.mark.parametrize("made", [cast_table, small_cast_table])
def test_casts_are_those_of_the_headers(tmp_path, made):
    table = made(tmp_path)
    assert table in PAGE.read_text("utf-8"), f"the page must have this table:\n{table}"


def test_socs_are_those_of_the_header():
    assert soc_table() in PAGE.read_text("utf-8"), f"the page must have this table:\n{soc_table()}"


@pytest.mark.parametrize("heading", ["has", "does not have"])
def test_names_that_are_said_to_be_there_are_and_others_are_not(heading):
    """The lists under 'What else it has' and 'What it does not have'."""
    section = re.split(rf"^## What .*{heading}.*\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1].split("\n## ")[0]
    table = itertools.takewhile(lambda line: "```" not in line, section.splitlines())
    names = {n for line in table if line.startswith("|") for n in re.findall(r"`([A-Z]\w+)`", line)}
    assert len(names) > 5
    headers = [f for f in (INCLUDE / "ascendc").rglob("*.h") if f.name != "absent.h"]  # which says what is not there
    words = set(re.findall(r"\w+", "\n".join(f.read_text("utf-8") for f in headers)))
    assert (names - words if heading == "has" else names & words) == set()
