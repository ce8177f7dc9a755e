//! Feedback of labels by hosts (NetFence): each end of a flow returns the label of the packets it receives, and presents the
//! label returned to it.
//!
//! Labels and feedback take no bytes of a packet. TCP returns labels with every segment; the receiver of a UDP flow sends an
//! empty packet of [`FEEDBACK_BYTES`] bytes for a datagram if the last one is [`PERIOD`] old. These packets load links and queues
//! like ACKs and are not counted for the flow.
//!
//! Foreign hosts do not know labels: the simulator adds them below their stack to packets of flows, like NetFence's layer between
//! IP and transport. Their other packets have none.

use crate::packet::flow_end::FlowEnd;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use tailrace_core::{Duration, Instant, Label, Packet};
use tailrace_qdisc::disciplines::netfence::{HostFeedback, HostRules};
use tailrace_scenario::Scenario;

/// IPv4 and UDP headers, and 12 bytes of feedback.
pub(crate) const FEEDBACK_BYTES: u32 = 40;

/// Interval of explicit feedback while datagrams arrive: an eighth of the routers' control interval.
const PERIOD: Duration = Duration::from_millis(250);

/// Feedback state of all sockets.
#[derive(Debug)]
pub(crate) struct LabelFeedback {
    rules: HostRules,
    ends: Vec<SocketFeedback>,
}

/// Feedback state of one socket.
#[derive(Clone, Copy, Debug)]
struct SocketFeedback {
    host: HostFeedback,
    withholds: bool,
    /// Earliest time of the next explicit feedback.
    next: Instant,
}

impl LabelFeedback {
    /// Feedback state for a scenario; `None` if no queue uses labels.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let specs = scenario.links.iter().flat_map(|l| [&l.forward, &l.backward]);
        let rules = specs.filter_map(|spec| spec.queue.host_rules()).next()?;
        let end =
            |withholds| SocketFeedback { host: HostFeedback::default(), withholds, next: Instant::ZERO };
        let groups = scenario.flows.iter();
        let ends = groups
            .flat_map(|g| g.pairs.iter().flat_map(|_| [end(false), end(g.withholds_feedback)]))
            .collect();
        Some(Self { rules, ends })
    }

    /// Adds labels to a packet that leaves a socket.
    pub(crate) fn add(&self, from: FlowEnd, pkt: &mut SimPacket, options: &mut OptionsArena, now: Instant) {
        let end = &self.ends[from.index()];
        pkt.set_label(end.host.presents(self.rules, now));
        let returned = end.host.returned();
        if !end.withholds && returned != Label::NONE {
            pkt.set_echo(returned, options);
        }
    }

    /// Takes the labels of a packet that reaches its socket; true if explicit feedback is due now.
    pub(crate) fn take(
        &mut self,
        to: FlowEnd,
        pkt: &SimPacket,
        options: &OptionsArena,
        now: Instant,
    ) -> bool {
        let end = &mut self.ends[to.index()];
        end.host.received(pkt.label());
        end.host.given(pkt.echo(options), now);
        let answers = pkt.is_datagram() && pkt.payload > 0 && !end.withholds && now >= end.next;
        if !answers || end.host.returned() == Label::NONE {
            return false;
        }
        end.next = now + PERIOD;
        true
    }
}
