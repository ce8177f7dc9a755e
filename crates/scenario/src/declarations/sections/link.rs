//! Links.

use super::key::{LOSS, PROBABILITY, QUEUE, SIZE, SWITCH, Section, Shape, may, must};
use crate::model::Strip;
use tailrace_core::params::{Kind, ParamType};
use tailrace_impair::RATES;

/// What a middlebox strips.
const STRIP: Shape = Shape::Plain(<Strip as ParamType>::KIND);

/// `[[link]]`.
pub const LINK: Section = Section {
    title: "[[link]]",
    doc: "A full-duplex link, or one for each pair that `between` names.",
    keys: &[
        may("name", Shape::Name, "its ends, joined by -", "Its name, unique among links."),
        must("between", Shape::Ends, "Its ends: [\"src[*]\", \"g1\"] makes one link for each member of src."),
        must(
            "rate",
            Shape::LinkRate,
            "Rate of each direction, a trace of when it delivers (\"trace(FILE)\"), or what grants: { kind = \"lte\", ... }.",
        )
        .bounded(RATES),
        must(
            "delay",
            Shape::Distribution,
            "One-way propagation delay; a distribution is drawn once a link and run.",
        ),
        may("jitter", Shape::Distribution, "none", "Extra delay drawn for each packet."),
        may("reorder", SWITCH, "false", "Whether jitter may reorder packets."),
        may("loss", LOSS, "0", "Random loss after transmission."),
        may(
            "overhead",
            SIZE,
            "0 B; with a trace 4 B",
            "Bytes that each packet takes on the link beyond its IP size.",
        ),
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
        may("queue", QUEUE, "droptail of 1000 packets", "Queue discipline of each direction."),
        may(
            "queue_limit",
            Shape::Plain(Kind::Limit),
            "each discipline's own",
            "Most that may wait in each direction, whatever its discipline; a `limit` of the queue's own goes before.",
        ),
        may(
            "medium",
            Shape::Name,
            "none",
            "The [[medium]] that both directions share with other links; `rate` is then that of their frames.",
        ),
        may("reverse", Shape::Reverse, "", "What differs in the direction from the second end to the first."),
    ],
};

/// `reverse` of a link.
pub const REVERSE: Section = Section {
    title: "`reverse` of a link",
    doc: "What differs in the direction from a link's second end to its first.",
    keys: &[
        may("rate", Shape::LinkRate, "as forward", "Rate, a trace, or what grants.").bounded(RATES),
        may("delay", Shape::Distribution, "as forward", "One-way propagation delay."),
        may("jitter", Shape::Distribution, "as forward", "Extra delay drawn for each packet."),
        may("loss", LOSS, "as forward", "Random loss after transmission."),
        may("strip", STRIP, "as forward", "TCP options that a middlebox takes out."),
        may("rewrite", PROBABILITY, "as forward", "Share of packets whose payload a middlebox changes."),
        may("queue", QUEUE, "as forward", "Queue discipline."),
    ],
};
