"""Figures: curves, axes with units, titles with scenario, seed and n, legends with entries."""

import xml.etree.ElementTree as ET

import polars as pl
import pytest

import tailrace
from conftest import SMALL
from tailrace import plots
from tailrace.plots import layout

UNITS = {
    "queue": "packets",
    "cwnd": "segments",
    "throughput": "Mbit/s",
    "delay": "ms",
    "jitter": "ms",
    "loss": "% of sent",
}


def texts(figure):
    parts = [figure.get_suptitle(), figure.get_supxlabel(), figure.get_supylabel()]
    for axes in figure.axes:
        parts += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
    return " ".join(parts)


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.mark.parametrize("metric", plots.METRICS)
def test_each_figure_has_curves_units_seed_and_n(small, metric):
    figure = plots.single(small, metric)
    visible = [axes for axes in figure.axes if axes.get_visible()]
    assert all(len(axes.lines) > 0 for axes in visible)
    text = texts(figure)
    assert UNITS[metric] in text
    assert "time (s)" in text
    assert "small" in text
    assert "seed 7" in text
    assert "3" in text


def test_the_congestion_window_has_a_panel_for_each_tcp_flow_and_none_for_udp(small):
    figure = small.plot_cwnd()
    visible = [axes for axes in figure.axes if axes.get_visible()]
    assert len(visible) == 2
    assert "cbr" not in texts(figure)
    assert "run 1 of 3" in texts(figure)


def test_groups_are_told_apart_in_the_legend(small):
    assert sorted(legend_of(small.plot_throughput())) == ["cbr", "tcp"]


def test_jitter_is_the_mean_of_flows_and_then_of_runs(small):
    (axes,) = small.plot_jitter().axes
    lines = {line.get_label(): line for line in axes.lines}
    for group in ("tcp", "cbr"):
        rows = small.flow_series.filter(pl.col("group").cast(pl.String) == group)
        runs = rows.group_by("time_s", "run").agg(pl.col("jitter_s").mean())
        means = runs.group_by("time_s").agg(pl.col("jitter_s").mean()).sort("time_s")
        drawn = lines[group].get_ydata()
        assert drawn == pytest.approx((means["jitter_s"] * 1e3).to_numpy(), nan_ok=True)
    assert small.aggregate["groups"]["tcp"]["jitter_s"]["max"]["mean"] > 0.02
    assert "jitter_mean_s" in small.flows.columns


def test_an_overlay_has_a_line_for_each_variant_in_each_panel(small, small_codel):
    comparison = tailrace.compare({"droptail": small, "codel": small_codel}, title="both")
    for metric in plots.METRICS:
        figure = comparison.plot(metric)
        assert legend_of(figure) == ["droptail", "codel"]
        assert all(len(axes.lines) == 2 for axes in figure.axes)
        assert "n = 3 runs, band: 95 % interval" in texts(figure)


def test_lines_differ_in_dashes_as_well_as_colour(small, small_codel):
    figure = tailrace.compare({"a": small, "b": small_codel}).plot("queue")
    first, second = figure.axes[0].lines
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle() or first._dash_pattern != second._dash_pattern


def test_png_and_svg_are_written_and_svg_keeps_its_text(small, tmp_path):
    written = plots.save_all({"queue": small.plot_queue()}, tmp_path)
    assert [path.name for path in written] == ["queue.png", "queue.svg"]
    assert written[0].read_bytes().startswith(b"\x89PNG")
    ET.parse(written[1])
    assert "queue length (packets)" in written[1].read_text()


def test_equal_results_give_equal_figures(small, tmp_path):
    for place in ("a", "b"):
        plots.save_all({"loss": small.plot_loss()}, tmp_path / place, ["svg"])
    assert (tmp_path / "a" / "loss.svg").read_bytes() == (tmp_path / "b" / "loss.svg").read_bytes()


def test_a_scenario_without_series_says_so_in_the_figure():
    result = tailrace.run(SMALL, runs=1, set={"record.interval": "off"})
    figure = result.plot_queue()
    assert [text.get_text() for text in figure.axes[0].texts] == ["not recorded"]
    assert not legend_of(figure)


def test_an_unknown_metric_names_those_there_are(small):
    with pytest.raises(tailrace.UsageError, match="throughput"):
        plots.single(small, "loudness")


@pytest.mark.parametrize("length", [1, 30, 200])
def test_every_entry_of_a_legend_is_on_the_sheet(length):
    figure, (axes,) = layout.figure(1, "title")
    handles = [axes.plot([0, 1], [0, i])[0] for i in range(6)]
    layout.legend(figure, handles, [str(i) * length for i in range(6)])
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 6
    figure.canvas.draw()
    columns = {round(text.get_window_extent().x0) for text in legend.get_texts()}
    # One column is all that can be done about names that are longer than the sheet is wide.
    assert len(columns) == {1: 6, 30: 2, 200: 1}[length]
    assert legend.get_window_extent().width <= figure.bbox.width or len(columns) == 1


def test_long_panel_titles_have_lines_enough():
    name = "client=1 subflow, 2 subflow backup kind=blackhole"
    assert layout.panel_title(name, 2) == name
    assert layout.panel_title(name, 4) == "client=1 subflow, 2 subflow backup\nkind=blackhole"
