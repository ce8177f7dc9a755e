//! Options of a TCP endpoint, and the endpoint profiles that fill them in.
//!
//! A profile is a set of defaults, no more: every difference between ns-2, ns-3, Linux and the RFCs that changes
//! results is a field of [`TcpConfig`] or of its [`TcpBehaviour`], so each can be overridden by itself and no code asks for the
//! profile.

mod behaviour;
mod choices;
mod profile;

pub use behaviour::TcpBehaviour;
pub use choices::*;
pub use profile::Profile;

use crate::buffer_sizes::BufferSizes;
use std::ops::Deref;
use tailrace_core::{Bytes, Duration, parameters};

parameters! {
    /// Options of a TCP endpoint that a user varies. Counts of packets are in segments of `mss` bytes.
    pub struct TcpConfig with behaviour: TcpBehaviour {
        /// Payload of a full segment; TCP options are added to it. The smaller value of both ends is used.
        mss: Bytes = Bytes(1460), "Ethernet MTU less 40 bytes of headers", in "1 B"..="65475 B": "a segment carries a byte at least | a packet of at most 65535 B leaves 65475 B beside the headers";
        /// The initial window, in packets. A large one loses packets where queues are short. `"auto"` is min(10 MSS,
        /// max(2 MSS, 14600 B)).
        iw: Option<u64> = None, "RFC 6928 §2", in 1..=1000000: "at least one packet is sent | so many packets are sent at once";
        /// The slow-start threshold at the beginning, in packets. `"auto"` is unlimited.
        initial_ssthresh: Option<u64> = None, "RFC 5681 §3.1", in 1..=1000000000: "no window is smaller | no window is larger";
        /// The largest window that the sender uses, in packets (ns-2's `window_`), in addition to cwnd and the
        /// receiver's window. `"auto"` is no such limit.
        window: Option<u64> = None, "RFC 9293", in 1..=1000000000: "no window is smaller | no window is larger";
        /// Whether selective acknowledgments (SACK) are used; both ends must have them on.
        sack: bool = true, "RFC 2018";
        /// Whether TCP timestamps are used; both ends must have them on. They take 12 bytes in each segment, allow
        /// PAWS, and allow round-trip samples from retransmissions.
        timestamps: bool = true, "RFC 7323";
        /// Whether window scaling is used. Without it the receive window is at most 65535 bytes.
        window_scale: bool = true, "RFC 7323 §2";
        /// Whether explicit congestion notification is used; both ends must have it on.
        ecn: bool = false, "RFC 3168";
        /// Largest amount of data that is sent and not yet acknowledged; further data waits in the application. `"auto"` is
        /// unlimited.
        send_buffer: Option<Bytes> = None, "unlimited, so that the network is what limits";
        /// The size of the receive buffer, which limits the advertised window. If it is smaller than the
        /// bandwidth-delay product, it limits throughput. If you set it, its size is fixed, and `tcp_rmem` has no
        /// effect.
        receive_buffer: Bytes = Bytes(6_291_456), "Linux tcp_rmem maximum";
        /// The smallest, initial and largest memory of a receive buffer that grows with what the application reads in
        /// a round trip, instead of `receive_buffer`. At most half of the memory is advertised as window. `"auto"`
        /// turns this off.
        tcp_rmem: Option<BufferSizes> = None, "off; Linux tcp_rmem, tcp_rcv_space_adjust";
        /// The smallest, initial and largest memory of a send buffer that grows with the window, unless `send_buffer`
        /// is set. `"auto"` turns this off.
        tcp_wmem: Option<BufferSizes> = None, "off; Linux tcp_wmem, tcp_sndbuf_expand";
        /// The smallest retransmission timeout (RTO). If it is small, there are timeouts without a loss; if it is
        /// large, a sender stalls for long after one.
        min_rto: Duration = Duration::from_secs(1), "RFC 6298 §2.4", in "10 us"..="1000 h": "each timeout takes computing time | no run waits that long";
        /// The retransmission timeout before the first round-trip sample.
        initial_rto: Duration = Duration::from_secs(1), "RFC 6298 §2.1", in "10 us"..="1000 h": "each timeout takes computing time | no run waits that long";
        /// The largest retransmission timeout, doubled ones included.
        max_rto: Duration = Duration::from_secs(60), "RFC 6298 §2.5", in "10 us"..="1000 h": "each timeout takes computing time | no run waits that long";
        /// After how many segments an ACK is sent at the latest; 0 or 1 acknowledges each one.
        delayed_ack: u8 = 2, "RFC 5681 §4.2";
        /// Whether the first two duplicate ACKs each let out a segment of new data.
        limited_transmit: bool = true, "RFC 3042";
        /// Number of duplicate ACKs that mean that a segment is lost. With more, reordering is tolerated better, but losses are
        /// noticed later.
        dup_thresh: u8 = 3, "RFC 5681 §3.2", in 1..=255: "without a duplicate ACK there is no sign of a loss | the counter has 8 bits";
        /// After how many timeouts in a row without an ACK of new data the connection gives up. `"auto"` is never.
        data_retries: Option<u64> = Some(15), "RFC 1122 §4.2.3.5: R2 at least 100 s";
        /// After how many retransmissions of a SYN the connection gives up. `"auto"` is never.
        syn_retries: Option<u64> = Some(7), "RFC 1122 §4.2.3.5: R2 for SYN at least 3 minutes";
        /// Whether data is sent evenly spaced, by a timer, instead of in bursts after each ACK.
        pacing: Pacing = Pacing::Auto, "Linux: with fq, or where the algorithm asks; tcp_pacing_ss_ratio, tcp_pacing_ca_ratio";
        /// When a small segment waits for acknowledgments. If it does, the end of each message takes a round trip
        /// longer.
        nagle: Nagle = Nagle::Off, "off, as simulated applications write in bulk";
        /// Whether a segment counts as lost once a segment sent sufficiently later was delivered, instead of by
        /// counting what was SACKed above it. This repairs lost retransmissions and tolerates reordering. Needs SACK.
        rack: bool = false, "RFC 8985 §6; off: RFC 6675";
        /// Whether, after two round trips without an ACK, a segment is sent to provoke one, so that losses at the end
        /// of a flight need no timeout. Needs SACK; `rack` then finds what the ACK shows to be lost.
        tlp: bool = false, "RFC 8985 §7";
        /// Forbidden behaviour of this endpoint, for studies of attacks (Savage et al., CCR 29(5), 1999).
        misbehaviour: Misbehaviour = Misbehaviour::None, "RFC 5681 §5";
        /// Into how many pieces ACKs are divided, how many segments ahead they are, or how often they are repeated.
        misbehaviour_degree: u16 = 10, "Savage et al. 1999", in 1..=1000: "each segment needs an ACK | each segment causes so many ACKs, which takes computing time";
    }
}

