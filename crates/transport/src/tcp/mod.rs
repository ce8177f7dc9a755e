//! TCP endpoint: a sans-IO state machine (RFC 9293).
//!
//! The owner feeds segments ([`Tcp::handle_segment`]) and time ([`Tcp::handle_timeout`]); after each it takes
//! what there is to send ([`Tcp::poll_transmit`], until `None`), the events and the next deadline. Timers are never
//! cancelled: waking an endpoint early does nothing.
//!
//! Sequence numbers are unwrapped to 64 bits inside: the wire's number is the low half.
//!
//! ```
//! use std::sync::Arc;
//! use tailrace_core::{Duration, Instant};
//! use tailrace_transport::{CcConfig, Event, Profile, Tcp, TcpConfig};
//!
//! let config = Arc::new(TcpConfig::for_profile(Profile::Rfc));
//! let cc = CcConfig::default_of("cubic").unwrap();
//! let mut now = Instant::ZERO;
//! let mut client = Tcp::connect(&config, &cc, 1, now);
//! let mut server = Tcp::listen(&config, &cc, 2);
//! client.write(50_000);
//!
//! // A path that delays each segment by 10 ms and loses none.
//! let mut received = 0;
//! while received < 50_000 {
//!     let to_server: Vec<_> = std::iter::from_fn(|| client.poll_transmit(now)).collect();
//!     now += Duration::from_millis(10);
//!     to_server.iter().for_each(|s| server.handle_segment(s, now));
//!     while let Some(event) = server.poll_event() {
//!         if let Event::Delivered { bytes } = event {
//!             received += bytes;
//!         }
//!     }
//!     let to_client: Vec<_> = std::iter::from_fn(|| server.poll_transmit(now)).collect();
//!     now += Duration::from_millis(10);
//!     to_client.iter().for_each(|s| client.handle_segment(s, now));
//! }
//! assert_eq!(client.stats().retransmitted_segments, 0);
//! assert_eq!(client.view().min_rtt, Duration::from_millis(20));
//! ```

mod attacks;
mod events;
mod extensions;
mod handshake;
mod input;
pub(crate) mod linux;
mod options;
mod output;
mod recovery;
pub(crate) mod recv;
mod send;
mod sequence;
mod socket_buffers;
mod state;
mod stats;
mod subflow;
#[cfg(test)]
mod tests;
mod time_wait;
pub(crate) mod timer;

pub(crate) use events::PendingEvents;
pub use events::{Event, ResetCause};
pub use state::State;
pub use stats::{SendState, TcpStats, TcpView};
pub use time_wait::{TimeWait, TimeWaitAnswer};

use crate::cc::cached_cc::CachedCc;
use crate::cc::{CcConfig, CongestionControl, Needs};
use crate::config::{AckDelay, EcnEcho, Pacing, TcpConfig};
use crate::segment::SeqNumber;
use extensions::Extensions;
use linux::buffers::LinuxBuffers;
use options::AgreedOptions;
use recovery::RecoveryState;
use recv::ack_policy::AckPolicy;
use recv::acks::OwedAcks;
use recv::corrupted_bytes::CorruptedBytes;
use recv::ecn::EcnFeedback;
use recv::reassembly::Reassembly;
use recv::shared_window::SharedWindow;
use send::pacing::Pacer;
use send::scoreboard::Scoreboard;
use send::stream::SendStream;
use send::window::SendWindow;
use sequence::BASE;
use socket_buffers::receive_view;
use state::StateTrigger;
use std::sync::Arc;
use tailrace_core::{Bytes, Duration, Instant};
use timer::rtt::RttEstimator;
use timer::wheel::{self, TimerExpiry};
use timer::{SharedTimer, TimerPurpose};

/// Bytes offered by an application that never runs dry.
pub const UNLIMITED: u64 = u64::MAX;

