//! The optional parts of loss recovery: what they share, and the order in which they look at an ACK.
//!
//! An endpoint with all of them off has none of this state. Else each ACK is looked at twice: once before the
//! window reacts to it ([`Tcp::examine`]: what is lost, what was spurious) and once after ([`Tcp::conclude`]: how
//! much may go out, which timer comes first).

use super::cwnd_validation::CwndValidation;
use super::door::Door;
use super::prr::PrrState;
use super::rack::Rack;
use super::tlp::Tlp;
use super::undo::{Frto, Undo};
use super::{Phase, Tcp};
use crate::config::{AckDelay, DupLimit, Misbehaviour, Prr, RtoWindow, RttSampling, SackReports, TcpConfig};
use crate::segment::Segment;
use crate::tcp::attacks::misbehaviour::Lies;
use crate::tcp::linux::compressed_ack::Compression;
use crate::tcp::linux::push_acks::PushAcks;
use crate::tcp::linux::sack_memory::SackMemory;
use crate::tcp::linux::tso::{self, Tso};
use crate::tcp::recv::delayed_ack::Pace;
use crate::tcp::send::scoreboard::{Acked, Sent};
use tailrace_core::{Duration, Instant};

/// What one ACK delivered and reported.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The segment sent last among those delivered: when and its end. Ambiguous retransmissions are left out.
    pub(super) newest: Option<(Instant, u64)>,
    /// Of these the one that comes last in Linux's order, end and when: what is SACKed, and then what is acknowledged.
    pub(super) last: Option<(u64, Instant)>,
    /// Lowest start of a delivered segment that was sent once.
    pub(super) low: Option<u64>,
    /// Highest end of a delivered segment.
    pub(super) high: u64,
    /// A segment that was sent once, and before the recovery began, was delivered.
    pub(super) original: bool,
    /// The range that D-SACK reports.
    pub(super) dsack: Option<(u64, u64)>,
    /// That was a loss probe.
    pub(super) dsack_of_probe: bool,
    /// When the first and the last of what was SACKed for the first time, and sent once, were sent.
    pub(super) sacked_from: Option<(Instant, Instant)>,
}

/// What there was before an ACK: acknowledged, delivered in sum and in segments, and how often a segment had been marked lost.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    una: u64,
    delivered: u64,
    segments: u32,
    marked: u32,
}

/// State of the optional parts.
#[derive(Clone, Debug)]
pub(crate) struct Repair {
    before: Before,
    pub(super) seen: Seen,
    pub(super) rack: Rack,
    pub(super) tlp: Tlp,
    pub(super) prr: PrrState,
    pub(super) undo: Undo,
    /// Segments that D-SACK has reported.
    reported: u64,
    pub(super) frto: Frto,
    pub(super) door: Door,
    pub(super) cwnd_validation: CwndValidation,
    /// Bytes that duplicate ACKs may still count for in this fast recovery (`dup_limit = "flight"`).
    pub(super) dup_allowance: u64,
    /// `dup_thresh` as reordering has raised it.
    pub(super) dup_thresh: u16,
    /// How segments come in (`ack_delay`).
    pub(in crate::tcp) pace: Pace,
    /// Which of them are full, and whether they are replied to (`push_acks`).
    pub(in crate::tcp) push_acks: PushAcks,
    /// How much has been told of a gap (`ack_compression`).
    pub(in crate::tcp) compression: Compression,
    /// What is reported by SACK (`sack_reports`).
    pub(in crate::tcp) ranges: SackMemory,
    /// The packet that is leaving (`tso`), and when an ACK without data was last sent while data was out.
    pub(in crate::tcp) tso: Tso,
    pub(in crate::tcp) acked_between: Instant,
    /// Most segments of packets.
    pub(in crate::tcp) packet_most: u64,
    /// That rate, bytes a second.
    pub(in crate::tcp) rate: u64,
    /// What a connection's options take of a segment: it counts for that rate as if it were data (`mss_cache`).
    pub(in crate::tcp) beside: u32,
    /// What the receiver's side makes up (`misbehaviour`).
    pub(in crate::tcp) lies: Lies,
}

