"""Numbers of foreign texts, in which `nan` and `inf` are no numbers."""

import math


def number(text: str) -> float | None:
    """A finite number; None for everything else.

    >>> number("1e3"), number("nan"), number("ten")
    (1000.0, None, None)
    """
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
