"""Scenarios built in code: every key has its place, files and objects are the same, and errors name the object."""

import ast
import copy
import json
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tailrace.api
import typed_scenarios
from conftest import ROOT, SMALL
from tailrace import build
from tailrace.build import (
    Flow,
    Host,
    Link,
    Record,
    Router,
    Scenario,
    _classes,
    _schema,
    _stubs,
    app,
    cc,
    fault,
    loss,
    queue,
    rate,
    transport,
)
from tailrace.errors import UsageError
from tailrace.execution import identity
from tailrace.reproduce import claims_file
from tailrace.scenario import objects

BUILD = Path(build.__file__).parent
PAGE = ROOT / "docs" / "guides" / "scenarios-in-code.md"
FILES = [
    *sorted((ROOT / "scenarios").glob("*.toml")),
    *sorted(file for file in (ROOT / "papers").glob("*/*.toml") if file.name != claims_file.FILE),
    *sorted((ROOT / "crates" / "scenario" / "tests" / "files").glob("*.toml")),
]


def line(**keys):
    """Two hosts and what is between them."""
    return Scenario(
        "line",
        "2 s",
        hosts=[Host("a"), Host("b")],
        links=[Link(["a", "b"], "2 Mbit/s", "10 ms", **keys)],
        flows=[Flow("f", "a", "b", "tcp", "bulk")],
    )


def test_classes_of_the_build_have_type_stubs():
    written = {path.name: path.read_text(encoding="utf-8") for path in BUILD.glob("*.pyi")}
    assert written == _stubs.texts(_schema.native()), "make build writes them"


def test_a_kind_more_in_the_schema_has_a_class_and_a_stub(monkeypatch):
    odd = {
        "title": "turn_style",
        "description": 'Takes "\\d" and """more"""',
        "type": "object",
        "properties": {
            "kind": {"const": "turn_style"},
            "class": {"type": "integer", "description": 'Which \\ or "which"'},
        },
        "required": ["kind", "class"],
    }
    document = json.loads(tailrace.api.schema())
    document["$defs"]["queue"]["anyOf"].append(odd)
    document["$defs"]["turn"] = {
        "description": "A turn.",
        "anyOf": [odd | {"title": "left", "required": ["kind"]}],
    }
    schema = _schema.Schema(document, tailrace.api.catalog())
    made = _classes.modules(schema, "made")
    for module in made.values():
        monkeypatch.setitem(sys.modules, module.__name__, module)
    turn = made["queue"].TurnStyle(3)
    assert turn.as_dict() == {"kind": "turn_style", "class": 3}
    assert made["turn"].Left(class_=1) == made["turn"].Left(class_=1)
    assert made["queue"].TurnStyle in made["types"].Queue.__args__
    texts = _stubs.texts(schema)
    for text in texts.values():
        ast.parse(text)
    assert "| queue.TurnStyle" in texts["types.pyi"]
    assert "class Left(Table):" in texts["turn.pyi"]
    assert "turn as turn" in texts["__init__.pyi"]


