"""Scenarios twice: what becomes of a file, and where there is a kernel, how alike both are."""

import json
import tomllib

import pytest

import tailrace
from conftest import command_line
from tailrace import twins
from tailrace.errors import ScenarioError, UsageError
from tailrace.kernels import shelf

HOSTS = """
name = "pair"
duration = "6 s"
[[host]]
name = "a"
OF_A
[[host]]
name = "b"
OF_B
[[link]]
name = "l"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
"""
FLOW = """
[[flow]]
name = "NAME"
from = "FROM"
to = "TO"
transport = TRANSPORT
app = "bulk"
"""
SIMULATED, KERNELS = "simulated", "kernels"


def hosts(a="", b=""):
    return HOSTS.replace("OF_A", a).replace("OF_B", b)


def flow(transport, name="f", ends=("a", "b")):
    text = FLOW.replace("NAME", name).replace("TRANSPORT", transport)
    return text.replace("FROM", ends[0]).replace("TO", ends[1])


def pair(transport, a="", b=""):
    return tailrace.Scenario(hosts(a, b) + flow(transport))


def settings(said, kernel="6.99"):
    return f'kernel = "{kernel}"\nsysctl = {{ {said} }}'


def both_ways(there="", back="", a="", b=""):
    """Settings of both hosts, where only their values are of interest."""
    told = [f'{{ kind = "tcp"{more and ", "}{more} }}' for more in (there, back)]
    flows = flow(told[0], "there") + flow(told[1], "back", ("b", "a"))
    return twins.of(tailrace.Scenario(hosts(settings(a), settings(b)) + flows))


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


@pytest.mark.parametrize(
    ("a", "b", "app", "share"),
    [
        ("6.1", "6.1.7", "bulk", "auto"),
        ("6.1", "6.12", "bulk", None),
        ("6.12", "6.1", "bulk", "auto"),
        ("6.12", "6.12", "bulk", None),
        ("6.1", "6.12", "video", "auto"),
        ("6.12", "6.1", "video", None),
    ],
)
def test_receivers_of_6_1_advertise_half_of_their_buffers(a, b, app, share):
    kernels = {"host.a.kernel": f"'{a}'", "host.b.kernel": f"'{b}'", "flow.f.app": f"'{app}'"}
    cells = twins.of(tailrace.Scenario.of(pair('"tcp"'), set=kernels))
    assert said(cells[SIMULATED], "flow.f.transport.tcp_window_share") == share


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize(("a", "b"), [("6.1", "6.12"), ("6.12", "6.1")])
def test_ends_with_two_kernels_have_what_is_the_senders_of_one_and_the_receivers_of_the_other(
    a, b, direction
):
    def transport(own, other):
        app = {"flow.f.app": f'{{ kind = "bulk", direction = "{direction}" }}'}
        ends = {"host.a.kernel": f"'{own}'", "host.b.kernel": f"'{other}'"}
        simulated = twins.of(tailrace.Scenario.of(pair('"mptcp"'), set={**app, **ends}))[SIMULATED]
        [flow] = tomllib.loads(simulated.to_toml())["flow"]
        return flow["transport"]

    mixed = transport(a, b)
    sender, receiver = (a, b) if direction == "up" else (b, a)
    sending, receiving = transport(sender, sender), transport(receiver, receiver)
    differing = {key for key, value in sending.items() if receiving[key] != value} - {"profile"}
    senders = {"hands_out", "send_buffer_of", "send_overhead"}
    assert {key for key in differing if mixed[key] == sending[key]} == senders
    assert all(mixed[key] == receiving[key] for key in differing - senders)
    assert len(differing) > len(senders)


