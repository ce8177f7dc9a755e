//! A whole scenario as text.

use crate::draw::{Draw, seconds};
use crate::multipath;
use crate::network::Network;
use crate::sections::keys;
use crate::traffic;
use std::fmt::Write as _;
use tailrace_scenario::model::FaultConfig;
use tailrace_scenario::sections::{CAPTURE, Key, RECORD, ROUTING, SCENARIO};

/// Bits that the narrow links may carry in a run, to bound its time.
pub(crate) const BITS: f64 = 8e6;

/// Scenario of a seed. Most are valid.
pub(crate) fn text(seed: u64) -> String {
    multipath::text(seed).unwrap_or_else(|| of_everything(seed))
}

/// Scenario of everything that is registered.
fn of_everything(seed: u64) -> String {
    let mut d = Draw::new(seed);
    let network = Network::draw(&mut d);
    let duration_s = d.scale(0.2, 120.0).min(BITS / network.narrow_bps);
    let mut text = head(&mut d, seed, duration_s);
    text += &network.text;
    for i in 0..d.between(1, 4) {
        text += &traffic::flow(&mut d, &network, &format!("f{i}"), duration_s);
    }
    for _ in 0..d.between(0, 6).saturating_sub(2) {
        text += &fault(&mut d, &network, duration_s);
    }
    if d.chance(0.2) {
        text += &capture(&mut d, &network);
    }
    if d.chance(0.3) {
        text += &windows(&mut d, duration_s);
    }
    if d.chance(0.05) {
        text += "[sweep]\nseed = [1, 2]\n\"record.interval\" = [\"off\", \"10 ms\"]\n";
    }
    for i in 0..d.between(0, 4).saturating_sub(2) {
        text += &traffic::attack(&mut d, &network, &format!("a{i}"), duration_s);
    }
    text + &routing(&mut d, duration_s)
}

fn head(d: &mut Draw, seed: u64, duration_s: f64) -> String {
    let mut text = format!("name = \"chaos-{seed}\"\nduration = {:?}\n", seconds(duration_s));
    let skip = [
        "name", "duration", "record", "routing", "window", "host", "router", "link", "flow", "attack",
        "fault", "capture", "sweep",
    ];
    let mut special = |d: &mut Draw, key: &Key| match key.name {
        "warmup" => Some(format!("{:?}", seconds(duration_s * 0.99 * d.uniform()))),
        "seed" => Some(d.between(0, i64::MAX as u64).to_string()),
        "question" => Some("\"Does it end?\"".into()),
        _ => None,
    };
    for line in keys(d, &SCENARIO, &skip, &mut special) {
        let _ = writeln!(text, "{line}");
    }
    let mut special = |d: &mut Draw, key: &Key| match key.name {
        "interval" if d.chance(0.5) => {
            Some(format!("{:?}", seconds(d.scale(duration_s / 500.0, duration_s))))
        }
        "max_events" => Some(d.between(0, 2000).to_string()),
        _ => None,
    };
    let record = keys(d, &RECORD, &[], &mut special).join(", ");
    text + &format!("record = {{ {record} }}\n")
}

fn routing(d: &mut Draw, duration_s: f64) -> String {
    let mut special = |d: &mut Draw, key: &Key| match key.name {
        "convergence" => Some(format!("{:?}", seconds(d.scale(1e-3, duration_s)))),
        _ => None,
    };
    format!("[routing]\n{}\n", keys(d, &ROUTING, &[], &mut special).join("\n"))
}

pub(crate) fn fault(d: &mut Draw, network: &Network, duration_s: f64) -> String {
    let at = duration_s * d.uniform();
    let (link, kind) = (d.any(&network.links), *d.any(FaultConfig::names()));
    let mut text = format!("[[fault]]\noverlap = true\nat = {:?}\nkind = \"{kind}\"\n", seconds(at));
    if FaultConfig::default_of(kind).is_some_and(|kind| kind.changed_fields().address) {
        text += &interface(d, network);
    } else {
        let _ = writeln!(text, "link = \"{link}\"");
        if d.chance(0.3) {
            let _ = writeln!(text, "direction = {:?}", d.any(&["forward", "reverse"]));
        }
        for key in crate::parameters::fault(d, kind) {
            let _ = writeln!(text, "{key}");
        }
    }
    if d.chance(0.8) {
        let until = at + 1e-3 + duration_s * 0.5 * d.uniform();
        let _ = writeln!(text, "until = {:?}", seconds(until));
    }
    text
}

/// Draws an interface of a host, and an address that nobody else has.
fn interface(d: &mut Draw, network: &Network) -> String {
    let place = d.below(network.hosts.len());
    let hosts = &network.hosts[place];
    let (member, interface) = (d.below(hosts.count.max(1) as usize), d.between(1, hosts.interfaces.max(1)));
    let name = if hosts.count == 0 { hosts.name.clone() } else { format!("{}[{member}]", hosts.name) };
    let first = d.between(100, 101);
    format!(
        "host = \"{name}\"\ninterface = {interface}\nvalue = \"10.{first}.{}.{interface}\"\n",
        place * 8 + member
    )
}

/// Draws windows from the end of the warm-up on; now and then the warm-up outlasts the first.
fn windows(d: &mut Draw, duration_s: f64) -> String {
    let mut bounds: Vec<f64> = (0..d.between(0, 4)).map(|_| duration_s * (0.4 + 0.6 * d.uniform())).collect();
    bounds.sort_by(f64::total_cmp);
    let mut text = "[[window]]\nname = \"w0\"\n".to_string();
    for (i, bound) in bounds.iter().enumerate() {
        // Some windows end before the next begins.
        let end = bounds.get(i + 1).filter(|_| d.chance(0.3)).map(|next| f64::midpoint(*bound, *next));
        let end = end.map_or(String::new(), |end| format!("end = {:?}\n", seconds(end)));
        let _ = write!(text, "[[window]]\nname = \"w{}\"\nstart = {:?}\n{end}", i + 1, seconds(*bound));
    }
    text
}

fn capture(d: &mut Draw, network: &Network) -> String {
    let at = if d.chance(0.5) {
        d.any(&network.single_links).clone()
    } else {
        let host = d.below(network.hosts.len());
        network.hosts[host].one(d)
    };
    let more = keys(d, &CAPTURE, &["at", "name"], &mut |d: &mut Draw, _: &Key| {
        Some(format!("\"{} B\"", d.between(120, 2000)))
    });
    format!("[[capture]]\nat = \"{at}\"\n{}\n", more.join("\n"))
}

/// Replaces some values by others that are mostly invalid.
pub(crate) fn spoilt(text: &str, seed: u64) -> String {
    const WORDS: &[&str] = &[
        "",
        "0",
        "-1",
        "1e400",
        "99999999999999999999",
        "nan",
        "true",
        "\"\"",
        "\"0 s\"",
        "\"5 mbps\"",
        "\"a[*]\"",
        "\"src[99]\"",
        "[]",
        "{}",
        "[[]]",
        "1979-05-27",
        "\"red limit 1kb\"",
        "{ kind = 1 }",
        "{ kind = \"reed\" }",
        "\"\\u001b[31m\"",
        "{ kind = \"tcp\", mss = \"0 B\" }",
        "{ kind = \"mptcp\", max_subflows = 0 }",
    ];
    let mut d = Draw::new(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..d.between(1, 3) {
        let i = d.below(lines.len());
        if let Some((key, _)) = lines[i].split_once(" = ") {
            lines[i] = format!("{key} = {}", d.any(WORDS));
        }
    }
    lines.join("\n")
}
