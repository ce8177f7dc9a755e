//! Progress of flows at the end of a run: time of the last delivery, and what a flow waits for that ought to send and delivers
//! nothing.
//!
//! All of it follows from the state at the end and from counters that are kept anyway.

use crate::foreign::hosts::StackScope;
use crate::ground::activity::Activity;
use crate::host::endpoint::Endpoint;
use crate::host::flow::{DatagramFlow, Flow, FlowTransport, StreamFlow};
use crate::host::sockets::Socket;
use crate::results::group_summary::SilentFlows;
use crate::results::transfer_outcomes::transfers;
use crate::results::view::RunView;
use std::ops::Range;
use tailrace_app::{Application as _, TransferCount};
use tailrace_core::{Duration, Instant};
use tailrace_net::{Address, LinkId};
use tailrace_transport::SendState;

/// Share of a flow's time at its end in which a flow that ought to send delivers something.
const LAST_PART: u64 = 3;

/// Progress of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowProgress {
    /// Time of the last delivery; `None` without one.
    pub(crate) last_delivery: Option<Instant>,
    pub(crate) activity: Activity,
    /// Whether it ought to send and was silent: it delivered nothing in the last third of its time, or has stopped for good.
    pub(crate) is_silent: bool,
}

/// Time of a flow, of which the last part counts.
#[derive(Clone, Copy)]
struct FlowTime {
    end: Instant,
    last_part: Duration,
}

impl FlowTime {
    /// From the start of the flow to its stop, or to now.
    fn of(flow: &Flow, now: Instant) -> Self {
        let end = flow.stop.min(now);
        Self { end, last_part: end.saturating_since(flow.start) / LAST_PART }
    }

    /// Whether this happened in the last part, or after it.
    fn has_late(self, at: Option<Instant>) -> bool {
        at.is_some_and(|at| self.end.saturating_since(at) < self.last_part)
    }
}

