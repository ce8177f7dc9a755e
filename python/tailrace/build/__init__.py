"""Scenarios built in code: a class for every table of a scenario file and every kind.

docs/guides/scenarios-in-code.md shows how. Written by `make classes`, from the schema.

>>> from tailrace.build import Host, Link, queue
>>> Link(["home", "server"], "10 Mbit/s", "5 ms", queue=queue.Codel(target="3 ms"))
Link(between=['home', 'server'], rate='10 Mbit/s', delay='5 ms', queue=Codel(target='3 ms'))
"""

from tailrace.build import (
    app,
    attack,
    cc,
    coupled,
    fault,
    loss,
    medium,
    path_manager,
    queue,
    rate,
    scheduler,
    transport,
)
from tailrace.build.tables import (
    Capture,
    Figure,
    Flow,
    Host,
    Link,
    MptcpBehaviour,
    Record,
    Reverse,
    Router,
    Routing,
    Scenario,
    Spoof,
    TcpBehaviour,
    Window,
)

__all__ = [
    "Capture",
    "Figure",
    "Flow",
    "Host",
    "Link",
    "MptcpBehaviour",
    "Record",
    "Reverse",
    "Router",
    "Routing",
    "Scenario",
    "Spoof",
    "TcpBehaviour",
    "Window",
    "app",
    "attack",
    "cc",
    "coupled",
    "fault",
    "loss",
    "medium",
    "path_manager",
    "queue",
    "rate",
    "scheduler",
    "transport",
]
