"""Random changes of a text that people paste: deletions, insertions of hostile words, repetitions of its beginning."""

from __future__ import annotations

import random
from collections.abc import Sequence

# Words that break readers: control characters, characters beyond ASCII, a line separator, quotes, huge numbers.
HOSTILE = (
    *("\0", "\x1b[31m", "\u2028", "\n", "\\", "é", "'", '"', "#", "{", "[", "/", "%", "$X"),
    *("-", "-1", "0", ".", "..", "1e9", "9" * 40),
)


def mutated(rng: random.Random, text: str, most: int, words: Sequence[str] = HOSTILE) -> str:
    """The text after up to `most` changes; `words` are inserted, those of the text's own language among them."""
    letters = list(text)
    for _ in range(rng.randrange(1, most + 1)):
        at = rng.randrange(len(letters) + 1)
        match rng.randrange(3):
            case 0:
                del letters[at : at + rng.randrange(12)]
            case 1:
                letters[at:at] = rng.choice(words)
            case _:
                letters[at:at] = letters[: rng.randrange(80)]
    return "".join(letters)
