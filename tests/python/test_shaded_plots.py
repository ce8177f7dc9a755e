"""Figures over time: what happens meanwhile is shaded and said, and single flows can be chosen."""

import json

import numpy as np
import polars as pl
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace import _native
from tailrace.errors import UsageError
from tailrace.show.charts.description import Span
from tailrace.show.plots import single_flows, spans

HAPPENING = (
    SMALL[: SMALL.index('transport = { kind = "udp" }')]
    + """
start = "2 s"
stop = "4 s"
transport = { kind = "udp" }
app = { kind = "pulse", rate = "4 Mbit/s", size = "500 B", burst = "300 ms", period = "1 s" }

[[fault]]
link = "bottleneck"
kind = "rate"
value = "1 Mbit/s"
at = "5 s"

[[window]]
name = "calm"
end = "2 s"
[[window]]
name = "storm"
end = "4 s"
"""
)
CALM, STORM = Span("window", "calm", 0.0, 2.0), Span("window", "storm", 2.0, 4.0)
FAULT = Span("fault", "rate (bottleneck)", 5.0, 6.0)


@pytest.fixture(scope="module")
def happening():
    return tailrace.run(HAPPENING, runs=2)


def shades(axes):
    """Start and end of each."""
    return [
        (patch.get_x(), patch.get_x() + patch.get_width())
        for patch in axes.patches
        if patch.get_gid() == spans.SHADE
    ]


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_windows_faults_and_pulses_are_where_the_scenario_has_them(happening):
    pulses = [Span("attack", "cbr", start, pytest.approx(start + 0.3)) for start in (2.0, 3.0)]
    assert spans.of([happening]) == [CALM, STORM, FAULT, *pulses]


@pytest.mark.parametrize("name", ["goodput", "queue", "cwnd", "loss"])
def test_figures_over_time_are_shaded_and_say_so(happening, name):
    figure = happening.plot(name)
    wanted = [(0, 2), (2, 4), (5, 6), (2, 2.3), (3, 3.3)]
    for axes in (axes for axes in figure.axes if axes.get_visible()):
        assert np.array(shades(axes)) == pytest.approx(np.array(wanted))
        assert axes.get_xlim()[1] == pytest.approx(6.0, abs=0.1)
    assert legend_of(figure)[-3:] == ["window", "fault: rate (bottleneck)", "cbr under way"]
    assert [text.get_text() for text in figure.axes[0].texts] == ["calm", "storm"]


def test_lines_keep_their_entries_in_the_legend(happening):
    assert legend_of(happening.plot("goodput"))[:2] == ["tcp", "cbr"]


def test_pulses_that_no_figure_could_show_are_one_band():
    often = HAPPENING.replace('burst = "300 ms", period = "1 s"', 'burst = "2 ms", period = "500 ms"')
    (band,) = (span for span in spans.of([tailrace.run(often, runs=1)]) if span.what == "attack")
    # From the first burst to the end of the last.
    assert (band.start, band.end) == pytest.approx((2.0, 3.502))


def test_steps_of_a_schedule_are_shaded_while_they_send():
    steps = 'steps = [["0 s", "1 Mbit/s"], ["500 ms", "0 bit/s"], ["1 s", "2 Mbit/s"]]'
    text = HAPPENING.replace(
        'kind = "pulse", rate = "4 Mbit/s", size = "500 B", burst = "300 ms", period = "1 s"',
        f'kind = "schedule", size = "500 B", {steps}',
    )
    found = [span for span in spans.of([tailrace.run(text, runs=1)]) if span.what == "attack"]
    assert [(span.start, span.end) for span in found] == [(2.0, 2.5), (3.0, 4.0)]


