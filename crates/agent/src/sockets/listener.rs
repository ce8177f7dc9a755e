//! Stream sockets of flows: creation with the options of the flow, and listening.

use rustix::fd::OwnedFd;
use rustix::net::sockopt::{
    set_ip_freebind, set_ip_tos, set_socket_reuseaddr, set_tcp_congestion, set_tcp_nodelay,
};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, ipproto, socket_with};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use tailrace_agent::messages::SocketKind;
use tailrace_agent::plan::Listener;

/// Backlog of listen(2), also bounded by the kernel's `somaxconn`.
const BACKLOG: i32 = 4096;

/// Opens a TCP or Multipath TCP socket with the options of `kind`: non-blocking, without Nagle's algorithm.
pub(super) fn open_stream(kind: &SocketKind) -> io::Result<OwnedFd> {
    let protocol = if kind.multipath { ipproto::MPTCP } else { ipproto::TCP };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, Some(protocol))?;
    set_socket_reuseaddr(&socket, true)?;
    set_tcp_nodelay(&socket, true)?;
    if kind.traffic_class > 0 {
        set_ip_tos(&socket, kind.traffic_class)?;
    }
    if let Some(name) = &kind.congestion_control {
        set_tcp_congestion(&socket, name).map_err(|error| {
            io::Error::other(format!("its kernel has no congestion control {name:?}: {error}"))
        })?;
    }
    Ok(socket)
}

/// Opens a listening socket.
pub(super) fn listen(listener: &Listener) -> io::Result<OwnedFd> {
    let context = |error: io::Error| io::Error::other(format!("listening at {}: {error}", listener.at));
    let socket = open_stream(&listener.kind).map_err(context)?;
    // Linux accepts MP_JOIN only at an address with a listener, so Multipath TCP listens at all addresses.
    let address = if listener.kind.multipath { Ipv4Addr::UNSPECIFIED } else { *listener.at.ip() };
    // IP_FREEBIND: the host may get the address only during the run.
    set_ip_freebind(&socket, true).map_err(|error| context(error.into()))?;
    bind(&socket, &SocketAddrV4::new(address, listener.at.port())).map_err(|error| context(error.into()))?;
    rustix::net::listen(&socket, BACKLOG).map_err(|error| context(error.into()))?;
    Ok(socket)
}
