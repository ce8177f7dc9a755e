//! Scoreboard: segments sent and not acknowledged, one record each, in order.
//!
//! RFC 6675's scoreboard at the cost of Linux's retransmission queue: the sums that make up "pipe" are counters, so an ACK
//! without loss costs the same for every window. A segment counts as lost once `dup_thresh` segments above it are SACKed; RFC
//! 6675's IsLost counts bytes, which for full segments is the same.

mod holes;
mod losses;
mod packet_accounting;

use crate::tcp::send::delivery_rate::DeliveryRates;
use packet_accounting::PacketAccounting;
use tailrace_core::{Instant, Ring};

pub(in crate::tcp) const SACKED: u8 = 1;
pub(in crate::tcp) const LOST: u8 = 2;
/// Retransmitted since it was last marked lost.
pub(in crate::tcp) const RETRANSMITTED: u8 = 4;
/// Retransmitted at some time: its ACK gives no round-trip sample (Karn).
const AMBIGUOUS: u8 = 8;

/// A segment in flight; it starts where the one before it ends.
#[derive(Clone, Copy, Debug)]
struct SegmentRecord {
    end: u64,
    sent_at: Instant,
    /// Microseconds from the first sending to `sent_at`.
    age_us: u32,
    flags: u8,
}

impl SegmentRecord {
    fn has(&self, flags: u8) -> bool {
        self.flags & flags != 0
    }
}

/// A segment as it was last sent, once it is delivered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentSegment {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) at: Instant,
    /// It was sent more than once.
    pub(crate) again: bool,
}

/// Segments covered by a cumulative acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckedSegments {
    pub(crate) bytes: u64,
    /// Send time of the oldest segment acknowledged that was sent once and not SACKed before.
    pub(crate) sent_at: Option<Instant>,
    /// Send time of the newest such segment.
    pub(crate) last_sent_at: Option<Instant>,
    /// Whether a retransmitted segment was among them.
    pub(crate) ambiguous: bool,
}

/// SACK blocks, by where they start and how long they are.
#[derive(Clone, Copy, Debug, Default)]
struct SackCache {
    starts: [u64; 4],
    lens: [u32; 4],
}

impl SackCache {
    fn put(&mut self, i: usize, left: u64, right: u64) {
        (self.starts[i], self.lens[i]) = (left, (right - left) as u32);
    }

    /// Where the one ends that starts at `left`, if that is not beyond `right`; `left` where there is none.
    fn known_end(&self, left: u64, right: u64) -> u64 {
        let of = |i: usize| left + u64::from(self.lens[i]);
        (0..4).find(|&i| self.starts[i] == left && of(i) <= right).map_or(left, of)
    }
}

/// Sums, segments and what only losses need are apart, in this order: an end that only receives needs the first line alone.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Scoreboard {
    /// First sequence number not acknowledged (SND.UNA), unwrapped to 64 bits.
    pub(crate) una: u64,
    /// Next sequence number to send for the first time (SND.NXT).
    pub(crate) nxt: u64,
    sacked: u64,
    lost: u64,
    /// Bytes marked lost and not retransmitted since.
    lost_waiting: u64,
    retransmitted: u64,
    short: PacketAccounting,
    /// Number of segments delivered, ever.
    pub(crate) delivered: u32,
    /// Number of times that a segment was marked lost by ACKs or their delay, ever.
    pub(crate) marked: u32,

    records: Ring<SegmentRecord>,
    /// Delivery rates, where the congestion control asks for them.
    pub(crate) rates: Option<Box<DeliveryRates>>,
    /// End of the highest SACKed segment.
    high_sack: u64,
    /// Everything below that is not SACKed has been marked lost.
    lost_mark: u64,

    /// No segment below waits for retransmission.
    hint: u64,
    /// No segment from `lost_mark` on that ends below is a hole (see [`Self::next_hole`]).
    holes_from: u64,
    /// The blocks of the last ACK: what they cover need not be walked again.
    cache: SackCache,
}

