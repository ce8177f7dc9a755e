//! Parameters of NetFence.

use super::Netfence;
use super::feedback::{HostRules, MOST_LEVEL, MOST_VALIDITY};
use crate::discipline::LinkView;
use crate::registry::{About, Discipline, Invalid};
use crate::sets::MOST_KEYS;
use crate::tc::{TcError, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability, Rate};

tailrace_core::choices! {
    /// What a NetFence router does.
    pub enum NetfenceRole {
        /// First polices as an access router does, then is the bottleneck.
        Both = "both",
        /// Polices senders: in front of them, on their own links or on the access router's uplink.
        Access = "access",
        /// Has the three channels, and stamps.
        Bottleneck = "bottleneck",
    }
}

tailrace_core::parameters! {
    /// Parameters of `netfence`.
    pub struct NetfenceConfig {
        /// Whether this queue polices senders, or is a bottleneck that says when, or both. Policing needs a bottleneck
        /// further on, and a bottleneck needs all its senders policed: others are legacy.
        role: NetfenceRole = NetfenceRole::Both, "own choice: a single queue does all";
        /// Most that may wait, in limiters and channels together. Too small: packets are lost that the channels would hold.
        /// `"auto"`: 10 000 packets, which only bounds memory, since channels and limiters have bounds of their own.
        limit: Option<Limit> = None, "own choice";
        /// Control interval of limiters. Too small: feedback does not come back in time. Too large: slow.
        interval: Duration = Duration::from_secs(2), "Liu et al. 2010, I_lim", in "1 ms"..="1000 h": "each tick is an event";
        /// How long feedback is valid, up to 5 s. Too small: senders fall back to requests. Too large: stale feedback.
        validity: Duration = Duration::from_secs(4), "Liu et al. 2010, w";
        /// Rate of a new limiter. Too small: senders need minutes to reach their share. Too large: floods get in so long.
        initial_rate: Rate = Rate::from_bps(96_000), "recalled; the paper leaves it to the implementation";
        /// Least rate of a limiter. Too small: who is silent for long does not come back.
        min_rate: Rate = Rate::from_bps(1_000), "own choice";
        /// What a limiter gains in a control interval. Too small: slow. Too large: oscillation.
        increase: Rate = Rate::from_bps(12_000), "Liu et al. 2010, Delta";
        /// Share that it loses. Too large: the link idles after each overload.
        decrease: Probability = Probability::clamped(0.1), "Liu et al. 2010, delta";
        /// Most that waits in a limiter, as time at its rate; two packets may always. Too small: TCP loses in bursts.
        limiter_queue: Duration = Duration::from_millis(200), "as Q_lim", in "0 s"..="1000 s": "packets wait as long";
        /// Most limiters, rounded up to a power of two: one for each sender and link. Beyond it the longest unused of four
        /// is forgotten; where none is unused, packets are dropped.
        limiters: u32 = 16_384, "own choice";
        /// Most senders whose requests are counted, rounded up to a power of two; likewise.
        senders: u32 = 16_384, "own choice";
        /// Time in which a sender earns a token: one request of level 1. Too small: floods of requests.
        token_interval: Duration = Duration::from_millis(1), "Liu et al. 2010, l_1", in "1 us"..="1000 s": "tokens are counted in it";
        /// Highest level of a request, which costs 2^(level-1) tokens; at most 13. Higher: longer waits count.
        max_level: u8 = 10, "own choice: half a second of waiting";
        /// Most of the link that requests get. Too small: new senders wait. Too large: floods of requests get it.
        request_share: Probability = Probability::clamped(0.05), "Liu et al. 2010";
        /// Length of each channel, as time of the link. Too small: losses. Too large: delay.
        q_lim: Duration = Duration::from_millis(200), "Liu et al. 2010, Q_lim", in "1 ms"..="1000 s": "the queue is as long";
        /// RED's lower threshold on the regular channel, as a share of its length; from there the link is overloaded.
        min_th: Probability = Probability::clamped(0.5), "Liu et al. 2010";
        /// RED's upper threshold, likewise.
        max_th: Probability = Probability::clamped(0.75), "Liu et al. 2010";
        /// RED's drop probability at the upper threshold.
        max_p: Probability = Probability::clamped(0.1), "ns-2 linterm_ = 10";
        /// RED's weight of a new sample. Too small: overload is seen late. Too large: bursts count as overload.
        weight: Probability = Probability::clamped(0.1), "Liu et al. 2010, w_q";
        /// Loss of the regular channel from which the link polices. Too small: any TCP makes it. Too large: floods are let be.
        loss_threshold: Probability = Probability::clamped(0.02), "Liu et al. 2010, p_th";
        /// Weight of a second in the average loss. Too small: late. Too large: one bad second counts.
        loss_weight: Probability = Probability::clamped(0.5), "own choice";
        /// Silence after which a link stops policing, and a limiter without downward arrows is forgotten.
        quiet: Duration = Duration::from_secs(4 * 3600), "Liu et al. 2010, T_a and T_b";
        /// Mark ECN-capable packets where RED would drop them. Feedback does not depend on it.
        ecn: bool = false, "Liu et al. 2010 drop";
    }
}

impl Discipline for NetfenceConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Bottlenecks stamp congestion into packets; access routers police senders by what comes back.",
        citation: "Liu, Yang and Xia, SIGCOMM 2010",
        ecn: "with `ecn` RED marks on the regular channel; limiters and full channels drop",
        per_flow_state: "access: a limiter for each sender and link, tokens for each sender, bounded; bottleneck: none",
    };
    const CLASSIFIES: bool = true;
    const TC_KINDS: &'static [&'static str] = &["netfence"];
    type Queue<P: Packet> = Netfence<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Some(Limit::Packets(0) | Limit::Bytes(Bytes(0)))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if self.validity > MOST_VALIDITY {
            return Err(("validity", format!("must be at most {MOST_VALIDITY}, is {}", self.validity)));
        }
        let rates = [("initial_rate", self.initial_rate), ("min_rate", self.min_rate)];
        if let Some((name, rate)) = rates.into_iter().find(|(_, rate)| rate.as_bps() == 0) {
            return Err((name, format!("must be more than zero, is {rate}")));
        }
        if !(1..=MOST_LEVEL).contains(&self.max_level) {
            return Err(("max_level", format!("must be 1 to {MOST_LEVEL}, is {}", self.max_level)));
        }
        if self.request_share.get() == 0.0 {
            return Err(("request_share", "nobody could ever send a first packet".into()));
        }
        if self.min_th.get() >= self.max_th.get() {
            return Err(("max_th", format!("must be above min_th, which is {}", self.min_th.get())));
        }
        for (name, n) in [("limiters", self.limiters), ("senders", self.senders)] {
            if !(4..=MOST_KEYS).contains(&n) {
                return Err((name, format!("must be from 4 to {MOST_KEYS}, is {n}")));
            }
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Netfence<P> {
        Netfence::new(self, link)
    }

    fn host_rules(&self) -> Option<HostRules> {
        Some(HostRules { interval: self.interval, validity: self.validity })
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::default();
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Some(Limit::Packets(words.count()?)),
                "both" => config.role = NetfenceRole::Both,
                "access" => config.role = NetfenceRole::Access,
                "bottleneck" => config.role = NetfenceRole::Bottleneck,
                "ecn" => config.ecn = true,
                "noecn" => config.ecn = false,
                _ => return Err(words.unknown(&["limit", "both", "access", "bottleneck", "ecn", "noecn"])),
            }
        }
        Ok(config)
    }
}
