"""Build backend of `pip install .`: maturin's, in a folder of its own, with the profile `pip`.

A source folder is left as it was. CARGO_TARGET_DIR keeps what is compiled, for those who install again and again, and
`MATURIN_PEP517_ARGS='--profile release'` builds what wheels have: longer to compile, with faster runs.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any
from unittest import mock

import maturin
from maturin import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, Any] | None


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel, whose name is returned."""
    with _elsewhere():
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel that leads to the source folder."""
    with _elsewhere():
        return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="tailrace-build-") as folder:
        defaults = {"CARGO_TARGET_DIR": folder, "MATURIN_PEP517_ARGS": "--locked --profile pip"}
        with mock.patch.dict(os.environ, {**defaults, **os.environ}):
            yield
