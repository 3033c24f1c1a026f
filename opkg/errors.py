"""The error tree. Raise where the reason is known; the command line prints in one place.

Every error is one line that says what is wrong and, where there is something to do, one line that says what.
The code is stable: scripts may match it, messages may change.
"""

from __future__ import annotations

import errno

MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
"""What taking a stranger's JSON for what it should be may raise."""


def fault(error: Exception) -> str:
    """One of `MALFORMED` as part of a message: a few words, whatever the input."""
    return short(f"{type(error).__name__}: {error}")


def short(text: str, limit: int = 400) -> str:
    """A text that fits a message: one that is too long loses its end, and what would not be shown is escaped."""
    text = text if len(text) <= limit else f"{text[:limit]}..."
    return text if text.isprintable() else "".join(ch if ch.isprintable() else ascii(ch)[1:-1] for ch in text)


class OpkgError(Exception):
    """Base of everything opkg raises on purpose.

    Args:
        message: what is wrong, one line.
        hint: what to do about it, one line; empty where nothing helps. Tracebacks show it too.
        code: overrides the class's code, for errors that carry a code of another tool (CANN's E10016, ...).
    """

    code = "OPKG-0000"

    def __init__(self, message: str, hint: str = "", *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint:
            self.add_note(f"  {hint}")
        if code is not None:
            self.code = code

    def to_dict(self) -> dict[str, str]:
        """The error as `--json` prints it."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_WRONG_PATH = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR)


def hint_of(error: OSError, elsewhere: str = "") -> str:
    """What to do about something that the system refuses.

    Args:
        error: the refusal.
        elsewhere: the option that names another place, such as ` with --out`.
    """
    if error.errno in _NOT_ALLOWED:
        return f"name another place{elsewhere}, or change the permissions of this one"
    if error.errno in _NO_ROOM:
        return f"make room on that disk, or name another place{elsewhere}"
    if error.errno not in _WRONG_PATH:
        return ""
    return f"check the path, or name another place{elsewhere}" if elsewhere else "check the path"


class UsageError(OpkgError):
    """The command line or an argument of an API function is wrong (exit code 2)."""

    code = "OPKG-1000"


class OpInfoError(OpkgError):
    """A description of an operator is wrong. Carries file, line and key."""

    code = "OPKG-2000"

    def __init__(self, message: str, hint: str = "", *, file: str = "", line: int = 0, key: str = "") -> None:
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(f"{where}{short(key) + ': ' if key else ''}{short(message, 600)}", hint)
        self.file = file
        self.line = line
        self.key = key


class ProjectError(OpkgError):
    """A folder is not a project that can be read, or a project cannot be made there."""

    code = "OPKG-3000"


class BuildError(OpkgError):
    """Building a project failed; `log` is the compiler's own output."""

    code = "OPKG-4000"

    def __init__(self, message: str, hint: str = "", *, log: str = "", code: str | None = None) -> None:
        super().__init__(message, hint, code=code)
        self.log = log

    def to_dict(self) -> dict[str, str]:
        """The error as `--json` prints it, with the log where there is one."""
        return super().to_dict() | ({"log": self.log} if self.log else {})


class BundleError(OpkgError):
    """A .run file is damaged, hostile, or not one of ours."""

    code = "OPKG-5000"


class SignatureError(BundleError):
    """A bundle is not signed, not by a trusted key, or its signature does not match."""

    code = "OPKG-5200"


class StoreError(OpkgError):
    """An install root cannot be read or changed."""

    code = "OPKG-6000"


class ConflictError(StoreError):
    """Two packages offer the same thing, or something is in the way."""

    code = "OPKG-6100"


class NotFoundError(OpkgError):
    """Nothing provides what was asked for; says everything that was looked at."""

    code = "OPKG-7000"


class PluginError(OpkgError):
    """A plugin is broken; names the distribution it came from."""

    code = "OPKG-7500"


class ConvertError(OpkgError):
    """A model cannot be converted."""

    code = "OPKG-8000"


class ModelError(OpkgError):
    """An offline model is damaged or was made for something else."""

    code = "OPKG-8500"


class RunError(OpkgError):
    """An operator or a model failed while it ran, or was called with the wrong arguments."""

    code = "OPKG-9000"