impl Scoreboard {
    pub(crate) fn new(start: u64) -> Self {
        Self {
            records: Ring::new(),
            una: start,
            nxt: start,
            sacked: 0,
            lost: 0,
            lost_waiting: 0,
            retransmitted: 0,
            short: PacketAccounting::default(),
            high_sack: start,
            lost_mark: start,
            hint: start,
            holes_from: start,
            marked: 0,
            delivered: 0,
            cache: SackCache::default(),
            rates: None,
        }
    }

    pub(crate) fn with_rates(self, on: bool) -> Self {
        Self { rates: on.then(Box::default), ..self }
    }

    /// Bytes sent and not cumulatively acknowledged (FlightSize).
    pub(crate) const fn outstanding(&self) -> u64 {
        self.nxt - self.una
    }
    /// Segments sent and not cumulatively acknowledged.
    pub(crate) fn segments(&self) -> u64 {
        self.records.len() as u64
    }
    /// Bytes estimated in the network (RFC 6675 §4, SetPipe).
    pub(crate) const fn pipe(&self) -> u64 {
        self.outstanding() + self.retransmitted + self.short.lacking() - self.sacked - self.lost
    }
    /// Counts packets, with full ones of `full` bytes: a shorter segment weighs as much as a full one.
    pub(crate) const fn weigh_as(&mut self, full: u16) {
        self.short.weigh_as(full);
    }
    /// Weight of a segment of `len` bytes in [`Self::pipe`].
    #[inline(always)]
    pub(crate) fn weight(&self, len: u64) -> u64 {
        self.short.weight(len)
    }
    pub(crate) const fn sacked(&self) -> u64 {
        self.sacked
    }
    /// Bytes sent again and not delivered since.
    pub(crate) const fn resent_bytes(&self) -> u64 {
        self.retransmitted
    }
    /// Whether all that is out was sent once, and nothing of it is SACKed or lost.
    pub(crate) const fn is_clean(&self) -> bool {
        self.sacked | self.lost | self.retransmitted == 0
    }
    pub(crate) const fn has_lost(&self) -> bool {
        self.lost > 0
    }
    /// Whether something waits to be sent again.
    pub(crate) const fn has_waiting(&self) -> bool {
        self.lost_waiting > 0
    }
    pub(crate) fn head_is_sacked(&self) -> bool {
        self.records.front().is_some_and(|r| r.has(SACKED))
    }
    /// Length of the oldest segment.
    pub(crate) fn head_len(&self) -> u64 {
        self.records.front().map_or(0, |r| r.end - self.una)
    }

    /// When the first segment in flight was sent.
    #[inline]
    pub(crate) fn first_sent_at(&self) -> Option<Instant> {
        self.records.front().map(|r| r.sent_at)
    }

    /// When the segment with byte `seq` was sent for the first time, to the microsecond; none unless it is in flight.
    pub(crate) fn first_sending_of(&self, seq: u64) -> Option<Instant> {
        let record = self.records.get(self.index_of(seq)).filter(|_| seq >= self.una)?;
        let first = record.sent_at.as_nanos().saturating_sub(u64::from(record.age_us) * 1000);
        Some(Instant::from_nanos(first))
    }

    /// Records a segment sent for the first time, from `nxt` to `end`.
    #[inline(always)]
    pub(crate) fn push(&mut self, end: u64, now: Instant) {
        debug_assert!(end > self.nxt, "a segment takes sequence space");
        self.short.on_sent(end - self.nxt);
        self.nxt = end;
        if self.rates.is_some() {
            self.rate_sent(now);
        }
        self.records.push_back(SegmentRecord { end, sent_at: now, age_us: 0, flags: 0 });
    }

    /// The state of the rates goes with a segment that is being sent.
    #[cold]
    fn rate_sent(&mut self, now: Instant) {
        let (first, pipe) = (self.records.is_empty(), self.pipe());
        if let Some(rates) = &mut self.rates {
            rates.on_sent(first, pipe, now);
        }
    }

