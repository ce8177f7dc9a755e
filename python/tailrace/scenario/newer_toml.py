"""Scenario files that readers of TOML 1.0, such as Python's `tomllib`, refuse: the engine reads TOML 1.1."""

from __future__ import annotations

import tomllib
from functools import lru_cache

CODE = "newer-toml"


@lru_cache(maxsize=8)
def objection(text: str) -> tuple[str, str, str | None] | None:
    """Where the text of a scenario that the engine has read is TOML 1.1: path, message and help; None for TOML 1.0."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = f"the file is TOML 1.1, which readers of TOML 1.0 refuse: {_lower(str(error))}"
        return "", message, "write each { ... } on one line, without a comma at its end"
    return None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
