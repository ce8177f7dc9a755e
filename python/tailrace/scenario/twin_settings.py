"""Settings that both sides of a twin share, and settings that only one side obeys.

Simulated TCP is configured by `transport` of a flow, a kernel by `sysctl`, `limits` and `endpoints` of its host. What
means the same there is in the table `SETTINGS`, and for Multipath TCP in `PathManagers`: it is said to the other side,
too. Of all else that only one side obeys there is a warning. docs/guides/kernels.md has the rules for users.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from tailrace import _native

# Overrides of a variant by path: TOML as text, or values.
Sets: TypeAlias = dict[str, object]
# A value's path, what is said of it, and what to do about it.
Objection: TypeAlias = tuple[str, str, str | None]


class ScenarioFile(Protocol):
    """A file with what is set beside it, as a `Scenario` has it."""

    def written(self, path: str) -> str:
        """The value at a path, as TOML; `ValueError` where there is none."""


@dataclass(frozen=True)
class Host:
    """A `[[host]]`: what is said of it, and its settings by their names in sysctl(8)."""

    said: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Name in the file."""
        return str(self.said.get("name", ""))

    @property
    def kernel(self) -> str | None:
        """The kernel that the file names for it; "none" names none."""
        named = self.said.get("kernel", "none")
        return None if named == "none" else str(named)

    @property
    def sysctl(self) -> dict[str, str]:
        """Tables within the table are parts of a name, as the parser has it."""
        return dict(_flat("", self.said.get("sysctl", {})))


@functools.cache
def _data_sources() -> dict[str, str]:
    """For each application, the end from which most data comes by default: `client` or `server`."""
    return {app["name"]: app["data_from"] for app in json.loads(_native.catalog())["apps"]}


@dataclass(frozen=True)
class Flow:
    """A `[[flow]]` over TCP or Multipath TCP, with its hosts."""

    name: str
    transport: Mapping[str, Any]
    client: Host
    server: Host
    app: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sender(self) -> Host:
        """The end from which all of its data comes, or most."""
        usual = _data_sources().get(str(self.app.get("kind")), "client")
        source = {"up": "client", "down": "server"}.get(self.app.get("direction", ""), usual)
        return self.server if source == "server" else self.client

    @property
    def receiver(self) -> Host:
        """The other one."""
        return self.client if self.sender is self.server else self.server

    @property
    def is_multipath(self) -> bool:
        """Whether it is Multipath TCP."""
        return str(self.transport["kind"]) == "mptcp"

    @property
    def behaviour(self) -> Mapping[str, Any]:
        """The table `behaviour` of its transport, empty where there is none."""
        found = self.transport.get("behaviour", {})
        return found if isinstance(found, Mapping) else {}

    def behaviour_path(self, key: str) -> str:
        """Path of a key of `behaviour`."""
        return self.path(f"behaviour.{key}")

    def path(self, key: str) -> str:
        """Path of a key of its transport."""
        return f"flow.{self.name}.transport.{key}"


@dataclass(frozen=True)
class Setting:
    """A key of `transport`, and the setting of kernels that means the same."""

    key: str
    sysctl: str
    # Default of a kernel and of the profile of Linux.
    default: str
    # The key's value in the kernel's words; and those of client and server as a value. `None` where there is none.
    written: Callable[[Any], str | None]
    read: Callable[[str, str], Any]
    # Whether the server's word alone decides nothing, so that only the client's is written.
    client_asks: bool = False

    def is_as_asked(self, flow: Flow) -> bool:
        """Whether what the hosts of a flow say to their kernels, or do not say, is what its transport asks for."""
        word = self.written(flow.transport[self.key])
        ends = [_said(self, end) or self.default for end in (flow.client, flow.server)]
        return word is not None and self.read(word, word) == self.read(*ends)


def _switch(key: str, sysctl: str) -> Setting:
    """Something that connections have if both ends have it on."""

    def read(client: str, server: str) -> bool | None:
        return client == server == "1" if {client, server} <= {"0", "1"} else None

    return Setting(key, sysctl, "1", lambda on: str(int(bool(on))), read)


