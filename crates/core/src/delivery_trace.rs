//! Delivery traces: when a link can deliver, as those of Mahimahi's `mm-link` say it.
//!
//! Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015; the form is that of Winstein et al.,
//! "Stochastic Forecasts Achieve High Throughput and Low Delay over Cellular Networks", NSDI 2013. A line is a time in whole
//! milliseconds at which the link can deliver 1504 bytes; several lines may have one time. At its last time the trace begins
//! anew.

use crate::line_error::LineError;
use crate::time::{Duration, Instant};
use crate::units::{Bytes, Rate};
use core::fmt;

/// The opportunities of a link to deliver.
#[derive(Clone, PartialEq, Eq)]
pub struct DeliveryTrace {
    /// Milliseconds, none before the one ahead of it; the last is more than zero.
    times: Box<[u32]>,
}

/// Opportunity of the endless repetition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opportunity {
    /// Number of laps of the trace before it.
    lap: u64,
    /// Its place in the trace.
    place: usize,
}

const MILLISECOND: u64 = 1_000_000;

impl DeliveryTrace {
    /// Bytes delivered at one opportunity: a packet of 1500 bytes with the four that a TUN device puts before it.
    pub const OPPORTUNITY: Bytes = Bytes(1504);
    /// Bytes that Mahimahi counts beside those of an IP packet.
    pub const HEADER: Bytes = Bytes(4);
    /// Most lines that a trace has: 40 MB.
    pub const MOST: usize = 10_000_000;

    /// Reads the lines of a trace; blanks do between its times, too.
    ///
    /// # Errors
    /// The first line that cannot be.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        let mut times: Vec<u32> = Vec::new();
        let mut last_line = 1;
        for (i, line) in text.lines().enumerate() {
            for word in line.split_whitespace() {
                last_line = i + 1;
                let time = read_time(word, times.last().copied());
                times.push(time.map_err(|why| LineError { line: last_line, why })?);
                if times.len() > Self::MOST {
                    let why = format!("a trace has at most {} times; cut it, it repeats", Self::MOST);
                    return Err(LineError { line: last_line, why });
                }
            }
        }
        let why = match times.last() {
            None => "it has no times; a trace has a line of whole milliseconds for each 1504 bytes",
            Some(0) => "all its times are 0; the last one says how long the trace lasts",
            Some(_) => return Ok(Self { times: times.into() }),
        };
        Err(LineError { line: last_line, why: why.into() })
    }

    /// After so long the trace begins anew.
    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.last() * MILLISECOND)
    }

    /// The mean rate of its opportunities, rounded down.
    pub fn mean(&self) -> Rate {
        let bits = self.times.len() as u64 * Self::OPPORTUNITY.get() * 8;
        Rate::from_bps(bits * 1000 / self.last())
    }

    /// Number of its times.
    pub fn times(&self) -> usize {
        self.times.len()
    }

    /// Its times in milliseconds, a line each.
    pub fn to_lines(&self) -> String {
        self.times.iter().map(|time| format!("{time}\n")).collect()
    }

    /// When an opportunity is; none comes after the end of time.
    #[inline]
    pub fn time(&self, of: Opportunity) -> Instant {
        let laps = of.lap.saturating_mul(self.last());
        let ms = laps.saturating_add(u64::from(self.times[of.place]));
        Instant::ZERO.saturating_add(Duration::from_nanos(ms.saturating_mul(MILLISECOND)))
    }

    /// The next one, perhaps at the same time.
    #[inline]
    pub fn next(&self, of: Opportunity) -> Opportunity {
        if of.place + 1 < self.times.len() {
            Opportunity { place: of.place + 1, ..of }
        } else {
            Opportunity { lap: of.lap.saturating_add(1), place: 0 }
        }
    }

    /// The first after `now`.
    pub fn after(&self, now: Instant) -> Opportunity {
        let (lap, place) = self.passed(now);
        // The last time of a lap is where the next one begins, so of this lap there is one left.
        Opportunity { lap, place }
    }

    /// Number of opportunities after `from`, up to and including `to`.
    pub fn count(&self, from: Instant, to: Instant) -> u64 {
        let until = |at| {
            let (lap, place) = self.passed(at);
            lap * self.times.len() as u64 + place as u64
        };
        until(to).saturating_sub(until(from))
    }

    /// Whole laps that have passed at a time, and opportunities of the present one.
    fn passed(&self, now: Instant) -> (u64, usize) {
        let (ns, lap) = (now.as_nanos(), self.last() * MILLISECOND);
        let within = (ns % lap) / MILLISECOND;
        (ns / lap, self.times.partition_point(|time| u64::from(*time) <= within))
    }

    fn last(&self) -> u64 {
        u64::from(self.times[self.times.len() - 1])
    }
}

