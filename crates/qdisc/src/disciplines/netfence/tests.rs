use super::feedback::{Class, Feedback, Mode};
use super::*;
use crate::disciplines::QdiscConfig;
use crate::registry::Discipline as _;
use crate::testing::{Collector, TestPacket};
use tailrace_core::{Bytes, Duration, FlowKey, Label, Rate, Rng};

const LINK: LinkView = LinkView::new(Rate::from_mbit(1), Duration::ZERO);
const L: u16 = 7;

/// A queue, driven by hand.
struct Rig {
    queue: Netfence<TestPacket>,
    rng: Rng,
    sink: Collector<TestPacket>,
    id: u64,
}

impl Rig {
    fn new(config: &NetfenceConfig) -> Self {
        let mut queue: Netfence<TestPacket> = config.build(&LINK);
        queue.attach(u32::from(L));
        Self { queue, rng: Rng::new(1), sink: Collector::default(), id: 0 }
    }

    fn with(role: NetfenceRole) -> Self {
        Self::new(&NetfenceConfig { role, ..NetfenceConfig::default() })
    }

    fn send(&mut self, flow: u32, size: u64, label: Label, now: Instant) {
        let packet = TestPacket { label, ..TestPacket::new(self.id, flow, size) };
        self.id += 1;
        let mut cx = Cx { now, rng: &mut self.rng, sink: &mut self.sink };
        self.queue.enqueue(packet, &mut cx);
    }

    fn take(&mut self, now: Instant) -> Option<(TestPacket, Instant)> {
        self.queue.dequeue(&mut Cx { now, rng: &mut self.rng, sink: &mut self.sink })
    }

    /// The label of what leaves next.
    fn label(&mut self, now: Instant) -> Feedback {
        Feedback::of(self.take(now).expect("something waits").0.label()).expect("stamped")
    }

    /// A state variable by its place among the six.
    fn state(&self, at: usize) -> f64 {
        let mut state = [0.0; 6];
        self.queue.state(&mut state);
        state[at]
    }
}

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn label(class: Class, mode: Mode, now: Instant) -> Label {
    Feedback::new(class, mode, L, now).label()
}

/// Sends 500-byte packets every `gap` with feedback of this mode, for ten and a half control intervals; the limiter's rate
/// at the end.
fn rate_after_ten_intervals(mode: Mode, gap: u64) -> f64 {
    let mut rig = Rig::with(NetfenceRole::Access);
    for at in (0..21_000).step_by(gap as usize) {
        rig.send(1, 500, label(Class::Presented, mode, ms(at)), ms(at));
        while rig.take(ms(at)).is_some() {}
    }
    rig.state(1)
}

#[test]
fn a_limiter_rises_by_12_kbit_per_interval_of_good_feedback_and_falls_by_a_tenth_without() {
    // Spec section 5: from 96 kbit/s to 216 kbit/s in (216 - 96)/12 intervals of 2 s.
    assert_eq!(rate_after_ten_intervals(Mode::Incr, 10), 216_000.0);
    let fallen = rate_after_ten_intervals(Mode::Decr, 10);
    assert!((fallen - 96_000.0 * 0.348_678_440_1).abs() < 1e-3, "{fallen}");
}

#[test]
fn who_uses_less_than_half_of_his_limit_does_not_get_more() {
    // 500 bytes each 100 ms are 40 kbit/s, less than 48.
    assert_eq!(rate_after_ten_intervals(Mode::Incr, 100), 96_000.0);
    assert!(rate_after_ten_intervals(Mode::Incr, 80) > 96_000.0);
}

#[test]
fn silence_lowers_the_limit_as_bad_feedback_does() {
    let mut rig = Rig::with(NetfenceRole::Access);
    for at in [0, 20_500] {
        rig.send(1, 500, label(Class::Presented, Mode::Incr, ms(at)), ms(at));
    }
    // The first interval has an upward arrow, but not the throughput; nine have none.
    let expected = 96_000.0 * 0.387_420_489;
    assert!((rig.state(1) - expected).abs() < 1e-3, "{}", rig.state(1));
}

#[test]
fn a_limiter_lets_no_burst_pass() {
    let mut rig = Rig::with(NetfenceRole::Access);
    for _ in 0..6 {
        rig.send(1, 500, label(Class::Presented, Mode::Incr, ms(0)), ms(0));
    }
    // 500 B at 96 kbit/s take 41.67 ms. One passes, six times 500 B fit into two full packets.
    let mut left = vec![];
    let mut now = Instant::ZERO;
    loop {
        while let Some((packet, _)) = rig.take(now) {
            let feedback = Feedback::of(packet.label()).unwrap();
            assert_eq!((feedback.class, feedback.mode, feedback.link), (Class::Regular, Mode::Incr, L));
            assert_eq!(feedback.stamped(now), ms(now.as_nanos() / 10_000_000 * 10), "stamped as it leaves");
            left.push(now.as_nanos() / 1000);
        }
        let Some(next) = rig.queue.poll_timeout() else { break };
        now = next;
    }
    assert_eq!(left, [0, 41_666, 83_333, 125_000, 166_666, 208_333]);
    assert_eq!(rig.sink.dropped.len(), 0);
    for _ in 0..8 {
        rig.send(1, 500, label(Class::Presented, Mode::Incr, ms(500)), ms(500));
    }
    assert_eq!(rig.sink.dropped.len(), 1, "one passes, six wait");
}

