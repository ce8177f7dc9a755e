"""Scenarios twice: what becomes of a file, and where there is a kernel, how alike both are."""

import json
import tomllib

import pytest

import tailrace
from conftest import command_line
from tailrace.errors import ScenarioError, UsageError
from tailrace.kernels import kernel_store
from tailrace.study import twins


def tcp(keys):
    """The table of a transport with these keys."""
    return f'{{ kind = "tcp"{keys and f", {keys}"} }}'


def flow(name, client, server, transport):
    """A `[[flow]]` that sends as much as it can."""
    return (
        f'[[flow]]\nname = "{name}"\nfrom = "{client}"\nto = "{server}"\n'
        f'transport = {transport}\napp = {{ kind = "bulk" }}\n'
    )


def network(a, b, *flows):
    """Two hosts with these keys, and the flows between them."""
    hosts = f'[[host]]\nname = "a"\n{a}\n[[host]]\nname = "b"\n{b}\n'
    link = '[[link]]\nname = "l"\nbetween = ["a", "b"]\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
    return "\n".join(['name = "pair"', 'duration = "6 s"', hosts + link, *flows])


PAIR = network("KEYS", "", flow("f", "a", "b", "TRANSPORT"))


def pair(transport, keys=""):
    return tailrace.Scenario(PAIR.replace("TRANSPORT", transport).replace("KEYS", keys))


SIMULATED, KERNELS = "simulated", "kernels"


def both_ways(there="", back="", a="", b=""):
    """A flow each way, with keys of their transports, and settings of the hosts."""
    flows = [flow("there", "a", "b", tcp(there)), flow("back", "b", "a", tcp(back))]
    hosts = [f'kernel = "6.99"\nsysctl = {{ {settings} }}' for settings in (a, b)]
    return twins.of(tailrace.Scenario(network(*hosts, *flows)))


def said(scenario, path):
    """What is said at a path, if anything is."""
    try:
        return tomllib.loads(f"value = {scenario.written(path)}")["value"]
    except ValueError:
        return None


def keys(cells):
    """Of what there are warnings, in the order of the file: whose it is, and the key."""
    first = [text.splitlines()[0] for text in cells.warnings]
    assert all(text.startswith("warning[one-sided-key]: ") for text in first)
    return [(text.split()[1:3], text.split("`")[1]) for text in first]


def test_a_file_without_kernels_gets_the_one_that_is_named_at_the_ends_of_its_flows():
    cells = twins.of(pair('"tcp"'), "6.99")
    assert list(cells) == ["simulated", "kernels"]
    assert cells["kernels"].native.kernels == {"6.99": "a"}
    assert not cells["simulated"].native.kernels
    for cell in cells.values():
        assert cell.written("flow.f.transport.profile") == '"linux"'


def test_what_a_kernel_is_told_of_paths_the_simulated_manager_is_told_too():
    own = 'kernel = "6.99"\nlimits = { subflows = 4, add_addr_accepted = 1 }\nendpoints = "1 subflow"'
    cells = twins.of(pair('{ kind = "mptcp", profile = "rfc" }', own), "6.98")
    manager = {"subflows": 4, "add_addr_accepted": 1, "client": "1 subflow", "server": "none"}
    for cell in cells.values():
        # On the side of kernels it is for warnings about paths.
        assert said(cell, "flow.f.transport.path_manager") == {"kind": "linux", **manager}
        assert said(cell, "flow.f.transport.profile") == "rfc"
    # The server's limits are not the client's, and the profile is not Linux's.
    assert keys(cells) == [(["host", "a:"], "limits"), (["flow", "f:"], "profile")]


@pytest.mark.parametrize(
    ("kernel", "profile"), [("6.1", "linux_6_1"), ("6.1.7", "linux_6_1"), ("6.12", "linux")]
)
def test_simulated_multipath_tcp_is_that_of_the_kernel(kernel, profile):
    for transport in ('"mptcp"', '{ kind = "mptcp" }'):
        simulated = twins.of(pair(transport), kernel)["simulated"]
        written = simulated.written("flow.f.transport.profile") or simulated.written("flow.f.transport")
        assert f'"{profile}"' in written.replace("'", '"'), written


