//! Proportional rate reduction (RFC 6937): in fast recovery data goes out in proportion to what arrives, so that at its
//! end as much is in flight as the lowered window allows, without a silent half round trip and without a burst.
//!
//! Counted in bytes; what may be sent is rounded up to whole segments, as the RFC's examples count. Linux's form counts segments, each
//! as a full one, and spreads what a congestion mark takes in the same way; otherwise the window falls at once then.

use crate::config::Prr;
use tailrace_core::Bytes;

#[derive(Clone, Debug, Default)]
pub(super) struct PrrState {
    /// Flight when recovery began (RecoverFS); in Linux's form the window then (prior_cwnd).
    flight: u64,
    /// Delivered since (prr_delivered).
    delivered: u64,
    /// Sent since (prr_out).
    out: u64,
    /// The window in force.
    window: u64,
}

impl PrrState {
    /// Recovery begins with `flight` bytes outstanding, of which `pipe` are in the network. What is found lost is sent
    /// again at once, so the window has room for a segment of `mss` even where nothing is left in the network.
    pub(super) fn begin(&mut self, flight: u64, pipe: u64, mss: u32) {
        *self = Self { flight: flight.max(1), delivered: 0, out: 0, window: pipe.max(u64::from(mss)) };
    }

    /// Allowance for an ACK that delivered `news` bytes (sndcnt). `progress`: it advanced and found no loss.
    fn allowance(&self, kind: Prr, (ssthresh, pipe, mss): (u64, u64, u64), news: u64, progress: bool) -> u64 {
        let owed = self.delivered.saturating_sub(self.out);
        if pipe > ssthresh {
            let share = u128::from(self.delivered) * u128::from(ssthresh) / u128::from(self.flight);
            let exact = u128::from(self.delivered) * u128::from(ssthresh) % u128::from(self.flight) == 0;
            let share = (share as u64) + u64::from(!exact);
            return (share.div_ceil(mss) * mss).saturating_sub(self.out);
        }
        let limit = match kind {
            Prr::Crb | Prr::Off => owed,
            Prr::Ssrb => owed.max(news) + mss,
            Prr::Linux => owed.max(news) + if progress { mss } else { 0 },
        };
        limit.min(ssthresh - pipe)
    }

    /// `bytes` as they are counted: in Linux's form as full segments of `mss`.
    pub(super) fn in_units(kind: Prr, bytes: u64, mss: u64) -> u64 {
        if kind == Prr::Linux { bytes.next_multiple_of(mss) } else { bytes }
    }

    /// `bytes` (in PRR's units) are sent.
    pub(super) const fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }

    /// The window in force.
    pub(super) const fn window(&self) -> Bytes {
        Bytes(self.window)
    }

    /// An ACK delivered `news` bytes in fast recovery; `target` is ssthresh, `pipe` is in PRR's units.
    pub(super) fn on_ack(
        &mut self,
        kind: Prr,
        (target, pipe, mss): (u64, u64, u64),
        news: u64,
        progress: bool,
    ) {
        self.delivered += news;
        let mut allowance = self.allowance(kind, (target, pipe, mss), news, progress);
        if kind == Prr::Linux && self.out == 0 {
            allowance = allowance.max(mss);
        }
        self.window = pipe + allowance;
    }
}
