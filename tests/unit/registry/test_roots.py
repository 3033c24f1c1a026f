"""Which install roots there are, by the command line, the environment and the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from opkg.registry import roots
from opkg.registry.roots import custom_paths, default_root, install_roots, user_root

EVERYBODYS = Path("/usr/local/opkg")


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An ordinary user with a home; nothing in the environment names a root."""
    for name in ("XDG_DATA_HOME", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(roots, "SYSTEM_ROOT", EVERYBODYS)  # other tests have one of their own
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_superuser_installs_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert user_root() == default_root() == Path("/usr/local/opkg")
    assert install_roots() == (Path("/usr/local/opkg"),)


def test_others_install_in_their_home(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_root() == user / ".local/share/opkg"
    monkeypatch.setenv("XDG_DATA_HOME", "")
    assert user_root() == user / ".local/share/opkg"
    monkeypatch.setenv("XDG_DATA_HOME", "share")  # a relative one means nothing, as its specification says
    assert user_root() == user / ".local/share/opkg"
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert user_root() == Path("/data/opkg")


def test_what_is_said_comes_before_what_the_environment_says(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_root() == user_root()
    assert default_root("~/mine") == default_root("mine") == user / "mine"
    monkeypatch.setenv("ASCEND_OPP_PATH", "opp")
    assert default_root() == user / "opp"
    assert default_root("/said") == Path("/said")


def test_roots_are_looked_into_from_the_nearest_to_everybodys(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = user / ".local/share/opkg"
    assert install_roots() == (own, EVERYBODYS)
    monkeypatch.setenv("ASCEND_OPP_PATH", "/opp")
    assert install_roots() == (Path("/opp"), own, EVERYBODYS)
    monkeypatch.setenv("ASCEND_OPP_PATH", str(EVERYBODYS))
    assert install_roots() == (EVERYBODYS, own)
    assert install_roots("/said") == (Path("/said"),)


def test_custom_paths_stand_in_their_order_each_once(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert custom_paths() == ()
    (user / "link").symlink_to("/tmp")
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", ":/b:~/a::/b/:link:/b/../b")
    assert custom_paths() == (Path("/b"), user / "a", user / "link")
