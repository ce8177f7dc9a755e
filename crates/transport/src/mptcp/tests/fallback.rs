//! The fallback to plain TCP: options that are taken away on the way, and checksums that fail.

use super::failures::profile;
use super::*;
use crate::segment::Flags;

#[test]
fn without_options_on_the_way_it_is_plain_tcp() {
    let mut path = Path::new(10, 0.01);
    path.strips = |_, _| true;
    let mut w = World::new(&usual(), &[path, Path::new(20, 0.0)], 1);
    w.ends[0].write(500_000);
    w.ends[1].write(100_000);
    w.ends[0].close();
    w.run_for(30);
    w.ends[1].close();
    w.run_for(100);
    assert_eq!(w.delivered, [100_000, 500_000]);
    assert!(w.ends[0].is_fallback() && w.ends[1].is_fallback());
    assert_eq!(w.events[1].last(), Some(&Event::Closed), "{:?}", w.events);
}

#[test]
fn a_fallback_after_the_last_of_the_data_ends_in_good_order() {
    // Within the first window all goes out, DATA_FIN included, before anything shows that options are taken from data.
    for bytes in [1, 900, 5_000] {
        let mut w = World::new(&usual(), &[Path::new(10, 0.0)], 1);
        w.paths[0].strips = |_, segment| segment.payload > 0;
        w.ends[0].write(bytes);
        w.ends[0].close();
        w.run_for(5);
        assert!(w.ends[0].is_fallback() && w.ends[1].is_fallback(), "{bytes}");
        assert!(w.events[1].contains(&Event::PeerClosed), "{bytes}: {:?}", w.events);
        w.ends[1].close();
        w.run_for(200);
        assert_eq!(w.delivered, [0, bytes]);
        assert!(w.events.iter().all(|e| e.last() == Some(&Event::Closed)), "{bytes}: {:?}", w.events);
    }
}

/// Connections without data whose ends close in the order of `closing`, while options are taken away after the handshake as `strips` says.
fn closed_without_data(
    plan: &MptcpPlan,
    closing: [usize; 2],
    strips: fn(usize, &Segment) -> bool,
    seconds: u64,
) -> World {
    let mut w = World::new(plan, &[Path { strips, ..Path::new(10, 0.0) }], 1);
    w.ends[closing[0]].close();
    w.run_for(seconds);
    w.ends[closing[1]].close();
    w.run_for(seconds);
    w
}

#[test]
fn a_connection_without_data_ends_though_no_data_fin_gets_through() {
    let strips: [fn(usize, &Segment) -> bool; 3] = [
        |_, s| !s.flags.has(Flags::SYN),
        |from, s| from == 0 && !s.flags.has(Flags::SYN),
        |from, s| from == 1 && !s.flags.has(Flags::SYN),
    ];
    for name in [Profile::Linux, Profile::Linux61, Profile::Mptcp094, Profile::Rfc] {
        for (case, strips) in strips.into_iter().enumerate() {
            for closing in [[0, 1], [1, 0]] {
                let w = closed_without_data(&profile(name), closing, strips, 200);
                let ended = w.events.iter().all(|e| e.last() == Some(&Event::Closed));
                assert!(
                    ended,
                    "{name:?} {case} {closing:?}: {:?} {:?}",
                    w.events,
                    w.ends.each_ref().map(|e| e.state)
                );
            }
        }
    }
}

#[test]
fn a_peer_that_no_data_fin_reaches_is_told_of_the_end_by_a_fin() {
    // The server's DATA_FIN never comes, so nothing but the client's fallback tells it that all was sent.
    let plan = profile(Profile::Linux);
    let mut w = World::new(
        &plan,
        &[Path { strips: |from, s| from == 0 && !s.flags.has(Flags::SYN), ..Path::new(10, 0.0) }],
        1,
    );
    w.ends[0].close();
    w.run_for(plan.mptcp.close_timeout.as_secs_f64() as u64 - 5);
    assert!(!w.events[1].contains(&Event::PeerClosed), "{:?}", w.events);
    w.run_for(60);
    assert!(w.ends[0].is_fallback());
    assert!(w.events[1].contains(&Event::PeerClosed), "{:?}", w.events);
}

