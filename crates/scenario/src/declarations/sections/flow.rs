//! Flows and attacks.

use super::key::{COUNT, DURATION, Key, SWITCH, Section, Shape, may, must};
use crate::model::{Pattern, SpoofPer};
use tailrace_core::params::{Kind, ParamType};

/// `[[flow]]`.
pub const FLOW: Section = Section {
    title: "[[flow]]",
    doc: "A flow from one host to another, or one for each pair that `from` and `to` name.",
    keys: &[
        NAME,
        FROM,
        TO,
        PATTERN,
        may(
            "role",
            Shape::Plain(Kind::Choice(&["normal", "attack"])),
            "normal",
            "Ground truth for disciplines that single out flows.",
        ),
        may(
            "enabled",
            SWITCH,
            "true",
            "Whether there are these flows at all: `false` is a run without them, in which all others draw what they draw with them.",
        ),
        DSCP,
        CLIENT_PORT,
        SERVER_PORT,
        must("transport", Shape::Transport, "Transport protocol."),
        must("app", Shape::App, "What drives the flow."),
        START,
        STOP,
        FEEDBACK,
    ],
};

/// `[[attack]]`.
pub const ATTACK: Section = Section {
    title: "[[attack]]",
    doc: "An attack: flows with the role attack, told in the words of its kind.",
    keys: &[
        NAME,
        FROM,
        TO,
        PATTERN,
        may(
            "enabled",
            SWITCH,
            "true",
            "Whether there is an attack: `false` is the same run without it, in which all other flows draw what they draw with it.",
        ),
        DSCP,
        CLIENT_PORT,
        SERVER_PORT,
        may("transport", Shape::Transport, "udp or tcp, as the kind needs", "Transport protocol."),
        may("spoof", Shape::Spoof, "none", "Source addresses that are not the senders\', over UDP."),
        START,
        STOP,
        FEEDBACK,
    ],
};

/// `spoof` of an attack.
pub const SPOOF: Section = Section {
    title: "`spoof` of an attack",
    doc: "Source addresses that are not the sender's: queues and captures see them, and nothing comes back to them.",
    keys: &[
        may(
            "per",
            Shape::Plain(<SpoofPer as ParamType>::KIND),
            "packet",
            "When another address is drawn: with each packet, or with each pulse.",
        ),
        may(
            "pool",
            COUNT,
            "65536",
            "Addresses of each flow to draw from. They lie from 240.0.0.0 on, where nobody is.",
        )
        .within("1", "65536", "the more, the longer it takes to find out whom a queue has flagged"),
    ],
};

const NAME: Key = must("name", Shape::Name, "Name of the group, unique among flows and attacks.");
const FROM: Key = must("from", Shape::Selector, "Sending hosts.");
const TO: Key = must(
    "to",
    Shape::Selector,
    "Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that has them.",
);
const PATTERN: Key = may(
    "pattern",
    Shape::Plain(<Pattern as ParamType>::KIND),
    "pairs",
    "Who of them sends to whom: in order, each to each, all to one at the same time, or each to one that is drawn.",
);
const DSCP: Key = may(
    "dscp",
    Shape::Plain(Kind::Dscp),
    "CS0",
    "DiffServ codepoint of its packets, both ways: 0 to 63, or a name such as \"EF\".",
);
const CLIENT_PORT: Key =
    may("client_port", COUNT, "49152", "Port of `from` in the first connection; later ones count up.")
        .within("1", "65534", "ports have 16 bits");
const SERVER_PORT: Key = may(
    "server_port",
    COUNT,
    "5001",
    "Port of `to`; further flows between the same two addresses have the next ones.",
)
.within("1", "65535", "ports have 16 bits");
const START: Key = may(
    "start",
    Shape::Starts,
    "0 s",
    "Start; a distribution is drawn once a flow and run, a list has one for each flow.",
);
const STOP: Key = may("stop", DURATION, "the end", "When the application stops offering data.");
const FEEDBACK: Key = may(
    "feedback",
    Shape::Plain(Kind::Choice(&["return", "withhold"])),
    "return",
    "What receivers do with routers' feedback (netfence): \"withhold\" leaves the senders with requests.",
);
