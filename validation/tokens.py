"""The same datagrams at the same instants through a shaper, a policer or bands in Linux and here, packet by packet.

Nothing here is left to chance, so the same packets must come through at the same instants, but for the steps of the
guest's clock. Ours are offered at the instants that the guest's kernel stamped on them as they came. Cases are under
`tokens` in openloop.toml.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation import linux, openloop
from validation.cases import HERE
from validation.measures import mean

TABLE: dict[str, Any] = openloop.TABLE["tokens"]
DURATION = openloop.TABLE["duration_s"]
ENDLESS = "1000000000000000000"
"""Rate of the link behind the discipline, bit/s: the guest's devices take no time."""
CLOCK_NS = 1000
"""How late a timer of the guest may be: its clock moves in steps of 256 ns, and it waits for no less than 500."""


@dataclass(frozen=True)
class Passage:
    """Packets by number, with nanoseconds."""

    came: dict[int, int]
    left: dict[int, int]


@dataclass(frozen=True)
class Comparison:
    """A case on both sides."""

    offered: int
    passed: tuple[int, int]
    """In Linux, and here."""
    apart: int
    """Packets that came through on one side only."""
    latest_ns: int
    """Largest difference of the instants at which one left."""
    moved: int
    """Packets whose instants differ by more than the guest's clock does."""

    @property
    def same(self) -> bool:
        """Whether all is equal."""
        return self.apart == 0 and self.moved == 0


def pattern(shape: str, seed: int) -> str:
    """Lines "NANOSECONDS FLOW BYTES TOS" of a pattern with other sizes, as much faster as these are smaller."""
    draw = random.Random(seed)  # noqa: S311 - it is no secret
    tos, sizes = TABLE["tos"], TABLE["sizes"]
    pace = mean(sizes) / openloop.TABLE["bytes"]
    lines = (line.split() for line in openloop.pattern(shape, seed).splitlines())
    return "".join(
        f"{int(int(at) * pace)} {flow} {draw.choice(sizes)} {tos[int(flow) % len(tos)]}\n"
        for at, flow, _ in lines
    )


def guest(lines: list[str]) -> str:
    """The guest's first process: sender, router, receiver; the discipline at the router."""
    return openloop.script(
        [
            *(f"tc -n r1 {line} || exit 1" for line in lines),
            f"TOKENS {DURATION} sink eth0 10.1.0.2 r1 left src pattern",
        ]
    )


def in_linux(name: str, lines: list[str], text: str, results: Path) -> Passage:
    """Run with the kernel; kept, and reused while nothing it depends on changes."""
    kernel, traffic = linux.prepare()
    program = linux.folder() / "tokens"
    source = HERE / "linux/tokens.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["gcc", "-O2", "-o", str(program), str(source)], check=True)
    script = guest(lines)
    parts = [script, text, source.read_text("utf-8"), str(kernel.resolve())]
    kept = results / (hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16] + ".txt")
    if not kept.exists():
        with tempfile.TemporaryDirectory(prefix="validation-") as folder:
            place = Path(folder)
            (place / "pattern").write_text(text, encoding="utf-8")
            words = {"TOKENS": str(program.resolve()), "TRAFFIC": str(traffic.resolve())}
            for word, path in words.items():
                script = script.replace(word, path)
            (place / "init").write_text(script, encoding="utf-8")
            shown = linux.boot(kernel, place, name, 900)
        results.mkdir(parents=True, exist_ok=True)
        kept.write_text(shown, encoding="utf-8")
    return parse(kept.read_text(encoding="utf-8"))


def here(line: str, text: str) -> Passage:
    """The same through ours."""
    words = [line, ENDLESS, str(DURATION + 5), "0", "1", "packets"]
    done = subprocess.run(
        [openloop.program(), *words], input=text, capture_output=True, text=True, check=True
    )
    return parse(done.stdout)


def parse(text: str) -> Passage:
    """The lines "in NUMBER NANOSECONDS" and "out NUMBER NANOSECONDS"."""
    found = re.findall(r"^(in|out) (\d+) (\d+)$", text, re.M)
    came, left = ({int(n): int(at) for word, n, at in found if word == which} for which in ("in", "out"))
    return Passage(came, left)


def offered_anew(text: str, came: dict[int, int]) -> str:
    """The pattern at the instants at which its packets came in Linux."""
    lines = (line.split(maxsplit=1)[1] for line in text.splitlines())
    return "".join(f"{came[number]} {rest}\n" for number, rest in enumerate(lines) if number in came)


def compared(theirs: Passage, ours: Passage) -> Comparison:
    """How the two sides differ. Numbers of ours count what came."""
    numbers = sorted(theirs.came)
    left = {numbers[number]: at for number, at in ours.left.items()}
    both = left.keys() & theirs.left.keys()
    differences = [abs(left[n] - theirs.left[n]) for n in both]
    return Comparison(
        offered=len(numbers),
        passed=(len(theirs.left), len(left)),
        apart=len(left.keys() ^ theirs.left.keys()),
        latest_ns=max(differences, default=0),
        moved=sum(difference > CLOCK_NS for difference in differences),
    )


def compare(queue: str, shape: str, results: Path) -> Comparison:
    """A case."""
    case, text = TABLE["queue"][queue], pattern(shape, 1)
    theirs = in_linux(f"{queue}-{shape}", case["out"], text, results)
    return compared(theirs, here(case["here"], offered_anew(text, theirs.came)))


def main() -> int:
    """0: all equal; 4: something is not."""
    parser = argparse.ArgumentParser(prog="python -m validation.tokens", description=__doc__)
    parser.add_argument("only", nargs="*", default=["*"], help="patterns of QUEUE-PATTERN (default: all)")
    parser.add_argument("--results", type=Path, default=Path("results/validation/tokens"))
    options = parser.parse_args()
    print("| case | packets | through, here / Linux | on one side only | other instants | by at most, ns |")
    print("| --- | --- | --- | --- | --- | --- |")
    all_same = True
    for queue in TABLE["queue"]:
        for shape in TABLE["patterns"]:
            if not any(fnmatch.fnmatchcase(f"{queue}-{shape}", p) for p in options.only):
                continue
            c = compare(queue, shape, options.results)
            all_same = all_same and c.same
            cells = [
                f"{queue}-{shape}",
                c.offered,
                f"{c.passed[1]} / {c.passed[0]}",
                c.apart,
                c.moved,
                c.latest_ns,
            ]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return 0 if all_same else 4


if __name__ == "__main__":
    sys.exit(main())
