"""Networks that files do not say: a home behind a modem, with its traffic, as the ground for what they do say."""

from __future__ import annotations

from collections.abc import Mapping

from tailrace.imports.draft import ScenarioDraft, Value, assumed

LINUX_TCP = {"kind": "tcp", "profile": "linux"}
UNKNOWN_TRAFFIC = "the file does not say what is sent"


def home_network(
    draft: ScenarioDraft,
    *,
    before_modem: Mapping[str, object],
    up: Value,
    down: Value,
    overhead: Value | None = None,
) -> None:
    """Four computers and a phone behind a router, a modem and a line; uploads, a download and a call.

    `before_modem` are keys of the link from the router to the modem, where shapers stand.
    """
    draft.set(
        "duration", assumed("30 s", "long enough for queues to fill; longer runs have narrower intervals")
    )
    draft.set("warmup", "5 s")
    draft.set("runs", 3)
    draft.host("pc", count=assumed(4, "computers that upload; --set host.pc.count=20 for 20 uploads"))
    draft.host("phone")
    draft.host("server")
    for router in ("home", "modem", "isp"):
        draft.router(router)
    draft.link("lan", ("pc[*]", "home"), rate="1 Gbit/s", delay="100 us")
    draft.link("wifi", ("phone", "home"), rate="1 Gbit/s", delay="1 ms")
    given = {key: value for key, value in before_modem.items() if value is not None}
    reverse = {key: value for key, value in dict(given.pop("reverse", {})).items() if value is not None}  # type: ignore[call-overload]
    draft.link("sqm", ("home", "modem"), rate="1 Gbit/s", delay="100 us", **given, reverse=reverse or None)
    draft.link(
        "line",
        ("modem", "isp"),
        rate=up,
        delay=assumed("8 ms", "half of what a ping to the first hop of the provider takes"),
        overhead=overhead,
        queue=assumed("droptail limit 250", "the modem's buffer"),
        reverse={"rate": down, "queue": assumed("droptail limit 1000", "the provider's buffer")},
    )
    draft.link(
        "internet",
        ("isp", "server"),
        rate="10 Gbit/s",
        delay=assumed("10 ms", "from the provider to servers"),
    )
    tcp = assumed(LINUX_TCP, UNKNOWN_TRAFFIC)
    draft.flow("upload", "pc[*]", "server", tcp, "bulk", start="uniform(0 s, 1 s)")
    draft.flow("download", "server", "pc[0]", tcp, "bulk", start="uniform(0 s, 1 s)")
    draft.flow("ping", "phone", "server", "udp", {"kind": "ping", "interval": "50 ms"})
