//! Lines as people post them: whole commands (`tc qdisc replace dev eth0 root cake ...`) and what `tc qdisc show` prints, with
//! `-s` its statistics, too (`qdisc cake 8021: dev eth0 root refcnt 2 ...`).

use super::{TcError, TcWords};

/// Verbs of `tc qdisc`.
const VERBS: [&str; 6] = ["add", "replace", "change", "link", "del", "delete"];
/// Disciplines without a queue of their own: `mq` has a leaf for each ring of a card, which are alike; the others look at packets that arrive.
const WITHOUT_QUEUE: [&str; 4] = ["mq", "ingress", "clsact", "noqueue"];
/// Disciplines whose classes hold others: beside a line of another discipline they say the rate and delay of the link.
const AROUND_A_QUEUE: [&str; 3] = ["htb", "hfsc", "netem"];

/// Reads up to the kind of a discipline, which becomes the current word; the words after it are its own.
pub(super) fn kind<'a>(words: &mut TcWords<'a>) -> Result<&'a str, TcError> {
    choose_line(words)?;
    let first = words.next_word().ok_or_else(|| words.error("expected a queue discipline"))?;
    match first {
        "tc" => command(words),
        "qdisc" => statement(words),
        "class" => class(words),
        "filter" => filter(words),
        _ => Ok(first),
    }
}

/// Makes the leaf of `mq` the kind, where the line goes on with one of `known`: `mq fq_codel limit 1000`.
pub(super) fn leaf_of_mq<'a>(kind: &'a str, words: &mut TcWords<'a>, known: &[&str]) -> &'a str {
    let mut ahead = words.clone();
    match ahead.next_word() {
        Some(leaf) if kind == "mq" && known.contains(&leaf) => {
            *words = ahead;
            leaf
        }
        _ => kind,
    }
}

/// Limits the words to the line that says the discipline, where the text has several.
fn choose_line(words: &mut TcWords<'_>) -> Result<(), TcError> {
    if !words.text.trim().contains('\n') {
        return Ok(());
    }
    let (mut lines, mut passed, mut start) = (Vec::new(), Vec::new(), 0);
    for line in words.text.split_inclusive('\n') {
        let place = start..start + line.trim_end().len();
        match role(line) {
            LineRole::Queue => lines.push(place),
            LineRole::AroundQueue => passed.push(place),
            LineRole::Other => {}
        }
        start += line.len();
    }
    if lines.is_empty() {
        lines = core::mem::take(&mut passed);
        // A class says what its qdisc does not: the rate.
        let (classes, others) = lines.into_iter().partition(|line| is_class(&words.text[line.clone()]));
        lines = if Vec::is_empty(&classes) { others } else { classes };
    }
    for line in passed {
        words.word = (line.start, line.len());
        words.note(
            "only the queue's own line is read: rates, delays and classes beside it are those of the link",
        );
    }
    let Some(first) = lines.first().cloned() else { return Ok(()) };
    let alike = |a: &str, b: &str| without_place(a).eq(without_place(b));
    let other = lines.iter().find(|line| !alike(&words.text[(*line).clone()], &words.text[first.clone()]));
    if let Some(other) = other {
        words.word = (other.start, other.len());
        return Err(
            words.error("a second discipline: give the lines of one queue, as a link has one each way")
        );
    }
    words.text = &words.text[..first.end];
    words.next = first.start;
    Ok(())
}

/// Whether a line is of a class of htb, which is a shaper by itself.
fn is_class(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| *word == "tc" || word.starts_with('-'));
    words.next() == Some("class") && words.any(|word| word == "htb")
}

/// Use of a line of a text with several.
enum LineRole {
    /// Command or statement of a discipline with a queue.
    Queue,
    /// Class, filter, or discipline that has the queue in a class.
    AroundQueue,
    /// Statistics, comments and disciplines without a queue.
    Other,
}

fn role(line: &str) -> LineRole {
    let mut words = line.split_whitespace().skip_while(|word| *word == "tc" || word.starts_with('-'));
    let says = |kinds: &[&str]| line.split_whitespace().any(|word| kinds.contains(&word));
    match words.next() {
        Some("qdisc") if says(&WITHOUT_QUEUE) => LineRole::Other,
        Some("qdisc") if says(&AROUND_A_QUEUE) => LineRole::AroundQueue,
        Some("qdisc") => LineRole::Queue,
        Some("class" | "filter" | "for") => LineRole::AroundQueue,
        _ => LineRole::Other,
    }
}

