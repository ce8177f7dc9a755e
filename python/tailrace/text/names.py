"""Text that users chose, as names of folders and files, and as something a terminal may be shown."""

from __future__ import annotations

import hashlib
import re
import unicodedata

# File systems allow 255 bytes; what is written beside a folder adds to its name.
_LONGEST_BYTES = 120
_STRANGE = re.compile(r"[^\w.,=+-]+")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def of_folder(text: str, fallback: str = "result") -> str:
    """A name that every file system takes: letters of any script, digits and `._,=+-`; what is cut off leaves a mark.

    >>> of_folder("who wins?"), of_folder("網路"), of_folder("?!")
    ('who-wins', '網路', 'result-264f4c')
    """
    name = _STRANGE.sub("-", unicodedata.normalize("NFC", text)).strip("-.")
    if not name:
        return f"{fallback}-{mark(text)}" if text.strip() else fallback
    return shortened(name, text)


def shortened(name: str, text: str | None = None) -> str:
    """A name that fits; a mark of the whole (or of `text`) keeps long ones apart that begin alike."""
    if len(name.encode()) <= _LONGEST_BYTES:
        return name
    head = name.encode()[:_LONGEST_BYTES].decode(errors="ignore").rstrip("-.")
    return f"{head}-{mark(text or name)}"


def mark(text: str) -> str:
    """A few digits that differ where texts differ."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=3).hexdigest()


def visible(text: str) -> str:
    r"""Text that cannot steer a terminal: control characters, and those that turn the direction, are spelled out.

    >>> visible("red\x1b[31m")
    'red\\x1b[31m'
    """
    return _CONTROL.sub(lambda found: ascii(found.group())[1:-1], text)
