//! CoDel: controlled delay.
//!
//! Nichols, Jacobson, "Controlling Queue Delay", ACM Queue 10(5), 2012; RFC 8289. CoDel looks at the sojourn time, the
//! time that each packet has waited in the queue. When it has been above `target` for an `interval`, packets are
//! signalled at the head of the queue. The time between signals shrinks with the square root of their number, until the
//! sojourn time is below `target` again.
//!
//! The pseudo-code of RFC 8289 §5.5 is a loop around the queue; here it is a law that sees one packet at a time. What
//! the loop does after it dropped a packet depends on the next one (`drop_next` advances only if that is to be dropped,
//! too). So the law remembers what it waits for (`Turn`).
//!
//! `form = "linux"` is Linux `include/net/codel.h`, and the meaning of a tc line: it computes with 16 bits
//! (`arithmetic`), and its test for a small backlog uses the device's MTU instead of the largest packet seen
//! (`maxpacket`; ns-3: `MinBytes`). `ce_threshold` is Linux's.

use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::managed::{DropEnd, Managed};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::math::sqrt;
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Rng};

tailrace_core::choices! {
    /// Version of CoDel: the defaults of all parameters that are `"auto"`.
    pub enum Form {
        /// RFC 8289; in disciplines with a queue for each flow, RFC 8290.
        Rfc = "rfc",
        /// The code in the Linux kernel.
        Linux = "linux",
    }
}

impl Form {
    /// The value of a parameter that is `"auto"`.
    pub(crate) fn pick<T>(self, set: Option<T>, rfc: T, linux: T) -> T {
        set.unwrap_or(if self == Self::Linux { linux } else { rfc })
    }
}

tailrace_core::choices! {
    /// Computation of `interval / sqrt(count)` and of times.
    pub enum Arithmetic {
        /// In nanoseconds, with the exact square root.
        Exact = "exact",
        /// Linux's way: in units of 1024 ns, with an inverse square root of 16 bits that is improved by one Newton
        /// step whenever the count changes (so the second gap is half of `interval`), and the first drop or mark comes
        /// only after `interval`, not exactly at it.
        Linux16 = "linux16",
    }
}

tailrace_core::parameters! {
    /// Parameters of `codel`.
    pub struct CodelConfig {
        /// Version of CoDel. It sets the value of every parameter below that is `"auto"`. A `tc` line means Linux's.
        form: Form = Form::Rfc, "RFC 8289";
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law. A larger limit only costs memory.
        limit: Limit = Limit::Packets(1000), "Linux sch_codel";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped or marked.
        /// If it is shorter than one or two packets take to send, the link has nothing to send at times; if it is too
        /// large, packets always wait.
        target: Duration = Duration::from_millis(5), "RFC 8289 §4.4";
        /// Time for which packets must have waited longer than `target` before the first one is dropped or marked. It
        /// should be about the longest usual round-trip time. If it is too small, short bursts lose packets; if it is
        /// too large, CoDel reacts late.
        interval: Duration = Duration::from_millis(100), "RFC 8289 §4.4", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "Linux sch_codel";
        /// Every ECN-capable packet that has waited longer than this is marked, whatever CoDel decides and whether or
        /// not `ecn` is on. If it is too small, senders become too slow. `"auto"` turns this off.
        ce_threshold: Option<Duration> = None, "Linux sch_codel (off)";
        /// While no more bytes than this wait, nothing is dropped or marked. If it is too large, a queue of that size
        /// stays for ever. `"auto"` is the largest packet seen so far, at least 512 bytes (rfc), or 1514 bytes
        /// (linux).
        maxpacket: Option<Bytes> = None, "RFC 8289 §5.5; Linux: the device's MTU";
        /// Computation of times and square roots. `"auto"`: exact (rfc), linux16 (linux).
        arithmetic: Option<Arithmetic> = None, "RFC 8289 §5.5; Linux";
    }
}

