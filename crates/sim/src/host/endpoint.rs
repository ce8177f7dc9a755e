//! Transport endpoints of flows: TCP, Multipath TCP, or a socket of a foreign host.

use crate::foreign::hosts::StackScope;
use crate::foreign::remote::RemoteSocket;
use crate::foreign::socket::SocketKind;
use crate::stats::connection_log::{EndCounters, NOT_COUNTED};
use std::sync::Arc;
use tailrace_core::{Dscp, Duration, Instant, Rng};
use tailrace_transport::config::Misbehaviour;
use tailrace_transport::mptcp::{Mptcp, MptcpPlan, SubflowControl, Tuple};
use tailrace_transport::quic::QuicPlan;
use tailrace_transport::{CcConfig, Event, Tcp, TcpConfig, TcpStats, TcpView};

/// Transport endpoint at one end of a flow.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "TCP lies beside its addresses: one trip to memory a packet")]
pub(crate) enum Endpoint {
    Tcp(Tcp),
    Mptcp(Box<Mptcp>),
    /// A socket of a foreign host.
    Remote(Box<RemoteSocket>),
}

impl Endpoint {
    pub(crate) fn write(&mut self, bytes: u64) {
        match self {
            Self::Tcp(tcp) => tcp.write(bytes),
            Self::Mptcp(connection) => connection.write(bytes),
            Self::Remote(remote) => {
                remote.write(bytes);
                0
            }
        };
    }
    /// Reads up to this many received bytes for the application.
    pub(crate) fn read(&mut self, bytes: u64, now: Instant) {
        match self {
            Self::Tcp(tcp) => tcp.read(bytes, now),
            Self::Mptcp(connection) => connection.read(bytes, now),
            Self::Remote(remote) => {
                remote.read(bytes);
                0
            }
        };
    }
    /// Keeps received data in the receive buffer until the application reads it.
    pub(crate) fn await_reads(&mut self) {
        match self {
            Self::Tcp(tcp) => tcp.set_auto_read(false),
            Self::Mptcp(connection) => connection.set_auto_read(false),
            Self::Remote(remote) => remote.await_reads(),
        }
    }
    pub(crate) fn close(&mut self) {
        match self {
            Self::Tcp(tcp) => tcp.close(),
            Self::Mptcp(connection) => connection.close(),
            Self::Remote(remote) => remote.close(),
        }
    }
    #[inline]
    pub(crate) fn poll_event(&mut self) -> Option<Event> {
        match self {
            Self::Tcp(tcp) => tcp.poll_event(),
            Self::Mptcp(connection) => connection.poll_event(),
            Self::Remote(remote) => remote.poll_event(),
        }
    }
    #[inline]
    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        match self {
            Self::Tcp(tcp) => tcp.poll_timeout(),
            Self::Mptcp(connection) => connection.poll_timeout(),
            Self::Remote(_) => None,
        }
    }
    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        match self {
            Self::Tcp(tcp) => tcp.handle_timeout(now),
            Self::Mptcp(connection) => connection.handle_timeout(now),
            Self::Remote(_) => {}
        }
    }
    /// TCP counters, summed over subflows.
    pub(crate) fn stats(&self) -> TcpStats {
        match self {
            Self::Tcp(tcp) => *tcp.stats(),
            Self::Mptcp(connection) => connection.tcp_stats(),
            Self::Remote(remote) => *remote.stats(),
        }
    }
    /// Delivered bytes whose packets a middlebox had changed.
    pub(crate) fn altered_bytes(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.altered_bytes(),
            Self::Mptcp(connection) => connection.altered_bytes(),
            Self::Remote(_) => 0,
        }
    }
    /// Counters for the connection log.
    pub(crate) fn end_counters(&self) -> EndCounters {
        EndCounters {
            delivered_bytes: self.bytes_delivered(),
            retransmitted_packets: self.stats().retransmitted_segments,
            timeouts: if self.lacks_timeouts() { NOT_COUNTED } else { self.timeouts() },
            subflows: self.subflows(),
            lost_addresses: self.has_lost_addresses(),
        }
    }

    /// Whether it is a connection of Multipath TCP without a subflow, since the addresses of the last ones are gone.
    pub(crate) fn has_lost_addresses(&self) -> bool {
        matches!(self, Self::Mptcp(connection) if connection.has_lost_addresses())
    }

    /// Whether its stack does not report timeouts.
    pub(crate) fn lacks_timeouts(&self) -> bool {
        matches!(self, Self::Remote(remote) if remote.lacks_timeouts())
    }

    /// Whether its stack does not report bytes in flight.
    pub(crate) fn lacks_in_flight(&self) -> bool {
        matches!(self, Self::Remote(remote) if remote.lacks_in_flight())
    }

    /// Retransmission timeouts so far.
    pub(crate) fn timeouts(&self) -> u32 {
        match self {
            Self::Tcp(tcp) => tcp.stats().timeouts,
            Self::Mptcp(connection) => connection.stats().timeouts,
            Self::Remote(remote) => remote.stats().timeouts,
        }
    }
    /// Bytes delivered to the application so far.
    pub(crate) fn bytes_delivered(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.stats().bytes_delivered,
            Self::Mptcp(connection) => connection.stats().bytes_delivered,
            Self::Remote(remote) => remote.stats().bytes_delivered,
        }
    }
    /// Whether the delivery caused by the latest segment begins with bytes of an earlier segment (a hole was filled).
    #[inline]
    pub(crate) fn releases(&self) -> bool {
        match self {
            Self::Tcp(_) | Self::Remote(_) => false,
            Self::Mptcp(connection) => connection.releases(),
        }
    }
    /// Bytes of the stream received in order.
    pub(crate) fn received(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.received(),
            Self::Mptcp(connection) => connection.received(),
            Self::Remote(remote) => remote.stats().bytes_delivered,
        }
    }
    /// Ranges of the stream in the out-of-order queue.
    pub(crate) fn waiting(&self) -> Vec<(u64, u64)> {
        match self {
            Self::Tcp(tcp) => tcp.waiting(),
            Self::Mptcp(connection) => connection.waiting(),
            Self::Remote(_) => Vec::new(),
        }
    }
    /// Time when byte `n` of the stream was first sent, while it is unacknowledged.
    pub(crate) fn first_sending_of(&self, n: u64) -> Option<Instant> {
        match self {
            Self::Tcp(tcp) => tcp.first_sending_of(n),
            Self::Mptcp(connection) => connection.first_sending_of(n),
            Self::Remote(_) => None,
        }
    }
    /// Number of RTT samples so far, and the latest.
    #[inline]
    pub(crate) fn latest_rtt(&self) -> (u64, Duration) {
        match self {
            Self::Tcp(tcp) => tcp.latest_rtt(),
            Self::Mptcp(connection) => connection.latest_rtt(),
            Self::Remote(remote) => remote.latest_rtt(),
        }
    }
    /// Bytes of the stream sent so far, retransmissions not counted.
    pub(crate) fn sent(&self) -> u64 {
        match self {
            Self::Tcp(tcp) => tcp.stats().bytes_sent - tcp.stats().retransmitted_bytes,
            Self::Mptcp(connection) => connection.progress().1,
            Self::Remote(remote) => remote.stats().bytes_sent - remote.stats().retransmitted_bytes,
        }
    }
    /// Minimum RTT so far; `None` for MPTCP, whose paths each have their own.
    pub(crate) fn min_rtt(&self) -> Option<Duration> {
        let (view, _) = self.view()?;
        let is_missing = matches!(self, Self::Remote(remote) if remote.lacks_min_rtt());
        (view.rtt_samples > 0 && !is_missing).then_some(view.min_rtt)
    }
    /// Number of subflows so far; 1 for TCP.
    pub(crate) fn subflows(&self) -> u32 {
        match self {
            Self::Tcp(_) => 1,
            Self::Mptcp(connection) => connection.stats().subflows_established,
            Self::Remote(remote) => remote.subflow_count(),
        }
    }
    /// Whether both directions are closed.
    pub(crate) fn is_over(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_over(),
            Self::Mptcp(connection) => connection.is_over(),
            Self::Remote(remote) => remote.is_over(),
        }
    }
    /// Windows and times of TCP, and payload of a full segment; `None` for MPTCP, whose subflows each have their own.
    pub(crate) fn view(&self) -> Option<(TcpView, u32)> {
        match self {
            Self::Tcp(tcp) => Some((tcp.view(), tcp.mss())),
            Self::Mptcp(_) => None,
            Self::Remote(remote) => remote.view(),
        }
    }
    pub(crate) fn as_mptcp(&self) -> Option<&Mptcp> {
        match self {
            Self::Tcp(_) | Self::Remote(_) => None,
            Self::Mptcp(connection) => Some(connection),
        }
    }
}

