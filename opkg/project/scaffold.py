"""Making a new project: templates are rendered beside the target and moved there by one rename, or nothing is left."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg import __version__
from opkg.errors import ProjectError, hint_of
from opkg.opinfo import OpInfo
from opkg.opinfo.names import snake_case
from opkg.opinfo.socs import COMPUTE_UNITS, compute_unit
from opkg.opinfo.source import meant
from opkg.paths import data_dir
from opkg.project.origin import ORIGIN_NAME, Origin
from opkg.project.recipe import Recipe, make_recipe
from opkg.project.settings import package_name, package_version

if TYPE_CHECKING:
    from jinja2 import Environment

_PER_OPERATOR = "__op__"
_PER_PACKAGE = "__package__"
_SUFFIX = ".j2"
_BUILT_IN = {"operator": ("operator",), "plugin": ("operator", "plugin")}
"""The folders that opkg's own templates are made of; all but the last are rendered into a folder of their own name."""


@dataclass(frozen=True)
class Facts:
    """What templates know about the project as a whole (`project`)."""

    title: str
    name: str
    vendor: str
    version: str
    socs: tuple[str, ...]
    template: str
    recipes: tuple[Recipe, ...]
    domain: str = ""
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    template_version: str = __version__

    @property
    def paths(self) -> frozenset[str]:
        """The ways of computing of all operators."""
        return frozenset(path for recipe in self.recipes for path in recipe.paths)

    @property
    def distribution(self) -> str:
        """Name of the Python distribution that carries the operators, normalised (PEP 503)."""
        return re.sub(r"[-_.]+", "-", f"{self.vendor}-{self.name}").lower().strip("-")

    @property
    def package(self) -> str:
        """Name of the Python package in it."""
        name = self.distribution.replace("-", "_")
        return f"_{name}" if name[0].isdigit() else name

    @property
    def sums(self) -> bool:
        """Whether an operator sums along an axis."""
        return any(recipe.sums for recipe in self.recipes)

    @property
    def lists(self) -> bool:
        """Whether an input of any operator is a list."""
        return any(recipe.lists for recipe in self.recipes)

    @property
    def bfloat16(self) -> bool:
        """Whether any column has that type, which numpy does not know by itself."""
        return any("bfloat16" in column for recipe in self.recipes for column in recipe.columns)

    @property
    def used_attrs(self) -> bool:
        """Whether an attribute takes part in any operator's arithmetic."""
        return any(recipe.used_attrs for recipe in self.recipes)


