"""Scenarios twice: what becomes of a file, and where there is a kernel, how alike both are."""

import json

import pytest

import tailrace
from conftest import command_line
from tailrace import twins
from tailrace.errors import UsageError
from tailrace.kernels import shelf

PAIR = """
name = "pair"
duration = "6 s"
[[host]]
name = "a"
KEYS
[[host]]
name = "b"
[[link]]
name = "l"
between = ["a", "b"]
rate = "10 Mbit/s"
delay = "10 ms"
[[flow]]
name = "f"
from = "a"
to = "b"
transport = TRANSPORT
app = { kind = "bulk" }
"""


def pair(transport, keys=""):
    return tailrace.Scenario(PAIR.replace("TRANSPORT", transport).replace("KEYS", keys))


def test_a_file_without_kernels_gets_the_one_that_is_named_at_the_ends_of_its_flows():
    cells = twins.of(pair('"tcp"'), "6.99")
    assert list(cells) == ["simulated", "kernels"]
    assert cells["kernels"].native.kernels == {"6.99": "a"}
    assert not cells["simulated"].native.kernels
    for cell in cells.values():
        assert cell.written("flow.f.transport.profile") == '"linux"'


def test_what_a_kernel_is_told_of_paths_the_simulated_manager_is_told_too():
    keys = 'kernel = "6.99"\nlimits = { subflows = 4, add_addr_accepted = 1 }\nendpoints = "1 subflow"'
    cells = twins.of(pair('{ kind = "mptcp", profile = "rfc" }', keys))
    assert cells["kernels"].native.kernels == {"6.99": "a"}
    manager = cells["simulated"].written("flow.f.transport.path_manager")
    said = {"subflows": "4", "add_addr_accepted": "1", "client": "1 subflow", "server": "none"}
    assert all(f"{key} = " in manager and value in manager for key, value in said.items()), manager
    assert cells["simulated"].written("flow.f.transport.profile") == '"rfc"'


@pytest.mark.parametrize(
    ("kernel", "profile"), [("6.1", "linux_6_1"), ("6.1.7", "linux_6_1"), ("6.12", "linux")]
)
def test_simulated_multipath_tcp_is_that_of_the_kernel(kernel, profile):
    for transport in ('"mptcp"', '{ kind = "mptcp" }'):
        simulated = twins.of(pair(transport), kernel)["simulated"]
        written = simulated.written("flow.f.transport.profile") or simulated.written("flow.f.transport")
        assert f'"{profile}"' in written.replace("'", '"'), written


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
        (pair('"tcp"', 'kernel = "6.99"'), "6.12", "leave out --kernel"),
    ],
)
def test_what_cannot_be_twice_says_why(scenario, kernel, message):
    with pytest.raises(UsageError, match=message):
        twins.of(scenario, kernel)


def test_without_any_kernel_it_is_said_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.setenv("TAILRACE_KERNELS", str(tmp_path))
    with pytest.raises(UsageError, match="`tailrace kernel build"):
        twins.of(pair('"tcp"'))


def test_a_host_whose_kernel_is_none_is_simulated_whatever_else_is_said_of_it():
    keys = 'sysctl = { net.ipv4.tcp_sack = 0 }\nrun = [{ command = "true" }]'
    simulated = pair('"tcp"', f'kernel = "none"\n{keys}')
    assert tailrace.run(simulated).fingerprint == tailrace.run(pair('"tcp"')).fingerprint


def test_both_are_run_and_compared(tmp_path):
    if not shelf.kernels():
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
