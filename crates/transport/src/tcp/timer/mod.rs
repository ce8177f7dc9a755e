//! Deadlines: retransmission (RFC 6298 §5), loss probes and reordering (RFC 8985), window probes (RFC 9293 §3.8.6.1),
//! TIME-WAIT, delayed ACKs and pacing.
//!
//! All but the last two are mutually exclusive and share one slot.

pub(in crate::tcp) mod rtt;
pub(crate) mod wheel;

use tailrace_core::{Duration, Instant};
use wheel::TimerExpiry;

/// Purpose that the shared timer is armed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tcp) enum TimerPurpose {
    Nothing,
    Retransmission,
    /// A tail loss probe.
    Probe,
    /// Reordering: overtaken segments are lost by then.
    Reordering,
    /// A window probe.
    Persist,
    TimeWait,
}

/// The timer that retransmission, probes and TIME-WAIT share: armed for one of them at a time.
///
/// A tail loss probe and the reordering timer stand before retransmission, which follows them: they are armed only where
/// that is, and its time is kept for when they are gone.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct SharedTimer {
    /// `MAX` where it is armed for nothing.
    at: Instant,
    /// When retransmission is due where another stands before it.
    rto_at: Instant,
    /// By how many ticks each is late ([`TimerExpiry`]).
    late: u16,
    rto_late: u16,
    /// Retransmissions due in a row without an ACK of new data, or window probes in a row.
    retries: u16,
    purpose: TimerPurpose,
    /// More data at the same moment would not change it.
    settled: bool,
}

impl SharedTimer {
    pub(in crate::tcp) const OFF: Self = Self {
        at: Instant::MAX,
        rto_at: Instant::MAX,
        late: 0,
        rto_late: 0,
        retries: 0,
        purpose: TimerPurpose::Nothing,
        settled: false,
    };

    /// When it expires.
    #[inline]
    pub(in crate::tcp) const fn at(&self) -> Instant {
        self.at
    }

    #[inline]
    pub(in crate::tcp) const fn purpose(&self) -> TimerPurpose {
        self.purpose
    }

    /// Retransmission was due once more without an ACK of new data. Returns how often in a row.
    pub(in crate::tcp) const fn count_retry(&mut self) -> u16 {
        self.retries = self.retries.saturating_add(1);
        self.retries
    }

    /// Number of retransmissions due in a row.
    pub(in crate::tcp) const fn retries(&self) -> u16 {
        self.retries
    }

    const fn expiry(&self) -> TimerExpiry {
        TimerExpiry { at: self.at, late: self.late }
    }

    #[inline]
    pub(in crate::tcp) fn is_off(&self) -> bool {
        self.purpose == TimerPurpose::Nothing
    }

    /// Whether retransmission will come, at once or after what stands before it.
    #[inline]
    pub(in crate::tcp) fn leads_to_retransmission(&self) -> bool {
        matches!(self.purpose, TimerPurpose::Retransmission | TimerPurpose::Probe | TimerPurpose::Reordering)
    }

    /// Whether another stands before retransmission.
    pub(in crate::tcp) fn stands_before_retransmission(&self) -> bool {
        matches!(self.purpose, TimerPurpose::Probe | TimerPurpose::Reordering)
    }

    /// When data goes out again, or a probe in its place, as it is noted; none where neither is to come.
    pub(in crate::tcp) fn retransmission_noted(&self, jiffy: Duration) -> Option<Instant> {
        (!matches!(self.purpose, TimerPurpose::Nothing | TimerPurpose::TimeWait))
            .then(|| self.expiry().noted(jiffy))
    }

    /// The end of TIME-WAIT, in it.
    pub(in crate::tcp) fn time_wait(&self) -> Option<Instant> {
        (self.purpose == TimerPurpose::TimeWait).then_some(self.at)
    }

    #[inline]
    pub(in crate::tcp) fn stop(&mut self) {
        self.arm(TimerPurpose::Nothing, TimerExpiry::NEVER);
    }

    #[inline]
    pub(in crate::tcp) fn arm(&mut self, purpose: TimerPurpose, expiry: TimerExpiry) {
        (self.purpose, self.at, self.late) = (purpose, expiry.at, expiry.late);
        self.unsettle();
    }

    /// Notes that more data at the same moment would not change it.
    #[inline]
    pub(in crate::tcp) fn settle(&mut self) {
        self.settled = true;
    }

    /// More data may call for something else.
    #[inline]
    pub(in crate::tcp) fn unsettle(&mut self) {
        self.settled = false;
    }

    /// Whether more data changes nothing, if it is sent at the same moment.
    #[inline]
    pub(in crate::tcp) fn is_settled(&self) -> bool {
        self.settled
    }

    /// New data, or the SYN, is acknowledged.
    #[inline]
    pub(in crate::tcp) fn on_progress(&mut self) {
        self.retries = 0;
    }

