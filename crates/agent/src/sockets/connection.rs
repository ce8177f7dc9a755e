//! A connection: bytes still to send, bytes read, and its end. It writes [the byte of each place](content) of the
//! stream, and checks the bytes that it reads.

use super::listener::open_stream;
use super::tcp_info;
use rustix::event::epoll::EventFlags;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{Errno, ioctl_fionread};
use rustix::net::sockopt::socket_error;
use rustix::net::{RecvFlags, SendFlags, Shutdown, SocketAddrAny, SocketFlags};
use rustix::net::{acceptfrom_with, bind, connect, getpeername, getsockname, recv, send, shutdown};
use std::io;
use std::net::SocketAddrV4;
use tailrace_agent::messages::{ResetCause, SocketKind, SocketOperation, SocketPair, SocketReport};
use tailrace_wire::content;

/// State of a connection after a turn: open, or ended and removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Open,
    Over,
}

/// Events of epoll for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    /// Readable or writable, but not closed.
    Data,
    /// Whatever there is.
    Any,
}

#[derive(Debug)]
pub(super) struct Connection {
    socket: OwnedFd,
    pair: SocketPair,
    multipath: bool,
    /// Deliveries are reported at once, not in the mailbox.
    listens: bool,
    connecting: bool,
    /// Bytes that are still to be sent; `u64::MAX` for as long as it is open.
    to_send: u64,
    /// Close the connection when `to_send` is sent.
    closing: bool,
    /// FIN sent (shutdown(2)).
    shut: bool,
    /// FIN received and all data read.
    peer_closed: bool,
    /// Places in the streams: of the next byte to be sent, and of the next to be read.
    sent: u32,
    read: u32,
    /// Bytes that may still be read, where the simulator controls reading.
    allowed: Option<u64>,
    /// Bytes read so far, and the part of the arrived bytes that the simulator knows of.
    taken: u64,
    announced: u64,
}

impl Connection {
    fn new(socket: OwnedFd, pair: SocketPair, kind: &SocketKind) -> Self {
        Self {
            socket,
            pair,
            multipath: kind.multipath,
            listens: kind.listens,
            connecting: false,
            to_send: 0,
            closing: false,
            shut: false,
            peer_closed: false,
            sent: 0,
            read: 0,
            allowed: kind.waits_for_reads.then_some(0),
            taken: 0,
            announced: 0,
        }
    }

    /// Opens a connection; errors of connect(2) are reported by [`Connection::progress`].
    pub(super) fn connect(pair: SocketPair, kind: &SocketKind) -> io::Result<Self> {
        let socket = open_stream(kind)?;
        bind(&socket, &pair.local)?;
        match connect(&socket, &pair.remote) {
            Ok(()) | Err(_) => {}
        }
        Ok(Self { connecting: true, ..Self::new(socket, pair, kind) })
    }

