"""Whether links to other hosts answer. It needs the network, so it is no part of what must hold before a change."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from site_docs import check

_TIMEOUT_S = 20
# There, but not for programs.
_REFUSALS = {401, 403, 405, 429}


def main(site: Path) -> int:
    """Asks for each once, and fails if one is not there."""
    pages = check.read(site)
    wanted: dict[str, Path] = {}
    for path, page in pages.items():
        for _, href in page.links:
            parts = urlsplit(href)
            if parts.scheme in {"http", "https"} and not (parts.hostname or "").endswith(".invalid"):
                wanted.setdefault(parts._replace(fragment="").geturl(), path)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(_answer, wanted))
    wrong = [(url, why) for url, why in zip(wanted, answers, strict=True) if why]
    for url, why in wrong:
        print(f"{wanted[url].relative_to(site)}: {url}: {why}", file=sys.stderr)
    print(f"{len(wanted)} links to other hosts: {len(wrong)} do not answer")
    return bool(wrong)


def _answer(url: str) -> str:
    """Reason for which an address cannot be loaded; empty where it can."""
    request = Request(url, headers={"User-Agent": "tailrace-link-check"})
    try:
        with urlopen(request, timeout=_TIMEOUT_S):
            return ""
    except HTTPError as error:
        return "" if error.code in _REFUSALS else str(error)
    except (URLError, TimeoutError, OSError) as error:
        return str(error)
