//! Packets of several segments on subflows, and what a receiver makes of them, as Linux 6.12 has them.

use super::*;
use crate::segment::{Flags, Segment};

/// A client that has just connected, with all the data in the world, and its server.
pub(super) fn connected() -> (Mptcp, Mptcp, Tuple) {
    connected_as(Profile::Linux)
}

/// The same, of another kernel.
fn connected_as(profile: Profile) -> (Mptcp, Mptcp, Tuple) {
    connected_with(profile, true)
}

/// The same, over cards that take packets of several segments (`tso`) or one segment at a time.
fn connected_with(profile: Profile, tso: bool) -> (Mptcp, Mptcp, Tuple) {
    let kernel = MptcpPlan::for_profile(profile);
    let behaviour = TcpBehaviour { tso, ..kernel.tcp.behaviour.clone() };
    let tcp = TcpConfig { mss: tailrace_core::Bytes(1424), behaviour, ..(*kernel.tcp).clone() };
    let plan = Arc::new(MptcpPlan { path_manager: usual().path_manager, tcp: Arc::new(tcp), ..kernel });
    let tuple = Tuple { local: 10, remote: 20, local_port: 5000, remote_port: 80 };
    let (mut client, mut server) = (
        Mptcp::connect(&plan, tuple, Rng::named(1, "client"), Instant::ZERO),
        Mptcp::listen(&plan, tuple.reversed(), Rng::named(1, "server"), Instant::ZERO),
    );
    let syn = client.poll_transmit(Instant::ZERO).unwrap();
    assert_eq!(syn.segment.window, 64_240, "44 segments of 1460 bytes in 65535");
    server.handle_segment(&tuple.reversed(), &syn.segment, &syn.options, Instant::from_millis(20));
    let answer = server.poll_transmit(Instant::from_millis(20)).unwrap();
    assert_eq!(answer.segment.window, 65_160, "45 of 1448, as there are timestamps");
    client.handle_segment(&tuple, &answer.segment, &answer.options, Instant::from_millis(40));
    client.write(UNLIMITED);
    (client, server, tuple)
}

/// Packets with data that an end sends now.
pub(super) fn data_of(end: &mut Mptcp, now: Instant) -> Vec<Transmit> {
    core::iter::from_fn(|| end.poll_transmit(now)).filter(|t| t.segment.payload > 0).collect()
}

#[test]
fn a_subflow_sends_two_segments_at_a_time_and_pushes_the_second() {
    let (mut client, _, _) = connected();
    let sent = data_of(&mut client, Instant::from_millis(40));
    let pushed: Vec<bool> = sent.iter().map(|t| t.segment.flags.has(Flags::PSH)).collect();
    // An initial window of 10, in packets of 2: the rate of a millisecond is less.
    assert_eq!(pushed, [false, true].repeat(5));
    assert!(sent.iter().all(|t| t.segment.payload == 1424));
}

#[test]
fn segment_at_the_end_of_a_push_has_psh_without_tso_too() {
    let (mut client, mut server, tuple) = connected_with(Profile::Linux61, false);
    let mut at = Instant::from_millis(40);
    let mut pushed = Vec::new();
    for _ in 0..2 {
        let sent = data_of(&mut client, at);
        pushed.extend(sent.iter().map(|t| t.segment.flags.has(Flags::PSH)));
        for t in &sent {
            server.handle_segment(&tuple.reversed(), &t.segment, &t.options, at);
            while let Some(ack) = server.poll_transmit(at) {
                client.handle_segment(&tuple, &ack.segment, &ack.options, at);
            }
        }
        at += Duration::from_millis(40);
    }
    // Captured from Linux 6.1 with `gso_max_segs 1`: the 22nd segment is the last that the first push has room for.
    let places: Vec<_> = (0..pushed.len()).filter(|i| pushed[*i]).collect();
    assert_eq!((pushed.len(), places), (30, vec![21]));
}

