"""Workloads that tools/pgo.sh profiles.

Networks of all families, each for so long that what it does again and again outweighs how it begins.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import tailrace

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benches" / "peers" / "tailrace"


def main() -> int:
    """Run them all; what is counted goes where the extension was told when it was compiled."""
    for scenario in sorted((ROOT / "scenarios").glob("*.toml")):
        tailrace.run(scenario)
    tailrace.run(PEERS / "a.toml", set={"duration": "20 s"})
    with tempfile.TemporaryDirectory() as folder:
        for flows, seconds in [(100, 8), (1000, 2)]:
            made = subprocess.run(
                [sys.executable, PEERS / "make_d.py", str(flows), str(seconds)],
                capture_output=True,
                text=True,
                check=True,
            )
            file = Path(folder) / f"d{flows}.toml"
            file.write_text(made.stdout, encoding="utf-8")
            tailrace.run(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
