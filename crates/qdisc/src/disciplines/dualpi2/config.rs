//! Parameters of `dualpi2` and their spelling in tc.

use crate::discipline::LinkView;
use crate::tc::{TcError, TcWords};
use tailrace_core::{Bytes, Duration, Limit, Probability};

tailrace_core::choices! {
    /// Delay that the controller follows.
    pub enum DelayOf {
        /// The larger one of the two queues' delays.
        Greatest = "greatest",
        /// The delay of the classic queue.
        Classic = "classic",
    }
}

tailrace_core::choices! {
    /// Packets that belong into the low-latency queue.
    pub enum LowLatency {
        /// Packets with ECT(1) or CE in the header, as L4S senders send them.
        L4s = "l4s_ect",
        /// Every ECN-capable packet.
        AnyEct = "any_ect",
    }
}

tailrace_core::choices! {
    /// Packets that the low-latency queue marks by its own delay.
    pub enum Native {
        /// None up to a delay of `min_th`; above it a growing share, which reaches all of them `range` later.
        Ramp = "ramp",
        /// All packets that have waited longer than `step_thresh`.
        Step = "step",
        /// None: only the coupling to the classic queue marks.
        Off = "off",
    }
}

tailrace_core::choices! {
    /// Conversion of a probability into a decision.
    pub enum Chance {
        /// Each queue adds up the probabilities of its packets; whenever the sum passes a whole number, a packet is
        /// marked or dropped.
        Recur = "recur",
        /// A random number decides for each packet; two of them where the probability is a square.
        Random = "random",
    }
}

tailrace_core::choices! {
    /// Reaction when marks alone cannot hold the delay.
    pub enum Overload {
        /// Both queues drop with the classic probability, whether packets are ECN-capable or not.
        Drop = "drop",
        /// ECN-capable packets are still only marked, so the delay grows until the queue is full.
        Overflow = "overflow",
    }
}

tailrace_core::choices! {
    /// Queue that is served where both hold packets.
    pub enum SchedulerKind {
        /// Weighted round robin, counted in bytes.
        Wrr = "wrr",
        /// The packet that has waited longer, where those of the low-latency queue count as `t_shift` older.
        TsFifo = "ts_fifo",
    }
}

