//! Windows under deterministic loss, to the packet, and every registered congestion control on one path.

use super::*;
use crate::cc::CubicConfig;
use crate::segment::Flags;

const HALF: Duration = Duration::from_millis(50);

/// A bulk flow over a 100 ms round trip that loses every `period`-th new segment (retransmissions arrive).
struct Periodic {
    ch: Channel,
    period: u32,
    /// Number of the highest segment sent so far.
    highest: u32,
    /// cwnd in segments when each loss was found, and after.
    cuts: Vec<(u64, u64)>,
}

impl Periodic {
    fn new(cc: &str, period: u32, sack: bool) -> Self {
        Self::with_cc(&CcConfig::default_of(cc).unwrap(), period, sack)
    }

    fn with_cc(cc: &CcConfig, period: u32, sack: bool) -> Self {
        let c = TcpConfig {
            mss: Bytes(1000),
            delayed_ack: 1,
            sack,
            initial_ssthresh: Some(20),
            receive_buffer: Bytes(1 << 28),
            ..config(Profile::Rfc)
        };
        let mut ch = Channel::with_cc([c.clone(), c], cc, [1, 2]);
        ch.ends[0].write(UNLIMITED);
        Self { ch, period, highest: 0, cuts: Vec::new() }
    }

    /// Runs until `cuts` losses were found; returns the time.
    fn run(&mut self, cuts: usize) -> Instant {
        let mut before = 0;
        let (mut last, mut highest) = (self.ch.ends[0].stats().fast_retransmits, self.highest);
        let period = self.period;
        let mut fate = |from: usize, s: &Segment, _: u64| {
            let n = s.seq.0.wrapping_sub(2) / 1000 + 1;
            let new = from == 0 && s.payload > 0 && n > highest;
            highest = if new { n } else { highest };
            [Some(HALF).filter(|_| !(new && n % period == period / 2)), None]
        };
        self.ch.drain(&mut fate);
        while self.cuts.len() < cuts {
            assert!(self.ch.step(&mut fate));
            let (view, stats) = (self.ch.ends[0].view(), self.ch.ends[0].stats());
            if stats.fast_retransmits > last {
                last = stats.fast_retransmits;
                self.cuts.push((before, view.cwnd.get() / 1000));
            }
            before = view.cwnd.get() / 1000;
        }
        self.highest = highest;
        assert_eq!(self.ch.ends[0].stats().timeouts, 0);
        self.ch.now
    }

    /// Mean window in segments between two numbers of cuts: segments delivered a round trip.
    fn mean_window(&mut self, from: usize, to: usize) -> f64 {
        let (start, bytes) = (self.run(from), self.ch.delivered[1]);
        let time = self.run(to) - start;
        (self.ch.delivered[1] - bytes) as f64 / 1000.0 / (time.as_secs_f64() / 0.1)
    }
}

#[test]
fn reno_window_is_the_sawtooth_of_periodic_loss() {
    // A cycle from W/2 to W: the round of the recovery sends W/2 segments, those after it W/2, W/2 + 1, ... W. So
    // 600 = W/2 + 3/8 W^2 + 3/4 W, and W = 38.4.
    for (cc, sack) in [("newreno", true), ("newreno", false), ("reno", true)] {
        let mut flow = Periodic::new(cc, 600, sack);
        flow.run(12);
        for &(peak, after) in &flow.cuts[6..] {
            assert_eq!((peak, after), (38, 19), "{cc}, SACK {sack}: {:?}", flow.cuts);
        }
        // Mathis 1997: mean window sqrt(1.5 / p) = 30, less the round of the recovery.
        let mean = Periodic::new(cc, 600, sack).mean_window(6, 16);
        assert!((mean - 30.0).abs() < 2.0, "{cc}, SACK {sack}: {mean}");
    }
}

#[test]
fn cubic_window_under_periodic_loss_is_that_of_rfc_9438() {
    // RFC 9438 §5.2, table 1: RTT 0.1 s: p = 1e-4: 187 segments; p = 1e-3: 38. The model there has no fast convergence,
    // and the plateau around W_max leaves the deterministic cycle free within some ten percent.
    let cc = CcConfig::Cubic(CubicConfig { fast_convergence: false, ..CubicConfig::default() });
    let mut flow = Periodic::with_cc(&cc, 10_000, true);
    let mean = flow.mean_window(4, 10);
    assert!((mean - 187.0).abs() < 0.12 * 187.0, "{mean}");
    for &(peak, after) in &flow.cuts[4..] {
        assert!(peak.abs_diff(flow.cuts[4].0) <= 1, "the cycle repeats: {:?}", flow.cuts);
        assert!(after.abs_diff(peak * 7 / 10) <= 1, "{:?}", flow.cuts);
    }
    let mean = Periodic::with_cc(&cc, 1_000, true).mean_window(10, 20);
    assert!((mean - 38.0).abs() < 0.06 * 38.0, "{mean}");
}