def new_project(
    dest: Path | str,
    op_infos: Sequence[OpInfo],
    *,
    vendor: str = "customize",
    soc: str | Sequence[str] = "ascend910b",
    version: str = "0.1.0",
    template: str = "operator",
    shapes: Mapping[str, Mapping[str, str]] | None = None,
    domain: str = "",
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> list[Path]:
    """Makes a project that builds and whose tests pass as it is.

    Args:
        dest: the project's folder; it must not exist, or be empty.
        op_infos: its operators, at least one.
        vendor: directory name under `vendors/`.
        soc: one or several SoCs or compute units.
        version: the package's version, PEP 440.
        template: `operator`, `plugin` (a Python distribution that carries the operators), or one that a plugin brings.
        shapes: for each operator type and output the shape, where it is not that of the inputs (see `shapes`).
        domain: domain of the operators in a model, where it is not the vendor's name.
        aliases: other names of an operator in models, as `ai.onnx::11::LeakyRelu`.

    Returns:
        The files, relative to `dest`, sorted.

    Raises:
        UsageError: a shape that is none.
        ProjectError: something is in the way at `dest`, or an operator for which no correct kernel can be generated;
            nothing has been written then.
    """
    dest = Path(dest).expanduser().absolute()
    _check_target(dest)
    facts = Facts(
        title=dest.name,
        name=package_name(snake_case(dest.name), "package name", "new project"),
        vendor=package_name(vendor, "vendor", "new project"),
        version=package_version(version, "new project"),
        socs=_compute_units([soc] if isinstance(soc, str) else soc),
        template=template,
        recipes=_recipes(op_infos, shapes or {}),
        domain=package_name(domain, "domain", "new project") if domain not in ("", vendor) else "",
        aliases=aliases or {},
    )
    origin = origin_of(facts)
    rendered = {**origin.files, ORIGIN_NAME: origin.to_text()}
    try:
        _write(dest, rendered)
    except OSError as error:
        hint = hint_of(error, " with --output-dir")
        raise ProjectError(f"{dest} cannot be made: {error.strerror}", hint) from error
    return sorted(Path(name) for name in rendered)


def _check_target(dest: Path) -> None:
    if dest.is_dir():
        found = sorted(dest.iterdir())
        if found:
            raise ProjectError(f"{dest} is in the way: it holds {found[0].name}", "choose another name or --output-dir")
    elif dest.exists() or dest.is_symlink():
        raise ProjectError(f"{dest} is in the way", "choose another name or --output-dir")


def _compute_units(socs: Sequence[str]) -> tuple[str, ...]:
    found = []
    for soc in socs:
        unit = compute_unit(soc)
        if unit is None:
            raise ProjectError(f"unknown SoC '{soc}'{meant(soc, COMPUTE_UNITS)}", "such as ascend910b or ascend310p")
        found.append(unit)
    return tuple(dict.fromkeys(found))


def _recipes(op_infos: Sequence[OpInfo], shapes: Mapping[str, Mapping[str, str]]) -> tuple[Recipe, ...]:
    if not op_infos:
        raise ProjectError("a project needs at least one operator")
    taken: dict[str, str] = {}
    for info in op_infos:
        other = taken.setdefault(info.snake, info.op)
        if other != info.op:
            raise ProjectError(f"the operators {other} and {info.op} would share the file name {info.snake}.cpp")
    return tuple(make_recipe(info, shapes.get(info.op)) for info in op_infos)


def origin_of(facts: Facts) -> Origin:
    """The files of a project, with what they are made from."""
    answers = {
        "title": facts.title,
        "name": facts.name,
        "vendor": facts.vendor,
        "version": facts.version,
        "socs": list(facts.socs),
        "domain": facts.domain,
        "aliases": {op: list(names) for op, names in facts.aliases.items()},
        "operators": [recipe.info.to_dict() for recipe in facts.recipes],
        "shapes": {recipe.op: dict(recipe.rules) for recipe in facts.recipes if recipe.rules},
    }
    return Origin(facts.template, facts.template_version, answers, render_project(facts))


def facts_of_answers(template: str, answers: Mapping[str, Any]) -> Facts:
    """The facts that `origin_of` recorded.

    Raises:
        ProjectError: they are damaged.
    """
    try:
        infos = [OpInfo.from_dict(data) for data in answers["operators"]]
        texts = {key: str(answers[key]) for key in ("title", "name", "vendor", "version", "domain")}
        socs, aliases, shapes = tuple(answers["socs"]), dict(answers["aliases"]), dict(answers["shapes"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProjectError(f"{ORIGIN_NAME} is damaged: {error}", "restore it from version control") from error
    return Facts(socs=socs, template=template, recipes=_recipes(infos, shapes), aliases=aliases, **texts)


def render_project(facts: Facts) -> dict[str, str]:
    """The files of a project by their paths below it."""
    found: dict[str, str] = {}
    for prefix, folder in template_folders(facts.template):
        found |= {f"{prefix}{name}": text for name, text in _render(folder, facts)}
    return found


def template_folders(name: str) -> list[tuple[str, Path]]:
    """The folders of a template, each with where in a project its files come.

    Raises:
        ProjectError: there is no such template.
    """
    if name in _BUILT_IN:
        *inner, last = _BUILT_IN[name]
        return [*((f"{each}/", data_dir("templates") / each) for each in inner), ("", data_dir("templates") / last)]
    from opkg.plugins import collect

    known = {template.name: template.path for _, template in collect("opkg_templates")}
    if name not in known:
        names = [*_BUILT_IN, *known]
        raise ProjectError(f"there is no template '{name}'{meant(name, names)}", f"there are: {', '.join(names)}")
    return [("", Path(known[name]))]


def _render(folder: Path, facts: Facts) -> Iterator[tuple[str, str]]:
    """Pairs of a file's path below the project and its content."""
    environment = _environment(folder)
    for source in sorted(folder.rglob(f"*{_SUFFIX}")):
        name = source.relative_to(folder).as_posix()
        template = environment.get_template(name)
        values: Mapping[str, Any] = {"project": facts, "operators": facts.recipes}
        target = name.removesuffix(_SUFFIX).replace(_PER_PACKAGE, facts.package)
        if _PER_OPERATOR not in target:
            yield target, template.render(values)
            continue
        for recipe in facts.recipes:
            yield target.replace(_PER_OPERATOR, recipe.snake), template.render(values, op=recipe)


def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["python"] = _python
    environment.filters["block"] = _block
    return environment


def _block(text: str, further: int = 0) -> str:
    """The lines of a macro, `further` to the right; the template has the last line's end."""
    return "\n".join(" " * further + line if line else line for line in text.rstrip("\n").split("\n"))


def _python(value: object) -> str:
    """A literal of Python, with double quotes where that is simple."""
    text = repr(value)
    return text if '"' in text or "\\" in text else text.replace("'", '"')


def _write(dest: Path, files: Mapping[str, str]) -> None:
    """Writes all files into a new folder beside `dest` and renames it; the folder is gone if anything fails."""
    dest.parent.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=f".{dest.name}.", dir=dest.parent))
    try:
        for name, content in files.items():
            target = staged / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
            target.chmod(0o755 if target.suffix == ".sh" else 0o644)
        staged.chmod(0o755)
        os.rename(staged, dest)  # noqa: PTH104  replaces an empty folder, refuses any other
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
