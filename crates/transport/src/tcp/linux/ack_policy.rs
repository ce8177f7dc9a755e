//! Linux's ACK policy: an adaptive delay, full segments that are waited for, compressed ACKs, and remembered SACK ranges.
//!
//! Each part follows a parameter of its own; without that it acts as the RFCs' policy does.

use super::ack_compression::{self, AckCompression};
use super::ato::AtoEstimator;
use super::peer_mss::PeerMss;
use super::sack_memory::SackMemory;
use crate::config::{AckDelay, SackReports, TcpConfig};
use crate::segment::{Flags, SackBlocks, Segment, SeqNumber};
use crate::tcp::recv::ack_policy::AckPolicy;
use crate::tcp::recv::acks::OwedAcks;
use crate::tcp::recv::reassembly::Reassembly;
use crate::tcp::timer::wheel;
use tailrace_core::{Duration, Instant};

/// State of the policy.
#[derive(Clone, Debug, Default)]
pub(in crate::tcp) struct LinuxAckPolicy {
    ato: AtoEstimator,
    peer_mss: PeerMss,
    /// This end has answered data with data at once (`pingpong`).
    pingpong: bool,
    compression: AckCompression,
    sack_memory: SackMemory,
}

impl LinuxAckPolicy {
    /// The connection is established.
    pub(in crate::tcp) fn start(&mut self, now: Instant, jiffy: Duration) {
        self.ato.start(now, jiffy);
    }

    /// A segment `start..end` is about to be received above a gap. Returns whether it makes so many ranges that a compressed ACK
    /// would not report all of them (`tcp_sack_compress_send_ack`).
    pub(in crate::tcp) fn overflows_sack(&self, (start, end): (u64, u64)) -> bool {
        self.sack_memory.is_beyond_expected((SeqNumber(start as u32), SeqNumber(end as u32)))
    }

    /// Remembers the range of a segment received above a gap.
    pub(in crate::tcp) fn remember_range(&mut self, (start, end): (u64, u64)) {
        self.sack_memory.note((SeqNumber(start as u32), SeqNumber(end as u32)));
    }

    /// All up to `nxt` is received: forgets the ranges below.
    pub(in crate::tcp) fn on_gap_filled(&mut self, nxt: u64) {
        self.sack_memory.on_advance(SeqNumber(nxt as u32));
    }

    /// Counts an ACK among those that report the gap at `nxt` at once.
    pub(in crate::tcp) fn count_gap_ack(&mut self, nxt: u64) {
        self.compression.leaves_at_once(nxt);
    }

    /// Keeps a complete ACK that is to leave before all others.
    pub(in crate::tcp) fn queue_first(&mut self, ack: Segment) {
        self.compression.queue_first(ack);
    }

    /// The ACK of [`Self::queue_first`], if there is one.
    pub(in crate::tcp) fn take_first(&mut self) -> Option<Segment> {
        self.compression.take_first()
    }

    /// Timestamp of an ACK that leaves at `now`.
    pub(in crate::tcp) fn timestamp_of_ack(&mut self, now: Instant) -> Instant {
        self.compression.timestamp_of_ack(now)
    }
}

impl AckPolicy for LinuxAckPolicy {
    /// After a pause the next segments are acknowledged at once (`tcp_event_data_recv`).
    #[inline(never)]
    fn on_data(&mut self, acks: &mut OwedAcks, config: &TcpConfig, rto: Duration, now: Instant) {
        if self.ato.on_data(now, config.delayed_ack_timeout, rto, config.jiffy) {
            self.enter_quick_ack(acks, config.quick_acks);
        }
    }

    /// Data may be the last of a message if it is pushed or fills no segment (`tcp_measure_rcv_mss`).
    #[inline(never)]
    fn on_segment_size(&mut self, acks: &mut OwedAcks, segment: &Segment, largest: u32) {
        if segment.payload == 0 {
            return;
        }
        let was_full = self.peer_mss.is_full(segment.payload);
        if self.peer_mss.is_small(segment.payload, largest, segment.timestamps.is_some()) {
            acks.on_small();
        } else if was_full && segment.flags.has(Flags::PSH) {
            acks.on_push();
        }
    }

