//! End of a connection that is a socket of a foreign host.

use crate::foreign::socket::{
    DataLevelStats, SocketKind, SocketOperation, SocketPair, SocketReport, SocketStats, SubflowStats,
};
use std::collections::VecDeque;
use tailrace_core::Duration;
use tailrace_transport::{Event, TcpStats, TcpView};

/// Proxy of a foreign host's socket: queued commands and the latest reports.
#[derive(Debug, Default)]
pub(crate) struct RemoteSocket {
    orders: VecDeque<SocketOperation>,
    events: VecDeque<Event>,
    stats: TcpStats,
    /// Latest sample of its stack's counters, and the number of samples.
    figures: Option<Box<SocketStats>>,
    samples: u64,
    /// Subflow numbers: position is the number, content the subflow's addresses and ports.
    subflows: Vec<Option<SocketPair>>,
    over: bool,
}

impl RemoteSocket {
    /// A socket that opens a connection.
    pub(crate) fn connect(kind: SocketKind) -> Self {
        Self { orders: [SocketOperation::Connect(kind)].into(), ..Self::default() }
    }

    pub(crate) fn write(&mut self, bytes: u64) {
        self.order(SocketOperation::Write(bytes));
    }

    pub(crate) fn read(&mut self, bytes: u64) {
        self.order(SocketOperation::Read(bytes));
    }

    pub(crate) fn close(&mut self) {
        self.order(SocketOperation::Close);
    }

    /// Keeps received data in the socket until it is read; said when it connects. A listener was told with its listening socket.
    pub(crate) fn await_reads(&mut self) {
        if let Some(SocketOperation::Connect(kind)) = self.orders.front_mut() {
            kind.waits_for_reads = true;
        }
    }

    fn order(&mut self, order: SocketOperation) {
        if !self.over {
            self.orders.push_back(order);
        }
    }

