//! Errors of scenarios that do not fit into memory.

use super::Outcome;
use crate::small::{SMALL, changed};
use tailrace_core::{Bytes, Duration};
use tailrace_scenario::{MemoryRoom, Source, StreamedRows, parse, parse_within};

/// Cases that one replacement in the small scenario makes too large.
pub(super) fn outcomes() -> Vec<Outcome> {
    let hosts = changed(&[("count = 4", "count = 4000000000")]);
    let files = [("memory", hosts), ("memory_series", series_of_microseconds())];
    files.map(|(name, text)| (name, parse(&text, "small.toml", &[]).expect_err(name))).to_vec()
}

fn series_of_microseconds() -> String {
    changed(&[("interval = \"1 s\"", "interval = \"1 us\"")])
}

#[test]
fn memory_limit_refuses_a_scenario_that_needs_more() {
    assert!(parse_within(SMALL, "small.toml", &[], Bytes(10_000)).is_err());
    assert!(parse_within(SMALL, "small.toml", &[], Bytes(1 << 20)).is_ok());
}

#[test]
fn rows_that_leave_a_run_take_no_memory_of_it() {
    let text = series_of_microseconds();
    let at_once = Bytes(1 << 20);
    let room = |every| MemoryRoom { memory: Bytes(1 << 30), leaving: Some(StreamedRows { at_once, every }) };
    let source = Source::new(&text, "small.toml");
    let taken = source.scenario(&[], room(Duration::from_millis(1))).unwrap().memory;
    // 1000 samples of each series between two looks, rows of some hundred bytes each, beside what leaves at once.
    let series = (taken.kept.get() - at_once.get()) / (1000 * 100);
    assert!((1..100).contains(&series), "{taken:?}");
    assert!(source.scenario(&[], room(Duration::from_secs(1))).is_err());
    assert!(source.scenario(&[], Bytes(1 << 30)).is_err());
}
