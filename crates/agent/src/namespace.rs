//! Network namespaces: several hosts within one guest.

use nix::sched::{CloneFlags, setns, unshare};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, open};
use std::io;

/// The network of one host.
#[derive(Debug)]
pub(crate) struct Namespace(OwnedFd);

impl Namespace {
    /// The namespace of this thread.
    pub(crate) fn current() -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(Self(open("/proc/thread-self/ns/net", flags, Mode::empty())?))
    }

    /// A new one, in which this thread is then.
    pub(crate) fn enter_new() -> io::Result<Self> {
        unshare(CloneFlags::CLONE_NEWNET)?;
        Self::current()
    }

    /// Sockets that this thread makes, and programs that it starts, are of this network from now on.
    pub(crate) fn enter(&self) -> io::Result<()> {
        Ok(setns(self, CloneFlags::CLONE_NEWNET)?)
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