    /// Adds the delivery of the first segment to the rates.
    #[cold]
    fn rate_acked(&mut self, record: SegmentRecord, whole: bool, len: u64) {
        if let Some(rates) = &mut self.rates {
            rates.on_acked(!record.has(SACKED), whole, len, record.sent_at);
        }
    }

    /// Rates from now on say nothing of the path, until what is in flight is delivered: the application limits the sender.
    #[cold]
    pub(crate) fn limit_rates(&mut self) {
        let in_flight = self.pipe();
        if let Some(rates) = &mut self.rates {
            rates.limit(in_flight);
        }
    }

    /// Takes a cumulative acknowledgment up to `ack`, at most `nxt`.
    #[inline]
    pub(crate) fn ack_to(&mut self, ack: u64) -> AckedSegments {
        self.ack_to_with(ack, |_| {})
    }

    /// The same; `visit` sees each segment that was not SACKed before.
    #[inline(always)]
    pub(crate) fn ack_to_with(&mut self, ack: u64, mut visit: impl FnMut(SentSegment)) -> AckedSegments {
        debug_assert!(ack <= self.nxt, "only what was sent can be acknowledged");
        let mut acked = AckedSegments::default();
        while let Some(&record) = self.records.front() {
            let to = record.end.min(ack);
            let len = to.saturating_sub(self.una);
            if record.flags != 0 {
                self.forget(record.flags, len);
                acked.ambiguous |= record.has(AMBIGUOUS);
            }
            acked.bytes += len;
            self.short.on_acked(record.end.saturating_sub(self.una), len, record.flags);
            let start = self.una;
            self.una = self.una.max(to);
            if self.rates.is_some() {
                self.rate_acked(record, record.end <= ack, len);
            }
            if record.end > ack {
                break;
            }
            if !record.has(SACKED) {
                self.delivered = self.delivered.wrapping_add(1);
                let again = record.has(AMBIGUOUS);
                visit(SentSegment { start, end: record.end, at: record.sent_at, again });
            }
            if record.flags == 0 {
                acked.sent_at = acked.sent_at.or(Some(record.sent_at));
                acked.last_sent_at = Some(record.sent_at);
            }
            self.records.pop_front();
        }
        acked
    }

    /// Takes `len` bytes with these flags out of the sums.
    fn forget(&mut self, flags: u8, len: u64) {
        if flags & SACKED != 0 {
            self.sacked -= len;
        }
        if flags & LOST != 0 {
            self.lost -= len;
            if flags & RETRANSMITTED == 0 {
                self.lost_waiting -= len;
            }
        }
        if flags & RETRANSMITTED != 0 {
            self.retransmitted -= len;
        }
    }

    /// Segment `i` has these flags from now on.
    fn flag(&mut self, i: usize, flags: u8) {
        self.short.on_change(self.records[i].end - self.start_of(i), self.records[i].flags, flags);
        self.records[i].flags = flags;
    }

    /// Gives segments other flags, all in one go.
    fn flag_all(&mut self, mut flags: impl FnMut(&SegmentRecord) -> u8) {
        let mut start = self.una;
        for record in self.records.iter_mut() {
            let new = flags(record);
            self.short.on_change(record.end - start, record.flags, new);
            (record.flags, start) = (new, record.end);
        }
    }

    fn start_of(&self, i: usize) -> u64 {
        if i == 0 { self.una } else { self.records[i - 1].end }
    }
    /// Index of the segment that contains `seq`, or the number of segments.
    fn index_of(&self, seq: u64) -> usize {
        self.records.partition_point(|r| r.end <= seq)
    }

    /// Takes the SACK blocks of one ACK; returns the bytes they cover for the first time. Blocks outside the
    /// flight (D-SACK among them) are ignored. `visit` sees each segment that is SACKed for the first time.
    pub(crate) fn on_sack(&mut self, blocks: &[(u64, u64)], mut visit: impl FnMut(SentSegment)) -> u64 {
        let before = self.sacked;
        let mut cache = SackCache::default();
        for (i, &(left, right)) in blocks.iter().take(cache.starts.len()).enumerate() {
            if left < self.una || right > self.nxt || left >= right {
                continue;
            }
            cache.put(i, left, right);
            let known = self.cache.known_end(left, right);
            if known < right {
                self.sack_range(left, known, right, &mut visit);
            }
        }
        self.cache = cache;
        self.sacked - before
    }

