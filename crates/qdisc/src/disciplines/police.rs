//! Policer: a token bucket without a queue.
//!
//! Linux `act_police.c`; tc-police(8); RFC 2475 §2.3.3.3. Tokens come at `rate` into a bucket that holds `burst`. A packet that
//! finds as many tokens as it has bytes takes them and goes on at once; one that exceeds them is dropped, or marked, and takes
//! nothing. So a policer delays no packet, whatever the load, while a shaper with the same bucket delays what exceeds the rate.
//! What passes waits for the link in a FIFO, or in the discipline that `queue` names.
//!
//! Policers on access lines stand behind a link that is faster than the rate that they enforce: a TCP sees the link's rate and
//! no queue until the bucket is empty, and then losses at a round trip that stays the least (Flach et al., "An Internet-wide
//! analysis of traffic policing", SIGCOMM 2016).
//!
//! Details taken from Linux: tokens are nanoseconds at the rate, which is a whole number of bytes a second; the bucket is full
//! at the beginning; an exceeding packet leaves both the tokens and the time at which they were last counted as they were.
//! Packets larger than `mtu` exceed always. With `peakrate` a second bucket of `mtu` must hold enough, too.
//!
//! Differences from Linux: sizes are those of IP packets, as at a clsact ingress, where Linux too counts without the Ethernet
//! header; at an egress Linux counts it, which `overhead` can say. With `exceed = "mark"` an exceeding packet that is not
//! ECN-capable is dropped (RFC 3168 §5), where Linux's `skbmod ecn` lets it go.

use super::QdiscConfig;
use super::droptail::DroptailConfig;
use super::drr::{Leaf, LeafQueue};
use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Verdict};
use crate::host_rules::HostRules;
use crate::registry::{About, Discipline, Invalid, Shaping};
use crate::signal::{Fate, fate};
use crate::tc::{TcError, TcLine, TcWords};
use crate::token_bucket::{TokenBucket, TokenBuckets};
use tailrace_core::{Bytes, DropReason, Instant, Limit, Packet, Rate};

tailrace_core::choices! {
    /// Fate of a packet that exceeds the rate.
    pub enum Exceed {
        /// It is dropped.
        Drop = "drop",
        /// It is marked CE if it is ECN-capable, otherwise dropped.
        Mark = "mark",
    }
}

tailrace_core::parameters! {
    /// Parameters of `police`.
    pub struct PoliceConfig {
        /// The rate at which packets pass in the long run. If it is too small, the link is unused; if it is larger than the
        /// link's, no packet exceeds it.
        rate: Rate = Rate::from_mbit(10), "own choice: tc has no default", in "8 bit/s"..="1000000 Gbit/s": "Linux counts whole bytes a second | no link is faster";
        /// Number of bytes that may pass at once after a pause. If it is too small, windows of TCP are lost at each burst
        /// and the rate is never reached; if it is too large, the rate is exceeded for long before a packet is lost.
        burst: Bytes = Bytes(64 * 1024), "own choice: tc has no default", in "1 B"..="4294967295 B": "no packet could ever pass | tc counts sizes in 32 bits";
        /// Fate of a packet that exceeds the rate.
        exceed: Exceed = Exceed::Drop, "tc-police(8)";
        /// The highest rate within a burst. `"auto"`: there is none, and bursts pass as fast as they come.
        peakrate: Option<Rate> = None, "Linux act_police", in "8 bit/s"..="1000000 Gbit/s": "Linux counts whole bytes a second | no link is faster";
        /// Largest packet that passes; with `peakrate`, also the number of bytes that may pass at once in spite of it.
        mtu: Bytes = Bytes(2040), "Linux act_police: 255 cells of 8 bytes", in "1 B"..="4294967295 B": "no packet could ever pass | tc counts sizes in 32 bits";
        /// Number of bytes that are counted for each packet beyond its IP size.
        overhead: Bytes = Bytes::ZERO, "tc-police(8)", in "0 B"..="256 B": "no link layer adds more";
        /// The discipline in which packets wait for the link: a name, a name with parameters in parentheses, or a tc line.
        /// `"auto"`: a FIFO of 1000 packets.
        queue: Option<Leaf> = None, "Linux pfifo (txqueuelen)";
    }
}

