"""Measure opkg against its peers and print ours, theirs, ratio, bound.

usage: python run.py [ROW...] [--json FILE]     ROW is a part of a row group's name: cli packages twin calls models
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

from harness import Row

GROUPS = ("cli", "packages", "twin", "calls", "models")


def show(row: Row) -> str:
    figure = f"{row.figure:+8.1f} ms" if row.added else f"{row.figure:8.3f} x "
    bound = f"{row.bound:+.0f} ms" if row.added else f"{row.bound:.2f} x"
    verdict = "within" if row.within else "OUTSIDE"
    text = f"{row.name:<52} {row.ours:>10.3f} {row.theirs:>10.3f} {figure} {bound:>9}  {verdict}"
    return text + (f"\n    against {row.against}" + (f"; {row.note}" if row.note else ""))


def machine() -> dict[str, object]:
    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "python": platform.python_version()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", metavar="ROW")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    chosen = [g for g in GROUPS if not args.groups or any(word in g for word in args.groups)]
    if not chosen:
        parser.error(f"no such rows; there are: {' '.join(GROUPS)}")
    here = machine()
    print(f"{here['cpu']}, {here['cores']} cores, Python {here['python']}; medians in milliseconds\n")
    print(f"{'':<52} {'ours':>10} {'theirs':>10} {'figure':>11} {'bound':>9}")
    rows: list[Row] = []
    for group in chosen:
        for row in importlib.import_module(f"rows_{group}").rows():
            rows.append(row)
            print(show(row), flush=True)
    outside = [row.name for row in rows if not row.within]
    print(f"\n{len(rows) - len(outside)} of {len(rows)} rows within their bounds")
    if args.json:
        found = [asdict(row) | {"figure": row.figure, "within": row.within} for row in rows]
        args.json.write_text(json.dumps({"machine": here, "rows": found}, indent=1) + "\n", "utf-8")
    return 1 if outside else 0


if __name__ == "__main__":
    raise SystemExit(main())
