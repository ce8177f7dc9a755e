//! The resolved scenario as TOML: every default filled in, counts as they were written.

use crate::declarations::declaration::Declaration;
use crate::declarations::flow::tcp::profile_name;
use crate::declarations::flow::{FlowDecl, spoof};
use crate::declarations::lines::Lines;
use crate::declarations::link::LinkDecl;
use crate::declarations::sections::{CAPTURE, FAULT, FIGURE, MEDIUM, RECORD, WINDOW};
use crate::model::{LinkSchedule, LinkSpec, Role, Transport};
use crate::text::write::{float, inline, plain, shown, text};
use tailrace_app::AttackConfig;
use tailrace_core::Bytes;
use tailrace_core::params::tagged;
use tailrace_core::params::{ParamInfo, ParamType as _, Parameters as _, Value};
use tailrace_transport::mptcp::{MptcpBehaviour, MptcpConfig};
use tailrace_transport::quic::{QuicConfig, QuicControl, QuicPlan};
use tailrace_transport::{TcpBehaviour, TcpConfig};

impl Declaration {
    /// It as a file with every default filled in, which reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        let d = self;
        let mut out = Lines::default();
        d.head.keys.put(&mut out);
        if !d.allow.is_empty() {
            let codes: Vec<_> = d.allow.iter().map(|code| text(code.name())).collect();
            out.put("allow", format_args!("[{}]", codes.join(", ")));
        }
        out.header(RECORD.title);
        d.head.record.put(&mut out);
        d.head.routing.put_table(&mut out);
        for window in &d.windows {
            out.header(WINDOW.title);
            window.put(&mut out);
        }
        for node in &d.nodes {
            out.header(node.section().title);
            node.put(&mut out);
        }
        for medium in &d.media {
            out.header(MEDIUM.title);
            medium.put(&mut out);
        }
        d.links.iter().for_each(|l| link(&mut out, l));
        d.flows.iter().for_each(|f| flow(&mut out, f));
        for fault in &d.faults {
            out.header(FAULT.title);
            fault.put(&mut out);
        }
        for capture in &d.captures {
            out.header(CAPTURE.title);
            capture.put(&mut out);
        }
        if !d.sweep.is_empty() {
            out.header("[sweep]");
            out.0.push_str(&d.sweep.to_toml());
        }
        // Last, so that whoever compares what runs depend on can leave them off.
        for figure in &d.figures {
            out.header(FIGURE.title);
            figure.put(&mut out);
        }
        out.0
    }
}

fn link(out: &mut Lines, l: &LinkDecl) {
    out.header("[[link]]");
    if let Some(name) = &l.name {
        out.put("name", text(&name.value));
    }
    let [a, b] = &l.ends;
    out.put("between", format_args!("[{}, {}]", shown(&a.value), shown(&b.value)));
    let spec = &l.forward;
    out.put("rate", rate(spec));
    out.put("delay", shown(spec.delay));
    if let Some(jitter) = &spec.jitter {
        out.put("jitter", shown(jitter));
    }
    out.put("reorder", spec.reorder);
    out.put("loss", plain(&spec.loss.to_value()));
    out.put("overhead", shown(spec.overhead));
    out.put("mtu", shown(spec.mtu));
    out.put("strip", plain(&spec.strip.to_value()));
    out.put("rewrite", float(spec.rewrite.get()));
    if spec.cost != 1 {
        out.put("cost", spec.cost);
    }
    // A queue that nobody wrote stays unwritten, since writing it makes the link observed.
    out.put(if l.queue_written { "queue" } else { "# queue" }, plain(&spec.queue.to_value()));
    if let Some(medium) = &l.medium {
        out.put("medium", text(&medium.value));
    }
    if let Some(back) = &l.backward {
        out.put("reverse", reverse(back, spec, l.observed));
    }
}

fn rate(spec: &LinkSpec) -> String {
    match &spec.schedule {
        None => shown(spec.rate),
        Some(LinkSchedule::Trace(trace)) => shown(trace),
        Some(LinkSchedule::Grants(config)) => kinded(config.name(), config.params(), |name| config.get(name)),
    }
}

fn reverse(spec: &LinkSpec, forward: &LinkSpec, observed: bool) -> String {
    let mut pairs = vec![
        ("rate".to_string(), rate(spec)),
        ("delay".into(), shown(spec.delay)),
        ("loss".into(), plain(&spec.loss.to_value())),
        ("strip".into(), plain(&spec.strip.to_value())),
        ("rewrite".into(), float(spec.rewrite.get())),
    ];
    if spec.cost != forward.cost {
        pairs.push(("cost".into(), spec.cost.to_string()));
    }
    if let Some(jitter) = &spec.jitter {
        pairs.push(("jitter".into(), shown(jitter)));
    }
    if observed {
        pairs.push(("queue".into(), plain(&spec.queue.to_value())));
    }
    inline(pairs)
}

