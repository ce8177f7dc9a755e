//! The tables of a scenario file, described once: which keys there are, what they take, what they mean.
//!
//! The reader refuses keys that are not here, the schema and `to_toml` follow the same rows. Keys of queue
//! disciplines, congestion controls and TCP endpoints come from those crates' parameter tables instead.

use crate::advice::roles::ROLES;
use crate::model::Strip;
use tailrace_core::bounds::Bounds;
use tailrace_core::params::{Kind, ParamType};

/// What a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A plain value of this kind.
    Plain(Kind),
    /// Text.
    Text,
    /// A name of a host, router, link or flow.
    Name,
    /// Hosts, routers or links: `g1`, `src[*]`, `src[3]`, `path[0..4]`.
    Selector,
    /// Two selectors.
    Ends,
    /// A duration, or a distribution of durations.
    Distribution,
    /// As a distribution, or a list of durations, one for each flow.
    Starts,
    /// A duration, or `"off"`.
    DurationOrOff,
    /// A probability or a table of a loss process.
    Loss,
    /// A queue discipline.
    Queue,
    /// A coupled congestion control, or one of TCP's.
    MultipathControl,
    /// A scheduler of subflows.
    Scheduler,
    /// A path manager.
    PathManager,
    /// The `reverse` table of a link.
    Reverse,
    /// A transport.
    Transport,
    /// A congestion control.
    CongestionControl,
    /// An application.
    App,
    /// A list of `[time, rate]`.
    Steps,
    /// A value that depends on another key.
    Any,
    /// A table of its own.
    Section(&'static Section),
    /// A list of tables.
    Sections(&'static Section),
    /// The grid of a sweep.
    Sweep,
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// The default in words, or empty.
    pub default: &'static str,
    /// Between which values it may lie, where it is a quantity; a distribution's mean.
    pub bounds: Option<Bounds>,
    /// What it means.
    pub doc: &'static str,
}

/// One table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// As messages call it.
    pub title: &'static str,
    /// What it describes.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

const fn must(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key { name, shape, required: true, default: "", bounds: None, doc }
}

const fn may(name: &'static str, shape: Shape, default: &'static str, doc: &'static str) -> Key {
    Key { name, shape, required: false, default, bounds: None, doc }
}

impl Key {
    /// The same, between two values.
    const fn within(self, least: &'static str, most: &'static str, why: &'static str) -> Self {
        self.bounded(Bounds::declared(least, most, why))
    }

    /// The same, within bounds that others have, too.
    const fn bounded(mut self, bounds: Bounds) -> Self {
        self.bounds = Some(bounds);
        self
    }
}

impl Shape {
    /// The kind of quantity that it is, where it is one.
    pub const fn quantity(self) -> Option<Kind> {
        match self {
            Self::Plain(kind) => Some(kind),
            Self::Distribution | Self::DurationOrOff => Some(Kind::Duration),
            _ => None,
        }
    }
}

/// Rates of links and of applications.
pub(crate) const RATES: Bounds = Bounds::declared("1 bit/s", "10000 Gbit/s", "a packet would take no time");
/// What an application can be told to send at once.
const SIZES: Bounds = Bounds::declared("1 B", "1000000 GB", "what is beyond overflows");

const COUNT: Shape = Shape::Plain(Kind::Count);
const DURATION: Shape = Shape::Plain(Kind::Duration);
const RATE: Shape = Shape::Plain(Kind::Rate);
const SIZE: Shape = Shape::Plain(Kind::Bytes);
const SWITCH: Shape = Shape::Plain(Kind::Bool);
const PROBABILITY: Shape = Shape::Plain(Kind::Probability);

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
            "queue_form",
            Shape::Text,
            "each discipline's own",
            "Whose form queues have that do not say it themselves, such as \"linux\"; no matter to disciplines without it.",
        ),
        may("record", Shape::Section(&RECORD), "", RECORD.doc),
        may("host", Shape::Sections(&HOST), "", HOST.doc),
        may("router", Shape::Sections(&ROUTER), "", ROUTER.doc),
        may("link", Shape::Sections(&LINK), "", LINK.doc),
        may("flow", Shape::Sections(&FLOW), "", FLOW.doc),
        may("fault", Shape::Sections(&FAULT), "", FAULT.doc),
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
    ],
};

/// `[[host]]`.
pub const HOST: Section = Section {
    title: "[[host]]",
    doc: "A host, which sends and receives, or several alike.",
    keys: &[
        must("name", Shape::Name, "Its name, unique among hosts and routers."),
        may("count", COUNT, "", "Makes so many of it, called name[0], name[1] and so on."),
    ],
};