#[test]
fn requests_of_level_k_cost_2_to_the_k_minus_1_tokens() {
    let mut rig = Rig::with(NetfenceRole::Access);
    let mut level = |at: u64| {
        rig.send(1, 100, Label::NONE, ms(at));
        let feedback = rig.label(ms(at));
        assert_eq!(feedback.mode, Mode::Nop);
        feedback.class
    };
    // A token at first; one more in a millisecond; after 600 ms, 512 for level 10 leave 88 for level 7 (64) and 24 for
    // 5.
    let levels = [0, 0, 1, 601, 601, 601, 601].map(&mut level);
    assert_eq!(
        levels,
        [1, 0, 1, 10, 0, 0, 0].map(Class::Request),
        "the bucket holds no more than level 10 costs"
    );
    assert_eq!(level(604), Class::Request(2));
    assert_eq!(level(604), Class::Request(1));
}

#[test]
fn stale_feedback_makes_a_request_and_fresh_nop_a_regular_packet() {
    let mut rig = Rig::with(NetfenceRole::Access);
    rig.send(1, 100, label(Class::Presented, Mode::Nop, ms(1000)), ms(4990));
    assert_eq!(rig.label(ms(4990)).class, Class::Regular);
    rig.send(1, 100, label(Class::Presented, Mode::Incr, ms(1000)), ms(5010));
    assert_eq!(rig.label(ms(5010)).class, Class::Request(1));
    // Packets that an access router has stamped pass a second one unchanged.
    let stamped = label(Class::Regular, Mode::Decr, ms(5000));
    rig.send(1, 100, stamped, ms(5020));
    assert_eq!(rig.take(ms(5020)).unwrap().0.label(), stamped);
    assert_eq!(rig.state(0), 0.0, "no limiter was needed");
}

#[test]
fn requests_get_a_twentieth_of_the_link_the_highest_level_first_and_legacy_what_is_left() {
    let mut rig = Rig::with(NetfenceRole::Bottleneck);
    for level in [0, 3, 1, 3, 2] {
        rig.send(1, 125, label(Class::Request(level), Mode::Nop, ms(0)), ms(0));
    }
    for _ in 0..2 {
        rig.send(2, 1000, Label::NONE, ms(0));
        // Packets with labels that a host presents and no access router has seen are legacy, too.
        rig.send(3, 1000, label(Class::Presented, Mode::Nop, ms(0)), ms(0));
        rig.send(4, 1000, label(Class::Regular, Mode::Nop, ms(0)), ms(0));
    }
    // 125 bytes are 1 ms of the link and 20 ms of 5 % of it; 1000 bytes are 8 ms.
    let (mut now, mut order) = (Instant::ZERO, vec![]);
    while rig.queue.backlog().packets > 0 {
        match rig.take(now) {
            Some((packet, _)) => {
                order.push((now.as_nanos() / 1_000_000, packet.id));
                now += LINK.rate.time_to_send(packet.size);
            }
            None => now = rig.queue.poll_timeout().expect("requests wait for their share"),
        }
    }
    let requests: Vec<_> = order.iter().filter(|(_, id)| *id < 5).map(|(_, id)| *id).collect();
    assert_eq!(requests, [1, 3, 4, 2, 0]);
    let others: Vec<_> = order.iter().filter(|(_, id)| *id >= 5).map(|(_, id)| *id).collect();
    assert_eq!(others, [7, 10, 5, 6, 8, 9], "regular, then legacy");
    let starts: Vec<_> = order.iter().filter(|(_, id)| *id < 5).map(|(at, _)| *at).collect();
    assert!(starts.windows(2).all(|w| w[1] - w[0] >= 20), "{starts:?}");
}

#[test]
fn a_flood_of_low_requests_makes_room_for_higher_ones() {
    let mut rig = Rig::with(NetfenceRole::Bottleneck);
    for _ in 0..1000 {
        rig.send(1, 100, label(Class::Request(0), Mode::Nop, ms(0)), ms(0));
    }
    let before = rig.sink.dropped.len();
    rig.send(2, 100, label(Class::Request(4), Mode::Nop, ms(0)), ms(0));
    assert_eq!(rig.sink.dropped.len(), before + 1);
    assert_eq!(rig.take(ms(0)).unwrap().0.flow.src, 2);
}

/// A bottleneck after four seconds of twice its rate, drained at `.1`.
fn attacked() -> (Rig, Instant) {
    let mut rig = Rig::with(NetfenceRole::Bottleneck);
    let mut now = Instant::ZERO;
    for at in 0..1000 {
        rig.send(1, 1000, label(Class::Regular, Mode::Nop, ms(at * 4)), ms(at * 4));
        now = ms(at * 4);
        if at % 2 == 1 {
            rig.take(now);
        }
    }
    while rig.take(now).is_some() {}
    (rig, now)
}