#[test]
fn cubic_window_after_a_loss_is_the_formula_to_the_packet() {
    let mut flow = Periodic::new("cubic", 10_000, true);
    flow.run(6);
    let (w_max, left) = (flow.cuts[5].0 as f64, flow.cuts[5].1 as f64);
    // Fast convergence may have lowered the target below the window at the loss (RFC 9438 §4.7).
    let converging = flow.cuts[5].0 < flow.cuts[4].0;
    let w_max = if converging { w_max * 1.7 / 2.0 } else { w_max };
    let k = tailrace_core::math::cbrt((w_max - left) / 0.4);
    let mut fate = |_: usize, _: &Segment, _: u64| [Some(HALF), None];
    while flow.ch.ends[0].view().in_recovery {
        flow.ch.step(&mut fate);
    }
    let start = flow.ch.now;
    for step in 1..60 {
        let t = f64::from(step) * 0.1;
        while (flow.ch.now - start).as_secs_f64() < t {
            flow.ch.step(&mut fate);
        }
        // The window of a round trip lies between W at its start and at its end (§4.4).
        let cwnd = flow.ch.ends[0].view().cwnd.as_f64() / 1000.0;
        let w = |t: f64| 0.4 * (t - k) * (t - k) * (t - k) + w_max;
        assert!(cwnd > w(t - 0.1) - 1.5 && cwnd < w(t + 0.1) + 1.0, "at {t}: {cwnd}, W(t) = {}", w(t));
    }
}

#[test]
fn rate_under_random_loss_agrees_with_padhye() {
    // Padhye et al. 1998 with b = 1, R = 0.1 s, T0 = 0.2 s; packets a second.
    for (loss, expected) in [(0.001, 385.6), (0.01, 117.2), (0.02, 79.4), (0.05, 44.1)] {
        for (cc, sack) in [("newreno", true), ("newreno", false)] {
            let c = TcpConfig {
                mss: Bytes(1000),
                delayed_ack: 1,
                sack,
                min_rto: Duration::from_millis(200),
                receive_buffer: Bytes(1 << 28),
                ..config(Profile::Rfc)
            };
            let mut ch = Channel::new([c.clone(), c], cc, [1, 2]);
            ch.ends[0].write(UNLIMITED);
            let mut rng = tailrace_core::Rng::new(7);
            let end = Instant::from_secs(1_000);
            let fate = |from: usize, s: &Segment, _: u64| {
                [Some(HALF).filter(|_| from == 1 || s.payload == 0 || !rng.bernoulli(loss)), None]
            };
            ch.run(fate, |ch| ch.now >= end);
            let rate = ch.delivered[1] as f64 / 1000.0 / 1_000.0;
            assert!(
                (rate / expected - 1.0).abs() < 0.2,
                "{cc}, SACK {sack}, p = {loss}: {rate}, not {expected}"
            );
        }
    }
}

#[test]
fn every_congestion_control_fills_a_pipe_answers_loss_and_recovers() {
    for name in CcConfig::names() {
        for sack in [true, false] {
            let mut flow = Periodic::new(name, 200, sack);
            // Rates need SACK; without, recovery shows none and a window of many losses ends in a timeout.
            if flow.ch.ends[0].needs.rates && !sack {
                continue;
            }
            flow.run(5);
            let grows = |w: &[(u64, u64)]| w[1].0 > w[0].1;
            if flow.ch.ends[0].needs.rates {
                // A model of the path need not take a loss for congestion.
                assert!(flow.cuts.windows(2).any(grows), "{name}: the window grows again: {:?}", flow.cuts);
            } else {
                for &(peak, after) in &flow.cuts {
                    assert!(after < peak, "{name}: a loss lowers the window: {:?}", flow.cuts);
                }
                assert!(grows(&flow.cuts[3..]), "{name}: the window grows again: {:?}", flow.cuts);
            }
            let t = &flow.ch.ends[0];
            let lost = u64::from(flow.highest + 100) / 200;
            assert!(t.stats().retransmitted_segments <= lost, "{name}: only what was lost is sent again");
            assert_eq!(
                t.stats().bytes_acked + t.board.outstanding(),
                t.stats().bytes_sent - t.stats().retransmitted_bytes
            );
        }
    }
}

