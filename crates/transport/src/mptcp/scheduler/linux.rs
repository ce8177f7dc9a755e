//! Upstream Linux's default scheduler (net/mptcp/protocol.c): the subflow that would drain its queue first.
//!
//! Of the usable subflows, backups only for want of others, the one whose bytes not yet acknowledged would take the
//! least time at its average pacing rate gets the next burst.
//!
//! Bytes are put into the send queues of subflows ahead of their windows, so what a subflow is given is decided by how
//! fast its queue drains, and one that falls silent holds more than a window. The pacing rate is Linux's: window over
//! round trip, twice that in slow start and 1.2 times after, averaged over what is queued. Without `fill_queues` bytes
//! leave at once or wait, the choice is made among subflows with room, and what a queue would hold is what is in flight.

use super::{ConnectionView, Scheduler, SchedulerKind, SubflowView, is_in};
use crate::mptcp::MAX_SUBFLOWS;
use crate::mptcp::send::Chunk;
use tailrace_core::parameters;

parameters! {
    /// Parameters of Linux's scheduler.
    pub struct LinuxSchedulerConfig {
        /// How many bytes one decision is good for. With more, longer runs of data stay on one subflow.
        burst: u64 = 65_428, "Linux MPTCP_SEND_BURST_SIZE", in 1..=1000000000: "it is a number of bytes, at least one";
        /// Whether subflows are given more bytes than their windows allow at once, up to their send buffers. If
        /// false, a silent subflow holds one window of data at most, and comes back sooner.
        fill_queues: bool = true, "Linux mptcp_sendmsg_frag, sk_stream_memory_free";
    }
}

/// The subflow chosen last, what is left of its burst, and average pacing rates in bytes a second.
#[derive(Clone, Debug)]
pub struct LinuxScheduler {
    burst: u64,
    fills: bool,
    last: usize,
    left: i64,
    /// Where the burst ends, of queues that are filled.
    until: u64,
    rates: [u64; MAX_SUBFLOWS],
}

impl SchedulerKind for LinuxScheduler {
    type Config = LinuxSchedulerConfig;
    const SUMMARY: &'static str = "The subflow that would have sent its waiting data first, as in Linux";
    const CITATION: &'static str = "Linux, net/mptcp/protocol.c, mptcp_subflow_get_send";
    fn build(config: &LinuxSchedulerConfig) -> Self {
        let (burst, fills) = (config.burst.max(1), config.fill_queues);
        Self { burst, fills, last: 0, left: 0, until: 0, rates: [0; MAX_SUBFLOWS] }
    }
}

/// In bytes a second (`tcp_update_pacing_rate`): as the last ACK left it, where that is known.
fn pacing_rate(s: &SubflowView) -> u64 {
    if let Some(noted) = s.noted_rate {
        return noted;
    }
    let slow_start = s.ssthresh.is_none_or(|t| s.cwnd.get() < t.get() / 2);
    let factor = if slow_start { 2.0 } else { 1.2 };
    (factor * s.cwnd.max(s.outstanding).as_f64() / s.srtt.as_secs_f64().max(1e-6)) as u64
}

/// The mean of two rates by so many bytes each, rounded down as Linux does, which decides where two subflows would be done nearly at once.
fn mean(rates: [u64; 2], bytes: [u64; 2]) -> u64 {
    let [of_first, of_second] = [0, 1].map(|i| u128::from(rates[i]) * u128::from(bytes[i]));
    let all = u128::from(bytes[0]) + u128::from(bytes[1]);
    u64::try_from(of_first.saturating_add(of_second) / all.max(1)).unwrap_or(u64::MAX)
}

impl LinuxScheduler {
    fn queue(&self, s: &SubflowView) -> u64 {
        if self.fills { s.queued.get() } else { s.in_flight.get() }
    }

    /// How long what it has would take, at its average rate, in units of 2^-32 s.
    fn linger_time(&mut self, id: usize, s: &SubflowView) -> u64 {
        if self.rates[id] == 0 || s.sent == 0 {
            self.rates[id] = pacing_rate(s);
        }
        (self.queue(s).min(u64::from(u32::MAX)) << 32) / self.rates[id].max(1)
    }

    /// Whether the last choice holds for `chunk`, too. Each push begins with one (`__mptcp_subflow_push_pending`), and a chunk may be
    /// handed out in part, where it fills up a segment that waits.
    fn holds_for(&self, chunk: &Chunk, conn: &ConnectionView) -> bool {
        if self.fills { conn.goes_on && chunk.dsn < self.until } else { self.left > 0 }
    }

    /// The subflow that would be done first, whether it has room or not where queues are filled.
    fn first_done(&mut self, chunk: &Chunk, subflows: &[SubflowView]) -> Option<usize> {
        let backups_only = !subflows.iter().any(|s| s.usable && !s.backup);
        let mut best: Option<(u64, usize)> = None;
        for (id, s) in subflows.iter().enumerate() {
            let fit = s.usable && (backups_only || !s.backup) && !is_in(chunk.carriers, id);
            if !fit || !(self.fills || s.room) {
                continue;
            }
            let linger_time = self.linger_time(id, s);
            if best.is_none_or(|(least, _)| linger_time < least) {
                best = Some((linger_time, id));
            }
        }
        best.map(|(_, id)| id).filter(|id| subflows[*id].room)
    }
}

