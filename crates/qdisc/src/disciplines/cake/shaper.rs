//! The shaper in deficit mode: a virtual clock that each packet moves on by its own duration, and no bucket.
//!
//! Nanoseconds a byte are a fixed-point number of 34 bits, as in Linux: its error is below 2^-33, and there is none
//! where a byte takes a whole number of nanoseconds.

use tailrace_core::Bytes;

tailrace_core::choices! {
    /// Framing of the link below.
    pub enum LinkLayer {
        /// Neither: packets are sent as they are.
        Plain = "noatm",
        /// ATM: cells of 53 bytes carry 48 bytes each, and the last one is filled up.
        Atm = "atm",
        /// PTM (VDSL2): one byte more for each 64 bytes or part of them.
        Ptm = "ptm",
    }
}

/// Bytes that a packet takes on the wire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Framing {
    pub(super) overhead: u64,
    pub(super) mpu: u64,
    pub(super) link_layer: LinkLayer,
}

impl Framing {
    #[inline]
    pub(super) fn on_wire(&self, size: Bytes) -> u64 {
        let framed = size.get().saturating_add(self.overhead).max(self.mpu);
        match self.link_layer {
            LinkLayer::Plain => framed,
            LinkLayer::Atm => framed.div_ceil(48).saturating_mul(53),
            LinkLayer::Ptm => framed.saturating_add(framed.div_ceil(64)),
        }
    }
}

/// Time that a byte takes; none where the rate is unlimited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    nanos: u64,
    shift: u32,
}

impl Pace {
    const FRACTION: u32 = 34;
    /// Slower than this a queue that was once set up would hold its packets for hours.
    pub(super) const LEAST: u64 = 64;

    /// The pace of `rate` bytes a second; zero is unlimited.
    pub(super) fn new(rate: u64) -> Self {
        if rate == 0 {
            return Self { nanos: 0, shift: 0 };
        }
        let (mut nanos, mut shift) =
            ((1_000_000_000 << Self::FRACTION) / rate.max(Self::LEAST), Self::FRACTION);
        while nanos >> Self::FRACTION != 0 {
            nanos >>= 1;
            shift -= 1;
        }
        Self { nanos, shift }
    }

    #[inline]
    pub(super) fn is_unlimited(self) -> bool {
        self.nanos == 0
    }

    /// Nanoseconds that so many bytes take.
    #[inline]
    pub(super) fn time_of(self, bytes: u64) -> i64 {
        i64::try_from((u128::from(bytes) * u128::from(self.nanos)) >> self.shift).unwrap_or(i64::MAX)
    }
}

/// The clock of the whole queue: when the next packet may go.
#[derive(Clone, Debug)]
pub(super) struct Shaper {
    pub(super) pace: Pace,
    next: i64,
    /// Counts only what was sent, at two thirds of the rate: it opens the gate when drops alone moved `next` on.
    failsafe: i64,
}

impl Shaper {
    pub(super) fn new(rate: u64) -> Self {
        Self { pace: Pace::new(rate), next: 0, failsafe: 0 }
    }

    /// A packet comes into the empty queue: time that passed unused is lost.
    #[inline]
    pub(super) fn restart(&mut self, now: i64) {
        if self.next < now {
            (self.next, self.failsafe) = (now, now);
        }
    }

    /// Until when nothing may go.
    #[inline]
    pub(super) fn closed_until(&self, now: i64) -> Option<i64> {
        (self.next > now && self.failsafe > now).then(|| self.next.min(self.failsafe))
    }

    /// A packet of `bytes` on the wire goes, or (where drops are charged) was dropped.
    #[inline]
    pub(super) fn charge(&mut self, bytes: u64, sent: bool) {
        let time = self.pace.time_of(bytes);
        self.next = self.next.saturating_add(time);
        if sent {
            self.failsafe = self.failsafe.saturating_add(time.saturating_add(time >> 1));
        }
    }
}

