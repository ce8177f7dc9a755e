//! Subflow of a connection: a TCP, its state in the connection, and the mappings of both directions.

pub(crate) mod health;
pub(crate) mod join;
pub(crate) mod priority;
pub(crate) mod receive_mappings;
pub(crate) mod send_mappings;
pub(crate) mod state;
pub(crate) mod table;
mod tuple;

pub use tuple::Tuple;

use crate::mptcp::chunk::DataChunk;
use crate::mptcp::linux::peer_window::PeerWindow;
use crate::mptcp::linux::send_buffer::SendBuffer;
use crate::mptcp::option::{Mapping, ResetReason};
use crate::mptcp::path_manager::AddressId;
use crate::mptcp::scheduler::SubflowView;
use crate::mptcp::source_route::SourceRoute;
use crate::segment::Segment;
use crate::tcp::{State, Tcp};
use health::SubflowHealth;
use join::JoinHandshake;
use priority::BackupPriority;
use receive_mappings::{ReceiveMappings, ReleasedBuffers};
use send_mappings::{FittedChunk, SendMappings, SentMapping};
use state::{SubflowState, SubflowTrigger};
use table::SubflowTimers;
use tailrace_core::{Bytes, Instant};

/// Counters of a subflow in its connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubflowStats {
    /// Bytes scheduled onto it, reinjections included.
    pub scheduled_bytes: u64,
    /// Bytes among those that other subflows had carried before.
    pub reinjected_bytes: u64,
    /// Times it was penalised.
    pub penalties: u32,
}

/// Option of the RST that ends a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocalReset {
    /// MP_TCPRST.
    Reason(ResetReason),
    /// MP_FAIL, with the number on the wire of the data whose checksum was wrong.
    Fail { dsn: u64 },
}

/// Subflow of a connection. Fields that every segment needs come first, then those for sending, then the rare ones; a cache line begins
/// with it.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Subflow {
    pub(crate) tcp: Tcp,

    pub(crate) tuple: Tuple,
    state: SubflowState,
    /// Whether this host's interface is down, so that packets of the subflow are dropped at once.
    pub(crate) carrier_down: bool,
    pub(crate) priority: BackupPriority,
    /// Whether the peer has reset it for a reason that lasts (RFC 8684 §3.6).
    pub(crate) refused: bool,
    reset: LocalReset,
    /// Gateways that its packets pass.
    pub(crate) route: Option<SourceRoute>,
    pub(crate) receive: ReceiveMappings,

    pub(crate) health: SubflowHealth,
    pub(crate) join: JoinHandshake,

    pub(crate) send: SendMappings,
    pub(crate) stats: SubflowStats,
    /// Send buffer, where data is queued ahead of the congestion window.
    pub(crate) send_buffer: Option<SendBuffer>,
    /// Window of the peer as Linux keeps it; without it the latest ACK counts.
    pub(crate) peer_window: Option<PeerWindow>,

    pub(crate) local: AddressId,
    pub(crate) remote: AddressId,
    /// Time from which it may be penalised again.
    pub(crate) penalty_over: Instant,
}

impl Subflow {
    /// A subflow at the start of its handshake.
    pub(crate) fn new(tcp: Tcp, tuple: Tuple, (local, remote): (AddressId, AddressId)) -> Self {
        Self {
            tcp,
            tuple,
            local,
            remote,
            state: SubflowState::Handshaking,
            carrier_down: false,
            priority: BackupPriority::default(),
            refused: false,
            reset: LocalReset::Reason(ResetReason::Unspecified),
            route: None,
            receive: ReceiveMappings::new(),
            health: SubflowHealth::default(),
            join: JoinHandshake::NONE,
            send: SendMappings::new(),
            stats: SubflowStats::default(),
            send_buffer: None,
            peer_window: None,
            penalty_over: Instant::ZERO,
        }
    }

    #[inline]
    pub(crate) const fn state(&self) -> SubflowState {
        self.state
    }

    /// Moves to the state after `trigger`, if it applies; whether it does.
    pub(crate) const fn on(&mut self, trigger: SubflowTrigger) -> bool {
        match self.state.next(trigger) {
            Some(next) => {
                self.state = next;
                true
            }
            None => false,
        }
    }

    /// Whether it is part of the connection.
    #[inline]
    pub(crate) fn is_attached(&self) -> bool {
        self.state.is_attached()
    }

    /// Whether its place may be taken.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// Whether it began the connection.
    pub(crate) fn is_first(&self) -> bool {
        self.join.nonces().is_none()
    }

    /// Passes a segment to its TCP.
    #[inline]
    pub(crate) fn handle_segment(&mut self, segment: &Segment, now: Instant) {
        if segment.altered {
            return self.handle_corrupted(segment, now);
        }
        self.tcp.handle_segment(segment, now);
    }

    /// Remembers a corrupted payload if the TCP accepts it.
    #[cold]
    fn handle_corrupted(&mut self, segment: &Segment, now: Instant) {
        let before = self.tcp.altered_arrived();
        self.tcp.handle_segment(segment, now);
        if self.tcp.altered_arrived() != before {
            self.receive.note_corrupted(self.tcp.received_range(segment));
        }
    }

