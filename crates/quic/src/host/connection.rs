//! A connection as a socket of a flow: a stream for each direction, one byte stream each as with TCP.

use crate::clock::span;
use crate::stack::{ConnectionEnd, Stack, StackEvent};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant as StdInstant;
use tailrace_core::{Bytes, Duration, Instant};
use tailrace_sim::{
    ResetCause, SocketEvent, SocketKind, SocketPair, SocketReport, SocketStats, State, TcpStats, TcpView,
};
use tailrace_transport::UNLIMITED;
use tailrace_transport::quic::QuicPlan;
use tailrace_wire::content;

/// Bytes that are written at once, which is as many as one piece of the content has.
const PIECE: u64 = 1 << 15;

/// An end of a connection.
pub(super) struct QuicConnection<S: Stack> {
    pub(super) inner: S::Connection,
    pub(super) handle: S::Handle,
    /// Place of its UDP socket.
    pub(super) socket: usize,
    pub(super) pair: SocketPair,
    pub(super) plan: Arc<QuicPlan>,
    pub(super) traffic_class: u8,
    /// Time of its pending timer.
    pub(super) armed: Option<Instant>,
    is_client: bool,
    is_connected: bool,
    out: Option<S::Stream>,
    /// Bytes still to be written, [`UNLIMITED`] for as long as it is open, and written.
    owed: u64,
    written: u64,
    /// Whether the application sends no more, the stream has been ended, and all of it was acknowledged.
    is_ending: bool,
    is_ended: bool,
    is_acknowledged: bool,
    came: Option<S::Stream>,
    /// Bytes that may be read; [`UNLIMITED`] where the application reads at once.
    allowed: u64,
    peer_ended: bool,
    is_over: bool,
    samples: u64,
}

impl<S: Stack> QuicConnection<S> {
    pub(super) fn new(
        (inner, handle): (S::Connection, S::Handle),
        (socket, pair): (usize, SocketPair),
        kind: &SocketKind,
        is_client: bool,
    ) -> Self {
        Self {
            inner,
            handle,
            socket,
            pair,
            plan: kind.quic.clone().expect("its socket is one of QUIC"),
            traffic_class: kind.traffic_class,
            armed: None,
            is_client,
            is_connected: false,
            out: None,
            owed: 0,
            written: 0,
            is_ending: false,
            is_ended: false,
            is_acknowledged: false,
            came: None,
            allowed: if kind.waits_for_reads { 0 } else { UNLIMITED },
            peer_ended: false,
            is_over: false,
            samples: 0,
        }
    }

    fn report(&self, events: &mut VecDeque<SocketEvent>, report: SocketReport) {
        events.push_back(SocketEvent { socket: self.pair, report });
    }

    /// Gives the application more bytes to send.
    pub(super) fn add_data(&mut self, bytes: u64) {
        self.owed = self.owed.saturating_add(bytes);
    }

    /// Ends what the application sends; endless data ends here.
    pub(super) fn end_data(&mut self) {
        self.is_ending = true;
        if self.owed == UNLIMITED {
            self.owed = 0;
        }
    }

    /// Lets the application read more bytes.
    pub(super) fn allow(&mut self, bytes: u64, events: &mut VecDeque<SocketEvent>) {
        self.allowed = self.allowed.saturating_add(bytes);
        self.read(events);
    }

    /// Handles the stack's events; whether there were any.
    pub(super) fn handle_events(&mut self, events: &mut VecDeque<SocketEvent>) -> bool {
        let mut any = false;
        while let Some(event) = S::poll(&mut self.inner) {
            any = true;
            match event {
                StackEvent::Connected => {
                    self.is_connected = true;
                    let connected =
                        if self.is_client { SocketReport::Connected } else { SocketReport::Accepted };
                    self.report(events, connected);
                }
                StackEvent::Over(end) => self.on_over(end, events),
                StackEvent::Opened => {
                    self.came = S::opened(&mut self.inner).or(self.came);
                    self.read(events);
                }
                StackEvent::Readable => self.read(events),
                StackEvent::Finished => self.is_acknowledged = true,
                StackEvent::Other => {}
            }
        }
        any
    }

