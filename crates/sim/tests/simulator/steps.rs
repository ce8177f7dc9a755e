//! Runs in steps, with views, drains and changes between them.

use crate::determinism::{SPARE, eventful};
use crate::support::{Run, Text, assert_close};
use std::sync::Arc;
use tailrace_core::params::ParamType;
use tailrace_core::{Duration, Instant, Probability, Rate, Rng};
use tailrace_scenario::model::{FaultConfig, LinkIndex, LossConfig, Scenario};
use tailrace_sim::{
    CaptureFile, Control, DrainedOutput, LiveChange, LiveChangeError, Progress, RunCost, RunOutput,
    Simulation, Table, Values,
};

fn build(scenario: &Arc<Scenario>) -> Simulation {
    Simulation::build(scenario, 1).unwrap()
}

fn step(simulation: &mut Simulation, until: Instant) -> Progress {
    simulation.step(until, &Control::default()).expect("time advances")
}

/// Faults, marks, events, a capture, MPTCP connections, and queues that report late.
fn busy() -> Arc<Scenario> {
    let more = r#"
[[fault]]
at = "2 s"
until = "3500 ms"
link = "spare"
kind = "down"
[[window]]
name = "calm"
[[window]]
name = "fault"
start = "3 s"
[[window]]
name = "returned"
start = "6 s"
end = "7 s"
[[capture]]
at = "bottleneck"
[[capture]]
at = "src[4]"
"#;
    eventful(&format!("{SPARE}{more}"))
        .top("record = { interval = \"30 ms\", events = true }\nwarmup = \"1 s\"")
        .scenario()
}

/// Summary without the cost of the run.
fn figures(summary: &str) -> serde_json::Value {
    let mut json: serde_json::Value = serde_json::from_str(summary).unwrap();
    let engine = json["engine"].as_object_mut().unwrap();
    engine.remove("wall_s");
    engine.remove("peak_rss_bytes");
    json
}

fn assert_same(a: &RunOutput, b: &RunOutput) {
    assert_eq!(a.fingerprint, b.fingerprint);
    assert_eq!(figures(&a.summary), figures(&b.summary));
    assert_tables(&a.tables, &b.tables);
    assert_eq!(a.captures, b.captures);
}

/// Asserts that tables are equal bit by bit, NaN included.
fn assert_tables(a: &[Table], b: &[Table]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert_eq!((&a.name, a.columns.len()), (&b.name, b.columns.len()));
        for (x, y) in a.columns.iter().zip(&b.columns) {
            assert_eq!((&x.name, &x.words), (&y.name, &y.words), "{}", a.name);
            let same = match (&x.values, &y.values) {
                (Values::F64(x), Values::F64(y)) => {
                    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits())
                }
                (x, y) => x == y,
            };
            assert!(same, "{}.{}", a.name, x.name);
        }
    }
}

fn join(all: &mut Values, more: Values) {
    match (all, more) {
        (Values::U64(all), Values::U64(more)) => all.extend(more),
        (Values::U32(all), Values::U32(more)) | (Values::Text(all), Values::Text(more)) => all.extend(more),
        (Values::F64(all), Values::F64(more)) => all.extend(more),
        _ => panic!("a column keeps its type"),
    }
}

/// Concatenation of drained parts, as a writer of files would do it.
#[derive(Default)]
struct DrainedParts {
    tables: Vec<Table>,
    captures: Vec<CaptureFile>,
    /// Largest part, in rows.
    largest: usize,
}

impl DrainedParts {
    fn add(&mut self, tables: Vec<Table>, captures: Vec<CaptureFile>) {
        for table in tables {
            self.largest = self.largest.max(rows(&table));
            let Some(known) = self.tables.iter_mut().find(|t| t.name == table.name) else {
                self.tables.push(table);
                continue;
            };
            for (all, more) in known.columns.iter_mut().zip(table.columns) {
                assert!(more.words.starts_with(&all.words), "words keep their positions");
                join(&mut all.values, more.values);
                all.words = more.words;
            }
        }
        for file in captures {
            match self.captures.iter_mut().find(|f| f.name == file.name) {
                Some(known) => known.bytes.extend(file.bytes),
                None => self.captures.push(file),
            }
        }
    }
}

