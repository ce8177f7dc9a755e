"""This project's TCP and Multipath TCP speak to those of Linux: conversations between simulated hosts and kernels.

A row of the table is a conversation on links of its own; each is held with the kernel as the server and as the client.
Those with the same settings of the kernel share one, and go on at the same time. Each has to end in good order, with
every byte delivered, and each byte the one that the other end wrote there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

import tailrace

UP = '{ kind = "transfer", size = "300 kB" }'
DOWN = '{ kind = "transfer", size = "300 kB", direction = "down" }'


@dataclass(frozen=True)
class Talk:
    """One conversation."""

    name: str
    transport: str
    """How the simulated end speaks."""
    app: str = UP
    link: str = ""
    """Keys of the link."""
    other: str = ""
    """Keys of a second link, if there is one."""
    more: str = ""
    """Further tables; LINK stands for the beginning of the links' names."""
    start: str = "1 s"
    delivered: int = 300_000
    """Bytes that applications get."""
    fallback: bool | None = None
    """Whether it ends as TCP, of Multipath TCP."""
    subflows: int = 1
    """How many are established, at least."""
    broken: int = 0
    """Connections that do not end in good order."""
    wrong: bool = False
    """Whether applications get bytes that were not written so."""
    kernels: tuple[str, ...] = ("server", "client")
    """What the kernel is in it."""


def tcp(profile: str = "rfc", more: str = "") -> str:
    return f'{{ kind = "tcp", profile = "{profile}"{more and ", " + more} }}'


def mptcp(profile: str = "rfc", more: str = "") -> str:
    # A kernel has no coupled control, and the flow has one for both ends.
    return f'{{ kind = "mptcp", profile = "{profile}", cc = "cubic"{more and ", " + more} }}'


def both(*talk: str, **keys: Any) -> list[Talk]:
    """Data goes from the client to the server, and from the server to the client."""
    up = Talk(*talk, **keys)
    return [replace(up, name=f"{up.name}, up"), replace(up, name=f"{up.name}, down", app=DOWN)]


ECN = 'queue = { kind = "codel", limit = "50 packets", ecn = true, target = "1 ms", interval = "20 ms" }'
LOSS = 'loss = "1 %"'
REORDER = 'jitter = "exponential(3 ms)"\nreorder = true'
SMALL = 'receive_buffer = "16 kB"'
SLOW = '{ kind = "slow_reader", rate = "1 Mbit/s", size = "300 kB"'
STRIPS = ("mptcp", "mptcp_syn", "mptcp_data")
SLOW_UP = SLOW + ', direction = "up" }'

PLAIN = [
    *both("rfc", tcp()),
    *both("ns2", tcp("ns2")),
    *both("ns3", tcp("ns3")),
    *both("linux", tcp("linux")),
    *both("ECN", tcp("linux", "ecn = true"), link=ECN),
    *both("accurate ECN", tcp("rfc", 'ecn = true, behaviour.ecn_echo = "accurate"'), link=ECN),
    *both("without SACK, loss", tcp("rfc", "sack = false"), link=LOSS),
    *both("without timestamps, loss", tcp("linux", "timestamps = false"), link=LOSS),
    *both("without window scaling", tcp("rfc", "window_scale = false")),
    *both("loss", tcp("linux"), link=LOSS),
    *both("reordering", tcp("linux"), link=REORDER),
    # TCP's checksum is right again: nothing but the bytes themselves tells.
    *both("a path that changes payload", tcp("linux"), link='rewrite = "5 %"', wrong=True),
    Talk("zero windows, down", tcp("linux", SMALL), SLOW + " }"),
    Talk("zero windows, up", tcp("linux", SMALL), SLOW_UP),
    Talk(
        "questions and answers",
        tcp(),
        '{ kind = "request_response", request = "20 kB", response = "40 kB", count = 5 }',
    ),
]

