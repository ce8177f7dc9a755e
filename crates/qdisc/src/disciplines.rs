//! The table of queue disciplines: one line each.
//!
//! `"name" => file::Variant(Config)`. The line declares the module, so a new discipline is one file in
//! `disciplines/` and one line here.

use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use crate::plugin::{PluginConfig, PluginQdisc};
use crate::registry::{Discipline, Invalid, QdiscInfo, Shaping, differences, qdiscs};
use crate::tc::{NoTc, TcError, TcExport, TcNote, TcWords};
use tailrace_core::params::{Choice, Value};
use tailrace_core::{Instant, Limit, Packet};

qdiscs! {
    "droptail" => droptail::Droptail(DroptailConfig),
    "red" => red::Red(RedConfig),
    "ared" => ared::Ared(AredConfig),
    "self_configuring_red" => self_configuring_red::SelfConfiguringRed(SelfConfiguringRedConfig),
    "nlred" => nlred::Nlred(NlredConfig),
    "choke" => choke::Choke(ChokeConfig),
    "xchoke" => xchoke::Xchoke(XchokeConfig),
    "rechoke" => rechoke::Rechoke(RechokeConfig),
    "punsi" => punsi::Punsi(PunsiConfig),
    "rred" => rred::Rred(RredConfig),
    "stored" => stored::Stored(StoredConfig),
    "fred" => fred::Fred(FredConfig),
    "red_pd" => red_pd::RedPd(RedPdConfig),
    "cpr" => cpr::Cpr(CprConfig),
    "sfb" => sfb::Sfb(SfbConfig),
    "codel" => codel::Codel(CodelConfig),
    "sfq" => sfq::Sfq(SfqConfig),
    "pie" => pie::Pie(PieConfig),
    "fq_codel" => fq_codel::FqCodel(FqCodelConfig),
    "drr" => drr::Drr(DrrConfig),
    "cobalt" => cobalt::Cobalt(CobaltConfig),
    "fq_cobalt" => fq_cobalt::FqCobalt(FqCobaltConfig),
    "cake" => cake::Cake(CakeConfig),
    "codel_lifo" => codel_lifo::CodelLifo(CodelLifoConfig),
    "fq_codel_lifo" => fq_codel_lifo::FqCodelLifo(FqCodelLifoConfig),
    "fq" => fq::Fq(FqConfig),
    "wfq" => wfq::Wfq(WfqConfig),
    "fq_pie" => fq_pie::FqPie(FqPieConfig),
    "pi2" => pi2::Pi2(Pi2Config),
    "dualpi2" => dualpi2::Dualpi2(Dualpi2Config),
    "blue" => blue::Blue(BlueConfig),
    "rem" => rem::Rem(RemConfig),
    "pi" => pi::Pi(PiConfig),
    "avq" => avq::Avq(AvqConfig),
    "netfence" => netfence::Netfence(NetfenceConfig),
    "csfq" => csfq::Csfq(CsfqConfig),
    "dfs" => dfs::Dfs(DfsConfig),
    "tbf" => tbf::Tbf(TbfConfig),
    "htb" => htb::Htb(HtbConfig),
    "police" => police::Police(PoliceConfig),
    "prio" => prio::Prio(PrioConfig),
    "pfifo_fast" => pfifo_fast::PfifoFast(PfifoFastConfig),
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tailrace_core::Bytes;

    #[test]
    fn tc_lines_find_their_discipline() {
        let lines = [
            ("pfifo limit 50", "droptail"),
            ("bfifo limit 64kb", "droptail"),
            (
                "red limit 200kb min 15kb max 45kb avpkt 1000 burst 20 ecn adaptive probability 0.02 bandwidth 10mbit",
                "red",
            ),
            ("red limit 200kb min 15kb max 45kb ecn", "red"),
            ("pie limit 1000 target 15ms tupdate 15ms alpha 2 beta 20 ecn", "pie"),
            ("codel limit 1000 target 5ms interval 100ms ecn", "codel"),
            (
                "fq_codel limit 1000 flows 256 quantum 300 target 5ms memory_limit 32mb drop_batch 64 ecn",
                "fq_codel",
            ),
            ("drr quantum 1514", "drr"),
            ("dualpi2 limit 1000 target 15ms tupdate 16ms step_thresh 1ms classic_protection 10%", "dualpi2"),
            ("cake bandwidth 10mbit diffserv4 triple-isolate rtt 100ms", "cake"),
            ("fq_pie limit 2000 flows 256 target 15ms tupdate 15ms alpha 2 beta 20 ecn_prob 10", "fq_pie"),
            ("sfq limit 127 perturb 10 quantum 1514 divisor 1024 flows 128", "sfq"),
        ];
        for (line, name) in lines {
            assert_eq!(QdiscConfig::parse_tc(line).unwrap().name(), name, "{line}");
        }
        assert_eq!(
            QdiscConfig::parse_tc("bfifo limit 64kb").unwrap().plain_fifo(),
            Some(Limit::Bytes(Bytes(65_536)))
        );
        assert_eq!(QdiscConfig::parse_tc("codel").unwrap().plain_fifo(), None);
    }

    #[test]
    fn tc_errors_name_the_place_and_the_nearest_word() {
        let e = QdiscConfig::parse_tc("cdoel limit 5").unwrap_err();
        assert_eq!((e.offset, e.len), (0, 5));
        assert!(e.message.contains("\"codel\""), "{}", e.message);
        let e = QdiscConfig::parse_tc("pfifo limit").unwrap_err();
        assert_eq!((e.offset, e.len), (11, 0));
        let e = QdiscConfig::parse_tc("red limit 200kb min 45kb max 15kb burst 99").unwrap_err();
        assert!(e.message.starts_with("min_th: "), "{}", e.message);
        assert!(QdiscConfig::parse_tc("  ").is_err());
    }

    proptest! {
        #[test]
        fn no_tc_line_panics_or_passes_unvalidated(
            words in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec![
                        "red", "sfq", "codel", "pfifo", "limit", "min", "max", "burst", "avpkt", "ecn", "target",
                        "quantum", "flows", "divisor", "perturb", "0", "1", "20", "64kb", "5ms", "1e9", "-1", "1.5",
                        "18446744073709551615", "9999999gb", "0.02",
                    ]).prop_map(String::from),
                    "\\PC{0,6}",
                ],
                0..8,
            ),
        ) {
            let text = words.join(" ");
            match QdiscConfig::parse_tc(&text) {
                Ok(config) => prop_assert_eq!(config.validate(), Ok(())),
                Err(e) => prop_assert!(text.get(e.offset..e.offset + e.len).is_some()),
            }
        }
    }
}