fn rows(table: &Table) -> usize {
    match &table.columns[0].values {
        Values::U64(v) => v.len(),
        Values::U32(v) | Values::Text(v) => v.len(),
        Values::F64(v) => v.len(),
    }
}

/// Next stop: of any order of magnitude, at times on a sample, a fault or the present.
fn stop_after(now: Instant, rng: &mut Rng) -> Instant {
    match rng.below(6) {
        0 => now,
        1 => now + Duration::from_nanos(1 + rng.below(1000)),
        2 => now + Duration::from_micros(1 + rng.below(10_000)),
        3 => Instant::from_millis((now.as_nanos() / 30_000_000 + 1 + rng.below(3)) * 30),
        4 => Instant::from_millis((now.as_nanos() / 500_000_000 + 1) * 500),
        _ => now + Duration::from_millis(rng.below(700)),
    }
}

#[test]
fn result_is_independent_of_step_length() {
    let scenario = busy();
    let whole = build(&scenario).run(&Control::default()).unwrap();
    assert!(whole.tables.iter().any(|t| t.name == "events" && rows(t) > 500));
    assert!(whole.captures.iter().all(|c| c.bytes.len() > 10_000));
    let mut rng = Rng::new(7);
    for drains in [false, true, true, true] {
        let mut simulation = build(&scenario);
        let mut kept = DrainedParts::default();
        let mut steps = 0;
        loop {
            let until = stop_after(simulation.now(), &mut rng);
            let progress = step(&mut simulation, until);
            steps += 1;
            if drains {
                let before = simulation.recorded_bytes();
                let DrainedOutput { tables, captures } = simulation.drain();
                assert!(tables.iter().all(|t| rows(t) == 0) || simulation.recorded_bytes() < before);
                kept.add(tables, captures);
            }
            if progress == Progress::Ended {
                break;
            }
            assert_eq!(simulation.now(), until);
        }
        assert!(steps > 20, "{steps}");
        assert_eq!(step(&mut simulation, Instant::MAX), Progress::Ended);
        let mut output = simulation.finish(RunCost::default());
        assert!(!output.interrupted);
        if drains {
            // Tables of the whole run come at its end.
            let (late, parts): (Vec<_>, Vec<_>) = std::mem::take(&mut output.tables)
                .into_iter()
                .partition(|t| ["flows", "queues", "reordering", "connections"].contains(&t.name.as_str()));
            kept.add(parts, std::mem::take(&mut output.captures));
            let find = |name: &str| late.iter().chain(&kept.tables).find(|t| t.name == name).unwrap().clone();
            output.tables = whole.tables.iter().map(|t| find(&t.name)).collect();
            output.captures = std::mem::take(&mut kept.captures);
            let events = whole.tables.iter().find(|t| t.name == "events").map(rows).unwrap();
            assert!(kept.largest < events / 2, "parts come as the run goes: {} of {events}", kept.largest);
        }
        assert_same(&output, &whole);
    }
}

#[test]
fn summary_so_far_changes_nothing_and_equals_the_end() {
    let scenario = busy();
    let whole = build(&scenario).run(&Control::default()).unwrap();
    let mut simulation = build(&scenario);
    let mut rng = Rng::new(8);
    let mut until = Instant::ZERO;
    while step(&mut simulation, until) != Progress::Ended {
        until = stop_after(until, &mut rng);
        let so_far = simulation.so_far(RunCost::default());
        let picture = simulation.snapshot();
        assert_eq!(picture.time_s, simulation.now().as_secs_f64());
        let json = figures(&so_far);
        assert_eq!(json["engine"]["simulated_s"].as_f64().unwrap(), picture.time_s);
        assert_eq!(json["groups"]["tcp"]["whole_run"]["sent_packets"], picture.groups[0].sent_packets);
    }
    let last = simulation.so_far(RunCost { wall_s: 1.5, peak_rss_bytes: 7 });
    let output = simulation.finish(RunCost { wall_s: 1.5, peak_rss_bytes: 7 });
    assert_eq!(last, output.summary);
    assert_eq!(Run::new(output.clone()).leaf("engine.wall_s"), 1.5);
    assert_eq!((output.fingerprint, figures(&last)), (whole.fingerprint, figures(&whole.summary)));
    let without_events =
        |o: &RunOutput| Vec::from_iter(o.tables.iter().filter(|t| t.name != "events").cloned());
    assert_tables(&without_events(&output), &without_events(&whole));
}