def test_modules_of_kinds_can_be_imported_by_name():
    program = (
        "import tailrace.build.queue as q, pickle; print(pickle.loads(pickle.dumps(q.Codel(target='3 ms'))))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "Codel(target='3 ms')\n"
    assert "Codel" in dir(queue)
    with pytest.raises(AttributeError, match=r"'tailrace\.build\.queue' has no attribute 'Coddle'"):
        _ = queue.Coddle


def test_every_kind_of_the_catalog_has_a_class_with_its_parameters():
    for sort, module in [
        ("queues", queue),
        ("cc", cc),
        ("apps", app),
        ("faults", fault),
        ("losses", loss),
        ("rates", rate),
    ]:
        kinds = {each._kind: each for each in (getattr(module, name) for name in module.__all__)}
        for entry in tailrace.api.catalog()[sort]:
            made = {f.removesuffix("_") for f in kinds[entry["name"]].__dataclass_fields__}
            assert {p["name"] for p in entry["params"]} <= made


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_and_its_objects_are_the_same_scenario(file):
    text = file.read_text(encoding="utf-8")
    read = tailrace.Scenario.of(text)
    made = Scenario.from_toml(text)
    assert _sorted(made.check()) == _sorted(read)
    if file.parent.name != "files":  # where no router stands between hosts
        assert identity.of_cell(made.check()) == identity.of_cell(read)
    assert made.check().outline["sweep"] == read.outline["sweep"]
    assert (made.name, made.question or "") == (read.name, read.question)
    assert Scenario.from_toml(made.to_toml()) == made
    # With every default written out, too: that has every key that there is.
    resolved = Scenario.from_toml(read.to_toml())
    assert _sorted(resolved.check()) == _sorted(read)


def _sorted(scenario):
    """The resolved file with its hosts before its routers, as objects have them."""
    tables = scenario.to_toml().split("\n\n")
    ranks = {"[[host]]": 1, "[[router]]": 2}
    first = next(place for place, table in enumerate(tables) if table.partition("\n")[0] in ranks)
    last = max(place for place, table in enumerate(tables) if table.partition("\n")[0] in ranks)
    nodes = sorted(tables[first : last + 1], key=lambda table: ranks[table.partition("\n")[0]])
    return tables[:first] + nodes + tables[last + 1 :]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_table_of_a_known_kind_becomes_an_object(file):
    def mappings(value):
        if isinstance(value, objects.Table):
            return [each for _, _, inner in objects.said_by(value) for each in mappings(inner)]
        if isinstance(value, list):
            return [each for inner in value for each in mappings(inner)]
        return [value] if isinstance(value, dict) else []

    made = Scenario.from_toml(file.read_text(encoding="utf-8"))
    assert [each for each in mappings(made) if each is not made.sweep] == []


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        (lambda s: setattr(s.links[0], "rate", "2 Mbps"), "links[0].rate", "2 Mbit/s"),
        (lambda s: setattr(s.links[0], "queue", queue.Red(min_th="9 parsecs")), "links[0].queue.min_th", "unit"),
        (lambda s: setattr(s.links[0], "queue", {"kind": "red", "mnith": 1}), "links[0].queue['mnith']", "min_th"),
        (lambda s: setattr(s.links[0], "between", ["a", "ü", "b"]), "links[0].between", "two"),
        (lambda s: setattr(s.links[0], "between", ["a", "c"]), "links[0].between[1]", "expected one of: a, b"),
        (lambda s: setattr(s.flows[0], "from_", "x"), "flows[0].from_", "expected one of: a, b"),
        (lambda s: setattr(s.flows[0], "transport", transport.Tcp(ecn="yes")), "flows[0].transport.ecn", "true"),
        (lambda s: s.hosts.append(Host("ä.b")), "hosts[2].name", "letters"),
        (lambda s: s.faults.append(fault.Down(at="3", link="a-b")), "faults[0].at", "unit"),
        (lambda s: setattr(s, "duration", 3), "duration", "such as"),
        (lambda s: setattr(s, "record", Record(interval="soon")), "record.interval", "such as"),
        (lambda s: setattr(s, "sweep", {"link.a-b.raet": [1]}), "sweep['link.a-b.raet'][0]", "did you mean `rate`"),
    ],
)  # fmt: skip
def test_an_error_names_the_object_and_the_remedy(change, path, said):
    scenario = line()
    scenario.check()
    scenario.question = "Gänge?"  # places are in bytes of UTF-8
    change(scenario)
    with pytest.raises(tailrace.ScenarioError) as caught:
        tailrace.run(scenario)
    assert f"--> {path}\n" in str(caught.value)
    assert said in str(caught.value).lower() or said in str(caught.value)
    assert path in [each.get("path") for each in caught.value.diagnostics]


def test_warnings_name_the_object_in_whatever_process():
    checked = line(queue=queue.Droptail(limit="1 packets")).check()
    for each in (checked, pickle.loads(pickle.dumps(checked)), checked.replaced({"runs": 2})):
        (warning,) = [text for text in each.warnings if "tiny-limit" in text]
        assert "--> links[0].queue\n" in warning


def test_run_compare_sweep_and_search_take_objects():
    scenario = line(name="line", queue=queue.Droptail(limit="20 packets"))
    text = scenario.to_toml()
    fingerprint = tailrace.run(text).manifest["fingerprint"]
    assert tailrace.run(scenario).manifest["fingerprint"] == fingerprint
    assert tailrace.run_variants({"x": scenario})["x"].manifest["fingerprint"] == fingerprint
    axes = {"link.line.queue": ["red", "codel"]}
    assert tailrace.sweep(scenario, axes).frame("flows").equals(tailrace.sweep(text, axes).frame("flows"))
    found = tailrace.search(
        scenario, {"link.line.queue.limit": ("5 packets", "50 packets")}, maximize="f.goodput", trials=2
    )
    assert len(found.trials) == 2


def test_swept_values_may_be_objects():
    done = tailrace.sweep(line(name="line"), {"link.line.queue": [queue.Codel(target="1 ms"), queue.Red()]})
    said = tailrace.sweep(
        line(name="line"), {"link.line.queue": [{"kind": "codel", "target": "1 ms"}, "red"]}
    )
    assert done.frame("flows").drop("line.queue").equals(said.frame("flows").drop("line.queue"))
    changed = tailrace.run(line(name="line"), set={"link.line.queue": queue.Codel(target="1 ms")})
    assert set(changed.queues["kind"].to_list()) == {"codel"}


