"""The rooms of the house: which crate may know which, and what each may take from outside."""

import json
import re
import shutil
import subprocess

import pytest

import imports
from conftest import ROOT

# crate: (our crates that it may use, crates of others that it may use); tests may use more.
ALLOWED = {
    "core": (set(), {"libm"}),
    "qdisc": ({"core"}, set()),
    # RFC 8684 needs SHA-256 and its HMAC: tokens, initial numbers, proofs.
    "transport": ({"core"}, {"hmac", "sha2"}),
    "app": ({"core"}, set()),
    "impair": ({"core", "qdisc"}, set()),
    "access": ({"core"}, set()),
    "wire": ({"core"}, set()),
    "net": ({"core", "qdisc", "impair", "access"}, set()),
    "scenario": ({"core", "qdisc", "transport", "app", "impair", "access"}, {"serde", "serde_json", "toml"}),
    "sim": (
        {"core", "qdisc", "transport", "app", "impair", "access", "wire", "net", "scenario"},
        {"serde", "serde_json"},
    ),
    "live": ({"core", "qdisc", "wire", "net", "scenario"}, None),
    "bench": ({"core", "qdisc", "transport", "wire", "net", "scenario", "sim"}, None),
    "python": (
        {"core", "qdisc", "transport", "app", "impair", "access", "scenario", "sim", "guest", "live"},
        {"pyo3", "serde_json"},
    ),
    "wasm": ({"core", "scenario", "sim"}, {"serde_json"}),
    # What it does to memory that it shares, and to processes, is the operating system's.
    "guest": ({"agent", "core", "scenario", "sim", "wire"}, {"rustix", "serde", "serde_json", "tempfile"}),
    "agent": ({"wire"}, {"nix", "rustix", "seccompiler", "serde", "serde_json"}),
}
# crate: its rooms, each with those that it may import. What belongs to no room puts the rooms together.
ROOMS: dict[str, dict[str, set[str]]] = {
    "scenario": {
        "model": set(),
        "text": set(),
        "declarations": {"model", "text"},
        "resolving": {"declarations", "model", "text"},
        "advice": {"declarations", "model", "resolving", "text"},
    },
}
# Sans-IO: the simulator and all below it open no file or socket, start no thread and read no clock.
SANS_IO = ("core", "qdisc", "transport", "app", "impair", "access", "wire", "net", "scenario", "sim")
# Tests at the end of a file may; a module of tests in a file of its own is declared so.
TESTS = re.compile(r"#\[cfg\(test\)\]\nmod \w+ \{")
IO = re.compile(r"\bstd::(fs|net|thread|process|os|env)\b|\bSystemTime\b|\bstd::time::Instant\b")


@pytest.fixture(scope="module")
def packages():
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is missing")
    text = subprocess.run(
        [cargo, "metadata", "--no-deps", "--format-version", "1"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return {package["name"].removeprefix("tailrace-"): package for package in json.loads(text)["packages"]}


def dependencies(package):
    return {d["name"] for d in package["dependencies"] if d["kind"] in (None, "build")}


def test_every_crate_has_its_place(packages):
    assert set(packages) <= set(ALLOWED)
    assert set(SANS_IO) <= set(packages)


def test_crates_know_only_those_below_them(packages):
    for name, package in packages.items():
        ours = {d.removeprefix("tailrace-") for d in dependencies(package) if d.startswith("tailrace-")}
        assert ours <= ALLOWED[name][0], f"{name} may not use {ours - ALLOWED[name][0]}"


def test_crates_of_others_stay_where_they_belong(packages):
    for name, package in packages.items():
        others = {d for d in dependencies(package) if not d.startswith("tailrace-")}
        allowed = ALLOWED[name][1]
        assert allowed is None or others <= allowed, f"{name} may not use {others - allowed}"


def test_disciplines_and_endpoints_do_not_know_each_other_even_in_tests(packages):
    for one, other in (("qdisc", "transport"), ("transport", "qdisc"), ("sim", "live"), ("live", "sim")):
        named = {d["name"] for d in packages.get(one, {"dependencies": []})["dependencies"]}
        assert f"tailrace-{other}" not in named


def circle(graph):
    """Those that know each other in a circle; empty where there is none."""
    left = dict(graph)
    while True:
        known = {name for below in left.values() for name in below}
        inner = {
            name: below & set(left) for name, below in left.items() if name in known and below & set(left)
        }
        if inner == left:
            return sorted(left)
        left = inner


def test_circles_are_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == ["b", "c"]


def test_the_tables_of_crates_and_rooms_have_no_circle():
    assert circle({name: below for name, (below, _) in ALLOWED.items()}) == []
    for rooms in ROOMS.values():
        assert circle(rooms) == []


def test_imports_are_found_however_they_are_written(tmp_path):
    files = {
        "lib.rs": "mod a;\nmod b;\npub use a::two::Thing;",
        "a/mod.rs": "//! Doc that names crate::b.\npub(crate) mod one;\npub(crate) mod two;\nuse self::one::f;",
        "a/one.rs": "use crate::{\n    b::{self, g},\n    a::two as other,\n};\nuse std::fmt;",
        "a/two.rs": "fn f() -> super::super::b::T { x }\n#[cfg(test)]\nmod tests { use crate::a::one; }",
        "b.rs": "// use crate::a;\npub(crate) fn g() { crate::a::one::f(self::h) }",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert imports.imports(tmp_path) == {
        (): {("a",), ("b",), ("a", "two")},
        ("a",): {("a", "one"), ("a", "two")},
        ("a", "one"): {("b",), ("a", "two")},
        ("a", "two"): {("b",)},
        ("b",): {("a", "one")},
    }


@pytest.mark.parametrize("crate", ROOMS)
def test_rooms_know_only_those_below_them(crate):
    rooms = ROOMS[crate]
    found = imports.imports(ROOT / "crates" / crate / "src")
    folders = {module[0] for module in found if len(module) > 1}
    assert folders == set(rooms), "a folder is a room, and a room a folder"
    for module, named in found.items():
        if not module or module[0] not in rooms:
            continue
        for other in named:
            room = other[0] if other else "lib.rs"
            here, there = "::".join(module), "::".join(other) or "lib.rs"
            assert room in {module[0], *rooms[module[0]]}, f"{crate}: {here} may not import {there}"


@pytest.mark.parametrize("crate", ROOMS)
def test_modules_of_a_crate_with_rooms_have_no_circle(crate):
    assert circle(imports.imports(ROOT / "crates" / crate / "src")) == []


@pytest.mark.parametrize("crate", ROOMS)
def test_rooms_say_what_they_may_import(crate):
    for room, below in ROOMS[crate].items():
        text = (ROOT / "crates" / crate / "src" / room / "mod.rs").read_text(encoding="utf-8")
        said = re.search(r"May import: (.+)\.\n\n", text)
        assert said is not None, f"{crate}: {room}/mod.rs does not say it"
        assert set(re.findall(r"`(\w+)`", said[1])) == below, f"{crate}: {room}/mod.rs says {said[1]}"


def test_neither_the_simulator_nor_what_is_below_it_touches_the_system():
    for crate in SANS_IO:
        for file in sorted((ROOT / "crates" / crate / "src").rglob("*.rs")):
            code = re.sub(r"//.*", "", TESTS.split(file.read_text(encoding="utf-8"))[0])
            found = IO.search(code)
            assert found is None, f"{file.relative_to(ROOT)} uses {found.group()}"