#[test]
fn cancelled_run_returns_partial_results() {
    let scenario = busy();
    let mut simulation = build(&scenario);
    assert_eq!(step(&mut simulation, Instant::from_millis(1700)), Progress::UnderWay);
    let control = Control::default();
    control.cancel();
    assert_eq!(simulation.step(Instant::MAX, &control), Ok(Progress::Cancelled));
    assert_eq!(step(&mut simulation, Instant::from_millis(1)), Progress::UnderWay); // A time that has passed.
    let output = simulation.finish(RunCost::default());
    assert!(output.interrupted);
    assert_eq!(Run::new(output).leaf("engine.simulated_s"), 1.7);
}

/// Datagrams of 4 Mbit/s from `src` to `dst` over link 0, with a detour.
fn steady() -> Text {
    Text::new("12 s")
        .top("record = { interval = \"500 ms\", events = true }")
        .dumbbell(1, "10 Mbit/s", "5 ms", "queue = { kind = \"codel\" }")
        .flow(
            "udp",
            ("src[0]", "dst[0]"),
            "{ kind = \"udp\", header = \"0 B\" }",
            "{ kind = \"cbr\", rate = \"4 Mbit/s\", size = \"500 B\" }",
        )
        .tcp("", "\"bulk\"")
        .add("[[fault]]\nat = \"6 s\"\nuntil = \"7 s\"\nlink = \"bottleneck\"\nkind = \"rate\"\nvalue = \"3 Mbit/s\"")
}

fn link(scenario: &Scenario, name: &str) -> LinkIndex {
    LinkIndex(scenario.links.iter().position(|l| l.name == name).unwrap() as u32)
}

#[test]
fn snapshot_rates_cover_time_since_the_previous_one() {
    let mut simulation = build(&steady().scenario());
    step(&mut simulation, Instant::from_secs(2));
    let first = simulation.snapshot();
    step(&mut simulation, Instant::from_secs(4));
    let second = simulation.snapshot();
    let udp = |s: &tailrace_sim::Snapshot| s.groups.iter().find(|g| g.group == "udp").unwrap().clone();
    assert_close(udp(&second).goodput_bps, 4e6, 0.01);
    assert_eq!((udp(&second).open_flows, udp(&second).completed), (1, 0));
    assert!(udp(&second).cwnd_mean_bytes.is_nan());
    let tcp = second.groups.iter().find(|g| g.group == "tcp").unwrap();
    assert!(tcp.cwnd_mean_bytes > 1000.0 && tcp.sent_packets > first.groups[1].sent_packets);
    let queue = second.queues.iter().find(|q| q.queue == "r1->r2").unwrap();
    assert_close(queue.throughput_bps, 10e6, 0.02);
    assert_eq!(queue.backlog_packets > 0, queue.backlog_bytes > 0);
    // A second snapshot at the same time has no new bytes.
    assert_eq!(udp(&simulation.snapshot()).goodput_bps, 0.0);
}

/// A fault of a kind without keys.
fn fault(kind: &str) -> FaultConfig {
    FaultConfig::default_of(kind).expect("it is registered")
}

/// A fault of a kind with one value.
fn with(kind: &str, value: impl ParamType) -> FaultConfig {
    let mut fault = fault(kind);
    fault.set("value", &value.to_value()).expect("it fits");
    fault
}

