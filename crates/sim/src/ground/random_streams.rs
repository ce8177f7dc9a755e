//! Random streams of link directions.

use tailrace_core::Rng;
use tailrace_net::LinkId;
use tailrace_scenario::model::Scenario;

/// Name of the random stream of a link direction's schedule.
pub(crate) const SCHEDULE: &str = "schedule";

/// Random stream of one part of a link direction. Its name contains the link, so that other links do not shift it.
pub(crate) fn link_stream(scenario: &Scenario, seed: u64, way: LinkId, what: &str) -> Rng {
    let link = &scenario.links[way.0 as usize / 2].name;
    let direction = if way.0.is_multiple_of(2) { "forward" } else { "backward" };
    Rng::named(seed, &format!("link/{link}/{direction}/{what}"))
}
