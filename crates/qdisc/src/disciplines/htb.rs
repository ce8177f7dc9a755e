//! HTB with one class: a shaper with two token buckets.
//!
//! Linux `sch_htb.c`; tc-htb(8). A class has a bucket that fills at `rate` and holds `burst`, and one that fills at `ceil` and
//! holds `cburst`. A packet leaves while both hold something, however little, and what it takes too much is owed: this is
//! where it differs from `tbf`, whose packets wait until the bucket holds all of their bytes. Several classes lend each other
//! what they leave; one class has nobody to borrow from, so it sends at `rate`, and `ceil` and `cburst` bound its bursts only.
//! Packets wait in a FIFO, or in the discipline that `queue` names.
//!
//! Details taken from Linux: tokens are nanoseconds at a rate that is a whole number of bytes a second; buckets are full at the
//! beginning; a debt is at most 60 s; the bursts that tc takes where none is stated are 1600 bytes and what the rate carries in
//! a nanosecond, which is what a kernel with precise timers gives. A class that has sent its last packet is not asked again, so
//! RED's average in `queue` does not decay while nothing comes.
//!
//! Differences from Linux: sizes are those of IP packets, and `overhead` is what is counted besides; Linux counts the Ethernet
//! header, 14 bytes. The timer is exact. There is one class: a hierarchy, which shares by `quantum` and `prio`, is not built.

use super::QdiscConfig;
use super::droptail::DroptailConfig;
use super::drr::{Leaf, LeafQueue};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::host_rules::HostRules;
use crate::registry::{About, Discipline, Invalid, Shaping};
use crate::tc::{TcError, TcLine, TcWords};
use crate::token_bucket::{TokenBucket, elapsed};
use tailrace_core::{Bytes, Duration, Instant, Limit, Packet, Rate};

tailrace_core::parameters! {
    /// Parameters of `htb`.
    pub struct HtbConfig {
        /// The rate at which packets leave in the long run. If it is too small, part of the link is unused; if it is
        /// larger than the link's, packets are never held back.
        rate: Rate = Rate::from_mbit(10), "own choice: tc has no default", in "8 bit/s"..="1000000 Gbit/s": "Linux counts whole bytes a second | no link is faster";
        /// The highest rate within a burst. `"auto"`: `rate`.
        ceil: Option<Rate> = None, "tc-htb(8)", in "8 bit/s"..="1000000 Gbit/s": "Linux counts whole bytes a second | no link is faster";
        /// Number of bytes that may leave at once after a pause. If it is too large, bursts fill queues further on. `"auto"`:
        /// 1600 bytes and what `rate` carries in a nanosecond.
        burst: Option<Bytes> = None, "iproute2", in "1 B"..="4294967295 B": "the bucket would hold nothing | tc counts sizes in 32 bits";
        /// Number of bytes of a burst that may leave as fast as the link can, in spite of `ceil`. `"auto"`: 1600 bytes and
        /// what `ceil` carries in a nanosecond.
        cburst: Option<Bytes> = None, "iproute2", in "1 B"..="4294967295 B": "the bucket would hold nothing | tc counts sizes in 32 bits";
        /// Number of bytes that the class may send in its turn among others. With one class it changes nothing; it is kept
        /// for tc. `"auto"`: what tc takes, a tenth of a second's bytes within 1000 and 200 000.
        quantum: Option<Bytes> = None, "tc-htb(8), r2q", in "1 B"..="4294967295 B": "nothing could be sent | tc counts sizes in 32 bits";
        /// Number of bytes that are counted for each packet beyond its IP size.
        overhead: Bytes = Bytes::ZERO, "tc-htb(8)", in "0 B"..="256 B": "no link layer adds more";
        /// The discipline in which packets wait: a name, a name with parameters in parentheses, or a tc line, as `codel target
        /// 5ms`. `"auto"`: a FIFO of 1000 packets.
        queue: Option<Leaf> = None, "Linux sch_htb (pfifo, txqueuelen)";
    }
}

/// Packets that wait where no discipline is stated.
const LIMIT: Limit = Limit::Packets(1000);
/// Bytes that tc adds to those of a nanosecond for a burst.
const TC_MTU: u64 = 1600;
/// The longest debt that a class can have, nanoseconds.
const MOST_DEBT: i64 = 60_000_000_000;

impl HtbConfig {
    fn ceil(&self) -> Rate {
        self.ceil.unwrap_or(self.rate)
    }

    fn burst(&self) -> Bytes {
        self.burst.unwrap_or_else(|| default_burst(self.rate))
    }

    fn cburst(&self) -> Bytes {
        self.cburst.unwrap_or_else(|| default_burst(self.ceil()))
    }

    fn quantum(&self) -> Bytes {
        self.quantum.unwrap_or(Bytes((self.rate.as_bps() / 8 / 10).clamp(1000, 200_000)))
    }

    /// The discipline in which packets wait.
    fn inner(&self) -> QdiscConfig {
        let fifo = DroptailConfig { limit: LIMIT, ..DroptailConfig::default() };
        self.queue.as_ref().map_or(QdiscConfig::Droptail(fifo), |queue| queue.config().clone())
    }
}

/// The burst that tc takes where none is stated.
fn default_burst(rate: Rate) -> Bytes {
    Bytes((rate.as_bps() / 8 / 1_000_000_000 + TC_MTU).min(u64::from(u32::MAX)))
}

