//! One Multipath TCP connection: a sans-IO state machine over the TCPs of its subflows (RFC 8684).
//!
//! It is used like [`Tcp`](crate::Tcp): segments and time come in, segments, events and a deadline come out; beside
//! each segment there are its MPTCP [`Options`] and the addresses of the subflow it belongs to.
//!
//! - [`key`]: tokens, initial numbers and proofs; [`option`]: what stands in a header.
//! - `send`, `receive`: the two directions of the byte stream at the data level.
//! - `subflow`: a TCP with the mappings of its bytes. It gets bytes only when they can leave at once, each piece in a
//!   segment of its own, so that a mapping is never split.
//! - `handshake`, `fallback`, `input`, `output`, `paths`: what the connection does with what comes, goes and changes.
//! - `checksum`: those of DSS over real bytes.
//! - `memory`, `send_memory`, `arrivals`: buffers counted in memory as Linux does it; `reading`, `writing`: when the application reads and writes,
//!   and what of that the peer is told.
//! - `failure`: what it does about what does not come; `announce`: addresses that the peer is told of.
//! - [`MptcpPlan::for_profile`]: whose behaviour a connection has.
//! - [`scheduler`], [`path_manager`], [`coupled`]: policies, one file each.
//!
//! Data sequence numbers begin with 1 inside; in [`Options`] they are those of the wire, 64 bits, however many of
//! them the wire shows.

mod behaviour;
mod chunk;
mod close_timer;
mod config;
pub mod coupled;
mod data;
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
mod report;
mod retransmission;
pub mod scheduler;
mod source_route;
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
use crate::tcp::{Event, PendingEvents, ResetCause, Tcp, TcpStats, TimeWait};
use close_timer::CloseTimer;
use coupled::Coupling;
use data::receiver::DataReceiver;
use data::rto::DataRto;
use data::sender::DataSender;
use data::wire_numbers::WireNumbers;
use fallback::Fallback;
use handshake::Stage;
use key::Key;
use linux::buffer_size::{self, BufferSize};
use linux::peer_window::PeerWindow;
use linux::rcv_buffer::RcvBuffer;
use linux::rcv_space::{self, RcvSpace};
use linux::send_buffer::SendBuffer;
use path_manager::CachedPathManager;
use paths::add_addr::PendingAddAddr;
use paths::addresses::Addresses;
use paths::signal_queue::SignalQueue;
use report::add_to;
use retransmission::{DataRetransmit, StaleCheck};
use scheduler::{RunningScheduler, Scheduler};
use std::collections::VecDeque;
use std::sync::Arc;
use subflow::Subflow;
use subflow::table::SubflowTable;
use tailrace_core::{Duration, Instant, Rng};

/// Most subflows a connection has at a time: sets of them are words of 32 bits.
pub const MAX_SUBFLOWS: usize = 32;

/// How long a subflow waits for the peer's FIN once all is done: the peer may have lost it (Linux tcp_fin_timeout).
const FIN_TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes offered by an application that never runs dry are no more than this.
const ENDLESS: u64 = 1 << 62;

/// A segment to be sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transmit {
    /// The subflow it belongs to; none of a segment that refuses another.
    pub subflow: Option<usize>,
    /// Its addresses and ports.
    pub tuple: Tuple,
    /// The segment.
    pub segment: Segment,
    /// Its MPTCP options.
    pub options: Options,
    /// The gateways that it goes through; the host knows their addresses.
    pub route: Option<SourceRoute>,
    /// Whether its subflow's TCP has sent it before.
    pub resent: bool,
}

