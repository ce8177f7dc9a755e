//! Drops in the event log against the counters: by link and reason, and by flow.

use crate::run::conservation::{FAULTS, QUEUES, TCP, UDP, advance, balance, build};
use std::collections::BTreeMap;
use tailrace_core::{DropReason, Instant};
use tailrace_net::LinkId;

const MPTCP: &str = r#"
[[flow]]
name = "mp"
from = "src[2]"
to = "dst[3]"
transport = { kind = "mptcp", path_manager = { kind = "ndiffports", num_subflows = 3 } }
app = { kind = "sequence", size = "200 kB", gap = "100 ms" }
stop = "20 s"
[record]
events = true
max_events = 10000000
"#;

#[test]
fn event_log_has_each_drop_once_with_link_flow_and_reason() {
    for queue in QUEUES {
        let mut sim = build(&format!("{UDP}{TCP}{FAULTS}{MPTCP}"), queue);
        for step in 1..=40 {
            advance(&mut sim, Instant::from_millis(500 * step));
            balance(&mut sim);
        }
        advance(&mut sim, Instant::from_secs(300));
        assert_eq!(balance(&mut sim), (0, 0), "{queue}");
        let lost: Vec<u64> =
            (0..sim.world.flows.len()).map(|f| sim.world.flow_stats(f).lost_packets).collect();
        let groups: Vec<u32> = sim.world.flows.iter().map(|f| f.group).collect();
        let recorder = std::mem::replace(
            &mut sim.world.recorder,
            crate::stats::recorder::Recorder::new(0, crate::stats::event_log::EventLog::new(0)),
        );
        assert_eq!(recorder.unrecorded_events(), 0);
        let (mut by_link, mut by_flow) = (BTreeMap::new(), vec![0; lost.len()]);
        recorder.into_events().drops(|link, flow, reason| {
            *by_link.entry((link, reason)).or_insert(0) += 1;
            by_flow[flow] += 1;
        });
        for link in 0..sim.fabric.link_count() as u32 {
            let counters = sim.fabric.link(LinkId(link)).counters();
            for reason in DropReason::ALL {
                let told = by_link.remove(&(Some(LinkId(link)), reason.name())).unwrap_or(0);
                assert_eq!(told, counters.dropped[reason as usize], "{queue}: link {link}, {reason:?}");
            }
        }
        assert!(by_link.keys().all(|k| *k == (None, "no_route")), "{queue}: {by_link:?}");
        for (flow, lost) in lost.into_iter().enumerate() {
            // UDP packets are all data; TCP packets only in part.
            let told = by_flow[flow];
            assert!(told == lost || (groups[flow] > 0 && told > lost), "{queue}: flow {flow}, {told} {lost}");
        }
    }
}
