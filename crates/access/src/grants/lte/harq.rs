//! HARQ: stop and wait in as many processes as a round trip has subframes, which take turns.

use super::{LteConfig, begins, subframes};
use tailrace_core::{Duration, Instant, Rng};

/// The processes of one direction.
#[derive(Debug)]
pub(super) struct Harq {
    /// For each process, the first subframe in which it may send a new block.
    free: Box<[u64]>,
    /// Probability that a first transmission fails, and a later one.
    pub(super) fails: [f64; 2],
    transmissions: u32,
    processing: Duration,
    /// Delay until RLC has recovered a block; zero: the block is lost.
    recovery: Duration,
    rng: Rng,
}

/// Outcome of a transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockOutcome {
    /// When it is decoded, or given up.
    pub(super) settled: Instant,
    pub(super) lost: bool,
}

impl Harq {
    pub(super) fn new(config: &LteConfig, rng: Rng) -> Self {
        let first = config.block_error;
        let later = config.retransmission_error.unwrap_or(first);
        Self {
            free: vec![0; subframes(config.round_trip).max(1) as usize].into(),
            fails: [first.get(), later.get()],
            transmissions: config.transmissions.max(1),
            processing: config.processing,
            recovery: config.rlc_retransmission,
            rng,
        }
    }

    /// The first subframe from this one on in which no block is sent again.
    pub(super) fn free(&self, mut subframe: u64) -> u64 {
        while self.free[self.process(subframe)] > subframe {
            subframe += 1;
        }
        subframe
    }

    /// Sends a new block in a subframe that is free.
    pub(super) fn send(&mut self, subframe: u64) -> BlockOutcome {
        let round = self.free.len() as u64;
        let mut last = subframe;
        let (mut sent, mut failed) = (1, self.rng.bernoulli(self.fails[0]));
        while failed && sent < self.transmissions {
            last += round;
            sent += 1;
            failed = self.rng.bernoulli(self.fails[1]);
        }
        let process = self.process(subframe);
        self.free[process] = last + round;
        let decoded = begins(last + 1).saturating_add(self.processing);
        let recovery = if failed { self.recovery } else { Duration::ZERO };
        BlockOutcome { settled: decoded.saturating_add(recovery), lost: failed && recovery.is_zero() }
    }

    /// Gives up all blocks.
    pub(super) fn reset(&mut self) {
        self.free.fill(0);
    }

    fn process(&self, subframe: u64) -> usize {
        (subframe % self.free.len() as u64) as usize
    }
}