#[test]
fn a_link_stamps_by_the_three_rules() {
    // NF10 §4.3.2, spec section 5, rules 1 to 3.
    let (mut rig, now) = attacked();
    assert_eq!(rig.state(2), 1.0);
    let other = |mode| Feedback::new(Class::Regular, mode, 99, now).label();
    let mut stamp = |label, now| {
        rig.send(1, 100, label, now);
        let feedback = rig.label(now);
        (feedback.mode, feedback.link)
    };
    // Overloaded until two control intervals after the last sign of it: 4 s.
    let busy = now + Duration::from_millis(3_900);
    for (label, expected) in [
        (other(Mode::Nop), (Mode::Decr, L)),
        (other(Mode::Decr), (Mode::Decr, 99)),
        (other(Mode::Incr), (Mode::Decr, L)),
        (label(Class::Regular, Mode::Incr, now), (Mode::Decr, L)),
        (label(Class::Request(0), Mode::Nop, now), (Mode::Decr, L)),
    ] {
        assert_eq!(stamp(label, busy), expected);
    }
    let calm = now + Duration::from_millis(4_700);
    for (label, expected) in [
        (other(Mode::Nop), (Mode::Decr, L)),
        (other(Mode::Decr), (Mode::Decr, 99)),
        (other(Mode::Incr), (Mode::Incr, 99)),
        (label(Class::Regular, Mode::Incr, now), (Mode::Incr, L)),
    ] {
        assert_eq!(stamp(label, calm), expected);
    }
}

#[test]
fn a_link_polices_from_two_per_cent_of_loss_until_hours_after() {
    let mut quiet = Rig::with(NetfenceRole::Bottleneck);
    for at in 0..1000 {
        quiet.send(1, 1000, label(Class::Regular, Mode::Nop, ms(at * 9)), ms(at * 9));
        assert_eq!(quiet.label(ms(at * 9)).mode, Mode::Nop, "a link that keeps up says nothing");
    }
    assert_eq!(quiet.state(2), 0.0);
    let (mut rig, now) = attacked();
    for (hours, mode) in [(3, Mode::Decr), (5, Mode::Nop)] {
        let later = now + Duration::from_secs(hours * 3600);
        rig.send(1, 100, label(Class::Regular, Mode::Nop, later), later);
        assert_eq!(rig.label(later).mode, mode, "{hours} h");
    }
}

#[test]
fn a_sender_is_flagged_while_his_limiter_drops_most_of_what_he_offers() {
    let mut rig = Rig::with(NetfenceRole::Access);
    // 1 Mbit/s into 96 kbit/s and more, then 80 kbit/s.
    for at in 0..2000 {
        let now = at * 8;
        if now < 8_000 || at % 12 == 0 {
            rig.send(1, 1000, label(Class::Presented, Mode::Incr, ms(now)), ms(now));
        }
        while rig.take(ms(now)).is_some() {}
    }
    let flags: Vec<_> =
        rig.sink.flagged.iter().map(|(key, on, at)| (key.src, *on, at.as_secs_f64())).collect();
    assert_eq!(flags.len(), 2, "{flags:?}");
    assert!(flags[0].1 && (2.0..2.1).contains(&flags[0].2), "{flags:?}");
    assert!(!flags[1].1 && (10.0..10.2).contains(&flags[1].2), "{flags:?}");
}

#[test]
fn a_million_spoofed_sources_grow_no_table_past_its_bound() {
    let config = NetfenceConfig {
        limiters: 256,
        senders: 512,
        limit: Some(Limit::Packets(500)),
        ..NetfenceConfig::default()
    };
    let mut rig = Rig::new(&config);
    for id in 0..1_000_000_u64 {
        let now = Instant::from_nanos(id * 100_000);
        let mode = if id % 2 == 0 { Mode::Incr } else { Mode::Decr };
        // Every other one even has feedback, which nobody who spoofs an address could have.
        let label = if id % 4 < 2 { label(Class::Presented, mode, now) } else { Label::NONE };
        let flow = FlowKey { src: id as u32, dst: 9, src_port: 1, dst_port: 2, protocol: 17 };
        let packet = TestPacket { label, flow, size: Bytes(500), ..TestPacket::new(id, 0, 500) };
        let mut cx = Cx { now, rng: &mut rig.rng, sink: &mut rig.sink };
        rig.queue.enqueue(packet, &mut cx);
        if id % 40 == 0 {
            rig.take(now);
            rig.sink.dropped.clear();
        }
    }
    let (limiters, keys, senders) = rig.queue.access.as_ref().unwrap().capacity();
    assert_eq!((limiters, keys, senders), (256, 256, 512));
}

#[test]
fn tc_words_are_read_and_checked() {
    let line = QdiscConfig::parse_tc("netfence limit 500 access").unwrap();
    assert_eq!(line.get("role"), Some(tailrace_core::params::Value::Text("access".into())));
    assert!(QdiscConfig::parse_tc("netfence acess").is_err());
}