#[test]
fn data_is_sent_again_after_what_subflows_send_for_timers_of_the_same_tick() {
    let (mut client, _, _) = connected_as(Profile::Linux61);
    data_of(&mut client, Instant::from_millis(40));
    let at = client.subflows.deadline(0);
    client.data_rto.start(at);
    client.handle_timeout(at);
    assert_eq!(client.stats.data_timeouts, 0, "the worker comes later");
    let probe = client.poll_transmit(at).unwrap();
    assert!(probe.segment.payload > 0 && client.subflows.deadline(0) > at, "its next timer runs");
    assert!(client.poll_timeout().unwrap() > at);
    client.handle_timeout(client.poll_timeout().unwrap());
    assert_eq!(client.stats.data_timeouts, 1);
}

#[test]
fn the_first_ack_of_data_has_a_wide_number_and_what_is_written_as_one_goes_on() {
    let (mut client, mut server, tuple) = connected();
    let (at, then) = (Instant::from_millis(40), Instant::from_millis(60));
    let sent = data_of(&mut client, at);
    // Linux counts the number beside MP_CAPABLE as one of 64 bits.
    server.handle_segment(&tuple.reversed(), &sent[0].segment, &sent[0].options, then);
    let ack = server.poll_transmit(then).unwrap();
    assert!(ack.options.dss.unwrap().wide_ack);
    let behind = sent[1..].iter().filter_map(|t| t.options.dss).map(|dss| dss.goes_on).collect::<Vec<_>>();
    assert_eq!(behind, [true].repeat(9), "10 segments of 1424 bytes are less than was written");
}

/// A client that has sent ten segments, whose subflow has heard ACKs of all but the second, which is lost; that, and the time.
fn with_a_loss() -> (Mptcp, Transmit, Instant) {
    let (mut client, mut server, tuple) = connected();
    let sent = data_of(&mut client, Instant::from_millis(40));
    let now = Instant::from_millis(100);
    assert!(!client.subflows[0].tcp.has_repairs());
    for t in sent[..1].iter().chain(&sent[2..]) {
        server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
        for ack in core::iter::from_fn(|| server.poll_transmit(now)) {
            client.subflows[0].tcp.handle_segment(&ack.segment, now);
        }
    }
    (client, sent[1], now)
}

#[test]
fn repairs_leave_before_anything_new() {
    let (mut client, lost, now) = with_a_loss();
    let mut next = Segment::default();
    let tcp = &mut client.subflows[0].tcp;
    assert!(tcp.has_repairs() && tcp.poll_repair_into(&mut next, now));
    assert_eq!((next.seq, next.repeated), (lost.segment.seq, true));
    assert!(!tcp.poll_repair_into(&mut next, now), "nothing new");
}

#[test]
fn repairs_of_a_subflow_that_has_come_to_rest_wait_for_its_own_timer() {
    let (mut client, lost, now) = with_a_loss();
    let mut next = Transmit::default();
    client.push.on_segment(0);
    assert!(client.subflows[0].tcp.has_repairs() && client.subflows.first_dirty().is_none());
    assert!(!client.poll_repair(&mut next, now), "its timing would be out of date");
    client.subflows.mark_dirty(0);
    assert!(client.poll_repair(&mut next, now));
    assert_eq!(next.segment.seq, lost.segment.seq);
}

#[test]
fn segments_are_acknowledged_one_by_one_while_the_window_grows() {
    let (mut client, mut server, tuple) = connected();
    let sent = data_of(&mut client, Instant::from_millis(40));
    let mut windows = Vec::new();
    for (n, t) in (0..).zip(&sent) {
        let now = Instant::from_millis(60 + n);
        server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
        let acks: Vec<_> = core::iter::from_fn(|| server.poll_transmit(now)).collect();
        assert_eq!(acks.len(), 1);
        windows.push(u64::from(acks[0].segment.window) << 7);
    }
    // Traced in Linux 6.12: the window grows by 2 * 1448 bytes each time, from 64088 (65536 less a full segment) to 167/256 of 131072 less
    // a packet of 2176 bytes: 84084, in units of 128, rounded up. The first is half of that memory, since the application has not read yet.
    assert_eq!(windows[..3], [64_512, 69_888, 72_832]);
    assert_eq!(windows[7..], [84_096; 3]);
}

