//! CAKE: Common Applications Kept Enhanced.
//!
//! Høiland-Jørgensen, Täht, Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways",
//! LANMAN 2018 (arXiv 1804.07617); Linux `sch_cake.c`; tc-cake(8). CAKE combines four mechanisms. A shaper without
//! bursts moves the bottleneck to the place where the queue is managed. Tins, chosen by DiffServ codepoint, have
//! priority up to a share of the rate. Within a tin, flows take turns, with equal shares for each host first. And each
//! flow has a COBALT of its own.
//!
//! Details taken from Linux: queues are searched in sets of eight (`ways`). The quantum of a flow is that of its tin
//! divided by the number of bulk flows of its busier host (`tin`). A delay that four packets of the largest size
//! explain is not too long; with `ingress`, neither is one that two packets of each bulk flow explain. A packet that
//! leaves its queue empty may be marked but not dropped. A queue that was never used before signals at its second late
//! packet, not after an interval, because its count starts at zero. If the rate is unlimited, tins take turns by
//! weight.
//!
//! Differences from Linux: memory is counted as Linux does, by the size of the kernel's buffers (`truesize`: 2304 bytes
//! for a full packet), but for segments as if they came from another machine, not from a TCP on the same one. Sizes are
//! those of IP packets, and `overhead` is always what the link adds to them; Linux counts an Ethernet header if no
//! overhead is given (`raw`), which is `overhead = "14 B"` here. The shaper knows its link only from these parameters:
//! neither the `overhead` of a link in the scenario nor a fault that changes its rate affects it. The differences of
//! COBALT are those of [`cobalt`](super::cobalt). An acknowledgment removed by the filter is counted as
//! `ack_filtered`, Linux's `ack_drop`, and is no drop; Linux also adds it to the drops of the whole discipline. There is no segmentation offload, whose packets would be split, and no firewall mark, which could choose
//! the tin.
//!
//! With many flows a host, a turn gives a flow a small part of a packet, and Linux adds a whole number of bytes in each,
//! the fraction by chance. Here a flow that needs more than eight turns leaves the rounds. It comes back in the one in which
//! it may send, and then gets what its hosts have left each of their flows meanwhile, with the fraction by chance once. So
//! it has the same share, and its packets come as far apart, with less chance in it. Only if its hosts' flows become fewer
//! while it is away may it come back some rounds later than in Linux; what it earned meanwhile is not lost.

mod ack_filter;
mod hosts;
mod overflow;
mod queue;
mod rounds;
mod shaper;
mod tc;
mod tin;
mod tins;
mod ways;

#[cfg(test)]
mod tests;

pub use self::ack_filter::AckFilter;
pub use self::hosts::FlowMode;
pub use self::queue::Cake;
pub use self::shaper::LinkLayer;
pub use self::tins::Diffserv;

use self::shaper::{Framing, Pace};
use self::tin::Share;
use super::cobalt::{CobaltConfig, Rule, nanos};
use crate::discipline::LinkView;
use crate::registry::{About, Discipline, Invalid, Shaping};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Duration, Packet, Rate};

tailrace_core::parameters! {
    /// Parameters of `cake`.
    pub struct CakeConfig {
        /// The rate at which CAKE's shaper sends. If it is too small, part of the link is unused; if it is too large,
        /// packets wait in another queue that CAKE does not control. `"auto"` is unlimited: the link's own rate
        /// holds.
        bandwidth: Option<Rate> = None, "Linux sch_cake (unlimited)";
        /// Whether the shaper follows the rate at which packets arrive, at 15/16 of its peaks. This is for a queue
        /// behind a bottleneck whose rate changes. It starts at `bandwidth`.
        autorate_ingress: bool = false, "Linux sch_cake";
        /// Whether the bottleneck lies before this queue. Dropped packets then count as sent, since they have already
        /// used the bottleneck. Where the queue is in front of its own bottleneck, this wastes rate.
        ingress: bool = false, "Linux sch_cake (egress)";
        /// Mapping of DiffServ codepoints to priority classes, which CAKE calls tins.
        diffserv: Diffserv = Diffserv::Diffserv3, "Linux sch_cake";
        /// Definition of a flow, and whether the rate is first shared equally among hosts.
        flow_mode: FlowMode = FlowMode::TripleIsolate, "Linux sch_cake";
        /// Whether the DiffServ codepoint of all packets is set to zero after they were sorted.
        wash: bool = false, "Linux sch_cake (nowash)";
        /// Whether TCP acknowledgments are dropped that newer ones make needless. `aggressive` saves more of a slow
        /// upward link, but leaves the sender fewer ACKs to time its packets by.
        ack_filter: AckFilter = AckFilter::Off, "Linux sch_cake (no-ack-filter)";
        /// The longest usual round-trip time, which is the interval of the COBALT law in each flow's queue. If it is
        /// too small, short bursts lose packets; if it is too large, the law reacts late.
        rtt: Duration = Duration::from_millis(100), "Linux sch_cake (internet)", in "2 us"..="1000 s": "the times between drops or marks are fractions of it, and each takes computing time | a law so slow would never act";
        /// The waiting time in the queue that is acceptable: while packets wait no longer, none is dropped or marked.
        /// If it is too small, the link has nothing to send at times; if it is too large, packets always wait.
        /// `"auto"` is a twentieth of `rtt`. If the largest packet of a tin takes longer than two thirds of it, the
        /// tin has one and a half times that packet's time.
        target: Option<Duration> = None, "Linux sch_cake (5 ms)", in "1 us"..="1000 s": "every packet would be late | no packet would be late";
        /// Number of bytes that the link below adds to each packet. If it is too small, packets wait in that link's
        /// own queue; if it is too large, rate is wasted.
        overhead: Bytes = Bytes::ZERO, "Linux sch_cake (raw)";
        /// The smallest number of bytes that a packet takes on the link below, overhead included. If it is too small,
        /// packets wait there; if it is too large, rate is wasted.
        mpu: Bytes = Bytes::ZERO, "Linux sch_cake";
        /// Whether the link below cuts packets into cells (ATM) or encodes them (PTM), which adds bytes.
        link_layer: LinkLayer = LinkLayer::Plain, "Linux sch_cake (noatm)";
        /// The size of the largest packet. Several times follow from it; if it is too small, slow links drop packets
        /// without need.
        mtu: Bytes = Bytes(1514), "Linux: Ethernet's";
        /// Memory that waiting packets may take. A full packet counts as 2304 bytes, as in Linux. If it is too small,
        /// packets are dropped for want of room instead of by the law. `"auto"` is four times what `bandwidth` carries
        /// in an `rtt`, at least 4 MiB and at most 10 240 packets of `mtu`.
        memory_limit: Option<Bytes> = None, "Linux sch_cake";
    }
}

