"""A scenario twice: once simulated, and once with Linux kernels as hosts, whose differences are TCP's alone."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tailrace.errors import ScenarioError, UsageError
from tailrace.scenario import ignored_keys, twin_settings
from tailrace.scenario.scenario import Scenario
from tailrace.scenario.twin_settings import Flow, Host

SIMULATED = "simulated"
KERNELS = "kernels"

# Default metrics, as far as a scenario has them: claims of a paper would be about these.
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
    "ack_filtered",
)
# An ACK filter of a queue in a resolved scenario; without one, its counter is 0 on both sides.
_FILTERS_ACKS = re.compile(r'ack_filter = "(?!off")')


@dataclass(frozen=True)
class Alike:
    """Difference in a metric that still counts as alike."""

    share: float
    # With less than this on both sides, chance decides how much it differs.
    least: float = 0.0


# Unless somebody says otherwise.
ALIKE: Mapping[str, Alike] = {
    "goodput": Alike(0.05),
    "backlog": Alike(0.10, least=2.0),
    "dropped": Alike(0.10, least=10.0),
    "ack_filtered": Alike(0.10, least=10.0),
}
_ONE_SIDED = "one-sided-key"
_TO_OTHERS = (
    "a twin gives the ends of each [[flow]] over TCP a kernel (here {}), and no kernel does this: leave it out, or "
    "write it as an [[attack]] between hosts at which no such flow begins or ends, which stay simulated"
)


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
    hosts = twin_settings.hosts_of(scenario)
    flows = _flows(scenario, hosts)
    kernels = _kernels(scenario, hosts, flows, kernel)
    named = {host.name: kernels.get(host.name) or str(host.kernel) for host in hosts}
    profiles: twin_settings.Sets = {}
    for flow in flows:
        profiles.update(_as_linux(scenario, flow, named))
    sides = twin_settings.of(hosts, flows, twin_settings.degrees(scenario, hosts))
    without = {f"host.{host.name}.kernel": "'none'" for host in hosts if host.kernel is not None}
    told = {f"host.{name}.kernel": f"'{kernel}'" for name, kernel in kernels.items()}
    # Keys that a kernel does not obey are reported here, once for both sides.
    quiet = scenario.replaced({}, ignored_keys.CODE)
    cells = {
        SIMULATED: quiet.variant(SIMULATED, {**without, **profiles, **sides.simulated}),
        KERNELS: _with_kernels(quiet, {**told, **profiles, **sides.kernels}, _ends(flows)),
    }
    return Twins(cells, scenario.warned(_ONE_SIDED, sides.one_sided))


def _with_kernels(scenario: Scenario, sets: twin_settings.Sets, ends: Iterable[str]) -> Scenario:
    """The side of kernels. Advice to take one from a host is of no use: at the end of a flow it would get another."""
    try:
        return scenario.variant(KERNELS, sets)
    except ScenarioError as error:
        rendered = str(error)
        for told in {str(found.get("help", "")) for found in error.diagnostics}:
            if "kernel" in told:
                others = _TO_OTHERS.format(", ".join(ends))
                rendered = rendered.replace(f"= help: {told}", f"= help: {others}")
        raise ScenarioError(rendered, error.diagnostics) from None


def looked_at(cells: Mapping[str, Scenario]) -> list[str]:
    """Default metrics that the scenario has."""
    from tailrace.study import metric_probe

    found = []
    for name in _LOOKED_AT:
        if name == "ack_filtered" and not _FILTERS_ACKS.search(cells[SIMULATED].to_toml()):
            continue
        try:
            metric_probe.check([name], [cells[SIMULATED]])
        except UsageError:
            continue
        found.append(name)
    return found


def alike(columns: Sequence[str], tolerances: Sequence[str]) -> list[str]:
    """Tolerances of the metrics shown: the given ones, and defaults for the rest."""
    said = {text.partition("=")[0] for text in tolerances}
    usual = {name: limit for name, limit in ALIKE.items() if name in columns and name not in said}
    return [*tolerances, *(f"{name}={_in_words(limit)}" for name, limit in usual.items())]


def _in_words(limit: Alike) -> str:
    share = f"{limit.share:.0%}"
    return f"{share} from {limit.least:g}" if limit.least else share


def _flows(scenario: Scenario, hosts: Sequence[Host]) -> list[Flow]:
    flows = twin_settings.flows_of(scenario, hosts)
    if not flows:
        raise UsageError(
            f"{scenario.file_name} has no [[flow]] over TCP or Multipath TCP, which is what a twin compares: add one "
            "(programs of `run` are not simulated)"
        )
    return flows


def _kernels(
    scenario: Scenario, hosts: Sequence[Host], flows: Sequence[Flow], kernel: str | None
) -> dict[str, str]:
    """The kernel of each end of a flow for which the file names none."""
    if kernel == "none":
        raise UsageError("--kernel none: a twin needs a kernel, as `tailrace kernel list` shows them")
    ends = _ends(flows)
    without = [host.name for host in hosts if host.name in ends and host.kernel is None]
    if kernel and not without:
        raise UsageError(
            f"{scenario.file_name} names kernels of its own for all hosts of its flows: leave out --kernel, or "
            f"set one, as in --set host.{min(ends)}.kernel={kernel}"
        )
    if without and kernel is None:
        kernel = _newest()
    return dict.fromkeys(without, str(kernel))


def _ends(flows: Sequence[Flow]) -> list[str]:
    return sorted({end.name for flow in flows for end in (flow.client, flow.server)})


def _newest() -> str:
    from tailrace.kernels import kernel_store

    kernels = kernel_store.kernels()
    if not kernels:
        raise UsageError("there is no Linux kernel on this machine: `tailrace kernel build 6.12` builds one")
    return str(kernels[0].name)


def _as_linux(scenario: Scenario, flow: Flow, kernels: Mapping[str, str]) -> twin_settings.Sets:
    """Simulated TCP is to be that of the kernels' Linux, where the file does not say which. A word becomes a table.

    A flow has one profile: that of the kernel that sends. What is a receiver's alone is that of the other.
    """
    sets: twin_settings.Sets = {}
    if len(flow.transport) == 1:
        sets[flow.path("")[:-1]] = dict(flow.transport)
    sending, receiving = (_is_6_1(kernels[end.name]) for end in (flow.sender, flow.receiver))
    profile = flow.path("profile")
    if not flow.is_multipath:
        if "profile" not in flow.transport:
            sets[profile] = "'linux'"
        # There is one profile of TCP, of the newest; what an older end does has keys of its own.
        if flow.transport.get("profile", "linux") == "linux":
            older = {**(_OLD_SENDERS if sending else {}), **(_OLD_RECEIVERS if receiving else {})}
            sets.update(
                {flow.behaviour_path(key): value for key, value in older.items() if key not in flow.behaviour}
            )
        return sets
    if "profile" not in flow.transport:
        if sending != receiving:
            as_receiver = {**sets, profile: _multipath(receiving)}
            sets.update(_received(scenario.variant(SIMULATED, as_receiver), flow))
        sets[profile] = _multipath(sending)
    return sets


def _multipath(is_6_1: bool) -> str:
    return "'linux_6_1'" if is_6_1 else "'linux'"


# Send path of Linux 6.1, and the receive buffer that it advertises.
_OLD_SENDERS = {"send_overhead": "'768 B'", "fills_short_packets": "false"}
_OLD_RECEIVERS = {"tcp_window_share": "'auto'"}
# Keys of Multipath TCP and TCP that concern the receiver alone.
_OF_RECEIVERS = (
    "first_window",
    "window_share",
    "acks_after_reading",
    "sizes_from_first_read",
    "tcp_window_share",
    "packet_overhead",
)


def _received(scenario: Scenario, flow: Flow) -> twin_settings.Sets:
    """Settings of a flow's receiver, but for those in the file."""
    flows = tomllib.loads(scenario.to_toml())["flow"]
    there = next(found["transport"]["behaviour"] for found in flows if found["name"] == flow.name)
    return {flow.behaviour_path(key): there[key] for key in _OF_RECEIVERS if key not in flow.behaviour}


def _is_6_1(kernel: str) -> bool:
    return kernel == "6.1" or kernel.startswith("6.1.")