@pytest.mark.parametrize(
    "keys",
    [
        'kind = "pulse", t = "gap", period = "700 ms", burst = "300 ms"',
        'kind = "pulse", period = "1 s", duty = 0.3',
        'kind = "shrew", n = 2, min_rto = "2 s", burst = "300 ms"',
        'kind = "roq", period = "1 s", magnitude = 300',
    ],
)
def test_attacks_are_shaded_while_their_kind_sends(keys):
    start = HAPPENING.index("[[flow]]", HAPPENING.index("[[flow]]") + 1)
    end = HAPPENING.index("[[fault]]")
    ends = 'name = "cbr", from = "src[0]", to = "dst[0]", start = "2 s", stop = "4 s"'
    attack = f'[[attack]]\n{ends}, {keys}, rate = "4 Mbit/s", size = "500 B"\n'.replace(", ", "\n")
    text = HAPPENING[:start] + attack + HAPPENING[end:]
    found = [span for span in spans.of([tailrace.run(text, runs=1)]) if span.what == "attack"]
    assert [(span.start, pytest.approx(span.end)) for span in found] == [(2.0, 2.3), (3.0, 3.3)]
    # Out of step only each flow by itself has pauses.
    if "pulse" in keys:
        spread = text.replace('kind = "pulse"', 'kind = "pulse"\nphase = "spread"')
        found = [span for span in spans.of([tailrace.run(spread, runs=1)]) if span.what == "attack"]
        assert [(span.start, span.end) for span in found] == [(2.0, 4.0)]


def test_bursts_are_the_engines():
    pulse = '{"kind": "pulse", "period": "1 s", "burst": "300 ms", "rate": "1 Mbit/s", "size": "500 B"%s}'
    two = [(0.0, 0.3), (1.0, 1.3)]
    # Keys that say something else than when it sends are no matter.
    assert _native.bursts(pulse % ', "name": "x", "phase": "together"', True, 2.0) == two
    assert _native.bursts(pulse % "", False, 1.1) == [(0.0, 0.3), (1.0, 1.1)]
    # An attack may say the length of a pulse as a share, an application may not.
    share = pulse.replace('"burst": "300 ms"', '"duty": 0.3') % ""
    assert _native.bursts(share, True, 2.0) == two
    steps = '{"kind": "schedule", "size": "1 B", "steps": [["0 s", "0 bit/s"], ["1 s", "1 Mbit/s"]]}'
    assert _native.bursts(steps, False, 3.0) == [(1.0, 3.0)]
    assert _native.bursts('{"kind": "poisson", "rate": "1 Mbit/s", "size": "1 B"}', False, 3.0) == [
        (0.0, 3.0)
    ]


@pytest.mark.parametrize(
    "table",
    ["no JSON", "3", "{}", '{"kind": "plse"}', '{"kind": "pulse"}', '{"kind": "pulse", "period": [[null]]}'],
)
def test_a_table_that_cannot_be_read_has_no_bursts(table):
    assert _native.bursts(table, True, 1.0) is None
    assert _native.bursts(table, False, 1.0) is None


def test_what_lasts_from_beginning_to_end_is_not_shaded(small):
    """The attack of the small scenario does."""
    assert spans.of([small]) == []
    assert legend_of(small.plot("goodput")) == ["tcp", "cbr"]


def test_only_what_all_results_have_is_shaded(happening):
    other = tailrace.run(HAPPENING.replace('at = "5 s"', 'at = "4500 ms"'), runs=1)
    assert FAULT not in spans.of([happening, other])
    assert CALM in spans.of([happening, other])
    figure = tailrace.compare({"one": happening, "other": other}).plot("queue")
    assert legend_of(figure) == ["one", "other", "window", "cbr under way"]


def test_a_variant_without_the_attack_leaves_the_bursts_of_the_others(happening):
    calm = tailrace.run(HAPPENING.replace('start = "2 s"\nstop = "4 s"', 'start = "20 s"'), runs=1)
    always = tailrace.run(
        HAPPENING.replace('start = "2 s"\nstop = "4 s"', "")
        .replace('"pulse"', '"cbr"')
        .replace(', burst = "300 ms", period = "1 s"', ""),
        runs=1,
    )
    bursts = [(2.0, pytest.approx(2.3)), (3.0, pytest.approx(3.3))]

    def attacks(*results):
        return [span for span in spans.of(results) if span.what == "attack"]

    assert [(span.start, span.end) for span in attacks(calm, happening)] == bursts
    figure = tailrace.compare({"calm": calm, "pulses": happening}).plot("queue")
    assert legend_of(figure)[-1] == "cbr under way (not in all)"
    # Where it lasts all the time it is under way in the bursts, too.
    assert [(span.start, span.end) for span in attacks(always, happening)] == bursts
    assert all(span.everywhere for span in attacks(always, happening))
    assert attacks(calm, always) == attacks(calm) == []


