//! Upstream Linux's default scheduler (net/mptcp/protocol.c): the subflow that would drain its queue first.
//!
//! The next burst goes to the usable subflow that would drain its unacknowledged bytes in the least time at its average
//! pacing rate; backups count only if there are no others.
//!
//! Bytes are put into the send queues of subflows ahead of their windows, so what a subflow is given is decided by how
//! fast its queue drains, and one that falls silent holds more than a window. The pacing rate is Linux's: window over
//! round trip, twice that in slow start and 1.2 times after, averaged over what is queued. Without `fill_queues` bytes
//! leave at once or wait, the choice is made among subflows with room, and what a queue would hold is what is in flight.
//!
//! Rates and times are whole numbers, as in the kernel: an average loses up to a byte a second with each burst, which after a few
//! hundred decides between subflows that are nearly equal.

use super::{ConnectionView, Scheduler, SchedulerKind, SubflowView, is_in};
use crate::mptcp::DataChunk;
use crate::mptcp::MAX_SUBFLOWS;
use tailrace_core::parameters;

parameters! {
    /// Parameters of Linux's scheduler.
    pub struct LinuxSchedulerConfig {
        /// Bytes for which one decision holds. With more, longer runs of data stay on one subflow.
        burst: u64 = 65_428, "Linux MPTCP_SEND_BURST_SIZE", in 1..=1000000000: "it is a number of bytes, at least one | a scheduler that sends so much at once never chooses";
        /// Whether subflows are given more bytes than their windows allow at once, up to their send buffers. If
        /// false, a silent subflow holds one window of data at most, and comes back sooner.
        fill_queues: bool = true, "Linux mptcp_sendmsg_frag, sk_stream_memory_free";
    }
}

/// The subflow chosen last, what is left of its burst, and average pacing rates in bytes a second (0: not known yet).
#[derive(Clone, Debug)]
pub struct LinuxScheduler {
    burst: u64,
    fills: bool,
    last: usize,
    left: i64,
    /// Where the burst ends, of queues that are filled, and how far it has got. What lies before that is sent again, which ends it.
    until: u64,
    reached: u64,
    rates: [u64; MAX_SUBFLOWS],
}

impl SchedulerKind for LinuxScheduler {
    type Config = LinuxSchedulerConfig;
    const SUMMARY: &'static str = "The subflow that would have sent its waiting data first, as in Linux";
    const CITATION: &'static str = "Linux, net/mptcp/protocol.c, mptcp_subflow_get_send";
    fn build(config: &LinuxSchedulerConfig) -> Self {
        let (burst, fills) = (config.burst.max(1), config.fill_queues);
        Self { burst, fills, last: 0, left: 0, until: 0, reached: 0, rates: [0; MAX_SUBFLOWS] }
    }
}

/// In bytes a second (`tcp_update_pacing_rate`): as the last ACK left it, where that is known.
fn pacing_rate(s: &SubflowView) -> u64 {
    if let Some(noted) = s.noted_rate {
        return noted.max(1);
    }
    let slow_start = s.ssthresh.is_none_or(|t| s.cwnd.get() < t.get() / 2);
    let factor = if slow_start { 2.0 } else { 1.2 };
    let rate = factor * s.cwnd.max(s.outstanding).as_f64() / s.srtt.as_secs_f64().max(1e-6);
    (rate as u64).max(1)
}

impl LinuxScheduler {
    /// Bytes, in 32 bits.
    fn queue(&self, s: &SubflowView) -> u64 {
        let queue = if self.fills { s.queued } else { s.in_flight };
        queue.get().min(u64::from(u32::MAX))
    }

    /// Time to drain its queue at its average rate, in 2^-32 s.
    fn linger_time(&mut self, id: usize, s: &SubflowView) -> u64 {
        if self.rates[id] == 0 || s.sent == 0 {
            self.rates[id] = pacing_rate(s);
        }
        (self.queue(s) << 32) / self.rates[id]
    }

    /// Subflow `id` gets `burst` bytes: its rate now counts by so much in the average.
    fn average_rate(&mut self, id: usize, s: &SubflowView, burst: u64) {
        let (queue, rate) = (self.queue(s), &mut self.rates[id]);
        let sum = rate.saturating_mul(queue).saturating_add(pacing_rate(s).saturating_mul(burst));
        *rate = (sum / (queue + burst)).max(1);
    }