#[test]
fn live_changes_take_effect_and_replay_as_faults() {
    let parsed = steady().parsed();
    let scenario = Arc::new(parsed.scenario);
    let bottleneck = link(&scenario, "bottleneck");
    let set = |kind: FaultConfig| LiveChange::Set(bottleneck, kind);
    let mut simulation = build(&scenario);
    let at = |s: &mut Simulation, ms: u64, changes: &[LiveChange]| {
        step(s, Instant::from_millis(ms));
        changes.iter().for_each(|c| s.change(c.clone()).unwrap());
    };
    let half = LossConfig::from(Probability::new(0.5).unwrap());
    at(&mut simulation, 0, &[set(with("delay", Duration::from_millis(9)))]);
    // Change at a sample; of several changes at one moment the last holds.
    at(&mut simulation, 2000, &[1, 5, 2].map(|n| set(with("rate", Rate::from_mbit(n)))));
    at(&mut simulation, 4000, &[LiveChange::Restore(bottleneck, fault("rate"))]);
    at(&mut simulation, 5000, &[set(with("rate", Rate::from_mbit(8)))]);
    // A fault of the scenario begins at 6 s, and a change in the same instant comes after it.
    at(&mut simulation, 6000, &[set(with("rate", Rate::from_mbit(4))), set(with("loss", half))]);
    let codel = tailrace_qdisc::QdiscConfig::default_of("codel").unwrap();
    at(&mut simulation, 7000, &[set(with("queue", codel))]);
    at(&mut simulation, 8000, &[LiveChange::Restore(bottleneck, fault("loss")), set(fault("down"))]);
    at(&mut simulation, 8500, &[set(fault("blackhole"))]);
    at(&mut simulation, 9000, &[LiveChange::Restore(bottleneck, fault("down"))]);
    at(&mut simulation, 10_000, &[set(fault("down")), LiveChange::Restore(bottleneck, fault("down"))]);
    assert_eq!(simulation.changes().len(), 9);
    let resolved = Arc::new(simulation.resolved());
    let text = parsed.declaration.with_faults(simulation.changes(), &resolved).to_toml();
    let read = tailrace_scenario::parse(&text, "resolved.toml", &[]).unwrap();
    assert_eq!(read.scenario, *resolved, "{text}");
    let live = simulation.run(&Control::default()).unwrap();
    let replayed = build(&resolved).run(&Control::default()).unwrap();
    assert_same(&live, &replayed);
    assert_ne!(live.fingerprint, build(&scenario).run(&Control::default()).unwrap().fingerprint);
    let run = Run::new(live);
    let rate = run.column("queue_series", "throughput_bps");
    let of = run.words("queue_series", "queue");
    let forward: Vec<f64> = rate.iter().zip(of).filter(|(_, q)| q == "r1->r2").map(|(r, _)| *r).collect();
    // Samples every half second: the one at 3 s covers 2.5 to 3 s.
    for (sample, expected) in [(3, 10e6), (6, 2e6), (12, 8e6), (16, 4e6)] {
        assert!(forward[sample - 1] <= expected * 1.01, "{sample}: {} of {expected}", forward[sample - 1]);
        assert!(forward[sample - 1] > expected * 0.9, "{sample}: {} of {expected}", forward[sample - 1]);
    }
    assert_eq!(forward[17], 0.0);
}

#[test]
fn invalid_live_change_is_refused() {
    let scenario = steady().scenario();
    let mut simulation = build(&scenario);
    let nowhere = LinkIndex(scenario.links.len() as u32);
    assert_eq!(simulation.change(LiveChange::Set(nowhere, fault("down"))), Err(LiveChangeError::NoSuchLink));
    let stuck = LiveChange::Set(LinkIndex(0), fault("rate"));
    assert!(matches!(simulation.change(stuck), Err(LiveChangeError::BadValue(_))));
    assert_eq!(step(&mut simulation, Instant::MAX), Progress::Ended);
    assert_eq!(simulation.change(LiveChange::Set(LinkIndex(0), fault("down"))), Err(LiveChangeError::Over));
    assert_eq!(simulation.changes(), []);
}
