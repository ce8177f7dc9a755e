//! Declaration of a group of flows.

use super::gateways;
use crate::declarations::names::Selector;
use crate::model::{AppConfig, DurationDist, Pattern, Ports, Role, Spoof, Transport};
use crate::text::document::Node;
use crate::text::place::{At, Ignored, Origin};
use tailrace_app::AttackConfig;
use tailrace_core::{Dscp, Duration};
use tailrace_transport::Profile;

/// A `[[flow]]` or `[[attack]]` as written, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlowDecl {
    pub(crate) origin: Ignored<Origin>,
    pub(crate) name: At<String>,
    pub(crate) from: At<Selector>,
    pub(crate) to: At<Selector>,
    pub(crate) pattern: Pattern,
    /// Whether there are these flows at all.
    pub(crate) enabled: bool,
    pub(crate) role: Role,
    pub(crate) dscp: Dscp,
    pub(crate) ports: Ports,
    pub(crate) transport: Transport,
    /// Routers that subflows go through.
    pub(crate) gateways: gateways::Lists,
    /// Where the parameters of its path manager stand.
    pub(crate) path_manager: Ignored<Origins>,
    /// Profile whose defaults a TCP endpoint started from.
    pub(crate) profile: Option<Profile>,
    pub(crate) app: AppConfig,
    pub(crate) app_origin: Ignored<Origin>,
    /// Kind of attack, which an attack has in place of an application.
    pub(crate) attack: Option<AttackConfig>,
    /// Source addresses that are not the senders'.
    pub(crate) spoof: Option<Spoof>,
    pub(crate) start: DurationDist,
    /// The start of each flow by itself; may be empty.
    pub(crate) starts: At<Vec<Duration>>,
    pub(crate) stop: Option<Duration>,
    pub(crate) withholds_feedback: bool,
}

/// Where the keys of a table were written.
#[derive(Clone, Debug)]
pub(crate) struct Origins {
    keys: Vec<(String, Origin)>,
    otherwise: Origin,
}

impl Origins {
    /// Origins of the path manager's values in a transport.
    pub(super) fn of_path_manager(transport: &Node) -> Self {
        let node = transport.as_table().and_then(|t| t.get("path_manager"));
        let table = node.and_then(Node::as_table).map_or(&[][..], |t| &t.entries);
        Self {
            keys: table.iter().map(|(key, value)| (key.value.clone(), value.origin)).collect(),
            otherwise: node.map_or(transport.origin, |n| n.origin),
        }
    }

    /// Where the value of `key` stands; that of the whole if it does not stand anywhere.
    pub(crate) fn origin_of(&self, key: &str) -> Origin {
        self.keys.iter().find(|(k, _)| k == key).map_or(self.otherwise, |(_, origin)| *origin)
    }
}
