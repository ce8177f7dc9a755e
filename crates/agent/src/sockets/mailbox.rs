//! Writer of the [mailbox] in the agent.

use crate::raw;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use tailrace_agent::OWN_FOLDER;
use tailrace_agent::mailbox::{self, Delivery, READ, RECORDS, WORDS, WRITTEN};

const PAGE: u64 = 4096;
/// Entry of `/proc/self/pagemap`: flag of a present page, and page frame number (proc_pid_pagemap(5)).
const PRESENT: u64 = 1 << 63;
const FRAME_NUMBER: u64 = (1 << 55) - 1;

/// Page shared with the simulator.
#[derive(Debug)]
pub(super) struct Mailbox {
    words: &'static [AtomicU64; WORDS],
}

impl Mailbox {
    /// Allocates the page and writes its physical address to the guest's folder.
    pub(super) fn open() -> io::Result<Self> {
        let words = raw::shared_page()?;
        let place = physical_address(words.as_ptr().addr() as u64)?;
        let mut file = File::create(format!("{OWN_FOLDER}/{}", mailbox::FILE))?;
        write!(file, "{place}")?;
        file.sync_all()?;
        Ok(Self { words })
    }

    /// Appends all deliveries, or none if the ring has no room for them; returns whether it has.
    pub(super) fn append(&self, all: impl ExactSizeIterator<Item = Delivery>) -> bool {
        let written = self.words[WRITTEN].load(Ordering::Relaxed);
        let waiting = written - self.words[READ].load(Ordering::Acquire);
        if waiting + all.len() as u64 > RECORDS {
            return false;
        }
        let mut number = written;
        for delivery in all {
            let place = mailbox::place(number);
            for (to, word) in self.words[place..].iter().zip(delivery.words()) {
                to.store(word, Ordering::Relaxed);
            }
            number += 1;
        }
        self.words[WRITTEN].store(number, Ordering::Release);
        true
    }
}

/// Physical address of a resident, locked page.
fn physical_address(address: u64) -> io::Result<u64> {
    let mut map = File::open("/proc/self/pagemap")?;
    map.seek(SeekFrom::Start(address / PAGE * 8))?;
    let mut entry = [0; 8];
    map.read_exact(&mut entry)?;
    let entry = u64::from_ne_bytes(entry);
    match (entry & PRESENT != 0, entry & FRAME_NUMBER) {
        (true, number @ 1..) => Ok(number * PAGE),
        _ => Err(io::Error::other("the page map does not say where a page is")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, SocketAddrV4};
    use tailrace_agent::messages::SocketPair;

    #[test]
    fn a_full_mailbox_takes_nothing_until_it_is_read() {
        let words: &'static [AtomicU64; WORDS] = Box::leak(Box::new([const { AtomicU64::new(0) }; WORDS]));
        let mailbox = Mailbox { words };
        let at = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let delivery = Delivery { socket: SocketPair { local: at(1), remote: at(2) }, bytes: 9 };
        let append = |number: u64| mailbox.append((0..number as usize).map(|_| delivery));
        assert!(append(RECORDS - 1) && !append(2) && append(1) && !append(1));
        words[READ].store(1, Ordering::Relaxed);
        assert!(!append(2) && append(1));
        assert_eq!(words[WRITTEN].load(Ordering::Relaxed), RECORDS + 1);
        let place = mailbox::place(RECORDS);
        assert_eq!(words[place + 2].load(Ordering::Relaxed), 9);
    }
}
