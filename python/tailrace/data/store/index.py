"""The index of a store: which cells there are, which runs have landed, and where each run's data are.

SQLite, since a transaction of it is there or not whatever happens, and what other programs read it is known. Runs
land with one transaction each or several together, their data within the index; parts take the data over when there is
enough for one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from tailrace.data.store import waiting
from tailrace.errors import RunError, UsageError

# Files of a part by table, each with `bytes` and `blake2b`.
Files: TypeAlias = Mapping[str, Mapping[str, str | int]]

FILE = "index.sqlite"
# Fact of a store: version and code of the simulator that did its runs.
ENGINE = "engine"
# "TRce": what tells an index from another SQLite file.
_APPLICATION = 0x54526365
# Grows when an older version could no longer read an index rightly. Since 2, tables of runs lie in files: `waiting.py`.
FORMAT = 2
# Time that a reader or writer waits for the other's transaction.
_PATIENCE_S = 60.0
# Result codes of SQLite that tell of the disk, of rights or of another process, and not of the file's content.
_OF_THE_DISK = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)
# Size that SQLite's journal may keep between transactions.
_JOURNAL_BYTES = 1 << 20
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cells (cell INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE runs (
    cell INTEGER NOT NULL, run INTEGER NOT NULL, seed TEXT NOT NULL, fingerprint TEXT NOT NULL, wall_s REAL NOT NULL,
    captures INTEGER NOT NULL, part INTEGER, summary TEXT, tables, PRIMARY KEY (cell, run)
) WITHOUT ROWID;
CREATE TABLE failures (cell INTEGER NOT NULL, run INTEGER NOT NULL, error TEXT NOT NULL, PRIMARY KEY (cell, run));
CREATE TABLE parts (part INTEGER PRIMARY KEY, files TEXT NOT NULL);
CREATE INDEX waiting ON runs (cell, run) WHERE part IS NULL;
"""


