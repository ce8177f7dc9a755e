"""Figures of sweeps: what lies in their axes is what the runs have, and nothing is averaged over unsaid."""

import itertools

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import tailrace
from conftest import SMALL, command_line
from tailrace.errors import UsageError
from tailrace.reproduce.claim_quantities import Wanted
from tailrace.reproduce.toml_keys import Keys, Source
from tailrace.show.plots import layout, parallel_render, style, swept
from tailrace.show.plots.swept import design, lines, run_values
from tailrace.show.plots.swept.axis import Axis
from tailrace.show.plots.swept.request import Request
from tailrace.stats import statistics
from tailrace.study import cell_selection
from tailrace.text import quantities

# Bursts instead of a constant rate: the period is what is swept.
PULSES = SMALL[: SMALL.index('app = { kind = "cbr"')].replace("runs = 3", "runs = 2") + (
    'app = { kind = "pulse", rate = "4 Mbit/s", size = "500 B", burst = "100 ms", period = "1 s" }\n'
)
PERIODS = [0.1, 0.5, 1.0, 10.0]
AXES = {
    "flow.cbr.app.period": ["100 ms", "500 ms", "1 s", "10 s"],
    "link.bottleneck.queue": ["droptail", "red", "codel"],
    "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"],
}
ONE_RATE = "rate=1 Mbit/s"


@pytest.fixture(scope="module")
def swept_pulses(tmp_path_factory):
    return tailrace.sweep(PULSES, AXES, output=tmp_path_factory.mktemp("swept") / "store")


def runs_of(sweep, metric, **chosen):
    rows = sweep.metric(metric)
    for name, value in chosen.items():
        rows = rows.filter(pl.col(sweep.column(name)) == value)
    return rows["value"].to_list()


def drawn(axes):
    """Label -> x, y, and the ends of the error bars, of each line with intervals."""
    found = {}
    for container in axes.containers:
        line, _, (bars,) = container.lines
        ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
        found[container.get_label()] = (line.get_xdata(), line.get_ydata(), ends)
    return found


def legend_of(figure):
    (legend,) = figure.legends
    return legend.get_title().get_text(), [text.get_text() for text in legend.get_texts()]


def words(text):
    """Without its breaks of lines."""
    return " ".join(text.split())


def title_of(figure):
    return words(figure.get_suptitle())


def titles(figure):
    return [words(axes.get_title(loc="left")) for axes in figure.axes if axes.get_visible()]


# -- lines ---------------------------------------------------------------------------------------------------------


