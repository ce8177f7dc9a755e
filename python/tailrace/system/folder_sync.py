"""Durable folders: names of new files survive a power failure."""

import os
from pathlib import Path


def sync(folder: Path) -> None:
    """Returns when the names in a folder are on the disk (fsync)."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
