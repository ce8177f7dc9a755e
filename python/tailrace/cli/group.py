"""A group of commands whose list says of each what it does, however long that is."""

from typing import Any

import typer.core

# Longer than any sentence: what does not fit in a line goes on in the next.
_WHOLE = 1000


class Group(typer.core.TyperGroup):
    """Typer's own ends a sentence with three dots where the line is full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - types of a part that Typer hides
        """Writes the list."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command and not command.hidden:
                rows.append((name, command.get_short_help_str(_WHOLE)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
