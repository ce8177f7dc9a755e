"""`tailrace import pcap`: flows, rates and round trips of captures; tshark says whether they are right."""

import gzip
import shutil
import struct
import subprocess
import tracemalloc
from pathlib import Path

import pytest

import tailrace
from tailrace.errors import UsageError
from tailrace.imports import capture
from tailrace.imports.capture_file import CaptureReader
from tailrace.imports.capture_flows import Locality, statistics_of
from tailrace.imports.input_file import InputFile
from tailrace.imports.packet_headers import ACK, FIN, SYN, headers_of

NEAR, FAR = bytes([192, 168, 1, 2]), bytes([203, 0, 113, 9])
BEGIN = 1_700_000_000_000_000_000


def segment(source, destination, ports, seq, ack, flags, payload=0):
    """An IPv4 packet with a TCP segment, of which only the headers were captured, and its length."""
    tcp = struct.pack(">HHIIBBHHH", *ports, seq % 2**32, ack % 2**32, 5 << 4, flags, 1000, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + payload, 0, 0, 64, 6, 0, source, destination)
    return ip + tcp, 40 + payload


def datagram(source, destination, ports, payload):
    udp = struct.pack(">HHHH", *ports, 8 + payload, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + payload, 0, 0, 64, 17, 0, source, destination)
    return ip + udp, 28 + payload


def ethernet(packet, tags=0):
    data, length = packet
    head = bytes(12) + b"\x81\x00\x00\x05" * tags + (b"\x08\x00" if data[0] >> 4 == 4 else b"\x86\xdd")
    return head + data, len(head) + length


