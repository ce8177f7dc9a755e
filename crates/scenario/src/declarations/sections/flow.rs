//! Flows.

use super::key::{COUNT, DURATION, Section, Shape, may, must};
use crate::model::Pattern;
use tailrace_core::params::{Kind, ParamType};

/// `[[flow]]`.
pub const FLOW: Section = Section {
    title: "[[flow]]",
    doc: "A flow from one host to another, or one for each pair that `from` and `to` name.",
    keys: &[
        must("name", Shape::Name, "Name of the group, unique."),
        must("from", Shape::Selector, "Sending hosts."),
        must(
            "to",
            Shape::Selector,
            "Receiving hosts: as many as `from`, or one on either side; with another `pattern` as that has them.",
        ),
        may(
            "pattern",
            Shape::Plain(<Pattern as ParamType>::KIND),
            "pairs",
            "Who of them sends to whom: in order, each to each, all to one at the same time, or each to one that is drawn.",
        ),
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
        may("client_port", COUNT, "49152", "Port of `from` in the first connection; later ones count up.")
            .within("1", "65534", "ports have 16 bits"),
        may(
            "server_port",
            COUNT,
            "5001",
            "Port of `to`; further flows between the same two addresses have the next ones.",
        )
        .within("1", "65535", "ports have 16 bits"),
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
