//! Either of two disciplines, as a parameter decides.

use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline};
use tailrace_core::{Instant, Packet};

/// Either of two disciplines.
#[derive(Debug)]
pub enum Either<A, B> {
    /// The usual one.
    Plain(A),
    /// The other.
    Other(B),
}

macro_rules! of {
    ($queue:expr, $inner:ident => $call:expr) => {
        match $queue {
            Either::Plain($inner) => $call,
            Either::Other($inner) => $call,
        }
    };
}

impl<P: Packet, A: QueueDiscipline<P>, B: QueueDiscipline<P>> QueueDiscipline<P> for Either<A, B> {
    #[inline]
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        of!(self, q => q.enqueue(packet, cx));
    }
    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        of!(self, q => q.dequeue(cx))
    }
    #[inline]
    fn backlog(&self) -> Backlog {
        of!(self, q => q.backlog())
    }
    fn poll_timeout(&self) -> Option<Instant> {
        of!(self, q => q.poll_timeout())
    }
    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        of!(self, q => q.handle_timeout(cx));
    }
    fn attach(&mut self, link: u32) {
        of!(self, q => q.attach(link));
    }
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        of!(self, q => q.link_changed(link, cx));
    }
    fn state_names(&self) -> &'static [&'static str] {
        of!(self, q => q.state_names())
    }
    fn state(&self, out: &mut [f64]) {
        of!(self, q => q.state(out));
    }
}
