"""The rooms of the house: which crate may know which, and what each may take from outside."""

import json
import re
import shutil
import subprocess

import pytest

import imports
import rooms
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
        {"core", "qdisc", "transport", "app", "impair", "access", "scenario", "sim", "guest", "quic", "live"},
        {"pyo3", "serde_json"},
    ),
    "wasm": ({"core", "scenario", "sim"}, {"serde_json"}),
    # The template of templates/discipline.
    "my-discipline": ({"core", "qdisc", "scenario", "sim"}, set()),
    # Stacks of others, each of an exact version.
    "quic": (
        {"core", "transport", "wire", "scenario", "sim"},
        {"bytes", "noq-proto", "quinn-proto"},
    ),
    # What it does to memory that it shares, and to processes, is the operating system's.
    "guest": ({"agent", "core", "scenario", "sim", "wire"}, {"rustix", "serde", "serde_json", "tempfile"}),
    "agent": ({"wire"}, {"landlock", "nix", "rustix", "seccompiler", "serde", "serde_json"}),
}
MOST_FILES_OF_A_TYPE = 8
# Sans-IO: the simulator and all below it open no file or socket, start no thread and read no clock.
SANS_IO = ("core", "qdisc", "transport", "app", "impair", "access", "wire", "net", "scenario", "sim")
CRATES = [name for name in rooms.tables() if "/" not in name]
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


def source(crate):
    return ROOT / "crates" / crate / "src"


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
    """The nodes of a circle and those between circles; empty where there is none."""
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


def test_the_table_of_crates_has_no_circle():
    assert circle({name: below for name, (below, _) in ALLOWED.items()}) == []


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


@pytest.mark.parametrize("crate", CRATES)
def test_the_table_names_every_room_of_a_crate(crate):
    found = {module[0] for module in imports.imports(source(crate)) if module} - {"main"}
    assert found == set(rooms.of(crate)), (
        "docs/explanation/architecture.md has a row for each folder and file"
    )


@pytest.mark.parametrize("crate", CRATES)
def test_rooms_import_only_those_that_their_table_names(crate):
    allowed = rooms.of(crate)
    for module, named in imports.imports(source(crate)).items():
        if not module or module[0] == "main" or "tests" in module:
            continue
        for other in named:
            here, there = "::".join(module), "::".join(other) or "lib.rs"
            room = other[0] if other else "lib.rs"
            assert room in {module[0], *allowed[module[0]]}, f"{crate}: {here} may not import {there}"


@pytest.mark.parametrize("crate", CRATES)
def test_files_of_a_folder_do_not_import_each_other_in_a_circle(crate):
    graphs = folders(imports.imports(source(crate))).values()
    assert [group for graph in graphs for group in groups(graph) if not is_registry(group)] == []


def folders(found):
    """For each folder of a crate, its files and folders, each with those of them that it imports."""
    graphs = {}
    for module in found:
        for depth in range(len(module)):
            graphs.setdefault(module[:depth], {}).setdefault(module[depth], set())
    for module, named in found.items():
        for other in named:
            depth = next((n for n, (a, b) in enumerate(zip(module, other, strict=False)) if a != b), None)
            if depth is not None:
                graphs[module[:depth]][module[depth]].add(other[depth])
    return graphs


def groups(graph):
    """The groups of names that reach each other along the graph's edges."""

    def reached(start):
        seen, left = set(), [start]
        while left:
            fresh = graph[left.pop()] - seen
            seen |= fresh
            left += fresh
        return seen

    reach = {name: reached(name) for name in graph}
    found = {
        tuple(sorted(o for o in reach[name] if name in reach[o])) for name in graph if name in reach[name]
    }
    return sorted(found)


def is_registry(group):
    """Whether a circle is a kind and the table that names the file of each kind, such as `grant` and `grants`."""
    return len(group) == 2 and (group[0] + "s" == group[1] or "registry" in group)


def test_circles_in_a_folder_are_found_and_registries_pass():
    found = {
        ("a",): {("a", "b")},
        ("a", "b"): {("a", "c", "d")},
        ("a", "c", "d"): {("a", "b")},
        ("a", "c"): set(),
    }
    assert groups(folders(found)[("a",)]) == [("b", "c")]
    assert is_registry(("kind", "kinds"))
    assert not is_registry(("kind", "other"))


# Types that connect parts: whoever reads one opens so many files at most, and a part has methods of its own.
@pytest.mark.parametrize(("crate", "name"), [("sim", "World"), ("transport", "Tcp"), ("transport", "Mptcp")])
def test_methods_of_a_connecting_type_lie_in_few_files(crate, name):
    written = re.compile(rf"^impl(?:<[^>]*>)? {name}(?:<[^>]*>)? \{{", re.MULTILINE)
    files = [
        file
        for file in source(crate).rglob("*.rs")
        if "tests" not in file.parts and not file.stem.endswith("tests")
    ]
    spread = [file for file in files if written.search(TESTS.split(file.read_text(encoding="utf-8"))[0])]
    assert 0 < len(spread) <= MOST_FILES_OF_A_TYPE, (
        f"{name} has methods in {[str(file.relative_to(ROOT)) for file in spread]}"
    )


def test_neither_the_simulator_nor_what_is_below_it_touches_the_system():
    for crate in SANS_IO:
        for file in sorted((ROOT / "crates" / crate / "src").rglob("*.rs")):
            code = re.sub(r"//.*", "", TESTS.split(file.read_text(encoding="utf-8"))[0])
            found = IO.search(code)
            assert found is None, f"{file.relative_to(ROOT)} uses {found.group()}"
