//! The optional parts of loss recovery over whole transfers, and what misbehaving ends gain.

use super::properties::mix;
use super::*;
use crate::cc::{Cc, CongestionControl, CongestionEvent, Setup, Signal, coupled_subflow::CoupledSubflow};
use crate::config::{DupLimit, Increase, Misbehaviour, Prr};

const HALF: Duration = Duration::from_millis(20);

fn base() -> TcpConfig {
    TcpConfig {
        mss: Bytes(1000),
        delayed_ack: 1,
        receive_buffer: Bytes(1 << 24),
        min_rto: Duration::from_millis(200),
        ..config(Profile::Rfc)
    }
}

/// Sends `bytes` from end 0 to end 1; both ends are configured alike but for `cc`.
fn transfer(c: &TcpConfig, bytes: u64, fate: impl FnMut(usize, &Segment, u64) -> Fate) -> Channel {
    let mut ch = Channel::new([c.clone(), c.clone()], "newreno", [1, 1]);
    ch.ends[0].write(bytes);
    ch.run(fate, |ch| ch.delivered[1] == bytes);
    assert_eq!(ch.delivered[1], bytes);
    ch
}

#[test]
fn undoing_restores_window_and_threshold() {
    let config = TcpConfig { iw: Some(40), initial_ssthresh: Some(30), ..base() };
    let setup = Setup::new(&config, 1000);
    let mut all: Vec<Cc> = ["reno", "newreno", "cubic", "vegas", "highspeed", "dctcp", "ledbat", "prague"]
        .map(|name| CcConfig::default_of(name).unwrap().build(&config, 1000))
        .into();
    all.push(Cc::CoupledSubflow(CoupledSubflow::new(&setup)));
    for cc in &mut all {
        let event = |signal| CongestionEvent { now: Instant::ZERO, signal, base: Bytes(40_000) };
        for signal in [Signal::Loss, Signal::Timeout] {
            let before = cc.cwnd();
            cc.on_congestion(&event(signal));
            cc.on_congestion(&event(Signal::RepeatedTimeout));
            cc.on_undo();
            assert_eq!(cc.cwnd(), before);
            // RFC 4015 §3.2: max(flight, ssthresh).
            assert!(cc.ssthresh().is_none_or(|s| s == Bytes(40_000)));
        }
        // A reduction for a mark is never undone. (A coupled subflow's window falls when its controller settles it.)
        cc.on_congestion(&event(Signal::Ecn));
        let fallen = cc.cwnd();
        cc.on_undo();
        assert_eq!(cc.cwnd(), fallen);
    }
}

#[test]
fn rack_bears_reordering_that_counting_takes_for_loss() {
    // Every 16th segment comes 5 ms late, overtaken by more than three; the reordering window is 40 ms / 4.
    let late = |from: usize, s: &Segment, _: u64| {
        let number = s.seq.0.wrapping_sub(2) / 1000;
        let extra = if from == 0 && s.payload > 0 && number % 16 == 3 { 5 } else { 0 };
        [Some(HALF + Duration::from_millis(extra)), None]
    };
    let counting = transfer(&base(), 2_000_000, late);
    assert!(counting.ends[0].stats().fast_retransmits > 20);
    let rack = transfer(&TcpConfig { rack: true, ..base() }, 2_000_000, late);
    // Until reordering is seen in a segment that was not sent again, three SACKs are proof enough.
    assert!(rack.ends[0].stats().fast_retransmits <= 3);
    assert!(rack.now < counting.now);
    // A threshold that learns needs to learn once, too.
    let learning = transfer(
        &TcpConfig {
            behaviour: TcpBehaviour { max_dup_thresh: 300, dsack_undo: true, ..base().behaviour },
            ..base()
        },
        2_000_000,
        late,
    );
    let stats = learning.ends[0].stats();
    assert!(stats.fast_retransmits < counting.ends[0].stats().fast_retransmits / 2, "{stats:?}");
    assert!(stats.spurious_recoveries > 0 && learning.now < counting.now);
}