impl Repair {
    /// `None` where `config` asks for none of it.
    pub(crate) fn build(config: &TcpConfig) -> Option<Box<Self>> {
        let c = config;
        let undoes = c.frto || c.eifel || c.dsack_undo || c.door;
        let wanted = c.rack || c.tlp || c.prr != Prr::Off || undoes || c.max_dup_thresh > 0;
        let wanted = wanted || c.tso || c.push_acks || !c.ack_compression.is_zero();
        let wanted = wanted || c.sack_reports == SackReports::Remembered;
        let wanted = wanted || c.ack_delay == AckDelay::Adaptive || c.dup_limit == DupLimit::Flight;
        (wanted || c.misbehaviour != Misbehaviour::None).then(|| {
            Box::new(Self {
                before: Before::default(),
                seen: Seen::default(),
                rack: Rack::new(),
                tlp: Tlp::default(),
                prr: PrrState::default(),
                undo: Undo::default(),
                reported: 0,
                frto: Frto::Off,
                door: Door::default(),
                cwnd_validation: CwndValidation::default(),
                dup_allowance: 0,
                dup_thresh: u16::from(c.dup_thresh),
                pace: Pace::default(),
                push_acks: PushAcks::new(),
                compression: Compression::default(),
                ranges: SackMemory::default(),
                tso: Tso::default(),
                acked_between: Instant::ZERO,
                packet_most: tso::LEAST,
                rate: 0,
                beside: 0,
                lies: Lies::default(),
            })
        })
    }
}

impl Tcp {
    /// Takes the SACK blocks of an ACK up to `ack`, noting what they deliver. `dsack` says that the first reports a duplicate: if that is
    /// acknowledged, too, it SACKs nothing.
    pub(in crate::tcp) fn sack(
        &mut self,
        blocks: &[(u64, u64)],
        (dsack, ack): (bool, u64),
        segment: &Segment,
        now: Instant,
    ) -> u64 {
        let (point, least) = (self.recovery.point, self.rtt.min);
        // Linux asks the echo only of what is acknowledged: what waits for a segment before it is not told of by it.
        let linux = self.config.rto_window == RtoWindow::FlightAndOne;
        let echo = segment.timestamps.filter(|_| !linux).map(|t| t.echo);
        if dsack {
            self.deliver_again(blocks[0]);
        }
        let news = &blocks[usize::from(blocks[0].1 <= ack)..];
        let Some(repair) = &mut self.repair else { return self.board.on_sack(news, |_| {}) };
        repair.seen.dsack = dsack.then_some(blocks[0]);
        let seen = &mut repair.seen;
        let mut buffer = self.buffers.as_mut().and_then(|buffers| buffers.send.as_mut());
        self.board.on_sack(news, |sent| {
            if let Some(buffer) = &mut buffer {
                buffer.queue.on_sacked(sent.start, sent.end);
            }
            seen.note_sacked(&sent, point, Rack::is_genuine(&sent, echo, least, now));
        })
    }

    /// D-SACK reports `range`: what was sent again in vain has been delivered, too, as Linux counts segments, unless more were reported
    /// than were ever sent again (`tcp_dsack_seen`).
    fn deliver_again(&mut self, (start, end): (u64, u64)) {
        let segments = end.saturating_sub(start).div_ceil(u64::from(self.mss)).max(1);
        let Some(repair) = &mut self.repair else { return };
        repair.reported += segments;
        if repair.reported <= self.stats.retransmitted_segments {
            self.board.delivered = self.board.delivered.wrapping_add(segments as u32);
        }
    }

    /// When the first and the last of what this ACK SACKs for the first time were sent, where that gives a round trip.
    pub(in crate::tcp) fn sacked_from(&self) -> Option<(Instant, Instant)> {
        let wanted = self.config.rtt_sampling == RttSampling::AckOrSack;
        self.repair.as_ref().filter(|_| wanted)?.seen.sacked_from
    }

    /// An ACK that does not advance SACKs what was sent from `from` to `last`: a round trip; and where that was before the oldest
    /// segment was sent (again), the timeout counts from now. Later ones prove nothing for that segment.
    fn on_round_trip_of_sack(&mut self, (from, last): (Instant, Instant), now: Instant) {
        if self.config.rtt_sampling == RttSampling::AckOrSack {
            let place = (self.board.una, self.board.nxt);
            self.rtt.on_sample(now.saturating_since(from), place, now, &self.config);
            self.rtt.on_shortest(now.saturating_since(last));
            self.tell_round_trip((0, self.board.outstanding()), Some(self.rtt.latest), now);
        }
        let head = self.board.first_sent_at();
        if self.config.rto_restart && head.is_some_and(|at| from < at) {
            self.restart_rto(now);
        }
    }

    /// The timeout counts from now; where another timer stands before it, from when the oldest segment was last sent (Linux
    /// `tcp_rearm_rto`).
    pub(in crate::tcp) fn restart_rto(&mut self, now: Instant) {
        if self.timer.stands_before_retransmission() {
            let from = self.board.first_sent_at().unwrap_or(now);
            let left = from.saturating_add(self.rto()).saturating_since(now).max(Duration::from_micros(1));
            self.timer.put_off_retransmission(self.expiry(now, left));
        } else {
            self.rearm_retransmit(now);
        }
    }

