"""The choice between candidates: the first one that fits and can run here, and a reason for each other one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opkg.plugins import first
from opkg.registry.machine import Machine, shortcomings
from opkg.registry.model import ONNX_DOMAIN, Candidate, Package, Resolution
from opkg.registry.pins import VARIABLE, Pin

if TYPE_CHECKING:
    from opkg.plugins.types import KernelOption, OpQuery

_THIS_MACHINE = Machine()


def normal_domain(domain: str | None) -> str | None:
    """The domain as the index has it: ONNX's own is `ai.onnx`, which models also write as nothing."""
    return ONNX_DOMAIN if domain == "" else domain


def choose(query: OpQuery, candidates: Sequence[Candidate], pin: Pin | None, looked_at: tuple[str, ...]) -> Resolution:
    """Take the first candidate that fits; plugins are asked where nothing fits and where several do."""
    # By identity: as values they would be compared and hashed with the whole text of their op infos.
    refused = {id(candidate): why_not(candidate, query, pin) for candidate in candidates}
    usable = [candidate for candidate in candidates if not refused[id(candidate)]]
    if not usable:
        # Last: a plugin that generates operators may compile for minutes.
        found = _generated(query)
        candidates = [*candidates, *found]
        refused |= {id(candidate): why_not(candidate, query, pin) for candidate in found}
        usable = [candidate for candidate in found if not refused[id(candidate)]]
    chosen, because = _prefer(query, usable)
    rejected = tuple(
        (candidate, refused[id(candidate)] or because or _later(candidate, chosen))
        for candidate in candidates
        if candidate is not chosen
    )
    return Resolution(chosen, rejected, looked_at)


def why_not(candidate: Candidate, query: OpQuery, pin: Pin | None) -> str:
    """Why a candidate cannot serve what is asked, one clause; empty when it can."""
    package = candidate.package
    if query.domain is not None and candidate.domain != query.domain:
        return f"its domain is {candidate.domain}, not {query.domain}"
    if query.version is not None and candidate.since > query.version:
        return f"stands for {candidate.key}, from opset {candidate.since} on; the model has {query.version}"
    if pin is not None and not pin.fits(package):
        return f"{candidate.op_type} is pinned to {pin} ({VARIABLE})"
    return package.lacks or _unfit(package) or _missing(package)


def _unfit(package: Package) -> str:
    if package.target != "cpu":
        return f"it has no kernel for target cpu, only for {package.target}"
    return "; ".join(shortcomings(package, _THIS_MACHINE))


def _missing(package: Package) -> str:
    """The index does not look at each file of the store, so what is about to be used is looked at here."""
    if package.host_library != package.root and not package.host_library.is_file():
        return f"its host library is missing: {package.host_library}"
    return ""


def _later(candidate: Candidate, chosen: Candidate | None) -> str:
    """Why a candidate that would do comes after the chosen one."""
    if chosen is None:
        return ""
    text = f"comes after {chosen.package.label} ({chosen.source})"
    if candidate.source != chosen.source:
        return f"{text}: the order of the places below"
    if candidate.vendor != chosen.vendor:
        return f"{text}: load_priority in vendors/config.ini"
    return f"{text}: the order of the packages of {chosen.vendor}"


def _prefer(query: OpQuery, usable: Sequence[Candidate]) -> tuple[Candidate | None, str]:
    """The candidate to take, and why the others were not where that is a plugin's doing."""
    if not usable:
        return None, ""
    best = usable[0]
    if len(usable) > 1:
        options = tuple(_option(candidate.package) for candidate in usable)
        answer = first("opkg_select_kernel", query=query, options=options)
        if answer is not None and answer[1] in options:
            chosen = usable[options.index(answer[1])]
            return chosen, f"plugin {answer[0]} prefers {chosen.package.label}"
    return best, ""


def _option(package: Package) -> KernelOption:
    from opkg.plugins.types import KernelOption

    return KernelOption(package.vendor, package.name, package.version, package.isa, package.root, package.source)


def _generated(query: OpQuery) -> list[Candidate]:
    """What a plugin makes or knows of an operator that no index has."""
    answer = first("opkg_find_op", query=query)
    if answer is None:
        return []
    from opkg.registry.packages import packages_of
    from opkg.registry.reader import read_package
    from opkg.registry.sources import Source
    from opkg.registry.watch import Watch

    distribution, op_source = answer
    label = f"{op_source.name} (plugin {distribution})" if op_source.name else f"plugin {distribution}"
    source = Source("packages", label, str(Path(op_source.path).absolute()))
    read = [read_package(found, label) for found in packages_of(source, Watch())]
    return [
        Candidate(row.op_type, row.domain, row.since, one.package, row.op_info, tuple(json.loads(row.columns)))
        for one in read
        for row in one.operators
        if row.op_type == query.op_type
    ]
