"""Multipath TCP beside a Linux kernel in virtual time: `python -m validation.multipath [PATTERN...]`.

Prints for each case and phase what the receiving application got and how much of what was sent took each path, and for
each case retransmissions, timeouts, joins, and how long after its return a path was used again. Exit codes: 0 all is
inside Linux's spread, 1 something failed, 4 something lies outside.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
from pathlib import Path

from validation import linux
from validation.multipath import guest, judgement, ours
from validation.multipath.cases import Case, load
from validation.multipath.measures import measures

TITLE = "| case | s | goodput Mbit/s | shares outside, % | counted |"


def both(case: Case, runs: int, results: Path) -> list[judgement.Difference]:
    """Tailrace's runs beside the kernel's."""
    seeds = range(1, runs + 1)
    theirs = [guest.parse(case, guest.run(case, seed, results)) for seed in seeds]
    mine = [ours.run(case, seed) for seed in seeds]
    return judgement.compare([measures(case, c) for c in mine], [measures(case, c) for c in theirs])


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m validation.multipath", description=__doc__)
    parser.add_argument("only", nargs="*", default=["*"], help="patterns of case names (default: all)")
    parser.add_argument("-n", "--runs", type=int, default=10, help="runs of each case and side (10)")
    parser.add_argument(
        "--results", type=Path, default=Path("results/validation"), help="where runs of the kernel are kept"
    )
    options = parser.parse_args()
    lines, everything, failed = [TITLE, "| --- | --- | --- | --- | --- |"], [], False
    for case in load():
        if not any(fnmatch.fnmatchcase(case.name, pattern) for pattern in options.only):
            continue
        try:
            differences = both(case, options.runs, options.results)
        except linux.MissingReferenceError as error:
            print(error, file=sys.stderr)
            return 1
        except Exception as error:  # noqa: BLE001 - one case's failure must not lose the others
            print(f"{case.name}: {error}", file=sys.stderr)
            failed = True
            continue
        lines += judgement.rows(case.name, differences)
        everything += differences
        print(case.name, sum(d.inside for d in differences), len(differences), file=sys.stderr, flush=True)
    print("\n".join([judgement.summary(everything), "", *lines]))
    if failed:
        return 1
    return 0 if all(d.inside for d in everything) else 4


if __name__ == "__main__":
    sys.exit(main())
