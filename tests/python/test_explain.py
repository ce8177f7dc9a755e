# ruff: noqa: E501 - lines as programs print them
"""`tailrace explain`: texts written for this test in the form of public reports, held against the model."""

import json
import random

import pytest

from conftest import command_line
from tailrace.errors import UsageError
from tailrace.explain import explanation, pasted
from tailrace.imports.input_file import InputFile
from text_mutations import mutated

SHAPED = """\
I limited my machine to ten megabits:
```
tc qdisc add dev eth0 root tbf rate 10mbit burst 16kb latency 300ms
```
and measured
> $ iperf3 -c 10.0.0.1 -t 10
> [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
> [  5]   0.00-1.00   sec  1.38 MBytes  {first} Mbits/sec    0    120 KBytes
> [  5]   1.00-2.00   sec  1.12 MBytes  {rate} Mbits/sec    0    150 KBytes
> [  5]   2.00-3.00   sec  1.12 MBytes  {rate} Mbits/sec   10    150 KBytes
> - - - - - - - - - - - - - - - - - - - - - - - - -
> [  5]   0.00-3.00  sec  11.6 MBytes  {rate} Mbits/sec   10             sender
> [  5]   0.00-3.04  sec  11.3 MBytes  {rate} Mbits/sec                  receiver
rtt min/avg/max/mdev = 20.123/21.345/24.000/0.500 ms
and while it runs
rtt min/avg/max/mdev = 21.000/{ping}/330.000/40.000 ms
tcp ESTAB 0 0 cubic wscale:7,7 rto:404 rtt:290.5/4 mss:1448 cwnd:{cwnd} minrtt:20.2
"""
GOOD = SHAPED.format(first="11.5", rate="9.45", ping="270.000", cwnd=240)


def explained(text, tmp_path, **options):
    file = tmp_path / "report.txt"
    file.write_text(text, "utf-8")
    return explanation.explain(str(file), runs=1, **options)


def verdicts(found):
    return {each.says.split(" of ")[0].split(" with ")[0]: each.verdict for each in found.statements}


def test_statements_that_fit_the_stated_queue_are_confirmed(tmp_path):
    found = explained(GOOD, tmp_path)
    assert found.recognised == {"tc": 1, "iperf": 1, "ping": 2, "ss": 1, "ip mptcp": 0}
    assert [(each.place.partition(":")[2], each.verdict) for each in found.statements] == [
        ("13", "confirmed"),
        ("14", "not to tell"),
        ("16", "confirmed"),
        ("17", "confirmed"),
    ]
    assert not found.contradicted
    # The shortest round trip is the model's own input, and said so.
    assert "taken from the text's shortest round trip" in found.text()
    assert any(guess.startswith("link.eth0.rate = 1 Gbit/s") for guess in found.guesses)
    assert found.draft.scenario().warnings == []


def test_statements_that_the_queue_forbids_are_contradicted(tmp_path):
    found = explained(SHAPED.format(first="94.0", rate="93.9", ping="900.000", cwnd=10), tmp_path)
    said = {each.place.partition(":")[2]: each for each in found.statements}
    assert {place: each.verdict for place, each in said.items()} == {
        "13": "contradicted",
        "14": "not to tell",
        "16": "contradicted",
        "17": "contradicted",
    }
    assert "more passed than the stated queue" in said["13"].why
    assert "another buffer on the way" in said["16"].why


def test_a_rate_that_the_model_was_made_of_is_never_confirmed_by_it(tmp_path):
    text = "iperf3 -c server\n[  5]   0.00-10.00  sec   112 MBytes  94.1 Mbits/sec   12   sender\n"
    found = explained(text, tmp_path)
    (statement,) = found.statements
    assert (statement.verdict, "it would always agree" in statement.why) == ("not to tell", True)
    missing = " ".join(found.missing)
    assert all(
        word in missing for word in ("ping without other traffic", "tc -s qdisc show", "ss -ti", "ethtool")
    )


def test_netems_limit_is_named_where_it_is_near_the_measured_rate(tmp_path):
    text = "tc qdisc add dev eth1 root netem delay 100ms\n[  3]  0.0-10.0 sec   119 MBytes   100 Mbits/sec\n"
    found = explained(text, tmp_path)
    assert any(
        "120 Mbit/s at most" in each.model and each.verdict == "confirmed" for each in found.statements
    )


def test_a_download_through_the_only_shaped_device_goes_towards_the_client(tmp_path):
    text = (
        "tc qdisc add dev veth0 root tbf rate 2mbit burst 10kb latency 100ms\n"
        "Reverse mode, remote host 10.0.0.9 is sending\n"
        "[  5]   0.00-1.00   sec   235 KBytes  1.92 Mbits/sec\n"
        "[  5]   1.00-2.00   sec   235 KBytes  1.90 Mbits/sec\n"
    )
    found = explained(text, tmp_path)
    assert [each.verdict for each in found.statements] == ["confirmed"]
    assert "sends towards the client" in found.draft.toml()


