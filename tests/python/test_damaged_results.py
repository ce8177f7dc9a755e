"""Results damaged on disk at random: what is read is said to be damaged, or is what can be shown; nothing else."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import tailrace
from conftest import SMALL, command_line
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


@pytest.mark.parametrize("table", ["flows", "group_series"])
def test_a_table_of_another_run_is_refused_by_name(saved: Path, tmp_path: Path, table: str) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    shutil.copytree(saved, own)
    tailrace.run(SMALL, runs=1, seed=99).save(other)
    shutil.copy(other / f"{table}.parquet", own / f"{table}.parquet")
    for command in (("export", "csv", own, "-o", tmp_path / "csv"), ("report", own)):
        done = command_line(*command, cwd=tmp_path)
        assert done.returncode == 2, done.stdout
        assert f"{own / table}.parquet is not what was written there" in done.stderr


def test_a_table_that_a_result_has_not_is_not_read_from_a_file_beside_it(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved, tmp_path / "own")
    shutil.copy(saved / "flows.parquet", tmp_path / "own" / "reordering.parquet")
    found = tailrace.Result.load(tmp_path / "own")
    assert found.reordering.is_empty()
    assert "reordering" not in list(found)


@pytest.mark.parametrize("name", ["summary.json", "scenario.toml"])
def test_a_document_that_was_edited_is_refused_by_name(saved: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(saved, tmp_path / "own")
    file = tmp_path / "own" / name
    text = file.read_text()
    file.write_text(
        text.replace("0", "1", 1) if name == "scenario.toml" else text.replace(": 0.0", ": 0.5", 1)
    )
    assert file.read_text() != text
    with pytest.raises(TailraceError, match=f"{name} is not what was written there"):
        tailrace.Result.load(tmp_path / "own")


def test_a_result_of_an_earlier_version_has_no_checksums_and_is_read(saved: Path, tmp_path: Path) -> None:
    shutil.copytree(saved, tmp_path / "own")
    file = tmp_path / "own" / "manifest.json"
    about = json.loads(file.read_text())
    sums = about.pop("checksums")
    assert {"summary.json", "scenario.toml", "flows.parquet", "queues.parquet"} <= set(sums)
    file.write_text(json.dumps(about))
    found = tailrace.Result.load(tmp_path / "own")
    assert found.flows.height > 0
    # Saved anew, it has some.
    found.save(tmp_path / "again")
    assert json.loads((tmp_path / "again" / "manifest.json").read_text())["checksums"].keys() == sums.keys()