def pcap(packets, link_type=1, order="<", nano=True):
    """A file of packets with times in nanoseconds."""
    magic, unit = (0xA1B23C4D, 1) if nano else (0xA1B2C3D4, 1000)
    out = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262144, link_type)]
    for time, (data, length) in packets:
        out.append(struct.pack(f"{order}4I", time // 10**9, time % 10**9 // unit, len(data), length) + data)
    return b"".join(out)


def pcapng(packets, link_type=1, order="<", resolution=9):
    def block(kind, body):
        body += bytes(-len(body) % 4)
        size = struct.pack(f"{order}I", len(body) + 12)
        return struct.pack(f"{order}I", kind) + size + body + size

    option = struct.pack(f"{order}HHB3xHH", 9, 1, resolution, 0, 0)
    ticks = 2 ** (resolution & 127) if resolution & 128 else 10**resolution
    out = [
        block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack(f"{order}HHI", link_type, 0, 0) + option),
    ]
    for time, (data, length) in packets:
        units = time * ticks // 10**9
        out.append(
            block(6, struct.pack(f"{order}5I", 0, units >> 32, units % 2**32, len(data), length) + data)
        )
        out.append(block(5, struct.pack(f"{order}3I", 0, 0, 0)))  # statistics of the interface, to be skipped
    return b"".join(out)


def download(start=0, port=40000, size=10, wrap=False):
    """A connection of the near host: a request of 100 bytes, `size` segments of 1000 bytes, the second sent twice.

    Captured at the near host, 30 ms from the far one.
    """
    ms = 1_000_000
    up, down = (port, 443), (443, port)
    isn = 2**32 - 2500 if wrap else 7000
    packets = [
        (0, segment(NEAR, FAR, up, 1, 0, SYN)),
        (30 * ms, segment(FAR, NEAR, down, isn, 2, SYN | ACK)),
        (31 * ms, segment(NEAR, FAR, up, 2, isn + 1, ACK)),
        (32 * ms, segment(NEAR, FAR, up, 2, isn + 1, ACK, 100)),
    ]
    for i in range(size):
        packets.append((62 * ms + i * ms, segment(FAR, NEAR, down, isn + 1 + 1000 * i, 102, ACK, 1000)))
        packets.append((62 * ms + i * ms + 1, segment(NEAR, FAR, up, 102, isn + 1 + 1000 * (i + 1), ACK)))
    packets.append((100 * ms, segment(FAR, NEAR, down, isn + 1001, 102, ACK, 1000)))
    packets.append((101 * ms, segment(FAR, NEAR, down, isn + 1 + 1000 * size, 102, ACK | FIN)))
    return [(BEGIN + start + time, packet) for time, packet in packets]


def call(start=0, packets=50):
    """Datagrams of 172 bytes each way, 20 ms apart."""
    found = []
    for i in range(packets):
        time = BEGIN + start + i * 20_000_000
        found.append((time, datagram(NEAR, FAR, (5004, 5006), 172)))
        found.append((time + 5_000_000, datagram(FAR, NEAR, (5006, 5004), 172)))
    return found


def read(data, name="a.pcap"):
    return capture.read([InputFile(name, data)])


def framed(packets, tags=0):
    return [(time, ethernet(packet, tags)) for time, packet in sorted(packets, key=lambda each: each[0])]


def flows(draft):
    found = {}
    for flow in draft.tables["flow"]:
        app = flow["app"]
        size = app["size"]
        found[flow["name"]] = (flow["from"], flow["to"], getattr(size, "value", size), flow.get("start"))
    return found


EXPECTED = {
    "tcp-1-down": ("203-0-113-9", "near", "10000 B", "0.062000 s"),
    "udp-2-up": ("near", "203-0-113-9", "172 B", "0.200000 s"),
    "udp-2-down": ("203-0-113-9", "near", "172 B", "0.205000 s"),
}


@pytest.mark.parametrize(
    "data",
    [
        pcap(framed(download() + call(200_000_000))),
        pcap(framed(download(wrap=True) + call(200_000_000)), order=">"),
        pcap(framed(download() + call(200_000_000), tags=2), nano=False),
        pcap(sorted(download() + call(200_000_000), key=lambda each: each[0]), link_type=101),
        pcapng(framed(download() + call(200_000_000))),
        pcapng(framed(download() + call(200_000_000)), order=">", resolution=6),
        pcapng(framed(download() + call(200_000_000)), resolution=0x80 | 30),
        gzip.compress(pcap(framed(download() + call(200_000_000)))),
    ],
    ids=["pcap", "big endian", "vlan", "raw", "pcapng", "pcapng, us", "pcapng, 2^-30", "gzip"],
)
def test_flows_have_their_starts_sizes_and_directions(data):
    draft = read(data)
    found = flows(draft)
    assert {name: each[:3] for name, each in found.items()} == {
        name: each[:3] for name, each in EXPECTED.items()
    }
    starts = [
        (float(each[3].split()[0]), float(EXPECTED[name][3].split()[0])) for name, each in found.items()
    ]
    assert all(a == pytest.approx(b, abs=2e-6) for a, b in starts)
    link = next(each for each in draft.tables["link"] if each["name"].endswith("/access"))
    # From the SYN to the ACK of the handshake 31 ms, of which 0.1 ms each way are on the near link.
    assert link["delay"].value == "15.4 ms"


def test_a_workload_runs_and_gives_what_was_captured():
    draft = read(pcapng(framed(download(size=200) + call(400_000_000))))
    result = tailrace.run(draft.scenario())
    groups = result.aggregate["groups"]
    assert groups["tcp-1-down"]["delivered_bytes"]["mean"] == pytest.approx(200_000)
    assert groups["udp-2-up"]["delivered_bytes"]["mean"] == pytest.approx(50 * 172, rel=0.05)


def test_the_larger_side_counts_and_requests_do_not():
    # 100 bytes of request to 10 kB are 1 %: to 5 kB they are more, and a transfer by themselves.
    assert set(flows(read(pcap(framed(download(size=5)))))) == {"tcp-1-up", "tcp-1-down"}


def test_many_flows_are_arrivals_with_their_sizes():
    many = [each for i in range(300) for each in download(i * 50_000_000, 40000 + i, size=1 + i % 40)]
    draft = read(pcap(framed(many)))
    (transfers,) = [flow for flow in draft.tables["flow"] if flow["name"] == "transfers-down"]
    assert transfers["app"]["size"].value.startswith("cdf(2000 B ")
    assert transfers["app"]["size"].value.endswith("40000 B 1)")
    # 300 flows in 15.05 s.
    assert transfers["app"]["gap"].value.startswith("exponential(50.1")
    draft.scenario()


def test_connections_that_began_before_the_capture_have_flows_and_round_trips():
    packets = download()[4:]
    draft = read(pcap(framed(packets)))
    assert flows(draft)["tcp-1-down"][2] == "10000 B"


def test_ipv6_and_cooked_captures_are_read():
    near, far = bytes.fromhex("fd00" + "0" * 27 + "1"), bytes.fromhex("20010db8" + "0" * 23 + "9")
    udp = struct.pack(">HHHH", 5004, 5006, 108, 0)
    hop_by_hop = bytes([17, 0, 0, 0, 0, 0, 0, 0])
    packet = struct.pack(">IHBB", 6 << 28, 116, 0, 64) + near + far + hop_by_hop + udp
    for link_type, head in (
        (113, bytes(14) + b"\x86\xdd"),
        (276, b"\x86\xdd" + bytes(18)),
        (101, b""),
        (1, bytes(12) + b"\x86\xdd"),
    ):
        headers = headers_of(link_type, head + packet, len(head) + 156)
        assert (headers.source, headers.destination_port, headers.size, headers.payload) == (
            near,
            5006,
            156,
            100,
        )
    assert headers_of(113, bytes(14) + b"\x08\x06" + bytes(28), 44) is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"no capture at all", "a.pcap: is no capture"),
        (b"\xd4\xc3\xb2\xa1\x02", "ends within its first header"),
        (pcap([]), "has no packets"),
        (pcap([(BEGIN, ethernet(segment(NEAR, FAR, (1, 2), 0, 0, ACK)))]), "none of its 1 packets is data"),
        (pcap(framed(download()), link_type=105), "packet 1 is of link type 105"),
        (pcap([(BEGIN, (b"", 10))])[:24] + struct.pack("<4I", 0, 0, 1 << 30, 5), "the file is damaged there"),
        (
            pcapng(framed(download()))[:28] + struct.pack("<3I", 6, 16, 0),
            "which none can have" if False else "a.pcap",
        ),
        (gzip.compress(pcap(framed(download())))[:100], "cannot be unpacked"),
    ],
)
def test_captures_that_cannot_be_read_say_why(data, said):
    with pytest.raises(UsageError) as error:
        read(data)
    assert said in str(error.value)


