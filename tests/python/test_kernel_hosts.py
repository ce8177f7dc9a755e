"""Hosts with kernels of their own: what is said without one, hosts that share one, settings, and which it was."""

from __future__ import annotations

import pytest

import tailrace
from conftest import command_line
from kernel_ends import BULK, FLOW, at_ends, flow
from tailrace.errors import ScenarioError, UsageError
from tailrace.kernels import kernel_store, run_kernels
from tailrace.show import report


def test_a_kernel_that_is_not_there_is_said_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAILRACE_KERNELS", str(tmp_path / "none"))
    file = tmp_path / "pair.toml"
    text = FLOW.replace("APP", BULK).replace("KERNEL_A", 'kernel = "6.99"').replace("KERNEL_B", "")
    file.write_text(text)
    for command in ("run", "check"):
        done = command_line(command, file, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert "there is no kernel '6.99'" in done.stderr
        assert "`tailrace kernel build 6.99` builds one" in done.stderr
        # What is no version is none to build.
        done = command_line(command, file, "--set", "host.a.kernel=6", cwd=tmp_path)
        assert "there is no kernel '6'" in done.stderr
        assert "`tailrace kernel build 6.12` builds one" in done.stderr
    assert not (tmp_path / "results").exists()
    with pytest.raises(UsageError, match=r"no kernel '6.99'.*`tailrace kernel build 6.99` builds one"):
        tailrace.run(file)


def test_without_the_program_that_starts_kernels_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(run_kernels, "AGENT", tmp_path / "tailrace-agent")
    with pytest.raises(UsageError, match="`make build` in the sources builds it"):
        run_kernels.agent()


SHARED = """
name = "hosts of one kernel"
duration = "6 s"
[[host]]
name = "a"
count = 2
kernel = "KERNEL"
namespace = "lab"
sysctl = { net.ipv4.tcp_ecn = 1 }
run = [{ at = "1 s", command = "WHO" }]
[[host]]
name = "b"
kernel = "KERNEL"
namespace = "lab"
run = [{ at = "1 s", command = "WHO" }]
[[router]]
name = "r"
[[link]]
between = ["a[*]", "r"]
rate = "10 Mbit/s"
delay = "5 ms"
[[link]]
between = ["r", "b"]
rate = "2 Mbit/s"
delay = "5 ms"
queue = { kind = "droptail", limit = "40 packets" }
[[flow]]
name = "f"
from = "a[*]"
to = "b"
transport = { kind = "tcp", cc = "cubic" }
app = { kind = "transfer", size = "300 kB" }
""".replace("WHO", "cat /proc/sys/net/ipv4/tcp_ecn; readlink /proc/self/ns/net; ip -br -4 addr")


def test_hosts_of_one_kernel_have_networks_of_their_own(series):
    text = SHARED.replace("KERNEL", series)
    one, again = (tailrace.run(tailrace.Scenario(text)) for _ in range(2))
    assert one.fingerprint == again.fingerprint
    said = [program["output"].split() for program in one.summary["runs"][0]["programs"]]
    # ECN was asked for at `a` alone; `b` has Linux's own setting.
    assert [words[0] for words in said] == ["1", "1", "2"]
    assert len({words[1] for words in said}) == 3, said
    # Each has its own link, and by the name that it has on a kernel of its own.
    addresses = [(words[words.index("eth0") + 2], "eth1" in words) for words in said]
    assert addresses == [("10.0.0.1/32", False), ("10.0.0.2/32", False), ("10.0.0.3/32", False)]
    apart = tailrace.run(tailrace.Scenario(text.replace('namespace = "lab"', "")))
    for result in (one, apart):
        flows = result.flows.to_dicts()
        assert [(row["completed"], row["delivered_bytes"]) for row in flows] == [(1, 300_000)] * 2
        # What they send each other crosses their links: 2 Mbit/s, 10 ms.
        assert all(row["completion_goodput_bps"] < 2e6 for row in flows)
        assert all(row["one_way_delay_mean_s"] > 0.01 for row in flows)


def test_a_link_between_hosts_of_one_kernel_is_a_link(series):
    apart = flow(BULK, series, series)
    text = FLOW.replace("APP", BULK)
    together = tailrace.run(at_ends(text, series, series, 'namespace = "lab"'))
    for result in (apart, together):
        assert result.flows["one_way_delay_mean_s"].item() > 0.01
        # Slower than the link by the headers, and by nothing else once it is full.
        assert 9.0e6 < result.flows["goodput_bps"].item() < 9.66e6


LOOKS_UP = "date +%s%N; getent hosts b; getent hosts nobody; date +%s%N; ls /sys/class/net"


@pytest.mark.parametrize("together", [True, False])
def test_names_are_answered_at_once_and_sys_shows_a_hosts_own_interfaces(series, together):
    text = SHARED.replace("KERNEL", series)
    command = 'run = [{ at = "1 s", command = "' + LOOKS_UP + '" }]'
    text = text.replace(text[text.index("run = [") : text.index("}]") + 2], command, 1)
    if not together:
        text = text.replace('namespace = "lab"', "")
    [first, *_] = tailrace.run(tailrace.Scenario(text)).summary["runs"][0]["programs"]
    begin, address, name, end, *interfaces = first["output"].split()
    assert (address, name) == ("10.0.0.3", "b")
    assert int(end) - int(begin) < 10_000_000, "ns: nobody is waited for"
    # On a kernel of its own a host sees the one by which flows are driven, too, and others that kernels begin with.
    assert {"eth0", "lo"} <= set(interfaces)
    if together:
        assert interfaces == ["eth0", "lo"]


OF_ONE_KERNEL = """
name = "shared"
duration = "2 s"
host = [
  { name = "web", count = 2, kernel = "KERNEL", namespace = "one", sysctl = SETTINGS, run = [
    { command = "hostname; getent ahostsv4 web1; cat /proc/sys/net/core/rmem_max" },
  ] },
  { name = "other", kernel = "KERNEL", namespace = "one", sysctl = OTHERS },
]
router = [{ name = "r" }]
link = [
  { between = ["web[*]", "r"], rate = "10 Mbit/s", delay = "1 ms" },
  { between = ["other", "r"], rate = "10 Mbit/s", delay = "1 ms" },
]
"""


def of_one_kernel(kernel, settings, others):
    return tailrace.Scenario(
        OF_ONE_KERNEL.replace("KERNEL", kernel).replace("SETTINGS", settings).replace("OTHERS", others)
    )


def test_a_setting_that_a_kernel_does_not_take_is_said_at_its_place(kernel):
    for setting, why, help_ in (
        ("net.ipv4.tcp_sackk = 0", "the kernel has no setting net.ipv4.tcp_sackk", "net.ipv4.tcp_sack"),
        ("net.ipv4.tcp_nosuch = 0", "the kernel has no setting net.ipv4.tcp_nosuch", None),
        ("net.ipv4.tcp_congestion_control = 'cubik'", 'the kernel does not take "cubik"', "cubic"),
        ("net.ipv4.tcp_sack = 300", 'the kernel does not take "300" for net.ipv4.tcp_sack', None),
        ("net.ipv4.tcp_available_congestion_control = 'reno'", "does not let", None),
    ):
        with pytest.raises(ScenarioError) as refused:
            tailrace.run(of_one_kernel(kernel, f"{{ {setting} }}", "{}"))
        text = refused.value.shown
        assert f"host web[0]: {why}" in text or why in text, text
        assert "sysctl = {" in text, "the line of the file"
        assert (f"did you mean `{help_}`?" in text) == (help_ is not None), text
        assert "panic" not in text


def test_a_setting_that_comes_from_the_command_line_is_said_there(kernel):
    text = OF_ONE_KERNEL.replace("KERNEL", kernel).replace("SETTINGS", "{}").replace("OTHERS", "{}")
    scenario = tailrace.Scenario(text, overrides={"host.web.sysctl.net.ipv4.tcp_sackk": "0"})
    with pytest.raises(ScenarioError) as refused:
        tailrace.run(scenario)
    assert "--set host.web.sysctl.net.ipv4.tcp_sackk=0" in refused.value.shown
    variant = tailrace.Scenario(text).variant("v", {"host.web.sysctl.net.ipv4.tcp_sack": "300"})
    with pytest.raises(ScenarioError) as refused:
        tailrace.run(variant)
    assert "host.web.sysctl.net.ipv4.tcp_sack=300" in refused.value.shown


def test_a_setting_that_kernels_have_once_is_set_for_all_hosts_of_one(kernel):
    result = tailrace.run(of_one_kernel(kernel, "{ net.core.rmem_max = 4000000 }", "{}"))
    first, second = (p["output"].splitlines() for p in result.summary["runs"][0]["programs"])
    assert (first[-1], second[-1]) == ("4000000", "4000000")
    with pytest.raises(ScenarioError, match=r"host other: net.ipv4.tcp_mem is .* share one kernel"):
        tailrace.run(
            of_one_kernel(
                kernel, "{ net.ipv4.tcp_mem = '9000 9000 9000' }", "{ net.ipv4.tcp_mem = '9000 9000 8000' }"
            )
        )


def test_one_of_several_hosts_has_a_name_without_brackets(kernel):
    result = tailrace.run(of_one_kernel(kernel, "{}", "{}"))
    first, second = (p["output"].splitlines() for p in result.summary["runs"][0]["programs"])
    assert (first[0], second[0]) == ("web0", "web1")
    assert first[1].startswith("10.0.0.2 ")


def test_a_result_says_which_kernels_it_is_of(kernel, tmp_path):
    result = tailrace.run(of_one_kernel(kernel, "{}", "{}"))
    result.save(tmp_path / "out")
    [said] = tailrace.Result.load(tmp_path / "out").manifest["kernels"]
    found = kernel_store.find(kernel)
    assert said == {
        "name": kernel,
        "version": found.version,
        "sha256": found.sha256,
        "hosts": ["web[0]", "web[1]", "other"],
    }
    page = report.of(result).html
    assert found.sha256 in page
    assert "web[0], web[1], other" in page
    assert "on every machine" not in page
