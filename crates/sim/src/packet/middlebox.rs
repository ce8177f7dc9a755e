//! Middleboxes at the far ends of links: they strip MPTCP options or change payload.

use crate::ground::random_streams::link_stream;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use tailrace_core::{Probability, Rng};
use tailrace_net::LinkId;
use tailrace_scenario::Scenario;
use tailrace_scenario::model::{LinkSpec, Strip};

/// Actions on the packets of one link direction.
#[derive(Clone, Debug)]
pub(crate) struct Middlebox {
    strip: Strip,
    rewrite: Probability,
    rng: Rng,
}

impl Middlebox {
    /// Whether a direction has a middlebox.
    pub(crate) fn is_there(spec: &LinkSpec) -> bool {
        spec.strip != Strip::None || spec.rewrite > Probability::ZERO
    }

    /// Middleboxes of all link directions; empty if there is none.
    pub(crate) fn of(scenario: &Scenario, seed: u64) -> Box<[Self]> {
        let ways = scenario.links.iter().flat_map(|l| [&*l.forward, &*l.backward]);
        if !ways.clone().any(Self::is_there) {
            return Box::default();
        }
        let middlebox = |(i, spec): (usize, &LinkSpec)| Self {
            strip: spec.strip,
            rewrite: spec.rewrite,
            rng: link_stream(scenario, seed, LinkId(i as u32), "rewrite"),
        };
        ways.enumerate().map(middlebox).collect()
    }

    /// Applies its actions to a packet.
    pub(crate) fn rewrite(&mut self, pkt: &mut SimPacket, options: &mut OptionsArena) {
        let strips = match self.strip {
            Strip::None => false,
            Strip::Mptcp => true,
            Strip::MptcpSyn => pkt.opens(),
            Strip::MptcpData => !pkt.opens(),
        };
        if strips {
            pkt.strip_mptcp(options);
        }
        let may = pkt.payload > 0 && self.rewrite > Probability::ZERO;
        if may && self.rng.bernoulli(self.rewrite.get()) {
            pkt.alter(options);
        }
    }
}