    /// Next command for its host.
    pub(crate) fn poll_command(&mut self) -> Option<SocketOperation> {
        self.orders.pop_front()
    }

    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Takes a report of its host.
    pub(crate) fn on_report(&mut self, report: &SocketReport) {
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
            SocketReport::Counted(figures) => return self.take_stats(figures),
            SocketReport::Wrong(_) | SocketReport::Datagram { .. } | SocketReport::Failed(_) => return,
        };
        self.events.push_back(event);
    }

    /// Takes counters, which never decrease: counters of a closed subflow are missing in later sums.
    fn take_stats(&mut self, figures: &SocketStats) {
        let (stats, new) = (&mut self.stats, &figures.stats);
        stats.segments_sent = stats.segments_sent.max(new.segments_sent);
        stats.retransmitted_segments = stats.retransmitted_segments.max(new.retransmitted_segments);
        stats.bytes_sent = stats.bytes_sent.max(new.bytes_sent);
        stats.retransmitted_bytes = stats.retransmitted_bytes.max(new.retransmitted_bytes);
        stats.bytes_acked = stats.bytes_acked.max(new.bytes_acked);
        stats.timeouts = stats.timeouts.max(new.timeouts);
        self.samples += u64::from(figures.view.is_some_and(|view| view.rtt_samples > 0));
        self.number(&figures.subflows);
        self.figures = Some(Box::new(figures.clone()));
    }

    /// Assigns numbers: a subflow keeps its number while it exists; new subflows get the next ones.
    fn number(&mut self, subflows: &[SubflowStats]) {
        let is_there = |socket: &SocketPair| subflows.iter().any(|one| one.socket == *socket);
        self.subflows.iter_mut().for_each(|place| *place = place.filter(is_there));
        for one in subflows {
            if self.subflows.contains(&Some(one.socket)) {
                continue;
            }
            match self.subflows.iter_mut().find(|place| place.is_none()) {
                Some(place) => *place = Some(one.socket),
                None => self.subflows.push(Some(one.socket)),
            }
        }
    }

    /// MPTCP subflows at the latest sample, with their numbers.
    pub(crate) fn subflows(&self) -> impl Iterator<Item = (usize, &SubflowStats)> {
        let said = self.figures.as_ref().map_or(&[][..], |figures| &figures.subflows);
        let number = |one: &SubflowStats| self.subflows.iter().position(|place| *place == Some(one.socket));
        said.iter().filter_map(move |one| Some((number(one)?, one)))
    }

    /// MPTCP data level at the latest sample, where its stack reports it.
    pub(crate) fn stream(&self) -> Option<&DataLevelStats> {
        self.figures.as_ref()?.stream.as_ref()
    }

    /// Windows and times, and payload of a full segment, at the latest sample.
    pub(crate) fn view(&self) -> Option<(TcpView, u32)> {
        let figures = self.figures.as_ref()?;
        Some((figures.view?, figures.mss))
    }

    /// Number of samples with an RTT so far, and the SRTT of the latest.
    pub(crate) fn latest_rtt(&self) -> (u64, Duration) {
        (self.samples, self.view().map_or(Duration::ZERO, |(view, _)| view.smoothed_rtt))
    }

    /// Number of subflows at the latest sample.
    pub(crate) fn subflow_count(&self) -> u32 {
        self.figures.as_ref().map_or(1, |figures| figures.subflows.len().max(1) as u32)
    }

    /// Whether its stack does not report timeouts.
    pub(crate) fn lacks_timeouts(&self) -> bool {
        self.figures.as_ref().is_some_and(|figures| figures.lacks_timeouts)
    }

    /// Whether its stack does not report bytes in flight.
    pub(crate) fn lacks_in_flight(&self) -> bool {
        self.figures.as_ref().is_some_and(|figures| figures.lacks_in_flight)
    }

    /// Whether its stack does not report the smallest round-trip time.
    pub(crate) fn lacks_min_rtt(&self) -> bool {
        self.figures.as_ref().is_some_and(|figures| figures.lacks_min_rtt)
    }

    pub(crate) fn stats(&self) -> &TcpStats {
        &self.stats
    }

    /// Whether no more reports come from it.
    pub(crate) fn is_over(&self) -> bool {
        self.over && self.events.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::{Ipv4Addr, SocketAddrV4};
    use tailrace_core::Bytes;
    use tailrace_transport::State;

    fn view() -> TcpView {
        TcpView {
            state: State::Established,
            cwnd: Bytes(0),
            ssthresh: None,
            in_flight: Bytes(0),
            smoothed_rtt: Duration::ZERO,
            rtt_var: Duration::ZERO,
            min_rtt: Duration::ZERO,
            latest_rtt: Duration::ZERO,
            rtt_samples: 0,
            rto: Duration::ZERO,
            snd_wnd: Bytes(0),
            rcv_wnd: Bytes(0),
            in_recovery: false,
        }
    }

    /// A sample with subflows by the last byte of their addresses.
    fn counted(subflows: &[u8]) -> SocketReport {
        let at = |host: u8| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, host), 80);
        let subflow = |host: &u8| SubflowStats {
            socket: SocketPair { local: at(*host), remote: at(99) },
            usable: true,
            stats: TcpStats::default(),
            lacks_timeouts: false,
            view: view(),
            scheduled_bytes: 0,
        };
        SocketReport::Counted(Box::new(SocketStats {
            stats: TcpStats::default(),
            lacks_timeouts: false,
            lacks_in_flight: false,
            lacks_min_rtt: false,
            view: None,
            mss: 1400,
            subflows: subflows.iter().map(subflow).collect(),
            stream: None,
        }))
    }

    #[test]
    fn subflow_numbers_are_stable_and_new_ones_take_the_first_free() {
        let mut remote = RemoteSocket::default();
        let mut numbers = |subflows: &[u8]| {
            remote.on_report(&counted(subflows));
            let numbered = remote.subflows().map(|(number, one)| (one.socket.local.ip().octets()[3], number));
            (numbered.collect::<Vec<_>>(), remote.subflow_count())
        };
        assert_eq!(numbers(&[1, 2, 3]), (vec![(1, 0), (2, 1), (3, 2)], 3));
        assert_eq!(numbers(&[3, 2]), (vec![(3, 2), (2, 1)], 2));
        assert_eq!(numbers(&[3, 4, 5, 2]), (vec![(3, 2), (4, 0), (5, 3), (2, 1)], 4));
        assert_eq!(numbers(&[]), (vec![], 1));
    }
}
