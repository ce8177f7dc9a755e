//! Transfers one after another: a user who fetches one thing after the other.

use crate::application::EndpointRole;
use crate::bounds::{COUNTS, SIZES};
use crate::direction::Direction;
use crate::registry::{AppKind, RequiredTransport, TransferCount};
use crate::sequential_transfers::SequentialTransfers;
use tailrace_core::{DurationDist, SizeDist};

tailrace_core::parameters! {
    /// Keys of `sequence`.
    pub struct SequenceConfig {
        /// The size of each transfer; a size or a distribution.
        size: SizeDist, required, within SIZES;
        /// The pause between the end of a transfer and the start of the next; a duration or a distribution.
        gap: DurationDist = DurationDist::default(), "own choice";
        /// After how many connections the flow ends. `"auto"`: it goes on until `stop`.
        count: Option<u32> = None, "own choice", within COUNTS;
        /// In which direction data flows: `up` from the client to the server, or `down` from the server to the
        /// client. The client (`from`) opens the connections.
        direction: Direction = Direction::Up, "own choice";
    }
}

impl AppKind for SequenceConfig {
    const SUMMARY: &'static str = "Transfers one after another, each on a new connection.";
    const TRANSPORT: RequiredTransport = RequiredTransport::Streams;
    type App = SequentialTransfers;

    fn build(&self) -> SequentialTransfers {
        SequentialTransfers::new(self.size.clone(), self.gap, self.count, self.sender())
    }
    fn sender(&self) -> EndpointRole {
        self.direction.sender()
    }
    fn transfers(&self) -> TransferCount {
        TransferCount::of(self.count)
    }
    fn has_varied_transfers(&self) -> bool {
        !self.size.is_constant()
    }
    fn is_random(&self) -> bool {
        !(self.gap.is_constant() && self.size.is_constant())
    }
}
