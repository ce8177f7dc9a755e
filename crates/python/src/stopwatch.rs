//! Cost of a run: wall time and memory. No result depends on it.

use tailrace_sim::RunCost;

/// Measures wall time.
#[derive(Debug)]
pub(crate) struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "the cost of a run is reported, not simulated")]
    pub(crate) fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// Cost since the start.
    pub(crate) fn cost(&self) -> RunCost {
        RunCost { wall_s: self.0.elapsed().as_secs_f64(), peak_rss_bytes: peak_rss_bytes() }
    }
}

/// Peak resident memory of this process in bytes; 0 where the system does not tell.
fn peak_rss_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or(0);
    kib * 1024
}
