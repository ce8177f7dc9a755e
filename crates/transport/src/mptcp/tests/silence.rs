//! Tests of silent paths in Linux 6.12 while the out-of-order queue waits, against traces of kernels.

use super::packets::{connected, data_of};
use super::*;
use tailrace_core::Bytes;

const MS: fn(u64) -> Instant = Instant::from_millis;

/// Gives the server what the client has sent, its data `further` in the stream, and polls what it has to say.
fn hear(server: &mut Mptcp, t: &Transmit, further: u64, now: Instant) -> Option<Transmit> {
    let mut t = *t;
    if let Some(mapping) = t.options.dss.as_mut().and_then(|dss| dss.mapping.as_mut()) {
        mapping.dsn = mapping.dsn.wrapping_add(further);
    }
    server.handle_segment(&reversed(&t.tuple), &t.segment, &t.options, now);
    server.poll_transmit(now)
}

/// Packets of a client in two round trips, ten segments and then 20, the first ten of which have arrived; and the time then.
fn two_rounds(client: &mut Mptcp, server: &mut Mptcp, tuple: &Tuple) -> (Vec<Transmit>, Instant) {
    let mut sent = data_of(client, MS(40));
    let now = MS(60);
    for t in sent.clone() {
        let ack = hear(server, &t, 0, now).unwrap();
        client.handle_segment(tuple, &ack.segment, &ack.options, now);
        sent.extend(data_of(client, now));
    }
    (sent, now)
}

/// A client of which all has arrived that its peer's window of 65160 bytes lets go. Of the stream, two segments are acknowledged.
fn shut_out() -> (Mptcp, Instant) {
    let (mut client, mut server, tuple) = connected();
    let mut now = MS(40);
    let mut sent = data_of(&mut client, now);
    let first = sent[0].segment.seq;
    while !sent.is_empty() {
        now = now.saturating_add(Duration::from_millis(40));
        for t in &sent {
            server.handle_segment(&tuple.reversed(), &t.segment, &t.options, now);
            while let Some(mut ack) = server.poll_transmit(now) {
                let acked = ack.segment.ack.0.wrapping_sub(first.0) as u16;
                ack.segment.window = (65_160 - 2848_u16).saturating_sub(acked) >> 7;
                if let Some(dss) = &mut ack.options.dss {
                    dss.data_ack = Some(client.numbers.sent(1 + 2848));
                }
                client.handle_segment(&tuple, &ack.segment, &ack.options, now);
            }
        }
        sent = data_of(&mut client, now);
    }
    assert!(client.subflows[0].tcp.is_idle() && client.snd.outstanding() == 65_160 - 2848);
    (client, now)
}

/// Whether the push pauses before subflow `id` gets data.
fn yields(connection: &mut Mptcp, id: usize) -> bool {
    connection.push.yields_before(id, &mut connection.subflows)
}

#[test]
fn segments_allowed_by_an_ack_leave_before_another_subflow_gets_data() {
    let (mut client, mut server, tuple) = connected();
    let sent = data_of(&mut client, MS(40));
    assert_eq!(client.push.heard(), None, "nothing has let the first data out");
    let ack = hear(&mut server, &sent[0], 0, MS(60)).unwrap();
    client.handle_segment(&tuple, &ack.segment, &ack.options, MS(80));
    assert_eq!(client.push.heard(), Some(0));
    assert!(!yields(&mut client, 0), "it goes on with what it gets");
    client.push.on_segment(0);
    assert!(yields(&mut client, 1), "the choice is made, and stands");
    assert!(client.push.is_paused() && client.push.has_started() && client.push.heard().is_none());
    assert!(!yields(&mut client, 1));
    client.push.on_segment(0);
    data_of(&mut client, MS(80));
    assert_eq!(client.push.heard(), None);
}

#[test]
fn the_data_timer_goes_by_what_is_noted_of_others_and_expires_with_a_tick() {
    let (mut client, _, _) = connected();
    data_of(&mut client, MS(40));
    // No timer ran when data was handed out: 200 ms after tick 40, 3240 - 300,000 is a multiple of 8, so the next one counts.
    assert_eq!(client.data_rto.at(), MS(248));
    // A probe is to go out two round trips of 40 ms and two ticks after tick 40, with tick 122, though it will with 128: that is 77 ticks
    // after 45, and 45 + 77 lies in 120..128.
    let now = Instant::from_nanos(45_300_000);
    client.note_data_timeout(now);
    client.arm_data_timer(now);
    assert_eq!(client.data_rto.at(), MS(128));
}

