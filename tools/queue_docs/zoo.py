"""The table of scenarios/aqm-zoo.toml: every discipline in one scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tailrace
from queue_docs.catalog import PLACE, ROOT, by_family, entries, table
from tailrace import api
from tailrace.study import variants

SCENARIO = ROOT / "scenarios" / "aqm-zoo.toml"
QUEUE = "g1->g2"

_INTRO = """<!-- Written by `make docs` from a run of scenarios/aqm-zoo.toml. Do not edit. -->

# The zoo

[`scenarios/aqm-zoo.toml`](../../scenarios/aqm-zoo.toml): ten long TCP flows, ten users who fetch 20 kB again and again,
and from 5 s on a UDP source of 10 Mbit/s, over one link of 10 Mbit/s with {room}. All else is as each discipline has it
by default: this compares defaults, not what a discipline could do. {runs} runs of {duration:g} s, statistics from
{warmup} on; means and, where the last digit would otherwise promise too much, 95 % confidence intervals.

- **flood's share**: of all goodput; an equal share among 21 senders would be 5 %.
- **long**: goodput of the ten long flows together, and Jain's index among them.
- **short**: the time to fetch 20 kB, mean and 99th percentile.
- **sojourn**: in the queue, of all packets that got through.
- **loss**: of TCP's packets, and of the flood's.
- **flagged**: in how many runs the flood was found; how many of the 20 others were, mean a run. Only for disciplines
  that single out flows.

Read with care: `cake` first shares among hosts, and here all TCP flows go to one server and the flood to another, so
each gets half; `netfence` is one queue here instead of access routers and a bottleneck. The flood lasts to the end of
each run here; with `cobalt`, TCP stays locked out for minutes after it: [after a flood](../howto/after-a-flood.md).

`tailrace compare scenarios/aqm-zoo.toml` gives these numbers, and more, on any machine.
"""


def write(path: Path = PLACE / "zoo.md") -> list[Path]:
    """Runs the scenario and writes its table."""
    scenario = tailrace.Scenario.of(SCENARIO)
    cells = {cell.label: scenario.replaced(cell.overrides) for cell in variants.of_scenario(scenario)}
    results = api.run_variants(cells).results
    document = {label: result.summary for label, result in results.items()}
    path.write_text(text(document, scenario), encoding="utf-8")
    return [path]


def text(document: dict[str, Any], scenario: tailrace.Scenario) -> str:
    """The page from the results by label."""
    intro = _INTRO.format(
        room="room for 200 packets", runs=scenario.runs, duration=scenario.duration_s, warmup="10 s"
    )
    parts = [intro.rstrip()]
    head = [
        "queue", "flood's share %", "long Mbit/s", "Jain", "short s", "p99 s", "sojourn ms", "p99 ms",
        "loss TCP %", "flood %", "flood flagged", "others flagged",
    ]  # fmt: skip
    known = {entry["name"]: entry for entry in entries()}
    for family, members in by_family(list(known.values())).items():
        labels = [label for label in document if _kind(label) in {entry["name"] for entry in members}]
        rows = [row(label, document[label], classifies=known[_kind(label)]["classifies"]) for label in labels]
        parts += [f"## {family[0].upper()}{family[1:]}", table(head, rows, right=1)]
    return "\n\n".join(parts) + "\n"


def row(label: str, summary: dict[str, Any], *, classifies: bool) -> list[str]:
    """Numbers of one discipline."""
    groups, queue = summary["aggregate"]["groups"], summary["aggregate"]["queues"][QUEUE]
    shares = [_share(run["groups"]) for run in summary["runs"]]
    sent = sum(run["groups"][g]["sent_packets"] for run in summary["runs"] for g in ("long", "short"))
    lost = sum(run["groups"][g]["lost_packets"] for run in summary["runs"] for g in ("long", "short"))
    flags = [run["queues"][QUEUE]["flagged"] for run in summary["runs"]]
    found = sum(flag["true_positive"] > 0 for flag in flags)
    wrong = sum(flag["false_positive"] for flag in flags) / len(flags)
    page = _kind(label)
    return [
        f"[`{label}`]({page}.md)",
        f"{100 * sum(shares) / len(shares):.0f}",
        _with_interval(groups["long"]["goodput_bps"]["sum"], 1e-6),
        _shown(groups["long"]["jain"], 1, 2),
        _shown(groups["short"]["completion_s"]["mean"], 1, 2),
        _shown(groups["short"]["completion_s"]["p99"], 1, 1),
        _shown(queue["sojourn_s"]["mean"], 1e3, 1),
        _shown(queue["sojourn_s"]["p99"], 1e3, 0),
        f"{100 * lost / sent:.1f}" if sent else "",
        _shown(groups["flood"]["loss_ratio"], 100, 0),
        f"{found} of {len(flags)}" if classifies else "",
        f"{wrong:.1f}" if classifies else "",
    ]


def _kind(label: str) -> str:
    """A label begins with the discipline's name."""
    return label.partition(" ")[0]


def _share(groups: dict[str, Any]) -> float:
    goodput = {name: group["goodput_bps"]["sum"] for name, group in groups.items()}
    return float(goodput["flood"] / sum(goodput.values()))


def _shown(aggregate: dict[str, Any] | None, scale: float, digits: int) -> str:
    mean = aggregate["mean"] if aggregate else None
    return "" if mean is None else f"{mean * scale:.{digits}f}"


def _with_interval(aggregate: dict[str, Any], scale: float) -> str:
    half = aggregate["ci95"]
    mean = aggregate["mean"] * scale
    return f"{mean:.2f}" if half is None else f"{mean:.2f} ± {half * scale:.2f}"
