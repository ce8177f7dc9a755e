//! The file itself, and `[record]`.

use super::flow::FLOW;
use super::key::{COUNT, DURATION, SWITCH, Section, Shape, may, must};
use super::link::LINK;
use crate::declarations::capture::CAPTURE;
use crate::declarations::fault::FAULT;
use crate::declarations::node::{HOST, ROUTER};
use crate::declarations::window::WINDOW;

/// The file itself.
pub const SCENARIO: Section = Section {
    title: "the scenario",
    doc: "One experiment.",
    keys: &[
        must("name", Shape::Text, "Short name; the default result folder is called after it."),
        may("question", Shape::Text, "\"\"", "The question that the experiment answers, in one sentence."),
        must("duration", DURATION, "Simulated time."),
        may("warmup", DURATION, "0 s", "Statistics start here."),
        may("runs", COUNT, "1", "Replications, each with a seed derived from `seed`.").within(
            "1",
            "1000000",
            "each is a simulation of its own",
        ),
        may("seed", COUNT, "1", "Base seed of all randomness."),
        may(
            "allow",
            Shape::Codes,
            "",
            "Codes of warnings that are not wanted, such as \"queue-stays-empty\".",
        ),
        may(
            "queue_form",
            Shape::Text,
            "each discipline's own",
            "Whose form queues have that do not say it themselves, such as \"linux\"; no matter to disciplines without it.",
        ),
        may("record", Shape::Section(&RECORD), "", RECORD.doc),
        may("window", Shape::Sections(&WINDOW), "", WINDOW.doc),
        may("host", Shape::Sections(&HOST), "", HOST.doc),
        may("router", Shape::Sections(&ROUTER), "", ROUTER.doc),
        may("link", Shape::Sections(&LINK), "", LINK.doc),
        may("flow", Shape::Sections(&FLOW), "", FLOW.doc),
        may("fault", Shape::Faults, "", FAULT.doc),
        may("capture", Shape::Sections(&CAPTURE), "", CAPTURE.doc),
        may("sweep", Shape::Sweep, "", "A grid: each key is a path, each value a list; every cell is run."),
    ],
};

/// `[record]`.
pub const RECORD: Section = Section {
    title: "[record]",
    doc: "What is recorded beside the totals.",
    keys: &[
        may(
            "interval",
            Shape::DurationOrOff,
            "a 500th of the duration, at least 1 ms",
            "Sampling interval of the time series of flows and queues; \"off\" records none.",
        )
        .within("1 us", "87600 h", "each sample is a row"),
        may("max_series_flows", COUNT, "64", "Series are kept for the first so many flows of each group."),
        may(
            "events",
            SWITCH,
            "false",
            "Whether drops, marks, timeouts, flags and faults are kept one by one.",
        ),
        may("max_events", COUNT, "1000000", "Events beyond this number are counted, not kept."),
        may(
            "max_connections",
            COUNT,
            "10000",
            "Connections beyond this number have no row in the table of connections.",
        ),
    ],
};
