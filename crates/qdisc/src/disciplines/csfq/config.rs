//! Parameters of CSFQ.

use super::Csfq;
use crate::discipline::LinkView;
use crate::flow_hash::FlowBy;
use crate::registry::{About, Discipline, Invalid};
use crate::sets::MOST_KEYS;
use crate::tc::{TcError, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Packet, Probability};

tailrace_core::choices! {
    /// Role of a CSFQ router.
    pub enum CsfqRole {
        /// It measures each flow's rate, writes it into the flow's packets as a label, and shares the link by it.
        Edge = "edge",
        /// It shares the link by the labels that an edge router has written.
        Core = "core",
    }
}

tailrace_core::parameters! {
    /// Parameters of `csfq`.
    pub struct CsfqConfig {
        /// Whether this queue measures flows and labels their packets, or reads the labels that an edge router before
        /// it has written. A core without an edge before it drops packets only when the queue is full.
        role: CsfqRole = CsfqRole::Edge, "own choice: a single queue is fair by itself";
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law, which is not fair.
        limit: Limit = Limit::Bytes(Bytes(64_000)), "Stoica et al. 1998 §4";
        /// K, the time over which each flow's rate is averaged. If it is shorter than the round-trip time, short
        /// bursts lose packets; if it is too large, a flow that grows fast gets too much in the meantime.
        k: Duration = Duration::from_millis(100), "Stoica et al. 1998 §4", in "1 us"..="1000 h": "a rate needs some time to be averaged over | no run lasts longer";
        /// K_alpha, the time over which the link's own rates are averaged. If it is too small, the fair share varies
        /// too much; if it is too large, the share follows late.
        k_alpha: Duration = Duration::from_millis(200), "Stoica et al. 1998 §4", in "1 us"..="1000 h": "a rate needs some time to be averaged over | no run lasts longer";
        /// K_c, the length of the window after which the fair share is updated. If it is too small, the share swings
        /// up and down; if it is too large, it reacts late.
        k_c: Duration = Duration::from_millis(200), "as k_alpha; the authors' simulator", in "1 us"..="1000 h": "a rate needs some time to be averaged over | no run lasts longer";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. Used at an edge only.
        flow: FlowBy = FlowBy::FiveTuple, "Stoica et al. 1998";
        /// The weight of each flow that enters here; a flow with twice the weight gets twice the share. Used at an
        /// edge only, and matters where flows of several edges meet.
        weight: f64 = 1.0, "Stoica et al. 1998 §2";
        /// By how much the fair share is lowered when the queue overflows, as a share of it. If it is too small,
        /// packets are dropped for want of room, which is not fair; if it is too large, part of the link is unused.
        overflow_step: Probability = Probability::clamped(0.01), "Stoica et al. 1998 §4, first amendment";
        /// By how much overflows may lower the fair share in all between two updates, as a share of it.
        overflow_most: Probability = Probability::clamped(0.25), "Stoica et al. 1998 §4, first amendment";
        /// While the link is not congested and less than this share of `limit` waits, every packet is let in. If it
        /// is too small, packets of new flows are dropped early after each short dip of the queue; if it is too
        /// large, floods get in again.
        low_water: Probability = Probability::clamped(0.5), "Stoica et al. 1998 §4, second amendment";
        /// Largest number of flows that an edge knows at once, rounded up to a power of two. Beyond that, of four
        /// flows the one that has been silent for longest is forgotten and would start anew. In a flood with forged
        /// sources, packets then get the labels of first packets.
        flows: u32 = 16_384, "own choice";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion. Senders that
        /// ignore marks then get more than their share.
        ecn: bool = false, "Stoica et al. 1998 drop";
    }
}

impl Discipline for CsfqConfig {
    const ABOUT: About = About {
        family: "fair",
        summary: "Edge routers write the rate of its flow into each packet; core routers drop by it, so that all flows get the same share.",
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
