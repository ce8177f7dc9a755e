//! Connections in TIME-WAIT, by addresses and ports: a stub each.

use crate::ground::tuple_map::TupleMap;
use crate::host::endpoint::Endpoint;
use crate::host::sockets::Socket;
use crate::packet::socket_id::SocketId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tailrace_core::Instant;
use tailrace_transport::TimeWait;
use tailrace_transport::mptcp::Tuple;

/// What is left of a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeWaitEntry {
    pub(crate) wait: TimeWait,
    /// The socket at the other end, as far as this one knew.
    pub(crate) peer: SocketId,
}

/// All stubs. Those whose time is over go when others come: nothing is woken for them.
#[derive(Debug, Default)]
pub(crate) struct TimeWaitTable {
    by_tuple: TupleMap<TimeWaitEntry>,
    ends: BinaryHeap<Reverse<(Instant, Tuple)>>,
}

impl TimeWaitTable {
    /// A socket is over: where it has to wait for old segments, stubs do that for it.
    pub(crate) fn leave(&mut self, socket: &Socket, now: Instant) {
        let peer = socket.envelope.peer;
        match &socket.endpoint {
            Endpoint::Tcp(tcp) => {
                if let Some(wait) = tcp.time_wait() {
                    self.insert(socket.tuple(), TimeWaitEntry { wait, peer }, now);
                }
            }
            // Its host knows by itself.
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

    /// The stub with these addresses and ports, its own first, unless its time is over.
    pub(crate) fn get_mut(&mut self, tuple: &Tuple, now: Instant) -> Option<&mut TimeWaitEntry> {
        self.by_tuple.get_mut(tuple).filter(|stub| stub.wait.until() > now)
    }

    /// Whether there is one.
    pub(crate) fn has(&self, tuple: &Tuple, now: Instant) -> bool {
        self.by_tuple.get(tuple).is_some_and(|stub| stub.wait.until() > now)
    }

    /// Its time is over before its time.
    pub(crate) fn remove(&mut self, tuple: &Tuple) {
        self.by_tuple.remove(tuple);
    }

    fn sweep(&mut self, now: Instant) {
        while let Some(Reverse((at, tuple))) = self.ends.peek().copied()
            && at <= now
        {
            self.ends.pop();
            // It may have begun anew, or be another's.
            match self.by_tuple.get(&tuple).map(|stub| stub.wait.until()) {
                Some(until) if until > now => self.ends.push(Reverse((until, tuple))),
                Some(_) => drop(self.by_tuple.remove(&tuple)),
                None => {}
            }
        }
    }
}
