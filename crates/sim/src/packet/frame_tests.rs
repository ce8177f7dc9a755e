//! Round trips of packets through bytes.

use crate::packet::frame_decode::DecodedPacket;
use crate::packet::frame_decode::DecodedPayload;
use crate::packet::frame_encode::StreamPosition;
use crate::packet::frame_encode::bytes_of;
use crate::packet::frame_encode::bytes_with;

use crate::packet::envelope::Envelope;
use crate::packet::flow_end::{FlowEnd, PacketOwner};
use crate::packet::options_arena::OptionsArena;
use crate::packet::sim_packet::SimPacket;
use crate::packet::socket_id::SocketId;
use proptest::prelude::*;
use tailrace_app::Datagram;
use tailrace_core::{Dscp, Ecn, Instant, Packet};
use tailrace_net::Address;
use tailrace_transport::mptcp::option::{AddressIds, Dss, Mapping, Options, ResetReason, Signal};
use tailrace_transport::segment::{Flags, SackBlocks, Segment, SeqNumber, Timestamps};
use tailrace_wire::tcp::mptcp::checksum_of_mapping;
use tailrace_wire::{Ipv4Packet, TcpPacket, UdpPacket, content};

fn segments() -> impl Strategy<Value = Segment> {
    let numbers = (any::<u32>(), any::<u32>(), any::<u16>(), any::<u8>(), 0..1400_u32);
    let ecn = prop::sample::select(vec![Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce]);
    let sack = prop::collection::vec((any::<u32>(), any::<u32>()), 0..3);
    let open = prop::option::of((any::<u16>(), 0..15_u8, any::<bool>()));
    let stamps = prop::option::of((any::<u32>(), any::<u32>()));
    (numbers, ecn, stamps, sack, open).prop_map(
        |((seq, ack, window, flags, payload), ecn, stamps, sack, open)| {
            let mut blocks = SackBlocks::NONE;
            // The options of a SYN leave no room for SACK blocks.
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

fn any_dss() -> impl Strategy<Value = Dss> {
    let number = |wide: bool, n: u64| if wide { n } else { n & 0xffff_ffff };
    let mapping = (any::<u64>(), any::<u32>(), any::<u16>());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (prop::option::of(any::<u64>()), prop::option::of(mapping), flags).prop_map(
        move |(ack, mapping, (data_fin, wide_ack, wide_dsn, checksum))| {
            let (wide_ack, wide_dsn) = (wide_ack && ack.is_some(), wide_dsn && mapping.is_some());
            Dss {
                data_ack: ack.map(|n| number(wide_ack, n)),
                mapping: mapping.map(|(n, ssn, len)| Mapping { dsn: number(wide_dsn, n), ssn, len }),
                data_fin,
                wide_ack,
                wide_dsn,
                checksum: checksum && mapping.is_some(),
                goes_on: false,
            }
        },
    )
}

fn signals() -> impl Strategy<Value = Signal> {
    let word = any::<u64>;
    prop_oneof![
        any::<bool>().prop_map(|checksum| Signal::CapableSyn { checksum }),
        (any::<bool>(), word()).prop_map(|(checksum, key)| Signal::CapableSynAck { checksum, key }),
        (any::<bool>(), word(), word(), any::<Option<u16>>()).prop_map(|(checksum, client, server, len)| {
            Signal::CapableAck { checksum, client, server, len, dsn: 0 }
        }),
        (any::<bool>(), any::<u8>(), any::<u32>(), any::<u32>())
            .prop_map(|(backup, id, token, nonce)| Signal::JoinSyn { backup, id, token, nonce }),
        (any::<bool>(), any::<u8>(), word(), any::<u32>())
            .prop_map(|(backup, id, hmac, nonce)| Signal::JoinSynAck { backup, id, hmac, nonce }),
        any::<[u8; 20]>().prop_map(|hmac| Signal::JoinAck { hmac }),
        (any::<u8>(), any::<u32>(), any::<Option<u16>>(), any::<Option<u64>>())
            .prop_map(|(id, address, port, hmac)| Signal::AddAddr { id, address, port, hmac }),
        prop::collection::vec(any::<u8>(), 1..=8).prop_map(|ids| Signal::RemoveAddr(AddressIds::of(&ids))),
        any::<bool>().prop_map(|backup| Signal::Priority { backup }),
        (word(), any::<bool>()).prop_map(|(dsn, closes)| Signal::Fail { dsn, closes }),
        word().prop_map(|key| Signal::FastClose { key }),
        (any::<bool>(), 0..=6_u8)
            .prop_map(|(transient, n)| Signal::Reset { transient, reason: ResetReason::of(n) }),
    ]
}

fn plain(segment: Segment) -> DecodedPayload {
    DecodedPayload::Tcp { segment, multipath: false, mptcp: Options::NONE }
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
    /// A packet is unchanged after two round trips through bytes, and leaves nothing in the arena.
    #[test]
    fn packets_round_trip_through_bytes(segment in segments(), late: bool) {
        let mut arena = OptionsArena::default();
        let pkt = SimPacket::tcp(&envelope(), &segment, None, &mut arena, Instant::ZERO);
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        bytes_of(&pkt, &arena, &mut bytes);
        let frame = DecodedPacket::decode(&bytes).unwrap();
        prop_assert_eq!(frame.content, plain(segment));
        prop_assert_eq!(frame.tuple, envelope().tuple());
        let mut copy = SimPacket::foreign(&frame, (&bytes, PacketOwner::foreign(0)), &mut arena, Instant::ZERO);
        prop_assert_eq!((copy.size(), copy.flow(), copy.dscp()), (pkt.size(), pkt.flow(), pkt.dscp()));
        prop_assert_eq!(copy.segment(&arena), segment);
        if late {
            copy.set_ce();
        }
        bytes_of(&copy, &arena, &mut again);
        let ecn = if late { Ecn::Ce } else { segment.ecn };
        let content = plain(Segment { ecn, ..segment });
        prop_assert_eq!(DecodedPacket::decode(&again).unwrap(), DecodedPacket { ecn, content, ..frame });
        pkt.release(&mut arena);
        copy.release(&mut arena);
        prop_assert_eq!(arena.in_use(), 0);
    }

    /// Options of a connection are decoded as encoded; truncated numbers keep the low half.
    #[test]
    fn mptcp_options_round_trip_through_bytes(
        dss in prop::option::of(any_dss()), signal in prop::option::of(signals()), payload in 0..1400_u32,
    ) {
        let options = Options::new(dss, signal);
        prop_assume!(!options.is_empty() && options.len() <= 40);
        let mut arena = OptionsArena::default();
        let segment = Segment { payload, flags: Flags::ACK, ..Segment::default() };
        let mut pkt = SimPacket::tcp(&envelope(), &segment, None, &mut arena, Instant::ZERO);
        pkt.set_mptcp(&options, &mut arena);
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        bytes_of(&pkt, &arena, &mut bytes);
        prop_assert_eq!(bytes.len() as u32, 40 + options.len() + payload);
        let frame = DecodedPacket::decode(&bytes).unwrap();
        let copy = SimPacket::foreign(&frame, (&bytes, PacketOwner::foreign(0)), &mut arena, Instant::ZERO);
        let read = copy.mptcp(&arena);
        prop_assert_eq!((read.dss, read.signal), (options.dss, options.signal));
        let checked = options.dss.is_some_and(|d| d.checksum)
            || matches!(options.signal, Some(Signal::CapableAck { checksum: true, len: Some(_), .. }));
        prop_assert_eq!(read.sums.map(|s| s.payload), (checked && payload > 0).then_some(0));
        bytes_of(&copy, &arena, &mut again);
        prop_assert_eq!(&bytes, &again);
        pkt.release(&mut arena);
        copy.release(&mut arena);
        prop_assert_eq!(arena.in_use(), 0);
    }

    /// A foreign host's socket receives the content of the stream with correct checksums, except where a middlebox changes it.
    #[test]
    fn stream_content_is_at_its_position(byte: u32, origin: u64, payload in 1..1400_u16, fin: bool, altered: bool) {
        let (dsn, len) = (origin.wrapping_add(byte.into()), payload + u16::from(fin));
        let mapping = Some(Mapping { dsn, ssn: 9, len });
        let dss = Dss { mapping, data_fin: fin, wide_dsn: true, checksum: true, ..Dss::default() };
        let mut arena = OptionsArena::default();
        let segment = Segment { payload: payload.into(), flags: Flags::ACK, ..Segment::default() };
        let mut pkt = SimPacket::tcp(&envelope(), &segment, None, &mut arena, Instant::ZERO);
        pkt.set_mptcp(&Options::new(Some(dss), None), &mut arena);
        if altered {
            pkt.alter(&mut arena);
        }
        let mut bytes = Vec::new();
        bytes_with(StreamPosition { byte, origin }, &pkt, &arena, &mut bytes);
        let ip = Ipv4Packet::new_checked(&bytes).unwrap();
        let tcp = TcpPacket::new_checked(ip.payload()).unwrap();
        prop_assert!(tcp.verify_checksum(ip.src(), ip.dst()));
        prop_assert_eq!(content::wrong_bytes(byte, tcp.payload()), u64::from(altered));
        let DecodedPayload::Tcp { mptcp, .. } = DecodedPacket::decode(&bytes).unwrap().content else { panic!("TCP") };
        let sums = mptcp.sums.unwrap();
        let right = checksum_of_mapping(dsn, 9, len, sums.payload);
        prop_assert_eq!(sums.stated == right, !altered);
    }

    /// A datagram carries its stamp, as far as the payload has room, with a correct checksum.
    #[test]
    fn datagrams_round_trip_through_bytes(stamp: u64, payload in 0..40_u16) {
        let arena = OptionsArena::default();
        let sent = Datagram { payload, stamp };
        let pkt = SimPacket::udp(&envelope(), sent, (28, Ecn::Ect0), 0, Instant::ZERO);
        let mut bytes = Vec::new();
        bytes_of(&pkt, &arena, &mut bytes);
        let room = if payload < 8 { (1 << (8 * u32::from(payload))) - 1 } else { u64::MAX };
        let frame = DecodedPacket::decode(&bytes).unwrap();
        prop_assert_eq!(frame.content, DecodedPayload::Udp { payload, stamp: stamp & room });
        let ip = Ipv4Packet::new_checked(&bytes).unwrap();
        let udp = UdpPacket::new_checked(ip.payload()).unwrap();
        prop_assert!(udp.verify_checksum(ip.src(), ip.dst()));
    }

    #[test]
    fn decode_of_arbitrary_bytes_does_not_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), real: bool) {
        if real && bytes.len() >= 20 {
            (bytes[0], bytes[9]) = (0x45, 6);
            let len = bytes.len() as u16;
            bytes[2..4].copy_from_slice(&len.to_be_bytes());
            bytes[10..12].fill(0);
            let sum = tailrace_wire::checksum::InternetChecksum::new().bytes(&bytes[..20]).checksum();
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        let frame = DecodedPacket::decode(&bytes);
        prop_assert_eq!(frame.is_ok(), real && bytes.len() >= 20);
    }
}
