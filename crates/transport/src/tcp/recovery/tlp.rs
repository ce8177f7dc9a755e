//! Tail loss probes (RFC 8985 §7): when ACKs stay away for two round trips, a segment is sent to provoke one.
//!
//! The probe is new data where there is some, else the last segment again. If that alone repaired a loss, the window
//! falls as for any loss.

use super::ack_findings::AckFindings;
use crate::segment::Segment;
use tailrace_core::{Duration, Instant};

/// Longest time that a receiver delays the ACK of a single segment (TLP.max_ack_delay).
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);
/// The interval before there is a round-trip sample.
const INITIAL: Duration = Duration::from_secs(1);

/// A probe in flight.
#[derive(Clone, Copy, Debug)]
struct LossProbe {
    /// SND.NXT when it was sent (TLP.end_seq).
    end: u64,
    /// It was sent again, rather than new (TLP.is_retrans).
    resent: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tlp {
    probe: Option<LossProbe>,
    /// Round-trip samples when the latest was sent: without a new one there is no other probe.
    samples: Option<u64>,
    /// It goes out with the next poll, unless an ACK comes first.
    due: bool,
    /// When the timer was armed as more data at the same moment calls for, if it was.
    settled_at: Instant,
}

impl Tlp {
    /// Whether the range that D-SACK reports ends where the probe did, which was sent again.
    pub(super) fn was_probe(&self, dsack: (u64, u64)) -> bool {
        self.probe.is_some_and(|p| p.resent && dsack.1 == p.end)
    }
    /// Whether none is out or due.
    pub(super) fn is_idle(&self) -> bool {
        self.probe.is_none() && !self.due
    }
    /// A recovery begins.
    pub(super) fn reset(&mut self) {
        (self.probe, self.due) = (None, false);
    }

    /// Whether no probe is out, nor was one since the last of `samples` round-trip samples.
    pub(super) fn may_send(&self, samples: u64) -> bool {
        self.probe.is_none() && self.samples.is_none_or(|n| samples > n)
    }

    /// The interval before a probe: two round trips, longer where `single`, since the receiver may delay the ACK of one segment
    /// (RFC 8985 §7.2). `slack` is the least that timers are late by.
    #[inline]
    pub(super) fn interval(smoothed: Option<Duration>, single: bool, slack: Duration) -> Duration {
        smoothed.map_or(INITIAL, |rtt| rtt * 2) + if single { MAX_ACK_DELAY } else { slack }
    }

    /// A probe goes out with the next poll.
    pub(super) const fn demand(&mut self) {
        self.due = true;
    }

    /// Whether a probe goes out with the next poll.
    pub(super) const fn is_due(&self) -> bool {
        self.due
    }

    /// Sends the probe that is due, if one is; all up to `end` is sent then.
    pub(super) fn start(&mut self, end: u64, resent: bool, samples: u64) -> bool {
        let starts = self.due;
        if starts {
            (self.probe, self.samples, self.due) = (Some(LossProbe { end, resent }), Some(samples), false);
        }
        starts
    }

    /// Whether new data that ends at `end` is the probe.
    pub(super) fn is_new_data(&self, end: u64) -> bool {
        self.probe.is_some_and(|probe| !probe.resent && probe.end == end)
    }

    /// When the timer was last armed in a way that more data at the same moment does not change.
    pub(super) const fn settled_at(&self) -> Instant {
        self.settled_at
    }

    pub(super) const fn settle(&mut self, now: Instant) {
        self.settled_at = now;
    }

    /// RFC 8985 §7.4.2: an ACK up to `ack` has come, and `una` was acknowledged before. Returns whether the probe repaired a loss
    /// that nothing else has shown.
    pub(super) fn on_ack(
        &mut self,
        findings: &AckFindings,
        segment: &Segment,
        (una, ack): (u64, u64),
    ) -> bool {
        self.due = false;
        let Some(LossProbe { end, resent }) = self.probe.filter(|p| ack >= p.end) else { return false };
        let reported = findings.dsack.is_some_and(|d| d.1 == end);
        let duplicate = ack == una && segment.sack.is_empty() && segment.seq_len() == 0;
        let repaired = resent && !reported && ack > end;
        if !resent || reported || repaired || duplicate {
            self.probe = None;
        }
        repaired
    }
}
