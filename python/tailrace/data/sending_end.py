"""Sending end of flows: the end from which the data comes, whoever opened the connection.

`client` opens it (`from` of the scenario), `server` answers (`to`). In a download the server sends, and the delay of
the data is the one that results call `reverse_one_way_delay`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

CLIENT, SERVER = "client", "server"
_FORWARD, _REVERSE = "one_way_delay_mean_s", "reverse_one_way_delay_mean_s"
_DELAYS = {CLIENT: _FORWARD, SERVER: _REVERSE}


class SendingEnds:
    """The sending end of each flow of a run, and of each group.

    Where data arrived from one end alone, it is that end. Where both ends sent, it is the end that sent more on the
    latest connection (`end` of `flow_series`); of a flow without a series, the end of most flows of its group that have
    one.
    """

    def __init__(
        self, rows: Iterable[Mapping[str, Any]], samples: Mapping[tuple[Any, ...], pl.DataFrame]
    ) -> None:
        flows = {(row["group"], row["flow"]): row for row in rows}
        sampled = {key: str(own["end"][-1]) for key, own in samples.items() if own.height}
        usual = _most((group, end) for (group, _), end in sampled.items())
        self._of_flow = {
            key: _only_end(row) or sampled.get(key) or usual.get(key[0], CLIENT) for key, row in flows.items()
        }
        self._of_group = _most((group, end) for (group, _), end in self._of_flow.items())

    def of_flow(self, row: Mapping[str, Any]) -> str:
        """`client` or `server`."""
        return self._of_flow[row["group"], row["flow"]]

    def of_group(self, group: str) -> str:
        """The end of most flows of a group: they all have the same application."""
        return self._of_group[group]

    def delay_mean_s(self, row: Mapping[str, Any]) -> float | None:
        """Mean one-way delay of a flow in the direction of its data; None where no packet of it arrived."""
        found = row[_DELAYS[self.of_flow(row)]]
        return None if found is None else float(found)


def _only_end(row: Mapping[str, Any]) -> str | None:
    """The end from which data arrived; None where it is both ends or none."""
    ends = [end for end, delay in _DELAYS.items() if row[delay] is not None]
    return ends[0] if len(ends) == 1 else None


def _most(ends: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By group, the end that most of its flows have; of as many the client."""
    counts: dict[str, Counter[str]] = {}
    for group, end in ends:
        counts.setdefault(group, Counter())[end] += 1
    return {group: SERVER if found[SERVER] > found[CLIENT] else CLIENT for group, found in counts.items()}
