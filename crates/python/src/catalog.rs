//! Names that a scenario can use, from the registries, as JSON.

use serde_json::{Value, json};
use tailrace_access::{GrantConfig, GrantInfo, MediumConfig, MediumInfo};
use tailrace_app::{AppConfig, AttackConfig, AttackInfo, EndpointRole, RequiredTransport};
use tailrace_core::params::Bounds;
use tailrace_core::params::{Kind, ParamInfo, Parameters, Value as ParamValue};
use tailrace_impair::{FaultConfig, FaultInfo, LossConfig, LossInfo};
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::Code;
use tailrace_scenario::sections::{FAULT, Key, MEDIUM, Section, Shape};
use tailrace_sim::{ColumnInfo, KeyInfo, ObjectInfo, TableInfo};
use tailrace_transport::cc::CatalogEntry;
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{MptcpBehaviour, MptcpConfig};
use tailrace_transport::quic::QuicConfig;
use tailrace_transport::{CcConfig, TcpBehaviour, TcpConfig};

/// `{ "queues": [...], "cc": [...], ... }`, each entry with `name`, `doc`, and mostly `citation` and `params`.
///
/// `own` are entries that no registry has, each with the list that it belongs to.
pub(crate) fn catalog(own: impl Iterator<Item = (&'static str, Value)>) -> Value {
    let mut all = registered();
    for (list, entry) in own {
        all[list].as_array_mut().expect("it is a list").push(entry);
    }
    all
}

fn registered() -> Value {
    json!({
        "queues": queues(),
        "cc": policies(&CcConfig::catalog(), |of, name| CcConfig::default_of(of)?.get(name)),
        "coupled": policies(&CoupledConfig::catalog(), |of, name| CoupledConfig::default_of(of)?.get(name)),
        "schedulers": policies(&SchedulerConfig::catalog(), |of, name| SchedulerConfig::default_of(of)?.get(name)),
        "path_managers": policies(&PathManagerConfig::catalog(), |of, name| {
            PathManagerConfig::default_of(of)?.get(name)
        }),
        "tcp": [{
            "name": "tcp",
            "doc": "Options of a TCP endpoint, with the defaults of profile \"rfc\".",
            "params": params(TcpConfig::params(), |name| TcpConfig::default().get(name)),
        }],
        "mptcp": [{
            "name": "mptcp",
            "doc": "Options of a Multipath TCP connection, beside those of its subflows (tcp).",
            "params": params(MptcpConfig::params(), |name| MptcpConfig::default().get(name)),
        }],
        "quic": [{
            "name": "quic",
            "doc": "Options of a QUIC connection.",
            "params": params(QuicConfig::params(), |name| QuicConfig::default().get(name)),
        }],
        "behaviours": [
            {
                "name": "tcp",
                "doc": "Table `behaviour` of a TCP transport: what implementations do differently, with the defaults of profile \"rfc\".",
                "params": params(TcpBehaviour::params(), |name| TcpBehaviour::RFC.get(name)),
            },
            {
                "name": "mptcp",
                "doc": "Table `behaviour` of a Multipath TCP transport, beside that of its subflows (tcp).",
                "params": params(MptcpBehaviour::params(), |name| MptcpBehaviour::RFC.get(name)),
            },
        ],
        "apps": apps(),
        "losses": losses(),
        "rates": rates(),
        "tables": result_tables(),
        "summary": summary_objects(),
        "faults": faults(),
        "attacks": attacks(),
        "media": media(),
        "diagnostics": Code::ALL.iter().map(|code| json!({
            "name": code.name(),
            "severity": code.severity().word(),
            "doc": code.about(),
        })).collect::<Vec<_>>(),
    })
}

/// Registered queue disciplines.
fn queues() -> Vec<Value> {
    tailrace_qdisc::catalog()
        .iter()
        .map(|info| {
            let default = QdiscConfig::default_of(info.name);
            json!({
                "name": info.name,
                "doc": info.summary,
                "family": info.family,
                "citation": info.citation,
                "ecn": info.ecn,
                "per_flow_state": info.per_flow_state,
                "classifies": info.classifies,
                "in_linux": info.in_linux,
                "states": info.states,
                "params": params(info.params, |name| default.as_ref().and_then(|config| config.get(name))),
            })
        })
        .collect()
}

/// Entries of a registry; `value` is a parameter's default.
fn policies(catalog: &[CatalogEntry], value: impl Fn(&str, &str) -> Option<ParamValue>) -> Vec<Value> {
    let entry = |info: &CatalogEntry| {
        json!({
            "name": info.name,
            "doc": info.summary,
            "citation": info.citation,
            "params": params(info.params, |name| value(info.name, name)),
        })
    };
    catalog.iter().map(entry).collect()
}

const fn carried_by(over: RequiredTransport) -> &'static str {
    match over {
        RequiredTransport::Streams => "tcp",
        RequiredTransport::Datagrams => "udp",
    }
}