/// Cached answer of `poll_transmit`, so that a poll with nothing to send costs one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TransmitHint {
    Unknown,
    /// The next poll has nothing.
    Nothing,
    /// The next poll has no data, since the window has no room for the next segment, until anything but more data comes.
    NoRoom,
}

/// A reset that answers a segment outside any connection.
#[derive(Clone, Copy, Debug)]
struct ResetReply {
    seq: SeqNumber,
    ack: Option<SeqNumber>,
}

/// A TCP endpoint.
///
/// With thousands of flows each cache line is a trip to memory. So what every segment needs comes first, at an end that only receives, too,
/// then what sending needs beside it, and last what is rare. The parts are such that lines do not cut them, where it begins with one.
#[derive(Debug)]
#[repr(C)]
pub struct Tcp {
    config: Arc<TcpConfig>,
    state: State,
    /// A segment may be sent beyond the window (fast retransmit; a silly window overridden).
    overrides_window: bool,
    auto_read: bool,
    /// The window stopped the last transmission.
    cwnd_limited: bool,
    transmit_hint: TransmitHint,
    /// Data is paced.
    paces: bool,
    needs: Needs,
    options: AgreedOptions,
    feedback: EcnFeedback,
    /// A SYN or SYN-ACK is sent with the next poll.
    syn_due: bool,
    /// Number of repeated SYNs.
    syn_repeats: u8,
    /// A window probe is sent with the next poll.
    probe_due: bool,
    mss: u32,
    ts_recent: u32,
    /// New segments sent since the last arrival, for `max_burst`.
    burst: u32,
    reset_reply: Option<ResetReply>,

    snd_wnd: SendWindow,
    acks: OwedAcks,

    pending: PendingEvents,
    recovery: RecoveryState,

    timer: SharedTimer,
    extensions: Option<Box<Extensions>>,
    /// Linux's buffers; `None`: fixed ones.
    buffers: Option<Box<LinuxBuffers>>,
    /// The peer's initial sequence number, once known.
    irs: u64,
    /// The receive window that a Multipath TCP connection shares among its subflows, if this is one of them.
    shared_window: SharedWindow,
    /// Window that the last segment advertised of it.
    shown_window: u32,
    /// Largest window of a subflow shown so far.
    largest_shown: u32,
    /// The initial sequence number, as on the wire.
    iss: u32,

    rcv: Reassembly,
    snd: SendStream,
    stats: TcpStats,
    /// When data was last sent, new or again.
    last_sent: Instant,

    board: Scoreboard,
    pacer: Pacer,
    rtt: RttEstimator,
    cc: CachedCc,

    /// Time from which another challenge ACK may be sent.
    challenge_from: Instant,
    /// Received bytes that were corrupted on the way.
    altered: Option<Box<CorruptedBytes>>,
}

impl Tcp {
    fn new(config: &Arc<TcpConfig>, cc: &CcConfig, iss: u32) -> Self {
        let mss = config.mss.get().clamp(1, u64::from(u16::MAX)) as u32;
        let start = BASE + u64::from(iss);
        let cc = CachedCc::new(cc.build(config, u64::from(mss)));
        let needs = cc.needs();
        Self {
            cc,
            needs,
            state: State::Closed,
            options: AgreedOptions::default(),
            mss,
            iss,
            irs: 0,
            board: Scoreboard::new(start + 1).with_rates(needs.rates),
            snd_wnd: SendWindow::default(),
            snd: SendStream::new(start + 1),
            syn_due: false,
            syn_repeats: 0,
            probe_due: false,
            overrides_window: false,
            cwnd_limited: false,
            transmit_hint: TransmitHint::Unknown,
            recovery: RecoveryState::new(start),
            extensions: Extensions::build(config),
            last_sent: Instant::ZERO,
            rtt: RttEstimator::new(config),
            burst: 0,
            shared_window: SharedWindow::NONE,
            shown_window: 0,
            // Window of a SYN, which is not scaled (RFC 7323 §2.2).
            largest_shown: 65_535,
            buffers: LinuxBuffers::build(config),
            paces: config.pacing == Pacing::On || (config.pacing == Pacing::Auto && needs.pacing),
            pacer: Pacer::OFF,
            timer: SharedTimer::OFF,
            rcv: Reassembly::default(),
            auto_read: true,
            feedback: EcnFeedback::new(if config.ecn_echo == EcnEcho::Auto {
                needs.echo
            } else {
                config.ecn_echo
            }),
            // With an adaptive delay the first segment begins quick ACKs.
            acks: OwedAcks::new(if config.ack_delay == AckDelay::Fixed { config.quick_acks } else { 0 }),
            ts_recent: 0,
            challenge_from: Instant::ZERO,
            reset_reply: None,
            altered: None,
            pending: PendingEvents::default(),
            stats: TcpStats::default(),
            config: Arc::clone(config),
        }
    }

