"""Files that an attacker made: each is refused with a sentence, and nothing is written, run, or used up."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from made_hostile import BLOCK, END, MEMORY, Corpus, assemble, gzip, header, member, take_apart

from opkg.bundle.header import HEADER_SIZE, Header

pytestmark = pytest.mark.slow

ZEROS = hashlib.sha256(b"").hexdigest()


def test_the_kit_itself_makes_good_bundles(corpus: Corpus) -> None:
    parts = corpus.parts
    (verdict,) = corpus.judge({"honest": parts.with_tar(parts.tar)})
    assert verdict.kind == "accepted", verdict
    rebuilt = b"".join(member(n, c) for n, c in ((b"a", b"first"), (b"b/c", b"second"), (b"z", b"last"))) + END
    (verdict,) = corpus.judge({"rebuilt": parts.with_tar(rebuilt)})
    assert verdict.kind == "accepted", verdict


# ---- names

NAMES = [
    "/etc/passwd", "//x", "/", "..", "../x", "../../../../../../tmp/x", "a/../../x", "a/..", "a/../b", ".", "./a",
    "a/.",
    "a/./b", "a//b", "a/", "", " /../x", "\\x", "a\\..\\b", "C:\\x", "\\\\server\\x",
    "opkg-package.json", ".opkg-generation.json", ".opkg", ".opkg/keys/x.pub", ".opkg/journal",
    "x" * 256, "x" * 5000, "/".join(["x"] * 600), "\u00e9" * 128, "x/" * 50_000 + "x",
    *(f"a{chr(code)}b" for code in (*range(32), *range(0x7F, 0xA0))),
    "a\u2028b", "a\u2029b", "a\u202eb", "a\u200bb", "a\u2066b", "a\ufeffb", "a\U000e0001b", "\ud800", "a\udfffb",
]  # fmt: skip


def test_names_that_lead_out_or_deceive(corpus: Corpus) -> None:
    files = ((repr(name)[:60], corpus.parts.with_files([("ok", b"x"), (name, b"evil")])) for name in NAMES)
    assert len(corpus.refuses(files)) == len(NAMES)


PAIRS = [
    ("x", "x"), ("x", "X"), ("dir/x", "DIR/x"), ("dir/x", "DIR/y"), ("stra\u00dfe", "STRASSE"), ("\u00e9", "e\u0301"),
    ("\u212a", "k"), ("\u03c3", "\u03c2"), ("x", "x/y"), ("x/y/z", "x/y"), ("x", "x/y/z/w"), ("X", "x/y"),
    ("\ufb01", "fi"),
]  # fmt: skip


def test_names_that_are_one_name_somewhere(corpus: Corpus) -> None:
    both = [pair for one, other in PAIRS for pair in ((one, other), (other, one))]
    corpus.refuses((repr(pair), corpus.parts.with_files([(name, b"1") for name in pair])) for pair in both)


@pytest.mark.parametrize("key", ["vendor", "name", "version"])
def test_identities_that_are_no_folders_name(corpus: Corpus, key: str) -> None:
    bad = ["", ".", "..", "a/b", "/a", "../a", "a\\b", "a\nb", "a\0", "-x", ".x", "a" * 65, "a" * 100_000, "a b",
    "a,b", "a=b",
           "\u00e9", "$(touch x)", "`x`", "a;b", "a'b", 'a"b', "*", "~"]  # fmt: skip
    corpus.refuses((f"{key} {x!r:.40}", corpus.parts.with_manifest(lambda m, x=x: m.update({key: x}))) for x in bad)


@pytest.mark.parametrize(
    "op", ["", "../../x", "a/b", "a b", "1a", "a\nb", "a-b", "x" * 200, "\u00e9", "a;b", "\x1b[2J"]
)
def test_operators_whose_name_is_no_identifier(corpus: Corpus, op: str) -> None:
    corpus.refuses({op: corpus.parts.with_manifest(lambda m: m["operators"][0]["op_info"].update(op=op))})


# ---- members of the archive


def tars(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """Archives that are not the one of the manifest (a: first, b/c: second, z: last)."""
    good = [member(b"a", b"first"), member(b"b/c", b"second"), member(b"z", b"last")]
    a, c, z = good
    for kind in b"123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz\0\x7f\xff":
        byte = bytes([kind])
        for link in (b"", b"/etc/passwd", b"../../../x", b"a"):
            yield f"type {byte!r} -> {link!r} instead of a", member(b"a", kind=byte, link=link) + c + z
        yield f"type {byte!r} with content instead of a", member(b"a", b"first", kind=byte) + c + z
        yield f"type {byte!r} before everything", member(b"evil", b"x", kind=byte) + b"".join(good)
        yield f"type {byte!r} between", a + member(b"b", kind=byte, link=b"/tmp") + c + z
        yield f"type {byte!r} at the end", b"".join(good) + member(b"evil", b"x", kind=byte)
    for mode in (b"0004755\0", b"0002755\0", b"0001755\0", b"0000666\0", b"0000777\0", b"0007777\0", b"0100644\0",
                 b"-000644\0", b"      \0\0", b"00006448", b"\x80\0\0\0\0\0\x01\xa4"):  # fmt: skip
        if int.from_bytes(mode[1:], "big") != 0o644 or not mode[0] & 0x80:
            yield f"mode {mode!r}", member(b"a", b"first", mode=mode) + c + z
    for name in (b"../a", b"/a", b"./a", b"A", b"a\0../../x", b"a ", b"a/", b"", b"b/../a", b"x" * 100, b"x" * 5000):
        yield f"name {name[:20]!r}", member(name, b"first") + c + z
    for prefix in (b"..", b"/etc", b"x", b"\0x"):
        yield f"prefix {prefix!r}", member(b"a", b"first", prefix=prefix) + c + z
    for magic in (b"\0" * 8, b"USTAR\0  ", b"gnu   \0\0"):
        yield f"magic {magic!r}", member(b"a", b"first", magic=magic) + c + z
    for total in (b"000000\0 ", b"777777\0 ", b"\0" * 8, b"\xff" * 8, b"abcdefgh", b"-0000001"):
        yield f"checksum {total!r}", member(b"a", b"first", checksum=total) + c + z
    for size in (0, 4, 6, 512, 1 << 20, 0o77777777777, b"-0000000005\0", b"\x80" + b"\0" * 10 + b"\x06", b"\xff" * 12,
                 b"\x80" + b"\xff" * 11, b"5          \0", b"0x5\0\0\0\0\0\0\0\0\0", b"\0" * 12,
                 b" " * 12):  # fmt: skip
        if size != b"5          \0":  # five, written otherwise
            yield f"size {size!r}", member(b"a", b"first", size=size) + c + z
    for number, missing in enumerate(good):
        rest = b"".join(part for part in good if part is not missing)
        yield f"without member {number}", rest
        yield f"member {number} twice", rest + missing + missing
    yield "another order", z + c + a
    yield "other content", member(b"a", b"FIRST") + c + z
    yield "bytes after the content", header(b"a", 5) + b"first" + b"evil".ljust(507, b"\0") + c + z
    yield "a member more", b"".join(good) + member(b"d", b"x")
    yield "an empty member more", b"".join(good) + member(b"d")
    yield "a hole of zeros", a + bytes(2 * BLOCK) + c + z
    yield "nothing", b""
    yield "noise", os.urandom(4096)
    yield "a long name that is none", member(b"././@LongLink", b"a\0", kind=b"L") + b"".join(good)
    yield "a pax header", member(b"x", b"18 path=../../evil\n", kind=b"x") + b"".join(good)
    yield "a global pax header", member(b"x", b"18 path=../../evil\n", kind=b"g") + b"".join(good)


def test_archives_that_are_not_the_manifests(corpus: Corpus) -> None:
    found = corpus.refuses((name, corpus.parts.with_tar(tar + END)) for name, tar in tars(corpus))
    assert len(found) > 500


def test_archives_that_do_not_end_where_they_should(corpus: Corpus) -> None:
    good = corpus.parts.tar.rstrip(b"\0")
    good += bytes(-len(good) % BLOCK)
    ends = {"no end": b"", "half an end": bytes(BLOCK), "not a block": END + b"\0" * 600 + b"x",
    "data after": END + b"evil",
            "much after": END + bytes(1 << 20), "a second archive": END + good + END}  # fmt: skip
    corpus.refuses((name, corpus.parts.with_tar(good + end)) for name, end in ends.items())


def test_packed_streams_that_are_not_one_gzip_stream(corpus: Corpus) -> None:
    tar = corpus.parts.tar
    good = gzip(tar)
    ways: dict[str, bytes] = {
        "plain": tar,
        "zlib": zlib.compress(tar),
        "raw deflate": zlib.compress(tar)[2:-4],
        "data behind": good + b"evil",
        "zeros behind": good + bytes(512),
        "a second stream": good + gzip(b"evil"),
        "an empty second stream": good + gzip(b""),
        "two halves": gzip(tar[:512]) + gzip(tar[512:]),
        "wrong crc": good[:-8] + bytes(4) + good[-4:],
        "wrong length": good[:-4] + b"\xff" * 4,
        "no trailer": good[:-8],
        "nothing": b"",
        "magic only": good[:10],
        "unknown method": good[:2] + b"\x09" + good[3:],
        "reserved flags": good[:3] + b"\xe0" + good[4:],
        "xz": b"\xfd7zXZ\0" + good,
    }
    corpus.refuses((name, corpus.parts.with_tar(b"", packed=lambda _, d=data: d)) for name, data in ways.items())


# ---- sizes


def test_files_that_are_larger_or_smaller_than_they_say(corpus: Corpus) -> None:
    def lie(size: object) -> bytes:
        return corpus.parts.with_manifest(lambda m: m["files"][0].update(size=size))

    sizes = [0, 4, 6, 512, 513, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 63, 1 << 64, 10**300, -1, -5, 5.0, 5.5,
             "5", True, None, [5], {"5": 5}, 1e308]  # fmt: skip
    corpus.refuses((f"size {size!r:.40}", lie(size)) for size in sizes)
    texts = [
        b"1e999",
        b"-1e999",
        b"NaN",
        b"Infinity",
        b"9" * 5000,
        b"1" + b"0" * 100_000,
        b"0x5",
        b"05",
        b"5.",
        b".5",
        b"--5",
    ]
    raw = json.dumps(corpus.parts.manifest)
    place = '"size": 5'
    assert place in raw
    corpus.refuses(
        (f"size {t[:20]!r}", corpus.parts.with_text(raw.replace(place, f'"size": {t.decode()}', 1).encode()))
        for t in texts
    )


def test_bombs_cost_nothing(corpus: Corpus) -> None:
    packer = zlib.compressobj(9, wbits=31)
    chunk = bytes(1 << 20)
    size = 400 << 20
    assert size > MEMORY
    bomb = (
        packer.compress(header(b"a", size))
        + b"".join(packer.compress(chunk) for _ in range(400))
        + packer.compress(END)
        + packer.flush()
    )
    entry = {"path": "a", "size": size, "sha256": "0" * 64}

    def bundle(**changed: Any) -> bytes:
        manifest = corpus.parts.manifest | {"files": [entry | changed]}
        return assemble(corpus.parts.body, json.dumps(manifest).encode(), bomb)

    tail = zlib.compressobj(9, wbits=31)
    after = tail.compress(corpus.parts.tar) + b"".join(tail.compress(chunk) for _ in range(400)) + tail.flush()
    verdicts = corpus.refuses(
        {
            "says what it is": bundle(),
            "says it is small": bundle(size=5),
            "says it is as large as may be": bundle(size=60 << 20),
            "behind the files": corpus.parts.with_tar(b"", packed=lambda _: after),
            "a bomb in a bomb": corpus.parts.with_tar(gzip(bomb)),
        }
    )
    assert "packed bytes would become" in verdicts[0].message
    assert corpus.peak < MEMORY / 2


# ---- manifests


def deep(opening: str, closing: str, times: int) -> bytes:
    return (opening * times + "1" + closing * times).encode()


EMPTY = '"attrs": []'
DEEP = (
    f"{EMPTY[:-1]}{{'name': 'a', 'type': 'int', 'param_type': 'required', 'default': {'[' * 800}{']' * 800}}}]".replace(
        "'", '"'
    )
)


def test_manifests_that_would_use_up_the_machine(corpus: Corpus) -> None:
    entry = {"path": "", "size": 0, "sha256": ZEROS}
    many = [entry | {"path": f"f{i}"} for i in range(100_000)]
    raw = json.dumps(corpus.parts.manifest)[:-1]
    bodies = {
        "100,000 files": json.dumps(corpus.parts.manifest | {"files": many}).encode(),
        **{f"{times} lists": deep("[", "]", times) for times in (900, 1100, 10_000, 100_000, 1_000_000)},
        **{f"{times} objects": deep('{"a":', "}", times) for times in (900, 1100, 10_000, 100_000, 1_000_000)},
        "lists that never end": b"[" * (8 << 20),
        "deep in a field": f'{raw}, "options": {deep("[", "]", 50_000).decode()}}}'.encode(),
        "deep in a default": f'{raw.replace(EMPTY, DEEP)}}}'.encode(),
        "millions of lists": b"[" + b"[]," * 2_000_000 + b"[]]",
        "millions of objects": b"[" + b'{"":0},' * 2_000_000 + b"0]",
        "millions of numbers": f'{raw}, "soc": [{"7777," * 1_000_000}1]}}'.encode(),
        "one long text": f'{raw}, "isa": "{"x" * (12 << 20)}"}}'.encode(),
        "one long key": f'{raw}, "{"x" * (12 << 20)}": 1, "isa": 5}}'.encode(),
        "a long escape": f'{raw}, "isa": "{chr(92)}u0041{chr(92)}n"}}'.encode(),
        "a number of 100,000 digits": f'{raw}, "abi": {"9" * 100_000}}}'.encode(),
        "a huge exponent": f'{raw}, "abi": 1e999999999}}'.encode(),
    }  # fmt: skip
    corpus.refuses((name, corpus.parts.with_text(body)) for name, body in bodies.items())
    assert corpus.peak < MEMORY


def test_manifests_larger_than_any_may_be(corpus: Corpus) -> None:
    parts = corpus.parts
    corpus.refuses({"17 MiB": parts.with_text(b" " * (17 << 20))})


def test_manifests_that_are_not_utf8_or_not_json(corpus: Corpus) -> None:
    good = json.dumps(corpus.parts.manifest).encode()
    texts = {
        "latin-1": good.replace(b"customize", b"custom\xefze"), "utf-16": good.decode().encode("utf-16"),
        "utf-32": good.decode().encode("utf-32"), "a mark": b"\xef\xbb\xbf" + good, "overlong": good.replace(b"/",
        b"\xc0\xaf"),
        "a surrogate": good.replace(b"customize", b"\xed\xa0\x80"), "zero": good + b"\0", "two": good + good,
        "cut": good[:-1], "nothing": b"", "null": b"null", "true": b"true", "text": b'"x"', "list": b"[]",
        "object": b"{}",
        "number": b"1", "nan": b"NaN", "python": b"{'a': 1}", "comment": good + b"// x", "comma": good[:-1] + b",}",
        "a newline in text": good.replace(b"customize", b"custo\nmize"),
        "a key twice": good[:-1] + b', "vendor": "other"}', "a file's key twice": good.replace(b'"size": 5',
        b'"size": 5, "size": 5'),
        "newer": good.replace(b'"format": 1', b'"format": 2'), "older": good.replace(b'"format": 1', b'"format": 0'),
        "negative": good.replace(b'"format": 1', b'"format": -1'), "format nan": good.replace(b'"format": 1',
        b'"format": NaN'),
        "format true": good.replace(b'"format": 1', b'"format": true'), "format 1.0": good.replace(b'"format": 1',
        b'"format": 1.0'),
    }  # fmt: skip
    assert good.count(b"customize") == 2
    corpus.refuses((name, corpus.parts.with_text(text)) for name, text in texts.items())


VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    "",
    "x",
    "\x1b[2J",
    "\u202e",
    [],
    {},
    [None],
    [1],
    [[]],
    ["\n"],
    {"a": None},
    {"a": {}},
]
KINDS = {"text": str, "number": int, "list": list, "object": dict}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def put(manifest: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    target = manifest
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return manifest


def test_a_value_of_another_kind_anywhere(corpus: Corpus) -> None:
    manifest = corpus.parts.manifest
    manifest["options"] = {"march": "x86-64-v3"}
    manifest["tools"] = {"g++": "12"}
    files = []
    for path in places(manifest):
        here = manifest
        for key in path:
            here = here[key]
        for value in VALUES:
            if type(value) is type(here) and value not in ("\x1b[2J", "\u202e"):
                continue
            if path[:1] == ("source",) or path[-2:] == ("op_info", "kernel"):
                continue
            changed = put(json.loads(json.dumps(manifest)), path, value)
            files.append((f"{path} = {value!r}", corpus.parts.with_text(json.dumps(changed).encode())))
    assert len(files) > 800
    corpus.refuses(files)


def test_a_key_that_is_missing(corpus: Corpus) -> None:
    manifest = corpus.parts.manifest
    files = []
    for path in places(manifest):
        if not path or not isinstance(path[-1], str) or path[0] in ("options", "source", "tools"):
            continue
        if path[-1] in ("kernel", "flags", "extra"):
            continue
        changed = json.loads(json.dumps(manifest))
        target = changed
        for key in path[:-1]:
            target = target[key]
        del target[path[-1]]
        files.append((f"without {path}", corpus.parts.with_text(json.dumps(changed).encode())))
    assert len(files) > 30
    corpus.refuses(files)


# ---- damage

BIG = {"noise": bytes(range(256)) * 4, "more": hashlib.shake_256(b"opkg").digest(160_000)}


def test_header_edits_at_every_byte(corpus: Corpus) -> None:
    good = corpus.parts.with_tar(corpus.parts.tar)

    def edits() -> Iterator[tuple[str, bytes]]:
        for place in range(HEADER_SIZE):
            for value in {good[place] ^ 1, good[place] ^ 0x80, 0, ord("\n"), ord(" "), ord("9"), ord("a")} - {
                good[place]
            }:
                yield f"byte {place} = {value}", good[:place] + bytes([value]) + good[place + 1 :]

    corpus.refuses(edits())


def test_headers_that_lie_about_sizes(corpus: Corpus) -> None:
    parts = corpus.parts
    good = assemble(parts.body, parts.manifest_bytes, gzip(parts.tar))
    honest = Header.decode(good[:HEADER_SIZE])
    numbers = [
        0,
        1,
        HEADER_SIZE - 1,
        HEADER_SIZE,
        1 << 20,
        1 << 31,
        1 << 32,
        10**12 - 1,
        honest.stub + 1,
        honest.stub - 1,
    ]
    lies = [
        (f"{field} = {value}", replace(honest, **{field: value}).encode() + good[HEADER_SIZE:])
        for field in ("stub", "manifest", "payload", "signature")
        for value in numbers
        if value != getattr(honest, field)
    ]
    # Sizes that add up, each part taking from its neighbour.
    for one, other in (("stub", "manifest"), ("manifest", "payload"), ("payload", "signature"), ("stub", "payload")):
        for by in (1, 100):
            moved = {one: getattr(honest, one) - by, other: getattr(honest, other) + by}
            lies.append((f"{by} from {one} to {other}", replace(honest, **moved).encode() + good[HEADER_SIZE:]))
    corpus.refuses(lies)


def test_files_cut_at_every_4_kib_and_around_every_border(corpus: Corpus) -> None:
    (corpus.folder / "big").mkdir()
    parts = take_apart(corpus.folder / "big", BIG)
    good = parts.with_tar(parts.tar)
    sizes = Header.decode(good[:HEADER_SIZE])
    borders = [0, HEADER_SIZE, sizes.stub, sizes.stub + sizes.manifest, len(good)]
    places = {*range(0, len(good), 4096), *(b + d for b in borders for d in range(-3, 4))}
    cuts = sorted(place for place in places if 0 <= place < len(good))
    assert len(cuts) > 40
    corpus.refuses((f"cut at {place}", good[:place]) for place in cuts)
    corpus.refuses((f"{n} bytes more", good + b"x" * n) for n in (1, 2, 511, 512, 4096, 1 << 20))
    corpus.refuses((f"{n} bytes of the end changed", good[:-n] + b"\xff" * n) for n in (1, 512, 4096, 65_536))


def test_what_is_no_bundle_at_all(corpus: Corpus) -> None:
    magic = b"#!/bin/sh\n# opkg bundle "
    files = {"empty": b"", "zeros": bytes(10_000), "noise": os.urandom(10_000), "magic": magic,
    "magic 1": magic + b"1\n",
             "magic 2": magic + b"2\n", "script": b"#!/bin/sh\nrm -rf /\n", "zip": b"PK\x03\x04" + bytes(100),
             "elf": b"\x7fELF" + bytes(1000), "tar": corpus.parts.tar, "gzip": gzip(corpus.parts.tar)}  # fmt: skip
    corpus.refuses(files)


def test_texts_that_would_write_to_a_terminal(corpus: Corpus) -> None:
    evil = "\x1b]0;x\x07"

    def edit(path: tuple[Any, ...]) -> bytes:
        return corpus.parts.with_manifest(lambda m: put(m, path, evil))

    source = corpus.parts.manifest | {"source": {"commit": evil}}
    options = corpus.parts.manifest | {"options": {evil: "x"}}
    tools = corpus.parts.manifest | {"tools": {"g++": evil}}
    files = {name: corpus.parts.with_text(json.dumps(m).encode()) for name, m in
             (("source", source), ("options", options), ("tools", tools))}  # fmt: skip
    places = [("domain",), ("isa",), ("soc", 0), ("operators", 0, "aliases"), ("operators", 0, "op_info", "op")]
    corpus.refuses(files | {str(path): edit(path) for path in places})
