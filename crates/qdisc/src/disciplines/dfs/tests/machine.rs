//! Algorithm 3 line by line, with numbers by hand (facts sheet 6.2, 6.5, 6.6).

use super::super::process::{Decision, Measure, Rules};
use super::super::record::{Bitrate, Record};
use tailrace_core::{Bytes, Duration, Instant};

const RULES: Rules = Rules {
    min_th: 0.0,
    max_th: 1.0,
    delta_i: 0.04,
    delta_d: 0.04,
    tolerance: 3.0 * 0.04,
    freeze_time: Duration::from_millis(10),
    bitrate_window: Duration::from_millis(250),
};

/// The fair rate of the second experiment: 45 Mbit/s over 450 flows.
const FAIR: f64 = 100_000.0;

fn at(ms: u64) -> Measure {
    Measure { share: 2000.0, fair_rate: FAIR, now: Instant::from_millis(ms) }
}

/// A flow with `waiting` bytes and p_m of `unfairness`, changed last at 0 ms, without a rate.
fn flow(waiting: u64, unfairness: f64) -> Record {
    Record { waiting, unfairness, ..Record::new(7, 0.0, Instant::ZERO) }
}

/// Record whose rate has been measured.
fn measured(waiting: u64, unfairness: f64, bps: u64) -> Record {
    let mut rate = Bitrate::new(Instant::ZERO);
    rate.arrive(Bytes(bps / 8), Duration::from_secs(1), Instant::from_secs(1));
    assert_eq!(rate.bps(), Some(bps as f64));
    Record { rate: Some(rate), ..flow(waiting, unfairness) }
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

#[test]
fn above_its_share_a_flow_is_signalled_at_every_packet_and_climbs_after_a_freeze() {
    // [5, 6] A gap of 10 ms is not more than 10 ms.
    let mut f = flow(2001, 0.0);
    assert_eq!(RULES.process(&mut f, &at(10)), Decision::Signal);
    assert_eq!((f.unfairness, f.rate.is_some()), (0.0, false));
    // [7 to 10]
    assert_eq!(RULES.process(&mut f, &at(11)), Decision::Signal);
    assert_eq!((f.unfairness, f.changed), (0.04, Instant::from_millis(11)));
    assert!(f.rate.is_some());
    assert_eq!(RULES.process(&mut f, &at(21)), Decision::Signal);
    assert_eq!(f.unfairness, 0.04);
    assert_eq!(RULES.process(&mut f, &at(22)), Decision::Signal);
    assert_eq!(f.unfairness, 0.08);
}

#[test]
fn within_its_share_a_flow_stays_as_it_is() {
    // The share itself is not above the share.
    for waiting in [1, 1999, 2000] {
        let mut f = flow(waiting, 0.08);
        assert_eq!(RULES.process(&mut f, &at(100)), Decision::Allow);
        assert_eq!((f.unfairness, f.changed), (0.08, Instant::ZERO));
    }
}

#[test]
fn with_nothing_waiting_it_falls_without_a_freeze_and_is_reset_at_the_bottom() {
    // [11 to 13]; contradiction 7 of 6.5: no test of freeze_time.
    let mut f = measured(0, 0.08, 500_000);
    f.marked = true;
    assert_eq!(RULES.process(&mut f, &at(0)), Decision::Allow);
    close(f.unfairness, 0.04);
    assert!(f.rate.is_some() && f.marked, "contradiction 3: no reset before min_th");
    // [14, 15]
    assert_eq!(RULES.process(&mut f, &at(1)), Decision::Allow);
    assert_eq!((f.unfairness, f.marked, f.changed), (0.0, false, Instant::from_millis(1)));
    assert!(f.rate.is_none());
}

#[test]
fn three_steps_are_within_the_tolerance_whatever_binary_fractions_make_of_them() {
    let mut f = flow(5000, 0.0);
    for (ms, p) in [(11, 0.04), (22, 0.08), (33, 0.12)] {
        RULES.process(&mut f, &at(ms));
        close(f.unfairness, p);
    }
    // 0.12 is still [4]: three more steps down end at the bottom exactly.
    f.waiting = 0;
    for p in [0.08, 0.04, 0.0] {
        RULES.process(&mut f, &at(40));
        close(f.unfairness, p);
    }
    assert!(f.rate.is_none());
    // And a fourth step up leaves it.
    let mut f = flow(5000, 0.04 + 0.04 + 0.04);
    RULES.process(&mut f, &at(11));
    close(f.unfairness, 0.16);
    f.waiting = 0;
    assert_eq!(RULES.process(&mut f, &at(12)), Decision::Signal, "[16, 17]");
    close(f.unfairness, 0.16);
}

#[test]
fn a_trending_flow_is_signalled_and_let_in_until_a_rate_is_there() {
    let mut f = flow(0, 0.16);
    f.rate = Some(Bitrate::new(Instant::ZERO));
    assert_eq!(RULES.process(&mut f, &at(200)), Decision::Signal);
    assert_eq!((f.unfairness, f.changed), (0.16, Instant::ZERO));
}

#[test]
fn a_marked_flow_is_dropped_whatever_it_has_waiting() {
    // [18, 19]
    for waiting in [0, 5000] {
        let mut f = measured(waiting, 0.5, 2_000_000);
        f.marked = true;
        assert_eq!(RULES.process(&mut f, &at(5)), Decision::Drop);
        assert_eq!(f.unfairness, 0.5, "[20] within the freeze");
    }
}

#[test]
fn two_megabits_at_a_fair_rate_of_a_tenth_are_malicious_in_two_steps() {
    // 6.6: 20 * 0.04 = 0.8 a step; 0.16, 0.96, 1.76.
    let mut f = measured(5000, 0.16, 2_000_000);
    assert_eq!(RULES.process(&mut f, &at(11)), Decision::Signal);
    close(f.unfairness, 0.96);
    assert!(!f.marked);
    assert_eq!(RULES.process(&mut f, &at(21)), Decision::Signal);
    assert!(!f.marked, "[20] 10 ms are not more than 10 ms");
    // The packet that makes it malicious is itself let in.
    assert_eq!(RULES.process(&mut f, &at(22)), Decision::Signal);
    assert_eq!((f.unfairness, f.marked), (1.0, true), "bounded");
    assert_eq!(RULES.process(&mut f, &at(23)), Decision::Drop);
}

#[test]
fn a_flood_at_the_link_rate_is_malicious_in_one_step() {
    // 6.6: n = 401, 45 Mbit/s over 112 219 bit/s is 401; a step of 16.
    let mut f = measured(5000, 0.16, 45_000_000);
    RULES.process(&mut f, &Measure { fair_rate: 45e6 / 401.0, ..at(11) });
    assert!(f.marked);
    assert_eq!(f.unfairness, 1.0);
}

#[test]
fn reaching_max_th_exactly_marks() {
    // Contradiction 1: 0.2 + 20 * 0.04 = 1.
    let mut f = measured(5000, 0.2, 2_000_000);
    RULES.process(&mut f, &at(11));
    assert!(f.marked);
}

#[test]
fn a_rate_equal_to_the_fair_one_forgives() {
    // [21] asks for more.
    let mut f = measured(5000, 0.5, 100_000);
    RULES.process(&mut f, &at(11));
    close(f.unfairness, 0.46);
}

#[test]
fn eighty_kilobits_are_forgiven_after_18_packets_and_reset_after_three_more() {
    // 6.6: 1.25 * 0.04 = 0.05 a packet, ten packets a second, 2.1 s in all.
    let mut f = measured(0, 1.0, 80_000);
    f.marked = true;
    for i in 1..=18 {
        assert_eq!(RULES.process(&mut f, &at(100 * i)), Decision::Drop, "packet {i}");
        close(f.unfairness, 1.0 - 0.05 * i as f64);
    }
    // Contradiction 11: on probation, marked but let in.
    for i in 19..=20 {
        assert_eq!(RULES.process(&mut f, &at(100 * i)), Decision::Allow, "packet {i}");
        assert!(f.marked);
    }
    assert_eq!(RULES.process(&mut f, &at(2100)), Decision::Allow);
    assert_eq!((f.unfairness, f.marked), (0.0, false));
}

#[test]
fn who_relapses_on_probation_is_dropped_as_soon_as_it_trends_again() {
    let mut f = measured(5000, 0.12, 80_000);
    f.marked = true;
    assert_eq!(RULES.process(&mut f, &at(11)), Decision::Signal);
    close(f.unfairness, 0.16);
    assert_eq!(RULES.process(&mut f, &at(12)), Decision::Drop);
}

#[test]
fn a_step_down_grows_as_the_rate_falls() {
    // [25, 26]: 100 000 / 10 000 * 0.04 = 0.4.
    let mut f = measured(0, 1.0, 10_000);
    RULES.process(&mut f, &at(11));
    close(f.unfairness, 0.6);
    // A segment after a timeout of 1 s: 8 kbit/s, 12.5 times; two of them clear.
    let mut f = measured(0, 1.0, 8000);
    RULES.process(&mut f, &at(11));
    close(f.unfairness, 0.5);
    RULES.process(&mut f, &at(22));
    close(f.unfairness, 0.0);
    // No rate at all, of packets without bytes, is a plain step.
    let mut f = measured(0, 1.0, 0);
    RULES.process(&mut f, &at(11));
    close(f.unfairness, 0.96);
}

#[test]
fn p_m_never_leaves_its_bounds() {
    let mut f = measured(0, 0.13, 100_000);
    f.marked = true;
    RULES.process(&mut f, &Measure { fair_rate: 1e9, ..at(11) });
    assert_eq!((f.unfairness, f.marked), (0.0, true), "a reset needs line 11");
    assert_eq!(RULES.process(&mut f, &at(12)), Decision::Allow);
    assert!(!f.marked);
}
