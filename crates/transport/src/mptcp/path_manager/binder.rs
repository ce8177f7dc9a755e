//! Further subflows between the same two addresses, each through gateways of its own by loose source routing (Boccassi,
//! Fayed, Marina: "Binder: a system to aggregate multiple Internet gateways in community networks", 2013;
//! multipath-tcp/mptcp `mptcp_binder.c`): for hosts whose one link leads into a mesh with several ways out.
//!
//! The client opens one subflow a list once the connection is established, and none again that was lost. Departures from
//! the kernel's module: lists are separated by `;` and not by `-`, which names may contain; there may be 31 of up to nine
//! gateways and not ten of six.

use super::{PathAction, PathEvent, PathManager, PathManagerKind};
use crate::mptcp::{MAX_SUBFLOWS, SourceRoute};
use std::collections::VecDeque;
use tailrace_core::params::{Invalid, Kind, ParamType, Value};
use tailrace_core::{Instant, parameters};

parameters! {
    /// Parameters of `binder`.
    pub struct BinderConfig {
        /// Routers that further subflows are sent through, with one list for each subflow: `"g1; g2, g3"` opens one
        /// subflow through `g1`, and one through `g2` and then `g3`. More lists find more ways, but take a larger
        /// share of links that these ways have in common.
        gateways: GatewayLists = GatewayLists::default(), "none; multipath-tcp/mptcp, mptcp_binder_gateways";
    }
}

/// Lists of routers by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GatewayLists(Vec<Vec<String>>);

impl GatewayLists {
    fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let lists = text.split(';').map(|list| list.split(',').map(|name| name.trim().to_owned()).collect());
        let lists: Vec<Vec<String>> = lists.collect();
        if lists.iter().flatten().any(String::is_empty) {
            return Err(format!("{text:?} leaves out a router; write lists as \"g1; g2, g3\""));
        }
        Ok(Self(lists))
    }
}

impl ParamType for GatewayLists {
    const KIND: Kind = Kind::Text;
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) => Self::parse(text),
            other => {
                Err(format!("expected names of routers such as \"g1; g2, g3\", found {}", other.shown()))
            }
        }
    }
    fn to_value(&self) -> Value {
        Value::Text(self.0.iter().map(|list| list.join(", ")).collect::<Vec<_>>().join("; "))
    }
}

/// The path manager `binder`.
#[derive(Clone, Debug)]
pub struct Binder {
    lists: u8,
    actions: VecDeque<PathAction>,
}

impl PathManagerKind for Binder {
    type Config = BinderConfig;
    const SUMMARY: &'static str = "Opens further subflows through given gateways (loose source routing)";
    const CITATION: &'static str =
        "Boccassi, Fayed, Marina 2013; multipath-tcp/mptcp, net/mptcp/mptcp_binder.c";
    const SUBFLOWS_BY: (&'static str, &'static str) = ("gateways", "leave lists out of its gateways");
    fn validate(c: &BinderConfig) -> Result<(), Invalid> {
        let most = SourceRoute::MAX_GATEWAYS;
        if let Some(list) = c.gateways.0.iter().find(|list| list.len() > most) {
            let first = &list[0];
            let why = format!(
                "the list from {first} has {} gateways, an IPv4 header room for {most} (RFC 791); leave some out",
                list.len()
            );
            return Err(("gateways", why));
        }
        Ok(())
    }
    fn subflows(c: &BinderConfig) -> u64 {
        1 + c.gateways.0.len() as u64
    }
    fn source_routes(c: &BinderConfig) -> &[Vec<String>] {
        &c.gateways.0
    }
    fn build(config: &BinderConfig) -> Self {
        Self { lists: config.gateways.0.len().min(MAX_SUBFLOWS) as u8, actions: VecDeque::new() }
    }
}

impl PathManager for Binder {
    fn on_event(&mut self, event: &PathEvent, _now: Instant) {
        match *event {
            PathEvent::Established { client: true } => {
                let connect = |number| PathAction::ConnectThrough { route: SourceRoute { number } };
                self.actions.extend((0..self.lists).map(connect));
            }
            PathEvent::LocalDown { id } => self.actions.push_back(PathAction::Withdraw { local: id }),
            PathEvent::RemoteRemoved { id } => self.actions.push_back(PathAction::Abandon { remote: id }),
            _ => {}
        }
    }
    fn poll_action(&mut self) -> Option<PathAction> {
        self.actions.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tailrace_core::params::{Parameters as _, SetError};

    fn config(gateways: &str) -> Result<BinderConfig, SetError> {
        let mut config = BinderConfig::default();
        config.set("gateways", &Value::Text(gateways.into())).map(|()| config)
    }

    fn actions(client: bool, config: &BinderConfig) -> Vec<PathAction> {
        let mut pm = Binder::build(config);
        pm.on_event(&PathEvent::LocalUp { id: 1 }, Instant::ZERO);
        pm.on_event(&PathEvent::RemoteAdded { id: 1, in_use: false }, Instant::ZERO);
        assert_eq!(pm.poll_action(), None, "not before the connection is established, nor elsewhere");
        pm.on_event(&PathEvent::Established { client }, Instant::ZERO);
        std::iter::from_fn(|| pm.poll_action()).collect()
    }

    #[test]
    fn the_client_opens_a_subflow_for_each_list() {
        let config = config("g1; g[2],g3 ;g1").unwrap();
        let through = |number| PathAction::ConnectThrough { route: SourceRoute { number } };
        assert_eq!(actions(true, &config), [through(0), through(1), through(2)]);
        assert_eq!(actions(false, &config), [], "the server opens none");
        assert_eq!(Binder::subflows(&config), 4);
        assert_eq!(Binder::source_routes(&config)[1], ["g[2]", "g3"]);
        assert_eq!(config.get("gateways"), Some(Value::Text("g1; g[2], g3; g1".into())));
    }

    #[test]
    fn lists_that_cannot_be_are_refused() {
        for text in [";", "g1;", "g1,,g2", ",g1"] {
            let Err(SetError::Invalid(why)) = config(text) else { panic!("{text}") };
            assert!(why.contains("leaves out a router"), "{why}");
        }
        let mut c = BinderConfig::default();
        assert!(matches!(c.set("gateways", &Value::Integer(1)), Err(SetError::Invalid(_))));
        assert_eq!(Binder::validate(&config("a,b,c,d,e,f,g,h,i").unwrap()), Ok(()));
        let (name, why) = Binder::validate(&config("x; a,b,c,d,e,f,g,h,i,j").unwrap()).unwrap_err();
        assert!(name == "gateways" && why.contains("from a has 10 gateways"), "{why}");
    }

    #[test]
    fn the_option_fits_the_header_up_to_the_longest_list() {
        assert_eq!([0, 1, 9].map(SourceRoute::option_len), [0, 8, 40]);
    }
}
