//! Parameters of CSFQ.

use super::Csfq;
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use crate::sets::MOST_KEYS;
use crate::tc::{TcError, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability};

tailrace_core::choices! {
    /// What a CSFQ router does.
    pub enum CsfqRole {
        /// Estimates each flow's rate, labels its packets, and shares the link.
        Edge = "edge",
        /// Shares the link by the labels that an edge has written.
        Core = "core",
    }
}

tailrace_core::parameters! {
    /// Parameters of `csfq`.
    pub struct CsfqConfig {
        /// Whether flows are told apart and labelled here, or upstream. A core without an edge before it drops nothing
        /// but what overflows.
        role: CsfqRole = CsfqRole::Edge, "own choice: a single queue is fair by itself";
        /// Most that may wait. Too small: drops come from overflow, not from the law, and are not fair.
        limit: Limit = Limit::Bytes(Bytes(64_000)), "Stoica et al. 1998 §4";
        /// Averaging time of each flow's rate, K. Below the round trip: bursts are punished. Too large: a flow that grows
        /// fast gets too much meanwhile.
        k: Duration = Duration::from_millis(100), "Stoica et al. 1998 §4", in "1 us"..="1000 h": "rates are averaged over it";
        /// Averaging time of the link's rates, K_alpha. Too small: the share is noisy. Too large: it follows late.
        k_alpha: Duration = Duration::from_millis(200), "Stoica et al. 1998 §4", in "1 us"..="1000 h": "rates are averaged over it";
        /// Length of the window after which the share is updated, K_c. Too small: oscillation. Too large: slow.
        k_c: Duration = Duration::from_millis(200), "as k_alpha; the authors' simulator", in "1 us"..="1000 h": "rates are averaged over it";
        /// Which fields make a flow. Edge only.
        flow: FlowBy = FlowBy::FiveTuple, "Stoica et al. 1998";
        /// Weight of each flow that comes in here. Edge only; matters where flows of several edges meet.
        weight: f64 = 1.0, "Stoica et al. 1998 §2";
        /// What an overflow takes from the share. Too small: drops at a full buffer, which are not fair. Too large: the
        /// link idles.
        overflow_step: Probability = Probability::clamped(0.01), "Stoica et al. 1998 §4, first amendment";
        /// Most that overflows take from the share between two updates.
        overflow_most: Probability = Probability::clamped(0.25), "Stoica et al. 1998 §4, first amendment";
        /// Share of `limit` below which an uncongested link passes everything. Too small: short dips of a queue forget
        /// nothing, new flows are dropped early. Too large: floods are let in anew.
        low_water: Probability = Probability::clamped(0.5), "Stoica et al. 1998 §4, second amendment";
        /// Most flows that an edge knows, rounded up to a power of two. Beyond it the longest silent of four makes room
        /// and starts anew: a flood of spoofed sources gets labels of its first packets.
        flows: u32 = 16_384, "own choice";
        /// Mark ECN-capable packets instead of dropping them. Those who ignore marks then get more than their share.
        ecn: bool = false, "Stoica et al. 1998 drop";
    }
}

impl Discipline for CsfqConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Edges label packets with their flow's rate; cores drop by the label alone, to one fair share.",
        citation: "Stoica, Shenker and Zhang, SIGCOMM 1998; ToN 11(1), 2003",
        ecn: "marks instead of dropping with `ecn`; overflow drops",
        per_flow_state: "edge: rate and time of the last packet, at most `flows`; core: none",
    };
    const TC_KINDS: &'static [&'static str] = &["csfq"];
    type Queue<P: Packet> = Csfq<P>;

    fn validate(&self) -> Result<(), Invalid> {
        if matches!(self.limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            return Err(("limit", "no packet could ever wait; the limit must be larger".into()));
        }
        if !(self.weight >= 1e-6 && self.weight <= 1e6) {
            return Err(("weight", format!("must be from 0.000001 to 1000000, is {}", self.weight)));
        }
        if !(4..=MOST_KEYS).contains(&self.flows) {
            return Err(("flows", format!("must be from 4 to {MOST_KEYS}, is {}", self.flows)));
        }
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Csfq<P> {
        Csfq::new(self, link)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let mut config = Self::default();
        while let Some(word) = words.next_word() {
            match word {
                "limit" => config.limit = Limit::Bytes(words.size()?),
                "edge" => config.role = CsfqRole::Edge,
                "core" => config.role = CsfqRole::Core,
                "ecn" => config.ecn = true,
                "noecn" => config.ecn = false,
                _ => return Err(words.unknown(&["limit", "edge", "core", "ecn", "noecn"])),
            }
        }
        Ok(config)
    }
}
