"""The rate of a link: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Lte(Table):
    """LTE: a block each millisecond, at a rate that changes at random; failed blocks are repeated (HARQ),
    packets stay in order, and in the uplink a sender must first ask for a grant after a silence.

    Args:
        rates: The rates that this user can get, one for each state of the channel, in order. The
            channel moves from a state to the one before or after it. With a single rate it never
            changes. Allowed: 16 kbit/s to 100 Gbit/s (the least block has 16 bits (TS 36.213 Table
            7.1.7.2.1-1)).
        dwell: For how long the channel stays in a state on average. A shorter time makes the rate
            change more often. After each subframe (1 ms) the state may end, so times are random.
            Source: own choice: fading at the pace of a walk. Allowed: 1 ms to 87600 h (a state lasts a
            subframe at least). Default: 100 ms.
        block_error: The probability that the first transmission of a block fails. A larger one delays
            more packets, and retransmissions take more of the rate. Source: TS 36.213 §7.2.3: a
            terminal reports what 0.1 can be had with. Default: 0.1.
        retransmission_error: The probability that a retransmission of a block fails. `"auto"`: the same
            as for the first transmission. Real receivers combine the attempts and fail less often;
            state a smaller value to have that. Source: own choice: no gain is assumed that was not
            measured. Default: auto.
        transmissions: How often a block is transmitted at most, the first time included. After that
            HARQ gives it up. Source: common in networks; TS 36.331 §9.2.2 (maxHARQ-Tx) has 5 where
            nothing is said. Allowed: 1 to 28 (maxHARQ-Tx has no more (TS 36.331 §6.3.2)). Default: 4.
        round_trip: The time from one transmission of a block to the next one (the HARQ round trip). A
            larger one makes each failure cost more delay. Source: TS 36.213 §8.0: eight HARQ processes,
            FDD. Allowed: 1 ms to 64 ms (each subframe within it is a process). Default: 8 ms.
        processing: The time from the end of a block's subframe until the receiver has decoded it. It is
            added to the delay of every packet. Source: TR 36.881 §5.2: decoding takes 3 ms. Allowed: 0
            s to 1 s (no decoder takes longer). Default: 3 ms.
        rlc_retransmission: How much later RLC delivers a block that HARQ gave up (RLC acknowledged
            mode). With 0 s such a block is lost (unacknowledged mode). Source: own choice: loss that
            can be seen. Allowed: 0 s to 10 s (RLC would have given up). Default: 0 s.
        request: The time from a request for a grant to the first subframe in which data may be sent. 0
            s: no request is needed, as in the downlink. For the uplink 8 ms is usual: one subframe for
            the request, 3 ms to decode it, one for the grant, 3 ms to act on it (TR 36.881 §5.2).
            Source: as in the downlink. Allowed: 0 s to 1 s (no grant takes longer). Default: 0 s.
        request_period: How often a request can be sent: at multiples of this time. A longer period
            delays the first packet after a silence more. Source: TS 36.213 Table 10.1.5-1 has 1, 2, 5,
            10, 20, 40 and 80 ms; TR 36.881 §5.2 reckons with 10. Allowed: 1 ms to 80 ms (there are no
            longer ones). Default: 10 ms.
        silence: For how long after the queue has become empty a packet still needs no request, because
            the network keeps granting. A longer time spares short pauses the delay of a request.
            Source: TS 36.321 §5.4.5: data for an empty buffer asks anew. Allowed: 0 s to 87600 h (no
            run lasts longer). Default: 0 s.
    """

    _kind: ClassVar[str] = "lte"

    rates: list[types.Rate] | tuple[types.Rate, ...]
    _: KW_ONLY
    dwell: types.Duration | None = None
    block_error: types.Probability | None = None
    retransmission_error: types.Probability | Literal["auto"] | None = None
    transmissions: int | None = None
    round_trip: types.Duration | None = None
    processing: types.Duration | None = None
    rlc_retransmission: types.Duration | None = None
    request: types.Duration | None = None
    request_period: types.Duration | None = None
    silence: types.Duration | None = None