@dataclass(frozen=True)
class Landed:
    """A run that ended; `summary` is its entry of the result contract, `tables` are packed."""

    cell: int
    run: int
    seed: int
    fingerprint: str
    wall_s: float
    summary: str
    tables: bytes
    captures: int = 0
    # Tables that are too long for that: files, which its part takes over.
    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes it takes in the index."""
        return len(self.summary) + len(self.tables)


class Index:
    """The SQLite file of a store."""

    def __init__(self, place: Path, *, writing: bool) -> None:
        self.place = place
        file = place / FILE
        fresh = writing and not file.exists()
        if fresh:
            # One that was left beside another index would be applied to the new one.
            Path(f"{file}-journal").unlink(missing_ok=True)
        with self._named():
            self._db = _opened(file, writing=writing)
            if fresh:
                self._make()
            self._check()
            if writing:
                self._db.execute(f"PRAGMA user_version = {FORMAT}")

    def _make(self) -> None:
        self._db.executescript(
            f"BEGIN; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORMAT}; {_SCHEMA} COMMIT;"
        )

    def _check(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            # Its maker was killed before there was anything in it, or is about to make it.
            self._make()
        elif application != _APPLICATION:
            raise UsageError(f"{self.place / FILE} is not an index of Tailrace; move it away, or use -o")
        elif version > FORMAT:
            raise UsageError(
                f"{self.place} was written by a later version of tailrace (format {version}; this one reads up to "
                f"{FORMAT}): use that version"
            )

    def is_empty(self) -> bool:
        """Whether nothing was ever entered."""
        with self._named():
            return not any(
                self._db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()  # noqa: S608 - fixed names
                for table in ("cells", "runs", "parts")
            )

    def take_back(
        self,
        engine: str | None,
        cells: Mapping[int, str],
        found: Iterable[tuple[int, Files, Sequence[Landed]]],
    ) -> None:
        """Enters cells with the numbers that they have, and parts with their runs, which an engine did: all or none."""
        with self._change():
            if engine is not None:
                self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (ENGINE, engine))
            self._db.executemany("INSERT INTO cells VALUES (?, ?)", cells.items())
            for part, files, runs in found:
                self._enter_part(part, files, runs)

    def shrink(self) -> None:
        """Gives back the room of what has moved into parts. On a full disk it stays as large as it is."""
        with suppress(sqlite3.OperationalError):
            self._db.execute("VACUUM")

    def close(self) -> None:
        """Lets go of the file, and of the journal beside it."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA journal_mode = DELETE")
        self._db.close()

    # -- what is known -----------------------------------------------------------------------------------------

    def fact(self, name: str) -> str | None:
        """Something said of the whole store."""
        with self._named():
            found = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else None

    def cells(self) -> dict[str, int]:
        """The number of every cell, by its id."""
        with self._named():
            return dict(self._db.execute("SELECT id, cell FROM cells ORDER BY cell").fetchall())

    def runs(self) -> list[tuple[int, int, int, str, float, int | None]]:
        """Cell, run, seed, fingerprint, seconds and part of every run that has landed."""
        with self._named():
            rows = self._db.execute(
                "SELECT cell, run, seed, fingerprint, wall_s, part FROM runs ORDER BY cell, run"
            ).fetchall()
        return [(cell, run, int(seed), mark, wall_s, part) for cell, run, seed, mark, wall_s, part in rows]

    def captured(self) -> set[tuple[int, int]]:
        """The runs that have captures."""
        with self._named():
            return set(self._db.execute("SELECT cell, run FROM runs WHERE captures > 0").fetchall())

    def failures(self) -> list[tuple[int, int, str]]:
        """Cell, run and error of what failed; run 0 where no run of the cell could be begun."""
        with self._named():
            return self._db.execute("SELECT cell, run, error FROM failures ORDER BY cell, run").fetchall()

    def parts(self) -> dict[int, dict[str, dict[str, str | int]]]:
        """Files of every part by table, each with `bytes` and `blake2b`."""
        with self._named():
            rows = self._db.execute("SELECT part, files FROM parts ORDER BY part").fetchall()
        return {part: json.loads(files) for part, files in rows}

    def waiting(self, held: Mapping[tuple[int, int], bytes] = MappingProxyType({})) -> Iterator[Landed]:
        """The runs that are in no part yet, in order; tables that are `held` in memory are not read.

        Raises
        ------
        FileNotFoundError
            if a writer has moved some of them into a part meanwhile
        """
        with self._named():
            rows = self._db.execute(
                "SELECT cell, run, seed, fingerprint, wall_s, summary, tables, captures FROM runs "
                "WHERE part IS NULL ORDER BY cell, run"
            )
            for cell, run, seed, mark, wall_s, summary, tables, captures in rows:
                packed = held.get((cell, run))
                if packed is None:
                    packed = self._read(tables)
                yield Landed(cell, run, int(seed), mark, wall_s, summary, packed, captures)

    def _read(self, tables: bytes | str) -> bytes:
        """The tables of a run; until format 2 they were in the index itself."""
        if isinstance(tables, bytes):
            return tables
        try:
            return waiting.read(self.place, tables)
        except ValueError as error:
            raise UsageError(f"{error}: repeat the command that wrote {self.place}") from None

    def waiting_files(self) -> dict[tuple[int, int], str]:
        """Where the tables of runs are that are in no part yet, by cell and run."""
        with self._named():
            rows = self._db.execute(
                "SELECT cell, run, tables FROM runs WHERE part IS NULL AND typeof(tables) = 'text'"
            ).fetchall()
        return {(cell, run): tables for cell, run, tables in rows}

    def waiting_bytes(self) -> int:
        """Bytes that are in no part yet."""
        with self._named():
            rows = self._db.execute(
                "SELECT length(summary), CASE typeof(tables) WHEN 'text' THEN tables ELSE length(tables) END "
                "FROM runs WHERE part IS NULL"
            ).fetchall()
        return sum(s + (int(t.split(":")[2]) if isinstance(t, str) else t) for s, t in rows)

    # -- what changes ------------------------------------------------------------------------------------------

    def state(self, name: str, value: str) -> None:
        """Says something of the whole store."""
        with self._change():
            self._db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def add_cells(self, ids: Sequence[str]) -> list[int]:
        """The numbers of cells; those that are new get the next ones."""
        with self._change():
            known = dict(self._db.execute("SELECT id, cell FROM cells").fetchall())
            most = max(known.values(), default=0)
            fresh = [(most + place, name) for place, name in enumerate((n for n in ids if n not in known), 1)]
            self._db.executemany("INSERT INTO cells VALUES (?, ?)", fresh)
        known |= {name: cell for cell, name in fresh}
        return [known[name] for name in ids]

    def land(
        self,
        runs: Sequence[Landed],
        tables: Sequence[str] = (),
        failures: Sequence[tuple[int, int, str]] = (),
    ) -> None:
        """Keeps runs, all of them or none, of each where its tables are; on return they are on the disk."""
        with self._change():
            self._db.executemany(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?)",
                [
                    (r.cell, r.run, str(r.seed), r.fingerprint, r.wall_s, r.captures, r.summary, where)
                    for r, where in zip(runs, tables, strict=True)
                ],
            )
            self._db.executemany(
                "DELETE FROM failures WHERE cell = ? AND run IN (0, ?)", [(r.cell, r.run) for r in runs]
            )
            self._db.executemany("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", failures)

    def move_to_part(self, part: int, files: Files, runs: Iterable[tuple[int, int]]) -> None:
        """The data of runs are in a part from now on."""
        with self._change():
            self._db.execute("INSERT INTO parts VALUES (?, ?)", (part, json.dumps(files)))
            self._db.executemany(
                "UPDATE runs SET part = ?, summary = NULL, tables = NULL WHERE cell = ? AND run = ?",
                [(part, cell, run) for cell, run in runs],
            )

    def land_part(self, part: int, files: Files, runs: Sequence[Landed]) -> None:
        """Keeps runs whose data are in a part, all of them or none."""
        with self._change():
            self._enter_part(part, files, runs)

    def _enter_part(self, part: int, files: Files, runs: Sequence[Landed]) -> None:
        self._db.execute("INSERT INTO parts VALUES (?, ?)", (part, json.dumps(files)))
        self._db.executemany(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            [(r.cell, r.run, str(r.seed), r.fingerprint, r.wall_s, r.captures, part) for r in runs],
        )
        self._db.executemany(
            "DELETE FROM failures WHERE cell = ? AND run IN (0, ?)", [(r.cell, r.run) for r in runs]
        )

    def drop_part(self, part: int) -> int:
        """Forgets a part, and the runs in it, which are done anew; how many these are."""
        with self._change():
            gone = self._db.execute("DELETE FROM runs WHERE part = ?", (part,)).rowcount
            self._db.execute("DELETE FROM parts WHERE part = ?", (part,))
        return gone

    def drop_runs(self, runs: Iterable[tuple[int, int]]) -> None:
        """Forgets runs that are in no part."""
        with self._change():
            self._db.executemany("DELETE FROM runs WHERE cell = ? AND run = ?", list(runs))

    def clear(self) -> None:
        """Forgets everything."""
        with self._change():
            for table in ("facts", "cells", "runs", "failures", "parts"):
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - fixed names

    @contextmanager
    def _change(self) -> Iterator[None]:
        """A transaction. Where the disk is full nothing of it happens."""
        with self._named():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors name the file, and the remedy."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            # Other codes, such as a column that is not there, come of what is in the file.
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in _OF_THE_DISK:
                raise unwritable(self.place, error) from None
            raise UsageError(
                f"{self.place / FILE} is damaged: {error}; move it away and repeat the command that wrote it, which "
                "takes back the finished runs that lie in parts beside it; -o leaves it as it is"
            ) from None


def unwritable(place: Path, reason: object) -> RunError:
    """Error for a place where something could not be kept: most often a full disk."""
    return RunError(
        f"{place} cannot be written: {reason}; stored runs are kept: free some space, and repeat the command"
    )


def _opened(file: Path, *, writing: bool) -> sqlite3.Connection:
    if not writing and not file.is_file():
        raise UsageError(
            f"there is no {file}: the command that wrote the folder takes back what is in its parts"
        )
    path = f"{file.absolute().as_uri()}?mode="
    for mode in ("rwc",) if writing else ("rw", "ro"):
        # "rw" first: whoever reads after a kill must be able to undo what was half written.
        try:
            db = sqlite3.connect(
                path + mode, uri=True, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False
            )
            db.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError:
            if mode == "ro" or writing:
                raise
        else:
            if writing:
                _make_durable(db)
            return db
    raise AssertionError


def _make_durable(db: sqlite3.Connection) -> None:
    """A transaction that has ended is on the disk, not somewhere on the way.

    It ends with what is written into its journal: that a file is gone may be on the disk some time later.
    """
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA journal_mode = PERSIST")
    db.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}")
