//! The ACK filter: an acknowledgment that a newer one of the same connection makes redundant is dropped.
//!
//! For links whose upward rate is so small that acknowledgments fill it (Høiland-Jørgensen et al. 2018 §III-D). The
//! arriving packet triggers a search through its queue; what is dropped is the oldest pure ACK that says nothing which
//! the newcomer does not say, too: not more SACKed data, no duplicate SACK, no newer timestamp, no other ECE or CWR
//! than the ACK after it.

use crate::discipline::Sink;
use crate::packet_lists::{End, Ends, Store};
use tailrace_core::{FlowKey, Packet, Sack, SackRanges, TcpAck};

tailrace_core::choices! {
    /// Whether redundant ACKs are dropped.
    pub enum AckFilter {
        /// No ACK is dropped.
        Off = "off",
        /// If two needless ACKs wait, the older one is dropped; so duplicate ACKs are still seen as such.
        On = "on",
        /// A needless ACK is dropped even if it is the only one, when the new ACK follows directly after it.
        Aggressive = "aggressive",
    }
}

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
/// ECE and CWR.
const ECN: u8 = 0xc0;

/// A segment with its SACK option.
struct Segment {
    flow: FlowKey,
    tcp: TcpAck,
    sack: SackRanges,
}

/// Index of the packet that the newest one of the queue makes redundant.
pub(super) fn redundant<P: Packet>(
    filter: AckFilter,
    store: &Store<P>,
    ends: &Ends,
    sink: &dyn Sink<P>,
) -> Option<u32> {
    let (newest, mut index) = (ends.index(End::Newest), ends.index(End::Oldest));
    if index == newest {
        return None;
    }
    let (packet, _) = store.look(newest)?;
    let new = segment(packet, sink).filter(|new| new.tcp.flags & (ACK | SYN) == ACK)?;
    let mut found: Option<(u32, u8)> = None;
    let mut follows = false;
    while index != newest {
        let (packet, next) = store.look(index)?;
        let here = core::mem::replace(&mut index, next);
        follows = false;
        if packet.flow() != new.flow || packet.tcp_ack().is_none() {
            continue;
        }
        let ecn = packet.tcp_ack().map_or(0, |tcp| tcp.flags & ECN);
        // The change itself is news, which the ACK before it carries.
        found = found.filter(|(_, before)| *before == ecn);
        if !segment(packet, sink).is_some_and(|old| is_redundant(&old, &new)) {
            continue;
        }
        if let Some((older, _)) = found {
            return Some(older);
        }
        found = Some((here, ecn));
        follows = true;
    }
    found
        .filter(|(_, ecn)| filter == AckFilter::Aggressive && follows && *ecn == new.tcp.flags & ECN)
        .map(|(index, _)| index)
}

/// The segment in `packet`; none where something about it is not known.
fn segment<P: Packet>(packet: &P, sink: &dyn Sink<P>) -> Option<Segment> {
    let tcp = packet.tcp_ack()?;
    let sack = match tcp.sack {
        Sack::Here(ranges) => ranges,
        Sack::Apart => sink.sack(packet)?,
    };
    Some(Segment { flow: packet.flow(), tcp, sack })
}

/// Whether `new` says all that `old` does, and more.
fn is_redundant(old: &Segment, new: &Segment) -> bool {
    let pure = old.tcp.flags & !ECN == ACK && old.tcp.payload == 0;
    let times = match (old.tcp.timestamps, new.tcp.timestamps) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(old), Some(new)) => !after(old.0, new.0) && !after(old.1, new.1),
    };
    if !pure || !times || after(old.tcp.ack, new.tcp.ack) {
        return false;
    }
    match covers(old, new) {
        Coverage::Less => false,
        Coverage::Same => old.tcp.ack != new.tcp.ack,
        Coverage::More => true,
    }
}

/// Relation of a newer SACK option to an older one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coverage {
    Less,
    Same,
    More,
}

