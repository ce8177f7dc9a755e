//! What hosts do with labels where a queue of the scenario needs it (NetFence): each end of a flow returns the label of
//! what it receives, and presents what was returned to it.
//!
//! Labels and what is returned take no bytes of a packet. TCP returns labels with whatever it sends; the far end of a UDP
//! flow sends a packet of [`FEEDBACK_BYTES`] bytes without payload when a datagram comes and the last such packet is
//! [`PERIOD`] old. Like ACKs, these packets load links and queues and are in no count of the flow's packets.
//!
//! A foreign host knows nothing of labels: that is done below its stack, as NetFence's layer between IP and transport would, for
//! the packets of flows. Others of its packets have none.

use crate::packet::flow_end::FlowEnd;
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use tailrace_core::{Duration, Instant, Label, Packet};
use tailrace_qdisc::disciplines::netfence::{HostFeedback, HostRules};
use tailrace_scenario::Scenario;

/// IPv4 and UDP headers, and 12 bytes of feedback.
pub(crate) const FEEDBACK_BYTES: u32 = 40;

/// Explicit feedback comes so often, while datagrams come: eight times in a control interval of the routers.
const PERIOD: Duration = Duration::from_millis(250);

/// Feedback of all sockets.
#[derive(Debug)]
pub(crate) struct LabelFeedback {
    rules: HostRules,
    ends: Vec<EndFeedback>,
}

/// One socket's.
#[derive(Clone, Copy, Debug)]
struct EndFeedback {
    host: HostFeedback,
    withholds: bool,
    /// When the next explicit feedback may leave.
    next: Instant,
}

impl LabelFeedback {
    /// What the sockets of a scenario need; nothing where no queue asks for it.
    pub(crate) fn of(scenario: &Scenario) -> Option<Self> {
        let specs = scenario.links.iter().flat_map(|l| [&l.forward, &l.backward]);
        let rules = specs.filter_map(|spec| spec.queue.host_rules()).next()?;
        let end = |withholds| EndFeedback { host: HostFeedback::default(), withholds, next: Instant::ZERO };
        let groups = scenario.flows.iter();
        let ends = groups
            .flat_map(|g| g.pairs.iter().flat_map(|_| [end(false), end(g.withholds_feedback)]))
            .collect();
        Some(Self { rules, ends })
    }

    /// A packet leaves a socket.
    pub(crate) fn add(&self, from: FlowEnd, pkt: &mut SimPacket, options: &mut OptionsArena, now: Instant) {
        let end = &self.ends[from.index()];
        pkt.set_label(end.host.presents(self.rules, now));
        let returned = end.host.returned();
        if !end.withholds && returned != Label::NONE {
            pkt.set_echo(returned, options);
        }
    }

    /// A packet reaches its socket. Whether it must be answered now by explicit feedback.
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