/// A Multipath TCP connection.
///
/// As in [`Tcp`], what every segment needs comes first, then what data needs that comes, then what sending needs, and last what is rare.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Mptcp {
    plan: Arc<MptcpPlan>,
    stage: Stage,
    client: bool,
    /// The peer has shown that its side is established.
    confirmed: bool,
    /// Data of the peer has come with a mapping of a DSS.
    mapped: bool,
    /// DSS checksums are on.
    checksum: bool,
    /// Data-level acknowledgments are wide, as the peer's numbers are.
    widens_acks: bool,
    /// Bytes are handed out ahead of the windows of subflows.
    fills: bool,
    /// The scheduler, which fills queues, alone asks what subflows are like beside whether they may be given data.
    glances: bool,
    /// Something may be handed out before subflows send.
    push_due: bool,
    /// Some was handed out since.
    pushing: bool,
    /// The subflow to which data was written last since then.
    writes_to: Option<usize>,
    /// The subflow on which a segment has come, until what that lets go is handed out.
    heard: Option<usize>,
    /// What that got is to leave before another gets some.
    gives_way: bool,

    /// When the application has read last, and how much then, until the buffer is adjusted to it.
    read: Option<(Instant, u64)>,
    /// When that is looked at, if nothing comes before.
    look_due: Instant,
    /// When subflows tell what the application has read, if the ACK of another has just left before that.
    room_due: Instant,
    /// When the application writes that had to wait for room.
    write_due: Instant,
    /// The DATA_FIN is to be told, or told again.
    fin_due: bool,
    /// The first byte that the latest segment has delivered had come with another before it.
    releases: bool,
    /// The window was found shut with room on a subflow; until it opens, that is one stall.
    stalled: bool,
    aborting: bool,
    /// Subflows on which something has come since buffers were last looked at, a bit each.
    acked: u32,
    /// Those of which an ACK was put off, a bit each.
    put_off: u32,

    subflows: SubflowTable,
    numbers: WireNumbers,
    pending: PendingEvents,
    data_rto: DataRto,
    close_timer: CloseTimer,
    /// When subflows that wait in vain for the peer's FIN are given up.
    fin_deadline: Instant,
    /// The subflow opened last, until its SYN has left: what else is to be opened waits for whether it has a route.
    opening: Option<usize>,
    signals: SignalQueue,
    path_manager: CachedPathManager,
    /// Round-trip samples of all subflows, and the latest.
    latest_rtt: (u64, Duration),
    resend: Option<DataRetransmit>,
    judging: Option<StaleCheck>,
    /// Addresses that the peer was told of and has not echoed.
    announcements: Vec<PendingAddAddr>,
    /// Answers to segments of no subflow.
    resets: VecDeque<(Tuple, Segment, Options)>,
    fallback: Fallback,
    /// The size of the send buffer that the first subflow had when the connection was done with it: the kernel's list of subflows has that
    /// one to the end (`__mptcp_sync_sndbuf`).
    first_buffer: Option<u64>,

    stats: MptcpStats,
    reordering: Reordering,
    rcv: DataReceiver,
    snd: DataSender,
    coupling: Option<Coupling>,
    scheduler: RunningScheduler,

    /// What came and was changed on the way.
    altered: CorruptedBytes,
    rng: Rng,
    addresses: Addresses,
    /// What subflows did whose place has been taken by others.
    retired: Vec<PathReport>,
}

impl Mptcp {
    fn new(plan: &Arc<MptcpPlan>, client: bool, mut rng: Rng) -> Self {
        let scheduler = plan.scheduler.build();
        let fills = scheduler.fills_queues();
        let (snd, rcv) = directions(plan, fills);
        Self {
            client,
            stage: Stage::Opening,
            fallback: Fallback::default(),
            altered: CorruptedBytes::default(),
            confirmed: false,
            mapped: false,
            checksum: plan.mptcp.checksum,
            widens_acks: false,
            numbers: WireNumbers::new(Key(rng.next_u64())),
            rng,
            subflows: SubflowTable::default(),
            acked: 0,
            put_off: 0,
            coupling: coupling_of(plan),
            snd,
            rcv,
            first_buffer: None,
            reordering: Reordering::default(),
            fills,
            glances: fills
                && plan.mptcp.data_timer == DataTimer::Subflows
                && plan.mptcp.speaker == Speaker::First,
            push_due: false,
            pushing: false,
            writes_to: None,
            gives_way: false,
            heard: None,
            read: None,
            look_due: Instant::MAX,
            room_due: Instant::MAX,
            write_due: Instant::MAX,
            scheduler,
            data_rto: DataRto::new(plan.mptcp.min_data_rto),
            resend: None,
            judging: None,
            fin_due: false,
            releases: false,
            stalled: false,
            path_manager: CachedPathManager::new(plan.path_manager.build()),
            addresses: Addresses::default(),
            signals: SignalQueue::default(),
            announcements: Vec::new(),
            resets: VecDeque::new(),
            close_timer: CloseTimer::OFF,
            opening: None,
            fin_deadline: Instant::MAX,
            aborting: false,
            latest_rtt: (0, Duration::ZERO),
            pending: PendingEvents::default(),
            stats: MptcpStats::default(),
            retired: Vec::new(),
            plan: Arc::clone(plan),
        }
    }

