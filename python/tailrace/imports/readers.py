"""Kinds of files that can be imported: a file of this package and a line of this table each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from tailrace.imports.draft import ScenarioDraft
from tailrace.imports.input_file import InputFile

Read: TypeAlias = Callable[[Sequence[InputFile]], ScenarioDraft]


@dataclass(frozen=True)
class Reader:
    """A kind of file."""

    module: str
    """Module of this package whose function `read` takes the files and makes a draft; it loads when it is used."""
    summary: str
    """Sentence for the help of `tailrace import`."""
    files: str
    """Files that it takes, for the help of the argument."""
    most_files: int = 1
    reads_in_pieces: bool = False
    """Whether it takes files of any size, by `InputFile.stream`."""

    def read(self, paths: Sequence[str]) -> ScenarioDraft:
        """The scenario that the files at these paths describe."""
        function: Read = import_module(f"tailrace.imports.{self.module}").read
        opened = InputFile.unread if self.reads_in_pieces else InputFile.read
        return function([opened(path) for path in paths])


READERS = {
    "tc": Reader(
        "tc",
        "Queue disciplines of Linux: commands of tc as they are posted, or what `tc -s qdisc show` prints.",
        "A text with commands of tc, or with what it prints.",
    ),
    "sqm": Reader(
        "sqm",
        "OpenWrt's /etc/config/sqm: a home behind its modem, with the shapers of the first section that is enabled.",
        "The file /etc/config/sqm, or what `uci show sqm` prints.",
    ),
    "ip-mptcp": Reader(
        "ip_mptcp",
        "Multipath TCP's endpoints and limits, as `ip mptcp endpoint show` and `ip mptcp limits show` print them.",
        "What both commands print at the client, and then the same of the server if there is any.",
        most_files=2,
    ),
    "iperf3": Reader(
        "iperf3",
        "A result of `iperf3 --json`: a path like the measured one, and the measured rates as a CSV file.",
        "What `iperf3 --json` prints.",
    ),
    "mahimahi": Reader(
        "mahimahi",
        "Packet delivery traces of Mahimahi's mm-link: an uplink, or an uplink and a downlink.",
        "The trace of the uplink, and then that of the downlink if there is one.",
        most_files=2,
    ),
    "csv": Reader(
        "link_trace",
        "Measurements of a link over time: columns time, rate, delay and loss, or those of LENS, Lumos5G and others.",
        "A table with commas, semicolons or tabs, whose first row names the columns and their units.",
    ),
    "cdf": Reader(
        "size_cdf",
        "Distributions of flow sizes, as traffic generators of ns-2, HPCC, Homa and htsim have them.",
        "A file with a size and the share of flows that are no larger on each line.",
    ),
    "gml": Reader(
        "gml",
        "Networks in GML, such as those of the Internet Topology Zoo.",
        "A graph of nodes and edges.",
    ),
    "graphml": Reader(
        "graphml",
        "Networks in GraphML, such as those of the Internet Topology Zoo and of yEd.",
        "A graph of nodes and edges.",
    ),
    "sndlib": Reader(
        "sndlib",
        "Networks of SNDlib with their demands, in its native format or in XML.",
        "A network of SNDlib.",
    ),
    "pcap": Reader(
        "capture",
        "Captures of packets (pcap or pcapng): flows with their starts, sizes and round trips, and the rates each way.",
        "A capture of tcpdump, tshark or Wireshark; it may be larger than memory, and packed with gzip.",
        reads_in_pieces=True,
    ),
}
