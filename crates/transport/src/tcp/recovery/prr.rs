//! Proportional rate reduction (RFC 6937): in fast recovery data goes out in proportion to what arrives, so that at its
//! end as much is in flight as the lowered window allows, without a silent half round trip and without a burst.
//!
//! Counted in bytes; what may be sent is rounded up to whole segments, as the RFC's examples count. Linux's form counts segments, each
//! as a full one, and spreads what a congestion mark takes in the same way; otherwise the window falls at once then.

use super::Tcp;
use crate::config::Prr;

#[derive(Clone, Debug, Default)]
pub(super) struct PrrState {
    /// Flight when recovery began (RecoverFS); in Linux's form the window then (prior_cwnd).
    flight: u64,
    /// Delivered since (prr_delivered).
    delivered: u64,
    /// Sent since (prr_out).
    pub(super) out: u64,
    /// The window in force.
    pub(super) window: u64,
}

impl PrrState {
    /// Recovery begins with `flight` bytes outstanding, of which `pipe` are in the network. What is found lost is sent
    /// again at once, so the window has room for a segment of `mss` even where nothing is left in the network.
    pub(super) fn begin(&mut self, flight: u64, pipe: u64, mss: u32) {
        *self = Self { flight: flight.max(1), delivered: 0, out: 0, window: pipe.max(u64::from(mss)) };
    }

    /// What may be sent for an ACK that delivered `news` bytes (sndcnt). `progress`: it advanced and found no loss.
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
}

impl Tcp {
    /// Whether fast recovery is governed by what is delivered. Algorithms that go by delivery rates see to their flight
    /// themselves, as in Linux those with `cong_control`.
    pub(super) fn reduces_rate(&self) -> bool {
        self.config.prr != Prr::Off && !self.needs.rates
    }

    /// So many bytes as they are counted: those of Linux as full segments.
    pub(super) fn in_prr_units(&self, bytes: u64) -> u64 {
        if self.config.prr == Prr::Linux { bytes.next_multiple_of(u64::from(self.mss)) } else { bytes }
    }

    /// The reordering timer began a fast recovery: Linux counts a segment as delivered then, as if an ACK had (`tcp_rack_reo_timeout`).
    pub(super) fn prr_on_timer(&mut self) {
        if self.config.prr == Prr::Linux && self.reduces_rate() {
            self.prr_on_ack(u64::from(self.mss), false);
        }
    }

    /// An ACK delivered `news` bytes in fast recovery.
    pub(super) fn prr_on_ack(&mut self, news: u64, progress: bool) {
        let (kind, pipe, mss) = (self.config.prr, self.in_prr_units(self.pipe()), u64::from(self.mss));
        let target = self.cc.cwnd().get();
        let Some(repair) = &mut self.repair else { return };
        let prr = &mut repair.prr;
        prr.delivered += news;
        let mut allowance = prr.allowance(kind, (target, pipe, mss), news, progress);
        if kind == Prr::Linux && prr.out == 0 {
            allowance = allowance.max(mss);
        }
        prr.window = pipe + allowance;
    }
}
