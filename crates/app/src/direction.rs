//! Direction of a connection's data.

use crate::application::EndpointRole;

tailrace_core::choices! {
    /// Direction of data, as seen from the client, which opens connections.
    pub enum Direction {
        /// From the client to the server.
        Up = "up",
        /// From the server to the client.
        Down = "down",
    }
}

impl Direction {
    /// The end that sends.
    pub const fn sender(self) -> EndpointRole {
        match self {
            Self::Up => EndpointRole::Client,
            Self::Down => EndpointRole::Server,
        }
    }
}
