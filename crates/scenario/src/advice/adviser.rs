//! Advice: scenarios that run but probably do not show what is meant.

use crate::advice::outages;
use crate::advice::paths::{Direction, Paths, Windows, is_periodic};
use crate::advice::roles;
use crate::declarations::distribution as dist;
use crate::declarations::draft::Draft;
use crate::declarations::flow::{payload, route_len};
use crate::declarations::link::LinkDecl;
use crate::model::{App, DurationDist, FlowGroup, LinkSpec, Loss, Scenario, Transport};
use crate::text::diagnostic::{Severity, Sink};
use crate::text::document::Origin;
use std::collections::BTreeMap;
use tailrace_core::params::Value;
use tailrace_core::text::Quantity as _;
use tailrace_core::{Bytes, Duration, Limit, Rate};
use tailrace_qdisc::QdiscConfig;
use tailrace_transport::Profile;

/// Beyond so many flows their paths are not followed one by one.
const MAX_FLOWS: usize = 200_000;

/// Statistics over less than this many round trips say little.
const MIN_ROUND_TRIPS: u64 = 20;

/// Warns about what probably is not meant. `firsts` holds the first link of each declaration.
pub(crate) fn advise(scenario: &Scenario, draft: &Draft, firsts: &[usize], sink: &Sink<'_>) {
    let a = Adviser { scenario, draft, firsts, sink };
    draft.links.iter().for_each(|decl| a.check_units(decl));
    a.check_forms();
    a.check_times();
    a.check_randomness();
    if scenario.flows.iter().map(|f| f.pairs.len()).sum::<usize>() > MAX_FLOWS {
        return;
    }
    roles::advise(&a);
    outages::advise(&a);
    let paths = Paths::new(scenario);
    a.check_bottlenecks(&paths);
    a.check_windows(&paths);
    a.check_round_trips(&paths);
    for (i, group) in scenario.flows.iter().enumerate() {
        a.check_mtu(i, group, &paths);
        a.check_flood(i, group, &paths);
        a.check_subflows(i, group, &paths);
    }
}

pub(crate) struct Adviser<'a> {
    pub(crate) scenario: &'a Scenario,
    draft: &'a Draft,
    firsts: &'a [usize],
    sink: &'a Sink<'a>,
}

