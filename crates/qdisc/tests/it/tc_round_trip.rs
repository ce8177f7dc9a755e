//! Lines of tc mean the same when they are read back, and parameters that tc cannot express are named.

use crate::configurations::{configuration, link};
use proptest::prelude::*;
use tailrace_core::{Duration, Rate};
use tailrace_qdisc::tc::{NoTc, TcExport};
use tailrace_qdisc::{LinkView, QdiscConfig};

const LINK: LinkView = LinkView::new(Rate::from_mbit(45), Duration::from_millis(10));

/// Disciplines that a kernel of Linux has; not `ared`: the `red` there does not adapt, whatever its line says.
const IN_LINUX: [&str; 12] = [
    "droptail", "red", "choke", "sfb", "codel", "sfq", "pie", "fq_codel", "drr", "fq_pie", "dualpi2", "cake",
];

fn any_configuration() -> impl Strategy<Value = QdiscConfig> {
    prop::sample::select(QdiscConfig::names()).prop_flat_map(configuration)
}

/// The configuration that a line means, every value written out.
fn meaning(line: &str, link: &LinkView) -> QdiscConfig {
    QdiscConfig::parse_tc(line).unwrap_or_else(|e| panic!("{line}: {}", e.message)).explicit(link)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_line_carries_every_parameter_that_is_not_named(config in any_configuration(), link in link()) {
        let Ok(TcExport { line, differs, .. }) = config.to_tc(&link) else { return Ok(()) };
        let (here, there) = (config.explicit(&link), meaning(&line, &link));
        for p in here.params() {
            let named = differs.iter().any(|d| d.param == p.name);
            prop_assert_eq!(here.get(p.name) != there.get(p.name), named, "{} in {}", p.name, line);
        }
    }

    #[test]
    fn what_came_from_a_line_goes_back_whole(config in any_configuration(), link in link()) {
        let Ok(TcExport { line, .. }) = config.to_tc(&link) else { return Ok(()) };
        let read = QdiscConfig::parse_tc(&line).unwrap();
        let again = read.to_tc(&link).unwrap();
        prop_assert_eq!(again.differs, vec![]);
        prop_assert_eq!(meaning(&again.line, &link), read.explicit(&link), "{} became {}", line, again.line);
    }

    #[test]
    fn writing_every_value_out_changes_nothing_twice(config in any_configuration(), link in link()) {
        let explicit = config.explicit(&link);
        prop_assert_eq!(explicit.explicit(&link), explicit);
    }
}

#[test]
fn defaults_have_a_line_where_linux_has_the_discipline() {
    for name in IN_LINUX {
        let config = QdiscConfig::default_of(name).unwrap();
        assert!(config.to_tc(&LINK).is_ok(), "{name}: {:?}", config.to_tc(&LINK));
    }
    for name in ["ared", "blue", "cobalt", "fq", "pi2", "rred"] {
        assert_eq!(QdiscConfig::default_of(name).unwrap().to_tc(&LINK), Err(NoTc::NotInLinux), "{name}");
    }
}

#[test]
fn lines_are_those_an_operator_would_write() {
    let lines = [
        ("pfifo limit 50", "pfifo limit 50"),
        ("bfifo limit 64kb", "bfifo limit 64kb"),
        ("pfifo_head_drop limit 5", "pfifo_head_drop limit 5"),
        // A weight of 1/8, which bursts of 21 also give: 21 + 1 - 15.36 = 6.64 <= 8 (1 - (7/8)^21) = 7.52; of 22 do not.
        (
            "red limit 200kb min 15kb max 45kb avpkt 1000 burst 20 ecn adaptive probability 0.02 bandwidth 10mbit",
            "red limit 200kb min 15kb max 45kb avpkt 1000 burst 21 probability 0.02 bandwidth 10mbit ecn",
        ),
        (
            "dualpi2 step_thresh 5packets overflow",
            "dualpi2 limit 10000 coupling_factor 2 step_thresh 5p min_qlen_step 0 overflow drop_dequeue l4s_ect \
             classic_protection 10% target 15ms tupdate 16ms alpha 0.16015625 beta 3.19921875",
        ),
        ("codel target 5ms", "codel limit 1000 target 5ms interval 100ms noecn"),
        (
            "fq_codel flows 256 quantum 300 ce_threshold 2500us",
            "fq_codel limit 10240 memory_limit 32mb flows 256 quantum 300 target 5ms interval 100ms ecn \
             ce_threshold 2500us drop_batch 64",
        ),
        ("pie alpha 4 beta 40", "pie limit 1000 target 15ms tupdate 15ms alpha 4 beta 32 noecn"),
        (
            "cake bandwidth 10mbit diffserv4 oceanic pppoe-ptm ingress",
            "cake bandwidth 10mbit rtt 300ms diffserv4 triple-isolate memlimit 4mb ptm overhead 30 ingress",
        ),
        ("sfq perturb 10", "sfq limit 127 perturb 10 quantum 1514 divisor 1024 flows 128 depth 127"),
        (
            "sfb rehash 600000 db 60000 limit 1000 max 25 target 20 increment 0.001 decrement 0.0001",
            "sfb rehash 600000 db 60000 limit 1000 max 25 target 20 increment 0.001 decrement 0.0001 \
             penalty_rate 10 penalty_burst 20",
        ),
    ];
    for (read, written) in lines {
        let line = QdiscConfig::parse_tc(read).unwrap().to_tc(&LINK).unwrap().line;
        assert_eq!(line, written, "{read}");
    }
}

#[test]
fn automatic_thresholds_are_worked_out_for_the_link() {
    let red = QdiscConfig::default_of("red").unwrap().to_tc(&LINK).unwrap();
    // Half of 5 ms at 45 Mbit/s is 14 062.5 bytes; packets of 1000 bytes.
    assert!(red.line.contains("min 14063 max 42188 avpkt 1000"), "{}", red.line);
    assert!(red.line.contains("bandwidth 45mbit") && red.line.contains("limit 50000"), "{}", red.line);
    let named: Vec<&str> = red.differs.iter().map(|d| d.param).collect();
    assert_eq!(named, ["limit", "weight", "queue_in_bytes", "gentle", "count", "guard"]);
    assert_eq!((red.differs[0].here.as_str(), red.differs[0].there.as_str()), ("50 packets", "50 kB"));
}

#[test]
fn a_classful_discipline_has_a_class_for_each_flow() {
    let mut drr = QdiscConfig::default_of("drr").unwrap();
    drr.set("flows", &tailrace_core::params::Value::Integer(16)).unwrap();
    let commands = drr.to_tc(&LINK).unwrap().commands.join("\n");
    assert!(commands.contains("seq 1 16") && commands.contains("divisor 16"), "{commands}");
    assert!(commands.contains("drr quantum 1514"), "{commands}");
}
