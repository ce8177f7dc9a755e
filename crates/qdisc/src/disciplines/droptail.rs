//! Drop-tail and drop-head: a FIFO with a hard limit, the control case of every comparison.
//!
//! The simplest queue: a FIFO that drops packets when it is full. Linux `pfifo`, `bfifo`, `pfifo_head_drop`; ns-2
//! `queue/drop-tail.cc`. In ns-2 one packet (or byte) fewer than the limit can wait, which is the option `ns2`. Its
//! head drop inserts a packet first and then drops one, so in bytes its queue may exceed the limit; here packets are
//! dropped until the new one fits.

use crate::discipline::LinkView;
use crate::managed::{DropEnd, Managed, NoLaw};
use crate::registry::{About, Discipline, Invalid};
use crate::tc::{TcError, TcLine, TcWords};
use tailrace_core::{Bytes, Limit, Packet};

tailrace_core::parameters! {
    /// Parameters of `droptail`.
    pub struct DroptailConfig {
        /// The most packets or bytes that may wait; the packet that is being sent does not count. If it is too small,
        /// bursts are lost and the link has nothing to send at times; if it is too large, packets wait long.
        limit: Limit = Limit::Packets(50), "ns-2 Queue limit_";
        /// The packet that is dropped when the queue is full: the arriving one, the oldest, or a random one. If it is
        /// the oldest, the sender learns of the drop one queueing delay earlier.
        drop: DropEnd = DropEnd::Tail, "Linux pfifo";
        /// Whether the limit counts as in ns-2: at most one packet (or byte) less than `limit` waits.
        ns2: bool = false, "ns-2 queue/drop-tail.cc";
    }
}

/// Packets that Linux lets wait where tc is given no limit (`txqueuelen`).
const TXQUEUELEN: u64 = 1000;
/// Ethernet frame that tc multiplies `txqueuelen` with for `bfifo`.
const FRAME: Bytes = Bytes(1514);

impl DroptailConfig {
    fn effective_limit(&self) -> Limit {
        match (self.limit, self.ns2) {
            (limit, false) => limit,
            (Limit::Packets(n), true) => Limit::Packets(n.saturating_sub(1)),
            (Limit::Bytes(b), true) => Limit::Bytes(b.saturating_sub(Bytes(1))),
        }
    }
}

