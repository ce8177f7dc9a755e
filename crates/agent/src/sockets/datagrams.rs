//! UDP socket of flows.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::sockopt::{set_ip_freebind, set_ip_tos};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::net::{bind, recvfrom, sendto, socket_with};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddrV4;
use tailrace_agent::messages::{SocketEvent, SocketPair, SocketReport};
use tailrace_agent::plan::DatagramSocket;

/// Buffer for the largest datagram, bytes.
const MAX_DATAGRAM: usize = 1 << 16;

/// A datagram that waits to be sent.
#[derive(Debug)]
struct QueuedDatagram {
    to: SocketAddrV4,
    payload: u16,
    stamp: u64,
}

#[derive(Debug)]
pub(super) struct Datagrams {
    socket: OwnedFd,
    local: SocketAddrV4,
    is_heard: bool,
    waiting: VecDeque<QueuedDatagram>,
}

impl Datagrams {
    /// Opens the socket of the plan.
    pub(super) fn open(plan: &DatagramSocket) -> io::Result<Self> {
        let at = |error: Errno| io::Error::other(format!("a socket at {}: {error}", plan.at));
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None).map_err(at)?;
        set_ip_tos(&socket, plan.traffic_class).map_err(at)?;
        // IP_FREEBIND: the host may get the address only during the run.
        set_ip_freebind(&socket, true).map_err(at)?;
        bind(&socket, &plan.at).map_err(at)?;
        Ok(Self { socket, local: plan.at, is_heard: plan.is_heard, waiting: VecDeque::new() })
    }

    /// Queues a datagram and sends as many as the socket buffer takes.
    pub(super) fn send(&mut self, to: SocketAddrV4, (payload, stamp): (u16, u64)) {
        self.waiting.push_back(QueuedDatagram { to, payload, stamp });
        self.flush();
    }

    /// Sends queued datagrams and reads all received ones; reports them if the plan says so (`is_heard`).
    pub(super) fn progress(&mut self, events: &mut VecDeque<SocketEvent>) {
        self.flush();
        let mut buffer = [0; MAX_DATAGRAM];
        loop {
            match recvfrom(&self.socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((_, len, Some(from))) if self.is_heard => {
                    let Ok(remote) = SocketAddrV4::try_from(from) else { continue };
                    let report =
                        SocketReport::Datagram { payload: len as u16, stamp: stamp_of(&buffer[..len]) };
                    events
                        .push_back(SocketEvent { socket: SocketPair { local: self.local, remote }, report });
                }
                // Unreported datagrams are read and discarded. Their socket exists so that the host sends no ICMP port unreachable.
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    fn flush(&mut self) {
        while let Some(QueuedDatagram { to, payload, stamp }) = self.waiting.front() {
            let mut bytes = vec![0; usize::from(*payload)];
            let len = bytes.len().min(8);
            bytes[..len].copy_from_slice(&stamp.to_le_bytes()[..len]);
            match sendto(&self.socket, &bytes, SendFlags::empty(), to) {
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => continue,
                // A datagram that cannot be sent, for example without a route, is lost.
                Ok(_) | Err(_) => _ = self.waiting.pop_front(),
            }
        }
    }
}

/// First eight bytes of a payload, little-endian, padded with zeros.
fn stamp_of(payload: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = payload.len().min(bytes.len());
    bytes[..len].copy_from_slice(&payload[..len]);
    u64::from_le_bytes(bytes)
}

impl AsFd for Datagrams {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
