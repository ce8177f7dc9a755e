//! The simulator's side of the [mailbox] in which an agent notes deliveries.

use crate::error::KernelError;
use crate::memory::{GuestMemory, UnmappedAddress};
use std::collections::VecDeque;
use tailrace_agent::mailbox::{self, Delivery, READ, RECORD, RECORDS, WRITTEN};

const WORD: usize = 8;
const RECORD_BYTES: usize = RECORD * WORD;

/// A page of a guest's memory.
#[derive(Debug)]
pub(crate) struct DeliveryMailbox {
    at: u64,
}

impl DeliveryMailbox {
    /// Number of a device that no guest has: records are taken as if they came by it.
    pub(crate) const CARD: usize = usize::MAX;

    /// The mailbox at an address of the guest's memory.
    pub(crate) fn at(address: u64) -> Self {
        Self { at: address }
    }

    /// Appends the records that are new to `out`. The guest waits, or it waits for an answer: nobody writes meanwhile.
    pub(crate) fn take(&self, memory: &GuestMemory, out: &mut VecDeque<u8>) -> Result<(), KernelError> {
        let [mut written, mut read] = [[0; WORD]; 2];
        memory.copy(self.word(WRITTEN), &mut written).map_err(outside)?;
        memory.copy(self.word(READ), &mut read).map_err(outside)?;
        let [written, read] = [written, read].map(u64::from_ne_bytes);
        if written == read {
            return Ok(());
        }
        if written.wrapping_sub(read) > RECORDS {
            return Err(KernelError::Protocol(format!(
                "{written} records to its mailbox, of which {read} are read, and which holds {RECORDS}"
            )));
        }
        for number in read..written {
            let mut record = [0; RECORD_BYTES];
            memory.copy(self.word(mailbox::place(number)), &mut record).map_err(outside)?;
            out.extend(record);
        }
        memory.write(self.word(READ), &written.to_ne_bytes()).map_err(outside)
    }

    fn word(&self, number: usize) -> u64 {
        self.at.saturating_add((number * WORD) as u64)
    }
}

fn outside(UnmappedAddress(at): UnmappedAddress) -> KernelError {
    KernelError::Protocol(format!("that its mailbox is at {at:#x}, where it shares no memory"))
}

/// The deliveries of records.
pub(crate) fn deliveries(records: &[u8]) -> impl Iterator<Item = Delivery> {
    records.chunks_exact(RECORD_BYTES).map(|record| {
        let mut words = [0; RECORD];
        for (word, bytes) in words.iter_mut().zip(record.chunks_exact(WORD)) {
            *word = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
        }
        Delivery::from_words(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::tests::file;
    use core::net::{Ipv4Addr, SocketAddrV4};
    use proptest::prelude::*;
    use tailrace_agent::messages::SocketPair;

    /// Where the guest has its memory, and the mailbox within it.
    const START: u64 = 0x60_0000;
    const AT: u64 = START + 4096;

    fn memory() -> GuestMemory {
        let mut memory = GuestMemory::default();
        memory.add(START, 8192, &file(8192), 0).unwrap();
        memory
    }

    fn set(memory: &GuestMemory, word: usize, value: u64) {
        memory.write(AT + (word * WORD) as u64, &value.to_ne_bytes()).unwrap();
    }

    fn get(memory: &GuestMemory, word: usize) -> u64 {
        let mut bytes = [0; WORD];
        memory.copy(AT + (word * WORD) as u64, &mut bytes).unwrap();
        u64::from_ne_bytes(bytes)
    }

    fn delivery(bytes: u64) -> Delivery {
        let at = |port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), port);
        Delivery { socket: SocketPair { local: at(1), remote: at(2) }, bytes }
    }

    /// Leaves deliveries of so many bytes each, like an agent.
    fn leave(memory: &GuestMemory, all: &[u64]) {
        let written = get(memory, WRITTEN);
        for (number, bytes) in (written..).zip(all) {
            let words = delivery(*bytes).words();
            words.iter().enumerate().for_each(|(i, word)| set(memory, mailbox::place(number) + i, *word));
        }
        set(memory, WRITTEN, written + all.len() as u64);
    }

    fn taken(memory: &GuestMemory) -> Vec<Delivery> {
        let mut out = VecDeque::new();
        DeliveryMailbox::at(AT).take(memory, &mut out).unwrap();
        deliveries(out.make_contiguous()).collect()
    }

    proptest! {
        #[test]
        fn mailbox_records_are_taken_once_and_in_order(
            turns in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..=RECORDS as usize), 0..6),
        ) {
            let memory = memory();
            for bytes in turns {
                leave(&memory, &bytes);
                let expected: Vec<_> = bytes.into_iter().map(delivery).collect();
                prop_assert_eq!(taken(&memory), expected);
                prop_assert_eq!(taken(&memory), vec![]);
            }
        }

        #[test]
        fn any_counts_are_records_or_an_error(written: u64, read: u64) {
            let memory = memory();
            set(&memory, WRITTEN, written);
            set(&memory, READ, read);
            let mut out = VecDeque::new();
            let taken = DeliveryMailbox::at(AT).take(&memory, &mut out);
            let fits = written >= read && written - read <= RECORDS;
            prop_assert_eq!(taken.is_ok(), fits);
            prop_assert_eq!(out.len() as u64, if fits { (written - read) * RECORD_BYTES as u64 } else { 0 });
        }
    }

    #[test]
    fn a_mailbox_that_is_nowhere_is_an_error() {
        for at in [0, START - 8, START + 8192 - 8, u64::MAX] {
            let error = DeliveryMailbox::at(at).take(&memory(), &mut VecDeque::new()).unwrap_err();
            assert!(error.to_string().contains("its mailbox is at"), "{at:#x}: {error}");
        }
    }
}
