//! Which end of a connection sends: the one whose congestion window says how fast it goes. In a download that is the server.

use crate::host::hosts::World;
use crate::host::sockets::Socket;
use std::cmp::Ordering;

impl World {
    /// The end that has sent more so far of the connection of this client's socket; of equals the one that is to send, if it is
    /// there.
    pub(crate) fn sender<'a>(&'a self, client: &'a Socket) -> Option<&'a Socket> {
        let server = self.sockets.get(client.envelope.peer);
        let sent = |end: Option<&Socket>| end.map_or(0, |socket| socket.endpoint.sent());
        let from_server = match sent(server).cmp(&sent(Some(client))) {
            Ordering::Greater => true,
            Ordering::Equal => !self.flows[client.end().flow()].is_sender(client.end()),
            Ordering::Less => false,
        };
        if from_server { server } else { Some(client) }
    }
}
