//! Parameters of `pie` and their spelling in tc.

use tailrace_core::{Bytes, Duration, Limit, Probability};

tailrace_core::choices! {
    /// Version of PIE, where versions differ.
    pub enum Form {
        /// RFC 8033.
        Rfc = "rfc",
        /// Linux, `net/sched/sch_pie.c`.
        Linux = "linux",
        /// RFC 8034, for cable modems.
        Docsis = "docsis",
    }
}

tailrace_core::choices! {
    /// Start of the time in which nothing is signalled.
    pub enum Burst {
        /// A quiet queue: once delays are short and the probability is zero, the next burst may take the full time
        /// again.
        Rfc = "rfc",
        /// The first packet to be dropped early after the queue has become a third full. Before that no packet is
        /// dropped or marked.
        Docsis = "docsis",
    }
}

tailrace_core::choices! {
    /// Where the queueing delay comes from.
    pub enum DelayFrom {
        /// From how long the last packet that left had waited; zero if it left the queue empty.
        Timestamps = "timestamps",
        /// From the bytes that wait and the measured rate at which packets leave.
        Rate = "rate",
    }
}

tailrace_core::parameters! {
    /// Parameters of `pie`.
    pub struct PieConfig {
        /// Version of PIE, where versions differ. It sets the value of every parameter below that is `"auto"`. A `tc`
        /// line means Linux's.
        form: Form = Form::Rfc, "RFC 8033";
        /// The most that may wait in the queue. If it is too small, packets are dropped for want of room instead of
        /// by the law. A larger limit only costs memory.
        limit: Limit = Limit::Packets(1000), "Linux sch_pie";
        /// The waiting time that the controller steers towards. If it is too small, the link has nothing to send at
        /// times; if it is too large, packets wait longer than they need to.
        target: Duration = Duration::from_millis(15), "RFC 8033 Appendix A, QDELAY_REF";
        /// The time between two updates of the probability. If it is too small, the probability follows every short
        /// variation of the queue; if it is too large, it reacts late.
        tupdate: Duration = Duration::from_millis(15), "RFC 8033 §4.2, T_UPDATE", in "10 us"..="1000 s": "each update takes computing time | so rare an update follows nothing";
        /// Change of the probability for each second that the delay is away from `target`, per update. A larger value
        /// reacts faster; if it is too large, the delay swings up and down.
        alpha: f64 = 0.125, "RFC 8033 §4.2", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// Change of the probability for each second by which the delay has grown or shrunk since the last update. If
        /// it is too small, the delay overshoots; if it is too large, short variations are amplified.
        beta: f64 = 1.25, "RFC 8033 §4.2", in 0.0..=1000000.0: "it would drive the delay away from the target, as it has the wrong sign | it would overshoot with each update";
        /// For how long at the start of a burst no packet is dropped or marked. If it is too large, floods get in at
        /// first.
        max_burst: Duration = Duration::from_millis(150), "RFC 8033 §4.4, MAX_BURST";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = false, "Linux sch_pie";
        /// Above this probability ECN-capable packets are dropped like others, not marked. If it is too large, a
        /// flood of ECN-capable packets cannot be held back.
        mark_ecnth: Probability = Probability::clamped(0.1), "RFC 8033 §5.1";
        /// While no more than two packets of this size wait, nothing is dropped or marked. It is also the size that
        /// `bytemode` compares with. If it is too large, a queue of that size stays for ever. `"auto"`: 1000 bytes
        /// (rfc), 1024 (docsis), 1514 (linux).
        mean_pktsize: Option<Bytes> = None, "ns-3 MeanPktSize; RFC 8034; Linux: the device's MTU";
        /// Whether large packets are dropped or marked more often than small ones, in proportion to their size over
        /// `mean_pktsize`. RFC 7141 advises against it.
        bytemode: bool = false, "RFC 7141; Linux sch_pie";
        /// Whether drops and marks are spread evenly. The probabilities of packets are added up since the last one:
        /// below a sum of 0.85 none follows, and from 8.5 on the next packet is hit.
        derandomize: bool = true, "RFC 8033 §5.4; Linux";
        /// The largest step by which the probability rises in one update once it is 0.1 or more. 1 turns this off.
        max_step: Probability = Probability::clamped(0.02), "RFC 8033 §5.5";
        /// Event that starts the time in which bursts are spared (`max_burst`). With `docsis`, a short queue never
        /// loses a packet. `"auto"` goes by `form`.
        burst: Option<Burst> = None, "RFC 8033 §4.4; RFC 8034 Appendix A";
        /// With `burst = "docsis"`: after this quiet time the queue must become a third full again before packets are
        /// dropped. If it is too small, every burst is spared.
        burst_reset: Duration = Duration::from_secs(1), "RFC 8034 Appendix A, BURST_RESET_TIMEOUT";
        /// Whether the probability stays zero while bursts are spared, as in ns-2 and ns-3.
        hold_in_burst: bool = false, "RFC 8033 Appendix A";
        /// Measurement of the waiting time in the queue.
        delay_from: DelayFrom = DelayFrom::Timestamps, "Linux sch_pie; RFC 8033 §4.3 allows both";
        /// With `delay_from = "rate"`: over how many bytes the rate is measured at which packets leave. If it is too
        /// small, the rate varies too much; if it is too large, it is never measured, and neither is the delay.
        dq_threshold: Bytes = Bytes(1 << 14), "RFC 8033 §5.2";
    }
}

impl PieConfig {
    /// The parameters of RFC 8034 Appendix A.
    pub fn docsis() -> Self {
        Self {
            target: Duration::from_millis(10),
            tupdate: Duration::from_millis(16),
            alpha: 0.25,
            beta: 2.5,
            max_burst: Duration::from_millis(142),
            form: Form::Docsis,
            ..Self::default()
        }
    }

    /// Unit of size; Linux takes the device's MTU with its header.
    pub(crate) fn mean_pktsize(&self) -> Bytes {
        self.mean_pktsize.unwrap_or(match self.form {
            Form::Rfc => Bytes(1000),
            Form::Linux => Bytes(1514),
            Form::Docsis => Bytes(1024),
        })
    }

    /// Start of the burst allowance.
    pub(super) fn burst(&self) -> Burst {
        self.burst.unwrap_or(if self.form == Form::Docsis { Burst::Docsis } else { Burst::Rfc })
    }
}
