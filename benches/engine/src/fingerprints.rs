//! Fingerprints of scenario files. Two builds of the engine that print the same lines simulate the same, to the bit.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tailrace_core::{Duration, Instant};
use tailrace_scenario::{DEFAULT_MEMORY_LIMIT, Files, Source};
use tailrace_sim::{Control, Progress, RunCost, RunOutput, Simulation};

/// Events after which a run ends early, which no scenario of a normal size needs.
const MAX_EVENTS: u64 = 30_000_000;
/// Simulated time between two looks at the number of events. Results do not depend on it.
const STEP: Duration = Duration::from_millis(500);

/// Prints one line a file: fingerprint of run 1, hash of its summary, file. `--until SECONDS` ends runs at that simulated time, and
/// `--summaries FOLDER` writes the summaries there, for a comparison of their figures.
///
/// # Errors
/// A file that cannot be read or written, or an option without its value.
#[expect(clippy::print_stdout, reason = "its output is what it is for")]
pub(crate) fn run(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let (mut files, mut until, mut folder) = (Vec::new(), Instant::MAX, None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--until" => {
                let seconds = words.next().and_then(|text| text.parse().ok());
                until = Instant::from_secs(seconds.ok_or("--until needs whole seconds")?);
            }
            "--summaries" => folder = Some(words.next().ok_or("--summaries needs a folder")?),
            _ => files.push(word),
        }
    }
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
        match output_of(&text, &file, until) {
            Ok(output) => {
                let summary = figures(&output.summary);
                println!("{:016x} {:016x} {file}", output.fingerprint, fnv1a(&summary));
                if let Some(folder) = &folder {
                    let name = format!("{folder}/{}.json", file.replace('/', "_"));
                    std::fs::write(&name, summary).map_err(|e| format!("{name}: {e}"))?;
                }
            }
            Err(why) => println!("{why:16} {:16} {file}", "-"),
        }
    }
    Ok(())
}

/// Run 1 of a scenario, up to `until` or [`MAX_EVENTS`].
fn output_of(text: &str, file: &str, until: Instant) -> Result<RunOutput, &'static str> {
    let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_owned();
    let source = Source::new(text, file).reading(Arc::new(BesideScenario(folder)));
    let parsed = source.scenario(&[], DEFAULT_MEMORY_LIMIT).map_err(|_| "invalid")?;
    let mut simulation = Simulation::build(&Arc::new(parsed.scenario), 1).map_err(|_| "unbuildable")?;
    let control = Control::default();
    while simulation.now() < until && simulation.events() < MAX_EVENTS {
        let next = (simulation.now() + STEP).min(until);
        if simulation.step(next, &control).map_err(|_| "stalled")? != Progress::UnderWay {
            break;
        }
    }
    Ok(simulation.finish(RunCost::default()))
}

/// Files that a scenario names, such as traces, read from the scenario's own folder.
#[derive(Debug)]
struct BesideScenario(PathBuf);

impl Files for BesideScenario {
    fn read(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.0.join(name)).map_err(|e| e.to_string())
    }
}

/// The summary without its engine's figures, of which some are those of the machine.
fn figures(summary: &str) -> String {
    let mut json: Value = serde_json::from_str(summary).expect("a summary is JSON");
    json.as_object_mut().expect("a summary is an object").remove("engine");
    json.to_string()
}

/// FNV-1a hash of 64 bits.
fn fnv1a(text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    text.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
