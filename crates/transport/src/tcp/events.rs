//! Events of a connection for its application.

/// Event of a connection, for its application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// More bytes can be read (or were read, where the endpoint reads by itself).
    Delivered {
        /// Number of bytes.
        bytes: u64,
    },
    /// The peer will send no more.
    PeerClosed,
    /// The connection ended in good order.
    Closed,
    /// The connection broke.
    Reset {
        /// Cause of the reset.
        cause: ResetCause,
    },
}

/// Cause of a broken connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetCause {
    /// The peer refused it.
    Refused,
    /// The peer reset it.
    Peer,
    /// Too many retransmissions without an answer.
    TimedOut,
    /// This end aborted it.
    Local,
    /// The addresses of the last subflows of a Multipath TCP connection were removed.
    AddressLost,
}

/// Events that wait to be polled. The peer closes once, and the connection ends once.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingEvents {
    delivered: u64,
    /// An event other than a delivery is pending, which few segments cause.
    other: bool,
    reset: Option<ResetCause>,
    connected: bool,
    peer_closed: bool,
    /// The application was told that the peer has closed, or will be.
    knows_peer_closed: bool,
    closed: bool,
    /// The application was told that the connection has ended in good order, or will be.
    knows_closed: bool,
}

impl PendingEvents {
    pub(crate) fn connected(&mut self) {
        (self.connected, self.other) = (true, true);
    }
    /// `bytes` more can be read.
    #[inline(always)]
    pub(crate) fn delivered(&mut self, bytes: u64) {
        self.delivered += bytes;
    }
    /// The peer will send no more; whether that is new.
    pub(crate) fn peer_closed(&mut self) -> bool {
        let new = !core::mem::replace(&mut self.knows_peer_closed, true);
        self.peer_closed |= new;
        self.other |= new;
        new
    }
    pub(crate) fn reset(&mut self, cause: ResetCause) {
        (self.reset, self.other) = (Some(cause), true);
    }
    /// The connection has ended in good order, which is told once.
    pub(crate) fn closed(&mut self) {
        let new = !core::mem::replace(&mut self.knows_closed, true);
        self.closed |= new;
        self.other |= new;
    }

    /// Whether an event other than a delivery is pending.
    #[inline]
    pub(crate) const fn has_other(&self) -> bool {
        self.other
    }

    /// The next event, in the order in which they can have happened.
    #[inline]
    pub(crate) fn poll(&mut self) -> Option<Event> {
        if self.other {
            return self.poll_all();
        }
        (self.delivered > 0).then(|| Event::Delivered { bytes: core::mem::take(&mut self.delivered) })
    }

    #[inline(never)]
    fn poll_all(&mut self) -> Option<Event> {
        if core::mem::take(&mut self.connected) {
            Some(Event::Connected)
        } else if self.delivered > 0 {
            Some(Event::Delivered { bytes: core::mem::take(&mut self.delivered) })
        } else if core::mem::take(&mut self.peer_closed) {
            Some(Event::PeerClosed)
        } else if let Some(cause) = self.reset.take() {
            Some(Event::Reset { cause })
        } else {
            self.other = false;
            core::mem::take(&mut self.closed).then_some(Event::Closed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_once_and_in_the_order_of_a_connection() {
        let mut pending = PendingEvents::default();
        pending.closed();
        pending.delivered(5);
        assert!(pending.peer_closed());
        pending.connected();
        pending.delivered(7);
        let events: Vec<_> = std::iter::from_fn(|| pending.poll()).collect();
        let delivered = Event::Delivered { bytes: 12 };
        assert_eq!(events, [Event::Connected, delivered, Event::PeerClosed, Event::Closed]);
        assert!(!pending.peer_closed(), "it is known");
        pending.closed();
        assert_eq!(pending.poll(), None);
    }
}