tailrace_core::parameters! {
    /// Parameters of `dualpi2`.
    pub struct Dualpi2Config {
        /// The most that may wait in both queues together. If it is too small, packets are dropped for want of room
        /// instead of by the law; if it is too large, an overload is noticed late. `"auto"` is what the link sends in
        /// 250 ms.
        limit: Option<Limit> = None, "RFC 9332 Appendix A.1 (Linux: 10 000 packets)";
        /// The most bytes that may wait, in addition to `limit`. If it is too small, packets are dropped for want of
        /// room. `"auto"` turns this off.
        memory_limit: Option<Bytes> = None, "Linux sch_dualpi2, there twice `limit` MTUs of kernel memory";
        /// The waiting time that the controller steers towards. If it is too small, the link has nothing to send at
        /// times; if it is too large, packets wait longer than they need to.
        target: Duration = Duration::from_millis(15), "RFC 9332 Appendix A.1";
        /// The time between two updates of the probability. If it is too small, the probability follows every short
        /// variation of the queue; if it is too large, it reacts late.
        tupdate: Duration = Duration::from_millis(15), "RFC 9332 Appendix A.1: min(target, RTT_max / 3) (Linux: 16 ms)", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// Change of the probability for each second that the delay is away from `target`, per update. A larger value
        /// reacts faster; if it is too large, the delay swings up and down.
        alpha: f64 = 0.15, "RFC 9332 Appendix A.1: 0.1 tupdate / RTT_max^2 at 100 ms (Linux: 41/256)", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// Change of the probability for each second by which the delay has grown or shrunk since the last update. If
        /// it is too small, the delay overshoots; if it is too large, short variations are amplified.
        beta: f64 = 3.0, "RFC 9332 Appendix A.1: 0.3 / RTT_max (Linux: 819/256)", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// The coupling factor: low-latency packets are marked with at least `k` times the base probability. If it is
        /// too large, low-latency flows get too little beside classic ones; if it is too small, classic flows do.
        k: f64 = 2.0, "RFC 9332 Appendix A.1";
        /// Delay that the controller follows. With `classic`, low-latency flows that ignore marks are held back only
        /// by the limit.
        delay_of: DelayOf = DelayOf::Greatest, "RFC 9332 Appendix A.1; Linux";
        /// Packets that go into the low-latency queue. With `any_ect`, classic ECN flows are marked as often as
        /// scalable ones and get far too little.
        low_latency: LowLatency = LowLatency::L4s, "RFC 9332 §2.4; RFC 9331";
        /// Packets that the low-latency queue marks because of its own delay.
        native: Native = Native::Ramp, "RFC 9332 Appendix A.1 (Linux: step)";
        /// With `native = "ramp"`: packets that have waited less than this are not marked. If it is too small,
        /// scalable flows leave the link idle at times.
        min_th: Duration = Duration::from_micros(800), "RFC 9332 Appendix A.1";
        /// With `native = "ramp"`: how much more delay than `min_th` it takes until all packets are marked. If it is
        /// too small, marking starts all at once; if it is too large, delays are longer.
        range: Duration = Duration::from_micros(400), "RFC 9332 Appendix A.1";
        /// With `native = "ramp"`: nothing is marked while no more packets than this are left in the queue. If it is
        /// too small, all packets are marked on slow links, where one packet alone takes longer than `min_th`.
        th_len: u64 = 1, "RFC 9332 Appendix A.1, Th_len";
        /// With `native = "step"`: packets that have waited longer than this are all marked. If it is too small, the
        /// link has nothing to send at times; if it is too large, delays are longer.
        step_thresh: Duration = Duration::from_millis(1), "Linux sch_dualpi2";
        /// With `native = "step"`: packets are marked when more than this many are left in the queue, instead of by
        /// `step_thresh`. `"auto"`: by delay.
        step_packets: Option<u64> = None, "Linux sch_dualpi2, step_thresh in packets";
        /// With `native = "step"`: a packet that found fewer packets than this in its queue is not marked. If it is
        /// too large, nothing is marked.
        min_qlen_step: u64 = 0, "Linux sch_dualpi2";
        /// While fewer bytes than this wait, only the step marks. If it is too large, a queue of that size stays for
        /// ever.
        min_backlog: Bytes = Bytes::ZERO, "RFC 9332 Appendix A.1 (Linux: two MTUs)";
        /// Conversion of a probability into a decision about a packet.
        chance: Chance = Chance::Recur, "RFC 9332 Appendix A.1 (Linux: random)";
        /// Whether the controller's marks and drops are decided when a packet arrives, not when it leaves. The sender
        /// learns of them later, by the time in the queue, but dropped packets take no room.
        drop_early: bool = false, "RFC 9332 Appendix A.1; Linux drop_dequeue";
        /// Reaction when marks alone can no longer hold the delay.
        overload: Overload = Overload::Drop, "RFC 9332 §4.2.3; Linux drop_on_overload";
        /// The classic probability from which packets are dropped, ECN-capable or not. `"auto"` is 1/k^2, at which
        /// the coupled probability is 1.
        p_cmax: Option<Probability> = None, "RFC 9332 Appendix A.1";
        /// The coupled probability from which low-latency packets are dropped, too, with the classic probability. If
        /// it is too small, packets are dropped where marks would do.
        p_lmax: Probability = Probability::clamped(1.0), "RFC 9332 Appendix A.1";
        /// Queue that is served when both have packets.
        scheduler: SchedulerKind = SchedulerKind::Wrr, "Linux sch_dualpi2; RFC 9332 Appendix A.1 leaves it open";
        /// The classic queue's share of the bytes while both queues have packets. If it is too small, the classic
        /// queue gets too little in a flood of ECT(1) packets; if it is too large, low-latency packets wait.
        classic_protection: Probability = Probability::clamped(0.1), "Linux sch_dualpi2";
        /// The size of the largest packet, header included. The round robin starts with a credit of this size.
        mtu: Bytes = Bytes(1514), "Ethernet";
        /// With `scheduler = "ts_fifo"`: by how much low-latency packets count as older than they are. If it is too
        /// small, they wait behind bursts of classic packets; if it is too large, they can keep classic packets
        /// waiting for so long.
        t_shift: Duration = Duration::from_millis(50), "RFC 9332 Appendix A.1 (2 target to 50 ms)";
    }
}