@pytest.mark.parametrize(
    ("scenario", "kernel", "message"),
    [
        (
            tailrace.Scenario(
                hosts()
                + flow('"udp"').replace('"bulk"', '{ kind = "cbr", rate = "1 Mbit/s", size = "1 kB" }')
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
    text = (
        hosts()
        + flow('"tcp"')
        + (
            '[[host]]\nname = "c"\nkernel = "6.97"\n'
            '[[link]]\nbetween = ["c", "b"]\nrate = "10 Mbit/s"\ndelay = "1 ms"\n'
            '[[flow]]\nname = "u"\nfrom = "c"\nto = "b"\ntransport = "udp"\n'
            "app = { kind = \"cbr\", rate = '1 Mbit/s', size = '1 kB' }\n"
        )
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
    ends = [f'kernel = "6.99"\n{own}"2 {word}"' for word in ("fullmesh", "signal")]
    second = '[[link]]\nbetween = ["a", "b"]\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
    text = hosts(*ends) + flow('"mptcp"') + second
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
    kernels = shelf.kernels()
    if not kernels:
        pytest.skip("there is no kernel: `tailrace kernel build 6.12` builds one")
    told = settings(own, kernels[0].name)
    codel = 'delay = "40 ms"\nqueue = { kind = "codel", ecn = true, form = "linux" }'
    network = hosts(told, told).replace('delay = "10 ms"', codel)
    tcp = f'{{ kind = "tcp"{transport and ", "}{transport} }}'
    cells = twins.of(tailrace.Scenario(network + flow(tcp)))
    assert keys(cells) == []
    both = [tailrace.run(cell).summary["runs"][0] for cell in cells.values()]
    goodput = [run["groups"]["f"]["goodput_bps"]["mean"] for run in both]
    assert goodput[0] == pytest.approx(goodput[1], rel=0.05)
    marked = [sum(queue["marked_packets"] for queue in run["queues"].values()) for run in both]
    assert [count > 0 for count in marked] == 2 * ["ecn" in transport]


def test_queues_that_are_empty_and_a_few_drops_are_not_judged():
    usual = twins.alike(["goodput", "backlog", "dropped", "sojourn"], ["goodput=2%"])
    assert usual == ["goodput=2%", "backlog=10% from 2", "dropped=10% from 10"]
    assert twins.alike(["backlog"], ["backlog=1%"]) == ["backlog=1%"]


def test_both_are_run_and_compared(tmp_path):
    if not shelf.kernels():
        pytest.skip("there is no kernel: `tailrace kernel build 6.12` builds one")
    (tmp_path / "pair.toml").write_text(hosts() + flow('"tcp"'))
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


@pytest.mark.parametrize(
    ("transport", "own", "told"),
    [
        ('"tcp"', "", []),
        ('{ kind = "tcp", cc = "reno", profile = "linux", sack = true }', "", []),
        (
            '{ kind = "tcp", sack = false }',
            "",
            [("sack", '"net.ipv4.tcp_sack" = "0" } at host a and host b')],
        ),
        ('{ kind = "tcp", sack = false }', "sysctl = { net.ipv4.tcp_sack = 0 }", []),
        ('{ kind = "tcp", ecn = true }', "", [("ecn", '"net.ipv4.tcp_ecn" = "1" } at host a')]),
        ('{ kind = "tcp", mss = "500 B" }', "", [("mss", "no setting of a kernel means the same")]),
        (
            '{ kind = "tcp", cc = { kind = "cubic", beta = 0.5 } }',
            "",
            [("cc.beta", "no setting of a kernel means the same")],
        ),
        (
            '{ kind = "mptcp", cc = "cubic", path_manager = "linux" }',
            "",
            [("path_manager", "write `limits` and `endpoints` at the hosts")],
        ),
        (
            '{ kind = "mptcp", cc = "cubic", path_manager = "linux" }',
            'endpoints = "1 subflow"',
            [],
        ),
    ],
)
def test_keys_that_the_kernels_of_a_flow_ignore_are_said(transport, own, told):
    kernel = f'kernel = "6.99"\n{own}'
    found = twins.ignored(pair(transport, kernel, kernel))
    assert [warning["message"].split("`")[1] for _, warning in found] == [key for key, _ in told]
    assert all(warning["help"].endswith(what) for (_, warning), (_, what) in zip(found, told, strict=True))
    # A simulated end obeys its keys.
    assert twins.ignored(pair(transport, kernel)) == []


def test_what_no_kernel_does_says_that_twin_gave_the_kernel():
    attacked = """
[[host]]
name = "c"
[[link]]
between = ["c", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
[[attack]]
name = "greedy"
from = "FROM"
to = "b"
kind = "ack_division"
"""
    attacked = hosts() + flow('"tcp"') + attacked
    with pytest.raises(ScenarioError) as found:
        twins.of(tailrace.Scenario(attacked.replace("FROM", "a")), "6.99")
    assert "whose TCP keeps to the rules" in str(found.value)
    assert "the file names no kernel for a, b: twin gives one" in str(found.value)
    assert "--set-each host.NAME.kernel=none,6.99" in str(found.value)
    # A host of its own is simulated on both sides.
    assert len(twins.of(tailrace.Scenario(attacked.replace("FROM", "c")), "6.99")) == 2
    # What the file says itself is not twin's doing.
    rude = flow('{ kind = "tcp", misbehaviour = "ack_division" }')
    with pytest.raises(ScenarioError) as found:
        twins.of(tailrace.Scenario(hosts(settings(""), settings("")) + rude))
    assert "twin gives one" not in str(found.value)