def between(transport, a, b, **sets):
    """The simulated side of a pair of kernels."""
    own = {"host.b.kernel": f"'{b}'", **{path.replace("__", "."): value for path, value in sets.items()}}
    return twins.of(tailrace.Scenario.of(pair(transport, f'kernel = "{a}"'), set=own))[SIMULATED]


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [("6.1", "6.1.7", "auto"), ("6.1", "6.12", None), ("6.12", "6.1", "auto"), ("6.12", "6.12", None)],
)
def test_receivers_of_6_1_advertise_half_of_their_buffers(a, b, share):
    assert said(between('"tcp"', a, b), "flow.f.transport.behaviour.tcp_window_share") == share
    # Data that goes the other way is received by the other.
    downwards = between('"tcp"', b, a, flow__f__app__direction="down")
    assert said(downwards, "flow.f.transport.behaviour.tcp_window_share") == share
    asked = between(
        '"tcp"', b, a, flow__f__app='{ kind = "request_response", request = "1 kB", response = "9 kB" }'
    )
    assert said(asked, "flow.f.transport.behaviour.tcp_window_share") == share


@pytest.mark.parametrize(
    ("a", "b", "found"), [("6.1", "6.12", ("768 B", False)), ("6.12", "6.1", (None, None))]
)
def test_senders_of_6_1_have_packets_of_their_own(a, b, found):
    keys = ("send_overhead", "fills_short_packets")
    there = between('"tcp"', a, b)
    assert tuple(said(there, f"flow.f.transport.behaviour.{key}") for key in keys) == found
    downwards = between('"tcp"', b, a, flow__f__app__direction="down")
    assert tuple(said(downwards, f"flow.f.transport.behaviour.{key}") for key in keys) == found
    # What the file says of a sender stays.
    own = between('{ kind = "tcp", behaviour.send_overhead = "1 kB" }', a, b)
    assert said(own, "flow.f.transport.behaviour.send_overhead") == "1 kB"


@pytest.mark.parametrize(("a", "b"), [("6.1", "6.12"), ("6.12", "6.1"), ("6.1", "6.1"), ("6.12", "6.12")])
def test_each_end_of_multipath_tcp_is_as_its_own_kernel(a, b):
    def of(profile):
        (flow,) = tomllib.loads(pair(f'{{ kind = "mptcp", profile = "{profile}" }}').to_toml())["flow"]
        return flow["transport"]["behaviour"]

    names = {"6.1": "linux_6_1", "6.12": "linux_6_12"}
    (there,) = tomllib.loads(between('"mptcp"', a, b).to_toml())["flow"]
    for key in ("send_buffer_of", "hands_out", "send_overhead", "fills_short_packets"):
        assert there["transport"]["behaviour"][key] == of(names[a])[key], key
    for key in (
        "first_window",
        "window_share",
        "acks_after_reading",
        "sizes_from_first_read",
        "tcp_window_share",
    ):
        assert there["transport"]["behaviour"][key] == of(names[b])[key], key
    # What the file says of a receiver stays.
    own = between('{ kind = "mptcp", behaviour.window_share = 0.25 }', a, b)
    assert said(own, "flow.f.transport.behaviour.window_share") == 0.25


@pytest.mark.parametrize("own", ["", 'kernel = "6.99"'])
def test_a_tcp_that_breaks_the_rules_is_for_other_hosts(own):
    with pytest.raises(ScenarioError, match=r"gives the ends of each .* a kernel \(here a, b\)") as raised:
        twins.of(pair('{ kind = "tcp", misbehaviour = "ack_division" }', own), "6.98")
    assert "take the kernel" not in str(raised.value)


@pytest.mark.parametrize(
    ("scenario", "kernel", "message"),
    [
        (
            tailrace.Scenario(
                PAIR.replace("KEYS", "")
                .replace("TRANSPORT", '"udp"')
                .replace('bulk" }', "cbr\", rate = '1 Mbit/s', size = '1 kB' }")
            ),
            None,
            "no .*flow.* over TCP",
        ),
        (pair('"tcp"'), "none", "--kernel none: a twin needs a kernel"),
        (
            tailrace.Scenario.of(pair('"tcp"', 'kernel = "6.99"'), set={"host.b.kernel": "'6.98'"}),
            "6.12",
            r"for all hosts of its flows: leave out --kernel, .*--set host\.a\.kernel=6\.12",
        ),
    ],
)
def test_what_cannot_be_twice_says_why(scenario, kernel, message):
    with pytest.raises(UsageError, match=message):
        twins.of(scenario, kernel)


