//! The resolved scenario as TOML: every default filled in, counts as they were written.

use crate::declarations::declaration::Declaration;
use crate::declarations::fault::{CaptureDecl, FaultDecl};
use crate::declarations::flow::FlowDecl;
use crate::declarations::flow::tcp::profile_name;
use crate::declarations::link::LinkDecl;
use crate::declarations::node::NodeDecl;
use crate::declarations::window::WindowDecl;
use crate::model::{LinkSpec, NodeKind, Record, Role, Transport};
use crate::text::write::{float, inline, plain, shown, text};
use core::fmt::{Display, Write as _};
use tailrace_core::params::{ParamInfo, ParamType as _, Parameters as _, Value};
use tailrace_core::{Bytes, kinds};
use tailrace_transport::TcpConfig;
use tailrace_transport::mptcp::MptcpConfig;

impl Declaration {
    /// It as a file with every default filled in, which reads back as the same scenario.
    pub fn to_toml(&self) -> String {
        let d = self;
        let mut out = Lines::default();
        out.put("name", text(&d.name));
        out.put("question", text(&d.question));
        out.put("duration", shown(d.duration.value));
        out.put("warmup", shown(d.warmup.value));
        out.put("runs", d.runs);
        out.put("seed", d.seed);
        if !d.allow.is_empty() {
            let codes: Vec<_> = d.allow.iter().map(|code| text(code.name())).collect();
            out.put("allow", format_args!("[{}]", codes.join(", ")));
        }
        record(&mut out, &d.record);
        d.windows.iter().for_each(|w| window(&mut out, w));
        d.nodes.iter().for_each(|n| node_decl(&mut out, n));
        d.links.iter().for_each(|l| link(&mut out, l));
        d.flows.iter().for_each(|f| flow(&mut out, f));
        d.faults.iter().for_each(|f| fault(&mut out, f));
        d.captures.iter().for_each(|c| capture(&mut out, c));
        if !d.sweep.is_empty() {
            out.header("[sweep]");
            out.0.push_str(&d.sweep.to_toml());
        }
        out.0
    }
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn header(&mut self, header: &str) {
        let _ = writeln!(self.0, "\n{header}");
    }

    fn put(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }
}

fn record(out: &mut Lines, r: &Record) {
    out.header("[record]");
    out.put("interval", r.interval.map_or_else(|| text("off"), shown));
    out.put("max_series_flows", r.max_series_flows);
    out.put("events", r.events);
    out.put("max_events", r.max_events);
    out.put("max_connections", r.max_connections);
}

fn window(out: &mut Lines, w: &WindowDecl) {
    out.header("[[window]]");
    out.put("name", text(&w.name.value));
    for (key, time) in [("start", &w.start), ("end", &w.end)] {
        if let Some(time) = time {
            out.put(key, shown(time.value));
        }
    }
}

fn node_decl(out: &mut Lines, n: &NodeDecl) {
    out.header(if n.kind == NodeKind::Host { "[[host]]" } else { "[[router]]" });
    out.put("name", text(&n.name.value));
    if let Some(count) = n.count {
        out.put("count", count);
    }
    if let Some(addresses) = &n.addresses {
        let all: Vec<_> = addresses.value.iter().map(|a| text(&a.to_string())).collect();
        out.put("address", format_args!("[{}]", all.join(", ")));
    }
    if let Some(role) = &n.role {
        out.put("role", text(role.value));
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
    out.put("rate", shown(spec.rate));
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
    // A queue that nobody wrote stays unwritten, since writing it makes the link observed.
    out.put(if l.queue_written { "queue" } else { "# queue" }, plain(&spec.queue.to_value()));
    if let Some(back) = &l.backward {
        out.put("reverse", reverse(back, l.observed));
    }
}

fn reverse(spec: &LinkSpec, observed: bool) -> String {
    let mut pairs = vec![
        ("rate".to_string(), shown(spec.rate)),
        ("delay".into(), shown(spec.delay)),
        ("loss".into(), plain(&spec.loss.to_value())),
        ("strip".into(), plain(&spec.strip.to_value())),
        ("rewrite".into(), float(spec.rewrite.get())),
    ];
    if let Some(jitter) = &spec.jitter {
        pairs.push(("jitter".into(), shown(jitter)));
    }
    if observed {
        pairs.push(("queue".into(), plain(&spec.queue.to_value())));
    }
    inline(pairs)
}

fn kinded(kind: &str, params: &[ParamInfo], get: impl Fn(&str) -> Option<Value>) -> String {
    plain(&kinds::to_value(kind, params, get))
}

fn flow(out: &mut Lines, f: &FlowDecl) {
    out.header("[[flow]]");
    out.put("name", text(&f.name.value));
    out.put("from", shown(&f.from.value));
    out.put("to", shown(&f.to.value));
    out.put("role", text(if f.role == Role::Normal { "normal" } else { "attack" }));
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
    out.put("app", kinded(f.app.name(), f.app.params(), |name| f.app.get(name)));
    match &f.transport {
        Transport::Udp { header, ecn } => {
            let pairs = vec![
                ("kind".to_string(), text("udp")),
                ("header".into(), shown(header)),
                ("ecn".into(), ecn.to_string()),
            ];
            out.put("transport", inline(pairs));
        }
        Transport::Tcp { config, cc, header } => {
            // So many parameters read better one a line.
            out.header("[flow.transport]");
            out.put("kind", text("tcp"));
            out.put("cc", kinded(cc.name(), cc.params(), |name| cc.get(name)));
            endpoint(out, f, *header, config);
        }
        Transport::Mptcp { plan, header } => {
            out.header("[flow.transport]");
            out.put("kind", text("mptcp"));
            let (cc, scheduler, manager) = (&plan.control, &plan.scheduler, &plan.path_manager);
            out.put("cc", kinded(cc.name(), cc.params(), |name| cc.get(name)));
            out.put("scheduler", kinded(scheduler.name(), scheduler.params(), |name| scheduler.get(name)));
            out.put("path_manager", kinded(manager.name(), manager.params(), |name| manager.get(name)));
            params(out, MptcpConfig::params(), |name| plan.mptcp.get(name));
            endpoint(out, f, *header, &plan.tcp);
        }
    }
}

/// What TCP and the subflows of Multipath TCP have in common.
fn endpoint(out: &mut Lines, f: &FlowDecl, header: Option<Bytes>, config: &TcpConfig) {
    if let Some(profile) = f.profile {
        out.put("profile", text(&profile_name(profile)));
    }
    out.put("header", header.map_or_else(|| text("auto"), shown));
    params(out, TcpConfig::params(), |name| config.get(name));
}

fn params(out: &mut Lines, table: &[ParamInfo], get: impl Fn(&str) -> Option<Value>) {
    for p in table {
        if let Some(value) = get(p.name) {
            out.put(p.name, plain(&value));
        }
    }
}

fn fault(out: &mut Lines, f: &FaultDecl) {
    out.header("[[fault]]");
    out.put("at", shown(f.at.value));
    if let Some(until) = f.until {
        out.put("until", shown(until));
    }
    out.put("link", shown(&f.link.value));
    out.put("kind", text(f.kind.name()));
    params(out, f.kind.params(), |name| f.kind.get(name));
}

fn capture(out: &mut Lines, c: &CaptureDecl) {
    out.header("[[capture]]");
    out.put("at", shown(&c.at.value));
    out.put("snaplen", text(&format!("{} B", c.snaplen)));
}