    fn on_over(&mut self, end: ConnectionEnd, events: &mut VecDeque<SocketEvent>) {
        if self.is_over {
            return;
        }
        self.report_statistics(events);
        self.is_over = true;
        let report = match end {
            ConnectionEnd::Closed => SocketReport::Closed,
            ConnectionEnd::TimedOut => SocketReport::Broken(ResetCause::TimedOut),
            ConnectionEnd::Broken => SocketReport::Broken(ResetCause::Peer),
        };
        self.report(events, report);
    }

    /// Reads what has arrived and may be read, and compares it with what belongs in its place.
    fn read(&mut self, events: &mut VecDeque<SocketEvent>) {
        let Some(stream) = self.came.filter(|_| self.allowed > 0) else { return };
        let (mut wrong, mut bytes) = (0, 0);
        let ended = S::read(&mut self.inner, stream, self.allowed, &mut |place, chunk| {
            wrong += content::wrong_bytes(place as u32, chunk);
            bytes += chunk.len() as u64;
        });
        if self.allowed != UNLIMITED {
            self.allowed -= bytes;
        }
        if wrong > 0 {
            self.report(events, SocketReport::Wrong(wrong));
        }
        if bytes > 0 {
            self.report(events, SocketReport::Delivered(bytes));
        }
        if ended {
            (self.came, self.peer_ended) = (None, true);
            self.report(events, SocketReport::PeerClosed);
        }
    }

    /// Writes as much as the stack has room for.
    pub(super) fn write(&mut self) {
        if !self.is_connected || self.is_ended || self.is_over || (self.owed == 0 && !self.is_ending) {
            return;
        }
        self.out = self.out.or_else(|| S::open(&mut self.inner));
        let Some(stream) = self.out else { return };
        while self.owed > 0 {
            let piece = &content::from(self.written as u32)[..self.owed.min(PIECE) as usize];
            match S::write(&mut self.inner, stream, piece) {
                Some(0) => return,
                Some(bytes) => {
                    self.written += bytes as u64;
                    if self.owed != UNLIMITED {
                        self.owed -= bytes as u64;
                    }
                }
                None => (self.owed, self.is_acknowledged) = (0, true),
            }
        }
        if self.is_ending {
            self.is_ended = true;
            S::finish(&mut self.inner, stream);
        }
    }

    /// Reports the end once both directions are over; the client closes the connection.
    pub(super) fn close_if_over(&mut self, now: StdInstant, events: &mut VecDeque<SocketEvent>) {
        if self.is_over || !(self.is_acknowledged && self.peer_ended) {
            return;
        }
        self.report_statistics(events);
        self.is_over = true;
        self.report(events, SocketReport::Closed);
        if self.is_client {
            S::close(&mut self.inner, now);
        }
    }

    /// Reports the stack's statistics, unless the connection is over.
    pub(super) fn report_statistics(&mut self, events: &mut VecDeque<SocketEvent>) {
        if self.is_over {
            return;
        }
        let stack = S::statistics(&mut self.inner);
        self.samples += u64::from(self.is_connected);
        let rtt = span(stack.rtt);
        let view = TcpView {
            state: if self.is_connected { State::Established } else { State::SynSent },
            cwnd: stack.cwnd,
            ssthresh: stack.ssthresh,
            in_flight: Bytes(0),
            smoothed_rtt: rtt,
            rtt_var: Duration::ZERO,
            min_rtt: stack.min_rtt.map_or(Duration::ZERO, span),
            latest_rtt: rtt,
            rtt_samples: self.samples,
            rto: Duration::ZERO,
            snd_wnd: Bytes(0),
            rcv_wnd: Bytes(0),
            in_recovery: false,
        };
        let stats = TcpStats {
            segments_sent: stack.sent_datagrams,
            segments_received: stack.received_datagrams,
            bytes_sent: self.written + stack.lost_bytes,
            retransmitted_segments: stack.lost_packets,
            retransmitted_bytes: stack.lost_bytes,
            ..TcpStats::default()
        };
        let stats = SocketStats {
            stats,
            lacks_timeouts: true,
            lacks_in_flight: true,
            lacks_min_rtt: stack.min_rtt.is_none(),
            view: Some(view),
            mss: u32::from(stack.mtu),
            subflows: Vec::new(),
            stream: None,
        };
        self.report(events, SocketReport::Counted(Box::new(stats)));
    }
}
