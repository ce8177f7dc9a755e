"""Descriptions of charts: Matplotlib and the page draw the same data from them."""

import numpy as np
import pytest

import tailrace
from conftest import ROOT, SMALL
from tailrace.show.charts import flow_windows, over_time, path_rates
from tailrace.show.charts.curves import Curve
from tailrace.show.charts.description import LAYER, MEANS, SAMPLES, TOTAL, Axis, Chart, Panel, Series, Span
from tailrace.show.charts.over_time import Source, Wanted
from tailrace.show.charts.time_metrics import METRICS
from tailrace.show.report import charts, time_figures

TWO_PATHS = ROOT / "scenarios" / "can-two-paths-carry-one-stream.toml"
# The page has six digits.
DIGITS = 1e-5


@pytest.fixture(scope="module")
def one():
    return tailrace.run(SMALL)


@pytest.fixture(scope="module")
def several():
    cells = {
        queue: tailrace.Scenario.of(SMALL, {"link.bottleneck.queue": queue, "runs": 2})
        for queue in ("red", "codel")
    }
    return tailrace.run_variants(cells)


@pytest.fixture(scope="module")
def multipath():
    return tailrace.run(TWO_PATHS, runs=2, set={"duration": "12 s"})


def on_the_page(source):
    """Charts of a page by name, as its script gets them."""
    most = time_figures.most_points(source)
    return {chart.name: charts.plain(chart, most) for chart in time_figures.charts(source)}


def drawn(figure, *, gid="curve"):
    """Times and values of the lines of each panel of a Matplotlib figure, in order."""
    return [
        [
            (np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float))
            for line in axes.lines
            if line.get_gid() == gid and line.get_linestyle() != "None"
        ]
        for axes in figure.axes
        if axes.get_visible()
    ]


def of_view(view):
    """The same of a view of the page."""
    times = np.array(view["times"], dtype=float)
    return [(times, np.array(line["values"], dtype=float)) for line in view["lines"]]


def check_alike(panels, views):
    assert len(panels) == len(views)
    for lines, view in zip(panels, views, strict=True):
        found = of_view(view)
        assert len(lines) == len(found)
        for (times, values), (page_times, page_values) in zip(lines, found, strict=True):
            np.testing.assert_allclose(page_times, times, rtol=DIGITS)
            np.testing.assert_allclose(page_values, values, rtol=DIGITS, atol=1e-9)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_of_one_result_is_the_same_in_both(one, name):
    page = on_the_page(Source({"": one}))[name]
    views = [view for view in page["views"] if view["runs"] == "mean over all runs"]
    figure = one.plot(name)
    if name == "cwnd":  # the figure has flows by themselves
        figure = tailrace.Comparison({"one": one}).plot(name)
    # Static figures show the queue under study, which comes first.
    check_alike(drawn(figure), views[:1] if name == "queue" else views)
    assert f"({views[0]['axis']})" in (figure.axes[0].get_ylabel() or figure.get_supylabel())


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_of_several_results_is_the_same_in_both(several, name):
    page = on_the_page(Source(several.results))[name]
    views = [view for view in page["views"] if view["runs"] == "mean over all runs"]
    check_alike(drawn(several.plot(name)), views[:1] if name == "queue" else views)
    assert {line["label"] for view in views for line in view["lines"]} == {"red", "codel"}


def test_samples_behind_the_mean_of_a_queue_are_those_of_the_page(one):
    page = on_the_page(Source({"": one}))["queue"]
    view = next(view for view in page["views"] if view["runs"] == "run 1")
    (raw,) = (line for line in one.plot("queue").axes[0].lines if line.get_label() == "run 1, samples")
    ((times, values),) = of_view(view)
    np.testing.assert_allclose(times, raw.get_xdata(), rtol=DIGITS)
    np.testing.assert_allclose(values, np.asarray(raw.get_ydata(), dtype=float), rtol=DIGITS)


def test_windows_of_single_flows_are_the_same_in_both(one):
    page = on_the_page(Source({"": one}))["flows"]
    view = next(view for view in page["views"] if view["part"] == "congestion window")
    lines = [line for axes in one.plot("cwnd").axes for line in axes.lines]
    assert [line["label"] for line in view["lines"]] == ["tcp[0]", "tcp[1]"]
    for line, (times, values) in zip(lines, of_view(view), strict=True):
        np.testing.assert_allclose(times, np.asarray(line.get_xdata(), dtype=float), rtol=DIGITS)
        np.testing.assert_allclose(values, np.asarray(line.get_ydata(), dtype=float), rtol=DIGITS)
    assert "(segments)" in one.plot("cwnd").get_supylabel()


def test_goodput_by_path_is_the_same_in_both(multipath):
    page = on_the_page(Source({"": multipath}))["path_goodput"]
    (view,) = page["views"]
    (axes,) = multipath.plot("path_goodput").axes
    *layers, delivered = of_view(view)
    names = [layer.get_label() for layer in axes.collections if not str(layer.get_label()).startswith("_")]
    assert [*names, "delivered in order"] == [line["label"] for line in view["lines"]]
    (line,) = axes.lines
    np.testing.assert_allclose(delivered[1], np.asarray(line.get_ydata(), dtype=float), rtol=DIGITS)
    # Each layer lies on the ones before it.
    top = np.zeros(len(layers[0][0]))
    for layer, (_, values) in zip(axes.collections, layers, strict=False):
        top = top + values
        corners = layer.get_paths()[0].vertices
        np.testing.assert_allclose(max(corners[:, 1]), max(top), rtol=1e-4)


def test_kinds_notes_and_units_are_said_by_the_description(one, multipath):
    chart = over_time.chart(Source({"": one}), METRICS["queue"], Wanted(12, runs=1))
    assert str(chart.vertical) == "queue length (packets)"
    assert str(chart.horizontal) == "time (s)"
    assert chart.note.startswith("mean of n = 3 runs, band: 95 % interval, seed 7")
    assert [series.kind for panel in chart.panels for series in panel.series] == [MEANS, SAMPLES]
    assert all(series.curve.band for panel in chart.means for series in panel.series)
    stack = path_rates.chart("path_goodput", multipath)
    assert [series.kind for series in stack.panels[0].series][-1] == TOTAL
    assert {series.kind for series in stack.panels[0].series[:-1]} == {LAYER}
    windows = flow_windows.chart(one)
    assert [panel.part for panel in windows.panels] == ["tcp flow 0", "tcp flow 1"]


def test_a_chart_can_be_crossed():
    curve = Curve(np.arange(2.0), np.arange(2.0))
    panels = [
        Panel(part, [Series(label, place, curve) for place, label in enumerate("ab")], place=row)
        for row, part in enumerate(("x", "y", "z"))
    ]
    chart = Chart("n", "n", "n over time", Axis("n", "s"), panels, spans=[Span("fault", "f", 0.0, 1.0)])
    crossed = chart.crossed()
    assert [panel.part for panel in crossed.panels] == ["a", "b"]
    assert [(s.label, s.place) for s in crossed.panels[0].series] == [("x", 0), ("y", 1), ("z", 2)]
    assert crossed.spans == chart.spans
    assert len(chart.one_a_panel().panels) == 6
