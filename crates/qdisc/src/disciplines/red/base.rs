//! Parameters that every discipline on RED's body has, declared once.

/// Declares the parameters of a discipline that contains a [`Red`](super::Red): those of RED that have a meaning
/// there, then its own, of which `gentle` must be one. `red()` gives the configuration of the RED inside.
macro_rules! red_based {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])+ $field:ident : $ty:ty = $default:expr, $source:literal
                $(, in $least:literal ..= $most:literal : $why:literal)?; )*
        }
    ) => {
        tailrace_core::parameters! {
            $(#[$meta])*
            pub struct $name {
                /// The most that may wait in the queue. If it is too small, packets are dropped for want of room
                /// instead of by the law. A larger limit only costs memory.
                limit: tailrace_core::Limit = tailrace_core::Limit::Packets(50), "ns-2 Queue limit_";
                /// Below this average queue length no packet is dropped or marked. If it is too small, the link has
                /// nothing to send at times. `"auto"`: a third of `max_th` if that is given, else what the link sends
                /// in half of `target_delay`, at least 5 packets.
                min_th: Option<tailrace_core::Limit> = None, "ns-2 thresh_ = 0";
                /// The average queue length at which the signal probability is `max_p`. If it is too close to
                /// `min_th`, the queue swings up and down. `"auto"`: three times `min_th`.
                max_th: Option<tailrace_core::Limit> = None, "ns-2 maxthresh_ = 0";
                /// The probability with which a packet is dropped or marked when the average is `max_th`. If it is
                /// too small, the average grows past `max_th`; if it is too large, the link has nothing to send at
                /// times.
                max_p: tailrace_core::Probability = tailrace_core::Probability::clamped(0.02),
                    "Floyd and Jacobson 1993; tc; ns-3";
                /// The weight of the newest queue length in the average, from 0 to 1. If it is too small, RED reacts
                /// late; if it is too large, short bursts lose packets.
                weight: Option<tailrace_core::Probability> = None, "ns-2 q_weight_ = -1";
                /// Rule for the weight when `weight` is `"auto"`. `"auto"` is `"second"` where `max_p` adapts by a
                /// timer, otherwise `"rtt"`.
                auto_weight: Option<$crate::disciplines::red::AutoWeight> = None, "ns-2; ns-3 for adaptive";
                /// The mean size of a packet. It converts between packets and bytes, and says how many packets the
                /// link could have sent while the queue was empty.
                avpkt: tailrace_core::Bytes = tailrace_core::Bytes(1000), "tc red";
                /// While the queue is empty, the average falls as if packets were sent at this rate. If it is too
                /// small, the average stays high for too long. `"auto"` is the link's rate.
                bandwidth: Option<tailrace_core::Rate> = None, "Floyd and Jacobson 1993";
                /// The waiting time that thresholds set to `"auto"` aim at. If it is too small, the link has nothing
                /// to send at times; if it is too large, queues are long.
                target_delay: tailrace_core::Duration = tailrace_core::Duration::from_millis(5), "ns-2 targetdelay_";
                /// Whether the average queue length is counted in bytes rather than packets. `"auto"` takes the unit
                /// of `min_th`, or if that is not given of `max_th`, or else of `limit`.
                queue_in_bytes: Option<bool> = None, "tc counts bytes, Floyd and Jacobson 1993 packets";
                /// Whether large packets are dropped or marked more often than small ones, in proportion to their
                /// size over `avpkt`. RFC 7141 advises against it.
                probability_in_bytes: bool = false, "RFC 7141";
                /// Whether at least `1/p` packets pass after a drop or mark before the next one, where `p` is the
                /// signal probability. Drops and marks are then fewer and more evenly spread.
                wait: bool = false, "Floyd and Jacobson 1993";
                /// Count of the packets since the last drop or mark, which spreads drops and marks over time.
                count: $crate::disciplines::red::CountForm = $crate::disciplines::red::CountForm::Analysis,
                    "Floyd and Jacobson 1993, analysis";
                /// While fewer packets than this wait, none is dropped or marked, whatever the average is.
                guard: u64 = 2, "ns-2 queue/red.cc";
                /// Decay of the average while the queue is empty.
                idle: $crate::disciplines::red::IdleForm = $crate::disciplines::red::IdleForm::Paper,
                    "Floyd and Jacobson 1993";
                /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
                ecn: bool = false, "tc, ns-2, ns-3";
                /// Whether ECN-capable packets are dropped, not marked, when the average is above the range in which
                /// RED signals at random.
                harddrop: bool = true, "ns-3 UseHardDrop";
                $( $(#[doc = $doc])+ $field : $ty = $default, $source $(, in $least..=$most: $why)?; )*
            }
        }

        impl $name {
            /// The RED inside.
            fn red(&self) -> $crate::disciplines::red::RedConfig {
                $crate::disciplines::red::RedConfig {
                    limit: self.limit,
                    min_th: self.min_th,
                    max_th: self.max_th,
                    max_p: self.max_p,
                    weight: self.weight,
                    auto_weight: self.auto_weight,
                    avpkt: self.avpkt,
                    bandwidth: self.bandwidth,
                    target_delay: self.target_delay,
                    queue_in_bytes: self.queue_in_bytes,
                    probability_in_bytes: self.probability_in_bytes,
                    gentle: self.gentle,
                    wait: self.wait,
                    count: self.count,
                    guard: self.guard,
                    idle: self.idle,
                    ecn: self.ecn,
                    harddrop: self.harddrop,
                    ..$crate::disciplines::red::RedConfig::default()
                }
            }
        }
    };
}
pub(crate) use red_based;
