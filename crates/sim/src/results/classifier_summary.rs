//! Accuracy of queues' classifiers: flags of flows, compared with the roles in the scenario.

use crate::ground::keys::keys;
use crate::ground::scope::Scope;
use crate::host::flow::Flow;
use crate::stats::classifier_accuracy::ClassifierAccuracy;
use std::collections::BTreeMap;
use tailrace_core::{Duration, Instant};
use tailrace_net::LinkId;

keys! {
    /// Flags of a classifier, compared with the scenario's roles.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct ClassifierSummary {
        /// Attack flows that were flagged (correct).
        true_positive: u64, "flows";
        /// Normal flows that were flagged (wrong).
        false_positive: u64, "flows";
        /// Attack flows that were never flagged (wrong).
        false_negative: u64, "flows";
        /// Normal flows that were never flagged (correct).
        true_negative: u64, "flows";
        /// The mean time from the start of an attack flow to its first flag; null if none was flagged.
        detection_s: Option<f64>, "s";
        /// The mean time that a flag lasted, over flags that were cleared; null if none was.
        rehabilitation_s: Option<f64>, "s";
        /// The same for each group of flows. Left out for disciplines that flag no flows.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        groups: BTreeMap<String, GroupClassification>, "";
    }
}

keys! {
    /// Flags of a classifier on the flows of a group.
    #[derive(Clone, Debug, Default)]
    pub(crate) struct GroupClassification {
        /// Flows that were flagged at any time: correct for attack flows, wrong for others.
        flagged: u64, "flows";
        /// The mean time from a flow's start to its first flag; null if none was flagged.
        first_flag_s: Option<f64>, "s";
        /// Number of flags that were cleared.
        cleared: u64, "";
        /// The mean time that these flags lasted; null if none was cleared.
        rehabilitation_s: Option<f64>, "s";
        /// Number of flags that hit a flow again after its flag had been cleared.
        flagged_again: u64, "";
    }
}

/// Number and total duration of events.
#[derive(Clone, Copy, Debug, Default)]
struct DurationSum(u32, Duration);

impl DurationSum {
    fn add(&mut self, count: u32, lasted: Duration) {
        self.0 += count;
        self.1 += lasted;
    }

    fn mean_s(self) -> Option<f64> {
        (self.0 > 0).then(|| self.1.as_secs_f64() / f64::from(self.0))
    }
}

/// Flags on the flows of a group.
#[derive(Clone, Copy, Debug, Default)]
struct GroupFlags {
    flagged: u64,
    first: DurationSum,
    cleared: DurationSum,
    again: u64,
}

/// Accuracy of the classifier at `link` in a scope. `groups` are the names of the flows' groups, and whether each is an attack.
/// First flags count from `from` on.
pub(crate) fn evaluate(
    flags: &ClassifierAccuracy,
    (link, scope, from): (LinkId, Scope, Instant),
    flows: &[Flow],
    groups: &[(&str, bool)],
) -> ClassifierSummary {
    let mut summary = ClassifierSummary::default();
    let mut each = vec![GroupFlags::default(); groups.len()];
    let (mut detections, mut clearings) = (DurationSum::default(), DurationSum::default());
    for (i, flow) in flows.iter().enumerate() {
        let history = flags.history(link, i);
        let counts = history.scopes[scope];
        let is_attack = groups[flow.group as usize].1;
        let own = &mut each[flow.group as usize];
        *match (is_attack, counts.flagged) {
            (true, true) => &mut summary.true_positive,
            (true, false) => &mut summary.false_negative,
            (false, true) => &mut summary.false_positive,
            (false, false) => &mut summary.true_negative,
        } += 1;
        own.flagged += u64::from(counts.flagged);
        own.again += u64::from(counts.again);
        if let Some(first) = history.first.filter(|first| *first >= from) {
            own.first.add(1, first.saturating_since(flow.start));
            if is_attack {
                detections.add(1, first.saturating_since(flow.start));
            }
        }
        own.cleared.add(counts.cleared, counts.lasted);
        clearings.add(counts.cleared, counts.lasted);
    }
    summary.detection_s = detections.mean_s();
    summary.rehabilitation_s = clearings.mean_s();
    let names = groups.iter().map(|(name, _)| (*name).into());
    summary.groups = names.zip(each.iter().map(GroupFlags::summary)).collect();
    summary
}

impl GroupFlags {
    fn summary(&self) -> GroupClassification {
        GroupClassification {
            flagged: self.flagged,
            first_flag_s: self.first.mean_s(),
            cleared: u64::from(self.cleared.0),
            rehabilitation_s: self.cleared.mean_s(),
            flagged_again: self.again,
        }
    }
}
