//! A fixed number of inputs for each target, equal on every machine and independent of the build: a failure comes from
//! the change under test. libFuzzer follows the coverage of a build, so its inputs differ between builds.

use crate::mutation;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tailrace_core::Rng;

/// No input takes longer: what does goes on for ever.
const TOO_LONG: Duration = Duration::from_secs(20);

struct Target {
    name: &'static str,
    run: fn(&[u8]),
    inputs: u64,
}

/// Some ten seconds each.
const TARGETS: [Target; 8] = [
    Target { name: "files", run: crate::files::run, inputs: 500_000 },
    Target { name: "guest", run: crate::guest::run, inputs: 500_000 },
    Target { name: "mptcp", run: crate::mptcp::run, inputs: 40_000 },
    Target { name: "pcapng", run: crate::pcapng::run, inputs: 500_000 },
    Target { name: "scenario", run: crate::scenario::run, inputs: 60_000 },
    Target { name: "tc", run: crate::tc::run, inputs: 150_000 },
    Target { name: "tcp_receive", run: crate::tcp_receive::run, inputs: 300_000 },
    Target { name: "wire", run: crate::wire::run, inputs: 3_000_000 },
];

/// Tries the targets of these names, or all; whether all went well. What did not lies in `artifacts/`.
pub fn run(names: &[String]) -> Result<bool, String> {
    if let Some(other) = names.iter().find(|n| TARGETS.iter().all(|t| t.name != n.as_str())) {
        let known: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        return Err(format!("there is no target {other:?}; there are {}", known.join(", ")));
    }
    let watch = Arc::new(Watch::default());
    let (watched, start) = (Arc::clone(&watch), Instant::now());
    std::thread::spawn(move || watched.look(start));
    let mut well = true;
    for target in TARGETS.iter().filter(|t| names.is_empty() || names.iter().any(|n| n == t.name)) {
        well &= target.check(&watch, start).map_err(|error| format!("{}: {error}", target.name))?;
    }
    Ok(well)
}

impl Target {
    fn check(&self, watch: &Watch, start: Instant) -> std::io::Result<bool> {
        let seeds = self.seeds()?;
        println!("== {}: {} seeds, {} inputs", self.name, seeds.len(), self.inputs);
        let began = Instant::now();
        let mut rng = Rng::named(1, self.name);
        for n in 0..seeds.len() as u64 + self.inputs {
            let seed = seeds.get(n as usize).cloned();
            let data = seed.unwrap_or_else(|| mutation::next(&seeds, &mut rng));
            watch.begin(self.name, &data, start);
            if std::panic::catch_unwind(|| (self.run)(&data)).is_err() {
                let file = keep(self.name, "found", &data)?;
                println!("failed, input {n}: {}", file.display());
                watch.end();
                return Ok(false);
            }
        }
        watch.end();
        println!("well after {:.1} s", began.elapsed().as_secs_f64());
        Ok(true)
    }

    /// The files of its folder of seeds, by name; those of scenarios are the parser's test files.
    fn seeds(&self) -> std::io::Result<Vec<Vec<u8>>> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = match self.name {
            "scenario" => home.join("../crates/scenario/tests/files"),
            name => home.join("seeds").join(name),
        };
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.sort_unstable();
        files.iter().map(std::fs::read).collect()
    }
}

fn keep(target: &str, what: &str, data: &[u8]) -> std::io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target);
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(what);
    std::fs::write(&file, data)?;
    Ok(file)
}

/// Input that is being tried, and the time of its start, in milliseconds plus one.
#[derive(Default)]
struct Watch {
    since: AtomicU64,
    input: Mutex<(&'static str, Vec<u8>)>,
}

impl Watch {
    fn begin(&self, target: &'static str, data: &[u8], start: Instant) {
        let mut input = self.input.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        input.0 = target;
        input.1.clear();
        input.1.extend_from_slice(data);
        self.since.store(start.elapsed().as_millis() as u64 + 1, Relaxed);
    }

    fn end(&self) {
        self.since.store(0, Relaxed);
    }

    /// Ends the process when an input takes too long.
    fn look(&self, start: Instant) {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let since = self.since.load(Relaxed);
            let now = start.elapsed().as_millis() as u64 + 1;
            if since == 0 || now.saturating_sub(since) < TOO_LONG.as_millis() as u64 {
                continue;
            }
            let (target, data) = self.input.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
            match keep(target, "endless", &data) {
                Ok(file) => println!("failed, no end after {TOO_LONG:?}: {}", file.display()),
                Err(error) => println!("failed, no end after {TOO_LONG:?}, and not kept: {error}"),
            }
            let _ = std::io::stdout().flush();
            std::process::exit(1);
        }
    }
}
