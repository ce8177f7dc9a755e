//! Processor time and memory of one run, as the kernel counts them.
//!
//! Processor time, not wall time: other work on the machine then disturbs only through shared caches.

use std::fs;

/// Work of a run, as its driver counts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    /// Packets carried over a link, summed over links.
    pub(crate) packet_hops: u64,
    /// Events handled.
    pub(crate) events: u64,
}

/// Cost of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measurement {
    pub(crate) setup_s: f64,
    pub(crate) run_cpu_s: f64,
    pub(crate) work: Work,
    pub(crate) peak_rss_bytes: u64,
}

/// Times `setup`, then `run` on what it made.
pub(crate) fn measure<T>(
    setup: impl FnOnce() -> T,
    run: impl FnOnce(T) -> Work,
) -> Result<Measurement, String> {
    let begin = cpu_s();
    let made = setup();
    let middle = cpu_s();
    let work = run(made);
    let end = cpu_s();
    Ok(Measurement {
        setup_s: middle - begin,
        run_cpu_s: end - middle,
        work,
        peak_rss_bytes: peak_rss_bytes()?,
    })
}

impl Measurement {
    /// Prints the result as one JSON object, with figures of the load carried, or for reading.
    #[expect(clippy::print_stdout, reason = "the result is this program's data")]
    pub(crate) fn print(&self, scenario: &str, n: u32, load: &[(&str, f64)], json: bool) {
        let Self { setup_s, run_cpu_s, work: Work { packet_hops, events }, peak_rss_bytes } = *self;
        let ns_per_hop = run_cpu_s * 1e9 / packet_hops as f64;
        let load: String = load.iter().map(|(key, value)| format!(",\"{key}\":{value}")).collect();
        if json {
            println!(
                "{{\"scenario\":\"{scenario}\",\"n\":{n},\"setup_s\":{setup_s:.6},\"run_cpu_s\":{run_cpu_s:.6},\
                 \"packet_hops\":{packet_hops},\"events\":{events},\"ns_per_hop\":{ns_per_hop:.2},\
                 \"peak_rss_bytes\":{peak_rss_bytes}{load}}}"
            );
        } else {
            println!(
                "{scenario} n={n}: {ns_per_hop:.1} ns a packet-hop ({packet_hops} hops, {:.3} events each, \
                 {run_cpu_s:.3} s), set-up {setup_s:.3} s, peak memory {:.1} MB",
                events as f64 / packet_hops as f64,
                peak_rss_bytes as f64 / 1e6
            );
        }
    }
}

/// Processor time of this process so far.
pub(crate) fn cpu_s() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn peak_rss_bytes() -> Result<u64, String> {
    let text = fs::read_to_string("/proc/self/status").map_err(|e| format!("/proc/self/status: {e}"))?;
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().strip_suffix(" kB")).and_then(|n| n.trim().parse::<u64>().ok());
    Ok(kib.ok_or("/proc/self/status: no VmHWM")? * 1024)
}
