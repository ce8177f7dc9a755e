"""Columns of tables of measurements with their meanings and units.

Forms of public data sets, read from their own descriptions:

- LENS (Zhao and Pan, MMSys 2024; github.com/clarkzjw/LENS): `timestamp,rtt,uplink,downlink` of IRTT in nanoseconds
  and milliseconds, and `timestamp,rtt` of ping in seconds and milliseconds; -1 is a packet that was lost, in `uplink`
  or `downlink` if it is known where.
- Satellite-vs-Cellular (Hu et al., CoNEXT 2023; github.com/Starlink-Project/Satellite-vs-Cellular):
  `time,throughput,...`, downlink in Mbit/s, a row a second.
- Lumos5G (Narayanan et al., IMC 2020): `run_num,seq_num,...,Throughput,...`, downlink of TCP in Mbit/s; `seq_num`
  counts the seconds of a run.
- Raca 5G (Raca et al., MMSys 2020; github.com/uccmisl/5Gdataset), of G-NetTrack Pro: `Timestamp` as
  2019.12.14_10.16.30, `DL_bitrate` and `UL_bitrate` in kbit/s, `PINGAVG` in milliseconds, `PINGLOSS` in per cent, of
  which half counts for each direction; - is no value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_RATE_UNITS = {
    "bit/s": 1.0,
    "bps": 1.0,
    "b/s": 1.0,
    "kbit/s": 1e3,
    "kbps": 1e3,
    "kb/s": 1e3,
    "mbit/s": 1e6,
    "mbps": 1e6,
    "mb/s": 1e6,
    "gbit/s": 1e9,
    "gbps": 1e9,
    "gb/s": 1e9,
}
# Bytes a second are told from bits by their large letter alone, which is too easily mistaken: they are written out.
_BYTE_UNITS = {
    "byte/s": 8.0,
    "bytes/s": 8.0,
    "kbyte/s": 8e3,
    "mbyte/s": 8e6,
    "gbyte/s": 8e9,
    "kib/s": 8192.0,
    "mib/s": 8 * 2**20,
}
_TIME_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "msec": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "seconds": 1.0,
    "min": 60.0,
    "h": 3600.0,
}
_SHARE_UNITS = {"%": 0.01, "percent": 0.01, "pct": 0.01, "1": 1.0}

UNITS = {
    "time": _TIME_UNITS,
    "rate": _RATE_UNITS | _BYTE_UNITS,
    "up": _RATE_UNITS | _BYTE_UNITS,
    "down": _RATE_UNITS | _BYTE_UNITS,
    "delay": _TIME_UNITS,
    "rtt": _TIME_UNITS,
    "loss": _SHARE_UNITS,
}
# Names of columns without their unit, small and with single underscores.
_ROLES = {
    "time": "time timestamp t elapsed date datetime seconds epoch unixtime unix_time interval_start",
    "rate": "rate throughput bandwidth capacity bitrate goodput speed_rate tput thrpt data_rate link_rate",
    "down": "down downlink download dl dl_rate dl_bitrate dl_throughput downlink_throughput download_throughput "
    "downlink_rate download_rate rx_rate download_speed throughput_dl throughput_down down_throughput rate_down",
    "up": "up uplink upload ul ul_rate ul_bitrate ul_throughput uplink_throughput upload_throughput uplink_rate "
    "upload_rate tx_rate upload_speed throughput_ul throughput_up up_throughput rate_up",
    "delay": "delay latency owd one_way_delay",
    "rtt": "rtt ping round_trip round_trip_time pop_ping_latency ping_rtt rtt_avg avg_rtt ping_avg",
    "loss": "loss packet_loss loss_rate lossrate ping_loss pop_ping_drop_rate drop_rate packet_loss_rate loss_percent",
}
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names.split()}
_BRACKETED = re.compile(r"(.*?)\s*[\[(]([^\])]*)[\])]\s*")


@dataclass(frozen=True)
class Column:
    """A column that is read."""

    position: int
    role: str
    factor: float | None
    """By which its numbers are multiplied; None of times without a unit."""
    header: str


@dataclass(frozen=True)
class Form:
    """How a table is to be read."""

    said: str
    columns: list[Column]
    marks_loss: bool = False
    """Whether -1 marks a packet that was lost (LENS)."""
    run: int | None = None
    """Position of a column that numbers runs, of which one is read."""
    may_restart: bool = False
    """Whether the table has several recordings one after the other."""

    def of(self, role: str) -> Column | None:
        """The column of a role."""
        return next((column for column in self.columns if column.role == role), None)


def known_form(header: Sequence[str]) -> Form | None:
    """The form of a known data set, by the names of its columns."""
    names = [name.strip().lower() for name in header]
    has = set(names)

    def columns(**of: tuple[str, float]) -> list[Column]:
        found = [(names.index(name), role, factor) for role, (name, factor) in of.items() if name in has]
        return [Column(at, role, factor, header[at]) for at, role, factor in found]

    if names == ["timestamp", "rtt", "uplink", "downlink"]:
        read = columns(
            time=("timestamp", 1e-9), rtt=("rtt", 1e-3), lost_up=("uplink", 1.0), lost_down=("downlink", 1.0)
        )
        return Form("LENS, of IRTT (ns, ms)", read, marks_loss=True)
    if names == ["timestamp", "rtt"]:
        return Form(
            "LENS, of ping (s, ms)", columns(time=("timestamp", 1.0), rtt=("rtt", 1e-3)), marks_loss=True
        )
    if {"run_num", "seq_num", "throughput"} <= has:
        read = columns(time=("seq_num", 1.0), down=("throughput", 1e6))
        return Form("Lumos5G (s, downlink in Mbit/s)", read, run=names.index("run_num"))
    if {"time", "throughput", "latitude"} <= has and has & {"longtitu", "longitude"}:
        read = [Column(names.index("time"), "time", None, "time"), *columns(down=("throughput", 1e6))]
        return Form(
            "Satellite-vs-Cellular (Mbit/s; its columns do not say the direction, read as downlink)",
            read,
            may_restart=True,
        )
    if {"timestamp", "dl_bitrate", "ul_bitrate"} <= has:
        read = [
            Column(names.index("timestamp"), "time", None, "Timestamp"),
            *columns(
                down=("dl_bitrate", 1e3),
                up=("ul_bitrate", 1e3),
                rtt=("pingavg", 1e-3),
                loss=("pingloss", 0.005),
            ),
        ]
        return Form("G-NetTrack Pro, as of Raca et al. (kbit/s, ms, %)", read, may_restart=True)
    return None


def stated_columns(header: Sequence[str]) -> list[Column]:
    """Columns whose names are known, with the units that the header states; a unit that is missing is None."""
    found: list[Column] = []
    for position, text in enumerate(header):
        name, unit = _name_and_unit(text)
        role = _ROLE_OF.get(name)
        if role is None or any(column.role == role for column in found):
            continue
        factor = UNITS[role].get(unit) if unit else None
        found.append(Column(position, role, factor if unit else None, text.strip()))
    return found


def unknown_unit(column: Column) -> str | None:
    """The unit of a column's header, where it is none of its role."""
    _, unit = _name_and_unit(column.header)
    return unit if unit and unit not in UNITS[column.role] else None


def _name_and_unit(text: str) -> tuple[str, str]:
    """Name in the form of the table of roles, and the unit in brackets or at the end (`delay_ms`)."""
    text = text.strip().strip("#").strip().lower()
    bracketed = _BRACKETED.fullmatch(text)
    name, unit = (bracketed[1], bracketed[2].strip()) if bracketed else (text, "")
    name = re.sub(r"[\s_.-]+", "_", name).strip("_")
    if not unit:
        before, _, last = name.rpartition("_")
        if before and any(last in units for units in UNITS.values()) and _ROLE_OF.get(name) is None:
            name, unit = before, last
    return name, unit
