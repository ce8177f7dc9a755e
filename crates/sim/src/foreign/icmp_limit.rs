//! Rate limit of ICMP errors: Linux's token bucket (`inet_peer_xrlim_allow`).

use tailrace_core::{Duration, Instant};

/// Interval of ICMP errors from one node to one host, and size of the first burst (Linux `icmp_ratelimit`, `XRLIM_BURST_FACTOR`).
const ERROR_INTERVAL: Duration = Duration::from_secs(1);

const ERRORS_AT_ONCE: u64 = 6;

/// Token bucket of ICMP errors to a host (Linux `inet_peer_xrlim_allow`).
#[derive(Debug)]
pub(crate) struct IcmpRateLimit {
    credit: Duration,
    since: Instant,
}

impl Default for IcmpRateLimit {
    fn default() -> Self {
        Self { credit: MOST_CREDIT, since: Instant::ZERO }
    }
}

const MOST_CREDIT: Duration = Duration::from_nanos(ERRORS_AT_ONCE * ERROR_INTERVAL.as_nanos());

impl IcmpRateLimit {
    /// Takes a token; false if there is none.
    pub(crate) fn allow(&mut self, now: Instant) -> bool {
        self.credit = MOST_CREDIT.min(self.credit + (now - self.since));
        self.since = now;
        let allowed = self.credit >= ERROR_INTERVAL;
        if allowed {
            self.credit = self.credit.saturating_sub(ERROR_INTERVAL);
        }
        allowed
    }
}
