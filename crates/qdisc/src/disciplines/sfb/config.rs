//! Parameters of `sfb`, their spelling in tc, and which of them go together.

use super::Penalty;
use super::bin_layout::BinLayout;
use super::bins::{PARTS, Rules};
use super::hash::BinHash;
use crate::flow_hash::FlowBy;
use tailrace_core::{Bytes, Duration, Instant, Limit, Probability};

tailrace_core::choices! {
    /// Version of SFB: the order of its steps, and the defaults of all parameters that are `"auto"`.
    pub enum Form {
        /// The code in the Linux kernel.
        Linux = "linux",
        /// The port to ns-2 by Los Alamos National Laboratory.
        Lanl = "lanl",
    }
}

tailrace_core::choices! {
    /// Treatment of a packet that its bins' probability hits.
    pub enum Early {
        /// It is marked if it is ECN-capable, otherwise dropped.
        Signal = "signal",
        /// Like `signal`; but at probabilities above 1/2 a growing part is dropped, ECN-capable or not.
        Linux = "linux",
        /// It is marked if it is ECN-capable; otherwise nothing happens.
        MarkOnly = "mark_only",
    }
}

tailrace_core::choices! {
    /// Number of full bins that drops a packet.
    pub enum Overflow {
        /// If any one of the packet's bins is full.
        Any = "any",
        /// Only if all of the packet's bins are full.
        All = "all",
    }
}

tailrace_core::choices! {
    /// Packets that the bins of the next hash learn from.
    pub enum Warm {
        /// From all packets, starting at the probability `initial`.
        Always = "always",
        /// From packets of unresponsive flows, during `warmup` before the change.
        Inelastic = "inelastic",
    }
}

tailrace_core::parameters! {
    /// Parameters of `sfb`.
    pub struct SfbConfig {
        /// Version of SFB: the order of its steps, and the value of every parameter below that is `"auto"`.
        form: Form = Form::Linux, "tc sfb";
        /// The most that may wait in the queue. If it is too small, bins never fill, and no flow is found out.
        /// `"auto"`: 1000 packets (linux), 200 (lanl).
        limit: Option<Limit> = None, "Linux txqueuelen; Bedi et al. 2014";
        /// Number of levels of bins, each with a hash of its own. With more, fewer innocent flows are caught, but each
        /// packet costs more computing time. `"auto"`: 8 (linux), 2 (lanl).
        levels: Option<u32> = None, "Linux SFB_LEVELS; Feng et al. 2001";
        /// Number of bins of each level. With too few, innocent flows share bins with floods at every level. `"auto"`:
        /// 16 (linux), 23 (lanl).
        bins: Option<u32> = None, "Linux SFB_NUMBUCKETS; Feng et al. 2001";
        /// Header fields that tell flows apart: packets that agree in them belong to one flow. With fewer fields,
        /// innocent flows share the bins of a flood.
        flow: FlowBy = FlowBy::FiveTuple, "Linux sch_sfb";
        /// Hash that assigns flows to bins. `lanl` needs two levels; with `flow = "src_dst"` it gives what ns-2 does
        /// for agents whose ports are all zero.
        hash: BinHash = BinHash::Salted, "Linux sch_sfb; LANL port";
        /// From how many packets in a bin on its probability rises. If it is too small, short bursts are hit.
        /// `"auto"`: 20 (linux), `limit` over `bins` (lanl).
        target: Option<u32> = None, "Linux bin_size; LANL port";
        /// From how many packets on a bin is full. If it is too small, packets are dropped for that reason and not by
        /// the law. `"auto"`: 25 (linux), one and a half times `target` (lanl).
        max: Option<u32> = None, "Linux max; LANL port";
        /// The mean size of a packet. It converts a `limit` in bytes into the packets from which `target` follows.
        avpkt: Bytes = Bytes(1000), "Bedi et al. 2014";
        /// By how much the probability of a bin rises when the bin has too many packets. If it is too large,
        /// probabilities swing up and down. `"auto"`: 1/1000 (linux), 0.005 (lanl).
        increment: Option<Probability> = None, "Linux increment; LANL port d1";
        /// By how much the probability of a bin falls when the bin is empty. If it is too large, floods are forgotten
        /// in their pauses. `"auto"`: 1/6000 (linux), 0.001 (lanl).
        decrement: Option<Probability> = None, "Linux decrement; LANL port d2";
        /// The shortest time between two changes of a bin's probability. If it is too large, floods are found late.
        /// `"auto"`: none (linux), 100 ms (lanl).
        freeze: Option<Duration> = None, "Linux; LANL port hold_time";
        /// If the probabilities of all bins of a flow reach this, the flow counts as unresponsive. `"auto"`: 1
        /// (linux), 0.98 (lanl).
        penalise: Option<Probability> = None, "Linux SFB_MAX_PROB; LANL port";
        /// Treatment of a packet that its bins' probability hits. `"auto"`: linux (linux), mark_only (lanl).
        early: Option<Early> = None, "Linux; LANL port";
        /// When full bins drop a packet. `"auto"`: all (linux); any (lanl), which also hits flows that share only one
        /// bin with a flood.
        overflow: Option<Overflow> = None, "Linux; LANL port";
        /// After which time another hash takes over; zero means never. If it is too large, flows that share bins with
        /// a flood do so for long. `"auto"`: 600 s (linux), 20 s (lanl).
        rehash: Option<Duration> = None, "Linux rehash_interval; LANL port hinterval";
        /// From which packets the bins of the next hash learn before it takes over. `"auto"`: inelastic (linux),
        /// always (lanl).
        warm: Option<Warm> = None, "Linux double buffering; LANL port";
        /// With `warm = "inelastic"`: for how long before the change the bins of the next hash learn. If it is too
        /// small, floods get through at first.
        warmup: Duration = Duration::from_secs(60), "Linux warmup_time";
        /// With `warm = "always"`: the probability at which the bins of the next hash start.
        initial: Probability = Probability::clamped(0.2), "LANL port";
        /// Penalty box of `lanl`: one packet is let out in each such time, of all its flows together. If it is too
        /// small, floods get through.
        penalty_interval: Duration = Duration::from_millis(50), "LANL port pbox_time";
        /// Penalty box of `linux`: how many packets per second are let out, of all its flows together. Zero: none.
        penalty_rate: u32 = 10, "Linux penalty_rate";
        /// Penalty box of `linux`: how many packets may be let out at once. Zero: none.
        penalty_burst: u32 = 20, "Linux penalty_burst";
        /// Whether ECN-capable packets are marked instead of dropped when the law signals congestion.
        ecn: bool = true, "Linux";
    }
}