fn kinded(kind: &str, params: &[ParamInfo], get: impl Fn(&str) -> Option<Value>) -> String {
    plain(&tagged::to_value(kind, params, get))
}

fn flow(out: &mut Lines, f: &FlowDecl) {
    let list = if f.attack.is_some() { "attack" } else { "flow" };
    out.header(&format!("[[{list}]]"));
    out.put("name", text(&f.name.value));
    out.put("from", shown(&f.from.value));
    out.put("to", shown(&f.to.value));
    out.put("pattern", plain(&f.pattern.to_value()));
    out.put("enabled", f.enabled);
    if f.attack.is_none() {
        out.put("role", text(if f.role == Role::Normal { "normal" } else { "attack" }));
    }
    out.put("dscp", plain(&f.dscp.to_value()));
    out.put("client_port", f.ports.client);
    out.put("server_port", f.ports.server);
    if f.starts.value.is_empty() {
        out.put("start", shown(f.start));
    } else {
        let starts: Vec<_> = f.starts.value.iter().map(shown).collect();
        out.put("start", format_args!("[{}]", starts.join(", ")));
    }
    if let Some(stop) = f.stop {
        out.put("stop", shown(stop));
    }
    out.put("feedback", text(if f.withholds_feedback { "withhold" } else { "return" }));
    if let Some(spoof) = f.spoof {
        out.put("spoof", spoof::written(spoof));
    }
    match &f.attack {
        Some(attack) => {
            out.put("kind", text(attack.name()));
            out.params(attack.params(), |name| attack.get(name));
        }
        None => out.put("app", kinded(f.app.name(), f.app.params(), |name| f.app.get(name))),
    }
    transport(out, f, &format!("{list}.transport"));
}

/// The last part of a flow; many parameters read better one a line, under a header of their own.
fn transport(out: &mut Lines, f: &FlowDecl, path: &str) {
    let (title, behaviour) = (format!("[{path}]"), format!("[{path}.behaviour]"));
    match &f.transport {
        Transport::Udp { header, ecn } => {
            let pairs = vec![
                ("kind".to_string(), text("udp")),
                ("header".into(), shown(header)),
                ("ecn".into(), ecn.to_string()),
            ];
            out.put("transport", inline(pairs));
        }
        Transport::Quic(plan) => quic(out, &title, plan),
        Transport::Tcp { config, cc, header } => {
            out.header(&title);
            out.put("kind", text("tcp"));
            out.put("cc", kinded(cc.name(), cc.params(), |name| cc.get(name)));
            endpoint(out, f, *header, config);
            out.header(&behaviour);
            out.params(TcpBehaviour::params(), |name| config.behaviour.get(name));
        }
        Transport::Mptcp { plan, header } => {
            out.header(&title);
            out.put("kind", text("mptcp"));
            let (cc, scheduler, manager) = (&plan.control, &plan.scheduler, &plan.path_manager);
            out.put("cc", kinded(cc.name(), cc.params(), |name| cc.get(name)));
            out.put("scheduler", kinded(scheduler.name(), scheduler.params(), |name| scheduler.get(name)));
            out.put("path_manager", kinded(manager.name(), manager.params(), |name| manager.get(name)));
            out.params(MptcpConfig::params(), |name| plan.mptcp.get(name));
            endpoint(out, f, *header, &plan.tcp);
            out.header(&behaviour);
            out.params(MptcpBehaviour::params(), |name| plan.mptcp.behaviour.get(name));
            out.params(TcpBehaviour::params(), |name| plan.tcp.behaviour.get(name));
        }
    }
}

fn quic(out: &mut Lines, title: &str, plan: &QuicPlan) {
    out.header(title);
    out.put("kind", text("quic"));
    out.put(
        "cc",
        match &plan.control {
            QuicControl::Stack(control) => text(control.word()),
            QuicControl::Simulator(cc) => kinded(cc.name(), cc.params(), |name| cc.get(name)),
        },
    );
    out.put("cc_from", plain(&plan.control.origin().to_value()));
    out.params(QuicConfig::params(), |name| plan.config.get(name));
}

/// Keys that TCP and the subflows of Multipath TCP have in common.
fn endpoint(out: &mut Lines, f: &FlowDecl, header: Option<Bytes>, config: &TcpConfig) {
    if let Some(profile) = f.profile {
        out.put("profile", text(&profile_name(profile)));
    }
    out.put("header", header.map_or_else(|| text("auto"), shown));
    // Parameters that the kind of attack sets are left out: they are not for the transport to set.
    let conduct = f.attack.as_ref().map(AttackConfig::transport_keys).unwrap_or_default();
    let is_own = |name: &str| conduct.iter().all(|(said, _)| *said != name);
    // Beside a buffer that grows, a size would be read as one that was set.
    let has_effect = |name: &str| name != "receive_buffer" || config.tcp_rmem.is_none();
    out.params(TcpConfig::params(), |name| config.get(name).filter(|_| is_own(name) && has_effect(name)));
}
