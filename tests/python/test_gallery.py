"""The gallery holds every discipline there is, and what the docs say about them is what the code says."""

import tomllib

import pytest

import tailrace
from conftest import ROOT
from queue_docs import apps, columns, pages
from tailrace import api

SCENARIOS = ROOT / "scenarios"
NAMES = [queue["name"] for queue in tailrace.list_queues()]


@pytest.mark.generated
def test_the_zoo_holds_every_discipline():
    zoo = tomllib.loads((SCENARIOS / "aqm-zoo.toml").read_text())
    cells = zoo["sweep"]["link.bottleneck.queue"]
    assert sorted({cell["kind"] for cell in cells}) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_flood_runs_through_every_discipline(name):
    quick = {"duration": "12 s", "warmup": "6 s", "record.interval": "off", "link.bottleneck.queue": name}
    (run,) = tailrace.run(SCENARIOS / "flood.toml", runs=1, set=quick).summary["runs"]
    queue = run["queues"]["g1->g2"]
    assert queue["kind"] == name
    # 10 Mbit/s for 6 s are 7500 packets of 1000 bytes; whatever it does, it must not stop the link.
    assert queue["dequeued_packets"] > 1000
    assert sum(queue["dropped_packets"].values()) > 0


def test_the_gallery_lists_every_scenario():
    listed = (SCENARIOS / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in SCENARIOS.glob("*.toml") if f"]({path.name})" not in listed] == []


@pytest.mark.generated
def test_the_pages_say_what_the_code_says():
    texts = pages.texts()
    for name, text in texts.items():
        path = pages.PLACE / name
        assert path.exists(), f"{path} is missing: run make docs"
        assert path.read_text(encoding="utf-8") == text, (
            f"{path} is not what the code says now: run make docs"
        )
    written = {path.name for path in pages.PLACE.glob("*.md")}
    assert written == {*texts, "zoo.md", "cost.md"}
    assert {path.stem for path in (pages.PLACE / "figures").glob("*.svg")} == set(NAMES)


@pytest.mark.generated
def test_applications_are_described_as_the_code_has_them():
    for path, text in apps.texts().items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path} is not what the code says now: run make docs"
        )
    names = [app["name"] for app in api.catalog()["apps"]]
    described = apps.PAGE.read_text(encoding="utf-8")
    listed = apps.SCENARIOS.read_text(encoding="utf-8")
    assert [n for n in names if f"### `{n}`" not in described or f"| `{n}` |" not in listed] == []


@pytest.mark.generated
@pytest.mark.parametrize("sort", ["faults", "losses", "rates"])
def test_kinds_of_faults_losses_and_rates_are_listed_with_their_keys(sort):
    listed = apps.SCENARIOS.read_text(encoding="utf-8")
    listed = listed.partition(f"<!-- {sort}: ")[2].partition(f"<!-- end of {sort} -->")[0]
    kinds = api.catalog()[sort]
    assert len(kinds) >= (1 if sort == "rates" else 3)
    for kind in kinds:
        assert f"| `{kind['name']}` |" in listed
        assert kind["doc"] in listed


@pytest.mark.generated
def test_columns_and_keys_are_described_as_the_code_has_them():
    assert columns.RESULTS.read_text(encoding="utf-8") == columns.text(), "run make docs"
    described = columns.RESULTS.read_text(encoding="utf-8")
    for kind, listed in [("columns", "tables"), ("keys", "summary")]:
        for entry in api.catalog()[listed]:
            assert f"<!-- {kind} of {entry['name']}: " in described
            assert [c["name"] for c in entry["params"] if f"| `{c['name']}` |" not in described] == []


@pytest.mark.generated
@pytest.mark.parametrize("page", ["zoo.md", "cost.md"])
def test_every_discipline_has_a_row_in_the_tables(page):
    text = (pages.PLACE / page).read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| [`{name}`]({name}.md) |" not in text] == []


@pytest.mark.generated
def test_every_discipline_is_named():
    text = (ROOT / "docs/reference/features.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []
