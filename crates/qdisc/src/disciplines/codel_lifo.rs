//! CoDel-LIFO: the newest packet first, and drops only in a run of growing waits.
//!
//! Felix da Silva, Santos, Nogueira, "A New Queue Discipline for Reducing Bufferbloat Effects in HetNet Concurrent
//! Multipath Transfer". The queue is a stack: the newest packet is sent first, so new packets overtake a standing
//! queue. When CoDel would drop a packet, the packet is forgiven, unless the current run of packets that each waited
//! longer than the previous one is longer than theta. Theta is the ratio of the longest to the mean sojourn time.
//!
//! The text leaves some details open, and the authors' simulator decides them differently, so `form` chooses:
//!
//! | | `paper` | `authors` (their ns-3 `codel-queue-lifo.cc`) |
//! |---|---|---|
//! | statistics | restart below target, at small backlogs and when empty; theta is real | never restart; integers |
//! | a drop needs | CoDel's interval and schedule, and the run | the run; entry within an interval of the last schedule, or two intervals above target; then whatever is due or in a run |
//! | arithmetic | exact | Linux's, in units of 1024 ns |
//!
//! Choices for the paper's form: intervals shrink with the square root of the count (the text multiplies, unlike CoDel,
//! its RFC and the authors' code). Every packet taken from the stack is one sample, in that order. Forgiving changes
//! neither count nor schedule. Below target, the count is kept as in CoDel (`literal_reset` clears it, as the text
//! says).
//!
//! Differences from the authors' code: where it drops a packet and then sends none although some wait, the next packet
//! is considered instead, since a link may not be idle while packets wait. Packets that it counts as dropped but sends
//! are not counted. A limit in bytes may be reached exactly. Times do not wrap around. Packets leave out of order.

use super::codel::{Arithmetic, newton_step};
use crate::discipline::{Aqm, Backlog, LinkView, Verdict};
use crate::flow_queue::{End, FlowQueue, FlowSetup, Overflow, Separation};
use crate::registry::{About, Discipline, Invalid};
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Rng};

tailrace_core::choices! {
    /// Version of CoDel-LIFO.
    pub enum Form {
        /// The paper's text, with the readings described above.
        Paper = "paper",
        /// The code behind the paper's figures.
        Authors = "authors",
    }
}

tailrace_core::choices! {
    /// The packet that is dropped when the stack is full.
    pub enum Victim {
        /// The arriving one.
        Arrival = "arrival",
        /// The oldest one, at the bottom of the stack.
        Bottom = "bottom",
    }
}

tailrace_core::parameters! {
    /// Parameters of `codel_lifo`.
    pub struct CodelLifoConfig {
        /// Version of CoDel-LIFO: what the paper's text says, or what its authors' code does.
        form: Form = Form::Paper, "Felix da Silva et al.";
        /// The most that may wait in the stack. If it is too small, packets are dropped for want of room instead of
        /// by the law; if it is too large, old packets stay for long.
        limit: Limit = Limit::Packets(1000), "ns-3 CoDelQueue";
        /// The packet that is dropped when the stack is full.
        overflow: Victim = Victim::Arrival, "Felix da Silva et al.";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped. If it is
        /// too small, every packet counts as late; if it is too large, the law never acts.
        target: Duration = Duration::from_millis(5), "Felix da Silva et al. (tau)";
        /// Time for which packets must have waited longer than `target` before the first one is dropped. If it is too
        /// small, short bursts lose packets; if it is too large, the law reacts late.
        interval: Duration = Duration::from_millis(100), "Felix da Silva et al. (lambda)", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "Felix da Silva et al. (no ECN)";
        /// While no more bytes than this wait, nothing is dropped or marked. If it is too large, a queue of that size
        /// stays for ever. `"auto"` is the largest packet seen so far, at least 512 bytes.
        maxpacket: Option<Bytes> = None, "RFC 8289 §5.5";
        /// Whether the count of drops starts again from zero as soon as a packet has waited less than `target` (with
        /// `form = "paper"` only).
        literal_reset: bool = false, "RFC 8289 §5.4 (the text: true)";
    }
}

