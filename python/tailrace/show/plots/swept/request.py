"""Request for a figure of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tailrace.errors import UsageError
from tailrace.show.plots import frame
from tailrace.show.plots.frame import Frame
from tailrace.text import names, near_misses

KINDS = ("line", "bars", "box", "cdf", "map")
# Tables with single values: a number for each row instead of each run.
TABLES = ("flows", "connections")
_AXES = ("x", "y")


class Options(frame.Options, total=False):
    """Further options.

    `where` chooses cells (`"load=0.5"`, `"load < 0.9"`, or `{"load": 0.5}`), `formula` is drawn as a dashed line
    (`"model = min(1, x / 2)"`), `of` is `runs`, or `flows` or `connections` for values of single ones, `log` says which
    axes are logarithmic (`"x,y"`, or `"none"`), `queue` which queue is shown; `headline` stands over it in place of
    what it shows; `size`, `title`, labels and limits of the axes and other names as for all figures.
    """

    where: str | Sequence[str] | Mapping[str, object]
    formula: str | Sequence[str] | Mapping[str, str]
    of: str
    log: str | None
    queue: str | None
    headline: str
    size: str
    title: bool


@dataclass(frozen=True)
class Request:
    """The same, checked as far as that goes without the sweep."""

    metric: str
    against: str | None = None
    by: str | None = None
    kind: str | None = None
    where: tuple[str, ...] = ()
    # Name -> formula.
    formulas: tuple[tuple[str, str], ...] = ()
    of: str = "runs"
    # Logarithmic axes; None where the values decide.
    log: frozenset[str] | None = None
    queue: str | None = None
    # Over it, in place of what it shows.
    headline: str | None = None
    # Labels and limits of the axes, and other names for values.
    frame: Frame = field(default_factory=Frame)

    @classmethod
    def made(
        cls, metric: str, against: str | None, by: str | None, kind: str | None, options: Options
    ) -> Request:
        """From what people write."""
        if kind is not None:
            check_kind(kind)
        of = check_table(options.get("of", "runs"))
        formulas = tuple(named_formula(text) for text in _texts(options.get("formula", ())))
        where = tuple(_texts(options.get("where", ())))
        log, queue, headline = axes_of(options.get("log")), options.get("queue"), options.get("headline")
        framed = Frame.made(options)
        return cls(metric, against, by, kind, where, formulas, of, log, queue, headline, framed)


def check_kind(text: str) -> str:
    """The kind of figure; refuses what is none."""
    return near_misses.known(text, KINDS, "kind of figure")


def check_table(text: str) -> str:
    """Checks the name of a table with values."""
    if text.startswith("path"):
        raise UsageError(
            f"--of {text}: values of paths are metrics: --metric path_goodput, --by path for a line each"
        )
    return near_misses.known(text, ["runs", *TABLES], "table of values")


def _texts(given: str | Sequence[str] | Mapping[str, object]) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{name}={value}" for name, value in given.items()]
    return list(given)


def named_formula(text: str) -> tuple[str, str]:
    """`model = min(1, x / 2)`: its name, and itself."""
    name, equals, formula = text.partition("=")
    if not equals or not formula.strip() or formula.startswith("="):
        raise UsageError(f"a formula has a name, as in 'model = min(1, x / 2)': not {text!r}")
    return name.strip(), formula.strip()


def axes_of(text: str | None) -> frozenset[str] | None:
    """The logarithmic ones that are named; None where nothing is said."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    if words == ["none"]:
        return frozenset()
    for word in words:
        if word not in _AXES:
            raise UsageError(f"axes that can be logarithmic are x and y (or none), not {word!r}")
    return frozenset(words)


def file_name(request: Request) -> str:
    """File name of a figure: two different figures of a sweep have two names."""
    said = [request.metric]
    said += [f"against {request.against}"] if request.against else []
    said += [f"by {request.by}"] if request.by else []
    said += [request.kind] if request.kind else []
    said += [request.of] if request.of != "runs" else []
    said += [*request.where, *([f"queue {request.queue}"] if request.queue else [])]
    return names.of_folder(" ".join(said), "figure")
