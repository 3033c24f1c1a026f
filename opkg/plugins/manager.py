"""Loads dynamic plugins and calls their hooks, each on its own: a broken one costs a warning, never the others.

A plugin may do anything wrong that Python code can do, so this is a place where every exception is caught.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from opkg.errors import PluginError, UsageError
from opkg.plugins import scan
from opkg.plugins.trouble import complain, one_line

if TYPE_CHECKING:
    import pluggy

_MOST = 10_000  # results of one call; a generator that does not end must not fill the memory


def collect(hook: str, **arguments: Any) -> list[tuple[str, Any]]:
    """Every result of a hook from all plugins, as (distribution, result), in the order in which plugins are asked.

    A result whose name an earlier plugin has taken is left out, with a warning.

    Raises:
        PluginError: a plugin is broken and `OPKG_STRICT_PLUGINS` is set.
    """
    found: list[tuple[str, Any]] = []
    owners: dict[str, str] = {}
    for distribution, results in _call(hook, arguments):
        for result in results:
            name = getattr(result, "name", "")
            # Who came first keeps a name: what is installed later must not take over in silence.
            if name and owners.setdefault(name, distribution) != distribution:
                complain(distribution, hook, f"'{name}' is left out: {owners[name]} provides one of that name")
            else:
                found.append((distribution, result))
    return found


def first(hook: str, **arguments: Any) -> tuple[str, Any] | None:
    """The first result of a hook that is not None, as (distribution, result); None when no plugin answers.

    Raises:
        PluginError: a plugin is broken and `OPKG_STRICT_PLUGINS` is set.
    """
    for distribution, results in _call(hook, arguments):
        for result in results:
            return distribution, result
    return None


def command_summaries() -> tuple[scan.CommandSummary, ...]:
    """The commands that plugins add, from the cache; plugins are loaded only after a change of what is installed."""
    found = scan.scan()
    if found.commands is not None or not _dynamic():
        return found.commands or ()
    commands = tuple(
        scan.CommandSummary(command.name, command.help, distribution)
        for distribution, command in collect("opkg_commands")
    )
    if not os.environ.get("OPKG_NO_PLUGINS"):
        scan.remember(scan.Scan(scan.installed().plugins, commands))
    return commands


def loading_result(plugin: scan.Plugin) -> tuple[str, tuple[str, ...]]:
    """Why a dynamic plugin could not be loaded, empty if it could; and the hooks that it implements."""
    loaded = _loaded()
    module = loaded.manager.get_plugin(_key(plugin))
    callers = loaded.manager.get_hookcallers(module) if module is not None else None
    return loaded.errors.get(plugin, ""), tuple(sorted(caller.name for caller in callers or ()))


def loading_error(plugin: scan.Plugin) -> BaseException | None:
    """What was raised when a dynamic plugin was loaded."""
    return _loaded().causes.get(plugin)


def __getattr__(name: str) -> Any:
    """`hookimpl`, whose pluggy is imported only when somebody asks for it."""
    if name != "hookimpl":
        raise AttributeError(f"module 'opkg.plugins.manager' has no attribute {name!r}")
    import pluggy

    return pluggy.HookimplMarker("opkg")


if TYPE_CHECKING:
    hookimpl: pluggy.HookimplMarker


class _Loaded(NamedTuple):
    manager: pluggy.PluginManager
    errors: dict[scan.Plugin, str]
    causes: dict[scan.Plugin, BaseException]


def _dynamic() -> tuple[scan.Plugin, ...]:
    return tuple(plugin for plugin in scan.scan().plugins if plugin.group == scan.DYNAMIC_GROUP)


def _call(hook: str, arguments: dict[str, Any]) -> Iterable[tuple[str, list[Any]]]:
    plugins = {_key(plugin): plugin for plugin in _dynamic()}
    if not plugins:
        return
    from opkg.plugins.hookspecs import RESULTS

    if hook not in RESULTS:
        raise UsageError(f"there is no hook '{hook}'")
    # Asked one by one and not by pluggy, which lets the first exception end the call for all.
    for implementation in reversed(getattr(_loaded().manager.hook, hook).get_hookimpls()):
        plugin = plugins.get(implementation.plugin_name)
        if plugin is not None:
            given = {name: arguments[name] for name in implementation.argnames}
            yield plugin.distribution, _ask(plugin, hook, implementation.function, given, RESULTS[hook])


def _ask(
    plugin: scan.Plugin, hook: str, function: Callable[..., Any], arguments: dict[str, Any], expected: type | None
) -> list[Any]:
    from opkg.plugins.watchdog import limit, watched

    seconds = limit()  # whose own error is not the plugin's
    try:
        with watched(f"plugin {plugin.distribution} ({hook})", seconds):
            result = function(**arguments)
            listed = expected is None or result is None or isinstance(result, expected)
            results = [] if expected is None or result is None else [result] if listed else _some(result)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        complain(plugin.distribution, hook, one_line(error), error)
        return []
    return list(_sensible(plugin, hook, results, expected))


def _some(results: Iterable[Any]) -> list[Any]:
    """What a plugin gave, unless it never ends."""
    found = list(islice(results, _MOST + 1))
    if len(found) > _MOST:
        raise PluginError(f"returned more than {_MOST} results")
    return found


def _sensible(plugin: scan.Plugin, hook: str, results: list[Any], expected: type | None) -> Iterator[Any]:
    """The results that opkg can work with; a warning for the first other one."""
    from opkg.plugins.nonsense import nonsense

    for result in results:
        if expected is not None and not isinstance(result, expected):
            why = f"returned {type(result).__name__} where {expected.__name__} belongs"
        else:
            why = nonsense(result)
        if why:
            complain(plugin.distribution, hook, why)
        else:
            yield result


@cache
def _loaded() -> _Loaded:
    import pluggy

    from opkg.plugins import hookspecs
    from opkg.plugins.watchdog import limit, watched

    seconds = limit()
    manager = pluggy.PluginManager("opkg")
    manager.add_hookspecs(hookspecs)
    errors: dict[scan.Plugin, str] = {}
    causes: dict[scan.Plugin, BaseException] = {}
    # pluggy asks the last registered first.
    for plugin in reversed(_dynamic()):
        try:
            with watched(f"plugin {plugin.distribution} (import)", seconds):
                _register(manager, plugin)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            causes[plugin] = error
            errors[plugin] = one_line(error)
            complain(plugin.distribution, "import", errors[plugin], error)
    return _Loaded(manager, errors, causes)


def _register(manager: pluggy.PluginManager, plugin: scan.Plugin) -> None:
    from importlib.metadata import EntryPoint

    from opkg.plugins.hookspecs import RESULTS

    module = EntryPoint(plugin.name, plugin.value, plugin.group).load()
    for name in dir(module):
        options = manager.parse_hookimpl_opts(module, name)
        if options is not None and name not in RESULTS:
            raise PluginError(f"there is no hook '{name}' in this opkg")
        if options is not None and (options["wrapper"] or options["hookwrapper"]):
            raise PluginError(f"'{name}' is a hook wrapper; plugins are asked one by one and cannot wrap each other")
    try:
        manager.register(module, _key(plugin))
    except Exception:
        # pluggy leaves the hooks that it had registered before the one it refused.
        manager.unregister(name=_key(plugin))
        raise


def _key(plugin: scan.Plugin) -> str:
    return f"{plugin.distribution}:{plugin.name}"
