"""Ctrl-C in a run, with the results that had ended by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailrace.data.comparison import Comparison
    from tailrace.data.result import Result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `partial` holds what had ended by then, if anything."""

    def __init__(self, partial: Result | Comparison | None) -> None:
        super().__init__("interrupted")
        self.partial = partial
