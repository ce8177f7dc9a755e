//! One flow: its two sockets, the application that drives it, and what it has done so far.

use crate::packet::{Envelope, SocketId};
use crate::source::Source;
use crate::tally::FlowTally;
use std::sync::Arc;
use tailrace_core::{Duration, Instant, Rng};
use tailrace_net::TimerId;
use tailrace_scenario::model::{App, DurationDist};
use tailrace_transport::{CcConfig, Tcp, TcpConfig};

/// What the timers of a flow's socket are for: two a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerKind {
    /// The TCP endpoint's next deadline.
    Transport,
    /// The application: start, next datagram, think time, stop.
    App,
}

/// The fabric's name for a socket's timer.
pub(crate) fn timer_id(socket: SocketId, kind: TimerKind) -> TimerId {
    TimerId(socket.0 << 1 | u32::from(kind == TimerKind::App))
}

/// The socket and purpose behind a timer.
pub(crate) fn timer_of(timer: TimerId) -> (SocketId, TimerKind) {
    let kind = if timer.0 & 1 == 1 { TimerKind::App } else { TimerKind::Transport };
    (SocketId(timer.0 >> 1), kind)
}

/// One end of a flow.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) tcp: Option<Tcp>,
    pub(crate) envelope: Envelope,
    /// Bytes of headers of each TCP packet, where the scenario fixes them.
    pub(crate) header: Option<u32>,
    /// When the pending transport wake-up comes; a later deadline waits for it, an earlier one supersedes it.
    pub(crate) armed: Instant,
    /// Round-trip samples already recorded.
    pub(crate) rtt_seen: u64,
}

/// Parameters that all TCP flows of a group share.
#[derive(Clone, Debug)]
pub(crate) struct TcpPlan {
    pub(crate) config: Arc<TcpConfig>,
    pub(crate) cc: CcConfig,
}

/// What drives a flow.
#[derive(Debug)]
pub(crate) enum Driver {
    /// Datagrams of `header` bytes beyond the payload.
    Udp { source: Box<Source>, header: u32, ecn: tailrace_core::Ecn, sent: u32 },
    /// A TCP application.
    Tcp(Box<TcpApp>),
}

/// State of an application over TCP.
#[derive(Debug)]
pub(crate) struct TcpApp {
    pub(crate) plan: Arc<TcpPlan>,
    pub(crate) rng: Rng,
    /// What happens between here and the end of the flow.
    pub(crate) script: Script,
    /// Connections opened so far.
    pub(crate) connections: u32,
    /// When the transfer or exchange under way began.
    pub(crate) began: Instant,
    /// Bytes of it that still have to arrive.
    pub(crate) awaited: u64,
    /// Whether it is the server that the bytes are awaited from.
    pub(crate) responding: bool,
    /// Transfers or exchanges begun.
    pub(crate) begun: u32,
    /// The pending wake of the application, if any, and what it is for.
    pub(crate) wake: Option<Instant>,
}

/// The behaviours of applications over TCP, as data.
#[derive(Clone, Debug)]
pub(crate) enum Script {
    /// Endless data on one connection.
    Bulk,
    /// `count` transfers of `size`, each on a connection of its own.
    Transfers { size: u64, gap: DurationDist, count: Option<u32> },
    /// `count` exchanges on one connection.
    Exchanges { request: u64, response: u64, think: DurationDist, count: Option<u32> },
}

impl Script {
    /// The script of `app`; `None` for applications over UDP.
    pub(crate) fn of(app: &App) -> Option<Self> {
        match *app {
            App::Bulk => Some(Self::Bulk),
            App::Transfer { size } => Some(Self::Transfers {
                size: size.get(),
                gap: DurationDist::Constant(Duration::ZERO),
                count: Some(1),
            }),
            App::Sequence { size, gap, count } => Some(Self::Transfers { size: size.get(), gap, count }),
            App::RequestResponse { request, response, think, count } => {
                Some(Self::Exchanges { request: request.get(), response: response.get(), think, count })
            }
            _ => None,
        }
    }
}

/// A flow.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) group: u32,
    /// Position within its group.
    pub(crate) member: u32,
    pub(crate) driver: Driver,
    pub(crate) start: Instant,
    pub(crate) stop: Instant,
    pub(crate) tally: FlowTally,
    /// The tally when the warm-up ended.
    pub(crate) at_warmup: FlowTally,
    /// The TCP endpoints' own counters of connections that are gone.
    pub(crate) retired: Retired,
}

/// Sums over connections that have been replaced by later ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Retired {
    pub(crate) retransmitted: u64,
    pub(crate) timeouts: u64,
}

impl Socket {
    /// A socket that has no connection yet.
    pub(crate) fn new(envelope: Envelope, header: Option<u32>) -> Self {
        Self { tcp: None, envelope, header, armed: Instant::MAX, rtt_seen: 0 }
    }
}