def kernels_of(scenario, *names):
    return [said(scenario, f"host.{name}.kernel") for name in names]


@pytest.mark.parametrize(
    ("own", "sets", "kernel", "ends"),
    [
        ("", {}, "6.98", ["6.98", "6.98"]),
        ('kernel = "6.99"', {}, "6.98", ["6.99", "6.98"]),
        ('kernel = "none"', {"host.b.kernel": "none"}, "6.98", ["6.98", "6.98"]),
        ("", {"host.b.kernel": "'6.99'"}, "6.98", ["6.98", "6.99"]),
        ('kernel = "6.99"', {"host.b.kernel": "'6.97'"}, None, ["6.99", "6.97"]),
    ],
)
def test_each_end_of_a_flow_has_a_kernel_on_one_side_and_none_on_the_other(own, sets, kernel, ends):
    cells = twins.of(tailrace.Scenario.of(pair('"tcp"', own), set=sets), kernel)
    assert kernels_of(cells[KERNELS], "a", "b") == ends
    assert not cells[SIMULATED].native.kernels


def test_hosts_without_flows_over_tcp_keep_their_kernels_on_one_side_only():
    text = PAIR.replace("KEYS", "").replace("TRANSPORT", '"tcp"').replace('["a", "b"]', '["a", "b", "c"]')
    text = text.replace("[[link]]", '[[host]]\nname = "c"\nkernel = "6.97"\n[[link]]', 1)
    text = text.replace('["a", "b", "c"]', '["a", "b"]') + (
        '[[link]]\nbetween = ["c", "b"]\nrate = "10 Mbit/s"\ndelay = "1 ms"\n'
        '[[flow]]\nname = "u"\nfrom = "c"\nto = "b"\ntransport = "udp"\n'
        "app = { kind = \"cbr\", rate = '1 Mbit/s', size = '1 kB' }\n"
    )
    cells = twins.of(tailrace.Scenario(text), "6.98")
    assert kernels_of(cells[KERNELS], "a", "b", "c") == ["6.98", "6.98", "6.97"]
    assert not cells[SIMULATED].native.kernels


# A key and its value, what both hosts of kernels are told, and what only its client is.
ALIKE = [
    ("sack", "false", "net.ipv4.tcp_sack", "0", False),
    ("timestamps", "false", "net.ipv4.tcp_timestamps", "0", False),
    ("window_scale", "false", "net.ipv4.tcp_window_scaling", "0", False),
    ("ecn", "true", "net.ipv4.tcp_ecn", "1", True),
    ("tcp_rmem", '"4096 20000  30000"', "net.ipv4.tcp_rmem", "4096 20000 30000", False),
    ("tcp_wmem", '"4096 20000  30000"', "net.ipv4.tcp_wmem", "4096 20000 30000", False),
]


@pytest.mark.parametrize(("key", "value", "setting", "word", "client_asks"), ALIKE)
def test_a_key_of_transport_is_a_setting_of_kernels_and_the_other_way_round(
    key, value, setting, word, client_asks
):
    there = f"{key} = {value}"
    cells = twins.of(pair(f'{{ kind = "tcp", {there} }}'), "6.99")
    ends = [(said(cells[KERNELS], f"host.{name}.sysctl") or {}).get(setting) for name in "ab"]
    assert (ends, keys(cells)) == ([word, None if client_asks else word], [])
    back = both_ways(a=f'"{setting}" = "{word}"', b=f'"{setting}" = "{word}"')
    wanted = tomllib.loads(there)[key]
    if isinstance(wanted, str):
        wanted = word
    assert [said(back[SIMULATED], f"flow.{f}.transport.{key}") for f in ("there", "back")] == 2 * [wanted]
    assert keys(back) == []
    # Said twice, it is the same.
    assert keys(both_ways(there, there, f'"{setting}" = "{word}"', f'"{setting}" = "{word}"')) == []


