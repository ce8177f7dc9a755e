//! Coupled congestion control: windows of several subflows that are decided on together (RFC 6356).
//!
//! Only congestion avoidance is coupled. Slow start, fast recovery and timeouts are each subflow's own (RFC 6356
//! §3), and are dealt with here for all algorithms. One algorithm is one file plus one line in the table below.

mod registry;
#[cfg(test)]
mod tests;

use crate::cc::coupled_subflow::CoupledSubflow;
use crate::cc::{AckSample, CongestionEvent, Signal};
use tailrace_core::params::{Invalid, Parameters};
use tailrace_core::{Bytes, Duration};

registry::coupled_controls! {
    "lia" => lia::Lia(LiaConfig),
    "olia" => olia::Olia(OliaConfig),
    "balia" => balia::Balia(BaliaConfig),
    "wvegas" => wvegas::Wvegas(WvegasConfig),
    "ewtcp" => ewtcp::Ewtcp(EwtcpConfig),
    "fully_coupled" => fully_coupled::FullyCoupled(FullyCoupledConfig),
    "linked_increases" => linked_increases::LinkedIncreases(LinkedIncreasesConfig),
    "rtt_compensator" => rtt_compensator::RttCompensator(RttCompensatorConfig),
}

/// A subflow as a coupled controller sees it.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Segment size, bytes.
    pub mss: f64,
    /// Congestion window, segments; in fast recovery the threshold, not an inflated window (RFC 6356 §3).
    pub window: f64,
    /// Smoothed round-trip time, seconds; zero before the first sample.
    pub srtt: f64,
    /// Smallest round-trip time, seconds.
    pub min_rtt: f64,
    /// Established, with a round-trip sample: the others do not count.
    pub active: bool,
}

impl Path {
    /// A place without a subflow.
    pub const VACANT: Self = Self { mss: 1.0, window: 0.0, srtt: 0.0, min_rtt: 0.0, active: false };

    /// Segments a second.
    pub fn rate(&self) -> f64 {
        if self.srtt > 0.0 { self.window / self.srtt } else { 0.0 }
    }
}

/// The paths that count.
pub fn active(paths: &[Path]) -> impl Iterator<Item = &Path> {
    paths.iter().filter(|p| p.active)
}

/// Coupled congestion control: growth and decrease of the windows of a connection's subflows. Windows are in segments.
pub trait CoupledControl {
    /// Growth of subflow `of`'s window for `acked` segments in congestion avoidance. May be negative.
    fn increase(&mut self, of: usize, acked: f64, sample: &AckSample, paths: &[Path]) -> f64;
    /// The window of subflow `of` after a loss or a mark; half of `base` unless an algorithm differs.
    fn decrease(&mut self, _of: usize, base: f64, _paths: &[Path]) -> f64 {
        base / 2.0
    }
    /// `acked` bytes of subflow `of` were acknowledged, slow start or not.
    fn on_acked(&mut self, _of: usize, _acked: Bytes, _sample: &AckSample) {}
    /// Subflow `of` suffered a loss, for the first time in its window.
    fn on_loss(&mut self, _of: usize) {}
    /// Replaces slow start and congestion avoidance alike, where an algorithm has rules for both (wVegas). Returns
    /// the new window and threshold in segments.
    fn replace(
        &mut self,
        _of: usize,
        _window: (f64, f64),
        _sample: &AckSample,
        _paths: &[Path],
    ) -> Option<(f64, f64)> {
        None
    }
    /// Subflow `of` begins anew.
    fn add(&mut self, _of: usize) {}
}

/// An algorithm that can stand in the registry.
pub trait CoupledAlgorithm: CoupledControl + Sized {
    /// Its parameters.
    type Config: Parameters;
    /// Summary for `tailrace list`, a line long.
    const SUMMARY: &'static str;
    /// Where it is defined.
    const CITATION: &'static str;
    /// Whether the parameters fit together.
    ///
    /// # Errors
    /// The name of one that does not, and why.
    fn validate(_config: &Self::Config) -> Result<(), Invalid> {
        Ok(())
    }
    /// A fresh instance.
    fn build(config: &Self::Config) -> Self;
}

/// A controller and what it knows of the subflows.
#[derive(Clone, Debug)]
pub(crate) struct Coupling {
    controller: Controller,
    paths: Vec<Path>,
    /// Inputs from which each path was computed last.
    settled: Vec<Settled>,
}

/// A window, the segment size and round-trip times of a subflow as they were settled last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settled {
    cwnd: f64,
    mss: u64,
    times: (Duration, Duration),
}

impl Settled {
    /// Inputs of a path that was never computed.
    const NONE: Self = Self { cwnd: f64::NAN, mss: 0, times: (Duration::ZERO, Duration::ZERO) };

    fn of(member: &CoupledSubflow, times: (Duration, Duration)) -> Self {
        Self { cwnd: member.cwnd, mss: member.setup.mss, times }
    }
}

impl Coupling {
    pub(crate) fn new(config: &CoupledConfig) -> Self {
        Self { controller: config.build(), paths: Vec::new(), settled: Vec::new() }
    }

