//! Applications.

use super::key::{
    COUNT, DURATION, Key, PROBABILITY, RATE, RATES, SIZE, SIZES, SWITCH, Section, Shape, may, must,
};

const PAYLOAD: Key =
    must("size", SIZE, "Payload of each packet.").within("1 B", "65535 B", "no IP packet has more");

/// Applications over TCP.
pub const TCP_APPS: &[(&str, Section)] = &[
    ("bulk", Section { title: "app \"bulk\"", doc: "As much as goes, until `stop`.", keys: &[] }),
    (
        "transfer",
        Section {
            title: "app \"transfer\"",
            doc: "A transfer of a given size; then the connection closes.",
            keys: &[must("size", SIZE, "Size of the transfer.").bounded(SIZES)],
        },
    ),
    (
        "request_response",
        Section {
            title: "app \"request_response\"",
            doc: "The client asks, the server answers, the client thinks; on one connection.",
            keys: &[
                must("request", SIZE, "Size of a request.").bounded(SIZES),
                must("response", SIZE, "Size of a response.").bounded(SIZES),
                may("think", Shape::Distribution, "0 s", "Pause between a response and the next request."),
                may("count", COUNT, "until `stop`", "Number of exchanges."),
            ],
        },
    ),
    (
        "sequence",
        Section {
            title: "app \"sequence\"",
            doc: "Transfers one after another, each on a new connection.",
            keys: &[
                must("size", SIZE, "Size of each transfer.").bounded(SIZES),
                may("gap", Shape::Distribution, "0 s", "Pause between two transfers."),
                may("count", COUNT, "until `stop`", "Number of connections."),
            ],
        },
    ),
    (
        "arrivals",
        Section {
            title: "app \"arrivals\"",
            doc: "Transfers that start at their own times, however many are under way, each on a new connection.",
            keys: &[
                must("size", SIZE, "Size of each transfer.").bounded(SIZES),
                must(
                    "gap",
                    Shape::Distribution,
                    "From the start of one to the start of the next; exponential(10 ms) makes Poisson arrivals.",
                )
                .within("100 us", "87600 h", "each arrival opens a connection"),
                may("count", COUNT, "until `stop`", "Number of connections."),
            ],
        },
    ),
];

/// Applications over UDP.
pub const UDP_APPS: &[(&str, Section)] = &[
    (
        "cbr",
        Section {
            title: "app \"cbr\"",
            doc: "Constant bit rate.",
            keys: &[
                must("rate", RATE, "Rate of payload.").bounded(RATES),
                PAYLOAD,
                may("jitter", PROBABILITY, "0", "Each gap is stretched by a uniform factor within 1 ± this."),
                may(
                    "random_phase",
                    SWITCH,
                    "false",
                    "Whether the first packet leaves within the first gap at random.",
                ),
            ],
        },
    ),
    (
        "poisson",
        Section {
            title: "app \"poisson\"",
            doc: "Poisson arrivals.",
            keys: &[must("rate", RATE, "Mean rate of payload.").bounded(RATES), PAYLOAD],
        },
    ),
    (
        "on_off",
        Section {
            title: "app \"on_off\"",
            doc: "Constant bit rate during on-times.",
            keys: &[
                must("rate", RATE, "Rate of payload while on.").bounded(RATES),
                PAYLOAD,
                must("on", Shape::Distribution, "Length of an on-time.").within(
                    "1 us",
                    "87600 h",
                    "each on-time is drawn by itself",
                ),
                must("off", Shape::Distribution, "Length of an off-time."),
            ],
        },
    ),
    (
        "schedule",
        Section {
            title: "app \"schedule\"",
            doc: "Constant bit rates that change at given times since the flow's start.",
            keys: &[
                must(
                    "steps",
                    Shape::Steps,
                    "A list of [time, rate], ascending: [[\"0 s\", \"1 Mbit/s\"], [\"5 s\", \"0 bit/s\"]].",
                ),
                PAYLOAD,
            ],
        },
    ),
    (
        "pulse",
        Section {
            title: "app \"pulse\"",
            doc: "Bursts at a fixed period (Kuzmanovic & Knightly 2003).",
            keys: &[
                must("period", DURATION, "From the start of one burst to the start of the next.").within(
                    "1 us",
                    "87600 h",
                    "each burst has a packet",
                ),
                must("burst", DURATION, "Length of a burst, at most `period`."),
                must("rate", RATE, "Rate of payload within a burst.").bounded(RATES),
                PAYLOAD,
            ],
        },
    ),
];
