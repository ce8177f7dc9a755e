//! TIME-WAIT table: an entry per connection, by addresses and ports.

use crate::ground::tuple_map::TupleMap;
use crate::host::endpoint::Endpoint;
use crate::host::sockets::Socket;
use crate::packet::socket_id::SocketId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::Instant;
use tailrace_transport::TimeWait;
use tailrace_transport::mptcp::Tuple;

/// A connection in TIME-WAIT.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeWaitEntry {
    pub(crate) wait: TimeWait,
    /// Socket at the other end, as far as known.
    pub(crate) peer: SocketId,
}

/// All entries. Expired ones are removed when others are inserted, so no timer is needed.
#[derive(Debug, Default)]
pub(crate) struct TimeWaitTable {
    by_tuple: TupleMap<TimeWaitEntry>,
    ends: BinaryHeap<Reverse<(Instant, Tuple)>>,
}

impl TimeWaitTable {
    /// Enters the connections of a closed socket that have to wait for old segments.
    pub(crate) fn leave(&mut self, socket: &Socket, now: Instant) {
        let peer = socket.envelope.peer;
        match &socket.endpoint {
            Endpoint::Tcp(tcp) => {
                if let Some(wait) = tcp.time_wait() {
                    self.insert(socket.tuple(), TimeWaitEntry { wait, peer }, now);
                }
            }
            // The foreign host keeps its own TIME-WAIT.
            Endpoint::Remote(_) => {}
            Endpoint::Mptcp(connection) => {
                for (tuple, wait) in connection.time_waits() {
                    self.insert(tuple, TimeWaitEntry { wait, peer }, now);
                }
            }
        }
    }

    fn insert(&mut self, tuple: Tuple, stub: TimeWaitEntry, now: Instant) {
        self.sweep(now);
        self.ends.push(Reverse((stub.wait.until(), tuple)));
        self.by_tuple.insert(tuple, stub);
    }

    /// Entry with these addresses and ports, its own first, unless it has expired.
    pub(crate) fn get_mut(&mut self, tuple: &Tuple, now: Instant) -> Option<&mut TimeWaitEntry> {
        self.by_tuple.get_mut(tuple).filter(|stub| stub.wait.until() > now)
    }

    /// Whether there is such an entry.
    pub(crate) fn has(&self, tuple: &Tuple, now: Instant) -> bool {
        self.by_tuple.get(tuple).is_some_and(|stub| stub.wait.until() > now)
    }

    /// Removes an entry before it expires.
    pub(crate) fn remove(&mut self, tuple: &Tuple) {
        self.by_tuple.remove(tuple);
    }

    fn sweep(&mut self, now: Instant) {
        while let Some(Reverse((at, tuple))) = self.ends.peek().copied()
            && at <= now
        {
            self.ends.pop();
            // The wait may have been restarted, or the entry replaced.
            match self.by_tuple.get(&tuple).map(|stub| stub.wait.until()) {
                Some(until) if until > now => self.ends.push(Reverse((until, tuple))),
                Some(_) => drop(self.by_tuple.remove(&tuple)),
                None => {}
            }
        }
    }
}