def test_classes_of_ones_own_are_named_with_and_without_parameters():
    class Gentle(tailrace.Aqm):
        name = "gentle"
        long = tailrace.parameter("duration", "20 ms", "Delay from which packets are dropped.")

    for given in ("gentle", {"kind": "gentle", "long": "5 ms"}):
        scenario = line(queue=given)
        assert Scenario.from_toml(scenario.to_toml(), algorithms=[Gentle]) == scenario
        assert 'kind = "gentle"' in scenario.check(algorithms=[Gentle]).to_toml()


def test_what_there_is_not_is_refused_at_once():
    with pytest.raises(
        TypeError, match=re.escape("queue.Codel() has no 'tagret'; did you mean target? (it has form, limit,")
    ):
        queue.Codel(tagret="3 ms")
    with pytest.raises(AttributeError, match="raet"):
        line().links[0].raet = "1 Mbit/s"
    with pytest.raises(TypeError, match=r"links\[0\].mtu: a scenario cannot hold a complex"):
        line(mtu=1j).to_toml()


def test_keys_of_the_file_are_known_by_their_attributes():
    with pytest.raises(TypeError, match=r"Scenario\(\) has no 'link'; did you mean links\?"):
        Scenario("line", "2 s", link=[])
    with pytest.raises(TypeError, match=r"Host\(\) has no 'qqq' \(it has name,"):
        Host("a", qqq=1)


def test_a_class_for_an_object_of_it_is_told_where_and_what_to_write():
    class Gentle(tailrace.Aqm):
        name = "gentle"

    def said(scenario):
        with pytest.raises(TypeError) as caught:
            scenario.to_toml()
        return str(caught.value)

    assert said(line(queue=queue.Red)) == (
        "links[0].queue is the class queue.Red, not an object of it; write queue.Red()"
    )
    scenario = line()
    scenario.hosts = [Host("a"), Host]
    assert said(scenario) == "hosts[1] is the class Host, not an object of it; write Host()"
    scenario = line()
    scenario.record = Record
    assert "record is the class Record" in said(scenario)
    assert "write its name, 'gentle', and give the class in algorithms=" in said(line(queue=Gentle))
    assert "links[0].mtu is the class int, which a scenario cannot hold" in said(line(mtu=int))


@pytest.mark.parametrize("given", ["scenarios/flood.toml", "a b.toml", ROOT / "scenarios" / "flood.toml"])
def test_the_path_of_a_file_is_not_taken_for_its_text(given):
    with pytest.raises(
        UsageError, match=r"takes the text of a scenario, and '.*toml' is none; of a file: Scenario.of\('"
    ):
        tailrace.Scenario(given)
    with pytest.raises(UsageError, match=r"of a file: Scenario.from_toml\(Path\('.*'\).read_text\(\)\)"):
        Scenario.from_toml(given)


def test_objects_are_equal_where_they_say_the_same():
    assert Link(("a", "b"), "1 Mbit/s", "1 ms") == Link(["a", "b"], "1 Mbit/s", "1 ms")
    assert Link(["a", "b"], "1 Mbit/s", "1 ms", loss=0.5) != Link(["a", "b"], "1 Mbit/s", "1 ms")
    assert queue.Codel() != queue.CodelLifo()
    assert Host("a") != Router("a")
    assert pickle.loads(pickle.dumps(line())) == line()


def test_numbers_of_numpy_are_numbers():
    made = line(loss=np.float64(0.5))
    made.runs = np.int64(2)
    assert "loss = 0.5" in made.to_toml()
    assert made.check().runs == 2


def test_a_copy_is_apart():
    made = line()
    other = copy.deepcopy(made)
    other.links[0].rate = "1 Mbit/s"
    assert made.links[0].rate == "2 Mbit/s"
    assert made != other


def test_dictionaries_may_hold_objects():
    made = line()
    said = {"name": "line", "duration": "2 s", "host": made.hosts, "link": made.links, "flow": made.flows}
    assert identity.of_cell(tailrace.Scenario.of(said)) == identity.of_cell(made.check())


def test_a_file_says_what_was_said():
    made = line(queue=queue.Codel(target="3 ms", ecn=True), reverse=build.Reverse(rate="1 Mbit/s"))
    assert tomllib.loads(made.to_toml())["link"] == [
        {
            "between": ["a", "b"],
            "rate": "2 Mbit/s",
            "delay": "10 ms",
            "queue": {"kind": "codel", "target": "3 ms", "ecn": True},
            "reverse": {"rate": "1 Mbit/s"},
        }
    ]
    assert Scenario.from_toml(SMALL).to_toml().startswith('name = "small"\n')


def test_the_typed_examples_run():
    assert typed_scenarios.right().summary["runs"]


def test_the_page_runs_and_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) > 3
    known = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), known)
    (shown,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert shown in capsys.readouterr().out
