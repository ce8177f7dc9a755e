//! A socket of datagrams.

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

/// Most bytes of a datagram.
const MOST: usize = 1 << 16;

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
    /// Where datagrams come to and leave from.
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

    /// Sends one, as soon as there is room for it.
    pub(super) fn send(&mut self, to: SocketAddrV4, (payload, stamp): (u16, u64)) {
        self.waiting.push_back(QueuedDatagram { to, payload, stamp });
        self.flush();
    }

    /// Does all that can be done now, and says what has come where somebody wants to hear of it.
    pub(super) fn progress(&mut self, events: &mut VecDeque<SocketEvent>) {
        self.flush();
        let mut buffer = [0; MOST];
        loop {
            match recvfrom(&self.socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((_, len, Some(from))) if self.is_heard => {
                    let Ok(remote) = SocketAddrV4::try_from(from) else { continue };
                    let report =
                        SocketReport::Datagram { payload: len as u16, stamp: stamp_of(&buffer[..len]) };
                    events
                        .push_back(SocketEvent { socket: SocketPair { local: self.local, remote }, report });
                }
                // Datagrams that nobody asked to hear of are read all the same, so that no ICMP error is sent for them.
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
                // A datagram that cannot be sent, for want of a route for instance, is lost.
                Ok(_) | Err(_) => _ = self.waiting.pop_front(),
            }
        }
    }
}

/// First bytes of a payload, the lowest byte first.
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
