//! Direction of the data on a connection: upload or download.

use crate::application::EndpointRole;

tailrace_core::choices! {
    /// Direction of the data, seen from the client, which opens the connection.
    pub enum Direction {
        /// From the client to the server.
        Up = "up",
        /// From the server to the client.
        Down = "down",
    }
}

impl Direction {
    /// End that sends the data.
    pub const fn sender(self) -> EndpointRole {
        match self {
            Self::Up => EndpointRole::Client,
            Self::Down => EndpointRole::Server,
        }
    }
}