impl Discipline for CodelLifoConfig {
    const ABOUT: About = About {
        family: "delay",
        summary: "A stack (last in, first out) with CoDel, which drops only while waiting times keep growing.",
        citation: "Felix da Silva, Santos, Nogueira: A New Queue Discipline for Reducing Bufferbloat Effects",
        ecn: "marks instead of dropping with `ecn`",
        per_flow_state: "none",
    };
    type Queue<P: Packet> = FlowQueue<CodelLifo, P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> FlowQueue<CodelLifo, P> {
        let setup = FlowSetup {
            limit: self.limit,
            memory: Bytes(u64::MAX),
            separation: Separation::Hashed(1),
            serve: End::Newest,
            overflow: match self.overflow {
                Victim::Arrival => Overflow::Arrival,
                Victim::Bottom => Overflow::Longest(End::Oldest, 1),
            },
            ecn: self.ecn,
            ..FlowSetup::RFC8290
        };
        FlowQueue::new(setup, CodelLifo::new(self))
    }
}

/// Statistics of the sojourn times since they were last good.
#[derive(Clone, Copy, Debug, Default)]
struct Sojourns {
    samples: u64,
    sum: u128,
    /// The authors' mean: rounded down with every sample.
    rounded_mean: u64,
    longest: u64,
    previous: Option<u64>,
    /// Number of packets in a row that waited longer than the one before.
    run: u64,
}

impl Sojourns {
    fn add(&mut self, sojourn: u64) {
        self.samples += 1;
        self.sum = self.sum.saturating_add(u128::from(sojourn));
        let total = u128::from(self.rounded_mean) * u128::from(self.samples - 1) + u128::from(sojourn);
        self.rounded_mean = (total / u128::from(self.samples)) as u64;
        self.longest = self.longest.max(sojourn);
        self.run = if self.previous.is_some_and(|p| sojourn > p) { self.run + 1 } else { 0 };
        self.previous = Some(sojourn);
    }

    /// Longest over mean sojourn.
    fn theta(&self, form: Form) -> f64 {
        match form {
            Form::Paper if self.sum == 0 => 1.0,
            Form::Paper => self.longest as f64 * self.samples as f64 / self.sum as f64,
            Form::Authors => ((self.longest + 1) / (self.rounded_mean + 1)) as f64,
        }
    }
}

/// The law. Times are in ticks: nanoseconds, or 1024 of them for the authors' code.
#[derive(Clone, Debug)]
pub struct CodelLifo {
    form: Form,
    arithmetic: Arithmetic,
    target: u64,
    interval: u64,
    learns: bool,
    maxpacket: Bytes,
    literal_reset: bool,

    sojourns: Sojourns,
    first_above: Option<u64>,
    drop_next: u64,
    count: u32,
    last_count: u32,
    inverse_sqrt: u16,
    dropping: bool,
    /// Whether the packet that comes is one that the authors' loop takes after a drop.
    in_loop: bool,
}

/// RFC 8289 §5.5 starts with this until a larger packet is seen.
const SMALLEST_MAXPACKET: Bytes = Bytes(512);

impl CodelLifo {
    /// The law with the parameters of `config`.
    pub fn new(config: &CodelLifoConfig) -> Self {
        let arithmetic = match config.form {
            Form::Paper => Arithmetic::Exact,
            Form::Authors => Arithmetic::Linux16,
        };
        Self {
            form: config.form,
            arithmetic,
            target: config.target.as_nanos() >> arithmetic.shift(),
            interval: config.interval.as_nanos() >> arithmetic.shift(),
            learns: config.maxpacket.is_none(),
            maxpacket: config.maxpacket.unwrap_or(SMALLEST_MAXPACKET),
            literal_reset: config.literal_reset,
            sojourns: Sojourns {
                // The authors' variables start as zeros; the paper's first sample has none before it.
                previous: (config.form == Form::Authors).then_some(0),
                ..Sojourns::default()
            },
            first_above: None,
            drop_next: 0,
            count: 0,
            last_count: 0,
            inverse_sqrt: u16::MAX,
            dropping: false,
            in_loop: false,
        }
    }

    fn in_a_run(&self) -> bool {
        self.sojourns.run as f64 > self.sojourns.theta(self.form)
    }

    fn control_law(&self, t: u64) -> u64 {
        t.saturating_add(self.arithmetic.gap(self.interval, self.count, self.inverse_sqrt))
    }

    fn set_count(&mut self, count: u32) {
        self.count = count;
        if self.arithmetic == Arithmetic::Linux16 {
            self.inverse_sqrt = newton_step(self.inverse_sqrt, count);
        }
    }

