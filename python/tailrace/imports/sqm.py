"""OpenWrt's /etc/config/sqm: the shapers that sqm-scripts sets up for it, before the modem and for what comes in.

Defaults and the qdiscs of each script are those of sqm-scripts (github.com/tohojo/sqm-scripts, `defaults.sh`, `*.qos`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailrace.imports import uci
from tailrace.imports.draft import ScenarioDraft, Value, assumed, taken
from tailrace.imports.input_file import InputFile
from tailrace.imports.network import home_network
from tailrace.text import interface_names, sqm_defaults, tc_units

# Values that sqm-scripts take where the file has none.
_DEFAULTS = {
    "upload": "2302",
    "download": "14698",
    "qdisc": "fq_codel",
    "script": "simple.qos",
    "linklayer": "none",
    "overhead": "0",
    "tcMPU": "0",
    "ingress_ecn": "ECN",
    "egress_ecn": "ECN",
    "squash_dscp": "1",
    "squash_ingress": "1",
    "linklayer_adaptation_mechanism": "default",
}
# Largest rate in kbit/s that is read: 100 Gbit/s.
_MOST_KBIT = 100_000_000
_CAKE_SCRIPTS = ("piece_of_cake.qos", "layer_cake.qos")
_OTHER_SCRIPTS = ("simple.qos", "simplest.qos", "simplest_tbf.qos")
# Share of the line's rate that the shaper is assumed to have; guides of OpenWrt say 80 to 95 % of what was measured.
_SHARE = 0.9
# From this rate in kbit/s on, an assumed rate is rounded to 100 kbit/s.
_ROUNDED = 10_000
# Cells of ATM carry 48 of 53 bytes.
_ATM_CELL, _ATM_PAYLOAD = 53, 48


@dataclass(frozen=True)
class _Direction:
    """A direction of a section: the options of it, and the words for it."""

    rate: str
    ecn: str
    options: str
    limit: str
    target: str
    ingress: bool = False


_UP = _Direction("upload", "egress_ecn", "eqdisc_opts", "elimit", "etarget")
_DOWN = _Direction("download", "ingress_ecn", "iqdisc_opts", "ilimit", "itarget", ingress=True)


def read(files: Sequence[InputFile]) -> ScenarioDraft:
    """A home whose router shapes as the first section that is enabled says."""
    (file,) = files
    found = [section for section in uci.sections(file) if section.type == "queue"]
    if not found:
        file.fail("there is no `config queue` section: give /etc/config/sqm, or what `uci show sqm` prints")
    enabled = [section for section in found if _setting(section, "enabled") == "1"]
    section = (enabled or found)[0]
    draft = ScenarioDraft(
        f"sqm-{section.get('interface') or section.name or 'wan'}",
        "How long does a ping take while uploads and downloads fill the line?",
    )
    _Section(file, section, draft).build()
    for other in found:
        if other is not section:
            why = "another line: import it by itself" if other in enabled else "it is not enabled"
            draft.omit(other.line, f"{other.label}: {why}")
    if not enabled:
        draft.remark(
            f"No section is enabled, so the router does not shape yet: this is {section.label} as if it were."
        )
    return draft


def _setting(section: uci.Section, option: str) -> str:
    """Value of an option, or what sqm-scripts take without one."""
    return section.get(option) or _DEFAULTS.get(option, "")


@dataclass
class _Section:
    """A section on its way into a draft."""

    file: InputFile
    section: uci.Section
    draft: ScenarioDraft

    def build(self) -> None:
        """Adds the home, its traffic and the shapers of both directions."""
        section, draft = self.section, self.draft
        draft.remark(
            f"Read from {self.file.name}: {section.label}, interface {section.get('interface') or 'unknown'}."
        )
        draft.remark(
            "The router shapes before the modem (link `sqm`), so packets wait there and not in the modem (`line`)."
        )
        up, down = self._rate("upload"), self._rate("download")
        home_network(
            draft,
            before_modem={"queue": self._queue(_UP, up), "reverse": {"queue": self._queue(_DOWN, down)}},
            up=self._line_rate("upload", up),
            down=self._line_rate("download", down),
            overhead=self._overhead_of_line(),
        )

    def _rate(self, option: str) -> int:
        """Rate of a direction in kbit/s; zero where it is not shaped."""
        return self._number(option, _MOST_KBIT, "a whole number of kbit/s, such as '18000'")

    def _number(self, option: str, most: int, form: str) -> int:
        text = _setting(self.section, option)
        if not (text.isascii() and text.isdigit()) or int(text[:20]) > most:
            self.file.fail(
                f"option {option} is {text[:40]!r}; sqm-scripts need {form}, at most {most}",
                self.section.line_of(option),
            )
        return int(text)

    def _value(self, value: object, option: str) -> Value:
        """A value that follows from an option, or from its default."""
        if option in self.section.options:
            return taken(value, self.section.line_of(option))
        return Value(value, f"sqm-scripts' default: option {option} {_setting(self.section, option)!r}")

    def _line_rate(self, option: str, kbit: int) -> Value:
        if kbit == 0:
            return assumed(
                "20 Mbit/s" if option == "upload" else "100 Mbit/s", "the rate of the line; put yours in"
            )
        share = f"{_SHARE:.0%}".replace("%", " %")
        return assumed(
            tc_units.rate_text(round(kbit / _SHARE, -2 if kbit >= _ROUNDED else 0) * 1000),
            f"the shaper has {share} of it; measure without SQM and put it in",
        )

    def _overhead_of_line(self) -> Value | None:
        """Overhead of the line itself: known where the file says the link layer."""
        layer = _setting(self.section, "linklayer")
        if layer == "none":
            return None
        if layer not in {"atm", "adsl", "ethernet"}:
            self.file.fail(
                f"option linklayer is {layer[:40]!r}; sqm-scripts know none, ethernet and atm",
                self.section.line_of("linklayer"),
            )
        overhead = self._number("overhead", 256, "a number of bytes")
        if layer != "ethernet":
            whole = -(-(1500 + overhead) // _ATM_PAYLOAD) * _ATM_CELL - 1500
            return taken(
                f"{whole} B",
                self.section.line_of("overhead"),
                f"ATM with overhead {overhead}: cells of {_ATM_CELL} bytes, for a packet of 1500",
            )
        return self._value(f"{overhead} B", "overhead")

    def _queue(self, direction: _Direction, kbit: int) -> Value | None:
        """The qdisc that a script sets up in a direction, as a queue of a scenario."""
        script, qdisc = _setting(self.section, "script"), _setting(self.section, "qdisc")
        line = self.section.line_of("script")
        if script not in _CAKE_SCRIPTS + _OTHER_SCRIPTS:
            self.file.fail(
                f"option script is {script[:40]!r}; known are {', '.join(_CAKE_SCRIPTS + _OTHER_SCRIPTS)}",
                line,
            )
        if kbit == 0:
            self.draft.omit(
                self.section.line_of(direction.rate), f"a rate of 0 means no shaper for the {direction.rate}"
            )
            return None
        with_cake = script in _CAKE_SCRIPTS or (qdisc.startswith("cake") and script != "simplest_tbf.qos")
        queue = (
            self._cake(direction, kbit, script) if with_cake else self._token_bucket(direction, kbit, script)
        )
        words = f"{self._said(direction.rate)}; {script}"
        return taken(queue, self.section.line_of(direction.rate), words)

    def _said(self, option: str) -> str:
        return f"option {option} {_setting(self.section, option)!r}"

    def _cake(self, direction: _Direction, kbit: int, script: str) -> str:
        """The line of cake, in the order in which sqm-scripts write it: a later word replaces an earlier one."""
        words = [f"cake bandwidth {kbit}kbit"]
        layer = _setting(self.section, "linklayer")
        if layer != "none" and _setting(self.section, "linklayer_adaptation_mechanism") in {
            "default",
            "cake",
        }:
            self._overhead_of_line()
            overhead = self._number("overhead", 256, "a number of bytes")
            mpu = self._number("tcMPU", 256, "a number of bytes")
            words += ["atm"] if layer in {"atm", "adsl"} else []
            words += [f"overhead {overhead} mpu {mpu}"]
        ignored = direction.ingress and _setting(self.section, "squash_ingress") == "1"
        if script in _CAKE_SCRIPTS:
            besteffort = script == "piece_of_cake.qos" or ignored
            words += ["besteffort" if besteffort else "diffserv3"]
            words += ["wash"] if direction.ingress and _setting(self.section, "squash_dscp") == "1" else []
            self._no_nat("script")
        elif script == "simplest.qos" or ignored:
            words += ["besteffort"]
        words += self._own_words(direction)
        return " ".join(words)

    def _no_nat(self, option: str) -> None:
        """Notes the word `nat`, once."""
        why = "nat: nothing is translated here, hosts keep their addresses"
        if all(each.why != why for each in self.draft.omissions):
            self.draft.omit(self.section.line_of(option), why)

    def _own_words(self, direction: _Direction) -> list[str]:
        """Words of `iqdisc_opts` and `eqdisc_opts`, but for those about translated addresses."""
        words = self.section.get(direction.options).split()
        if "nat" in words:
            self._no_nat(direction.options)
        return [word for word in words if word not in {"nat", "nonat"}]

    def _token_bucket(self, direction: _Direction, kbit: int, script: str) -> dict[str, object]:
        """HTB with one class, or TBF: a token bucket with the qdisc of the file in it."""
        if script == "simple.qos":
            self.draft.omit(
                self.section.line_of("script"),
                "simple.qos has three classes by DSCP; the traffic here is best effort, whose class has 16 kbit/s less",
            )
            kbit = max(kbit - 16, 8)
        layer, overhead = _setting(self.section, "linklayer"), 0
        if layer != "none":
            self._overhead_of_line()
            overhead = self._number("overhead", 256, "a number of bytes")
            if layer in {"atm", "adsl"}:
                self.draft.omit(self.section.line_of("linklayer"), "cells of ATM: only cake counts them here")
        burst = f"{sqm_defaults.burst_bytes(kbit)} B"
        counted = interface_names.counted_header(self.section.get("interface")) + overhead
        htb = {"cburst": burst} if script != "simplest_tbf.qos" else {}
        return {
            "kind": "htb" if htb else "tbf",
            "rate": tc_units.rate_text(kbit * 1000),
            "burst": burst,
            **htb,
            "overhead": f"{counted} B",
            "queue": self._inner(direction, kbit),
        }

    def _inner(self, direction: _Direction, kbit: int) -> str:
        """The qdisc inside the shaper, with the words that sqm-scripts give it."""
        qdisc = _setting(self.section, "qdisc")
        qdisc = "fq_codel" if qdisc.startswith("cake") else qdisc
        words = [qdisc]
        if qdisc.endswith(("codel", "pie")) or qdisc in {"sfq", "pfifo"}:
            words += [f"limit {self.section.get(direction.limit) or sqm_defaults.LIMIT}"]
        if qdisc.endswith(("codel", "pie")):
            words += self._target(direction, kbit, interval=qdisc.endswith("codel"))
            words += ["ecn" if _setting(self.section, direction.ecn) == "ECN" else "noecn"]
        return " ".join(words + self._own_words(direction))

    def _target(self, direction: _Direction, kbit: int, *, interval: bool) -> list[str]:
        stated = self.section.get(direction.target)
        if stated and stated.lower() not in {"auto", "default"}:
            return [f"target {stated}"]
        if stated.lower() == "default":
            return []
        target = sqm_defaults.target_us(kbit)
        return [
            f"target {target}us",
            *([f"interval {sqm_defaults.interval_us(target)}us"] if interval else []),
        ]
