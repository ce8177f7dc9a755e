"""A scenario twice: once simulated, and once with Linux kernels as hosts, whose differences are TCP's alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tailrace.errors import UsageError
from tailrace.scenario import Scenario

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
# How much of each is still alike, unless somebody says otherwise.
_ALIKE = ("goodput=5%", "backlog=10%", "dropped=10%")


def of(scenario: Scenario, kernel: str | None = None) -> dict[str, Scenario]:
    """Both, by their labels; `kernel` is for hosts that flows are between, where the file names none."""
    said = scenario.said()
    flows = [flow for flow in said.get("flow", []) if _protocol(flow) != "udp"]
    if not flows:
        raise UsageError(
            f"{scenario.file_name} has no [[flow]] over TCP or Multipath TCP that could be twice"
        )
    hosts = said.get("host", [])
    own = [host for host in hosts if host.get("kernel", "none") != "none"]
    if own and kernel:
        raise UsageError(f"{scenario.file_name} names kernels of its own: leave out --kernel")
    if not own:
        ends = {str(flow[key]).partition("[")[0] for flow in flows for key in ("from", "to") if key in flow}
        own = [host for host in hosts if _name(host) in ends]
        kernel = kernel or _newest()
    if not own:
        raise UsageError(f"{scenario.file_name} has no [[host]] that could have a kernel")
    names = [_name(host) for host in own]
    multipath = _multipath(kernel or str(own[0]["kernel"]))
    profile, managers = _as_linux(flows, multipath), _managers(flows, hosts, multipath)
    without = {f"host.{name}.kernel": "'none'" for name in names}
    kernels = {f"host.{name}.kernel": f"'{kernel}'" for name in names} if kernel else {}
    return {
        SIMULATED: scenario.variant(SIMULATED, {**without, **profile, **managers}),
        KERNELS: scenario.variant(KERNELS, {**kernels, **profile}),
    }


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
    usual = [text for text in _ALIKE if text.partition("=")[0] in columns]
    return [*tolerances, *(text for text in usual if text.partition("=")[0] not in said)]


def _multipath(kernel: str) -> str:
    """The profile of that kernel's Multipath TCP: there is one for 6.1, and one for the newest."""
    return "linux_6_1" if kernel == "6.1" or kernel.startswith("6.1.") else "linux"


def _managers(
    flows: Sequence[Mapping[str, Any]], hosts: Sequence[Mapping[str, Any]], profile: str
) -> dict[str, str]:
    """What `limits` and `endpoints` say to kernels, for the simulated path manager of flows that name none."""
    by_name = {_name(host): host for host in hosts}
    sets = {}
    for flow in flows:
        transport = flow.get("transport", "tcp")
        if _protocol(flow) != "mptcp" or (isinstance(transport, Mapping) and "path_manager" in transport):
            continue
        client, server = (by_name.get(str(flow.get(key, "")).partition("[")[0], {}) for key in ("from", "to"))
        limits = client.get("limits", {})
        ends = [
            f"{side} = '{end.get('endpoints', 'none')}'"
            for side, end in (("client", client), ("server", server))
        ]
        numbers = [f"{name} = {limits[name]}" for name in ("subflows", "add_addr_accepted") if name in limits]
        manager = f"{{ kind = 'linux', {', '.join([*numbers, *ends])} }}"
        if isinstance(transport, Mapping):
            sets[f"flow.{flow.get('name', '')}.transport.path_manager"] = manager
        else:
            sets[f"flow.{flow.get('name', '')}.transport"] = (
                f"{{ kind = 'mptcp', profile = '{profile}', path_manager = {manager} }}"
            )
    return sets


def _newest() -> str:
    from tailrace.kernels import shelf

    kernels = shelf.kernels()
    if not kernels:
        raise UsageError("there is no Linux kernel on this machine: `tailrace kernel build 6.12` builds one")
    return str(kernels[0].name)


def _name(host: Mapping[str, Any]) -> str:
    return str(host.get("name", ""))


def _protocol(flow: Mapping[str, Any]) -> str:
    transport = flow.get("transport", "tcp")
    return str(transport.get("kind", "tcp") if isinstance(transport, Mapping) else transport)


def _as_linux(flows: Sequence[Mapping[str, Any]], multipath: str) -> dict[str, str]:
    """Simulated TCP is to be that of Linux, where the file does not say which."""
    sets = {}
    for flow in flows:
        profile = multipath if _protocol(flow) == "mptcp" else "linux"
        transport, path = flow.get("transport", "tcp"), f"flow.{flow.get('name', '')}.transport"
        if not isinstance(transport, Mapping):
            sets[path] = f"{{ kind = '{transport}', profile = '{profile}' }}"
        elif "profile" not in transport:
            sets[f"{path}.profile"] = f"'{profile}'"
    return sets
