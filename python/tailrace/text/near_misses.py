"""Names that must be among some; an error suggests the nearest."""

from __future__ import annotations

from collections.abc import Sequence

from tailrace.errors import UsageError

# Names that an error lists.
_MOST_NAMED = 20


def known(name: str, names: Sequence[str], kind: str) -> str:
    """The name, if it is one of these; else an error with the nearest."""
    if name in names:
        return name
    import difflib  # only when something is wrong

    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"there is no {kind} {name!r}{hint} (there {_listed(names)})")


def _listed(names: Sequence[str]) -> str:
    few = ", ".join(names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"are {few}{more}" if len(names) > 1 else f"is {few}" if names else "is none"