/// Packets that wait for the link where no discipline is stated.
const LIMIT: Limit = Limit::Packets(1000);

impl PoliceConfig {
    /// The discipline in which packets wait for the link.
    fn inner(&self) -> QdiscConfig {
        let fifo = DroptailConfig { limit: LIMIT, ..DroptailConfig::default() };
        self.queue.as_ref().map_or(QdiscConfig::Droptail(fifo), |queue| queue.config().clone())
    }

    /// Words of `action police` that follow its kind.
    fn action(&self, line: TcLine) -> TcLine {
        line.rate("rate", self.rate)
            .size("burst", self.burst)
            .size("mtu", (self.peakrate.is_some() || self.mtu != Self::default().mtu).then_some(self.mtu))
            .rate("peakrate", self.peakrate)
            .size("overhead", (self.overhead > Bytes::ZERO).then_some(self.overhead))
    }

    /// The commands that set it up at a device's ingress.
    fn commands(&self) -> Option<Vec<String>> {
        let exceeding = match self.exceed {
            Exceed::Drop => "conform-exceed drop/ok",
            Exceed::Mark => "conform-exceed pipe/ok action skbmod ecn",
        };
        let action = self.action(TcLine::new("police")).into_parts().0;
        let mut commands = vec![
            "# DEV: the device at which the packets arrive".into(),
            "tc qdisc replace dev DEV clsact".into(),
            format!(
                "tc filter replace dev DEV ingress protocol all prio 1 matchall action {action} {exceeding}"
            ),
        ];
        if let Some(queue) = &self.queue {
            let inner = queue.tc_words()?;
            commands.push("# OUT: the device at which they leave".into());
            commands.push(format!("tc qdisc replace dev OUT root {inner}"));
        }
        Some(commands)
    }
}