fn read_time(word: &str, before: Option<u32>) -> Result<u32, String> {
    let whole = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let shown: String = word.chars().take(24).collect();
    if !whole {
        let fix = if word.starts_with('-') { "times begin at 0" } else { "write whole milliseconds" };
        return Err(format!("{shown:?} is not a time; {fix}"));
    }
    let time: u32 = word.parse().map_err(|_| {
        format!("{shown} is more than {} ms, 49 days; times are milliseconds since the trace began", u32::MAX)
    })?;
    match before.filter(|before| time < *before) {
        Some(before) => Err(format!("{time} comes after {before}; times never go back: sort them")),
        None => Ok(time),
    }
}

/// The notation of scenarios.
impl fmt::Display for DeliveryTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trace(")?;
        for (i, time) in self.times.iter().enumerate() {
            write!(f, "{}{time}", if i == 0 { "" } else { " " })?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for DeliveryTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeliveryTrace({} times, {} ms)", self.times.len(), self.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_trace_repeats_at_its_last_time() {
        let trace = DeliveryTrace::parse("0\n3\n3\n10\n").unwrap();
        let mut next = trace.after(Instant::ZERO);
        let times: Vec<Instant> = (0..8)
            .map(|_| {
                let time = trace.time(next);
                next = trace.next(next);
                time
            })
            .collect();
        // An opportunity at 0 ms is not after 0; 10 ms is the end of the first lap and the beginning of the second.
        assert_eq!(times, [3, 3, 10, 10, 13, 13, 20, 20].map(ms));
        assert_eq!(trace.time(trace.after(ms(3))), ms(10));
        assert_eq!(trace.after(ms(10)), trace.next(trace.next(trace.after(ms(9)))));
        assert_eq!((trace.count(Instant::ZERO, ms(20)), trace.count(ms(3), ms(13))), (8, 4));
        // Four times 1504 bytes in 10 ms.
        assert_eq!(trace.mean(), Rate::from_bps(4 * 1504 * 8 * 100));
        assert_eq!(DeliveryTrace::parse(&trace.to_lines()).unwrap(), trace);
        assert_eq!(trace.to_string(), "trace(0 3 3 10)");
    }

    #[test]
    fn what_cannot_be_is_said_with_its_line() {
        let why = |text: &str| DeliveryTrace::parse(text).map_err(|e| (e.line, e.why)).unwrap_err();
        assert_eq!(why("").0, 1);
        assert_eq!(
            why("0\n0\n"),
            (2, "all its times are 0; the last one says how long the trace lasts".into())
        );
        assert_eq!(why("1\n5\n4\n").0, 3);
        assert!(why("1\n-5\n").1.contains("times begin at 0"));
        assert!(why("1\n2.5\n").1.contains("whole milliseconds"));
        assert_eq!(why("1\n\n4294967296\n").0, 3);
        assert!(why("1\n+2").1.contains("not a time"));
    }

    #[test]
    fn the_end_of_time_is_no_overflow() {
        let trace = DeliveryTrace::parse("4294967295").unwrap();
        let far = trace.after(Instant::MAX);
        assert_eq!(trace.time(trace.next(far)), Instant::MAX);
        assert_eq!(trace.mean(), Rate::from_bps(0));
    }
}
