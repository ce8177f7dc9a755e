//! Random valid scenarios over all registered kinds: each run ends, conserves packets, and gives plausible results.
//!
//! Some hundreds run as a test. `make chaos SECONDS=3600 SEED=1` runs them for that long and writes those that
//! fail to `results/chaos`; `make chaos REPLAY=results/chaos/7.toml` runs one of them again.

mod checks;
mod draw;
mod multipath;
mod network;
mod parameters;
mod scenario;
mod sections;
mod settling;
mod traffic;
mod trial;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;
use trial::Outcome;

/// Known unfixed faults, with the scenarios that show them. Should be empty.
const KNOWN_FAULTS: &[KnownFault] = &[];

/// Scenarios that contain `written` are not run if `failure` is empty, else may fail with this message.
struct KnownFault {
    written: &'static str,
    failure: &'static str,
    /// Explanation for readers of the list.
    #[expect(dead_code)]
    why: &'static str,
}

/// Whether a failure, or a scenario that was not run, is known.
fn is_known(text: &str, failure: &str) -> bool {
    let fits = |k: &&KnownFault| text.contains(k.written) && k.failure.is_empty() == failure.is_empty();
    KNOWN_FAULTS.iter().filter(fits).any(|k| failure.contains(k.failure))
}

/// Time limit of a scenario, far above what any takes: a run without an end is reported instead of awaited.
const PATIENCE: Duration = Duration::from_secs(40);

/// Outcome of a scenario; panics and endless runs are failures.
fn guarded(text: String) -> Result<Outcome, String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let result = std::panic::catch_unwind(|| trial::of(&text)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Err(format!(
                "panic: {}",
                text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).into())).unwrap_or_default()
            ))
        });
        let _ = sender.send(result);
    });
    receiver.recv_timeout(PATIENCE).unwrap_or_else(|_| Err(format!("no end within {PATIENCE:?}")))
}

/// Numbers of scenarios that ran and that were refused.
#[derive(Default)]
struct Tally {
    ran: AtomicU64,
    refused: AtomicU64,
    left_out: AtomicU64,
}

impl Tally {
    /// Tries a seed; returns the failure and the scenario, if it fails.
    fn try_seed(&self, seed: u64) -> Option<(String, String)> {
        let text = scenario::text(seed);
        if is_known(&text, "") {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        match guarded(text.clone()) {
            Ok(Outcome::Ran) => self.ran.fetch_add(1, Ordering::Relaxed),
            Ok(Outcome::Refused) => self.refused.fetch_add(1, Ordering::Relaxed),
            Err(why) if is_known(&text, &why) => self.left_out.fetch_add(1, Ordering::Relaxed),
            Err(why) => return Some((why, text)),
        };
        None
    }
}

#[test]
fn random_scenarios_hold_all_invariants() {
    const SEEDS: u64 = 800;
    let (tally, next) = (Tally::default(), AtomicU64::new(0));
    let work = || {
        let mut faults = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= SEEDS {
                return faults;
            }
            faults.extend(tally.try_seed(seed).map(|(why, _)| format!("seed {seed}: {why}")));
        }
    };
    let faults = std::thread::scope(|s| {
        let other = s.spawn(work);
        [work(), other.join().expect("faults are caught")].concat()
    });
    assert!(faults.is_empty(), "{} of {SEEDS}:\n{}", faults.len(), faults.join("\n"));
    let (refused, left_out) = (tally.refused.into_inner(), tally.left_out.into_inner());
    // Keys of attacks are drawn independently, and some combinations are invalid.
    assert!(
        refused * 10 <= SEEDS,
        "the generator makes valid scenarios, but {refused} of {SEEDS} were refused"
    );
    assert!(left_out * 4 <= SEEDS, "{left_out} of {SEEDS} were left out");
}

#[test]
fn random_attacks_cover_every_kind_and_are_valid() {
    let mut missing: Vec<&str> = tailrace_app::AttackConfig::names().to_vec();
    for text in (0..800).map(scenario::text).filter(|text| text.contains("[[attack]]")) {
        if trial::reading(&text) == Ok(Outcome::Ran) {
            let has = |kind: &str| text.contains(&format!("[[attack]]\nname = \"a0\"\nkind = \"{kind}\"\n"));
            missing.retain(|kind| !has(kind));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn invalid_scenarios_are_refused_with_a_location() {
    let mut refused = 0;
    for seed in 0..600 {
        let text = scenario::spoilt(&scenario::text(seed), seed);
        let outcome = trial::reading(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        refused += u32::from(outcome == Outcome::Refused);
    }
    assert!(refused > 400, "{refused}");
}

/// A number from the environment.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().filter(|text| !text.is_empty()).map_or(usual, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is a whole number, not {text:?}"))
    })
}

#[test]
#[ignore = "runs for as long as it is told to: make chaos"]
#[expect(clippy::print_stdout, reason = "its user watches")]
fn for_hours() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/chaos");
    if let Some(file) = std::env::var("CHAOS_REPLAY").ok().filter(|file| !file.is_empty()) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        println!("{:?}", guarded(text).unwrap_or_else(|why| panic!("{}: {why}", file.display())));
        return;
    }
    let (seconds, first) = (setting("CHAOS_SECONDS", 60), setting("CHAOS_SEED", 1));
    let count = setting("CHAOS_COUNT", u64::MAX);
    let jobs = setting("CHAOS_JOBS", 2);
    let (over, alarm) = mpsc::channel::<()>();
    let (tally, next, failed) = (Tally::default(), AtomicU64::new(0), AtomicU64::new(0));
    let work = |stop: &dyn Fn() -> bool| {
        while !stop() {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            if nth >= count {
                return;
            }
            let seed = first.wrapping_add(nth);
            if let Some((why, text)) = tally.try_seed(seed) {
                failed.fetch_add(1, Ordering::Relaxed);
                let file = folder.join(format!("{seed}.toml"));
                let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, text));
                written.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                println!("seed {seed}: {why}\n  make chaos REPLAY=results/chaos/{seed}.toml");
            }
        }
    };
    let stopped = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|s| {
        let workers: Vec<_> =
            (0..jobs).map(|_| s.spawn(|| work(&|| stopped.load(Ordering::Relaxed)))).collect();
        let stopped = &stopped;
        s.spawn(move || {
            let _ = alarm.recv_timeout(Duration::from_secs(seconds));
            stopped.store(true, Ordering::Relaxed);
        });
        workers.into_iter().for_each(|w| w.join().expect("faults are caught"));
        drop(over);
    });
    let (ran, refused) = (tally.ran.into_inner(), tally.refused.into_inner());
    let (left_out, failed) = (tally.left_out.into_inner(), failed.into_inner());
    println!("{ran} ran, {refused} refused, {left_out} left out, {failed} failed");
    assert_eq!(failed, 0);
}