    /// Takes a cumulative acknowledgment, noting what it delivers.
    #[inline(never)]
    pub(in crate::tcp) fn ack_noting(&mut self, ack: u64, segment: &Segment, now: Instant) -> Acked {
        let (point, least) = (self.recovery.point, self.rtt.min);
        let echo = segment.timestamps.map(|t| t.echo);
        let repair = self.repair.as_mut().expect("ACKs are noted where there is something to note them in");
        let seen = &mut repair.seen;
        self.board.ack_to_with(ack, |sent| {
            seen.note_acked(&sent, point, Rack::is_genuine(&sent, echo, least, now));
        })
    }

    /// Looks at an ACK that was taken. `una` is what was acknowledged before it; `acked` what it covers, if it
    /// advances.
    #[inline(never)]
    pub(in crate::tcp) fn examine(
        &mut self,
        segment: &Segment,
        (una, ack): (u64, u64),
        acked: Option<Acked>,
        now: Instant,
    ) {
        let Some(repair) = &mut self.repair else { return };
        let mut seen = core::mem::take(&mut repair.seen);
        if let (None, Some(from)) = (&acked, seen.sacked_from) {
            self.on_round_trip_of_sack(from, now);
        }
        let Some(repair) = &mut self.repair else { return };
        seen.dsack_of_probe = seen.dsack.is_some_and(|range| repair.tlp.was_probe(range));
        let reordered = repair.rack.note_order(&seen);
        if let Some(low) = reordered {
            let distance = (repair.rack.fack_before - low).div_ceil(u64::from(self.mss));
            let most = u64::from(self.config.max_dup_thresh);
            repair.dup_thresh = repair.dup_thresh.max(distance.min(most) as u16);
        }
        if self.config.door && (reordered.is_some() || ack < una) {
            self.on_out_of_order(now);
        }
        self.tlp_on_ack(&seen, segment, (una, ack), now);
        self.judge(&seen, segment, acked.as_ref(), now);
        if self.options.sack && self.config.rack {
            let again = self.rack_on_ack(&seen, now);
            // Linux: a retransmission that was lost ends the repair of a timeout; fast recovery goes on from here.
            let linux = self.config.rto_window == RtoWindow::FlightAndOne;
            if again && linux && self.recovery.phase == Phase::Loss {
                self.enter_fast(self.board.outstanding(), now);
            }
        }
    }

    /// Whether an ACK that is no duplicate and SACKs nothing has nothing to tell the optional parts: all is in order, and
    /// nothing was sent again.
    #[inline]
    pub(in crate::tcp) fn takes_fast_path(&self) -> bool {
        let Some(repair) = &self.repair else { return false };
        self.recovery.phase == Phase::Open
            && self.board.is_clean()
            && repair.rack.is_idle()
            && repair.tlp.is_idle()
            && repair.undo.is_idle()
    }

    /// Such an ACK advanced and was dealt with.
    pub(in crate::tcp) fn after_fast_path(&mut self, now: Instant) {
        let una = self.board.una;
        if let Some(repair) = &mut self.repair {
            repair.rack.on_ack_in_order(una, self.rtt.latest);
        }
        self.arm_probe(now);
    }

    /// An ACK has come: notes what [`Self::conclude`] compares with.
    #[inline(never)]
    pub(in crate::tcp) fn note_progress(&mut self) {
        let before = Before {
            una: self.board.una,
            delivered: self.delivered(),
            segments: self.board.delivered,
            marked: self.board.marked,
        };
        if let Some(repair) = &mut self.repair {
            repair.before = before;
        }
    }

    /// After the window has reacted to an ACK.
    #[inline(never)]
    pub(in crate::tcp) fn conclude(&mut self, now: Instant) {
        let Some(before) = self.repair.as_ref().map(|r| r.before) else { return };
        let Before { una, delivered, segments, marked } = before;
        let news = self.delivered().saturating_sub(delivered);
        let reducing = matches!(self.recovery.phase, Phase::Fast | Phase::Cwr);
        let full = u64::from(self.board.delivered.wrapping_sub(segments)) * u64::from(self.mss);
        let counts_segments = self.config.prr == Prr::Linux && self.options.sack;
        let counted = if counts_segments { full } else { news };
        if reducing && self.reduces_rate() && counted > 0 {
            self.prr_on_ack(counted, self.board.una > una && self.board.marked == marked);
        }
        if news > 0 {
            self.arm_earlier(now);
        }
    }

