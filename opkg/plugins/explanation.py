"""Everything about one plugin, for `opkg plugins explain`."""

from __future__ import annotations

import traceback
from dataclasses import dataclass

from opkg.errors import NotFoundError
from opkg.plugins import choice, hookspecs, manager, scan
from opkg.plugins.report import status
from opkg.plugins.types import PluginStatus

_ASKED = ("opkg_find_op", "opkg_select_kernel", "opkg_convert_node", "opkg_pre_install", "opkg_post_install")
"""Hooks that answer a question about something; the others can be asked for what they bring."""


@dataclass(frozen=True)
class Explanation:
    """One plugin.

    Attributes:
        status: what it is, and whether it works.
        brings: (hook or `operator`, what it brings by it): names of commands, passes, operators, ...
        trace: the traceback of the error with which loading it ended, empty where there was none.
    """

    status: PluginStatus
    brings: tuple[tuple[str, str], ...]
    trace: str = ""


def explain(name: str) -> list[Explanation]:
    """The plugins of a distribution, or of an entry point of that name.

    Raises:
        NotFoundError: there is none.
    """
    wanted = [plugin for plugin in scan.installed().plugins if choice.normalized(name) in scan.names_of(plugin)]
    if not wanted:
        raise not_installed(name)
    known = {(s.distribution, s.name, s.door): s for s in status()}
    return [_explain(plugin, known[plugin.distribution, plugin.name, _door(plugin)]) for plugin in wanted]


def not_installed(name: str) -> NotFoundError:
    """The error about a plugin that does not exist."""
    import difflib

    names = sorted({plugin.distribution for plugin in scan.installed().plugins})
    near = difflib.get_close_matches(name, names, 1)
    hint = (
        f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(names)}" if names else "there are no plugins"
    )
    return NotFoundError(f"no plugin is called '{name}'", hint)


def _door(plugin: scan.Plugin) -> str:
    return "static" if plugin.group == scan.STATIC_GROUP else "dynamic"


def _explain(plugin: scan.Plugin, found: PluginStatus) -> Explanation:
    if found.state == "disabled":
        return Explanation(found, ())
    if plugin.group == scan.STATIC_GROUP:
        return Explanation(found, tuple(("operator", op) for op in found.provides))
    trace = _trace(manager.loading_error(plugin))
    return Explanation(found, tuple((hook, _brought(plugin, hook)) for hook in found.provides), trace)


def _trace(error: BaseException | None) -> str:
    """The traceback of an error without the frames of opkg and of Python's import system."""
    if error is None:
        return ""
    found = traceback.TracebackException.from_exception(error)
    own = [frame for frame in found.stack if "importlib" not in frame.filename and frame.filename != manager.__file__]
    found.stack = traceback.StackSummary.from_list(own)
    return "".join(found.format())


def _brought(plugin: scan.Plugin, hook: str) -> str:
    if hook in _ASKED:
        return (getattr(hookspecs, hook).__doc__ or "").strip().partition("\n")[0]
    results = [result for distribution, result in manager.collect(hook) if distribution == plugin.distribution]
    return ", ".join(str(getattr(result, "name", "") or getattr(result, "path", "")) for result in results) or "nothing"
