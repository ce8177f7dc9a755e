"""Keys of `transport` that the kernels at both ends of a flow do not obey, though the file asks for them.

The table of what means the same to either is that of twins, `twin_settings.SETTINGS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailrace.scenario import twin_settings
from tailrace.scenario.twin_settings import Flow, Objection, PathManagers, ScenarioFile, Setting

CODE = "ignored-key"
_NOTHING = 'no setting of a kernel means the same: leave it out, or simulate a host (kernel = "none")'
# Further keys that are named at most.
_NAMED = 3


def of(scenario: ScenarioFile) -> list[Objection]:
    """Ignored keys of flows between kernels. A simulated end obeys all keys."""
    hosts = twin_settings.hosts_of(scenario)
    flows = twin_settings.flows_of(scenario, hosts)
    between = [flow for flow in flows if flow.client.kernel and flow.server.kernel]
    managers = PathManagers(between, twin_settings.degrees(scenario, hosts))
    return [objection for flow in between for objection in _of_flow(flow, managers)]


def _of_flow(flow: Flow, managers: PathManagers) -> Iterator[Objection]:
    for setting in twin_settings.SETTINGS:
        if setting.key in flow.transport and not setting.is_as_asked(flow):
            yield _ignored(flow, setting.key, _instead(setting, flow))
    if "path_manager" in flow.transport and not managers.are_as_asked(flow):
        yield _ignored(flow, "path_manager", "write `limits` and `endpoints` of the hosts")
    if others := twin_settings.unknown_to_kernels(flow):
        yield _ignored(flow, others[0], _NOTHING, others[1:])


def _ignored(flow: Flow, key: str, instead: str, others: Sequence[str] = ()) -> Objection:
    """Objection to keys without an equivalent: files with every default filled in have dozens."""
    keys = ", ".join(f"`{each}`" for each in [key, *others[:_NAMED]])
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    ends = " and ".join(dict.fromkeys([flow.client.name, flow.server.name]))
    return flow.path(key), f"flow {flow.name}: the kernels of {ends} do not obey {keys}{more}", instead


def _instead(setting: Setting, flow: Flow) -> str:
    word = setting.written(flow.transport[setting.key])
    if word is None:
        return _NOTHING
    hosts = [flow.client.name, *([] if setting.client_asks else [flow.server.name])]
    return f'write sysctl = {{ "{setting.sysctl}" = "{word}" }} of {" and ".join(dict.fromkeys(hosts))}'