impl Scheduler for LinuxScheduler {
    fn fills_queues(&self) -> bool {
        self.fills
    }

    fn select(&mut self, chunk: &Chunk, conn: &ConnectionView, subflows: &[SubflowView]) -> Option<usize> {
        let len = i64::from(chunk.len);
        let last =
            subflows.get(self.last).filter(|s| s.usable && s.room && !is_in(chunk.carriers, self.last));
        // A fragment goes out as a whole (`__subflow_push_pending`).
        let goes_on = self.fills && conn.within && chunk.carriers == 0;
        if goes_on && subflows.get(self.last).is_some_and(|s| s.usable) {
            return Some(self.last);
        }
        if self.holds_for(chunk, conn) && last.is_some() {
            self.left -= len;
            return Some(self.last);
        }
        let id = self.first_done(chunk, subflows)?;
        let burst = if self.fills { self.burst.min(conn.window.get()) } else { self.burst };
        let (queued, rate) = (self.queue(&subflows[id]), pacing_rate(&subflows[id]));
        if burst > 0 {
            self.rates[id] = mean([self.rates[id], rate], [queued, burst]);
        }
        self.left = burst.min(i64::MAX as u64) as i64 - len;
        (self.last, self.until) = (id, chunk.dsn.saturating_add(burst));
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::scheduler::testing::{chunk, conn, subflow};
    use tailrace_core::Bytes;

    #[test]
    fn bursts_go_where_the_queue_drains_first() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig { burst: 1500, fill_queues: false });
        let mut select = |flight: [u64; 2]| {
            let views = flight.map(|f| SubflowView { in_flight: Bytes(f), ..subflow(10) });
            linux.select(&chunk(0), &conn(), &views)
        };
        assert_eq!(select([5000, 1000]), Some(1));
        assert_eq!(select([0, 1000]), Some(1), "the burst is not used up");
        assert_eq!(select([0, 1000]), Some(0));
    }

    #[test]
    fn average_rates_are_rounded_down() {
        // As a kernel 6.12 printed them: 2438245.4 and 1794851.3.
        assert_eq!(mean([2_574_051, 1_484_858], [459_320, 65_428]), 2_438_245);
        assert_eq!(mean([1_795_829, 1_609_756], [321_072, 1696]), 1_794_851);
        assert_eq!(mean([5, 7], [0, 0]), 0, "of nothing there is none");
        assert_eq!(mean([u64::MAX; 2], [u64::MAX >> 1; 2]), u64::MAX);
    }

    #[test]
    fn a_full_queue_that_would_be_done_first_is_waited_for() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig::default());
        let (slow, fast) = (subflow(100), subflow(10));
        let queued = |s: SubflowView, bytes, room| SubflowView { queued: Bytes(bytes), room, sent: 1, ..s };
        let views = [queued(slow, 50_000, true), queued(fast, 50_000, false)];
        assert_eq!(
            linux.select(&chunk(0), &conn(), &views),
            None,
            "the fast one drains in a tenth of the time"
        );
        let views = [queued(slow, 4_000, true), queued(fast, 50_000, false)];
        assert_eq!(linux.select(&chunk(0), &conn(), &views), Some(0));
    }

    #[test]
    fn a_fragment_goes_where_it_was_begun_whatever_room_there_is() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig { burst: 1000, fill_queues: true });
        let views = [subflow(10), SubflowView { queued: Bytes(50_000), ..subflow(10) }];
        assert_eq!(linux.select(&chunk(0), &conn(), &views), Some(0));
        let full = [SubflowView { room: false, queued: Bytes(60_000), ..views[0] }, views[1]];
        let within = ConnectionView { within: true, ..conn() };
        let next = Chunk { dsn: 1000, ..chunk(0) };
        assert_eq!(linux.select(&next, &within, &full), Some(0), "no room, and the burst is used up");
        assert_eq!(linux.select(&next, &conn(), &full), Some(1), "the next fragment");
    }

    #[test]
    fn each_push_begins_with_a_choice() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig::default());
        let views =
            |queued: [u64; 2]| queued.map(|q| SubflowView { queued: Bytes(q), sent: 1, ..subflow(10) });
        assert_eq!(linux.select(&chunk(0), &conn(), &views([0, 5000])), Some(0));
        let next = Chunk { dsn: 300, ..chunk(0) };
        assert_eq!(linux.select(&next, &conn(), &views([9000, 5000])), Some(0), "of the same burst");
        let another = ConnectionView { goes_on: false, ..conn() };
        assert_eq!(linux.select(&next, &another, &views([9000, 5000])), Some(1));
    }

    #[test]
    fn backups_serve_for_want_of_others() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig::default());
        let backup = SubflowView { backup: true, ..subflow(1) };
        let full = SubflowView { room: false, ..subflow(10) };
        assert_eq!(linux.select(&chunk(0), &conn(), &[backup, full]), None);
        let dead = SubflowView { usable: false, ..full };
        assert_eq!(linux.select(&chunk(0), &conn(), &[backup, dead]), Some(0));
    }
}
