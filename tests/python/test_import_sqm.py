"""`tailrace import sqm` and `tailrace export sqm`: OpenWrt's shapers, there and back."""

import random

import pytest

import tailrace
from conftest import command_line
from tailrace.errors import UsageError
from tailrace.imports.input_file import InputFile
from tailrace.imports.sqm import read
from text_mutations import HOSTILE, mutated

# Own text in the form of OpenWrt: three sections, of which the first is off.
CAKE = """
config queue 'guest'
\toption enabled '0'
\toption interface 'br-guest'
\toption upload '1000'

config queue 'wan'
\toption enabled '1'
\toption interface 'eth1'
\toption download '47500'   # measured 50
\toption upload '9500'
\toption qdisc 'cake'
\toption script 'piece_of_cake.qos'
\toption linklayer 'ethernet'
\toption overhead '22'
\toption tcMPU '64'
\toption squash_dscp '1'
\toption squash_ingress '1'
\toption ingress_ecn 'ECN'
\toption egress_ecn 'NOECN'
\toption eqdisc_opts 'nat dual-srchost ack-filter'
\toption iqdisc_opts 'nat dual-dsthost ingress'

config queue
\toption enabled '1'
\toption interface 'wwan0'
\toption upload '3000'
\toption download '0'
"""
FQ_CODEL = """
config queue 'wan'
\toption enabled 1
\toption interface 'eth1'
\toption download '20000'
\toption upload '4000'
\toption qdisc 'fq_codel'
\toption script 'simplest_tbf.qos'
\toption egress_ecn 'NOECN'
\toption linklayer 'ethernet'
\toption overhead '8'
"""


def draft(text):
    return read([InputFile("etc/sqm", text.encode())])


def queues(draft):
    link = next(each for each in draft.tables["link"] if each["name"] == "sqm")
    reverse = link.get("reverse") or {}
    return [None if value is None else value.value for value in (link.get("queue"), reverse.get("queue"))]


def test_the_first_section_that_is_enabled_becomes_the_shapers_before_the_modem():
    found = draft(CAKE)
    assert queues(found) == [
        "cake bandwidth 9500kbit overhead 22 mpu 64 besteffort dual-srchost ack-filter",
        "cake bandwidth 47500kbit overhead 22 mpu 64 besteffort wash dual-dsthost ingress",
    ]
    text = found.toml()
    assert "# sqm:11: option upload '9500'; piece_of_cake.qos\n" in text
    assert "# - sqm:2: section 'guest': it is not enabled\n" in text
    assert "# - sqm:24: the section without a name: another line: import it by itself\n" in text
    assert text.count("nat: nothing is translated here") == 1
    made = found.scenario()
    assert made.warnings == []
    line = next(each for each in made.said()["link"] if each["name"] == "line")
    assert (line["rate"], line["reverse"]["rate"], line["overhead"]) == (
        "10.556 Mbit/s",
        "52.8 Mbit/s",
        "22 B",
    )


def test_uci_show_says_the_same():
    shown = ["sqm.wan=queue"]
    for line in CAKE[CAKE.index("config queue 'wan'") : CAKE.rindex("config queue")].splitlines()[1:]:
        if line.strip():
            words = line.split("#")[0].split(maxsplit=2)
            shown.append(f"sqm.wan.{words[1]}={words[2].strip()}")
    assert queues(draft("\n".join(shown))) == queues(draft(CAKE))


def test_defaults_are_those_of_sqm_scripts():
    found = draft("config queue\n\toption enabled '1'\n\toption upload '4000'\n")
    up, down = queues(found)
    # simple.qos with fq_codel; best effort has 16 kbit/s less; 33 cells of ATM at 4000 kbit/s take less than 5 ms.
    assert (up["kind"], up["rate"], up["cburst"]) == ("htb", "3.984 Mbit/s", "1749 B")
    assert up["queue"] == "fq_codel limit 1001 target 5000us interval 100000us ecn"
    assert (up["burst"], up["overhead"]) == ("1749 B", "14 B")
    # The default download, 14698 kbit/s.
    assert (down["rate"], down["burst"]) == ("14.682 Mbit/s", "1835 B")
    assert "sqm-scripts' default" not in found.toml()
    slow = queues(draft("config queue\n\toption enabled '1'\n\toption upload '1016'\n"))[0]
    assert slow["queue"] == "fq_codel limit 1001 target 13992us interval 108992us ecn"
    ppp = queues(draft("config queue\n\toption interface pppoe-wan\n\toption upload '4000'\n"))[0]
    assert ppp["overhead"] == "0 B"


