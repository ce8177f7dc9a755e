//! TIME-WAIT as a stub: the state that an endpoint needs once both directions are closed (RFC 9293 §3.10.7.4).

use super::options::clock;
use crate::segment::{Flags, Segment, SeqNumber, Timestamps};
use tailrace_core::{Duration, Instant};

/// Least distance of two answers to segments without payload that do not belong here, so that two confused ends
/// do not answer each other for ever (Linux `tcp_invalid_ratelimit`).
pub(in crate::tcp) const CHALLENGE_INTERVAL: Duration = Duration::from_millis(500);

/// An endpoint in TIME-WAIT.
#[derive(Clone, Copy, Debug)]
pub struct TimeWait {
    until: Instant,
    snd_nxt: SeqNumber,
    rcv_nxt: SeqNumber,
    /// Right edge of the window that was advertised last.
    right: SeqNumber,
    ts_recent: u32,
    /// From when on a segment without payload that does not belong here is answered again, on the timestamps' clock.
    challenge_from: u32,
    /// The window field of what it sends.
    window: u16,
    timestamps: bool,
}

/// Answer to a segment for an endpoint in TIME-WAIT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeWaitAnswer {
    /// Nothing.
    Silence,
    /// This goes back.
    Reply(Segment),
    /// It was a reset: TIME-WAIT is over.
    Over,
    /// It was the SYN of a later connection, which may begin (RFC 6191 §2, RFC 9293 §3.6.1).
    Reopen,
}

impl TimeWait {
    pub(super) fn new(until: Instant, (snd_nxt, rcv_nxt, right): (u64, u64, u64)) -> Self {
        let low = |n: u64| SeqNumber(n as u32);
        Self {
            until,
            snd_nxt: low(snd_nxt),
            rcv_nxt: low(rcv_nxt),
            right: low(right),
            ts_recent: 0,
            challenge_from: 0,
            window: 0,
            timestamps: false,
        }
    }

    /// With the window field and, where timestamps were agreed on, the value to echo.
    pub(super) fn with(self, window: u16, timestamps: Option<u32>) -> Self {
        let (timestamps, ts_recent) = (timestamps.is_some(), timestamps.unwrap_or(0));
        Self { window, timestamps, ts_recent, ..self }
    }

    /// When it is over.
    pub const fn until(&self) -> Instant {
        self.until
    }

    /// Takes a segment that arrived at `now`; a FIN that comes again starts the time of `keep` anew.
    pub fn handle_segment(&mut self, segment: &Segment, keep: Duration, now: Instant) -> TimeWaitAnswer {
        let seq = segment.seq.distance(self.rcv_nxt);
        let end = seq + segment.seq_len() as i32;
        let newer = |t: Timestamps| t.value.wrapping_sub(self.ts_recent) as i32;
        let age = segment.timestamps.filter(|_| self.timestamps).map_or(0, newer);
        let (rst, syn, ack) =
            (segment.flags.has(Flags::RST), segment.flags.has(Flags::SYN), segment.flags.has(Flags::ACK));
        if syn && !ack && !rst && (age > 0 || (age == 0 && seq > 0)) {
            return TimeWaitAnswer::Reopen;
        }
        let open = self.right.distance(self.rcv_nxt);
        let fits = if seq == end { (0..=open).contains(&seq) } else { end > 0 && (seq < open || seq == 0) };
        if !fits || (age < 0 && !rst) {
            return self.reject(segment, (seq, end), keep, now);
        }
        if rst {
            // RFC 5961 §3.2, as everywhere.
            return if seq == 0 { TimeWaitAnswer::Over } else { self.challenge(now) };
        }
        if syn || (ack && segment.ack.distance(self.snd_nxt) > 0) {
            return self.challenge(now);
        }
        TimeWaitAnswer::Silence
    }