    /// An end that opens a connection between the addresses of `tuple`; its SYN is ready to be polled. Joins use the ports
    /// after the tuple's.
    pub fn connect(plan: &Arc<MptcpPlan>, tuple: Tuple, rng: Rng, now: Instant) -> Self {
        let mut connection = Self::new(plan, true, rng);
        connection.begin(tuple, now);
        connection
    }

    /// An end that waits for the SYN of a connection between the addresses of `tuple`.
    pub fn listen(plan: &Arc<MptcpPlan>, tuple: Tuple, rng: Rng, now: Instant) -> Self {
        let mut connection = Self::new(plan, false, rng);
        connection.begin(tuple, now);
        connection
    }

    fn begin(&mut self, tuple: Tuple, now: Instant) {
        self.addresses = Addresses::new(&tuple);
        let tcp = self.endpoint(self.client, now);
        self.place(Subflow::new(tcp, tuple, (0, 0)));
    }

    /// A TCP under this connection.
    fn endpoint(&mut self, active: bool, now: Instant) -> Tcp {
        let iss = self.rng.next_u64() as u32;
        let plan = &self.plan;
        let window = self.rcv.window(0, 1, || (RcvSpace::new(buffer_size::first_window(plan)).window(), 1));
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

    /// Puts a subflow into a place of its own; returns which.
    fn place(&mut self, mut subflow: Subflow) -> usize {
        subflow.memory = self.send_memory();
        if subflow.memory.is_some() {
            subflow.tcp.follow_packets(u32::from(self.plan.mptcp.mapping_len()));
        }
        subflow.peer_window = self.plan.mptcp.keeps_larger_window.then(PeerWindow::default);
        let (id, old) = self.subflows.place(subflow, rcv_space::first_rcv_space(&self.plan));
        if let Some(old) = old {
            add_to(&mut self.retired, &old);
            self.snd.forget_carrier(id);
        }
        if let Some(coupling) = &mut self.coupling {
            coupling.add(id);
        }
        id
    }

    /// The send buffer of a subflow, where bytes are handed out ahead of its window: without one of the connection's own
    /// that the kernel would have.
    fn send_memory(&self) -> Option<SendBuffer> {
        let size = buffer_size::sizes(&self.plan).map_or(BufferSize::KERNEL, |(_, send)| send);
        self.fills.then(|| SendBuffer::new(size))
    }

    /// The application offers `bytes` more to send ([`UNLIMITED`](crate::UNLIMITED): it never runs dry). Returns how
    /// many were taken: none after a close.
    pub fn write(&mut self, bytes: u64) -> u64 {
        if self.snd.closing || self.stage == Stage::Closed {
            return 0;
        }
        let end = self.snd.app_end.saturating_add(bytes).min(self.snd.una.saturating_add(ENDLESS));
        let taken = end.saturating_sub(self.snd.app_end);
        self.snd.app_end += taken;
        self.push_due = self.fills;
        taken
    }

    /// Whether the application's reads are implied (the default).
    pub fn set_auto_read(&mut self, on: bool) {
        self.rcv.set_auto_read(on);
    }

    /// The application reads up to `bytes` of what was delivered; returns how many there were.
    pub fn read(&mut self, bytes: u64, now: Instant) -> u64 {
        let (taken, opens) = self.rcv.read(bytes, self.subflows.mss());
        if taken > 0 && self.rcv.counts_memory() {
            self.on_taken(taken, now);
        }
        if opens && let Some(id) = self.speaker() {
            self.subflows[id].tcp.demand_ack();
            self.subflows.mark_dirty(id);
        }
        taken
    }

    /// The application will write no more: a DATA_FIN follows what it has written (of endless data: what was sent).
    pub fn close(&mut self) {
        if self.snd.closing || self.stage == Stage::Closed {
            return;
        }
        if self.snd.app_end >= self.snd.una.saturating_add(ENDLESS / 2) {
            self.snd.app_end = self.snd.nxt;
        }
        self.snd.closing = true;
        self.fin_due = true;
    }

    /// Ends the connection at once: MP_FASTCLOSE on every subflow (RFC 8684 §3.5).
    pub fn abort(&mut self) {
        if self.stage == Stage::Closed {
            return;
        }
        self.aborting = true;
        for id in 0..self.subflows.len() {
            self.subflows[id].tcp.abort();
            self.subflows.mark_dirty(id);
        }
        self.break_off(ResetCause::Local);
    }

    /// The connection is over because of `cause`.
    fn break_off(&mut self, cause: ResetCause) {
        if self.stage != Stage::Closed {
            self.stage = Stage::Closed;
            self.pending.reset(cause);
            self.data_rto.stop();
            self.close_timer = CloseTimer::OFF;
            self.fallback.deadline = Instant::MAX;
        }
    }

    /// The next event for the application.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.pending.poll()
    }

