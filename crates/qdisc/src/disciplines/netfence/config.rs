//! Parameters of NetFence.

use super::Netfence;
use super::feedback::{MOST_LEVEL, MOST_VALIDITY};
use crate::discipline::LinkView;
use crate::host_rules::HostRules;
use crate::registry::{About, Discipline, Invalid};
use crate::sets::MOST_KEYS;
use crate::tc::{TcError, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability, Rate};

tailrace_core::choices! {
    /// Role of a NetFence router.
    pub enum NetfenceRole {
        /// It limits senders as an access router does, and is then the bottleneck.
        Both = "both",
        /// It limits senders: it stands before them, on their own links or on the access router's uplink.
        Access = "access",
        /// It has the three channels and writes feedback into packets.
        Bottleneck = "bottleneck",
    }
}

tailrace_core::parameters! {
    /// Parameters of `netfence`.
    pub struct NetfenceConfig {
        /// Whether this queue limits senders, is a bottleneck that says when they must be limited, or both. Limiting
        /// needs a bottleneck further along the path. A bottleneck needs all its senders limited; packets of others
        /// are treated as legacy traffic.
        role: NetfenceRole = NetfenceRole::Both, "own choice: a single queue does all";
        /// The most that may wait in limiters and channels together. If it is too small, packets are lost that the
        /// channels would hold. `"auto"`: 10 000 packets, which only bounds memory, since limiters and channels have
        /// limits of their own.
        limit: Option<Limit> = None, "own choice";
        /// Interval at which limiters change their rates (the control interval). If it is too small, feedback does not
        /// come back in time; if it is too large, they react late.
        interval: Duration = Duration::from_secs(2), "Liu et al. 2010, I_lim", in "1 ms"..="1000 h": "so rare an update follows nothing | each update takes computing time";
        /// For how long feedback is valid, up to 5 s. If it is too small, senders have to ask anew by requests; if it
        /// is too large, outdated feedback counts.
        validity: Duration = Duration::from_secs(4), "Liu et al. 2010, w";
        /// The rate of a new limiter. If it is too small, senders need minutes to reach their share; if it is too
        /// large, floods get in for a long time.
        initial_rate: Rate = Rate::from_bps(96_000), "recalled; the paper leaves it to the implementation";
        /// The smallest rate of a limiter. If it is too small, a sender that was silent for long cannot come back.
        min_rate: Rate = Rate::from_bps(1_000), "own choice";
        /// By how much the rate of a limiter rises in a control interval. If it is too small, senders reach their
        /// share late; if it is too large, rates swing up and down.
        increase: Rate = Rate::from_bps(12_000), "Liu et al. 2010, Delta";
        /// By which share the rate of a limiter falls in a control interval. If it is too large, part of the link is
        /// unused after each overload.
        decrease: Probability = Probability::clamped(0.1), "Liu et al. 2010, delta";
        /// Backlog that a limiter may hold, as the time it takes at the limiter's rate; two packets may always wait.
        /// If it is too small, TCP loses many packets in a row.
        limiter_queue: Duration = Duration::from_millis(200), "as Q_lim", in "0 s"..="1000 s": "packets wait as long";
        /// Largest number of limiters, one for each sender and link; rounded up to a power of two. Beyond that, of
        /// four limiters the one unused for longest is forgotten; if all are in use, packets are dropped.
        limiters: u32 = 16_384, "own choice";
        /// For how many senders requests are counted at most; rounded up to a power of two. Beyond that, of four the
        /// one unused for longest is forgotten.
        senders: u32 = 16_384, "own choice";
        /// The time in which a sender earns a token, which pays for a request of level 1. If it is too small, senders
        /// can flood the link with requests.
        token_interval: Duration = Duration::from_millis(1), "Liu et al. 2010, l_1", in "1 us"..="1000 s": "each time takes computing time | tokens would come all at once";
        /// The highest level of a request, which costs 2^(level-1) tokens; at most 13. With more levels, a sender
        /// that waits longer goes before others.
        max_level: u8 = 10, "own choice: half a second of waiting";
        /// The largest share of the link that requests get. If it is too small, new senders wait; if it is too large,
        /// a flood of requests gets that share.
        request_share: Probability = Probability::clamped(0.05), "Liu et al. 2010";
        /// The length of each channel's queue, as the time it takes on the link. If it is too small, packets are
        /// lost; if it is too large, they wait long.
        q_lim: Duration = Duration::from_millis(200), "Liu et al. 2010, Q_lim", in "1 ms"..="1000 s": "a queue so short is always full | no packet waits as long";
        /// The lower threshold of RED on the regular channel, as a share of the channel's length; from here on the
        /// link counts as overloaded.
        min_th: Probability = Probability::clamped(0.5), "Liu et al. 2010";
        /// The upper threshold of RED on the regular channel, as a share of the channel's length.
        max_th: Probability = Probability::clamped(0.75), "Liu et al. 2010";
        /// The probability with which RED drops a packet at the upper threshold.
        max_p: Probability = Probability::clamped(0.1), "ns-2 linterm_ = 10";
        /// The weight of the newest queue length in RED's average, from 0 to 1. If it is too small, an overload is
        /// noticed late; if it is too large, short bursts count as overload.
        weight: Probability = Probability::clamped(0.1), "Liu et al. 2010, w_q";
        /// The loss rate of the regular channel from which the link asks for senders to be limited. If it is too
        /// small, any TCP causes that; if it is too large, floods are let through.
        loss_threshold: Probability = Probability::clamped(0.02), "Liu et al. 2010, p_th";
        /// The weight of the newest second in the average loss rate, from 0 to 1. If it is too small, a loss is
        /// noticed late; if it is too large, a single bad second is enough.
        loss_weight: Probability = Probability::clamped(0.5), "own choice";
        /// For how long all must be quiet before a link no longer asks for limits, and a limiter that was not told to
        /// slow down is forgotten.
        quiet: Duration = Duration::from_secs(4 * 3600), "Liu et al. 2010, T_a and T_b";
        /// Whether RED marks ECN-capable packets instead of dropping them. Feedback to the access router does not
        /// depend on this.
        ecn: bool = false, "Liu et al. 2010 drop";
    }
}

impl Discipline for NetfenceConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Bottlenecks write feedback into packets; access routers limit senders by the feedback that comes back.",
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