def test_a_capture_that_was_cut_keeps_what_is_whole():
    for data in (pcap(framed(download(size=20)))[:-30], pcapng(framed(download(size=20)))[:-30]):
        draft = read(data)
        assert "ends within a packet" in draft.omissions[-1].why
        assert flows(draft)["tcp-1-down"][2] == "20000 B"


def test_a_large_capture_takes_no_more_memory_than_a_small_one(tmp_path):
    """Some 30 MB with bodies, of a single flow: what is kept is counters and the bytes of each 100 ms."""
    body = bytes(1000)
    piece = b"".join(
        struct.pack("<4I", 1_700_000_000 + i // 1000, i % 1000 * 1_000_000, 1054, 1054)
        + ethernet(segment(NEAR, FAR, (40000, 443), 2 + 1000 * i, 5, ACK, 1000))[0]
        + body
        for i in range(30_000)
    )
    place = tmp_path / "large.pcap"
    place.write_bytes(pcap([]) + piece)
    del piece
    tracemalloc.start()
    found = statistics_of(CaptureReader(InputFile.unread(str(place))).packets(), Locality())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.conversations[0].sides[0].size(6) == 30_000_000
    assert peak < 4_000_000, peak


CAPTURED = """
name = "captured"
duration = "6 s"
host = [{ name = "phone" }, { name = "web" }, { name = "tv" }]
router = [{ name = "home" }, { name = "isp" }]
link = [
    { between = ["phone", "home"], rate = "100 Mbit/s", delay = "2 ms" },
    { between = ["home", "isp"], rate = "8 Mbit/s", delay = "10 ms", loss = 0.005, reverse = { rate = "20 Mbit/s" } },
    { between = ["isp", "web"], rate = "1 Gbit/s", delay = "5 ms" },
    { between = ["isp", "tv"], rate = "1 Gbit/s", delay = "30 ms" },
]
capture = [{ at = "phone" }]

[[flow]]
name = "up"
from = "phone"
to = "web"
transport = "tcp"
app = { kind = "transfer", size = "700 kB" }

[[flow]]
name = "down"
from = "web"
to = "phone"
transport = "tcp"
app = { kind = "transfer", size = "3 MB" }
start = "1 s"

[[flow]]
name = "pages"
from = "phone"
to = "tv"
transport = "tcp"
app = { kind = "sequence", size = "40 kB", gap = "100 ms", direction = "down" }

[[flow]]
name = "voice"
from = "phone"
to = "tv"
transport = "udp"
app = { kind = "cbr", rate = "64 kbit/s", size = "160 B" }
start = "500 ms"
"""


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_counts_the_same(tmp_path):
    result = tailrace.run(CAPTURED)
    result.save(tmp_path / "out")
    (place,) = Path(tmp_path / "out").rglob("*.pcapng")
    found = statistics_of(CaptureReader(InputFile.unread(str(place))).packets(), Locality())
    fields = [
        "frame.time_relative",
        "tcp.stream",
        "udp.stream",
        "ip.src",
        "ip.len",
        "tcp.len",
        "tcp.seq",
        "udp.length",
    ]
    said = subprocess.run(
        ["tshark", "-r", place, "-T", "fields", "-E", "separator=,", *(x for f in fields for x in ("-e", f))],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    streams = {}
    for line in said.splitlines():
        time, tcp, udp, source, size, length, seq, datagram_size = line.split(",")
        key = f"tcp{tcp}" if tcp else f"udp{udp}"
        side = streams.setdefault(key, {}).setdefault(
            source, {"packets": 0, "bytes": 0, "reach": 0, "first": None}
        )
        payload = int(length) if tcp else int(datagram_size) - 8
        side["packets"] += 1
        side["bytes"] += int(size)
        if payload:
            side["reach"] = max(side["reach"], int(seq) + payload - 1) if tcp else side["reach"] + payload
            side["first"] = float(time) if side["first"] is None else side["first"]
    theirs = sorted(
        (side["packets"], side["reach"], round(side["first"], 6))
        for sides in streams.values()
        for side in sides.values()
        if side["reach"]
    )
    ours = sorted(
        (side.packets, side.size(each.protocol), round((side.first - found.start) / 1e9, 6))
        for each in found.conversations
        for side in each.sides
        if side.payload
    )
    assert ours == theirs
    assert len(found.conversations) == len(streams)
    handshakes = subprocess.run(
        [
            "tshark",
            "-r",
            place,
            "-Y",
            "tcp.analysis.initial_rtt",
            "-T",
            "fields",
            "-e",
            "tcp.stream",
            "-e",
            "tcp.analysis.initial_rtt",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    initial = {}
    for line in handshakes.splitlines():
        stream, rtt = line.split("\t")
        initial.setdefault(int(stream), round(float(rtt) * 1e9))
    connections = [each for each in found.conversations if each.protocol == 6]
    # Tshark takes the time to the first ACK, and of several SYNs the last, as well.
    seen = {number: each.handshake for number, each in enumerate(connections) if number in initial}
    assert len(seen) > len(connections) / 2 > 3
    assert seen == {number: initial[number] for number in seen}