def _ecn(client: str, server: str) -> bool | None:
    """1 asks for ECN and grants it, 2 only grants it."""
    return client == "1" and server != "0" if {client, server} <= {"0", "1", "2"} else None


def _sizes(key: str, sysctl: str, default: str) -> Setting:
    """Three numbers of bytes, which a key has for both ends and a kernel for itself."""

    def read(client: str, server: str) -> str | None:
        return _three(client) if client == server else None

    return Setting(key, sysctl, default, _three, read)


def _three(sizes: object) -> str | None:
    """Least, initial and largest; a kernel takes fewer numbers, too, and a key the word "auto"."""
    words = str(sizes).split()
    numbers = [int(word) for word in words if word.isdecimal()]
    rising = len(numbers) == len(words) == _SIZES and numbers == sorted(numbers)
    return " ".join(words) if rising else None


def tables(scenario: ScenarioFile, key: str) -> list[dict[str, Any]]:
    """Tables of a key, with overrides."""
    try:
        written = scenario.written(key)
    except ValueError:
        return []
    return list(tomllib.loads(f"tables = {written}")["tables"])


def hosts_of(scenario: ScenarioFile) -> list[Host]:
    """Hosts of the file."""
    return [Host(said) for said in tables(scenario, "host")]


def flows_of(scenario: ScenarioFile, hosts: Sequence[Host]) -> list[Flow]:
    """Flows over TCP and Multipath TCP."""
    by_name = {host.name: host for host in hosts}
    flows = []
    for said in tables(scenario, "flow"):
        transport = {"kind": "tcp", **_kinded(said.get("transport", "tcp"))}
        client, server = (by_name[str(said[key]).partition("[")[0]] for key in ("from", "to"))
        if transport["kind"] != "udp":
            flows.append(Flow(str(said["name"]), transport, client, server, _kinded(said.get("app", {}))))
    return flows


def degrees(scenario: ScenarioFile, hosts: Sequence[Host]) -> dict[str, int]:
    """Number of links of each host, as far as names alone say it."""
    ends = [[str(end) for end in link.get("between", [])] for link in tables(scenario, "link")]
    several = {host.name for host in hosts if "count" in host.said}
    several |= {end.partition("[")[0] for pair in ends if any("[" in one for one in pair) for end in pair}
    names = [host.name for host in hosts if host.name not in several]
    return {name: sum(pair.count(name) for pair in ends) for name in names}


# Keys of `transport` and settings of kernels that mean the same.
SETTINGS = (
    _switch("sack", "net.ipv4.tcp_sack"),
    _switch("timestamps", "net.ipv4.tcp_timestamps"),
    _switch("window_scale", "net.ipv4.tcp_window_scaling"),
    Setting("ecn", "net.ipv4.tcp_ecn", "2", lambda on: "1" if on else "2", _ecn, client_asks=True),
    _sizes("tcp_rmem", "net.ipv4.tcp_rmem", "4096 131072 6291456"),
    _sizes("tcp_wmem", "net.ipv4.tcp_wmem", "4096 16384 4194304"),
)
# Keys for both sides alike, or those that a twin compares: the kernel's TCP is Linux's, and flows say their `cc`.
_FOR_BOTH = frozenset({"kind", "cc", "path_manager"})
_MODELS = ("linux", "linux_6_1", "linux_6_12")
# With these values a kernel is as the simulated side is anyhow; this setting is for programs: flows say their own `cc`.
_AS_SIMULATED = {"net.mptcp.enabled": "1", "net.mptcp.scheduler": "default"}
_OF_FLOWS = "net.ipv4.tcp_congestion_control"
# Defaults of Linux's path manager.
_SUBFLOWS, _ACCEPTED, _NO_ENDPOINTS = 2, 0, "none"
# Numbers of bytes in `tcp_rmem` and `tcp_wmem`.
_SIZES = 3
# Interfaces that the path manager considers by itself at most.
_MOST_ENDPOINTS = 8

