//! Sending end of a connection: the end whose congestion window limits it. In a download that is the server.

use crate::host::hosts::World;
use crate::host::sockets::Socket;
use std::cmp::Ordering;

/// End that has sent more on the connection of this client's socket. If both have sent the same, the end that is to send, if its
/// socket exists.
pub(crate) fn sending_end<'a>(world: &'a World, client: &'a Socket) -> Option<&'a Socket> {
    let server = world.sockets.get(client.envelope.peer);
    let sent = |end: Option<&Socket>| end.map_or(0, |socket| socket.endpoint.sent());
    let from_server = match sent(server).cmp(&sent(Some(client))) {
        Ordering::Greater => true,
        Ordering::Equal => !world.flows[client.end().flow()].is_sender(client.end()),
        Ordering::Less => false,
    };
    if from_server { server } else { Some(client) }
}
