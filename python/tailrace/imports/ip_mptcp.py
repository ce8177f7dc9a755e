"""What `ip mptcp endpoint show` and `ip mptcp limits show` print (ip-mptcp(8)), or the commands that set the same.

A client with a link for each of its interfaces, a server, and the in-kernel path manager with these endpoints.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tailrace.imports.draft import ScenarioDraft, assumed, taken
from tailrace.imports.input_file import InputFile, Line

_COMMAND = re.compile(r"\A.*?\bip\s+(?:-\S+\s+)*mptcp\s+")
_FLAGS = ("subflow", "signal", "backup", "fullmesh", "implicit", "laminar")
_LIMITS = re.compile(r"\b(add_addr_accepted|subflows?)\s+(\d+)\b")
# Limits of a kernel that nobody has set (net/mptcp/pm_netlink.c): two more subflows, no announced address.
_SUBFLOWS, _ACCEPTED = 2, 0
_MOST = 8
# Rate and delay that an interface is assumed to have, by how its name begins.
_ASSUMED = (
    (("wl", "wifi", "ath", "phy"), "40 Mbit/s", "5 ms", "Wi-Fi"),
    (("wwan", "rmnet", "usb", "ppp", "lte", "mob"), "20 Mbit/s", "25 ms", "a mobile network"),
    (("",), "50 Mbit/s", "10 ms", "a wire"),
)


@dataclass(frozen=True)
class Endpoint:
    """An endpoint of a host."""

    address: str
    dev: str
    flags: tuple[str, ...]
    line: Line


@dataclass
class Settings:
    """Endpoints and limits of a host."""

    endpoints: list[Endpoint] = field(default_factory=list)
    subflows: int = _SUBFLOWS
    accepted: int = _ACCEPTED
    limits_line: Line | None = None

    @property
    def only_signals(self) -> bool:
        """Whether all endpoints are announced only, as a server does."""
        return bool(self.endpoints) and all(e.flags == ("signal",) for e in self.endpoints)


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """A connection between hosts with these settings: of the client, and of the server if there are two files."""
    found = []
    for file in files:
        settings = Settings()
        for line in file.lines:
            if line.text.strip() and not take(settings, line) and not _is_known(line.text):
                file.fail(
                    f"{line.text.strip()[:60]!r} is no line of `ip mptcp endpoint show` or `ip mptcp limits show`, "
                    "such as `10.0.1.2 id 1 subflow dev eth0`",
                    line,
                )
        if not settings.endpoints and settings.limits_line is None:
            file.fail("there is no endpoint and no limit in it: give what `ip mptcp endpoint show` prints")
        found.append(settings)
    client, server = found[0], found[1] if len(found) > 1 else Settings()
    if len(found) == 1 and client.only_signals:
        client, server = Settings(), client
    draft = ScenarioDraft("mptcp-endpoints", "How much does the connection carry over each of its paths?")
    draft.remark(
        f"Read from {' and '.join(file.name for file in files)}: Multipath TCP's endpoints and limits."
    )
    build(draft, client, server)
    return draft


def take(settings: Settings, line: Line) -> bool:
    """Takes an endpoint or limits from a line; whether it has any."""
    text = line.text.strip()
    command = bool(_COMMAND.match(text))
    words = _COMMAND.sub("", text).split()
    if command and not words[1:]:
        return False
    if command:
        # People also write `endpoint ADDRESS` without `add`.
        words = words[2:] if words[1] in {"add", "set"} else words[1:]
    if words and _is_address(words[0]) and (command or {"id", *_FLAGS} & set(words)):
        after = dict(zip(words, words[1:], strict=False))  # noqa: RUF007 - pairs as a dictionary
        flags = tuple(word for word in words[1:] if word in _FLAGS)
        settings.endpoints.append(Endpoint(words[0], after.get("dev", ""), flags, line))
        return True
    limits = dict(_LIMITS.findall(" ".join(words)))
    if limits and words[0] in {"add_addr_accepted", "subflows", "subflow"}:
        settings.subflows = min(
            int(limits.get("subflows") or limits.get("subflow") or settings.subflows), _MOST
        )
        settings.accepted = min(int(limits.get("add_addr_accepted", settings.accepted)), _MOST)
        settings.limits_line = line
        return True
    return False


def _is_known(text: str) -> bool:
    """Whether a line is a comment, a prompt or a command that only shows."""
    return text.lstrip().startswith("#") or bool(_COMMAND.match(text))


def _is_address(word: str) -> bool:
    try:
        ipaddress.ip_address(word)
    except ValueError:
        return False
    return True


def build(draft: ScenarioDraft, client: Settings, server: Settings) -> None:
    """Adds the hosts with a link for each interface, and a connection from the client to the server."""
    draft.set("duration", assumed("30 s", "long enough for all paths to be used"))
    draft.set("warmup", "2 s")
    draft.set("runs", 3)
    draft.host("client")
    draft.router("network")
    draft.host("server")
    ours = _interfaces(draft, client, "client")
    theirs = _interfaces(draft, server, "server")
    for name, endpoint, number in ours:
        _link(draft, name, "client", endpoint, number)
    for name, endpoint, number in theirs:
        _link(draft, name, "server", endpoint, number)
    draft.flow(
        "download",
        "client",
        "server",
        {
            "kind": "mptcp",
            "profile": "linux",
            "path_manager": {
                "kind": "linux",
                "subflows": _limit(client, client.subflows),
                "add_addr_accepted": _limit(client, client.accepted),
                **_endpoints("client", ours),
                **_endpoints("server", theirs),
            },
        },
        {"kind": "bulk", "direction": "down"},
        start="uniform(0 s, 1 s)",
    )
    if server.limits_line:
        draft.omit(
            server.limits_line,
            "limits of the server: one pair of limits holds for the connection, the client's",
        )


def _limit(settings: Settings, value: int) -> object:
    return (
        taken(value, settings.limits_line) if settings.limits_line else assumed(value, "a kernel's own limit")
    )


def _interfaces(
    draft: ScenarioDraft, settings: Settings, host: str
) -> list[tuple[str, Endpoint | None, int]]:
    """Interfaces of a host: link's name, its endpoint and number. The connection begins at the first one."""
    endpoints = []
    for each in settings.endpoints:
        if ":" in each.address:
            draft.omit(
                each.line, "addresses are IPv4 here; an IPv6 endpoint is a path as any other, add it by hand"
            )
        elif "implicit" in each.flags:
            draft.omit(each.line, "implicit: the kernel made it for a subflow; it makes none itself")
        else:
            endpoints.append(each)
    regular = [each for each in endpoints if "backup" not in each.flags]
    first = regular[0] if len(endpoints) > 1 and regular else None
    if first is None and (endpoints or host == "client"):
        names: list[tuple[str, Endpoint | None]] = [("first", None)]
        if host == "client" and endpoints:
            draft.remark("assumed: the connection begins at an interface without an endpoint (link `first`).")
    else:
        names = [(first.dev or "first", first)] if first else [(f"{host}-first", None)]
        if host == "client" and first:
            draft.remark(
                f"assumed: the connection begins at {first.address}, the first endpoint that is no backup."
            )
    names += [(each.dev or f"{host}-{each.address}", each) for each in endpoints if each is not first]
    return [(name, endpoint, number) for number, (name, endpoint) in enumerate(names, 1)]