    fn reject(
        &mut self,
        segment: &Segment,
        (seq, end): (i32, i32),
        keep: Duration,
        now: Instant,
    ) -> TimeWaitAnswer {
        if segment.flags.has(Flags::RST) {
            return TimeWaitAnswer::Silence;
        }
        if segment.flags.has(Flags::FIN) {
            self.until = now.saturating_add(keep);
        }
        if end > seq || seq == -1 { TimeWaitAnswer::Reply(self.ack(now)) } else { self.challenge(now) }
    }

    fn challenge(&mut self, now: Instant) -> TimeWaitAnswer {
        let ms = clock(now);
        if (ms.wrapping_sub(self.challenge_from) as i32) < 0 {
            return TimeWaitAnswer::Silence;
        }
        self.challenge_from = ms.wrapping_add(clock(Instant::ZERO + CHALLENGE_INTERVAL));
        TimeWaitAnswer::Reply(self.ack(now))
    }

    fn ack(&self, now: Instant) -> Segment {
        let stamps = Timestamps { value: clock(now), echo: self.ts_recent };
        Segment {
            seq: self.snd_nxt,
            ack: self.rcv_nxt,
            window: self.window,
            flags: Flags::ACK,
            timestamps: self.timestamps.then_some(stamps),
            ..Segment::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stub() -> TimeWait {
        TimeWait::new(Instant::from_secs(60), (1000, 2000, 2500)).with(500, None)
    }

    fn segment(seq: u32, ack: u32, flags: Flags) -> Segment {
        Segment { seq: SeqNumber(seq), ack: SeqNumber(ack), flags, ..Segment::default() }
    }

    const KEEP: Duration = Duration::from_secs(60);

    #[test]
    fn time_wait_stub_is_about_32_bytes() {
        assert!(size_of::<TimeWait>() <= 32, "{}", size_of::<TimeWait>());
    }

    #[test]
    fn a_fin_that_comes_again_is_acknowledged_and_the_time_starts_anew() {
        let mut stub = stub();
        let fin = segment(1999, 1000, Flags::FIN.with(Flags::ACK));
        let TimeWaitAnswer::Reply(ack) = stub.handle_segment(&fin, KEEP, Instant::from_secs(10)) else {
            panic!("silent");
        };
        assert_eq!(
            (ack.seq, ack.ack, ack.flags, ack.window),
            (SeqNumber(1000), SeqNumber(2000), Flags::ACK, 500)
        );
        assert_eq!(stub.until(), Instant::from_secs(70));
    }

    #[test]
    fn a_later_connections_syn_may_open_and_an_old_one_may_not() {
        let mut stub = stub();
        let now = Instant::from_secs(1);
        assert_eq!(stub.handle_segment(&segment(9000, 0, Flags::SYN), KEEP, now), TimeWaitAnswer::Reopen);
        // An old one lies before what was received: answered with an ACK, which makes an honest peer send a reset.
        assert!(matches!(
            stub.handle_segment(&segment(1500, 0, Flags::SYN), KEEP, now),
            TimeWaitAnswer::Reply(_)
        ));
    }

    #[test]
    fn only_an_exact_reset_ends_it() {
        let mut stub = stub();
        let now = Instant::from_secs(1);
        assert_eq!(stub.handle_segment(&segment(1999, 0, Flags::RST), KEEP, now), TimeWaitAnswer::Silence);
        assert!(matches!(
            stub.handle_segment(&segment(2001, 0, Flags::RST), KEEP, now),
            TimeWaitAnswer::Reply(_)
        ));
        assert_eq!(stub.handle_segment(&segment(2000, 0, Flags::RST), KEEP, now), TimeWaitAnswer::Over);
    }

    #[test]
    fn empty_segments_from_elsewhere_are_answered_twice_a_second_at_most() {
        let mut stub = stub();
        let far = segment(7000, 1000, Flags::ACK);
        let answers = (0..20).map(|i| stub.handle_segment(&far, KEEP, Instant::from_millis(1000 + 100 * i)));
        let replies = answers.filter(|a| matches!(a, TimeWaitAnswer::Reply(_))).count();
        assert_eq!(replies, 4, "at 1.0, 1.5, 2.0 and 2.5 s");
    }
}
