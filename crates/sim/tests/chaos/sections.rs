//! The keys of a scenario's tables, as `tailrace_scenario::sections` lists them: a key without a line here is drawn by its shape.

use crate::draw::{Draw, seconds};
use crate::parameters::{self, toml};
use std::fmt::Write as _;
use tailrace_core::params::{Kind, Value};
use tailrace_scenario::sections::{Key, REVERSE, Section, Shape};

/// Lines, or with `inline` the inside of a table, of the keys of a section that `skip` does not name.
pub(crate) fn keys(
    d: &mut Draw,
    section: &Section,
    skip: &[&str],
    special: &mut dyn FnMut(&mut Draw, &Key) -> Option<String>,
) -> Vec<String> {
    let mut out = Vec::new();
    for key in section.keys.iter().filter(|k| !skip.contains(&k.name)) {
        // Most optional keys are seldom written.
        if !key.required && !d.chance(0.12 + 0.2 * d.wildness) {
            continue;
        }
        if let Some(value) = special(d, key).or_else(|| by_shape(d, key.shape)) {
            out.push(format!("{} = {value}", key.name));
        }
    }
    out
}

/// An inline table.
pub(crate) fn table(kind: &str, keys: &[String]) -> String {
    let mut text = format!("{{ kind = \"{kind}\"");
    for key in keys {
        let _ = write!(text, ", {key}");
    }
    text + " }"
}

/// A value of this shape that is valid nearly everywhere; `None` if only a caller knows one.
pub(crate) fn by_shape(d: &mut Draw, shape: Shape) -> Option<String> {
    Some(match shape {
        Shape::Plain(Kind::Bool) => d.chance(0.5).to_string(),
        Shape::Plain(Kind::Count) => d.between(1, 20).to_string(),
        Shape::Plain(Kind::Probability) => format!("{:?}", d.scale(1e-4, 0.2)),
        Shape::Plain(Kind::Duration) => format!("{:?}", d.time(1e-3, 1.0)),
        Shape::Plain(Kind::Rate) => format!("\"{} kbit/s\"", d.between(50, 5000)),
        Shape::LinkRate if d.chance(0.3) => trace(d),
        Shape::LinkRate if d.chance(0.4) => parameters::grants(d),
        Shape::LinkRate => by_shape(d, Shape::Plain(Kind::Rate))?,
        Shape::Plain(Kind::Bytes) => format!("\"{} B\"", d.between(1, 1400)),
        Shape::Plain(Kind::Choice(words)) => toml(&Value::Text((*d.any(words)).into())),
        Shape::Plain(Kind::Dscp) => dscp(d),
        Shape::Distribution | Shape::Starts | Shape::Plain(Kind::Distribution) => distribution(d, 1e-4, 0.05),
        Shape::DurationOrOff if d.chance(0.2) => "\"off\"".into(),
        Shape::DurationOrOff => format!("{:?}", d.time(0.01, 1.0)),
        Shape::Plain(Kind::Loss) => loss(d),
        Shape::Plain(Kind::Queue) => queue(d),
        Shape::CongestionControl => parameters::congestion_control(d),
        Shape::MultipathControl => parameters::multipath_control(d),
        Shape::Scheduler => parameters::scheduler(d),
        Shape::Reverse => format!("{{ {} }}", keys(d, &REVERSE, &[], &mut of_link).join(", ")),
        _ => return None,
    })
}

/// Values for particular keys of links.
pub(crate) fn of_link(d: &mut Draw, key: &Key) -> Option<String> {
    Some(match key.name {
        "delay" => distribution(d, 1e-4, 0.1),
        "jitter" => distribution(d, 1e-5, 0.02),
        "overhead" => format!("\"{} B\"", d.any(&[0, 4, 18, 38])),
        "mtu" => format!("\"{} B\"", d.any(&[1500, 1500, 576, 1280, 9000, 65_535])),
        "rewrite" => format!("{:?}", d.scale(1e-4, 1.0)),
        _ => return None,
    })
}

/// A trace of some tens of opportunities within some hundred milliseconds.
fn trace(d: &mut Draw) -> String {
    let mut times: Vec<u64> = (0..d.between(1, 40)).map(|_| d.between(0, 200)).collect();
    times.push(d.between(1, 400));
    times.sort_unstable();
    let times: Vec<String> = times.iter().map(u64::to_string).collect();
    format!("\"trace({})\"", times.join(" "))
}

/// A duration, or a distribution of durations, with a mean in this range.
pub(crate) fn distribution(d: &mut Draw, from_s: f64, to_s: f64) -> String {
    let mean = d.scale(from_s, to_s);
    let text = match d.below(9) {
        0 => format!("uniform({}, {})", seconds(mean * d.uniform()), seconds(mean * (1.0 + d.uniform()))),
        1 => format!("exponential({})", seconds(mean)),
        2 => format!("pareto({}, {:.3})", seconds(mean), 1.05 + 2.0 * d.uniform()),
        3 => format!("normal({}, {})", seconds(mean), seconds(mean * d.uniform())),
        4 => "0 s".into(),
        _ => seconds(mean),
    };
    format!("{text:?}")
}

/// Random loss: a probability as often as a process.
pub(crate) fn loss(d: &mut Draw) -> String {
    if d.chance(0.5) {
        let whole = d.chance(0.03);
        return if whole { "1.0".into() } else { format!("{:?}", d.scale(1e-4, 0.3)) };
    }
    parameters::loss(d)
}

/// Draws a queue: most as tables, some as tc lines.
fn queue(d: &mut Draw) -> String {
    if d.chance(0.1) {
        return format!("{:?}", tc_line(d));
    }
    parameters::queue(d)
}

/// Draws a tc line of a queue.
pub(crate) fn tc_line(d: &mut Draw) -> String {
    let limit = d.between(1, 300);
    let lines = [
        format!("pfifo limit {limit}"),
        format!("bfifo limit {}", limit * 1000),
        format!("codel limit {limit} target 5ms interval 100ms ecn"),
        format!("fq_codel limit {limit} flows 16 quantum 300"),
        format!("pie limit {limit} target 10ms ecn"),
        format!("sfq limit {} perturb 1", limit.clamp(2, 127)),
        format!("red limit {}000 min 15000 max 45000 avpkt 1000 burst 20 ecn", limit.max(50)),
    ];
    d.any(&lines).clone()
}

pub(crate) fn dscp(d: &mut Draw) -> String {
    if d.chance(0.5) {
        return d.below(64).to_string();
    }
    format!("{:?}", d.any(&["EF", "AF11", "AF23", "AF43", "CS0", "CS7", "VA", "LE", "BE"]))
}
