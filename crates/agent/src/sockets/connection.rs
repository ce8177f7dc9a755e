//! A connection: bytes still to send, bytes read, and its end. It writes [the byte of each place](content) of the
//! stream, and checks the bytes that it reads.

use super::listener::make;
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
use tailrace_agent::messages::{Cause, Kind, Order, Pair, Report};
use tailrace_wire::content;

/// Whether there is more to come of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Open,
    Over,
}

/// Events of epoll for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Readable or writable, but not closed.
    Data,
    /// Whatever there is.
    Any,
}

#[derive(Debug)]
pub(super) struct Connection {
    socket: OwnedFd,
    pair: Pair,
    multipath: bool,
    /// Deliveries are told at once.
    listens: bool,
    connecting: bool,
    /// Bytes that are still to be sent; `u64::MAX` for as long as it is open.
    to_send: u64,
    /// Nothing comes after these.
    closing: bool,
    /// The peer has been told of the end (FIN).
    shut: bool,
    /// The other end said so.
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
    fn new(socket: OwnedFd, pair: Pair, kind: &Kind) -> Self {
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

    /// Opens one.
    pub(super) fn connect(pair: Pair, kind: &Kind) -> io::Result<Self> {
        let socket = make(kind)?;
        bind(&socket, &pair.local)?;
        match connect(&socket, &pair.remote) {
            // Other errors are reported by the connection.
            Ok(()) | Err(_) => {}
        }
        Ok(Self { connecting: true, ..Self::new(socket, pair, kind) })
    }

    /// Takes the next that waits.
    pub(super) fn accept(listener: &OwnedFd, kind: &Kind) -> Option<Self> {
        loop {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            match acceptfrom_with(listener, flags) {
                Ok((socket, peer)) => {
                    let (local, remote) = (getsockname(&socket).ok().and_then(v4)?, peer.and_then(v4)?);
                    return Some(Self::new(socket, Pair { local, remote }, kind));
                }
                // It was gone before it was taken.
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }

    pub(super) fn pair(&self) -> Pair {
        self.pair
    }

    /// Whether to look at how much there is to read would be news of there being some, without end and without time passing: so it is
    /// for Multipath TCP of Linux 6.12, whose subflows then hand over what they have. It is looked at when the simulator reads.
    pub(super) fn is_news_to_itself(&self) -> bool {
        self.multipath && self.allowed.is_some()
    }

    /// Remembers what is asked for; [`Connection::progress`] does it.
    pub(super) fn obey(&mut self, order: &Order) {
        match order {
            Order::Connect(_) | Order::Send { .. } => {}
            Order::Write(bytes) => self.to_send = self.to_send.saturating_add(*bytes),
            Order::Close => {
                self.closing = true;
                if self.to_send == u64::MAX {
                    self.to_send = 0;
                }
            }
            Order::Read(bytes) => self.allowed = self.allowed.map(|n| n.saturating_add(*bytes)),
        }
    }

    /// State of the connection in the kernel.
    pub(super) fn figures(&self) -> Vec<Report> {
        if self.multipath { tcp_info::of_multipath(&self.socket) } else { tcp_info::of_tcp(&self.socket) }
    }

    /// Events to deliver to a connection with these epoll flags.
    pub(super) fn news(flags: EventFlags) -> News {
        let data = EventFlags::IN | EventFlags::OUT;
        if data.contains(flags) { News::Data } else { News::Any }
    }

    /// Does all that can be done now.
    pub(super) fn progress(&mut self, news: News, reports: &mut Vec<Report>) -> Progress {
        match self.work(news, reports) {
            Ok(()) if self.shut && self.peer_closed => {
                reports.extend(self.figures());
                reports.push(Report::Closed);
                Progress::Over
            }
            Ok(()) => Progress::Open,
            Err(error) => {
                reports.extend(self.figures());
                reports.push(Report::Broken(cause(error)));
                Progress::Over
            }
        }
    }

    fn work(&mut self, news: News, reports: &mut Vec<Report>) -> Result<(), Errno> {
        if self.connecting {
            socket_error(&self.socket)??;
            if getpeername(&self.socket).ok().flatten().is_none() {
                return Ok(());
            }
            self.connecting = false;
            reports.push(Report::Connected);
        }
        self.read(news, reports)?;
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

    fn read(&mut self, news: News, reports: &mut Vec<Report>) -> Result<(), Errno> {
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
                    // Less than there is room for is all that there was, of TCP (epoll(7), question 9), and an end to come is news.
                    if len < most && news == News::Data && !self.multipath {
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
            reports.push(Report::Wrong(wrong));
        }
        if got > 0 {
            reports.push(if self.listens { Report::Delivered(got) } else { Report::Noted(got) });
        }
        if closed {
            self.peer_closed = true;
            reports.push(Report::PeerClosed);
        }
        Ok(())
    }
}

impl Connection {
    /// Whether the other end will send nothing more; there may be something to read still.
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

fn cause(error: Errno) -> Cause {
    match error {
        Errno::CONNREFUSED => Cause::Refused,
        Errno::CONNRESET | Errno::PIPE => Cause::Reset,
        Errno::TIMEDOUT | Errno::HOSTUNREACH | Errno::NETUNREACH => Cause::TimedOut,
        _ => Cause::Other,
    }
}
