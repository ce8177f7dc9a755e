"""Runs the cases in the references that are there and in Tailrace, and prints the table of differences."""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from validation import linux, ns2, ours, table
from validation.cases import REFERENCES, Case, load
from validation.measures import Measures


def main() -> int:
    """0: everything inside the spread or explained; 1: something failed; 4: a difference is not explained."""
    options = parse_options()
    cases = [c for c in load() if any(fnmatch.fnmatchcase(c.name, p) for p in options.only)]
    if options.list:
        print("\n".join(c.name for c in cases))
        return 0
    there = available(options.references)
    cases = [c for c in cases if c.reference in there]
    if not cases:
        print("no case to run", file=sys.stderr)
        return 1
    rows, failed = [], 0
    explained = table.notes()
    start = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        jobs = [(case, pool.submit(both, case, options)) for case in cases]
        for i, (case, job) in enumerate(jobs, 1):
            try:
                rows.append((case, table.compare(case, *job.result(), explained)))
            except Exception as error:  # noqa: BLE001 - one case's failure must not lose the others
                failed += 1
                print(f"{case.name}: {error}", file=sys.stderr)
            passed = time.monotonic() - start
            print(f"{i}/{len(jobs)} {case.name} {passed:.0f} s", file=sys.stderr, flush=True)
    text = report(rows, explained)
    if options.output:
        Path(options.output).write_text(text, encoding="utf-8")
    print(text)
    if failed:
        return 1
    return 4 if any(d.sign == "!" for _, found in rows for d in found.values()) else 0


def parse_options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("only", nargs="*", default=["*"], help="patterns of case names (default: all)")
    parser.add_argument("--list", action="store_true", help="print the cases' names and end")
    parser.add_argument("-n", "--runs", type=int, default=5, help="runs of each case by its reference (5)")
    parser.add_argument(
        "--own-runs", type=int, default=12, help="runs of Tailrace, at least as many: its own chance (12)"
    )
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="cases at a time")
    parser.add_argument("--references", nargs="+", choices=REFERENCES, default=list(REFERENCES))
    parser.add_argument("-o", "--output", help="also write the tables to this file")
    parser.add_argument(
        "--results", type=Path, default=Path("results/validation"), help="where runs of references are kept"
    )
    return parser.parse_args()


def available(wanted: list[str]) -> list[str]:
    """The references that can be run; of the others it is said what is missing."""
    found = []
    for reference in wanted:
        try:
            if reference == "linux":
                linux.prepare()
            elif ns2.program() is None:
                raise linux.MissingReferenceError("no ns-2; on Debian: apt-get install ns2")
            found.append(reference)
        except linux.MissingReferenceError as error:
            print(f"left out {reference}: {error}", file=sys.stderr)
    return found


def both(case: Case, options: argparse.Namespace) -> tuple[list[Measures], list[Measures]]:
    """Tailrace's runs and the reference's."""
    return ours.run(case, max(options.runs, options.own_runs)), [
        reference_run(case, seed, options.results) for seed in range(1, options.runs + 1)
    ]


def reference_run(case: Case, seed: int, results: Path) -> Measures:
    """Run of the reference. Its output is kept, and reused while nothing it depends on changes."""
    run, parse = (ns2.run, ns2.parse) if case.reference == "ns2" else (linux.run, linux.parse)
    place = results / case.name
    kept = place / f"{seed}-{key(case, seed)}.txt"
    if kept.exists():
        return parse(kept.read_text(encoding="utf-8"), case)
    text = run(case, seed)
    measures = parse(text, case)
    place.mkdir(parents=True, exist_ok=True)
    kept.write_text(text, encoding="utf-8")
    (place / f"{seed}.json").write_text(json.dumps(asdict(measures), indent=1) + "\n", encoding="utf-8")
    return measures


def key(case: Case, seed: int) -> str:
    """Hash of everything that determines the reference's run."""
    if case.reference == "ns2":
        parts = [ns2.script(case, seed), (Path(ns2.__file__).parent / "ns2/dumbbell.tcl").read_text("utf-8")]
    else:
        parts = [
            json.dumps(linux.files(case, seed, Path("traffic"))),
            (Path(linux.__file__).parent / "linux/traffic.c").read_text("utf-8"),
        ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def report(rows: list[tuple[Case, dict[str, table.Difference]]], explained: list[table.Note]) -> str:
    """All tables and the notes in use."""
    titles = {"ns2": "ns-2", "linux": "Linux"}
    parts = []
    for reference in REFERENCES:
        mine = [(c, d) for c, d in rows if c.reference == reference]
        if mine:
            parts += [f"### {titles[reference]}\n", table.summary(mine) + "\n", table.markdown(mine) + "\n"]
    used = {d.sign for _, found in rows for d in found.values()}
    parts += [f"- **{n.sign}** {n.text}" for n in explained if n.sign in used]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.exit(main())