impl RunView<'_> {
    /// Progress of a flow.
    pub(crate) fn progress(&self, number: usize) -> FlowProgress {
        let (flow, now) = (&self.world.flows[number], self.fabric.now());
        let last_delivery = flow.delivery_gap.last_delivery();
        let time = FlowTime::of(flow, now);
        let delivers = time.has_late(last_delivery);
        if self.world.is_driven_by_foreign_host(number) {
            return FlowProgress { last_delivery, activity: Activity::ForeignStack, is_silent: false };
        }
        let present = match &flow.carrier {
            _ if flow.start >= time.end => Activity::NotStarted,
            FlowTransport::Datagrams(udp) => self.of_datagrams(flow, udp, (time, delivers)),
            FlowTransport::Streams(streams) => self.of_streams(number, streams),
        };
        let goes_on = flow.app.wake != Instant::MAX || now >= flow.stop;
        let for_good = matches!(present, Activity::Broken | Activity::NoSubflow) && !goes_on;
        let is_silent = present.is_reason() && (for_good || !delivers);
        let at_work = present == Activity::InFlight || present.is_reason();
        let activity = if at_work && delivers && !is_silent { Activity::Delivering } else { present };
        FlowProgress { last_delivery, activity, is_silent }
    }

    /// Activity of a connection that is open, by its client's socket.
    pub(crate) fn connection_activity(&self, client: &Socket) -> Activity {
        let server = self.world.sockets.get(client.envelope.peer);
        if [Some(client), server].iter().flatten().any(|s| matches!(s.endpoint, Endpoint::Remote(_))) {
            return if awaits_data(client) { Activity::ForeignStack } else { Activity::ApplicationWaits };
        }
        let state = server.map_or(SendState::Idle, send_state).max(send_state(client));
        let activity = match state {
            SendState::Idle if server.is_some() && self.misses_data(client) => Activity::Unexplained,
            SendState::Idle => return Activity::ApplicationWaits,
            SendState::InFlight => return Activity::InFlight,
            SendState::Connecting => Activity::Handshake,
            SendState::Retransmitting => Activity::Retransmitting,
            SendState::PeerWindow => Activity::PeerWindow,
            SendState::NoSubflow => Activity::NoSubflow,
            SendState::Stalled => Activity::Unexplained,
        };
        let used = self.paths_in_use(client, server);
        let any = |path: Path| used.contains(&path);
        match (any(Path::Open), any(Path::LinkDown), any(Path::NoRoute)) {
            (true, ..) | (false, false, false) => activity,
            (_, true, _) => Activity::LinkDown,
            _ => Activity::NoRoute,
        }
    }

    /// Whether each transfer that was asked for is complete or has failed, which the counts of transfers say.
    fn is_accounted_for(&self, number: usize) -> bool {
        let counts = transfers(self.world, number..number + 1);
        let all_begun = counts.is_some_and(|t| t.not_begun == Some(0) && t.under_way == 0);
        let completed = counts.is_some_and(|t| t.asked.is_some_and(|asked| t.completed >= asked));
        // A player that begins a segment anew has a wake-up for that.
        completed || (all_begun && self.world.flows[number].app.wake == Instant::MAX)
    }

    /// Whether a message is awaited although all that was sent is acknowledged. A reader that takes its time has it in its socket.
    fn misses_data(&self, client: &Socket) -> bool {
        let FlowTransport::Streams(streams) = &self.world.flows[client.end().flow()].carrier else {
            return false;
        };
        client.work.is_some()
            && awaits_data(client)
            && streams.reader.is_none()
            && streams.plan.acknowledges_honestly()
    }

    /// Whether a host of the flow has another stack.
    fn is_foreign(&self, flow: &Flow) -> bool {
        flow.ends.iter().any(|end| self.world.foreign.has(end.source, StackScope::Host))
    }

    /// Silent flows of a group.
    pub(crate) fn silent_flows(&self, flows: Range<usize>) -> SilentFlows {
        let mut all = SilentFlows::default();
        for progress in flows.map(|flow| self.progress(flow)).filter(|progress| progress.is_silent) {
            all.flows += 1;
            all.never += u64::from(progress.last_delivery.is_none());
            all.since_s = all.since_s.min(progress.last_delivery.map_or(f64::NAN, Instant::as_secs_f64));
            *all.reasons.entry(progress.activity.word()).or_default() += 1;
        }
        all
    }

    fn of_datagrams(&self, flow: &Flow, udp: &DatagramFlow, (time, delivers): (FlowTime, bool)) -> Activity {
        let sends = flow.stats.sent_packets > 0 && time.has_late(Some(udp.last_sent));
        if flow.stats.sent_packets > 0 && flow.stats.delivered_bytes == 0 && self.is_foreign(flow) {
            return Activity::ForeignStack;
        }
        if delivers || !sends {
            let over = self.fabric.now() >= flow.stop;
            return match (over, delivers) {
                (true, _) => Activity::Stopped,
                (false, true) => Activity::Delivering,
                (false, false) => Activity::ApplicationWaits,
            };
        }
        let [client, server] = &flow.ends;
        match self.path_between(client.source.0, server.source.0) {
            Path::Open if flow.stats.lost_packets == 0 => Activity::InFlight,
            Path::Open => Activity::Lost,
            Path::LinkDown => Activity::LinkDown,
            Path::NoRoute => Activity::NoRoute,
        }
    }

    fn of_streams(&self, number: usize, streams: &StreamFlow) -> Activity {
        let flow = &self.world.flows[number];
        if self.is_accounted_for(number) {
            return Activity::TransfersOver;
        }
        let open = || self.world.sockets_of(number).filter(|s| !s.end().is_server() && !s.endpoint.is_over());
        let stopped = self.fabric.now() >= flow.stop;
        let waits = flow.app.wake != Instant::MAX && !stopped;
        let present = open().map(|client| self.connection_activity(client)).max();
        match present {
            Some(Activity::ApplicationWaits) | None => {}
            Some(activity) => return activity,
        }
        if streams.end.is_some() && !waits {
            Activity::Broken
        } else if stopped {
            Activity::Stopped
        } else if !waits
            && streams.asked != TransferCount::None
            && !flow.app.app.is_over()
            && streams.plan.acknowledges_honestly()
        {
            Activity::Closing
        } else {
            Activity::ApplicationWaits
        }
    }

    /// Paths that a connection uses, or that its hosts have where it uses none.
    fn paths_in_use(&self, client: &Socket, server: Option<&Socket>) -> Vec<Path> {
        let ends = [Some(client), server];
        let connections: Vec<_> = ends.iter().flatten().filter_map(|s| s.endpoint.as_mptcp()).collect();
        if connections.is_empty() {
            let (here, there) = (client.envelope.source.0, client.envelope.destination.0);
            return vec![self.path_between(here, there)];
        }
        let subflows = connections.iter().flat_map(|c| c.subflows());
        let used: Vec<_> = subflows.map(|s| self.path_between(s.tuple.local, s.tuple.remote)).collect();
        if !used.is_empty() {
            return used;
        }
        let graph = self.fabric.graph();
        let addresses = |address: Address| {
            graph.owner(address).map(|host| graph.addresses(host).collect::<Vec<_>>()).unwrap_or_default()
        };
        let far = addresses(client.envelope.destination);
        let near = addresses(client.envelope.source);
        near.iter().flat_map(|a| far.iter().map(|b| self.path_between(a.0, b.0))).collect()
    }

    /// State of the paths there and back between two addresses.
    fn path_between(&self, here: u32, there: u32) -> Path {
        let way = |from, to| match self.fabric.graph().path(Address(from), Address(to)) {
            Some(links) if links.iter().all(|link| self.fabric.link(*link).is_up()) => Path::Open,
            Some(_) => Path::LinkDown,
            None if self.all_links_are_up() => Path::NoRoute,
            None => Path::LinkDown,
        };
        way(here, there).max(way(there, here))
    }

    fn all_links_are_up(&self) -> bool {
        (0..self.fabric.link_count() as u32).all(|link| self.fabric.link(LinkId(link)).is_up())
    }
}

/// State of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Path {
    Open,
    LinkDown,
    NoRoute,
}

/// Whether the flow of this client's connection has endless data, or a message is under way.
fn awaits_data(client: &Socket) -> bool {
    client.work.as_ref().is_none_or(|work| work.awaited != u64::MAX && work.end.is_none())
}

/// State of the data that an end of a connection has to send.
fn send_state(socket: &Socket) -> SendState {
    match &socket.endpoint {
        Endpoint::Tcp(tcp) => tcp.send_state(),
        Endpoint::Mptcp(connection) => connection.send_state(),
        Endpoint::Remote(_) => SendState::Idle,
    }
}
