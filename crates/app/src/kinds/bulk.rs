//! Unlimited data on one connection: the greedy source of most papers on congestion control.

use crate::application::{AppContext, Application, ConnectionData, EndpointRole};
use crate::direction::Direction;
use crate::registry::{AppKind, RequiredTransport};

tailrace_core::parameters! {
    /// Keys of `bulk`.
    pub struct BulkConfig {
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Up, "own choice";
    }
}

impl AppKind for BulkConfig {
    const SUMMARY: &'static str = "Sends as much as it can, until `stop`.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    type App = Bulk;

    fn build(&self) -> Bulk {
        Bulk { sender: self.direction.sender() }
    }
    fn sender(&self) -> EndpointRole {
        self.direction.sender()
    }
}

/// The running application.
#[derive(Debug)]
pub struct Bulk {
    sender: EndpointRole,
}

impl Application for Bulk {
    fn on_wake(&mut self, cx: &mut AppContext<'_>) {
        cx.open_from(self.sender, ConnectionData::Endless);
    }
}
