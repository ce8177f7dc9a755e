"""Runs that end shortly after one another land together; killed at whatever moment, what was reported is there."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tailrace
from conftest import SMALL
from tailrace import _native
from tailrace.data.store import Reader, Writer
from tailrace.execution import execute
from tailrace.execution.streaming import Rows, Spill
from tailrace.study import cells, declaration, sweep_runner

BRIEF = SMALL.replace('duration = "6 s"', 'duration = "200 ms"')
RATES = {"link.bottleneck.rate": [f"{n} Mbit/s" for n in range(1, 11)]}
RUNS = 10


class Noting:
    """A sink that notes which runs it was given together."""

    def __init__(self):
        self.together = []

    def task(self, job):
        rows = Rows(Spill(), job.run)
        return _native.Task(job.scenario.native, job.run, None, rows), rows

    def take(self, job, _output, _rows, _wall_s):
        return job.run

    def keep(self, ended, _failed):
        self.together.append([run for _, _, run in ended])


def test_runs_that_end_shortly_after_one_another_are_kept_together(monkeypatch):
    monkeypatch.setattr(execute, "GATHERED_S", 3600)
    scenario = tailrace.Scenario(BRIEF)
    sink = Noting()
    execute.stream((execute.Job(scenario, run) for run in range(1, 201)), 200, sink, 1)
    assert sorted(run for runs in sink.together for run in runs) == list(range(1, 201))
    # So many wait that no run could begin if they were not kept.
    assert all(32 <= len(runs) <= 64 for runs in sink.together[1:-1])
    assert len(sink.together) <= 8


def test_a_run_that_ends_long_after_the_last_delivery_waits_for_no_other():
    kept = threading.Event()

    class Waiting:
        def __init__(self, task):
            self.task, self.progress, self.cancel = task, task.progress, task.cancel

        def execute(self):
            assert kept.wait(60)
            return self.task.execute()

    class Telling(Noting):
        def task(self, job):
            task, rows = super().task(job)
            return (Waiting(task) if job.run == 2 else task), rows

        def keep(self, ended, failed):
            assert not failed
            super().keep(ended, failed)
            kept.set()

    scenario = tailrace.Scenario(BRIEF)
    sink = Telling()
    execute.stream((execute.Job(scenario, run) for run in (1, 2)), 2, sink, 2)
    assert sink.together == [[1], [2]]


KILLED = """
import os, signal, sys
import tailrace
from tailrace.data.store import Writer
from tailrace.execution import execute
from tailrace.study import cells, sweep_runner
sys.path.insert(0, {tests!r})
import test_gathering as here

execute.GATHERED_S = 3600

class Reporting(execute.Silent):
    def ended(self, job, wall_s):
        os.write(1, f"{{job.cell}} {{job.run}}\\n".encode())

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def while_gathering(writer):
    taken, real = [], sweep_runner._Landing.take
    def take(self, *arguments):
        taken.append(arguments)
        return kill() if len(taken) == 60 else real(self, *arguments)
    sweep_runner._Landing.take = take

def while_landing(writer):
    rows = []
    def look(statement):
        if statement.startswith("BEGIN"):
            rows.clear()
        elif statement.startswith("INSERT INTO runs"):
            rows.append(statement)
            if len(rows) == 5:
                kill()
    writer.index._db.set_trace_callback(look)

with Writer.opened(here.Path({place!r}), {{}}) as writer:
    {moment}(writer)
    here.swept(writer, Reporting(), 1)
"""


def swept(writer, watch=None, jobs=None):
    scenario = tailrace.Scenario.of(BRIEF, set={"runs": RUNS})
    plan = cells.Plan(declaration.of_python(RATES), scenario.seed)
    surveyed = sweep_runner.survey(scenario, plan)
    return sweep_runner.run(scenario, surveyed, writer, sweep_runner.Here(jobs), watch)


@pytest.mark.parametrize("moment", ["while_gathering", "while_landing"])
def test_what_was_reported_is_there_whatever_moment_it_is_killed_at(tmp_path, moment):
    place = tmp_path / "torn"
    script = KILLED.format(tests=str(Path(__file__).parent), place=str(place), moment=moment)
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert child.returncode == -signal.SIGKILL, child.stderr
    reported = {tuple(map(int, line.split())) for line in child.stdout.splitlines()}
    reader = Reader(place)
    landed = {(run.cell, run.run) for run in reader.index.waiting() if run.summary and run.tables}
    reader.close()
    assert reported <= landed
    assert len(landed) < 60
    # Of what was landing when it was killed nothing did.
    assert landed == reported or moment == "while_gathering"
    with Writer.opened(place, {}) as writer:
        done = swept(writer)
    assert (done.runs, done.known, done.failed) == (100, len(landed), 0)
    with Writer.opened(tmp_path / "whole", {}) as writer:
        swept(writer)
    torn, whole = tailrace.Sweep.load(place), tailrace.Sweep.load(tmp_path / "whole")
    assert torn.table().text("csv") == whole.table().text("csv")
    assert torn.flows.equals(whole.flows)
    assert torn.runs.drop("wall_s").equals(whole.runs.drop("wall_s"))


def test_a_transaction_ends_in_its_journal_which_nothing_is_left_of(tmp_path):
    journal = tmp_path / "s" / "index.sqlite-journal"
    with Writer.opened(tmp_path / "s", {}) as writer:
        writer.index.state("said", "so")
        # Blank at its beginning: nothing is to be undone. That a file is gone might reach the disk later.
        assert journal.read_bytes()[:8] == bytes(8)
        reader = Reader(tmp_path / "s")
        assert reader.index.fact("said") == "so"
        reader.close()
        assert journal.exists()
    assert not journal.exists()