impl Discipline for PoliceConfig {
    const ABOUT: About = About {
        family: "shaper",
        summary: "A token bucket without a queue: drops what exceeds a rate, and delays nothing.",
        citation: "Linux act_police; RFC 2475 §2.3.3.3",
        ecn: "marks instead of dropping with `exceed = \"mark\"`",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["police"];
    type Queue<P: Packet> = Police<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.peakrate.is_some_and(|peak| peak < self.rate) {
            return Err(("peakrate", format!("must be at least `rate`, which is {}", self.rate)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Police<P> {
        Police {
            queue: Box::new(LeafQueue::new(&self.inner(), link)),
            buckets: TokenBuckets::new(
                TokenBucket::in_ticks(self.rate, self.burst),
                self.peakrate.map(|rate| TokenBucket::new(rate, self.mtu)),
            ),
            seen: Instant::ZERO,
            mtu: self.mtu,
            overhead: self.overhead,
            mark: self.exceed == Exceed::Mark,
        }
    }

    fn host_rules(&self) -> Option<HostRules> {
        self.queue.as_ref()?.config().host_rules()
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::default();
        let (mut rate, mut burst) = (false, false);
        let mut exceed = None;
        while let Some(word) = words.next_word() {
            match word {
                "rate" => (config.rate, rate) = (words.rate()?, true),
                "burst" | "buffer" | "maxburst" => (config.burst, burst) = (words.size()?, true),
                "peakrate" => config.peakrate = Some(words.rate()?),
                "mtu" | "minburst" => config.mtu = words.size()?,
                "overhead" => config.overhead = words.size()?,
                "conform-exceed" | "action" => exceed = read_exceed(words, exceed)?,
                "drop" | "shot" => exceed = Some(Exceed::Drop),
                "mark" => exceed = Some(Exceed::Mark),
                // Words of the filter and of what tc prints, which say where it stands.
                "flowid" | "classid" | "index" | "ref" | "bind" | "mpu" | "linklayer" => {
                    words.next_word();
                }
                // Number of the action, as tc prints it.
                _ if word.starts_with("0x") => {}
                _ => return Err(words.unknown(&KNOWN)),
            }
        }
        config.exceed = exceed.unwrap_or(Exceed::Drop);
        if exceed.is_none() {
            words.note(
                "says no fate of what exceeds the rate: taken as `drop`; tc's own default reclassifies",
            );
        }
        match (rate, burst) {
            (false, _) => Err(words.error("police needs rate, as in \"rate 10mbit\"")),
            (_, false) => Err(words.error("police needs burst, as in \"burst 64kb\"")),
            _ => Ok(config),
        }
    }

    fn explicit(&self, link: &LinkView) -> Self {
        Self { queue: self.queue.as_ref().map(|queue| queue.explicit(link)), ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        let exceed = if self.exceed == Exceed::Mark { "mark" } else { "drop" };
        Some(self.action(TcLine::new("police")).flag(exceed, true).commands(self.commands()?))
    }

    fn shaping(&self) -> Shaping {
        let inner = self.queue.as_ref().map_or(Shaping::None, |queue| queue.config().shaping());
        if self.exceed == Exceed::Drop { inner.at_most(self.rate) } else { inner }
    }
}

/// Words that a line may have.
const KNOWN: [&str; 13] = [
    "rate",
    "burst",
    "buffer",
    "maxburst",
    "mtu",
    "minburst",
    "peakrate",
    "overhead",
    "conform-exceed",
    "action",
    "drop",
    "mark",
    "flowid",
];

/// Fate of exceeding packets as `conform-exceed EXCEED[/CONFORM]` says it; `action` alone is printed by tc, or begins the action
/// `skbmod ecn` to which exceeding packets go.
fn read_exceed(words: &mut TcWords<'_>, before: Option<Exceed>) -> Result<Option<Exceed>, TcError> {
    let word = words.next_word().unwrap_or_default();
    match word.split('/').next().unwrap_or_default() {
        "drop" | "shot" => Ok(Some(Exceed::Drop)),
        "pipe" | "reclassify" => Ok(before),
        "skbmod" => match words.next_word() {
            Some("ecn") => Ok(Some(Exceed::Mark)),
            _ => Err(words.error("only `skbmod ecn`, which marks, follows a policer here")),
        },
        _ => Err(words.error(format!(
            "{word:?} lets exceeding packets go, which is no policer; expected drop, or `pipe/ok action skbmod ecn`"
        ))),
    }
}

/// The discipline. What waits is in a box, since it may be any discipline, this one among them.
#[derive(Debug)]
pub struct Police<P: Packet> {
    queue: Box<LeafQueue<P>>,
    buckets: TokenBuckets,
    /// When it was last asked for anything.
    seen: Instant,
    mtu: Bytes,
    overhead: Bytes,
    mark: bool,
}

/// Not inlined: the inner discipline is dispatched as this one is, and what is inlined into itself only grows.
impl<P: Packet> QueueDiscipline<P> for Police<P> {
    #[inline(never)]
    fn enqueue(&mut self, mut packet: P, cx: &mut Cx<'_, P>) {
        self.seen = cx.now;
        let size = packet.size();
        if size <= self.mtu && self.buckets.take(size + self.overhead, cx.now).is_ok() {
            self.queue.enqueue(packet, cx);
            return;
        }
        match fate(Verdict::Signal, self.mark, packet.ecn()) {
            Fate::Mark { fresh } => {
                if fresh {
                    packet.set_ce();
                    cx.sink.marked(&packet, cx.now);
                }
                self.queue.enqueue(packet, cx);
            }
            Fate::Admit | Fate::Drop => cx.sink.dropped(packet, DropReason::Policed, cx.now),
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        self.seen = cx.now;
        self.queue.dequeue(cx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.queue.poll_timeout()
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.queue.handle_timeout(cx);
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