/// The clock of one tin: whether it is below its share of the rate.
#[derive(Clone, Debug)]
pub(super) struct TinClock {
    pub(super) pace: Pace,
    next: i64,
}

impl TinClock {
    pub(super) fn new(rate: u64) -> Self {
        Self { pace: Pace::new(rate), next: 0 }
    }

    /// A packet comes into the empty tin.
    #[inline]
    pub(super) fn restart(&mut self, now: i64) {
        self.next = self.next.max(now);
    }

    /// Time until the schedule allows a packet; not positive where the tin is on or behind it.
    #[inline]
    pub(super) fn ahead(&self, now: i64) -> i64 {
        self.next.saturating_sub(now)
    }

    /// Charges `bytes`. A tin ahead of its schedule owes one packet at most: what it got beyond its share was
    /// nobody else's.
    #[inline]
    pub(super) fn charge(&mut self, bytes: u64, now: i64) {
        let time = self.pace.time_of(bytes);
        if self.next < now {
            self.next = self.next.saturating_add(time);
        } else {
            self.next = self.next.max(now.saturating_add(time));
        }
    }
}

/// The estimate of `autorate_ingress`: what arrives after a bottleneck upstream shows that one's rate.
#[derive(Clone, Debug)]
pub(super) struct Autorate {
    last_packet: i64,
    mean_gap: u64,
    window_began: i64,
    window_bytes: u64,
    /// Estimate, bytes a second.
    peak: u64,
    last_change: i64,
}

impl Autorate {
    const LEAST_TIME: i64 = 250_000_000;
    const LONGEST_GAP: u64 = 1_000_000_000;

    pub(super) fn new(rate: u64) -> Self {
        Self { last_packet: 0, mean_gap: 0, window_began: 0, window_bytes: 0, peak: rate, last_change: 0 }
    }

    /// `bytes` arrive. Where the estimate is due: 15/16 of it, bytes a second.
    pub(super) fn on_arrival(&mut self, bytes: u64, now: i64) -> Option<u64> {
        self.window_bytes = self.window_bytes.saturating_add(bytes);
        let gap = (now.saturating_sub(self.last_packet) as u64).min(Self::LONGEST_GAP);
        self.mean_gap = ewma(self.mean_gap, gap, if gap > self.mean_gap { 2 } else { 8 });
        self.last_packet = now;
        // A window ends at a pause, so that a burst is never cut in two.
        if gap <= self.mean_gap {
            return None;
        }
        let window = u128::from((now - self.window_began).max(1) as u64);
        let rate = u128::from(self.window_bytes) * 1_000_000_000 / window;
        let rate = u64::try_from(rate).unwrap_or(u64::MAX).min(1 << 50);
        self.peak = ewma(self.peak, rate, if rate > self.peak { 2 } else { 8 });
        (self.window_bytes, self.window_began) = (0, now);
        if now <= self.last_change.saturating_add(Self::LEAST_TIME) {
            return None;
        }
        self.last_change = now;
        Some((self.peak * 15) >> 4)
    }
}

