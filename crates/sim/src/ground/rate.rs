//! Rates and ratios of counters.

use tailrace_core::{Bytes, Duration, Instant};

/// `bytes` over `span` in bit/s.
pub(crate) fn rate_bps(bytes: u64, span: Duration) -> f64 {
    Bytes(bytes).as_f64() * 8.0 / span.as_secs_f64()
}

/// Share of the packets sent that were lost; NaN when none was sent.
pub(crate) fn loss_ratio(lost: u64, sent: u64) -> f64 {
    if sent == 0 {
        return f64::NAN; // What was lost may have been sent before.
    }
    lost as f64 / sent as f64
}

/// Time from `since` to `now`, but never zero.
pub(crate) fn span(since: Instant, now: Instant) -> Duration {
    now.saturating_since(since).max(Duration::from_nanos(1))
}