#[test]
fn catalog_matches_the_registry() {
    let catalog = CcConfig::catalog();
    assert_eq!(catalog.iter().map(|e| e.name).collect::<Vec<_>>(), CcConfig::names());
    for entry in catalog {
        let config = CcConfig::default_of(entry.name).unwrap();
        assert_eq!(config.name(), entry.name);
        assert!(!entry.summary.is_empty() && !entry.citation.is_empty());
        let mut copy = config.clone();
        for p in entry.params {
            copy.set(p.name, &config.get(p.name).unwrap()).unwrap();
        }
        assert_eq!(copy, config);
    }
    assert_eq!(CcConfig::default_of("vegas2"), None);
}

/// A receiver of profile `linux` that has acknowledged all of `bytes`, and the segments that it got.
fn all_acknowledged(bytes: u64) -> (Tcp, Vec<Segment>, Instant) {
    let c = config(Profile::Linux);
    let mut ch = Channel::new([c.clone(), c], "reno", [1, 1]);
    let mut came = Vec::new();
    ch.ends[0].write(bytes);
    ch.run(
        |from, segment, _| {
            came.extend(Some(*segment).filter(|segment| from == 0 && segment.payload > 0));
            [Some(Duration::from_millis(5)), None]
        },
        |ch| ch.ends[0].stats().bytes_acked == bytes,
    );
    let now = ch.now.saturating_add(Duration::from_millis(500));
    let [_, mut receiver] = ch.ends;
    receiver.handle_timeout(now);
    while receiver.poll_transmit(now).is_some() {}
    receiver.acks.forget_quick();
    (receiver, came, now)
}

#[test]
fn duplicates_are_acknowledged_by_a_quick_ack() {
    let (mut receiver, came, now) = all_acknowledged(20_000);
    // It ends where the last ACK did, so an ACK is owed; as a kernel 6.12 was seen to do, 15 of 16 are left after that.
    receiver.handle_segment(came.last().unwrap(), now);
    assert_eq!(receiver.acks.quick_left(), 16);
    assert!(receiver.poll_transmit(now).is_some());
    assert_eq!(receiver.acks.quick_left(), 15);
    // This is older than the last ACK: `tcp_send_dupack` owes none, but sends one.
    receiver.acks.forget_quick();
    receiver.handle_segment(&came[0], now);
    assert!(receiver.poll_transmit(now).is_some());
    assert_eq!(receiver.acks.quick_left(), 16);
}

#[test]
fn the_ack_of_a_part_of_a_gap_may_be_one_of_three_that_tell_of_the_rest() {
    let told_at_once = |counts: bool| {
        let (mut receiver, came, now) = all_acknowledged(20_000);
        let last = *came.last().unwrap();
        let come = |n: u32, receiver: &mut Tcp| {
            let seq = last.seq + (last.payload + 1000 * n);
            receiver.handle_segment(&Segment { seq, payload: 1000, flags: Flags::ACK, ..last }, now);
            receiver.poll_transmit(now).is_some()
        };
        // 0 and 4 are missing.
        for n in [1, 2, 3, 5] {
            come(n, &mut receiver);
            receiver.acks.forget_quick();
        }
        let seq = last.seq + last.payload;
        receiver.handle_segment(&Segment { seq, payload: 1000, flags: Flags::ACK, ..last }, now);
        receiver.acks.forget_quick();
        if counts {
            receiver.count_gap_ack();
        }
        assert!(receiver.poll_transmit(now).is_some(), "0 fills a gap of more than a segment");
        let at_once = (6..12).map(|n| {
            let sent = come(n, &mut receiver);
            receiver.acks.forget_quick();
            sent
        });
        at_once.filter(|sent| *sent).count()
    };
    assert_eq!((told_at_once(false), told_at_once(true)), (3, 2));
}

