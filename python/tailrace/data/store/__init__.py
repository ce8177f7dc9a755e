"""Runs that have landed: a folder that loses nothing, whatever ends the command that fills it.

Owns the form on disk: an index (SQLite), parts (Parquet), captures, and the lock of the one who writes. Knows no
scenario: a cell is a text that names it, a run what the simulator left behind.
"""

from tailrace.data.store.store import Landing, Reader, Writer, is_store

__all__ = ["Landing", "Reader", "Writer", "is_store"]