    /// Linux waits for more than a full segment (`__tcp_ack_snd_check`).
    #[inline]
    fn ack_every(&self, unacknowledged: u64, config: &TcpConfig) -> u8 {
        let waits = config.ack_delay == AckDelay::Adaptive
            && config.delayed_ack >= 2
            && unacknowledged <= self.peer_mss.get();
        if waits { u8::MAX } else { config.delayed_ack }
    }

    /// Whether this end answers with data or not (`tcp_enter_quickack_mode`).
    fn enter_quick_ack(&mut self, acks: &mut OwedAcks, segments: u16) {
        acks.begin_quick_acks(segments);
        self.pingpong = false;
    }

    #[inline]
    fn delay_ack(&mut self, acks: &mut OwedAcks, config: &TcpConfig, smoothed: Duration, now: Instant) {
        let least = config.delayed_ack_timeout;
        let wait = if config.ack_delay == AckDelay::Adaptive {
            // Before the peer's least timeout is over (`tcp_delack_max`).
            let most = config.min_rto.saturating_sub(config.jiffy);
            self.ato.bounded(least, most, smoothed)
        } else {
            least
        };
        let at = wheel::expiry(now, wait, config.jiffy).at;
        acks.wait_until(at);
        self.compression.note_timer(at);
    }

    fn ack_timeout(&self, _config: &TcpConfig) -> Duration {
        self.ato.delay()
    }

    /// The first ACKs of a gap leave at once; later ones are compressed (`__tcp_ack_snd_check`).
    fn on_gap(&mut self, acks: &mut OwedAcks, nxt: u64, wait: Duration, now: Instant) {
        if wait.is_zero() {
            return acks.on_disorder();
        }
        if self.compression.has_first() {
            return; // With that ACK none is owed any more (`inet_csk_ack_scheduled`).
        }
        let at_once = acks.is_quick() || self.compression.leaves_at_once(nxt);
        if at_once || acks.held() >= ack_compression::MOST {
            acks.on_disorder();
        } else {
            acks.hold_until(self.compression.leaves_at(now, wait));
        }
    }

    /// The next delay is longer, unless the ACK waited for a reply that did not come (`tcp_delack_timer_handler`).
    fn on_deadline(&mut self, acks: &mut OwedAcks, config: &TcpConfig, rto: Duration) {
        let (held, at) = (acks.held() > 0, acks.deadline());
        acks.on_deadline();
        if held {
            self.compression.on_deadline(at);
        } else if config.ack_delay == AckDelay::Adaptive {
            let replied = core::mem::take(&mut self.pingpong);
            self.ato.on_deadline(replied, config.delayed_ack_timeout, rto);
        }
    }

    /// If nothing has arrived in order yet, the first segment that does is no beginning to Linux.
    #[cold]
    fn on_quick_acks_spent(&mut self, config: &TcpConfig) {
        self.ato.reset(config.delayed_ack_timeout);
    }

    #[inline]
    fn is_pingpong(&self) -> bool {
        self.pingpong
    }

    /// Data that follows received data within the delay makes this end one that answers.
    fn on_data_sent(&mut self, now: Instant) {
        self.pingpong |= self.ato.is_within_delay(now);
    }

    #[inline(never)]
    fn sack_blocks(&mut self, rcv: &mut Reassembly, room: usize, config: &TcpConfig) -> SackBlocks {
        if config.sack_reports != SackReports::Remembered {
            return rcv.blocks(room);
        }
        let mut blocks = rcv.report_duplicate();
        self.sack_memory.report(room.saturating_sub(blocks.as_slice().len()), &mut blocks);
        blocks
    }
}
