"""Layers of python/tailrace: a table of docs/explanation/architecture.md says which room imports which; no circles."""

import ast

import pytest

import rooms
from conftest import ROOT

PACKAGE = ROOT / "python" / "tailrace"
# Classes that draw themselves: late imports of a room above. This list may only shrink.
KNOWN = {
    ("data.comparison", "show"),
    ("data.result", "show"),
    ("study.search_result", "show"),
    ("study.sweep_result", "show"),
}


def modules(package=PACKAGE):
    """Every module by its name within the package; a folder's `__init__` is called as the folder."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(package=PACKAGE, name="tailrace"):
    """Module -> modules of the package that it imports: at its top, in functions, and for type checkers."""
    files = modules(package)
    known = {*files, "_native"}
    return {module: _imported(file, known, name) - {module} for module, file in files.items()}


def _imported(file, known, name):
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} is a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for full in names:
            inner = full.removeprefix(f"{name}.")
            if inner == full:
                continue
            # A name that is no module is defined in one.
            found.add(inner if inner in known else inner.rpartition(".")[0])
    return found


def room(module):
    return module.partition(".")[0]


def folders(graph):
    """Folder -> its files and folders, each with those of them that it imports."""
    found = {}
    for module, named in graph.items():
        parts = module.split(".")
        for other in named:
            others = other.split(".")
            depth = next((n for n, (a, b) in enumerate(zip(parts, others, strict=False)) if a != b), None)
            if depth is not None:
                inside = found.setdefault(".".join(parts[:depth]), {})
                inside.setdefault(parts[depth], set()).add(others[depth])
                inside.setdefault(others[depth], set())
    return found


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


def test_imports_are_found_wherever_they_stand(tmp_path):
    files = {
        "__init__.py": "",
        "a/__init__.py": "",
        "a/one.py": "from pkg.a import two\nfrom pkg.b import Thing\nimport os",
        "a/two.py": "def f():\n    from pkg import b as other\n",
        "b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pkg.a.one\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = imports(tmp_path, "pkg")
    assert found == {"": set(), "a": set(), "a.one": {"a.two", "b"}, "a.two": {"b"}, "b": {"a.one"}}
    assert folders(found) == {"": {"a": {"b"}, "b": {"a"}}, "a": {"one": {"two"}, "two": set()}}
    assert circle(folders(found)[""]) == ["a", "b"]


@pytest.fixture(scope="module")
def graph():
    return {module: named for module, named in imports().items() if module}


def test_the_table_names_every_room(graph):
    assert {room(module) for module in graph} | {"_native"} == set(rooms.of("python/tailrace"))


def test_rooms_import_only_those_that_their_table_names(graph):
    allowed = rooms.of("python/tailrace")
    up = {
        (module, room(other))
        for module, named in graph.items()
        for other in named
        if room(other) not in {room(module), *allowed[room(module)]}
    }
    assert up == KNOWN


def test_folders_have_no_circle(graph):
    downward = {
        module: {other for other in named if (module, room(other)) not in KNOWN}
        for module, named in graph.items()
    }
    circles = {folder: circle(inside) for folder, inside in folders(downward).items()}
    assert {folder: found for folder, found in circles.items() if found} == {}
