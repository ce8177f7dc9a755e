//! The numbers of RED-PD: reference rate, interval, how a probability grows and shrinks, who does not respond.

use tailrace_core::Duration;

/// Packets a second of a TCP with round trip `rtt`, in seconds, at drop rate `p`: `sqrt(1.5 / p) / rtt`.
#[inline]
pub(super) fn reference_rate(rtt: f64, p: f64) -> f64 {
    (1.5 / p).sqrt() / rtt
}

/// Length of a list in time, such that the reference flow loses `regular / lists` packets meanwhile, between two and
/// ten round trips.
pub(super) fn list_interval(rtt: Duration, (regular, lists): (u32, u32), drop_rate: f64) -> Duration {
    let longest = rtt.saturating_mul(10);
    if drop_rate <= 0.0 {
        return longest;
    }
    let losses_per_sec = drop_rate * reference_rate(rtt.as_secs_f64(), drop_rate);
    let interval = f64::from(regular) / f64::from(lists) / losses_per_sec;
    Duration::from_secs_f64(interval).clamp(rtt.saturating_mul(2), longest)
}

/// The filter's grip on one monitored flow.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grip {
    /// Probability with which the filter drops.
    pub(super) probability: f64,
    /// Packets since the filter's last drop: spreads its drops as RED does.
    pub(super) count: u64,
    pub(super) unresponsive: bool,
    pub(super) answers: Answers,
}

impl Grip {
    /// A new monitored flow, whose drops by RED are `drops` times the mean of the fast flows; `drop_rate` is RED's.
    pub(super) fn new(drops: f64, drop_rate: f64) -> Self {
        let probability = (drops * drop_rate).min(2.0 * drop_rate).min(0.5);
        Self { probability, count: 0, unresponsive: false, answers: Answers::default() }
    }

    /// RED still hits the flow often.
    pub(super) fn tighten(&mut self, drops: f64, drop_rate: f64) {
        let step = drops * drop_rate;
        let old = self.probability;
        // The addition never exceeds the rate itself; both counts double for unresponsive flows.
        let factor = if self.unresponsive { 2.0 } else { 1.0 };
        let new = old + factor * step.min(old);
        // Where nothing would be let through, what is let through shrinks by a factor instead.
        self.probability = if new > 1.0 { 1.0 - (1.0 - old) / (1.0 + factor) } else { new };
    }

    /// RED has not hit the flow for a while; `false` where the flow may go.
    pub(super) fn loosen(&mut self, max_decrease: f64, release: f64) -> bool {
        let (release, factor) = if self.unresponsive { (release / 2.0, 1.5) } else { (release, 2.0) };
        if self.probability <= release {
            return false;
        }
        if self.probability > factor * max_decrease {
            self.probability -= max_decrease;
        } else {
            self.probability /= factor;
        }
        true
    }

    /// With which probability the filter drops the next packet, drops being spread as by RED.
    #[inline]
    pub(super) fn chance(&self, unresponsive_penalty: f64) -> f64 {
        let p = self.probability * if self.unresponsive { unresponsive_penalty } else { 1.0 };
        let passed = self.count as f64 * p;
        if passed < 1.0 { (p / (1.0 - passed)).min(1.0) } else { 1.0 }
    }

    /// Judges by the answers so far whether the flow responds; once found unresponsive it stays so.
    pub(super) fn test(&mut self) {
        self.unresponsive |= self.answers.are_unresponsive();
    }

    /// Remembers how fast the flow sent at which drop rate.
    pub(super) fn remember(&mut self, answer: Answer) {
        self.answers.push(answer);
    }
}

/// Rate of a flow, in any unit, with the shares of its packets that it lost to RED and to the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) rate: f64,
    pub(super) loss: f64,
}

/// The last few of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answers {
    last: [Answer; 5],
    count: usize,
}

impl Answers {
    pub(super) fn push(&mut self, answer: Answer) {
        self.last[self.count % self.last.len()] = answer;
        self.count += 1;
    }

