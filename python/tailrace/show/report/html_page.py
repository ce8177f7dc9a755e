"""The page itself: one HTML file that needs no network and asks for none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tailrace.show.report import assets
from tailrace.show.report.markup import Markup, joined, tag
from tailrace.show.report.statements import Statement
from tailrace.text.names import visible

# By which a file is known as a report, whoever wrote it.
MARK = '<meta name="generator" content="Tailrace report"/>'


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading."""

    name: str
    title: str
    content: Sequence[Markup | None]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return not any(self.content)


@dataclass(frozen=True)
class Page:
    """A report."""

    # Kind of its source: "run", "comparison".
    kind: str
    title: str
    question: str
    # The first is the answer.
    statements: Sequence[Statement]
    # A few words each: runs, seed, date.
    facts: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    # For the script.
    data: Mapping[str, Any] = field(default_factory=dict)
    # Table of the answer, below its first sentence.
    table: Markup | None = None

    def text(self) -> str:
        """The whole file."""
        library, script = assets.library(), assets.script()
        head = tag(
            "head",
            Markup('<meta charset="utf-8"/>'),
            _policy(library, script),
            Markup(MARK),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", f"{self.title} · {self.kind}"),
            Markup(f"<style>{assets.style()}</style>"),
        )
        body = tag(
            "body",
            tag("a", "To the answer", cls="skip", href="#answer"),
            tag("div", self._header(), self._body(), cls="page"),
            Markup(f'<script type="application/json" id="data">{_as_json(self.data)}</script>'),
            Markup(f"<script>{library}</script>"),
            Markup(f'<script type="module">{script}</script>'),
        )
        return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"

    def _header(self) -> Markup:
        shown = [section for section in self.sections if not section.is_empty]
        links = [("answer", "Answer"), *((section.name, section.title) for section in shown)]
        return tag(
            "header",
            tag("p", f"Tailrace report: {self.kind}", cls="kind"),
            tag("h1", self.title),
            tag(
                "nav",
                tag("ul", [tag("li", tag("a", text, href=f"#{name}")) for name, text in links]),
                aria_label="Sections",
            ),
        )

    def _body(self) -> Markup:
        return tag("main", self.answer(), [_section(part) for part in self.sections if not part.is_empty])

    def answer(self) -> Markup:
        """Question and answer in words."""
        lead, rest = self.statements[:1], self.statements[1:]
        return tag(
            "section",
            tag("h2", "Question and answer", cls="hidden"),
            tag("p", self.question, cls="question") if self.question else None,
            [tag("p", tag("b", statement.about), " ", statement.text, cls="lead") for statement in lead],
            self.table,
            tag("dl", [_statement(statement) for statement in rest], cls="statements") if rest else None,
            tag(
                "ul",
                [tag("li", tag("b", name), " ", text) for name, text in self.facts],
                cls="facts",
                aria_label="In short",
            ),
            id="answer",
            cls="answer",
            tabindex="-1",
        )


def _statement(statement: Statement) -> Markup:
    return tag(
        "div",
        tag("dt", _unbroken(statement.about)),
        tag("dd", statement.text),
        cls="caution" if statement.caution else None,
    )


def _unbroken(text: str) -> Markup:
    """With names of queues, `r1->r2`, in one line."""
    words = [tag("span", word, cls="name") if "->" in word else word for word in text.split(" ")]
    return joined(*(part for word in words for part in (word, " ")))


def _section(section: Section) -> Markup:
    return tag("section", tag("h2", section.title), joined(*section.content), id=section.name)


def _policy(*scripts: str) -> Markup:
    """Nothing is fetched, and no script is run but these: what got past the escaping would be inert, too."""
    allowed = " ".join(assets.digest(text) for text in scripts)
    rules = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return tag("meta", http_equiv="Content-Security-Policy", content=rules)


def _as_json(data: Mapping[str, Any]) -> str:
    """Within HTML: nothing in it ends the element or begins another. Names are told as everywhere."""
    text = json.dumps(_told(data), allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _told(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _told(item) for key, item in value.items()}
    if isinstance(value, list | tuple) and value and not isinstance(value[0], int | float | type(None)):
        return [_told(item) for item in value]
    return value
