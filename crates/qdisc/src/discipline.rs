//! The two traits a queue discipline can implement: a law ([`Aqm`]) or a whole discipline ([`QueueDiscipline`]).

pub use crate::link_view::LinkView;
use tailrace_core::{Bytes, DropReason, Duration, FlowKey, Instant, Limit, Packet, Rng, SackRanges};

/// Backlog of a queue: the packet in service has left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: Bytes,
}

impl Backlog {
    /// Whether a packet of `size` fits within `limit`.
    #[inline]
    pub fn has_room(self, limit: Limit, size: Bytes) -> bool {
        match limit {
            Limit::Packets(n) => self.packets < n,
            Limit::Bytes(b) => self.bytes + size <= b,
        }
    }
}

/// Decision of a law about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Let it pass untouched.
    Pass,
    /// Signal congestion: mark if the packet is ECN-capable and ECN is on, else drop.
    Signal,
    /// Mark if possible, else let it pass.
    MarkOnly,
    /// Drop, ECN-capable or not.
    Drop,
}

impl Verdict {
    /// Whether the verdict leaves mark or drop to the packet's codepoint.
    #[inline]
    pub const fn is_signal(self) -> bool {
        matches!(self, Self::Signal)
    }
}

/// A congestion law: numbers in, verdict out. It never sees a packet.
///
/// `backlog` on enqueue is what waits *before* the arriving packet is added; on dequeue, what waits *after* the
/// packet was taken out. `now` never decreases. A hook that a law does not need does nothing.
pub trait Aqm {
    /// A packet of `size` arrives.
    fn on_enqueue(&mut self, _size: Bytes, _backlog: Backlog, _now: Instant, _rng: &mut Rng) -> Verdict {
        Verdict::Pass
    }
    /// A packet that waited for `sojourn` is about to leave.
    fn on_dequeue(
        &mut self,
        _size: Bytes,
        _sojourn: Duration,
        _backlog: Backlog,
        _now: Instant,
        _rng: &mut Rng,
    ) -> Verdict {
        Verdict::Pass
    }
    /// Tells the fate of the packet for which the law just returned [`Verdict::Signal`]: it was marked (or carried CE
    /// already) and goes on, or it was dropped. After a drop on departure the next packet comes to [`Aqm::on_dequeue`]
    /// at the same `now`, or [`Aqm::on_idle`] where there is none.
    fn on_signalled(&mut self, _marked: bool, _now: Instant) {}
    /// The hard limit made the queue drop a packet.
    fn on_overlimit(&mut self, _now: Instant) {}
    /// The queue is empty and the transmitter free.
    fn on_idle(&mut self, _now: Instant) {}
    /// When the law wants [`Aqm::handle_timeout`]. May change after any call; spurious timeouts must be harmless.
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    /// The time asked for has come.
    fn handle_timeout(&mut self, _backlog: Backlog, _now: Instant) {}
    /// The link is another from `now` on. A law that was built from what it knew of the link takes what follows from it
    /// anew, but for what the configuration states; what it has observed stays.
    fn link_changed(&mut self, _link: &LinkView, _now: Instant) {}
    /// Names of the state variables that [`Aqm::state`] writes (average queue, drop probability, ...), with units.
    fn state_names() -> &'static [&'static str]
    where
        Self: Sized,
    {
        &[]
    }
    /// Writes the current state variables into `out`, one per name.
    fn state(&self, _out: &mut [f64]) {}
}

/// Where a discipline reports packets that will not come out again, and what it did to others.
pub trait Sink<P> {
    /// `pkt` was dropped.
    fn dropped(&mut self, pkt: P, reason: DropReason, now: Instant);
    /// `pkt` was marked CE.
    fn marked(&mut self, pkt: &P, now: Instant);
    /// A classifier singled out (`true`) or cleared (`false`) a flow.
    fn flagged(&mut self, _flow: FlowKey, _flagged: bool, _now: Instant) {}
    /// The SACK option of `pkt`, which says that it is kept apart; `None` where nobody knows.
    fn sack(&self, _pkt: &P) -> Option<SackRanges> {
        None
    }
}

/// Context of every call of a discipline.
pub struct Cx<'a, P> {
    /// The time.
    pub now: Instant,
    /// The queue's own random stream.
    pub rng: &'a mut Rng,
    /// Where drops, marks and flags go.
    pub sink: &'a mut dyn Sink<P>,
}

/// A queue discipline: packets in, packets out.
///
/// Every packet that `enqueue` takes comes out of `dequeue` once or is reported to the sink as dropped, once.
pub trait QueueDiscipline<P: Packet> {
    /// Takes `pkt`, or reports a drop (of it or of another packet).
    fn enqueue(&mut self, pkt: P, cx: &mut Cx<'_, P>);
    /// The next packet to send, with its time of arrival. `None` with a backlog means "not before
    /// [`QueueDiscipline::poll_timeout`]"; `None` without one means that the queue idles from now on.
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)>;
    /// Waiting packets and bytes.
    fn backlog(&self) -> Backlog;
    /// When the discipline wants [`QueueDiscipline::handle_timeout`].
    fn poll_timeout(&self) -> Option<Instant> {
        None
    }
    /// The time asked for has come. Spurious calls must be harmless.
    fn handle_timeout(&mut self, _cx: &mut Cx<'_, P>) {}
    /// Says which link of the network this queue serves: its number among the links that are told so, from 1. For
    /// disciplines that name their link in labels; before the first packet.
    fn attach(&mut self, _link: u32) {}
    /// The link is another from now on. What the discipline derived from the link when it was built it derives anew, but
    /// for what the configuration states; packets, and what was observed of them, stay. Whoever holds laws or other
    /// disciplines tells them, which is why there is no default.
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>);
    /// Names of the variables that [`QueueDiscipline::state`] writes, unit as suffix (`average_packets`).
    fn state_names(&self) -> &'static [&'static str] {
        &[]
    }
    /// Writes the current state variables into `out`, one per name.
    fn state(&self, _out: &mut [f64]) {}
}
