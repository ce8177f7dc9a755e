//! Transports.

use crate::declarations::key::{SIZE, SWITCH, Section, Shape, may};
use tailrace_core::params::Kind;

/// Keys of a TCP transport beside the endpoint's parameters.
pub const TCP: Section = Section {
    title: "transport \"tcp\"",
    doc: "TCP. In addition to these keys, the options of a TCP endpoint can be set.",
    keys: &[
        may("cc", Shape::CongestionControl, "cubic", "The congestion control: how fast the sender sends."),
        may(
            "profile",
            Shape::Plain(Kind::Choice(&["rfc", "ns2", "ns3", "linux"])),
            "rfc",
            "The implementation whose defaults all parameters have: the RFCs, Linux, ns-2 or ns-3.",
        ),
        may(
            "header",
            SIZE,
            "the real headers (ns2: 40 B)",
            "Bytes of headers that each packet has in addition to its payload. \"auto\" is the real size.",
        ),
        may(
            "behaviour",
            Shape::TcpBehaviour,
            "of the profile",
            "A table of what implementations do differently, where it is to differ from the profile.",
        ),
    ],
};

/// Table of a TCP transport for what implementations do differently; its keys are parameters.
pub const TCP_BEHAVIOUR: Section = Section {
    title: "`behaviour` of transport \"tcp\"",
    doc: "Behaviour in which implementations of TCP differ. A profile sets all of it.",
    keys: &[],
};

/// Table of a Multipath TCP transport for what implementations do differently; its keys are parameters.
pub const MPTCP_BEHAVIOUR: Section = Section {
    title: "`behaviour` of transport \"mptcp\"",
    doc: "Behaviour in which implementations of Multipath TCP differ, and of the TCP of their subflows. A profile sets all of it.",
    keys: &[],
};

/// Keys of a Multipath TCP transport beside the connection's and its subflows' parameters.
pub const MPTCP: Section = Section {
    title: "transport \"mptcp\"",
    doc: "Multipath TCP. In addition to these keys, the options of a connection can be set, and those of TCP, which hold for each subflow.",
    keys: &[
        may(
            "cc",
            Shape::MultipathControl,
            "of the profile: lia, ns3 linked_increases, linux cubic",
            "The congestion control: a coupled one, for all subflows together, or one of TCP's, for each subflow by itself.",
        ),
        may(
            "scheduler",
            Shape::Scheduler,
            "of the profile: lowest_rtt, ns3 round_robin, linux linux",
            "The scheduler: which subflow carries which data.",
        ),
        may(
            "path_manager",
            Shape::PathManager,
            "of the profile: fullmesh, linux linux",
            "The path manager: which subflows are opened and closed.",
        ),
        may(
            "profile",
            Shape::Plain(Kind::Choice(&[
                "rfc",
                "ns2",
                "ns3",
                "linux",
                "linux_6_1",
                "linux_6_12",
                "mptcp_0_94",
            ])),
            "rfc",
            "The implementation that the connection behaves like. It sets the defaults of the other keys and of all parameters.",
        ),
        may(
            "header",
            SIZE,
            "the real headers (ns2: 40 B)",
            "Bytes of headers that each packet has in addition to its payload. \"auto\" is the real size.",
        ),
        may(
            "behaviour",
            Shape::MptcpBehaviour,
            "of the profile",
            "A table of what implementations do differently, of the connection or of its subflows' TCP, where it is to differ from the profile.",
        ),
    ],
};

/// Keys of a QUIC transport beside the connection's parameters.
pub const QUIC: Section = Section {
    title: "transport \"quic\"",
    doc: "QUIC, by an implementation of others that runs unmodified in simulated time. In addition to these keys, the options of a connection can be set.",
    keys: &[
        may(
            "cc",
            Shape::CongestionControl,
            "cubic",
            "The congestion control: the stack's \"cubic\" or \"newreno\", or with cc_from = \"simulator\" one of those that TCP flows have.",
        ),
        may(
            "cc_from",
            Shape::Plain(Kind::Choice(&["stack", "simulator"])),
            "stack",
            "Whether the congestion control is the stack's own, or the simulator's in its place.",
        ),
    ],
};

/// Keys of a UDP transport.
pub const UDP: Section = Section {
    title: "transport \"udp\"",
    doc: "UDP. It sends without regard to losses and marks.",
    keys: &[
        may("header", SIZE, "28 B", "Bytes of headers that each packet has in addition to its payload."),
        may(
            "ecn",
            SWITCH,
            "false",
            "Whether packets are ECN-capable. Queues then mark them instead of dropping them; the sender ignores the marks.",
        ),
    ],
};