_NOTHING_ALIKE = "no setting of a kernel means the same: without it, both sides are alike"
_OTHERS = (
    "a host has one value for all its flows, and they are not alike, or it says another by itself: give all "
    "the same, and both sides are alike"
)
_KERNELS_ALONE = "no key of `transport` means the same: without it, both sides are alike"
_ENDS_DIFFER = "a flow has one value for both its ends: give both hosts the same, and both sides are alike"


@dataclass
class Sides:
    """Settings of either side beside the file, and those that only one obeys."""

    simulated: Sets = field(default_factory=dict)
    kernels: Sets = field(default_factory=dict)
    one_sided: list[Objection] = field(default_factory=list)

    def simulated_alone(self, flow: Flow, key: str, why: str = _NOTHING_ALIKE) -> None:
        """Takes a key of a flow that kernels know nothing of."""
        self.one_sided.append(
            (flow.path(key), f"flow {flow.name}: the simulated side alone obeys `{key}`", why)
        )

    def kernels_alone(self, host: Host, key: str, why: str) -> None:
        """Takes a key of a host that simulated flows know nothing of."""
        shown = key.removeprefix("sysctl.")
        path = f"host.{host.name}.{key}"
        one = (path, f"host {host.name}: the kernels alone obey `{shown}`", why)
        if one not in self.one_sided:
            self.one_sided.append(one)


def of(hosts: Sequence[Host], flows: Sequence[Flow], degrees: Mapping[str, int]) -> Sides:
    """Settings for either side; `degrees` are the numbers of links of hosts, where they are known."""
    sides = Sides()
    sysctls: dict[str, dict[str, str]] = {}
    for setting in SETTINGS:
        for name, word in _settle(setting, flows, sides).items():
            sysctls.setdefault(name, {})[setting.sysctl] = word
    own = {host.name: host.sysctl for host in hosts}
    for name, told in sysctls.items():
        sides.kernels[f"host.{name}.sysctl"] = {**own[name], **told}
    PathManagers(flows, degrees).settle(sides)
    for flow in flows:
        _rest_of_flow(flow, sides)
    for host in hosts:
        if host.kernel is not None or any(host in (flow.client, flow.server) for flow in flows):
            _rest_of_host(host, sides)
    return sides


def _settle(setting: Setting, flows: Sequence[Flow], sides: Sides) -> dict[str, str]:
    """Transfers one setting of all flows: to simulated flows, and to hosts of kernels by name."""
    words = _words(setting, flows)
    for flow in flows:
        ends = [words.get(end.name, setting.default) for end in (flow.client, flow.server)]
        there = setting.read(*ends)
        if setting.key in flow.transport:
            word = setting.written(flow.transport[setting.key])
            if word is None or setting.read(word, word) != there:
                sides.simulated_alone(flow, setting.key, _OTHERS if word else _NOTHING_ALIKE)
                for host in _saying(setting, flow):
                    sides.kernels_alone(host, f"sysctl.{setting.sysctl}", _OTHERS)
        elif there is None:
            for host in _saying(setting, flow):
                why = _KERNELS_ALONE if ends[0] == ends[1] else _ENDS_DIFFER
                sides.kernels_alone(host, f"sysctl.{setting.sysctl}", why)
        elif there != setting.read(setting.default, setting.default):
            sides.simulated[flow.path(setting.key)] = there if isinstance(there, bool) else f"'{there}'"
    said = {host.name for flow in flows for host in _saying(setting, flow)}
    return {name: word for name, word in words.items() if name not in said and word != setting.default}


