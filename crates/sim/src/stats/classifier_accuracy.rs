//! Which flows the queues' classifiers singled out, against the scenario's ground truth.

use crate::ground::scope::{Each, Open};
use crate::host::flow::{Carrier, Flow};
use crate::packet::spoofing::Spoofed;
use crate::results::queue_summary::{Flagged, FlaggedGroup};
use std::collections::BTreeMap;
use tailrace_core::packet::protocol;
use tailrace_core::{Duration, FlowKey, Instant};
use tailrace_net::LinkId;

/// Flags of all queues so far.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// Flows by their key without the client's port, and by what coarser classifiers see. Made with the first flag:
    /// most runs have no classifier.
    index: BTreeMap<FlowKey, Vec<usize>>,
    records: BTreeMap<(LinkId, usize), Record>,
}

/// What one queue thinks of one flow.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    first: Option<Instant>,
    since: Option<Instant>,
    windows: Each<Flags>,
}

/// Flags of a flow in an open window.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    /// Whether one stood at any time.
    stood: bool,
    /// Clearings, and how long those flags had stood, from their beginning on.
    cleared: u32,
    lasted: Duration,
    /// Flags after a clearing, whenever that was.
    again: u32,
}

/// How many there were of something that lasts, and how long all together.
#[derive(Clone, Copy, Debug, Default)]
struct Sum(u32, Duration);

impl Sum {
    fn add(&mut self, count: u32, lasted: Duration) {
        self.0 += count;
        self.1 += lasted;
    }

    fn mean_s(self) -> Option<f64> {
        (self.0 > 0).then(|| self.1.as_secs_f64() / f64::from(self.0))
    }
}

/// What a group's flows have together.
#[derive(Clone, Copy, Debug, Default)]
struct OfGroup {
    flagged: u64,
    first: Sum,
    cleared: Sum,
    again: u64,
}

impl Verdicts {
    /// A queue flagged or cleared whatever has this key; returns the flows concerned.
    pub(crate) fn record(
        &mut self,
        (link, key, flagged): (LinkId, FlowKey, bool),
        at: Instant,
        flows: &[Flow],
    ) -> &[usize] {
        if self.index.is_empty() {
            self.index = index(flows);
        }
        let found = find(&self.index, key);
        for flow in found {
            let record = self.records.entry((link, *flow)).or_default();
            if flagged {
                if record.since.is_none() && record.first.is_some() {
                    Open::BOTH.into_iter().for_each(|open| record.windows[open].again += 1);
                }
                record.first.get_or_insert(at);
                record.since.get_or_insert(at);
                Open::BOTH.into_iter().for_each(|open| record.windows[open].stood = true);
            } else if let Some(since) = record.since.take() {
                for open in Open::BOTH {
                    record.windows[open].cleared += 1;
                    record.windows[open].lasted += at - since;
                }
            }
        }
        found
    }

    /// Flows may have other addresses than before: they are found by both.
    pub(crate) fn learn_names(&mut self, flows: &[Flow]) {
        for (key, found) in index(flows) {
            let known = self.index.entry(key).or_default();
            known.extend(found);
            known.sort_unstable();
            known.dedup();
        }
    }

    /// A window begins: what counts is what stands, and what comes.
    pub(crate) fn begin(&mut self, open: Open) {
        for record in self.records.values_mut() {
            record.windows[open] = Flags { stood: record.since.is_some(), ..Flags::default() };
        }
    }

    /// How a queue judged the flows in an open window; of each group of flows its name, and whether it is an attack in truth.
    /// First flags count from `from` on.
    pub(crate) fn judge(
        &self,
        (link, open, from): (LinkId, Open, Instant),
        flows: &[Flow],
        groups: &[(&str, bool)],
    ) -> Flagged {
        let mut judged = Flagged::default();
        let mut each = vec![OfGroup::default(); groups.len()];
        let (mut detections, mut clearings) = (Sum::default(), Sum::default());
        for (i, flow) in flows.iter().enumerate() {
            let record = self.records.get(&(link, i)).copied().unwrap_or_default();
            let flags = record.windows[open];
            let is_attack = groups[flow.group as usize].1;
            let own = &mut each[flow.group as usize];
            *match (is_attack, flags.stood) {
                (true, true) => &mut judged.true_positive,
                (true, false) => &mut judged.false_negative,
                (false, true) => &mut judged.false_positive,
                (false, false) => &mut judged.true_negative,
            } += 1;
            own.flagged += u64::from(flags.stood);
            own.again += u64::from(flags.again);
            if let Some(first) = record.first.filter(|first| *first >= from) {
                own.first.add(1, first.saturating_since(flow.start));
                if is_attack {
                    detections.add(1, first.saturating_since(flow.start));
                }
            }
            own.cleared.add(flags.cleared, flags.lasted);
            clearings.add(flags.cleared, flags.lasted);
        }
        judged.detection_s = detections.mean_s();
        judged.rehabilitation_s = clearings.mean_s();
        judged.groups =
            groups.iter().map(|(name, _)| (*name).into()).zip(each.iter().map(OfGroup::summary)).collect();
        judged
    }
}

impl OfGroup {
    fn summary(&self) -> FlaggedGroup {
        FlaggedGroup {
            flagged: self.flagged,
            first_flag_s: self.first.mean_s(),
            cleared: u64::from(self.cleared.0),
            rehabilitation_s: self.cleared.mean_s(),
            flagged_again: self.again,
        }
    }
}

/// Each flow under the keys by which a classifier may name it.
fn index(flows: &[Flow]) -> BTreeMap<FlowKey, Vec<usize>> {
    let mut index: BTreeMap<FlowKey, Vec<usize>> = BTreeMap::new();
    for (i, flow) in flows.iter().enumerate() {
        let envelope = &flow.ends[0];
        let protocol = match flow.carrier {
            Carrier::Udp(_) => protocol::UDP,
            Carrier::Tcp(_) => protocol::TCP,
        };
        let dst = envelope.destination.0;
        let to = FlowKey { dst, ..FlowKey::default() };
        index.entry(to).or_default().push(i);
        // Whoever names an address that is spoofed names the flow that hides behind it.
        let spoofed = flow.spoofed().into_iter().flat_map(Spoofed::pool);
        for src in std::iter::once(envelope.source).chain(spoofed).map(|address| address.0) {
            let five = FlowKey { src, dst, src_port: 0, dst_port: envelope.destination_port, protocol };
            let pair = FlowKey { src, dst, ..FlowKey::default() };
            for key in [five, pair, FlowKey { dst: 0, ..pair }] {
                index.entry(key).or_default().push(i);
            }
        }
    }
    index
}

/// The flows that a key names: packets of a flow's client, of its server, or all between two addresses.
fn find(index: &BTreeMap<FlowKey, Vec<usize>>, key: FlowKey) -> &[usize] {
    let forward = FlowKey { src_port: 0, ..key };
    let backward =
        FlowKey { src: key.dst, dst: key.src, src_port: 0, dst_port: key.src_port, protocol: key.protocol };
    let found = [forward, backward].into_iter().find_map(|k| index.get(&k));
    found.map_or(&[], Vec::as_slice)
}