#[test]
fn an_ack_starts_the_data_timer_anew_by_what_the_push_before_it_finds() {
    let (mut client, mut server, tuple) = connected();
    let sent = data_of(&mut client, MS(40));
    let ack = hear(&mut server, &sent[0], 0, MS(60)).unwrap();
    client.handle_segment(&tuple, &ack.segment, &ack.options, MS(80));
    // The first of the ten segments is acknowledged: two round trips of 40 ms and two ticks after tick 80 a probe is due, and 82 ticks
    // after 80 are 162, in 160..168. By the 200 ms from when the first data was handed out it would be 288.
    assert_eq!(client.data_rto.at(), MS(168));
}

#[test]
fn data_timer_retransmits_a_fragment_as_it_was_written() {
    let (mut client, now) = shut_out();
    let before = client.subflows[0].tcp.end_ssn();
    client.on_data_timeout(now);
    data_of(&mut client, now);
    // The unacknowledged part of 32728 bytes, though the segment with the last 1400 of them may have had more.
    assert_eq!(client.subflows[0].tcp.end_ssn() - before, 32_728 - 2848);
}

#[test]
fn a_packet_that_is_begun_in_vain_shrinks_the_window_after_a_pause() {
    let (mut client, now) = shut_out();
    let tcp = |client: &Mptcp| client.subflows[0].tcp.windows().0.get() / 1424;
    let before = tcp(&client);
    let push = |client: &mut Mptcp, after: u64| {
        client.push.schedule();
        assert!(data_of(client, now.saturating_add(Duration::from_millis(after))).is_empty());
        tcp(client)
    };
    // The timeout is 240 ms or a little more.
    assert_eq!(push(&mut client, 200), before);
    assert_eq!(push(&mut client, 300), before / 2, "one timeout has passed");
    assert_eq!(push(&mut client, 310), before / 4, "and again with the next look");
}

/// A client of whose paths all but the first fall silent after a second, once those are found stale.
fn with_stale_subflows(silent: usize) -> World {
    let mut paths = vec![Path::new(10, 0.0); 1 + silent];
    paths[1..].iter_mut().for_each(|path| path.down = (MS(1000), Instant::MAX));
    let mut plan = MptcpPlan::for_profile(Profile::Linux);
    plan.path_manager = usual().path_manager;
    plan.tcp = Arc::new(TcpConfig { receive_buffer: Bytes(200_000), ..(*plan.tcp).clone() });
    let mut w = World::new(&plan, &paths, 1);
    w.ends[0].write(UNLIMITED);
    while w.ends[0].stats().stale_subflows == 0 {
        assert!(w.now < MS(20_000), "none is ever found stale");
        w.run(w.now.saturating_add(Duration::from_millis(1)));
    }
    assert_eq!(w.ends[0].stats().stale_subflows, silent as u32, "all with the same timeout");
    w
}

#[test]
fn data_of_a_stale_subflow_leaves_before_the_data_timer_retransmits() {
    let w = with_stale_subflows(1);
    let client = &w.ends[0];
    let sent: Vec<u64> = client.subflows[0].send.iter().map(|m| m.dsn).collect();
    let oldest: Vec<usize> = (0..sent.len()).filter(|i| sent[*i] == client.snd.una()).collect();
    let [first, second] = oldest[..] else { panic!("twice: {oldest:?}") };
    assert!(sent[first..second].is_sorted());
    assert!(sent[second - 1] > client.snd.una() + 10 * 32_728, "all comes in between, not a fragment");
}

#[test]
fn data_of_stale_subflows_leaves_once_for_each() {
    let mut w = with_stale_subflows(2);
    let client = &mut w.ends[0];
    let sent: Vec<u64> = client.subflows[0].send.iter().map(|m| m.dsn).collect();
    let oldest: Vec<usize> = (0..sent.len()).filter(|i| sent[*i] == client.snd.una()).collect();
    let [0, second, third] = oldest[..] else { panic!("three times: {oldest:?}") };
    let runs = [&sent[..second], &sent[second..third], &sent[third..]];
    assert!(runs.iter().all(|run| run.is_sorted()));
    // For the first, as long as nobody would be done sooner who has no room; for the second, as long as there is room; and a fragment for the
    // timer.
    let [of_first, of_second, of_timer] = runs.map(<[u64]>::len);
    assert!(of_first > 10 * 23 && of_second > 3 * 23 && of_timer <= 24, "{:?}", runs.map(<[u64]>::len));
    // The rest of what was to go out for the second comes later, and before anything new.
    let last = &client.subflows[0].send.iter().nth(third - 1).unwrap();
    assert_eq!(client.snd.first_reinjection().map(|chunk| chunk.dsn), Some(last.dsn + u64::from(last.len)));
}