def test_what_one_end_alone_has_off_a_connection_does_not_have():
    cells = both_ways(a="net.ipv4.tcp_sack = 0")
    assert said(cells[SIMULATED], "flow.there.transport.sack") is False
    # 2, a kernel's default, grants ECN, and does not ask for it.
    cells = both_ways(a="net.ipv4.tcp_ecn = 1")
    ecn = [said(cells[SIMULATED], f"flow.{name}.transport.ecn") for name in ("there", "back")]
    assert (ecn, keys(cells)) == ([True, None], [])
    cells = both_ways(a="net.ipv4.tcp_ecn = 1", b="net.ipv4.tcp_ecn = 0")
    assert said(cells[SIMULATED], "flow.there.transport.ecn") is None


def test_what_the_file_says_to_a_kernel_stays():
    cells = both_ways("ecn = true", a='net.ipv4.tcp_sack = 1, "net.core.somaxconn" = 7')
    own = {"net.ipv4.tcp_sack": "1", "net.core.somaxconn": "7", "net.ipv4.tcp_ecn": "1"}
    assert said(cells[KERNELS], "host.a.sysctl") == own


@pytest.mark.parametrize(
    ("said_of", "warned"),
    [
        # Kernels have no such key, or only its kind.
        ({"there": "mss = '500 B'"}, [(["flow", "there:"], "mss")]),
        ({"there": "cc = { kind = 'cubic', beta = 0.5 }"}, [(["flow", "there:"], "cc.beta")]),
        # A host has one value for all its flows.
        ({"there": "sack = false"}, [(["flow", "there:"], "sack")]),
        # Each side is told another.
        (
            {"there": "sack = false", "back": "sack = false", "a": "net.ipv4.tcp_sack = 1"},
            [],
        ),
        (
            {"there": "ecn = true", "a": "net.ipv4.tcp_ecn = 0"},
            [(["host", "a:"], "net.ipv4.tcp_ecn"), (["flow", "there:"], "ecn")],
        ),
        # Flows have one value for both ends.
        ({"a": "net.ipv4.tcp_rmem = '4096 20000 30000'"}, [(["host", "a:"], "net.ipv4.tcp_rmem")]),
        # Simulated hosts have nothing of the kind, or not with this value.
        ({"b": "net.ipv4.tcp_frto = 0"}, [(["host", "b:"], "net.ipv4.tcp_frto")]),
        ({"b": "net.ipv4.tcp_timestamps = 2"}, [(["host", "b:"], "net.ipv4.tcp_timestamps")]),
        ({"there": "tcp_wmem = 'auto'"}, [(["flow", "there:"], "tcp_wmem")]),
        (
            {"a": "net.ipv4.tcp_wmem = '4096 9000'", "b": "net.ipv4.tcp_wmem = '4096 9000'"},
            [(["host", "a:"], "net.ipv4.tcp_wmem"), (["host", "b:"], "net.ipv4.tcp_wmem")],
        ),
        ({"b": "net.mptcp.enabled = 0"}, [(["host", "b:"], "net.mptcp.enabled")]),
        # What is as simulated hosts are, or of programs only.
        ({"a": "net.mptcp.enabled = 1, net.ipv4.tcp_congestion_control = 'reno'"}, []),
    ],
)
def test_of_what_one_side_alone_obeys_there_is_a_warning(said_of, warned):
    assert keys(both_ways(**said_of)) == warned


def test_warnings_stand_at_the_key_say_what_to_do_and_can_be_allowed():
    (text,) = both_ways("mss = '500 B'").warnings
    assert "mss = '500 B'" in text
    assert "the simulated side alone obeys `mss`" in text
    assert "= help: no setting of a kernel means the same: without it, both sides are alike" in text
    allowed = tailrace.Scenario.of(pair('{ kind = "tcp", mss = "500 B" }'), allow="one-sided-key")
    assert twins.of(allowed, "6.99").warnings == []


