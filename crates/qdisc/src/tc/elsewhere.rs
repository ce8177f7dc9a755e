//! Disciplines of tc that are something else here.

/// Kind of tc, and what says the same in a scenario.
const ELSEWHERE: [(&str, &str); 6] = [
    (
        "netem",
        "netem is no queue here: a link has `delay`, `jitter`, `loss` and `rate`, and `queue = \"pfifo limit 1000\"` is netem's own limit",
    ),
    (
        "hfsc",
        "hfsc is its classes: give the link the `rate` of a class, or `queue = \"htb rate 10mbit\"`, and the queue of its leaf",
    ),
    (
        "mq",
        "mq has a queue for each ring of a card, which are alike: write the leaf behind it, `mq fq_codel`, or `mq pfifo_fast` where nobody chose one",
    ),
    ("noqueue", "noqueue holds nothing: leave `queue` out for a FIFO of 1000 packets"),
    (
        "ingress",
        "ingress has no queue: give the line of its policer, `police rate 10mbit burst 64kb drop`, or of the shaper to which it hands packets (ifb)",
    ),
    (
        "clsact",
        "clsact has no queue: give the line of its policer, `police rate 10mbit burst 64kb drop`, or of the discipline at the root",
    ),
];

/// Advice for a kind of tc that something other than a queue stands for.
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
