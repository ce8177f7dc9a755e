//! Flows and attacks.

use crate::declarations::key::{COUNT, DURATION, Key, SWITCH, Section, Shape, may, must};
use crate::model::{Pattern, SpoofPer};
use tailrace_core::params::{Kind, ParamType};

/// `[[flow]]`.
pub const FLOW: Section = Section {
    title: "[[flow]]",
    doc: "A group of flows. A flow is traffic of an application from one host to another; if `from` and `to` name several hosts, there is a flow for each pair.",
    keys: &[
        NAME,
        FROM,
        TO,
        PATTERN,
        may(
            "role",
            Shape::Plain(Kind::Choice(&["normal", "attack"])),
            "normal",
            "Whether the flow is legitimate (\"normal\") or an attack. Results use this to say how well a queue discipline recognises attacks; it changes nothing in the run.",
        ),
        may(
            "enabled",
            SWITCH,
            "true",
            "Whether these flows exist. With `false` the run is the same without them: all others keep their random numbers.",
        ),
        DSCP,
        CLIENT_PORT,
        SERVER_PORT,
        must(
            "transport",
            Shape::Transport,
            "The transport protocol: \"udp\", \"tcp\" or \"mptcp\", or a table with its kind and parameters.",
        ),
        must(
            "app",
            Shape::App,
            "The application that drives the flow: what is sent and when, such as \"bulk\", \"web\" or \"cbr\"; or a table with its kind and keys.",
        ),
        START,
        STOP,
        FEEDBACK,
    ],
};

/// `[[attack]]`.
pub const ATTACK: Section = Section {
    title: "[[attack]]",
    doc: "An attack: a group of flows with the role \"attack\", described by the keys of its kind.",
    keys: &[
        NAME,
        FROM,
        TO,
        PATTERN,
        may(
            "enabled",
            SWITCH,
            "true",
            "Whether the attack takes place. With `false` the run is the same without it: all other flows keep their random numbers.",
        ),
        DSCP,
        CLIENT_PORT,
        SERVER_PORT,
        may(
            "transport",
            Shape::Transport,
            "udp or tcp, as the kind needs",
            "The transport protocol: \"udp\", \"tcp\" or \"mptcp\", or a table with its kind and parameters.",
        ),
        may("spoof", Shape::Spoof, "none", "Forged source addresses, over UDP only."),
        START,
        STOP,
        FEEDBACK,
    ],
};

/// `spoof` of an attack.
pub const SPOOF: Section = Section {
    title: "`spoof` of an attack",
    doc: "Forged source addresses. Queues and captures see them, and no answer reaches anybody.",
    keys: &[
        may(
            "per",
            Shape::Plain(<SpoofPer as ParamType>::KIND),
            "packet",
            "When a new address is drawn: with each packet, or with each pulse.",
        ),
        may(
            "pool",
            COUNT,
            "65536",
            "From how many addresses each flow draws. They start at 240.0.0.0, where there are no hosts.",
        )
        .within(
            "1",
            "65536",
            "an attack has a flow at least | with more, it takes too long to find out which flows a queue has flagged",
        ),
    ],
};

const NAME: Key = must(
    "name",
    Shape::Name,
    "The name of the group, by which results call it; no other flow or attack may have it.",
);
const FROM: Key =
    must("from", Shape::Selector, "The hosts that open the flows: a name, or several as in \"src[*]\".");
const TO: Key = must(
    "to",
    Shape::Selector,
    "The hosts at the other end: as many as in `from`, or one on either side. Other values of `pattern` pair hosts in other ways.",
);
const PATTERN: Key = may(
    "pattern",
    Shape::Plain(<Pattern as ParamType>::KIND),
    "pairs",
    "Which of the hosts in `from` sends to which in `to`: in order (\"pairs\"), each to each (\"all_pairs\"), all to one at the same time (\"incast\"), or each to one that is drawn (\"permutation\").",
);
const DSCP: Key = may(
    "dscp",
    Shape::Plain(Kind::Dscp),
    "CS0",
    "The DiffServ codepoint of its packets, in both directions: 0 to 63, or a name such as \"EF\". Some disciplines sort packets by it.",
);
const CLIENT_PORT: Key = may(
    "client_port",
    COUNT,
    "49152",
    "The port of `from` in the first connection; each later connection takes the next one.",
)
.within("1", "65534", "port 0 is reserved | ports have 16 bits");
const SERVER_PORT: Key = may(
    "server_port",
    COUNT,
    "5001",
    "The port of `to`; further flows between the same two addresses take the next ones.",
)
.within("1", "65535", "port 0 is reserved | ports have 16 bits");
const START: Key = may(
    "start",
    Shape::Starts,
    "0 s",
    "When the flow starts. From a distribution one time is drawn for each flow and run; a list has a time for each flow.",
);
const STOP: Key = may("stop", DURATION, "the end", "When the application stops sending new data.");
const FEEDBACK: Key = may(
    "feedback",
    Shape::Plain(Kind::Choice(&["return", "withhold"])),
    "return",
    "Whether receivers send the feedback of routers back to senders (`netfence` only). With \"withhold\" senders get none and can only send requests.",
);
