//! Advice on times: what comes too late, and what is too short.

use crate::advice::adviser::Adviser;
use crate::advice::paths::Paths;
use crate::model::{DurationDist, Window};
use crate::text::codes::Code;
use tailrace_core::Duration;

/// Statistics over less than this many round trips say little.
const MIN_ROUND_TRIPS: u64 = 20;

/// Flows that come when the run is over.
pub(super) fn check_ends(a: &Adviser<'_>) {
    let end = a.scenario.duration;
    for (i, group) in a.scenario.flows.iter().enumerate() {
        let first = match group.start {
            DurationDist::Constant(start) => Some(start),
            _ => None,
        };
        if let Some(start) = group.starts.iter().copied().max().or(first)
            && start >= end
        {
            let message = format!("flow {} starts at {start}, when the run is over", group.name);
            let help = "it will never send: let it start earlier, or lengthen `duration`";
            a.warn(Code::AfterTheEnd, a.flow_origin(i), message, help);
        }
    }
}

/// Statistics over few round trips: of the whole run, or of its shortest window.
pub(super) fn check_round_trips(a: &Adviser<'_>, paths: &Paths) {
    let measured = a.scenario.duration.saturating_sub(a.scenario.warmup);
    let longest = paths.round_trips.iter().enumerate().max_by_key(|(_, rtt)| **rtt);
    let Some((group, rtt)) = longest else { return };
    let name = &a.scenario.flows[group].name;
    let few = |measured: Duration| rtt.saturating_mul(MIN_ROUND_TRIPS) > measured;
    if few(measured) {
        let message =
            format!("statistics cover {measured}, less than {MIN_ROUND_TRIPS} round trips of flow {name}");
        let help =
            format!("its round trip takes {rtt} without queues; lengthen `duration` or shorten `warmup`");
        return a.warn(Code::FewRoundTrips, a.flow_origin(group), message, &help);
    }
    let lasts = |window: &Window| window.end - window.start;
    let windows = a.scenario.windows.iter().zip(&a.draft.windows);
    if let Some((window, decl)) = windows.min_by_key(|(window, _)| lasts(window)).filter(|w| few(lasts(w.0)))
    {
        let (lasts, window) = (lasts(window), &window.name);
        let message =
            format!("window {window} lasts {lasts}, less than {MIN_ROUND_TRIPS} round trips of flow {name}");
        let help =
            format!("its round trip takes {rtt} without queues; let the window begin earlier or end later");
        a.warn(Code::FewRoundTrips, decl.name.origin, message, &help);
    }
}
