//! pfifo_fast: three FIFOs in strict priority, what Linux gives a device where nobody chose otherwise.
//!
//! Linux `sch_generic.c` (`pfifo_fast_ops`); tc-pfifo_fast(8). It is `prio` with three bands, the usual map and FIFOs: a band is
//! served only while all bands before it are empty. The priority follows from the DiffServ codepoint as in `prio`; where no
//! flow sets one, all packets are in band 1, and it is a FIFO. Most distributions replace it by `fq_codel`
//! (`net.core.default_qdisc`).

use super::prio::{Bands, Priomap, fifo};
use crate::discipline::LinkView;
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Limit, Packet};

tailrace_core::parameters! {
    /// Parameters of `pfifo_fast`.
    pub struct PfifoFastConfig {
        /// The most packets that may wait in each of the three bands. If it is too small, bursts are lost; if it is too large,
        /// packets wait long. tc has no word for it: it is the device's `txqueuelen`.
        band_limit: u32 = 1000, "Linux txqueuelen of Ethernet", in 1..=10000000: "no packet could ever wait | no memory holds more";
    }
}

/// Number of bands.
const BANDS: usize = 3;

impl Discipline for PfifoFastConfig {
    const ABOUT: About = About {
        family: "priority",
        summary: "Three FIFOs in strict priority by the TOS bits: what Linux has by default.",
        citation: "Linux sch_generic; tc-pfifo_fast(8)",
        ecn: "ignored",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["pfifo_fast"];
    type Queue<P: Packet> = Bands<P>;

    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }

    fn build<P: Packet>(&self, link: &LinkView) -> Bands<P> {
        let band = fifo(Limit::Packets(u64::from(self.band_limit)));
        Bands::new(&vec![band; BANDS], Priomap::LINUX, link)
    }

    fn from_tc(_kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        while let Some(word) = words.next_word() {
            let stated = match word {
                "bands" => words.count()? == BANDS as u64,
                "priomap" => Priomap::from_tc(words)? == Priomap::LINUX,
                "limit" => {
                    return Err(words.error(
                        "pfifo_fast has no limit in tc: it is the device's txqueuelen, here `band_limit` of `kind = \"pfifo_fast\"`",
                    ));
                }
                _ => return Err(words.unknown(&["bands", "priomap"])),
            };
            if !stated {
                return Err(words.error("pfifo_fast has three bands and the usual map; others are `prio`"));
            }
        }
        Ok(Self::default())
    }

    fn to_tc(&self) -> Option<TcLine> {
        let line = TcLine::new("pfifo_fast");
        if self.band_limit == Self::default().band_limit {
            return Some(line);
        }
        Some(line.commands(vec![
            format!("ip link set dev DEV txqueuelen {}", self.band_limit),
            "tc qdisc replace dev DEV PARENT pfifo_fast".into(),
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::disciplines::QdiscConfig;
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Dscp, Duration, Instant, Rate, Rng};

    #[test]
    fn bands_have_limits_of_their_own_and_the_first_is_sent_first() {
        let config = PfifoFastConfig { band_limit: 2 };
        let link = LinkView::new(Rate::from_mbit(10), Duration::ZERO);
        let (mut queue, mut rng, mut sink) =
            (config.build::<TestPacket>(&link), Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        // Codepoint 2 is bulk, priority 2, band 2; 0 best effort, band 1; 4 interactive, priority 6, band 0.
        for (id, dscp) in [(0, 2), (1, 2), (2, 2), (3, 0), (4, 4), (5, 4), (6, 4)] {
            queue.enqueue(TestPacket { dscp: Dscp(dscp), ..TestPacket::new(id, 0, 100) }, &mut cx);
        }
        let out: Vec<u64> = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect();
        assert_eq!(out, [4, 5, 3, 0, 1]);
        assert_eq!(sink.dropped.iter().map(|(p, ..)| p.id).collect::<Vec<_>>(), [2, 6]);
    }

    #[test]
    fn lines_are_those_that_tc_prints() {
        let shown =
            "qdisc pfifo_fast 0: dev eth0 root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1";
        assert_eq!(QdiscConfig::parse_tc(shown).unwrap(), QdiscConfig::PfifoFast(PfifoFastConfig::default()));
        let refused = |line: &str| QdiscConfig::parse_tc(line).unwrap_err().message;
        assert!(refused("pfifo_fast bands 4").contains("others are `prio`"));
        assert!(refused("pfifo_fast limit 100").contains("txqueuelen"));
    }
}
