//! The interface of applications: events that they receive, and actions that they ask for.
//!
//! One application drives one flow, at both of its ends. It receives events and answers with [`AppActions`], which its
//! runner carries out in order: nothing here sends, waits or draws by itself.

use crate::playback_stats::PlaybackStats;
use tailrace_core::{Bytes, Duration, Instant, Rng};

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointRole {
    /// Where the flow comes from; it opens connections.
    Client,
    /// Where it goes to.
    Server,
}

impl EndpointRole {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// Data to send on a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionData {
    /// Unlimited data.
    Endless,
    /// A message of so many bytes, which begins a transfer or an exchange.
    Message(u64),
    /// The same, after which the end that has sent it closes.
    Last(u64),
}

/// A datagram as applications see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Its payload, bytes.
    pub payload: u16,
    /// Eight bytes of it that mean something to the application, such as the time at which it left.
    pub stamp: u64,
}

impl Datagram {
    /// A datagram of this size with an empty stamp. Sizes are capped at the largest IP packet.
    #[inline]
    pub const fn of(size: Bytes) -> Self {
        Self { payload: size.get() as u16, stamp: 0 }
    }
}

/// Something that an application asks for beside a wake-up and a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppAction {
    /// A new connection by the client, and which end sends that data. A server sends once it has heard from its client.
    Open(ConnectionData, EndpointRole),
    /// A message from the client on a connection that is open, which begins an exchange.
    Request(u64),
    /// A message from the end that has just got one whole.
    Respond(u64),
    /// The transfer or exchange under way is complete: how long it took is a sample.
    Complete,
    /// This end of the connection has nothing more to send.
    Close,
    /// A sample of the round-trip time.
    RoundTrip(Duration),
    /// The datagram that has just arrived is heard this long after it was sent.
    Heard(Duration),
    /// The datagram that has just arrived came too late to be of use.
    Late,
    /// All of a page has arrived: how long it took is a sample.
    Page(Duration),
    /// The application at this end takes so many bytes out of its socket, or as many as there are.
    Read(EndpointRole, u64),
}

/// Actions of one callback: one wake-up, one datagram and at most [`AppActions::MOST`] others, carried out in this
/// order. An application that needs more asks to be woken again at once.
///
/// The first two have fields of their own, since each packet over UDP is a wake-up and a datagram: in one list with all
/// else they cost 56 instructions a packet more.
#[derive(Clone, Copy, Debug, Default)]
pub struct AppActions {
    wake: Option<Instant>,
    datagram: Option<(EndpointRole, Datagram)>,
    others: [Option<AppAction>; Self::MOST],
}

impl AppActions {
    /// Largest number of further actions per callback.
    pub const MOST: usize = 2;

    /// Adds another thing.
    ///
    /// # Panics
    /// Beyond [`AppActions::MOST`].
    fn push(&mut self, action: AppAction) {
        let place = self.others.iter_mut().find(|place| place.is_none());
        *place.expect("an application asks for no more than `AppActions::MOST` things at a time") =
            Some(action);
    }

    /// When it wants to be woken, and not at a time that it asked for before.
    #[inline]
    pub const fn wake(&self) -> Option<Instant> {
        self.wake
    }

    /// The datagram that is to leave, and the end of the flow from which.
    #[inline]
    pub const fn datagram(&self) -> Option<(EndpointRole, Datagram)> {
        self.datagram
    }

    /// All else, in order.
    #[inline]
    pub fn others(&self) -> impl Iterator<Item = AppAction> {
        self.others.iter().map_while(|action| *action)
    }
}

/// Time, randomness and the way to ask for something, for one call. What is asked of a connection concerns the one that the
/// call is about; on waking, the flow's latest.
#[derive(Debug)]
pub struct AppContext<'a> {
    now: Instant,
    rng: &'a mut Rng,
    actions: &'a mut AppActions,
}

impl<'a> AppContext<'a> {
    /// A context that collects the actions in `actions`.
    #[inline]
    pub const fn new(now: Instant, rng: &'a mut Rng, actions: &'a mut AppActions) -> Self {
        Self { now, rng, actions }
    }

    /// The time.
    #[inline]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// The application's own stream of randomness.
    #[inline]
    pub const fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Asks to be woken at this time, and not at one that it asked for before.
    #[inline]
    pub const fn wake_at(&mut self, at: Instant) {
        self.actions.wake = Some(at);
    }

    /// Asks for a new connection, and data from the client. See [`AppAction::Open`].
    pub fn open(&mut self, data: ConnectionData) {
        self.open_from(EndpointRole::Client, data);
    }

