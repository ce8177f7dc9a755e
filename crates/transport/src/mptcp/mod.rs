//! Multipath TCP connection: a sans-IO state machine over the TCPs of its subflows (RFC 8684).
//!
//! Its interface is that of [`Tcp`](crate::Tcp): segments and time come in, segments, events and a deadline come out. Beside each
//! segment there are its MPTCP [`Options`] and the addresses of the subflow it belongs to.
//!
//! - `state`: states of a connection, and every transition; `subflow`: those of a subflow, its TCP and its mappings.
//! - [`option`], [`key`]: options of the header; tokens, initial sequence numbers and HMACs.
//! - `data`: both directions of the stream at the data level, sequence numbers, checksums, the timer.
//! - `handshake`, `input`, `options_out`, `output`, `retransmission`, `fallback`, `path_actions`: the connection's reactions to segments,
//!   time and addresses. They put the parts together; parts do not know the connection.
//! - `push`: batches of data for subflows. A subflow gets data only when it can leave at once, or ahead of its window into its send
//!   buffer; each chunk is a segment of its own, so that no mapping is ever split.
//! - `linux`: buffers that count memory as Linux does; `window_update` and `write_space`: when reads are told to the peer and writers wake.
//! - `paths`: addresses, and the signals about them that wait for an ACK.
//! - [`scheduler`], [`path_manager`], [`coupled`]: policies, one file each. [`MptcpPlan::for_profile`]: behaviour of an implementation.
//!
//! Data sequence numbers begin with 1 inside. In [`Options`] they are those of the wire, with 64 bits, however many of them a header shows.

mod behaviour;
mod chunk;
mod close_timer;
mod config;
pub mod coupled;
mod data;
mod dss_format;
mod fallback;
mod handshake;
mod input;
pub mod key;
mod linux;
mod ofo_ranges;
pub mod option;
mod options_out;
mod output;
mod path_actions;
pub mod path_manager;
mod paths;
mod profile;
mod push;
mod report;
mod retransmission;
pub mod scheduler;
mod source_route;
mod state;
mod subflow;
#[cfg(test)]
mod tests;
mod window_update;
mod write_space;

pub use behaviour::{DataTimer, EchoWait, HandsOut, MptcpBehaviour, SendBufferOf, Speaker};
pub use chunk::DataChunk;
pub use config::{MptcpConfig, MptcpPlan, Penalisation, SubflowControl};
pub use data::reordering::Reordering;
pub use option::Options;
pub use report::{MptcpStats, PathReport, SubflowReport};
pub use source_route::SourceRoute;
pub use subflow::{SubflowStats, Tuple};

use crate::cc::Cc;
use crate::cc::coupled_subflow::CoupledSubflow;
use crate::segment::Segment;
use crate::tcp::recv::corrupted_bytes::CorruptedBytes;
use crate::tcp::{Event, PendingEvents, ResetCause, SendState, Tcp, TcpStats, TimeWait};
use close_timer::CloseTimers;
use coupled::Coupling;
use data::receiver::DataReceiver;
use data::rto::DataRto;
use data::sender::DataSender;
use data::wire_numbers::WireNumbers;
use dss_format::DssFormat;
use fallback::Fallback;
use key::Key;
use linux::buffer_size::{self, BufferSize};
use linux::peer_window::PeerWindow;
use linux::rcv_buffer::RcvBuffer;
use linux::rcv_space::{self, RcvSpace};
use linux::send_buffer::SendBuffer;
use path_manager::CachedPathManager;
use paths::add_addr::PendingAddAddrs;
use paths::addresses::Addresses;
use paths::signal_queue::SignalQueue;
use push::{Lead, Push};
use report::PathReports;
use retransmission::Retransmission;
use scheduler::{RunningScheduler, Scheduler};
use state::{ConnectionState, Trigger};
use std::collections::VecDeque;
use std::sync::Arc;
use subflow::Subflow;
use subflow::table::SubflowTable;
use tailrace_core::{Duration, Instant, Rng};
use window_update::{ReadSide, WindowUpdates};
use write_space::{WriteSide, WriteSpace};