#[test]
fn data_fin_without_an_answer_is_repeated_at_doubled_intervals() {
    let w = closed_without_data(
        &profile(Profile::Linux),
        [0, 1],
        |from, s| from == 0 && !s.flags.has(Flags::SYN),
        25,
    );
    // Handshake, then the DATA_FIN at 0, 0.2, 0.6, 1.4, 3, 6.2, 12.6, 25.4, 51 s.
    assert!(
        (8..12).contains(&w.ends[0].tcp_stats().segments_sent),
        "{}",
        w.ends[0].tcp_stats().segments_sent
    );
}

#[test]
fn loss_of_options_in_one_direction_makes_both_ends_fall_back() {
    // The server's segments after the handshake, or its acknowledgments only; or the client's data.
    let strips: [fn(usize, &Segment) -> bool; 3] = [
        |from, s| from == 1 && !s.flags.has(Flags::SYN),
        |from, s| from == 1 && s.payload == 0 && !s.flags.has(Flags::SYN),
        |from, s| from == 0 && s.payload > 0,
    ];
    for (case, strips) in strips.into_iter().enumerate() {
        for seed in 0..20 {
            let path = Path { strips, ..Path::new(10, 0.02) };
            let mut w = World::new(&usual(), &[path], seed);
            w.ends[0].write(200_000);
            w.run_for(60);
            w.ends[1].write(50_000);
            w.run_for(60);
            assert_eq!(w.delivered, [50_000, 200_000], "{case} {seed}: {:?}", w.events);
            assert!(w.ends.iter().all(Mptcp::is_fallback), "{case} {seed}");
        }
    }
}

#[test]
fn a_subflow_that_loses_mappings_once_some_have_come_is_broken() {
    let mut w = World::new(&usual(), &[Path::new(10, 0.0)], 1);
    w.ends[0].write(100_000);
    w.run_for(1);
    w.paths[0].strips = |_, segment| segment.payload > 0;
    w.ends[0].write(100_000);
    w.run_for(100);
    assert_eq!(w.delivered[1], 100_000, "what follows is nobody's");
    assert_eq!(w.events[0].last(), Some(&Event::Reset { cause: ResetCause::Peer }), "{:?}", w.events);
}

#[test]
fn with_checksums_the_only_path_becomes_plain_tcp() {
    for (seed, loss, alters) in [
        (1, 0.0, [0.1, 0.0]),
        (2, 0.0, [0.0, 0.1]),
        (3, 0.0, [0.1, 0.1]),
        (4, 0.0, [1.0, 1.0]),
        (5, 0.01, [0.1, 0.0]),
        (6, 0.01, [0.0, 0.1]),
        (7, 0.01, [0.1, 0.1]),
    ] {
        let mut plan = usual();
        plan.mptcp.checksum = true;
        let path = Path { alters, ..Path::new(10, loss) };
        let w = transferred(&plan, &[path], seed);
        assert!(w.ends.iter().all(Mptcp::is_fallback), "{seed}");
        for (end, alters) in [(1, alters[0]), (0, alters[1])] {
            assert_eq!(w.ends[end].altered_bytes() > 0, alters > 0.0, "{seed}");
            assert!(w.ends[end].stats().checksum_failures <= 1);
        }
    }
}

#[test]
fn an_end_that_awaits_the_answer_to_mp_fail_says_so() {
    let mut plan = usual();
    plan.mptcp.checksum = true;
    let mut w = World::new(&plan, &[Path { alters: [1.0, 0.0], ..Path::new(10, 0.0) }], 1);
    w.eats = |from, t, _| from == 0 && matches!(t.options.signal, Some(option::Signal::Fail { .. }));
    w.ends[0].write(500);
    w.run_for(1);
    // The client's TCP has its acknowledgment, and nothing to send to its knowledge.
    assert_eq!(w.ends.each_ref().map(Mptcp::send_state), [SendState::Idle, SendState::Retransmitting]);
}

