"""What happens when a plugin is broken: one warning that names it, or an error where the user wants strictness."""

from __future__ import annotations

import os
import sys

from opkg.errors import OpkgError, PluginError

_said: set[tuple[str, str]] = set()


def complain(distribution: str, where: str, sentence: str, cause: BaseException | None = None) -> None:
    """Print one warning for each distribution and hook on stderr.

    Raises:
        PluginError: instead, if `OPKG_STRICT_PLUGINS` is set.
    """
    text = f"plugin {distribution} ({where}): {sentence}"
    if os.environ.get("OPKG_STRICT_PLUGINS"):
        raise PluginError(text, f"repair it, or turn it off: opkg plugins disable {distribution}") from cause
    if (distribution, where) not in _said:
        _said.add((distribution, where))
        print(f"opkg: warning: {text}", file=sys.stderr)


def one_line(error: BaseException) -> str:
    """An error as one line."""
    from opkg.plugins.watchdog import VARIABLE, TooLong, limit

    if isinstance(error, TooLong):
        return f"did not answer within {limit():g} seconds ({VARIABLE})"
    text = error.message if isinstance(error, OpkgError) else f"{type(error).__name__}: {error}"
    return (text.splitlines() or [type(error).__name__])[0]
