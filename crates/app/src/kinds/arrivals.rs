//! Transfers that arrive at their own times: an open loop, as of many users who know nothing of one another. With a `load` they
//! are Poisson arrivals of a rate at which their payload takes that share of a link, as studies of datacentre transport have
//! them (Alizadeh et al., "pFabric", SIGCOMM 2013, §5.1).

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::bounds::{COUNTS, SIZES};
use crate::direction::Direction;
use crate::link_name::LinkName;
use crate::registry::{AppKind, KeyConflict, RequiredTransport, TargetLoad, TransferCount};
use tailrace_core::{Duration, DurationDist, Probability, SizeDist};

tailrace_core::parameters! {
    /// Keys of `arrivals`.
    pub struct ArrivalsConfig {
        /// The size of each transfer; a size or a distribution.
        size: SizeDist, required, within SIZES;
        /// The time from the start of one connection to the start of the next; a duration or a distribution.
        /// `exponential(10 ms)` makes Poisson arrivals with 100 a second on average. `"auto"` follows from `load`.
        gap: Option<DurationDist> = None, "`load`", in "100 us"..="87600 h": "each arrival opens a connection, which takes computing time | no run lasts longer";
        /// State this instead of `gap` for Poisson arrivals. It is the payload of all flows of the group together, as
        /// a share of what the link `of` can carry. Headers and retransmissions come on top of it.
        load: Option<Probability> = None, "`gap`", in "0.0001"..="1": "hardly any transfer would come | more than a link carries never ends; state a `gap`";
        /// The name of the link that `load` is a share of. `"auto"` is the slowest link on the path of each flow. Where a shaper serves the link at less than its rate, that is meant.
        of: Option<LinkName> = None, "own choice";
        /// After how many connections the flow ends. `"auto"`: it goes on until `stop`.
        count: Option<u32> = None, "own choice", within COUNTS;
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Up, "own choice";
    }
}

impl AppKind for ArrivalsConfig {
    const SUMMARY: &'static str = "Transfers that start at given or random times, however many are under way, each on a new connection.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    type App = Arrivals;

    fn build(&self) -> Arrivals {
        Arrivals { config: self.clone(), begun: 0 }
    }
    fn validate(&self) -> Result<(), KeyConflict> {
        match (&self.gap, &self.load, &self.of) {
            (None, None, _) => {
                Err(KeyConflict::Missing("gap", "how often they arrive: `gap`, or `load` of a link".into()))
            }
            (Some(_), Some(_), _) => {
                Err(KeyConflict::Unused("load", "`gap` says how often they arrive".into()))
            }
            (Some(_), None, Some(_)) => {
                Err(KeyConflict::Unused("of", "`gap` says how often they arrive".into()))
            }
            _ => Ok(()),
        }
    }
    fn sender(&self) -> EndpointRole {
        self.direction.sender()
    }
    fn transfers(&self) -> TransferCount {
        TransferCount::of(self.count)
    }
    fn load(&self) -> Option<TargetLoad> {
        let of = self.of.as_ref().map(|link| link.0.clone());
        self.load.map(|share| TargetLoad { share, of, size: self.size.mean() })
    }
    fn set_mean_gap(&mut self, gap: Duration) {
        (self.gap, self.load, self.of) = (Some(DurationDist::Exponential(gap)), None, None);
    }
    fn has_varied_transfers(&self) -> bool {
        !self.size.is_constant()
    }
    fn is_random(&self) -> bool {
        !(self.gap.is_some_and(|gap| gap.is_constant()) && self.size.is_constant())
    }
}

/// The running application.
#[derive(Debug)]
pub struct Arrivals {
    config: ArrivalsConfig,
    begun: u32,
}

impl Application for Arrivals {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        self.begun += 1;
        // A load has become a gap before anything runs.
        if let Some(gap) = self.config.gap
            && self.config.count.is_none_or(|n| self.begun < n)
        {
            let gap = gap.draw(cx.rng()).max(Duration::from_nanos(1));
            cx.wake_at(cx.now().saturating_add(gap));
        }
        let size = self.config.size.draw(cx.rng());
        cx.open_from(self.config.sender(), ConnectionData::Last(size.get()));
    }

    fn on_message(&mut self, _at: EndpointRole, cx: &mut AppContext<'_>) {
        cx.complete();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{AppAction, AppActions};
    use tailrace_core::params::{Parameters as _, Value};
    use tailrace_core::{Instant, Rng};

    fn config(keys: &[(&str, &str)]) -> ArrivalsConfig {
        let mut config = ArrivalsConfig::default();
        for (key, value) in keys {
            config.set(key, &Value::Text((*value).into())).unwrap();
        }
        config
    }

    #[test]
    fn a_load_becomes_poisson_arrivals() {
        let mut config = config(&[("size", "cdf(0 B 0; 2 kB 1)"), ("load", "60 %"), ("of", "bottleneck")]);
        assert_eq!(config.validate(), Ok(()));
        let load =
            TargetLoad { share: Probability::new(0.6).unwrap(), of: Some("bottleneck".into()), size: 1000.0 };
        assert_eq!(config.load(), Some(load));
        config.set_mean_gap(Duration::from_millis(4));
        assert_eq!(
            (config.gap, config.load()),
            (Some(DurationDist::Exponential(Duration::from_millis(4))), None)
        );
    }

    #[test]
    fn gap_or_load_is_required_and_not_both() {
        let misfit =
            |keys: &[(&str, &str)]| config(&[&[("size", "1 kB")], keys].concat()).validate().unwrap_err();
        assert!(matches!(misfit(&[]), KeyConflict::Missing("gap", _)));
        assert!(matches!(misfit(&[("gap", "1 ms"), ("load", "10 %")]), KeyConflict::Unused("load", _)));
        assert!(matches!(misfit(&[("gap", "1 ms"), ("of", "x")]), KeyConflict::Unused("of", _)));
    }

    #[test]
    fn sizes_are_drawn_one_by_one() {
        let (mut app, mut rng) = (config(&[("size", "web_search"), ("gap", "1 ms")]).build(), Rng::new(1));
        let mut sizes: Vec<u64> = (0..100)
            .map(|n| {
                let mut actions = AppActions::default();
                app.on_wake(&mut AppContext::new(Instant::from_millis(n), &mut rng, &mut actions));
                match actions.others().next() {
                    Some(AppAction::Open(ConnectionData::Last(size), _)) => size,
                    other => panic!("{other:?}"),
                }
            })
            .collect();
        sizes.sort_unstable();
        sizes.dedup();
        assert!(sizes.len() > 95 && sizes[sizes.len() - 1] <= 30_000_000, "{sizes:?}");
    }
}