fn covers(old: &Segment, new: &Segment) -> Coverage {
    let (olds, news) = (old.sack.as_slice(), new.sack.as_slice());
    let kept = |(start, end): &(u32, u32)| {
        // A range below the acknowledgment tells of a duplicate (RFC 2883 §4).
        !after(old.tcp.ack, *start) && news.iter().any(|(s, e)| !after(*s, *start) && !after(*end, *e))
    };
    if !olds.iter().all(kept) {
        return Coverage::Less;
    }
    let bytes = |ranges: &[(u32, u32)]| {
        ranges.iter().map(|(start, end)| u64::from(end.wrapping_sub(*start))).sum::<u64>()
    };
    if bytes(news) > bytes(olds) { Coverage::More } else { Coverage::Same }
}

/// Whether `a` is later than `b` in sequence space (RFC 9293 §3.4).
const fn after(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
    use crate::disciplines::cake::{Cake, CakeConfig, FlowMode};
    use crate::registry::Discipline;
    use crate::testing::{Collector, TestPacket};
    use AckFilter::{Aggressive, Off, On};
    use tailrace_core::{Bytes, Duration, Ecn, Instant, Rate, Rng};

    #[derive(Clone, Copy, Debug)]
    struct Acking {
        packet: TestPacket,
        tcp: Option<TcpAck>,
    }

    impl Packet for Acking {
        fn size(&self) -> Bytes {
            self.packet.size
        }
        fn flow(&self) -> FlowKey {
            self.packet.flow
        }
        fn ecn(&self) -> Ecn {
            Ecn::NotEct
        }
        fn set_ce(&mut self) {}
        fn tcp_ack(&self) -> Option<TcpAck> {
            self.tcp
        }
    }

    fn plain(ack: u32) -> TcpAck {
        let sack = Sack::Here(SackRanges::default());
        TcpAck { ack, flags: ACK, payload: 0, timestamps: None, sack }
    }

    fn sacking(ack: u32, ranges: &[(u32, u32)]) -> TcpAck {
        TcpAck { sack: Sack::Here(ranges.iter().copied().collect()), ..plain(ack) }
    }

    /// Acknowledgment numbers that wait after these segments of one connection arrived, oldest first.
    fn waiting(filter: AckFilter, segments: &[TcpAck]) -> Vec<u32> {
        let flows = segments.iter().map(|tcp| (0, Some(*tcp))).collect::<Vec<_>>();
        waiting_of(filter, &flows)
    }

    /// The same for segments of several connections that share a queue, and packets that are none.
    fn waiting_of(ack_filter: AckFilter, packets: &[(u32, Option<TcpAck>)]) -> Vec<u32> {
        let config = CakeConfig { ack_filter, flow_mode: FlowMode::Flowblind, ..CakeConfig::default() };
        let link = LinkView::new(Rate::from_mbit(1), Duration::ZERO);
        let mut queue: Cake<Acking> = config.build(&link);
        let (mut rng, mut sink) = (Rng::new(1), Collector::default());
        let mut cx = Cx { now: Instant::ZERO, rng: &mut rng, sink: &mut sink };
        for (flow, tcp) in packets {
            queue.enqueue(Acking { packet: TestPacket::new(0, *flow, 40), tcp: *tcp }, &mut cx);
        }
        let left: Vec<u32> = core::iter::from_fn(|| queue.dequeue(&mut cx))
            .map(|(p, _)| p.tcp.map_or(0, |tcp| tcp.ack))
            .collect();
        assert_eq!(left.len() + sink.dropped.len(), packets.len());
        assert_eq!(queue.backlog(), Backlog::default());
        left
    }

    #[test]
    fn two_redundant_ones_and_the_newest_are_thinned_to_two() {
        let acks: Vec<TcpAck> = (1..=6).map(|n| plain(1000 * n)).collect();
        assert_eq!(waiting(Off, &acks).len(), 6);
        assert_eq!(waiting(On, &acks), [5000, 6000]);
        assert_eq!(waiting(Aggressive, &acks), [6000]);
        assert_eq!(waiting(On, &acks[..2]), [1000, 2000]);
    }

    #[test]
    fn sequence_numbers_wrap() {
        let acks = [plain(u32::MAX - 10), plain(u32::MAX - 5), plain(7)];
        assert_eq!(waiting(On, &acks), [u32::MAX - 5, 7]);
        assert_eq!(waiting(Aggressive, &[plain(7), plain(u32::MAX)]), [7, u32::MAX]);
    }

    #[test]
    fn duplicate_acks_stay() {
        assert_eq!(waiting(Aggressive, &[plain(5); 4]), [5; 4]);
    }

    #[test]
    fn only_pure_acks_go() {
        let data = TcpAck { payload: 100, ..plain(1) };
        for flags in [ACK | 0x01, ACK | 0x02, ACK | 0x04, ACK | 0x08, ACK | 0x20] {
            let other = TcpAck { flags, ..plain(1) };
            assert_eq!(waiting(Aggressive, &[other, other, plain(9)]), [1, 1, 9], "{flags:#x}");
        }
        assert_eq!(waiting(Aggressive, &[data, data, plain(9)]), [1, 1, 9]);
        // An ACK that triggers the filter need not be pure.
        assert_eq!(waiting(On, &[plain(1), plain(2), TcpAck { payload: 100, ..plain(3) }]), [2, 3]);
    }

    #[test]
    fn a_sack_stays_unless_a_newer_one_covers_it() {
        // The newcomer without SACK says less.
        assert_eq!(waiting(Aggressive, &[sacking(1, &[(10, 20)]), plain(5)]), [1, 5]);
        // It covers the range and adds to it: as duplicate ACKs of a loss do.
        let growing = [sacking(1, &[(10, 20)]), sacking(1, &[(10, 30)]), sacking(1, &[(10, 40)])];
        assert_eq!(waiting(On, &growing).len(), 2);
        assert_eq!(waiting(Aggressive, &growing).len(), 1);
        // The second covers both ranges of the first, the third not that of the second.
        let partly = [sacking(1, &[(10, 20), (30, 40)]), sacking(1, &[(10, 50)]), sacking(1, &[(30, 50)])];
        assert_eq!(waiting(Aggressive, &partly), [1, 1]);
        assert_eq!(waiting(Aggressive, &[sacking(1, &[(10, 20)]), sacking(1, &[(30, 90)])]), [1, 1]);
        // A duplicate SACK is always news.
        assert_eq!(
            waiting(Aggressive, &[sacking(30, &[(10, 20)]), sacking(30, &[(10, 20), (40, 50)])]),
            [30, 30]
        );
    }

    #[test]
    fn a_change_of_the_ecn_flags_is_kept() {
        let ece = |ack| TcpAck { flags: ACK | 0x40, ..plain(ack) };
        // 1 | 2 (ECE) 3 (ECE) | 4: 1 is the last without ECE and 3 the last with it.
        assert_eq!(waiting(Aggressive, &[plain(1), ece(2), ece(3), plain(4)]), [1, 3, 4]);
        assert_eq!(waiting(On, &[ece(1), ece(2), plain(3)]), [2, 3]);
    }

    #[test]
    fn newer_timestamps_are_kept() {
        let at = |ack, value, echo| TcpAck { timestamps: Some((value, echo)), ..plain(ack) };
        assert_eq!(waiting(Aggressive, &[at(1, 5, 5), at(2, 6, 6)]), [2]);
        assert_eq!(waiting(Aggressive, &[at(1, 7, 5), at(2, 6, 6)]), [1, 2]);
        assert_eq!(waiting(Aggressive, &[at(1, 5, 7), at(2, 6, 6)]), [1, 2]);
        assert_eq!(waiting(Aggressive, &[at(1, 5, 5), plain(2)]), [1, 2]);
    }

    #[test]
    fn connections_that_share_a_queue_are_told_apart() {
        let packets =
            [(1, Some(plain(1))), (2, Some(plain(2))), (1, Some(plain(3))), (3, None), (1, Some(plain(5)))];
        // 1 and 3 of the first connection are redundant: 1 goes. Nothing of the others.
        assert_eq!(waiting_of(On, &packets), [2, 3, 0, 5]);
        // Another packet between them: 3 stays, also in aggressive mode.
        assert_eq!(waiting_of(Aggressive, &packets), [2, 3, 0, 5]);
    }

    #[test]
    fn a_sack_kept_apart_that_nobody_knows_stays() {
        let apart = |ack| TcpAck { sack: Sack::Apart, ..plain(ack) };
        assert_eq!(waiting(Aggressive, &[apart(1), apart(2), plain(3)]), [1, 2, 3]);
        assert_eq!(waiting(Aggressive, &[plain(1), plain(2), apart(3)]), [2, 3]);
    }
}
