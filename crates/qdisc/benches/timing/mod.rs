//! The clock of the benchmarks.

use std::time::Instant;

const BATCHES: u32 = 40;

/// Nanoseconds an operation: the least of many batches of `batch` operations each, since other work on the machine only adds
/// time. `run` does as many operations as it is told.
pub fn least_ns(batch: u64, mut run: impl FnMut(u64)) -> f64 {
    let times = (0..BATCHES).map(|_| {
        let start = Instant::now();
        run(batch);
        start.elapsed().as_nanos() as f64 / batch as f64
    });
    times.fold(f64::INFINITY, f64::min)
}
