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
                /// Most that may wait. Too small: drops come from the limit, not from the law. Too large: only memory.
                limit: tailrace_core::Limit = tailrace_core::Limit::Packets(50), "ns-2 Queue limit_";
                /// Average below which nothing is signalled. Too small: the link idles. `"auto"`: a third of `max_th`
                /// where that is given, else half of `target_delay` at the link's rate, at least 5 packets.
                min_th: Option<tailrace_core::Limit> = None, "ns-2 thresh_ = 0";
                /// Average at which the signal probability is `max_p`. Too close to `min_th`: the queue oscillates.
                /// `"auto"`: three times `min_th`.
                max_th: Option<tailrace_core::Limit> = None, "ns-2 maxthresh_ = 0";
                /// Signal probability at `max_th`. Too small: the average runs past `max_th`. Too large: the link
                /// idles.
                max_p: tailrace_core::Probability = tailrace_core::Probability::clamped(0.02),
                    "Floyd and Jacobson 1993; tc; ns-3";
                /// Weight of a new sample in the average. Too small: RED reacts late. Too large: bursts are punished.
                weight: Option<tailrace_core::Probability> = None, "ns-2 q_weight_ = -1";
                /// What `weight = "auto"` computes; `"auto"` is `"second"` where `max_p` adapts by a timer, else
                /// `"rtt"`.
                auto_weight: Option<$crate::disciplines::red::AutoWeight> = None, "ns-2; ns-3 for adaptive";
                /// Mean packet size: converts between packets and bytes, and gives idle time in packets.
                avpkt: tailrace_core::Bytes = tailrace_core::Bytes(1000), "tc red";
                /// Rate at which idle time counts as packets sent; `"auto"` is the link's. Too small: the average
                /// outlives the silence.
                bandwidth: Option<tailrace_core::Rate> = None, "Floyd and Jacobson 1993";
                /// Delay that automatic thresholds aim at. Too small: the link idles. Too large: long queues.
                target_delay: tailrace_core::Duration = tailrace_core::Duration::from_millis(5), "ns-2 targetdelay_";
                /// Whether the average is in bytes; `"auto"` takes the unit of `min_th`, else `max_th`, else `limit`.
                queue_in_bytes: Option<bool> = None, "tc counts bytes, Floyd and Jacobson 1993 packets";
                /// Scale the signal probability by packet size over `avpkt`. RFC 7141 advises against it.
                probability_in_bytes: bool = false, "RFC 7141";
                /// Wait for `1/p` packets after a signal before the next: fewer, more even signals.
                wait: bool = false, "Floyd and Jacobson 1993";
                /// How packets since the last signal spread the signals.
                count: $crate::disciplines::red::CountForm = $crate::disciplines::red::CountForm::Analysis,
                    "Floyd and Jacobson 1993, analysis";
                /// Signal nothing while fewer packets than this wait, whatever the average says.
                guard: u64 = 2, "ns-2 queue/red.cc";
                /// How the average decays over idle time.
                idle: $crate::disciplines::red::IdleForm = $crate::disciplines::red::IdleForm::Paper,
                    "Floyd and Jacobson 1993";
                /// Mark ECN-capable packets instead of dropping them.
                ecn: bool = false, "tc, ns-2, ns-3";
                /// Where the average is beyond the band, drop ECN-capable packets, too.
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
