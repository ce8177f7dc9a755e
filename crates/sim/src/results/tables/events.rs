//! Table of events.

use crate::ground::columns::columns;
use crate::ground::output::Table;
use crate::ground::plan::RunPlan;
use crate::ground::table::TableBuilder;
use crate::host::flow::Flow;
use crate::stats::event_log::LoggedEvent;
use tailrace_net::LinkId;

/// An event with the names for the table.
struct EventRow<'a> {
    run: u32,
    event: LoggedEvent,
    place: &'a str,
    group: &'a str,
    member: u32,
}

columns! {
    "events", "A row for each event, in order of time.", |r: EventRow<'_>| {
        run: U32 = r.run, "", "The number of the run.";
        time_s: F64 = r.event.at.as_secs_f64(), "s", "Time of the event.";
        kind: Text = r.event.kind, "", "Kind of event: `drop`, `mark`, `timeout`, `complete`, `broken`, `fault`; for disciplines that flag flows also `flag` and `clear`, for those that filter ACKs `ack_filtered`.";
        place: Text = r.place, "", "The link and direction, named as under `queues`; empty for events at a host, or at a router without a route.";
        group: Text = r.group, "", "The name of the group (`[[flow]]`); empty if the event concerns none.";
        flow: U32 = r.member, "", "The number of the flow within its group, from 0; also 0 if the event concerns no flow.";
        detail: Text = r.event.detail, "", "For a drop, its reason (as under `queues`; also `no_route`, at a router or host, `corrupted`, at a host, and `time_to_live`, at a router, of a kernel's packet). For a fault: `begins`, `ends`, `turns` when its value changes, `clears` when routes use its link again after a `route_delay`. For a connection that broke: why.";
    }
}

/// Table of events. It is kept during the run, so that the words of its parts have the same positions.
#[derive(Debug)]
pub(crate) struct EventTable(TableBuilder);

impl EventTable {
    /// Table without rows.
    pub(crate) fn new() -> Self {
        Self(new_table())
    }

    /// Table of these events, which follow those of earlier calls.
    pub(crate) fn rows(&mut self, events: &[LoggedEvent], plan: &RunPlan, flows: &[Flow]) -> Table {
        let place = |link: LinkId| plan.places.name(&plan.scenario, link);
        let names = |f: usize| (plan.scenario.flows[flows[f].group as usize].name.clone(), flows[f].member);
        for event in events {
            let place = event.link.map(place).unwrap_or_default();
            let (group, member) = event.flow.map(names).unwrap_or_default();
            add(
                &mut self.0,
                &EventRow { run: plan.run, event: *event, place: &place, group: &group, member },
            );
        }
        self.0.take()
    }
}