def test_lines_are_means_and_error_bars_are_intervals(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput", "period", "queue", where=ONE_RATE)
    (axes,) = figure.axes
    found = drawn(axes)
    assert list(found) == ["droptail", "red", "codel"]
    for queue, (xs, ys, ends) in found.items():
        assert xs.tolist() == PERIODS
        for period, y, (low, high) in zip(PERIODS, ys, ends, strict=True):
            values = runs_of(swept_pulses, "tcp.goodput", period=period, queue=queue, rate=1e6)
            assert len(values) == 2
            wanted = statistics.interval(values)
            assert y == pytest.approx(wanted.mean)
            half = statistics.student_t_975(1) * abs(values[0] - values[1]) / 2
            # No goodput is below 0.
            assert (low, high) == pytest.approx((max(0.0, wanted.mean - half), wanted.mean + half))
    assert axes.get_xscale() == "log"  # two decades
    assert axes.get_xlabel() == "cbr.period (s)"
    assert axes.get_ylabel() == "tcp goodput (Mbit/s)"
    assert title_of(figure).startswith("small: goodput of tcp against cbr.period, by bottleneck.queue mean")
    assert "mean of n = 2 runs, error bars: 95 % interval, seed 7, only rate=1 Mbit/s" in title_of(figure)
    assert legend_of(figure) == ("bottleneck.queue", ["droptail", "red", "codel"])


def test_intervals_of_shares_stay_between_none_and_all(swept_pulses):
    figure = swept_pulses.plot("utilization", "period", "queue", where=ONE_RATE)
    for queue, (_, _, ends) in drawn(figure.axes[0]).items():
        for period, (low, high) in zip(PERIODS, ends, strict=True):
            (name,) = {m.owner for m in swept_pulses.metrics(["r1->r2.utilization"])}
            values = runs_of(swept_pulses, f"{name}.utilization", period=period, queue=queue, rate=1e6)
            wanted = statistics.interval(values, (0.0, 100.0))
            assert (low, high) == pytest.approx(wanted.ends or (low, high))
            if max(values) <= 100:
                assert 0 <= low <= high <= 100
    assert "the busiest of 2 queues" in title_of(figure)
    assert "r1->r2" in figure.axes[0].get_ylabel()


def test_a_parameter_that_nobody_named_has_a_panel_a_value(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput", "period", "queue")
    assert titles(figure) == ["bottleneck.rate = 1 Mbit/s", "bottleneck.rate = 2 Mbit/s"]
    for axes, rate in zip(figure.axes, (1e6, 2e6), strict=True):
        ys = drawn(axes)["red"][1]
        wanted = [
            np.mean(runs_of(swept_pulses, "tcp.goodput", period=period, queue="red", rate=rate))
            for period in PERIODS
        ]
        assert ys == pytest.approx(wanted)
    without = swept_pulses.plot("tcp.goodput", "period")
    assert len(titles(without)) == 6
    assert titles(without)[0] == "queue = droptail, rate = 1 Mbit/s"
    assert not without.legends


def test_a_metric_of_several_groups_has_a_line_or_a_panel_for_each(swept_pulses):
    where = ["rate=1 Mbit/s", "queue=red"]
    (axes,) = swept_pulses.plot("goodput", "period", where=where).axes
    assert list(drawn(axes)) == ["cbr", "tcp"]
    figure = swept_pulses.plot("goodput", "period", "queue", where=ONE_RATE)
    assert titles(figure) == ["cbr", "tcp"]
    attack = [runs_of(swept_pulses, "cbr.goodput", period=p, queue="red", rate=1e6) for p in PERIODS]
    assert drawn(figure.axes[0])["red"][1] == pytest.approx([np.mean(values) for values in attack])


def test_what_is_left_out_is_chosen_by_what_varies(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput")
    assert "against cbr.period, by bottleneck.queue" in title_of(figure)
    assert len(titles(figure)) == 2


def test_too_many_panels_are_an_error_that_says_how_to_choose(swept_pulses, monkeypatch):
    monkeypatch.setattr(design, "MOST_PANELS", 5)
    with pytest.raises(UsageError, match=r"6 panels \(bottleneck.queue: 3, bottleneck.rate: 2\).*--where"):
        swept_pulses.plot("tcp.goodput", "period")
    with pytest.raises(UsageError, match=r"--where 'cbr\.period=100 ms'"):
        swept_pulses.plot("tcp.goodput", "queue", "rate", kind="cdf")
    monkeypatch.setattr(design, "MOST_PANELS", 1)
    with pytest.raises(UsageError, match=r"choose with cbr\.goodput as the metric"):
        swept_pulses.plot("goodput", "period", "queue", where=ONE_RATE)


def test_too_many_lines_become_panels_with_the_others_pale(swept_pulses, monkeypatch):
    monkeypatch.setattr(design, "MOST_LINES", 2)
    figure = swept_pulses.plot("tcp.goodput", "period", "queue", where=ONE_RATE)
    assert titles(figure) == [f"bottleneck.queue = {name}" for name in ("droptail", "red", "codel")]
    pale = [line for line in figure.axes[1].lines if line.get_label() == lines.OTHERS]
    assert len(pale) == 2
    # Where other panels are few, these change places with the lines.
    swapped = swept_pulses.plot("tcp.goodput", "period", "queue")
    assert titles(swapped) == titles(figure)
    assert legend_of(swapped) == ("bottleneck.rate", ["1 Mbit/s", "2 Mbit/s"])


def test_axes_that_go_together_are_no_panels(tmp_path):
    together = {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"], "seed": ["1", "2", "1"]}
    declared = "[[sweep.zip]]\n" + "".join(
        f'"{path}" = [{", ".join(v if v.isdecimal() else repr(v) for v in values)}]\n'
        for path, values in together.items()
    )
    found = tailrace.sweep(f"{SMALL}\n{declared}", runs=1, output=tmp_path / "s")
    figure = found.plot("tcp.goodput", "rate")
    (axes,) = figure.axes
    (line,) = (container.lines[0] for container in axes.containers)
    assert line.get_xdata().tolist() == [1.0, 2.0, 4.0]
    assert axes.get_xlabel() == "bottleneck.rate (Mbit/s)"
    assert "seed varies along with bottleneck.rate" in title_of(figure)
    assert "n = 1 run: no intervals" in title_of(figure)
    # The seed goes up and down: points are of no one curve.
    assert line.get_linestyle() == "None"


def test_what_a_preset_or_a_formula_says_needs_no_note(tmp_path):
    declared = """
[sweep.let]
load = [0.5, 1.0]
[sweep.derive]
"flow.cbr.app.rate" = "load * '500 kbit/s'"
[sweep.preset.fast]
"link.bottleneck.rate" = "2 Mbit/s"
[sweep.preset.slow]
"link.bottleneck.rate" = "1 Mbit/s"
"""
    found = tailrace.sweep(f"{SMALL}\n{declared}", runs=1, output=tmp_path / "s")
    figure = found.plot("tcp.goodput", "load", "preset")
    assert "along with" not in title_of(figure)
    assert legend_of(figure) == ("preset", ["fast", "slow"])


def test_a_comma_in_a_name_parts_nothing(tmp_path):
    declared = """
[sweep.let]
access = ["as above", "waits 1 ms, loses 1 %"]
[sweep.derive]
"link.bottleneck.delay" = "'1 ms' if access == 'as above' else 'uniform(1 ms, 2 ms)'"
"link.bottleneck.rate" = "'1 Mbit/s' if access == 'as above' else '2 Mbit/s'"
[sweep.preset."slow, steady"]
"flow.cbr.app.rate" = "100 kbit/s"
[sweep.preset.fast]
"flow.cbr.app.rate" = "1 Mbit/s"
"""
    found = tailrace.sweep(f"{SMALL}\n{declared}", runs=1, output=tmp_path / "s")
    # What a preset sets is said by its name.
    assert found.table(["tcp.goodput"]).grid().columns[:2] == ["access", "preset"]
    # Derived values that are of several kinds are no news to whoever wrote the formula.
    assert found.notes == []
    assert len(cell_selection.places(found, ["preset=slow, steady"])) == 2
    assert len(cell_selection.places(found, ["preset=slow, steady", "access=waits 1 ms, loses 1 %"])) == 1
    assert len(cell_selection.places(found, ["preset=fast,'slow, steady'"])) == 4
    asked = "tcp.goodput where preset=slow, steady, access=waits 1 ms, loses 1 % in s"
    wanted = Wanted.parsed(asked, "", Keys(Source("claims.toml", ""), {}, ""))
    assert (wanted.where, wanted.study) == (("preset=slow, steady", "access=waits 1 ms, loses 1 %"), "s")


def test_a_headline_stands_over_the_note(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput", "period", "queue", where=ONE_RATE, headline="Fig. 5, again")
    assert title_of(figure).startswith("Fig. 5, again mean of n = ")


# -- other forms ---------------------------------------------------------------------------------------------------


def test_bars_stand_beside_each_other_and_are_as_high_as_the_means(swept_pulses):
    figure = swept_pulses.plot("tcp.loss", "queue", "period", where=ONE_RATE)
    (axes,) = figure.axes
    groups = {c.get_label(): c for c in axes.containers if hasattr(c, "patches")}
    assert list(groups) == ["100 ms", "500 ms", "1 s", "10 s"]
    for label, period in zip(groups, PERIODS, strict=True):
        wanted = [
            np.mean(runs_of(swept_pulses, "tcp.loss", period=period, queue=queue, rate=1e6))
            for queue in ("droptail", "red", "codel")
        ]
        assert [bar.get_height() for bar in groups[label]] == pytest.approx(wanted)
    lefts = sorted(bar.get_x() for group in groups.values() for bar in group)
    widths = [bar.get_width() for group in groups.values() for bar in group]
    assert all(b - a >= widths[0] - 1e-9 for a, b in itertools.pairwise(lefts))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["droptail", "red", "codel"]


@pytest.mark.parametrize(("count", "angle"), [(5, 0), (20, 40), (36, 90)])
def test_names_of_words_stand_clear_of_each_other(count, angle):
    words = [f"discipline_{'x' * 12 if count > 5 else ''}{place}" for place in range(count)]
    axis = Axis.of("queue", "", words, log=None, words=True)
    with style.drawing():
        sheet, (axes,) = layout.figure(1, "many\nnote")
        height = sheet.get_figheight()
        axis.settle(axes)
        layout.taller(sheet, axis.lines_below(1))
        assert (sheet.get_figheight() > height) == (angle == 90)
        sheet.canvas.draw()
        labels = axes.get_xticklabels()
        assert [label.get_text().replace("\n", "") for label in labels] == words
        assert {label.get_rotation() for label in labels} == {angle}
        # The height of a panel is left to the panel.
        assert axes.bbox.height > 0.6 * style.look().size.panel * sheet.dpi
        if angle != 40:
            boxes = [label.get_window_extent() for label in labels]
            assert all(a.x1 <= b.x0 for a, b in itertools.pairwise(boxes))


def test_boxes_have_the_medians_of_the_runs(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput", "queue", "rate", kind="box", where="period=1 s")
    (axes,) = figure.axes
    wanted = [
        np.median(runs_of(swept_pulses, "tcp.goodput", period=1.0, queue=queue, rate=rate))
        for rate in (1e6, 2e6)
        for queue in ("droptail", "red", "codel")
    ]
    medians = [line.get_ydata()[0] for line in axes.lines if line.get_linewidth() == 1.8]
    assert medians == pytest.approx(wanted)
    assert legend_of(figure) == ("bottleneck.rate", ["1 Mbit/s", "2 Mbit/s"])
    assert "quartiles" in title_of(figure)


def test_distributions_of_runs_and_of_single_flows(swept_pulses):
    where = ["period=1 s", ONE_RATE]
    (axes,) = swept_pulses.plot("tcp.goodput", by="queue", kind="cdf", where=where).axes
    line = next(line for line in axes.lines if line.get_label() == "red")
    values = sorted(runs_of(swept_pulses, "tcp.goodput", period=1.0, queue="red", rate=1e6))
    assert line.get_xdata().tolist() == pytest.approx([values[0], *values])
    assert line.get_ydata().tolist() == [0.0, 0.5, 1.0]
    assert axes.get_ylabel() == "share of runs"

    figure = swept_pulses.plot("tcp.goodput", by="queue", kind="cdf", of="flows", where=where)
    line = next(line for line in figure.axes[0].lines if line.get_label() == "red")
    flows = swept_pulses.flows.filter(
        (pl.col("group") == "tcp")
        & (pl.col("cbr.period") == 1.0)
        & (pl.col("bottleneck.queue") == "red")
        & (pl.col("bottleneck.rate") == 1e6)
    )
    assert len(flows) == 4
    assert line.get_xdata()[1:].tolist() == pytest.approx(sorted(flows["goodput_bps"] * 1e-6))
    assert figure.axes[0].get_ylabel() == "share of flows"
    assert figure.axes[0].get_xlabel() == "tcp goodput of single flows (Mbit/s)"


@pytest.mark.parametrize(("metric", "cut"), [("tcp.timeouts", True), ("cbr.goodput", False)])
def test_intervals_beyond_the_frame_are_said(swept_pulses, metric, cut):
    """Two runs that differ have an interval many times as wide as they are apart."""
    figure = swept_pulses.plot(metric, "period", "rate", where="queue=red")
    (axes,) = figure.axes
    found = drawn(axes).values()
    top = axes.get_ylim()[1]
    assert all(y < top for _, ys, _ in found for y in ys)
    assert any(high > top for *_, ends in found for _, high in ends) == cut
    assert ("some intervals reach further than is shown" in title_of(figure)) == cut


def test_intervals_of_single_flows_are_over_the_runs(swept_pulses):
    """Flows of one run are no independent samples."""
    (axes,) = swept_pulses.plot("tcp.goodput", "period", "queue", of="flows", where=ONE_RATE).axes
    _, ys, ends = drawn(axes)["codel"]
    flows = swept_pulses.flows.filter(
        (pl.col("group") == "tcp")
        & (pl.col("cbr.period") == 0.5)
        & (pl.col("bottleneck.queue") == "codel")
        & (pl.col("bottleneck.rate") == 1e6)
    )
    wanted = statistics.interval(
        (flows.group_by("run").agg(pl.col("goodput_bps").mean())["goodput_bps"] * 1e-6).to_list()
    )
    assert ys[1] == pytest.approx(wanted.mean)
    assert ends[1][1] - ends[1][0] == pytest.approx(2 * wanted.ci95)


@pytest.mark.parametrize(
    ("app", "shown", "start", "end"),
    [
        ('{ kind = "transfer", size = "20 kB" }', "completion", None, "completion_s"),
        # Exchanges have no completion of their connection's: its own time is what there is.
        (
            '{ kind = "request_response", request = "1 kB", response = "20 kB", count = 2 }',
            "duration",
            "start_s",
            "end_s",
        ),
    ],
)
def test_times_of_connections_are_of_their_transfers_if_they_have_any(tmp_path, app, shown, start, end):
    short = SMALL.replace('app = { kind = "bulk" }', f"app = {app}")
    found = tailrace.sweep(
        short, {"link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}, runs=2, output=tmp_path / "s"
    )
    (axes,) = found.plot("completion", by="rate", kind="cdf", of="connections").axes
    rows = found.frame("connections").filter(pl.col("bottleneck.rate") == 1e6)
    wanted = sorted((rows[end] - (rows[start] if start else 0)).drop_nulls() * 1e3)
    assert len(wanted) == 4
    assert axes.lines[0].get_xdata()[1:].tolist() == pytest.approx(wanted)
    assert axes.get_xlabel() == f"{shown} of single connections (ms)"


def test_maps_have_the_means_in_their_cells(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput", "period", "queue", kind="map")
    panels = [axes for axes in figure.axes if axes.images]
    assert [axes.get_title(loc="left") for axes in panels] == [
        "bottleneck.rate = 1 Mbit/s",
        "bottleneck.rate = 2 Mbit/s",
    ]
    for axes, rate in zip(panels, (1e6, 2e6), strict=True):
        (image,) = axes.images
        grid = image.get_array()
        rows = [label.get_text() for label in panels[0].get_yticklabels()]
        # Words are read from above.
        assert rows == ["codel", "red", "droptail"]
        for row, queue in enumerate(rows):
            for column, period in enumerate(PERIODS):
                values = runs_of(swept_pulses, "tcp.goodput", period=period, queue=queue, rate=rate)
                assert grid[row, column] == pytest.approx(np.mean(values))
        assert len(axes.texts) == 12
    assert len({axes.images[0].norm.vmax for axes in panels}) == 1


def test_a_map_without_a_run_in_a_cell_has_a_hole(swept_pulses):
    figure = swept_pulses.plot(
        "tcp.goodput", "period", "queue", kind="map", where=[ONE_RATE, "queue != 'red' or period > '600 ms'"]
    )
    grid = np.ma.filled(figure.axes[0].images[0].get_array(), np.nan)
    assert np.isnan(grid[1]).tolist() == [True, True, False, False]
    assert len(figure.axes[0].texts) == 10


# -- formulas ------------------------------------------------------------------------------------------------------


def test_a_formula_is_a_dashed_line_over_the_parameter(swept_pulses):
    options = {"where": ONE_RATE, "formula": ["model = min(1, x / 2)", "wave = period * rate / '4 s'"]}
    (axes,) = swept_pulses.plot("tcp.goodput", "period", "queue", **options).axes
    model, wave = (line for line in axes.lines if line.get_gid() == lines.BESIDE)
    assert model.get_label() == "model = min(1, x / 2)"
    assert model.get_linestyle() == "--"
    xs = model.get_xdata()
    assert (xs[0], xs[-1]) == pytest.approx((0.1, 10.0))
    assert model.get_ydata() == pytest.approx(np.minimum(1, xs / 2))
    # Seconds times 1 Mbit/s over 4 s, on an axis of Mbit/s.
    assert wave.get_ydata() == pytest.approx(xs / 4)
    by_rate = swept_pulses.plot("tcp.goodput", "period", "rate", where="queue=red", formula="half = rate / 2")
    halves = [line for line in by_rate.axes[0].lines if line.get_gid() == lines.BESIDE]
    assert [line.get_ydata()[0] for line in halves] == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formula": "min(1, x)"}, "has a name"),
        ({"formula": "m = period"}, r"measured in s, the axis in Mbit/s"),
        ({"formula": "m = perid"}, "did you mean period"),
        ({"formula": "m = 'red'"}, "no number"),
        ({"formula": "m = x", "kind": "bars"}, "over lines"),
        ({"kind": "bar"}, "did you mean 'bars'"),
        ({"of": "flow"}, "did you mean 'flows'"),
        ({"log": "z"}, "x and y"),
        ({"where": "rate=3 Mbit/s"}, r"there are 1 Mbit/s, 2 Mbit/s"),
        ({"where": "queue=coddel"}, "did you mean 'codel'"),
        ({"where": "perod=1 s"}, "did you mean cbr.period"),
        ({"where": "period > '20 s'"}, "no cell is left"),
        ({"queue": "r1->r3"}, "there is no queue|no queue"),
        ({"against": "perod"}, "did you mean cbr.period"),
        ({"by": "period", "against": "period"}, "both"),
        ({"against": "queue", "kind": "line"}, "of words"),
        ({"metric": "tcp.godput"}, "did you mean tcp.goodput"),
        ({"metric": "median(tcp.goodput)"}, "figures show means"),
        ({"metric": "tcp.godput", "of": "flows"}, "did you mean goodput"),
        ({"kind": "map", "against": "period"}, "--by"),
    ],
)
def test_what_cannot_be_is_said(swept_pulses, options, message):
    chosen = {
        "metric": "utilization" if "queue" in options else "tcp.goodput",
        "against": "period",
        **options,
    }
    with pytest.raises(UsageError, match=message):
        swept_pulses.plot(chosen.pop("metric"), **chosen)


# -- words, sizes, files -------------------------------------------------------------------------------------------


def test_numbers_have_readable_units():
    assert quantities.said(0.00025, "s") == "250 µs"
    assert quantities.readable([0.02, 20.0], "s", typical=True).name == "s"
    assert quantities.readable([0.0002, 0.02], "s", typical=True) == quantities.Unit("ms", 1e3)
    assert quantities.readable([1e9], "bit/s").name == "Gbit/s"
    assert quantities.kept_or_readable([0.02], "Mbit/s").name == "kbit/s"
    assert quantities.kept_or_readable([0.02], "Mbit/s").factor == pytest.approx(1e3)
    assert quantities.kept_or_readable([0.5], "Mbit/s").name == "Mbit/s"


def test_axes_that_are_given_are_drawn_into_and_hold_one_panel(swept_pulses):
    with mpl.rc_context({"lines.linewidth": 7}):
        mine = Figure()
        ax = mine.subplots()
        found = swept_pulses.plot("tcp.goodput", "period", "queue", ax=ax, where=ONE_RATE)
    assert found is mine
    assert list(drawn(ax)) == ["droptail", "red", "codel"]
    assert ax.get_legend().get_title().get_text() == "bottleneck.queue"
    assert words(ax.get_title()) == "goodput of tcp against cbr.period, by bottleneck.queue"
    with pytest.raises(UsageError, match=r"2 panels .*where="):
        swept_pulses.plot("tcp.goodput", "period", "queue", ax=ax)


def test_a_map_is_drawn_into_axes_with_its_scale(swept_pulses):
    mine = Figure()
    ax = mine.subplots()
    swept_pulses.plot("tcp.goodput", "period", "queue", kind="map", ax=ax, where=ONE_RATE)
    assert ax.images[0].get_array().shape == (3, 4)
    assert [axes.get_ylabel() for axes in mine.axes] == ["bottleneck.queue", "tcp goodput (Mbit/s)"]


def test_helpers_draw_sweeps_as_one_process_does(swept_pulses, tmp_path, monkeypatch):
    monkeypatch.setattr(parallel_render, "_WORTH", 1)  # so that one helper is worth its start
    metrics = ("tcp.goodput", "tcp.loss", "utilization")
    options = {"against": "period", "by": "queue", "where": [ONE_RATE]}
    for jobs in (1, 2):
        files = {metric: f"{metric}-drawn" for metric in metrics}
        order = parallel_render.Order(
            (swept_pulses.place,), metrics, tmp_path / str(jobs), ("svg",), options, files
        )
        parallel_render.draw(order, parallel_render.opened(order.places), jobs)
    for metric in metrics:
        one, two = (tmp_path / jobs / f"{metric}-drawn.svg" for jobs in "12")
        assert one.read_bytes() == two.read_bytes()


def test_fonts_are_of_type_42_however_a_figure_is_saved(swept_pulses, tmp_path):
    figure = swept_pulses.plot("tcp.goodput", "period", "queue", size="single")
    assert isinstance(figure, layout.Sheet)
    assert mpl.rcParams["pdf.fonttype"] == 3  # Matplotlib's own
    figure.savefig(tmp_path / "a.pdf")
    written = (tmp_path / "a.pdf").read_bytes()
    assert b"/CIDFontType2" in written
    assert b"/Type3" not in written


def test_names_of_files_tell_figures_apart():
    def named(*asked, **options):
        return swept.file_name(Request.made(*asked, options))

    assert (
        named("tcp.goodput", "attack.period", "queue", None) == "tcp.goodput-against-attack.period-by-queue"
    )
    assert named("goodput", None, None, "map", where="load=0.5", of="flows") == "goodput-map-flows-load=0.5"


def test_the_command_line_draws_a_file_each_and_claims_it(swept_pulses):
    place = swept_pulses.place
    options = [
        "--against",
        "period",
        "--by",
        "queue",
        "--where",
        ONE_RATE,
        "--format",
        "pdf",
        "--size",
        "single",
    ]
    done = command_line("plot", place, "--metric", "tcp.goodput,utilization", *options, cwd=place.parent)
    assert done.returncode == 0, done.stderr
    names = [
        f"figures/{metric}-against-period-by-queue-rate=1-Mbit-s.pdf"
        for metric in ("tcp.goodput", "utilization")
    ]
    assert all((place / name).is_file() for name in names)
    manifest = (place / "manifest.json").read_text()
    assert all(name in manifest for name in names)
    wrong = command_line("plot", place, "--metric", "godput", cwd=place.parent)
    assert wrong.returncode == 2
    assert "did you mean goodput" in wrong.stderr
    both = command_line("plot", place, place, "--metric", "goodput", cwd=place.parent)
    assert both.returncode == 2
    assert "by itself" in both.stderr


def test_results_that_are_no_sweep_refuse_its_options(small, tmp_path):
    place = small.save(tmp_path / "r")
    wrong = command_line("plot", place, "--metric", "goodput", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "--metric is for sweeps" in wrong.stderr


def test_a_sweep_without_a_value_says_so(tmp_path):
    found = tailrace.sweep(SMALL, {"link.bottleneck.queue": ["red"]}, runs=1, output=tmp_path / "s")
    with pytest.raises(UsageError, match="nothing varies"):
        found.plot("tcp.goodput")
    with pytest.raises(UsageError, match="no run has a value"):
        found.plot("tcp.completion", "queue")


def test_a_point_of_one_run_has_no_interval_and_missing_runs_are_said(tmp_path):
    place = tmp_path / "s"
    queues = {"link.bottleneck.queue": ["red", "codel"]}
    # Three of four runs.
    for shard in (1, 2, 3):
        swept = tailrace.sweep(SMALL, queues, runs=2, output=place, shard=(shard, 4))
    figure = swept.plot("tcp.goodput", kind="bars")
    assert "1 of 4 runs are missing" in title_of(figure).replace("\n", " ")
    points = [p for panel in swept_design(swept).panels for line in panel.lines for p in line.points]
    below = lines.reach(points)
    assert below is not None
    assert [bool(np.isnan(end).all()) for end in below.T] == [point.mean.n == 1 for point in points]


def swept_design(swept):
    request = Request.made("tcp.goodput", None, None, "bars", {})
    return design.of(swept, run_values.of(swept, request), request)


def test_labels_of_panels_do_not_overlap(swept_pulses):
    figure = swept_pulses.plot("tcp.goodput", "rate", "queue", kind="cdf", of="flows")
    figure.canvas.draw()
    boxes = [axes.xaxis.label.get_window_extent() for axes in figure.axes if axes.get_xlabel()]
    row = sorted((box for box in boxes if box.y0 == boxes[-1].y0), key=lambda box: box.x0)
    assert len(row) > 1
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(row))


def test_flows_are_not_taken_for_groups(swept_pulses):
    with pytest.raises(UsageError, match=r"--by group .*--of flows"):
        swept_pulses.plot("goodput", "period", "flows", where=ONE_RATE)
