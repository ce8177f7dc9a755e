"""Tables as pandas frames, for programs that take these; pandas and PyArrow come with the extra `pandas`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from tailrace.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

# A `pandas.DataFrame`, of a package that need not be there.
PandasFrame: TypeAlias = Any

_NEEDED = ("pandas", "pyarrow")


def of(frame: pl.DataFrame) -> PandasFrame:
    """The same rows and columns, converted by Polars over PyArrow."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"to_pandas() needs {' and '.join(missing)}, not installed here: pip install 'tailrace[pandas]'"
        )
    return frame.to_pandas()
