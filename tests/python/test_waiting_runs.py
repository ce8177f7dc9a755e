"""Runs of a store that are in no part yet: damaged files are named and their runs done anew; format 1 is read."""

import sqlite3

import pytest

import tailrace
from conftest import SMALL
from tailrace.data.store import Reader, Writer
from tailrace.errors import UsageError
from tailrace.execution import identity
from tailrace.study import cells, declaration, sweep_runner

QUEUES = {"link.bottleneck.queue": ["red", "codel"]}
RUNS = 4
# The table of runs that versions before format 2 made.
RUNS_OF_FORMAT_1 = """
CREATE TABLE runs_of_1 (
    cell INTEGER NOT NULL, run INTEGER NOT NULL, seed TEXT NOT NULL, fingerprint TEXT NOT NULL, wall_s REAL NOT NULL,
    captures INTEGER NOT NULL, part INTEGER, summary TEXT, tables BLOB, PRIMARY KEY (cell, run)
) WITHOUT ROWID
"""


def swept(place, *, parts=True):
    """Outcome of the sweep, and notes about what was wrong with its store."""
    scenario = tailrace.Scenario.of(SMALL, {"runs": RUNS // 2})
    surveyed = sweep_runner.survey(scenario, cells.Plan(declaration.of_python(QUEUES), scenario.seed))
    with Writer.opened(place, {}, parts=parts) as writer:
        return sweep_runner.run(scenario, surveyed, writer), list(writer.notes)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    place = tmp_path_factory.mktemp("whole")
    swept(place)
    return tailrace.Sweep.load(place)


@pytest.fixture
def stopped(tmp_path):
    """A store whose runs all wait."""
    place = tmp_path / "s"
    swept(place, parts=False)
    assert [file.suffix for file in (place / "waiting").iterdir()] == [".tables"]
    assert not (place / "parts").exists()
    return place


def check_equal(place, whole):
    found = tailrace.Sweep.load(place)
    assert list(found) == list(whole)
    for name in whole:
        assert found[name].equals(whole[name]), name
    assert found.runs.drop("wall_s").equals(whole.runs.drop("wall_s"))


def test_waiting_runs_are_read_and_become_parts(stopped, whole):
    check_equal(stopped, whole)
    assert swept(stopped)[0].known == RUNS
    check_equal(stopped, whole)
    assert not (stopped / "waiting").exists()


def tables(place):
    """The file of waiting runs, and where each begins and ends."""
    reader = Reader(place)
    places = sorted(tuple(map(int, where.split(":")[1:3])) for where in reader.index.waiting_files().values())
    reader.close()
    (file,) = (place / "waiting").iterdir()
    return file, [(offset, offset + length) for offset, length in places]


def flipped(place):
    """Another byte within the second run."""
    file, runs = tables(place)
    content = bytearray(file.read_bytes())
    content[sum(runs[1]) // 2] ^= 0x40
    file.write_bytes(content)
    return 1


def shortened(place):
    """The last run is not whole, nor is the one before it."""
    file, runs = tables(place)
    file.write_bytes(file.read_bytes()[: runs[-2][1] - 1])
    return 2


def removed(place):
    """No file at all."""
    tables(place)[0].unlink()
    return RUNS


def lengthened(place):
    """Rows of a transaction that did not happen."""
    file, _ = tables(place)
    file.write_bytes(file.read_bytes() + b"rows of a run that did not land")
    return 0


@pytest.mark.parametrize("damage", [flipped, shortened, removed, lengthened])
def test_of_a_damaged_file_the_lost_runs_are_done_anew_and_no_others(stopped, whole, damage):
    lost = damage(stopped)
    done, notes = swept(stopped)
    assert (done.runs, done.known, done.failed) == (RUNS, RUNS - lost, 0)
    wanted = [f"{stopped / 'waiting'} is damaged or not whole: its {lost} runs are done anew"] if lost else []
    assert notes == wanted
    check_equal(stopped, whole)


@pytest.mark.parametrize("damage", [flipped, shortened])
def test_a_reader_names_a_damaged_file_and_the_remedy(stopped, damage):
    damage(stopped)
    with pytest.raises(UsageError, match=r"waiting/000001\.tables is damaged: repeat the command that wrote"):
        Reader(stopped).waiting_runs()


def as_format_1(place):
    """Puts the tables of waiting runs into the index, where versions before format 2 had them."""
    reader = Reader(place)
    packed = {(run.cell, run.run): run.tables for run in reader.waiting_runs()}
    reader.close()
    with sqlite3.connect(place / "index.sqlite") as index:
        index.execute(RUNS_OF_FORMAT_1)
        index.execute("INSERT INTO runs_of_1 SELECT * FROM runs")
        index.execute("DROP TABLE runs")
        index.execute("ALTER TABLE runs_of_1 RENAME TO runs")
        index.execute("CREATE INDEX waiting ON runs (cell, run) WHERE part IS NULL")
        for (cell, run), blob in packed.items():
            index.execute("UPDATE runs SET tables = ? WHERE cell = ? AND run = ?", (blob, cell, run))
        index.execute("PRAGMA user_version = 1")
    index.close()
    tables(place)[0].unlink()
    (place / "waiting").rmdir()


def version(place):
    with sqlite3.connect(place / "index.sqlite") as index:
        return index.execute("PRAGMA user_version").fetchone()[0]


def test_a_store_of_format_1_is_read_and_continued(stopped, whole):
    as_format_1(stopped)
    check_equal(stopped, whole)
    assert version(stopped) == 1, "a reader changes nothing"
    done, notes = swept(stopped)
    assert (done.runs, done.known, notes) == (RUNS, RUNS, [])
    assert version(stopped) == 2
    check_equal(stopped, whole)


def test_new_runs_land_beside_those_of_format_1(stopped, whole):
    as_format_1(stopped)
    with sqlite3.connect(stopped / "index.sqlite") as index:
        index.execute("DELETE FROM runs WHERE run = 2")
    index.close()
    done, _ = swept(stopped, parts=False)
    assert (done.runs, done.known) == (RUNS, RUNS // 2)
    check_equal(stopped, whole)
    assert Reader(stopped).index.fact(sweep_runner.ENGINE) == identity.ENGINE