/// `[[router]]`.
pub const ROUTER: Section = Section {
    title: "[[router]]",
    doc: "A router, which forwards packets, or several alike.",
    keys: &[
        HOST.keys[0],
        HOST.keys[1],
        may(
            "role",
            Shape::Plain(Kind::Choice(ROLES)),
            "",
            "Role of the queues on links that leave it, where their discipline has this role and they give none themselves.",
        ),
    ],
};

/// What a middlebox strips.
const STRIP: Shape = Shape::Plain(<Strip as ParamType>::KIND);

/// `[[link]]`.
pub const LINK: Section = Section {
    title: "[[link]]",
    doc: "A full-duplex link, or one for each pair that `between` names.",
    keys: &[
        may("name", Shape::Name, "its ends, joined by -", "Its name, unique among links."),
        must("between", Shape::Ends, "Its ends: [\"src[*]\", \"g1\"] makes one link for each member of src."),
        must("rate", RATE, "Rate of each direction.").bounded(RATES),
        must(
            "delay",
            Shape::Distribution,
            "One-way propagation delay; a distribution is drawn once a link and run.",
        ),
        may("jitter", Shape::Distribution, "none", "Extra delay drawn for each packet."),
        may("reorder", SWITCH, "false", "Whether jitter may reorder packets."),
        may("loss", Shape::Loss, "0", "Random loss after transmission."),
        may("overhead", SIZE, "0 B", "Bytes that each packet takes on the link beyond its IP size."),
        may("mtu", SIZE, "1500 B", "Largest IP packet; larger ones are dropped and counted.").within(
            "68 B",
            "65536 B",
            "every link carries 68 bytes, and no IP packet has more than 65535",
        ),
        may(
            "strip",
            STRIP,
            "none",
            "TCP options that a middlebox at the far end takes out: of \"mptcp\", in every segment, in SYNs or in all but SYNs.",
        ),
        may(
            "rewrite",
            PROBABILITY,
            "0",
            "Share of packets with payload whose payload a middlebox at the far end changes, TCP's checksum with it.",
        ),
        may("queue", Shape::Queue, "droptail of 1000 packets", "Queue discipline of each direction."),
        may(
            "queue_limit",
            Shape::Plain(Kind::Limit),
            "each discipline's own",
            "Most that may wait in each direction, whatever its discipline; a `limit` of the queue's own goes before.",
        ),
        may("reverse", Shape::Reverse, "", "What differs in the direction from the second end to the first."),
    ],
};

/// `reverse` of a link.
pub const REVERSE: Section = Section {
    title: "`reverse` of a link",
    doc: "What differs in the direction from a link's second end to its first.",
    keys: &[
        may("rate", RATE, "as forward", "Rate.").bounded(RATES),
        may("delay", Shape::Distribution, "as forward", "One-way propagation delay."),
        may("jitter", Shape::Distribution, "as forward", "Extra delay drawn for each packet."),
        may("loss", Shape::Loss, "as forward", "Random loss after transmission."),
        may("strip", STRIP, "as forward", "TCP options that a middlebox takes out."),
        may("rewrite", PROBABILITY, "as forward", "Share of packets whose payload a middlebox changes."),
        may("queue", Shape::Queue, "as forward", "Queue discipline."),
    ],
};

/// Loss processes by kind.
pub const LOSSES: &[(&str, Section)] = &[
    (
        "bernoulli",
        Section {
            title: "loss \"bernoulli\"",
            doc: "Each packet is lost independently.",
            keys: &[must("p", PROBABILITY, "Loss probability.")],
        },
    ),
    (
        "periodic",
        Section {
            title: "loss \"periodic\"",
            doc: "Exactly every n-th packet is lost.",
            keys: &[must("every", COUNT, "n.")],
        },
    ),
    (
        "gilbert_elliott",
        Section {
            title: "loss \"gilbert_elliott\"",
            doc: "Two states, stepped once a packet (Gilbert 1960, Elliott 1963).",
            keys: &[
                must("p", PROBABILITY, "Probability of going from good to bad."),
                must("r", PROBABILITY, "Probability of going from bad to good."),
                may("good", PROBABILITY, "0", "Loss probability in the good state."),
                may("bad", PROBABILITY, "1", "Loss probability in the bad state."),
            ],
        },
    ),
];

