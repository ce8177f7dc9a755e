"""The command line: `tailrace run | check | compare | plot | export | kernel | list | schema | doctor`.

Results go to the standard output, messages to the standard error output. The exit codes are in docs/cli.md.
"""

from tailrace.cli import signals


def main() -> None:
    """The entry point. Nothing large is loaded before Ctrl-C ends the program without a traceback."""
    with signals.quitting():
        from tailrace.cli import app

        app.main()