    /// Creates an endpoint that opens a connection; its SYN is ready to be polled. `iss` is the initial sequence number.
    pub fn connect(config: &Arc<TcpConfig>, cc: &CcConfig, iss: u32, now: Instant) -> Self {
        let mut tcp = Self::new(config, cc, iss);
        tcp.advance(StateTrigger::ActiveOpen);
        tcp.syn_due = true;
        tcp.last_sent = now;
        tcp
    }

    /// Creates an endpoint that waits for a connection.
    pub fn listen(config: &Arc<TcpConfig>, cc: &CcConfig, iss: u32) -> Self {
        let mut tcp = Self::new(config, cc, iss);
        tcp.advance(StateTrigger::PassiveOpen);
        tcp
    }

    /// The initial sequence number.
    #[inline(always)]
    fn iss(&self) -> u64 {
        BASE + u64::from(self.iss)
    }

    /// The application offers `bytes` more to send ([`UNLIMITED`]: it never runs dry). All are taken; what does
    /// not fit into the send buffer waits in the application. Returns how many were taken: none after a close.
    pub fn write(&mut self, bytes: u64) -> u64 {
        let taken = if self.state == State::Closed { 0 } else { self.snd.write(bytes) };
        if let Some(buffer) = self.send_buffer_mut() {
            buffer.wake();
        }
        taken
    }

    /// Sets whether reads are implied (the default). Otherwise delivered data stays in the receive buffer until [`Tcp::read`]
    /// takes it, and the advertised window shrinks.
    pub fn set_auto_read(&mut self, on: bool) {
        self.auto_read = on;
        if let Some(buffers) = self.buffers.as_deref_mut() {
            buffers.arrivals_mut().set_slow(!on);
        }
    }

    /// The application reads up to `bytes` of delivered data; returns how many there were.
    pub fn read(&mut self, bytes: u64, now: Instant) -> u64 {
        let taken = self.rcv.take(bytes);
        if let Some(buffers) = self.buffers.as_deref_mut().filter(|_| taken > 0) {
            buffers.on_slow_read(&self.rcv, now);
        }
        if self.state.may_receive() && self.owes_window_update() {
            self.acks.demand();
        }
        if taken > 0 {
            self.ack_pushed_data();
        }
        taken
    }

    /// Whether what a slow reader has just read opens the window by enough to tell.
    fn owes_window_update(&self) -> bool {
        let buffers = self.buffers.as_deref();
        let owes = buffers.and_then(|b| b.owes_update_to_slow_reader(&receive_view!(self), &self.acks));
        owes.unwrap_or_else(|| self.window_may_open())
    }

    /// The application will write no more: a FIN follows what it has written (of endless data: what was sent).
    /// Before the connection is established this waits until it is.
    pub fn close(&mut self) {
        if self.snd.is_closed() {
            return;
        }
        match self.state {
            State::Closed | State::TimeWait => {}
            State::Listen => {
                self.advance(StateTrigger::Close);
                self.pending.closed();
            }
            _ => {
                self.snd.close(self.board.nxt);
                let end = self.snd.data_end();
                if let Some(buffer) = self.send_buffer_mut() {
                    buffer.close(end);
                }
                self.advance(StateTrigger::Close);
            }
        }
    }

