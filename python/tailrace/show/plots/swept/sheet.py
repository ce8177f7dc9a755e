"""Puts a figure together: panels on a sheet or in somebody's axes, what stands over and beside them, the legend."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tailrace.errors import UsageError
from tailrace.show.charts import notes
from tailrace.show.plots import layout, style
from tailrace.show.plots.frame import Frame
from tailrace.show.plots.swept import bars, design, distributions, lines, maps, run_values
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.design import PART, Design
from tailrace.show.plots.swept.formula import Overlay
from tailrace.show.plots.swept.request import Options, Request
from tailrace.show.plots.swept.run_values import Subject
from tailrace.study.variation import PRESET

if TYPE_CHECKING:
    from tailrace.study.sweep_result import Sweep
    from tailrace.study.variation import Variation

# A sheet narrower than this, in inches, has two small panels beside each other, else three.
_NARROW = 5.0
# Heights of panels beside those of figures over time: of one alone, and of a row of a map.
_ALONE, _ROW = 1.2, 0.16
# Intervals may reach so many times as high as the highest value; beyond, they are cut off, and the note says so.
_HEADROOM = 2.0


@dataclass(frozen=True)
class Drawing:
    """A figure that has been planned."""

    sweep: Sweep
    request: Request
    subject: Subject
    design: Design
    axis: Axis
    kind: str

    @classmethod
    def of(cls, sweep: Sweep, request: Request) -> Drawing:
        """Everything that has to be known before anything is drawn."""
        about = run_values.of(sweep, request)
        found, axis, kind = planned(sweep, about, request)
        request.frame.check_scales(x=kind == "cdf" or not axis.labels, y=kind != "map")
        return cls(sweep, request, about, *_renamed(found, axis, kind, request.frame))

    @property
    def alone(self) -> bool:
        """Whether each panel has one line that needs no name."""
        return not self.design.plan.lines

    @property
    def bars_beside(self) -> int:
        """Number of lines beside each other, in all panels alike."""
        return 1 + max((line.place for panel in self.design.panels for line in panel.lines), default=0)

    # -- one panel -----------------------------------------------------------------------------------------

    def panel(self, axes: Axes, place: int, columns: int) -> None:
        """Draws the panel at a place."""
        panel = self.design.panels[place]
        if self.kind == "cdf":
            distributions.draw_cdf(axes, panel, alone=self.alone)
        elif self.kind == "bars":
            bars.draw(axes, panel, self.axis, self.bars_beside, alone=self.alone)
        elif self.kind == "box":
            distributions.draw_boxes(axes, panel, self.axis, self.bars_beside, alone=self.alone)
        else:
            joined = all(self.design.plan.following.values())
            if self.design.plan.pale:
                others = [other for other in self.design.panels if other is not panel]
                lines.draw_pale(axes, others, self.axis)
            lines.draw(axes, panel, self.axis, joined=joined, alone=self.alone)
            self._overlay().draw(axes, panel, self.design.plan.lines)
        self._settle(axes, columns)

    def _overlay(self) -> Overlay:
        about = self.subject
        return Overlay(
            self.sweep,
            self.request.formulas,
            self.axis,
            about.unit,
            about.plain,
            self.design.constants,
        )

    def _settle(self, axes: Axes, columns: int) -> None:
        logarithmic = self.request.log or frozenset()
        if self.kind == "cdf":
            axes.set_ylim(0, 1.02)
            if "x" in logarithmic:
                axes.set_xscale("log")
            return
        self.axis.settle(axes, columns=columns)
        if "y" in logarithmic:
            axes.set_yscale("log")

    # -- words ---------------------------------------------------------------------------------------------

    @property
    def headings(self) -> tuple[str, str]:
        """Beside the two axes."""
        about, plan = self.subject, self.design.plan
        owner = f"{about.parts[0]} " if len(about.parts) == 1 and about.parts[0] else ""
        metric = f"{owner}{about.axis}"
        if self.kind == "cdf":
            return metric, f"share of {about.of}"
        return self.axis.heading, plan.lines[0] if self.kind == "map" else metric

    @property
    def title(self) -> str:
        """Title with the metric, and under it the number of runs and the cells."""
        return f"{self.request.headline or self._headline}\n{self.note}"

    @property
    def _headline(self) -> str:
        about, plan = self.subject, self.design.plan
        owner = f" of {about.parts[0]}" if len(about.parts) == 1 and about.parts[0] else ""
        against = f" against {plan.x}" if plan.x else ""
        each = [about.whose if name == PART else name for name in plan.lines]
        by = (f" and {each[0]}" if self.kind == "map" else f", by {', '.join(each)}") if each else ""
        form = "distribution of " if self.kind == "cdf" else ""
        return f"{self.sweep.name}: {form}{about.name}{owner}{against}{by}"

    @property
    def note(self) -> str:
        """Runs, seed, and what is to be known of the choice of cells."""
        plan = self.design.plan
        seed = tomllib.loads(self.sweep.scenario_toml).get("seed", 1)
        said = [self._over(), notes.seeds_note([seed])]
        said += [f"only {text}" for text in self.request.where]
        said += [self.subject.note] if self.subject.note else []
        said += self._along() if self.kind != "cdf" else []
        missing = sum(value is None for value in self.design.xs)
        if missing and not self.axis.labels and plan.x:
            said.append(f"without cells that have no {plan.x}")
        said += ["some intervals reach further than is shown"] if self._cuts() else []
        if self.kind in {"line", "bars"} and self.design.counts[0] == 1 < self.design.counts[-1]:
            said.append("points of one run have no interval")
        return ", ".join([*said, *self._lacking(), *self.sweep.notes])

    def _along(self) -> list[str]:
        """Parameters that vary without being named; those that a preset or formula sets are left out."""
        plan, derived = self.design.plan, self.sweep.about["derived"]
        by: dict[str, list[str]] = {}
        for name, leader in plan.leaders.items():
            if name not in derived and leader != PRESET:
                by.setdefault(leader, []).append(name)
        return [
            f"{', '.join(names)} var{'ies' if len(names) == 1 else 'y'} along with {leader}"
            for leader, names in by.items()
        ]

    def _lacking(self) -> list[str]:
        """Note about cells that are not done yet, or failed."""
        failed, missing = len(self.sweep.failures), self.sweep.missing
        return [
            *([f"{missing} of {self.sweep.asked} runs are missing"] if missing else []),
            *([f"{failed} cells or runs failed"] if failed else []),
        ]

    def _cuts(self) -> bool:
        """Whether the frame cuts off intervals."""
        if self.kind not in {"line", "bars"} or "y" in (self.request.log or ()):
            return False
        by_part: dict[str, list[design.Point]] = {}
        for panel in self.design.panels:
            by_part.setdefault(panel.part, []).extend(point for line in panel.lines for point in line.points)
        return any(max(lines.ends(p)[1] for p in points) > _top(points) > 0 for points in by_part.values())

    def _over(self) -> str:
        counts = self.design.counts
        runs = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
        plural = "s" if counts[-1] > 1 else ""
        if self.kind in {"cdf", "box"}:
            of = f"{self.subject.of} of " if self.subject.of != "runs" else ""
            what = f"{of}n = {runs} run{plural}"
            if self.kind == "box":
                return f"{what} each; {distributions.BOX_NOTE}"
            return f"{what} a line" if self.request.kind == "cdf" else what
        if counts[-1] == 1:
            return f"n = {runs} run: no intervals" if self.kind != "map" else f"n = {runs} run"
        bar = "" if self.kind == "map" else ", error bars: 95 % interval"
        return f"mean of n = {runs} runs{bar}"


def planned(sweep: Variation, about: Subject, request: Request) -> tuple[Design, Axis, str]:
    """Where everything goes, the axis along which it does, and the kind of figure."""
    found = design.of(sweep, about, request)
    numbers = any(isinstance(value, float) for value in found.xs)
    kind = request.kind or ("line" if numbers else "bars")
    if kind == "line" and not numbers:
        raise UsageError(f"{found.plan.x} has words, which have no order: --kind bars or box")
    log = None if request.log is None else "x" in request.log
    words = kind in {"bars", "box", "map"}
    axis = Axis.of(found.plan.x or "", found.x_unit, found.xs, log=log, words=words)
    if request.formulas and kind != "line":
        raise UsageError("--formula: formulas are drawn over lines, against a parameter that is a number")
    return found, axis, kind


def _renamed(found: Design, axis: Axis, kind: str, frame: Frame) -> tuple[Design, Axis, str]:
    """The same with other names for values and parts, in labels alone: places and looks stay."""
    if not frame.names:
        return found, axis, kind
    every = [text for panel in found.panels for text in (panel.part, *_texts(panel.values))]
    every += [
        text for panel in found.panels for line in panel.lines for text in (line.label, *_texts(line.values))
    ]
    frame.known(dict.fromkeys(text for text in [*every, *axis.labels] if text))
    panels = [
        replace(
            panel,
            title=frame.named(panel.title),
            lines=[replace(line, label=frame.named(line.label)) for line in panel.lines],
        )
        for panel in found.panels
    ]
    labels = [frame.named(label) for label in axis.labels]
    return replace(found, panels=panels), replace(axis, labels=labels), kind


def _texts(values: Mapping[str, object]) -> list[str]:
    return [value for value in values.values() if isinstance(value, str)]


def figure(sweep: Sweep, request: Request, ax: Axes | None, options: Options) -> Figure:
    """The figure; with `ax` its one panel is drawn there, and the figure is that of the axes."""
    title = options.get("title", True)
    # Somebody's own axes have somebody's own style.
    look = nullcontext() if ax is not None else style.drawing(options.get("size", "screen"), title=title)
    with look:
        drawing = Drawing.of(sweep, request)
        if ax is not None:
            into = _into(drawing, ax, title=title)
            request.frame.settle(into, [ax])
            return into
        sheet = _map(drawing) if drawing.kind == "map" else _sheet(drawing)
        request.frame.settle(sheet)
        return sheet


def _into(drawing: Drawing, ax: Axes, *, title: bool) -> Figure:
    panels = drawing.design.panels
    if len(panels) > 1:
        names = "; ".join(panel.title for panel in panels[:4])
        raise UsageError(
            f"there would be {len(panels)} panels ({names}{'; ...' if len(panels) > 4 else ''}): "  # noqa: PLR2004
            "axes hold one, so choose with where="
        )
    if drawing.kind == "map":
        _map_panels(drawing, [ax])
    else:
        drawing.panel(ax, 0, 1)
        _limit(drawing, [ax])
        named = _named([ax])
        if named:
            ax.legend(list(named.values()), list(named), title=drawing.design.legend or None)
    ax.set_xlabel(drawing.headings[0])
    ax.set_ylabel(drawing.headings[1])
    if title:
        headline = drawing.title.partition("\n")[0].removeprefix(f"{drawing.sweep.name}: ")
        points = ax.bbox.width / ax.figure.dpi * 72
        most = max(12, int(points / (0.55 * float(ax.title.get_fontsize()))))
        ax.set_title("\n".join(textwrap.wrap(headline, most)))
    return ax.figure.figure if not isinstance(ax.figure, Figure) else ax.figure


def _columns(count: int) -> int:
    most = 2 if style.look().size.width < _NARROW else 3
    # Four in two rows of two, rather than of three and one.
    return 2 if count == 4 else min(count, most)  # noqa: PLR2004


def _sheet(drawing: Drawing) -> Figure:
    panels = drawing.design.panels
    columns = _columns(len(panels))
    shared = PART not in drawing.design.plan.panels and drawing.kind != "cdf"
    height = _ALONE if len(panels) == 1 else 1.0
    alike = drawing.kind != "cdf" or PART not in drawing.design.plan.panels
    sheet, every = layout.figure(
        len(panels), drawing.title, columns, same_scale=shared, same_axis=alike, height=height
    )
    for place, axes in enumerate(every):
        drawing.panel(axes, place, columns)
        if len(panels) > 1:
            axes.set_title(layout.panel_title(panels[place].title, columns))
    _make_room(sheet, every, columns)
    layout.taller(sheet, drawing.axis.lines_below(columns))
    _limit(drawing, every)
    across, up = drawing.headings
    _label(sheet, every, columns, across, up)
    names = _named(every)
    if names:
        layout.legend(sheet, list(names.values()), list(names), heading=drawing.design.legend)
    return sheet


def _make_room(sheet: Figure, every: Sequence[Axes], columns: int) -> None:
    """For titles of panels with several lines: panels are as high as those without."""
    heights = [axes.get_title(loc="left").count("\n") for axes in every]
    layout.taller(sheet, sum(max(heights[row : row + columns]) for row in range(0, len(heights), columns)))


def _named(every: Sequence[Axes]) -> dict[str, Artist]:
    """Entries of the legend: lines first, then what lies behind or over them."""
    found: dict[str, Artist] = {}
    for axes in every:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return dict(
        sorted(
            found.items(),
            key=lambda entry: isinstance(entry[1], Artist) and entry[1].get_gid() == lines.BESIDE,
        )
    )


def _label(sheet: Figure, every: Sequence[Axes], columns: int, across: str, up: str) -> None:
    if len(every) == 1:
        every[0].set_ylabel(up)
    else:
        sheet.supylabel(up, fontsize="medium")
    # The lowest panel of a column may have a spare place below it.
    for axes in every[-columns:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(layout.panel_title(across, columns))


def _limit(drawing: Drawing, every: Sequence[Axes]) -> None:
    """From zero where nothing is below; panels of one part on one scale; no interval flattens what it is of."""
    if drawing.kind == "cdf":
        return
    parts = list(zip(drawing.design.panels, every, strict=True))
    for part in dict.fromkeys(panel.part for panel, _ in parts):
        own = [(panel, axes) for panel, axes in parts if panel.part == part]
        points = [point for panel, _ in own for line in panel.lines for point in line.points]
        low = min(axes.get_ylim()[0] for _, axes in own)
        high = max(axes.get_ylim()[1] for _, axes in own)
        if (drawing.request.log or frozenset()) & {"y"}:
            _set(own, low, high)
            continue
        if all(min(point.each, default=0.0) >= 0 for point in points):
            low = 0.0
        top = _top(points)
        _set(own, low, min(high, top) if top > 0 else high)


def _top(points: Sequence[design.Point]) -> float:
    """Upper end of a frame that shows the intervals."""
    return _HEADROOM * max((max(point.mean.mean, *point.each) for point in points), default=1.0)


def _set(own: Sequence[tuple[design.Panel, Axes]], low: float, high: float) -> None:
    for _, axes in own:
        axes.set_ylim(low, high)


def _map(drawing: Drawing) -> Figure:
    panels = drawing.design.panels
    columns = _columns(len(panels))
    rows = max((len(panel.lines) for panel in panels), default=1)
    height = max(_ALONE if len(panels) == 1 else 1.0, _ROW * rows)
    sheet, every = layout.figure(len(panels), drawing.title, columns, same_scale=True, height=height)
    for axes, panel in zip(every, panels, strict=True):
        if len(panels) > 1:
            axes.set_title(layout.panel_title(panel.title, columns))
    _map_panels(drawing, every)
    _label(sheet, every, columns, *drawing.headings)
    return sheet


def _map_panels(drawing: Drawing, every: Sequence[Axes]) -> None:
    """Panels of one part share a scale of colours."""
    panels = drawing.design.panels
    rows = list(dict.fromkeys(line.label for panel in panels for line in panel.lines))
    labels = sorted(rows, key=lambda label: _place(panels, label))
    if not any(
        isinstance(value, float) for panel in panels for line in panel.lines for value in line.values.values()
    ):
        # Words are read from above, numbers rise.
        labels.reverse()
    grids = [maps.values(panel, drawing.design.xs, labels) for panel in panels]
    columns = _columns(len(panels))
    for part in dict.fromkeys(panel.part for panel in panels):
        own = [place for place, panel in enumerate(panels) if panel.part == part]
        log = "y" in (drawing.request.log or frozenset())
        scale = maps.scale_of([grids[place] for place in own], log=log)
        images = [
            maps.draw(every[place], grids[place], drawing.axis, labels, scale, columns) for place in own
        ]
        about = drawing.subject
        bar = every[own[0]].figure.colorbar(
            images[0], ax=[every[place] for place in own], aspect=30, pad=0.02
        )
        several = PART in drawing.design.plan.panels or about.parts[0]
        bar.set_label(f"{part} {about.axis}" if several else about.axis)
        bar.outline.set_visible(False)


def _place(panels: Sequence[design.Panel], label: str) -> int:
    return next(line.place for panel in panels for line in panel.lines if line.label == label)
