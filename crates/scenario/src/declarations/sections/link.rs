//! Links.

use crate::declarations::key::{LOSS, PROBABILITY, QUEUE, SIZE, SWITCH, Section, Shape, may, must};
use crate::model::Strip;
use tailrace_core::params::{Kind, ParamType};
use tailrace_impair::RATES;

/// Options that a middlebox takes out.
const STRIP: Shape = Shape::Plain(<Strip as ParamType>::KIND);

/// `[[link]]`.
pub const LINK: Section = Section {
    title: "[[link]]",
    doc: "A link that carries packets in both directions at once. If `between` names several hosts, one link is made for each.",
    keys: &[
        may("name", Shape::Name, "its ends, joined by -", "The name of the link; no other link may have it."),
        must("between", Shape::Ends, "The two ends: names of hosts or routers. [\"src[*]\", \"g1\"] makes one link to g1 for each host called src."),
        must(
            "rate",
            Shape::LinkRate,
            "How much the link carries per second in each direction. Instead of a rate, also a file with the times at which it can deliver (\"trace(FILE)\"), or a model of an access network: { kind = \"lte\", ... }.",
        )
        .bounded(RATES),
        must(
            "delay",
            Shape::Distribution,
            "Propagation delay, one way. A distribution gives one value for each link and run.",
        ),
        may("jitter", Shape::Distribution, "none", "Extra delay on the way, drawn for each packet by itself."),
        may("reorder", SWITCH, "false", "Whether packets may overtake each other because of `jitter`. If false, they stay in order."),
        may("loss", LOSS, "0", "Random loss of packets after they were sent: a probability, or a loss model with its keys."),
        may(
            "overhead",
            SIZE,
            "0 B; with a trace 4 B",
            "Bytes that each packet takes on the link in addition to its IP size, such as an Ethernet header.",
        ),
        may("mtu", SIZE, "1500 B", "The size of the largest IP packet that the link carries. Larger ones are dropped and counted.").within(
            "68 B",
            "65536 B",
            "every link carries 68 bytes (RFC 791) | no IP packet has more than 65535",
        ),
        may(
            "strip",
            STRIP,
            "none",
            "TCP options that a middlebox at the far end removes from packets: those of Multipath TCP from every segment (\"mptcp\"), from SYNs only (\"mptcp_syn\"), or from all others (\"mptcp_data\").",
        ),
        may(
            "rewrite",
            PROBABILITY,
            "0",
            "Share of the packets with payload whose payload a middlebox at the far end changes. It corrects TCP's checksum, so that only Multipath TCP's own checksum can notice.",
        ),
        may(
            "cost",
            Shape::Plain(Kind::Count),
            "1",
            "Cost of each direction for routes: packets take the path with the least sum, of equal ones that whose link comes first in the file. With 1 everywhere, that is the path with the fewest links.",
        )
        .within("1", "65535", "routes over links without cost could run in circles | costs end there in OSPF (RFC 2328 §A.4.2)"),
        may("queue", QUEUE, "droptail of 1000 packets", "The queue discipline in front of the link, for each direction: which packets wait, in which order they are sent, and which are dropped or marked."),
        may(
            "queue_limit",
            Shape::Plain(Kind::Limit),
            "each discipline's own",
            "The most that may wait in the queue of each direction, whatever its discipline. If the queue states a `limit` of its own, that one holds.",
        ),
        may(
            "medium",
            Shape::Name,
            "none",
            "The name of the [[medium]] (such as a Wi-Fi channel) that both directions share with other links. `rate` is then the rate at which frames are sent on it.",
        ),
        may("reverse", Shape::Reverse, "", "Differences of the direction from the second end to the first, such as a slower rate."),
    ],
};

/// `reverse` of a link.
pub const REVERSE: Section = Section {
    title: "`reverse` of a link",
    doc: "Differences of the direction from a link's second end to its first.",
    keys: &[
        may(
            "rate",
            Shape::LinkRate,
            "as forward",
            "Rate of this direction: a plain one, a trace, or a model of an access network.",
        )
        .bounded(RATES),
        may("delay", Shape::Distribution, "as forward", "Propagation delay, one way."),
        may(
            "jitter",
            Shape::Distribution,
            "as forward",
            "Extra delay on the way, drawn for each packet by itself.",
        ),
        may(
            "loss",
            LOSS,
            "as forward",
            "Random loss of packets after they were sent: a probability, or a loss model with its keys.",
        ),
        may("strip", STRIP, "as forward", "TCP options that a middlebox removes."),
        may("rewrite", PROBABILITY, "as forward", "The share of packets whose payload a middlebox changes."),
        may("cost", Shape::Plain(Kind::Count), "as forward", "Cost of this direction for routes.").within(
            "1",
            "65535",
            "routes over links without cost could run in circles | costs end there in OSPF (RFC 2328 §A.4.2)",
        ),
        may("queue", QUEUE, "as forward", "Queue discipline."),
    ],
};