    /// Accepts the next connection of the backlog.
    pub(super) fn accept(listener: &OwnedFd, kind: &SocketKind) -> Option<Self> {
        loop {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            match acceptfrom_with(listener, flags) {
                Ok((socket, peer)) => {
                    let (local, remote) = (getsockname(&socket).ok().and_then(v4)?, peer.and_then(v4)?);
                    return Some(Self::new(socket, SocketPair { local, remote }, kind));
                }
                // Reset by the client before accept(2).
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    pub(super) fn pair(&self) -> SocketPair {
        self.pair
    }

    /// Whether FIONREAD on this socket raises EPOLLIN again, which would loop without time passing: Multipath TCP of Linux
    /// 6.12 moves the subflows' data to the connection then. EPOLLIN is not watched there; the simulator's reads poll instead.
    pub(super) fn fionread_triggers_epollin(&self) -> bool {
        self.multipath && self.allowed.is_some()
    }

    /// Records an order; [`Connection::progress`] carries it out.
    pub(super) fn apply_order(&mut self, order: &SocketOperation) {
        match order {
            SocketOperation::Connect(_) | SocketOperation::Send { .. } => {}
            SocketOperation::Write(bytes) => self.to_send = self.to_send.saturating_add(*bytes),
            SocketOperation::Close => {
                self.closing = true;
                if self.to_send == u64::MAX {
                    self.to_send = 0;
                }
            }
            SocketOperation::Read(bytes) => self.allowed = self.allowed.map(|n| n.saturating_add(*bytes)),
        }
    }

    /// State of the connection in the kernel.
    pub(super) fn figures(&self) -> Vec<SocketReport> {
        if self.multipath { tcp_info::of_multipath(&self.socket) } else { tcp_info::of_tcp(&self.socket) }
    }

    /// Events to deliver to a connection with these epoll flags.
    pub(super) fn readiness(flags: EventFlags) -> Readiness {
        let data = EventFlags::IN | EventFlags::OUT;
        if data.contains(flags) { Readiness::Data } else { Readiness::Any }
    }

    /// Does all that can be done now.
    pub(super) fn progress(&mut self, readiness: Readiness, reports: &mut Vec<SocketReport>) -> Progress {
        match self.work(readiness, reports) {
            Ok(()) if self.shut && self.peer_closed => {
                reports.extend(self.figures());
                reports.push(SocketReport::Closed);
                Progress::Over
            }
            Ok(()) => Progress::Open,
            Err(error) => {
                reports.extend(self.figures());
                reports.push(SocketReport::Broken(cause(error)));
                Progress::Over
            }
        }
    }

    fn work(&mut self, readiness: Readiness, reports: &mut Vec<SocketReport>) -> Result<(), Errno> {
        if self.connecting {
            socket_error(&self.socket)??;
            if getpeername(&self.socket).ok().flatten().is_none() {
                return Ok(());
            }
            self.connecting = false;
            reports.push(SocketReport::Connected);
        }
        self.read(readiness, reports)?;
        self.write()
    }

    fn write(&mut self) -> Result<(), Errno> {
        while self.to_send > 0 {
            let next = content::from(self.sent);
            let len = usize::try_from(self.to_send).unwrap_or(usize::MAX).min(next.len());
            match send(&self.socket, &next[..len], SendFlags::NOSIGNAL) {
                Ok(sent) => {
                    self.sent = self.sent.wrapping_add(sent as u32);
                    if self.to_send < u64::MAX {
                        self.to_send -= sent as u64;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        if self.closing && !self.shut {
            self.shut = true;
            shutdown(&self.socket, Shutdown::Write)?;
        }
        Ok(())
    }

    fn read(&mut self, readiness: Readiness, reports: &mut Vec<SocketReport>) -> Result<(), Errno> {
        let waits = self.allowed.is_some();
        let (mut got, mut wrong, mut closed) = (0, 0, false);
        while !self.peer_closed {
            let mut buffer = [0; 1 << 16];
            let most = self.allowed.map_or(buffer.len(), |n| (n as usize).min(buffer.len()));
            if most == 0 {
                break;
            }
            match recv(&self.socket, &mut buffer[..most], RecvFlags::empty()) {
                Ok((_, 0)) => closed = true,
                Ok((_, len)) => {
                    got += len as u64;
                    wrong += content::wrong_bytes(self.read, &buffer[..len]);
                    self.read = self.read.wrapping_add(len as u32);
                    self.allowed = self.allowed.map(|n| n - len as u64);
                    // A short read has emptied a TCP socket (epoll(7), question 9), and a FIN after it is another event.
                    if len < most && readiness == Readiness::Data && !self.multipath {
                        break;
                    }
                    continue;
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                Err(error) => return Err(error),
            }
            break;
        }
        if waits {
            // An application that finds less than it wants to read does not wait for the rest.
            self.allowed = Some(0);
            // News is what has come, read or not, beyond what the simulator knows of.
            self.taken += got;
            let mut there = ioctl_fionread(&self.socket)?;
            if self.is_shut() {
                // Multipath TCP counts the end of the data for a byte.
                there = there.saturating_sub(self.multipath.into());
                closed = there == 0 && !self.peer_closed;
            }
            got = (self.taken + there).saturating_sub(self.announced);
            self.announced += got;
        }
        if wrong > 0 {
            reports.push(SocketReport::Wrong(wrong));
        }
        if got > 0 {
            reports.push(if self.listens { SocketReport::Delivered(got) } else { SocketReport::Noted(got) });
        }
        if closed {
            self.peer_closed = true;
            reports.push(SocketReport::PeerClosed);
        }
        Ok(())
    }
}

impl Connection {
    /// Whether a FIN has been received; data before it may be unread.
    fn is_shut(&self) -> bool {
        let mut poll = [PollFd::new(&self.socket, PollFlags::RDHUP)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        rustix::event::poll(&mut poll, Some(&at_once)).is_ok() && poll[0].revents().contains(PollFlags::RDHUP)
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn v4(address: SocketAddrAny) -> Option<SocketAddrV4> {
    SocketAddrV4::try_from(address).ok()
}

fn cause(error: Errno) -> ResetCause {
    match error {
        Errno::CONNREFUSED => ResetCause::Refused,
        Errno::CONNRESET | Errno::PIPE => ResetCause::Reset,
        Errno::TIMEDOUT | Errno::HOSTUNREACH | Errno::NETUNREACH => ResetCause::TimedOut,
        _ => ResetCause::Other,
    }
}
