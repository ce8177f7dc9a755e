//! Texts of files that scenarios name, traces and distributions of sizes: no panic, errors have a line and a reason, and what is
//! read is the same when it is written and read again.

use crate::input::text_of;
use tailrace_core::SizeDist;
use tailrace_core::dist::cdf::Cdf;
use tailrace_core::{Bytes, DeliveryTrace, Duration, Instant, LineError, Rng};

/// Takes the bytes for text as far as they are.
pub fn run(data: &[u8]) {
    let text = text_of(data);
    match DeliveryTrace::parse(text) {
        Ok(read) => trace(&read),
        Err(error) => check(&error, text),
    }
    for unit in [Bytes(1), Bytes(1460)] {
        match Cdf::of_file(text, unit) {
            Ok(read) => sizes(SizeDist::Empirical(read)),
            Err(error) => check(&error, text),
        }
    }
    // Notation of a scenario file.
    if let Ok(read) = SizeDist::read(text) {
        assert_eq!(SizeDist::read(&read.to_string()), Ok(read.clone()), "{read}");
    }
}

fn check(error: &LineError, text: &str) {
    assert!(!error.why.is_empty());
    assert!((1..=text.lines().count().max(1)).contains(&error.line), "{error:?}");
}

fn trace(read: &DeliveryTrace) {
    assert_eq!(DeliveryTrace::parse(&read.to_lines()).as_ref(), Ok(read));
    let end = Instant::ZERO + read.period();
    assert_eq!(read.count(Instant::ZERO, end) as usize, read.times());
    // None is before the one ahead of it, also where the trace begins anew.
    let mut next = read.after(end);
    for _ in 0..2 * read.times().min(100) {
        let (time, then) = (read.time(next), read.next(next));
        assert!(time > end && read.time(then) >= time);
        next = then;
    }
    assert!(read.time(read.after(Instant::MAX - Duration::from_secs(1))) <= Instant::MAX);
}

fn sizes(read: SizeDist) {
    assert_eq!(SizeDist::read(&read.to_string()).map(|again| again.to_string()), Ok(read.to_string()));
    assert!(read.mean().is_finite() && read.mean() >= 0.0);
    let mut rng = Rng::new(1);
    assert!((0..10).all(|_| (1..=1_000_000_000_000_000).contains(&read.draw(&mut rng).get())));
}