impl Discipline for CodelConfig {
    const ABOUT: About = About {
        family: "delay",
        summary: "Drops or marks packets at the head of the queue while packets keep waiting longer than a target.",
        citation: "RFC 8289; Nichols and Jacobson, ACM Queue 10(5), 2012",
        ecn: "marks instead of dropping with `ecn`; `ce_threshold` marks by sojourn alone",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["codel"];
    type Queue<P: Packet> = Managed<Codel, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<Codel, P> {
        Managed::new(self.limit, self.ecn, DropEnd::Tail, Codel::new(self))
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        // tc configures Linux\'s CoDel.
        let mut config = Self { form: Form::Linux, ..Self::default() };
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Limit::Packets(words.count()?),
                "target" => config.target = words.time()?,
                "interval" => config.interval = words.time()?,
                "ecn" => config.ecn = true,
                "noecn" => config.ecn = false,
                "ce_threshold" => config.ce_threshold = Some(words.time()?),
                _ => {
                    return Err(words.unknown(&[
                        "limit",
                        "target",
                        "interval",
                        "ecn",
                        "noecn",
                        "ce_threshold",
                    ]));
                }
            }
        }
        Ok(config)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        Self { arithmetic: Some(self.arithmetic()), maxpacket: self.maxpacket(), ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        Some(
            TcLine::new("codel")
                .packets("limit", self.limit)
                .time("target", self.target)
                .time("interval", self.interval)
                .flag(if self.ecn { "ecn" } else { "noecn" }, true)
                .time("ce_threshold", self.ce_threshold),
        )
    }
}

impl CodelConfig {
    fn arithmetic(&self) -> Arithmetic {
        self.form.pick(self.arithmetic, Arithmetic::Exact, Arithmetic::Linux16)
    }

    /// `None` where it follows the largest packet seen.
    fn maxpacket(&self) -> Option<Bytes> {
        self.maxpacket.or((self.form == Form::Linux).then_some(LINUX_MAXPACKET))
    }
}

/// An Ethernet device's MTU with its header.
const LINUX_MAXPACKET: Bytes = Bytes(1514);

/// The law. Times are in ticks: nanoseconds, or 1024 of them with `linux16`.
#[derive(Clone, Debug)]
pub struct Codel {
    target: u64,
    interval: u64,
    ce_threshold: Option<u64>,
    arithmetic: Arithmetic,
    /// Whether `maxpacket` follows the largest packet seen.
    learns: bool,
    maxpacket: Bytes,
    counts_overlimit: bool,

    /// When the sojourn will have been above target for an interval; `None` while it is below.
    first_above: Option<u64>,
    drop_next: u64,
    count: u32,
    last_count: u32,
    inverse_sqrt: u16,
    dropping: bool,
    turn: Turn,
}

/// Position of the packet that comes to the law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Turn {
    /// The first of a dequeue.
    #[default]
    First,
    /// The one after the drop that entered the dropping state: it goes, whatever its sojourn.
    AfterEntry,
    /// The one after a drop in the dropping state: `drop_next` advances only if this one is above target, too.
    AfterDrop,
}

/// RFC 8289 §5.5 starts with this until a larger packet is seen.
const SMALLEST_MAXPACKET: Bytes = Bytes(512);

impl Codel {
    /// The law with the parameters of `config`.
    pub fn new(config: &CodelConfig) -> Self {
        let (arithmetic, maxpacket) = (config.arithmetic(), config.maxpacket());
        let ticks = |d: Duration| d.as_nanos() >> arithmetic.shift();
        Self {
            target: ticks(config.target),
            interval: ticks(config.interval),
            ce_threshold: config.ce_threshold.map(ticks),
            arithmetic,
            learns: maxpacket.is_none(),
            maxpacket: maxpacket.unwrap_or(SMALLEST_MAXPACKET),
            counts_overlimit: false,
            first_above: None,
            drop_next: 0,
            count: 0,
            last_count: 0,
            inverse_sqrt: u16::MAX,
            dropping: false,
            turn: Turn::First,
        }
    }

    /// The same law, for which a drop at the hard limit counts as a signal of its own (Linux `sch_fq_codel`).
    pub(crate) fn counting_overlimit(self, counts_overlimit: bool) -> Self {
        Self { counts_overlimit, ..self }
    }

