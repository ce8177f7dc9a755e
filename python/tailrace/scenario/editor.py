"""Files for editors that complete and check scenarios: the schema, and which files it is for."""

from __future__ import annotations

from pathlib import Path

from tailrace.errors import UsageError

SCHEMA = "tailrace.schema.json"

# Taplo looks for it in the folder that is opened; a `#:schema` line would have to stand in every file.
_TAPLO = f"""\
# For editors that read TOML with Taplo, such as VS Code with "Even Better TOML": scenarios are completed and checked by
# the schema beside this file, which `tailrace schema --editor` writes anew.
[[rule]]
include = ["**/*.toml"]
exclude = ["**/.taplo.toml", "**/Cargo.toml", "**/claims.toml", "**/pyproject.toml"]

[rule.schema]
path = "./{SCHEMA}"
"""

_VS_CODE = """\
{
  "recommendations": ["tamasfe.even-better-toml"]
}
"""


def write(folder: Path, schema: str) -> tuple[list[Path], list[Path]]:
    """Writes them into a folder: what is written, and what was there and stays. The schema is always written anew."""
    wanted = {SCHEMA: schema, ".taplo.toml": _TAPLO, ".vscode/extensions.json": _VS_CODE}
    written, kept = [], []
    for name, text in wanted.items():
        file = folder / name
        if file.exists() and name != SCHEMA:
            kept.append(file)
            continue
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{file} cannot be written: {error.strerror or error}") from None
        written.append(file)
    return written, kept