    /// Window beside the DATA_ACK of `segment`, bytes.
    pub(crate) fn peer_window_by(&mut self, segment: &Segment) -> u64 {
        let shown = self.tcp.window_of(segment);
        self.peer_window.as_mut().map_or(shown, |window| window.update(segment, shown))
    }

    /// Tells its TCP the length of the next segment of new data.
    #[inline]
    pub(crate) fn begin_piece(&mut self) {
        if self.tcp.unsent() == 0 {
            return;
        }
        if let Some(len) = self.send.next_len(self.tcp.next_ssn()) {
            self.tcp.begin_piece(len);
        }
    }

    /// Whether another poll of its TCP would find nothing, after `segment`, which was sent for the first time if `new`.
    #[inline]
    pub(crate) fn is_exhausted(&mut self, segment: &Segment, new: bool) -> bool {
        if segment.payload == 0 || !new {
            return self.tcp.is_exhausted();
        }
        self.begin_piece();
        self.tcp.looks_ahead()
    }

    /// Prefix of `chunk` that it can take at once, in segments of `most` bytes; see [`SendMappings::fit`].
    #[inline]
    pub(crate) fn fit(&self, chunk: &DataChunk, most: u32, again: bool) -> FittedChunk {
        self.send.fit(chunk, (most, again), |last| self.room_behind(last))
    }

    /// Space in the packet of `last`, the last segment that it was given, if that may still grow.
    fn room_behind(&self, last: &SentMapping) -> u32 {
        if self.send_buffer.is_none() || !self.tcp.may_grow(last.ssn_end - u64::from(last.len)) {
            return 0;
        }
        self.tcp.room_in_packet().map_or(u32::MAX, |room| u32::try_from(room).unwrap_or(u32::MAX))
    }

    /// Counters so far. Data that waits to be sent for the first time does not count as scheduled yet.
    pub(crate) fn stats(&self) -> SubflowStats {
        let scheduled_bytes = self.stats.scheduled_bytes.saturating_sub(self.tcp.unsent());
        SubflowStats { scheduled_bytes, ..self.stats }
    }

    /// Whether `segment` ends it: nobody reads data that arrives on a detached subflow, unless it is the first, which the connection
    /// keeps (`mptcp_close_ssk`, `tcp_rcv_state_process`).
    pub(crate) fn breaks_at(&self, segment: &Segment) -> bool {
        let brings_data = || self.tcp.received_range(segment).1 > self.tcp.received_ssn();
        self.state.is_detached() && !self.is_first() && segment.payload > 0 && brings_data()
    }

    /// Resets it for `reason`; an MP_FAIL that waits to be sent stays.
    pub(crate) fn abort(&mut self, reason: ResetReason) {
        if matches!(self.reset, LocalReset::Reason(_)) {
            self.reset = LocalReset::Reason(reason);
        }
        self.tcp.abort();
    }

    /// Resets it with MP_FAIL: its data from `dsn` on, a number of the wire, cannot be used.
    pub(crate) fn fail(&mut self, dsn: u64) {
        self.reset = LocalReset::Fail { dsn };
        self.tcp.abort();
    }

    /// Option of its RST.
    pub(crate) const fn local_reset(&self) -> LocalReset {
        self.reset
    }

