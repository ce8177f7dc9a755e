"""Lines of tc, iperf, ping, ss and ip mptcp in a pasted text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tailrace.imports import ip_mptcp
from tailrace.imports.input_file import InputFile, Line
from tailrace.imports.tc import statements as tc
from tailrace.imports.tc.scenario import kinds
from tailrace.text import tc_units

_MULTIPLES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9}
_INTERVAL = re.compile(
    r"\[\s*(?P<id>\d+|SUM)\](?:\[[A-Z-]+\])?\s+(?P<start>\d+\.\d+)\s*-\s*(?P<end>\d+\.\d+)\s+sec\s+"
    r"(?P<transfer>[\d.]+) ?[KMG]?Bytes\s+(?P<rate>[\d.]+) ?(?P<unit>[KMG]?)bits/sec(?P<rest>.*)"
)
_PING_SUMMARY = re.compile(
    r"(?:rtt|round-trip) min/avg/max(?:/(?:mdev|stddev))? = ([\d.]+)/([\d.]+)/([\d.]+)"
)
_PING_REPLY = re.compile(r"\b(?:icmp_seq|seq|icmp_req)[=:]\s?\d+.*\btime[=<] ?([\d.]+) ?ms")
_PING_LOSS = re.compile(r"\b([\d.]+)% packet loss")
_PING_START = re.compile(r"^PING \S+")
_SOCKET = re.compile(r"\brtt:([\d.]+)/[\d.]+\b.*\bcwnd:(\d+)")
_SOCKET_NUMBER = {
    name: re.compile(rf"\b{name}:([\d.]+)") for name in ("mss", "minrtt", "cwnd", "rcv_space", "snd_wnd")
}
_CONTROLS = ("cubic", "reno", "bbr", "bbr2", "bbr3", "dctcp", "vegas", "highspeed", "prague")
_SAYS_CONTROL = re.compile(r"\btcp_congestion_control\s*=\s*(\w+)|\biperf3?\b.*\s-C\s*(\w+)")
_STREAMS = re.compile(r"\biperf3?\b.*\s-P\s*(\d+)")
_BY_RATE = re.compile(r"\biperf3?\b.*\s-b\s*([\d.]+)([KMG]?)\b")
# Marks of a quotation or of code around a line.
_MARKUP = re.compile(r"^(?:>\s?)+|`{3,}\w*|^\s*`|`\s*$")
# Numbers that texts have in place of values are bounded, so that no scenario becomes too large.
_MOST_STREAMS, _MOST_BPS, _MOST_MS = 64, 400e9, 60_000.0


@dataclass
class Transfer:
    """A test of iperf or iperf3."""

    line: Line
    """Line of its result: the summary, or the last interval."""
    rates: list[float] = field(default_factory=list)
    """Rates of its intervals in bit/s, all streams together."""
    summary_bps: float | None = None
    received: bool = False
    """Whether the summary is the receiver's."""
    retransmits: int | None = None
    streams: int = 1
    down: bool = False
    udp: bool = False
    offered_bps: float | None = None
    seconds: float = 0.0

    @property
    def bps(self) -> float:
        """Rate of the whole test."""
        if self.summary_bps is not None:
            return self.summary_bps
        return sum(self.rates) / len(self.rates) if self.rates else 0.0


@dataclass
class Ping:
    """Round trips of a ping, in seconds."""

    line: Line
    least: float
    mean: float
    most: float


@dataclass
class Socket:
    """A line of `ss -ti`."""

    line: Line
    control: str
    rtt: float
    least_rtt: float | None
    cwnd: int
    mss: int


@dataclass
class Pasted:
    """Everything that was recognised."""

    file: InputFile
    tc: tc.TcText = field(default_factory=tc.TcText)
    mptcp: ip_mptcp.Settings = field(default_factory=ip_mptcp.Settings)
    transfers: list[Transfer] = field(default_factory=list)
    pings: list[Ping] = field(default_factory=list)
    sockets: list[Socket] = field(default_factory=list)
    control: tuple[str, Line] | None = None
    """Congestion control that the text states."""
    loss: tuple[float, Line] | None = None
    """Share of packets that a ping lost."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it can be run or judged."""
        return not (
            self.tc.statements or self.mptcp.endpoints or self.transfers or self.pings or self.sockets
        )

    @property
    def least_rtt(self) -> tuple[float, Line] | None:
        """Shortest round trip, and the line that says it."""
        found = [(ping.least, ping.line) for ping in self.pings]
        found += [(socket.least_rtt, socket.line) for socket in self.sockets if socket.least_rtt]
        return min(found, key=lambda each: each[0]) if found else None