/// Transport parameters shared by all flows of a group.
#[derive(Clone, Debug)]
pub(crate) enum EndpointPlan {
    Tcp {
        config: Arc<TcpConfig>,
        cc: CcConfig,
    },
    Mptcp(Arc<MptcpPlan>),
    /// Its endpoints are sockets of a stack that is attached beside the hosts' own.
    Quic(Arc<QuicPlan>),
}

impl EndpointPlan {
    /// Duration of TIME-WAIT.
    pub(crate) fn time_wait(&self) -> Duration {
        match self {
            Self::Tcp { config, .. } => config.time_wait,
            Self::Mptcp(plan) => plan.tcp.time_wait,
            Self::Quic(_) => Duration::ZERO,
        }
    }

    /// Whether receivers acknowledge only what they have got, so that what is acknowledged was delivered.
    pub(crate) fn acknowledges_honestly(&self) -> bool {
        let config = match self {
            Self::Tcp { config, .. } => config,
            Self::Mptcp(plan) => &plan.tcp,
            Self::Quic(_) => return true,
        };
        config.misbehaviour != Misbehaviour::OptimisticAcks
    }

    /// Options of a foreign host's socket in place of such an endpoint, read at once; `listens`: whether its application acts on
    /// arriving data.
    pub(crate) fn socket_kind(&self, listens: bool, dscp: Dscp) -> SocketKind {
        let (multipath, name) = match self {
            Self::Tcp { cc, .. } => (false, Some(cc.name())),
            Self::Mptcp(plan) => match &plan.control {
                SubflowControl::Uncoupled(cc) => (true, Some(cc.name())),
                SubflowControl::Coupled(_) => (true, None),
            },
            Self::Quic(plan) => (false, Some(plan.control.name())),
        };
        let traffic_class = dscp.0 << 2;
        let congestion_control = name.map(str::to_string);
        let quic = if let Self::Quic(plan) = self { Some(Arc::clone(plan)) } else { None };
        SocketKind { multipath, congestion_control, waits_for_reads: false, listens, traffic_class, quic }
    }

