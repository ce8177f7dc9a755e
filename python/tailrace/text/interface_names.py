"""Names of network interfaces, and what they tell."""

from __future__ import annotations

import re

ETHERNET_HEADER = 14


def fits(name: str) -> bool:
    """Whether a name can be that of an interface: Linux allows 15 characters, no space, quotation mark or `/`."""
    return re.fullmatch(r"[^\s/'\"]{1,15}", name) is not None


def counted_header(name: str) -> int:
    """Bytes that tc counts besides the IP packet: an Ethernet header, but for PPP and tunnels.

    >>> counted_header("eth1"), counted_header("pppoe-wan")
    (14, 0)
    """
    return 0 if name.startswith(("ppp", "tun", "wg", "wwan", "rmnet")) else ETHERNET_HEADER


def is_for_arrivals(name: str) -> bool:
    """Whether an interface shapes what arrives at another one: `ifb0`, `ifb4eth1`."""
    return name.startswith("ifb") or name.endswith("-ifb")