MULTIPATH = [
    *both("rfc", mptcp(), fallback=False),
    *both("mptcp_0_94", mptcp("mptcp_0_94"), fallback=False),
    *both("ns2", mptcp("ns2"), fallback=False),
    *both("ns3", mptcp("ns3"), fallback=False),
    *both("linux", mptcp("linux"), fallback=False),
    *both("checksums", mptcp("linux", "checksum = true"), fallback=False),
    *both(
        "wide numbers", mptcp("rfc", "behaviour = { wide_dsn = true, wide_data_ack = true }"), fallback=False
    ),
    *both("loss", mptcp("linux"), link=LOSS, fallback=False),
    *both("reordering", mptcp("rfc", "checksum = true"), link=REORDER, fallback=False),
    Talk("zero windows, down", mptcp("linux", SMALL), SLOW + " }", fallback=False, kernels=("server",)),
    Talk("zero windows, up", mptcp("linux", SMALL), SLOW_UP, fallback=False, kernels=("client",)),
    *both("no options", mptcp(), link='strip = "mptcp"', fallback=True),
    *both("no options on SYNs", mptcp("linux"), link='strip = "mptcp_syn"', fallback=True),
    *both("no options but on SYNs", mptcp("linux"), link='strip = "mptcp_data"', fallback=True),
]

BIG = {"app": '{ kind = "transfer", size = "3 MB" }', "delivered": 3_000_000, "other": 'mtu = "1500 B"'}
FULLMESH = (
    'path_manager = { kind = "linux", client = "2 fullmesh", server = "2 signal", '
    "subflows = 4, add_addr_accepted = 4 }"
)


def fault(kind: str, link: str) -> str:
    return f'[[fault]]\nat = "1500 ms"\nuntil = "3 s"\nlink = "LINK{link}"\nkind = "{kind}"\n'


def two(*talk: str, **keys: Any) -> Talk:
    """Over two links: the server announces its second address, the client joins from its own; the client sends."""
    return Talk(*talk, **{**BIG, "fallback": False, "subflows": 2, **keys})


# One after the other: a kernel tells every peer of all its addresses.
PATHS = [
    two("joins, rfc", mptcp()),
    two("joins, linux", mptcp("linux", FULLMESH)),
    two("joins with checksums", mptcp("mptcp_0_94", "checksum = true")),
    two("joins, loss", mptcp("linux", FULLMESH), link=LOSS),
    two("an address goes and comes", mptcp(), more=fault("down", "b")),
    two("the first address goes", mptcp("linux", FULLMESH), more=fault("down", "a")),
    two("a black hole", mptcp("linux", FULLMESH), more=fault("blackhole", "a")),
    two(
        "a path that changes payload",
        mptcp("linux", FULLMESH + ", checksum = true"),
        link='rewrite = "0.5 %"',
    ),
]


def scenario(
    kernel: str, talks: list[Talk], kernel_opens: bool = False, settings: str = "", keys: str = ""
) -> str:
    """All in one network: the kernel's host in the middle, and a host with links of its own for each."""
    tables = [
        f'name = "conversations"\nduration = "60 s"\n[[host]]\nname = "kernel"\nkernel = "{kernel}"\n'
        f"sysctl = {{ {settings} }}\n{keys}\n"
    ]
    for n, talk in enumerate(talks):
        tables.append(f'[[host]]\nname = "h{n}"\n')
        for letter, link in (("a", talk.link), ("b", talk.other)):
            if link or letter == "a":
                rate = "" if "rate =" in link else 'rate = "10 Mbit/s"\n'
                delay = {"a": "5 ms", "b": "10 ms"}[letter]
                tables.append(
                    f'[[link]]\nname = "l{n}{letter}"\nbetween = ["h{n}", "kernel"]\n{rate}delay = "{delay}"\n{link}\n'
                )
        ends = ("kernel", f"h{n}") if kernel_opens else (f"h{n}", "kernel")
        tables.append(
            f'[[flow]]\nname = "f{n}"\nfrom = "{ends[0]}"\nto = "{ends[1]}"\nserver_port = {5001 + n}\n'
            f'transport = {talk.transport}\napp = {talk.app}\nstart = "{talk.start}"\n'
        )
        tables.append(talk.more.replace("LINK", f"l{n}"))
    return "\n".join(tables)


