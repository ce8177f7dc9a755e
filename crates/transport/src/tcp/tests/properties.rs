//! Properties over random channels and random segments.

use super::*;
use crate::config::{DupLimit, EcnEcho, Misbehaviour, Nagle, Pacing, Prr, UndoResponse};
use crate::segment::{Flags, Timestamps};
use proptest::prelude::*;
use tailrace_core::Ecn;

const PROFILES: [Profile; 4] = [Profile::Rfc, Profile::Ns2, Profile::Ns3, Profile::Linux];

/// A cheap deterministic stream of numbers for the channel's decisions.
pub(super) fn mix(seed: u64, n: u64) -> u64 {
    let mut x = seed ^ n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

prop_compose! {
    fn any_config()(
        profile in 0..4usize,
        sack in any::<bool>(),
        timestamps in any::<bool>(),
        ecn in any::<bool>(),
        window_scale in any::<bool>(),
        limited_transmit in any::<bool>(),
        nagle in prop::sample::select(vec![Nagle::Off, Nagle::Rfc896, Nagle::Minshall]),
        delayed_ack in 0..4u8,
        mss in 100..1500u64,
        receive_buffer in prop_oneof![50..5_000u64, 60_000..200_000u64],
        send_buffer in prop_oneof![Just(None), (1..20_000u64).prop_map(|n| Some(Bytes(n)))],
        sack_rescue in any::<bool>(),
        max_burst in prop_oneof![Just(0u64), 1..4u64],
        switches in prop_oneof![Just(0u32), any::<u32>()],
        misbehaviour in prop_oneof![4 => Just(0usize), 1 => 1..4usize],
        pacing in prop::sample::select(&[Pacing::Auto, Pacing::On, Pacing::Off][..]),
        ecn_echo in prop::sample::select(&[EcnEcho::Auto, EcnEcho::Classic, EcnEcho::Dctcp, EcnEcho::Accurate][..]),
    ) -> TcpConfig {
        let on = |bit: u32| switches >> bit & 1 == 1;
        TcpConfig {
            rack: on(0), tlp: on(1),
            // Receivers that conceal holes are tested elsewhere: no stream arrives whole then.
            misbehaviour: [Misbehaviour::None, Misbehaviour::AckDivision, Misbehaviour::IgnoresCongestion, Misbehaviour::RepeatedAcks][misbehaviour],
            sack, timestamps, ecn, pacing, window_scale, limited_transmit, nagle, delayed_ack,
            mss: Bytes(mss), receive_buffer: Bytes(receive_buffer),
            min_rto: Duration::from_millis(200), data_retries: None, syn_retries: None, send_buffer,
            behaviour: TcpBehaviour {
                // Longer than any backoff, so that a lost last ACK is answered rather than reset.
                time_wait: Duration::from_secs(3_600),
                frto: on(2), eifel: on(3), dsack_undo: on(4), door: on(5),
                max_dup_thresh: if on(6) { 300 } else { 0 },
                undo_response: if on(7) { UndoResponse::Eifel } else { UndoResponse::Restore },
                prr: [Prr::Off, Prr::Crb, Prr::Ssrb, Prr::Linux][(switches >> 8 & 3) as usize],
                dup_limit: if on(10) { DupLimit::Flight } else { DupLimit::Outstanding }, ecn_echo, max_burst, sack_rescue,
                ..config(PROFILES[profile]).behaviour
            },
            ..config(PROFILES[profile])
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Whatever the channel does short of losing everything, both ends get exactly what the other wrote, and close.
    #[test]
    fn every_byte_arrives_once_and_in_order(
        configs in [any_config(), any_config()],
        cc in prop::sample::select(CcConfig::names()),
        iss in any::<[u32; 2]>(),
        sizes in [0..200_000u64, 0..20_000u64],
        loss in 0..30u64,
        duplicate in 0..20u64,
        mark in 0..20u64,
        jitter in 0..100u64,
        seed in any::<u64>(),
    ) {
        let mut ch = Channel::new(configs, cc, iss);
        prop_assert_eq!(ch.ends[0].write(sizes[0]), sizes[0]);
        prop_assert_eq!(ch.ends[1].write(sizes[1]), sizes[1]);
        ch.ends[0].close();
        let channel = |_: usize, _: &Segment, n: u64| {
            let at = |k| Some(Duration::from_micros(10_000 + mix(seed, 8 * n + k) % (jitter * 1_000 + 1)));
            [
                at(0).filter(|_| mix(seed, 8 * n + 1) % 100 >= loss),
                at(2).filter(|_| mix(seed, 8 * n + 3) % 100 < duplicate),
            ]
        };
        let mut closed = false;
        ch.drain(&mut { channel });
        for _ in 0..2_000_000 {
            // Marks are set on the way: only on what is ECN-capable.
            for (key, f) in &mut ch.flying {
                if f.1.ecn.is_capable() && mix(seed, key.1 + ch.count) % 1000 < mark {
                    f.1.ecn = Ecn::Ce;
                }
            }
            if !closed && ch.events[1].contains(&Event::PeerClosed) {
                closed = true;
                ch.ends[1].close();
            }
            let mut channel = channel;
            if !ch.step(&mut channel) {
                break;
            }
        }
        prop_assert_eq!(ch.delivered, [sizes[1], sizes[0]]);
        for i in 0..2 {
            prop_assert_eq!(ch.ends[i].state(), State::Closed);
            prop_assert_eq!(ch.ends[i].stats().bytes_acked, sizes[i]);
            prop_assert_eq!(ch.ends[i].stats().bytes_delivered, sizes[1 - i]);
            let s = ch.ends[i].stats();
            prop_assert_eq!(s.bytes_sent - s.retransmitted_bytes, sizes[i]);
        }
    }
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let near = prop_oneof![-3_000..3_000i64, any::<i32>().prop_map(i64::from)];
    let blocks = prop::collection::vec((near.clone(), near.clone()), 0..5);
    let parts = (near.clone(), near, any::<u16>(), any::<u8>(), 0..3_000u32, 0..4u8);
    let options =
        (blocks, any::<Option<(u32, u32)>>(), any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>());
    (parts, options).prop_map(|((seq, ack, window, flags, payload, ecn), (blocks, ts, mss, scale, sack))| {
        // Positions are relative to 1000, where both ends of the test start.
        let at = |n: i64| SeqNumber(1_000u32.wrapping_add(n as u32));
        let mut segment = Segment {
            seq: at(seq),
            ack: at(ack),
            window,
            flags: Flags(flags),
            ecn: Ecn::from_bits(ecn),
            payload,
            timestamps: ts.map(|(value, echo)| Timestamps { value, echo }),
            mss,
            window_scale: scale,
            sack_permitted: sack,
            ..Segment::default()
        };
        blocks.iter().for_each(|b| segment.sack.push(at(b.0), at(b.1)));
        segment
    })
}

/// Input of an endpoint.
#[derive(Clone, Debug)]
enum Input {
    Segment(Box<Segment>),
    Wait(u64),
    Write(u64),
    Read(u64),
    Close,
    Abort,
}

fn any_input() -> impl Strategy<Value = Input> {
    prop_oneof![
        20 => any_segment().prop_map(|s| Input::Segment(Box::new(s))),
        5 => (0..5_000u64).prop_map(Input::Wait),
        3 => prop_oneof![0..100_000u64, Just(UNLIMITED)].prop_map(Input::Write),
        2 => any::<u64>().prop_map(Input::Read),
        1 => Just(Input::Close),
        1 => Just(Input::Abort),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    /// No sequence of segments, however senseless, breaks an endpoint.
    #[test]
    fn arbitrary_segments_do_no_harm(
        config in any_config(),
        cc in prop::sample::select(CcConfig::names()),
        start in 0..3usize,
        auto_read in any::<bool>(),
        inputs in prop::collection::vec(any_input(), 1..60),
    ) {
        let (config, cc) = (Arc::new(config), CcConfig::default_of(cc).unwrap());
        let mut now = Instant::from_secs(1);
        let mut tcp = if start == 0 { Tcp::listen(&config, &cc, 1_000) } else { Tcp::connect(&config, &cc, 1_000, now) };
        tcp.set_auto_read(auto_read);
        if start == 2 {
            while tcp.poll_transmit(now).is_some() {}
            let flags = Flags::SYN.with(Flags::ACK).with(Flags::ECE);
            let answer = Segment {
                seq: SeqNumber(1_000), ack: SeqNumber(1_001), window: 60_000, flags, sack_permitted: true,
                timestamps: Some(Timestamps::default()), window_scale: Some(3), ..Segment::default()
            };
            tcp.handle_segment(&answer, now);
            prop_assert_eq!(tcp.state(), State::Established);
            tcp.write(50_000);
        }
        let mut una = 0;
        for input in inputs {
            match input {
                Input::Segment(s) => tcp.handle_segment(&s, now),
                Input::Wait(ms) => { now += Duration::from_millis(ms); tcp.handle_timeout(now); }
                Input::Write(n) => { tcp.write(n); }
                Input::Read(n) => { tcp.read(n, now); }
                Input::Close => tcp.close(),
                Input::Abort => tcp.abort(),
            }
            let mut sent = 0;
            while let Some(segment) = tcp.poll_transmit(now) {
                sent += 1;
                prop_assert!(sent < 100_000, "an endless burst: {:?}", segment);
                prop_assert!(segment.payload <= tcp.mss());
            }
            while tcp.poll_event().is_some() {}
            tcp.board.check();
            prop_assert!(tcp.board.una >= una);
            una = tcp.board.una;
        }
    }
}