def _words(setting: Setting, flows: Sequence[Flow]) -> dict[str, str]:
    """Value for each host: its own, or the one that all of its flows ask for."""
    wanted: dict[str, set[str]] = {}
    said: dict[str, str] = {}
    for flow in flows:
        said.update({host.name: _said(setting, host) for host in _saying(setting, flow)})
    for flow in flows:
        ends = [flow.client] if setting.client_asks else [flow.client, flow.server]
        value = flow.transport.get(setting.key)
        word = None if value is None else setting.written(value)
        for end in ends:
            wanted.setdefault(end.name, set()).add(word or setting.default)
    agreed = {name: min(words) for name, words in wanted.items() if len(words) == 1}
    return {**agreed, **said}


def _saying(setting: Setting, flow: Flow) -> list[Host]:
    return [end for end in (flow.client, flow.server) if setting.sysctl in end.sysctl]


def _said(setting: Setting, host: Host) -> str:
    return " ".join(host.sysctl.get(setting.sysctl, "").split())


@dataclass(frozen=True)
class _Paths:
    """Configuration of a host's path manager."""

    endpoints: str = _NO_ENDPOINTS
    subflows: int = _SUBFLOWS
    accepted: int = _ACCEPTED

    @staticmethod
    def of(host: Host) -> _Paths | None:
        """Configuration in the file, if there is any."""
        if not {"limits", "endpoints"} & set(host.said):
            return None
        limits = host.said.get("limits", {})
        return _Paths(
            _endpoints(host.said.get("endpoints", _NO_ENDPOINTS)),
            int(limits.get("subflows", _SUBFLOWS)),
            int(limits.get("add_addr_accepted", _ACCEPTED)),
        )

    def at(self, host: str) -> Sets:
        """Overrides that configure a kernel so."""
        limits = {"subflows": self.subflows, "add_addr_accepted": self.accepted}
        sets: Sets = {f"host.{host}.limits": limits}
        if self.endpoints != _NO_ENDPOINTS:
            sets[f"host.{host}.endpoints"] = f"'{self.endpoints}'"
        return sets


class PathManagers:
    """`path_manager = "linux"` of a flow is `limits` and `endpoints` of its hosts, and `passive` is neither."""

    def __init__(self, flows: Sequence[Flow], degrees: Mapping[str, int]) -> None:
        self._flows = [flow for flow in flows if flow.is_multipath]
        self._degrees = degrees

    def settle(self, sides: Sides) -> None:
        """Tells hosts what their flows say, and flows what their hosts do."""
        paths = self._paths()
        for name, of_host in paths.items():
            if of_host != _Paths() and not self._says(name):
                sides.kernels.update(of_host.at(name))
        for flow in self._flows:
            client, server = (paths.get(end.name, _Paths()) for end in (flow.client, flow.server))
            if "path_manager" not in flow.transport:
                sides.simulated[flow.path("path_manager")] = _manager(client, server)
                # Kernels take no notice; but warnings about paths are to be of what they have.
                sides.kernels[flow.path("path_manager")] = _manager(client, server)
                if (client.subflows, client.accepted) != (server.subflows, server.accepted):
                    saying = flow.server if "limits" in flow.server.said else flow.client
                    sides.kernels_alone(saying, "limits", _ENDS_DIFFER)
            elif self._of(flow) != (client, server):
                sides.simulated_alone(flow, "path_manager", _why_not(flow))
            else:
                for key in ("event_delay", "client_listens"):
                    if key in _kinded(flow.transport["path_manager"]):
                        sides.simulated_alone(flow, f"path_manager.{key}")

    def are_as_asked(self, flow: Flow) -> bool:
        """Whether what the hosts of a flow say of paths, or do not say, is what its path manager does."""
        return self._of(flow) == tuple(_Paths.of(end) or _Paths() for end in (flow.client, flow.server))

    def _paths(self) -> dict[str, _Paths]:
        """Configuration of each host: its own, or the one that all of its flows ask for."""
        wanted: dict[str, set[_Paths]] = {}
        for flow in self._flows:
            both = self._of(flow) or (_Paths(), _Paths())
            for end, paths in zip((flow.client, flow.server), both, strict=True):
                wanted.setdefault(end.name, set()).add(_Paths.of(end) or paths)
        return {name: next(iter(paths)) for name, paths in wanted.items() if len(paths) == 1}

    def _says(self, name: str) -> bool:
        ends = (end for flow in self._flows for end in (flow.client, flow.server))
        return any(end.name == name and _Paths.of(end) for end in ends)

    def _of(self, flow: Flow) -> tuple[_Paths, _Paths] | None:
        """Path managers at both ends of a flow, where kernels can have them."""
        manager = _kinded(flow.transport.get("path_manager", "passive"))
        if manager.get("kind") == "passive":
            return _Paths(), _Paths()
        if manager.get("kind") != "linux":
            return None
        numbers = (
            int(manager.get("subflows", _SUBFLOWS)),
            int(manager.get("add_addr_accepted", _ACCEPTED)),
        )
        client = str(manager.get("client", "auto"))
        if client == "auto":
            links = self._degrees.get(flow.client.name)
            if links is None:
                return None
            client = ", ".join(f"{i} subflow" for i in range(1, min(links, _MOST_ENDPOINTS) + 1))
        server = str(manager.get("server", _NO_ENDPOINTS))
        return _Paths(_endpoints(client), *numbers), _Paths(_endpoints(server), *numbers)