    /// The token by which joins name this connection.
    pub fn token(&self) -> u32 {
        self.numbers.key().token()
    }

    /// Initial data sequence numbers, this end's and the peer's, once both keys are known.
    pub fn initial_numbers(&self) -> Option<(u64, u64)> {
        self.numbers.peer().map(|_| (self.numbers.sent(0), self.numbers.received(0)))
    }

    /// Bytes delivered to the application that a middlebox had changed.
    pub fn altered_bytes(&self) -> u64 {
        self.altered.delivered(self.rcv.nxt())
    }

    /// Whether it has, or had, a subflow between these addresses and ports, its own first.
    pub fn has_subflow(&self, tuple: &Tuple) -> bool {
        self.subflows.find(tuple).is_some()
    }

    /// Counters since the start.
    pub const fn stats(&self) -> &MptcpStats {
        &self.stats
    }

    /// Counters of all TCPs that there were.
    pub fn tcp_stats(&self) -> TcpStats {
        let mut sum = TcpStats::default();
        self.retired.iter().for_each(|p| sum.add(&p.tcp));
        self.subflows.iter().for_each(|s| sum.add(s.tcp.stats()));
        sum
    }

    /// Whether it works, or ended, as plain TCP.
    pub fn is_fallback(&self) -> bool {
        self.fallback.is_begun()
    }

    /// Bytes that arrived and wait for others before them.
    pub const fn waiting_bytes(&self) -> u64 {
        self.rcv.waiting()
    }

    /// How far, and for how long, what arrived was ahead of its order.
    pub const fn reordering(&self) -> &Reordering {
        &self.reordering
    }

    /// The most that anything was ahead of its order since this was last asked, bytes.
    pub fn take_recent_displacement(&mut self) -> u64 {
        self.reordering.take_recent()
    }

    /// Data acknowledged, and sent, at the data level, from the first byte on.
    pub const fn progress(&self) -> (u64, u64) {
        (self.stats.bytes_acked, self.stats.bytes_acked + self.snd.outstanding())
    }

    /// When byte `n` of the stream (from 0) left for the first time, on whatever subflow; none once it is acknowledged
    /// at the data level.
    pub fn first_sending_of(&self, n: u64) -> Option<Instant> {
        self.snd.first_sending_of(1 + n)
    }

    /// Whether the first byte that the latest segment delivered was another segment's, which had waited for it.
    pub const fn releases(&self) -> bool {
        self.releases
    }