impl SfbConfig {
    pub(super) fn auto<T>(&self, given: Option<T>, linux: T, lanl: T) -> T {
        given.unwrap_or(if self.form == Form::Linux { linux } else { lanl })
    }

    pub(super) fn limit(&self) -> Limit {
        self.auto(self.limit, Limit::Packets(1000), Limit::Packets(200))
    }

    pub(super) fn bins(&self) -> u32 {
        self.auto(self.bins, 16, 23)
    }

    pub(super) fn levels(&self) -> u32 {
        self.auto(self.levels, 8, 2)
    }

    pub(super) fn target(&self) -> u32 {
        let packets = match self.limit() {
            Limit::Packets(n) => n,
            Limit::Bytes(b) => b.get() / self.avpkt.get().max(1),
        };
        let share = u32::try_from(packets / u64::from(self.bins().max(1))).unwrap_or(u32::MAX).max(1);
        self.auto(self.target, 20, share)
    }

    pub(super) fn max(&self) -> u32 {
        let target = self.target();
        self.auto(self.max, 25, target.saturating_add(target / 2))
    }

    pub(super) fn rules(&self) -> Rules {
        let p = |given: Option<Probability>, linux, lanl| {
            parts(self.auto(given, Probability::clamped(linux), Probability::clamped(lanl)))
        };
        let freeze = self.auto(self.freeze, Duration::ZERO, Duration::from_millis(100));
        let lower_at_departure = self.form == Form::Lanl;
        // A bin that is lowered from zero stays as it is, but for its freeze.
        let calm = if freeze.is_zero() || lower_at_departure { self.target().min(self.max()) } else { 0 };
        Rules {
            hash: self.hash,
            levels: self.levels(),
            bins: self.bins(),
            shape: BinLayout::new(self.hash, self.levels(), self.bins()),
            target: self.target(),
            max: self.max(),
            increment: p(self.increment, 1.0 / 1000.0, 0.005),
            decrement: p(self.decrement, 1.0 / 6000.0, 0.001),
            freeze,
            initial: parts(self.initial),
            calm,
            lower_at_departure,
        }
    }

    pub(super) fn penalty(&self) -> Penalty {
        match self.form {
            Form::Lanl => Penalty::Spaced { interval: self.penalty_interval, next: Instant::ZERO },
            Form::Linux => Penalty::Bucket {
                rate: self.penalty_rate,
                burst: self.penalty_burst,
                tokens: if self.penalty_rate == 0 { 0 } else { self.penalty_burst },
                since: Instant::ZERO,
            },
        }
    }
}

/// `p` in parts of [`PARTS`].
pub(super) fn parts(p: Probability) -> u32 {
    (p.get() * f64::from(PARTS) + 0.5) as u32
}
