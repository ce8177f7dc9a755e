//! TBF: a shaper with a token bucket.
//!
//! Linux `sch_tbf.c`; tc-tbf(8). A shaper holds packets back, so that they leave at `rate` on average, and as fast as the link
//! can after a pause, up to `burst`. Tokens come at `rate` into a bucket that holds `burst`; a packet leaves once the bucket
//! holds as many tokens as it has bytes. With `peakrate` a second bucket of `mtu` bounds the rate within a burst. Packets wait
//! in a FIFO of so many bytes, or in the discipline that `queue` names.
//!
//! A shaper before a modem moves the bottleneck to a place where the queue is managed. It delays what exceeds the rate; a
//! policer, which has the same bucket and no queue, drops it.
//!
//! Details taken from Linux: tokens are nanoseconds at the rate, which is a whole number of bytes a second. The bucket is full
//! at the beginning. A packet larger than `burst` (with `peakrate`, than `mtu`) could never leave and is dropped as it comes.
//! A law in `queue` judges a packet when it becomes the next to leave, and it is kept until it may.
//!
//! Differences from Linux: sizes are those of IP packets, and `overhead` is what is counted besides; Linux counts the Ethernet
//! header, 14 bytes. Linux limits a FIFO with `limit` only, so here `limit` and `latency` do not go with `queue`. The timer is
//! exact. There is no segmentation offload, whose packets would be split where they exceed `burst`.

use super::QdiscConfig;
use super::droptail::DroptailConfig;
use super::drr::{Leaf, LeafQueue};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::host_rules::HostRules;
use crate::registry::{About, Discipline, Invalid, Shaping};
use crate::tc::{TcError, TcLine, TcWords};
use crate::token_bucket::{TokenBucket, TokenBuckets, bytes_for};
use tailrace_core::{Bytes, DropReason, Duration, Instant, Limit, Packet, Rate};

tailrace_core::parameters! {
    /// Parameters of `tbf`.
    pub struct TbfConfig {
        /// The rate at which packets leave in the long run. If it is too small, part of the link is unused; if it is
        /// larger than the link's, packets are never held back.
        rate: Rate = Rate::from_mbit(10), "own choice: tc has no default", in "8 bit/s"..="1000000 Gbit/s": "Linux counts whole bytes a second | no link is faster";
        /// Number of bytes that may leave at once after a pause, as fast as the link can. If it is too small, large
        /// packets are dropped; if it is too large, bursts fill queues further on.
        burst: Bytes = Bytes(10 * 1024), "own choice: tc has no default", in "1 B"..="4294967295 B": "no packet could ever leave | tc counts sizes in 32 bits";
        /// The most bytes that may wait. If it is too small, bursts are lost; if it is too large, packets wait long. `"auto"`
        /// follows from `latency`.
        limit: Option<Bytes> = None, "tc-tbf(8)";
        /// The longest time that a packet may wait: the limit is what leaves in that time, and `burst`. `"auto"` is 50 ms
        /// where there is no `limit`.
        latency: Option<Duration> = None, "tc-tbf(8); 50 ms: own choice";
        /// The highest rate within a burst. `"auto"`: there is none, and bursts leave as fast as the link can.
        peakrate: Option<Rate> = None, "Linux sch_tbf", in "8 bit/s"..="1000000 Gbit/s": "Linux counts whole bytes a second | no link is faster";
        /// Number of bytes that may leave at once in spite of `peakrate`: at least the largest packet.
        mtu: Bytes = Bytes(1514), "Linux: Ethernet's", in "1 B"..="4294967295 B": "no packet could ever leave | tc counts sizes in 32 bits";
        /// Number of bytes that are counted for each packet beyond its IP size.
        overhead: Bytes = Bytes::ZERO, "tc-tbf(8)", in "0 B"..="256 B": "no link layer adds more";
        /// The discipline in which packets wait: a name, a name with parameters in parentheses, or a tc line, as `codel target
        /// 5ms`. `"auto"`: a FIFO of `limit`.
        queue: Option<Leaf> = None, "Linux sch_tbf (bfifo)";
    }
}

/// Waiting time that the limit follows from where nothing is stated.
const LATENCY: Duration = Duration::from_millis(50);

impl TbfConfig {
    /// The limit of the FIFO, as tc works it out.
    fn limit(&self) -> Bytes {
        let latency = self.latency.unwrap_or(LATENCY);
        let limit = bytes_for(self.rate, latency, self.burst);
        let at_peak = self.peakrate.map(|peak| bytes_for(peak, latency, self.mtu));
        self.limit.unwrap_or(at_peak.map_or(limit, |peak| limit.min(peak)))
    }

    /// The largest packet that can ever leave, overhead included.
    fn largest(&self) -> Bytes {
        if self.peakrate.is_some() { self.burst.min(self.mtu) } else { self.burst }
    }

    /// The discipline in which packets wait.
    fn inner(&self) -> QdiscConfig {
        let fifo = DroptailConfig { limit: Limit::Bytes(self.limit()), ..DroptailConfig::default() };
        self.queue.as_ref().map_or(QdiscConfig::Droptail(fifo), |queue| queue.config().clone())
    }
}