/// Largest number of subflows at a time: sets of them are words of 32 bits.
pub const MAX_SUBFLOWS: usize = 32;

/// Segment to be sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transmit {
    /// Subflow it belongs to; `None` for a reset of an unknown one.
    pub subflow: Option<usize>,
    /// Addresses and ports.
    pub tuple: Tuple,
    /// The segment.
    pub segment: Segment,
    /// MPTCP options.
    pub options: Options,
    /// Gateways that it passes; the host knows their addresses.
    pub route: Option<SourceRoute>,
    /// Whether its subflow's TCP has sent it before.
    pub resent: bool,
}

/// End of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Client,
    Server,
}

/// Multipath TCP connection.
///
/// Fields are ordered as in [`Tcp`]: those that every segment needs, those for arriving data, those for sending, the rare ones.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Mptcp {
    plan: Arc<MptcpPlan>,
    state: ConnectionState,
    role: Role,
    format: DssFormat,
    push: Push,

    window_updates: WindowUpdates,
    write_space: WriteSpace,
    /// Whether the first byte that the latest segment delivered had come with another before it.
    releases: bool,

    subflows: SubflowTable,
    numbers: WireNumbers,
    pending: PendingEvents,
    data_rto: DataRto,
    close_timers: CloseTimers,
    /// Subflow opened last, until its SYN has left: other joins wait for whether it has a route.
    opening: Option<usize>,
    signals: SignalQueue,
    path_manager: CachedPathManager,
    /// Number of round-trip samples of all subflows, and the latest.
    latest_rtt: (u64, Duration),
    retransmission: Retransmission,
    add_addrs: PendingAddAddrs,
    /// Resets of segments that belong to no subflow.
    resets: VecDeque<(Tuple, Segment, Options)>,
    fallback: Fallback,

    stats: MptcpStats,
    reordering: Reordering,
    rcv: DataReceiver,
    snd: DataSender,
    coupling: Option<Coupling>,
    scheduler: RunningScheduler,

    corrupted: CorruptedBytes,
    rng: Rng,
    addresses: Addresses,
    /// Counters of subflows whose places were taken by others.
    retired: PathReports,
}

impl Mptcp {
    fn new(plan: &Arc<MptcpPlan>, role: Role, mut rng: Rng) -> Self {
        let scheduler = plan.scheduler.build();
        let lead = lead_of(plan, &scheduler);
        let (snd, rcv) = directions(plan, lead);
        Self {
            role,
            state: ConnectionState::Opening,
            format: DssFormat::new(plan.mptcp.checksum),
            push: Push::new(lead),
            window_updates: WindowUpdates::NONE,
            write_space: WriteSpace::NONE,
            releases: false,
            numbers: WireNumbers::new(Key(rng.next_u64())),
            rng,
            subflows: SubflowTable::default(),
            coupling: coupling_of(plan),
            snd,
            rcv,
            reordering: Reordering::default(),
            scheduler,
            data_rto: DataRto::new(plan.mptcp.min_data_rto),
            retransmission: Retransmission::default(),
            path_manager: CachedPathManager::new(plan.path_manager.build()),
            addresses: Addresses::default(),
            signals: SignalQueue::default(),
            add_addrs: PendingAddAddrs::default(),
            resets: VecDeque::new(),
            close_timers: CloseTimers::OFF,
            opening: None,
            latest_rtt: (0, Duration::ZERO),
            pending: PendingEvents::default(),
            fallback: Fallback::NONE,
            corrupted: CorruptedBytes::default(),
            stats: MptcpStats::default(),
            retired: PathReports::default(),
            plan: Arc::clone(plan),
        }
    }

    /// An end that opens a connection between the addresses of `tuple`; its SYN is ready to be polled. Joins use the ports
    /// after the tuple's.
    pub fn connect(plan: &Arc<MptcpPlan>, tuple: Tuple, rng: Rng, now: Instant) -> Self {
        let mut connection = Self::new(plan, Role::Client, rng);
        connection.begin(tuple, now);
        connection
    }

