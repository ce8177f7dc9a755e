"""The congestion window of each TCP flow by itself: a panel a flow, of the first run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from tailrace.show.charts import flow_windows
from tailrace.show.plots import layout, style

if TYPE_CHECKING:
    from tailrace.data.result import Result

# More panels than this are not read; the figure then shows means.
_MOST_PANELS = 12


def figure(result: Result) -> Figure | None:
    """The figure, where there are a few TCP flows and each of them was sampled."""
    chart = flow_windows.chart(result)
    if chart is None:
        return None
    count = len(chart.panels)
    if not 1 < count <= _MOST_PANELS or count < flow_windows.count_in_first_run(result):
        return None
    columns = 3 if count > 4 else 2  # noqa: PLR2004
    sheet, panels = layout.figure(count, f"{result.name}: {chart.headline}\n{chart.note}", columns)
    for axes, panel in zip(panels, chart.panels, strict=True):
        for series in panel.series:
            axes.plot(series.curve.time_s, series.curve.mean, **{**style.line(0), "lw": 0.9})
        axes.set_title(panel.part)
    for axes in panels:
        axes.set_ylim(bottom=0)
        axes.margins(x=0)
        axes.set_xlim(left=0)
    # A label of the sheet would lie on the legend.
    for axes in panels[-columns:]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(str(chart.horizontal))
    sheet.supylabel(str(chart.vertical), fontsize="medium")
    return sheet