/// Most overhead and smallest packet that tc takes.
const MOST_FRAMING: Bytes = Bytes(256);

impl Discipline for CakeConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "A shaper with classes by DiffServ codepoint, fair shares for hosts and flows, and COBALT in each queue.",
        citation: "Høiland-Jørgensen et al., LANMAN 2018; Linux sch_cake",
        ecn: "COBALT's schedule marks instead of dropping; BLUE drops all alike",
        per_flow_state: "a queue of 1024 in each tin, a deficit and COBALT's variables; bulk flows of each host",
    };
    const TC_KINDS: &'static [&'static str] = &["cake"];
    type Queue<P: Packet> = Cake<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if self.bandwidth == Some(Rate::from_bps(0)) {
            return Err(("bandwidth", "nothing could ever be sent; \"auto\" is unlimited".into()));
        }
        for (name, bytes) in [("overhead", self.overhead), ("mpu", self.mpu)] {
            if bytes > MOST_FRAMING {
                return Err((name, format!("{bytes} is too large; at most {MOST_FRAMING} makes sense")));
            }
        }
        if self.mtu == Bytes::ZERO {
            return Err(("mtu", "no packet is that small".into()));
        }
        if self.memory_limit == Some(Bytes::ZERO) {
            return Err(("memory_limit", "no packet could ever wait; the limit must be larger".into()));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Cake<P> {
        Cake::new(self)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        tc::read(words)
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        // A rate that follows the traffic takes the limit along.
        let limit = (!self.autorate_ingress).then(|| Bytes(self.byte_limit(self.byte_rate())));
        Self { target: Some(self.acceptable()), memory_limit: self.memory_limit.or(limit), ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        Some(tc::write(self))
    }

    fn shaping(&self) -> Shaping {
        match self.bandwidth {
            // `bandwidth` is then only where the rate begins.
            _ if self.autorate_ingress => Shaping::Unknown,
            Some(rate) => Shaping::At(rate),
            None => Shaping::None,
        }
    }
}

impl CakeConfig {
    /// The shaper's rate in bytes a second; zero is unlimited.
    fn byte_rate(&self) -> u64 {
        self.bandwidth.map_or(0, |rate| (rate.as_bps() / 8).max(Pace::LEAST))
    }

    fn framing(&self) -> Framing {
        Framing { overhead: self.overhead.get(), mpu: self.mpu.get(), link_layer: self.link_layer }
    }

    /// COBALT's target before the rate has its say; tc counts it in whole microseconds.
    fn acceptable(&self) -> Duration {
        self.target.unwrap_or(Duration::from_micros((self.rtt.as_micros() / 20).max(1)))
    }

    /// Values that follow from a tin's rate in bytes a second.
    fn share(&self, rate: u64) -> Share {
        let mtu_time = Pace::new(rate).time_of(self.mtu.get());
        let asked = nanos(self.acceptable());
        let target = asked.max((mtu_time / 2).saturating_mul(3));
        let interval = nanos(self.rtt).saturating_add(target - asked).max(target.saturating_mul(2));
        let cobalt = CobaltConfig {
            target: Duration::from_nanos(target as u64),
            interval: Duration::from_nanos(interval as u64),
            blue_threshold: None,
            ..CobaltConfig::default()
        };
        let flow_quantum = if rate == 0 { 1514 } else { (rate >> 12).clamp(300, 1514) as u32 };
        Share { rule: Rule::new(&cobalt), mtu_time, flow_quantum }
    }

    /// Most bytes that may wait at `rate` bytes a second.
    fn byte_limit(&self, rate: u64) -> u64 {
        if let Some(limit) = self.memory_limit {
            return limit.get();
        }
        let most = self.mtu.get().saturating_mul(10_240);
        if rate == 0 {
            return most;
        }
        let in_rtt = u128::from(rate) * u128::from(self.rtt.as_nanos()) / 1_000_000_000;
        u64::try_from(4 * in_rtt).unwrap_or(u64::MAX).max(4 << 20).min(most)
    }
}