def _manager(client: _Paths, server: _Paths) -> dict[str, object]:
    return {
        "kind": "linux",
        "subflows": client.subflows,
        "add_addr_accepted": client.accepted,
        "client": client.endpoints,
        "server": server.endpoints,
    }


def _why_not(flow: Flow) -> str:
    kind = _kinded(flow.transport["path_manager"]).get("kind")
    if kind in {"linux", "passive"}:
        return _OTHERS
    return (
        f"kernels have Linux's path manager, which is no {kind}: leave it out and write `limits` and `endpoints` "
        'of the hosts, such as endpoints = "2 fullmesh", and both sides are alike'
    )


def _rest_of_flow(flow: Flow, sides: Sides) -> None:
    for key in unknown_to_kernels(flow):
        sides.simulated_alone(flow, key)


def unknown_to_kernels(flow: Flow) -> list[str]:
    """Keys of a flow's transport that kernels do not have."""
    known = {setting.key for setting in SETTINGS} | _FOR_BOTH | {"behaviour"}
    as_kernels = {
        *(["profile"] if flow.transport.get("profile") in _MODELS else []),
        *(["scheduler"] if flow.transport.get("scheduler") == "linux" else []),
    }
    keys = [key for key in flow.transport if key not in known | as_kernels]
    keys += [f"behaviour.{key}" for key in flow.behaviour]
    return [*keys, *(f"cc.{key}" for key in _kinded(flow.transport.get("cc")) if key != "kind")]


def _rest_of_host(host: Host, sides: Sides) -> None:
    """Settings of a host's kernel that simulated TCP does not have."""
    known = {setting.sysctl for setting in SETTINGS} | {_OF_FLOWS}
    for name, value in host.sysctl.items():
        if name not in known and _AS_SIMULATED.get(name) != value:
            sides.kernels_alone(host, f"sysctl.{name}", _KERNELS_ALONE)
    if host.said.get("run"):
        sides.kernels_alone(host, "run", "its programs send only there: write flows, which both sides have")
    if host.said.get("backpressure"):
        sides.kernels_alone(
            host, "backpressure", "simulated hosts have none: without it, both sides are alike"
        )


def _kinded(value: object) -> Mapping[str, Any]:
    """A table with its kind, which may be a word alone."""
    return value if isinstance(value, Mapping) else {"kind": value}


def _endpoints(words: object) -> str:
    """In one form. Where a kernel is told nothing, "auto" included, it has none."""
    text = str(words)
    return _NO_ENDPOINTS if text == "auto" else ", ".join(" ".join(one.split()) for one in text.split(","))


def _flat(prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", str(int(value)) if isinstance(value, bool) else str(value)