impl Discipline for HtbConfig {
    const ABOUT: About = About {
        family: "shaper",
        summary: "Two token buckets that packets may overdraw: holds them back so that they leave at a rate.",
        citation: "Linux sch_htb; tc-htb(8)",
        ecn: "ignored; up to `queue`",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["htb"];
    type Queue<P: Packet> = Htb<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.ceil.is_some_and(|ceil| ceil < self.rate) {
            return Err(("ceil", format!("must be at least `rate`, which is {}", self.rate)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Htb<P> {
        Htb {
            queue: Box::new(LeafQueue::new(&self.inner(), link)),
            bucket: TokenBucket::in_ticks(self.rate, self.burst()),
            ceiling: TokenBucket::in_ticks(self.ceil(), self.cburst()),
            taken: Instant::ZERO,
            seen: Instant::ZERO,
            overhead: self.overhead,
            wake: None,
        }
    }

    fn host_rules(&self) -> Option<HostRules> {
        self.queue.as_ref()?.config().host_rules()
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::default();
        let mut rate = false;
        while let Some(word) = words.next_word() {
            match word {
                "rate" => (config.rate, rate) = (words.rate()?, true),
                "ceil" => config.ceil = Some(words.rate()?),
                "burst" | "buffer" | "maxburst" => config.burst = Some(words.size()?),
                "cburst" | "cbuffer" | "cmaxburst" => config.cburst = Some(words.size()?),
                "quantum" => config.quantum = Some(words.size()?),
                "overhead" => config.overhead = words.size()?,
                // Matters among several classes only.
                "prio" => {
                    words.count()?;
                }
                "default" | "r2q" | "direct_qlen" | "direct_packets_stat" | "ver" => {
                    words.next_word();
                }
                _ => return Err(words.unknown(&KNOWN)),
            }
        }
        // A ceiling below the rate is no ceiling: tc takes the rate then.
        config.ceil = config.ceil.filter(|ceil| *ceil >= config.rate);
        if rate {
            return Ok(config);
        }
        Err(words.error(
            "htb is its classes: write the rate of the class, `htb rate 10mbit`, and the discipline of its leaf as `queue`",
        ))
    }

    fn explicit(&self, link: &LinkView) -> Self {
        Self {
            ceil: Some(self.ceil()),
            burst: Some(self.burst()),
            cburst: Some(self.cburst()),
            quantum: Some(self.quantum()),
            queue: self.queue.as_ref().map(|queue| queue.explicit(link)),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let line = TcLine::new("htb")
            .rate("rate", self.rate)
            .rate("ceil", self.ceil())
            .size("burst", self.burst())
            .size("cburst", self.cburst())
            .size("quantum", self.quantum())
            .size("overhead", (self.overhead > Bytes::ZERO).then_some(self.overhead));
        let class = line.clone().into_parts().0;
        let mut commands = vec![
            "tc qdisc replace dev DEV PARENT handle 10: htb default 1".into(),
            format!("tc class replace dev DEV parent 10: classid 10:1 {class}"),
        ];
        if let Some(queue) = &self.queue {
            let inner = queue.tc_words()?;
            commands.push(format!("tc qdisc replace dev DEV parent 10:1 {inner}"));
        }
        Some(line.commands(commands))
    }

    fn shaping(&self) -> Shaping {
        self.queue.as_ref().map_or(Shaping::None, |queue| queue.config().shaping()).at_most(self.rate)
    }
}

/// Words that a line may have.
const KNOWN: [&str; 11] = [
    "rate",
    "ceil",
    "burst",
    "buffer",
    "maxburst",
    "cburst",
    "cbuffer",
    "cmaxburst",
    "quantum",
    "overhead",
    "prio",
];

/// The discipline. What waits is in a box, since it may be any discipline, this one among them.
#[derive(Debug)]
pub struct Htb<P: Packet> {
    queue: Box<LeafQueue<P>>,
    bucket: TokenBucket,
    ceiling: TokenBucket,
    /// When tokens were last taken.
    taken: Instant,
    /// When it was last asked for anything.
    seen: Instant,
    overhead: Bytes,
    wake: Option<Instant>,
}

/// Not inlined: the inner discipline is dispatched as this one is, and what is inlined into itself only grows.
impl<P: Packet> QueueDiscipline<P> for Htb<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.seen = cx.now;
        self.queue.enqueue(packet, cx);
    }

    #[inline(never)]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.seen = cx.now;
        self.wake = None;
        if self.queue.backlog().packets == 0 {
            return None;
        }
        let passed = elapsed(self.taken, cx.now).min(MOST_DEBT);
        let least = self.bucket.after(passed, Bytes::ZERO).min(self.ceiling.after(passed, Bytes::ZERO));
        if least < 0 {
            let wait = Duration::from_nanos(least.unsigned_abs());
            self.wake = Some(cx.now.saturating_add(wait));
            return None;
        }
        let out = self.queue.dequeue(cx)?;
        let size = out.0.size() + self.overhead;
        for bucket in [&mut self.bucket, &mut self.ceiling] {
            bucket.set(bucket.after(passed, size).max(1 - MOST_DEBT));
        }
        self.taken = cx.now;
        Some(out)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        [self.wake, self.queue.poll_timeout()].into_iter().flatten().min()
    }

    /// The time has come: whoever asked dequeues again.
    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.wake = self.wake.filter(|t| *t > cx.now);
        if self.queue.poll_timeout().is_some_and(|t| t <= cx.now) {
            self.queue.handle_timeout(cx);
        }
    }

    fn attach(&mut self, link: u32) {
        self.queue.attach(link);
    }

    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.queue.link_changed(link, cx);
    }

    fn state_names(&self) -> &'static [&'static str] {
        &["bucket_share"]
    }

    fn state(&self, out: &mut [f64]) {
        out[0] = self.bucket.share(elapsed(self.taken, self.seen));
    }
}

#[cfg(test)]
mod tests;
