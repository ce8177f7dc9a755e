//! The end of a connection that is a socket of a foreign host.

use super::socket::{SocketFigures, SocketKind, SocketOrder, SocketReport};
use std::collections::VecDeque;
use tailrace_core::Duration;
use tailrace_transport::{Event, TcpStats, TcpView};

/// Stands for a socket elsewhere: holds what is to be said to it and what it has said.
#[derive(Debug, Default)]
pub(crate) struct Remote {
    orders: VecDeque<SocketOrder>,
    events: VecDeque<Event>,
    stats: TcpStats,
    /// What its stack said last, and how often it has.
    figures: Option<Box<SocketFigures>>,
    samples: u64,
    over: bool,
}

impl Remote {
    /// One that opens a connection.
    pub(crate) fn connect(kind: SocketKind) -> Self {
        Self { orders: [SocketOrder::Connect(kind)].into(), ..Self::default() }
    }

    pub(crate) fn write(&mut self, bytes: u64) {
        self.order(SocketOrder::Write(bytes));
    }

    pub(crate) fn read(&mut self, bytes: u64) {
        self.order(SocketOrder::Read(bytes));
    }

    pub(crate) fn close(&mut self) {
        self.order(SocketOrder::Close);
    }

    /// What has come waits for reads, which is said when it connects; a listener was told what its connections are.
    pub(crate) fn await_reads(&mut self) {
        if let Some(SocketOrder::Connect(kind)) = self.orders.front_mut() {
            kind.waits_for_reads = true;
        }
    }

    fn order(&mut self, order: SocketOrder) {
        if !self.over {
            self.orders.push_back(order);
        }
    }

    /// The next thing that its host is to be told.
    pub(crate) fn poll_order(&mut self) -> Option<SocketOrder> {
        self.orders.pop_front()
    }

    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Its host has said something of it.
    pub(crate) fn hear(&mut self, report: &SocketReport) {
        let event = match report {
            SocketReport::Accepted | SocketReport::Connected => Event::Connected,
            SocketReport::Delivered(bytes) => {
                self.stats.bytes_delivered += bytes;
                Event::Delivered { bytes: *bytes }
            }
            SocketReport::PeerClosed => Event::PeerClosed,
            SocketReport::Closed => {
                self.over = true;
                Event::Closed
            }
            SocketReport::Broken(cause) => {
                self.over = true;
                Event::Reset { cause: *cause }
            }
            SocketReport::Counted(figures) => return self.take_figures(figures),
            SocketReport::Wrong(_) | SocketReport::Datagram { .. } | SocketReport::Failed(_) => return,
        };
        self.events.push_back(event);
    }

    /// Counters only grow, though those of a subflow that is gone are not in the sum any more.
    fn take_figures(&mut self, figures: &SocketFigures) {
        let (stats, new) = (&mut self.stats, &figures.stats);
        stats.segments_sent = stats.segments_sent.max(new.segments_sent);
        stats.retransmitted_segments = stats.retransmitted_segments.max(new.retransmitted_segments);
        stats.bytes_sent = stats.bytes_sent.max(new.bytes_sent);
        stats.retransmitted_bytes = stats.retransmitted_bytes.max(new.retransmitted_bytes);
        stats.bytes_acked = stats.bytes_acked.max(new.bytes_acked);
        stats.timeouts = stats.timeouts.max(new.timeouts);
        self.samples += u64::from(figures.view.is_some_and(|view| view.rtt_samples > 0));
        self.figures = Some(Box::new(figures.clone()));
    }

    /// Its windows and times, and the payload of a segment, as of the latest sample.
    pub(crate) fn view(&self) -> Option<(TcpView, u32)> {
        let figures = self.figures.as_ref()?;
        Some((figures.view?, figures.mss))
    }

    /// Number of samples with a round-trip time so far, and the smoothed one of the latest.
    pub(crate) fn latest_rtt(&self) -> (u64, Duration) {
        (self.samples, self.view().map_or(Duration::ZERO, |(view, _)| view.smoothed_rtt))
    }

    /// Subflows that it had at the latest sample.
    pub(crate) fn subflows(&self) -> u32 {
        self.figures.as_ref().map_or(1, |figures| figures.subflows)
    }

    /// Whether its stack says nothing of timeouts.
    pub(crate) fn lacks_timeouts(&self) -> bool {
        self.figures.as_ref().is_some_and(|figures| figures.lacks_timeouts)
    }

    pub(crate) fn stats(&self) -> &TcpStats {
        &self.stats
    }

    /// Whether nothing more comes of it.
    pub(crate) fn is_over(&self) -> bool {
        self.over && self.events.is_empty()
    }
}
