"""Quantities that a paper's file declares: statistics during transfers; figures and tables that show them."""

import dataclasses
import re

import pytest

from conftest import SMALL
from tailrace.errors import UsageError
from tailrace.execution.progress import Monitor
from tailrace.reproduce import claims_file, judgement, pipeline
from tailrace.reproduce.claim_quantities import Measured
from tailrace.reproduce.paper_metrics import Declaring

CLAIMS = """
title = "On windows"
authors = "Nobody"
venue = "Nowhere 2026"
summary = "Two flows, two queues."

[study.queues]
scenario = "small.toml"
runs = 2
each = { "link.bottleneck.queue" = ["droptail", "codel"] }

[quantity."first.cwnd"]
series = "flow_series.cwnd_bytes"
where = { flow = "0", group = "tcp" }
during = "tcp"
[quantity."second.cwnd"]
series = "flow_series.cwnd_bytes"
where = { flow = "1", group = "tcp" }
during = "tcp"
[quantity.both]
formula = "first + second"
of = { first = "first.cwnd", second = "second.cwnd" }
unit = "kB"
[quantity.waiting]
series = "queue_series.backlog_packets"
where = { queue = "r1->r2" }
during = "tcp"

[[claim]]
id = "C1"
place = "section 1"
says = "Windows are known well."
study = "queues"
check = { kind = "precise", of = ["both where queue=codel"], at_most = "1 MB" }

[[figure]]
name = "windows"
place = "Figure 1"
title = "Windows"
study = "queues"
metric = "cwnd"
against = "queue"
by = "part"

[[beyond]]
title = "How much waits?"
study = "queues"
says = "Less with CoDel."
columns = ["waiting", "tcp.goodput"]
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Transfers that end long before the run does."""
    place = tmp_path_factory.mktemp("quantities")
    (place / "small.toml").write_text(SMALL.replace("bulk", 'transfer", size = "100 kB'))
    (place / "claims.toml").write_text(CLAIMS)
    work = pipeline.planned(place, place / "out", quick=False)
    assert not pipeline.run(work, lambda _: Monitor(), 1, lambda: False, fresh=False)
    return work, pipeline.write(work, judgement.verdicts(work.paper, work.sweeps), "again", 1, plots=True)


@pytest.fixture(scope="module")
def sweep(done):
    work, _ = done
    return Declaring(work.tasks[0].place, work.paper, "queues")


def test_statistics_during_transfers_leave_out_what_is_before_and_after_them(done, sweep):
    work, _ = done
    measured = Measured(work.paper, "queues", lambda _: sweep)
    keys = work.paper.quantities["waiting"]
    own = measured.one("waiting where queue=droptail", keys)
    cell = sweep.cells["cell"][0]
    connections = sweep.frame("connections")
    for run, value in own.runs.items():
        of_run = connections.filter((connections["cell"] == cell) & (connections["run"] == run))
        last = (of_run["start_s"] + of_run["completion_s"]).max()
        assert last < 3
        rows = sweep.frame("queue_series")
        rows = rows.filter((rows["cell"] == cell) & (rows["run"] == run) & (rows["queue"] == "r1->r2"))
        rows = rows.filter((rows["time_s"] >= of_run["start_s"].min()) & (rows["time_s"] <= last))
        assert value == pytest.approx(rows["backlog_packets"].mean())


def test_a_transfer_that_does_not_end_leaves_all_that_follows(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL.replace("bulk", 'transfer", size = "100 MB'))
    (tmp_path / "claims.toml").write_text(CLAIMS)
    work = pipeline.planned(tmp_path, tmp_path / "out", quick=False)
    pipeline.run(work, lambda _: Monitor(), 1, lambda: False, fresh=False)
    sweep = Declaring(work.tasks[0].place, work.paper, "queues")
    measured = Measured(work.paper, "queues", lambda _: sweep)
    own = measured.one("waiting where queue=droptail", work.paper.quantities["waiting"])
    rows = sweep.frame("queue_series")
    rows = rows.filter((rows["cell"] == 1) & (rows["run"] == 1) & (rows["queue"] == "r1->r2"))
    after = rows.filter(rows["time_s"] >= sweep.frame("connections")["start_s"].min())
    assert own.runs[1] == pytest.approx(after["backlog_packets"].mean(), rel=0.02)


def test_a_group_without_connections_is_told(done, sweep):
    work, _ = done
    of = work.paper.quantities["waiting"]
    keys = dataclasses.replace(of, table={**of.table, "during": "cbr"})
    measured = Measured(
        dataclasses.replace(work.paper, quantities={"waiting": keys}), "queues", lambda _: sweep
    )
    with pytest.raises(UsageError, match=r"no connection of a group 'cbr'"):
        measured.one("waiting where queue=codel", keys)


def test_quantities_are_metrics(sweep):
    table = sweep.table(["both", "cwnd", "tcp.goodput"])
    assert [metric.heading for metric in table.metrics] == [
        "both [kB]",
        "first cwnd [kB]",
        "second cwnd [kB]",
        "tcp goodput [Mbit/s]",
    ]
    for row in table.rows:
        both, first, second, _ = (value.mean for value in row.values)
        assert both == pytest.approx(first + second)
        assert first > 0


def test_they_are_on_the_page_and_in_its_figures(done):
    work, page = done
    text = page.read_text()
    waiting = [float(found) for found in re.findall(r"^\| \w+ +\| +([\d.]+) ±", text, re.M)]
    assert len(waiting) == 2
    assert all(value > 0 for value in waiting)
    drawn = (work.place / "figures" / "windows.svg").read_text()
    assert "first" in drawn and "second" in drawn


def test_what_is_not_declared_is_told(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    (tmp_path / "claims.toml").write_text(CLAIMS.replace('during = "tcp"', "during = 3"))
    with pytest.raises(UsageError, match=r"`during` takes a text"):
        judgement.rehearse(claims_file.load(tmp_path))