    /// An end that waits for the SYN of a connection between the addresses of `tuple`.
    pub fn listen(plan: &Arc<MptcpPlan>, tuple: Tuple, rng: Rng, now: Instant) -> Self {
        let mut connection = Self::new(plan, Role::Server, rng);
        connection.begin(tuple, now);
        connection
    }

    fn begin(&mut self, tuple: Tuple, now: Instant) {
        self.addresses = Addresses::new(&tuple);
        let tcp = self.new_tcp(self.role == Role::Client, now);
        self.add_subflow(Subflow::new(tcp, tuple, (0, 0)));
    }

    /// A TCP for a subflow, which this end opens (`active`) or accepts.
    fn new_tcp(&mut self, active: bool, now: Instant) -> Tcp {
        let iss = self.rng.next_u64() as u32;
        let plan = &self.plan;
        let first = || (RcvSpace::new(buffer_size::first_window(plan)).window(), 1);
        let window = self.rcv.window(0, 1, first);
        let cc = match &plan.control {
            SubflowControl::Uncoupled(cc) => cc.clone(),
            // Replaced at once.
            SubflowControl::Coupled(_) => crate::cc::CcConfig::Reno(crate::cc::RenoConfig::default()),
        };
        let mut tcp =
            if active { Tcp::connect(&plan.tcp, &cc, iss, now) } else { Tcp::listen(&plan.tcp, &cc, iss) };
        tcp.share_window(window);
        if let SubflowControl::Coupled(_) = plan.control {
            let setup = crate::cc::Setup::new(&plan.tcp, u64::from(tcp.mss()));
            tcp.tell_control(|cc| *cc = Cc::CoupledSubflow(CoupledSubflow::new(&setup)));
        }
        tcp
    }

    /// Adds a subflow; returns its id.
    fn add_subflow(&mut self, mut subflow: Subflow) -> usize {
        if self.push.fills_queues() {
            // Without a send buffer of the connection's own the subflow has the kernel's default.
            let size = buffer_size::sizes(&self.plan).map_or(BufferSize::KERNEL, |(_, send)| send);
            subflow.send_buffer =
                Some(SendBuffer::with_segments(size, buffer_size::segment_memory(&self.plan)));
            subflow.tcp.follow_packets(u32::from(self.plan.mptcp.mapping_len()));
        }
        subflow.peer_window = self.plan.mptcp.keeps_larger_window.then(PeerWindow::default);
        let (id, old) = self.subflows.insert(subflow, rcv_space::first_rcv_space(&self.plan));
        if let Some(old) = old {
            self.retired.add(&old);
            self.snd.forget_carrier(id);
        }
        if let Some(coupling) = &mut self.coupling {
            coupling.add(id);
        }
        id
    }

    /// Moves to the state after `trigger`, if it applies.
    fn advance(&mut self, trigger: Trigger) {
        if let Some(next) = self.state.next(trigger) {
            self.state = next;
        }
    }

    /// The application offers `bytes` more to send ([`UNLIMITED`](crate::UNLIMITED): it never runs dry). Returns how
    /// many were taken: none after a close.
    pub fn write(&mut self, bytes: u64) -> u64 {
        if self.snd.is_closing() || self.state.is_closed() {
            return 0;
        }
        self.push.schedule();
        self.snd.write(bytes)
    }

    /// Whether the application's reads are implied (the default).
    pub fn set_auto_read(&mut self, on: bool) {
        self.rcv.set_auto_read(on);
    }

    /// The application reads up to `bytes` of what was delivered; returns how many there were.
    pub fn read(&mut self, bytes: u64, now: Instant) -> u64 {
        let (taken, opens) = self.rcv.read(bytes, self.subflows.mss());
        if taken > 0 && self.rcv.counts_memory() {
            self.read_side().on_read(taken, now);
        }
        if opens && let Some(id) = self.signalling_subflow() {
            self.subflows[id].tcp.demand_ack();
            self.subflows.mark_dirty(id);
        }
        taken
    }