#[test]
fn the_window_of_a_reduction_is_the_one_that_limits() {
    // 25 of a window of 40 segments are lost: less is left in the network than half of the window allows.
    let c =
        TcpConfig { iw: Some(40), behaviour: TcpBehaviour { prr: Prr::Linux, ..base().behaviour }, ..base() };
    let mut ch = Channel::new([c.clone(), c], "reno", [1, 1]);
    ch.ends[0].write(400_000);
    let mut below = 0;
    ch.run(
        |from, s, n| {
            let number = s.seq.0.wrapping_sub(2) / 1000;
            let lost = from == 0 && s.payload > 0 && (5..30).contains(&number) && n < 60;
            [Some(HALF).filter(|_| !lost), None]
        },
        |ch| {
            let t = &ch.ends[0];
            let full = t.recovery.is_active() && t.pipe() + 1000 > t.cwnd().get() && t.board.has_waiting();
            below += u32::from(full && t.cwnd() < t.cc.cwnd());
            assert!(!full || t.cwnd_limited, "{} of {:?} bytes", t.pipe(), t.cwnd());
            ch.delivered[1] == 400_000
        },
    );
    assert!(below > 5, "{below}");
}

#[test]
fn rack_and_loss_probes_avoid_timeouts() {
    // 5 % of all data segments are lost, retransmissions as well, in transfers of 100 segments.
    let run = |c: &TcpConfig| {
        let mut timeouts = 0;
        let mut time = 0.0;
        for seed in 0..20 {
            let lossy = |from: usize, s: &Segment, n: u64| {
                [Some(HALF).filter(|_| from == 1 || s.payload == 0 || mix(seed, n) % 100 >= 5), None]
            };
            let ch = transfer(c, 100_000, lossy);
            timeouts += ch.ends[0].stats().timeouts;
            time += ch.now.as_secs_f64();
        }
        (timeouts, time)
    };
    let (plain, slow) = run(&base());
    let (modern, fast) = run(&TcpConfig { rack: true, tlp: true, ..base() });
    assert!(2 * modern < plain && fast < slow, "{modern} of {plain} timeouts, {fast} of {slow} s");
}

#[test]
fn spurious_timeouts_cost_nothing_once_they_are_found_out() {
    // All that is sent between 1.0 and 1.1 s is held up by 400 ms: the timer expires though nothing is lost.
    let run = |c: TcpConfig| {
        let mut ch = Channel::new([c.clone(), c], "newreno", [1, 1]);
        ch.ends[0].write(3_000_000);
        let mut held = 0;
        let hold = |ch: &Channel| (1_000..1_100).contains(&(ch.now.as_nanos() / 1_000_000));
        ch.drain(&mut |_, _, _| [Some(HALF), None]);
        while ch.delivered[1] < 3_000_000 {
            let extra = if hold(&ch) { Duration::from_millis(400) } else { Duration::ZERO };
            held += u32::from(!extra.is_zero());
            assert!(ch.step(&mut |_, _, _| [Some(HALF + extra), None]));
        }
        assert!(held > 0);
        ch
    };
    let c = TcpConfig { window: Some(50), ..base() };
    let plain = run(c.clone());
    assert!(plain.ends[0].stats().timeouts >= 1);
    let again = |ch: &Channel| ch.ends[0].stats().retransmitted_segments;
    for c in [
        TcpConfig { behaviour: TcpBehaviour { frto: true, ..c.clone().behaviour }, ..c.clone() },
        TcpConfig { behaviour: TcpBehaviour { eifel: true, ..c.behaviour.clone() }, ..c },
    ] {
        let ch = run(c);
        assert!(ch.ends[0].stats().spurious_recoveries >= 1);
        assert!(again(&ch) < again(&plain) / 2, "{} of {}", again(&ch), again(&plain));
    }
}

#[test]
fn rate_reduction_ends_where_the_window_is_to_be() {
    for prr in [Prr::Crb, Prr::Ssrb, Prr::Linux] {
        let mut lost = false;
        let once = |from: usize, s: &Segment, _: u64| {
            let this = from == 0 && s.seq.0 == 2 + 30_000 && !lost;
            lost |= this;
            [Some(HALF).filter(|_| !this), None]
        };
        let ch = transfer(
            &TcpConfig { window: Some(40), behaviour: TcpBehaviour { prr, ..base().behaviour }, ..base() },
            500_000,
            once,
        );
        let (view, stats) = (ch.ends[0].view(), ch.ends[0].stats());
        assert_eq!(
            (stats.timeouts, stats.retransmitted_segments, stats.fast_retransmits),
            (0, 1, 1),
            "{prr:?}"
        );
        assert!(view.cwnd >= view.ssthresh.unwrap(), "{prr:?}");
    }
}