@pytest.mark.parametrize(
    ("transport", "settings", "ignored"),
    [
        ("sack = false", "", [("sack", '"net.ipv4.tcp_sack" = "0" } of a and b')]),
        ("ecn = true", "", [("ecn", '"net.ipv4.tcp_ecn" = "1" } of a')]),
        # As they are anyhow, as the hosts say, and as Linux is.
        ("sack = true", "", []),
        ("timestamps = false", "net.ipv4.tcp_timestamps = 0", []),
        ('profile = "linux", cc = "reno"', "", []),
        # What has no counterpart is said once.
        ("mss = '500 B', nagle = 'off', cc = { kind = 'cubic', beta = 0.5 }", "", [("mss", "leave it out")]),
    ],
)
def test_keys_that_both_kernels_of_a_flow_do_not_obey_have_a_warning(transport, settings, ignored):
    host = f'kernel = "6.99"\nsysctl = {{ {settings} }}'
    scenario = tailrace.Scenario(network(host, host, flow("f", "a", "b", tcp(transport))))
    said = scenario.warnings
    assert [text.split("`")[1] for text in said] == [key for key, _ in ignored]
    assert all(advice in text for text, (_, advice) in zip(said, ignored, strict=True))
    # A simulated end obeys all of them.
    assert scenario.replaced({"host.b.kernel": "none"}).warnings == []
    assert scenario.replaced({}, "ignored-key").warnings == []


@pytest.mark.parametrize(("endpoints", "ignored"), [("", ["path_manager"]), ('endpoints = "1  subflow"', [])])
def test_a_path_manager_is_obeyed_where_the_hosts_describe_it(endpoints, ignored):
    transport = '{ kind = "mptcp", cc = "cubic", path_manager = { kind = "linux", client = "1 subflow" } }'
    hosts = [f'kernel = "6.99"\n{endpoints}', 'kernel = "6.99"']
    found = tailrace.Scenario.of(
        network(*hosts, flow("f", "a", "b", transport)), allow="single-subflow"
    ).warnings
    assert [text.split("`")[1] for text in found] == ignored


def test_both_sides_of_a_twin_are_not_warned_of_what_the_twin_warns_of():
    cells = both_ways("mss = '500 B'")
    assert len(cells.warnings) == 1
    assert [cell.warnings for cell in cells.values()] == [[], []]


def test_programs_and_back_pressure_are_of_kernels_alone():
    own = 'kernel = "6.99"\nbackpressure = true\nrun = [{ command = "true" }]'
    assert keys(twins.of(pair('"tcp"', own), "6.99")) == [
        (["host", "a:"], "backpressure"),
        (["host", "a:"], "run"),
    ]


def mptcp(manager, more=""):
    return pair(f'{{ kind = "mptcp", path_manager = {manager} }}', more)


def test_linux_path_manager_of_a_flow_is_that_of_its_hosts():
    manager = (
        '{ kind = "linux", subflows = 3, add_addr_accepted = 1, client = "1  fullmesh", server = "1 signal" }'
    )
    cells = twins.of(mptcp(manager), "6.99")
    limits = {"subflows": 3, "add_addr_accepted": 1}
    for name, endpoints in (("a", "1 fullmesh"), ("b", "1 signal")):
        assert said(cells[KERNELS], f"host.{name}.limits") == limits
        assert said(cells[KERNELS], f"host.{name}.endpoints") == endpoints
    assert keys(cells) == []
    # By itself it looks at all interfaces of the client.
    assert said(twins.of(mptcp("'linux'"), "6.99")[KERNELS], "host.a.endpoints") == "1 subflow"
    assert keys(twins.of(mptcp("'passive'"), "6.99")) == []


@pytest.mark.parametrize(
    ("manager", "own", "warned"),
    [
        ("'fullmesh'", "", [(["flow", "f:"], "path_manager")]),
        (
            "{ kind = 'linux', client = '1 subflow' }",
            'endpoints = "1 fullmesh"',
            [(["flow", "f:"], "path_manager")],
        ),
        ("{ kind = 'linux', client = '1 subflow' }", 'endpoints = "1 subflow"', []),
        ("{ kind = 'linux', event_delay = '1 s' }", "", [(["flow", "f:"], "path_manager.event_delay")]),
    ],
)
def test_of_other_path_managers_there_is_a_warning(manager, own, warned):
    cells = twins.of(mptcp(manager, own and f'kernel = "6.99"\n{own}'), "6.99")
    assert keys(cells) == warned


