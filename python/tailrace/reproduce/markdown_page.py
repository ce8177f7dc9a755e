"""The page of a paper: verdicts, claim by claim with numbers, tables and figures, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tailrace.reproduce import judgement, paper_figures, paper_tables
from tailrace.reproduce.paper import Beyond, Claim, Figure, Outcome, Paper
from tailrace.text import text_table

if TYPE_CHECKING:
    from tailrace.reproduce.judgement import Verdict
    from tailrace.reproduce.paper_metrics import Declaring
    from tailrace.reproduce.studies import Sweeps

FIGURES = "figures"


@dataclass(frozen=True)
class Page:
    """Parts of a page."""

    paper: Paper
    verdicts: Sequence[Verdict]
    sweeps: Sweeps
    command: str
    version: str
    with_figures: bool = True

    def text(self) -> str:
        """The whole page."""
        return "\n".join(line.rstrip() for line in self._lines()).rstrip() + "\n"

    def _lines(self) -> Iterator[str]:
        paper = self.paper
        yield f"# {paper.title}"
        yield ""
        yield f"{paper.authors}, {paper.venue}."
        yield ""
        yield paper.summary.strip()
        yield ""
        yield f"Written by `{self.command}` (Tailrace {self.version}, {self._runs} runs): it says what came out."
        yield ""
        yield from self._overview()
        yield from self._readings()
        yield from self._claims()
        yield from self._tables()
        yield from self._figures()
        yield from self._beyond()
        yield from self._beside()
        yield from self._sources()

    @property
    def _runs(self) -> int:
        return sum(self.sweeps.of(*key).runs.height for key in self.sweeps.tasks)

    # -- what comes first --------------------------------------------------------------------------------------

    def _overview(self) -> Iterator[str]:
        yield "## What holds"
        yield ""
        if self.paper.found:
            yield self.paper.found.strip()
            yield ""
        yield judgement.said(judgement.counts(self.verdicts, self.paper.claims))
        yield ""
        names = [
            reading for reading in self.paper.readings if any(v.reading == reading for v in self.verdicts)
        ]
        headings = ["claim", "place", "the paper says", *(name or "verdict" for name in names)]
        rows = []
        for claim in self.paper.claims:
            by = {verdict.reading: verdict for verdict in self.verdicts if verdict.claim is claim}
            cells = [
                _word(by[name]) if name in by else "not judged" if claim.not_judged else "" for name in names
            ]
            rows.append([f"[{claim.id}](#{_anchor(claim)})", claim.place, claim.says, *cells])
        yield from _table(headings, rows)
        if any(_surprising(verdict) for verdict in self.verdicts):
            yield "**!** is another verdict than `claims.toml` expects."
            yield ""

    def _readings(self) -> Iterator[str]:
        if list(self.paper.readings) == [""]:
            return
        yield "## Readings"
        yield ""
        yield "A reading is one way to fill in what the paper leaves open. *Found* is a reading that was chosen because"
        yield "it comes near the paper's numbers: it shows that they are possible, not that the authors had it."
        yield ""
        rows = [
            [name, f"{reading.title}{' (*found*)' if reading.found else ''}", " ".join(reading.means.split())]
            for name, reading in self.paper.readings.items()
        ]
        yield from _table(["reading", "is", "means"], rows)

    # -- claim by claim ----------------------------------------------------------------------------------------

    def _claims(self) -> Iterator[str]:
        yield "## Claim by claim"
        yield ""
        for claim in self.paper.claims:
            yield f'### <a id="{_anchor(claim)}"></a>{claim.id}: {claim.says}'
            yield ""
            yield f"{claim.place}. {self._shown_by(claim)}".rstrip()
            yield ""
            if claim.not_judged:
                yield f"Not judged: {claim.not_judged}"
                yield ""
                continue
            rows = [
                [verdict.reading or "", finding.wanted, finding.ours, finding.outcome.value]
                for verdict in self.verdicts
                if verdict.claim is claim
                for finding in verdict.findings
            ]
            yield from _table(["reading", "wanted", "found", "verdict"], rows)
            if claim.expected.reason:
                fault = claim.expected.at_fault
                blamed = f" (At fault: {_AT_FAULT[fault.value]}.)" if fault else ""
                yield " ".join(claim.expected.reason.split()) + blamed
                yield ""

    def _shown_by(self, claim: Claim) -> str:
        if claim.figure is None or not self.with_figures:
            return ""
        return f"[{self.paper.figures[claim.figure].place}, drawn anew](#{claim.figure})"

    # -- what the paper shows ----------------------------------------------------------------------------------

    def _tables(self) -> Iterator[str]:
        there = [table for table in self.paper.tables.values() if self._has(table.study, table.readings)]
        if not there:
            return
        yield "## Tables"
        yield ""
        for table in there:
            yield text_table.markdown(paper_tables.beside(self.paper, table, self.sweeps))
            yield ""

    def _figures(self) -> Iterator[str]:
        used = {one.figure for one in self.paper.beyond}
        there = [
            f for f in self.paper.figures.values() if f.name not in used and self._has(f.study, f.readings)
        ]
        if not there or not self.with_figures:
            return
        yield "## Figures"
        yield ""
        for figure in there:
            yield from self._figure(figure)

    def _figure(self, figure: Figure) -> Iterator[str]:
        yield f'<a id="{figure.name}"></a>**{figure.place}**: {figure.title}'
        yield ""
        for reading in figure.readings:
            if (figure.study, reading) in self.sweeps:
                called = f"{figure.title}{f', reading {reading}' if reading else ''}"
                yield f"![{called}]({FIGURES}/{paper_figures.file_name(figure, reading)})"
                yield ""

    def _beyond(self) -> Iterator[str]:
        there = [one for one in self.paper.beyond if self._has(one.study, one.readings)]
        if not there:
            return
        yield "## What they did not ask"
        yield ""
        for one in there:
            yield f"### {one.title}"
            yield ""
            yield " ".join(one.says.split())
            yield ""
            yield from self._beyond_tables(one)
            if one.figure and self.with_figures:
                yield from self._figure(self.paper.figures[one.figure])

    def _beyond_tables(self, one: Beyond) -> Iterator[str]:
        if not one.columns:
            return
        for reading in one.readings:
            if (one.study, reading) in self.sweeps:
                yield text_table.markdown(paper_tables.of_beyond(one, self._declaring(one, reading), reading))
                yield ""

    def _declaring(self, one: Beyond, reading: str) -> Declaring:
        from tailrace.reproduce.paper_metrics import Declaring

        return Declaring(self.sweeps.tasks[one.study, reading].place, self.paper, one.study)

    def _beside(self) -> Iterator[str]:
        if self.paper.beside:
            yield self.paper.beside.strip()
            yield ""

    def _sources(self) -> Iterator[str]:
        if self.paper.sources:
            yield "## Sources"
            yield ""
            yield from (f"- {source}" for source in self.paper.sources)

    def _has(self, study: str, readings: Sequence[str]) -> bool:
        return any((study, reading) in self.sweeps for reading in readings)


_AT_FAULT: Mapping[str, str] = {
    "paper": "the paper's text",
    "missing parameter": "a missing parameter",
    "model": "our model",
}


def _word(verdict: Verdict) -> str:
    words = {Outcome.HOLDS: "holds", Outcome.FAILS: "**fails**", Outcome.OPEN: "open"}
    return words[verdict.outcome] + (" **!**" if _surprising(verdict) else "")


def _surprising(verdict: Verdict) -> bool:
    return verdict.outcome is not verdict.expected


def _anchor(claim: Claim) -> str:
    return claim.id.lower()


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    yield line(headings)
    yield line(["---"] * len(headings))
    yield from (line(row) for row in rows)
    yield ""
