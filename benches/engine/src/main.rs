//! `tailrace-bench`: what a packet-hop costs. One subcommand a file; each prints one line of JSON, or a table.

mod faults;
mod fingerprints;
mod floor;
mod measure;
mod scenario;

use std::process::ExitCode;

const USAGE: &str = "\
usage: tailrace-bench floor --n N --duration SECONDS [--window PACKETS] [--json]
       tailrace-bench run FILE [--label NAME] [--n N] [--set PATH=VALUE]... [--json]
       tailrace-bench faults [--n FLOWS] [--routers R] [--json]
       tailrace-bench fingerprints FILE... [--until SECONDS] [--summaries FOLDER]

  floor   closed-loop packets over a dumbbell of N pairs, no TCP: the bare engine
  run     a scenario file with all statistics, time series off unless `--set record.interval=...`
  faults  a thousand beginnings and ends of faults of each kind on one link of an idle network
  fingerprints  fingerprint and hash of the summary of each scenario file: equal for builds that simulate the same";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let outcome = match words.next().as_deref() {
        Some("floor") => Options::parse(words).and_then(|o| floor::run(&o)),
        Some("run") => run_scenario(words),
        Some("fingerprints") => fingerprints::run(words),
        Some("faults") => Options::parse(words).and_then(|o| faults::run(&o)),
        Some(other) => Err(format!("unknown benchmark \"{other}\"")),
        None => Err("which benchmark?".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run_scenario(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let file = words.next().ok_or("run: which file?")?;
    let (mut overrides, mut rest, mut label) = (Vec::new(), Vec::new(), None);
    while let Some(word) = words.next() {
        if word == "--set" {
            let text = words.next().ok_or("--set needs path=value")?;
            let (path, value) = text.split_once('=').ok_or_else(|| format!("--set {text}: no \"=\""))?;
            overrides.push((path.to_owned(), value.to_owned()));
        } else if word == "--label" {
            label = Some(words.next().ok_or("--label needs a name")?);
        } else {
            rest.push(word);
        }
    }
    let options = Options::parse(rest.into_iter())?;
    scenario::run(&file, label.as_deref(), overrides, &options)
}

/// Options of all benchmarks.
#[derive(Clone, Copy, Debug)]
struct Options {
    /// Flows.
    n: u32,
    /// Simulated seconds.
    duration_s: u64,
    /// Packets that each flow of the floor keeps on the way.
    window: u32,
    /// Routers of the network whose link fails.
    routers: u32,
    json: bool,
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { n: 100, duration_s: 10, window: 12, routers: 2, json: false };
        while let Some(word) = words.next() {
            let mut number = |most: u64| {
                let text = words.next().ok_or_else(|| format!("{word} needs a number"))?;
                text.parse::<u64>()
                    .ok()
                    .filter(|n| (1..=most).contains(n))
                    .ok_or_else(|| format!("{word}: expected a number from 1 to {most}, found \"{text}\""))
            };
            match word.as_str() {
                "--n" => options.n = number(1_000_000)? as u32,
                "--duration" => options.duration_s = number(1_000_000)?,
                "--window" => options.window = number(10_000)? as u32,
                "--routers" => options.routers = number(100_000)? as u32,
                "--json" => options.json = true,
                _ => return Err(format!("unknown option \"{word}\"")),
            }
        }
        Ok(options)
    }
}
