"""A flow between two hosts, either of which may have a kernel."""

from __future__ import annotations

import tailrace

FLOW = """
name = "flow"
duration = "10 s"
[[host]]
name = "a"
KERNEL_A
[[host]]
name = "b"
KERNEL_B
[[link]]
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "50 packets" }
[[flow]]
name = "f"
from = "a"
to = "b"
transport = { kind = "tcp", profile = "linux", cc = "cubic" }
app = APP
"""
BULK = '{ kind = "bulk" }'


def at_ends(text, client="", server="", more=""):
    """The scenario with these kernels at its ends, and what else is said of them."""
    for host, name in (("A", client), ("B", server)):
        text = text.replace(f"KERNEL_{host}", f'kernel = "{name}"\n{more}' if name else "")
    return tailrace.Scenario(text)


def flow(app, client="", server=""):
    return tailrace.run(at_ends(FLOW.replace("APP", app), client, server))
