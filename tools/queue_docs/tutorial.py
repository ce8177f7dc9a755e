"""Figure of README.md and of the first page of the documentation, from the tutorial's own scenario."""

from __future__ import annotations

import io
import re
from pathlib import Path

import polars as pl

import tailrace
from queue_docs.catalog import ROOT
from queue_docs.figures import smaller
from tailrace.show.plots import style

PAGE = ROOT / "docs" / "tutorial.md"
PLACE = ROOT / "docs" / "figures"

QUEUES = {"droptail": "droptail limit 500", "codel": "codel", "fq_codel": "fq_codel limit 1000"}
_SCENARIO = re.compile(r"`hello\.toml`:\n\n```toml\n(.*?)```", re.DOTALL)
_WORDS = {
    "droptail": "a plain queue",
    "codel": "CoDel",
    "fq_codel": "FQ-CoDel",
}


def write() -> list[Path]:
    """Draws it."""
    found = _SCENARIO.search(PAGE.read_text(encoding="utf-8"))
    assert found, "the tutorial has a scenario"
    return [_call(found[1])]


def _call(scenario: str) -> Path:
    """Figure of a call while a backup begins and ends."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings = {
        "duration": "30 s",
        "warmup": "0 s",
        "flow.backup.start": "5 s",
        "flow.backup.stop": "20 s",
        "record.interval": "100 ms",
    }
    base = tailrace.Scenario.of(scenario).replaced(settings)
    cells = {name: base.replaced({"link.bottleneck.queue": line}) for name, line in QUEUES.items()}
    results = tailrace.run_variants(cells).results
    with mpl.rc_context({**style.RC, "font.size": 9, "axes.labelsize": 9, "svg.fonttype": "path"}):
        figure = Figure(figsize=(7.2, 2.9), layout="constrained")
        axes = figure.subplots()
        axes.axvspan(5, 20, color="#f0f0f0", zorder=0, linewidth=0)
        axes.text(5.2, 1.015, "the backup uploads", transform=axes.get_xaxis_transform(), color="#555555")
        for index, (name, result) in enumerate(results.items()):
            rows = result.flow_series.filter(pl.col("group").cast(pl.String) == "call")
            both = (pl.col("one_way_delay_s") + pl.col("reverse_one_way_delay_s")) * 1e3
            rows = rows.select("time_s", both.alias("ms")).drop_nulls()
            axes.plot(rows["time_s"], rows["ms"], label=_WORDS[name], **style.line(index))
        axes.set_ylabel("round trip of the call (ms)")
        axes.set_xlabel("time (s)")
        axes.set_xlim(0, 30)
        axes.set_ylim(0, 700)
        axes.legend(loc="center right", fontsize=9)
    return _saved(figure, PLACE / "hello.svg")


def _saved(figure: object, path: Path) -> Path:
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})  # type: ignore[attr-defined]
    path.write_text(smaller(drawn.getvalue()), encoding="utf-8")
    return path
