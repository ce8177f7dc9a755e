"""Results damaged on disk at random: what is read is said to be damaged, or is what can be shown; nothing else."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import tailrace
from tailrace import TailraceError
from tailrace.data.loading import TABLES

BLOCK = 50
# First seeds of blocks; at some of the last Polars panics.
BLOCKS = (0, 50, 100, 150, 200, 250, 1400, 2650)
WORDS: tuple[Any, ...] = (
    None, True, -1, 0, 10**400, 1.5, float("nan"), float("inf"), "", "x" * 5000, "\x1b[31m", "../../x", [], {}, [[]],
    {"": 1},
)  # fmt: skip


@pytest.fixture(scope="module")
def saved(small: tailrace.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.save(tmp_path_factory.mktemp("damaged") / "whole")


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every value of a document, as its container and the key there."""
    found: list[tuple[Any, Any]] = []
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        found.append((document, key))
        if isinstance(value, dict | list):
            found += places(value)
    return found


def damage_values(draw: random.Random, file: Path) -> None:
    document = json.loads(file.read_text())
    for _ in range(draw.randint(1, 3)):
        # The few values at the top as likely as the mass of numbers below.
        deep = draw.random() < 0.5
        container, key = draw.choice(places(document)) if deep else (document, draw.choice(list(document)))
        if isinstance(container, list) and key >= len(container):
            continue
        if draw.random() < 0.3:
            del container[key]
            break
        container[key] = draw.choice(WORDS)
    file.write_text(json.dumps(document))


def damage_bytes(draw: random.Random, file: Path) -> None:
    data = bytearray(file.read_bytes())
    match draw.randrange(5):
        case 0:
            del data[draw.randrange(len(data) + 1) :]
        case 1:
            for _ in range(draw.randint(1, 8)):
                data[draw.randrange(len(data))] = draw.randrange(256)
        case 2:
            at = draw.randrange(len(data))
            del data[at : at + draw.randint(1, 64)]
        case 3:
            at = draw.randrange(len(data))
            data[at:at] = draw.randbytes(draw.randint(1, 64))
        case _:
            data[:] = b"[" * 100_000
    file.write_bytes(data)


def damage(draw: random.Random, folder: Path) -> None:
    file = draw.choice(sorted(p for p in folder.rglob("*") if p.is_file()))
    match draw.randrange(6):
        case 0:
            file.unlink()
        case 1:
            file.unlink()
            file.mkdir()
        case 2:
            shutil.copy(draw.choice(sorted(p for p in folder.rglob("*") if p.is_file())), folder / "other")
            (folder / "other").replace(file)
        case _ if file.suffix == ".json" and draw.random() < 0.7:
            damage_values(draw, file)
        case _:
            damage_bytes(draw, file)


def read_all(folder: Path) -> None:
    """Everything that a user may do with a loaded result."""
    result = tailrace.Result.load(folder)
    for name in TABLES:
        result.table(name)
    _ = (str(result), repr(result), result.to_json(), result.name, result.seed, result.n)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_damaged_result_is_said_to_be_or_can_be_shown(saved: Path, tmp_path: Path, block: int) -> None:
    refused = 0
    for seed in range(block, block + BLOCK):
        folder = tmp_path / str(seed)
        shutil.copytree(saved, folder)
        damage(random.Random(seed), folder)
        try:
            read_all(folder)
        except TailraceError as error:
            refused += 1
            assert str(error), f"seed {seed}"
            assert "\x1b" not in str(error), f"seed {seed}"
        except Exception as error:  # noqa: BLE001
            pytest.fail(f"seed {seed}: {type(error).__name__}: {error}")
        shutil.rmtree(folder)
    assert refused > 15