impl Discipline for DroptailConfig {
    const ABOUT: About = About {
        family: "fifo",
        summary: "First in, first out; drops arriving packets when it is full.",
        citation: "Linux pfifo and bfifo; ns-2 queue/drop-tail.cc",
        ecn: "ignored",
        per_flow_state: "none",
    };
    const TC_KINDS: &'static [&'static str] = &["pfifo", "bfifo", "pfifo_head_drop", "droptail"];
    type Queue<P: Packet> = Managed<NoLaw, P>;

    fn validate(&self) -> Result<(), Invalid> {
        match self.effective_limit() {
            Limit::Packets(0) | Limit::Bytes(Bytes(0)) => {
                Err(("limit", "no packet could ever wait; the limit must be larger".into()))
            }
            _ => Ok(()),
        }
    }

    fn build<P: Packet>(&self, _link: &LinkView) -> Managed<NoLaw, P> {
        Managed::new(self.effective_limit(), false, self.drop, NoLaw)
    }

    fn from_tc(kind: &str, words: &mut TcWords<'_>) -> Result<Self, TcError> {
        let drop = if kind == "pfifo_head_drop" { DropEnd::Head } else { DropEnd::Tail };
        let mut limit = match kind {
            "bfifo" => Limit::Bytes(FRAME * TXQUEUELEN),
            _ => Limit::Packets(TXQUEUELEN),
        };
        while let Some(word) = words.next_word() {
            limit = match word {
                "limit" if kind == "bfifo" => Limit::Bytes(words.size()?),
                "limit" => Limit::Packets(words.count()?),
                _ => return Err(words.unknown(&["limit"])),
            };
        }
        Ok(Self { limit, drop, ns2: false })
    }

    fn explicit(&self, _link: &LinkView) -> Self {
        Self { limit: self.effective_limit(), ns2: false, ..self.clone() }
    }

    fn to_tc(&self) -> Option<TcLine> {
        Some(match (self.drop, self.limit) {
            (DropEnd::Head, limit) => TcLine::new("pfifo_head_drop").packets("limit", limit),
            (_, Limit::Packets(_)) => TcLine::new("pfifo").packets("limit", self.limit),
            (_, Limit::Bytes(b)) => TcLine::new("bfifo").size("limit", b),
        })
    }

    fn plain_fifo(&self) -> Option<Limit> {
        (self.drop == DropEnd::Tail).then(|| self.effective_limit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Cx, QueueDiscipline};
    use crate::testing::{Collector, TestPacket};
    use tailrace_core::{Duration, Instant, Rate, Rng};

    /// Offers `sizes` back to back without service; returns what waits and what died.
    fn offer(config: &DroptailConfig, sizes: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let link = LinkView::new(Rate::from_mbit(1), Duration::ZERO);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut queue = config.build(&link);
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for (id, size) in sizes.iter().enumerate() {
            queue.enqueue(TestPacket::new(id as u64, 0, *size), &mut cx);
        }
        let waiting = std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|(p, _)| p.id).collect();
        (waiting, sink.dropped.iter().map(|(p, ..)| p.id).collect())
    }

    #[test]
    fn tail_keeps_the_first_ten_of_fifteen_and_head_the_last_ten() {
        let ids = |r: core::ops::Range<u64>| r.collect::<Vec<_>>();
        let tail = DroptailConfig { limit: Limit::Packets(10), ..Default::default() };
        assert_eq!(offer(&tail, &[1000; 15]), (ids(0..10), ids(10..15)));
        let head = DroptailConfig { drop: DropEnd::Head, ..tail };
        assert_eq!(offer(&head, &[1000; 15]), (ids(5..15), ids(0..5)));
    }

    #[test]
    fn head_drop_in_bytes_drops_until_the_arrival_fits_and_never_empties_in_vain() {
        let head =
            DroptailConfig { limit: Limit::Bytes(Bytes(1000)), drop: DropEnd::Head, ..Default::default() };
        // 300 + 300 + 300 wait; 700 needs two of them gone; 1001 can never fit.
        assert_eq!(offer(&head, &[300, 300, 300, 700, 1001]), (vec![2, 3], vec![0, 1, 4]));
    }

    #[test]
    fn random_drop_keeps_the_queue_full_and_takes_every_place() {
        let random =
            DroptailConfig { limit: Limit::Packets(10), drop: DropEnd::Random, ..Default::default() };
        let (waiting, dropped) = offer(&random, &[1000; 1000]);
        assert_eq!((waiting.len(), dropped.len()), (10, 990));
        // The arrival dies with probability 1/11: of 990, 90 give or take four standard deviations (36).
        let arrivals = dropped.iter().zip(10..).filter(|(id, arrival)| **id == *arrival).count();
        assert!((54..=126).contains(&arrivals), "{arrivals}");
    }

    #[test]
    fn ns2_lets_one_fewer_wait() {
        let ns2 = DroptailConfig { limit: Limit::Packets(10), ns2: true, ..Default::default() };
        assert_eq!(offer(&ns2, &[1000; 15]).0.len(), 9);
        assert_eq!(ns2.plain_fifo(), Some(Limit::Packets(9)));
        let bytes = DroptailConfig { limit: Limit::Bytes(Bytes(5000)), ns2: true, ..Default::default() };
        assert_eq!(offer(&bytes, &[1000; 15]).0.len(), 4);
    }

    #[test]
    fn tc_lines_read_as_tc_reads_them() {
        let parse = |s: &str| {
            let mut words = TcWords::new(s);
            let kind = words.next_word().unwrap();
            DroptailConfig::from_tc(kind, &mut words)
        };
        assert_eq!(parse("pfifo limit 50").unwrap().limit, Limit::Packets(50));
        assert_eq!(parse("bfifo limit 64kb").unwrap().limit, Limit::Bytes(Bytes(65_536)));
        assert_eq!(parse("pfifo_head_drop limit 5").unwrap().drop, DropEnd::Head);
        assert!(parse("pfifo limt 5").unwrap_err().message.contains("\"limit\""));
    }
}
