//! Cost of faults that begin and end: a link that keeps failing in a network without traffic.
//!
//! N flows start after the last fault, over two routers or a grid of them; 500 faults of each kind, one after another,
//! on the link in the middle, and of a host's link.

use crate::Options;
use crate::measure::cpu_s;
use std::fmt::Write as _;
use std::sync::Arc;
use tailrace_core::Instant;
use tailrace_scenario::render_all;
use tailrace_sim::{Control, Simulation};

const FAULTS: u32 = 500;
/// The first is a `down` of the first host's link.
const KINDS: [&str; 6] = ["access", "down", "blackhole", "rate", "delay", "loss"];

#[expect(clippy::print_stdout, reason = "the result is this program's data")]
pub(crate) fn run(options: &Options) -> Result<(), String> {
    for kind in KINDS {
        // The same without faults is what looking at the time costs.
        let (with, without) = (edges(options, Some(kind))?, edges(options, None)?);
        let (n, routers, edges) = (options.n, options.routers, 2 * FAULTS);
        let (first, all) = ((with.0 - without.0) * 1e3, (with.1 - without.1) * 1e3);
        if options.json {
            println!(
                "{{\"kind\":\"{kind}\",\"n\":{n},\"routers\":{routers},\"edges\":{edges},\"first_ms\":{first:.3},\
                 \"all_ms\":{all:.3}}}"
            );
        } else {
            println!(
                "{kind}, {n} flows, {routers} routers: {all:.1} ms for {edges} edges after the first, which takes {first:.1} ms"
            );
        }
    }
    Ok(())
}

/// Processor time of the first edge and of all others, in seconds.
fn edges(options: &Options, kind: Option<&str>) -> Result<(f64, f64), String> {
    let text = scenario(options, kind);
    let parsed = tailrace_scenario::parse(&text, "faults.toml", &[]).map_err(|e| render_all(&e, false))?;
    let mut simulation = Simulation::build(&Arc::new(parsed.scenario), 1).map_err(|e| e.to_string())?;
    let mut step = |until| {
        let begin = cpu_s();
        simulation.step(until, &Control::default()).map_err(|stall| stall.to_string())?;
        Ok::<_, String>(cpu_s() - begin)
    };
    Ok((step(Instant::from_millis(1))?, step(Instant::from_millis(u64::from(FAULTS) * 2 + 1))?))
}

fn scenario(options: &Options, kind: Option<&str>) -> String {
    let (n, routers) = (options.n, options.routers.max(2));
    let width = (1..).find(|w| w * w >= routers).unwrap_or(1);
    let mut text = format!(
        "name = \"faults\"\nduration = \"100 s\"\nrecord = {{ interval = \"off\" }}\n\
         [[host]]\nname = \"src\"\ncount = {n}\n[[host]]\nname = \"dst\"\ncount = {n}\n\
         [[router]]\nname = \"r\"\ncount = {routers}\n"
    );
    let mut link = |a: &str, b: &str, more: &str| {
        let _ = writeln!(
            text,
            "[[link]]\nbetween = [\"{a}\", \"{b}\"]\nrate = \"1 Gbit/s\"\ndelay = \"1 ms\"\n{more}"
        );
    };
    // Hosts spread over the routers in a few declarations: as many to each.
    let each = n.div_ceil(routers);
    for (side, shift) in [("src", 0), ("dst", routers / 2)] {
        for router in 0..routers {
            let (first, last) = (router * each, ((router + 1) * each).min(n));
            if first < last {
                let at = (router + shift) % routers;
                link(&format!("{side}[{first}..{last}]"), &format!("r[{at}]"), "");
            }
        }
    }
    let middle = routers / 2 - 1;
    for router in 0..routers {
        let name = if router == middle { "name = \"middle\"" } else { "" };
        let (right, below) = (router + 1, router + width);
        if right < routers && (right % width != 0 || router == middle) {
            link(&format!("r[{router}]"), &format!("r[{right}]"), name);
        }
        if below < routers {
            link(&format!("r[{router}]"), &format!("r[{below}]"), "");
        }
    }
    text += "[[flow]]\nname = \"tcp\"\nfrom = \"src[*]\"\nto = \"dst[*]\"\ntransport = \"tcp\"\napp = \"bulk\"\n\
             start = \"50 s\"\n";
    let value = match kind {
        Some("rate") => "value = \"1 Mbit/s\"",
        Some("delay") => "value = \"2 ms\"",
        Some("loss") => "value = \"1 %\"",
        _ => "",
    };
    for i in 0..kind.map_or(0, |_| FAULTS) {
        let (place, kind) = match kind.unwrap_or_default() {
            "access" => ("host = \"src[0]\"", "down"),
            other => ("link = \"middle\"", other),
        };
        let _ = writeln!(
            text,
            "[[fault]]\n{place}\nkind = \"{kind}\"\nat = \"{} ms\"\nuntil = \"{} ms\"\n{value}",
            2 * i + 1,
            2 * i + 2
        );
    }
    text
}
