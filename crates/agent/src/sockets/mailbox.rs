//! The agent's side of the [mailbox].

use crate::raw;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use tailrace_agent::OWN_FOLDER;
use tailrace_agent::mailbox::{self, Delivery, READ, RECORDS, WORDS, WRITTEN};

const PAGE: u64 = 4096;
/// An entry of the page map: the page is there, and its number (proc_pid_pagemap(5)).
const PRESENT: u64 = 1 << 63;
const NUMBER: u64 = (1 << 55) - 1;

/// A page of which the simulator knows.
#[derive(Debug)]
pub(super) struct Mailbox {
    words: &'static [AtomicU64; WORDS],
}

impl Mailbox {
    /// Takes a page for it, and says where it is.
    pub(super) fn open() -> io::Result<Self> {
        let words = raw::shared_page()?;
        let place = physical(words.as_ptr().addr() as u64)?;
        let mut file = File::create(format!("{OWN_FOLDER}/{}", mailbox::FILE))?;
        write!(file, "{place}")?;
        file.sync_all()?;
        Ok(Self { words })
    }

    /// Leaves all of them, or none where there is no room.
    pub(super) fn leave(&self, all: impl ExactSizeIterator<Item = Delivery>) -> bool {
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

/// Where a page that is there and stays there lies in this machine's memory.
fn physical(address: u64) -> io::Result<u64> {
    let mut map = File::open("/proc/self/pagemap")?;
    map.seek(SeekFrom::Start(address / PAGE * 8))?;
    let mut entry = [0; 8];
    map.read_exact(&mut entry)?;
    let entry = u64::from_ne_bytes(entry);
    match (entry & PRESENT != 0, entry & NUMBER) {
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
        let leave = |number: u64| mailbox.leave((0..number as usize).map(|_| delivery));
        assert!(leave(RECORDS - 1) && !leave(2) && leave(1) && !leave(1));
        words[READ].store(1, Ordering::Relaxed);
        assert!(!leave(2) && leave(1));
        assert_eq!(words[WRITTEN].load(Ordering::Relaxed), RECORDS + 1);
        let place = mailbox::place(RECORDS);
        assert_eq!(words[place + 2].load(Ordering::Relaxed), 9);
    }
}