def test_a_panel_of_one_variant_has_its_own_bursts(happening):
    others = {
        f"{n}": tailrace.run(
            HAPPENING.replace('start = "2 s"\nstop', f'start = "{2 + n / 10} s"\nstop'), runs=1
        )
        for n in range(1, 9)
    }
    figure = tailrace.compare({"0": happening, **others}).plot("queue")
    panels = [axes for axes in figure.axes if axes.get_visible()]
    starts = [[start for start, _ in shades(axes)][-2] for axes in panels]
    assert starts == pytest.approx([2 + n / 10 for n in range(9)])
    assert legend_of(figure)[-1] == "cbr under way"


@pytest.mark.parametrize("spoilt", ["no = [toml", "flow = 3", 'fault = [1]\nduration = "6 s"'])
def test_a_spoilt_scenario_is_no_hindrance(happening, tmp_path, spoilt):
    place = happening.save(tmp_path / "r")
    (place / "scenario.toml").write_text(spoilt)
    # As a folder of a version without checksums; others refuse it.
    manifest = json.loads((place / "manifest.json").read_text())
    del manifest["checksums"]
    (place / "manifest.json").write_text(json.dumps(manifest))
    loaded = tailrace.Result.load(place)
    assert spans.of([loaded]) == [CALM, STORM]
    assert legend_of(loaded.plot("goodput")) == ["tcp", "cbr", "window"]


def test_single_flows_have_a_line_each(happening):
    figure = happening.plot("goodput", flows="tcp[0..2]")
    lines = {line.get_label(): line for line in figure.axes[0].lines if not line.get_label().startswith("_")}
    assert list(lines) == ["tcp[0]", "tcp[1]"]
    for flow, line in enumerate(lines.values()):
        rows = happening.flow_series.filter((pl.col("group") == "tcp") & (pl.col("flow") == flow))
        means = rows.group_by("time_s").agg(pl.col("goodput_bps").mean()).sort("time_s")
        assert np.asarray(line.get_ydata()) == pytest.approx(means["goodput_bps"].to_numpy() / 1e6)
    assert legend_of(happening.plot("goodput", flows="cbr,tcp[1]"))[:2] == ["tcp[1]", "cbr[0]"]
    one = happening.plot("cwnd", flows="tcp[1]")
    assert "congestion window of tcp[1]" in one.get_suptitle()


def test_many_flows_leave_the_largest(happening):
    alone = single_flows.of(happening, "tcp")
    rates = (
        happening.flows.filter(pl.col("group") == "tcp").group_by("flow").agg(pl.col("goodput_bps").mean())
    )
    sizes = alone.aggregate["groups"]
    for flow, rate in rates.iter_rows():
        assert sizes[f"tcp[{flow}]"]["goodput_bps"]["sum"]["mean"] == pytest.approx(rate)


@pytest.mark.parametrize(
    ("flows", "message"),
    [
        ("tpc[0]", "did you mean 'tcp'"),
        ("tcp[2]", r"no flow tcp\[2\]: tcp has 2, tcp\[0..2\]"),
        ("tcp[1..1]", "no flow"),
        (",", r"as in tcp\[0..3\]"),
    ],
)
def test_flows_that_are_not_there_are_said(happening, flows, message):
    with pytest.raises(UsageError, match=message):
        happening.plot("goodput", flows=flows)


def test_the_command_line_takes_flows(happening, tmp_path):
    place = happening.save(tmp_path / "r")
    options = ["--figures", "goodput", "--flows", "tcp[1]", "--format", "svg"]
    done = command_line("plot", place, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "goodput of tcp[1]" in (place / "figures" / "goodput.svg").read_text()
    wrong = command_line("plot", place, "--flows", "tcp[7]", cwd=tmp_path)
    assert wrong.returncode == 2