    /// The application will write no more: a DATA_FIN follows what it has written (of endless data: what was sent).
    pub fn close(&mut self) {
        if !self.snd.is_closing() && !self.state.is_closed() {
            self.snd.close();
        }
    }

    /// Ends the connection at once: MP_FASTCLOSE on every subflow (RFC 8684 §3.5).
    pub fn abort(&mut self) {
        if self.state.is_closed() {
            return;
        }
        for id in 0..self.subflows.len() {
            self.subflows[id].tcp.abort();
            self.subflows.mark_dirty(id);
        }
        self.advance(Trigger::Abort);
        self.on_reset(ResetCause::Local);
    }

    /// Ends the connection because of `cause`.
    fn reset(&mut self, cause: ResetCause) {
        if !self.state.is_closed() {
            self.advance(Trigger::Reset);
            self.on_reset(cause);
        }
    }

    fn on_reset(&mut self, cause: ResetCause) {
        self.pending.reset(cause);
        self.stop_timers();
    }

    /// Stops the timers that end with the connection.
    fn stop_timers(&mut self) {
        self.data_rto.stop();
        self.close_timers.stop();
        self.fallback.stop();
    }

    /// Next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.pending.poll()
    }

    /// Token by which joins name this connection.
    pub fn token(&self) -> u32 {
        self.numbers.key().token()
    }

    /// Initial data sequence numbers, this end's and the peer's, once both keys are known.
    pub fn initial_numbers(&self) -> Option<(u64, u64)> {
        self.numbers.peer().map(|_| (self.numbers.sent(0), self.numbers.received(0)))
    }

    /// Bytes delivered to the application that a middlebox had changed.
    pub fn altered_bytes(&self) -> u64 {
        self.corrupted.delivered(self.rcv.nxt())
    }

    /// Whether it has, or had, a subflow between these addresses and ports, its own first.
    pub fn has_subflow(&self, tuple: &Tuple) -> bool {
        self.subflows.find(tuple).is_some()
    }

    /// Counters since the start.
    pub const fn stats(&self) -> &MptcpStats {
        &self.stats
    }

    /// Sum of the counters of all TCPs, those of subflows that are over included.
    pub fn tcp_stats(&self) -> TcpStats {
        let mut sum = self.retired.tcp_stats();
        self.subflows.iter().for_each(|s| sum.add(s.tcp.stats()));
        sum
    }

    /// Whether it works, or ended, as plain TCP.
    pub fn is_fallback(&self) -> bool {
        self.fallback.has_begun()
    }

    /// Bytes of the out-of-order queue.
    pub const fn waiting_bytes(&self) -> u64 {
        self.rcv.waiting()
    }

    /// Bytes of the stream that have arrived in order, those that a receiver passed over included (`misbehaviour`).
    pub fn received(&self) -> u64 {
        self.rcv.data_nxt().saturating_sub(ofo_ranges::FIRST)
    }

    /// Data that has arrived and waits for bytes before it: disjoint ranges of the stream, whose first byte is 0, in order.
    pub fn waiting(&self) -> Vec<(u64, u64)> {
        ofo_ranges::ofo_ranges(&self.rcv, &self.subflows, self.fallback.inbound_offset())
    }

    /// Displacement and delay of segments that arrived ahead of their order.
    pub const fn reordering(&self) -> &Reordering {
        &self.reordering
    }

    /// Largest displacement since this was asked last, bytes.
    pub fn take_recent_displacement(&mut self) -> u64 {
        self.reordering.take_recent()
    }

    /// Data acknowledged, and sent, at the data level, from the first byte on.
    pub const fn progress(&self) -> (u64, u64) {
        (self.stats.bytes_acked, self.stats.bytes_acked + self.snd.outstanding())
    }

    /// Time at which byte `n` of the stream (from 0) left for the first time, on whatever subflow; none once it is acknowledged
    /// at the data level.
    pub fn first_sending_of(&self, n: u64) -> Option<Instant> {
        self.snd.first_sending_of(ofo_ranges::FIRST + n)
    }

    /// Whether the first byte that the latest segment delivered was another segment's, which had waited for it.
    pub const fn releases(&self) -> bool {
        self.releases
    }

    /// Subflows that are part of the connection. Released ones are not among them, though they may still send.
    pub fn subflows(&self) -> impl Iterator<Item = SubflowReport> + '_ {
        let attached = self.subflows.iter().enumerate().filter(|(_, s)| s.is_attached());
        attached.map(|(id, s)| SubflowReport::new(id, s, self.state.carries_data()))
    }

    /// Counters of each pair of addresses, those of subflows that are over included.
    pub fn paths(&self) -> Vec<PathReport> {
        let mut paths = self.retired.clone();
        self.subflows.iter().for_each(|s| paths.add(s));
        paths.into_vec()
    }

    /// Number of round-trip samples of all subflows so far, and the latest.
    #[inline]
    pub fn latest_rtt(&self) -> (u64, Duration) {
        self.latest_rtt
    }

    /// Whether both directions are done, though subflows may linger.
    pub fn is_over(&self) -> bool {
        self.state.is_closed()
            || self.is_data_done()
            || (self.state == ConnectionState::Fallback && self.subflows.iter().all(|s| s.tcp.is_over()))
    }

    /// State of the data to be sent: what it waits for.
    pub fn send_state(&self) -> SendState {
        if self.is_over() {
            return SendState::Idle;
        }
        if self.fallback.rejects() {
            // MP_FAIL is repeated until the peer's infinite mapping answers it.
            return SendState::Retransmitting;
        }
        let attached = || self.subflows.attached().map(|s| s.tcp.send_state());
        let falls_back = self.state == ConnectionState::Fallback;
        if self.state == ConnectionState::Opening {
            return attached().max().unwrap_or(SendState::NoSubflow);
        }
        if self.snd.is_idle() && !falls_back && (!self.snd.is_closing() || self.snd.fin_acked()) {
            return SendState::Idle;
        }
        if attached().next().is_none() {
            return SendState::NoSubflow;
        }
        if self.snd.is_shut_out() {
            return SendState::PeerWindow;
        }
        let waits = |state: &SendState| *state != SendState::Idle;
        let repeats = self.data_rto.backed_off(Duration::from_nanos(1)) > Duration::from_nanos(1);
        // The subflow that is best off may carry the data on.
        attached().filter(waits).min().unwrap_or(match self.data_rto.is_running() {
            _ if falls_back => SendState::Idle,
            true if repeats => SendState::Retransmitting,
            true => SendState::InFlight,
            // Data stays with the connection until a subflow may send it.
            false if self.subflows.attached().any(|s| s.tcp.awaits_pacing()) => SendState::InFlight,
            false => SendState::Stalled,
        })
    }

    /// Whether the addresses of the last subflows are gone, and no other subflow has joined since. The connection is kept for
    /// `close_timeout`, and breaks then.
    pub fn has_lost_addresses(&self) -> bool {
        !self.is_over() && self.close_timers.address_lost()
    }

    /// Whether both DATA_FINs are acknowledged.
    fn is_data_done(&self) -> bool {
        self.snd.fin_acked() && self.rcv.is_complete()
    }

    /// Highest port that its subflows have taken so far.
    pub const fn last_port(&self) -> u16 {
        self.addresses.last_port()
    }

    /// TIME-WAIT state of its subflows.
    pub fn time_waits(&self) -> impl Iterator<Item = (Tuple, TimeWait)> + '_ {
        let live = self.subflows.live();
        live.filter_map(|s| s.tcp.time_wait().map(|stub| (s.tuple, stub)))
    }

    /// Reads what the next segment of `tuple` will need and does nothing with it: see [`Tcp::warm_up`].
    #[inline]
    pub fn warm_up(&self, tuple: &Tuple) {
        if let Some(id) = self.subflows.find(tuple) {
            let s = &self.subflows[id];
            s.tcp.warm_up();
            std::hint::black_box((s.receive.next(), s.send.warm_up().0));
            std::hint::black_box((self.window_updates.deadline(), self.numbers.sent(0), self.opening));
            std::hint::black_box((self.stats.bytes_delivered, self.reordering.latest()));
            std::hint::black_box((self.rcv.waiting(), self.rcv.nxt(), self.snd.una()));
            std::hint::black_box((self.subflows.deadline(id), self.fallback.deadline()));
            if self.snd.has_written() {
                let (sent, oldest) = (s.send.warm_up().1, self.snd.oldest().map(|c| c.len));
                std::hint::black_box((sent, oldest, self.subflows.views()[id].usable));
                std::hint::black_box(self.coupling.as_ref().map(|coupling| coupling.warm_up(id)));
            } else {
                std::hint::black_box(s.receive.warm_up());
            }
        }
    }

    /// Subflow for an ACK that carries a signal: the fastest usable one, or the first, which may be a stale one
    /// (`__mptcp_subflow_active`).
    fn signalling_subflow(&mut self) -> Option<usize> {
        if self.plan.mptcp.speaker == Speaker::First {
            let open =
                |s: &Subflow| s.state() == subflow::state::SubflowState::Active && s.tcp.state().may_send();
            return self.subflows.iter().position(open).filter(|_| self.state.carries_data());
        }
        self.refresh_outdated_views();
        let views = self.subflows.views();
        (0..views.len()).filter(|id| views[*id].usable).min_by_key(|id| views[*id].srtt)
    }

    /// Parts of the connection that a read changes.
    #[inline]
    fn read_side(&mut self) -> ReadSide<'_> {
        ReadSide {
            updates: &mut self.window_updates,
            rcv: &mut self.rcv,
            subflows: &mut self.subflows,
            plan: &self.plan,
            rejects: self.fallback.rejects(),
        }
    }

    /// Parts of the connection that change with space in send buffers.
    #[inline]
    fn write_side(&mut self) -> WriteSide<'_> {
        WriteSide {
            space: &mut self.write_space,
            snd: &mut self.snd,
            subflows: &mut self.subflows,
            plan: &self.plan,
        }
    }
}