    /// Enters the dropping state, at a rate near the last one if `recent`.
    fn enter(&mut self, now: u64, recent: bool) {
        let delta = self.count.saturating_sub(self.last_count);
        if delta > 1 && recent {
            self.set_count(delta);
        } else {
            self.count = 1;
            self.inverse_sqrt = u16::MAX;
        }
        self.last_count = self.count;
        self.drop_next = self.control_law(now);
        self.dropping = true;
    }

    fn paper(&mut self, sojourn: u64, backlog: Bytes, now: u64) -> Verdict {
        if sojourn < self.target || backlog <= self.maxpacket {
            self.first_above = None;
            self.dropping = false;
            self.sojourns = Sojourns { previous: Some(sojourn), ..Sojourns::default() };
            if self.literal_reset {
                (self.count, self.last_count) = (0, 0);
            }
            return Verdict::Pass;
        }
        self.sojourns.add(sojourn);
        let doomed = match self.first_above {
            None => {
                self.first_above = Some(now.saturating_add(self.interval));
                false
            }
            Some(t) => now >= t && (!self.dropping || now >= self.drop_next),
        };
        if !doomed || !self.in_a_run() {
            return Verdict::Pass;
        }
        if self.dropping {
            self.set_count(self.count.saturating_add(1));
            self.drop_next = self.control_law(self.drop_next);
        } else {
            let recent = now.saturating_sub(self.drop_next) < self.interval.saturating_mul(16);
            self.enter(now, recent);
        }
        Verdict::Signal
    }

    /// The authors' `ShouldDrop`: neither time nor schedule, only the run.
    fn authors_should_drop(&mut self, sojourn: u64, backlog: Bytes, now: u64) -> bool {
        self.sojourns.add(sojourn);
        if sojourn < self.target || backlog < self.maxpacket {
            self.first_above = None;
            return false;
        }
        if self.first_above.is_none() {
            self.first_above = Some(now.saturating_add(self.interval));
            return false;
        }
        self.in_a_run()
    }

    fn authors(&mut self, sojourn: u64, backlog: Bytes, now: u64) -> Verdict {
        let in_loop = core::mem::take(&mut self.in_loop);
        let drop = self.authors_should_drop(sojourn, backlog, now);
        if self.dropping {
            self.dropping = drop;
            if in_loop && drop {
                self.drop_next = self.control_law(self.drop_next);
            }
            // Within the loop a run is enough; it is what `drop` means.
            if drop && (in_loop || now >= self.drop_next) {
                self.set_count(self.count.saturating_add(1));
                self.in_loop = true;
                return Verdict::Signal;
            }
            return Verdict::Pass;
        }
        let since_schedule = i128::from(now) - i128::from(self.drop_next);
        let since_above = self.first_above.map_or(i128::MIN, |t| i128::from(now) - i128::from(t));
        let interval = i128::from(self.interval);
        if drop && (since_schedule < interval || since_above >= interval) {
            self.authors_should_drop(sojourn, backlog, now);
            self.enter(now, since_schedule > interval);
            return Verdict::Signal;
        }
        Verdict::Pass
    }
}

impl Aqm for CodelLifo {
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
        let (sojourn, now) = (sojourn.as_nanos() >> shift, now.as_nanos() >> shift);
        match self.form {
            Form::Paper => self.paper(sojourn, backlog.bytes, now),
            Form::Authors => self.authors(sojourn, backlog.bytes, now),
        }
    }

    fn on_signalled(&mut self, marked: bool, _now: Instant) {
        // A marked packet goes, so no other is looked at: the schedule advances at once.
        if marked && core::mem::take(&mut self.in_loop) {
            self.drop_next = self.control_law(self.drop_next);
        }
    }

    fn on_idle(&mut self, _now: Instant) {
        self.dropping = false;
        self.first_above = None;
        self.in_loop = false;
        if self.form == Form::Paper {
            self.sojourns = Sojourns::default();
        }
    }

    fn state_names() -> &'static [&'static str] {
        &["theta", "run_packets", "count", "dropping"]
    }

    fn state(&self, out: &mut [f64]) {
        let (theta, run) = (self.sojourns.theta(self.form), self.sojourns.run as f64);
        out.copy_from_slice(&[theta, run, f64::from(self.count), f64::from(u8::from(self.dropping))]);
    }
}

#[cfg(test)]
mod tests;
