//! The plain keys of a scenario, and `[record]`.

use crate::declarations::reader::Reader;
use crate::declarations::sections::RECORD;
use crate::declarations::unfit::Unfit;
use crate::declarations::values::{duration, plain, positive_count, positive_duration, text};
use crate::model::Record;
use crate::text::codes::Code;
use crate::text::document::Node;
use crate::text::place::{At, Origin};
use crate::text::sink::Sink;
use tailrace_core::Duration;

/// The plain keys of a scenario.
pub(crate) struct Head {
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) duration: At<Duration>,
    pub(crate) warmup: At<Duration>,
    pub(crate) runs: u32,
    pub(crate) seed: u64,
    pub(crate) record: Record,
    pub(crate) record_origin: Origin,
}

/// Reads them.
pub(crate) fn read_head(r: &Reader<'_>) -> Option<Head> {
    let sink = r.sink();
    let name = r.need("name", text);
    if let Some(at) = &name
        && at.value.trim().is_empty()
    {
        sink.error(Code::BadName, at.origin, "a scenario's name cannot be empty");
    }
    let question = r.read_or("question", String::new(), text);
    let duration_at = r.need("duration", positive_duration);
    let start = At { value: Duration::ZERO, origin: Origin::Scenario };
    let warmup = if r.node("warmup").is_some() { r.read("warmup", duration) } else { Some(start) };
    let runs = r.read_or("runs", 1, positive_count::<u32>);
    let seed = r.read_or("seed", 1, plain::<u64>);
    let duration_found = duration_at.as_ref().map(|d| d.value);
    let record = match r.node("record") {
        Some(node) => read_record(node, duration_found, sink),
        None => Some(default_record(duration_found)),
    };
    if let (Some(duration), Some(warmup)) = (&duration_at, &warmup)
        && warmup.value >= duration.value
    {
        let message =
            format!("the warmup of {} leaves nothing of the duration of {}", warmup.value, duration.value);
        let place = if warmup.origin == Origin::Scenario { duration.origin } else { warmup.origin };
        sink.push(sink.at(Code::ContradictingTimes, place, message).label("must be less than `duration`"));
    }
    Some(Head {
        name: name?.value,
        question: question?,
        duration: duration_at?,
        warmup: warmup?,
        runs: runs?,
        seed: seed?,
        record: record?,
        record_origin: r.origin_of("record"),
    })
}

fn default_record(duration: Option<Duration>) -> Record {
    // Five hundred samples make a smooth curve of any length.
    let interval = duration.map(|d| (d / 500).max(Duration::from_millis(1)));
    Record { interval, max_series_flows: 64, events: false, max_events: 1_000_000, max_connections: 10_000 }
}

fn read_record(node: &Node, duration: Option<Duration>, sink: &Sink<'_>) -> Option<Record> {
    let r = Reader::new(node, &RECORD, sink)?;
    let default = default_record(duration);
    let interval = r.read_or("interval", default.interval, |node| match node.as_text() {
        Some("off") => Ok(None),
        _ => positive_duration(node)
            .map(Some)
            .map_err(|e| Unfit { why: format!("{}, or \"off\"", e.why), ..e }),
    });
    let max_series_flows = r.read_or("max_series_flows", default.max_series_flows, plain);
    let events = r.read_or("events", default.events, plain);
    let max_events = r.read_or("max_events", default.max_events, plain);
    let max_connections = r.read_or("max_connections", default.max_connections, plain);
    r.finish();
    Some(Record {
        interval: interval?,
        max_series_flows: max_series_flows?,
        events: events?,
        max_events: max_events?,
        max_connections: max_connections?,
    })
}