    /// Each pair of answers whose drop rates differ, by less than a factor of ten, is a test: a TCP would have slowed
    /// down by the root of the ratio.
    pub(super) fn are_unresponsive(&self) -> bool {
        let (mut good, mut bad) = (0, 0);
        let answers = &self.last[..self.count.min(self.last.len())];
        for low in answers {
            for high in answers {
                if low.loss < high.loss && low.loss / high.loss > 0.1 {
                    let slower = high.rate / low.rate <= (low.loss / high.loss).sqrt();
                    *(if slower { &mut good } else { &mut bad }) += 1;
                }
            }
        }
        match good {
            0 => bad >= 3,
            1 => bad >= 4,
            _ => bad >= 4 * good,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_flow_is_a_tcp_at_the_drop_rate() {
        // sqrt(1.5) / (0.04 sqrt p)
        for (p, rate) in [(0.01, 306.2), (0.02, 216.5), (0.05, 136.9)] {
            assert!((reference_rate(0.04, p) - rate).abs() < 0.05, "{p}");
        }
    }

    #[test]
    fn a_list_lasts_as_long_as_the_reference_flow_takes_to_lose_three_fifths_of_a_packet() {
        let interval = |p| list_interval(Duration::from_millis(40), (3, 5), p).as_secs_f64();
        for (p, seconds) in [(0.01, 0.196), (0.02, 0.1386), (0.05, 0.0876)] {
            assert!((interval(p) - seconds).abs() < 0.0001, "{p}: {}", interval(p));
            let losses = interval(p) * p * reference_rate(0.04, p);
            assert!((losses - 0.6).abs() < 1e-6);
        }
        // Unclamped between drop rates of 0.0024 and 0.06.
        assert!(interval(0.0024) == 0.4 && interval(0.0025) < 0.4);
        assert!(interval(0.0599) > 0.08 && interval(0.061) == 0.08);
        assert_eq!((interval(0.0), interval(1.0)), (0.4, 0.08));
    }

    fn grip(probability: f64, unresponsive: bool) -> Grip {
        Grip { probability, unresponsive, ..Grip::new(0.0, 0.0) }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn a_probability_starts_at_the_flows_share_of_the_drop_rate() {
        for (drops, p, start) in [(1.0, 0.04, 0.04), (1.5, 0.04, 0.06), (5.0, 0.04, 0.08), (2.0, 0.4, 0.5)] {
            assert!(near(Grip::new(drops, p).probability, start));
        }
    }

    /// monitoring.tcl, do_detect: twice (unresponsive: three times) where `d > P`, else `d` (`2 d`) more; beyond one,
    /// the share let through is divided by two (three).
    #[test]
    fn a_probability_at_most_doubles() {
        let cases = [
            (0.01, false, 0.02, 0.02),
            (0.10, false, 0.02, 0.12),
            (0.01, true, 0.02, 0.03),
            (0.10, true, 0.02, 0.14),
            (0.80, false, 0.50, 0.90),
            (0.70, true, 0.50, 0.90),
            (0.50, false, 0.50, 1.00),
        ];
        for (old, unresponsive, step, new) in cases {
            let mut grip = grip(old, unresponsive);
            grip.tighten(1.0, step);
            assert!(near(grip.probability, new), "{old} {unresponsive} {step}: {}", grip.probability);
        }
    }

    /// monitoring.tcl, do_reward: 0.05 less above 0.10 (unresponsive: 0.075), else half (two thirds); released at 0.005
    /// (0.0025).
    #[test]
    fn a_probability_falls_by_a_twentieth_at_most() {
        let cases = [
            (0.20, false, Some(0.15)),
            (0.11, false, Some(0.06)),
            (0.10, false, Some(0.05)),
            (0.006, false, Some(0.003)),
            (0.005, false, None),
            (0.09, true, Some(0.04)),
            (0.075, true, Some(0.05)),
            (0.005, true, Some(0.005 / 1.5)),
            (0.0025, true, None),
        ];
        for (old, unresponsive, new) in cases {
            let mut grip = grip(old, unresponsive);
            let stays = grip.loosen(0.05, 0.005);
            assert_eq!(stays, new.is_some(), "{old} {unresponsive}");
            assert!(near(grip.probability, new.unwrap_or(old)), "{old} {unresponsive}: {}", grip.probability);
        }
    }

    fn unresponsive(answers: &[(f64, f64)]) -> bool {
        let mut all = Answers::default();
        answers.iter().for_each(|(rate, loss)| all.push(Answer { rate: *rate, loss: *loss }));
        all.are_unresponsive()
    }

    /// The truth table of monitoring.tcl, check-unresponsive, by pairs whose drop rates differ.
    #[test]
    fn who_does_not_slow_down_is_unresponsive() {
        // Three pairs, all bad; two answers, one pair, prove nothing.
        assert!(unresponsive(&[(5.0, 0.01), (5.0, 0.02), (5.0, 0.04)]));
        assert!(!unresponsive(&[(5.0, 0.01), (5.0, 0.02)]));
        // A TCP: half the rate at four times the drop rate.
        assert!(!unresponsive(&[(8.0, 0.01), (4.0, 0.04), (5.6, 0.02)]));
        // Equal drop rates, or more than a factor of ten between them: no pair.
        assert!(!unresponsive(&[(5.0, 0.02), (5.0, 0.02), (5.0, 0.02), (5.0, 0.02)]));
        assert!(!unresponsive(&[(5.0, 0.0009), (5.0, 0.01), (5.0, 0.12)]));
        // A good list, and of the others two bad (too few), or five.
        assert!(!unresponsive(&[(5.0, 0.01), (5.0, 0.02), (3.0, 0.04)]));
        assert!(unresponsive(&[(5.0, 0.010), (5.0, 0.011), (5.0, 0.012), (4.7, 0.013)]));
        // Three good among ten: more than a fifth.
        assert!(!unresponsive(&[(5.0, 0.01), (5.0, 0.012), (5.0, 0.014), (5.0, 0.016), (3.0, 0.03)]));
    }

    #[test]
    fn only_the_last_five_answers_count() {
        let constant = [(5.0, 0.01), (5.0, 0.02), (5.0, 0.03), (5.0, 0.04), (5.0, 0.05)];
        let answering = [(9.0, 0.01), (4.0, 0.03), (5.0, 0.02), (3.0, 0.05), (2.0, 0.06)];
        assert!(unresponsive(&[answering, constant].concat()));
        assert!(!unresponsive(&[constant, answering].concat()));
    }

    #[test]
    fn drops_of_the_filter_are_spread_evenly() {
        // p = 1/4 without waiting: 1/4, 1/3, 1/2, 1.
        let chance = |count| Grip { count, ..grip(0.25, false) }.chance(1.0);
        for (count, expected) in [(0, 0.25), (1, 1.0 / 3.0), (2, 0.5), (3, 1.0), (4, 1.0), (u64::MAX, 1.0)] {
            assert!(near(chance(count), expected));
        }
        assert!(near(Grip { count: 0, ..grip(0.25, true) }.chance(3.0), 0.75));
    }
}
