//! Sockets as flows want them.

use rustix::fd::OwnedFd;
use rustix::net::sockopt::{
    set_ip_freebind, set_ip_tos, set_socket_reuseaddr, set_tcp_congestion, set_tcp_nodelay,
};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, ipproto, socket_with};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use tailrace_agent::messages::Kind;
use tailrace_agent::plan::Listener;

/// Most connections that wait to be accepted; the kernel's `somaxconn` bounds it, too.
const BACKLOG: i32 = 4096;

/// A socket of that kind, which neither waits nor holds small messages back.
pub(super) fn make(kind: &Kind) -> io::Result<OwnedFd> {
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

/// Takes connections from now on.
pub(super) fn listen(listener: &Listener) -> io::Result<OwnedFd> {
    let at = |error: io::Error| io::Error::other(format!("listening at {}: {error}", listener.at));
    let socket = make(&listener.kind).map_err(at)?;
    // Linux takes a join of Multipath TCP only where somebody listens at the address that it comes to.
    let address = if listener.kind.multipath { Ipv4Addr::UNSPECIFIED } else { *listener.at.ip() };
    // The host may come to have the address later.
    set_ip_freebind(&socket, true).map_err(|error| at(error.into()))?;
    bind(&socket, &SocketAddrV4::new(address, listener.at.port())).map_err(|error| at(error.into()))?;
    rustix::net::listen(&socket, BACKLOG).map_err(|error| at(error.into()))?;
    Ok(socket)
}