/// The end of a flow as Python names it.
const fn role(end: EndpointRole) -> &'static str {
    match end {
        EndpointRole::Client => "client",
        EndpointRole::Server => "server",
    }
}

/// Applications; keys that must be stated have no default.
fn apps() -> Vec<Value> {
    tailrace_app::catalog()
        .iter()
        .map(|info| {
            let default = AppConfig::default_of(info.name);
            let value = |name: &str| default.as_ref().and_then(|config| config.get(name));
            json!({
                "name": info.name,
                "doc": info.summary,
                "over": carried_by(info.over),
                "data_from": default.as_ref().map(|config| role(config.data_source())),
                "params": params(info.params, value),
            })
        })
        .collect()
}

/// Tables of results with their columns, which have no values to state.
fn result_tables() -> Vec<Value> {
    let column = |c: &ColumnInfo| json!({ "name": c.name, "kind": c.unit, "default": "", "doc": c.doc });
    let table = |t: &TableInfo| {
        let columns: Vec<Value> = t.columns.iter().map(column).collect();
        json!({ "name": t.name, "doc": t.doc, "params": columns })
    };
    tailrace_sim::tables().iter().map(table).collect()
}

/// Objects of the summary with their keys, likewise.
fn summary_objects() -> Vec<Value> {
    let key = |k: &KeyInfo| json!({ "name": k.path, "kind": k.unit, "default": "", "doc": k.doc });
    let object = |o: &ObjectInfo| {
        let keys: Vec<Value> = o.keys.iter().map(key).collect();
        json!({ "name": o.name, "doc": o.doc, "params": keys })
    };
    tailrace_sim::objects().iter().map(object).collect()
}

/// Loss processes.
fn losses() -> Vec<Value> {
    let entry = |info: &LossInfo| {
        let default = LossConfig::default_of(info.name);
        let value = |name: &str| default.as_ref().and_then(|config| config.get(name));
        json!({ "name": info.name, "doc": info.summary, "params": params(info.params, value) })
    };
    tailrace_impair::losses::catalog().iter().map(entry).collect()
}

/// Grants, which replace a link's plain rate.
fn rates() -> Vec<Value> {
    let entry = |info: &GrantInfo| {
        let default = GrantConfig::default_of(info.name);
        let value = |name: &str| default.as_ref().and_then(|config| config.get(name));
        json!({ "name": info.name, "doc": info.summary, "params": params(info.params, value) })
    };
    tailrace_access::grants::catalog().iter().map(entry).collect()
}

/// Kinds of faults, each with the keys that all have and its own.
fn faults() -> Vec<Value> {
    let entry = |info: &FaultInfo| {
        let default = FaultConfig::default_of(info.name);
        let value = |name: &str| default.as_ref().and_then(|config| config.get(name));
        let keys = [keys(&FAULT), params(info.params, value)].concat();
        json!({ "name": info.name, "doc": info.summary, "params": keys })
    };
    tailrace_impair::faults::catalog().iter().map(entry).collect()
}

/// Kinds of attacks, each with its own keys.
fn attacks() -> Vec<Value> {
    let entry = |info: &AttackInfo| {
        let default = AttackConfig::default_of(info.name);
        let value = |name: &str| default.as_ref().and_then(|config| config.get(name));
        json!({
            "name": info.name,
            "doc": info.summary,
            "citation": info.citation,
            "over": carried_by(info.over),
            "params": params(info.params, value),
        })
    };
    tailrace_app::attacks::catalog().iter().map(entry).collect()
}