    /// Whether data may be sent on it and it is not stale.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.state == SubflowState::Active && !self.health.is_stale() && self.tcp.state().may_send()
    }

    /// Whether it may carry data, in a connection that is `open`.
    #[inline]
    pub(crate) fn is_usable(&self, open: bool) -> bool {
        open && self.state == SubflowState::Active && self.health.is_alive() && self.tcp.state().may_send()
    }

    /// Its next deadlines.
    #[inline]
    pub(crate) fn timers(&self) -> SubflowTimers {
        if self.is_over() {
            return SubflowTimers::NEVER;
        }
        let due = self.tcp.poll_timeout().unwrap_or(Instant::MAX).min(self.join.deadline());
        // A subflow that cannot carry data yet, or no more, does not hold the data level back (`__mptcp_subflow_active`,
        // `mptcp_timeout_from_subflow`).
        let counts = self.health.timeouts() == 0 && self.is_active();
        let retransmission = self.tcp.retransmission_noted().filter(|_| counts);
        SubflowTimers { due, retransmission: retransmission.unwrap_or(Instant::ZERO) }
    }

    /// Fills in the parts of a scheduler's view that are neither usability nor windows.
    #[inline]
    pub(crate) fn fill(&self, view: &mut SubflowView) {
        if !self.is_attached() {
            *view = SubflowView::VACANT;
            return;
        }
        let tcp = &self.tcp;
        view.backup = self.priority.is_backup();
        (view.in_loss, view.in_recovery) = (tcp.repairs_timeout(), tcp.repairs_loss());
        (view.srtt, view.rtt_var, view.min_rtt) = tcp.round_trips();
        view.rto = tcp.rto_of_estimate();
    }

    /// Fills in windows, data in flight and counters of segments.
    #[inline]
    pub(crate) fn fill_windows(&self, view: &mut SubflowView) {
        if !self.is_attached() {
            return;
        }
        let tcp = &self.tcp;
        (view.cwnd, view.ssthresh) = tcp.windows();
        (view.in_flight, view.outstanding) = (tcp.in_flight(), tcp.outstanding());
        view.noted_rate = tcp.rate_noted();
        let stats = tcp.stats();
        (view.retransmitted, view.sent) = (stats.retransmitted_segments, stats.data_segments_sent);
    }

    /// Memory of the data queued ahead of its window, and whether it may be given more; `None` where only the window counts.
    #[inline]
    pub(crate) fn queue(&self) -> Option<(Bytes, bool)> {
        let size = self.send_buffer.as_ref()?.size();
        let queued = self.tcp.memory_queued();
        Some((Bytes(queued), self.tcp.may_queue() && queued < size))
    }

    /// Whether its window has room for a full segment.
    #[inline]
    pub(crate) fn has_window(&self) -> bool {
        self.tcp.has_room(u64::from(self.tcp.mss()))
    }

    /// Repeats the third segment of its MP_JOIN, ever less often, until the peer answers (RFC 8684 §3.2).
    pub(crate) fn repeat_join_ack(&mut self, now: Instant) {
        if self.state.has_joined() || !self.tcp.state().is_synchronized() {
            return self.join.stop();
        }
        if self.join.back_off(self.tcp.rto_of_estimate(), now) {
            self.tcp.demand_ack();
        }
    }

    /// Whether the timer of that repetition has expired.
    pub(crate) fn is_join_due(&self, now: Instant) -> bool {
        self.join.deadline() <= now
    }

    /// End of the socket buffer with the next byte in order, at most `to`; `buffers` moves on to that buffer.
    pub(crate) fn end_of_buffer(&self, buffers: &mut ReleasedBuffers, to: u64) -> u64 {
        buffers.end_at(self.receive.next(), to, |i| self.tcp.released(i))
    }

    /// Drops mappings that the peer's TCP has acknowledged.
    #[inline]
    pub(crate) fn drop_acked_mappings(&mut self) {
        if self.tcp.state() != State::Closed {
            self.send.drop_acked(self.tcp.acked_ssn());
        }
    }

    /// Mapping of a segment that it sends, and whether other subflows had carried its data before.
    #[inline]
    pub(crate) fn mapping_of(&self, segment: &Segment) -> Option<(Mapping, bool)> {
        self.send.at(self.tcp.ssn_of(segment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mptcp::linux::buffer_size::BufferSize;
    use crate::{CcConfig, Profile, TcpBehaviour, TcpConfig};
    use std::sync::Arc;

    #[test]
    fn segment_filled_up_stays_within_its_packet() {
        let linux = TcpConfig::for_profile(Profile::Linux);
        let config = Arc::new(TcpConfig {
            mss: Bytes(1424),
            behaviour: TcpBehaviour { tso: false, ..linux.behaviour.clone() },
            ..linux
        });
        let mut tcp = Tcp::listen(&config, &CcConfig::default_of("newreno").unwrap(), 1);
        tcp.follow_packets(24);
        let mut s = Subflow::new(tcp, Tuple::default(), (0, 0));
        s.send_buffer = Some(SendBuffer::new(BufferSize::KERNEL));
        let mut give = |dsn, len, again| {
            let FittedChunk { chunk, appends, joins } =
                s.fit(&DataChunk { dsn, len, carriers: 0 }, 1424, again);
            let (ssn_end, len) = (s.tcp.end_ssn() + u64::from(chunk.len), chunk.len as u16);
            s.send.push(SentMapping { ssn_end, dsn, piece: 0, len, reinjected: false, again }, joins);
            s.tcp.take(u64::from(chunk.len), appends);
            (chunk.len, joins)
        };
        assert_eq!(give(5001, 928, true), (928, false));
        // New data continues it.
        assert_eq!(give(5929, 1424, false), (496, true));
        // Its packet is full, so the next data goes into another, and so does its mapping.
        assert_eq!(give(6425, 928, false), (928, false));
        assert_eq!(give(7353, 1424, false), (496, true));
        let mappings: Vec<_> = s.send.iter().map(|m| (m.dsn, m.len)).collect();
        assert_eq!(mappings, [(5001, 1424), (6425, 1424)]);
    }

    #[test]
    fn mp_fail_outlives_a_later_reset() {
        let config = Arc::new(TcpConfig::for_profile(Profile::Rfc));
        let tcp = Tcp::listen(&config, &CcConfig::default_of("newreno").unwrap(), 1);
        let mut s = Subflow::new(tcp, Tuple::default(), (0, 0));
        s.fail(77);
        s.abort(ResetReason::Mptcp);
        assert_eq!(s.local_reset(), LocalReset::Fail { dsn: 77 });
    }
}
