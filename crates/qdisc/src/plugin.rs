//! Disciplines that are not in the table: whoever reads a scenario hands them in.
//!
//! [`PluginDiscipline`] is [`Discipline`] as an object. It builds a queue of [`Ticket`]s, since an object cannot be
//! generic over the packet: [`PluginQdisc`] keeps the packets, and does to them what the queue did to their tickets. Every
//! discipline of Rust can be handed in under a name ([`PluginConfig::named`]); a registered one gives the same through this
//! door as without, only slower: two virtual calls a packet and a move more.

mod ticket;

use crate::discipline::{Backlog, Cx, LinkView, QueueDiscipline, Sink};
use crate::registry::{Discipline, Invalid, Shaping};
use core::fmt;
use tailrace_core::params::plugin::{Named, PluginParameters, equal};
use tailrace_core::params::{ParamInfo, SetError, Value};
use tailrace_core::{DropReason, FlowKey, Instant, Packet, SackRanges};
use ticket::Waiting;

pub use ticket::Ticket;

/// A queue that an outside discipline builds.
pub type TicketQueue = Box<dyn QueueDiscipline<Ticket> + Send>;

/// The configuration of a discipline from outside: what [`Discipline`] says, of an object.
pub trait PluginDiscipline: PluginParameters {
    /// Whether the parameters go together; each lies within its bounds.
    ///
    /// # Errors
    /// The parameter at fault and why.
    fn validate(&self) -> Result<(), Invalid>;
    /// An empty queue for `link`. The configuration has passed [`PluginDiscipline::validate`].
    fn build(&self, link: &LinkView) -> TicketQueue;
    /// Whether it singles out flows and reports them as flagged and cleared.
    fn classifies(&self) -> bool;
    /// Whether it holds packets back though its link is free.
    fn shaping(&self) -> Shaping {
        Shaping::None
    }
    /// A copy.
    fn copy(&self) -> Box<dyn PluginDiscipline>;
}

impl<C> PluginDiscipline for Named<C>
where
    C: Discipline + fmt::Debug + Send + Sync + 'static,
    C::Queue<Ticket>: Send + 'static,
{
    fn validate(&self) -> Result<(), Invalid> {
        self.config.validate()
    }
    fn build(&self, link: &LinkView) -> TicketQueue {
        Box::new(self.config.build::<Ticket>(link))
    }
    fn classifies(&self) -> bool {
        C::CLASSIFIES
    }
    fn shaping(&self) -> Shaping {
        self.config.shaping()
    }
    fn copy(&self) -> Box<dyn PluginDiscipline> {
        Box::new(self.clone())
    }
}

/// The configuration of a discipline from outside, as the variant of [`QdiscConfig`](crate::QdiscConfig).
#[derive(Debug)]
pub struct PluginConfig(Box<dyn PluginDiscipline>);

impl PluginConfig {
    /// Makes a plug-in in its default configuration, which others are copies of.
    pub fn new(discipline: impl PluginDiscipline + 'static) -> Self {
        Self(Box::new(discipline))
    }
    /// A discipline of Rust, under the name that scenarios give it.
    pub fn named<C>(name: &'static str) -> Self
    where
        C: Discipline + fmt::Debug + Send + Sync + 'static,
        C::Queue<Ticket>: Send + 'static,
    {
        Self::new(Named { name, config: C::default() })
    }
    /// Name in scenarios.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
    /// Summary in a sentence; empty where there is none.
    pub fn about(&self) -> &'static str {
        self.0.about()
    }
    /// The parameter table.
    pub fn params(&self) -> &'static [ParamInfo] {
        self.0.params()
    }
    /// Sets one parameter.
    ///
    /// # Errors
    /// Where the name is unknown or the value does not fit.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), SetError> {
        self.0.set(name, value)
    }
    /// The value of one parameter in the form that `set` reads; `None` for an unknown name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.0.get(name)
    }
    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        self.0.validate()
    }
    pub(crate) fn classifies(&self) -> bool {
        self.0.classifies()
    }
    pub(crate) fn shaping(&self) -> Shaping {
        self.0.shaping()
    }
    pub(crate) fn build<P: Packet>(&self, link: &LinkView) -> Box<PluginQdisc<P>> {
        Box::new(PluginQdisc { queue: self.0.build(link), waiting: Waiting::default() })
    }
}

impl Clone for PluginConfig {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

impl PartialEq for PluginConfig {
    fn eq(&self, other: &Self) -> bool {
        equal(&*self.0, &*other.0)
    }
}

/// A queue from outside with the packets that its tickets stand for.
pub struct PluginQdisc<P> {
    queue: TicketQueue,
    waiting: Waiting<P>,
}

impl<P: fmt::Debug> fmt::Debug for PluginQdisc<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PluginQdisc").field("backlog", &self.queue.backlog()).finish_non_exhaustive()
    }
}

/// Passes on what the queue reports of its tickets, of the packets that they stand for.
struct Relay<'a, P> {
    sink: &'a mut dyn Sink<P>,
    waiting: &'a mut Waiting<P>,
}

impl<P: Packet> Sink<Ticket> for Relay<'_, P> {
    fn dropped(&mut self, ticket: Ticket, reason: DropReason, now: Instant) {
        self.sink.dropped(self.waiting.redeem(ticket), reason, now);
    }
    fn marked(&mut self, ticket: &Ticket, now: Instant) {
        self.sink.marked(self.waiting.renewed(ticket), now);
    }
    fn flagged(&mut self, flow: FlowKey, flagged: bool, now: Instant) {
        self.sink.flagged(flow, flagged, now);
    }
    fn sack(&self, ticket: &Ticket) -> Option<SackRanges> {
        self.sink.sack(self.waiting.of(ticket))
    }
}

impl<P: Packet> PluginQdisc<P> {
    fn with<R>(
        &mut self,
        cx: &mut Cx<'_, P>,
        call: impl FnOnce(&mut TicketQueue, &mut Cx<'_, Ticket>) -> R,
    ) -> R {
        let mut relay = Relay { sink: &mut *cx.sink, waiting: &mut self.waiting };
        call(&mut self.queue, &mut Cx { now: cx.now, rng: &mut *cx.rng, sink: &mut relay })
    }
}

impl<P: Packet> QueueDiscipline<P> for PluginQdisc<P> {
    fn enqueue(&mut self, packet: P, cx: &mut Cx<'_, P>) {
        let ticket = self.waiting.issue(packet);
        self.with(cx, |queue, cx| queue.enqueue(ticket, cx));
    }
    fn dequeue(&mut self, cx: &mut Cx<'_, P>) -> Option<(P, Instant)> {
        let (ticket, arrival) = self.with(cx, |queue, cx| queue.dequeue(cx))?;
        Some((self.waiting.redeem(ticket), arrival))
    }
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }
    fn poll_timeout(&self) -> Option<Instant> {
        self.queue.poll_timeout()
    }
    fn handle_timeout(&mut self, cx: &mut Cx<'_, P>) {
        self.with(cx, |queue, cx| queue.handle_timeout(cx));
    }
    fn attach(&mut self, link: u32) {
        self.queue.attach(link);
    }
    fn link_changed(&mut self, link: &LinkView, cx: &mut Cx<'_, P>) {
        self.with(cx, |queue, cx| queue.link_changed(link, cx));
    }
    fn state_names(&self) -> &'static [&'static str] {
        self.queue.state_names()
    }
    fn state(&self, out: &mut [f64]) {
        self.queue.state(out);
    }
}