    /// Whether the sojourn has been above target for an interval (`dodequeue` of RFC 8289).
    #[inline]
    fn ok_to_drop(&mut self, sojourn: u64, backlog: Bytes, now: u64) -> bool {
        if sojourn < self.target || backlog <= self.maxpacket {
            self.first_above = None;
            return false;
        }
        match (self.first_above, self.arithmetic) {
            (None, _) => {
                self.first_above = Some(now.saturating_add(self.interval));
                false
            }
            (Some(t), Arithmetic::Exact) => now >= t,
            (Some(t), Arithmetic::Linux16) => now > t,
        }
    }

    /// Signals if the time has come. `count` rises before the fate of the packet is known.
    fn signal_if_due(&mut self, now: u64) -> Verdict {
        if now < self.drop_next {
            return Verdict::Pass;
        }
        self.set_count(self.count.saturating_add(1));
        self.turn = Turn::AfterDrop;
        Verdict::Signal
    }

    /// Enters the dropping state, at a rate near the last one where that was not long ago.
    #[cold]
    fn enter(&mut self, now: u64) {
        let delta = self.count - self.last_count;
        let recent = now.saturating_sub(self.drop_next) < self.interval.saturating_mul(16);
        if delta > 1 && recent {
            self.set_count(delta);
        } else {
            self.count = 1;
            self.inverse_sqrt = u16::MAX;
        }
        self.last_count = self.count;
        self.drop_next = self.control_law(now);
        self.dropping = true;
        self.turn = Turn::AfterEntry;
    }

    fn set_count(&mut self, count: u32) {
        self.count = count;
        if self.arithmetic == Arithmetic::Linux16 {
            self.inverse_sqrt = newton_step(self.inverse_sqrt, count);
        }
    }

    /// `t + interval / sqrt(count)`.
    fn control_law(&self, t: u64) -> u64 {
        t.saturating_add(self.arithmetic.gap(self.interval, self.count, self.inverse_sqrt))
    }
}

impl Aqm for Codel {
    #[inline]
    fn on_dequeue(
        &mut self,
        size: Bytes,
        sojourn: Duration,
        backlog: Backlog,
        now: Instant,
        _rng: &mut Rng,
    ) -> Verdict {
        if self.learns && size > self.maxpacket {
            self.maxpacket = size;
        }
        let shift = self.arithmetic.shift();
        let arrival = (now.as_nanos() - sojourn.as_nanos()) >> shift;
        let now = now.as_nanos() >> shift;
        let sojourn = now - arrival;
        let ok = self.ok_to_drop(sojourn, backlog.bytes, now);
        let verdict = match core::mem::take(&mut self.turn) {
            Turn::AfterEntry => Verdict::Pass,
            Turn::AfterDrop if ok => {
                self.drop_next = self.control_law(self.drop_next);
                self.signal_if_due(now)
            }
            Turn::First if ok && self.dropping => self.signal_if_due(now),
            Turn::First if ok => {
                self.enter(now);
                Verdict::Signal
            }
            Turn::First | Turn::AfterDrop => {
                self.dropping = false;
                Verdict::Pass
            }
        };
        match self.ce_threshold {
            Some(threshold) if verdict == Verdict::Pass && sojourn > threshold => Verdict::MarkOnly,
            _ => verdict,
        }
    }

    #[inline]
    fn on_signalled(&mut self, marked: bool, _now: Instant) {
        // A marked packet goes, so no other is looked at: the schedule advances at once.
        if marked && core::mem::take(&mut self.turn) == Turn::AfterDrop {
            self.drop_next = self.control_law(self.drop_next);
        }
    }

    fn on_overlimit(&mut self, _now: Instant) {
        // Linux leaves the inverse root as it is: the next signal brings it nearer.
        self.count = self.count.saturating_add(u32::from(self.counts_overlimit));
    }

    #[inline]
    fn on_idle(&mut self, _now: Instant) {
        self.first_above = None;
        // RFC 8289: the entry drop may have taken the last packet; the state is left at the next dequeue,
        // with the same effect.
        self.dropping = false;
        self.turn = Turn::First;
    }

