//! Counters of links, and the distributions of observed queues.

use tailrace_core::{DropReason, Histogram};
use tailrace_core::{Duration, Instant};
use tailrace_qdisc::Backlog;

/// Counters of one link direction, in packets unless the name says otherwise.
///
/// At any settled time: arrived + duplicated = delivered + Σ dropped (every reason) + occupancy, and
/// enqueued (= arrived − refused) = dequeued + expelled + backlog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    /// Handed to the link.
    pub arrived: u64,
    /// Dropped while a packet was taken in (that packet or, with head drop, another).
    pub refused: u64,
    /// Dropped out of the queue otherwise: by a discipline on departure or by timer, or when the link went down.
    pub expelled: u64,
    /// Transmissions started.
    pub dequeued: u64,
    /// Bytes of those.
    pub sent_bytes: u64,
    /// Handed over at the other end.
    pub delivered: u64,
    /// Marked CE.
    pub marked: u64,
    /// Dropped, by [`tailrace_core::DropReason`].
    pub dropped: [u64; DropReason::COUNT],
    /// Copies that were made of what arrived at the other end.
    pub duplicated: u64,
    /// Packets handed over with damaged bits.
    pub corrupted: u64,
    /// Held back on the wire, so that others could go past.
    pub held_back: u64,
}

impl LinkCounters {
    /// All drops; filtered ACKs are none.
    pub fn dropped_total(&self) -> u64 {
        self.removed_total() - self.ack_filtered()
    }
    /// ACKs that an ACK filter took out.
    pub const fn ack_filtered(&self) -> u64 {
        self.dropped[DropReason::AckFiltered as usize]
    }
    /// All packets that came and did not go on, for any reason.
    pub fn removed_total(&self) -> u64 {
        self.dropped.iter().sum()
    }
    /// Packets that the queue took in, net of drops on arrival. Over a part of a run there may be more of those than
    /// arrivals, where arrivals push out what came before: that is none taken in.
    pub fn enqueued(&self) -> u64 {
        self.arrived.saturating_sub(self.refused)
    }
    /// The counts since an earlier copy of the same counters.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut dropped = self.dropped;
        for (d, e) in dropped.iter_mut().zip(earlier.dropped) {
            *d -= e;
        }
        Self {
            arrived: self.arrived - earlier.arrived,
            refused: self.refused - earlier.refused,
            expelled: self.expelled - earlier.expelled,
            dequeued: self.dequeued - earlier.dequeued,
            sent_bytes: self.sent_bytes - earlier.sent_bytes,
            delivered: self.delivered - earlier.delivered,
            marked: self.marked - earlier.marked,
            dropped,
            duplicated: self.duplicated - earlier.duplicated,
            corrupted: self.corrupted - earlier.corrupted,
            held_back: self.held_back - earlier.held_back,
        }
    }
}

/// Time-weighted moments of a level that changes in steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauge {
    level: u64,
    min: u64,
    max: u64,
    /// Integral of the level, and of its square, over nanoseconds.
    sum: u128,
    square: u128,
}

impl Gauge {
    /// Gauge that begins at a level.
    fn at(level: u64) -> Self {
        Self { level, min: level, max: level, ..Self::default() }
    }
    fn advance(&mut self, ns: u64) {
        let area = u128::from(self.level) * u128::from(ns);
        self.sum += area;
        self.square += area * u128::from(self.level);
    }
    fn set(&mut self, level: u64) {
        self.level = level;
        self.min = self.min.min(level);
        self.max = self.max.max(level);
    }
    /// Takes in what another has seen at another time; the level stays.
    fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.square += other.square;
    }
    /// Mean over `span`.
    pub fn mean(&self, span: Duration) -> f64 {
        self.sum as f64 / span.as_nanos().max(1) as f64
    }
    /// Standard deviation over `span`.
    pub fn sd(&self, span: Duration) -> f64 {
        let mean = self.mean(span);
        tailrace_core::math::sqrt((self.square as f64 / span.as_nanos().max(1) as f64 - mean * mean).max(0.0))
    }
    /// Least level seen.
    pub fn min(&self) -> u64 {
        self.min
    }
    /// Largest level seen.
    pub fn max(&self) -> u64 {
        self.max
    }
}

/// Backlog and sojourn of one queue since the last [`crate::Fabric::cut_stats`].
#[derive(Clone, Debug, Default)]
pub struct QueueStats {
    since: Instant,
    last: Instant,
    packets: Gauge,
    bytes: Gauge,
    sojourn: Histogram,
    /// Number and sum of the sojourns since [`QueueStats::take_recent_sojourn`]: a series' business, not a window's.
    recent: (u64, Duration),
}