    /// Marks the segments that lie wholly within `left..right`, walking from `from`.
    fn sack_range(&mut self, left: u64, from: u64, right: u64, visit: &mut impl FnMut(SentSegment)) {
        let mut i = self.index_of(from);
        while let Some(&record) = self.records.get(i) {
            if record.end > right {
                break;
            }
            let start = self.start_of(i);
            if start >= left && !record.has(SACKED) {
                self.forget(record.flags, record.end - start);
                self.sacked += record.end - start;
                self.flag(i, record.flags & AMBIGUOUS | SACKED);
                self.high_sack = self.high_sack.max(record.end);
                self.delivered = self.delivered.wrapping_add(1);
                if let Some(rates) = &mut self.rates {
                    rates.on_delivered(i, record.end - start, record.sent_at);
                }
                let again = record.has(AMBIGUOUS);
                visit(SentSegment { start, end: record.end, at: record.sent_at, again });
            }
            i += 1;
        }
    }

    /// Whether at least `n` segments are SACKed.
    pub(crate) fn has_sacked(&self, n: u16) -> bool {
        self.sacked > 0
            && self.records.iter().filter(|r| r.has(SACKED)).nth(usize::from(n.max(1)) - 1).is_some()
    }

    /// Forgets what was SACKed: the receiver reneged (RFC 2018 §8).
    pub(crate) fn clear_sacks(&mut self) {
        self.flag_all(|record| record.flags & !SACKED);
        self.sacked = 0;
        (self.high_sack, self.holes_from) = (self.una, self.una);
        self.cache = SackCache::default();
    }

    /// Forgets what was SACKed, lost or sent again; not that it gives no round-trip sample.
    #[inline]
    pub(crate) fn forget_flags(&mut self) {
        if self.is_clean() {
            return;
        }
        self.flag_all(|record| record.flags & AMBIGUOUS);
        (self.sacked, self.lost, self.lost_waiting, self.retransmitted) = (0, 0, 0, 0);
        (self.high_sack, self.lost_mark) = (self.una, self.una);
        (self.hint, self.holes_from) = (self.una, self.una);
        self.cache = SackCache::default();
    }

    /// Recomputes every sum from the records; the sums must agree.
    #[cfg(test)]
    pub(crate) fn check(&self) {
        let (mut sums, mut weight) = ([0; 4], 0);
        let mut start = self.una;
        for r in self.records.iter() {
            assert!(r.end > start, "records are in order and not empty");
            let len = r.end - start;
            let waiting = r.flags & (LOST | RETRANSMITTED) == LOST;
            let is = [r.has(SACKED), r.has(LOST), waiting, r.has(RETRANSMITTED)];
            weight += u64::from(packet_accounting::times(r.flags)) * self.weight(len);
            sums.iter_mut().zip(is).for_each(|(s, is)| *s += if is { len } else { 0 });
            assert!(
                !r.has(SACKED) || !r.has(LOST | RETRANSMITTED),
                "what was SACKED is neither lost nor resent"
            );
            assert!(!waiting || start >= self.hint.min(start), "hint");
            assert!(!waiting || r.end > self.hint, "nothing below the hint waits");
            start = r.end;
        }
        assert_eq!(start, self.nxt, "records cover the flight");
        assert!(self.rates.as_ref().is_none_or(|r| r.len() == self.records.len()), "a sending time each");
        assert_eq!(weight, self.pipe(), "what is in the network");
        assert_eq!(sums, [self.sacked, self.lost, self.lost_waiting, self.retransmitted]);
        assert_eq!(self.clone().next_hole(), self.first_hole(), "the search goes on at the right place");
    }
}