#[test]
fn all_that_the_window_has_room_for_is_handed_out_before_any_of_it_is_sent() {
    let (mut client, _, _) = connected();
    data_of(&mut client, Instant::from_millis(40));
    // Fragments of 32728 bytes, and a window of 65160: the second fragment is begun though the send buffer of 46080 is full then.
    assert_eq!(client.subflows[0].tcp.end_ssn(), 1 + 65_160);
    // 22 segments of 1424 are what half of the window has room for: 31328, 62656, 65160. 10 are on their way in packets of 2, and of
    // three packets something waits: 8 of 832 bytes beside the data.
    assert_eq!(client.subflows[0].queue().unwrap().0, tailrace_core::Bytes(65_160 + 8 * 832));
}

#[test]
fn linux_6_1_push_ends_with_a_packet_once_the_send_buffer_is_full() {
    let (mut client, _, _) = connected_as(Profile::Linux61);
    data_of(&mut client, Instant::from_millis(40));
    // Traced in Linux 6.1: after the second packet of 31328 bytes more than 46080 bytes of memory are taken.
    assert_eq!(client.subflows[0].tcp.end_ssn(), 1 + 62_656);
}

#[test]
fn the_buffer_is_adjusted_once_the_moment_is_over() {
    let (mut client, mut server, tuple) = connected();
    let sent = data_of(&mut client, Instant::from_millis(40));
    let (first, next) = (Instant::from_millis(200), Instant::from_millis(201));
    let read = |server: &Mptcp| server.window_updates.pending_read();
    server.handle_segment(&tuple.reversed(), &sent[0].segment, &sent[0].options, first);
    server.handle_segment(&tuple.reversed(), &sent[1].segment, &sent[1].options, first);
    assert_eq!(read(&server), Some((first, 2848)), "both came at the same moment");
    server.handle_segment(&tuple.reversed(), &sent[2].segment, &sent[2].options, next);
    assert_eq!(read(&server), Some((next, 1424)));
    server.handle_timeout(Instant::from_millis(202));
    assert_eq!(read(&server), None);
}

#[test]
fn an_application_that_waited_for_room_writes_once_the_moment_is_over() {
    let (mut client, mut server, tuple) = connected();
    let mut now = Instant::from_millis(40);
    let mut sent = data_of(&mut client, now);
    let stored = client.snd.unassigned() + client.snd.nxt();
    // ACKs come until the application could write again.
    while client.write_space.deadline() == Instant::MAX {
        now = now.saturating_add(Duration::from_millis(40));
        assert!(now < Instant::from_secs(2), "it does not wait");
        for t in core::mem::take(&mut sent) {
            server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
            while let Some(ack) =
                server.poll_transmit(now).filter(|_| client.write_space.deadline() == Instant::MAX)
            {
                client.handle_segment(&tuple, &ack.segment, &ack.options, now);
                sent.extend(data_of(&mut client, now));
            }
        }
    }
    assert!(client.snd.wakes_writer() && client.snd.is_full());
    assert_eq!(client.snd.unassigned() + client.snd.nxt(), stored, "it has not written yet");
    let due = client.poll_timeout().unwrap();
    assert_eq!(due, now.saturating_add(Duration::from_nanos(1)));
    client.handle_timeout(due);
    sent.extend(data_of(&mut client, due));
    assert!(client.snd.unassigned() + client.snd.nxt() > stored);
    assert_eq!(client.write_space.deadline(), Instant::MAX);
}

#[test]
fn a_buffer_grows_before_an_ack_leaves_that_waited_for_reading() {
    for pushed in [false, true] {
        let (mut client, mut server, tuple) = connected();
        let mut now = Instant::from_millis(40);
        let mut sent = std::collections::VecDeque::from(data_of(&mut client, now));
        // Until ACKs are not hurried any more, and none is owed.
        while server.subflows[0].tcp.acknowledges_at_once() || now < Instant::from_millis(60) {
            now = now.saturating_add(Duration::from_millis(2));
            let Some(t) = sent.pop_front() else { panic!("the client has more to send") };
            server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
            while let Some(ack) = server.poll_transmit(now) {
                client.handle_segment(&tuple, &ack.segment, &ack.options, now);
                sent.extend(data_of(&mut client, now));
            }
        }
        now = now.saturating_add(Duration::from_millis(2));
        server.update_windows(now);
        let mut t = sent.pop_front().unwrap();
        t.segment.flags = if pushed { Flags::ACK.with(Flags::PSH) } else { Flags::ACK };
        server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
        // Pushed data is acknowledged as it is read; other data at the end of the moment.
        assert_eq!(
            (server.window_updates.pending_read().is_none(), server.subflows[0].tcp.owes_ack()),
            (pushed, pushed)
        );
    }
}

