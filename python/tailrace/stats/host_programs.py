"""Programs of hosts with kernels of their own, as results have them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

# A command is shown as far as that.
_WIDEST = 48
# Variants that a note names at most.
_MOST_LABELS = 6
# Below a table.
_MOST_NOTES = 8
# The text of a summary has these where there are kernels.
_SECTIONS = ('"foreign_hosts"', '"programs"')
# Owners of numbers: all programs of a run together, a host, a single program.
ALL, HOST, PROGRAM = "programs", "host", "program"
# Numbers of all programs and of a host's: those that ran, failed, and had not ended.
RUNNING = "running_programs"
COUNTS = ("programs", "failed_programs", RUNNING)
COMMAND, EXIT_CODE = "command", "exit_code"


COLUMNS = ("host", "command", "from s", "to s", "exit code", "its last words")


def rows(runs: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """Each program of the first run that has some, in the columns that are named above."""
    return [
        [
            p["host"],
            _short(p["command"]),
            _second(p.get("start_s"), 3),
            _second(p.get("end_s"), 3),
            _ended(p["exit_code"]),
            _last(p["output"]),
        ]
        for p in of_first(runs)[1]
    ]


def may_be_in(text: str) -> bool:
    """Whether a summary, as text, may have programs or hosts with kernels."""
    return any(section in text for section in _SECTIONS)


def figures(run: Mapping[str, Any]) -> list[tuple[str, str, str, float | None, str | None]]:
    """Numbers of a run, or of one to come: `of`, `name`, `figure`, `value` and `text`.

    Of all programs together and of each host's how many ran, failed, and had not ended; of each one, which is called
    as in the file, when it ran and how it ended. How long it took is known of one that did not fail. Of each host what
    it sent and received.
    """
    hosts: Mapping[str, Mapping[str, Any]] = run.get("foreign_hosts") or {}
    ran = run.get("programs") or []
    rows: list[tuple[str, str, str, float | None, str | None]] = [
        (HOST, host, figure, value, None)
        for host, counts in hosts.items()
        for figure, value in counts.items()
    ]
    if not ran:
        return rows
    of_host: dict[str, list[Mapping[str, Any]]] = {}
    for program in ran:
        of_host.setdefault(program["host"], []).append(program)
    counted = [(ALL, ALL, ran), *((HOST, host, own) for host, own in of_host.items())]
    for of, name, several in counted:
        rows += [(of, name, figure, value, None) for figure, value in _counts(several).items()]
    for host, own in of_host.items():
        for place, program in enumerate(own):
            name = f"{host}.run.{place}"
            rows += [(PROGRAM, name, figure, value, None) for figure, value in _times(program).items()]
            rows.append((PROGRAM, name, COMMAND, None, program["command"]))
    return rows


def foreseen(hosts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Entries that a summary will have for the programs of these hosts, from the resolved scenario."""
    named = [
        (name, host)
        for host in hosts
        if host.get("kernel", "none") != "none"
        for name in (
            [f"{host['name']}[{place}]" for place in range(host["count"])]
            if "count" in host
            else [host["name"]]
        )
    ]
    return {
        "foreign_hosts": {name: dict.fromkeys(_OF_HOSTS) for name, _ in named},
        "programs": [
            {"host": name, "command": program["command"], "exit_code": None}
            for name, host in named
            for program in host.get("run", [])
        ],
    }


def of_scenario(resolved: str) -> Sequence[Mapping[str, Any]]:
    """The programs of a resolved scenario, in its order."""
    found: Sequence[Mapping[str, Any]] = foreseen(tomllib.loads(resolved).get("host", []))["programs"]
    return found


# Counters of each host.
_OF_HOSTS = (
    "sent_packets",
    "sent_bytes",
    "lost_packets",
    "marked_packets",
    "received_packets",
    "received_bytes",
    "malformed_packets",
)


