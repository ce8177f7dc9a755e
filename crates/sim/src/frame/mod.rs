//! Packets as bytes: what captures show and foreign hosts hear, and what foreign hosts say.

mod decode;
mod encode;
mod mptcp;

pub(crate) use decode::{Content, Frame};
pub(crate) use encode::{bytes_of, headers_of};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Envelope, FlowEnd, OptionsArena, Owner, SimPacket};
    use crate::sockets::SocketId;
    use proptest::prelude::*;
    use tailrace_core::{Dscp, Ecn, Instant, Packet};
    use tailrace_net::Address;
    use tailrace_transport::segment::{Flags, SackBlocks, Segment, SeqNumber, Timestamps};

    fn segments() -> impl Strategy<Value = Segment> {
        let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), any::<u8>(), 0..1400_u32);
        let ecn = prop::sample::select(vec![Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce]);
        let sack = prop::collection::vec((any::<u32>(), any::<u32>()), 0..3);
        let open = prop::option::of((any::<u16>(), 0..15_u8, any::<bool>()));
        let stamps = prop::option::of((any::<u32>(), any::<u32>()));
        (numbers, ecn, stamps, sack, open).prop_map(
            |((seq, ack, window, flags, payload), ecn, stamps, sack, open)| {
                let mut blocks = SackBlocks::NONE;
                // The options of a SYN leave no room for them.
                let sack = if open.is_some() { Vec::new() } else { sack };
                sack.into_iter().for_each(|(left, right)| blocks.push(SeqNumber(left), SeqNumber(right)));
                Segment {
                    seq: SeqNumber(seq),
                    ack: SeqNumber(ack),
                    window,
                    flags: Flags(flags),
                    ecn,
                    payload,
                    timestamps: stamps.map(|(value, echo)| Timestamps { value, echo }),
                    sack: blocks,
                    mss: open.map(|o| o.0),
                    window_scale: open.map(|o| o.1),
                    sack_permitted: open.is_some_and(|o| o.2),
                    ..Segment::default()
                }
            },
        )
    }

    fn envelope() -> Envelope {
        Envelope {
            source: Address(0xc0a8_0001),
            destination: Address(0x0a00_0002),
            source_port: 40_000,
            destination_port: 80,
            dscp: Dscp(10),
            to: FlowEnd::client(3),
            peer: SocketId::NONE,
        }
    }

    proptest! {
        /// A packet is the same after its way through bytes, twice, and leaves nothing in the arena.
        #[test]
        fn packets_survive_their_way_through_bytes(segment in segments(), late: bool) {
            let mut arena = OptionsArena::default();
            let pkt = SimPacket::tcp(&envelope(), &segment, None, &mut arena, Instant::ZERO);
            let (mut bytes, mut again) = (Vec::new(), Vec::new());
            bytes_of(&pkt, &arena, &mut bytes);
            let frame = Frame::decode(&bytes).unwrap();
            prop_assert_eq!(frame.content, Content::Tcp { segment, multipath: false });
            prop_assert_eq!(frame.tuple, envelope().tuple());
            let mut copy = SimPacket::foreign(&frame, (&bytes, Owner::foreign(0)), &mut arena, Instant::ZERO);
            prop_assert_eq!((copy.size(), copy.flow(), copy.dscp()), (pkt.size(), pkt.flow(), pkt.dscp()));
            prop_assert_eq!(copy.segment(&arena), segment);
            if late {
                copy.set_ce();
            }
            bytes_of(&copy, &arena, &mut again);
            let ecn = if late { Ecn::Ce } else { segment.ecn };
            let content = Content::Tcp { segment: Segment { ecn, ..segment }, multipath: false };
            prop_assert_eq!(Frame::decode(&again).unwrap(), Frame { ecn, content, ..frame });
            pkt.release(&mut arena);
            copy.release(&mut arena);
            prop_assert_eq!(arena.in_use(), 0);
        }

        #[test]
        fn any_bytes_are_a_packet_or_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..80), real: bool) {
            if real && bytes.len() >= 20 {
                (bytes[0], bytes[9]) = (0x45, 6);
                let len = bytes.len() as u16;
                bytes[2..4].copy_from_slice(&len.to_be_bytes());
                bytes[10..12].fill(0);
                let sum = tailrace_wire::checksum::Sum::new().bytes(&bytes[..20]).checksum();
                bytes[10..12].copy_from_slice(&sum.to_be_bytes());
            }
            let frame = Frame::decode(&bytes);
            prop_assert_eq!(frame.is_ok(), real && bytes.len() >= 20);
        }
    }
}
