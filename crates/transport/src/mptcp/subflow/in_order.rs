//! In-order data of a subflow on its way to the data level.

use crate::tcp::linux::receive_queue::{BufferPiece, PieceMemory};

/// What has come in order on a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InOrderData {
    /// The bytes `dsn..end` of the stream.
    Bytes { dsn: u64, end: u64 },
    /// Bytes that have no mapping.
    Unmapped,
    /// A mapping from `dsn` on whose checksum is wrong.
    Broken { dsn: u64 },
}

/// The buffers that a segment has brought into order on a subflow, while they are moved to the data level one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReleasedBuffers {
    /// How many have been begun.
    begun: usize,
    /// Where the latest begins and ends, and its packets that have not been moved.
    start: u64,
    end: u64,
    packets: u64,
    /// None of it has been moved.
    fresh: bool,
}

impl ReleasedBuffers {
    /// End of the buffer with byte `taken`, at most `to`. `released` gives the end and the packets of buffer number `i`.
    pub(super) fn end_at(
        &mut self,
        taken: u64,
        to: u64,
        released: impl FnOnce(usize) -> Option<(u64, u64)>,
    ) -> u64 {
        if self.end <= taken {
            let (end, packets) = released(self.begun).unwrap_or((to, 1));
            *self = Self { begun: self.begun + 1, start: taken, end, packets, fresh: true };
        }
        self.end.min(to)
    }

    /// What of the present one has been moved, now that all up to `taken` is.
    pub(crate) fn piece(&mut self, taken: u64) -> BufferPiece {
        let together = match core::mem::take(&mut self.fresh) {
            true => PieceMemory { packets: self.packets, bytes: self.end - self.start },
            false => PieceMemory::default(),
        };
        let packets = if taken >= self.end { self.packets } else { self.packets.min(1) };
        self.packets -= packets;
        BufferPiece { together, packets }
    }
}