/// Reads of a behaviour need no path: the protocol does not care in which table of a scenario a parameter stands.
impl Deref for TcpConfig {
    type Target = TcpBehaviour;

    #[inline]
    fn deref(&self) -> &TcpBehaviour {
        &self.behaviour
    }
}

impl TcpConfig {
    /// Initial window for segments of `mss` bytes.
    pub(crate) fn initial_window(&self, mss: u64) -> u64 {
        // RFC 6928 §2 equation 1.
        self.iw.map_or_else(|| (10 * mss).min((2 * mss).max(14_600)), |n| n.max(1).saturating_mul(mss))
    }

    /// The largest window that this end may ever advertise.
    pub fn largest_window(&self) -> u64 {
        let share = self.tcp_window_share.unwrap_or(0.5);
        self.tcp_rmem.map_or(self.receive_buffer.get(), |sizes| (sizes.most as f64 * share) as u64)
    }

    /// The window scale shift this end asks for: the least with which the whole buffer can be advertised.
    pub(crate) fn scale_shift(&self) -> u8 {
        let buffer = self.tcp_rmem.map_or(self.receive_buffer.get(), |sizes| sizes.most);
        (0..14).find(|s| buffer >> s <= 65_535).unwrap_or(14)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_window_follows_rfc_6928() {
        // RFC 6928 §2: 10 segments up to 1460 bytes, 14600 bytes up to 7300, 2 segments above.
        let c = TcpConfig::default();
        assert_eq!([536, 1460, 3000, 9000].map(|m| c.initial_window(m)), [5_360, 14_600, 14_600, 18_000]);
    }

    #[test]
    fn scale_is_the_least_that_covers_the_buffer() {
        let shift = |b| TcpConfig { receive_buffer: Bytes(b), ..TcpConfig::default() }.scale_shift();
        assert_eq!([65_535, 65_536, 131_072, 6_291_456, u64::MAX].map(shift), [0, 1, 2, 7, 14]);
    }
}