/// cwnd of a sender after `rounds` round trips with a receiver that behaves as said.
fn cwnd_after(rounds: u64, increase: Increase, misbehaviour: Misbehaviour) -> u64 {
    let sender = TcpConfig {
        iw: Some(2),
        behaviour: TcpBehaviour { increase, cwnd_validation: false, ..base().behaviour },
        ..base()
    };
    let receiver = TcpConfig { misbehaviour, misbehaviour_degree: 10, ..base() };
    let mut ch = Channel::new([sender, receiver], "newreno", [1, 1]);
    ch.ends[0].write(UNLIMITED);
    let end = Instant::ZERO + HALF * (2 * rounds + 3);
    ch.run(|_, _, _| [Some(HALF), None], |ch| ch.now >= end);
    ch.ends[0].view().cwnd.get() / 1000
}

#[test]
fn byte_counting_defeats_ack_division_and_ack_counting_does_not() {
    use Misbehaviour::{AckDivision, None as Honest};
    // RFC 3465 §2: growth is by what is acknowledged: 2, 4, 8, 16.
    for m in [Honest, AckDivision] {
        assert_eq!(cwnd_after(3, Increase::Bytes, m), 16, "{m:?}");
    }
    assert_eq!(cwnd_after(3, Increase::Acks, Honest), 16);
    // Ten ACKs a segment, each an MSS: 2, 22, 242.
    assert_eq!(cwnd_after(2, Increase::Acks, AckDivision), 242);
}

#[test]
fn optimistic_acks_hide_losses_and_outrun_the_round_trip() {
    let run = |misbehaviour| {
        let sender = TcpConfig { iw: Some(4), window: Some(200), ..base() };
        let receiver = TcpConfig { misbehaviour, misbehaviour_degree: 2, ..base() };
        let mut ch = Channel::new([sender, receiver], "newreno", [1, 1]);
        ch.ends[0].write(UNLIMITED);
        let lossy = |from: usize, s: &Segment, n: u64| {
            [Some(HALF).filter(|_| from == 1 || s.payload == 0 || mix(7, n) % 100 >= 3), None]
        };
        ch.run(lossy, |ch| ch.now >= Instant::from_millis(2_000));
        ch
    };
    let (honest, greedy) = (run(Misbehaviour::None), run(Misbehaviour::OptimisticAcks));
    let sent = |ch: &Channel| ch.ends[0].stats().data_segments_sent;
    assert_eq!(greedy.ends[0].stats().fast_retransmits, 0);
    assert!(honest.ends[0].stats().fast_retransmits > 5);
    assert!(sent(&greedy) > 5 * sent(&honest), "{} {}", sent(&greedy), sent(&honest));
    // Lost bytes are missing: only those that came are delivered.
    assert!(greedy.delivered[1] < greedy.ends[0].stats().bytes_acked);
}

#[test]
fn receiver_that_ignores_congestion_keeps_the_window() {
    let run = |misbehaviour| {
        let c =
            TcpConfig { iw: Some(40), window: Some(40), initial_ssthresh: Some(40), misbehaviour, ..base() };
        let lossy = |from: usize, s: &Segment, n: u64| {
            [Some(HALF).filter(|_| from == 1 || s.payload == 0 || mix(3, n) % 100 >= 5), None]
        };
        transfer(&c, 1_000_000, lossy)
    };
    let (honest, deaf) = (run(Misbehaviour::None), run(Misbehaviour::IgnoresCongestion));
    assert!(deaf.ends[0].view().cwnd >= Bytes(40_000) && deaf.ends[0].view().ssthresh == Some(Bytes(40_000)));
    assert!(deaf.now.as_secs_f64() < honest.now.as_secs_f64() / 2.0, "{:?} {:?}", deaf.now, honest.now);
}