    /// Foreign stack that carries its ends at a host, if one does.
    pub(crate) fn scope(&self) -> StackScope {
        match self {
            Self::Quic(plan) => StackScope::Quic(plan.config.stack),
            Self::Tcp { .. } | Self::Mptcp(_) => StackScope::Host,
        }
    }

    /// Plan by which the simulator makes endpoints itself; `None` for QUIC, of which it has none.
    pub(crate) fn simulated(&self) -> Option<SimulatedPlan<'_>> {
        match self {
            Self::Tcp { config, cc } => Some(SimulatedPlan::Tcp { config, cc }),
            Self::Mptcp(plan) => Some(SimulatedPlan::Mptcp(plan)),
            Self::Quic(_) => None,
        }
    }
}

/// Plan of endpoints that the simulator has: TCP and Multipath TCP.
#[derive(Clone, Copy)]
pub(crate) enum SimulatedPlan<'a> {
    Tcp { config: &'a Arc<TcpConfig>, cc: &'a CcConfig },
    Mptcp(&'a Arc<MptcpPlan>),
}

impl SimulatedPlan<'_> {
    /// Creates an endpoint between the addresses of `tuple`: a client that opens a connection, or a server that waits for it.
    pub(crate) fn endpoint(self, client: bool, tuple: Tuple, seed: u64, now: Instant) -> Endpoint {
        match self {
            Self::Tcp { config, cc } => Endpoint::Tcp(if client {
                Tcp::connect(config, cc, seed as u32, now)
            } else {
                Tcp::listen(config, cc, seed as u32)
            }),
            Self::Mptcp(plan) => Endpoint::Mptcp(Box::new(if client {
                Mptcp::connect(plan, tuple, Rng::new(seed), now)
            } else {
                Mptcp::listen(plan, tuple, Rng::new(seed), now)
            })),
        }
    }
}