def outcome(run: dict[str, Any], n: int, talk: Talk) -> dict[str, object]:
    """What became of a conversation, in the keys of the table."""
    group = run["groups"][f"f{n}"]
    said: dict[str, object] = {
        "delivered": group["whole_run"]["delivered_bytes"],
        "open": group["connections"]["open"],
        "broken": sum(group["connections"]["broken"].values()),
        "wrong": group["whole_run"]["wrong_bytes"] > 0,
    }
    if talk.fallback is not None:
        connection = run["connections"].get(f"f{n}[0]", {})
        established = max(
            connection.get("subflows_established", 0),
            connection.get("backward", {}).get("subflows_established", 0),
        )
        said |= {"fallback": connection.get("fallback"), "subflows": min(established, talk.subflows)}
    return said


def expected(talk: Talk) -> dict[str, object]:
    said: dict[str, object] = {
        "delivered": talk.delivered,
        "open": 0,
        "broken": talk.broken,
        "wrong": talk.wrong,
    }
    return said | ({} if talk.fallback is None else {"fallback": talk.fallback, "subflows": talk.subflows})


def hold(series: str, talks: list[Talk], role: str, settings: str = "", keys: str = "") -> dict[str, object]:
    """What is not as the table says, by name."""
    talks = [talk for talk in talks if role in talk.kernels]
    text = scenario(series, talks, role == "client", settings, keys)
    [run] = tailrace.run(tailrace.Scenario(text)).summary["runs"]
    found = {talk.name: (outcome(run, n, talk), expected(talk)) for n, talk in enumerate(talks)}
    return {name: both for name, both in found.items() if both[0] != both[1]}


@pytest.fixture(params=["server", "client"])
def role(request):
    return request.param


def test_there_are_fifty_conversations():
    held = [(talk.name, role) for talk in PLAIN + MULTIPATH + PATHS for role in talk.kernels]
    assert len(held) >= 50


def test_tcp(series, role):
    assert hold(series, PLAIN, role) == {}


def test_multipath_tcp(series, role):
    assert hold(series, MULTIPATH, role) == {}


def test_tcp_of_a_kernel_that_does_without(series, role):
    settings = ", ".join(f'"net.ipv4.tcp_{name}" = 0' for name in ("sack", "timestamps", "window_scaling"))
    assert hold(series, PLAIN, role, settings + ', "net.ipv4.tcp_ecn" = 1') == {}


def test_multipath_tcp_of_a_kernel_with_checksums(series, role):
    assert hold(series, MULTIPATH, role, '"net.mptcp.checksum_enabled" = 1') == {}


@pytest.mark.parametrize("talk", PATHS, ids=lambda talk: talk.name)
def test_several_paths(series, role, talk):
    endpoints = "2 signal" if role == "server" else "2 fullmesh"
    keys = f'limits = {{ subflows = 4, add_addr_accepted = 4 }}\nendpoints = "{endpoints}"'
    assert hold(series, [talk], role, keys=keys) == {}


@pytest.mark.parametrize("direction", ["up", "down"])
def test_windows_grow_to_what_a_long_path_holds(series, role, direction):
    """20 Mbit/s and 100 ms are 250 kB, of which 64 KiB are a quarter; buffers that nobody sets have to grow."""
    talks = [
        *(tcp(profile) for profile in ("linux", "rfc")),
        tcp("linux", "timestamps = false"),
        *(mptcp(profile) for profile in ("linux", "linux_6_1", "rfc")),
    ]
    plain = [Talk(transport, transport) for transport in talks]
    stripped = [
        Talk(f"{mptcp('linux')}, {kind}", mptcp("linux"), link=f'strip = "{kind}"') for kind in STRIPS
    ]
    long = 'rate = "20 Mbit/s"\nqueue = "droptail limit 300"\n'
    app = f'{{ kind = "bulk", direction = "{direction}" }}'
    all_talks = [replace(talk, app=app, link=long + talk.link, start="0 s") for talk in plain + stripped]
    text = scenario(series, all_talks, role == "client", "", "").replace('"5 ms"', '"50 ms"')
    text = text.replace('duration = "60 s"', 'duration = "10 s"\nwarmup = "5 s"')
    [run] = tailrace.run(tailrace.Scenario(text)).summary["runs"]
    goodput = {
        talk.name: run["groups"][f"f{n}"]["goodput_bps"]["sum"] / 1e6 for n, talk in enumerate(all_talks)
    }
    assert {name: rate for name, rate in goodput.items() if rate < 17} == {}
