"""The script at the start of a bundle: under three shells, without Python or opkg, in unfriendly places."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_bundles import OPS_INFO, UnsyncedDisk, make_bundle, package_files

from opkg.bundle import MANIFEST_NAME, open_bundle
from opkg.store import Root

TOOLS = (
    "cat chmod cp diff flock getconf grep gzip head id ln mkdir mktemp mv rm sed sha256sum sh sync tail tar uname "
    "wc".split()
)
SHELLS = {"dash": ["dash"], "bash": ["bash"], "busybox": ["busybox", "ash"]}
FILES = package_files("Square", marker="it's 1.0.0")
API = {"op_api/lib/libcust_opapi.so": "x"}


def _available() -> list[Any]:
    skip = pytest.mark.skipif
    return [
        pytest.param(name, marks=skip(shutil.which(words[0]) is None, reason=f"{words[0]} is not installed"))
        for name, words in SHELLS.items()
    ]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles") / "it's a $folder"
    long = f"op_impl/{'long' * 20}/{'name' * 20}/x.so"
    return make_bundle(folder / "my bundle.run", files=FILES | {long: "long"})


@pytest.fixture(scope="module")
def public() -> Iterator[Path]:
    """A folder that another user may enter; pytest closes its own to them."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


NOBODY: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


@pytest.fixture(scope="module", params=_available())
def shell(request: pytest.FixtureRequest, public: Path) -> Shell:
    folder = public / f"tools of {request.param}"
    folder.mkdir()
    words = SHELLS[request.param]
    program = shutil.which(words[0])
    assert program is not None
    applets = subprocess.check_output([program, "--list"], text=True).split() if words[0] == "busybox" else []
    for tool in TOOLS:
        found = (program if tool in applets else None) if applets else shutil.which(tool)
        if found:
            (folder / tool).symlink_to(found)
    return Shell([program, *words[1:]], folder)


class Shell:
    """Runs a bundle with a PATH that has the standard tools and nothing else."""

    def __init__(self, words: list[str], tools: Path) -> None:
        self.words = words
        self.tools = tools

    def run(
        self, bundle: Path, *options: object, path: str = "", env: dict[str, str] | None = None, **settings: Any
    ) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": f"{path}:{self.tools}" if path else str(self.tools), "TMPDIR": "/nonexistent"}
        return subprocess.run(
            [*self.words, str(bundle), *map(str, options)],
            env=environment | (env or {}),
            text=True,
            capture_output=True,
            **{"stdin": subprocess.DEVNULL, "check": False, "timeout": 60} | settings,
        )


def tree(folder: Path) -> dict[str, bytes | str | int]:
    """Everything below a folder: bytes of files, targets of links, permissions of folders."""
    return {
        str(p.relative_to(folder)): str(p.readlink())
        if p.is_symlink()
        else p.read_bytes()
        if p.is_file()
        else p.stat().st_mode
        for p in folder.rglob("*")
    }


