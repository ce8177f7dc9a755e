"""The command line: `tailrace run | check | compare | plot | export | kernel | list | schema | doctor`.

Results go to the standard output, messages to the standard error output. Exit codes: docs/reference/command-line.md.
"""

import gc
import os

# Objects made while modules load stay: Python's own threshold of 700 would scan them a hundred times.
_GARBAGE_LOOKED_FOR_EVERY = 50_000
# As in `signals`, which is not loaded yet.
_INTERRUPTED = 130


def main() -> None:
    """The entry point. Nothing large is loaded before Ctrl-C ends the program without a traceback."""
    gc.set_threshold(_GARBAGE_LOOKED_FOR_EVERY)
    try:
        import atexit

        from tailrace.cli import signals

        # Registered first and so called last: after that the interpreter gives the handlers back to the system.
        atexit.register(signals.ignore)
        with signals.quitting():
            from tailrace.cli import app

            app.main()
    except KeyboardInterrupt:  # before `quitting` has begun
        os.write(2, b"\ninterrupted\n")
        os._exit(_INTERRUPTED)
    finally:
        # Nor need it be looked through once more at the end.
        gc.freeze()
