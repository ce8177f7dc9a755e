"""Ends commands again and again at random moments, by every signal: `command_kills.py FOLDER KILLS SEED`.

Signals go to the command alone, as a job scheduler's do, or to all of its processes, as those of a terminal. A signal
ends a command with 130 and without a traceback. The command that is given again at last must leave what an undisturbed
one leaves, and nothing beside it. Writes a line for each finding, and at the end how many there were; with
`--kernel NAME` twins are ended, too.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tailrace
from conftest import SMALL

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
INTERRUPTED = 130
# Kills of a command before it may end, at most.
MOST_KILLS = 5
PATIENCE_S = 300
# Entries of documents that tell of the occasion and not of what was found.
OCCASION = {"created", "command", "wall_s", "machine", "commit", "python", "checksums", "peak_rss_bytes"}
HIDDEN = (".tailrace", ".spill")


@dataclass
class Kind:
    """A command, what it writes, and how long it takes when nobody disturbs it."""

    name: str
    words: list[str]
    makes: str
    takes: float = 0.0
    whole: dict[str, str] = field(default_factory=dict)


def kinds(kernel: str | None) -> list[Kind]:
    each = ["--set-each", "link.bottleneck.queue=droptail,codel,red,pie"]
    few = ["-j", "2", "--figures", "queue"]
    all_of = [
        Kind("run", ["run", "lab.toml", "--runs", "20", *few, "-o", "out"], "out"),
        Kind("compare", ["compare", "lab.toml", *each, "--runs", "6", *few, "-o", "out"], "out"),
        Kind("sweep", ["sweep", "lab.toml", *each, "--runs", "8", "-j", "2", "-o", "out"], "out"),
        Kind("report", ["report", "in", "-o", "out.html"], "out.html"),
        Kind("plot", ["plot", "in", "-o", "out", "--figures", "all", "--format", "svg", "-j", "2"], "out"),
        Kind("merge", ["merge", "share1", "share2", "-o", "out"], "out"),
    ]
    if kernel:
        words = ["twin", "lab.toml", "--kernel", kernel, "--runs", "2", "-j", "2", "--no-plots", "-o", "out"]
        all_of.append(Kind("twin", words, "out"))
    return all_of


def say(text: object, *, flush: bool = True) -> None:
    sys.stdout.write(f"{text}\n")
    if flush:
        sys.stdout.flush()


def start(words: list[str], place: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"TMPDIR": str(place.with_suffix(".tmp"))}
    with place.with_suffix(".err").open("ab") as err:
        return subprocess.Popen(
            [sys.executable, "-m", "tailrace", *words],
            cwd=place,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=err,
            start_new_session=True,
        )


def said(place: Path) -> str:
    text = place.with_suffix(".err").read_text(errors="replace")
    place.with_suffix(".err").unlink()
    return text


def prepared(kind: Kind, place: Path, source: Path) -> None:
    """A folder with what the command reads."""
    place.mkdir(parents=True)
    place.with_suffix(".tmp").mkdir()
    shutil.copy(source / "lab.toml", place)
    needs = {"report": ["in"], "plot": ["in"], "merge": ["share1", "share2"]}
    for name in needs.get(kind.name, []):
        shutil.copytree(source / name, place / name)


def content(place: Path) -> dict[str, str]:
    """Every file with a mark of what it says, whenever and by whichever words it was made."""
    files = sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else [place]
    return {str(file.relative_to(place.parent)): mark for file in files if (mark := marked(file)) is not None}


def marked(file: Path) -> str | None:
    name = file.name
    if name in {"lock", "index.sqlite"} or file.suffix == ".html":
        return ""  # their content is compared otherwise, or tells of the occasion
    if file.parent.name == "parts":
        return None  # how runs are divided into parts depends on when they were stopped
    if file.suffix == ".json":
        return json.dumps(timeless(json.loads(file.read_text())), sort_keys=True)
    if file.suffix == ".parquet":
        import polars as pl

        return str(pl.read_parquet(file).hash_rows().to_list())
    return hashlib.sha256(file.read_bytes()).hexdigest()


def timeless(document: object) -> object:
    if isinstance(document, dict):
        return {name: timeless(value) for name, value in document.items() if name not in OCCASION}
    return [timeless(one) for one in document] if isinstance(document, list) else document


def stored(place: Path) -> dict[str, Any]:
    """Tables of a store."""
    if not (place / "index.sqlite").is_file():
        return {}
    found = tailrace.Sweep.load(place)
    tables = {name: found[name] for name in found}
    return {**tables, "runs": found.runs.drop("wall_s")}


def differences(kind: Kind, place: Path, whole: Path) -> Iterator[str]:
    one, other = content(whole / kind.makes), content(place / kind.makes)
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            how = "is missing" if name not in other else "is too much" if name not in one else "differs"
            yield f"{name} {how}"
    for name, table in stored(whole / kind.makes).items():
        if not table.equals(stored(place / kind.makes).get(name)):
            yield f"table {name} differs"
    expected = {file.name for file in whole.iterdir()}
    for file in place.iterdir():
        if file.name not in expected:
            yield f"{file.name} is left beside it"
    for file in place.rglob(".*"):
        yield f"{file.relative_to(place)} is left within"
    for file in place.with_suffix(".tmp").iterdir():
        yield f"{file.name} is left among temporary files"


def running(place: Path) -> list[str]:
    """Processes that work in the folder, or below the folder of its temporary files."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            where = (process / "cwd").readlink()
            if where == place or place.with_suffix(".tmp") in where.parents:
                found.append(
                    (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
                )
        except OSError:
            continue
    return found


class Findings:
    """What was wrong, each with the seed that shows it."""

    def __init__(self) -> None:
        self.count = Counter[str]()

    def add(self, kind: Kind, what: str, how: str = "", text: str = "") -> None:
        self.count[kind.name] += 1
        say(f"FINDING {kind.name}: {what} {how}\n{text[-3000:]}", flush=True)


def ended(kind: Kind, place: Path, draw: random.Random, findings: Findings) -> bool:
    """Begins the command, and sends a signal at a random moment; whether there was still somebody to hear it."""
    process = start(kind.words, place)
    delay = draw.uniform(0, 1.15 * kind.takes)
    number, group = draw.choice(SIGNALS), draw.random() < 0.5
    how = (
        f"{signal.Signals(number).name} to {'all' if group else 'it'} after {delay:.2f} of {kind.takes:.2f} s"
    )
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        (os.killpg if group else os.kill)(process.pid, number)
        heard = True
    else:
        heard = False
    try:
        code = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        findings.add(kind, "goes on after", how, said(place))
        os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
    text = said(place)
    # While Python itself starts, SIGINT ends it with a traceback of its own.
    starts = delay < 1 and "/tailrace/" not in text
    if ("Traceback" in text or "Exception ignored" in text or "Error:" in text) and not starts:
        findings.add(kind, f"says a traceback (exit code {code}),", how, text)
    # Before Python has loaded anything of ours, a signal ends it as any program.
    early = {-number, 1} if starts else set()
    # At its very end, when all is done, the interpreter has given signals back to the system.
    late = {-number} if number == signal.SIGKILL or delay > kind.takes / 2 else set()
    allowed = {0, INTERRUPTED} | early | late
    if (heard and code not in allowed) or (not heard and code != 0):
        findings.add(kind, f"ends with {code},", how, text)
    time.sleep(0.3 if number != signal.SIGKILL else 1.5)
    if left := running(place):
        time.sleep(3)
        if left := running(place):
            findings.add(kind, f"leaves processes {left},", how, text)
    return heard


def undisturbed(kind: Kind, folder: Path, source: Path) -> Path:
    place = folder / f"whole-{kind.name}"
    prepared(kind, place, source)
    begun = time.monotonic()
    code = start(kind.words, place).wait()
    kind.takes = time.monotonic() - begun
    text = said(place)
    assert code == 0, text
    return place


def main() -> None:
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("kills", type=int)
    given.add_argument("seed", type=int)
    given.add_argument("--kernel")
    given.add_argument("--only", action="append")
    asked = given.parse_args()
    folder, draw, findings = asked.folder.resolve(), random.Random(asked.seed), Findings()
    source = folder / "source"
    source.mkdir(parents=True)
    (source / "lab.toml").write_text(SMALL, encoding="utf-8")
    tailrace.run(SMALL, runs=2).save(source / "in")
    for share in (1, 2):
        words = [
            "sweep",
            str(source / "lab.toml"),
            "--set-each",
            "link.bottleneck.queue=droptail,codel",
            "-q",
        ]
        shard = [*words, "--shard", f"{share}/2", "-o", str(source / f"share{share}")]
        subprocess.run([sys.executable, "-m", "tailrace", *shard], check=True)
    chosen = [kind for kind in kinds(asked.kernel) if not asked.only or kind.name in asked.only]
    wholes = {kind.name: undisturbed(kind, folder, source) for kind in chosen}
    say({kind.name: round(kind.takes, 2) for kind in chosen}, flush=True)
    killed, number = Counter[str](), 0
    while sum(killed.values()) < asked.kills:
        kind, number = chosen[number % len(chosen)], number + 1
        place = folder / f"{number}-{kind.name}"
        prepared(kind, place, source)
        for _ in range(draw.randint(1, MOST_KILLS)):
            killed[kind.name] += ended(kind, place, draw, findings)
        process = start(kind.words, place)
        code = process.wait(PATIENCE_S)
        text = said(place)
        if code != 0:
            findings.add(kind, f"given again ends with {code}", str(place), text)
        wrong = list(differences(kind, place, wholes[kind.name]))
        if wrong:
            findings.add(kind, f"leaves other things: {'; '.join(wrong[:6])}", str(place), text)
        else:
            shutil.rmtree(place)
            shutil.rmtree(place.with_suffix(".tmp"))
    say(
        f"{sum(killed.values())} kills {dict(killed)}, {sum(findings.count.values())} findings {dict(findings.count)}"
    )
    sys.exit(bool(findings.count))


if __name__ == "__main__":
    main()
