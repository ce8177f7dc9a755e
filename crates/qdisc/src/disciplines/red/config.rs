//! Parameters of `red`, their spelling in tc, and which of them go together.

use super::levels::{Level, Levels};
use crate::managed::DropEnd;
use tailrace_core::{Bytes, Duration, Limit, Probability, Rate};

tailrace_core::choices! {
    /// Weight that `weight = "auto"` computes; `C` is the link's rate in packets a second.
    pub enum AutoWeight {
        /// A time constant of ten round trips: `1 - exp(-1 / (10 rtt C))`, with `rtt = max(100 ms, 3 (delay + 1/C))`;
        /// `C` is the link's rate in packets per second.
        Rtt = "rtt",
        /// A time constant of one second: `1 - exp(-1/C)`.
        Second = "second",
        /// A time constant of 100 ms: `1 - exp(-10/C)`.
        TenthSecond = "tenth_second",
    }
}

tailrace_core::choices! {
    /// Count of packets since the last signal, which spreads the signals.
    pub enum CountForm {
        /// Packets since the last drop or mark, without the present one: the gaps are uniform on 1 to 1/p, both
        /// included.
        Analysis = "analysis",
        /// The present packet counts, too: the gaps are uniform on 1 to 1/p, without 1/p itself.
        Figure2 = "figure2",
        /// Like `figure2`, but the first packet after the average has entered the range between the thresholds is
        /// never hit. With `probability_in_bytes`, whole mean packets are counted, and the size is applied last.
        Ns2 = "ns2",
        /// A single random number for each drop or mark, not for each packet: a packet is hit when `count p` reaches
        /// it. Gaps are as with `analysis`; the first packet in the range only draws the number. `wait` has no effect.
        Linux = "linux",
    }
}

tailrace_core::choices! {
    /// Number of times that the average decays over idle time.
    pub enum IdleForm {
        /// Once for each packet that could have been sent meanwhile.
        Paper = "paper",
        /// Once more than that, for the packet that arrives at the empty queue.
        Ns2 = "ns2",
    }
}

tailrace_core::choices! {
    /// Trigger that makes `max_p` adapt.
    pub enum AdaptOn {
        /// A timer, after each `interval`.
        Timer = "timer",
        /// The first packet that arrives an `interval` after the last change, as in ns-2 and ns-3; on an idle link
        /// `max_p` does not change.
        Arrival = "arrival",
    }
}