/// A statement without what tells leaves of `mq` apart: handle and parent.
fn without_place(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace().filter(|word| !word.contains(':'))
}

/// `tc -s qdisc replace dev eth0 parent 1:1 handle 10: KIND`, after `tc`.
fn command<'a>(words: &mut TcWords<'a>) -> Result<&'a str, TcError> {
    let mut word = words.next_word();
    while word.is_some_and(|word| word.starts_with('-')) {
        word = words.next_word();
    }
    match word {
        Some("qdisc") => statement(words),
        Some("class") => class(words),
        Some("filter") => filter(words),
        _ => Err(words.error("expected `qdisc` after `tc`")),
    }
}

/// `add dev eth0 parent 1: classid 1:1 htb rate 5mbit` or `htb 1:1 root rate 5Mbit`, after `class`.
fn class<'a>(words: &mut TcWords<'a>) -> Result<&'a str, TcError> {
    let start = words.clone();
    match statement(words) {
        Ok("htb") => Ok("htb"),
        _ => Err(start.error("a class is no queue but of `htb`: give the line of its qdisc")),
    }
}

/// `add dev eth0 ingress matchall action police rate 10mbit`, after `filter`: the policer in it.
fn filter<'a>(words: &mut TcWords<'a>) -> Result<&'a str, TcError> {
    let start = words.clone();
    while let Some(word) = words.next_word() {
        if word == "police" {
            return Ok(word);
        }
    }
    Err(start.error("a filter is no queue but with `police`: give the line of its qdisc"))
}

/// `replace dev eth0 root KIND` or `KIND 8021: dev eth0 root refcnt 2`, after `qdisc`.
fn statement<'a>(words: &mut TcWords<'a>) -> Result<&'a str, TcError> {
    let verb = words.next_word().ok_or_else(|| words.error("expected a queue discipline after `qdisc`"))?;
    if VERBS.contains(&verb) {
        skip_place(words);
        let kind = words.next_word().ok_or_else(|| words.error("expected a queue discipline"))?;
        return Ok(kind);
    }
    let place = words.word;
    let handle = words.clone().next_word().is_some_and(|word| word.contains(':'));
    if handle {
        words.next_word();
    }
    skip_place(words);
    words.point_at(place);
    Ok(verb)
}

/// Skips the words that say where a discipline is, not what it does.
fn skip_place(words: &mut TcWords<'_>) {
    loop {
        let mut ahead = words.clone();
        match ahead.next_word() {
            Some("dev" | "parent" | "handle" | "refcnt" | "classid" | "leaf") => drop(ahead.next_word()),
            Some("root" | "offloaded" | "[Unknown" | "deleted") => {}
            _ => return,
        }
        *words = ahead;
    }
}

#[cfg(test)]
mod tests {
    use crate::disciplines::QdiscConfig;

    fn read(text: &str) -> QdiscConfig {
        QdiscConfig::parse_tc(text).unwrap_or_else(|e| panic!("{text}: {}", e.message))
    }

    #[test]
    fn commands_and_statements_are_the_discipline_that_they_state() {
        let cake = read("cake bandwidth 18mbit besteffort dual-srchost ack-filter noatm overhead 18 mpu 64");
        for posted in [
            "tc qdisc replace dev eth1 root cake bandwidth 18mbit besteffort dual-srchost ack-filter noatm overhead 18 mpu 64",
            "tc qdisc add dev pppoe-wan root handle 1: cake bandwidth 18Mbit besteffort dual-srchost ack-filter overhead 18 mpu 64",
            "qdisc cake 8003: root refcnt 2 bandwidth 18Mbit besteffort dual-srchost nat nowash ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64",
            "qdisc cake 8021: dev eth0 root refcnt 9 bandwidth 18Mbit besteffort dual-srchost nonat nowash ack-filter split-gso rtt 100.0ms noatm overhead 18 mpu 64",
        ] {
            assert_eq!(read(posted), cake, "{posted}");
        }
        assert_eq!(
            read(
                "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64"
            ),
            read("fq_codel limit 10240 ecn")
        );
        assert_eq!(read("qdisc cake 1: root refcnt 5 bandwidth unlimited diffserv3"), read("cake diffserv3"));
        assert_eq!(read("qdisc pfifo 8001: root refcnt 2 limit 1000p"), read("pfifo limit 1000"));
        assert_eq!(read("qdisc bfifo 8001: root refcnt 2 limit 150Kb"), read("bfifo limit 150kb"));
    }