/// `gain` as Linux is told it.
pub(super) fn in_256ths(gain: f64) -> f64 {
    (gain * 256.0).floor() / 256.0
}

/// `p` as Linux is told it.
pub(super) fn whole_percent(p: Probability) -> Probability {
    Probability::clamped((p.get() * 100.0).round() / 100.0)
}

/// The limit on `link` where the configuration says `stated`.
pub(super) fn limit_on(stated: Option<Limit>, link: &LinkView) -> Limit {
    let rate = link.rate_for(LinkView::FULL_PACKET);
    // On a link so slow that 250 ms are less, two packets must still find room.
    let buffer = rate.bytes_in(Duration::from_millis(250)).max(Bytes(2 * 1514));
    stated.unwrap_or(Limit::Bytes(buffer))
}

impl Dualpi2Config {
    /// Classic probability from which everything is dropped.
    pub(super) fn p_cmax(&self) -> f64 {
        self.p_cmax.map_or(1.0 / (self.k * self.k), Probability::get).min(1.0)
    }

    /// The defaults of Linux's `sch_dualpi2`.
    pub fn linux() -> Self {
        Self {
            limit: Some(Limit::Packets(10_000)),
            tupdate: Duration::from_millis(16),
            alpha: 41.0 / 256.0,
            beta: 819.0 / 256.0,
            native: Native::Step,
            min_backlog: Bytes(2 * 1514),
            chance: Chance::Random,
            ..Self::default()
        }
    }

    /// A time, or else a number of packets (`5p`, `5pkt`, `5packets`).
    pub(super) fn step_from_tc(&mut self, words: &mut TcWords<'_>) -> Result<(), TcError> {
        let mut ahead = words.clone();
        let packets = ahead.next_word().and_then(|word| {
            let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let is_packets = ["p", "pkt", "pkts", "packet", "packets"].contains(&&word[digits.len()..]);
            is_packets.then(|| digits.parse().ok()).flatten()
        });
        self.native = Native::Step;
        self.step_packets = packets;
        if packets.is_some() {
            *words = ahead;
        } else {
            self.step_thresh = words.time()?;
        }
        Ok(())
    }

    /// Target, interval and gains for the round trips given, as tc computes them.
    pub(super) fn tune(&mut self, max: Option<Duration>, typical: Option<Duration>) -> Result<(), String> {
        let (max, typical) = match (max, typical) {
            (None, None) => return Ok(()),
            (Some(max), None) => (max, Duration::from_micros((max.as_micros() / 6).max(1))),
            (None, Some(typical)) => (typical.saturating_mul(6), typical),
            (Some(max), Some(typical)) => (max, typical),
        };
        if typical > max || typical.is_zero() {
            return Err("typical_rtt must be above zero and at most max_rtt".into());
        }
        self.target = typical;
        self.tupdate = Duration::from_micros(typical.as_micros().min(max.as_micros() / 3).max(1));
        let seconds = max.as_secs_f64();
        // tc's factors have single precision, a trifle above a tenth and three tenths; that decides what is cut off.
        self.alpha = in_256ths(f64::from(0.1_f32) * self.tupdate.as_secs_f64() / (seconds * seconds));
        self.beta = in_256ths(f64::from(0.3_f32) / seconds);
        Ok(())
    }
}
