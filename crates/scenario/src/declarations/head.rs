//! The plain keys of a scenario, `[record]` and `[routing]`.

use crate::declarations::codecs::{DURATION, POSITIVE_DURATION, TEXT, plain, positive_count};
use crate::declarations::key::Shape;
use crate::declarations::key_row::{ValueCodec, ValueReader, optional, required, section, with_default};
use crate::declarations::reader::Reader;
use crate::declarations::routing::RoutingKeys;
use crate::declarations::unfit::UnfitValue;
use crate::declarations::values;
use crate::model::Record;
use crate::text::codes::Code;
use crate::text::document::{Data, Node, Table};
use crate::text::place::{At, Ignored, Origin};
use crate::text::sink::Sink;
use crate::text::write;
use tailrace_core::Duration;

section! {
    /// The plain keys of a scenario.
    pub(crate) HEAD = "the scenario", "A scenario describes one experiment.";
    pub(crate) struct HeadKeys {
        name: At<String> = required(TEXT), "A short name; the folder of results is called after it unless you choose another.";
        question: At<String> = with_default(TEXT, "\"\""), "The question that the experiment answers, in one sentence.";
        duration: At<Duration> = required(POSITIVE_DURATION), "Simulated time.";
        warmup: At<Duration> = with_default(DURATION, "0 s"), "The time at which statistics start; what happens before is not counted.";
        runs: At<u32> = with_default(positive_count::<u32>(), "1").within("1", "1000000", "without a run there are no results | each run is a simulation of its own"),
            "Number of repetitions, each with other random numbers, which follow from `seed`.";
        seed: At<u64> = with_default(plain::<u64>(), "1"), "The number from which all random numbers follow. The same seed gives the same results.";
    }
}

section! {
    /// `[record]`.
    pub RECORD = "[record]", "Series and tables that are recorded in addition to the totals.";
    pub(crate) struct RecordKeys {
        interval: Option<At<Option<Duration>>> =
            optional(INTERVAL, "a 500th of the duration, at least 1 ms").within("1 us", "87600 h", "each sample is a row in the results | no run lasts longer"),
            "How often flows and queues are sampled for series over time; \"off\" records none.";
        max_series_flows: At<u32> = with_default(plain::<u32>(), "64"),
            "For how many flows of each group series over time are kept: the first so many.";
        events: At<bool> = with_default(plain::<bool>(), "false"),
            "Whether single drops, marks, timeouts, flags and faults are kept as rows of the table `events`.";
        max_events: At<u64> = with_default(plain::<u64>(), "1000000"), "Number of events that are kept; further ones are only counted.";
        max_connections: At<u64> = with_default(plain::<u64>(), "10000"),
            "Number of connections that get a row in the table `connections`; further ones have none.";
    }
}

const INTERVAL: ValueCodec<Option<Duration>> = ValueCodec {
    shape: Shape::DurationOrOff,
    read: ValueReader::ReturnsError(|node| match node.as_text() {
        Some("off") => Ok(None),
        _ => values::positive_duration(node)
            .map(Some)
            .map_err(|e| UnfitValue { why: format!("{}, or \"off\"", e.why), ..e }),
    }),
    write: |interval| interval.map_or_else(|| write::text("off"), write::shown),
};

impl RecordKeys {
    /// The model's record: what is recorded beside the totals.
    pub(crate) fn plain(&self) -> Record {
        Record {
            interval: self.interval.as_ref().and_then(|at| at.value),
            max_series_flows: self.max_series_flows.value,
            events: self.events.value,
            max_events: self.max_events.value,
            max_connections: self.max_connections.value,
        }
    }
}

/// The plain keys of a scenario, what is recorded, and how packets are routed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) keys: HeadKeys,
    pub(crate) record: RecordKeys,
    pub(crate) record_origin: Ignored<Origin>,
    pub(crate) routing: RoutingKeys,
}

/// Reads them.
pub(crate) fn read_head(r: &Reader<'_>) -> Option<Head> {
    let sink = r.sink();
    let keys = HeadKeys::read_keys(r);
    let record = read_record(r.node("record"), keys.as_ref().map(|keys| keys.duration.value), sink);
    let routing = RoutingKeys::read(r.node("routing"), sink);
    let keys = keys?;
    if keys.name.value.trim().is_empty() {
        sink.error(Code::BadName, keys.name.origin, "a scenario's name cannot be empty");
    }
    let HeadKeys { duration, warmup, .. } = &keys;
    if warmup.value >= duration.value {
        let message =
            format!("the warmup of {} leaves nothing of the duration of {}", warmup.value, duration.value);
        let place = if warmup.origin == Origin::Scenario { duration.origin } else { warmup.origin };
        sink.push(sink.at(Code::ContradictingTimes, place, message).label("must be less than `duration`"));
    }
    Some(Head { keys, record: record?, record_origin: Ignored(r.origin_of("record")), routing: routing? })
}

fn read_record(node: Option<&Node>, duration: Option<Duration>, sink: &Sink<'_>) -> Option<RecordKeys> {
    let nothing = Node { data: Data::Table(Table::default()), origin: Origin::Scenario };
    let r = Reader::new(node.unwrap_or(&nothing), &RECORD, sink)?;
    let (record, origin) = (RecordKeys::read_keys(&r), r.origin());
    r.finish();
    let mut record = record?;
    // Five hundred samples make a smooth curve of any length.
    let usual = duration.map(|d| (d / 500).max(Duration::from_millis(1)));
    record.interval.get_or_insert(At { value: usual, origin });
    Some(record)
}
