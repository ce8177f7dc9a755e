//! Mailbox: ring of delivery records in the guest's memory. The agent writes it, the simulator reads it whenever the guest is
//! idle. A datagram for each delivery would cost more than the segment that was delivered.
//!
//! Layout: one page of 64-bit words in native byte order: number of records written, number of records read, then the ring. A
//! record has three words: local address and port, remote address and port, number of bytes.

use crate::messages::SocketPair;
use core::net::{Ipv4Addr, SocketAddrV4};

/// Name of the file in the guest's folder with the physical address of the page; missing without a mailbox.
pub const FILE: &str = "mailbox";

/// Words of the page.
pub const WORDS: usize = 512;
/// Word with the number of records written; only the agent writes it.
pub const WRITTEN: usize = 0;
/// Word with the number of records read; only the simulator writes it.
pub const READ: usize = 1;
const FIRST: usize = 2;
/// Words of a record.
pub const RECORD: usize = 3;
/// Capacity in records.
pub const RECORDS: u64 = ((WORDS - FIRST) / RECORD) as u64;

/// First word of a record, by its sequence number.
#[must_use]
pub const fn place(number: u64) -> usize {
    FIRST + (number % RECORDS) as usize * RECORD
}

/// Delivery of bytes to an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// Receiving socket.
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

    /// Decodes a record; any words are valid.
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
