"""Kernels of hosts, for the runs of a scenario."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailrace.errors import UsageError
from tailrace.kernels import confinement

if TYPE_CHECKING:
    from tailrace import _native
    from tailrace.kernels.kernel_store import Kernel
    from tailrace.scenario.scenario import Scenario

AGENT = Path(__file__).with_name("tailrace-agent")
# `pip install .` builds the package alone: the program is none of Python's.
REMEDY = (
    "A wheel of Tailrace for Linux has it; `make build` in the sources builds it, and from there "
    f"`cp python/tailrace/kernels/{AGENT.name} {AGENT}` brings it here"
)


def check(scenario: Scenario) -> None:
    """Refuses a scenario whose kernels are not there, or that asks for what needs consent, at the place of each."""
    if not scenario.native.kernels:
        return
    confinement.unconfined()  # refuses where nothing could be confined
    wrong: list[tuple[str, str, str | None]] = []
    for name, host in scenario.native.kernels.items():
        try:
            found(name)
            agent()
            if why := confinement.of_kernel(name):
                wrong.append((f"host.{host.partition('[')[0]}.kernel", why, confinement.kernel_help()))
        except UsageError as error:
            wrong.append((f"host.{host.partition('[')[0]}.kernel", str(error), None))
    wrong += confinement.objections(scenario.native)
    if wrong:
        raise scenario.objected(wrong)


def of(native: _native.Scenario) -> tuple[dict[str, Path], Path, dict[str, list[Path]], bool] | None:
    """Paths of the kernels that a scenario names, the program that launches them, what programs of each host may read,
    and whether they are not confined to that.
    """
    names = native.kernels
    if not names:
        return None
    unconfined = confinement.unconfined()
    refused = [why for name in names if (why := confinement.of_kernel(name))]
    refused += [why for _, why, _ in confinement.objections(native)]
    if refused:
        raise UsageError(f"{refused[0]}; {confinement.CONSENT}")
    paths = {name: found(name).path for name in names}
    return paths, agent(), confinement.readable(native), unconfined


def hashes(native: _native.Scenario) -> dict[str, str]:
    """The kernels that a scenario names, each with the hash of its program: they are part of what a run is."""
    return {name: found(name).sha256 for name in native.kernels}


def described(native: _native.Scenario) -> list[dict[str, Any]]:
    """The kernels that hosts of a scenario run, for its manifest."""
    hosts: dict[str, list[str]] = {}
    for host, name in native.kernel_hosts:
        hosts.setdefault(name, []).append(host)
    kernels = [(name, found(name), own) for name, own in hosts.items()]
    return [
        {"name": name, "version": kernel.version, "sha256": kernel.sha256, "hosts": own}
        for name, kernel, own in kernels
    ]


@lru_cache
def found(name: str) -> Kernel:
    """The kernel of that name or path; as it was when it was first asked for."""
    from tailrace.kernels import find

    return find(name)


def agent() -> Path:
    """The program that starts kernels, and is the first process within them."""
    if not sys.platform.startswith("linux"):
        raise UsageError("hosts with a `kernel` need Linux; leave it out to simulate them")
    if not AGENT.exists():
        raise UsageError(f"{AGENT} is missing, without which no kernel starts. {REMEDY}")
    return AGENT
