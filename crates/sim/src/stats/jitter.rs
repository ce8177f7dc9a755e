//! How unevenly data reaches the application: jitter as in RFC 3550 §6.4.1, over deliveries instead of arrivals.
//!
//! A delivery is what one arrival brings the application: a datagram, or the bytes of a stream that have come in order
//! by it. For two in a row, received at R and sent at S, D = (R₂ − R₁) − (S₂ − S₁) is the difference of their transit
//! times; jitter is the mean of |D|, which the RFC's J follows with a gain of 1/16. A delivery of a stream is dated by
//! its first byte, the one that the others have waited for, and that by the moment it left its host for the first time:
//! what a loss or a slow path has held up arrives late, however quick its repetition was.

use crate::host::flow::{Carrier, Flow};
use crate::host::hosts::World;
use crate::packet::flow_end::FlowEnd;
use crate::packet::socket_id::SocketId;
use crate::stats::recorder::Recorder;
use tailrace_core::{Duration, Instant};

/// |D| of a delivery that was `transit` on its way, after one that was `before`; none for the first.
#[inline]
fn variation(before: Duration, transit: Duration) -> Option<Duration> {
    (before != Duration::MAX).then(|| transit.max(before) - transit.min(before))
}

/// The application at an end of a flow got so many bytes, with this jitter.
#[inline]
fn count_jitter((flow, recorder): (&mut Flow, &mut Recorder), bytes: u64, jitter: Option<Duration>) {
    flow.tally.delivered_bytes += bytes;
    if let Some(jitter) = jitter {
        flow.tally.jitter_sum += jitter;
        flow.tally.jitter_samples += 1;
        recorder.groups[flow.group as usize].jitter.record(jitter);
    }
}

impl World {
    /// The packet that has just arrived brings the application at a socket so many bytes. Returns whose it is.
    #[inline]
    pub(crate) fn count_delivery(&mut self, id: SocketId, bytes: u64, now: Instant) -> usize {
        let Some(socket) = self.sockets.live(id) else { return 0 };
        let flow = socket.end().flow();
        let again = self.flows[flow].arrived_again || socket.endpoint.releases();
        let first = if again { self.first_sending(id, bytes) } else { None };
        let transit = now.saturating_since(first.unwrap_or(self.flows[flow].arrived_from));
        let Some(socket) = self.sockets.live(id) else { return flow };
        let jitter = variation(std::mem::replace(&mut socket.transit, transit), transit);
        count_jitter((&mut self.flows[flow], &mut self.recorder), bytes, jitter);
        self.flows[flow].silence.end(now, &self.begun);
        flow
    }

    /// A datagram of a flow has arrived.
    #[inline]
    pub(crate) fn count_datagram(&mut self, end: FlowEnd, bytes: u64, now: Instant) -> &mut Flow {
        let flow = &mut self.flows[end.flow()];
        let transit = now.saturating_since(flow.arrived_from);
        flow.silence.end(now, &self.begun);
        if let Carrier::Udp(udp) = &mut flow.carrier {
            let before = std::mem::replace(&mut udp.transit[usize::from(end.is_server())], transit);
            count_jitter((flow, &mut self.recorder), bytes, variation(before, transit));
        }
        flow
    }

    /// When the first of the last `bytes` delivered to a socket left the other end for the first time. That end knows:
    /// no acknowledgment has told it yet to forget them. None where it has been lied to, or is gone.
    #[inline(never)]
    fn first_sending(&self, id: SocketId, bytes: u64) -> Option<Instant> {
        let socket = self.sockets.get(id)?;
        let delivered = socket.endpoint.bytes_delivered();
        self.sockets.get(socket.envelope.peer)?.endpoint.first_sending_of(delivered - bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_is_the_difference_of_transit_times_either_way() {
        let d = |before, transit| variation(Duration::from_millis(before), Duration::from_millis(transit));
        assert_eq!([d(10, 10), d(10, 45), d(45, 12)], [0, 35, 33].map(|ms| Some(Duration::from_millis(ms))));
        assert_eq!(variation(Duration::MAX, Duration::from_millis(10)), None, "the first has none before it");
    }
}
