"""Frames of figures: labels, limits and names; and a line about goodput above the line's rate."""

from __future__ import annotations

import numpy as np
import pytest

import tailrace
from conftest import SMALL, command_line
from tailrace.errors import UsageError
from tailrace.show.charts import goodput_peaks
from tailrace.show.charts.curves import Curve
from tailrace.show.plots.frame import Frame


@pytest.fixture(scope="module")
def sweep(tmp_path_factory) -> tailrace.Sweep:
    each = {"link.bottleneck.queue": ["droptail", "codel"], "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s"]}
    return tailrace.sweep(SMALL, each, runs=2, output=tmp_path_factory.mktemp("frames") / "sweep")


@pytest.fixture(scope="module")
def both(small, small_codel) -> tailrace.Comparison:
    return tailrace.compare({"droptail": small, "codel": small_codel}, "two")


def legend(figure):
    return [text.get_text() for found in figure.legends for text in found.get_texts()]


def test_a_figure_over_time_has_ones_own_labels_limits_and_names(both):
    options = {
        "xlabel": "seconds",
        "ylabel": "rate",
        "xlim": "1,4",
        "ylim": ",3",
        "names": {"codel": "CoDel"},
    }
    figure = both.plot("goodput", **options)
    assert {axes.get_xlim() for axes in figure.axes} == {(1.0, 4.0)}
    assert {axes.get_ylim()[1] for axes in figure.axes} == {3.0}
    assert {axes.get_ylabel() for axes in figure.axes} == {"rate"}
    assert figure.axes[-1].get_xlabel() == "seconds"
    assert legend(figure) == ["droptail", "CoDel"]


def test_a_figure_of_a_sweep_has_them_too(sweep):
    figure = sweep.plot(
        "tcp.goodput", against="rate", by="queue",
        ylabel="goodput (Mbit/s)", ylim=(0, 5), xlim=(0.5, None), names=["droptail=no AQM"],
    )  # fmt: skip
    (axes,) = figure.axes
    assert (axes.get_ylim(), axes.get_xlim()[0], axes.get_ylabel()) == ((0, 5), 0.5, "goodput (Mbit/s)")
    assert legend(figure) == ["no AQM", "codel"]
    bars = sweep.plot("tcp.goodput", against="queue", by="rate", names=["droptail=no AQM"])
    assert [label.get_text() for label in bars.axes[0].get_xticklabels()] == ["no AQM", "codel"]
    panels = sweep.plot("tcp.goodput", against="rate", where="queue=droptail,codel", names=["codel=CoDel"])
    shown = [*legend(panels), *(axes.get_title(loc="left") for axes in panels.axes)]
    assert any("CoDel" in text for text in shown)
    assert not any("codel" in text for text in shown)


def test_a_distribution_can_be_zoomed_into(sweep):
    figure = sweep.plot(
        "tcp.goodput", by="queue", kind="cdf", where="rate=2 Mbit/s", xlim="1.2,1.6", ylim="0.5,1"
    )
    assert (figure.axes[0].get_xlim(), figure.axes[0].get_ylim()) == ((1.2, 1.6), (0.5, 1.0))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"xlim": "5"}, "a limit is LOW,HIGH"),
        ({"ylim": "5,x"}, "a limit is LOW,HIGH"),
        ({"ylim": ","}, "a limit is LOW,HIGH"),
        ({"ylim": "5,5"}, "5 is not below 5"),
        ({"names": ["droptail"]}, "another name is OLD=NEW"),
    ],
)
def test_a_slip_is_an_error_with_its_remedy(options, words):
    with pytest.raises(UsageError, match=words):
        Frame.made(options)


def test_what_a_figure_lacks_is_refused(sweep, both, small):
    with pytest.raises(UsageError, match="did you mean 'codel'"):
        sweep.plot("tcp.goodput", against="rate", by="queue", names=["code=x"])
    with pytest.raises(UsageError, match="no name in the figure 'x'"):
        both.plot("goodput", names=["x=y"])
    with pytest.raises(UsageError, match="of the variants of a comparison"):
        small.plot("goodput", names=["x=y"])
    with pytest.raises(UsageError, match="xlim: that axis has words"):
        sweep.plot("tcp.goodput", against="queue", xlim="0,1")
    with pytest.raises(UsageError, match="begins above 0"):
        sweep.plot("tcp.goodput", against="rate", by="queue", log="x", xlim="0,1")


def test_the_command_has_the_options(sweep, tmp_path):
    asked = (
        "plot",
        str(sweep.place),
        "--metric",
        "tcp.goodput",
        "--against",
        "rate",
        "--by",
        "queue",
        "-o",
        "f",
    )
    frame = ("--xlabel", "rate of the line", "--ylim", "0,3", "--name", "droptail=no AQM", "--format", "svg")
    done = command_line(*asked, *frame, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "f").glob("*.svg")
    text = file.read_text(encoding="utf-8")
    assert "rate of the line" in text
    assert "no AQM" in text
    wrong = command_line(*asked, "--xlim", "3,1", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "3 is not below 1" in wrong.stderr


# -- goodput above the line ------------------------------------------------------------------------------------


def test_goodput_above_the_lines_rate_gets_a_line_that_explains_it(small):
    assert goodput_peaks.line_rate(small) == 2e6
    times = np.arange(10.0)
    flat, peak = np.full(10, 1.9), np.full(10, 1.9)
    peak[6] = 3.5
    assert goodput_peaks.note({"": small}, {"": {"tcp": Curve(times, flat)}}) == ""
    assert goodput_peaks.note({"": small}, {"": {"tcp": Curve(times, peak)}}) == goodput_peaks.NOTE
    # What is mostly above it goes another way.
    assert goodput_peaks.note({"": small}, {"": {"tcp": Curve(times, peak + 2)}}) == ""


def test_the_line_stands_in_the_note_of_the_figure():
    hole = '\n[[fault]]\nlink = "bottleneck"\nkind = "blackhole"\nat = "3 s"\nuntil = "4200 ms"\n'
    found = tailrace.run(SMALL.replace('"20 packets"', '"200 packets"') + hole, runs=1)
    assert goodput_peaks.line_rate(found) == 2e6
    note = found.plot("goodput")._suptitle.get_text().replace("\n", " ")
    peaks = found.group_series.filter(group="tcp")["goodput_bps"].max() > 1.05 * 2e6
    assert (goodput_peaks.NOTE in note) == peaks
    assert "above the line" not in found.plot("throughput")._suptitle.get_text()
