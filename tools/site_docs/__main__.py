"""`python -m site_docs stage SOURCE`, `check SITE` or `external SITE`."""

import sys
from pathlib import Path

from site_docs import check, external, stage

PARTS = {"stage": stage.main, "check": check.main, "external": external.main}


def main(words: list[str]) -> int:
    """Does the part that is named."""
    match words:
        case [part, folder] if part in PARTS:
            return PARTS[part](Path(folder))
    print(f"expected one of {', '.join(PARTS)}, and a folder", file=sys.stderr)
    return 2


sys.exit(main(sys.argv[1:]))
