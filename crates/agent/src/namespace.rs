//! Network namespaces: several hosts within one guest.

use nix::sched::{CloneFlags, setns, unshare};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, open};
use std::io;

/// Network namespace of one host, held open by a file descriptor.
#[derive(Debug)]
pub(crate) struct Namespace(OwnedFd);

impl Namespace {
    /// Network namespace of the calling thread.
    pub(crate) fn current() -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(Self(open("/proc/thread-self/ns/net", flags, Mode::empty())?))
    }

    /// Creates a network namespace and moves the calling thread into it.
    pub(crate) fn create_and_enter() -> io::Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET)?;
        Self::current()
    }

    /// Moves the calling thread into this namespace, with the sockets that it opens and the programs that it starts later.
    pub(crate) fn enter(&self) -> io::Result<()> {
        Ok(setns(self, CloneFlags::CLONE_NEWNET)?)
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