    /// All that has left the network for the receiver, as a running sum.
    fn delivered(&self) -> u64 {
        self.board.una + self.board.sacked() + self.recovery.dup_bytes
    }

    /// Puts the reordering timer or the loss probe in front of the retransmission timer, where either is due first.
    fn arm_earlier(&mut self, now: Instant) {
        self.timer.bare_retransmission();
        let Some(repair) = &self.repair else { return };
        if let Some(at) = repair.rack.deadline {
            self.wait_for_reordering(at, now);
        } else {
            self.arm_probe(now);
        }
    }

    /// A segment with sequence space from `start` to `end` goes out.
    #[inline(never)]
    pub(in crate::tcp) fn note_sent(&mut self, (start, end): (u64, u64), new: bool, now: Instant) {
        if matches!(self.recovery.phase, Phase::Fast | Phase::Cwr) {
            let out = self.in_prr_units(end - start);
            if let Some(repair) = &mut self.repair {
                repair.prr.out += out;
            }
        }
        if self.config.push_acks {
            self.note_reply(now);
        }
        if new {
            self.arm_probe_after_data(end, now);
            return;
        }
        let Some(repair) = &mut self.repair else { return };
        repair.undo.note_resent(now);
        if self.config.rack && self.options.sack {
            repair.rack.note_resent(end, now);
        }
    }

    /// The retransmission timer expired: what is lost, and whether F-RTO has its doubts.
    pub(super) fn on_timeout_repair(&mut self, reneged: bool, now: Instant) {
        self.frto_on_timeout(self.recovery.phase);
        if let Some(repair) = &mut self.repair {
            repair.tlp.reset();
            repair.dup_thresh = u16::from(self.config.dup_thresh);
        }
        if self.config.rack && self.options.sack && !reneged {
            self.rack_on_timeout(now);
        } else {
            self.board.mark_all_lost();
        }
    }

    /// Duplicate ACKs that mean a loss.
    pub(in crate::tcp) fn dup_thresh(&self) -> u16 {
        self.repair.as_ref().map_or(u16::from(self.config.dup_thresh), |r| r.dup_thresh)
    }
}

impl Seen {
    /// Notes a segment that is SACKed for the first time; `genuine` says that its sending time can be relied on.
    fn note_sacked(&mut self, sent: &Sent, point: u64, genuine: bool) {
        self.note(sent, point, genuine);
        if genuine {
            self.last = self.last.max(Some((sent.end, sent.at)));
        }
        if !sent.again {
            let (first, last) = self.sacked_from.unwrap_or((sent.at, sent.at));
            self.sacked_from = Some((first.min(sent.at), last.max(sent.at)));
        }
    }

    /// The same of one that is acknowledged; these come in order, and after what is SACKed.
    fn note_acked(&mut self, sent: &Sent, point: u64, genuine: bool) {
        self.note(sent, point, genuine);
        if genuine {
            self.last = Some((sent.end, sent.at));
        }
    }

    fn note(&mut self, sent: &Sent, point: u64, genuine: bool) {
        if genuine {
            self.newest = self.newest.max(Some((sent.at, sent.end)));
        }
        if !sent.again {
            self.low = Some(self.low.map_or(sent.start, |low| low.min(sent.start)));
            self.original |= sent.end <= point;
        }
        self.high = self.high.max(sent.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segment_that_counts_as_delivered_last_is_the_last_acknowledged_or_else_the_highest_sacked() {
        let sent = |n: u64, ms| Sent {
            start: 100 * n,
            end: 100 * (n + 1),
            at: Instant::from_millis(ms),
            again: false,
        };
        let mut seen = Seen::default();
        // The first block is the latest, which need not be the highest.
        seen.note_sacked(&sent(5, 273), 0, true);
        seen.note_sacked(&sent(3, 254), 0, true);
        assert_eq!(seen.last, Some((600, Instant::from_millis(273))));
        assert_eq!(seen.sacked_from, Some((Instant::from_millis(254), Instant::from_millis(273))));
        seen.note_sacked(&sent(6, 290), 0, false);
        assert_eq!(seen.last, Some((600, Instant::from_millis(273))), "that may have been sent before");
        seen.note_acked(&sent(0, 212), 0, true);
        seen.note_acked(&sent(1, 232), 0, true);
        assert_eq!(seen.last, Some((200, Instant::from_millis(232))));
        assert_eq!(
            seen.newest,
            Some((Instant::from_millis(273), 600)),
            "which is not the one that was sent last"
        );
    }
}
