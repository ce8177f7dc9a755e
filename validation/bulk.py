"""A transfer over eight links with buffers that are set: by a program in a kernel, and simulated.

Run as a program it is what runs in the guests: `bulk.py send|receive KIB [ADDRESS]`.
"""

from __future__ import annotations

import itertools
import re
import socket
import sys
import time
from pathlib import Path

LINKS, SECONDS, PART = 8, 40, 10
PORT, WRITE, MULTIPATH = 5001, 65_536, 262
# The server's addresses come after the client's.
SERVER = f"10.0.0.{LINKS + 1}"


def network() -> str:
    """Hosts and links of `link-failures.toml`, without its windows, flow and fault."""
    text = Path(__file__).with_name("link-failures.toml").read_text()
    return text[text.index("[[host]]") : text.index("[[flow]]")]


def head(seconds: float, interval: str = "off") -> str:
    """Head of the scenario, before the network."""
    return f'name = "buffers"\nduration = "{seconds} s"\nrecord.interval = "{interval}"\n'


def in_kernels(kernel: str, kib: int, first: bool, start: float) -> list[float]:
    """With `first` a kernel's first window is of 64 KiB."""
    import tailrace

    program = f"{sys.executable} -I {Path(__file__).resolve()}"
    ends = {"client": f"send {kib} {SERVER}", "server": f"receive {kib}"}
    text = network()
    for name, what in ends.items():
        began = 1 + start if name == "client" else 0.5
        runs = [f'{{ at = "{began} s", command = "{program} {what}" }}']
        if first and name == "server":
            runs.insert(0, f'{{ at = "0.1 s", command = "sh -c \'{small_first_windows()}\'" }}')
        sysctl = '"net.core.rmem_max" = "67108864", "net.core.wmem_max" = "67108864"'
        host = f'name = "{name}"\nkernel = "{kernel}"\nsysctl = {{ {sysctl} }}\nrun = [{", ".join(runs)}]'
        text = text.replace(f'name = "{name}"\nkernel = "none"', host)
    programs = tailrace.run(tailrace.Scenario(head(SECONDS + 6) + text)).summary["runs"][0]["programs"]
    said = next(p["output"] for p in programs if "receive" in p["command"])
    return [float(word) for word in re.findall(r"[0-9.]+", said)]


def small_first_windows() -> str:
    """Routes of the server by which windows begin with 45 segments, which are 64 KiB."""
    routes = [(f"default dev eth{i} table {100 + i}", i) for i in range(LINKS)]
    routes += [("default dev eth0", 0), *((f"10.0.0.{i + 1} dev eth{i}", i) for i in range(1, LINKS))]
    return "; ".join(
        f"ip route replace {route} scope link src 10.0.0.{LINKS + 1 + i} initrwnd 45" for route, i in routes
    )


def simulated(profile: str, kib: int, start: float) -> list[float]:
    """The same with simulated hosts."""
    import tailrace
    from tailrace.study import twins
    from validation.link_failures import delivered

    flow = (
        f'[[flow]]\nname = "data"\nfrom = "client"\nto = "server"\nstart = "{1 + start} s"\napp = "bulk"\n'
        f'transport = {{ kind = "mptcp", profile = "{profile}", cc = "cubic", '
        f'receive_buffer = "{kib} KiB", send_buffer = "{kib} KiB" }}\n'
    )
    text = head(SECONDS + 6, "100 ms") + network() + flow
    found = tailrace.run(twins.of(tailrace.Scenario(text), "6.12")[twins.SIMULATED])
    began = 1 + start
    ends = (began + PART * n for n in range(SECONDS // PART))
    # Half an interval off, as times of the series are ends of intervals.
    return [next(delivered(found, end + 0.05, end + PART + 0.05)) for end in ends]


def send(kib: int, address: str) -> None:
    """For as long as somebody reads."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, MULTIPATH) as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, kib * 1024)
        end.connect((address, PORT))
        until = time.monotonic() + SECONDS + 2
        while time.monotonic() < until:
            try:
                end.send(bytes(WRITE))
            except OSError:
                return


def receive(kib: int) -> None:
    """Says how fast it was, in Mbit/s for every part of the time."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, MULTIPATH) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, kib * 1024)
        door.bind(("", PORT))
        door.listen()
        end, _ = door.accept()
        began, got, marks = time.monotonic(), 0, [0]
        while len(marks) <= SECONDS // PART and (data := end.recv(1 << 20)):
            got += len(data)
            while time.monotonic() - began >= PART * len(marks):
                marks.append(got)
    print(*(f"{(to - of) * 8 / PART / 1e6:.3f}" for of, to in itertools.pairwise(marks)), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "send":
        send(int(sys.argv[2]), sys.argv[3])
    else:
        receive(int(sys.argv[2]))