#[test]
fn a_receive_window_grows_whatever_tells_of_round_trips_and_however_long_segments_are() {
    for profile in [Profile::Linux, Profile::Linux61] {
        for (timestamps, mss) in [(true, 1448), (true, 1000), (false, 1448), (false, 1000)] {
            let server = TcpConfig { timestamps, mss: Bytes(1448), ..config(profile) };
            let client = TcpConfig { mss: Bytes(mss), ..server.clone() };
            let mut ch = Channel::new([client, server], "cubic", [1, 2]);
            ch.ends[0].write(UNLIMITED);
            let mut fate = |_: usize, _: &Segment, _: u64| [Some(HALF), None];
            ch.drain(&mut fate);
            // It could take full segments, and sends shorter ones: it knows of a smaller MTU on the way.
            ch.flying.values_mut().for_each(|(_, syn)| syn.mss = Some(1460));
            while ch.now < Instant::from_millis(1600) {
                assert!(ch.step(&mut fate));
            }
            assert_eq!((ch.ends[0].mss(), ch.ends[1].mss()), (mss as u32, 1448));
            let window = ch.ends[0].snd_wnd.size();
            assert!(window > 1_000_000, "{profile:?}, timestamps {timestamps}, {mss} B: {window} B");
        }
    }
}

#[test]
fn the_first_segment_in_order_begins_nothing_if_one_came_before_it() {
    // Observed in a kernel 6.12: the ACK of a segment above a gap, with which the window grew, was the last quick one. The
    // pause before the first segment in order counts from the handshake, 40 ms before.
    let quick_after = |lost: u32| {
        let c = config(Profile::Linux);
        let mut ch = Channel::new([c.clone(), c], "reno", [1, 1]);
        ch.ends[0].write(20_000);
        let mut seen = 0;
        ch.run(
            |from, segment, _| {
                let is_syn = segment.flags.has(Flags::SYN) && from == 0;
                seen += u32::from(from == 0 && segment.payload > 0);
                let arrives = seen > lost || segment.payload == 0;
                [Some(Duration::from_millis(if is_syn { 900 } else { 20 })).filter(|_| arrives), None]
            },
            |ch| ch.delivered[1] > 0,
        );
        ch.ends[1].acks.quick_left()
    };
    assert_eq!([quick_after(0), quick_after(1)], [16, 0]);
}

#[test]
fn a_half_full_buffer_ends_the_hurry_that_a_pause_has_begun() {
    // Observed in a kernel 6.12: the ACK of a part of a gap looks at the window first, and is one of the three that report the
    // rest.
    let told_at_once = |waiting: u32| {
        let (mut receiver, came, now) = all_acknowledged(20_000);
        let last = *came.last().unwrap();
        let come = |n: u32, receiver: &mut Tcp, now: Instant| {
            let seq = last.seq + (last.payload + 1448 * n);
            receiver.handle_segment(&Segment { seq, payload: 1448, flags: Flags::ACK, ..last }, now);
            receiver.poll_transmit(now).is_some()
        };
        // 0 and 2 are missing.
        for n in [1].into_iter().chain(3..waiting) {
            come(n, &mut receiver, now);
        }
        let later = now.saturating_add(Duration::from_secs(1));
        receiver.handle_timeout(later);
        while receiver.poll_transmit(later).is_some() {}
        receiver.acks.forget_quick();
        assert!(
            come(0, &mut receiver, later),
            "0 fills a gap of more than a segment, after a pause longer than the timeout"
        );
        (waiting..waiting + 8).filter(|n| come(*n, &mut receiver, later)).count()
    };
    assert_eq!((told_at_once(10), told_at_once(45)), (8, 2));
}

#[test]
fn a_pause_and_the_timeout_are_whole_ticks() {
    // A round trip of 40.6 ms and 200 ms: the timeout is 241 ticks. The window in segments before and after a pause that begins then:
    let around = |since_us: u64, pause_us: u64| {
        let mut ch = Channel::new([config(Profile::Linux), config(Profile::Linux)], "reno", [1, 2]);
        ch.ends[0].write(100_000);
        ch.run(|_, _, _| [Some(Duration::from_micros(20_300)), None], |ch| ch.delivered[1] == 100_000);
        ch.run(|_, _, _| [Some(Duration::from_micros(20_300)), None], |ch| ch.ends[0].is_idle());
        let end = &mut ch.ends[0];
        assert_eq!(end.rto().as_millis(), 240);
        let window = |end: &Tcp| end.cc.cwnd().get() / u64::from(end.mss);
        let before = window(end);
        end.last_sent = Instant::from_nanos(since_us * 1000);
        end.on_blocked_packet(Instant::from_nanos((since_us + pause_us) * 1000));
        (before, window(end))
    };
    assert_eq!(around(500_000, 241_999), (80, 80), "241 ticks have passed");
    assert_eq!(around(500_900, 241_100), (80, 40), "242 have");
    assert_eq!(around(500_000, 482_999), (80, 40), "twice the timeout, and no more");
    assert_eq!(around(500_000, 483_000), (80, 20));
}
