//! Advice on bursts of loss that outlast TCP's retransmission timeout.

use crate::advice::adviser::Adviser;
use crate::advice::paths::Paths;
use crate::model::{FlowGroup, Transport};
use crate::text::codes::Code;
use crate::text::place::Origin;
use tailrace_core::Duration;
use tailrace_impair::{LinkCondition, LossBurst, LossConfig};

/// Losses in a row from which TCP stays silent for seven of its timeouts (RFC 6298 (5.5): 1 + 2 + 4).
const LOSSES: f64 = 3.0;

/// States that lose most of a flow's packets for longer than its timeout, on links and by faults; one for each link and fault.
pub(super) fn check(a: &Adviser<'_>, paths: &Paths) {
    let of_links = a.scenario.links.iter().enumerate().flat_map(|(l, link)| {
        [(true, &link.forward.loss), (false, &link.backward.loss)]
            .map(|(forward, loss)| (l, forward, loss.clone(), a.decl(l).origin.0))
    });
    let of_faults = a.scenario.faults.iter().enumerate().flat_map(|(f, fault)| {
        let loss = fault.kind.applied_to(LinkCondition::default()).loss().clone();
        let origin = a.fault_origin(f);
        fault.ways.iter().map(move |way| (way.link.0 as usize, !way.backward, loss.clone(), origin))
    });
    let mut said: Vec<Origin> = Vec::new();
    for (link, forward, loss, origin) in of_links.chain(of_faults) {
        let Some(burst) = loss.burst() else { continue };
        let met = a.scenario.flows.iter().enumerate().find(|(i, group)| {
            paths.directions(*i).any(|d| d.link == link && d.forward == forward)
                && timeout(group).is_some_and(|rto| outlasts(burst, rto))
        });
        let Some((_, group)) = met.filter(|_| !said.contains(&origin)) else { continue };
        said.push(origin);
        warn(a, (link, origin), (&loss, burst), group);
    }
}

/// The shortest retransmission timeout of a flow.
fn timeout(group: &FlowGroup) -> Option<Duration> {
    match &group.transport {
        Transport::Tcp { config, .. } => Some(config.min_rto),
        Transport::Mptcp { plan, .. } => Some(plan.tcp.min_rto),
        Transport::Udp { .. } | Transport::Quic(_) => None,
    }
}

/// Whether a state that loses most of what comes lasts longer than a timeout.
fn outlasts(burst: LossBurst, rto: Duration) -> bool {
    match burst {
        LossBurst::Time { mean, loses } => loses.get() >= 0.5 && mean >= rto,
        LossBurst::Packets { .. } => losses_in_a_row(burst) >= LOSSES,
    }
}

/// Mean number of packets lost in a row by a sender that sends one at each timeout, after a first loss: the state must stay and lose.
fn losses_in_a_row(burst: LossBurst) -> f64 {
    let LossBurst::Packets { leaves, loses } = burst else { return 0.0 };
    let again = (1.0 - leaves.get()) * loses.get();
    if again < 1.0 { 1.0 / (1.0 - again) } else { f64::INFINITY }
}

fn warn(
    a: &Adviser<'_>,
    (link, origin): (usize, Origin),
    (loss, burst): (&LossConfig, LossBurst),
    group: &FlowGroup,
) {
    let (link, flow, kind) = (&a.scenario.links[link].name, &group.name, loss.name());
    let rto = timeout(group).unwrap_or_default();
    let (message, help) = match burst {
        LossBurst::Time { mean, loses } => (
            format!(
                "the bad state of {kind} on link {link} lasts {} on average and loses {:.0} %, longer than flow {flow} waits before \
                 it sends again (min_rto = {rto})",
                mean,
                100.0 * loses.get()
            ),
            "each timeout in it doubles the next one (RFC 6298), so TCP may stay silent as long again when it is over: shorten \
             mean_bad or lower bad, unless outages are what you want to see",
        ),
        LossBurst::Packets { .. } => (
            format!(
                "the bad state of {kind} on link {link} ends with packets alone: after a timeout flow {flow} sends one at a time, and \
                 loses {:.1} in a row on average, each after twice the time before (min_rto = {rto})",
                losses_in_a_row(burst)
            ),
            "the link stays bad for as long as TCP waits, which takes most of the goodput: use kind = \"gilbert_elliott\", whose states \
             last a time, or raise r",
        ),
    };
    a.warn(Code::LongLossBursts, origin, message, help);
}
