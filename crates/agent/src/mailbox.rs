//! Deliveries as the agent notes them in its memory, for the simulator to read whenever the guest waits: a datagram for each would
//! cost more than the segment that brought it.
//!
//! A page of 64-bit words in the byte order of the machine: how many records have been written, how many have been read, and a
//! ring of records. A record is a socket, as two words of address and port, and a number of bytes.

use crate::messages::SocketPair;
use core::net::{Ipv4Addr, SocketAddrV4};

/// The file in the guest's own folder that says where the page is in the guest's physical memory; none where it has no such page.
pub const FILE: &str = "mailbox";

/// Words of the page.
pub const WORDS: usize = 512;
/// The word that counts records written; only the agent writes it.
pub const WRITTEN: usize = 0;
/// The word that counts records read; only the simulator writes it.
pub const READ: usize = 1;
const FIRST: usize = 2;
/// Words of a record.
pub const RECORD: usize = 3;
/// Records for which there is room.
pub const RECORDS: u64 = ((WORDS - FIRST) / RECORD) as u64;

/// The first word of a record, by its number among all that were written.
#[must_use]
pub const fn place(number: u64) -> usize {
    FIRST + (number % RECORDS) as usize * RECORD
}

/// Record of bytes that have arrived for an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// To which socket.
    pub socket: SocketPair,
    /// Number of bytes.
    pub bytes: u64,
}

impl Delivery {
    /// The record as words.
    #[must_use]
    pub fn words(&self) -> [u64; RECORD] {
        [word(self.socket.local), word(self.socket.remote), self.bytes]
    }

    /// From a record, which may be any.
    #[must_use]
    pub fn from_words([local, remote, bytes]: [u64; RECORD]) -> Self {
        Self { socket: SocketPair { local: address(local), remote: address(remote) }, bytes }
    }
}

fn word(address: SocketAddrV4) -> u64 {
    u64::from(address.ip().to_bits()) << 16 | u64::from(address.port())
}

fn address(word: u64) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::from_bits((word >> 16) as u32), word as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_a_delivery() {
        let at = |last, port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, last), port);
        let delivery =
            Delivery { socket: SocketPair { local: at(1, 80), remote: at(255, 65_535) }, bytes: 1448 };
        assert_eq!(delivery.words(), [0x0a00_0001_0050, 0x0a00_00ff_ffff, 1448]);
        assert_eq!(Delivery::from_words(delivery.words()), delivery);
    }

    #[test]
    fn records_lie_behind_the_counts_and_within_the_page() {
        assert_eq!((RECORDS, place(0), place(1), place(RECORDS)), (170, 2, 5, 2));
        assert_eq!(place(RECORDS - 1) + RECORD, WORDS);
    }
}