def _counts(programs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    codes = [program["exit_code"] for program in programs]
    running = codes.count(None)
    numbers = (len(codes), len(codes) - running - codes.count(0), running)
    return {name: float(number) for name, number in zip(COUNTS, numbers, strict=True)}


def _times(program: Mapping[str, Any]) -> dict[str, float | None]:
    start, end, code = program.get("start_s"), program.get("end_s"), program["exit_code"]
    took = end - start if code == 0 and start is not None and end is not None else None
    return {"start_s": start, "end_s": end, "duration_s": took, EXIT_CODE: code}


def of_first(runs: Iterable[Mapping[str, Any]]) -> tuple[int, Sequence[Mapping[str, Any]]]:
    """The first run that has programs, and these."""
    return next(((int(run["run"]), found) for run in runs if (found := run.get("programs"))), (0, []))


def said(program: Mapping[str, Any]) -> str:
    """When it ran and how it ended, in words."""
    start, end, code = program.get("start_s"), program.get("end_s"), program["exit_code"]
    began = "" if start is None else f"from {_second(start)} s"
    if code is None:
        return f"{began}, still running when the run ended".removeprefix(", ")
    to = "" if end is None else f" to {_second(end)} s"
    meaning = _meaning(code, program.get("unseen_file"))
    return f"{began}{to}, exit code {code}{f' ({meaning})' if meaning else ''}".removeprefix(", ")


# Meanings of the exit codes that shells give to programs ended by a signal.
_MEANINGS = {
    126: "it could not be started",
    127: "there is no such program; relative paths begin in /tmp",
    132: "an instruction that guests do not have, such as one of AVX",
    134: "it aborted",
    137: "it was killed; its host may have too little memory",
    139: "it accessed memory that it does not have",
}


def _meaning(code: int, unseen: str | None) -> str | None:
    """Meaning of an exit code; of a program that complained of a file of this machine which guests do not see, that."""
    if unseen:
        return f"guests do not see {unseen} of this machine; name it or its folder by the host's `files`"
    return _MEANINGS.get(code)


def notes(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Programs that failed: which, where, and how, once each."""
    failed = Counter(
        (p["host"], p["command"], p["exit_code"], p.get("unseen_file"))
        for run in runs
        for p in run.get("programs") or []
        if p["exit_code"] not in {0, None}
    )
    return [
        f"host {host}: {_short(command)} failed with exit code {code}"
        + (f" ({meaning})" if (meaning := _meaning(code, unseen)) else "")
        + (f", {'once' if times == 1 else f'{times} times'} in {len(runs)} runs" if len(runs) > 1 else "")
        for (host, command, code, unseen), times in failed.items()
    ]


def notes_of_variants(runs: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """The same of the runs of several variants; where it is not so in all of them, in which."""
    variants: dict[str, list[str]] = {}
    for label, of_variant in runs.items():
        for note in notes(of_variant):
            variants.setdefault(note, []).append(label)
    return [
        note if len(labels) == len(runs) else f"{_few(labels)}: {note}" for note, labels in variants.items()
    ]


def _few(labels: Sequence[str]) -> str:
    more = len(labels) - _MOST_LABELS
    return ", ".join(labels[:_MOST_LABELS]) + (f" and {more} more" if more > 0 else "")


def notes_of_figures(found: pl.DataFrame, labels: Mapping[int, str]) -> list[str]:
    """The same of many cells' figures, with the names of cells by number; `notes_of_variants` says it of results."""
    import polars as pl

    if found.is_empty():
        return []
    own = found.filter(pl.col("of").cast(pl.String) == PROGRAM)
    codes = own.filter(pl.col("figure").cast(pl.String) == EXIT_CODE, pl.col("value") != 0)
    if codes.is_empty():
        return []
    named = own.filter(pl.col("figure").cast(pl.String) == COMMAND).select(*_KEY, command="text")
    rows = codes.select(*_KEY, "value").join(named, on=_KEY, how="inner", maintain_order="left")
    runs: dict[str, dict[int, list[dict[str, Any]]]] = {label: {} for label in labels.values()}
    landed = found.select("cell", "run").unique(maintain_order=True)
    for cell, run in landed.iter_rows():
        if cell in labels:
            runs[labels[cell]][run] = []
    for cell, run, name, value, command in rows.iter_rows():
        if cell in labels:
            host = str(name).rpartition(".run.")[0]
            runs[labels[cell]][run].append({"host": host, "command": str(command), "exit_code": int(value)})
    said = notes_of_variants(
        {label: [{"programs": of_run} for of_run in each.values()] for label, each in runs.items() if each}
    )
    more = len(said) - _MOST_NOTES
    rest = [f"{more} more kinds of failures: metrics `HOST.run.N.exit_code`"] if more > 0 else []
    return [*said[:_MOST_NOTES], *rest]


def names_note(found: pl.DataFrame) -> list[str]:
    """Where there are programs and no flows: what metrics of them are called, by the first one."""
    import polars as pl

    if found.is_empty():
        return []
    owners = found.select(pl.col("of", "name").cast(pl.String)).unique(maintain_order=True)
    first = owners.filter(pl.col("of") == PROGRAM)["name"].to_list()[:1]
    if not first or owners.filter(pl.col("of") == "group").height:
        return []
    name = first[0]
    host = name.rpartition(".run.")[0]
    return [
        f"--columns names other metrics: {name}.duration is how long the first program of {host} took, "
        f"{host}.received what {host} was sent; `{name}.exit_code`, {host}.failed_programs"
    ]


def schema() -> dict[str, pl.DataType | type[pl.DataType]]:
    """The columns of programs in a frame."""
    import polars as pl

    words, number = pl.String, pl.Float64
    return {
        "host": words,
        "command": words,
        "start_s": number,
        "end_s": number,
        EXIT_CODE: pl.Int64,
        "output": words,
        "output_left_out_bytes": pl.UInt64,
    }


# Columns that tell programs of a sweep apart.
_KEY = ("cell", "run", "name")


def _short(text: str) -> str:
    """In one line, as far as is shown."""
    command = " ".join(text.split())
    return command if len(command) <= _WIDEST else f"{command[: _WIDEST - 1]}…"


def _second(value: float | None, digits: int = 6) -> str:
    return "" if value is None else f"{value:.{digits}f}".rstrip("0").rstrip(".")


def _ended(code: int | None) -> str:
    return "still ran" if code is None else str(code)


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return _short(lines[-1]) if lines else ""