def test_warnings_about_paths_are_of_what_kernels_are_told():
    own = "limits = { subflows = 2, add_addr_accepted = 2 }\nendpoints = "
    text = PAIR.replace("KEYS", f'kernel = "6.99"\n{own}"2 fullmesh"')
    text = text.replace('name = "b"\n', f'name = "b"\nkernel = "6.99"\n{own}"2 signal"\n', 1)
    second = '[[link]]\nbetween = ["a", "b"]\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
    text = text.replace("TRANSPORT", '"mptcp"') + second
    cells = twins.of(tailrace.Scenario(text))
    assert [cell.warnings for cell in cells.values()] == [[], []]
    alone = twins.of(tailrace.Scenario(text.replace("2 fullmesh", "none").replace("2 signal", "none")))
    assert all("[single-subflow]" in cell.warnings[0] for cell in alone.values())


def test_without_any_kernel_it_is_said_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.setenv("TAILRACE_KERNELS", str(tmp_path))
    with pytest.raises(UsageError, match="`tailrace kernel build"):
        twins.of(pair('"tcp"'))


def test_a_host_whose_kernel_is_none_is_simulated_whatever_else_is_said_of_it():
    keys = 'sysctl = { net.ipv4.tcp_sack = 0 }\nrun = [{ command = "true" }]'
    simulated = pair('"tcp"', f'kernel = "none"\n{keys}')
    assert tailrace.run(simulated).fingerprint == tailrace.run(pair('"tcp"')).fingerprint


@pytest.mark.parametrize(
    ("transport", "own"),
    [
        ("ecn = true, tcp_wmem = '4096 20000 200000'", ""),
        ("", "net.ipv4.tcp_sack = 0, net.ipv4.tcp_rmem = '4096 16384 60000'"),
        ("timestamps = false", ""),
        ("timestamps = false, window_scale = false", ""),
    ],
)
def test_what_is_translated_is_alike_with_a_real_kernel(transport, own):
    kernels = kernel_store.kernels()
    if not kernels:
        pytest.skip("there is no kernel: `tailrace kernel build 6.12` builds one")
    host = f'kernel = "{kernels[0].name}"\nsysctl = {{ {own} }}'
    there = flow("there", "a", "b", tcp(transport))
    codel = 'delay = "40 ms"\nqueue = { kind = "codel", ecn = true, form = "linux" }'
    text = network(host, host, there).replace('delay = "10 ms"', codel)
    cells = twins.of(tailrace.Scenario(text))
    assert keys(cells) == []
    both = [tailrace.run(cell).summary["runs"][0] for cell in cells.values()]
    goodput = [run["groups"]["there"]["goodput_bps"]["mean"] for run in both]
    assert goodput[0] == pytest.approx(goodput[1], rel=0.05)
    marked = [sum(queue["marked_packets"] for queue in run["queues"].values()) for run in both]
    assert [count > 0 for count in marked] == 2 * ["ecn" in transport]


def test_queues_that_are_empty_and_a_few_drops_are_not_judged():
    usual = twins.alike(["goodput", "backlog", "dropped", "sojourn"], ["goodput=2%"])
    assert usual == ["goodput=2%", "backlog=10% from 2", "dropped=10% from 10"]
    assert twins.alike(["backlog"], ["backlog=1%"]) == ["backlog=1%"]


def test_both_are_run_and_compared(tmp_path):
    if not kernel_store.kernels():
        pytest.skip("there is no kernel: `tailrace kernel build 6.12` builds one")
    (tmp_path / "pair.toml").write_text(PAIR.replace("KEYS", "").replace("TRANSPORT", '"tcp"'))
    command = ("twin", "pair.toml", "--json", "--no-plots", "-o", "out", "--tolerance", "goodput=2%")
    done = command_line(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert set(document["variants"]) == {"simulated", "kernels"}
    goodput = [row for row in document["difference"] if row["metric"].startswith("goodput")]
    assert len(goodput) == 1
    assert (tmp_path / "out" / "kernels" / "summary.json").exists()
    # To read, each metric is there once, with both values beside one another.
    read = command_line("twin", "pair.toml", "--no-plots", "-o", "out", cwd=tmp_path)
    assert (read.returncode, read.stdout.count("goodput")) == (0, 1), read.stdout + read.stderr
