"""The command line within the process of the tests: no interpreter to start, nothing to import again."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from unittest import mock

import tailrace.__main__
from tailrace.cli import app

_STREAMS = ("stdin", "stdout", "stderr")


def run(
    arguments: Sequence[str], cwd: Path, variables: Mapping[str, str], given: str
) -> subprocess.CompletedProcess[str]:
    """As `python -m tailrace ARGUMENTS` would do it in that folder, with more variables and that on its input."""
    program = str(Path(tailrace.__main__.__file__).resolve())
    with contextlib.ExitStack() as around:
        around.enter_context(contextlib.chdir(cwd))
        around.enter_context(mock.patch.dict(os.environ, variables))
        around.enter_context(mock.patch.object(sys, "argv", [program, *arguments]))
        around.enter_context(_named_as_a_process())
        # It ends a process in which a run is stuck, and that may be of a test before.
        around.enter_context(mock.patch.object(app, "_leave_behind_what_is_stuck"))
        files = [around.enter_context(tempfile.TemporaryFile()) for _ in _STREAMS]
        files[0].write(given.encode())
        files[0].seek(0)
        with _redirected(files):
            code = _exit_code()
        return subprocess.CompletedProcess([program, *arguments], code, *map(_text, files[1:]))


@contextlib.contextmanager
def _named_as_a_process() -> Iterator[None]:
    """Messages take the name of the program from the main module; modules that are loaded meanwhile stay."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = tailrace.__main__
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _exit_code() -> int:
    try:
        app.main()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
            return 1
        return end.code or 0
    except BaseException:  # noqa: BLE001 - a process would end with it
        traceback.print_exc()
        return 1
    return 0


@contextlib.contextmanager
def _redirected(files: Sequence[io.BufferedRandom]) -> Iterator[None]:
    """Both the descriptors, which the engine and handlers of signals write to, and Python's streams."""
    for name in _STREAMS[1:]:
        getattr(sys, name).flush()
    kept = [os.dup(number) for number in range(3)]
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    streams = {
        name: open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
        for number, name in enumerate(_STREAMS)
    }
    try:
        with mock.patch.multiple(sys, **streams):
            yield
    finally:
        for stream in streams.values():
            with contextlib.suppress(OSError):
                stream.close()
        for number, old in enumerate(kept):
            os.dup2(old, number)
            os.close(old)


def _text(file: io.BufferedRandom) -> str:
    file.seek(0)
    with io.TextIOWrapper(file, encoding="utf-8") as text:
        return text.read()
