"""A channel that several links share, such as a Wi-Fi channel: a class for each kind. Written by
`make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Wifi(Table):
    """Wi-Fi (802.11): one channel for both directions of all its links; the `rate` of a link is that of
    its frames. Stations listen before they send, wait for random times that double after a collision,
    retry, and send several frames at once.

    Args:
        name: The name, to which the key `medium` of links refers.
        slot: The length of a slot. Before it sends, a station waits for a random number of slots in
            which the channel is idle (the backoff). Source: IEEE 802.11-2020 Table 17-21. Allowed: 1 us
            to 1 s (a slot must take some time). Default: 9 us.
        sifs: The pause between a transmission and its acknowledgment (SIFS). Source: IEEE 802.11-2020
            Table 17-21. Allowed: 0 s to 1 s (the channel would be idle for too long). Default: 16 us.
        difs: For how long the channel must be idle before a station begins to count slots (DIFS).
            Source: IEEE 802.11-2020 §10.3.2.3.5: SIFS and two slots. Allowed: 0 s to 1 s (the channel
            would be idle for too long). Default: 34 us.
        cw_min: The contention window at first: the number of slots to wait is drawn from 0 to this. If
            it is smaller, stations send sooner and collide more often. Source: IEEE 802.11-2020 Table
            17-21. Allowed: 0 to 32767 (a window has at most 15 bits). Default: 15.
        cw_max: The largest contention window. Each collision or failure doubles the window, up to this.
            Source: IEEE 802.11-2020 Table 17-21. Allowed: 0 to 32767 (a window has at most 15 bits).
            Default: 1023.
        retries: How often a frame is sent again before it is lost. If it is too small, losses on the
            air must be repaired by the sender. Source: IEEE 802.11-2020 Annex C: dot11ShortRetryLimit,
            7 attempts in all. Allowed: 0 to 255 (the field for it has 8 bits). Default: 6.
        preamble: How long the preamble and header of the physical layer take. They come before each
            transmission, whatever the rate. Source: IEEE 802.11-2020 §19.3.2: HT-mixed, one stream.
            Allowed: 0 s to 1 s (the channel would be idle for too long). Default: 36 us.
        header: How many bytes each packet takes beyond its size: MAC header, checksum (FCS) and LLC
            header. Source: IEEE 802.11-2020 §9.3.2: QoS data 26 B, FCS 4 B; LLC and SNAP 8 B. Allowed:
            0 B to 64 KB (frames are no longer). Default: 38 B.
        ack: How long an ACK takes on the channel; it answers a single frame. Source: IEEE 802.11-2020
            §17.4.3: 14 B at 24 Mbit/s. Allowed: 0 s to 1 s (the channel would be idle for too long).
            Default: 28 us.
        block_ack: How long a BlockAck takes on the channel; it answers several frames at once. Source:
            IEEE 802.11-2020 §17.4.3: 32 B at 24 Mbit/s. Allowed: 0 s to 1 s (the channel would be idle
            for too long). Default: 32 us.
        eifs: Whether the channel stays unused for a time after a transmission that nobody could read,
            for as long as its acknowledgment would have taken: the sender waits for its ACK, others
            wait for EIFS. If false, the channel is free at once, as in Bianchi's model. Source: IEEE
            802.11-2020 §10.3.2.3.7. Default: true.
        frame_error: The probability that a frame cannot be read for other reasons than a collision. It
            is drawn for each frame by itself. Source: own choice. Default: 0.0.
        aggregate: How many frames one transmission may carry at most (A-MPDU). A larger number spends
            less time on overhead; 1 turns aggregation off. Source: IEEE 802.11-2020 §10.25: a
            BlockAck's window. Allowed: 1 to 256 (802.11ax has no more). Default: 64.
        delimiter: How many bytes each frame takes in addition where several are sent together, so that
            the receiver can tell them apart. Source: IEEE 802.11-2020 §9.7.1. Allowed: 0 B to 64 KB
            (frames are no longer). Default: 4 B.
        aggregate_bytes: How many bytes one transmission may carry at most when it has several frames.
            Source: IEEE 802.11-2020 §9.4.2.55.3: HT. Default: 65535 B.
        aggregate_time: How long one transmission may take at most when it has several frames. Source:
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
