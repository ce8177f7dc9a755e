"""A channel that links share, both ways: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Wifi(Table):
    """802.11: one channel for both directions of all its links, whose rate is that of their frames;
    carrier sense, random backoff that doubles, retries, frame errors, aggregation.

    Args:
        name: What `medium` of its links calls it.
        slot: Time that a station counts a slot of its backoff by. Source: IEEE 802.11-2020 Table 17-21.
            1 us to 1 s (time goes on). Default: 9 us.
        sifs: From the end of what is sent to its answer. Source: IEEE 802.11-2020 Table 17-21. 0 s to 1
            s (nothing would be sent for long). Default: 16 us.
        difs: For how long the channel must be idle before slots are counted. Source: IEEE 802.11-2020
            §10.3.2.3.5: SIFS and two slots. 0 s to 1 s (nothing would be sent for long). Default: 34
            us.
        cw_min: Contention window at first: slots are drawn from 0 to it. Source: IEEE 802.11-2020 Table
            17-21. 0 to 32767 (a window has at most 15 bits). Default: 15.
        cw_max: Largest contention window, to which collisions and failures double it. Source: IEEE
            802.11-2020 Table 17-21. 0 to 32767 (a window has at most 15 bits). Default: 1023.
        retries: How often a frame is sent again before it is lost. Too small: losses on the air are the
            sender's to repair. Source: IEEE 802.11-2020 Annex C: dot11ShortRetryLimit, 7 attempts in
            all. 0 to 255 (it has 8 bits). Default: 6.
        preamble: Preamble and header of the physical layer, which come before each access whatever the
            rate. Source: IEEE 802.11-2020 §19.3.2: HT-mixed, one stream. 0 s to 1 s (nothing would be
            sent for long). Default: 36 us.
        header: Bytes that each packet takes beyond its size: MAC header, FCS and LLC. Source: IEEE
            802.11-2020 §9.3.2: QoS data 26 B, FCS 4 B; LLC and SNAP 8 B. 0 B to 64 KB (frames are no
            longer). Default: 38 B.
        ack: How long an ACK takes. Source: IEEE 802.11-2020 §17.4.3: 14 B at 24 Mbit/s. 0 s to 1 s
            (nothing would be sent for long). Default: 28 us.
        block_ack: How long a BlockAck takes, which answers several frames. Source: IEEE 802.11-2020
            §17.4.3: 32 B at 24 Mbit/s. 0 s to 1 s (nothing would be sent for long). Default: 32 us.
        eifs: Whether the channel stays unused after what nobody could read as if it had been answered:
            the sender waits for its ACK, others for EIFS. Bianchi's model has it free at once. Source:
            IEEE 802.11-2020 §10.3.2.3.7. Default: true.
        frame_error: Probability that a frame cannot be read, each by itself, beside collisions. Source:
            own choice. Default: 0.0.
        aggregate: Most frames that one access sends (A-MPDU); 1 is no aggregation. Source: IEEE
            802.11-2020 §10.25: a BlockAck's window. 1 to 256 (802.11ax has no more). Default: 64.
        delimiter: Bytes that each of several frames takes to be told from the next. Source: IEEE
            802.11-2020 §9.7.1. 0 B to 64 KB (frames are no longer). Default: 4 B.
        aggregate_bytes: Most bytes that one access sends, where it is several frames. Source: IEEE
            802.11-2020 §9.4.2.55.3: HT. Default: 65535 B.
        aggregate_time: Most time that the frames of one access take, where there are several. Source:
            IEEE 802.11-2020 Table 19-25: aPPDUMaxTime. Default: 5484 us.
    """

    _kind: ClassVar[str] = "wifi"

    name: types.Name
    _: KW_ONLY
    slot: types.Duration | None = None
    sifs: types.Duration | None = None
    difs: types.Duration | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    retries: int | None = None
    preamble: types.Duration | None = None
    header: types.Size | None = None
    ack: types.Duration | None = None
    block_ack: types.Duration | None = None
    eifs: bool | None = None
    frame_error: types.Probability | None = None
    aggregate: int | None = None
    delimiter: types.Size | None = None
    aggregate_bytes: types.Size | None = None
    aggregate_time: types.Duration | None = None
