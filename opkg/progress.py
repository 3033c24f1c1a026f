"""How far long work is: whoever works reports, whoever wants to show it listens, and otherwise nothing happens."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    T = TypeVar("T")

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("opkg progress", default=None)


def report(text: str) -> None:
    """Say in a few words what is being done; nothing (`""`) when it is done."""
    listener = _listener.get()
    if listener is not None:
        listener(text)


def counted(what: str, items: Iterable[T], total: int) -> Iterator[T]:
    """The same items, with a report before each: `what: 3 of 7`."""
    for number, item in enumerate(items, 1):
        report(f"{what}: {number} of {total}")
        yield item
    report("")


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Give the reports of this thread to a function."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