    /// Whether the last choice holds for `chunk`, too. Each push begins with one (`__mptcp_subflow_push_pending`), and a chunk may be
    /// handed out in part, where it fills up a segment that waits. It ends as well where all that is not acknowledged is sent again
    /// (`__mptcp_retransmit_pending_data`).
    fn holds_for(&self, chunk: &DataChunk, conn: &ConnectionView) -> bool {
        if self.fills {
            conn.goes_on && (self.reached..self.until).contains(&chunk.dsn)
        } else {
            self.left > 0
        }
    }

    /// The subflow that would be done first, whether it has room or not where queues are filled.
    fn first_done(&mut self, chunk: &DataChunk, subflows: &[SubflowView]) -> Option<usize> {
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

    fn select(
        &mut self,
        chunk: &DataChunk,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
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
            self.reached = chunk.dsn;
            return Some(self.last);
        }
        let id = self.first_done(chunk, subflows)?;
        let burst = if self.fills { self.burst.min(conn.window.get()) } else { self.burst };
        if burst > 0 {
            self.average_rate(id, &subflows[id], burst);
        }
        self.left = burst.min(i64::MAX as u64) as i64 - len;
        self.last = id;
        (self.reached, self.until) = (chunk.dsn, chunk.dsn.saturating_add(burst));
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
    fn rates_are_averaged_in_whole_bytes() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig { burst: 3000, fill_queues: true });
        let at = |queued, rate| SubflowView {
            queued: Bytes(queued),
            noted_rate: Some(rate),
            sent: 1,
            ..subflow(10)
        };
        let another = ConnectionView { goes_on: false, ..conn() };
        let mut select = |dsn, views: [SubflowView; 2]| {
            let chosen = linux.select(&DataChunk { dsn, ..chunk(0) }, &another, &views);
            (chosen, linux.rates[0], linux.rates[1])
        };
        assert_eq!(select(0, [at(7000, 1000), at(7001, 1000)]), (Some(0), 1000, 1000));
        // (1000 * 7000 + 1002 * 3000) / 10000 = 1000.6, and (1000 * 7000 + 1003 * 3000) / 10000 = 1000.9.
        assert_eq!(select(0, [at(7000, 1002), at(7001, 1000)]), (Some(0), 1000, 1000));
        assert_eq!(select(0, [at(7000, 1003), at(7001, 1000)]), (Some(0), 1000, 1000));
        // With what was lost the first would be done in 7001 / 1001.5 s, before the other.
        assert_eq!(select(0, [at(7001, 1000), at(7000, 1000)]), (Some(1), 1000, 1000));
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
        let next = DataChunk { dsn: 1000, ..chunk(0) };
        assert_eq!(linux.select(&next, &within, &full), Some(0), "no room, and the burst is used up");
        assert_eq!(linux.select(&next, &conn(), &full), Some(1), "the next fragment");
    }

    #[test]
    fn each_push_begins_with_a_choice() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig::default());
        let views =
            |queued: [u64; 2]| queued.map(|q| SubflowView { queued: Bytes(q), sent: 1, ..subflow(10) });
        assert_eq!(linux.select(&chunk(0), &conn(), &views([0, 5000])), Some(0));
        let next = DataChunk { dsn: 300, ..chunk(0) };
        assert_eq!(linux.select(&next, &conn(), &views([9000, 5000])), Some(0), "of the same burst");
        let another = ConnectionView { goes_on: false, ..conn() };
        assert_eq!(linux.select(&next, &another, &views([9000, 5000])), Some(1));
    }

    #[test]
    fn reinjection_belongs_to_no_burst_before() {
        let mut linux = LinuxScheduler::build(&LinuxSchedulerConfig { burst: 3000, fill_queues: true });
        let views =
            |queued: [u64; 2]| queued.map(|q| SubflowView { queued: Bytes(q), sent: 1, ..subflow(10) });
        let mut select = |dsn, queued| linux.select(&DataChunk { dsn, ..chunk(0) }, &conn(), &views(queued));
        assert_eq!((select(9000, [0, 5000]), select(10_000, [7000, 5000])), (Some(0), Some(0)));
        // All from 2000 on goes again: 5000 bytes are done before 7000, and the burst that begins there has 3000.
        assert_eq!((select(2000, [7000, 5000]), select(4999, [7000, 8000])), (Some(1), Some(1)));
        assert_eq!(select(5000, [7000, 8000]), Some(0));
        // The same holds for a chunk that begins within the burst, behind which more was assigned.
        assert_eq!((select(9000, [9000, 5000]), select(11_000, [1000, 5000])), (Some(1), Some(1)));
        assert_eq!(
            select(10_000, [1000, 5000]),
            Some(0),
            "a burst from 9000 to 12,000, sent again from 10,000 on"
        );
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
