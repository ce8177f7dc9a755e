//! The schedule that a guest and the calendar share (Linux 6.11 and later, `struct um_timetravel_schedshm`, version 2).
//!
//! A header of one page: version, length, until when the one who runs may go on, the time, who runs. Behind it a client's 128
//! bytes: what it can, whether it wants to run, and when. The calendar is client zero, the guest client one; a guest tells its
//! wishes here only while the one who runs can read them, so the calendar says of itself that it can.

use crate::mapping::SharedMapping;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::MemfdFlags;
use std::io;
use std::sync::atomic::Ordering;

/// The guest's number in its schedule.
pub(crate) const GUEST: u64 = 1;
const CALENDAR: u16 = 0;

const VERSION: u32 = 2;
const HEADER: usize = 4096;
const CLIENT: usize = 128;
const CLIENTS: u16 = 2;
const LEN: usize = HEADER + CLIENT * CLIENTS as usize;

// Places in the header.
const FREE_UNTIL: usize = 8;
const TIME: usize = 16;
const RUNNING: usize = 24;
const MAX_CLIENTS: usize = 26;
// Places of a client.
const CAPABILITIES: usize = 0;
const FLAGS: usize = 4;
const REQUEST: usize = 8;

/// It reads and writes times here.
const SHARES_TIME: u32 = 1;
/// It wants to run.
const WANTS_TO_RUN: u32 = 1;

/// The calendar's side of it.
#[derive(Debug)]
pub(crate) struct SharedSchedule {
    map: SharedMapping,
    /// The shared memory, and a file for logs, which Linux takes and leaves alone.
    files: [OwnedFd; 2],
}

impl SharedSchedule {
    /// The schedule of a guest that boots, and may go on by itself up to `free_until`.
    pub(crate) fn new(free_until: u64) -> io::Result<Self> {
        let memory = rustix::fs::memfd_create("schedule", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&memory, 2 * HEADER as u64)?;
        let log = rustix::fs::memfd_create("log", MemfdFlags::CLOEXEC)?;
        let schedule = Self { map: SharedMapping::new(&memory, 0, 2 * HEADER)?, files: [memory, log] };
        schedule.set_u32(0, VERSION);
        schedule.set_u32(4, LEN as u32);
        schedule.set_u16(MAX_CLIENTS, CLIENTS);
        schedule.set_u32(HEADER + CAPABILITIES, SHARES_TIME);
        schedule.set_u64(FREE_UNTIL, free_until);
        schedule.set_u16(RUNNING, GUEST as u16);
        Ok(schedule)
    }

    pub(crate) fn files(&self) -> [BorrowedFd<'_>; 2] {
        self.files.each_ref().map(|file| file.as_fd())
    }

    /// Whether the guest uses it.
    pub(crate) fn is_shared(&self) -> bool {
        self.u32(HEADER + CLIENT + CAPABILITIES) & SHARES_TIME != 0
    }

    /// When the guest wants to run.
    pub(crate) fn request(&self) -> Option<u64> {
        let wants = self.u32(HEADER + CLIENT + FLAGS) & WANTS_TO_RUN != 0;
        wants.then(|| self.u64(HEADER + CLIENT + REQUEST))
    }

    pub(crate) fn time(&self) -> u64 {
        self.u64(TIME)
    }

    pub(crate) fn set_time(&self, time: u64) {
        self.set_u64(TIME, time);
    }

    /// The guest runs at `at`, and may go on up to `free_until`.
    pub(crate) fn run(&self, at: u64, free_until: u64) {
        self.set_u64(FREE_UNTIL, free_until);
        self.set_u64(TIME, at);
        self.set_u16(RUNNING, GUEST as u16);
    }

    /// The guest, which runs, may go on up to then.
    pub(crate) fn free_until(&self, time: u64) {
        self.set_u64(FREE_UNTIL, time);
    }

    /// The guest waits.
    pub(crate) fn stop(&self) {
        self.set_u16(RUNNING, CALENDAR);
    }

    // All places are within the mapping and aligned: both are constants.

    fn u32(&self, at: usize) -> u32 {
        self.map.u32(at).map_or(0, |v| v.load(Ordering::SeqCst))
    }
    fn u64(&self, at: usize) -> u64 {
        self.map.u64(at).map_or(0, |v| v.load(Ordering::SeqCst))
    }
    fn set_u16(&self, at: usize, value: u16) {
        self.map.u16(at).expect("a place of the header").store(value, Ordering::SeqCst);
    }
    fn set_u32(&self, at: usize, value: u32) {
        self.map.u32(at).expect("a place of the header").store(value, Ordering::SeqCst);
    }
    fn set_u64(&self, at: usize, value: u64) {
        self.map.u64(at).expect("a place of the header").store(value, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_linux_has_them() {
        let schedule = SharedSchedule::new(3).unwrap();
        let guest = SharedMapping::new(&schedule.files[0], 0, LEN).unwrap();
        let mut bytes = Vec::new();
        guest.read(0, 28, &mut bytes).unwrap();
        // Version 2, 4352 bytes; free until 3, time zero, client 1 of 2 runs.
        let mut header = vec![2, 0, 0, 0, 0, 0x11, 0, 0, 3];
        header.extend([0; 15]);
        header.extend([1, 0, 2, 0]);
        assert_eq!(bytes, header);
        assert!(!schedule.is_shared() && schedule.request().is_none());

        guest.u32(4096 + 128).unwrap().store(1, Ordering::SeqCst);
        assert!(schedule.is_shared());
        guest.u64(4096 + 128 + 8).unwrap().store(77, Ordering::SeqCst);
        assert_eq!(schedule.request(), None);
        guest.u32(4096 + 128 + 4).unwrap().store(1, Ordering::SeqCst);
        assert_eq!(schedule.request(), Some(77));

        schedule.run(5, 9);
        let times = [8, 16].map(|at| guest.u64(at).unwrap().load(Ordering::SeqCst));
        assert_eq!((times, guest.u16(24).unwrap().load(Ordering::SeqCst)), ([9, 5], 1));
        schedule.stop();
        assert_eq!(guest.u16(24).unwrap().load(Ordering::SeqCst), 0);
    }
}
