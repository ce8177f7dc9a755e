//! A stream socket to a guest: bytes as they come, and the file descriptors that come with them.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixListener;

/// Most file descriptors that come with one message (vhost-user says so).
const MOST_FILES: usize = 8;
/// Most that may have come and are not taken: no guest has a reason for more than one message's.
const MOST_KEPT: usize = 2 * MOST_FILES;

/// A connection, or a listener that waits for it.
#[derive(Debug)]
pub(crate) struct GuestSocket {
    end: SocketState,
    bytes: Vec<u8>,
    files: VecDeque<OwnedFd>,
}

#[derive(Debug)]
enum SocketState {
    Awaited(UnixListener),
    There(OwnedFd),
}

impl GuestSocket {
    /// An established connection.
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { end: SocketState::There(socket), bytes: Vec::new(), files: VecDeque::new() }
    }

    /// A connection that the guest will open.
    pub(crate) fn awaited(listener: UnixListener) -> Self {
        Self { end: SocketState::Awaited(listener), bytes: Vec::new(), files: VecDeque::new() }
    }

    /// Waits for the connection or for bytes, and takes in what is there; false at the end of the connection.
    pub(crate) fn receive(&mut self) -> io::Result<bool> {
        match &self.end {
            SocketState::There(_) => self.receive_bytes(),
            SocketState::Awaited(listener) => {
                let (socket, _) = listener.accept()?;
                self.end = SocketState::There(socket.into());
                Ok(true)
            }
        }
    }

    fn socket(&self) -> io::Result<&OwnedFd> {
        match &self.end {
            SocketState::There(socket) => Ok(socket),
            SocketState::Awaited(_) => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    fn receive_bytes(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = loop {
            let mut parts = [IoSliceMut::new(&mut buffer)];
            match recvmsg(self.socket()?, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Err(Errno::INTR) => {}
                // A process that is killed resets what it had not read.
                Err(Errno::CONNRESET) => return Ok(false),
                other => break other?.bytes,
            }
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                self.files.extend(files);
            }
        }
        if self.files.len() > MOST_KEPT {
            return Err(io::Error::other("more files have come than anybody asked for"));
        }
        self.bytes.extend_from_slice(&buffer[..got]);
        Ok(got > 0)
    }

    /// Received bytes that have not been consumed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the first `n` bytes off.
    pub(crate) fn consume(&mut self, n: usize) {
        self.bytes.drain(..n);
    }

    /// The next file descriptor that has come.
    pub(crate) fn take_file(&mut self) -> Option<OwnedFd> {
        self.files.pop_front()
    }

    /// Sends bytes, never waiting: who speaks with us reads the answer, or there is no room for it at some time.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        self.send_with(bytes, &[])
    }

    /// Sends bytes, and files with the first of them.
    pub(crate) fn send_with(&self, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut rest = bytes;
        let mut files = files;
        while !rest.is_empty() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FILES))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match sendmsg(self.socket()?, &[IoSlice::new(rest)], &mut control, flags) {
                Err(Errno::INTR) => continue,
                sent => rest = &rest[sent?..],
            }
            files = &[];
        }
        Ok(())
    }
}

impl AsFd for GuestSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.end {
            SocketState::There(socket) => socket.as_fd(),
            SocketState::Awaited(listener) => listener.as_fd(),
        }
    }
}

/// Little-endian fields of a message: `None` beyond its end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Reads eight little-endian bytes, like [`u32_at`].
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