/// A sender whose threshold is low, over 40 ms to a receiver that repeats ACKs or not: segments a round trip in second two.
fn pace_with_repeats(dup_limit: DupLimit, misbehaviour: Misbehaviour) -> f64 {
    let c = TcpConfig {
        initial_ssthresh: Some(4),
        iw: Some(4),
        sack: false,
        behaviour: TcpBehaviour { dup_limit, ..base().behaviour },
        ..base()
    };
    let receiver = TcpConfig { misbehaviour, misbehaviour_degree: 200, ..c.clone() };
    let mut ch = Channel::new([c, receiver], "newreno", [1, 1]);
    ch.ends[0].write(UNLIMITED);
    let mut until = |ms| {
        ch.run(|_, _, _| [Some(HALF), None], |ch| ch.now >= Instant::from_millis(ms));
        ch.delivered[1]
    };
    let (first, both) = (until(1_000), until(2_000));
    assert_eq!(ch.ends[0].stats().timeouts, 0);
    (both - first) as f64 / 25_000.0
}

#[test]
fn repeated_acks_set_the_flight_where_nothing_bounds_them() {
    use Misbehaviour::{None as Honest, RepeatedAcks};
    // From four on one segment more a round trip: 28 after a second, 53 after two.
    let honest = pace_with_repeats(DupLimit::Outstanding, Honest);
    assert!((38.0..43.0).contains(&honest), "{honest}");
    // Repetitions are matched in flight, plus the least window of two; each second round trip one segment comes needlessly.
    let repeated = pace_with_repeats(DupLimit::Outstanding, RepeatedAcks);
    assert!((195.0..=203.0).contains(&repeated), "{repeated}");
    // RFC 5681 §3.2: as many as were out, so that none is gained, and each recovery halves the window.
    let limited = pace_with_repeats(DupLimit::Flight, RepeatedAcks);
    assert!(limited <= 4.0, "{limited}");
}

#[test]
fn an_honest_receiver_keeps_within_the_flight_at_the_beginning() {
    // A lost segment: all later ones arrive and are reported once each.
    let run = |dup_limit| {
        let mut lost = false;
        let once = |from: usize, s: &Segment, _: u64| {
            let this = from == 0 && s.seq.0 == 2 + 30_000 && !lost;
            lost |= this;
            [Some(HALF).filter(|_| !this), None]
        };
        transfer(
            &TcpConfig {
                sack: false,
                window: Some(40),
                behaviour: TcpBehaviour { dup_limit, ..base().behaviour },
                ..base()
            },
            500_000,
            once,
        )
    };
    let (plain, limited) = (run(DupLimit::Outstanding), run(DupLimit::Flight));
    assert_eq!((plain.now, &plain.sent), (limited.now, &limited.sent));
    assert_eq!(plain.ends[0].stats().fast_retransmits, 1);
}

#[test]
fn duplicates_count_for_no_more_than_is_out_beside_what_is_missing() {
    // Ten segments are out, the first is lost; nine duplicates and more, then it is acknowledged a hundred bytes at a time.
    let c = TcpConfig { sack: false, iw: Some(10), window_scale: false, timestamps: false, ..base() };
    let mut ch = Channel::new([c.clone(), c], "newreno", [1, 1]);
    ch.ends[0].write(10_000);
    let mut never =
        |from: usize, s: &Segment, _: u64| [Some(HALF).filter(|_| from == 1 || s.payload == 0), None];
    ch.drain(&mut never);
    while ch.sent.len() < 10 {
        assert!(ch.step(&mut never));
    }
    let (una, window) = (ch.ends[0].board.una, ch.ends[0].snd_wnd.size());
    let mut ack = |up_to: u64| {
        let segment = Segment {
            seq: SeqNumber(2),
            ack: SeqNumber((una + up_to) as u32),
            window: window as u16,
            flags: crate::segment::Flags::ACK,
            ..Segment::default()
        };
        ch.ends[0].handle_segment(&segment, ch.now);
        ch.drain(&mut never);
        (ch.ends[0].board.outstanding(), ch.ends[0].view().in_flight.get())
    };
    for _ in 0..20 {
        ack(0);
    }
    for piece in 1..10 {
        let (outstanding, pipe) = ack(100 * piece);
        assert_eq!((outstanding, pipe), (10_000 - 100 * piece, 1000 - 100 * piece));
    }
    // The rest of the second is missing now, and the eight behind it may have left.
    assert_eq!(ack(1500), (8500, 500));
}