    /// Subflow `id` begins.
    pub(crate) fn add(&mut self, id: usize) {
        if self.paths.len() <= id {
            self.paths.resize(id + 1, Path::VACANT);
            self.settled.resize(id + 1, Settled::NONE);
        }
        (self.paths[id], self.settled[id]) = (Path::VACANT, Settled::NONE);
        self.controller.add(id);
    }

    /// Subflow `id` has ended.
    pub(crate) fn remove(&mut self, id: usize) {
        (self.paths[id], self.settled[id]) = (Path::VACANT, Settled::NONE);
    }

    /// Reads what [`Coupling::settle`] will need of subflow `id`, and does nothing with it.
    #[inline]
    pub(crate) fn warm_up(&self, id: usize) -> (u64, bool) {
        (self.settled[id].mss, self.paths[id].active)
    }

    /// Number of subflows that count in the coupling.
    #[cfg(test)]
    pub(crate) fn active(&self) -> usize {
        active(&self.paths).count()
    }

    /// Whether `member`, the window of subflow `id`, has noted anything down or is another than it was, or its smoothed or smallest
    /// round-trip time is.
    #[inline]
    pub(crate) fn has_changed(
        &self,
        id: usize,
        member: &CoupledSubflow,
        times: (Duration, Duration),
    ) -> bool {
        member.has_noted() || Settled::of(member, times) != self.settled[id]
    }

    /// Takes what it has noted down, and sets the window.
    #[inline(never)]
    pub(crate) fn settle(&mut self, id: usize, member: &mut CoupledSubflow, times: (Duration, Duration)) {
        self.work_out(id, member, times);
        self.settled[id] = Settled::of(member, times);
    }

    fn work_out(&mut self, id: usize, member: &mut CoupledSubflow, times: (Duration, Duration)) {
        let mss = member.setup.mss as f64;
        self.paths[id] = Path {
            mss,
            window: member.cwnd / mss,
            srtt: times.0.as_secs_f64(),
            min_rtt: times.1.as_secs_f64(),
            active: !times.0.is_zero(),
        };
        while let Some(event) = member.take_signal() {
            self.on_signal(id, member, &event);
        }
        if let Some(sample) = member.take_ack() {
            self.controller.on_acked(id, sample.acked, &sample);
            self.on_ack(id, member, &sample);
        }
        self.paths[id].window = member.cwnd / mss;
    }

    fn on_ack(&mut self, id: usize, member: &mut CoupledSubflow, sample: &AckSample) {
        let mss = member.setup.mss as f64;
        let window = (member.cwnd / mss, member.ssthresh as f64 / mss);
        if let Some((window, threshold)) = self.controller.replace(id, window, sample, &self.paths) {
            member.cwnd = (window * mss).max(mss);
            member.ssthresh = (threshold * mss) as u64;
            return;
        }
        if !sample.cwnd_limited {
            return;
        }
        let rest = slow_start(member, sample);
        if rest > 0.0 {
            self.paths[id].window = member.cwnd / mss;
            let growth = self.controller.increase(id, rest / mss, sample, &self.paths);
            member.cwnd = (member.cwnd + growth * mss).max(mss);
        }
    }

    fn on_signal(&mut self, id: usize, member: &mut CoupledSubflow, event: &CongestionEvent) {
        let mss = member.setup.mss;
        if event.signal == Signal::RepeatedTimeout {
            member.cwnd = mss as f64;
            return;
        }
        self.controller.on_loss(id);
        let lowered = self.controller.decrease(id, event.base.as_f64() / mss as f64, &self.paths);
        member.ssthresh = member.setup.threshold(Bytes((lowered * mss as f64) as u64), 1.0);
        member.cwnd = match event.signal {
            Signal::Loss | Signal::Ecn => member.ssthresh as f64,
            Signal::Timeout | Signal::RepeatedTimeout => mss as f64,
        };
    }
}

/// Slow start as TCP has it (RFC 5681 §3.1, RFC 3465); returns the acknowledged bytes that are left for
/// congestion avoidance.
fn slow_start(member: &mut CoupledSubflow, sample: &AckSample) -> f64 {
    let (acked, ssthresh) = (sample.acked.as_f64(), member.ssthresh as f64);
    if member.cwnd >= ssthresh {
        return acked;
    }
    let mss = member.setup.mss as f64;
    if member.setup.ack_counting {
        member.cwnd += mss;
        return 0.0;
    }
    let limit = if sample.after_timeout { 1.0 } else { f64::from(member.setup.abc_limit.max(1)) };
    let growth = acked.min(limit * mss);
    let used = growth.min(ssthresh - member.cwnd);
    member.cwnd += used;
    growth - used
}

/// Paths and samples for the tests of controllers.
#[cfg(test)]
pub(crate) mod testing {
    use super::{AckSample, Path};
    use tailrace_core::Instant;

    pub(crate) fn path(window: f64, srtt: f64) -> Path {
        Path { window, srtt, min_rtt: srtt, active: true, ..Path::VACANT }
    }
    pub(crate) fn ack() -> AckSample {
        AckSample::at(Instant::ZERO)
    }
}
