"""Figures of Multipath TCP: what is drawn are the tables' numbers, and only where it was used."""

import numpy as np
import polars as pl
import pytest

import tailrace
from conftest import command_line
from tailrace.show import plots
from tailrace.show.charts import data_direction, path_rates
from tailrace.show.charts.path_rates import STACKS
from tailrace.show.plots import multipath
from tailrace.show.plots.multipath import draw_stack
from tailrace.show.plots.reordering import ccdf

# Two paths, of which the second is down for a while: its subflow ends, and another takes its place.
TWO_PATHS = """
name = "two-paths"
duration = "8 s"
runs = 2
seed = 5

[record]
interval = "20 ms"

[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"

[[link]]
name = "left"
between = ["a", "r"]
rate = "4 Mbit/s"
delay = "5 ms"
[[link]]
name = "right"
between = ["a", "r"]
rate = "2 Mbit/s"
delay = "20 ms"
loss = "0.1 %"
[[link]]
name = "core"
between = ["r", "b"]
rate = "100 Mbit/s"
delay = "1 ms"

[[flow]]
name = "mp"
from = "a"
to = "b"
transport = { kind = "mptcp" }
app = "bulk"

[[fault]]
kind = "down"
link = "right"
at = "3 s"
until = "5 s"
"""
NAMES = ["subflow_cwnd", "path_goodput", "path_throughput", "data_sequence", "reordering"]


@pytest.fixture(scope="module")
def paths() -> tailrace.Result:
    return tailrace.run(TWO_PATHS)


@pytest.fixture(scope="module")
def schedulers(paths) -> tailrace.Comparison:
    """Copies on both paths, whose windows are several times larger than the others'; and no Multipath TCP at all."""
    redundant = tailrace.run(TWO_PATHS, set={"flow.mp.transport.scheduler": "redundant"})
    plain = tailrace.run(TWO_PATHS, runs=1, set={"flow.mp.transport": "tcp"})
    return tailrace.compare({"lowest_rtt": paths, "plain": plain, "redundant": redundant}, title="three")


def lines_of(axes):
    return {line.get_label(): line for line in axes.lines}


def heights(layer):
    """By time, how thick a layer of a stack is."""
    (outline,) = layer.get_paths()
    times = np.unique(outline.vertices[:, 0])
    return times, np.array([np.ptp(outline.vertices[outline.vertices[:, 0] == at, 1]) for at in times])


