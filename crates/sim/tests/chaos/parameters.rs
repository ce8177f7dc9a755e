//! Tables `{ kind = ..., ... }` from the registries: every registered kind is drawn with any of its parameters.
//!
//! Validity is decided by the scenario parser: a value that it refuses in a minimal scenario is left out.

use crate::draw::{Draw, seconds};
use std::fmt::Write as _;
use tailrace_core::params::{Kind, ParamInfo, Parameters, Value};
use tailrace_core::text::Quantity;
use tailrace_core::{Bytes, Duration, Limit, Rate};
use tailrace_qdisc::QdiscConfig;
use tailrace_scenario::model::{FaultConfig, GrantConfig, LossConfig, MediumConfig};
use tailrace_transport::mptcp::coupled::CoupledConfig;
use tailrace_transport::mptcp::path_manager::PathManagerConfig;
use tailrace_transport::mptcp::scheduler::SchedulerConfig;
use tailrace_transport::mptcp::{MptcpBehaviour, MptcpConfig};
use tailrace_transport::{CcConfig, TcpBehaviour, TcpConfig};

/// A minimal scenario around a queue and a transport.
fn probe(queue: &str, transport: &str) -> bool {
    probe_over("\"1 Mbit/s\"", queue, transport)
}

/// A minimal scenario with a link of this rate.
fn probe_over(rate: &str, queue: &str, transport: &str) -> bool {
    let app = if transport.contains("\"udp\"") {
        "{ kind = \"poisson\", rate = \"1 kbit/s\", size = \"1 B\" }"
    } else {
        "\"bulk\""
    };
    let text = format!(
        "name = \"probe\"\nduration = \"1 s\"\nhost = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         link = [{{ between = [\"a\", \"b\"], rate = {rate}, delay = \"1 ms\", queue = {queue} }}]\n\
         flow = [{{ name = \"f\", from = \"a\", to = \"b\", transport = {transport}, app = {app} }}]\n"
    );
    tailrace_scenario::parse(&text, "probe.toml", &[]).is_ok()
}