impl QueueStats {
    /// The backlog is `level` from `now` on. Levels come in order of time.
    #[inline]
    pub(crate) fn level(&mut self, level: Backlog, now: Instant) {
        let ns = now.saturating_since(self.last).as_nanos();
        self.last = self.last.max(now);
        self.packets.advance(ns);
        self.bytes.advance(ns);
        self.packets.set(level.packets);
        self.bytes.set(level.bytes.get());
    }

    /// A packet leaves after waiting for `sojourn`.
    #[inline]
    pub(crate) fn sojourn(&mut self, sojourn: Duration) {
        self.sojourn.record(sojourn);
        self.recent.0 += 1;
        self.recent.1 += sojourn;
    }

    /// Gives what there is so far, and begins anew at `now` with the current backlog. The recent sojourns stay here.
    pub(crate) fn cut(&mut self, level: Backlog, now: Instant) -> Self {
        let fresh = Self {
            since: now,
            last: now,
            packets: Gauge::at(level.packets),
            bytes: Gauge::at(level.bytes.get()),
            recent: self.recent,
            ..Self::default()
        };
        std::mem::replace(self, fresh)
    }

    /// Takes in what came right after it, up to another cut.
    pub fn merge(&mut self, next: &Self) {
        self.last = next.last;
        self.packets.merge(&next.packets);
        self.bytes.merge(&next.bytes);
        self.sojourn.merge(&next.sojourn);
    }

    /// Brings the time-weighted figures up to `now`.
    pub(crate) fn finish(&mut self, level: Backlog, now: Instant) {
        self.level(level, now);
    }

    /// Time covered.
    pub fn span(&self) -> Duration {
        self.last - self.since
    }
    /// Backlog in packets.
    pub fn packets(&self) -> &Gauge {
        &self.packets
    }
    /// Backlog in bytes.
    pub fn bytes(&self) -> &Gauge {
        &self.bytes
    }
    /// Distribution of sojourn times of packets that left.
    pub fn sojourn_times(&self) -> &Histogram {
        &self.sojourn
    }
    /// Mean sojourn of the packets that left since this was last asked; `None` if there were none.
    pub fn take_recent_sojourn(&mut self) -> Option<Duration> {
        let (n, sum) = std::mem::take(&mut self.recent);
        (n > 0).then(|| sum / n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_into_parts_it_is_the_same_whole() {
        let at = Instant::from_millis;
        let of = |packets: u64| Backlog { packets, bytes: tailrace_core::Bytes(packets * 100) };
        let (mut whole, mut present) = (QueueStats::default(), QueueStats::default());
        let mut past: Option<QueueStats> = None;
        for (ms, packets) in [(0, 3), (10, 7), (20, 1), (40, 0), (70, 2), (100, 0)] {
            if ms % 20 == 0 {
                present.finish(of(packets), at(ms));
                let part = present.cut(of(packets), at(ms));
                match &mut past {
                    Some(past) => past.merge(&part),
                    None => past = Some(part),
                }
            }
            for stats in [&mut whole, &mut present] {
                stats.level(of(packets), at(ms));
                stats.sojourn(Duration::from_millis(packets));
            }
        }
        let mut parts = past.expect("it was cut");
        parts.merge(&present);
        let of = |s: &QueueStats| {
            format!("{:?} {:?} {:?} {:?}", s.span(), s.packets.sum, s.bytes.square, s.sojourn)
        };
        assert_eq!(of(&parts), of(&whole));
        assert_eq!((parts.packets().max(), parts.span()), (7, Duration::from_millis(100)));
    }

    #[test]
    fn the_least_level_is_of_the_time_since_the_cut() {
        let at = Instant::from_millis;
        let of = |packets: u64| Backlog { packets, bytes: tailrace_core::Bytes(packets * 100) };
        let mut stats = QueueStats::default();
        [(10, 5), (20, 3), (30, 8)].into_iter().for_each(|(ms, packets)| stats.level(of(packets), at(ms)));
        assert_eq!(stats.packets().min(), 0, "a queue begins empty");
        let mut past = stats.cut(of(8), at(30));
        stats.level(of(4), at(40));
        stats.level(of(6), at(50));
        assert_eq!((stats.packets().min(), stats.bytes().min(), stats.packets().max()), (4, 400, 8));
        past.merge(&stats);
        assert_eq!((past.packets().min(), past.packets().max()), (0, 8));
    }

    #[test]
    fn victims_from_before_an_interval_do_not_make_its_count_wrap() {
        // A packet waits; the next arrival drops both itself and the one that waited, as CHOKe does.
        let before = LinkCounters { arrived: 1, ..LinkCounters::default() };
        let after = LinkCounters { arrived: 2, refused: 2, ..LinkCounters::default() };
        assert_eq!((after.enqueued(), after.since(&before).enqueued()), (0, 0));
    }
}
