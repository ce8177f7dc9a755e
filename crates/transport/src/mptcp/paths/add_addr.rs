//! ADD_ADDRs that the peer has not echoed, and their repetition (RFC 8684 §3.4.1; Linux net/mptcp/pm.c, `mptcp_pm_add_timer`).

use crate::mptcp::path_manager::AddressId;
use tailrace_core::Instant;

/// ADD_ADDR that waits for its echo.
#[derive(Clone, Copy, Debug)]
struct PendingAddAddr {
    id: AddressId,
    repeats: u32,
    /// Time of the next repetition.
    at: Instant,
}

/// ADD_ADDRs that the peer has not echoed.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingAddAddrs(Vec<PendingAddAddr>);

impl PendingAddAddrs {
    /// The address `id` was announced; the announcement is repeated at `at`.
    pub(crate) fn push(&mut self, id: AddressId, at: Instant) {
        self.0.push(PendingAddAddr { id, repeats: 0, at });
    }

    /// The peer has echoed address `id`, or it was withdrawn.
    pub(crate) fn remove(&mut self, id: AddressId) {
        self.0.retain(|a| a.id != id);
    }

    /// Time of the next repetition.
    #[inline]
    pub(crate) fn deadline(&self) -> Instant {
        self.0.iter().map(|a| a.at).min().unwrap_or(Instant::MAX)
    }

    /// First address that is to be announced again by `now`, and the number of repetitions with that.
    pub(crate) fn next_due(&self, now: Instant) -> Option<(AddressId, u32)> {
        self.0.iter().find(|a| a.at <= now).map(|a| (a.id, a.repeats + 1))
    }

    /// Address `id` was announced again; the next time is at `at`.
    pub(crate) fn repeat(&mut self, id: AddressId, at: Instant) {
        if let Some(pending) = self.0.iter_mut().find(|a| a.id == id) {
            (pending.repeats, pending.at) = (pending.repeats + 1, at);
        }
    }
}
