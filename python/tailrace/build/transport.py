"""A transport: a class for each kind. Written by `make classes`, from the schema."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from tailrace.scenario.objects import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tailrace.build import types


@dataclass(eq=False, repr=False, slots=True)
class Tcp(Table):
    """TCP. In addition to these keys, the options of a TCP endpoint can be set.

    Args:
        mss: Payload of a full segment; TCP options are added to it. The smaller value of both ends is
            used. Source: Ethernet MTU less 40 bytes of headers. Allowed: 1 B to 65475 B (a packet of at
            most 65535 B leaves 65475 B beside the headers).
        iw: The initial window, in packets. A large one loses packets where queues are short. `"auto"`
            is min(10 MSS, max(2 MSS, 14600 B)). Source: RFC 6928 §2. Allowed: 1 to 1000000 (so many
            packets are sent at once).
        initial_ssthresh: The slow-start threshold at the beginning, in packets. `"auto"` is unlimited.
            Source: RFC 5681 §3.1. Allowed: 1 to 1000000000 (no window is larger or smaller).
        window: The largest window that the sender uses, in packets (ns-2's `window_`), in addition to
            cwnd and the receiver's window. `"auto"` is no such limit. Source: RFC 9293. Allowed: 1 to
            1000000000 (no window is larger or smaller).
        sack: Whether selective acknowledgments (SACK) are used; both ends must have them on. Source:
            RFC 2018.
        timestamps: Whether TCP timestamps are used; both ends must have them on. They take 12 bytes in
            each segment, allow PAWS, and allow round-trip samples from retransmissions. Source: RFC
            7323.
        window_scale: Whether window scaling is used. Without it the receive window is at most 65535
            bytes. Source: RFC 7323 §2.
        ecn: Whether explicit congestion notification is used; both ends must have it on. Source: RFC
            3168.
        send_buffer: Largest amount of data that is sent and not yet acknowledged; further data waits in
            the application. `"auto"` is unlimited. Source: unlimited, so that the network is what
            limits.
        receive_buffer: The size of the receive buffer, which limits the advertised window. If it is
            smaller than the bandwidth-delay product, it limits throughput. If you set it, its size is
            fixed, and `tcp_rmem` has no effect. Source: Linux tcp_rmem maximum.
        tcp_rmem: The smallest, initial and largest memory of a receive buffer that grows with what the
            application reads in a round trip, instead of `receive_buffer`. At most half of the memory
            is advertised as window. `"auto"` turns this off. Source: off; Linux tcp_rmem,
            tcp_rcv_space_adjust.
        tcp_wmem: The smallest, initial and largest memory of a send buffer that grows with the window,
            unless `send_buffer` is set. `"auto"` turns this off. Source: off; Linux tcp_wmem,
            tcp_sndbuf_expand.
        min_rto: The smallest retransmission timeout (RTO). If it is small, there are timeouts without a
            loss; if it is large, a sender stalls for long after one. Source: RFC 6298 §2.4. Allowed: 10
            us to 1000 h (each timeout takes computing time).
        initial_rto: The retransmission timeout before the first round-trip sample. Source: RFC 6298
            §2.1. Allowed: 10 us to 1000 h (each timeout takes computing time).
        max_rto: The largest retransmission timeout, doubled ones included. Source: RFC 6298 §2.5.
            Allowed: 10 us to 1000 h (each timeout takes computing time).
        delayed_ack: After how many segments an ACK is sent at the latest; 0 or 1 acknowledges each one.
            Source: RFC 5681 §4.2.
        limited_transmit: Whether the first two duplicate ACKs each let out a segment of new data.
            Source: RFC 3042.
        dup_thresh: Number of duplicate ACKs that mean that a segment is lost. With more, reordering is
            tolerated better, but losses are noticed later. Source: RFC 5681 §3.2. Allowed: 1 to 255
            (without a duplicate ACK there is no sign of a loss).
        data_retries: After how many timeouts in a row without an ACK of new data the connection gives
            up. `"auto"` is never. Source: RFC 1122 §4.2.3.5: R2 at least 100 s.
        syn_retries: After how many retransmissions of a SYN the connection gives up. `"auto"` is never.
            Source: RFC 1122 §4.2.3.5: R2 for SYN at least 3 minutes.
        pacing: Whether data is sent evenly spaced, by a timer, instead of in bursts after each ACK.
            Source: Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio,
            tcp_pacing_ca_ratio.
        nagle: When a small segment waits for acknowledgments. If it does, the end of each message takes
            a round trip longer. Source: off, as simulated applications write in bulk.
        rack: Whether a segment counts as lost once a segment sent sufficiently later was delivered,
            instead of by counting what was SACKed above it. This repairs lost retransmissions and
            tolerates reordering. Needs SACK. Source: RFC 8985 §6; off: RFC 6675.
        tlp: Whether, after two round trips without an ACK, a segment is sent to provoke one, so that
            losses at the end of a flight need no timeout. Needs SACK; `rack` then finds what the ACK
            shows to be lost. Source: RFC 8985 §7.
        misbehaviour: Forbidden behaviour of this endpoint, for studies of attacks (Savage et al., CCR
            29(5), 1999). Source: RFC 5681 §5.
        misbehaviour_degree: Into how many pieces ACKs are divided, how many segments ahead they are, or
            how often they are repeated. Source: Savage et al. 1999. Allowed: 1 to 1000 (each segment
            causes so many ACKs, which takes computing time).
        behaviour: A table of what implementations do differently, where it is to differ from the
            profile. Default: of the profile.
        cc: The congestion control: how fast the sender sends. Default: cubic.
        header: Bytes of headers that each packet has in addition to its payload. "auto" is the real
            size. Default: the real headers (ns2: 40 B).
        profile: The implementation whose defaults all parameters have: the RFCs, Linux, ns-2 or ns-3.
            Default: rfc.
    """

    _kind: ClassVar[str] = "tcp"
    _forms: ClassVar[Mapping[str, str]] = {"behaviour": "tables.TcpBehaviour", "cc": "cc"}

    _: KW_ONLY
    mss: types.Size | None = None
    iw: int | Literal["auto"] | None = None
    initial_ssthresh: int | Literal["auto"] | None = None
    window: int | Literal["auto"] | None = None
    sack: bool | None = None
    timestamps: bool | None = None
    window_scale: bool | None = None
    ecn: bool | None = None
    send_buffer: types.Size | Literal["auto"] | None = None
    receive_buffer: types.Size | None = None
    tcp_rmem: str | None = None
    tcp_wmem: str | None = None
    min_rto: types.Duration | None = None
    initial_rto: types.Duration | None = None
    max_rto: types.Duration | None = None
    delayed_ack: int | None = None
    limited_transmit: bool | None = None
    dup_thresh: int | None = None
    data_retries: int | Literal["auto"] | None = None
    syn_retries: int | Literal["auto"] | None = None
    pacing: Literal["auto", "on", "off"] | None = None
    nagle: Literal["off", "rfc896", "minshall"] | None = None
    rack: bool | None = None
    tlp: bool | None = None
    misbehaviour: (
        Literal["none", "ack_division", "optimistic_acks", "repeated_acks", "ignores_congestion"] | None
    ) = None
    misbehaviour_degree: int | None = None
    behaviour: types.TcpBehaviour | None = None
    cc: types.CongestionControl | None = None
    header: types.Size | Literal["auto"] | None = None
    profile: Literal["rfc", "ns2", "ns3", "linux"] | None = None


@dataclass(eq=False, repr=False, slots=True)
class Mptcp(Table):
    """Multipath TCP. In addition to these keys, the options of a connection can be set, and those of TCP,
    which hold for each subflow.

    Args:
        checksum: Whether segments carry checksums over data and mappings; it is enough if either end
            asks for them. Source: RFC 8684 §3.3; Linux checksum_enabled.
        max_subflows: Largest number of subflows at a time, at most 32. Source: multipath-tcp/mptcp has
            31. Allowed: 1 to 32 (a connection has room for 32, its own among them).
        opportunistic_retransmission: Whether data that blocks the receive window is sent once more, on
            a subflow that has room. Source: Raiciu et al., NSDI 2012 §4.2.
        penalisation: Penalty of a subflow that blocks the receive window. Source: Raiciu et al., NSDI
            2012 §4.2.
        mss: Payload of a full segment; TCP options are added to it. The smaller value of both ends is
            used. Source: Ethernet MTU less 40 bytes of headers. Allowed: 1 B to 65475 B (a packet of at
            most 65535 B leaves 65475 B beside the headers).
        iw: The initial window, in packets. A large one loses packets where queues are short. `"auto"`
            is min(10 MSS, max(2 MSS, 14600 B)). Source: RFC 6928 §2. Allowed: 1 to 1000000 (so many
            packets are sent at once).
        initial_ssthresh: The slow-start threshold at the beginning, in packets. `"auto"` is unlimited.
            Source: RFC 5681 §3.1. Allowed: 1 to 1000000000 (no window is larger or smaller).
        window: The largest window that the sender uses, in packets (ns-2's `window_`), in addition to
            cwnd and the receiver's window. `"auto"` is no such limit. Source: RFC 9293. Allowed: 1 to
            1000000000 (no window is larger or smaller).
        sack: Whether selective acknowledgments (SACK) are used; both ends must have them on. Source:
            RFC 2018.
        timestamps: Whether TCP timestamps are used; both ends must have them on. They take 12 bytes in
            each segment, allow PAWS, and allow round-trip samples from retransmissions. Source: RFC
            7323.
        window_scale: Whether window scaling is used. Without it the receive window is at most 65535
            bytes. Source: RFC 7323 §2.
        ecn: Whether explicit congestion notification is used; both ends must have it on. Source: RFC
            3168.
        send_buffer: Largest amount of data that is sent and not yet acknowledged; further data waits in
            the application. `"auto"` is unlimited. Source: unlimited, so that the network is what
            limits.
        receive_buffer: The size of the receive buffer, which limits the advertised window. If it is
            smaller than the bandwidth-delay product, it limits throughput. If you set it, its size is
            fixed, and `tcp_rmem` has no effect. Source: Linux tcp_rmem maximum.
        tcp_rmem: The smallest, initial and largest memory of a receive buffer that grows with what the
            application reads in a round trip, instead of `receive_buffer`. At most half of the memory
            is advertised as window. `"auto"` turns this off. Source: off; Linux tcp_rmem,
            tcp_rcv_space_adjust.
        tcp_wmem: The smallest, initial and largest memory of a send buffer that grows with the window,
            unless `send_buffer` is set. `"auto"` turns this off. Source: off; Linux tcp_wmem,
            tcp_sndbuf_expand.
        min_rto: The smallest retransmission timeout (RTO). If it is small, there are timeouts without a
            loss; if it is large, a sender stalls for long after one. Source: RFC 6298 §2.4. Allowed: 10
            us to 1000 h (each timeout takes computing time).
        initial_rto: The retransmission timeout before the first round-trip sample. Source: RFC 6298
            §2.1. Allowed: 10 us to 1000 h (each timeout takes computing time).
        max_rto: The largest retransmission timeout, doubled ones included. Source: RFC 6298 §2.5.
            Allowed: 10 us to 1000 h (each timeout takes computing time).
        delayed_ack: After how many segments an ACK is sent at the latest; 0 or 1 acknowledges each one.
            Source: RFC 5681 §4.2.
        limited_transmit: Whether the first two duplicate ACKs each let out a segment of new data.
            Source: RFC 3042.
        dup_thresh: Number of duplicate ACKs that mean that a segment is lost. With more, reordering is
            tolerated better, but losses are noticed later. Source: RFC 5681 §3.2. Allowed: 1 to 255
            (without a duplicate ACK there is no sign of a loss).
        data_retries: After how many timeouts in a row without an ACK of new data the connection gives
            up. `"auto"` is never. Source: RFC 1122 §4.2.3.5: R2 at least 100 s.
        syn_retries: After how many retransmissions of a SYN the connection gives up. `"auto"` is never.
            Source: RFC 1122 §4.2.3.5: R2 for SYN at least 3 minutes.
        pacing: Whether data is sent evenly spaced, by a timer, instead of in bursts after each ACK.
            Source: Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio,
            tcp_pacing_ca_ratio.
        nagle: When a small segment waits for acknowledgments. If it does, the end of each message takes
            a round trip longer. Source: off, as simulated applications write in bulk.
        rack: Whether a segment counts as lost once a segment sent sufficiently later was delivered,
            instead of by counting what was SACKed above it. This repairs lost retransmissions and
            tolerates reordering. Needs SACK. Source: RFC 8985 §6; off: RFC 6675.
        tlp: Whether, after two round trips without an ACK, a segment is sent to provoke one, so that
            losses at the end of a flight need no timeout. Needs SACK; `rack` then finds what the ACK
            shows to be lost. Source: RFC 8985 §7.
        misbehaviour: Forbidden behaviour of this endpoint, for studies of attacks (Savage et al., CCR
            29(5), 1999). Source: RFC 5681 §5.
        misbehaviour_degree: Into how many pieces ACKs are divided, how many segments ahead they are, or
            how often they are repeated. Source: Savage et al. 1999. Allowed: 1 to 1000 (each segment
            causes so many ACKs, which takes computing time).
        behaviour: A table of what implementations do differently, of the connection or of its subflows'
            TCP, where it is to differ from the profile. Default: of the profile.
        cc: The congestion control: a coupled one, for all subflows together, or one of TCP's, for each
            subflow by itself. Default: of the profile: lia, ns3 linked_increases, linux cubic.
        header: Bytes of headers that each packet has in addition to its payload. "auto" is the real
            size. Default: the real headers (ns2: 40 B).
        path_manager: The path manager: which subflows are opened and closed. Default: of the profile:
            fullmesh, linux linux.
        profile: The implementation that the connection behaves like. It sets the defaults of the other
            keys and of all parameters. Default: rfc.
        scheduler: The scheduler: which subflow carries which data. Default: of the profile: lowest_rtt,
            ns3 round_robin, linux linux.
    """

    _kind: ClassVar[str] = "mptcp"
    _forms: ClassVar[Mapping[str, str]] = {
        "behaviour": "tables.MptcpBehaviour",
        "cc": "coupled cc",
        "path_manager": "path_manager",
        "scheduler": "scheduler",
    }

    _: KW_ONLY
    checksum: bool | None = None
    max_subflows: int | None = None
    opportunistic_retransmission: bool | None = None
    penalisation: Literal["none", "linux", "nsdi2012"] | None = None
    mss: types.Size | None = None
    iw: int | Literal["auto"] | None = None
    initial_ssthresh: int | Literal["auto"] | None = None
    window: int | Literal["auto"] | None = None
    sack: bool | None = None
    timestamps: bool | None = None
    window_scale: bool | None = None
    ecn: bool | None = None
    send_buffer: types.Size | Literal["auto"] | None = None
    receive_buffer: types.Size | None = None
    tcp_rmem: str | None = None
    tcp_wmem: str | None = None
    min_rto: types.Duration | None = None
    initial_rto: types.Duration | None = None
    max_rto: types.Duration | None = None
    delayed_ack: int | None = None
    limited_transmit: bool | None = None
    dup_thresh: int | None = None
    data_retries: int | Literal["auto"] | None = None
    syn_retries: int | Literal["auto"] | None = None
    pacing: Literal["auto", "on", "off"] | None = None
    nagle: Literal["off", "rfc896", "minshall"] | None = None
    rack: bool | None = None
    tlp: bool | None = None
    misbehaviour: (
        Literal["none", "ack_division", "optimistic_acks", "repeated_acks", "ignores_congestion"] | None
    ) = None
    misbehaviour_degree: int | None = None
    behaviour: types.MptcpBehaviour | None = None
    cc: types.MultipathControl | None = None
    header: types.Size | Literal["auto"] | None = None
    path_manager: types.PathManager | None = None
    profile: Literal["rfc", "ns2", "ns3", "linux", "linux_6_1", "linux_6_12", "mptcp_0_94"] | None = None
    scheduler: types.Scheduler | None = None


@dataclass(eq=False, repr=False, slots=True)
class Udp(Table):
    """UDP. It sends without regard to losses and marks.

    Args:
        ecn: Whether packets are ECN-capable. Queues then mark them instead of dropping them; the sender
            ignores the marks. Default: false.
        header: Bytes of headers that each packet has in addition to its payload. Default: 28 B.
    """

    _kind: ClassVar[str] = "udp"

    _: KW_ONLY
    ecn: bool | None = None
    header: types.Size | None = None