#[test]
fn window_update_after_a_read_follows_the_ack_before_it() {
    let (_, mut server, _) = connected();
    let now = Instant::from_millis(200);
    server.rcv.promise(40_000);
    server.read_side().update_after_ack(0, now);
    assert_eq!(server.window_updates.update_due(), Instant::MAX, "65160 are not twice as much");
    server.rcv.promise(30_000);
    server.read_side().update_after_ack(0, now);
    let due = now.saturating_add(Duration::from_nanos(1));
    assert_eq!(server.poll_timeout(), Some(due));
    server.update_windows(now);
    assert_eq!(server.window_updates.update_due(), due, "it is not over");
    server.handle_timeout(due);
    assert_eq!(server.window_updates.update_due(), Instant::MAX);
}

#[test]
fn a_subflow_that_the_peer_opens_is_there_once_its_third_segment_has_come() {
    let (mut client, mut server, tuple) = connected();
    let grown = crate::mptcp::linux::buffer_size::GrownBuffer { size: 1 << 20, clamp: 1 << 19 };
    server.subflows.grow_buffers(grown);
    assert_eq!(server.subflows.rcv_space(0).size(), 131_072, "it has grown without it");
    let sent = data_of(&mut client, Instant::from_millis(40));
    server.handle_segment(&tuple.reversed(), &sent[0].segment, &sent[0].options, Instant::from_millis(60));
    server.subflows.grow_buffers(grown);
    assert_eq!(server.subflows.rcv_space(0).size(), 1 << 20);
}

#[test]
fn a_rate_counts_the_options_beside_the_data() {
    let (mut client, mut server, tuple) = connected();
    let now = Instant::from_millis(80);
    let sent = data_of(&mut client, Instant::from_millis(40));
    server.handle_segment(&tuple.reversed(), &sent[0].segment, &sent[0].options, Instant::from_millis(60));
    let ack = server.poll_transmit(Instant::from_millis(60)).unwrap();
    client.handle_segment(&tuple, &ack.segment, &ack.options, now);
    let tcp = &client.subflows[0].tcp;
    // Twice a window of 11 segments a round trip of 40 ms, of 1448 bytes each, of which 24 are those of the connection.
    assert_eq!(tcp.windows().0, tailrace_core::Bytes(11 * 1424));
    assert!(tcp.rate_noted().unwrap().abs_diff(2 * 11 * 1448 * 25) <= 1);
}

#[test]
fn acks_hand_nothing_out_while_the_window_is_used_up() {
    let (mut client, mut server, tuple) = connected();
    let mut now = Instant::from_millis(40);
    let mut sent = data_of(&mut client, now);
    let (first, mut last) = (sent[0].segment.seq, sent[0]);
    // All arrives and is acknowledged on its subflow, but not at the data level.
    while !sent.is_empty() {
        now = now.saturating_add(Duration::from_millis(40));
        for t in &sent {
            server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
            while let Some(mut ack) = server.poll_transmit(now) {
                let acked = ack.segment.ack.0.wrapping_sub(first.0) as u16;
                ack.segment.window = (65_160 - acked) >> 7;
                if let Some(dss) = &mut ack.options.dss {
                    dss.data_ack = Some(client.numbers.sent(1));
                }
                client.handle_segment(&tuple, &ack.segment, &ack.options, now);
                last = ack;
            }
        }
        sent = data_of(&mut client, now);
    }
    client.snd.reinject_all();
    client.handle_segment(&tuple, &last.segment, &last.options, now);
    assert_eq!((client.snd.nxt() + client.snd.window_left(), client.snd.nxt()), (65_161, 65_161));
    assert!(data_of(&mut client, now).is_empty(), "though there is room on the subflow");
    client.on_data_timeout(now);
    let again = data_of(&mut client, now)[0].options.dss.and_then(|dss| dss.mapping);
    assert_eq!(again.map(|m| m.dsn), Some(client.numbers.sent(1)));
}
