"""Figures: curves, axes with units, titles with scenario, seed and n, legends with entries."""

import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest

import tailrace
from conftest import SMALL
from tailrace.show import plots, summary_tables
from tailrace.show.charts.curves import Curve
from tailrace.show.plots import layout, panels, parallel_render, style
from tailrace.text import interval_text

UNITS = {
    "queue": "packets",
    "cwnd": "segments",
    "goodput": "Mbit/s",
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


def test_jitter_is_the_mean_of_the_runs(small):
    (axes,) = small.plot_jitter().axes
    lines = {line.get_label(): line for line in axes.lines}
    for group in ("tcp", "cbr"):
        rows = small.group_series.filter(pl.col("group").cast(pl.String) == group)
        means = rows.group_by("time_s").agg(pl.col("jitter_s").mean()).sort("time_s")
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
    assert layout.panel_title(name, 1) == name
    assert layout.panel_title(name, 2) == "client=1 subflow, 2 subflow backup\nkind=blackhole"


# -- what a figure must not leave out, mix up or hide -------------------------------------------------------------


def visible(figure):
    return [axes for axes in figure.axes if axes.get_visible()]


def many_groups(count, **changes):
    """A bottleneck of 2 Mbit/s that so many groups of one flow share."""
    head = SMALL[: SMALL.index("[[flow]]")].replace('name = "small"', 'name = "many"')
    group = """
[[flow]]
name = "g{0}"
from = "src[{1}]"
to = "dst"
transport = "tcp"
app = "bulk"
start = "uniform(0 s, 100 ms)"
"""
    text = head + "".join(group.format(i, i % 3) for i in range(count))
    return tailrace.run(text, runs=2, set={"duration": "3 s", **changes})


def test_a_group_is_drawn_with_all_its_flows_whatever_is_kept_of_single_ones(small):
    few = tailrace.run(SMALL, set={"record.max_series_flows": 1})
    assert few.flow_series.filter(pl.col("run") == 1)["flow"].n_unique() == 1
    for name in ("goodput", "throughput"):
        lines = {line.get_label(): line for line in few.plot(name).axes[0].lines}
        for group, line in lines.items():
            drawn = line.get_ydata().mean() * 1e6
            assert drawn == pytest.approx(small.aggregate["groups"][group][f"{name}_bps"]["sum"]["mean"])


def test_each_tcp_flow_has_a_panel_only_where_each_was_sampled():
    few = tailrace.run(SMALL, runs=1, set={"record.max_series_flows": 1})
    figure = few.plot_cwnd()
    assert "each TCP flow" not in figure.get_suptitle()
    assert "mean of open TCP flows" in figure.get_suptitle()


def test_no_two_lines_of_a_figure_look_the_same():
    looks = [str(sorted(style.line(index).items())) for index in range(28)]
    assert len(set(looks)) == 28


def test_the_legend_names_the_lines_of_all_panels(small):
    # The second result lacks the first group, the third the second.
    other = tailrace.run(SMALL.replace('name = "tcp"', 'name = "web"'))
    for size in style.SIZES:
        figure = tailrace.compare({"one": small, "two": other}).plot("cwnd", size=size)
        assert [axes.get_title(loc="left") for axes in figure.axes] == ["tcp", "web"]
        assert sorted(legend_of(figure)) == ["one", "two"]


def test_of_more_results_than_lines_can_be_told_apart_each_has_a_panel(small, small_codel):
    results = {f"v{i}": small if i % 2 else small_codel for i in range(9)}
    goodput = tailrace.compare(results).plot("goodput")
    assert [axes.get_title(loc="left") for axes in visible(goodput)] == list(results)
    assert all(len(axes.lines) == 2 for axes in visible(goodput))
    assert sorted(legend_of(goodput)) == ["cbr", "tcp"]
    assert len({axes.get_ylim() for axes in visible(goodput)}) == 1
    # One line a result: behind it, pale, those of the others.
    queue = tailrace.compare(results).plot("queue")
    assert all(len(axes.lines) == 9 for axes in visible(queue))
    assert legend_of(queue) == ["all others"]
    many = tailrace.compare({f"v{i}": small for i in range(30)}).plot("queue")
    assert len(visible(many)) == 24
    assert "24 of 30 results" in many.get_suptitle()


def test_the_smallest_of_many_groups_are_one_and_nothing_is_lost():
    result = many_groups(15)
    figure = result.plot_goodput()
    panels = visible(figure)
    assert len(panels) == 12
    assert panels[-1].get_title(loc="left") == "4 other groups, sum"
    assert "the 11 largest of 15 groups" in figure.get_suptitle()
    drawn = sum(line.get_ydata().mean() for axes in panels for line in axes.lines)
    total = sum(group["goodput_bps"]["sum"]["mean"] for group in result.aggregate["groups"].values())
    assert drawn == pytest.approx(total / 1e6)
    assert not figure.legends
    eight = many_groups(8)
    assert len(visible(eight.plot_delay())) == 8
    both = tailrace.compare({"a": result, "b": result}).plot("goodput")
    assert [axes.get_title(loc="left") for axes in visible(both)][-1] == "4 other groups, sum"
    assert legend_of(both) == ["a", "b"]


def test_what_a_figure_of_one_thing_shows_is_named_and_the_same_of_all_results(small, small_codel):
    # Where only one group has a window, the title says which.
    assert (
        "congestion window of tcp, mean"
        in tailrace.compare({"a": small, "b": small}).plot("cwnd").get_suptitle()
    )
    # In the second, the way back is what drops.
    back = tailrace.run(
        SMALL, set={"link.bottleneck.reverse": '{ rate = "20 kbit/s", queue = "droptail limit 5" }'}
    )
    comparison = tailrace.compare({"a": small, "b": back, "c": small_codel})
    assert "queue length of r1->r2" in comparison.plot("queue").get_suptitle()
    chosen = comparison.studying("r2->r1")
    assert "queue length of r2->r1" in chosen.plot("queue").get_suptitle()
    assert "queue of every variant: r2->r1" in chosen.grid.notes
    cells = {row[0]: row[-1] for row in chosen.grid.rows if row[0]}
    used = small.aggregate["queues"]["r2->r1"]["utilization"]
    assert cells["a"] == interval_text.mean_with_interval(used, 100)
    assert "queue length of r2->r1" in small.plot_queue(queue="r2->r1").get_suptitle()
    with pytest.raises(tailrace.UsageError, match=r"no queue 'r2->r2'; did you mean 'r\d->r\d'\?"):
        comparison.plot("queue", queue="r2->r2")


def test_a_value_between_gaps_is_a_dot():
    times, values = np.arange(5.0), np.array([1.0, np.nan, 2.0, np.nan, np.nan])
    sheet, (axes,) = layout.figure(1, "title")
    panels.draw(axes, Curve(times, values), 0, "x")
    assert axes.lines[1].get_xdata().tolist() == [0.0, 2.0]
    assert axes.get_legend_handles_labels()[1] == ["x"]
    assert sheet.axes == [axes]


@pytest.mark.parametrize("size", style.SIZES)
def test_figures_have_the_width_of_a_column_and_no_title_where_that_is_asked_for(small, size):
    figure = small.plot_goodput(size=size, title=False)
    assert figure.get_figwidth() == style.SIZES[size].width
    assert figure.get_suptitle() == ""
    assert figure.axes[0].yaxis.label.get_size() == style.SIZES[size].text
    assert small.plot_goodput(size=size).get_suptitle()
    with pytest.raises(tailrace.UsageError, match="did you mean 'single'"):
        small.plot_goodput(size="singel")


def test_pdf_has_type_42_fonts_and_no_date(small, tmp_path):
    for place in ("a", "b"):
        plots.save_all({"goodput": small.plot_goodput(size="single")}, tmp_path / place, ["pdf"])
    written = (tmp_path / "a" / "goodput.pdf").read_bytes()
    assert b"/CIDFontType2" in written
    assert b"/Type3" not in written
    assert written == (tmp_path / "b" / "goodput.pdf").read_bytes()


def test_all_formats_are_the_same_picture(small, tmp_path):
    figure = small.plot_goodput()
    plots.save_all({"goodput": figure}, tmp_path, ["png"])
    first = figure.axes[0].get_position().bounds
    plots.save_all({"goodput": figure}, tmp_path, ["svg", "pdf"])
    assert figure.axes[0].get_position().bounds == first


def test_few_figures_are_usual_and_others_are_drawn_by_name(small):
    assert plots.names_for([small]) == ["queue", "cwnd", "goodput", "delay"]
    assert plots.names_for([small], ["loss", "queue", "loss"]) == ["loss", "queue"]
    with pytest.raises(tailrace.UsageError, match="no figure 'goodputt'; did you mean 'goodput'"):
        plots.names_for([small], ["goodputt"])


def test_the_way_back_has_a_line_of_its_own():
    exchanges = SMALL.replace(
        'app = { kind = "bulk" }', 'app = { kind = "request_response", request = "1 kB", response = "20 kB" }'
    )
    result = tailrace.run(exchanges, runs=1)
    assert legend_of(result.plot_delay()) == ["tcp", "cbr", "tcp, back"]
    colour = {line.get_label(): line.get_color() for line in result.plot_delay().axes[0].lines}
    assert (
        colour["cbr"]
        == {line.get_label(): line.get_color() for line in result.plot_goodput().axes[0].lines}["cbr"]
    )
    grid = summary_tables.result_grids(result)[0]
    assert {"delay back ms", "completed", "completion ms", "p95 ms"} <= set(grid.columns)


def test_helpers_draw_what_one_process_draws(small, small_codel, tmp_path, monkeypatch):
    # So that one helper is worth its start.
    monkeypatch.setattr(parallel_render, "_WORTH", 3)
    both = tailrace.compare({"droptail": small, "codel": small_codel})
    both.save(tmp_path / "both")
    names = tuple(plots.METRICS)[:6]
    orders = [
        parallel_render.Order((tmp_path / "both",), names, tmp_path / place, ("svg",))
        for place in ("one", "two")
    ]
    parallel_render.draw(orders[0], both, 1)
    parallel_render.draw(orders[1], both, 2)
    for name in names:
        one, two = (order.target / f"{name}.svg" for order in orders)
        assert one.read_bytes() == two.read_bytes()