/// A client whose second segment came without its mapping, so that the server alone has fallen back, and the refusal of its second
/// subflow, which is the first it hears of that. All of it at one moment, `NOW`.
struct HalfFallen {
    client: Mptcp,
    server: Mptcp,
    refusal: Transmit,
    tuple: Tuple,
}

const NOW: Instant = Instant::ZERO;

fn half_fallen() -> HalfFallen {
    let mut plan = usual();
    plan.mptcp.behaviour.reinject_all = true;
    let plan = Arc::new(plan);
    let tuple = Tuple { local: 10, remote: 20, local_port: 5000, remote_port: 80 };
    let mut client = Mptcp::connect(&plan, tuple, Rng::named(1, "client"), NOW);
    let mut server = Mptcp::listen(&plan, tuple.reversed(), Rng::named(1, "server"), NOW);
    client.set_peer_interfaces(core::iter::once(20), NOW);
    client.local_up(11, NOW);
    // Data beside MP_CAPABLE has four bytes less.
    client.write(1996);
    let sent = said(&mut client);
    let answer = answers(&mut server, &sent);
    let data = answers(&mut client, &answer);
    let acks = answers(&mut server, &data[..data.len() - 1]);
    let join =
        answers(&mut client, &acks).into_iter().find(|t| t.tuple.local == 11).expect("a second subflow");
    let stripped = Transmit { options: Options::NONE, ..data[data.len() - 1] };
    answers(&mut server, &[stripped]);
    let refusal = answers(&mut server, &[join])[0];
    assert!(refusal.segment.flags.has(Flags::RST));
    assert_eq!((client.is_fallback(), server.is_fallback(), server.received()), (false, true, 1996));
    HalfFallen { client, server, refusal, tuple }
}

/// All that an end sends now.
fn said(end: &mut Mptcp) -> Vec<Transmit> {
    core::iter::from_fn(|| end.poll_transmit(NOW)).collect()
}

/// Packets that an end sends upon `heard`.
fn answers(end: &mut Mptcp, heard: &[Transmit]) -> Vec<Transmit> {
    for t in heard {
        end.handle_segment(&reversed(&t.tuple), &t.segment, &t.options, NOW);
    }
    said(end)
}

#[test]
fn a_refused_subflow_sends_nothing_again_while_the_peer_may_have_fallen_back() {
    let HalfFallen { mut client, refusal, .. } = half_fallen();
    let after = answers(&mut client, &[refusal]);
    assert_eq!(client.stats().subflows_lost, 1);
    assert!(after.iter().all(|t| t.segment.payload == 0), "{after:?}");
}

#[test]
fn bytes_that_a_peer_sends_again_as_others_break_the_subflow_of_an_end_that_has_fallen_back() {
    let HalfFallen { mut client, mut server, tuple, .. } = half_fallen();
    client.snd.reinject_all();
    client.subflows.mark_all_dirty();
    let again = said(&mut client);
    assert!(again.iter().any(|t| t.segment.payload == 1000 && t.tuple == tuple), "{again:?}");
    let after = answers(&mut server, &again);
    assert_eq!(server.received(), 1996, "as plain TCP they would come twice");
    assert!(after.iter().any(|t| t.segment.flags.has(Flags::RST)), "{after:?}");
}

#[test]
fn fallback_by_mp_fail_resets_a_join_under_way_and_keeps_the_connection() {
    let HalfFallen { mut client, .. } = half_fallen();
    assert_eq!(client.subflows().count(), 2);
    client.on_fail(0, false, NOW);
    let events: Vec<_> = core::iter::from_fn(|| client.poll_event()).collect();
    assert!(!events.iter().any(|e| matches!(e, Event::Reset { .. })), "{events:?}");
    assert_eq!((client.state, client.subflows().count()), (ConnectionState::Fallback, 1));
}
