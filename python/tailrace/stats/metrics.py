"""Numbers of a sweep by name: `goodput`, `tcp.goodput_bps.mean`, `r1->r2.sojourn_s.p99`, `utilization`.

A metric is a figure of the summaries, of one flow group, queue, connection, or path of a flow over Multipath TCP, of
programs on kernels, or of a host that has one. Short names stand for those most asked for (of paths `path_goodput`, or
`mp[0].wifi.goodput` of one; of a program `a.run.0.duration`); a figure's own name reaches all others. Of a window:
`goodput@attack`. Over runs it is the mean that is shown, or what a function names: `median(goodput)`, `p95(tcp.rtt)`,
`min(...)`, `max(...)`, `cv(...)`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.stats import bootstrap, host_programs, reach, statistics, summary_measures

if TYPE_CHECKING:
    import polars as pl

# In errors.
_MOST_NAMED = 30
# Owners of numbers.
OWNERS = (
    "group",
    "queue",
    "connection",
    "path",
    "attack",
    host_programs.ALL,
    host_programs.PROGRAM,
    host_programs.HOST,
)
# Owners without statistics by window.
_WITHOUT_WINDOWS = (host_programs.ALL, host_programs.PROGRAM, host_programs.HOST)
# Owner of metrics that are declared beside the summaries.
QUANTITY = "quantity"
# More programs, or hosts, do not each have a column of their own where nobody asks for it.
_MOST_COLUMNS = 4
_FUNCTION = re.compile(r"([a-z]+\d*)\((.*)\)")


@dataclass(frozen=True)
class Metric:
    """A figure, whose it is, and how it is shown."""

    # Name in tables.
    name: str
    # Owner kind, from `OWNERS`, or `QUANTITY`.
    of: str
    figure: str
    unit: str = ""
    # Factor from the number to the unit.
    scale: float = 1.0
    # Name of the owner; None for all.
    owner: str | None = None
    window: str | None = None
    # The statistic over runs.
    over: str = bootstrap.MEAN

    @property
    def heading(self) -> str:
        """Over a column or beside an axis."""
        where = f"{self.owner} " if self.owner else ""
        during = f" ({self.window})" if self.window else ""
        unit = "" if self.over == "cv" or not self.unit else f" [{self.unit}]"
        short = self.name.removeprefix(_OF_PATH) if self.of == "path" and where else self.name
        name = f"{where}{short}{during}"
        return f"{name if self.over == bootstrap.MEAN else f'{self.over}({name})'}{unit}"

    @property
    def least(self) -> float:
        """Bound in its unit below which a value is shown as less: see `summary_measures.QUEUE_MEASURES`."""
        head = self.figure.partition(".")[0]
        there = summary_measures.QUEUE_MEASURES if self.of == "queue" and self.over == bootstrap.MEAN else ()
        return next((m.least for m in there if (m.path[0], m.scale) == (head, self.scale)), 0.0)

    @property
    def bounds(self) -> statistics.Bounds | None:
        """Between what it lies, in its unit; None where nobody knows."""
        # An attack may do good, but not take more than all; of all else that has a short name nothing can be negative.
        is_amount = self.of == QUANTITY or self.name in SHORT or reach.target(self.figure) is not None
        if self.figure in OF_ATTACKS:
            found = statistics.LOSS if self.figure == "damage" else None
        else:
            found = statistics.bounds_of(self.figure) or (statistics.AMOUNT if is_amount else None)
        return (found[0] * self.scale, found[1] * self.scale) if found else None


def _group(name: str, figure: str, unit: str = "", scale: float = 1.0) -> Metric:
    return Metric(name, "group", figure, unit, scale)


def _queue(name: str, figure: str, unit: str = "", scale: float = 1.0) -> Metric:
    return Metric(name, "queue", figure, unit, scale)


def _path(name: str, figure: str, unit: str = "", scale: float = 1.0) -> Metric:
    return Metric(f"{_OF_PATH}{name}", "path", figure, unit, scale)


def _distribution(
    name: str, figure: str, unit: str = "", scale: float = 1.0, of: Callable[..., Metric] = _group
) -> list[Metric]:
    """Its mean by its name alone, and what names say after that."""
    parts = {"": "mean", "_min": "min", "_p50": "p50", "_p95": "p95", "_p99": "p99"}
    return [of(f"{name}{end}", f"{figure}.{part}", unit, scale) for end, part in parts.items()]


# Prefix of short names of paths, where no path is named before them.
_OF_PATH = "path_"
# Against the same run without the attack: of all normal flows together, the first two of each group, too.
OF_ATTACKS: Mapping[str, Metric] = {
    "damage": Metric("damage", "attack", "damage", "%", 100),
    "damage_bytes": Metric("damage_bytes", "attack", "damage_bytes", "MB", 1e-6),
    "potency": Metric("potency", "attack", "potency", "B/B"),
}
SHORT: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        *OF_ATTACKS.values(),
        _group("goodput", "goodput_bps.sum", "Mbit/s", 1e-6),
        _group("flow_goodput", "goodput_bps.mean", "Mbit/s", 1e-6),
        _group("throughput", "throughput_bps.sum", "Mbit/s", 1e-6),
        _group("loss", "loss_ratio", "%", 100),
        *_distribution("delay", "one_way_delay_s", "ms", 1e3),
        *_distribution("rtt", "rtt_s", "ms", 1e3),
        _group("jain", "jain"),
        _group("completed", "completed"),
        *_distribution("completion", "completion_s", "ms", 1e3),
        *(
            _group(f"completion_{size}", f"completion_by_size.{size}.completion_s.mean", "ms", 1e3)
            for size in ("below_10kB", "below_100kB", "below_1MB", "below_10MB", "larger")
        ),
        _group("completion_goodput", "completion_goodput_bps.mean", "Mbit/s", 1e-6),
        *_distribution("slowdown", "slowdown"),
        _group("silence", "longest_silence_s", "ms", 1e3),
        _group("silent", "silent.flows"),
        _group("goodput_cv", "bins.goodput_cv"),
        _group("loss_max", "bins.loss_max_ratio", "%", 100),
        *_distribution("page_load", "pages.load_s", "ms", 1e3),
        _group("pages", "pages.loaded"),
        _group("stalls", "video.stalls.mean"),
        _group("stalled", "video.stalled_s.mean", "s"),
        _group("startup", "video.startup_s.mean", "s"),
        _group("video_rate", "video.rate_bps.mean", "Mbit/s", 1e-6),
        _group("switches", "video.switches.mean"),
        _group("mos", "voice.mos.mean"),
        _group("r_factor", "voice.r_factor.mean"),
        _group("retransmissions", "retransmitted_packets"),
        _group("reordered", "reordered_packets"),
        _group("timeouts", "timeouts"),
        _path("goodput", "goodput_bps", "Mbit/s", 1e-6),
        _path("throughput", "throughput_bps", "Mbit/s", 1e-6),
        _path("loss", "loss_ratio", "%", 100),
        *_distribution("delay", "one_way_delay_s", "ms", 1e3, _path),
        _path("retransmissions", "retransmitted_packets"),
        *(Metric(figure, host_programs.ALL, figure) for figure in host_programs.COUNTS),
        Metric("duration", host_programs.PROGRAM, "duration_s", "s"),
        Metric("sent", host_programs.HOST, "sent_bytes", "MB", 1e-6),
        Metric("received", host_programs.HOST, "received_bytes", "MB", 1e-6),
        _queue("backlog", "backlog_packets.mean", "packets"),
        _queue("backlog_min", "backlog_packets.min", "packets"),
        _queue("backlog_max", "backlog_packets.max", "packets"),
        _queue("sojourn", "sojourn_s.mean", "ms", 1e3),
        _queue("sojourn_min", "sojourn_s.min", "ms", 1e3),
        _queue("sojourn_p50", "sojourn_s.p50", "ms", 1e3),
        _queue("sojourn_p95", "sojourn_s.p95", "ms", 1e3),
        _queue("sojourn_p99", "sojourn_s.p99", "ms", 1e3),
        _queue("utilization", "utilization", "%", 100),
        _queue("dropped", "dropped_packets.*", "packets"),
        _queue("ack_filtered", "ack_filtered_packets", "packets"),
        _queue("marked", "marked_packets", "packets"),
        _queue("detection", "flagged.detection_s", "ms", 1e3),
        _queue("rehabilitation", "flagged.rehabilitation_s", "ms", 1e3),
        _queue("false_positives", "flagged.false_positive"),
        _queue("true_positives", "flagged.true_positive"),
    )
}


class Known:
    """Metrics for which a sweep has numbers."""

    def __init__(self, figures: pl.DataFrame) -> None:
        import polars as pl

        rows = figures.select("of", "name", "figure", "window").unique(maintain_order=True)
        whole = rows.filter(pl.col("window").is_null())
        self.windows = [name for name in rows["window"].unique(maintain_order=True).to_list() if name]
        self.owners = {of: self._names(whole, of) for of in OWNERS}
        self.figures = {of: set(whole.filter(pl.col("of") == of)["figure"].to_list()) for of in self.owners}
        self._having = set(whole.select("of", "name", "figure").iter_rows())
        valued = figures.filter(pl.col("window").is_null() & pl.col("value").is_not_null())
        self._values = set(valued.select("of", "name", "figure").unique().iter_rows())
        more = valued.filter(pl.col("value") > 0, pl.col("of").cast(pl.String) == host_programs.ALL)
        self._more_than_zero = set(more.select("of", "name", "figure").unique().iter_rows())
        roles = figures.filter((pl.col("figure") == "role") & (pl.col("text") == "attack"))
        self.attackers = set(roles["name"].to_list())

    @staticmethod
    def _names(rows: pl.DataFrame, of: str) -> list[str]:
        import polars as pl

        return [str(name) for name in rows.filter(pl.col("of") == of)["name"].unique(maintain_order=True)]

    def metric(self, text: str) -> list[Metric]:
        """Metrics that a text names: one, or one for each group or queue that has it."""
        function = _FUNCTION.fullmatch(text)
        if function:
            if not bootstrap.is_known(function[1]):
                raise UsageError(
                    f"{text}: over runs there are mean, median, p1 to p99, min, max and cv, not {function[1]!r}"
                )
            return [replace(metric, over=function[1]) for metric in self.metric(function[2])]
        wanted, _, window = text.partition("@")
        if window and window not in self.windows:
            raise UsageError(_unknown("window", window, self.windows))
        found = self._short(wanted) or self._reach(wanted, window) or self._long(wanted)
        if not found:
            raise UsageError(self._lacking(wanted))
        if window and found[0].of in _WITHOUT_WINDOWS:
            raise UsageError(
                f"{text}: what programs did, and hosts received, is known of the whole run alone"
            )
        return [replace(metric, window=window or None) for metric in found]

    def _lacking(self, wanted: str) -> str:
        """Reason for which there is no such metric."""
        name = wanted.rpartition(".")[2]
        if name in OF_ATTACKS and not self.owners["attack"]:
            return f"{wanted} is of sweeps and searches, which run everything without its attack, too"
        if wanted in SHORT:
            return f"nothing here has a {wanted}: it is {SHORT[wanted].figure} of a {SHORT[wanted].of}"
        return _unknown("metric", wanted, self._all())

    def metrics(self, names: str | Sequence[str] = ()) -> list[Metric]:
        """Metrics for names; without any, the usual ones of a table."""
        several = [names] if isinstance(names, str) else names
        return [found for name in several for found in self.metric(name)] if several else self.usual()

    def _short(self, wanted: str) -> list[Metric]:
        """`goodput`, or `tcp.goodput`."""
        owner, _, name = wanted.rpartition(".")
        metric = SHORT.get(f"{_OF_PATH}{name}" if owner in self.owners["path"] else name)
        if metric is not None and metric.of == "attack" and owner in self.owners["group"]:
            metric = replace(metric, of="group")
        if metric is not None and metric.of == host_programs.ALL and owner in self.owners[host_programs.HOST]:
            metric = replace(metric, of=host_programs.HOST)
        if metric is None or (owner and owner not in self.owners[metric.of]):
            return []
        having = self._each(metric)
        return [m for m in having if self._owner(m) == owner] if owner else having

    def _reach(self, wanted: str, window: str) -> list[Metric]:
        """`reach_80_2s`, or `tcp.reach_80_2s`: made of series when it is asked for."""
        owner, _, name = wanted.rpartition(".")
        asked = reach.target(name)
        if asked is None or (owner and owner not in self.owners["group"]):
            return []
        having = self._each(Metric(name, "group", reach.INTERVAL, "s"))
        if not having:
            raise UsageError(f'{wanted} is computed from series: set [record] interval, such as "100 ms"')
        if asked.of_before and not window:
            raise UsageError(f"{wanted} is of a window: {wanted}@NAME")
        found = [replace(metric, figure=name) for metric in having]
        return [m for m in found if self._owner(m) == owner] if owner else found

    def _long(self, wanted: str) -> list[Metric]:
        """`goodput_bps.mean`, or `tcp.goodput_bps.mean`."""
        for of, owners in self.owners.items():
            if wanted in self.figures[of]:
                return self._each(Metric(wanted, of, wanted))
            for owner in owners:
                figure = wanted.removeprefix(f"{owner}.")
                if figure != wanted and figure in self.figures[of]:
                    return [Metric(figure, of, figure, owner=owner)]
        return []

    def _each(self, metric: Metric) -> list[Metric]:
        """Metrics of every owner; with a single owner the name leaves it out."""
        owners = self.owners[metric.of]
        having = [owner for owner in owners if self._is_of(metric, owner)]
        return [replace(metric, owner=owner if len(owners) > 1 else None) for owner in having]

    def _is_of(self, metric: Metric, owner: str) -> bool:
        return metric.figure.endswith("*") or (metric.of, owner, metric.figure) in self._having

    def _all(self) -> list[str]:
        owned = [
            f"{owner}.{m.name.removeprefix(_OF_PATH) if m.of == 'path' else m.name}"
            for m in SHORT.values()
            for owner in self.owners[m.of]
        ]
        figures = [figure for found in self.figures.values() for figure in sorted(found)]
        return [*SHORT, *owned, *figures]

    def usual(self) -> list[Metric]:
        """Default metrics of a table: those of the scenario's subject, and its queues.

        Goodput and loss of groups, the completion of what completes, the round trips of pings, and where a discipline
        flags flows, how soon. Where programs alone send, what became of them in place of groups.
        """
        if not self.owners["group"]:
            return self._of_programs()
        groups = [*self._there("goodput"), *self._there("loss"), *self._valued("completion"), *self._pings()]
        queues = [*self._there("sojourn"), *self._there("utilization")]
        attacks = [*self._there("damage"), *self._there("potency")]
        return [*groups, *attacks, *queues, *self._valued("detection")]

    def _of_programs(self) -> list[Metric]:
        """Metrics of programs: how many ran and failed, how long they took, and bytes over the links."""
        # Running programs are listed only where some still ran at the end.
        has_running = (host_programs.ALL, host_programs.ALL, host_programs.RUNNING) in self._more_than_zero
        named = [name for name in host_programs.COUNTS if name != host_programs.RUNNING or has_running]
        counts = [metric for name in named for metric in self._there(name)]
        took = self._valued("duration")
        queues = [*self._there("sojourn"), *self._there("utilization"), *self._dropped()]
        received = [] if queues else self._there("received")
        few = [m for several in (took, received) for m in several if len(several) <= _MOST_COLUMNS]
        return [*counts, *few, *queues]

    def _dropped(self) -> list[Metric]:
        return self._each(SHORT["dropped"]) if self.owners["queue"] else []

    def _there(self, name: str) -> list[Metric]:
        metric = SHORT[name]
        return self._each(metric) if metric.figure in self.figures[metric.of] else []

    def _valued(self, name: str) -> list[Metric]:
        """Owners with a value above 0."""
        return [m for m in self._there(name) if self._has(m.of, self._owner(m), m.figure)]

    def _pings(self) -> list[Metric]:
        """Round trips where no connection measures them: they were asked for."""
        return [m for m in self._valued("rtt") if self.is_ping(m)]

    def is_ping(self, metric: Metric) -> bool:
        """Whether a round trip is of a group without connections, which sends to measure it."""
        return not self._has("group", self._owner(metric), "connections.opened")

    def is_normal(self, metric: Metric, attackers: Iterable[str]) -> bool:
        """Whether a metric is not of a group that attacks."""
        return metric.of != "group" or self._owner(metric) not in set(attackers)

    def valued(self, name: str) -> list[Metric]:
        """Metrics of a short name with a value in some run, a delay in either direction."""
        metric = SHORT[name]
        head, _, part = metric.figure.rpartition(".")
        opposite = f"{summary_measures.REVERSE_DELAY}.{part}"
        is_delay = metric.of == "group" and head == summary_measures.FORWARD_DELAY
        return [
            m
            for m in (self._there(name) if self.owners[metric.of] else [])
            if self._has(m.of, self._owner(m), m.figure)
            or (is_delay and self._has(m.of, self._owner(m), opposite))
        ]

    def recoveries(self, name: str, window: str) -> list[Metric]:
        """Times to reach a rate within a window, of every group that has series."""
        return [replace(metric, window=window) for metric in self._reach(name, window)]

    def _owner(self, metric: Metric) -> str:
        return metric.owner or self.owners[metric.of][0]

    def _has(self, of: str, owner: str, figure: str) -> bool:
        return (of, owner, figure) in self._values


def _unknown(kind: str, name: str, names: Iterable[str]) -> str:
    every = list(names)
    close = difflib.get_close_matches(name, dict.fromkeys(every), n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    more = ", ..." if len(every) > _MOST_NAMED else ""
    there = f"there are {', '.join(every[:_MOST_NAMED])}{more}" if every else "there are none"
    return f"there is no {kind} {name!r}{hint} ({there})"


def values(figures: pl.DataFrame, metric: Metric, series: reach.Series | None = None) -> pl.DataFrame:
    """`cell`, `run` and `value` of a metric, in its unit; `series` are for those that are made of them."""
    import polars as pl

    if reach.target(metric.figure) is not None:
        if series is None:
            raise UsageError(f"{metric.name} is computed from series, and cannot be asked for here")
        return reach.values(figures, (metric.figure, metric.owner, metric.window), series)
    window = pl.col("window").is_null() if metric.window is None else pl.col("window") == metric.window
    prefix = metric.figure.removesuffix("*")
    figure = (
        pl.col("figure").cast(pl.String).str.starts_with(prefix)
        if prefix != metric.figure
        else pl.col("figure") == metric.figure
    )
    rows = figures.filter(window & (pl.col("of") == metric.of) & figure)
    if metric.owner is not None:
        rows = rows.filter(pl.col("name") == metric.owner)
    if metric.name in SHORT and metric.of == "group":
        rows = _along_data(rows, figures.filter(window & (pl.col("of") == metric.of)), metric.figure)
    summed = rows.group_by("cell", "run", maintain_order=True).agg(
        pl.when(pl.col("value").count() > 0).then(pl.col("value").sum()).alias("value")
    )
    return summed.with_columns(pl.col("value") * metric.scale)


def _along_data(rows: pl.DataFrame, figures: pl.DataFrame, figure: str) -> pl.DataFrame:
    """A delay in the direction of the data: that of what servers send, of groups in which they alone do."""
    import polars as pl

    distribution, _, part = figure.rpartition(".")
    if distribution != summary_measures.FORWARD_DELAY:
        return rows
    key = ["cell", "run", "name"]
    opposite = figures.filter(pl.col("figure") == f"{summary_measures.REVERSE_DELAY}.{part}")
    joined = rows.join(opposite.select(*key, pl.col("value").alias("opposite")), on=key, how="left")
    return joined.with_columns(pl.coalesce("value", "opposite").alias("value"))


def names(metrics: Sequence[Metric]) -> list[str]:
    """Headings that tell them apart."""
    return [metric.heading for metric in metrics]
