//! A single transfer, such as a file.

use crate::application::EndpointRole;
use crate::bounds::SIZES;
use crate::direction::Direction;
use crate::registry::{AppKind, RequiredTransport, TransferCount};
use crate::sequential_transfers::SequentialTransfers;
use tailrace_core::{DurationDist, SizeDist};

tailrace_core::parameters! {
    /// Keys of `transfer`.
    pub struct TransferConfig {
        /// The size of the transfer; a size or a distribution.
        size: SizeDist, required, within SIZES;
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Up, "own choice";
    }
}

impl AppKind for TransferConfig {
    const SUMMARY: &'static str = "A transfer of a given size; then the connection closes.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    type App = SequentialTransfers;

    fn build(&self) -> SequentialTransfers {
        SequentialTransfers::new(self.size.clone(), DurationDist::default(), Some(1), self.sender())
    }
    fn sender(&self) -> EndpointRole {
        self.direction.sender()
    }
    fn transfers(&self) -> TransferCount {
        TransferCount::Count(1)
    }
    fn has_varied_transfers(&self) -> bool {
        !self.size.is_constant()
    }
    fn is_random(&self) -> bool {
        !self.size.is_constant()
    }
}
