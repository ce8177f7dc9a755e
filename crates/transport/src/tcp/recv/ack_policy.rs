//! When data that arrived is acknowledged: at once, with every second segment, or after a delay (RFC 1122 §4.2.3.2,
//! RFC 5681 §4.2).

use super::acks::OwedAcks;
use super::reassembly::Reassembly;
use crate::config::TcpConfig;
use crate::segment::{SackBlocks, Segment};
use crate::tcp::timer::wheel;
use tailrace_core::{Duration, Instant};

/// Decides when ACKs leave; [`OwedAcks`] has those that are owed.
///
/// [`RfcAckPolicy`] is that of the RFCs. Linux's
/// ([`LinuxAckPolicy`](crate::tcp::linux::ack_policy::LinuxAckPolicy)) adapts the delay, waits for full segments, and
/// compresses the ACKs of a gap.
pub(in crate::tcp) trait AckPolicy {
    /// Data arrived in order at `now`; called where the delay follows the pace of segments.
    fn on_data(&mut self, acks: &mut OwedAcks, config: &TcpConfig, rto: Duration, now: Instant);
    /// A segment arrived in order that carries data; `largest` is the payload of a full one. Called where pushed data is
    /// acknowledged at once.
    fn on_segment_size(&mut self, acks: &mut OwedAcks, segment: &Segment, largest: u32);
    /// Every how many segments an ACK leaves, where `unacknowledged` bytes have arrived since the last.
    fn ack_every(&self, unacknowledged: u64, config: &TcpConfig) -> u8;
    /// At least the next `segments` are acknowledged at once.
    fn enter_quick_ack(&mut self, acks: &mut OwedAcks, segments: u16);
    /// Delays the ACK that is owed; `smoothed` is the round-trip time.
    fn delay_ack(&mut self, acks: &mut OwedAcks, config: &TcpConfig, smoothed: Duration, now: Instant);
    /// The delay as it is now.
    fn ack_timeout(&self, config: &TcpConfig) -> Duration;
    /// A segment arrived above a gap while `nxt` is expected; its ACK may be compressed for `wait`, if that is not zero.
    fn on_gap(&mut self, acks: &mut OwedAcks, nxt: u64, wait: Duration, now: Instant);
    /// The deadline of a delayed ACK has passed.
    fn on_deadline(&mut self, acks: &mut OwedAcks, config: &TcpConfig, rto: Duration);
    /// The last of the ACKs that were to leave at once has left.
    fn on_quick_acks_spent(&mut self, config: &TcpConfig);
    /// Whether this end answers what it reads with data, which takes the ACK along.
    fn is_pingpong(&self) -> bool;
    /// Data is sent at `now`.
    fn on_data_sent(&mut self, now: Instant);
    /// SACK blocks of the next ACK, at most `room`.
    fn sack_blocks(&mut self, rcv: &mut Reassembly, room: usize, config: &TcpConfig) -> SackBlocks;
}

/// The RFCs' policy: every `delayed_ack` segments, or after a fixed delay; at once above a gap.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct RfcAckPolicy;

impl AckPolicy for RfcAckPolicy {
    fn on_data(&mut self, _acks: &mut OwedAcks, _config: &TcpConfig, _rto: Duration, _now: Instant) {}
    fn on_segment_size(&mut self, _acks: &mut OwedAcks, _segment: &Segment, _largest: u32) {}
    #[inline(always)]
    fn ack_every(&self, _unacknowledged: u64, config: &TcpConfig) -> u8 {
        config.delayed_ack
    }
    fn enter_quick_ack(&mut self, acks: &mut OwedAcks, segments: u16) {
        acks.begin_quick_acks(segments);
    }
    #[inline(always)]
    fn delay_ack(&mut self, acks: &mut OwedAcks, config: &TcpConfig, _smoothed: Duration, now: Instant) {
        acks.wait_until(wheel::expiry(now, config.delayed_ack_timeout, config.jiffy).at);
    }
    fn ack_timeout(&self, config: &TcpConfig) -> Duration {
        config.delayed_ack_timeout
    }
    fn on_gap(&mut self, acks: &mut OwedAcks, _nxt: u64, _wait: Duration, _now: Instant) {
        acks.on_disorder();
    }
    fn on_deadline(&mut self, acks: &mut OwedAcks, _config: &TcpConfig, _rto: Duration) {
        acks.on_deadline();
    }
    fn on_quick_acks_spent(&mut self, _config: &TcpConfig) {}
    #[inline(always)]
    fn is_pingpong(&self) -> bool {
        false
    }
    fn on_data_sent(&mut self, _now: Instant) {}
    fn sack_blocks(&mut self, rcv: &mut Reassembly, room: usize, _config: &TcpConfig) -> SackBlocks {
        rcv.blocks(room)
    }
}