def _link(draft: ScenarioDraft, name: str, host: str, endpoint: Endpoint | None, number: int) -> None:
    """Adds the link of an interface."""
    if host == "server":
        rate, delay, what = "1 Gbit/s", "1 ms", "a server's"
    else:
        rate, delay, what = next(row[1:] for row in _ASSUMED if name.startswith(row[0]))
    draft.link(
        f"{host}-first" if name == "first" else name,
        (host, "network"),
        rate=assumed(rate, f"{what}; put yours in"),
        delay=assumed(delay, f"{what}; half of what a ping over it takes"),
    )
    if endpoint:
        draft.remark(
            f"{host}'s interface {number}, link {name}: {endpoint.line.place}: {endpoint.line.text.strip()}"
        )


def _endpoints(host: str, interfaces: list[tuple[str, Endpoint | None, int]]) -> dict[str, object]:
    """Endpoints as the path manager takes them: `2 subflow, 3 subflow backup`."""
    found = [(number, endpoint) for _, endpoint, number in interfaces if endpoint]
    if not found:
        return {}
    words = []
    for number, endpoint in found:
        flags = [flag for flag in endpoint.flags if flag in {"subflow", "signal", "backup", "fullmesh"}]
        words.append(" ".join([str(number), *flags]) if flags else "")
    text = ", ".join(word for word in words if word)
    more = "".join(f"; {endpoint.line.place}: {endpoint.line.text.strip()}" for _, endpoint in found[1:])
    first = found[0][1].line
    return {host: taken(text, first, first.text.strip() + more)} if text else {}
