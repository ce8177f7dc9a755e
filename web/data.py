"""What the playground takes from Tailrace: disciplines, schema, looks of lines, gallery. JSON, into a folder."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from tailrace.show.report import charts

ROOT = Path(__file__).resolve().parents[1]


def asked(*words: str) -> dict[str, Any]:
    """What a command says as JSON."""
    command = [sys.executable, "-m", "tailrace", *words]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)  # noqa: S603 - our own words
    return found


def queues() -> list[dict[str, Any]]:
    """A line for each discipline."""
    return [
        {
            "name": queue["name"],
            "says": queue["doc"],
            "family": queue["family"],
            "limit": any(param["name"] == "limit" for param in queue["params"]),
        }
        for queue in asked("list", "queues", "--json")["queues"]
    ]


def entry(file: Path, group: str) -> dict[str, str]:
    """A scenario as the gallery has it."""
    text = file.read_text(encoding="utf-8")
    head = tomllib.loads(text)
    name = file.stem if group == "scenarios" else f"{group}/{file.stem}"
    return {"name": name, "group": group, "question": head.get("question", ""), "text": text}


def gallery() -> list[dict[str, str]]:
    """Scenarios of the gallery, then those of the papers."""
    own = [entry(file, "scenarios") for file in sorted((ROOT / "scenarios").glob("*.toml"))]
    papers = sorted(file for file in (ROOT / "papers").glob("*/*.toml") if file.stem != "claims")
    return own + [entry(file, file.parent.name) for file in papers]


# Where a default is from, which the documentation says, with the bounds behind it, which stay.
_SOURCE = re.compile(r" Source: .*?(?:\. (?P<bounds>[^.]* to .*\)\.))?$", re.DOTALL)
# What completion reads of a schema.
_READ = {"$defs", "$ref", "anyOf", "const", "description", "enum", "items", "properties", "required"}


def schema() -> Any:  # noqa: ANN401 - any JSON
    """The schema without what only a validator asks for: the simulator itself checks."""

    def said(text: str) -> str:
        return _SOURCE.sub(lambda found: f" {found['bounds']}" if found["bounds"] else "", text)

    def slim(node: Any, named: bool = False) -> Any:  # noqa: ANN401
        if isinstance(node, list):
            return [slim(item) for item in node]
        if not isinstance(node, dict):
            return node
        kept = {key: value for key, value in node.items() if named or key in _READ or value == "boolean"}
        return {
            key: said(value)
            if key == "description" and isinstance(value, str)
            else slim(value, key in {"properties", "$defs"} and not named)
            for key, value in kept.items()
        }

    return slim(asked("schema"))


def main(place: Path) -> None:
    """Writes the files."""
    place.mkdir(parents=True, exist_ok=True)
    found = {
        "basics": {"queues": queues(), "looks": charts.looks()},
        "schema": schema(),
        "gallery": gallery(),
    }
    for name, data in found.items():
        (place / f"{name}.json").write_text(json.dumps(data, separators=(",", ":"), ensure_ascii=False))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
