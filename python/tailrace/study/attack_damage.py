"""Damage by an attack, run by run: each run beside the same run without the attack (`enabled = false`).

Both draw the same random numbers, so what they have of luck is the same on both sides. Damage is the share of goodput
that is lost (1 - Kuzmanovic and Knightly's normalized throughput, SIGCOMM 2003), potency the damage per cost: bytes
lost for each byte that the attack sends (Guirguis, Bestavros and Matta, ICNP 2004, with an aggressiveness of 1).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tailrace.errors import UsageError
from tailrace.scenario import flow_groups
from tailrace.scenario.scenario import Scenario
from tailrace.study.cells import Cell

if TYPE_CHECKING:
    import polars as pl

# Owner of damage metrics, beside groups and queues.
ATTACK = "attack"
_NAMED = re.compile(r"(?<![a-z_])(damage|damage_bytes|potency)(?![a-z_])")
_ROW = ("cell", "run", "window", "of", "name", "figure", "value", "text")


def is_named(columns: Iterable[str]) -> bool:
    """Whether metrics are asked for that take runs without the attack."""
    return any(_NAMED.search(column) for column in columns)


class Without:
    """The cells of a sweep without their attacks."""

    def __init__(self, scenario: Scenario) -> None:
        said = tomllib.loads(scenario.to_toml())
        self._attacks = [
            f"{section}.{group['name']}"
            for section, group in flow_groups.declared(said)
            if flow_groups.is_attack(section, group)
        ]
        if not self._attacks:
            raise UsageError(
                f"{scenario.file_name} has no attack, and nothing has a damage: "
                'make it an [[attack]], or say role = "attack" of its flows'
            )

    def cell(self, cell: Cell) -> Cell:
        """The same with the attack switched off; what is set of it is left out, so cells share theirs."""
        kept = {path: value for path, value in cell.overrides.items() if not self._is_of_attack(path)}
        kept |= {f"{attack}.enabled": "false" for attack in self._attacks}
        return Cell(f"{cell.label} without attack", kept, {})

    def _is_of_attack(self, path: str) -> bool:
        return any(path == attack or path.startswith(f"{attack}.") for attack in self._attacks)


def figures(found: pl.DataFrame, pairs: Sequence[tuple[int, int]]) -> pl.DataFrame:
    """Rows for each run that landed on both sides, in the form of `found`; `pairs` are cells, each with its other half.

    Of each normal group, and of all together (`of` is "attack"): `damage` of goodput as a share, `damage_bytes` of what
    was delivered since time zero; of all together `potency` and the attack's `sent_bytes`, too.
    """
    import polars as pl

    schema = found.schema
    # Words may be categories, which do not mix with other words; of few rows they need not be.
    found = found.filter(pl.col("figure").is_in(_READ)).with_columns(pl.col(pl.Categorical).cast(pl.String))
    halves = pl.DataFrame(
        list(dict.fromkeys(pairs)), schema={"cell": pl.UInt32, "other": pl.UInt32}, orient="row"
    )
    roles = found.filter(pl.col("figure") == "role", pl.col("window").is_null()).select(
        "cell", "run", "name", role="text"
    )
    groups = (
        found.filter(pl.col("of") == "group")
        .join(roles, on=["cell", "run", "name"], maintain_order="left")
        .with_columns(pl.col("window").fill_null(""))
    )

    def of(figure: str, role: str) -> pl.DataFrame:
        return groups.filter(pl.col("figure") == figure, pl.col("role") == role).select(*_KEY, "value")

    goodput = _both(of("goodput_bps.sum", "normal"), halves)
    delivered = _both(of("whole_run.delivered_bytes", "normal"), halves)
    share = pl.when(pl.col("before") > 0).then(1 - pl.col("value") / pl.col("before"))
    lost = pl.col("before") - pl.col("value")
    sent = of("whole_run.sent_bytes", "attack").group_by(_KEY[:3], maintain_order=True).agg(pl.sum("value"))
    cost = _together(delivered).join(sent, on=_KEY[:3], suffix="_sent", maintain_order="left")
    potency = pl.when(pl.col("value_sent") > 0).then(lost / pl.col("value_sent"))
    rows = [
        *(
            _rows(table, of, figure, number)
            for table, figure, number in ((goodput, "damage", share), (delivered, "damage_bytes", lost))
            for of, table in (("group", table), (ATTACK, _together(table)))
        ),
        _rows(cost, ATTACK, "sent_bytes", pl.col("value_sent")),
        _rows(cost, ATTACK, "potency", potency),
    ]
    return pl.concat(rows).sort("cell", "run", maintain_order=True).cast(schema)


_READ = ("role", "goodput_bps.sum", "whole_run.delivered_bytes", "whole_run.sent_bytes")
_KEY = ("cell", "run", "window", "name")


def _both(values: pl.DataFrame, halves: pl.DataFrame) -> pl.DataFrame:
    """Each value beside that of the other half, `before`."""
    others = values.rename({"cell": "other", "value": "before"})
    return (
        values.join(halves, on="cell", maintain_order="left")
        .join(others, on=["other", *_KEY[1:]], maintain_order="left")
        .select(*_KEY, "value", "before")
    )


def _together(values: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    sums = values.group_by(_KEY[:3], maintain_order=True).agg(pl.sum("value"), pl.sum("before"))
    return sums.with_columns(name=pl.lit(ATTACK))


def _rows(table: pl.DataFrame, of: str, figure: str, value: pl.Expr) -> pl.DataFrame:
    import polars as pl

    window = pl.col("window").replace("", None)
    constant = {"of": pl.lit(of), "figure": pl.lit(figure), "text": pl.lit(None, pl.String)}
    return table.with_columns(window, value=value.cast(pl.Float64), **constant).select(_ROW)