    /// Ends the connection at once with a RST.
    pub fn abort(&mut self) {
        if self.state.is_synchronized() || self.state == State::SynReceived {
            self.reset_reply = Some(ResetReply {
                seq: SeqNumber(self.board.nxt as u32),
                ack: Some(SeqNumber(self.rcv.nxt() as u32)),
            });
        }
        self.break_off(ResetCause::Local);
    }

    /// The earliest deadline, if any. It may move with every call on the endpoint; waking it early is harmless.
    #[inline]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let at = self.timer.at().min(self.acks.deadline());
        let at = if self.paces { at.min(self.pacer.at()) } else { at };
        (at != Instant::MAX).then_some(at)
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.pending.poll()
    }

    /// Touches the memory that the next segment will need: a simulator of many endpoints calls this some time ahead to
    /// prefetch it.
    #[inline]
    pub fn warm_up(&self) {
        std::hint::black_box((
            self.acks.deadline(),
            self.recovery.is_active(),
            self.timer.at(),
            self.rcv.nxt(),
            self.snd.data_end(),
            self.stats.segments_received,
            self.board.nxt,
            self.board.first_sent_at(),
            self.rtt.samples,
            self.cc.cwnd(),
        ));
    }

    /// Bytes delivered to the application that a middlebox had changed.
    pub fn altered_bytes(&self) -> u64 {
        self.altered.as_ref().map_or(0, |a| a.delivered(self.rcv.nxt()))
    }

    /// Bytes of the stream that have come in order, those passed over included (`misbehaviour`).
    pub fn received(&self) -> u64 {
        self.received_ssn().saturating_sub(1)
    }

    /// Received but undelivered ranges of the stream, whose first byte is 0: disjoint, in order. Statistics of a window of time
    /// subtract them, since they arrived before it and are delivered in it.
    pub fn waiting(&self) -> Vec<(u64, u64)> {
        let (first, end) = (self.irs + 1, self.rcv.fin().unwrap_or(u64::MAX));
        let data = self.rcv.ranges().map(|r| (r.0 - first, r.1.min(end).saturating_sub(first)));
        data.filter(|r| r.0 < r.1).collect()
    }

    /// Counters since the start.
    pub const fn stats(&self) -> &TcpStats {
        &self.stats
    }

    /// State of the connection.
    pub const fn state(&self) -> State {
        self.state
    }

    /// Payload bytes of a full segment, as the handshake settled it.
    pub const fn mss(&self) -> u32 {
        self.mss
    }

    /// Number of round-trip samples so far, and the latest.
    #[inline]
    pub fn latest_rtt(&self) -> (u64, Duration) {
        (self.rtt.samples, self.rtt.latest)
    }

    /// The smoothed round-trip time, its mean deviation and the smallest; zero before the first sample.
    #[inline]
    pub const fn round_trips(&self) -> (Duration, Duration, Duration) {
        (self.rtt.smoothed, self.rtt.var, self.rtt.min)
    }

    /// First sending time of byte `n` of the stream (from 0), to the microsecond; `None` once it is acknowledged.
    pub fn first_sending_of(&self, n: u64) -> Option<Instant> {
        self.board.first_sending_of(self.iss() + 1 + n)
    }

    /// View of the endpoint for series.
    pub fn view(&self) -> TcpView {
        TcpView {
            state: self.state,
            cwnd: self.cwnd(),
            ssthresh: self.cc.ssthresh(),
            in_flight: Bytes(self.pipe()),
            smoothed_rtt: self.rtt.smoothed,
            rtt_var: self.rtt.var,
            min_rtt: self.rtt.min,
            latest_rtt: self.rtt.latest,
            rtt_samples: self.rtt.samples,
            rto: self.rto(),
            snd_wnd: Bytes(self.snd_wnd.size()),
            rcv_wnd: Bytes(self.rcv.window()),
            in_recovery: self.recovery.is_active(),
        }
    }

    /// State of the data to be sent: what it waits for.
    pub fn send_state(&self) -> SendState {
        let repeated = self.timer.retries() > 0;
        match self.state {
            State::Closed | State::Listen | State::TimeWait => return SendState::Idle,
            State::SynSent | State::SynReceived if repeated => return SendState::Connecting,
            State::SynSent | State::SynReceived => return SendState::InFlight,
            _ => {}
        }
        let outstanding = self.board.outstanding() > 0;
        if !outstanding && self.snd.end() == self.board.nxt {
            SendState::Idle
        } else if self.timer.purpose() == TimerPurpose::Persist || (outstanding && self.snd_wnd.size() == 0) {
            SendState::PeerWindow
        } else if self.timer.is_off() && (outstanding || self.pacer.is_open()) {
            SendState::Stalled
        } else if repeated {
            SendState::Retransmitting
        } else {
            SendState::InFlight
        }
    }

    /// State to remember in TIME-WAIT; `None` in other states.
    pub fn time_wait(&self) -> Option<TimeWait> {
        let until = self.timer.time_wait()?;
        let stub = TimeWait::new(until, (self.board.nxt, self.rcv.nxt(), self.rcv.edge()));
        let window = (self.rcv.window() >> self.options.rcv_scale).min(65_535);
        Some(stub.with(window as u16, self.options.timestamps.then_some(self.ts_recent)))
    }

    /// Whether the connection is in TIME-WAIT or closed.
    #[inline]
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::TimeWait | State::Closed)
    }

    /// The retransmission timeout in force, backoff included (RFC 6298 §5.5).
    #[inline]
    pub fn rto(&self) -> Duration {
        self.rtt.rto(&self.config)
    }

    /// The retransmission timeout without backoff (RFC 6298 §2).
    pub(crate) fn rto_of_estimate(&self) -> Duration {
        self.rtt.rto_of_estimate(&self.config)
    }

    /// Moves to the state that `trigger` leads to; does nothing where it does not apply.
    fn advance(&mut self, trigger: StateTrigger) {
        if let Some(state) = self.state.next(trigger) {
            self.state = state;
        }
    }

    /// The connection is over because of `cause`.
    fn break_off(&mut self, cause: ResetCause) {
        if self.state == State::Closed {
            return;
        }
        self.advance(StateTrigger::Reset);
        self.pending.reset(cause);
        self.stop();
    }

    /// Silences a closed endpoint and frees what it held.
    fn stop(&mut self) {
        self.timer.stop();
        self.pacer = Pacer::OFF;
        self.acks.stop();
        self.syn_due = false;
        self.probe_due = false;
        self.board = Scoreboard::new(self.board.nxt);
    }
}

