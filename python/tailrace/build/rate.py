"""The rate of a link: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.objects import Table

if TYPE_CHECKING:
    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Lte(Table):
    """LTE: a block each millisecond at a rate that is a Markov chain, HARQ with delivery in order, and in
    the uplink a request for a grant after silence.

    Args:
        rates: What this user can get in each state of the channel: it goes from one to the one before
            or after. One alone stays. 16 kbit/s to 100 Gbit/s (the least block has 16 bits (TS 36.213
            Table 7.1.7.2.1-1)).
        dwell: Mean time for which the channel stays in a state; each subframe may be the last one.
            Source: own choice: fading at the pace of a walk. 1 ms to 87600 h (a state lasts a subframe
            at least). Default: 100 ms.
        block_error: Probability that the first transmission of a block fails. Larger delays more, and
            takes more of the rate. Source: TS 36.213 §7.2.3: a terminal reports what 0.1 can be had
            with. Default: 0.1.
        retransmission_error: Probability that a retransmission fails; "auto" is as the first, which
            leaves out what combining them gains. Source: own choice: no gain is assumed that was not
            measured. Default: auto.
        transmissions: Most transmissions of a block, the first one included. Then it is lost. Source:
            common in networks; TS 36.331 §9.2.2 (maxHARQ-Tx) has 5 where nothing is said. 1 to 28
            (maxHARQ-Tx has no more (TS 36.331 §6.3.2)). Default: 4.
        round_trip: From a transmission of a block to the next one. Source: TS 36.213 §8.0: eight HARQ
            processes, FDD. 1 ms to 64 ms (each subframe within it is a process). Default: 8 ms.
        processing: From the end of a block's subframe until it is decoded. Source: TR 36.881 §5.2:
            decoding takes 3 ms. 0 s to 1 s (no decoder takes longer). Default: 3 ms.
        rlc_retransmission: RLC recovers a block that HARQ gave up after so much time more (acknowledged
            mode); 0 s: it is lost (unacknowledged mode). Source: own choice: loss that can be seen. 0 s
            to 10 s (RLC would have given up). Default: 0 s.
        request: From the request for a grant to the first subframe that sends. 0 s: no request is
            needed, as in the downlink. In the uplink 8 ms: a subframe for the request, 3 to decode it,
            one for the grant, 3 to act on it (TR 36.881 §5.2). Source: as in the downlink. 0 s to 1 s
            (no grant takes longer). Default: 0 s.
        request_period: Requests can be sent at multiples of this. Source: TS 36.213 Table 10.1.5-1 has
            1, 2, 5, 10, 20, 40 and 80 ms; TR 36.881 §5.2 reckons with 10. 1 ms to 80 ms (there are no
            longer ones). Default: 10 ms.
        silence: For so long after nothing more waits the next packet needs no request, since the
            network still grants. Source: TS 36.321 §5.4.5: data for an empty buffer asks anew. 0 s to
            87600 h (no run lasts longer). Default: 0 s.
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
