"""A scenario twice: once simulated, and once with Linux kernels as hosts, whose differences are TCP's alone."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tailrace import twin_settings
from tailrace.errors import ScenarioError, UsageError
from tailrace.scenario import Scenario
from tailrace.twin_settings import Flow, Host

SIMULATED = "simulated"
KERNELS = "kernels"

# What is looked at, as far as a scenario has it: claims of a paper would be of these.
_LOOKED_AT = (
    "goodput",
    "jain",
    "loss",
    "retransmissions",
    "silence",
    "completed",
    "completion",
    "backlog",
    "sojourn",
    "utilization",
    "dropped",
)


@dataclass(frozen=True)
class Alike:
    """How much of a metric is still alike."""

    share: float
    # With less than this on both sides, chance decides how much it differs.
    least: float = 0.0


# Unless somebody says otherwise.
ALIKE: Mapping[str, Alike] = {
    "goodput": Alike(0.05),
    "backlog": Alike(0.10, least=2.0),
    "dropped": Alike(0.10, least=10.0),
}
_ONE_SIDED = "one-sided-key"
_IGNORED = "ignored-key"


@dataclass(frozen=True)
class Twins(Mapping[str, Scenario]):
    """Both sides, by their labels."""

    cells: Mapping[str, Scenario]
    warnings: Sequence[str]
    """Of keys that only one side obeys."""

    def __getitem__(self, label: str) -> Scenario:
        return self.cells[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


def of(scenario: Scenario, kernel: str | None = None) -> Twins:
    """Simulated, without any kernel, and with one at each end of a flow over TCP: the one that the file names, or else
    `kernel`, or the newest."""
    hosts = [Host(said) for said in _tables(scenario, "host")]
    flows = _flows(scenario, {host.name: host for host in hosts})
    if not flows:
        raise UsageError(
            f"{scenario.file_name} has no [[flow]] over TCP or Multipath TCP that could be twice"
        )
    kernels = _kernels(scenario, hosts, flows, kernel)
    named = {host.name: kernels.get(host.name) or str(host.kernel) for host in hosts}
    profiles: twin_settings.Sets = {}
    for flow in flows:
        profiles.update(_as_linux(scenario, flow, named[flow.client.name], named[flow.server.name]))
    sides = twin_settings.of(hosts, flows, _degrees(scenario, hosts))
    without = {f"host.{host.name}.kernel": "'none'" for host in hosts if host.kernel is not None}
    told = {f"host.{name}.kernel": f"'{kernel}'" for name, kernel in kernels.items()}
    cells = {SIMULATED: scenario.variant(SIMULATED, {**without, **profiles, **sides.simulated})}
    try:
        cells[KERNELS] = scenario.variant(KERNELS, {**told, **profiles, **sides.kernels})
    except ScenarioError as error:
        raise _of_given(error, scenario, kernels) from None
    return Twins(cells, [text for text, _ in scenario.warned(_ONE_SIDED, sides.one_sided)])


def ignored(scenario: Scenario) -> list[tuple[str, dict[str, Any]]]:
    """Warnings of keys of flows that the kernels at both their ends do not obey, as text for people and as data."""
    hosts = {host.name: host for host in map(Host, _tables(scenario, "host"))}
    return scenario.warned(_IGNORED, twin_settings.ignored(_flows(scenario, hosts)))


def _of_given(error: ScenarioError, scenario: Scenario, kernels: Mapping[str, str]) -> ScenarioError:
    """The error, with what to do where a host cannot have the kernel that it was given here."""
    if not kernels:
        return error
    hosts = ", ".join(sorted(kernels))
    kernel = next(iter(kernels.values()))
    note = (
        f"   = note: the file names no kernel for {hosts}: twin gives one to each host that a [[flow]] over TCP "
        "begins or ends at. What only a simulated host does can come from a host of its own, as an [[attack]], "
        "which stays simulated on both sides; and with `compare` you choose the hosts that have a kernel: "
        f"tailrace compare {scenario.file_name} --set-each host.NAME.kernel=none,{kernel}"
    )
    return ScenarioError(f"{error.shown}\n{note}", error.diagnostics)


def looked_at(cells: Mapping[str, Scenario]) -> list[str]:
    """Of what is looked at, that which the scenario has."""
    from tailrace.study import probing

    found = []
    for name in _LOOKED_AT:
        try:
            probing.check([name], [cells[SIMULATED]])
        except UsageError:
            continue
        found.append(name)
    return found


def alike(columns: Sequence[str], tolerances: Sequence[str]) -> list[str]:
    """How much of what is shown may differ: what was said, and the usual of what was not."""
    said = {text.partition("=")[0] for text in tolerances}
    usual = {name: limit for name, limit in ALIKE.items() if name in columns and name not in said}
    return [*tolerances, *(f"{name}={_in_words(limit)}" for name, limit in usual.items())]


def _in_words(limit: Alike) -> str:
    share = f"{limit.share:.0%}"
    return f"{share} from {limit.least:g}" if limit.least else share


def _tables(scenario: Scenario, key: str) -> list[dict[str, Any]]:
    """What the file says, with what is set beside it."""
    try:
        written = scenario.written(key)
    except ValueError:
        return []
    return list(tomllib.loads(f"tables = {written}")["tables"])


def _flows(scenario: Scenario, hosts: Mapping[str, Host]) -> list[Flow]:
    """Those over TCP and Multipath TCP."""
    flows = []
    for said in _tables(scenario, "flow"):
        transport = said.get("transport", "tcp")
        table = transport if isinstance(transport, Mapping) else {"kind": transport}
        ends = [hosts[str(said[key]).partition("[")[0]] for key in ("from", "to")]
        flows.append(
            Flow(str(said["name"]), {"kind": "tcp", **table}, ends[0], ends[1], said.get("app", "bulk"))
        )
    return [flow for flow in flows if flow.transport["kind"] != "udp"]


def _kernels(
    scenario: Scenario, hosts: Sequence[Host], flows: Sequence[Flow], kernel: str | None
) -> dict[str, str]:
    """The kernel of each end of a flow for which the file names none."""
    if kernel == "none":
        raise UsageError("--kernel none: a twin needs a kernel, as `tailrace kernel list` shows them")
    ends = {end.name for flow in flows for end in (flow.client, flow.server)}
    without = [host.name for host in hosts if host.name in ends and host.kernel is None]
    if kernel and not without:
        raise UsageError(
            f"{scenario.file_name} names kernels of its own for all hosts of its flows: leave out --kernel, or "
            f"set one, as in --set host.{min(ends)}.kernel={kernel}"
        )
    if without and kernel is None:
        kernel = _newest()
    return dict.fromkeys(without, str(kernel))


def _newest() -> str:
    from tailrace.kernels import shelf

    kernels = shelf.kernels()
    if not kernels:
        raise UsageError("there is no Linux kernel on this machine: `tailrace kernel build 6.12` builds one")
    return str(kernels[0].name)


def _as_linux(scenario: Scenario, flow: Flow, client: str, server: str) -> twin_settings.Sets:
    """Simulated TCP is to be that of the kernels' Linux, where the file does not say which. A word becomes a table.

    A flow has one profile: that of the end that sends most of the data. The receiver's own matters are as the other's.
    """
    sender, receiver = (server, client) if flow.client_receives else (client, server)
    sets: twin_settings.Sets = {}
    if len(flow.transport) == 1:
        sets[flow.path("")[:-1]] = dict(flow.transport)
    if "profile" not in flow.transport:
        sets[flow.path("profile")] = f"'{_profile(flow, sender)}'"
        if flow.is_multipath and _profile(flow, sender) != _profile(flow, receiver):
            sets |= _of_receiver(
                scenario, flow, {**sets, flow.path("profile"): f"'{_profile(flow, receiver)}'"}
            )
    # There is one profile of TCP, of the newest; what an older receiver advertises has a key of its own.
    of_tcp = not flow.is_multipath and flow.transport.get("profile", "linux") == "linux"
    if of_tcp and _is_6_1(receiver) and "tcp_window_share" not in flow.transport:
        sets[flow.path("tcp_window_share")] = "'auto'"
    return sets


def _profile(flow: Flow, kernel: str) -> str:
    """The one of a kernel."""
    return "linux_6_1" if flow.is_multipath and _is_6_1(kernel) else "linux"


# Keys of `transport` in which the profiles of kernels differ, and which are of the end that receives.
_RECEIVING = (
    "first_window",
    "window_share",
    "acks_after_reading",
    "tcp_window_share",
    "packet_overhead",
    "segment_memory",
)


def _of_receiver(scenario: Scenario, flow: Flow, sets: twin_settings.Sets) -> twin_settings.Sets:
    """What the flow's receiver has with these, as far as the file leaves it open."""
    resolved = tomllib.loads(scenario.variant(SIMULATED, sets).to_toml())
    transport = next(said["transport"] for said in resolved["flow"] if said["name"] == flow.name)
    open_keys = [key for key in _RECEIVING if key in transport and key not in flow.transport]
    return {flow.path(key): _toml(transport[key]) for key in open_keys}


def _toml(value: object) -> object:
    return f"'{value}'" if isinstance(value, str) else value


def _is_6_1(kernel: str) -> bool:
    return kernel == "6.1" or kernel.startswith("6.1.")


def _degrees(scenario: Scenario, hosts: Sequence[Host]) -> dict[str, int]:
    """How many links each host has, as far as names alone say it."""
    ends = [[str(end) for end in link.get("between", [])] for link in _tables(scenario, "link")]
    several = {host.name for host in hosts if "count" in host.said}
    several |= {end.partition("[")[0] for pair in ends if any("[" in one for one in pair) for end in pair}
    names = [host.name for host in hosts if host.name not in several]
    return {name: sum(pair.count(name) for pair in ends) for name in names}