    #[test]
    fn statistics_are_skipped_and_leaves_of_mq_are_one_queue() {
        let block = "\
qdisc mq 0: dev eth0 root
 Sent 1066331 bytes 5021 pkt (dropped 0, overlimits 0 requeues 3)
 backlog 0b 0p requeues 3
qdisc fq_codel 0: dev eth0 parent :2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64
 Sent 533165 bytes 2510 pkt (dropped 0, overlimits 0 requeues 1)
  maxpacket 1514 drop_overlimit 0 new_flow_count 12 ecn_mark 0
qdisc fq_codel 0: dev eth0 parent :1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64
";
        assert_eq!(read(block), read("fq_codel limit 10240 ecn"));
        let two = "tc qdisc add dev a root pfifo limit 5\ntc qdisc add dev b root pfifo limit 6\n";
        let error = QdiscConfig::parse_tc(two).unwrap_err();
        assert_eq!((error.offset, error.message.contains("second discipline")), (38, true));
    }

    #[test]
    fn shapers_around_a_queue_are_noted() {
        let script = "\
# src->dst: fq_codel at 10mbit
tc qdisc replace dev DEV root handle 1: htb default 1
tc class replace dev DEV parent 1: classid 1:1 htb rate 10mbit
tc qdisc replace dev DEV parent 1:1 handle 10: fq_codel limit 500 ecn
";
        let (config, notes) = QdiscConfig::read_tc(script).unwrap();
        assert_eq!(config, read("fq_codel limit 500 ecn"));
        assert_eq!(notes.iter().map(|note| note.offset).collect::<Vec<_>>(), [31, 85]);
        let error = QdiscConfig::parse_tc("tc qdisc add dev a root handle 1: htb default 30").unwrap_err();
        assert!(error.message.contains("rate of the class"), "{}", error.message);
    }

    #[test]
    fn classes_of_htb_and_filters_that_police_are_disciplines() {
        let class = read("htb rate 5mbit ceil 8mbit burst 15k");
        for posted in [
            "tc class add dev eth0 parent 1: classid 1:1 htb rate 5mbit ceil 8mbit burst 15k",
            "class htb 1:1 root leaf 10: prio 0 rate 5Mbit ceil 8Mbit burst 15Kb",
            "tc qdisc add dev eth0 root handle 1: htb default 1\ntc class add dev eth0 parent 1: classid 1:1 htb rate 5mbit ceil 8mbit burst 15k\n",
        ] {
            assert_eq!(read(posted), class, "{posted}");
        }
        let police = read("police rate 10mbit burst 64kb drop");
        for posted in [
            "tc filter add dev eth0 ingress matchall action police rate 10mbit burst 64kb conform-exceed drop",
            "tc filter add dev eth0 parent ffff: protocol ip prio 50 u32 match ip src 0.0.0.0/0 police rate 10mbit burst 64k drop flowid :1",
            "tc qdisc add dev eth0 handle ffff: ingress\ntc filter add dev eth0 parent ffff: matchall action police rate 10mbit burst 64k conform-exceed drop/ok\n",
        ] {
            assert_eq!(read(posted), police, "{posted}");
        }
        assert!(QdiscConfig::parse_tc("tc filter add dev eth0 ingress matchall action drop").is_err());
    }

    #[test]
    fn a_line_of_mq_is_its_leaf() {
        assert_eq!(read("mq fq_codel limit 1000"), read("fq_codel limit 1000"));
        assert_eq!(read("tc qdisc replace dev eth0 root mq pfifo_fast"), read("pfifo_fast"));
        let error = QdiscConfig::parse_tc("mq").unwrap_err();
        assert!(error.message.contains("`mq fq_codel`"), "{}", error.message);
    }

    #[test]
    fn errors_in_posted_lines_point_at_the_word() {
        for (text, at, message) in [
            ("tc qdisc add dev eth0 root fq_codle", 27, "fq_codel"),
            ("qdisc fq_codle 0: root refcnt 2 limit 5p", 6, "fq_codel"),
            ("tc qdisc add dev eth0 root pfifo limti 5", 33, "limit"),
            ("tc class add dev eth0 parent 1: classid 1:1 drr quantum 1514", 3, "its qdisc"),
            ("tc filter add dev eth0 parent 1: basic classid 1:1", 3, "its qdisc"),
            ("tc qdisc add dev eth0 root", 26, "expected a queue discipline"),
        ] {
            let error = QdiscConfig::parse_tc(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {}", error.message);
            assert_eq!(error.offset, at, "{text}: {}", error.message);
        }
    }
}