/// Value as TOML.
pub(crate) fn toml(value: &Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Integer(n) => n.to_string(),
        Value::Float(x) => format!("{x:?}"),
        Value::Text(t) => format!("{t:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        Value::Table(pairs) => {
            let pairs: Vec<_> = pairs.iter().map(|(k, v)| format!("{k} = {}", toml(v))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
    }
}

/// Draws a queue discipline.
pub(crate) fn queue(d: &mut Draw) -> String {
    let name = *d.any(QdiscConfig::names());
    let config = QdiscConfig::default_of(name).expect("registered");
    table(d, name, config.params(), &|p| config.get(p), &|text| probe(text, "\"tcp\""))
}

/// Draws a congestion control of TCP.
pub(crate) fn congestion_control(d: &mut Draw) -> String {
    let name = *d.any(CcConfig::names());
    let config = CcConfig::default_of(name).expect("registered");
    let fits = |text: &str| probe("\"droptail\"", &format!("{{ kind = \"tcp\", cc = {text} }}"));
    table(d, name, config.params(), &|p| config.get(p), &fits)
}

/// Draws a coupled congestion control, or one of TCP for each subflow.
pub(crate) fn multipath_control(d: &mut Draw) -> String {
    if d.chance(0.3) {
        return congestion_control(d);
    }
    let name = *d.any(CoupledConfig::names());
    let config = CoupledConfig::default_of(name).expect("registered");
    table(d, name, config.params(), &|p| config.get(p), &|text| multipath("cc", text))
}

/// Draws a scheduler.
pub(crate) fn scheduler(d: &mut Draw) -> String {
    let name = *d.any(SchedulerConfig::names());
    let config = SchedulerConfig::default_of(name).expect("registered");
    table(d, name, config.params(), &|p| config.get(p), &|text| multipath("scheduler", text))
}

/// Draws parameters of a path manager; `texts` draws those that are neither numbers nor words.
pub(crate) fn path_manager(
    d: &mut Draw,
    name: &str,
    texts: &dyn Fn(&mut Draw, &str, &str) -> Option<String>,
) -> String {
    let config = PathManagerConfig::default_of(name).expect("registered");
    let plain = table(d, name, config.params(), &|p| config.get(p), &|text| multipath("path_manager", text));
    let mut keys = String::new();
    for p in config.params().iter().filter(|p| p.kind == Kind::Text) {
        if let Some(text) = texts(d, name, p.name) {
            keys += &format!(", {} = {text:?}", p.name);
        }
    }
    format!("{}{keys} }}", plain.strip_suffix(" }").expect("an inline table"))
}

fn multipath(key: &str, text: &str) -> bool {
    probe("\"droptail\"", &format!("{{ kind = \"mptcp\", {key} = {text} }}"))
}

/// Draws parameters of a TCP endpoint, besides the keys `before` of its table.
pub(crate) fn tcp(d: &mut Draw, before: &str) -> String {
    let fits = |text: &str| probe("\"droptail\"", &format!("{{ {before}{text} }}"));
    let usual = TcpConfig::default();
    let get = |p: &str| usual.get(p).or_else(|| usual.behaviour.get(p));
    transport_settings(d, TcpConfig::params(), TcpBehaviour::params(), &get, &fits)
}

/// Draws parameters of an MPTCP connection, besides the keys `before` of its table.
pub(crate) fn mptcp(d: &mut Draw, before: &str) -> String {
    let fits = |text: &str| probe("\"droptail\"", &format!("{{ {before}{text} }}"));
    let usual = MptcpConfig::default();
    let get = |p: &str| usual.get(p).or_else(|| usual.behaviour.get(p));
    transport_settings(d, MptcpConfig::params(), MptcpBehaviour::params(), &get, &fits)
}

/// Draws a loss process.
pub(crate) fn loss(d: &mut Draw) -> String {
    let name = *d.any(LossConfig::names());
    let config = LossConfig::default_of(name).expect("registered");
    let mut keys = String::new();
    for p in config.params() {
        if !p.required && d.chance(0.5) {
            continue;
        }
        let drawn = match p.kind {
            Kind::Count => d.between(1, 200).to_string(),
            Kind::Probability => format!("{:?}", d.scale(1e-4, 0.5)),
            _ => stated(d, p),
        };
        let _ = write!(keys, ", {} = {drawn}", p.name);
    }
    format!("{{ kind = \"{name}\"{keys} }}")
}

/// Draws the schedule of a link without a plain rate.
pub(crate) fn grants(d: &mut Draw) -> String {
    let name = *d.any(GrantConfig::names());
    let default = GrantConfig::default_of(name).expect("registered");
    let rates = format!(", rates = {}", toml(&rates(d)));
    let whole = |keys: &str| format!("{{ kind = \"{name}\"{rates}{keys} }}");
    let params: Vec<ParamInfo> = default.params().iter().filter(|p| !p.required).copied().collect();
    let keys = settings(d, &params, &|key| default.get(key), &|keys| {
        probe_over(&whole(keys), "\"droptail\"", "\"tcp\"")
    });
    whole(&keys)
}

fn rates(d: &mut Draw) -> Value {
    let rates =
        (0..d.between(1, 4)).map(|_| Value::Text(format!("{} kbit/s", d.scale(20.0, 20_000.0) as u64)));
    Value::List(rates.collect())
}

/// Draws the keys of a kind of fault: the required ones, and some others.
pub(crate) fn fault(d: &mut Draw, kind: &str) -> Vec<String> {
    let config = FaultConfig::default_of(kind).expect("registered");
    let mut lines = Vec::new();
    for p in config.params() {
        if !p.required && d.chance(0.5) {
            continue;
        }
        let drawn = match p.kind {
            Kind::Rate => format!("\"{} bit/s\"", d.scale(2e4, 2e7) as u64),
            Kind::Duration if p.name == "period" => "\"600 ms\"".into(),
            Kind::Duration => format!("{:?}", seconds(d.scale(1e-4, 0.3))),
            Kind::Loss => crate::sections::loss(d),
            Kind::Queue => queue(d),
            // Stage durations with many stages within the run, or few.
            Kind::Distribution => format!("\"exponential({} us)\"", d.scale(1e3, 1e6) as u64),
            Kind::Text if p.name == "rows" => rows(d),
            Kind::Text => rate_law(d),
            _ => stated(d, p),
        };
        lines.push(format!("{} = {drawn}", p.name));
    }
    lines
}

/// Draws a medium called `name`.
pub(crate) fn medium(d: &mut Draw, name: &str) -> String {
    let kind = *d.any(MediumConfig::names());
    let config = MediumConfig::default_of(kind).expect("registered");
    let head = format!("name = \"{name}\", kind = \"{kind}\"");
    let fits = |keys: &str| {
        let text = format!(
            "name = \"probe\"\nduration = \"1 s\"\nhost = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             medium = [{{ {head}{keys} }}]\n\
             link = [{{ between = [\"a\", \"b\"], rate = \"1 Mbit/s\", delay = \"1 ms\" }}]\n\
             flow = [{{ name = \"f\", from = \"a\", to = \"b\", transport = \"tcp\", app = \"bulk\" }}]\n"
        );
        tailrace_scenario::parse(&text, "probe.toml", &[]).is_ok()
    };
    let keys = settings(d, config.params(), &|p| config.get(p), &fits);
    format!("[[medium]]\n{}\n", format!("{head}{keys}").replace(", ", "\n"))
}

/// Draws the rows of a link profile.
fn rows(d: &mut Draw) -> String {
    let has_queue = d.chance(0.5);
    let mut text = format!("time, rate, delay, loss{}", if has_queue { ", queue" } else { "" });
    for i in 0..d.between(1, 9) {
        let (rate, delay) = (d.scale(2e4, 2e7) as u64, d.scale(1e-4, 0.3));
        text +=
            &format!("; {} ms, {rate} bit/s, {} us, {:?}", i * 50, (delay * 1e6) as u64, 0.2 * d.uniform());
        if has_queue {
            text += &format!(", {}", queue_line(d));
        }
    }
    format!("{text:?}")
}

/// Draws a queue in one line: a name that is valid in rows, or a tc line.
fn queue_line(d: &mut Draw) -> String {
    if d.chance(0.5) {
        return crate::sections::tc_line(d);
    }
    let names = QdiscConfig::names().iter().filter(|name| {
        QdiscConfig::default_of(name)
            .is_some_and(|config| config.validate().is_ok() && config.host_rules().is_none())
    });
    (*d.any(&Vec::from_iter(names))).to_string()
}

/// Draws a distribution of rates.
fn rate_law(d: &mut Draw) -> String {
    let (low, high) = (d.scale(2e4, 2e6) as u64, d.scale(2e6, 2e7) as u64);
    let forms = [
        format!("uniform({low} bit/s, {high} bit/s)"),
        format!("log_uniform({low} bit/s, {high} bit/s)"),
        format!("markov(0.3, {high} bit/s, {low} bit/s, {high} bit/s)"),
    ];
    format!("{:?}", d.any(&forms))
}

/// Draws a value of a required parameter.
fn stated(d: &mut Draw, p: &ParamInfo) -> String {
    let mut drawn = (0..100).filter_map(|_| value(d, p, None)).filter(|value| p.check(value).is_ok());
    toml(&drawn.next().unwrap_or_else(|| panic!("nothing draws a value of `{}`", p.name)))
}

type Get<'a> = &'a dyn Fn(&str) -> Option<Value>;
type Fits<'a> = &'a dyn Fn(&str) -> bool;

/// Draws a kind with some of its parameters.
fn table(d: &mut Draw, name: &str, params: &[ParamInfo], get: Get<'_>, fits: Fits<'_>) -> String {
    let whole = |keys: &str| format!("{{ kind = \"{name}\"{keys} }}");
    let keys = settings(d, params, get, &|keys| fits(&whole(keys)));
    whole(&keys)
}

/// Draws some of the parameters, each `, key = value`, that are valid together.
fn settings(d: &mut Draw, params: &[ParamInfo], get: Get<'_>, fits: Fits<'_>) -> String {
    let params: Vec<_> = params.iter().map(|p| ("", p)).collect();
    settings_of_tables(d, &params, get, fits)
}

/// Some of the options of a transport, and of the parameters of its `behaviour`.
fn transport_settings(
    d: &mut Draw,
    options: &[ParamInfo],
    behaviour: &[ParamInfo],
    get: Get<'_>,
    fits: Fits<'_>,
) -> String {
    let options = options.iter().map(|p| ("", p));
    let params: Vec<_> = options.chain(behaviour.iter().map(|p| ("behaviour.", p))).collect();
    settings_of_tables(d, &params, get, fits)
}

/// Draws some of the parameters, each with the table that its key begins with.
fn settings_of_tables(d: &mut Draw, params: &[(&str, &ParamInfo)], get: Get<'_>, fits: Fits<'_>) -> String {
    let mut keys = String::new();
    // The expected number of settings is the same for ten parameters and for sixty.
    let each = d.wildness * (8.0 / params.len().max(1) as f64).min(0.7);
    for (table, p) in params {
        if !d.chance(each) {
            continue;
        }
        let Some(value) = value(d, p, get(p.name).as_ref()) else { continue };
        let more = format!("{keys}, {table}{} = {}", p.name, toml(&value));
        if fits(&more) {
            keys = more;
        }
    }
    keys
}

/// Draws a value of a parameter whose default is `usual`: near it, or at the edges of its kind.
fn value(d: &mut Draw, p: &ParamInfo, usual: Option<&Value>) -> Option<Value> {
    if p.auto && d.chance(0.1) {
        return Some(Value::Text("auto".into()));
    }
    if d.chance(0.3) {
        return edges(p).map(|values| d.any(&values).clone());
    }
    let factor = if d.chance(0.5) { d.scale(0.1, 10.0) } else { d.scale(0.7, 1.4) };
    let text = match usual {
        Some(Value::Text(text)) => text.as_str(),
        _ => "",
    };
    let times = |n: u64| (n as f64 * factor) as u64;
    Some(match p.kind {
        Kind::Bool => Value::Bool(d.chance(0.5)),
        Kind::Choice(words) => Value::Text((*d.any(words)).into()),
        Kind::Dscp => Value::Integer(d.below(64) as i64),
        Kind::Probability => Value::Float(d.uniform()),
        Kind::Count => {
            let n = if let Some(Value::Integer(n)) = usual { *n } else { d.between(1, 100) as i64 };
            Value::Integer(times(n.unsigned_abs()) as i64)
        }
        Kind::Number => {
            let x = if let Some(Value::Float(x)) = usual { *x } else { 1.0 };
            Value::Float(x * factor)
        }
        Kind::Duration => {
            let usual = Duration::parse(text).unwrap_or(Duration::from_millis(20));
            Value::Text(Duration::from_nanos(times(usual.as_nanos())).to_string())
        }
        Kind::Rate => {
            let usual = Rate::parse(text).unwrap_or(Rate::from_mbit(1));
            Value::Text(Rate::from_bps(times(usual.as_bps())).to_string())
        }
        Kind::Bytes => {
            Value::Text(Bytes(times(Bytes::parse(text).unwrap_or(Bytes(20_000)).get())).to_string())
        }
        Kind::Limit => {
            let scaled = match Limit::parse(text).unwrap_or(Limit::Packets(30)) {
                Limit::Packets(n) => Limit::Packets(times(n)),
                Limit::Bytes(b) => Limit::Bytes(Bytes(times(b.get()))),
            };
            Value::Text(scaled.to_string())
        }
        Kind::Rates => rates(d),
        Kind::Text
        | Kind::Address
        | Kind::Distribution
        | Kind::Sizes
        | Kind::Counts
        | Kind::Steps
        | Kind::Loss
        | Kind::Queue => {
            return None;
        }
    })
}

/// Values at the bounds of a parameter, and some between them if its kind has edges of its own.
fn edges(p: &ParamInfo) -> Option<Vec<Value>> {
    let mut values = between(p.kind)?;
    values.retain(|value| p.check(value).is_ok());
    if let Some(bounds) = p.bounds {
        values.extend([bounds.least, bounds.most].into_iter().flat_map(|text| at_bound(p.kind, text)));
    }
    Some(values)
}

/// Values of a bound: for a limit in packets as well as bytes.
fn at_bound(kind: Kind, text: &str) -> Vec<Value> {
    let number = || text.parse::<f64>().expect("bounds of numbers are numbers");
    match kind {
        Kind::Count => vec![Value::Integer(number() as i64)],
        Kind::Number | Kind::Probability => vec![Value::Float(number())],
        Kind::Limit => ["packets", "B"].map(|unit| Value::Text(format!("{text} {unit}"))).to_vec(),
        _ => vec![Value::Text(text.into())],
    }
}

/// Special values of a kind, for any parameter.
fn between(kind: Kind) -> Option<Vec<Value>> {
    let texts = |words: &[&str]| Some(words.iter().map(|w| Value::Text((*w).into())).collect());
    match kind {
        Kind::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Kind::Count => Some([0, 1, 2, 7, 1 << 14, i64::from(u32::MAX)].map(Value::Integer).to_vec()),
        Kind::Number => Some([-1.0, 0.0, 1e-12, 0.5, 1.0, 3.0].map(Value::Float).to_vec()),
        Kind::Probability => Some([1e-9, 0.02, 0.5].map(Value::Float).to_vec()),
        Kind::Dscp => Some([0, 8, 46, 63].map(Value::Integer).to_vec()),
        Kind::Duration => texts(&["1 ns", "1 us", "1 ms", "100 ms", "1 h"]),
        Kind::Rate => texts(&["1 bit/s", "1 Mbit/s"]),
        Kind::Bytes => texts(&["1 B", "1000 B", "1 MB"]),
        Kind::Limit => texts(&["1 packet", "5 packets", "1 B", "10 kB"]),
        Kind::Choice(words) => texts(words),
        Kind::Text
        | Kind::Address
        | Kind::Distribution
        | Kind::Sizes
        | Kind::Counts
        | Kind::Steps
        | Kind::Rates
        | Kind::Loss
        | Kind::Queue => None,
    }
}