def test_counts_of_unknown_traffic_are_left_open_and_a_backlog_is_a_time(tmp_path):
    text = (
        "root@pi:~# tc -s qdisc show dev eth0\n"
        "qdisc cake 8021: root refcnt 2 bandwidth 800Kbit besteffort nonat nowash split-gso rtt 100.0ms atm overhead 10\n"
        " Sent 3816835 bytes 8077 pkt (dropped 4081, overlimits 18216 requeues 12)\n"
        " backlog 10000b 7p requeues 12\n"
    )
    found = explained(text, tmp_path)
    assert [each.verdict for each in found.statements] == ["confirmed", "not to tell"]
    assert found.statements[0].model.startswith("100 ms at 800 kbit/s")


def test_endpoints_are_paths_of_a_connection(tmp_path):
    text = "My endpoints:\nip mptcp endpoint add 10.0.1.2 dev eth0 subflow\nip mptcp endpoint add 10.0.2.2 dev wlan0 subflow\n"
    found = explained(text, tmp_path)
    (statement,) = found.statements
    assert statement.model.startswith("2 paths carry data")
    assert statement.verdict == "not to tell"


def test_streams_of_iperf_are_counted_and_their_sum_is_taken():
    lines = [
        "$ iperf3 -c 10.0.0.1 -P 2",
        "[  5]   0.00-1.00   sec  1 MBytes  4.00 Mbits/sec    0    120 KBytes",
        "[  7]   0.00-1.00   sec  1 MBytes  5.00 Mbits/sec    0    120 KBytes",
        "[SUM]   0.00-1.00   sec  2 MBytes  9.00 Mbits/sec    0",
        "[  5]   1.00-2.00   sec  1 MBytes  4.00 Mbits/sec    0    120 KBytes",
        "[  7]   1.00-2.00   sec  1 MBytes  5.00 Mbits/sec    0    120 KBytes",
        "[SUM]   1.00-2.00   sec  2 MBytes  9.00 Mbits/sec    0",
        "[  5]   0.00-2.00   sec  2 MBytes  4.00 Mbits/sec    3    sender",
        "[SUM]   0.00-2.00   sec  4 MBytes  9.10 Mbits/sec    7    sender",
        "[SUM]   0.00-2.00   sec  4 MBytes  9.05 Mbits/sec         receiver",
        "$ iperf3 -u -b 5M -c 10.0.0.1",
        "[  5]   0.00-1.00   sec  600 KBytes  4.90 Mbits/sec  0.1 ms  2/430 (0.5%)",
    ]
    found = pasted.recognise(InputFile("x", "\n".join(lines).encode())).transfers
    assert [(t.streams, t.bps, t.rates, t.retransmits) for t in found[:1]] == [(2, 9.05e6, [9e6, 9e6], 7)]
    assert [(t.udp, t.offered_bps, t.bps) for t in found[1:]] == [(True, 5e6, 4.9e6)]


def test_the_command_has_an_exit_code_for_a_contradiction(tmp_path):
    (tmp_path / "bad.txt").write_text(
        SHAPED.format(first="94.0", rate="93.9", ping="270.0", cwnd=240), "utf-8"
    )
    (tmp_path / "good.txt").write_text(GOOD, "utf-8")
    (tmp_path / "none.txt").write_text("It is slow.\n", "utf-8")
    bad = command_line("explain", "bad.txt", "--runs", "1", cwd=tmp_path)
    assert (bad.returncode, "Contradicted: more passed" in bad.stdout) == (4, True)
    good = command_line("explain", "good.txt", "--runs", "1", "--json", "-o", "good.toml", cwd=tmp_path)
    told = json.loads(good.stdout)
    assert (good.returncode, {each["verdict"] for each in told["statements"]}) == (
        0,
        {"confirmed", "not to tell"},
    )
    assert (tmp_path / "good.toml").read_text("utf-8") == told["scenario"]
    none = command_line("explain", "none.txt", cwd=tmp_path)
    assert (none.returncode, "none.txt: nothing is recognised: paste what" in none.stderr) == (2, True)


@pytest.mark.parametrize("seed", range(40))
def test_texts_with_random_changes_never_end_in_a_traceback(seed, monkeypatch, tmp_path):
    """Holds mutations of a report against everything but the run itself."""
    rng = random.Random(seed)
    text = mutated(rng, GOOD, 29)
    file = tmp_path / "report.txt"
    file.write_bytes(text.encode())

    class WouldRunError(Exception):
        """Stands for the run, which takes seconds."""

    def run(*_, **__):
        raise WouldRunError

    monkeypatch.setattr(explanation.api, "run", run)
    with pytest.raises((UsageError, WouldRunError)):
        explanation.explain(str(file))