    fn state_names() -> &'static [&'static str] {
        &["count", "dropping", "drop_next_s"]
    }

    fn state(&self, out: &mut [f64]) {
        let drop_next_s = (self.drop_next as f64) * f64::from(1u32 << self.arithmetic.shift()) / 1e9;
        out.copy_from_slice(&[f64::from(self.count), f64::from(u8::from(self.dropping)), drop_next_s]);
    }
}

impl Arithmetic {
    /// Binary digits of a time in nanoseconds that are not kept.
    pub(super) const fn shift(self) -> u32 {
        match self {
            Self::Exact => 0,
            Self::Linux16 => 10,
        }
    }

    /// `interval / sqrt(count)`, with `linux16` by the inverse root that [`newton_step`] keeps.
    pub(super) fn gap(self, interval: u64, count: u32, inverse_sqrt: u16) -> u64 {
        match self {
            Self::Exact => (interval as f64 / sqrt(f64::from(count)) + 0.5) as u64,
            Self::Linux16 => ((u128::from(interval) * (u128::from(inverse_sqrt) << 16)) >> 32) as u64,
        }
    }
}

/// Newton step towards `1/sqrt(count)`: `r (3 - count r²) / 2` in 0.32 fixed point, of which the upper 16 bits are
/// kept between steps.
pub(super) fn newton_step(inverse_sqrt: u16, count: u32) -> u16 {
    let r = u64::from(inverse_sqrt) << 16;
    let r_squared = (r * r) >> 32;
    let bracket = (3u64 << 32).wrapping_sub(u64::from(count).wrapping_mul(r_squared));
    // Shifted by two before the product, so that it stays within 64 bits.
    ((((bracket >> 2).wrapping_mul(r)) >> 31) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Ecn, Rate};

    const LINK: LinkView = LinkView::new(Rate::from_mbit(10), Duration::ZERO);

    struct Bench {
        queue: Managed<Codel, TestPacket>,
        rng: Rng,
        sink: Collector<TestPacket>,
    }

    impl Bench {
        fn new(config: &CodelConfig) -> Self {
            Self { queue: config.build(&LINK), rng: Rng::new(1), sink: Collector::default() }
        }
        fn enqueue(&mut self, n: u64, ecn: Ecn, now: Instant) {
            for id in 0..n {
                let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
                self.queue.enqueue(TestPacket::new(id, 0, 1000).with_ecn(ecn), &mut cx);
            }
        }
        fn dequeue(&mut self, now: Instant) -> Option<TestPacket> {
            let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
            self.queue.dequeue(&mut cx).map(|(p, _)| p)
        }
        /// Drops, marks and packets left.
        fn tally(&self) -> (usize, usize, u64) {
            (self.sink.dropped.len(), self.sink.marked.len(), self.queue.backlog().packets)
        }
    }

    fn config(arithmetic: Arithmetic, ecn: bool) -> CodelConfig {
        CodelConfig { arithmetic: Some(arithmetic), ecn, maxpacket: Some(Bytes(1500)), ..Default::default() }
    }

    /// Times of the first `n` signals after the first, in ms, for a queue that is always above target.
    fn offsets(arithmetic: Arithmetic, n: usize) -> Vec<f64> {
        let mut law = Codel::new(&config(arithmetic, false));
        law.enter(0);
        let mut times = vec![law.drop_next];
        while times.len() < n {
            law.set_count(law.count + 1);
            law.drop_next = law.control_law(law.drop_next);
            times.push(law.drop_next);
        }
        times.iter().map(|t| (t << arithmetic.shift()) as f64 / 1e6).collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 0.006, "{found:?}");
        }
    }

    #[test]
    fn exact_signal_times_follow_the_inverse_square_root() {
        // Sums of 100 ms / sqrt(k), k = 1, 2, ...
        let expected = [
            100.00, 170.71, 228.45, 278.45, 323.17, 363.99, 401.79, 437.14, 470.48, 502.10, 532.25, 561.12,
            588.85, 615.58, 641.40, 666.40,
        ];
        close(&offsets(Arithmetic::Exact, 16), &expected);
    }

    #[test]
    fn linux_signal_times_differ_by_one_newton_step() {
        // In units of 1024 ns and rounded down at each step, hence a few microseconds early.
        let expected = [100.0, 150.0, 206.25, 255.03, 299.18, 339.58, 377.10, 412.25, 445.43, 476.94];
        let found = offsets(Arithmetic::Linux16, 10);
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn newton_reaches_the_inverse_root() {
        // The fixed point of repeated steps is 65536 / sqrt(count), to the truncation of 16 bits.
        for count in [1u32, 2, 4, 9, 100, 1000] {
            let mut r = (60_000.0 / f64::from(count).sqrt()) as u16;
            for _ in 0..20 {
                r = newton_step(r, count);
            }
            let expected = 65_536.0 / f64::from(count).sqrt();
            assert!((f64::from(r) - expected).abs() < 8.0, "{count}: {r} {expected}");
        }
    }

    #[test]
    fn twenty_packets_without_arrivals_lose_what_ns3_expects() {
        // ns-3 codel-queue-disc-test-suite: dequeue at 2 target, then past the interval, again, and two intervals on.
        for (arithmetic, drops, left) in [(Arithmetic::Exact, 3, 13), (Arithmetic::Linux16, 4, 12)] {
            let mut b = Bench::new(&config(arithmetic, false));
            b.enqueue(20, Ecn::NotEct, Instant::ZERO);
            assert!(b.dequeue(Instant::from_millis(10)).is_some());
            assert_eq!(b.tally(), (0, 0, 19));
            b.dequeue(Instant::from_millis(210));
            assert_eq!(b.tally(), (1, 0, 17));
            b.dequeue(Instant::from_millis(210));
            assert_eq!(b.tally(), (1, 0, 16));
            b.dequeue(Instant::from_millis(420));
            assert_eq!(b.tally(), (drops, 0, left));
        }
    }

    #[test]
    fn with_ecn_the_same_times_mark_and_take_no_extra_packet() {
        let mut b = Bench::new(&config(Arithmetic::Exact, true));
        b.enqueue(20, Ecn::Ect0, Instant::ZERO);
        let marks: Vec<_> = [10, 210, 210, 420]
            .map(|ms| {
                b.dequeue(Instant::from_millis(ms));
                b.tally()
            })
            .to_vec();
        assert_eq!(marks, [(0, 0, 19), (0, 1, 18), (0, 1, 17), (0, 2, 16)]);
    }

    #[test]
    fn ce_threshold_marks_beyond_it_and_never_twice() {
        let thresholds =
            CodelConfig { ce_threshold: Some(Duration::from_millis(2)), ..config(Arithmetic::Exact, true) };
        let mut b = Bench::new(&thresholds);
        b.enqueue(20, Ecn::Ect0, Instant::ZERO);
        let marked: Vec<_> = [1, 3, 10, 210]
            .map(|ms| {
                b.dequeue(Instant::from_millis(ms));
                b.tally().1
            })
            .to_vec();
        assert_eq!(marked, [0, 1, 2, 3]);
        assert!(b.sink.dropped.is_empty());
    }

    #[test]
    fn a_queue_of_one_packet_is_never_signalled() {
        let mut b = Bench::new(&CodelConfig::default());
        for second in 0..100 {
            b.enqueue(1, Ecn::NotEct, Instant::from_secs(second));
            assert!(b.dequeue(Instant::from_millis(second * 1000 + 900)).is_some());
        }
        assert_eq!(b.tally(), (0, 0, 0));
    }

    #[test]
    fn tc_lines_mean_linux() {
        let mut words = TcWords::new("limit 1000 target 5ms interval 100ms ecn");
        let c = CodelConfig::from_tc("codel", &mut words).unwrap();
        assert!(c.ecn && c.arithmetic() == Arithmetic::Linux16 && c.limit == Limit::Packets(1000));
        let mut words = TcWords::new("target 5furlong");
        assert_eq!(CodelConfig::from_tc("codel", &mut words).unwrap_err().offset, 7);
    }
}
