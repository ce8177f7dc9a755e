//! Every subflow carries everything (multipath-tcp/mptcp `mptcp_redundant.c`, 0.90 and later): the fastest copy wins.
//!
//! Each subflow has its own place in the stream and takes the next piece after it that it has not carried; a subflow
//! that lags skips what the peer has acknowledged meanwhile. So goodput is at least that of the best path, and more
//! where the window lets paths drift apart and complement each other. Backups carry only what others carried first,
//! never copies.

use super::{
    ConnectionView, LowestRtt, LowestRttConfig, Pieces, Scheduler, SchedulerKind, SubflowView, is_in,
};
use crate::mptcp::DataChunk;
use crate::mptcp::MAX_SUBFLOWS;
use tailrace_core::parameters;

parameters! {
    /// The redundant scheduler has no parameters.
    pub struct RedundantConfig {}
}

/// Where in the stream each subflow is, and whose turn it is.
#[derive(Clone, Debug)]
pub struct Redundant {
    next: [u64; MAX_SUBFLOWS],
    turn: usize,
    fallback: LowestRtt,
}

impl SchedulerKind for Redundant {
    type Config = RedundantConfig;
    const SUMMARY: &'static str = "Sends all data on every subflow";
    const CITATION: &'static str = "multipath-tcp/mptcp, net/mptcp/mptcp_redundant.c";
    fn build(_config: &RedundantConfig) -> Self {
        let fallback = LowestRtt::build(&LowestRttConfig::default());
        Self { next: [0; MAX_SUBFLOWS], turn: 0, fallback }
    }
}

impl Redundant {
    /// The next piece that subflow `id` has not carried, or new data.
    fn piece_for<P: Pieces>(&self, id: usize, pieces: &P) -> Option<DataChunk> {
        let mut at = self.next[id];
        while let Some(chunk) = pieces.sent_at(at) {
            if !is_in(chunk.carriers, id) {
                return Some(chunk);
            }
            at = chunk.end();
        }
        pieces.fresh()
    }
}

impl Scheduler for Redundant {
    #[inline]
    fn looks_at_windows(&self) -> bool {
        false
    }

    fn select(
        &mut self,
        chunk: &DataChunk,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<usize> {
        self.fallback.select(chunk, conn, subflows)
    }

    fn next<P: Pieces>(
        &mut self,
        pieces: &mut P,
        conn: &ConnectionView,
        subflows: &[SubflowView],
    ) -> Option<(DataChunk, usize)> {
        if let Some(chunk) = pieces.reinjection()
            && let Some(id) = self.select(&chunk, conn, subflows)
        {
            return Some((chunk, id));
        }
        let active = subflows.iter().any(|s| s.usable && !s.backup);
        let n = subflows.len();
        for step in 0..n {
            let id = (self.turn + step) % n;
            let s = &subflows[id];
            if !s.usable || !s.room || (s.backup && active) {
                continue;
            }
            let Some(chunk) = self.piece_for(id, pieces) else { continue };
            if s.backup && chunk.carriers != 0 {
                continue;
            }
            self.next[id] = chunk.end();
            self.turn = (id + 1) % n;
            return Some((chunk, id));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::data::sender::DataSender;
    use crate::mptcp::scheduler::testing::{conn, subflow};

    struct Sendable(DataSender);

    impl Pieces for Sendable {
        fn reinjection(&mut self) -> Option<DataChunk> {
            self.0.first_reinjection()
        }
        fn fresh(&self) -> Option<DataChunk> {
            self.0.fresh(100)
        }
        fn sent_at(&self, dsn: u64) -> Option<DataChunk> {
            if dsn <= self.0.una() { self.0.oldest() } else { self.0.piece_at(dsn) }
        }
    }

    #[test]
    fn each_subflow_takes_every_piece_but_what_is_acknowledged() {
        let mut sender = DataSender::new(u64::MAX);
        sender.write(1000);
        sender.start(1);
        sender.on_ack(1, 10_000);
        let mut sendable = Sendable(sender);
        let mut scheduler = Redundant::build(&RedundantConfig::default());
        let mut step = |sendable: &mut Sendable, open: [bool; 2]| {
            let views = open.map(|room| SubflowView { room, ..subflow(10) });
            let (chunk, id) = scheduler.next(sendable, &conn(), &views)?;
            sendable.0.assign(&chunk, (id, false));
            Some((chunk.dsn, id))
        };
        assert_eq!(step(&mut sendable, [true, true]), Some((1, 0)));
        assert_eq!(step(&mut sendable, [true, true]), Some((1, 1)));
        assert_eq!(step(&mut sendable, [true, false]), Some((101, 0)));
        assert_eq!(step(&mut sendable, [true, false]), Some((201, 0)));
        assert_eq!(step(&mut sendable, [true, true]), Some((101, 1)));
        sendable.0.on_ack(301, 10_000);
        assert_eq!(step(&mut sendable, [false, true]), Some((301, 1)), "201 was acknowledged meanwhile");
        assert_eq!(step(&mut sendable, [true, false]), Some((301, 0)));
        assert_eq!(step(&mut sendable, [false, false]), None);
    }
}
