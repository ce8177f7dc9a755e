//! Transports.

use super::key::{SIZE, SWITCH, Section, Shape, may};
use tailrace_core::params::Kind;

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