def test_they_are_drawn_only_where_multipath_tcp_was_used(small, paths, tmp_path):
    assert plots.names_for([small], ["all"]) == list(plots.METRICS)
    assert plots.names_for([small, paths], ["all"]) == [*plots.METRICS, *NAMES]
    assert not set(plots.names_for([small])) & set(NAMES)
    (tmp_path / "two.toml").write_text(TWO_PATHS)
    done = command_line("run", "two.toml", "--runs", 1, "-o", "two", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    again = command_line("plot", "two", "-o", "again", "--format", "svg", "--figures", "all", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    drawn = {path.name for path in (tmp_path / "two" / "figures").iterdir()}
    assert drawn == {f"{name}.{kind}" for name in plots.names_for([paths]) for kind in ("png", "svg")}
    # No queue is under study, and no connection is TCP's alone.
    there = {*plots.METRICS, *NAMES} - {"queue", "cwnd"}
    assert {path.stem for path in (tmp_path / "again").iterdir()} == there


def test_paths_are_drawn_without_their_subflows(paths):
    alone = tailrace.Result(
        paths.summary, {"path_series": paths.path_series}, paths.scenario_toml, paths.manifest
    )
    assert [name for name in NAMES if multipath.is_worth(name, alone)] == ["path_goodput"]
    (axes,), (whole,) = alone.plot_path_goodput().axes, paths.plot_path_goodput().axes
    for layer, same in zip(axes.collections, whole.collections, strict=True):
        assert all(np.array_equal(*pair) for pair in zip(heights(layer), heights(same), strict=True))
    both = tailrace.Comparison({"alone": alone, "whole": paths}).plot("path_goodput")
    assert [bool(axes.collections) for axes in both.axes] == [True, True]


def test_a_subflow_has_its_window_while_it_may_carry_data_and_a_gap_while_not(paths):
    figure = paths.plot_subflow_cwnd()
    (axes,) = figure.axes
    assert "(kB)" in axes.get_ylabel()
    assert "run 1 of 2, seed 5" in figure.get_suptitle()
    lines = lines_of(axes)
    assert set(lines) == {"left (subflow 0)", "right (subflow 1)"}
    rows = paths.subflow_series.filter(
        (pl.col("run") == 1) & (pl.col("subflow") == 1) & (pl.col("usable") == 1)
    )
    right = lines["right (subflow 1)"]
    times, windows = right.get_xdata(), np.asarray(right.get_ydata(), dtype=float)
    there = ~np.isnan(windows)
    assert times[there].tolist() == rows["time_s"].to_list()
    assert windows[there].tolist() == pytest.approx((rows["cwnd_bytes"] / 1e3).to_list())
    down = (times > 4) & (times < 5)
    assert down.any()
    assert np.isnan(windows[down]).all()
    assert not np.isnan(windows[times > 7]).any()


def test_layers_of_the_throughput_add_up_to_what_was_given_to_each_path(paths):
    figure = paths.plot_path_throughput()
    (axes,) = figure.axes
    assert "(Mbit/s)" in axes.get_ylabel()
    assert "mean of n = 2 runs, seed 5" in figure.get_suptitle()
    layers = {layer.get_label(): heights(layer) for layer in axes.collections}
    assert set(layers) == {"left", "right"}
    for link, (times, mbps) in layers.items():
        given = [
            connection["paths"][link]["scheduled_bytes"]
            for run in paths.summary["runs"]
            for connection in run["connections"].values()
        ]
        # A subflow that ends takes with it what it was given since the last sample.
        drawn = mbps.sum() * (times[1] - times[0]) / 8e-6
        assert drawn == pytest.approx(sum(given) / len(given), rel=0.03), link
    times, mbps = layers["right"]
    assert mbps[(times > 4) & (times < 5)].max() == 0
    assert mbps[times > 7].min() > 0.5
    line = lines_of(axes)["delivered in order"]
    delivered = paths.connection_series.group_by("run").agg(pl.col("delivered_bytes").max())
    drawn = np.nansum(line.get_ydata()) * (times[1] - times[0]) / 8e-6
    assert drawn == pytest.approx(delivered["delivered_bytes"].mean(), rel=1e-6)


def test_a_counter_that_begins_again_belongs_to_another_subflow(paths):
    """By second, bytes given to the subflows in two places, the second of which is taken by three in turn."""
    places = [
        ("left", [1000, 3000, 3000, 4000, 6000]),
        ("right", [500, 1500]),
        ("right", [700]),
        ("left", [2000, 2500]),
    ]
    rows = [(t + 1.0, 0, places[0][0], n) for t, n in enumerate(places[0][1])]
    turns = [(link, count) for link, counts in places[1:] for count in counts]
    rows += [(t + 1.0, 1, link, count) for t, (link, count) in enumerate(turns)]
    names = ["time_s", "subflow", "link", "scheduled_bytes"]
    series = pl.DataFrame(rows, names, orient="row").with_columns(run=1, group=pl.lit("mp"), flow=0)
    tables = {
        "subflow_series": series.sort("time_s", "subflow"),
        "connection_series": series.filter(pl.col("subflow") == 0).rename(
            {"scheduled_bytes": "delivered_bytes"}
        ),
    }
    result = tailrace.Result(paths.summary, tables, paths.scenario_toml, paths.manifest)
    (axes,) = result.plot_path_throughput().axes
    bytes_given = {layer.get_label(): heights(layer)[1] / 8e-6 for layer in axes.collections}
    assert bytes_given["left"] == pytest.approx([1000, 2000, 0, 1000 + 2000, 2000 + 500])
    assert bytes_given["right"] == pytest.approx([500, 1000, 700, 0, 0])


def test_the_data_sequence_shows_progress_and_what_is_on_the_way(paths):
    figure = paths.plot_data_sequence()
    progress, on_the_way = figure.axes
    rows = paths.connection_series.filter(pl.col("run") == 1)
    sent, acked = (rows[name].cast(pl.Float64).to_numpy() for name in ("sent_bytes", "acked_bytes"))
    assert progress.get_ylabel() == "data sequence (MB)"
    assert lines_of(progress)["sent"].get_ydata() == pytest.approx(sent / 1e6)
    assert lines_of(progress)["acknowledged"].get_ydata() == pytest.approx(acked / 1e6)
    assert lines_of(on_the_way)["sent, not acknowledged"].get_ydata() == pytest.approx((sent - acked) / 1e3)
    waiting = lines_of(on_the_way)["at the receiver, out of order"].get_ydata()
    assert waiting == pytest.approx(rows["waiting_bytes"].to_numpy() / 1e3)
    assert max(waiting) > 0


def test_what_a_kernel_does_not_tell_has_no_line(paths):
    untold = ("sent_bytes", "acked_bytes", "waiting_bytes")
    series = paths.connection_series.with_columns(pl.lit(None, pl.UInt64).alias(name) for name in untold)
    tables = {"connection_series": series, "subflow_series": paths.subflow_series}
    told = tailrace.Result(paths.summary, tables, paths.scenario_toml, paths.manifest)
    progress, on_the_way = told.plot_data_sequence().axes
    assert list(lines_of(progress)) == ["delivered in order"]
    assert not on_the_way.lines
    assert [text.get_text() for text in on_the_way.texts] == ["not recorded"]
    assert not multipath.is_worth("reordering", told)
    below = tailrace.Comparison({"told": told, "all": paths}).plot("data_sequence").axes[1]
    assert list(lines_of(below)) == ["all"]


def test_panels_with_different_subflows_have_their_own_legends():
    other = TWO_PATHS + '[[flow]]\nname = "one"\nfrom = "b"\nto = "a"\ntransport = "mptcp"\napp = "bulk"\n'
    result = tailrace.run(other, runs=1, set={"duration": "2 s", "fault.0.at": "1 s"})
    axes = result.plot_subflow_cwnd().axes
    assert [panel.get_title(loc="left") for panel in axes] == ["mp[0]", "one[0]"]
    shown = [[text.get_text() for text in panel.get_legend().get_texts()] for panel in axes]
    assert shown[0] == ["left (subflow 0)", "right (subflow 1)"]
    assert shown[1][0] == "core (subflow 0)"


def test_a_complementary_distribution_is_the_share_above():
    rows = [("x", 0.0, 0.0, 6), ("x", 10.0, 11.0, 3), ("y", 0.0, 5.0, 9), ("x", 30.0, 31.0, 1)]
    table = pl.DataFrame(rows, ["variable", "low", "high", "segments"], orient="row")
    values, above = ccdf(table, "x")
    assert values.tolist() == [0, 11, 31]
    assert above.tolist() == pytest.approx([0.4, 0.1, 0])
    # All are above zero where none came in order; another connection's counts add up.
    values, above = ccdf(pl.concat([table, table]).filter(pl.col("high") > 5), "x")
    assert values.tolist() == [0, 11, 31]
    assert above.tolist() == pytest.approx([1, 0.25, 0])


def test_reordering_is_drawn_from_the_table_and_agrees_with_the_summary(paths):
    displacement, delay = paths.plot_reordering().axes
    assert displacement.get_xlabel() == "displacement (kB)"
    assert delay.get_xlabel() == "reordering delay (ms)"
    assert displacement.get_yscale() == delay.get_yscale() == "log"
    entries = [run["connections"]["mp[0]"] for run in paths.summary["runs"]]
    for axes, key, scale in ((displacement, "displacement_bytes", 1e-3), (delay, "reordering_delay_s", 1e3)):
        (line,) = axes.lines
        values, above = line.get_xdata(), line.get_ydata()
        least, most = sorted(entry["reordered_ratio"] for entry in entries)
        assert 0.9 * least <= above[0] <= 1.1 * most
        assert values[-1] == pytest.approx(max(entry[key]["max"] for entry in entries) * scale, rel=0.02)
        assert (np.diff(above) <= 0).all()
    assert {"run", "group", "flow", "end", "variable", "low", "high", "segments"} == set(
        paths.reordering.columns
    )


def test_several_results_have_a_panel_each_on_one_scale(schedulers):
    for name, unit in (("subflow_cwnd", "(kB)"), ("path_throughput", "(Mbit/s)")):
        figure = schedulers.plot(name)
        panels = [axes for axes in figure.axes if axes.get_visible()]
        # Plain TCP has none.
        assert [axes.get_title(loc="left") for axes in panels] == ["lowest_rtt", "redundant"]
        assert len({axes.get_ylim() for axes in panels}) == 1
        assert unit in figure.get_supylabel()
        assert "three" in figure.get_suptitle()
        assert panels[-1].get_xlabel() == "time (s)"
    windows = [axes for axes in schedulers.plot("subflow_cwnd").axes if axes.get_visible()]
    looks = [{label: line.get_color() for label, line in lines_of(axes).items()} for axes in windows]
    assert looks[0] == looks[1]
    assert set(looks[0]) == {"left (subflow 0)", "right (subflow 1)"}


def test_a_panel_of_several_shows_what_the_single_figure_shows(schedulers):
    alone = {
        layer.get_label(): heights(layer)[1]
        for layer in schedulers["redundant"].plot_path_throughput().axes[0].collections
    }
    beside = {
        layer.get_label(): heights(layer)[1]
        for layer in schedulers.plot("path_throughput").axes[1].collections
    }
    assert set(alone) == set(beside) == {"left", "right"}
    for link, values in alone.items():
        assert beside[link] == pytest.approx(values)


def test_progress_and_reordering_of_several_results_are_a_line_each(schedulers):
    above, below = schedulers.plot("data_sequence").axes
    assert set(lines_of(above)) == set(lines_of(below)) == {"lowest_rtt", "redundant"}
    for label in ("lowest_rtt", "redundant"):
        ends = schedulers[label].connection_series.group_by("run").agg(pl.col("delivered_bytes").max())
        last = lines_of(above)[label].get_ydata()[-1]
        assert last == pytest.approx(ends["delivered_bytes"].mean() / 1e6, rel=0.02)
    assert "at the receiver" in below.get_ylabel()
    figure = schedulers.plot("reordering")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["lowest_rtt", "redundant (none)"]
    assert all(len(axes.lines) == 2 for axes in figure.axes)


def test_overlays_of_multipath_tcp_are_drawn_where_a_result_has_it(schedulers, tmp_path):
    schedulers.save(tmp_path / "all")
    done = command_line("plot", "all", "-o", "figures", "--format", "svg", "--figures", "all", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {path.stem for path in (tmp_path / "figures").iterdir()} == {*plots.METRICS, *NAMES} - {"queue"}


def test_more_results_than_are_read_are_counted(paths):
    figure = tailrace.compare({str(n): paths for n in range(14)}).plot("subflow_cwnd")
    assert len([axes for axes in figure.axes if axes.get_visible()]) == 12
    assert "12 of 14" in figure.get_suptitle()


def test_without_multipath_tcp_each_says_so(small):
    for name in NAMES:
        figure = plots.single(small, name)
        assert {text.get_text() for axes in figure.axes for text in axes.texts} == {"not recorded"}


def test_equal_results_give_equal_figures(paths, tmp_path):
    for place in ("a", "b"):
        plots.save_all({name: plots.single(paths, name) for name in NAMES}, tmp_path / place, ["svg"])
    for name in NAMES:
        assert (tmp_path / "a" / f"{name}.svg").read_bytes() == (tmp_path / "b" / f"{name}.svg").read_bytes()


def test_of_more_results_than_lines_can_be_told_apart_each_has_a_row(paths):
    comparison = tailrace.compare({f"v{n}": paths for n in range(14)})
    for name in ("data_sequence", "reordering"):
        figure = comparison.plot(name)
        assert len(figure.axes) == 2 * 12
        assert "12 of 14 results" in figure.get_suptitle()
        assert {label for axes in figure.axes for label in lines_of(axes)} == {"mp"}
    assert [axes.get_title(loc="left") for axes in comparison.plot("data_sequence").axes[::2]] == [
        f"v{n}" for n in range(12)
    ]


def test_paths_of_a_stack_differ_in_more_than_colour_beyond_those_there_are(paths):
    from matplotlib.figure import Figure

    looks = {f"other{n}": n for n in range(7)}
    axes = Figure().subplots()
    draw_stack(axes, path_rates.panel(STACKS["path_throughput"], paths, "mp", looks))
    colours = {tuple(layer.get_facecolor()[0]) for layer in axes.collections}
    assert len(colours) == 2
    assert all(layer.get_hatch() for layer in axes.collections)


def test_a_download_is_drawn_by_what_the_server_sends():
    app = {"kind": "request_response", "request": "1 kB", "response": "500 kB", "think": "10 ms"}
    result = tailrace.run(TWO_PATHS, runs=1, set={"flow.mp.app": app})
    assert data_direction.senders(result) == {"mp": "server"}
    assert data_direction.note([result]) == ", of mp what servers send"
    rows = data_direction.drawn(result, result.connection_series)
    assert set(rows["end"].cast(pl.String)) == {"server"}
    assert rows["delivered_bytes"].max() > 1e6
    figures = {name: multipath.FIGURES[name](result) for name in NAMES}
    stack = figures["path_throughput"].axes[0]
    # The server has one link, on which what it sends to both of the client's leaves.
    assert [layer.get_label() for layer in stack.collections] == ["core"]
    for name in NAMES:
        assert "what servers send" in figures[name].get_suptitle(), name


def test_an_upload_is_drawn_by_what_the_client_sends(paths):
    assert data_direction.senders(paths) == {"mp": "client"}
    assert data_direction.note([paths]) == ""
    assert len(data_direction.drawn(paths, paths.subflow_series)) == len(paths.subflow_series)
