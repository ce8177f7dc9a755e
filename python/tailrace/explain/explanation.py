"""The whole explanation of a text: recognised lines, the scenario, its run, and verdicts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from tailrace import api
from tailrace.explain import model as models
from tailrace.explain import statements
from tailrace.explain.pasted import recognise
from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.input_file import InputFile


@dataclass
class Explanation:
    """What a text states, held against the model."""

    draft: ScenarioDraft
    statements: list[statements.Statement]
    guesses: list[str]
    """Values of the scenario that the text does not say."""
    missing: list[str]
    """Sentences on what the text lacks to tell more."""
    recognised: dict[str, int] = field(default_factory=dict)
    """Number of lines or blocks by program."""

    @property
    def contradicted(self) -> bool:
        """Whether the model contradicts any statement."""
        return any(each.verdict == statements.CONTRADICTED for each in self.statements)

    def document(self) -> dict[str, object]:
        """Content for JSON."""
        return {
            "recognised": self.recognised,
            "statements": [asdict(each) for each in self.statements],
            "guesses": self.guesses,
            "missing": self.missing,
            "not_taken_over": [asdict(each) for each in self.draft.omissions],
            "scenario": self.draft.toml(),
        }

    def text(self) -> str:
        """The explanation for people."""
        known = ", ".join(f"{count} of {name}" for name, count in self.recognised.items() if count)
        lines = [f"Recognised: {known}.", "", "Statements:"]
        lines += [f"- {statements.line_of(each)}" for each in self.statements] or [
            "- none that can be compared"
        ]
        if self.guesses:
            lines += ["", "Guessed, because no line says it:", *(f"- {each}" for each in self.guesses)]
        if self.draft.omissions:
            lines += [
                "",
                "Not in the model:",
                *(f"- {each.place}: {each.why}" for each in self.draft.omissions),
            ]
        if self.missing:
            lines += ["", "Missing to tell more:", *(f"- {each}" for each in self.missing)]
        return "\n".join(lines) + "\n"


def explain(path: str, *, runs: int | None = None, jobs: int | None = None) -> Explanation:
    """Reads a pasted text, runs what it states, and judges each statement; `path` may be `-`."""
    file = InputFile.read(path)
    pasted = recognise(file)
    if pasted.is_empty:
        file.fail(
            "nothing is recognised: paste what tc -s qdisc show, iperf3, ping, ss -ti or ip mptcp endpoint show print"
        )
    model = models.of(pasted)
    result = api.run(model.draft.scenario(), runs=runs, jobs=jobs)
    return Explanation(
        model.draft,
        statements.judge(pasted, model, result),
        [
            f"{path} = {_plain(value.value)} ({value.comment.removeprefix('assumed: ')})"
            for path, value in model.draft.values()
            if value.comment and not value.place
        ],
        model.missing,
        {
            "tc": len(pasted.tc.statements),
            "iperf": len(pasted.transfers),
            "ping": len(pasted.pings),
            "ss": len(pasted.sockets),
            "ip mptcp": len(pasted.mptcp.endpoints),
        },
    )


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(str(each) for each in value.values())
    return str(value)