/// Kinds of media, each with the keys that all have and its own.
fn media() -> Vec<Value> {
    let entry = |info: &MediumInfo| {
        let default = MediumConfig::default_of(info.name);
        let value = |name: &str| default.as_ref().and_then(|config| config.get(name));
        let keys = [keys(&MEDIUM), params(info.params, value)].concat();
        json!({
            "name": info.name,
            "doc": info.summary,
            "leaves_out": info.leaves_out,
            "params": keys,
        })
    };
    tailrace_access::media::catalog().iter().map(entry).collect()
}

fn keys(section: &Section) -> Vec<Value> {
    let key = |key: &Key| {
        let default = if key.required { Value::Null } else { json!(key.default) };
        let bounds = key.bounds.zip(key.shape.quantity()).map(|(bounds, kind)| range(bounds, kind));
        json!({
            "name": key.name,
            "kind": shape(key.shape),
            "default": default,
            "bounds": bounds,
            "doc": key.doc,
            "source": "",
        })
    };
    section.keys.iter().map(key).collect()
}

fn shape(shape: Shape) -> String {
    match shape {
        Shape::Plain(kind) => word(kind),
        Shape::Distribution => "duration or distribution".to_string(),
        Shape::Selectors => "selector, or a list of them".to_string(),
        Shape::Interfaces => "number, range or list of these".to_string(),
        Shape::LinkRate => "rate, trace or kind of rate".to_string(),
        Shape::Addresses => "IPv4 address, or a list of them".to_string(),
        Shape::Paths => "list of paths".to_string(),
        Shape::Starts => "duration, distribution or list of durations".to_string(),
        _ => "text".to_string(),
    }
}

/// Rows of parameters; `default` is the value of one that is not stated.
pub(crate) fn params(table: &[ParamInfo], default: impl Fn(&str) -> Option<ParamValue>) -> Vec<Value> {
    table
        .iter()
        .map(|info| {
            json!({
                "name": info.name,
                "kind": kind(info),
                "default": default(info.name).filter(|_| !info.required).map(|value| plain(&value)),
                "doc": info.doc.trim(),
                "choices": info.choices.iter().map(|c| json!({ "word": c.word, "doc": c.doc.trim() })).collect::<Vec<_>>(),
                "bounds": info.bounds.map(|bounds| range(bounds, info.kind)),
                "source": info.source,
            })
        })
        .collect()
}

/// Bounds of a quantity; `usual` ones are those of its kind.
fn range(bounds: Bounds, kind: Kind) -> Value {
    json!({
        "least": bounds.least,
        "most": bounds.most,
        "shown": bounds.shown(kind),
        "why": bounds.reason(),
        "usual": bounds.usual,
    })
}

fn plain(value: &ParamValue) -> Value {
    match value {
        ParamValue::Bool(b) => json!(b),
        ParamValue::Integer(n) => json!(n),
        ParamValue::Float(x) => json!(x),
        ParamValue::Text(t) => json!(t),
        ParamValue::List(items) => items.iter().map(plain).collect(),
        ParamValue::Table(pairs) => pairs.iter().map(|(key, value)| (key.clone(), plain(value))).collect(),
    }
}

fn kind(info: &ParamInfo) -> String {
    let word = word(info.kind);
    if info.auto { format!("{word}, or auto") } else { word }
}

fn word(kind: Kind) -> String {
    match kind {
        Kind::Bool => "true or false".to_string(),
        Kind::Count => "count".to_string(),
        Kind::Number => "number".to_string(),
        Kind::Duration => "duration".to_string(),
        Kind::Rate => "rate".to_string(),
        Kind::Bytes => "bytes".to_string(),
        Kind::Limit => "packets or bytes".to_string(),
        Kind::Probability => "probability".to_string(),
        Kind::Dscp => "DiffServ codepoint".to_string(),
        Kind::Address => "IPv4 address".to_string(),
        Kind::Distribution => "duration or distribution".to_string(),
        Kind::Sizes => "bytes or distribution".to_string(),
        Kind::Counts => "count or distribution".to_string(),
        Kind::Rates => "list of rates".to_string(),
        Kind::Steps => "list of [time, rate]".to_string(),
        Kind::Loss => "probability or loss process".to_string(),
        Kind::Queue => "queue discipline".to_string(),
        Kind::Text => "text".to_string(),
        Kind::Choice(words) => words.join(" | "),
    }
}
