"""The rooms of the package depend one way: from the command line down to the errors, never back, and without cycles."""

import ast
from pathlib import Path

import opkg

ROOMS = "cli testing convert runtime build store registry project plugins bundle opinfo paths errors".split()
FLOOR = {room: len(ROOMS) - i for i, room in enumerate(ROOMS)}
PACKAGE = Path(opkg.__file__).parent


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("opkg", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path], *, everywhere: bool) -> set[str]:
    """What a module imports when it is imported; with `everywhere` also what its functions import."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text("utf-8"))
    hidden: set[ast.AST] = set()
    for node in ast.walk(tree):
        late = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not everywhere
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if late or typing_only:
            hidden.update(inner for statement in node.body for inner in ast.walk(statement))
    out: set[str] = set()
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.Import):
            out.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                stem = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*stem, base]).rstrip(".")
            for alias in node.names:
                full = f"{base}.{alias.name}"
                out.add(full if full in known else base)
    return {target for target in out if target in known and target != name}


def test_no_room_imports_one_above_it() -> None:
    known = modules()
    assert {f"opkg.{room}" for room in ROOMS} <= set(known)
    upward = []
    for name, path in known.items():
        room = [*name.split("."), ""][1]
        for target in imports(name, path, known, everywhere=True):
            other = [*target.split("."), ""][1]
            if room in FLOOR and other in FLOOR and FLOOR[other] > FLOOR[room]:
                upward.append(f"{name} imports {target}")
    assert upward == []


def test_no_import_cycles() -> None:
    known = modules()
    graph = {name: imports(name, path, known, everywhere=False) for name, path in known.items()}
    done: set[str] = set()
    trail: list[str] = []

    def visit(name: str) -> None:
        assert name not in trail, f"import cycle: {' -> '.join([*trail[trail.index(name) :], name])}"
        if name in done:
            return
        trail.append(name)
        for target in sorted(graph[name]):
            visit(target)
        trail.pop()
        done.add(name)

    for name in graph:
        visit(name)
    assert done == set(known)