impl Adviser<'_> {
    pub(crate) fn warn(&self, origin: Origin, message: String, help: &str) {
        self.sink.push(self.sink.at(Severity::Warning, origin, message).help(help));
    }

    pub(crate) fn flow_origin(&self, group: usize) -> Origin {
        self.draft.flows[group].name.origin
    }

    pub(crate) fn fault_origin(&self, fault: usize) -> Origin {
        self.draft.faults[fault].at.origin
    }

    /// The declaration that made a link.
    fn decl(&self, link: usize) -> &LinkDecl {
        &self.draft.links[self.decl_index(link)]
    }

    pub(crate) fn decl_index(&self, link: usize) -> usize {
        self.firsts.partition_point(|first| *first <= link) - 1
    }

    fn check_units(&self, decl: &LinkDecl) {
        let name = decl.shown();
        for spec in std::iter::once(&decl.forward).chain(&decl.backward) {
            let delay = dist::mean(&spec.delay);
            if spec.rate < Rate::from_bps(1_000) || spec.rate > Rate::from_bps(1_000_000_000_000) {
                let message = format!("link {name} has a rate of {}", spec.rate);
                self.warn(decl.origin.0, message, "is the unit what you mean?");
            }
            if delay > Duration::from_secs(10) {
                let message = format!("link {name} has a delay of {}", dist::shown(&spec.delay));
                self.warn(decl.origin.0, message, "is the unit what you mean?");
            }
            if decl.observed {
                self.check_limit(decl, spec);
            }
        }
    }

    /// Queues whose form nobody chose, beside flows that are Linux's.
    fn check_forms(&self) {
        if !self.draft.flows.iter().any(|f| f.profile == Some(Profile::Linux)) {
            return;
        }
        for decl in self.draft.links.iter().filter(|decl| decl.queue_written && !decl.form_written.0) {
            let queue = &decl.forward.queue;
            let Some(form) = queue.form().filter(|form| *form != "linux") else { continue };
            if queue.forms().iter().any(|choice| choice.word == "linux") {
                let kind = queue.name();
                let message = format!(
                    "the {kind} of link {} has the form {form:?}, its flows are Linux's",
                    decl.shown()
                );
                let help = "choose with form = \"linux\" in the queue, or queue_form = \"linux\" for all; or write the form down";
                self.warn(decl.queue_origin.0, message, help);
            }
        }
    }

    /// A limit of less than two packets, or of more than ten seconds of the link.
    fn check_limit(&self, decl: &LinkDecl, spec: &LinkSpec) {
        let Some(limit) = limit_of(&spec.queue) else { return };
        let bytes = match limit {
            Limit::Packets(n) => u128::from(n) * u128::from(spec.mtu.get()),
            Limit::Bytes(b) => u128::from(b.get()),
        };
        if bytes < 2 * u128::from(spec.mtu.get()) {
            let message = format!("the queue of link {} holds {limit}, less than two packets", decl.shown());
            self.warn(decl.queue_origin.0, message, "bursts of even two packets are lost");
        }
        if bytes * 8 > u128::from(spec.rate.as_bps()) * 10 {
            let message =
                format!("the queue of link {} holds {limit}, more than 10 s at {}", decl.shown(), spec.rate);
            self.warn(decl.queue_origin.0, message, "is the unit what you mean?");
        }
    }

    fn check_times(&self) {
        let end = self.scenario.duration;
        for (i, group) in self.scenario.flows.iter().enumerate() {
            let first = match group.start {
                DurationDist::Constant(start) => Some(start),
                _ => None,
            };
            if let Some(start) = group.starts.iter().copied().max().or(first)
                && start >= end
            {
                let message = format!("flow {} starts at {start}, when the run is over", group.name);
                self.warn(self.flow_origin(i), message, "the run lasts as long as `duration` says");
            }
        }
        for (fault, decl) in self.scenario.faults.iter().zip(&self.draft.faults) {
            if fault.at >= end {
                let message = format!("the fault at {} comes when the run is over", fault.at);
                self.warn(decl.at.origin, message, "the run lasts as long as `duration` says");
            }
        }
    }

    /// Several runs of a scenario without anything random are the same run.
    fn check_randomness(&self) {
        let s = self.scenario;
        let dull_link = |spec: &LinkSpec| {
            dist::is_constant(&spec.delay)
                && spec.jitter.is_none()
                && matches!(spec.loss, Loss::None | Loss::Periodic(_))
                && spec.queue.plain_fifo().is_some()
        };
        let dull_flow =
            |f: &FlowGroup| (dist::is_constant(&f.start) || !f.starts.is_empty()) && !is_random(&f.app);
        let links = self.draft.links.iter();
        let mut specs = links.flat_map(|l| std::iter::once(&l.forward).chain(&l.backward));
        if s.runs > 1 && specs.all(dull_link) && s.flows.iter().all(dull_flow) {
            let message = format!("nothing is random: the {} runs will be the same", s.runs);
            let help = "draw the flows' starts, as in start = \"uniform(0 s, 1 s)\", or set runs = 1";
            self.warn(Origin::Scenario, message, help);
        }
    }

    /// A queue under study that nothing can fill.
    fn check_bottlenecks(&self, paths: &Paths) {
        for (i, decl) in self.draft.links.iter().enumerate().filter(|(_, decl)| decl.observed) {
            let links = self.firsts[i]..self.firsts.get(i + 1).copied().unwrap_or(self.scenario.links.len());
            let loads: Vec<_> = links.flat_map(|l| paths.loads(l)).collect();
            let name = decl.shown();
            if loads.is_empty() {
                let message = format!("no flow crosses link {name}, whose queue is given");
                self.warn(decl.queue_origin.0, message, "results will show an empty queue");
                continue;
            }
            let full = loads.iter().any(|load| load.offered > u128::from(load.rate.as_bps()));
            if full || roles::labels(&decl.forward.queue) {
                continue;
            }
            let most = loads.iter().max_by_key(|load| load.offered).expect("there are some");
            let offered = u64::try_from(most.offered).unwrap_or(u64::MAX);
            let message = format!("link {name} is not a bottleneck, so its queue stays empty");
            let by = most.limited_by.map_or_else(
                || "the flows offer".to_string(),
                |l| format!("slower links such as {} let", self.scenario.links[l].name),
            );
            let help = format!("{by} at most {} reach its {}", Rate::from_bps(offered), most.rate);
            self.warn(decl.queue_origin.0, message, &help);
        }
    }

    /// TCP flows whose windows together cannot fill the slowest link of their path; once a declaration of links
    /// and a flow group, with the link that is worst off.
    fn check_windows(&self, paths: &Paths) {
        let mut short: BTreeMap<(usize, usize), Vec<&Windows>> = BTreeMap::new();
        for w in paths.windows.iter().filter(|w| w.bytes < w.bdp) {
            short.entry((w.group, self.decl_index(w.link))).or_default().push(w);
        }
        for ((group, decl), windows) in short {
            // Cross-multiplied: the least share of its bandwidth-delay product.
            let lesser = |a: &&&Windows, b: &&&Windows| {
                a.bytes.saturating_mul(b.bdp).cmp(&b.bytes.saturating_mul(a.bdp))
            };
            let worst = windows.iter().min_by(lesser).expect("a group has a member");
            let link = &self.scenario.links[worst.link].name;
            let (what, at) = match windows.len() {
                1 => (format!("link {link} cannot fill it"), "they sum".to_string()),
                n => {
                    let name = self.draft.links[decl].shown();
                    (format!("{n} links of {name} cannot fill them"), format!("worst over {link}: they sum"))
                }
            };
            let help = format!(
                "{at} to {} bytes, but the bandwidth-delay product is {} bytes; raise `window` or `receive_buffer`",
                worst.bytes, worst.bdp
            );
            self.warn(self.flow_origin(group), format!("the windows of the TCP flows over {what}"), &help);
        }
    }

    fn check_round_trips(&self, paths: &Paths) {
        let measured = self.scenario.duration.saturating_sub(self.scenario.warmup);
        let longest = paths.round_trips.iter().enumerate().max_by_key(|(_, rtt)| **rtt);
        if let Some((group, rtt)) = longest
            && rtt.saturating_mul(MIN_ROUND_TRIPS) > measured
        {
            let name = &self.scenario.flows[group].name;
            let message = format!(
                "statistics cover {measured}, less than {MIN_ROUND_TRIPS} round trips of flow {name}"
            );
            let help =
                format!("its round trip takes {rtt} without queues; lengthen `duration` or shorten `warmup`");
            self.warn(self.flow_origin(group), message, &help);
        }
    }

    /// Packets that a link of their path drops for their size.
    fn check_mtu(&self, i: usize, group: &FlowGroup, paths: &Paths) {
        let size = match &group.transport {
            Transport::Udp { header, .. } => payload(&group.app).unwrap_or_default().get() + header.get(),
            Transport::Mptcp { plan, header } => {
                // Beside TCP's, a mapping and a data-level acknowledgment; a source route in IP's.
                let real = if plan.tcp.timestamps { 72 } else { 60 };
                plan.tcp.mss.get() + header.map_or(real, Bytes::get) + route_len(&plan.path_manager)
            }
            Transport::Tcp { config, header, .. } => {
                // IPv4 and TCP headers, and the timestamps option with its padding (RFC 7323 appendix A).
                let real = if config.timestamps { 52 } else { 40 };
                config.mss.get() + header.map_or(real, Bytes::get)
            }
        };
        let Some(link) = paths.narrowest[i].filter(|l| self.scenario.links[*l].forward.mtu.get() < size)
        else {
            return;
        };
        let (name, mtu) = (&self.scenario.links[link].name, self.scenario.links[link].forward.mtu);
        let message = format!("packets of flow {} have {size} bytes, link {name} carries {mtu}", group.name);
        let help =
            format!("they are dropped; set `mtu` of link {} or smaller packets", self.decl(link).shown());
        self.warn(self.flow_origin(i), message, &help);
    }

    /// Multipath TCP that can never have a second subflow.
    fn check_subflows(&self, i: usize, group: &FlowGroup, paths: &Paths) {
        let Transport::Mptcp { plan, .. } = &group.transport else { return };
        let name = &group.name;
        let manager = &plan.path_manager;
        let (meshes, by) = (manager.opens_paths(), manager.name());
        let ports = "path_manager = { kind = \"ndiffports\", num_subflows = 2 }";
        let (message, help) = if plan.mptcp.max_subflows == 1 {
            (
                format!("flow {name} may have one subflow only (max_subflows)"),
                "raise max_subflows, or use transport kind = \"tcp\"".to_string(),
            )
        } else if let Some(remedy) = manager
            .first_address_only()
            .filter(|_| meshes && paths.ways[i] > 1 && paths.ways_to_first[i] == 1)
        {
            let message = format!(
                "path manager {by} joins flow {name} at one address of its server, which one path leads to: it \
                 opens no second subflow"
            );
            (message, remedy.to_string())
        } else if manager.subflows() > 1 || (meshes && paths.ways[i] > 1) {
            return;
        } else if meshes {
            (
                format!("flow {name} has one path only, so path manager {by} opens no second subflow"),
                format!(
                    "a host has an address for each of its links: give one a second [[link]], or use {ports}"
                ),
            )
        } else {
            (
                format!("flow {name} has one subflow only: path manager {by} opens no second as it is set"),
                format!("use path_manager = \"fullmesh\", or {ports}"),
            )
        };
        self.warn(self.flow_origin(i), message, &help);
    }

    /// Strictly periodic packets at a drop-tail link's rate take every free place in its queue.
    fn check_flood(&self, i: usize, group: &FlowGroup, paths: &Paths) {
        if !is_periodic(&group.app) {
            return;
        }
        let locked = paths.directions(i).find(|d: &Direction| {
            let spec = d.spec(self.scenario);
            let offered = paths.offered(i, *d);
            spec.queue.plain_fifo().is_some()
                && offered >= u128::from(spec.rate.as_bps())
                && paths.shared(i, *d)
        });
        if let Some(d) = locked {
            let link = &self.scenario.links[d.link].name;
            let message =
                format!("flow {} without jitter can lock other flows out of link {link}", group.name);
            let help = "a periodic flood at a drop-tail link's rate takes every free place (phase effect); \
                        try app.jitter = 0.1";
            self.warn(self.flow_origin(i), message, help);
        }
    }
}

fn limit_of(queue: &QdiscConfig) -> Option<Limit> {
    match queue.get("limit")? {
        Value::Text(text) => Limit::parse(&text).ok(),
        _ => None,
    }
}

fn is_random(app: &App) -> bool {
    match app {
        App::Poisson { .. } => true,
        App::Cbr { jitter, random_phase, .. } => jitter.get() > 0.0 || *random_phase,
        App::OnOff { on, off, .. } => !(dist::is_constant(on) && dist::is_constant(off)),
        App::RequestResponse { think: pause, .. } | App::Sequence { gap: pause, .. } => {
            !dist::is_constant(pause)
        }
        App::Bulk | App::Transfer { .. } | App::Schedule { .. } | App::Pulse { .. } => false,
    }
}
