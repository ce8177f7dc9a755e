"""`tailrace doctor`: whether this machine has what is needed, and what is missing for what."""

import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from tailrace.cli import common
from tailrace.cli.common import guarded
from tailrace.system import staging
from tailrace.system.diagnosis import Finding

_GIB = 1 << 30
_FIRST_LEFTOVER = re.compile(r"\..+\.(old\.)?[a-z0-9_]{8}")
_MOST_NAMED = 5
_LITTLE_MEMORY, _LITTLE_DISK = 2 * _GIB, 1 * _GIB


@guarded
def doctor(json: common.Json = False) -> None:
    """Check that this machine has everything that tailrace needs."""
    report([_examined(check) for check in CHECKS], json=json)


def report(findings: Sequence[Finding], *, json: bool) -> None:
    """Prints what was found; a failure ends the program with 1."""
    if json:
        import json as json_text

        typer.echo(json_text.dumps([vars(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            typer.echo(f"{finding.state:<7} {finding.what:<12} {finding.detail}")
    if any(finding.state == "FAIL" for finding in findings):
        raise typer.Exit(1)


def _examined(check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - a check that breaks is a finding
        return Finding("FAIL", check.__name__.strip("_"), f"{type(error).__name__}: {error}")


def _python() -> Finding:
    recent = sys.version_info >= (3, 11)
    return Finding("ok" if recent else "FAIL", "python", f"{platform.python_version()} ({sys.executable})")


def _extension() -> Finding:
    from tailrace import _native
    from tailrace.data import manifest

    commit = manifest.commit()
    at = f", working copy at {commit[:10]}{'+' if commit.endswith('+') else ''}" if commit else ""
    return Finding("ok", "extension", f"tailrace {_native.__version__}{at}")


def _simulator() -> Finding:
    from tailrace import api
    from tailrace.execution import execute
    from tailrace.scenario.scenario import Scenario

    job = api.jobs_of(Scenario(_TINY, "doctor"))[0]
    outcome = execute.execute([job, job], 2)
    first, second = execute.completed(outcome)
    goodput = first.entry["groups"]["tcp"]["goodput_bps"]["sum"]
    if first.fingerprint != second.fingerprint:
        return Finding(
            "FAIL",
            "simulator",
            f"the same run gave different results, {first.fingerprint} and {second.fingerprint}",
        )
    return Finding(
        "ok" if goodput > 0 else "FAIL",
        "simulator",
        f"a 2 s transfer at 10 Mbit/s ran twice with equal results: {goodput / 1e6:.2f} Mbit/s of goodput",
    )


def _libraries() -> Finding:
    import matplotlib.figure  # noqa: F401 - a broken installation shows when it is loaded
    import polars  # noqa: F401

    names = ("polars", "numpy", "matplotlib", "rich", "typer")
    return Finding(
        "ok", "libraries", ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    )


def _tshark() -> Finding:
    found = shutil.which("tshark")
    if found:
        return Finding("ok", "tshark", found)
    return Finding(
        "warning",
        "tshark",
        "missing: packet captures can be written, but not be shown here; install tshark or Wireshark",
    )


def _kernels() -> Finding:
    if not sys.platform.startswith("linux"):
        return Finding("ok", "kernels", "none: Linux kernels as hosts need Linux")
    from tailrace.kernels import kernel_store, run_kernels

    if not run_kernels.AGENT.exists():
        return Finding(
            "warning",
            "kernels",
            f"{run_kernels.AGENT} is missing: no Linux kernel can be a host. {run_kernels.REMEDY}",
        )
    kept = kernel_store.kernels()
    if not kept:
        return Finding(
            "ok", "kernels", "none built: `tailrace kernel build 6.12` makes one, for hosts that run Linux"
        )
    named = ", ".join(kernel.version for kernel in kept)
    return Finding("ok", "kernels", f"{named}; `tailrace kernel check` tries whether they run here")


def _terminal() -> Finding:
    size = shutil.get_terminal_size()
    kind = f"{size.columns} columns" if sys.stderr.isatty() else "none, so progress is shown as plain lines"
    return Finding("ok", "terminal", f"{kind}; text is written as {sys.stdout.encoding}")


def _memory() -> Finding:
    pages, size = os.sysconf("SC_AVPHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    free = pages * size
    return Finding("ok" if free > _LITTLE_MEMORY else "warning", "memory", f"{free / _GIB:.1f} GiB free")


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    return Finding("ok" if free > _LITTLE_DISK else "warning", "disk", f"{free / _GIB:.1f} GiB free here")


def _writing() -> Finding:
    try:
        with tempfile.TemporaryFile(dir=Path.cwd()):
            pass
    except OSError as error:
        return Finding(
            "warning",
            "writing",
            f"results cannot be written to this folder ({error.strerror}): name another one with -o",
        )
    return Finding("ok", "writing", f"results can be written to {Path.cwd()}")


def _leftovers() -> Finding:
    """Clears away what killed commands left here and in `results`."""
    places = (Path.cwd(), Path.cwd() / "results")
    before = sum(len(staging.leftovers(place)) for place in places)
    stuck = [str(left) for place in places for left in staging.clear(place)]
    after = sum(len(staging.leftovers(place)) for place in places)
    # Work folders of 0.1.0, which do not say whether their maker lives.
    first = [str(path) for place in places for path in place.glob(".*.????????") if _is_first_leftover(path)]
    if stuck or first:
        named = ", ".join([*stuck, *first][:_MOST_NAMED])
        return Finding(
            "warning",
            "leftovers",
            f"files of commands that were killed; look at them and remove them: {named}",
        )
    cleared = (
        f"{before - after} left by killed commands, now removed"
        if before > after
        else "none: no files of commands that were killed"
    )
    return Finding("ok", "leftovers", cleared)


def _is_first_leftover(path: Path) -> bool:
    return bool(_FIRST_LEFTOVER.fullmatch(path.name)) and any(
        (path / name).exists() for name in ("summary.json", "flows.parquet", "comparison.json", "result")
    )


CHECKS = (
    _python,
    _extension,
    _libraries,
    _simulator,
    _tshark,
    _kernels,
    _terminal,
    _memory,
    _disk,
    _writing,
    _leftovers,
)

_TINY = """
name = "doctor"
duration = "2 s"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "5 ms"
[[flow]]
name = "tcp"
from = "a"
to = "b"
transport = { kind = "tcp" }
app = { kind = "bulk" }
"""
