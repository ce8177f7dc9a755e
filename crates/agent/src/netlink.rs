//! Requests to the kernel by netlink (RFC 3549), as far as a guest's network needs them.

use rustix::fd::OwnedFd;
use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, sendto, socket};
use std::io;

const REQUEST: u16 = 1;
const ACK: u16 = 4;
/// Makes what is not there; what is there already is an error.
pub(crate) const CREATE: u16 = 0x600;

const ERROR: u16 = 2;
const HEADER: usize = 16;

/// A connection to one of the kernel's families.
pub(crate) struct Socket(OwnedFd);

/// A request that is being written.
pub(crate) struct Request(Vec<u8>);

impl Socket {
    /// Links, addresses, routes and rules: the family of number zero.
    pub(crate) fn route() -> io::Result<Self> {
        Ok(Self(socket(AddressFamily::NETLINK, SocketType::RAW, None)?))
    }

    /// Families that have only a name.
    pub(crate) fn generic() -> io::Result<Self> {
        Ok(Self(socket(AddressFamily::NETLINK, SocketType::RAW, Some(netlink::GENERIC))?))
    }

    /// Sends a request, and waits until it is done; what the kernel answered before that.
    pub(crate) fn ask(&self, request: Request) -> io::Result<Vec<u8>> {
        let mut bytes = request.0;
        let len = (bytes.len() as u32).to_le_bytes();
        bytes[..4].copy_from_slice(&len);
        sendto(&self.0, &bytes, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
        let mut answer = Vec::new();
        loop {
            let mut buffer = [0; 8192];
            let (_, got) = recv(&self.0, &mut buffer[..], RecvFlags::empty())?;
            let mut rest = &buffer[..got];
            while let Some(len) = word(rest, 0).filter(|len| (HEADER..=rest.len()).contains(&(*len as usize)))
            {
                let (message, more) = rest.split_at(len as usize);
                rest = more.get((len as usize).next_multiple_of(4) - len as usize..).unwrap_or_default();
                if message[4..6] != ERROR.to_le_bytes() {
                    answer.extend_from_slice(&message[HEADER..]);
                    continue;
                }
                return match word(message, HEADER).unwrap_or_default().cast_signed() {
                    0 => Ok(answer),
                    error => Err(io::Error::from_raw_os_error(-error)),
                };
            }
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl Request {
    /// A request of a kind, with flags beyond those that every request has, and the fixed part of its body.
    pub(crate) fn new(kind: u16, flags: u16, body: &[u8]) -> Self {
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&(REQUEST | ACK | flags).to_ne_bytes());
        bytes.extend_from_slice(body);
        Self(bytes)
    }

    /// Adds an attribute.
    pub(crate) fn with(mut self, kind: u16, value: &[u8]) -> Self {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self.0.extend_from_slice(&(4 + value.len() as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(value);
        self
    }

    /// Adds an attribute that is a list of attributes.
    pub(crate) fn with_nested(mut self, kind: u16, fill: impl FnOnce(Self) -> Self) -> Self {
        const NESTED: u16 = 1 << 15;
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        let start = self.0.len();
        self.0.extend_from_slice(&[0, 0]);
        self.0.extend_from_slice(&(kind | NESTED).to_ne_bytes());
        let mut filled = fill(self);
        let len = (filled.0.len() - start) as u16;
        filled.0[start..start + 2].copy_from_slice(&len.to_ne_bytes());
        filled
    }
}

/// The value of an attribute in a list of them.
pub(crate) fn attribute(mut list: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let len = u16::from_ne_bytes(*list.first_chunk()?) as usize;
        let kind = u16::from_ne_bytes(*list.get(2..)?.first_chunk()?);
        let value = list.get(4..len)?;
        if kind == wanted {
            return Some(value);
        }
        list = list.get(len.next_multiple_of(4)..)?;
    }
}