impl Discipline for TbfConfig {
    const ABOUT: About = About {
        family: "shaper",
        summary: "A token bucket: holds packets back so that they leave at a rate, but for bursts.",
        citation: "Linux sch_tbf; tc-tbf(8)",
        ecn: "ignored; up to `queue`",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["tbf"];
    type Queue<P: Packet> = Tbf<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.peakrate.is_some_and(|peak| peak <= self.rate) {
            return Err(("peakrate", format!("must be more than `rate`, which is {}", self.rate)));
        }
        if self.limit.is_some() && self.latency.is_some() {
            return Err(("latency", "says the same as `limit`; leave out one of the two".into()));
        }
        let stated = [("limit", self.limit.is_some()), ("latency", self.latency.is_some())];
        match stated.into_iter().find(|(_, stated)| *stated && self.queue.is_some()) {
            Some((name, _)) => Err((name, "what waits is up to `queue`; state its limit there".into())),
            None if self.limit() == Bytes::ZERO => {
                Err(("limit", "no packet could ever wait; the limit must be larger".into()))
            }
            None => Ok(()),
        }
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Tbf<P> {
        Tbf {
            queue: Box::new(LeafQueue::new(&self.inner(), link)),
            buckets: TokenBuckets::new(
                TokenBucket::new(self.rate, self.burst),
                self.peakrate.map(|rate| TokenBucket::new(rate, self.mtu)),
            ),
            seen: Instant::ZERO,
            largest: self.largest(),
            overhead: self.overhead,
            wake: None,
        }
    }

    fn host_rules(&self) -> Option<HostRules> {
        self.queue.as_ref()?.config().host_rules()
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        const KNOWN: [&str; 10] =
            ["rate", "burst", "buffer", "maxburst", "limit", "latency", "lat", "peakrate", "mtu", "overhead"];
        let mut config = Self::default();
        let (mut rate, mut burst, mut mtu) = (false, false, false);
        while let Some(word) = words.next_word() {
            match word {
                "rate" => (config.rate, rate) = (words.rate()?, true),
                "burst" | "buffer" | "maxburst" => (config.burst, burst) = (words.size()?, true),
                "limit" => config.limit = Some(words.size()?),
                "latency" | "lat" => config.latency = Some(words.time()?),
                "peakrate" => config.peakrate = Some(words.rate()?),
                "mtu" | "minburst" => (config.mtu, mtu) = (words.size()?, true),
                "overhead" => config.overhead = words.size()?,
                _ => return Err(words.unknown(&KNOWN)),
            }
        }
        let stated = [
            ("rate, as in \"rate 10mbit\"", rate),
            ("burst, as in \"burst 10kb\"", burst),
            ("limit or latency, as in \"latency 50ms\"", config.limit.is_some() || config.latency.is_some()),
            ("mtu beside peakrate, as in \"mtu 1514\"", mtu || config.peakrate.is_none()),
        ];
        match stated.into_iter().find(|(_, stated)| !stated) {
            Some((what, _)) => Err(words.error(format!("tbf needs {what}"))),
            None => Ok(config),
        }
    }

    fn explicit(&self, link: &LinkView) -> Self {
        let fifo = self.queue.is_none();
        Self {
            limit: fifo.then(|| self.limit()),
            latency: None,
            mtu: if self.peakrate.is_some() { self.mtu } else { Self::default().mtu },
            queue: self.queue.as_ref().map(|queue| queue.explicit(link)),
            ..self.clone()
        }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let line = TcLine::new("tbf")
            .rate("rate", self.rate)
            .size("burst", self.burst)
            .size("limit", self.limit())
            .rate("peakrate", self.peakrate)
            .size("mtu", self.peakrate.map(|_| self.mtu))
            .size("overhead", (self.overhead > Bytes::ZERO).then_some(self.overhead));
        let Some(queue) = &self.queue else { return Some(line) };
        let inner = queue.tc_words()?;
        let outer = line.clone().into_parts().0;
        Some(line.commands(vec![
            format!("tc qdisc replace dev DEV PARENT handle 10: {outer}"),
            format!("tc qdisc replace dev DEV parent 10:1 {inner}"),
        ]))
    }

    fn shaping(&self) -> Shaping {
        self.queue.as_ref().map_or(Shaping::None, |queue| queue.config().shaping()).at_most(self.rate)
    }
}

/// The discipline. What waits is in a box, since it may be any discipline, this one among them.
#[derive(Debug)]
pub struct Tbf<P: Packet> {
    queue: Box<LeafQueue<P>>,
    buckets: TokenBuckets,
    /// When it was last asked for anything.
    seen: Instant,
    largest: Bytes,
    overhead: Bytes,
    wake: Option<Instant>,
}

/// Not inlined: the inner discipline is dispatched as this one is, and what is inlined into itself only grows.
impl<P: Packet> QueueDiscipline<P> for Tbf<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        self.seen = cx.now;
        if packet.size() + self.overhead > self.largest {
            cx.sink.dropped(packet, DropReason::Overlimit, cx.now);
            return;
        }
        self.queue.enqueue(packet, cx);
    }

    #[inline(never)]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.seen = cx.now;
        self.wake = None;
        let size = self.queue.peek(cx)? + self.overhead;
        if let Err(wait) = self.buckets.take(size, cx.now) {
            self.wake = Some(cx.now.saturating_add(wait));
            return None;
        }
        self.queue.take()
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
        out[0] = self.buckets.share(self.seen);
    }
}

#[cfg(test)]
mod tests;