const fn ewma(mean: u64, sample: u64, shift: u32) -> u64 {
    mean - (mean >> shift) + (sample >> shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MBIT: u64 = 125_000;

    #[test]
    fn frames_are_those_of_the_link_below() {
        let on_wire =
            |overhead, mpu, link_layer, size| Framing { overhead, mpu, link_layer }.on_wire(Bytes(size));
        assert_eq!(on_wire(0, 0, LinkLayer::Plain, 1500), 1500);
        // An ACK on Ethernet: 40 + 38 < 84.
        assert_eq!(on_wire(38, 84, LinkLayer::Plain, 40), 84);
        assert_eq!(on_wire(38, 84, LinkLayer::Plain, 1500), 1538);
        // PPPoE over ATM: 1500 + 40 bytes are 33 cells; one byte less than 32 full cells is 32.
        assert_eq!(on_wire(40, 0, LinkLayer::Atm, 1500), 33 * 53);
        assert_eq!(on_wire(0, 0, LinkLayer::Atm, 1535), 32 * 53);
        assert_eq!(on_wire(0, 0, LinkLayer::Atm, 1537), 33 * 53);
        // PTM: 1500 + 22 = 23 full and one part of 64 bytes.
        assert_eq!(on_wire(22, 0, LinkLayer::Ptm, 1500), 1522 + 24);
    }

    #[test]
    fn a_byte_takes_exactly_its_time() {
        // 10 Mbit/s: 800 ns a byte. 1 Gbit/s: 8. 64 byte/s: 15.625 ms.
        assert_eq!(Pace::new(10 * MBIT).time_of(1500), 1_200_000);
        assert_eq!(Pace::new(1000 * MBIT).time_of(1500), 12_000);
        assert_eq!(Pace::new(1).time_of(1), 15_625_000);
        // 3 Mbit/s: 2666.67 ns a byte; a megabyte is off by less than 2^-33.
        assert_eq!(Pace::new(3 * MBIT).time_of(1_000_000), 2_666_666_666);
        assert!(Pace::new(0).is_unlimited() && Pace::new(0).time_of(1500) == 0);
    }

    #[test]
    fn the_clock_moves_by_packets_and_never_by_bursts() {
        // By hand, 10 Mbit/s: packets of 1500 B (1.2 ms) and 500 B (0.4 ms) come into an idle queue at 5 ms.
        let mut s = Shaper::new(10 * MBIT);
        s.restart(5_000_000);
        assert_eq!(s.closed_until(5_000_000), None);
        s.charge(1500, true);
        assert_eq!((s.next, s.failsafe), (6_200_000, 6_800_000));
        assert_eq!(s.closed_until(5_000_000), Some(6_200_000));
        // Asked 0.1 ms late: the clock goes on from where it stood, so that the mean rate holds.
        assert_eq!(s.closed_until(6_300_000), None);
        s.charge(500, true);
        assert_eq!(s.next, 6_600_000);
        // Busy until 6.6 ms: a new start before that changes nothing; one after a pause starts anew.
        s.restart(6_500_000);
        assert_eq!(s.next, 6_600_000);
        s.restart(90_000_000);
        assert_eq!((s.next, s.failsafe), (90_000_000, 90_000_000));
    }

    #[test]
    fn drops_that_are_charged_hold_packets_no_longer_than_the_failsafe() {
        let mut s = Shaper::new(10 * MBIT);
        s.restart(0);
        s.charge(1500, true);
        for _ in 0..9 {
            s.charge(1500, false);
        }
        assert_eq!(s.next, 12_000_000);
        assert_eq!(s.closed_until(0), Some(1_800_000));
    }

    #[test]
    fn a_tin_behind_its_schedule_may_catch_up_and_one_ahead_owes_one_packet() {
        let mut t = TinClock::new(10 * MBIT);
        t.restart(1_000_000);
        t.charge(1500, 1_000_000); // on its schedule
        assert_eq!(t.ahead(1_000_000), 1_200_000);
        t.charge(1500, 1_000_000); // ahead: still one packet
        assert_eq!(t.ahead(1_000_000), 1_200_000);
        t.charge(1500, 9_000_000); // behind by 6.8 ms: moves by a packet only
        assert_eq!(t.ahead(9_000_000), -5_600_000);
    }

    #[test]
    fn the_estimate_approaches_what_arrives() {
        // Bursts of ten packets of 1500 B back to back at 100 Mbit/s, one every 12 ms: 10 Mbit/s on average.
        let mut a = Autorate::new(0);
        let mut last = None;
        for burst in 0..2000_i64 {
            for packet in 0..10_i64 {
                last = a.on_arrival(1500, burst * 12_000_000 + packet * 120_000).or(last);
            }
        }
        let expected = 10.0 * MBIT as f64 * 15.0 / 16.0;
        let found = last.expect("changes every 250 ms") as f64;
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
}
