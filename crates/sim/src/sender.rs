//! Which end of a connection sends: the one whose congestion window says how fast it goes. In a download that is the server.

use crate::sockets::Socket;
use crate::world::World;

impl World {
    /// The end that has sent more so far of the connection of this client's socket; of equals the client.
    pub(crate) fn sender<'a>(&'a self, client: &'a Socket) -> &'a Socket {
        let server = self.sockets.get(client.envelope.peer);
        server.filter(|server| server.endpoint.sent() > client.endpoint.sent()).unwrap_or(client)
    }
}