def installed(root: Path) -> list[str]:
    return [f"{p.manifest.key} {p.manifest.version}" for p in Root(root).packages()]


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_it_installs_what_opkg_recognises(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    root = tmp_path / 'a "root" $HOME `x`'
    done = shell.run(bundle, "--quiet", f"--install-path={root}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert installed(root) == ["customize/square 1.0.0"]
    assert Root(root).verify() == []
    with open_bundle(bundle) as opened:
        assert (Root(root).packages()[0].path / MANIFEST_NAME).read_bytes() == opened.manifest_bytes
    assert (root / "vendors" / "config.ini").read_text() == "load_priority=customize\n"
    assert sorted(p.name for p in (root / "vendors").iterdir()) == ["config.ini", "customize"]


def test_a_folder_that_programs_could_not_be_told_is_refused(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    done = shell.run(bundle, "--quiet", "--install-path", tmp_path / "a:b")
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert done.stderr.startswith(f"opkg: {tmp_path / 'a:b'} has a ':'")


def test_its_environment_file_works_whatever_the_path(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    root = tmp_path / 'it\'s 100% "$odd" \\n'
    assert shell.run(bundle, "--quiet", "--install-path", root).returncode == 0
    place = root / "vendors" / "customize"
    script = f'. {shlex.quote(str(place / "bin" / "set_env.bash"))}; printf %s "$ASCEND_CUSTOM_OPP_PATH"'
    for before, expected in (("", f"{place}"), ("/old", f"{place}:/old")):
        env = {"ASCEND_CUSTOM_OPP_PATH": before, "PATH": os.environ["PATH"]}
        assert (
            subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True, check=True).stdout == expected
        )


def test_the_environment_file_is_the_one_that_opkg_writes(shell: Shell, tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "x.run", files=API)
    root = tmp_path / "r"
    assert shell.run(bundle, "--quiet", "--install-path", root).returncode == 0
    file = root / "vendors" / "customize" / "bin" / "set_env.bash"
    alone = file.read_text()
    first = file.resolve()
    Root(root, disk=UnsyncedDisk()).install(make_bundle(tmp_path / "y.run", version="2.0.0", files=FILES | API))
    assert file.resolve() != first
    assert file.read_text() == alone


def test_it_leaves_exactly_what_opkg_leaves(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    same = tmp_path / "same"
    Root(same, disk=UnsyncedDisk()).install(bundle)
    expected = tree(same)
    shutil.rmtree(same)
    assert shell.run(bundle, "-q", f"--install-path={same}").returncode == 0
    own = (".opkg/lock", ".opkg/history", ".opkg/history/1.json")
    assert {path: content for path, content in tree(same).items() if path not in own} == {
        path: content for path, content in expected.items() if path not in own
    }
    first, second = (next(iter(same.glob(f".opkg/{base}/**/Square_0.so"))) for base in ("packages", "generations"))
    assert first.samefile(second)
    assert not Root(same, disk=UnsyncedDisk()).install(bundle).changed


def test_files_have_the_permissions_of_the_package_whatever_the_umask(
    shell: Shell, bundle: Path, tmp_path: Path
) -> None:
    shell.run(bundle, "--quiet", "--install-path", tmp_path / "r", umask=0o077)
    for path in (tmp_path / "r", *(tmp_path / "r").rglob("*")):
        expected = 0o755 if path.is_dir() or path.suffix == ".so" else 0o644
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


def test_checking_and_looking_change_nothing(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    env = {"ASCEND_OPP_PATH": str(tmp_path / "r"), "HOME": str(tmp_path)}
    with open_bundle(bundle) as opened:
        names = [entry.path for entry in opened.list()]
        manifest = opened.manifest_bytes.decode()
    checked = shell.run(bundle, "--check", env=env, cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, f"{bundle} is intact\n")
    assert shell.run(bundle, "--check", "-q", env=env, cwd=tmp_path).stdout == ""
    assert shell.run(bundle, "--list", env=env, cwd=tmp_path).stdout.split("\n")[:-1] == names
    assert shell.run(bundle, "--manifest", env=env, cwd=tmp_path).stdout == manifest
    assert shell.run(bundle, "--version", env=env, cwd=tmp_path).stdout == "customize/square 1.0.0\n"
    assert "customize/square 1.0.0" in shell.run(bundle, "--info", env=env, cwd=tmp_path).stdout
    assert "customize/square 1.0.0" in shell.run(bundle, "--lsm", env=env, cwd=tmp_path).stdout
    assert shell.run(bundle, "--tar", "tf", env=env, cwd=tmp_path).stdout.split("\n")[:-1] == names
    for option in ("--help", "-h"):
        helped = shell.run(bundle, option, env=env, cwd=tmp_path)
        assert helped.returncode == 0
        assert helped.stdout.startswith("usage: my bundle.run [OPTION]...\n")
    assert list(tmp_path.iterdir()) == []


def test_unpacking_installs_nothing(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    expected = {name: text.encode() for name, text in FILES.items()}
    for options, folder in (
        ((f"--extract={tmp_path / 'a b'}",), tmp_path / "a b"),
        (("--noexec", f"--extract={tmp_path / 'c'}"), tmp_path / "c"),
        (("--noexec", "--target", tmp_path / "d"), tmp_path / "d"),
        (("--noexec", "--keep"), tmp_path / "customize-square"),
    ):
        done = shell.run(bundle, *options, cwd=tmp_path, env={"HOME": str(tmp_path)})
        assert done.returncode == 0, done.stderr
        found = files_below(folder)
        assert {name: found[name] for name in expected} == expected
        assert MANIFEST_NAME in found
    assert {p.name for p in tmp_path.iterdir()} == {"a b", "c", "d", "customize-square"}
    assert shell.run(bundle, "--noexec", cwd=tmp_path).returncode == 0
    assert len(list(tmp_path.iterdir())) == 4


def test_makeselfs_and_canns_options_are_accepted(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    options = "--accept --nox11 --noprogress --nochown --nodiskspace --install-for-all --full -- --install".split()
    done = shell.run(bundle, *options, f"--install-path={tmp_path / 'r'}")
    assert done.returncode == 0, done.stderr
    assert "installed customize/square 1.0.0" in done.stdout
    assert installed(tmp_path / "r") == ["customize/square 1.0.0"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--frobnicate"], "unknown option '--frobnicate'"),
        (["stray"], "unknown option 'stray'"),
        (["--install-path="], "--install-path needs a value"),
        (["--install-path"], "--install-path needs a value"),
        (["--extract="], "--extract needs a value"),
        (["--tar"], "--tar needs a value"),
    ],
)
def test_a_wrong_command_line_changes_nothing(
    shell: Shell, bundle: Path, tmp_path: Path, options: list[str], said: str
) -> None:
    done = shell.run(bundle, *options, env={"ASCEND_OPP_PATH": str(tmp_path / "r")})
    assert done.returncode == 2
    assert f"opkg: {said}" in done.stderr
    assert not (tmp_path / "r").exists()


def test_damage_is_noticed_before_anything_happens(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    data = bundle.read_bytes()
    stub_comment = data.index(b"# A package of operators") + 3
    manifest = data.index(b'"operators"')
    for name, damaged in {
        "stub": data[:stub_comment] + b"X" + data[stub_comment + 1 :],
        "manifest": data[:manifest] + b"X" + data[manifest + 1 :],
        "payload": data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
        "cut": data[:-1],
        "cut far": data[: len(data) - 600],
        "longer": data + b"x",
    }.items():
        (tmp_path / "x.run").write_bytes(damaged)
        for options in (["--check"], [f"--install-path={tmp_path / 'r'}", "--force"], [f"--extract={tmp_path / 'e'}"]):
            done = shell.run(tmp_path / "x.run", *options, env={"SETUP_NOCHECK": "1"})
            assert done.returncode == 1, name
            assert "is damaged" in done.stderr or "bytes instead of" in done.stderr, name
        assert [p.name for p in tmp_path.iterdir()] == ["x.run"]


def test_the_default_root_is_the_one_of_opkg(shell: Shell, bundle: Path, public: Path) -> None:
    shutil.copy(bundle, public / "x.run")
    home = Path(tempfile.mkdtemp(dir=public))
    home.chmod(0o777)
    for env, where in (
        ({"ASCEND_OPP_PATH": f"{home}/opp"}, home / "opp"),
        ({"XDG_DATA_HOME": f"{home}/data"}, home / "data/opkg"),
        ({"XDG_DATA_HOME": "relative"}, home / ".local/share/opkg"),
        ({}, home / ".local/share/opkg"),
    ):
        shutil.rmtree(where, ignore_errors=True)
        done = shell.run(public / "x.run", "-q", env={"HOME": str(home)} | env, cwd=home, **NOBODY)
        assert (done.returncode, done.stderr) == (0, "")
        assert installed(where) == ["customize/square 1.0.0"]


def test_a_relative_path_and_a_tilde_are_understood(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    for given, where in (("some where", tmp_path / "some where"), ("~/mine", tmp_path / "mine")):
        assert (
            shell.run(bundle, "-q", f"--install-path={given}", cwd=tmp_path, env={"HOME": str(tmp_path)}).returncode
            == 0
        )
        assert installed(where) == ["customize/square 1.0.0"]
        assert str(where) in (where / "vendors/customize/bin/set_env.bash").read_text()


def test_a_place_that_cannot_be_written_is_a_sentence(shell: Shell, bundle: Path, tmp_path: Path, public: Path) -> None:
    shutil.copy(bundle, public / "x.run")
    locked = Path(tempfile.mkdtemp(dir=public))
    locked.chmod(0o555)
    done = shell.run(public / "x.run", f"--install-path={locked / 'r'}", **NOBODY)
    assert done.returncode == 1
    assert done.stderr.startswith(f"opkg: cannot write to {locked / 'r'}\n")
    (tmp_path / "file").touch()
    done = shell.run(bundle, f"--install-path={tmp_path / 'file'}")
    assert (done.returncode, done.stderr.split("\n")[0]) == (1, f"opkg: cannot write to {tmp_path / 'file'}")


def test_closed_descriptors_do_no_harm(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    words = [*shell.words, str(bundle), f"--install-path={tmp_path / 'r'}"]
    script = " ".join(map(shlex.quote, words))
    for i, closed in enumerate(("<&-", ">&-", "2>&-", "<&- >&- 2>&-")):
        done = subprocess.run(
            ["sh", "-c", f"{script}{i} {closed}"], env={"PATH": str(shell.tools)}, check=False, timeout=60
        )
        assert done.returncode == 0, closed
        assert installed(tmp_path / f"r{i}") == ["customize/square 1.0.0"]
        assert Root(tmp_path / f"r{i}").verify() == []


def test_it_asks_when_told_to(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    options = ["--confirm", f"--install-path={tmp_path / 'r'}"]
    for answer in ("n\n", "", "\n"):
        done = shell.run(bundle, *options, stdin=None, input=answer)
        assert (done.returncode, done.stderr) == (1, "opkg: nothing was changed\n")
        assert not (tmp_path / "r").exists()
    done = shell.run(bundle, *options, stdin=None, input="y\n")
    assert done.returncode == 0
    assert installed(tmp_path / "r") == ["customize/square 1.0.0"]


def test_a_new_version_takes_the_place_of_the_old(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    newer = make_bundle(tmp_path / "new.run", version="2.0.0", files={"only/new": "x"})
    options = ["-q", f"--install-path={tmp_path / 'r'}"]
    for _ in range(2):
        assert shell.run(bundle, *options).returncode == 0
    assert shell.run(newer, "--upgrade", *options).returncode == 0
    assert installed(tmp_path / "r") == ["customize/square 2.0.0"]
    assert Root(tmp_path / "r").verify() == []
    assert sorted(p.name for p in (tmp_path / "r/vendors").iterdir()) == ["config.ini", "customize"]


def test_joining_packages_is_left_to_opkg(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    other = make_bundle(tmp_path / "cube.run", "cube", "Cube")
    root = tmp_path / "r"
    assert shell.run(other, "-q", f"--install-path={root}").returncode == 0
    done = shell.run(bundle, f"--install-path={root}")
    assert done.returncode == 1
    assert "vendor 'customize' has other packages" in done.stderr
    assert "joining packages needs opkg" in done.stderr
    assert installed(root) == ["customize/cube 1.0.0"]
    Root(root, disk=UnsyncedDisk()).install(bundle)
    assert shell.run(bundle, f"--install-path={root}").returncode == 1
    assert installed(root) == ["customize/square 1.0.0", "customize/cube 1.0.0"]
    (root / "vendors" / "acme" / Path(OPS_INFO).parent).mkdir(parents=True)
    acme = make_bundle(tmp_path / "acme.run", vendor="acme")
    assert shell.run(acme, f"--install-path={root}").returncode == 1


def test_load_priority_is_parsed_not_replaced(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    config = tmp_path / "r" / "vendors" / "config.ini"
    config.parent.mkdir(parents=True)
    config.write_text(
        "# a comment with load_priority\nload_priority = customize_v2, customize,ops_math\nother=customize\nlast"
    )
    assert shell.run(bundle, "-q", f"--install-path={tmp_path / 'r'}").returncode == 0
    assert config.read_text() == (
        "load_priority=customize,customize_v2,ops_math\n# a comment with load_priority\nother=customize\nlast\n"
    )
    assert shell.run(bundle, "-q", "--uninstall", f"--install-path={tmp_path / 'r'}").returncode == 0
    assert config.read_text() == (
        "load_priority=customize_v2,ops_math\n# a comment with load_priority\nother=customize\nlast\n"
    )


def test_it_takes_away_what_it_put_there(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    options = [f"--install-path={tmp_path / 'r'}"]
    missing = shell.run(bundle, "--uninstall", *options)
    assert (missing.returncode, missing.stderr) == (1, f"opkg: customize/square is not installed in {tmp_path / 'r'}\n")
    shell.run(bundle, "-q", *options)
    done = shell.run(bundle, "--uninstall", *options)
    assert (done.returncode, done.stdout) == (0, f"removed customize/square from {tmp_path / 'r'}\n")
    assert list((tmp_path / "r" / "vendors").iterdir()) == []


def test_leftovers_of_a_killed_run_are_put_right(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    vendors = tmp_path / "r" / "vendors"
    private = tmp_path / "r" / ".opkg"
    vendors.mkdir(parents=True)
    (private / "staging-abc123" / "package").mkdir(parents=True)
    (vendors / ".customize.opkg-link").symlink_to("nowhere")
    assert shell.run(bundle, "-q", f"--install-path={tmp_path / 'r'}").returncode == 0
    assert sorted(p.name for p in vendors.iterdir()) == ["config.ini", "customize"]
    assert sorted(p.name for p in private.iterdir()) == ["generations", "lock", "packages"]


def test_a_change_that_opkg_did_not_finish_is_left_to_opkg(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "r" / ".opkg").mkdir(parents=True)
    (tmp_path / "r" / ".opkg" / "journal").write_text("cut sho")
    done = shell.run(bundle, f"--install-path={tmp_path / 'r'}")
    assert done.returncode == 1
    assert done.stderr.startswith(f"opkg: opkg was stopped while it changed {tmp_path / 'r'}\n")


def test_what_was_damaged_is_repaired(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    options = ["-q", f"--install-path={tmp_path / 'r'}"]
    assert shell.run(bundle, *options).returncode == 0
    (Root(tmp_path / "r").packages()[0].path / "version.info").write_text("damaged")
    assert Root(tmp_path / "r").verify()
    assert shell.run(bundle, *options).returncode == 0
    assert Root(tmp_path / "r").verify() == []


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ({"arch": "vax"}, "it was built for vax and this machine is"),
        ({"glibc": "2.999"}, "it needs glibc 2.999 and this machine has 2."),
    ],
)
def test_a_machine_that_falls_short_is_refused_unless_forced(
    shell: Shell, tmp_path: Path, needs: dict[str, str], said: str
) -> None:
    bundle = make_bundle(tmp_path / "x.run", **needs)
    done = shell.run(bundle, f"--install-path={tmp_path / 'r'}")
    if "glibc" in needs and not (shell.tools / "getconf").exists():
        # Nothing is known about the C library, and nothing is said against it.
        assert (done.returncode, done.stderr) == (0, "")
        return
    assert done.returncode == 1
    assert f"opkg: customize/square cannot be used here: {said}" in done.stderr
    assert not (tmp_path / "r").exists()
    assert shell.run(bundle, "-q", "--force", f"--install-path={tmp_path / 'r'}").returncode == 0


@pytest.mark.parametrize("glibc", ["2.2.5", "GLIBC_2.2.5", "2.4", ""])
def test_what_every_machine_has_is_enough(shell: Shell, tmp_path: Path, glibc: str) -> None:
    """x86-64's oldest symbols have versions of three numbers."""
    bundle = make_bundle(tmp_path / "x.run", glibc=glibc)
    done = shell.run(bundle, "-q", f"--install-path={tmp_path / 'r'}")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_opkg_on_the_path_does_it(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    fake = folder / "opkg"
    fake.write_text(
        '#!/bin/sh\n[ "$2" != --help ] || { echo "usage --adopt"; exit; }\nfor w; do echo "<$w>"; done\nexit 7\n'
    )
    fake.chmod(0o755)
    root = tmp_path / "a root"
    done = shell.run(bundle, "--install-path", root, "--force", "--adopt", path=str(folder))
    assert done.returncode == 7
    assert done.stdout == f"<install>\n<{bundle}>\n<--install-path>\n<{root}>\n<--force>\n<--adopt>\n"
    done = shell.run(bundle, "--uninstall", "-q", "--force", path=str(folder))
    assert done.stdout == "<uninstall>\n<customize/square>\n<--quiet>\n"
    fake.write_text('#!/bin/sh\necho "another program of that name"\n')
    assert shell.run(bundle, "-q", "--install-path", root, path=str(folder)).returncode == 0
    assert installed(root) == ["customize/square 1.0.0"]


def test_the_script_is_found_by_name_alone(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    shutil.copy(bundle, tmp_path / "-odd name.run")
    shutil.copy(bundle, tmp_path / "x.run")
    assert shell.run(Path("x.run"), "--check", cwd=tmp_path).returncode == 0
    assert shell.run(tmp_path / "-odd name.run", "--check").returncode == 0


def test_newlines_in_paths(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    odd = tmp_path / "two\nlines"
    odd.mkdir()
    copy = shutil.copy(bundle, odd / "my\nbundle.run")
    root = tmp_path / "a\nroot\n\nof it"
    done = shell.run(Path(copy), "--quiet", f"--install-path={root}", cwd=odd)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert installed(root) == ["customize/square 1.0.0"]
    assert Root(root).verify() == []
    sourced = f'. {shlex.quote(str(root / "vendors/customize/bin/set_env.bash"))}; printf %s "$ASCEND_CUSTOM_OPP_PATH"'
    told = subprocess.run(
        ["sh", "-c", sourced], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True
    )
    assert told.stdout == f"{root}/vendors/customize"
    assert shell.run(Path(copy), "--uninstall", f"--install-path={root}").returncode == 0
    assert installed(root) == []


def test_as_somebody_else_than_root(shell: Shell, bundle: Path, public: Path) -> None:
    home = Path(tempfile.mkdtemp(dir=public))
    if NOBODY:
        os.chown(home, NOBODY["user"], NOBODY["group"])
    shutil.copy(bundle, public / "theirs.run")
    done = shell.run(public / "theirs.run", f"--install-path={home / 'r'}", **NOBODY)
    assert (done.returncode, done.stderr) == (0, "")
    assert {p.lstat().st_uid for p in (home / "r").rglob("*")} == {NOBODY.get("user", os.geteuid())}
    assert installed(home / "r") == ["customize/square 1.0.0"]


def _with_a_disk(place: Path, options: str, script: str, shell: Shell) -> subprocess.CompletedProcess[str]:
    """Runs a script with a small file system of its own at a place, in its own mount namespace."""
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    tried = shutil.which("unshare") and subprocess.run(
        [*unshare, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, check=False
    )
    if not tried or tried.returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    mounted = (
        f"mount -t tmpfs -o {options} tmpfs {shlex.quote(str(place))}; PATH={shlex.quote(str(shell.tools))}; {script}"
    )
    return subprocess.run(
        [*unshare, "sh", "-ec", mounted],
        env={"PATH": os.environ["PATH"], "TMPDIR": str(place)},
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_where_nothing_can_be_executed(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    place = tmp_path / "noexec"
    place.mkdir()
    run = " ".join(map(shlex.quote, [*shell.words, str(bundle), "--quiet"]))
    script = (
        f"{run} --install-path {shlex.quote(str(tmp_path / 'r'))}; {run} --install-path {shlex.quote(str(place / 'r'))}"
    )
    kept = f"cp -R {shlex.quote(str(place / 'r'))} {shlex.quote(str(tmp_path / 'kept'))}"
    done = _with_a_disk(place, "size=4m,noexec", f"{script}; {kept}", shell)
    assert (done.returncode, done.stderr) == (0, "")
    for root in (tmp_path / "r", tmp_path / "kept"):
        assert installed(root) == ["customize/square 1.0.0"]


def test_a_full_disk_leaves_what_was_there(shell: Shell, tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    noise = os.urandom(200_000).hex()
    old = make_bundle(tmp_path / "old.run", files=FILES)
    new = make_bundle(tmp_path / "new.run", version="2.0.0", files=FILES | {"op_api/lib/big.so": noise})
    run, root = " ".join(map(shlex.quote, shell.words)), shlex.quote(str(place / "r"))
    kept = [shlex.quote(str(tmp_path / name)) for name in ("full", "roomy")]
    script = f"""
{run} {shlex.quote(str(old))} --quiet --install-path {root}
head -c 1600000 /dev/zero >{shlex.quote(str(place / "filler"))}
code=0; {run} {shlex.quote(str(new))} --quiet --install-path {root} || code=$?
cp -R {root} {kept[0]}; rm {shlex.quote(str(place / "filler"))}
{run} {shlex.quote(str(new))} --quiet --install-path {root}
cp -R {root} {kept[1]}; exit $code
"""
    done = _with_a_disk(place, "size=1800k", script, shell)
    assert done.returncode == 1
    assert any(line.startswith(f"opkg: cannot unpack to {place}") for line in done.stderr.splitlines()), done.stderr
    assert installed(tmp_path / "full") == ["customize/square 1.0.0"]
    assert Root(tmp_path / "full").verify() == []
    assert [path.name for path in (tmp_path / "full/.opkg").glob("staging-*")] == []
    assert [p.manifest.version for p in Root(tmp_path / "roomy").packages() if p.active] == ["2.0.0"]


@pytest.mark.parametrize("killed", [True, False])
def test_a_file_that_there_is_no_room_for_leaves_what_was_there(shell: Shell, tmp_path: Path, killed: bool) -> None:
    """As above, on machines where nothing can be mounted: no file may become longer than 100 KiB or 200."""
    root, noise = tmp_path / "r", os.urandom(200_000).hex()
    old = make_bundle(tmp_path / "old.run", files=FILES)
    new = make_bundle(tmp_path / "new.run", version="2.0.0", files=FILES | {"op_api/lib/big.so": noise})
    assert shell.run(old, "-q", f"--install-path={root}").returncode == 0
    before = tree(root)
    # Whoever writes on gets signal 25, SIGXFSZ; ignored, the write fails as on a full disk.
    ignoring = "" if killed else "trap '' 25; "
    limited = f'{ignoring}ulimit -f 200; exec "$@"'
    done = Shell(["sh", "-c", limited, "sh", *shell.words], shell.tools).run(new, "-q", f"--install-path={root}")
    assert done.returncode == 1
    assert any(line.startswith(f"opkg: cannot unpack to {root}") for line in done.stderr.splitlines()), done.stderr
    assert tree(root) == before
    assert shell.run(new, "-q", f"--install-path={root}").returncode == 0
    assert [p.manifest.version for p in Root(root).packages() if p.active] == ["2.0.0"]