def recognise(file: InputFile) -> Pasted:
    """Everything in a text that programs have printed, or that was typed for them."""
    found, reader = Pasted(file), _Iperf()
    others: list[Line] = []
    replies: list[tuple[float, Line]] = []
    for quoted in file.lines:
        line = Line(quoted.number, _MARKUP.sub("", quoted.text), quoted.file)
        _take_control(found, line)
        if reader.take(line):
            continue
        if _take_ping(found, line, replies) or _take_socket(found, line) or ip_mptcp.take(found.mptcp, line):
            continue
        others.append(line)
    _add_ping(found, replies)
    found.transfers = reader.done()
    found.tc = tc.parse(others, kinds())
    return found


def _take_control(found: Pasted, line: Line) -> None:
    says = _SAYS_CONTROL.search(line.text)
    name = (says[1] or says[2]) if says else ""
    if name in _CONTROLS:
        found.control = (name, line)


def _milliseconds(text: str) -> float | None:
    """Seconds of a number of milliseconds; None where it is no number or beyond any network."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number / 1e3 if 0 < number <= _MOST_MS else None


def _take_ping(found: Pasted, line: Line, replies: list[tuple[float, Line]]) -> bool:
    """Takes replies and summaries of a ping."""
    if loss := _PING_LOSS.search(line.text):
        share = tc_units.percent(loss[1])
        found.loss = (share, line) if share is not None else found.loss
        return True
    if match := _PING_SUMMARY.search(line.text):
        times = [_milliseconds(text) for text in match.groups()]
        if all(times):
            least, mean, most = (each or 0.0 for each in times)
            found.pings.append(Ping(line, least, mean, most))
            replies.clear()
        return True
    if match := _PING_REPLY.search(line.text):
        if (time := _milliseconds(match[1])) is not None:
            replies.append((time, line))
        return True
    if _PING_START.match(line.text.strip()):
        _add_ping(found, replies)
        return True
    return False


def _add_ping(found: Pasted, replies: list[tuple[float, Line]]) -> None:
    """Adds a ping that has replies and no summary."""
    if replies:
        times = [time for time, _ in replies]
        found.pings.append(Ping(replies[-1][1], min(times), sum(times) / len(times), max(times)))
        replies.clear()


def _take_socket(found: Pasted, line: Line) -> bool:
    match = _SOCKET.search(line.text)
    if not match:
        return False
    numbers = {name: pattern.search(line.text) for name, pattern in _SOCKET_NUMBER.items()}
    rtt = _milliseconds(match[1])
    least = numbers["minrtt"]
    mss = numbers["mss"]
    if rtt is not None and len(match[2]) < 8:  # noqa: PLR2004 - more segments than any window has
        control = next((word for word in line.text.split() if word in _CONTROLS), "")
        size = int(float(mss[1])) if mss else 1448
        found.sockets.append(
            Socket(
                line,
                control,
                rtt,
                _milliseconds(least[1]) if least else None,
                int(match[2]),
                min(size, 65_536),
            )
        )
    return True


class _Iperf:
    """Reader of the output of iperf and iperf3, test by test."""

    def __init__(self) -> None:
        self.tests: list[Transfer] = []
        self.intervals: dict[tuple[float, float], dict[str, float]] = {}
        self.ids: set[str] = set()
        self.next_keys: dict[str, object] = {}

    def take(self, line: Line) -> bool:
        """Takes a line; whether it is one of iperf."""
        text = line.text
        if re.search(r"\biperf3?\b.*\s-[cs]\b", text):
            self._end()
            self.next_keys = _options(text)
            return True
        if "Reverse mode, remote host" in text:
            self.next_keys["down"] = True
            return True
        if text.strip().startswith(("Connecting to host", "Client connecting to", "Accepted connection")):
            self._end()
            return True
        if "Jitter" in text and "Datagrams" in text:
            self.next_keys["udp"] = True
            return True
        match = _INTERVAL.search(text)
        if not match:
            return (
                bool(re.match(r"\s*\[\s*(ID|\d+)\].*(Interval|local .* connected)", text))
                or "iperf Done" in text
            )
        rate = float(match["rate"]) * _MULTIPLES[match["unit"]] if match["rate"].count(".") < 2 else 0.0  # noqa: PLR2004
        if rate <= _MOST_BPS and "(omitted)" not in match["rest"]:
            self._interval(line, match, rate)
        return True

    def _interval(self, line: Line, match: re.Match[str], rate: float) -> None:
        start, end = float(match["start"]), float(match["end"])
        summary = start == 0 and len(self.intervals) > 1 and end > 1.5 * max(e - s for s, e in self.intervals)
        words = match["rest"].split()
        if not summary and not {"sender", "receiver"} & set(words):
            if self.tests and self._summary_of_last and start == 0:
                self._summary_of_last = False
            if match["id"] != "SUM":
                self.ids.add(match["id"])
            self.intervals.setdefault((start, end), {})[match["id"]] = rate
            self.last = line
            return
        self._finish_intervals(line, end)
        test = self.tests[-1]
        receiver = "receiver" in words
        several = len(self.ids) > 1
        if several and match["id"] != "SUM":
            return
        if test.summary_bps is None or receiver or not test.received:
            test.summary_bps, test.received, test.line = rate, receiver, line
        if not receiver and words[:1] and words[0].isdigit() and len(words[0]) < 10:  # noqa: PLR2004
            test.retransmits = int(words[0])

    last: Line | None = None
    _summary_of_last = False

    def _finish_intervals(self, line: Line, end: float) -> None:
        """Makes a test of the intervals so far."""
        if self.tests and not self.intervals and self._summary_of_last:
            return
        rates = [rates["SUM"] if "SUM" in rates else sum(rates.values()) for rates in self.intervals.values()]
        keys = self.next_keys
        self.tests.append(
            Transfer(
                self.last if self.intervals and self.last else line,
                rates,
                streams=max(1, min(len(self.ids) or 1, _MOST_STREAMS), int(str(keys.get("streams", 1)))),
                down=bool(keys.get("down")),
                udp=bool(keys.get("udp")),
                offered_bps=keys.get("offered_bps"),  # type: ignore[arg-type]
                seconds=end,
            )
        )
        self.intervals, self._summary_of_last = {}, True

    def _end(self) -> None:
        """Ends a test, of which there may be intervals without a summary."""
        if self.intervals and self.last:
            self._finish_intervals(self.last, max(end for _, end in self.intervals))
        self._summary_of_last, self.ids, self.next_keys = False, set(), {}

    def done(self) -> list[Transfer]:
        """All tests with a rate."""
        self._end()
        return [test for test in self.tests if test.bps > 0]


def _options(text: str) -> dict[str, object]:
    """Options of a command of iperf that change what is sent."""
    keys: dict[str, object] = {
        "down": bool(re.search(r"\s-R\b", text)),
        "udp": bool(re.search(r"\s-u\b", text)),
    }
    if (match := _STREAMS.search(text)) and len(match[1]) < 6:  # noqa: PLR2004
        keys["streams"] = max(1, min(int(match[1]), _MOST_STREAMS))
    if match := _BY_RATE.search(text):
        keys["offered_bps"] = float(match[1]) * _MULTIPLES[match[2]] if match[1].count(".") < 2 else None  # noqa: PLR2004
    return keys


def idle_and_loaded(pings: Sequence[Ping]) -> tuple[Ping | None, Ping | None]:
    """The ping on the idle path and that under load: of several the shortest and the longest mean."""
    if not pings:
        return None, None
    ordered = sorted(pings, key=lambda ping: ping.mean)
    return (ordered[0], ordered[-1]) if len(ordered) > 1 else (None, ordered[0])