    /// Asks for a new connection, and data from that end. See [`AppAction::Open`].
    pub fn open_from(&mut self, end: EndpointRole, data: ConnectionData) {
        self.actions.push(AppAction::Open(data, end));
    }

    /// See [`AppAction::Request`].
    pub fn request(&mut self, bytes: u64) {
        self.actions.push(AppAction::Request(bytes));
    }

    /// See [`AppAction::Respond`].
    pub fn respond(&mut self, bytes: u64) {
        self.actions.push(AppAction::Respond(bytes));
    }

    /// See [`AppAction::Complete`].
    pub fn complete(&mut self) {
        self.actions.push(AppAction::Complete);
    }

    /// See [`AppAction::Close`].
    pub fn close(&mut self) {
        self.actions.push(AppAction::Close);
    }

    /// Asks for a datagram from an end of the flow to the other.
    ///
    /// # Panics
    /// For a second one at the same time.
    #[inline]
    pub fn send(&mut self, from: EndpointRole, datagram: Datagram) {
        assert!(self.actions.datagram.is_none(), "an application asks for one datagram at a time");
        self.actions.datagram = Some((from, datagram));
    }

    /// See [`AppAction::Heard`].
    pub fn heard(&mut self, delay: Duration) {
        self.actions.push(AppAction::Heard(delay));
    }

    /// See [`AppAction::Late`].
    pub fn late(&mut self) {
        self.actions.push(AppAction::Late);
    }

    /// See [`AppAction::Page`].
    pub fn page(&mut self, took: Duration) {
        self.actions.push(AppAction::Page(took));
    }

    /// See [`AppAction::Read`].
    pub fn read(&mut self, at: EndpointRole, bytes: u64) {
        self.actions.push(AppAction::Read(at, bytes));
    }

    /// See [`AppAction::RoundTrip`].
    pub fn round_trip(&mut self, time: Duration) {
        self.actions.push(AppAction::RoundTrip(time));
    }
}

/// A running application. What it does not hear of it need not implement.
pub trait Application {
    /// The flow starts at `cx.now()`. It is told so before the run, to ask for the time at which it wants to begin.
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        cx.wake_at(cx.now());
    }
    /// The time that it asked for has come.
    fn on_wake(&mut self, cx: &mut AppContext<'_>);
    /// A message has arrived whole at this end of a connection.
    fn on_message(&mut self, at: EndpointRole, cx: &mut AppContext<'_>) {
        let _ = (at, cx);
    }
    /// A connection is over in both directions at the client, or has broken; `failed`: a message was under way on it, which will
    /// not come. This may be said more than once, but that it failed only once.
    fn on_closed(&mut self, failed: bool, cx: &mut AppContext<'_>) {
        let _ = (failed, cx);
    }
    /// Playback statistics so far, if it plays anything.
    fn playback(&self, now: Instant) -> Option<PlaybackStats> {
        let _ = now;
        None
    }
    /// The number of the pulse under way, from 0; always the same where nothing comes in pulses.
    fn pulse(&self, now: Instant) -> u64 {
        let _ = now;
        0
    }
    /// Whether it has begun all that it was asked for, where the number of its transfers does not tell.
    fn is_over(&self) -> bool {
        false
    }
    /// A datagram has arrived at this end.
    fn on_datagram(&mut self, at: EndpointRole, datagram: Datagram, cx: &mut AppContext<'_>) {
        let _ = (at, datagram, cx);
    }
}

/// A boxed application keeps large state out of the flow: memory is by flow, and most kinds have little state.
impl<A: Application> Application for Box<A> {
    fn on_start(&mut self, cx: &mut AppContext<'_>) {
        (**self).on_start(cx);
    }
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        (**self).on_wake(cx);
    }
    fn on_message(&mut self, at: EndpointRole, cx: &mut AppContext<'_>) {
        (**self).on_message(at, cx);
    }
    fn on_closed(&mut self, failed: bool, cx: &mut AppContext<'_>) {
        (**self).on_closed(failed, cx);
    }
    fn playback(&self, now: Instant) -> Option<PlaybackStats> {
        (**self).playback(now)
    }
    fn pulse(&self, now: Instant) -> u64 {
        (**self).pulse(now)
    }
    fn is_over(&self) -> bool {
        (**self).is_over()
    }
    fn on_datagram(&mut self, at: EndpointRole, datagram: Datagram, cx: &mut AppContext<'_>) {
        (**self).on_datagram(at, datagram, cx);
    }
}
