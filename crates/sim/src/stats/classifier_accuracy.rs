//! Flags that queues' classifiers set on flows and clear again. Results compare them with the roles in the scenario.

use crate::ground::scope::{PerScope, Scope};
use crate::packet::envelope::Envelope;
use crate::packet::spoofing::SpoofedSource;
use std::collections::BTreeMap;
use tailrace_core::{Duration, FlowKey, Instant};
use tailrace_net::LinkId;

/// Addressing of a flow, by which classifiers name it.
pub(crate) struct ClassifiedFlow<'a> {
    pub(crate) client: &'a Envelope,
    pub(crate) protocol: u8,
    pub(crate) spoofed: Option<&'a SpoofedSource>,
}

/// Flags of all queues so far.
#[derive(Debug, Default)]
pub(crate) struct ClassifierAccuracy {
    /// Flows by their key without the client's port, and by the keys of coarser classifiers. Built at the first flag,
    /// since most runs have no classifier.
    index: BTreeMap<FlowKey, Vec<usize>>,
    histories: BTreeMap<(LinkId, usize), FlagHistory>,
}

/// Flags that one queue has set on one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlagHistory {
    /// First flag of the run.
    pub(crate) first: Option<Instant>,
    /// Start of the present flag.
    since: Option<Instant>,
    pub(crate) scopes: PerScope<FlagCounts>,
}

/// Flags of a flow in a scope.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlagCounts {
    /// Whether the flow was flagged at any time.
    pub(crate) flagged: bool,
    /// Flags cleared, and their total duration from first to last.
    pub(crate) cleared: u32,
    pub(crate) lasted: Duration,
    /// Flags set after an earlier one was cleared.
    pub(crate) again: u32,
}

impl ClassifierAccuracy {
    /// Records that a queue flagged or cleared the flows with this key; returns those flows.
    pub(crate) fn record<'a>(
        &mut self,
        (link, key, flagged): (LinkId, FlowKey, bool),
        at: Instant,
        flows: impl Iterator<Item = ClassifiedFlow<'a>>,
    ) -> &[usize] {
        if self.index.is_empty() {
            self.index = index(flows);
        }
        let found = find(&self.index, key);
        for flow in found {
            let history = self.histories.entry((link, *flow)).or_default();
            if flagged { history.flag(at) } else { history.clear(at) }
        }
        found
    }

    /// Adds the present keys of flows, whose addresses may have changed; earlier keys stay valid.
    pub(crate) fn add_keys<'a>(&mut self, flows: impl Iterator<Item = ClassifiedFlow<'a>>) {
        for (key, found) in index(flows) {
            let known = self.index.entry(key).or_default();
            known.extend(found);
            known.sort_unstable();
            known.dedup();
        }
    }

    /// Starts a window: present flags count, and later ones.
    pub(crate) fn begin(&mut self, scope: Scope) {
        for history in self.histories.values_mut() {
            history.scopes[scope] = FlagCounts { flagged: history.since.is_some(), ..FlagCounts::default() };
        }
    }

    /// Flags that a queue has set on a flow.
    pub(crate) fn history(&self, link: LinkId, flow: usize) -> FlagHistory {
        self.histories.get(&(link, flow)).copied().unwrap_or_default()
    }
}

impl FlagHistory {
    fn flag(&mut self, at: Instant) {
        let again = u32::from(self.since.is_none() && self.first.is_some());
        self.first.get_or_insert(at);
        self.since.get_or_insert(at);
        for scope in Scope::BOTH {
            self.scopes[scope].again += again;
            self.scopes[scope].flagged = true;
        }
    }

    fn clear(&mut self, at: Instant) {
        let Some(since) = self.since.take() else { return };
        for scope in Scope::BOTH {
            self.scopes[scope].cleared += 1;
            self.scopes[scope].lasted += at - since;
        }
    }
}

/// Flows by every key with which a classifier may name them.
fn index<'a>(flows: impl Iterator<Item = ClassifiedFlow<'a>>) -> BTreeMap<FlowKey, Vec<usize>> {
    let mut index: BTreeMap<FlowKey, Vec<usize>> = BTreeMap::new();
    for (i, ClassifiedFlow { client, protocol, spoofed }) in flows.enumerate() {
        let dst = client.destination.0;
        let to = FlowKey { dst, ..FlowKey::default() };
        index.entry(to).or_default().push(i);
        // A key with a spoofed address names the flow that uses it.
        let spoofed = spoofed.into_iter().flat_map(SpoofedSource::pool);
        for src in std::iter::once(client.source).chain(spoofed).map(|address| address.0) {
            let five = FlowKey { src, dst, src_port: 0, dst_port: client.destination_port, protocol };
            let pair = FlowKey { src, dst, ..FlowKey::default() };
            for key in [five, pair, FlowKey { dst: 0, ..pair }] {
                index.entry(key).or_default().push(i);
            }
        }
    }
    index
}

/// Flows with a key: of packets from the client, from the server, or of all packets between two addresses.
fn find(index: &BTreeMap<FlowKey, Vec<usize>>, key: FlowKey) -> &[usize] {
    let forward = FlowKey { src_port: 0, ..key };
    let backward =
        FlowKey { src: key.dst, dst: key.src, src_port: 0, dst_port: key.src_port, protocol: key.protocol };
    let found = [forward, backward].into_iter().find_map(|k| index.get(&k));
    found.map_or(&[], Vec::as_slice)
}