tailrace_core::parameters! {
    /// Parameters of `red`.
    pub struct RedConfig {
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law. A larger limit only costs memory.
        limit: Limit = Limit::Packets(50), "ns-2 Queue limit_";
        /// Below this average queue length no packet is dropped or marked. If it is too small, the link has nothing
        /// to send at times. `"auto"`: a third of `max_th` if that is given, else what the link sends in half of
        /// `target_delay`, at least 5 packets.
        min_th: Option<Limit> = None, "ns-2 thresh_ = 0";
        /// The average queue length at which the signal probability is `max_p`. If it is too close to `min_th`, the
        /// queue swings up and down. `"auto"`: three times `min_th`.
        max_th: Option<Limit> = None, "ns-2 maxthresh_ = 0";
        /// The probability with which a packet is dropped or marked when the average is `max_th`. If it is too small,
        /// the average grows past `max_th`; if it is too large, the link has nothing to send at times.
        max_p: Probability = Probability::clamped(0.02), "Floyd and Jacobson 1993; tc; ns-3";
        /// The weight of the newest queue length in the average, from 0 to 1. If it is too small, RED reacts late; if
        /// it is too large, short bursts lose packets.
        weight: Option<Probability> = None, "ns-2 q_weight_ = -1";
        /// Rule for the weight when `weight` is `"auto"`. `"auto"` is `"second"` for an adaptive queue, otherwise
        /// `"rtt"`.
        auto_weight: Option<AutoWeight> = None, "ns-2; ns-3 for adaptive";
        /// The mean size of a packet. It converts between packets and bytes, and says how many packets the link could
        /// have sent while the queue was empty.
        avpkt: Bytes = Bytes(1000), "tc red";
        /// While the queue is empty, the average falls as if packets were sent at this rate. If it is too small, the
        /// average stays high for too long. `"auto"` is the link's rate.
        bandwidth: Option<Rate> = None, "Floyd and Jacobson 1993";
        /// The waiting time that thresholds set to `"auto"` aim at. If it is too small, the link has nothing to send
        /// at times; if it is too large, queues are long.
        target_delay: Duration = Duration::from_millis(5), "ns-2 targetdelay_";
        /// Whether the average queue length is counted in bytes rather than packets. `"auto"` takes the unit of
        /// `min_th`, or if that is not given of `max_th`, or else of `limit`.
        queue_in_bytes: Option<bool> = None, "tc counts bytes, Floyd and Jacobson 1993 packets";
        /// Whether large packets are dropped or marked more often than small ones, in proportion to their size over
        /// `avpkt`. RFC 7141 advises against it.
        probability_in_bytes: bool = false, "RFC 7141";
        /// Whether the signal probability rises in a straight line from `max_p` at `max_th` to 1 at twice `max_th`.
        /// Otherwise it jumps to 1 at `max_th`.
        gentle: bool = true, "ns-2 since 2001; ns-3";
        /// Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is the signal
        /// probability. Drops and marks are then fewer and more evenly spread.
        wait: bool = false, "Floyd and Jacobson 1993";
        /// Count of the packets since the last drop or mark, which spreads drops and marks over time.
        count: CountForm = CountForm::Analysis, "Floyd and Jacobson 1993, analysis";
        /// While fewer packets than this wait, none is dropped or marked, whatever the average is. ns-2 has the same
        /// rule, in the unit of the queue; Linux and the paper have none.
        guard: u64 = 2, "ns-2 queue/red.cc";
        /// Decay of the average while the queue is empty.
        idle: IdleForm = IdleForm::Paper, "Floyd and Jacobson 1993";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "tc, ns-2, ns-3";
        /// Whether ECN-capable packets are dropped, not marked, when the average is above the range in which RED
        /// signals at random.
        harddrop: bool = true, "ns-3 UseHardDrop";
        /// The signal probability above which ECN-capable packets are dropped even between the thresholds. It
        /// replaces the rule of `harddrop`. `"auto"` turns this off.
        mark_p: Option<Probability> = None, "off; ns-2 mark_p_ is 0.1";
        /// Whether packets that are not ECN-capable are let in where the law would drop them early. Needs `ecn`.
        nodrop: bool = false, "Linux sch_red";
        /// Whether `max_p` adapts to hold the average midway between the thresholds (Adaptive RED).
        adaptive: bool = false, "Floyd and Jacobson 1993";
        /// With `adaptive`: the time between two changes of `max_p`. If it is too small, `max_p` swings up and down.
        interval: Duration = Duration::from_millis(500), "Floyd, Gummadi, Shenker 2001", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// With `adaptive`: the largest step by which `max_p` is raised at once; a step is never more than a quarter
        /// of `max_p`.
        alpha: Probability = Probability::clamped(0.01), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: the factor by which `max_p` is lowered. Below 0.83 the average may jump across its
        /// target.
        beta: Probability = Probability::clamped(0.9), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: the largest value of `max_p`.
        top: Probability = Probability::clamped(0.5), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: the smallest value of `max_p`. `"auto"` is 80 kbit/s divided by the link's rate, at most
        /// 0.01.
        bottom: Option<Probability> = Some(Probability::clamped(0.01)), "Floyd, Gummadi, Shenker 2001";
        /// With `adaptive`: what makes `max_p` change.
        adapt_on: AdaptOn = AdaptOn::Timer, "Floyd, Gummadi, Shenker 2001; Linux";
        /// Levels with thresholds of their own, each for some DiffServ codepoints (GRED), separated by semicolons. A
        /// level begins with names or numbers of codepoints, or `other` for those that no level names. Then come any
        /// of `min`, `max`, `limit` (`30p`, `15kB`), `prob` and `prio`: `"AF11 min 30p max 60p; AF12 AF13 min 20p max
        /// 40p prob 0.1; other max 30p"`. What a level leaves out is as for the whole queue. `"auto"`: one level for
        /// all packets.
        levels: Option<Levels> = None, "Linux sch_gred has none";
        /// With `levels`: whether the average of a level includes those of the levels with a smaller `prio` (8 if not
        /// given). If two have the same `prio`, all levels share one average.
        grio: bool = false, "tc gred";
        /// The packet that is dropped when the queue is full, that is, at `limit`.
        drop: DropEnd = DropEnd::Tail, "all";
    }
}

impl RedConfig {
    /// The parameters of a level's RED.
    pub(super) fn of_level(&self, level: &Level) -> Self {
        Self {
            levels: None,
            grio: false,
            min_th: level.min_th.or(self.min_th),
            max_th: level.max_th.or(self.max_th),
            max_p: level.max_p.unwrap_or(self.max_p),
            // Averages of all levels have one unit, that of the queue, so that they can be added.
            queue_in_bytes: Some(self.in_bytes()),
            ..self.clone()
        }
    }

    /// Whether the average is in bytes.
    pub(super) fn in_bytes(&self) -> bool {
        self.queue_in_bytes
            .unwrap_or_else(|| matches!(self.min_th.or(self.max_th).unwrap_or(self.limit), Limit::Bytes(_)))
    }

    /// A threshold in the unit of the average.
    pub(super) fn in_unit(&self, threshold: Limit) -> f64 {
        match (threshold, self.in_bytes()) {
            (Limit::Packets(n), false) => n as f64,
            (Limit::Packets(n), true) => n as f64 * self.avpkt.as_f64(),
            (Limit::Bytes(b), true) => b.as_f64(),
            (Limit::Bytes(b), false) => b.as_f64() / self.avpkt.as_f64(),
        }
    }
}