#[test]
fn a_half_full_buffer_ends_the_hurry_of_acks() {
    let (mut client, mut server, tuple) = connected();
    server.set_auto_read(false);
    let (mut now, mut sent) = (MS(40), data_of(&mut client, MS(40)));
    let mut hurried = Vec::new();
    while hurried.len() < 40 {
        now = now.saturating_add(Duration::from_millis(40));
        for t in core::mem::take(&mut sent) {
            if let Some(ack) = hear(&mut server, &t, 0, now) {
                client.handle_segment(&tuple, &ack.segment, &ack.options, now);
                sent.extend(data_of(&mut client, now));
            }
            server.subflows[0].tcp.note_window_grown();
            server.subflows.invalidate_window(0);
            server.subflows.mark_dirty(0);
            server.poll_transmit(now);
            hurried.push(server.subflows[0].tcp.acknowledges_at_once());
        }
    }
    // 33 packets of 2176 bytes, 31 of which share the description of another (256 bytes), take 63872 bytes, less than half of 131072; one
    // more makes it 65792.
    let first = hurried.iter().position(|hurried| !hurried);
    assert_eq!(first, Some(33));
}

#[test]
fn acks_of_what_was_delivered_before_wait_where_the_window_is_smaller() {
    let (mut client, mut server, tuple) = connected();
    let (sent, mut now) = two_rounds(&mut client, &mut server, &tuple);
    // The window has grown to what the memory has room for; the next four segments leave a gap in the stream, and take some of that.
    for t in &sent[10..14] {
        assert!(hear(&mut server, t, 20_000, now).is_some());
        now = now.saturating_add(Duration::from_millis(1));
    }
    server.subflows[0].tcp.end_quick_acks();
    let heard = |server: &mut Mptcp, n: usize, ms| {
        let ack = hear(server, &sent[n], 0_u64.wrapping_sub(14 * 1424), MS(ms));
        server.subflows[0].tcp.end_quick_acks();
        ack.is_some()
    };
    assert!(!heard(&mut server, 14, 100) && !heard(&mut server, 15, 110), "though two have come");
    assert_eq!(server.window_updates.delayed(), 1);
    // A read lets it go; and so does the timer of 40 ms, once less than a quarter of that is left.
    server.read_side().on_delivery(0, 1, false, MS(111));
    assert!(server.poll_transmit(MS(111)).is_some());
    assert_eq!(
        [(16, 120), (17, 130), (18, 149), (19, 152)].map(|(n, ms)| heard(&mut server, n, ms)),
        [false, false, false, true]
    );
}

#[test]
fn an_ack_of_a_gap_is_not_counted_where_what_is_new_cannot_be_read() {
    let told_at_once = |further: u64| {
        let (mut client, mut server, tuple) = connected();
        let (sent, mut now) = two_rounds(&mut client, &mut server, &tuple);
        let mut come = |server: &mut Mptcp, n: usize| {
            now = now.saturating_add(Duration::from_micros(10));
            let ack = hear(server, &sent[10 + n], further, now);
            server.subflows[0].tcp.end_quick_acks();
            ack.is_some()
        };
        // 0 and 4 are missing on the subflow.
        for n in [1, 2, 3, 5] {
            come(&mut server, n);
        }
        // Another subflow brings one that waits, too.
        let other = server.rcv.nxt() + 30_000;
        server.rcv.insert(other, other + 1424);
        assert!(come(&mut server, 0), "it fills a gap of more than a segment");
        (6..12).filter(|n| come(&mut server, *n)).count()
    };
    assert_eq!(told_at_once(50_000), 3);
    assert_eq!(told_at_once(0_u64.wrapping_sub(10 * 1424)), 2, "nobody is told of what was delivered before");
}