/// Timeouts.
impl Tcp {
    /// Tells the endpoint the time: runs whatever is due; early calls do nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.acks.deadline() <= now {
            let rto = self.rto();
            self.extensions.on_deadline(&mut self.acks, &self.config, rto);
        }
        self.pacer.on_time(now);
        if self.timer.at() > now {
            return;
        }
        self.burst = 0;
        match self.timer.purpose() {
            TimerPurpose::Nothing => {}
            TimerPurpose::Retransmission if self.state.is_synchronized() => {
                self.on_retransmission_timeout(now)
            }
            TimerPurpose::Retransmission => self.on_syn_timeout(now),
            TimerPurpose::Probe => self.on_probe_timeout(now),
            TimerPurpose::Reordering => self.on_reorder_timeout(now),
            TimerPurpose::Persist => self.on_persist(now),
            TimerPurpose::TimeWait => {
                self.advance(StateTrigger::TimeWaitOver);
                self.pending.closed();
                self.stop();
            }
        }
    }

    /// Expiry of a timer that is set at `now` for `wait`.
    #[inline]
    pub(in crate::tcp) fn expiry(&self, now: Instant, wait: Duration) -> TimerExpiry {
        wheel::expiry(now, wait, self.config.jiffy)
    }

    /// Slack of timers shorter than the retransmission timer (Linux `TCP_TIMEOUT_MIN`).
    #[inline]
    pub(in crate::tcp) fn slack(&self) -> Duration {
        self.config.jiffy * 2
    }

    /// Starts the retransmission timer unless it runs.
    #[inline]
    pub(in crate::tcp) fn arm_retransmit(&mut self, now: Instant) {
        if !self.timer.leads_to_retransmission() {
            self.rearm_retransmit(now);
        }
    }

    #[inline]
    pub(in crate::tcp) fn rearm_retransmit(&mut self, now: Instant) {
        self.timer.retransmit(self.expiry(now, self.rto()));
    }

    pub(in crate::tcp) fn arm_persist(&mut self, now: Instant) {
        if self.timer.is_off() {
            self.probe_window_next(0, now);
        }
    }

    /// The `n`-th window probe in a row is to come.
    fn probe_window_next(&mut self, n: u8, now: Instant) {
        let expiry = self.expiry(now, self.persist_interval(n));
        self.timer.probe_window(n, expiry);
    }

    fn persist_interval(&self, n: u8) -> Duration {
        let first = self.config.persist_timeout.unwrap_or_else(|| self.rto());
        first.saturating_mul(1 << n.min(32)).min(self.config.max_rto.max(first))
    }

    pub(in crate::tcp) fn enter_time_wait(&mut self, now: Instant) {
        self.timer
            .arm(TimerPurpose::TimeWait, TimerExpiry::exactly(now.saturating_add(self.config.time_wait)));
    }

    /// Probes go on for as long as the window stays shut: they never end a connection (RFC 1122 §4.2.2.17).
    fn on_persist(&mut self, now: Instant) {
        let n = self.timer.window_probe();
        if self.board.outstanding() > 0 || self.snd.end() == self.board.nxt {
            self.timer.end_persist();
            return;
        }
        if self.board.una + self.snd_wnd.size() > self.board.nxt {
            // The window is open but silly; RFC 9293 §3.8.6.2.1 overrides that after a while.
            self.overrides_window = true;
        } else {
            self.probe_due = true;
        }
        self.probe_window_next(n.saturating_add(1), now);
    }

    fn on_syn_timeout(&mut self, now: Instant) {
        self.stats.timeouts += 1;
        self.timer.count_retry();
        if self.config.syn_retries.is_some_and(|most| u64::from(self.timer.retries()) > most) {
            self.break_off(ResetCause::TimedOut);
            return;
        }
        self.syn_repeats = self.syn_repeats.saturating_add(1);
        self.syn_due = true;
        self.rtt.back_off();
        self.rearm_retransmit(now);
    }

    fn on_retransmission_timeout(&mut self, now: Instant) {
        if self.board.outstanding() == 0 {
            self.timer.stop();
            self.recovery.on_timer();
            return;
        }
        self.stats.timeouts += 1;
        // A shut window is the peer's wish, not a sign that it is gone.
        if self.snd_wnd.size() > 0 {
            self.timer.count_retry();
        }
        if self.config.data_retries.is_some_and(|most| u64::from(self.timer.retries()) > most) {
            self.break_off(ResetCause::TimedOut);
            return;
        }
        self.on_timeout_loss(now);
        self.rtt.back_off();
        self.rearm_retransmit(now);
    }

    /// The peer's FIN came, or its ACK of ours: what the new state asks of the timers.
    pub(in crate::tcp) fn on_state_changed(&mut self, now: Instant) {
        match self.state {
            State::TimeWait => self.enter_time_wait(now),
            State::Closed => {
                self.pending.closed();
                self.stop();
            }
            _ => {}
        }
    }
}