    /// The subflows that there are: their places, addresses, TCP and counters. Those with which the connection is done are none of them,
    /// though they may still send.
    pub fn subflows(&self) -> impl Iterator<Item = SubflowReport> + '_ {
        let live = self.subflows.iter().enumerate().filter(|(_, s)| s.is_attached());
        live.map(|(id, s)| SubflowReport {
            id,
            tuple: s.tuple,
            route: s.route,
            local: s.local,
            remote: s.remote,
            backup: s.backup || s.peer_backup,
            usable: s.is_usable(self.carries_data()),
            view: s.tcp.view(),
            tcp: *s.tcp.stats(),
            stats: s.stats(),
        })
    }

    /// What was done between each two addresses, by subflows that are over, too.
    pub fn paths(&self) -> Vec<PathReport> {
        let mut paths = self.retired.clone();
        self.subflows.iter().for_each(|s| add_to(&mut paths, s));
        paths
    }

    /// Number of round-trip samples of all subflows so far, and the latest.
    #[inline]
    pub fn latest_rtt(&self) -> (u64, Duration) {
        self.latest_rtt
    }

    /// Whether both directions are done, though subflows may linger.
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Closed
            || (self.snd.fin_acked() && self.rcv.is_complete())
            || (self.stage == Stage::Fallback && self.subflows.iter().all(|s| s.tcp.is_over()))
    }

    /// The highest port that its subflows have taken so far.
    pub const fn last_port(&self) -> u16 {
        self.addresses.last_port()
    }

    /// What is left to remember of its subflows that are in TIME-WAIT.
    pub fn time_waits(&self) -> impl Iterator<Item = (Tuple, TimeWait)> + '_ {
        let live = self.subflows.live();
        live.filter_map(|s| s.tcp.time_wait().map(|stub| (s.tuple, stub)))
    }

    /// Whether data may go, as far as the connection is concerned.
    fn carries_data(&self) -> bool {
        matches!(self.stage, Stage::Established | Stage::Fallback)
    }

    /// Reads what the next segment of `tuple` will need and does nothing with it: see [`Tcp::warm_up`].
    #[inline]
    pub fn warm_up(&self, tuple: &Tuple) {
        if let Some(id) = self.subflows.find(tuple) {
            let s = &self.subflows[id];
            s.tcp.warm_up();
            std::hint::black_box((s.taken, s.proof_deadline, s.sent.len()));
            std::hint::black_box((self.look_due, self.numbers.sent(0), self.opening, self.fallback.deadline));
            std::hint::black_box((self.stats.bytes_delivered, self.reordering.latest()));
            std::hint::black_box((self.rcv.waiting(), self.rcv.nxt(), self.snd.una));
            std::hint::black_box(self.subflows.deadline(id));
            if self.snd.has_written() {
                let (sent, oldest) = (s.sent.front().map(|m| m.ssn_end), self.snd.oldest().map(|c| c.len));
                std::hint::black_box((sent, oldest, self.subflows.views()[id].usable));
                std::hint::black_box(self.coupling.as_ref().map(|coupling| coupling.warm_up(id)));
            } else {
                std::hint::black_box(s.received.front().map(|m| m.ssn));
            }
        }
    }

    /// A subflow on which something can be said: where it is the first, that may be a stale one (`__mptcp_subflow_active`).
    fn speaker(&mut self) -> Option<usize> {
        if self.plan.mptcp.speaker == Speaker::First {
            let open = |s: &Subflow| s.is_attached() && s.ready && s.tcp.state().may_send();
            return self.subflows.iter().position(open).filter(|_| self.carries_data());
        }
        self.look();
        let views = self.subflows.views();
        (0..views.len()).filter(|id| views[*id].usable).min_by_key(|id| views[*id].srtt)
    }

    /// The subflow on which news of addresses has to be said, where that is not any.
    fn speaker_of_addresses(&mut self) -> Option<usize> {
        if self.plan.mptcp.speaker == Speaker::First { self.speaker() } else { None }
    }
}

/// What the windows of subflows have in common, where they are coupled.
fn coupling_of(plan: &MptcpPlan) -> Option<Coupling> {
    match &plan.control {
        SubflowControl::Coupled(config) => Some(Coupling::new(config)),
        SubflowControl::Uncoupled(_) => None,
    }
}

/// The two directions at the data level, with the buffers of `plan`.
fn directions(plan: &MptcpPlan, fills: bool) -> (DataSender, DataReceiver) {
    let (receive, send) = buffer_size::sizes(plan).unzip();
    let snd = match send.filter(|_| fills) {
        Some(size) => DataSender::with_memory(SendBuffer::new(size)),
        None => DataSender::new(plan.tcp.send_buffer.map_or(u64::MAX, |b| b.get())),
    };
    let (mss, stamps, share) = (plan.tcp.mss.get(), plan.tcp.timestamps, plan.mptcp.window_share);
    let options = u64::from(plan.mptcp.mapping_len()) + if stamps { buffer_size::STAMPS } else { 0 };
    let receive = receive.map(|size| RcvBuffer::new(size, mss, stamps, share).with_options(options));
    let first = RcvSpace::new(buffer_size::first_window(plan));
    (snd, DataReceiver::with_memory(receive, plan.tcp.receive_buffer.get(), first))
}
