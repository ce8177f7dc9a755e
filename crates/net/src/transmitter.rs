//! The transmitter of a link: turns bytes into time, exactly.

use tailrace_core::{Bytes, Duration, Instant, Rate};

/// Sends one packet after another at a rate. The remainder of each division is carried to the next packet while
/// the transmitter stays busy, so that a busy period of any length ends within a nanosecond of the exact time.
#[derive(Debug)]
pub(crate) struct Transmitter {
    rate: u64,
    busy_until: Instant,
    /// Numerator left over from the last division, below `rate`.
    carry: u64,
    overhead: u32,
    /// Bytes of the last packet on the link, and their division by the rate, since sizes repeat.
    bytes: u32,
    division: Division,
}

/// Transmission time: quotient, and remainder as a numerator over the rate.
#[derive(Clone, Copy, Debug, Default)]
struct Division {
    ns: u64,
    rest: u64,
}

impl Transmitter {
    pub(crate) fn new(rate: Rate, overhead: Bytes) -> Self {
        assert!(rate.as_bps() > 0, "a link's rate is more than zero");
        Self {
            rate: rate.as_bps(),
            busy_until: Instant::ZERO,
            carry: 0,
            overhead: overhead.get() as u32,
            bytes: 0,
            division: Division::default(),
        }
    }

    pub(crate) fn rate(&self) -> Rate {
        Rate::from_bps(self.rate)
    }

    /// Bytes that each packet takes beyond its size.
    pub(crate) fn overhead(&self) -> Bytes {
        Bytes(u64::from(self.overhead))
    }

    /// When the last transmission that was asked for ends.
    #[inline]
    pub(crate) fn busy_until(&self) -> Instant {
        self.busy_until
    }

    /// Sends at another rate after `busy_until`.
    pub(crate) fn set_rate(&mut self, rate: Rate) {
        *self = Self { busy_until: self.busy_until, ..Self::new(rate, self.overhead()) };
    }

    /// Forgets what it is sending.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.busy_until = now;
        self.carry = 0;
    }

    /// Sends a packet as soon as it is free; (start, end) of the transmission.
    #[inline]
    pub(crate) fn send(&mut self, size: Bytes, now: Instant) -> (Instant, Instant) {
        let Division { mut ns, rest } = self.division(size);
        let start = if now > self.busy_until {
            self.carry = 0;
            now
        } else {
            self.busy_until
        };
        self.carry += rest;
        if self.carry >= self.rate {
            self.carry -= self.rate;
            ns += 1;
        }
        self.busy_until = start + Duration::from_nanos(ns);
        (start, self.busy_until)
    }

    /// Takes back the transmission that was asked for last, which started at `start`, within a busy period.
    pub(crate) fn take_back(&mut self, size: Bytes, start: Instant) {
        let rest = self.division(size).rest;
        self.carry = if self.carry >= rest { self.carry - rest } else { self.carry + self.rate - rest };
        self.busy_until = start;
    }

    #[inline]
    fn division(&mut self, size: Bytes) -> Division {
        // Both are at most 2^30, so neither the sum nor the product overflows.
        let bytes = size.get() as u32 + self.overhead;
        if self.bytes != bytes {
            let bit_ns = u64::from(bytes) * 8_000_000_000;
            self.bytes = bytes;
            self.division = Division { ns: bit_ns / self.rate, rest: bit_ns % self.rate };
        }
        self.division
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_can_be_sent_again_as_if_it_had_never_been() {
        // 8 bits at 7 bit/s: a remainder of 1 s · 8 mod 7 a packet.
        let mut t = Transmitter::new(Rate::from_bps(7), Bytes(0));
        let first: Vec<_> = (0..20).map(|i| t.send(Bytes(1 + i), Instant::ZERO)).collect();
        for i in (5..20).rev() {
            t.take_back(Bytes(1 + i), first[i as usize].0);
        }
        let again: Vec<_> = (5..20).map(|i| t.send(Bytes(1 + i), Instant::ZERO)).collect();
        assert_eq!(again, first[5..]);
    }
}