def test_a_rate_of_zero_shapes_nothing():
    found = draft(CAKE.replace("'47500'", "'0'"))
    assert queues(found)[1] is None
    assert "a rate of 0 means no shaper for the download" in found.toml()
    assert found.scenario().warnings == []


def test_classes_by_dscp_and_atm():
    layered = CAKE.replace("piece_of_cake", "layer_cake").replace("'ethernet'", "'atm'")
    up, down = queues(draft(layered))
    assert up.startswith("cake bandwidth 9500kbit atm overhead 22 mpu 64 diffserv3 ")
    assert " besteffort wash " in down
    text = draft(layered).toml()
    assert 'overhead = "196 B"  # sqm:15: ATM with overhead 22' in text
    assert draft(layered).scenario().warnings == []
    kept = queues(draft(layered.replace("squash_ingress '1'", "squash_ingress '0'")))[1]
    assert " diffserv3 wash " in kept


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("option upload '9500'\n", "etc/sqm:1: option upload stands before the first `config` line"),
        ("config interface 'lan'\n", "etc/sqm: there is no `config queue` section"),
        (
            CAKE.replace("'9500'", "'9.5'"),
            "etc/sqm:11: option upload is '9.5'; sqm-scripts need a whole number of kbit/s",
        ),
        (CAKE.replace("'9500'", "'9500"), "etc/sqm:11: a quotation mark is not closed"),
        (
            CAKE.replace("piece_of_cake", "nxt_routed"),
            "etc/sqm:13: option script is 'nxt_routed.qos'; known are piece_of_cake",
        ),
        (CAKE.replace("'ethernet'", "'docsis'"), "etc/sqm:14: option linklayer is 'docsis'"),
        (CAKE.replace("'22'", "'-4'"), "etc/sqm:15: option overhead is '-4'"),
        ("tc qdisc show\n", "etc/sqm:1: 'tc qdisc show' is no line of a configuration of OpenWrt"),
        (CAKE.replace("ack-filter", "ack-filtre"), 'unknown word "ack-filtre"'),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_line(text, message):
    with pytest.raises(UsageError) as error:
        draft(text).scenario()
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text", [CAKE, FQ_CODEL, FQ_CODEL.replace("simplest_tbf", "simplest")], ids=["cake", "tbf", "htb"]
)
def test_what_is_exported_is_imported_as_the_same_shapers(text, tmp_path):
    (tmp_path / "a.toml").write_text(draft(text).toml(), "utf-8")
    out = command_line("export", "sqm", "a.toml", "--interface", "eth1", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    (tmp_path / "b.toml").write_text(draft(out.stdout).toml(), "utf-8")

    def resolved(name):
        links = tailrace.Scenario.of(tailrace.Scenario.of(tmp_path / name).to_toml()).said()["link"]
        link = next(each for each in links if each["name"] == "sqm")
        return link["queue"], link["reverse"]["queue"]

    assert resolved("a.toml") == resolved("b.toml")


@pytest.mark.parametrize("seed", range(40))
def test_configurations_with_random_changes_never_end_in_a_traceback(seed):
    rng = random.Random(seed)
    text = mutated(rng, rng.choice([CAKE, FQ_CODEL]), 9, [*HOSTILE, "option"])
    try:
        draft(text).scenario()
    except UsageError as error:
        assert str(error)


def test_exports_that_cannot_be(tmp_path):
    (tmp_path / "a.toml").write_text(draft(CAKE).toml(), "utf-8")
    for words, message in (
        (["--interface", "a name"], "an interface has at most 15 characters"),
        (
            ["--interface", "eth1", "--set", "link.sqm.queue=codel", "--set", "link.sqm.reverse.queue=codel"],
            "no queue with",
        ),
        (["--interface", "eth1", "--link", "lin"], "lin"),
        (
            ["--interface", "eth1", "--set", "link.sqm.queue=tbf rate 5mbit burst 5kb latency 9ms"],
            "one script for both",
        ),
    ):
        out = command_line("export", "sqm", "a.toml", *words, cwd=tmp_path)
        assert (out.returncode, message in out.stderr) == (2, True), (words, out.stderr)