    /// Whether retransmission was due more than once in a row.
    pub(in crate::tcp) const fn has_repeated(&self) -> bool {
        self.retries > 1
    }

    /// Retransmission alone is due with `expiry`, whatever was.
    #[inline]
    pub(in crate::tcp) fn retransmit(&mut self, expiry: TimerExpiry) {
        self.arm(TimerPurpose::Retransmission, expiry);
    }

    /// Retransmission, before which another stands, is due with `expiry`.
    pub(in crate::tcp) fn put_off_retransmission(&mut self, expiry: TimerExpiry) {
        (self.rto_at, self.rto_late) = (expiry.at, expiry.late);
        self.unsettle();
    }

    /// Removes the timer that stands before retransmission.
    pub(in crate::tcp) fn bare_retransmission(&mut self) {
        if self.stands_before_retransmission() {
            self.retransmit(TimerExpiry { at: self.rto_at, late: self.rto_late });
        }
    }

    /// Whether a loss probe is what comes first.
    pub(in crate::tcp) fn awaits_probe(&self) -> bool {
        self.purpose == TimerPurpose::Probe
    }

    /// A loss probe goes out with `expiry` before retransmission, or in its place where that is due first (RFC 8985 §7.2).
    pub(in crate::tcp) fn put_probe(&mut self, expiry: TimerExpiry) {
        if self.purpose == TimerPurpose::Retransmission {
            let rto = self.expiry();
            self.put_off_retransmission(rto);
            self.arm(TimerPurpose::Probe, expiry.min(rto));
        }
    }

    /// Arms the reordering timer with `expiry`, unless retransmission is due first.
    pub(in crate::tcp) fn put_reordering(&mut self, expiry: TimerExpiry) {
        if self.purpose == TimerPurpose::Retransmission && expiry.at < self.at {
            self.put_off_retransmission(self.expiry());
            self.arm(TimerPurpose::Reordering, expiry);
        }
    }

    /// The `n`-th window probe in a row is due with `expiry`.
    pub(in crate::tcp) fn probe_window(&mut self, n: u8, expiry: TimerExpiry) {
        self.retries = u16::from(n);
        self.arm(TimerPurpose::Persist, expiry);
    }

    /// Number of the due window probe in a row.
    pub(in crate::tcp) fn window_probe(&self) -> u8 {
        u8::try_from(self.retries).unwrap_or(u8::MAX)
    }

    /// The window is open: no more window probes. Whether any was to come.
    #[inline]
    pub(in crate::tcp) fn end_persist(&mut self) -> bool {
        let ends = self.purpose == TimerPurpose::Persist;
        if ends {
            self.retries = 0;
            self.stop();
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: fn(u64) -> Instant = Instant::from_millis;

    fn with(ms: u64) -> TimerExpiry {
        TimerExpiry::exactly(AT(ms))
    }

    /// The timer armed for retransmission at 100 ms.
    fn retransmission() -> SharedTimer {
        let mut timer = SharedTimer::OFF;
        timer.retransmit(with(100));
        timer
    }

    #[test]
    fn a_probe_stands_before_retransmission_and_gives_way_to_it() {
        let mut timer = retransmission();
        timer.put_probe(with(60));
        assert_eq!((timer.at(), timer.purpose), (AT(60), TimerPurpose::Probe));
        timer.put_off_retransmission(with(120));
        timer.bare_retransmission();
        assert_eq!((timer.at(), timer.purpose), (AT(120), TimerPurpose::Retransmission));
        timer.bare_retransmission();
        assert_eq!(timer.at(), AT(120), "nothing stood before it");
    }

    #[test]
    fn probe_and_reordering_timers_never_outlast_the_rto() {
        let mut timer = retransmission();
        timer.put_reordering(with(100));
        assert_eq!(timer.purpose, TimerPurpose::Retransmission);
        timer.put_probe(with(130));
        assert_eq!((timer.at(), timer.purpose), (AT(100), TimerPurpose::Probe));
        let mut timer = retransmission();
        timer.put_reordering(with(99));
        assert_eq!((timer.at(), timer.purpose), (AT(99), TimerPurpose::Reordering));
    }

    #[test]
    fn nothing_stands_before_retransmission_where_that_is_not_to_come() {
        let mut timer = SharedTimer::OFF;
        timer.put_probe(with(60));
        timer.put_reordering(with(60));
        assert!(timer.is_off() && timer.at() == Instant::MAX);
        timer.probe_window(3, with(50));
        timer.put_probe(with(40));
        assert_eq!((timer.at(), timer.retransmission_noted(Duration::ZERO)), (AT(50), Some(AT(50))));
        assert!(timer.end_persist() && timer.is_off());
        assert!(!timer.end_persist());
    }
}