/// `[[flow]]`.
pub const FLOW: Section = Section {
    title: "[[flow]]",
    doc: "A flow from one host to another, or one for each pair that `from` and `to` name.",
    keys: &[
        must("name", Shape::Name, "Name of the group, unique."),
        must("from", Shape::Selector, "Sending hosts."),
        must("to", Shape::Selector, "Receiving hosts: as many as `from`, or one on either side."),
        may(
            "role",
            Shape::Plain(Kind::Choice(&["normal", "attack"])),
            "normal",
            "Ground truth for disciplines that single out flows.",
        ),
        may(
            "dscp",
            Shape::Plain(Kind::Dscp),
            "CS0",
            "DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as \"EF\".",
        ),
        must("transport", Shape::Transport, "Transport protocol."),
        must("app", Shape::App, "What drives the flow."),
        may(
            "start",
            Shape::Starts,
            "0 s",
            "Start; a distribution is drawn once a flow and run, a list has one for each flow.",
        ),
        may("stop", DURATION, "the end", "When the application stops offering data."),
        may(
            "feedback",
            Shape::Plain(Kind::Choice(&["return", "withhold"])),
            "return",
            "What receivers do with routers' feedback (netfence): \"withhold\" leaves the senders with requests.",
        ),
    ],
};

/// Keys of a TCP transport beside the endpoint's parameters.
pub const TCP: Section = Section {
    title: "transport \"tcp\"",
    doc: "TCP. Beside these keys, any parameter of the endpoint.",
    keys: &[
        may("cc", Shape::CongestionControl, "cubic", "Congestion control."),
        may(
            "profile",
            Shape::Plain(Kind::Choice(&["rfc", "ns2", "ns3", "linux"])),
            "rfc",
            "Whose defaults the endpoint's parameters have.",
        ),
        may(
            "header",
            SIZE,
            "the real headers (ns2: 40 B)",
            "Bytes of headers that each packet counts beside its payload; \"auto\" is the real size.",
        ),
    ],
};

/// Keys of a Multipath TCP transport beside the connection's and its subflows' parameters.
pub const MPTCP: Section = Section {
    title: "transport \"mptcp\"",
    doc: "Multipath TCP. Beside these keys, any parameter of the connection and of TCP, which each subflow uses.",
    keys: &[
        may(
            "cc",
            Shape::MultipathControl,
            "of the profile: lia, ns3 linked_increases, linux cubic",
            "Congestion control: a coupled one, or one of TCP's for each subflow by itself.",
        ),
        may(
            "scheduler",
            Shape::Scheduler,
            "of the profile: lowest_rtt, ns3 round_robin, linux linux",
            "Which subflow carries what.",
        ),
        may(
            "path_manager",
            Shape::PathManager,
            "of the profile: fullmesh, linux linux",
            "Which subflows there are.",
        ),
        may(
            "profile",
            Shape::Plain(Kind::Choice(&["rfc", "ns2", "ns3", "linux", "mptcp_0_94"])),
            "rfc",
            "Whose behaviour the connection has: defaults of the other keys and of all parameters.",
        ),
        may(
            "header",
            SIZE,
            "the real headers (ns2: 40 B)",
            "Bytes of headers that each packet counts beside its payload; \"auto\" is the real size.",
        ),
    ],
};

/// Keys of a UDP transport.
pub const UDP: Section = Section {
    title: "transport \"udp\"",
    doc: "UDP.",
    keys: &[
        may("header", SIZE, "28 B", "Bytes of headers that each packet counts beside its payload."),
        may("ecn", SWITCH, "false", "Whether packets are ECN-capable (and marks ignored)."),
    ],
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

/// What a fault can do.
pub const FAULT_KINDS: &[&str] = &["down", "blackhole", "rate", "delay", "loss"];

/// `[[fault]]`.
pub const FAULT: Section = Section {
    title: "[[fault]]",
    doc: "Something that happens to links.",
    keys: &[
        must("at", DURATION, "When it starts."),
        may("until", DURATION, "the end", "When it ends."),
        must("link", Shape::Selector, "The links concerned, both directions."),
        must(
            "kind",
            Shape::Plain(Kind::Choice(FAULT_KINDS)),
            "\"down\" (routes are computed anew), \"blackhole\" (routing does not notice), \"rate\", \"delay\" or \"loss\".",
        ),
        may("value", Shape::Any, "", "The rate, delay or loss while it lasts."),
    ],
};

/// `[[capture]]`.
pub const CAPTURE: Section = Section {
    title: "[[capture]]",
    doc: "A packet capture.",
    keys: &[
        must("at", Shape::Selector, "A link, or a host."),
        may("snaplen", SIZE, "128 B", "Bytes kept of each packet."),
    ],
};