/// Lead of assignments over the windows of subflows.
fn lead_of(plan: &MptcpPlan, scheduler: &RunningScheduler) -> Lead {
    let mptcp = &plan.mptcp;
    match scheduler.fills_queues() {
        false => Lead::None,
        true if mptcp.data_timer == DataTimer::Subflows && mptcp.speaker == Speaker::First => {
            Lead::QueuesLazily
        }
        true => Lead::Queues,
    }
}

/// State that subflows share if their windows are coupled.
fn coupling_of(plan: &MptcpPlan) -> Option<Coupling> {
    match &plan.control {
        SubflowControl::Coupled(config) => Some(Coupling::new(config)),
        SubflowControl::Uncoupled(_) => None,
    }
}

/// Both directions of the data level, with the buffers of `plan`.
fn directions(plan: &MptcpPlan, lead: Lead) -> (DataSender, DataReceiver) {
    let (receive, send) = buffer_size::sizes(plan).unzip();
    let snd = match send.filter(|_| lead != Lead::None) {
        Some(size) => {
            DataSender::with_memory(SendBuffer::with_segments(size, buffer_size::segment_memory(plan)))
        }
        None => DataSender::new(plan.tcp.send_buffer.map_or(u64::MAX, |b| b.get())),
    };
    let (mss, stamps, share) = (plan.tcp.mss.get(), plan.tcp.timestamps, plan.mptcp.window_share);
    let options = u64::from(plan.mptcp.mapping_len()) + if stamps { buffer_size::STAMPS } else { 0 };
    let overhead = plan.tcp.packet_overhead.get();
    let receive = receive
        .map(|size| RcvBuffer::new(size, mss, stamps, share).with_options(options).with_overhead(overhead));
    let first = RcvSpace::new(buffer_size::first_window(plan));
    (snd, DataReceiver::with_memory(receive, plan.tcp.receive_buffer.get(), first))
}
