"""Reports of every kind, small and real, into a folder: what the tests in a browser look at."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tailrace

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from conftest import KOCHHER, SMALL  # noqa: E402 - from the folder just named

HOSTILE = "</script><b>"
FAULT = '[[fault]]\nlink = "bottleneck"\nkind = "down"\nat = "3 s"\nuntil = "4 s"\n'


def hostile(result: tailrace.Result) -> tailrace.Result:
    """With a name that the parser would refuse, as a folder of any origin may have it."""
    summary = json.loads(json.dumps(result.summary).replace('"tcp"', json.dumps(f"{HOSTILE}tcp")))
    toml = result.scenario_toml.replace('"src', f'"{HOSTILE}src')
    about = {**result.manifest, "question": f"{HOSTILE}?", "command": ["tailrace", "run", HOSTILE]}
    return tailrace.Result(summary, dict(result), toml, about)


def main(place: Path) -> None:
    """Writes them all."""
    run = tailrace.run(f"{SMALL}\n{FAULT}")
    run.report().save(place / "run.html")
    hostile(run).report().save(place / "hostile.html")
    comparison = tailrace.run_variants(
        {
            name: tailrace.Scenario.of(
                KOCHHER, set={"duration": "20 s", "runs": 2, "link.bottleneck.queue": name}
            )
            for name in ("droptail", "red", "sfq", "codel")
        }
    )
    comparison.report().save(place / "comparison.html")
    each = {
        "link.bottleneck.queue": ["droptail", "codel", "red"],
        "link.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"],
        "record.interval": ["100 ms", "200 ms"],
    }
    tailrace.sweep(SMALL, each, runs=2, output=place / "sweep").report().save(place / "sweep.html")
    from tailrace.reproduce import report_page

    report_page.report(ROOT / "docs" / "papers" / "kochher").save(place / "reproduction.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
