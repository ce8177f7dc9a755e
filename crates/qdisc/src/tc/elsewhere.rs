//! Disciplines of tc that are something else here.

/// Kind of tc, and what says the same in a scenario.
const ELSEWHERE: [(&str, &str); 9] = [
    (
        "netem",
        "netem is no queue here: a link has `delay`, `jitter`, `loss` and `rate`, and `queue = \"pfifo limit 1000\"` is netem's own limit",
    ),
    (
        "htb",
        "htb is its classes: give the link the `rate` of a class, or `queue = \"tbf rate 10mbit burst 16kb latency 50ms\"`, and the queue of its leaf",
    ),
    ("hfsc", "hfsc is its classes: give the link the `rate` of a class, and the queue of its leaf"),
    (
        "pfifo_fast",
        "pfifo_fast sorts by priority, of which all packets have the same unless a flow sets `dscp`: without that it is `pfifo limit 1000`",
    ),
    ("prio", "prio is not there: bands with a quantum each are `drr`, and `cake` sorts by DSCP"),
    ("mq", "mq has a queue for each ring of a card, which are alike: give the line of one leaf"),
    ("noqueue", "noqueue holds nothing: leave `queue` out for a FIFO of 1000 packets"),
    ("ingress", "ingress has no queue: give the line of the shaper to which it hands packets (ifb)"),
    ("clsact", "clsact has no queue: give the line of the discipline at the root"),
];

/// What says the same as a kind of tc, where a queue does not.
pub(crate) fn elsewhere(kind: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(name, _)| *name == kind).map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disciplines::QdiscConfig;

    #[test]
    fn none_is_a_discipline_here_and_each_is_refused_with_what_says_the_same() {
        for (kind, what) in ELSEWHERE {
            assert!(QdiscConfig::default_of(kind).is_none(), "{kind}");
            let error =
                QdiscConfig::parse_tc(&format!("tc qdisc add dev eth0 root {kind} limit 5")).unwrap_err();
            assert_eq!((error.message.as_str(), error.offset), (what, 27), "{kind}");
        }
    }
}
