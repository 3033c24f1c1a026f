"""Installing, joining, replacing and removing packages."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from made_bundles import BINARY_INFO, HOST_LIBRARY, OPS_INFO, SOC, UnsyncedDisk, make_bundle, package_files, write_tree

from opkg.bundle import MANIFEST_NAME, open_bundle
from opkg.errors import BundleError, ConflictError, NotFoundError, StoreError
from opkg.plugins.types import InstallPlan, Veto
from opkg.store import Machine, Root
from opkg.store.choice import newest, offered
from opkg.store.lock import exclusive


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "a root", disk=UnsyncedDisk())


def keys(root: Root, *, kept: bool = False) -> list[str]:
    return [f"{p.manifest.key} {p.manifest.version}" for p in root.packages(kept=kept)]


def view(root: Root, vendor: str = "customize") -> Path:
    return root.path / "vendors" / vendor


def config(root: Root) -> str:
    return (root.path / "vendors" / "config.ini").read_text()


def visible(folder: Path) -> dict[str, bytes]:
    files = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name != "lock"]  # it says who held it when
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def without_lock(folder: Path) -> dict[str, bytes]:
    """As above; the lock file says who held it last."""
    return {path: content for path, content in visible(folder).items() if path != ".opkg/lock"}


# ---- one package


def test_an_installed_package_is_whole_active_and_seen_in_the_view(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    result = root.install(bundle)
    assert keys(root) == ["customize/square 1.0.0"]
    assert result.changed
    assert result.replaced == ""
    assert result.package.path == root.packages()[0].path
    with open_bundle(bundle) as opened:
        assert result.package.path.relative_to(root.path) == Path(
            f".opkg/packages/customize/square/1.0.0-{opened.digest[:12]}"
        )
        assert (result.package.path / MANIFEST_NAME).read_bytes() == opened.manifest_bytes
    expected = {name: text.encode() for name, text in package_files("Square", marker="square 1.0.0").items()}
    inside = visible(result.package.path)
    assert inside.pop(MANIFEST_NAME)
    assert inside == expected
    seen = visible(view(root))
    assert set(seen) - set(expected) == {"bin/set_env.bash", ".opkg-generation.json"}
    assert {name: seen[name] for name in expected} == expected
    assert config(root) == "load_priority=customize\n"
    assert root.verify() == []
    assert not (root.path / ".opkg" / "journal").exists()
    assert not (root.path / ".opkg" / "staging").exists()


def test_everyone_can_read_what_is_installed_whatever_the_umask(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    mask = os.umask(0o077)
    try:
        root.install(bundle)
    finally:
        os.umask(mask)
    for path in (root.path, *root.path.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            continue
        assert mode == (0o755 if path.is_dir() or path.suffix == ".so" else 0o644), path


def test_the_same_bundle_again_changes_nothing(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    root.install(bundle)
    before = visible(root.path), view(root).readlink()
    result = root.install(bundle)
    assert not result.changed
    assert (visible(root.path), view(root).readlink()) == before


def test_the_same_bundle_again_repairs_what_was_damaged(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    root.install(bundle)
    (view(root) / HOST_LIBRARY).write_text("overwritten")
    (view(root) / "version.info").unlink()
    kinds = sorted((problem.kind, problem.name) for problem in root.verify())
    assert kinds == [("changed", "square"), ("missing", "")]
    assert root.install(bundle).changed
    assert root.verify() == []
    assert (view(root) / HOST_LIBRARY).read_text() == package_files("Square", marker="square 1.0.0")[HOST_LIBRARY]


def test_a_newer_and_an_older_version_take_the_place_of_the_active_one(tmp_path: Path, root: Root) -> None:
    old, new = (make_bundle(tmp_path / f"{v}.run", version=v) for v in ("1.0.0", "2.0.0"))
    root.install(old)
    assert root.install(new).replaced == "1.0.0"
    assert keys(root) == ["customize/square 2.0.0"]
    assert keys(root, kept=True) == ["customize/square 2.0.0", "customize/square 1.0.0"]
    assert b"2.0.0" in (view(root) / HOST_LIBRARY).read_bytes()
    assert root.install(old).replaced == "2.0.0"
    assert keys(root) == ["customize/square 1.0.0"]
    assert root.verify() == []


def test_a_damaged_bundle_leaves_no_trace(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    root.install(bundle)
    before = visible(root.path)
    data = bytearray(make_bundle(tmp_path / "y.run", version="2.0.0").read_bytes())
    data[-40] ^= 1
    (tmp_path / "y.run").write_bytes(data)
    with pytest.raises(BundleError, match="damaged"):
        root.install(tmp_path / "y.run")
    assert visible(root.path) == before


# ---- several packages of a vendor


def test_a_second_package_joins_the_first(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square"))
    result = root.install(make_bundle(tmp_path / "y.run", "cube", "Cube"))
    assert keys(root) == ["customize/cube 1.0.0", "customize/square 1.0.0"]
    assert result.replaced == ""
    assert json.loads((view(root) / OPS_INFO).read_text()) == {
        "Cube": {"opFile": {"value": "cube"}},
        "Square": {"opFile": {"value": "square"}},
    }
    assert set(json.loads((view(root) / BINARY_INFO).read_text())) == {"Cube", "Square"}
    folder = view(root) / Path(HOST_LIBRARY).parent
    assert (folder / "libcust_opmaster_rt2.0.square.so").read_text() == "host library of ('Square',) square 1.0.0"
    assert (folder / "libcust_opmaster_rt2.0.cube.so").read_text() == "host library of ('Cube',) cube 1.0.0"
    header = (view(root) / "op_proto/inc/op_proto.h").read_text()
    assert header == (
        '#include "op_proto.cube.h"\n#undef OP_PROTO_H_\n#include "op_proto.square.h"\n#undef OP_PROTO_H_\n'
    )
    assert (view(root) / "op_impl/ai_core/tbe/kernel/cpu/square/Square_0.so").is_file()
    assert root.verify() == []


def test_a_second_vendor_stands_beside_the_first_and_comes_before_it(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run"))
    root.install(make_bundle(tmp_path / "y.run", vendor="acme"))
    assert keys(root) == ["acme/square 1.0.0", "customize/square 1.0.0"]
    assert config(root) == "load_priority=acme,customize\n"


def test_the_same_operator_in_two_packages_of_a_vendor_is_refused_before_any_change(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square"))
    before = visible(root.path)
    with pytest.raises(
        ConflictError, match=r"customize/square 1\.0\.0 already has Square, as customize/other does"
    ) as caught:
        root.install(make_bundle(tmp_path / "y.run", "other", "Cube", "Square"), force=True)
    assert caught.value.hint == (
        "remove that package first: opkg uninstall customize/square; "
        "or let customize/other win with --priority, customize/square with --allow-shadow"
    )
    assert visible(root.path) == before


def test_a_file_where_another_package_has_a_folder_is_refused(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square", files={"framework/x": "1"}))
    with pytest.raises(ConflictError, match="'framework' is a file in one package"):
        root.install(make_bundle(tmp_path / "y.run", "cube", "Cube", files={"framework": "1"}))
    assert keys(root) == ["customize/square 1.0.0"]
    assert root.verify() == []


# ---- removing


def test_removing_one_package_leaves_the_others(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square"))
    alone = visible(view(root))
    root.install(make_bundle(tmp_path / "y.run", "cube", "Cube"))
    removed = root.uninstall("customize", "cube")
    assert [p.manifest.key for p in removed] == ["customize/cube"]
    assert keys(root) == ["customize/square 1.0.0"]
    assert visible(view(root)) == alone


def test_removing_the_last_package_removes_the_vendor_and_its_priority(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square"))
    root.install(make_bundle(tmp_path / "y.run", vendor="customize_v2"))
    (root.path / "vendors" / "config.ini").write_text(
        "# mine\nload_priority=customize_v2,customize,ops_math\nother=1\n"
    )
    root.uninstall("customize")
    assert not os.path.lexists(view(root))
    assert config(root) == "# mine\nload_priority=customize_v2,ops_math\nother=1\n"
    root.uninstall("customize_v2", "square")
    assert config(root) == "# mine\nload_priority=ops_math\nother=1\n"
    assert root.packages() == []


def test_removed_versions_are_kept_until_purged(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    root.install(bundle)
    root.uninstall("customize")
    assert keys(root, kept=True) == ["customize/square 1.0.0"]
    root.install(bundle)
    root.uninstall("customize", purge=True)
    assert keys(root, kept=True) == []
    files = [p for p in (root.path / ".opkg").rglob("*") if p.is_file()]
    assert [p for p in files if p.name != "lock" and p.parent.name != "history"] == []


def test_collecting_keeps_what_is_in_use(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run"))
    root.install(make_bundle(tmp_path / "y.run", version="2.0.0"))
    root.install(make_bundle(tmp_path / "z.run", "cube", "Cube"))
    root.collect()
    assert keys(root, kept=True) == ["customize/cube 1.0.0", "customize/square 2.0.0"]
    assert root.verify() == []
    assert [p.name for p in (root.path / ".opkg/generations/customize").iterdir()] == ["3"]


@pytest.mark.parametrize(("vendor", "name"), [("acme", None), ("customize", "cube"), ("custom", None)])
def test_removing_what_is_not_there_says_what_is(tmp_path: Path, root: Root, vendor: str, name: str | None) -> None:
    root.install(make_bundle(tmp_path / "x.run"))
    with pytest.raises(NotFoundError, match="is not installed in") as caught:
        root.uninstall(vendor, name)
    assert caught.value.hint == "there: customize/square"


# ---- verifying


def test_verify_names_every_difference(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", "square", "Square"))
    root.install(make_bundle(tmp_path / "y.run", "cube", "Cube"))
    square = next(p.path for p in root.packages() if p.manifest.name == "square")
    (square / "version.info").unlink()
    (square / "op_proto/inc/op_proto.h").write_text("x")
    (square / "new").symlink_to("/etc/passwd")
    (view(root) / OPS_INFO).write_text("{}")
    (view(root) / "stray").touch()
    found = {(p.name, p.kind, p.path) for p in root.verify()}
    assert found == {
        ("square", "missing", square / "version.info"),
        ("square", "changed", square / "op_proto/inc/op_proto.h"),
        ("square", "extra", square / "new"),
        ("", "changed", view(root) / OPS_INFO),
        ("", "extra", view(root) / "stray"),
    }
    assert root.verify("customize", "cube") == []


def test_a_file_of_a_package_that_is_named_like_the_views_own_is_compared(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", files={"data/bin/set_env.bash": "export X=1\n"}))
    assert root.verify() == []
    for name in ("data/bin/set_env.bash", "bin/set_env.bash"):
        (view(root) / name).unlink()
        (view(root) / name).write_text("export X=2\n")
    assert [(p.kind, p.path) for p in root.verify()] == [("changed", view(root) / "data/bin/set_env.bash")]


def test_a_package_cannot_join_one_that_lacks_files(tmp_path: Path, root: Root) -> None:
    square = make_bundle(tmp_path / "x.run", "square", "Square")
    root.install(square)
    (root.packages()[0].path / OPS_INFO).unlink()
    assert [(p.kind, p.name) for p in root.verify()] == [("missing", "square")]
    cube = make_bundle(tmp_path / "y.run", "cube", "Cube")
    with pytest.raises(StoreError, match=r"customize/square is damaged: .*ops-info.json is missing") as caught:
        root.install(cube)
    assert caught.value.hint == "install customize/square again first"
    root.install(square)
    root.install(cube)
    assert root.verify() == []


def test_a_manifest_that_was_edited_is_noticed(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run"))
    manifest = root.packages()[0].path / MANIFEST_NAME
    manifest.write_text(manifest.read_text().replace('"domain": "customize"', '"domain": "other"'))
    assert [(p.kind, p.path) for p in root.verify()] == [("changed", manifest)]


def test_verify_of_what_is_not_there_is_an_error(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run"))
    for vendor, name in (("acme", ""), ("customize", "cube")):
        with pytest.raises(NotFoundError):
            root.verify(vendor, name)
    assert Root(tmp_path / "empty").verify() == []


# ---- what others put there


def foreign(root: Root, vendor: str = "customize") -> dict[str, bytes]:
    folder = view(root, vendor)
    tensor = {"dtype": "float16", "format": "ND", "paramType": "required"}
    info = {"FastGelu": {"input0": {"name": "x"} | tensor, "output0": {"name": "y"} | tensor}}
    write_tree(folder, {OPS_INFO: json.dumps(info), "op_api/lib/libcust_opapi.so": "api", "data": b"\0\1"})
    (folder / "liboptiling.so").symlink_to("op_api/lib/libcust_opapi.so")
    return visible(folder)


def test_a_folder_of_another_installer_is_never_replaced(tmp_path: Path, root: Root) -> None:
    before = foreign(root)
    with pytest.raises(ConflictError, match="was made by another installer") as caught:
        root.install(make_bundle(tmp_path / "x.run"))
    assert "--adopt" in caught.value.hint
    assert visible(view(root)) == before
    assert not view(root).is_symlink()
    with pytest.raises(StoreError, match="made by another installer"):
        root.uninstall("customize")


def test_adopting_makes_a_package_of_it_and_loses_nothing(tmp_path: Path, root: Root) -> None:
    before = foreign(root)
    result = root.install(make_bundle(tmp_path / "x.run"), adopt=True)
    assert len(result.adopted) == 1
    assert result.adopted[0].startswith("adopted 0.0.0+")
    square, adopted = root.packages()
    assert (square.manifest.name, adopted.manifest.name) == ("square", "adopted")
    assert [entry.op_info.op for entry in adopted.manifest.operators] == ["FastGelu"]
    assert adopted.manifest.operators[0].op_info.inputs[0].dtypes == ("float16",)
    assert adopted.manifest.soc == (SOC,)
    inside = visible(adopted.path)
    del inside[MANIFEST_NAME]
    assert inside == before
    seen = visible(view(root))
    assert {name: seen[name] for name in before if name != OPS_INFO} == {
        n: d for n, d in before.items() if n != OPS_INFO
    }
    assert set(json.loads(seen[OPS_INFO])) == {"Square", "FastGelu"}
    assert root.verify() == []
    root.uninstall("customize", "square")
    assert [p.manifest.name for p in root.packages()] == ["adopted"]
    assert [p.name for p in (root.path / "vendors").iterdir() if p.name.startswith(".")] == []


def test_an_operator_that_the_adopted_folder_has_is_a_conflict(tmp_path: Path, root: Root) -> None:
    before = foreign(root)
    with pytest.raises(ConflictError, match="already has FastGelu"):
        root.install(make_bundle(tmp_path / "x.run", "gelu", "FastGelu"), adopt=True)
    assert visible(view(root)) == before
    assert not view(root).is_symlink()
    assert not (root.path / ".opkg" / "staging").exists()


def test_a_folder_that_cannot_be_kept_whole_is_not_adopted(tmp_path: Path, root: Root) -> None:
    foreign(root)
    (view(root) / "out").symlink_to("/etc/passwd")
    with pytest.raises(StoreError, match="cannot be taken over: the link 'out' leads out"):
        root.install(make_bundle(tmp_path / "x.run"), adopt=True)
    assert (view(root) / "out").is_symlink()


def bare(root: Root, bundle: Path) -> None:
    """What a bundle leaves that installed itself without opkg."""
    with open_bundle(bundle) as opened:
        opened.extract(view(root))
    write_tree(view(root), {"bin/set_env.bash": "export X=1\n"})


def test_a_package_that_its_bundle_installed_is_recognised(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    bare(root, bundle)
    assert keys(root) == ["customize/square 1.0.0"]
    assert root.verify() == []
    (view(root) / "version.info").unlink()
    assert [(p.name, p.kind) for p in root.verify()] == [("square", "missing")]


def test_a_package_that_its_bundle_installed_is_joined_without_asking(tmp_path: Path, root: Root) -> None:
    bare(root, make_bundle(tmp_path / "x.run"))
    result = root.install(make_bundle(tmp_path / "y.run", "cube", "Cube"))
    assert result.adopted == ("square 1.0.0",)
    assert keys(root) == ["customize/cube 1.0.0", "customize/square 1.0.0"]
    assert root.verify() == []


def test_a_package_that_its_bundle_installed_is_replaced_and_kept(tmp_path: Path, root: Root) -> None:
    bare(root, make_bundle(tmp_path / "x.run"))
    assert root.install(make_bundle(tmp_path / "y.run", version="2.0.0")).replaced == "1.0.0"
    assert keys(root, kept=True) == ["customize/square 2.0.0", "customize/square 1.0.0"]


def test_a_package_that_its_bundle_installed_is_removed(tmp_path: Path, root: Root) -> None:
    bare(root, make_bundle(tmp_path / "x.run"))
    root.uninstall("customize", "square")
    assert not view(root).exists()
    assert root.packages() == []


def test_changes_that_somebody_made_to_it_are_not_lost_without_asking(tmp_path: Path, root: Root) -> None:
    bare(root, make_bundle(tmp_path / "x.run"))
    (view(root) / "mine").write_text("precious")
    bundle = make_bundle(tmp_path / "y.run", "cube", "Cube")
    with pytest.raises(ConflictError, match="was changed since"):
        root.install(bundle)
    root.install(bundle, adopt=True)
    assert (view(root) / "mine").read_text() == "precious"
    assert root.verify() == []


def test_vendors_without_write_permission_is_opened_for_the_moment(tmp_path: Path, root: Root) -> None:
    (root.path / "vendors").mkdir(parents=True)
    (root.path / "vendors").chmod(0o555)
    root.install(make_bundle(tmp_path / "x.run"))
    assert stat.S_IMODE((root.path / "vendors").stat().st_mode) == 0o555
    assert root.verify() == []


# ---- refusals


class OldMachine(Machine):
    os, arch, glibc, glibcxx = "linux", "x86_64", "2.31", "3.4.28"  # type: ignore[assignment]
    flags = frozenset({"sse4_2"})  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ({"arch": "aarch64"}, "built for aarch64 and this machine is x86_64"),
        ({"os": "windows"}, "built for windows and this system is linux"),
        ({"isa": "x86-64-v3"}, "need x86-64-v3 and this processor lacks abm, avx, avx2"),
        ({"abi": 2}, "version 2 of opkg's package interface and this opkg reads 1"),
        ({"glibc": "2.34"}, "needs glibc 2.34 and this machine has 2.31"),
        ({"glibc": "GLIBC_2.100"}, "needs glibc 2.100"),
        ({"glibcxx": "3.4.29"}, r"needs libstdc\+\+ 3.4.29 and this machine has 3.4.28"),
    ],
)
def test_a_package_that_cannot_run_here_is_refused_unless_forced(
    tmp_path: Path, needs: dict[str, object], said: str
) -> None:
    bundle = make_bundle(tmp_path / "x.run", **({"arch": "x86_64"} | needs))
    root = Root(tmp_path / "root", machine=OldMachine(), disk=UnsyncedDisk())
    with pytest.raises(StoreError, match=said) as caught:
        root.install(bundle)
    assert caught.value.hint == "--force installs it anyway"
    assert not root.path.exists()
    root.install(bundle, force=True)
    assert keys(root) == ["customize/square 1.0.0"]


def test_a_package_that_needs_what_this_machine_has_is_installed(tmp_path: Path) -> None:
    root = Root(tmp_path / "root", machine=OldMachine(), disk=UnsyncedDisk())
    root.install(make_bundle(tmp_path / "x.run", arch="x86_64", glibc="2.31", glibcxx="3.4.5", isa="x86-64"))
    assert keys(root) == ["customize/square 1.0.0"]


def test_a_package_for_which_there_is_no_room_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Root(tmp_path / "root", disk=UnsyncedDisk())
    root.install(make_bundle(tmp_path / "old.run"))
    bundle = make_bundle(tmp_path / "new.run", version="2.0.0")
    with open_bundle(bundle) as opened:
        need = sum(entry.size for entry in opened.manifest.files)
    before = sorted(root.path.rglob("*"))
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=need - 1))
    with pytest.raises(
        StoreError, match=f"customize/square needs {need:,} bytes and .* has {need - 1:,} left"
    ) as caught:
        root.install(bundle)
    assert caught.value.hint == "make room there"
    assert sorted(root.path.rglob("*")) == before
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=need))
    root.install(bundle)
    assert keys(root) == ["customize/square 2.0.0"]


def test_of_equal_versions_the_last_one_is_the_newest(tmp_path: Path) -> None:
    for name, version in (("a", "1.0.0"), ("b", "2.0.0"), ("c", "2.0.0"), ("d", "1.5.0"), ("e", "3.0.0rc1")):
        make_bundle(tmp_path / f"{name}.run", version=version, files=package_files("Square", marker=name))
    found = offered(tmp_path)
    newest_of = [newest(found), newest(found, lambda version: version.startswith("1.")), newest(found[-1:]), newest([])]
    names = [choice.bundle.name if choice and choice.bundle else None for choice in newest_of]
    assert names == ["c.run", "d.run", "e.run", None]


def test_this_machine_is_looked_at() -> None:
    machine = Machine()
    assert machine.os == "linux"
    assert machine.arch == os.uname().machine
    assert machine.glibc.count(".") == 1
    assert not machine.glibcxx or machine.glibcxx.startswith("3.4.")


@pytest.mark.parametrize(("name", "words"), [("a:b", "has a ':'"), ("bad\udcff", r"bad\udcff' is not UTF-8")])
def test_a_folder_whose_name_programs_could_not_be_told_is_refused(tmp_path: Path, name: str, words: str) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    with pytest.raises(StoreError) as error:
        Root(tmp_path / name).install(bundle)
    assert words in error.value.message
    assert not (tmp_path / name).exists()


def test_a_root_that_cannot_be_made_is_a_sentence_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot change .*Not a directory"):
        Root(tmp_path / "file" / "root").install(make_bundle(tmp_path / "x.run"))


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of the superuser's, and the rights of somebody else; of an ordinary user's own otherwise."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def somebody_else() -> Iterator[None]:
    """Without the rights of the superuser."""
    if os.geteuid() != 0:
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def test_a_root_that_cannot_be_written_can_be_read(tmp_path: Path, as_nobody: Path) -> None:
    root = Root(as_nobody / "root", disk=UnsyncedDisk())
    root.install(make_bundle(as_nobody / "x.run"))
    newer = make_bundle(as_nobody / "y.run", version="2.0.0")
    for folder in (root.path, root.path / "vendors", root.path / ".opkg"):
        folder.chmod(0o555)
    try:
        with somebody_else():
            assert keys(root) == ["customize/square 1.0.0"]
            assert root.verify() == []
            assert root.environment()["ASCEND_CUSTOM_OPP_PATH"] == str(view(root))
            for change in (lambda: root.install(newer), lambda: root.uninstall("customize")):
                with pytest.raises(StoreError, match=r"cannot change .*: Permission denied") as caught:
                    change()
                assert (
                    caught.value.hint == "install elsewhere with --install-path DIR, or as a user who may write there"
                )
    finally:
        for folder in (root.path, root.path / "vendors", root.path / ".opkg"):
            folder.chmod(0o755)
    assert keys(root) == ["customize/square 1.0.0"]


def test_a_user_installs_into_a_folder_of_their_own(as_nobody: Path) -> None:
    bundle = make_bundle(as_nobody / "x.run")
    (as_nobody / "home").mkdir()
    (as_nobody / "home").chmod(0o777)
    root = Root(as_nobody / "home" / "root", disk=UnsyncedDisk())
    with somebody_else():
        root.install(bundle)
        assert root.verify() == []
        root.uninstall("customize", purge=True)
        assert root.packages(kept=True) == []


def test_a_second_writer_waits_and_is_told_who_holds_the_root(tmp_path: Path, root: Root) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    root.install(bundle)
    other = Root(root.path, disk=UnsyncedDisk(), wait=0.1)
    with exclusive(root.path / ".opkg" / "lock", 0):
        with pytest.raises(
            StoreError, match=rf"process {os.getpid()} \(opkg\), since .*, is changing {root.path}"
        ) as caught:
            other.uninstall("customize")
        assert keys(other) == ["customize/square 1.0.0"]
    assert caught.value.code == "OPKG-6200"
    other.uninstall("customize")


def test_a_root_is_found_under_another_name_and_place(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run"))
    moved = tmp_path / "moved"
    shutil.move(root.path, moved)
    (tmp_path / "alias").symlink_to(moved)
    assert keys(Root(tmp_path / "alias")) == ["customize/square 1.0.0"]
    assert Root(tmp_path / "alias").verify() == []


def test_the_environment_lists_vendors_by_priority(tmp_path: Path, root: Root) -> None:
    root.install(make_bundle(tmp_path / "x.run", files={"op_api/lib/libcust_opapi.so": "api"}))
    root.install(make_bundle(tmp_path / "y.run", vendor="acme"))
    assert root.environment() == {
        "ASCEND_CUSTOM_OPP_PATH": f"{view(root, 'acme')}:{view(root)}",
        "LD_LIBRARY_PATH": f"{view(root)}/op_api/lib",
    }
    assert root.environment("acme") == {"ASCEND_CUSTOM_OPP_PATH": str(view(root, "acme"))}
    with pytest.raises(NotFoundError):
        root.environment("other")


# ---- plugins


def test_a_plugin_may_refuse_a_verified_package_before_anything_changes(
    tmp_path: Path, root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str, bool]] = []

    def collect(hook: str, plan: InstallPlan) -> list[tuple[str, Veto]]:
        seen.append((hook, plan.replaces, (plan.package / HOST_LIBRARY).is_file()))
        return [("acme-rules", Veto("not on our list"))] if plan.version == "2.0.0" and "pre" in hook else []

    monkeypatch.setattr("opkg.store.gate.collect", collect)
    root.install(make_bundle(tmp_path / "x.run"))
    before = without_lock(root.path)
    with pytest.raises(StoreError, match="the plugin acme-rules refuses customize/square: not on our list") as caught:
        root.install(make_bundle(tmp_path / "y.run", version="2.0.0"))
    assert caught.value.code == "OPKG-6400"
    assert without_lock(root.path) == before
    assert seen == [
        ("opkg_pre_install", "", True),
        ("opkg_post_install", "", True),
        ("opkg_pre_install", "1.0.0", True),
    ]
